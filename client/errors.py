"""What can go wrong for a client.

OghamError
├── Problem          the service said no, with a stable code (RFC 9457)
├── Unreachable      nobody answered
├── Garbled          somebody did, who isn't Ogham
├── NotSeated        only who sits at a match can do this
└── KeyFileError     the file of a key is missing, in the way, or no key
"""

from collections.abc import Mapping
from typing import Any


class OghamError(Exception):
    """Its text is one sentence for a person."""


class Problem(OghamError):
    """The service refused. `code` is stable and listed in the service's documentation; `body` is all that it said.

    `rule` is the number of the rule that a refused move breaks.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = dict(body)
        self.code = str(body.get("code", "unknown"))
        self.status = int(body.get("status", 0))
        self.detail = str(
            body.get("detail") or _by_member(body.get("errors")) or body.get("title") or "No reason given."
        )
        self.rule: str | None = body.get("rule")
        super().__init__(f"{self.detail} ({', '.join(filter(None, (self.code, self.rule)))})")


class Unreachable(OghamError):
    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        self.reason = reason
        super().__init__(f"Nothing answers at {url}: {reason}")


class Garbled(OghamError):
    def __init__(self, url: str) -> None:
        super().__init__(f"What answers at {url} isn't Ogham.")


class NotSeated(OghamError):
    def __init__(self, match: str) -> None:
        super().__init__(f"You have no seat in match {match}.")


class KeyFileError(OghamError):
    pass


def _by_member(errors: Any) -> str:
    """What a schema found wrong, as a line: `seats: Not a valid integer; name: Missing data for required field`."""
    if not isinstance(errors, Mapping):
        return "" if not errors else ", ".join(map(str, errors)) if isinstance(errors, list) else str(errors)
    return "; ".join(f"{name}: {_by_member(wrong).rstrip('.')}" for name, wrong in errors.items())
