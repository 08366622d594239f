"""Mail, both ways: `compose` writes notices, `post` sends them, `receive` takes mail in, `reply` finds what it says."""
