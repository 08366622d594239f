"""The arithmetic of clocks: pure, no database, no now.

Time counts on the weekdays that the match counts, in the player's own zone, and not while the player is on vacation or
the service was down. A deadline is the moment at which the time a player has is used up; where nobody can be expected
to act then (quiet hours, a day that doesn't count, a vacation, an outage) it is the next moment at which they can.
Durations are elapsed time: a day is 24 hours, also when the clocks change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

NOTHING = timedelta(0)
WEEK = frozenset(range(1, 8))
LONGEST_QUIET = timedelta(hours=12)
HALF = "half"


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to and not including `end`."""

    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours of the day, by the clock on the wall, in which nothing falls due; they may go through midnight."""

    start: time
    end: time

    def covers(self, hour: time) -> bool:
        if self.start <= self.end:
            return self.start <= hour < self.end
        return hour >= self.start or hour < self.end


@dataclass(frozen=True, slots=True)
class Hours:
    """When time counts for somebody, and when something may fall due."""

    zone: ZoneInfo
    weekdays: frozenset[int] = WEEK
    """As ISO 8601 counts them: 1 is Monday. At least one."""
    quiet: Quiet | None = None
    off: tuple[Span, ...] = ()
    """Vacations and outages."""

    def is_quiet(self, moment: datetime) -> bool:
        return self.quiet is not None and self.quiet.covers(moment.astimezone(self.zone).time())

    def is_off(self, moment: datetime) -> bool:
        return any(span.start <= moment < span.end for span in self.off)

    def counts(self, moment: datetime) -> bool:
        return moment.astimezone(self.zone).isoweekday() in self.weekdays and not self.is_off(moment)


# -- time that counts


def used(hours: Hours, start: datetime, end: datetime) -> timedelta:
    """How much of the time between the two moments counts."""
    if end <= start:
        return NOTHING
    return sum((span.length for span in _counting(hours, start, end)), NOTHING)


def reach(hours: Hours, start: datetime, amount: timedelta) -> datetime:
    """The first moment from `start` on at which so much time has counted."""
    if amount <= NOTHING:
        return start
    for span in _counting(hours, start, None):
        if span.length >= amount:
            return span.start + amount
        amount -= span.length
    raise AssertionError("time that counts never ends")


def due(hours: Hours, start: datetime, amount: timedelta) -> datetime:
    """The deadline of somebody who has so much time from `start` on."""
    return open_from(hours, reach(hours, start, amount))


def open_from(hours: Hours, moment: datetime) -> datetime:
    """The first moment from this one on at which something may fall due."""
    while True:
        later = _after_quiet(hours, next(_counting(hours, moment, None)).start)
        if later == moment:
            return moment
        moment = later


def _counting(hours: Hours, start: datetime, end: datetime | None) -> Iterator[Span]:
    """The spans of time that count, from `start` on (up to `end`, else for ever), none of them empty."""
    for days in _days(hours, start, end):
        yield from _without(days, hours.off)


def _days(hours: Hours, start: datetime, end: datetime | None) -> Iterator[Span]:
    if hours.weekdays == WEEK and end is not None:
        yield Span(start, end)
        return
    day = start.astimezone(hours.zone).date()
    while end is None or start < end:
        day += timedelta(days=1)
        midnight = beginning_of(day, hours.zone)
        if midnight <= start:  # a day that the zone left out
            continue
        if (day - timedelta(days=1)).isoweekday() in hours.weekdays:
            yield Span(start, midnight if end is None else min(midnight, end))
        start = midnight


def _without(span: Span, off: Iterable[Span]) -> Iterator[Span]:
    start = span.start
    for gap in sorted(off, key=lambda gap: gap.start):
        if gap.end <= start or gap.start >= span.end:
            continue
        if start < gap.start:
            yield Span(start, gap.start)
        start = max(start, gap.end)
    if start < span.end:
        yield Span(start, span.end)


def beginning_of(day: date, zone: ZoneInfo) -> datetime:
    """The moment at which a day begins there, whatever the clocks do that night."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _after_quiet(hours: Hours, moment: datetime) -> datetime:
    """The first moment from this one on that isn't quiet by the clock on the wall.

    Quiet hours end when that clock says so, or jumps over it: both times when it says so twice.
    """
    if hours.quiet is None or not hours.is_quiet(moment):
        return moment
    today = moment.astimezone(hours.zone).date()
    ends = [
        datetime.combine(today + timedelta(days=days), hours.quiet.end.replace(fold=fold), hours.zone).astimezone(UTC)
        for days in (0, 1, 2)
        for fold in (0, 1)
    ]
    candidates = sorted([*ends, *_changes(hours.zone, moment, moment + timedelta(days=2))])
    return next(end for end in candidates if end > moment and not hours.is_quiet(end))


def _changes(zone: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """The moment between the two at which the zone's clocks change, if they do, to the second."""
    if _offset(zone, start) == _offset(zone, end):
        return []
    while end - start > timedelta(seconds=1):
        middle = (start + (end - start) / 2).replace(microsecond=0)
        middle = middle if middle > start else start + timedelta(seconds=1)
        start, end = (middle, end) if _offset(zone, middle) == _offset(zone, start) else (start, middle)
    return [end.replace(microsecond=0)]


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


# -- how much time a turn has


@dataclass(frozen=True, slots=True)
class Control:
    """How much time there is: `per_turn`, or a bank to which each turn adds `increment`, up to `cap`."""

    per_turn: timedelta | None = None
    bank: timedelta = NOTHING
    increment: timedelta = NOTHING
    cap: timedelta = NOTHING

    def at_first(self) -> timedelta:
        """What a seat has before its first turn."""
        return NOTHING if self.per_turn is not None else self.bank

    def grant(self, left: timedelta) -> timedelta:
        """What a seat that had so much left has in a turn in which it is asked for the first time."""
        return self.per_turn if self.per_turn is not None else min(self.cap, left + self.increment)


# -- reminders


def hours_before(point: str) -> timedelta | None:
    """How long before the deadline a reminder comes; None for the one at half time."""
    return None if point == HALF else timedelta(hours=int(point.removesuffix("h")))


def reminders(
    points: Sequence[str], hours: Hours, start: datetime, left: timedelta, granted: timedelta
) -> Mapping[str, datetime]:
    """When each reminder comes to somebody who, at `start`, had so much left of what was granted for this turn.

    None comes in quiet hours or on vacation: it waits for their end or, where that is the end of the time, comes
    before they begin. None comes for a point that was past at `start`.
    """
    deadline = due(hours, start, left)
    moments = {}
    for point in points:
        before = hours_before(point)
        if before is None:
            moment = reach(hours, start, left - granted / 2) if left > granted / 2 else start
        else:
            moment = deadline - before
        placed = None if moment <= start else _undisturbing(hours, moment, start, deadline)
        if placed is not None:
            moments[point] = placed
    return moments


def undisturbed_from(hours: Hours, moment: datetime) -> datetime:
    """The first moment from this one on that is neither quiet nor in a vacation or outage, whatever the weekday."""
    while hours.is_off(moment) or hours.is_quiet(moment):
        ends = [span.end for span in hours.off if span.start <= moment < span.end]
        moment = _after_quiet(hours, max([moment, *ends]))
    return moment


def _undisturbing(hours: Hours, moment: datetime, start: datetime, deadline: datetime) -> datetime | None:
    later = undisturbed_from(hours, moment)
    if later < deadline:
        return later
    step, earlier = timedelta(minutes=10), moment
    while earlier > start and (hours.is_off(earlier) or hours.is_quiet(earlier)):
        earlier -= step
    return earlier if earlier > start else None


# -- as they are written


def read_quiet(text: str) -> Quiet:
    """Quiet hours as a player writes them, `22:00-07:00`; ValueError where they are none, or too many."""
    start, _, end = (part.strip() for part in text.partition("-"))
    quiet = Quiet(_hour(start), _hour(end))
    length = timedelta(minutes=(_minutes(quiet.end) - _minutes(quiet.start)) % (24 * 60))
    if not NOTHING < length <= LONGEST_QUIET:
        raise ValueError(text)
    return quiet


def _hour(text: str) -> time:
    if len(text) != 5 or text[2] != ":" or not text.isascii() or not (text[:2] + text[3:]).isdecimal():
        raise ValueError(text)
    return time(int(text[:2]), int(text[3:]))


def _minutes(hour: time) -> int:
    return hour.hour * 60 + hour.minute


def hours_of(preferences: Mapping[str, Any], weekdays: Iterable[int] = WEEK, off: Iterable[Span] = ()) -> Hours:
    """A player's hours, from what they chose for themselves and what the match counts."""
    quiet = preferences["quiet"]
    return Hours(
        ZoneInfo(preferences["zone"]), frozenset(weekdays), None if quiet is None else read_quiet(quiet), tuple(off)
    )


def days_between(first: date, last: date) -> Iterator[date]:
    """Each day from the first to the last, both included."""
    for days in range((last - first).days + 1):
        yield first + timedelta(days=days)
