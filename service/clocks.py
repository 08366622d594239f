"""Clocks: how much time a match gives, whose time runs, and until when.

A match has a clock when it was opened with one. It runs for the seat whose decision is due, once for each turn in which
that seat is asked, however often; it stands while the match is paused. The row `deadline` holds it. Everything a clock
did is an entry of the log. What happens when time is up is in `absence.py`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.events import Seat
from engine.values import JSON
from service.errors import Conflict, Malformed, NotAllowed
from service.notices import table_of, tell_player, tell_table, tell_whose_turn
from service.outages import outages_since
from service.parts import now, parts, timestamp
from service.preferences import change_preferences, preferences_of
from service.store.db import Transaction, db
from service.store.logbook import Scribe
from service.store.tables import Deadline, Match, Player, SeatClock, Seated, Vacation
from service.timing import NOTHING, WEEK, Control, Hours, Span, due, hours_of, reminders, used

AWAY = timedelta(minutes=30)
"""How long a decision of a seat that is away waits for its player."""
AGAIN = timedelta(hours=12)
"""Who is asked again in a turn, after others answered, has at least this much of what the turn gave them."""
SERVICE: JSON = {"grade": "service"}

POLICIES = ("play", "forfeit")
LONGEST = {"days": 60, "bank": 8784, "increment": 1440, "cap": 8784, "misses": 100}
BANK = ("bank", "increment", "cap")


# -- what a match is opened with


def read_clock(given: Mapping[str, Any]) -> dict[str, Any]:
    """The clock of a new match with the defaults filled in; Malformed where it is none."""
    clock = dict(given)
    unknown = clock.keys() - {"days", *BANK, "weekdays", "absent", "misses"}
    if unknown:
        raise _no_clock(min(unknown), "A clock has days, or bank, increment and cap; weekdays, absent, misses.")
    if ("days" in clock) == ("bank" in clock):
        raise _no_clock("days", "A clock has either days per turn, or a bank of hours with an increment.")
    if "bank" in clock:
        clock.setdefault("increment", 24)
        clock.setdefault("cap", max(_whole(clock, "bank"), _whole(clock, "increment")))
    numbers = [*(BANK if "bank" in clock else ["days"])]
    clock.setdefault("absent", "play")
    if clock["absent"] == "forfeit":
        clock.setdefault("misses", 3)
        numbers.append("misses")
    for name in {*BANK, "misses"} & clock.keys() - set(numbers):
        raise _no_clock(name, f"{name} means nothing here.")
    for name in numbers:
        _whole(clock, name)
    if "bank" in clock and clock["cap"] < max(clock["bank"], clock["increment"]):
        raise _no_clock("cap", "cap must be no less than bank and increment.")
    clock["weekdays"] = _weekdays(clock.get("weekdays", sorted(WEEK)))
    _check_policy(clock["absent"])
    return clock


def _whole(clock: Mapping[str, Any], name: str) -> int:
    value = clock[name]
    if type(value) is not int or not 1 <= value <= LONGEST[name]:  # for Python, true is 1
        raise _no_clock(name, f"{name} must be a whole number from 1 to {LONGEST[name]}.")
    return value


def _weekdays(value: Any) -> list[int]:
    if not isinstance(value, list) or not value or not all(type(day) is int and day in WEEK for day in value):
        raise _no_clock("weekdays", "weekdays must list days that count: 1 for Monday to 7 for Sunday, at least one.")
    return sorted(set(value))


def _check_policy(policy: Any) -> None:
    if isinstance(policy, str) and policy.startswith("bot:"):
        check_bot(policy)
    elif policy not in POLICIES:
        raise _no_clock("absent", "absent must be play, forfeit, or a bot like bot:easy.")


def check_bot(name: str) -> None:
    if name not in parts().bots:
        known = ", ".join(parts().bots) or "none"
        raise Malformed("bot_unknown", f"There is no bot “{name}”. There are: {known}.")


def _no_clock(name: str, sentence: str) -> Malformed:
    return Malformed("clock_invalid", sentence, option=name)


def control_of(clock: Mapping[str, Any]) -> Control:
    if "days" in clock:
        return Control(per_turn=timedelta(days=clock["days"]))
    return Control(None, *(timedelta(hours=clock[name]) for name in BANK))


# -- whose time runs


def follow_clock(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    """Let the clock run for the seat that is asked now, and for no other. The caller holds the match's row.

    For a bot none runs: how long it takes is up to us.
    """
    if match.clock is None:
        return
    row = running(transaction.session, match)
    runs = match.status == "running" and match.paused_at is None and match.bot_due is None
    asked = match.to_act if runs else None
    if row is not None and (row.seat, row.turn) == (asked, match.turn_since):
        return
    stop_clock(transaction, match, scribe)
    if asked is not None:
        _start(transaction, match, asked)


def stop_clock(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    """What the seat whose time runs has used is used. `follow_clock` lets time run again."""
    row = running(transaction.session, match)
    if row is not None:
        _stop(transaction, match, row, scribe)


def restart_clock(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    """What the deadline is worked out from has changed, or been found to have."""
    stop_clock(transaction, match, scribe)
    follow_clock(transaction, match, scribe)


def running(session: Session, match: Match) -> Deadline | None:
    row = session.get(Deadline, match.id, populate_existing=True)
    return row if row is not None and row.status == "waiting" else None


def seat_clock(session: Session, match: Match, seat: int) -> SeatClock:
    clock = session.get(SeatClock, (match.id, seat))
    if clock is None:
        clock = SeatClock(
            match_id=match.id, seat=seat, left=control_of(match.clock or {}).at_first(), granted=NOTHING, turn=None,
            reminded=[], misses=0, missed_at=None, away=False, agrees=False,
        )  # fmt: skip
        session.add(clock)
    return clock


def _start(transaction: Transaction, match: Match, seat: int) -> None:
    session, at = transaction.session, now()
    clock, row = seat_clock(session, match, seat), session.get(Deadline, match.id)
    if clock.turn != match.turn_since:
        clock.left = clock.granted = control_of(match.clock or {}).grant(clock.left)
        clock.turn, clock.reminded = match.turn_since, []
    elif row is not None and row.seat != seat:
        clock.left = max(clock.left, min(AGAIN, clock.granted))
    player_id = player_at(session, match, seat)
    if row is None:
        row = Deadline(id=match.id)
        session.add(row)
    row.seat, row.player_id, row.turn, row.since = seat, player_id, match.turn_since, at
    row.left, row.granted, row.reminded = clock.left, clock.granted, clock.reminded
    row.status, row.attempts, row.lease, row.lease_until = "waiting", 0, None, None
    row.due_at, row.remind_at = at + AWAY, None
    if not clock.away:
        hours = hours_at(session, match, session.get_one(Player, player_id), at)
        row.due_at = due(hours, at, row.left)
        row.remind_at = next_reminder(session, row, hours)
    session.flush()


def player_at(session: Session, match: Match, seat: int) -> str:
    """The player on a seat, which isn't a bot's."""
    seated = select(Player.id).join(Seated, Seated.player_id == Player.id)
    return session.scalars(seated.where(Seated.match_id == match.id, Seated.seat == seat)).one()


def _stop(transaction: Transaction, match: Match, row: Deadline, scribe: Scribe) -> None:
    """What the seat used is used. A seat that is away uses nothing."""
    session = transaction.session
    clock = seat_clock(session, match, row.seat)
    clock.reminded = row.reminded
    if not clock.away:
        hours = hours_at(session, match, session.get_one(Player, row.player_id), row.since)
        clock.left = max(NOTHING, row.left - used(hours, row.since, now()))
        for outage in outages_since(session, row.since):
            if row.since <= outage.start < now():
                span = {"from": timestamp(outage.start), "until": timestamp(outage.end)}
                scribe.append("given_back", seat=Seat(row.seat), proof=SERVICE, **span)
    row.status, row.lease, row.lease_until, row.remind_at = "done", None, None, None
    session.flush()


def hours_at(session: Session, match: Match, player: Player, since: datetime) -> Hours:
    """The player's hours in this match, with whatever reaches beyond `since` of vacations and outages."""
    vacations = session.scalars(select(Vacation).where(Vacation.player_id == player.id, Vacation.ends_at > since))
    off = [Span(vacation.starts_at, vacation.ends_at) for vacation in vacations]
    weekdays = (match.clock or {}).get("weekdays", WEEK)
    return hours_of(preferences_of(player), weekdays, [*off, *outages_since(session, since)])


def deadline_of(session: Session, match: Match, row: Deadline) -> datetime:
    """When the time of this clock is up, by all that is known now."""
    if seat_clock(session, match, row.seat).away:
        return row.since + AWAY
    return due(hours_at(session, match, session.get_one(Player, row.player_id), row.since), row.since, row.left)


# -- reminders


def reminders_of(session: Session, row: Deadline, hours: Hours) -> Mapping[str, datetime]:
    """When the player is reminded of this turn, by the points they chose."""
    points = preferences_of(session.get_one(Player, row.player_id))["reminders"]
    return reminders(points, hours, row.since, row.left, row.granted)


def next_reminder(session: Session, row: Deadline, hours: Hours) -> datetime | None:
    """When the next one is due that wasn't given yet."""
    coming = [moment for point, moment in reminders_of(session, row, hours).items() if point not in row.reminded]
    return min(coming, default=None)


# -- what players say about the clock


def come_back(transaction: Transaction, match: Match, scribe: Scribe, seat: int) -> bool:
    """The player was heard of: the seat is theirs again, with time to decide. Whether it had been away."""
    clock = transaction.session.get(SeatClock, (match.id, seat), populate_existing=True)
    if clock is None or not clock.misses:
        return False
    was_away = clock.away
    if was_away and match.to_act == seat:
        stop_clock(transaction, match, scribe)
    clock.away, clock.misses, clock.missed_at = False, 0, None
    if was_away and match.status == "running":
        scribe.append("returned", seat=Seat(seat), proof=SERVICE)
        follow_clock(transaction, match, scribe)
        tell_table(transaction, match, "returned", seat)
    return was_away


def be_back(transaction: Transaction, match: Match, seat: int) -> bool:
    """The player says that they are there, and is told what is asked of them if anything is."""
    back = come_back(transaction, match, Scribe(transaction.session, match), seat)
    if back and match.to_act == seat:
        tell_whose_turn(transaction, match)
    return back


def agree_to_pause(transaction: Transaction, match: Match, seat: int) -> None:
    """Stop the clocks, once everybody who still plays wants it; bots agree. Until then the others are told who does."""
    _check_clock(match)
    session = transaction.session
    be_back(transaction, match, seat)
    seat_clock(session, match, seat).agrees = True
    session.flush()
    if match.paused_at is not None:
        return
    people = select(Seated.seat).where(Seated.match_id == match.id, Seated.bot.is_(None), Seated.left_at.is_(None))
    if all(seat_clock(session, match, other).agrees for other in session.scalars(people).all()):
        match.paused_at = now()
        scribe = Scribe(session, match)
        scribe.append("paused", proof=SERVICE)
        follow_clock(transaction, match, scribe)
        _tell_all(transaction, match, "paused", seat)
    else:
        tell_table(transaction, match, "pause_wanted", seat)


def resume(transaction: Transaction, match: Match, seat: int) -> None:
    """Let the clocks run again; one player's word will do. Before the pause began it takes a wish for one back."""
    _check_clock(match)
    session = transaction.session
    be_back(transaction, match, seat)
    if match.paused_at is None:
        seat_clock(session, match, seat).agrees = False
        return
    for clock in session.scalars(select(SeatClock).where(SeatClock.match_id == match.id)):
        clock.agrees = False
    match.paused_at = None
    scribe = Scribe(session, match)
    scribe.append("resumed", seat=Seat(seat), proof=SERVICE)
    follow_clock(transaction, match, scribe)
    _tell_all(transaction, match, "resumed", seat)


def _check_clock(match: Match) -> None:
    if match.status != "running":
        raise Conflict("not_running", "The match isn't running.")
    if match.clock is None:
        raise Conflict("no_clock", "This match has no clock.")


def _tell_all(transaction: Transaction, match: Match, said: str, who: int) -> None:
    for seat, player in table_of(transaction, match):
        key = f"clock:{match.id}:{match.length}:{said}:{seat}"
        tell_player(transaction, "clock", key, player, match, seat, said=said, who=who)


def choose_preferences(transaction: Transaction, player: Player, changes: Mapping[str, Any]) -> dict[str, Any]:
    """`change_preferences`, and the player's running clocks go by them from now on: what was used stays used."""
    tables = lock_tables(transaction.session, player.id)
    clocks = [(match, row) for match, _ in tables if (row := running(transaction.session, match)) is not None]
    mine = [(match, row) for match, row in clocks if row.player_id == player.id]
    scribes = {match.id: Scribe(transaction.session, match) for match, _ in mine}
    for match, row in mine:
        _stop(transaction, match, row, scribes[match.id])
    chosen = change_preferences(transaction, player, changes)
    for match, _ in mine:
        follow_clock(transaction, match, scribes[match.id])
    return chosen


def lock_tables(session: Session, player_id: str) -> list[tuple[Match, int]]:
    """The player's running matches that have a clock, with their seats; held by the caller from here on."""
    found = session.execute(
        select(Match, Seated.seat)
        .join(Seated, Seated.match_id == Match.id)
        .where(Seated.player_id == player_id, Seated.left_at.is_(None))
        .where(Match.status == "running", Match.clock.is_not(None))
        .order_by(Match.id)
        .with_for_update(of=Match)
        .execution_options(populate_existing=True)
    )
    return [(match, seat) for match, seat in found]


# -- looking


def clock_state(match: Match) -> dict[str, Any]:
    """Where the clocks of a match stand now; nobody's hours are told, only what follows from them."""
    session, at = db.session(), now()
    row = running(session, match)
    seats = []
    for seat, player in [] if match.clock is None else table_of(Transaction(session), match):
        clock = session.get(SeatClock, (match.id, seat), populate_existing=True)
        left = control_of(match.clock or {}).at_first() if clock is None else clock.left
        if row is not None and row.seat == seat and not (clock and clock.away):
            left = max(NOTHING, row.left - used(hours_at(session, match, player, row.since), row.since, at))
        vacation = session.scalars(
            select(Vacation)
            .where(Vacation.player_id == player.id, Vacation.starts_at <= at, Vacation.ends_at > at)
            .order_by(Vacation.ends_at.desc())
        ).first()
        seats.append(
            {
                "seat": seat,
                "left": int(left.total_seconds()),
                "away": bool(clock and clock.away),
                "misses": clock.misses if clock else 0,
                "wants_pause": bool(clock and clock.agrees),
                "vacation_until": timestamp(vacation.ends_at) if vacation else None,
            }
        )
    return {
        "match": match.id,
        "clock": match.clock,
        "paused": match.paused_at is not None,
        "running": None if row is None else row.seat,
        "deadline": None if row is None else timestamp(deadline_of(session, match, row)),
        "seats": seats,
    }


def check_seat(match: Match, player: Player) -> int:
    """The player's seat at this table; NotAllowed where they have none."""
    seat = db.session.scalars(
        select(Seated.seat).where(Seated.match_id == match.id, Seated.player_id == player.id)
    ).one_or_none()
    if seat is None:
        raise NotAllowed("not_yours", "You have no seat in this match.")
    return seat
