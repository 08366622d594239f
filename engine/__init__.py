"""Pure rules: games, events, the log and its checks. No input or output, no clock, no chance of its own."""
