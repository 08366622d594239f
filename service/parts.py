"""What the service is put together from, and how its functions reach it.

The bell is the one thing that the worker side hands in: the service rings it and knows nothing of who listens.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol, cast

from flask import current_app

from engine.chance import Chance
from engine.game import Game, Move, View
from service.mailroom.signatures import LookUp, look_up
from service.settings import Settings


class Bell(Protocol):
    def ring(self, work: str, id: str) -> None:
        """Tell a worker that this work waits. Returns at once, never raises; a lost ring is found by the sweep."""


class NoBell:
    """For processes that nobody listens to: the sweep does all the work."""

    def ring(self, work: str, id: str) -> None:
        pass


class Bot(Protocol):
    """Plays for a seat. It is given what that seat may see, and never the state."""

    def __call__(self, game: Game, view: View, chance: Chance) -> Move:
        """A legal move of the viewing seat, which is to act. The same arguments give the same move.

        The chance is its own, for this one decision. The match's would tell it how decks will be shuffled.
        """


def wall_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    games: Mapping[str, Game]
    bell: Bell
    now: Callable[[], datetime] = wall_clock
    bots: Mapping[str, Bot] = field(default_factory=dict)
    """By the names that a match is opened with: `bot:easy`."""
    look_up: LookUp = look_up
    """Asks the DNS, for the keys of mail domains."""


def parts() -> Parts:
    """Those of the running app."""
    return cast(Parts, current_app.extensions["ogham"])


def now() -> datetime:
    """The one clock."""
    return parts().now()


def timestamp(moment: datetime) -> str:
    """A moment as the log and the API write it: UTC, to the millisecond."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
