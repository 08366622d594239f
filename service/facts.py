"""Facts about players: what they did, in numbers. A match may ask for some before it gives a seat."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from statistics import quantiles
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.errors import Conflict, Malformed
from service.store.tables import Match, Player, Seated, Taken

# What a match may ask for, and in which words it refuses.
ASKS = {
    "moves": "has made at least {} moves",
    "finished": "has finished at least {} matches",
    "misses": "missed at most {} of a hundred moves",
    "median_hours": "takes at most {} hours for a move, as often as not",
}
MOST_ASKED = 100_000


@dataclass(frozen=True, slots=True)
class Facts:
    moves: int
    misses: int
    finished: int
    """Matches played to their end, without leaving."""
    quartiles: tuple[timedelta, timedelta, timedelta] | None
    """Of the time taken: a quarter of the moves was quicker than the first, half than the second, the median."""


def facts_of(session: Session, player_id: str) -> Facts:
    made = select(func.count()).select_from(Taken).where(Taken.player_id == player_id)
    finished = (
        select(func.count())
        .select_from(Seated)
        .join(Match, Match.id == Seated.match_id)
        .where(Seated.player_id == player_id, Seated.left_at.is_(None), Match.status == "over")
    )
    times = session.scalars(
        select(Taken.time).where(Taken.player_id == player_id, Taken.time.is_not(None)).order_by(Taken.time)
    ).all()
    return Facts(
        moves=session.scalar(made.where(~Taken.missed)) or 0,
        misses=session.scalar(made.where(Taken.missed)) or 0,
        finished=session.scalar(finished) or 0,
        quartiles=_quartiles([time.total_seconds() for time in times if time is not None]),
    )


def _quartiles(seconds: list[float]) -> tuple[timedelta, timedelta, timedelta] | None:
    if not seconds:
        return None
    cuts = quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else 3 * seconds
    first, median, third = (timedelta(seconds=cut) for cut in cuts)
    return first, median, third


def read_asks(given: Mapping[str, Any]) -> dict[str, int]:
    """What a match asks for; Malformed where that is nothing we know."""
    for name, value in given.items():
        if name not in ASKS:
            raise Malformed("asks_invalid", f"A match may ask for {', '.join(ASKS)}, not for “{name}”.", option=name)
        if type(value) is not int or not 0 <= value <= MOST_ASKED:
            raise Malformed("asks_invalid", f"{name} must be a whole number from 0 to {MOST_ASKED}.", option=name)
    return dict(given)


def check_asks(session: Session, match: Match, player: Player) -> None:
    """Conflict where the player can't show what the match asks for. Who opened it may sit at it."""
    if not match.asks or match.opened_by == player.id:
        return
    facts = facts_of(session, player.id)
    median = None if facts.quartiles is None else facts.quartiles[1]
    for name, value in match.asks.items():
        met = {
            "moves": facts.moves >= value,
            "finished": facts.finished >= value,
            "misses": 100 * facts.misses <= value * (facts.moves + facts.misses),
            "median_hours": median is not None and median <= timedelta(hours=value),
        }
        if not met[name]:
            raise Conflict("asks_not_met", f"This match is for who {ASKS[name].format(value)}.", option=name)
