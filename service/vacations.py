"""Vacations: days on which no clock runs for a player. Announced to every table they sit at, and never taken otherwise.

A player has so many days in each calendar year. A day counts once it has begun, in the player's own zone; who comes
back early keeps the rest.
"""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.events import Seat
from service.clocks import SERVICE, come_back, follow_clock, lock_tables, restart_clock
from service.errors import BadStatement, Conflict, Malformed
from service.ids import new_id
from service.notices import table_of, tell_table
from service.parts import now, timestamp
from service.players import read_own
from service.preferences import preferences_of
from service.store.db import Transaction
from service.store.logbook import Scribe
from service.store.tables import Match, Player, Vacation
from service.timing import beginning_of, days_between

DAYS_A_YEAR = 30
FARTHEST = timedelta(days=366)


def announce_vacation(transaction: Transaction, player: Player, until: date, start: date | None = None) -> Vacation:
    """From now, or the morning of `start`, up to the end of the day `until`. Every table is told, and its log says so.

    Malformed or Conflict where that can't be, and then nothing is changed.
    """
    zone, today = ZoneInfo(preferences_of(player)["zone"]), today_of(player)
    first = start or today
    if not today <= first <= until:
        raise Malformed("vacation_invalid", f"A vacation lies ahead: it begins on {today} or later, and then ends.")
    if until > today + FARTHEST:
        raise Malformed("vacation_invalid", "A vacation ends within a year from now.")
    tables = lock_tables(transaction.session, player.id)
    session = transaction.session
    session.get_one(Player, player.id, with_for_update=True)  # two announcements at once don't both get the last day
    for year in range(first.year, until.year + 1):
        left = days_left(session, player.id, year, set(days_between(first, until)))
        if left < 0:
            had = days_left(session, player.id, year)
            raise Conflict("vacation_spent", f"You have {had} days of vacation left in {year}.", left=had)
    vacation = Vacation(
        id=new_id(), player_id=player.id, first=first.isoformat(), last=until.isoformat(), announced_at=now(),
        starts_at=max(now(), beginning_of(first, zone)), ends_at=beginning_of(until + timedelta(days=1), zone),
    )  # fmt: skip
    session.add(vacation)
    session.flush()
    for match, seat in tables:
        scribe = Scribe(session, match)
        come_back(transaction, match, scribe, seat)
        _enter(transaction, match, scribe, seat, vacation)
        if match.to_act == seat:
            restart_clock(transaction, match, scribe)
    return vacation


def today_of(player: Player) -> date:
    """Which day it is where the player is."""
    return now().astimezone(ZoneInfo(preferences_of(player)["zone"])).date()


def end_vacation(transaction: Transaction, player: Player) -> None:
    """Back early: what has begun ends now, what was to come doesn't."""
    session = transaction.session
    tables = lock_tables(session, player.id)
    vacations = vacations_of(session, player.id, ahead=True)
    if not vacations:
        raise Conflict("no_vacation", "You are on no vacation, and none is ahead.")
    today = today_of(player)
    for vacation in vacations:
        if vacation.starts_at > now():
            session.delete(vacation)
        else:
            vacation.ends_at, vacation.last = now(), min(vacation.last, today.isoformat())
    session.flush()
    for match, seat in tables:
        scribe = Scribe(session, match)
        scribe.append("vacation_ended", seat=Seat(seat), proof=SERVICE)
        if match.to_act == seat:
            restart_clock(transaction, match, scribe)
        else:
            follow_clock(transaction, match, scribe)
        tell_table(transaction, match, "vacation_ended", seat)


def enter_vacations(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    """A match begins: its table hears of vacations that were announced before."""
    if match.clock is not None:
        for seat, player in table_of(transaction, match):
            for vacation in vacations_of(transaction.session, player.id, ahead=True):
                _enter(transaction, match, scribe, seat, vacation)


def _enter(transaction: Transaction, match: Match, scribe: Scribe, seat: int, vacation: Vacation) -> None:
    span = {"from": timestamp(vacation.starts_at), "until": timestamp(vacation.ends_at)}
    scribe.append("vacation", seat=Seat(seat), proof=SERVICE, **span)
    tell_table(transaction, match, "vacation", seat, first=vacation.first, last=vacation.last)


def vacations_of(session: Session, player_id: str, ahead: bool = False) -> list[Vacation]:
    """The player's vacations in their order; `ahead`: those that aren't over."""
    query = select(Vacation).where(Vacation.player_id == player_id).order_by(Vacation.starts_at, Vacation.id)
    if ahead:
        query = query.where(Vacation.ends_at > now())
    return list(session.scalars(query.execution_options(populate_existing=True)))


def days_left(session: Session, player_id: str, year: int, more: set[date] | None = None) -> int:
    """How many days of that year's vacation are left, if these days were taken too. No day is counted twice."""
    days = set(more or ())
    for vacation in vacations_of(session, player_id):
        days.update(days_between(date.fromisoformat(vacation.first), date.fromisoformat(vacation.last)))
    return DAYS_A_YEAR - sum(day.year == year for day in days)


def read_vacation(transaction: Transaction, player: Player, text: str) -> tuple[str, date | None, date | None]:
    """A signed statement about a vacation: announce or end, the first day (None: now), and the last."""
    signed = read_own(transaction, player, text, "ogham-vacation+jws", frozenset({"action", "from", "until"}))
    action, *days = (signed.payload[name] for name in ("action", "from", "until"))
    if action not in ("announce", "end") or (action == "end") != (days[1] is None) or (action == "end" and days[0]):
        raise BadStatement("statement_invalid", "action must be announce, with until and maybe from, or end, without.")
    try:
        first, last = (None if day is None else date.fromisoformat(day) for day in days)
    except (TypeError, ValueError):
        raise BadStatement("statement_invalid", "from and until are days like 2027-07-31.") from None
    return action, first, last
