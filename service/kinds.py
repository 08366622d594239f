"""The kinds of notices, in one table. A further one is a line here, a function in `mailroom/compose.py`, and phrases.

A kind with a choice is also a preference (`mail_turn`) and can be unsubscribed from; the others are answers to what
somebody just did, or hold what they asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Choice = Literal["off", "now", "digest"]
CHOICES: tuple[Choice, ...] = ("off", "now", "digest")


@dataclass(frozen=True, slots=True)
class Kind:
    when: str
    """Completes “a mail when …”."""
    choice: Choice | None = "now"
    """What holds until a player chooses; None: it is always sent, and at once."""
    lingers: bool = False
    """It waits a moment before it is sent, since it may be outdated by then."""


KINDS: Mapping[str, Kind] = {
    "welcome": Kind("an address was registered", None),
    "invitation": Kind("somebody invites you"),
    "declined": Kind("somebody you invited declines"),
    "nonce": Kind("a table is full, and waits for the nonce you promised", None),
    "started": Kind("a match you joined begins, and another is to act"),
    "turn": Kind("it is your turn", lingers=True),
    "answer": Kind("your mail was played, refused or not understood", None),
    "message": Kind("somebody at your table says something"),
    "finished": Kind("a match is over"),
    "reminder": Kind("your time runs, at the points you chose"),
    "timed_out": Kind("your time was up", None),
    "clock": Kind("the clock did something at your table"),
    "digest": Kind("your hour has come and there is something to tell", None),
}
