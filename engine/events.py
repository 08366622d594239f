"""Events: what happened, chance included, and who may know it.

An event is a frozen dataclass in the past tense (`TileLaid`). What a field holds is public, unless it stands in a mark:

- `Sealed`: a value hidden where it arises. `to` are the seats that may see it; nobody else does before the end of the
  match. A `name`, where it has one, is public and lets a later event say which value it shows: a deck is a tuple of
  `Sealed`, one for each slot.
- `Shown`: a value sealed earlier, under that name, and now shown to the seats in `to`, or to everybody.

Views, the log as others read it, and the seals in it all follow from these two marks. They stand in fields, tuples and
dataclasses; never in a set, since the order it is written in would tell of what they hide.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final, Generic, NewType, TypeVar, cast

from engine.values import JSON, Reader, freeze, quickly_made, reader

Seat = NewType("Seat", int)
Event = Any
T = TypeVar("T")

EVERYBODY: Final = None


@quickly_made
@dataclass(frozen=True, slots=True)
class Sealed(Generic[T]):
    """A value hidden here and now. For a reader who may not see it, `value` is None."""

    JSON_KEY: ClassVar[str] = "$seal"

    value: T | None
    to: tuple[Seat, ...] = ()
    name: str = ""


@quickly_made
@dataclass(frozen=True, slots=True)
class Shown(Generic[T]):
    """A value sealed earlier, shown now. For a reader who may not see it, `value` is None."""

    JSON_KEY: ClassVar[str] = "$show"

    name: str
    value: T | None
    to: tuple[Seat, ...] | None = EVERYBODY


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat resigned or forfeited (GE-1). Every game has this event."""

    seat: Seat


class Spelling:
    """How a game's events are written: an object with the event's name under `event`, and its fields."""

    def __init__(self, kinds: Iterable[type]) -> None:
        self._readers = {kind.__name__: cast(Reader, reader(kind)) for kind in (SeatLeft, *kinds)}

    def write(self, event: Event) -> dict[str, JSON]:
        return {"event": type(event).__name__, **freeze(event)}

    def read(self, json: JSON, value_of: Callable[[int], JSON] | None = None) -> Event:
        """`value_of` gives the hidden values of an entry's public form, by the number of their seal."""
        return self._readers[json["event"]](json, value_of)


def as_seen_by(seat: Seat | None, events: Sequence[Event]) -> tuple[Event, ...]:
    """The events as this seat (None: a spectator) may know them: what it may not see is None."""
    return tuple(_seen(event, seat) for event in events)


def _seen(value: Any, seat: Seat | None) -> Any:
    if isinstance(value, Sealed | Shown):
        may_see = value.to is EVERYBODY or seat in value.to
        return value if may_see else replace(value, value=None)
    if isinstance(value, tuple):
        return tuple(_seen(item, seat) for item in value)
    if hasattr(value, "__dataclass_fields__"):
        seen = {field.name: _seen(getattr(value, field.name), seat) for field in fields(value)}
        return replace(value, **seen)
    return value
