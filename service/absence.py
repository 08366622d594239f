"""When time runs: reminders, and what happens when it is up.

Which of the two comes, and whether it still holds, is decided in the transaction that acts, from the rows as they are
then: a deadline that an outage, a vacation or an answer has moved does nothing but move.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.events import Seat
from engine.game import Move
from service.bots import choose_move
from service.clocks import (
    SERVICE,
    deadline_of,
    hours_at,
    next_reminder,
    player_at,
    reminders_of,
    running,
    seat_clock,
)
from service.ids import fingerprint
from service.matches import lock_match
from service.notices import tell_player, tell_table
from service.outages import is_beating
from service.parts import now
from service.store.claims import claim, put_back
from service.store.db import Transaction, db, writing
from service.store.tables import Deadline, Mail, Match, Notice, Player, Submission
from service.timing import undisturbed_from
from service.turns import Playing, answer_by_orders, go_on, tell_who_is_asked

GRACE = timedelta(seconds=5)
"""What was received just before a deadline may be stored just after it."""
LOOK_AGAIN = timedelta(seconds=5)
MOST_AT_ONCE = 200
MOST_MOVES = 100

journal = logging.getLogger(__name__)


# -- time is up


def time_out(match_id: str) -> None:
    """The deadline of this match has come: act on it, if it still holds."""
    claimed = claim(Deadline, match_id)
    if claimed is None:
        return
    lease = claimed.lease
    try:
        with writing() as transaction:
            match = lock_match(transaction.session, match_id)
            row = running(transaction.session, match)
            if row is not None and row.lease == lease:
                _time_out(transaction, match, row)
    except Exception:  # noqa: BLE001  (our fault: it waits, and the others behind it don't)
        journal.exception("the deadline of match %s could not be acted on", match_id)
        put_back(claimed)


def _time_out(transaction: Transaction, match: Match, row: Deadline) -> None:
    session = transaction.session
    deadline = deadline_of(session, match, row)
    if not is_beating(session) or _is_unsettled(session, row, deadline):
        row.lease_until = now() + LOOK_AGAIN
        return
    playing = Playing(transaction, match)
    if now() < deadline + GRACE:
        playing.restart_clock()
        return
    seat = Seat(row.seat)
    playing.stop_clock()
    if not answer_by_orders(playing, seat, at_once=True):  # an order goes before any deadline
        _miss(playing, seat)
    go_on(playing)
    tell_who_is_asked(playing)


def _is_unsettled(session: Session, row: Deadline, deadline: datetime) -> bool:
    """Whether anything of that seat, received before its deadline, is still to be read or judged."""
    submitted = select(Submission.id).where(
        Submission.match_id == row.id, Submission.seat == row.seat,
        Submission.status == "waiting", Submission.received_at <= deadline,
    )  # fmt: skip
    if session.scalars(submitted.limit(1)).first() is not None:
        return True
    # Whose a mail is shows when it is read; until then the token in its address says whom we wrote to.
    mails = session.scalars(select(Mail.recipient).where(Mail.status == "waiting", Mail.received_at <= deadline))
    tokens = {fingerprint(recipient.partition("@")[0].partition("+")[2]) for recipient in mails}
    if not tokens:
        return False
    theirs = select(Notice.id).where(Notice.reply_hash.in_(tokens), Notice.player_id == row.player_id)
    return session.scalars(theirs.limit(1)).first() is not None


def _miss(playing: Playing, seat: Seat) -> None:
    """Do what the match was opened with: play for the seat, or let it forfeit."""
    match, session = playing.match, playing.session
    settings, clock = match.clock or {}, seat_clock(playing.session, match, seat)
    # A seat that is away is played for within the hour; that is a further miss when a whole turn's time has gone by.
    missed = not clock.away or clock.missed_at is None or now() - clock.missed_at >= clock.granted
    if missed:
        clock.misses, clock.missed_at = clock.misses + 1, now()
        playing.note_miss(seat)
    player = session.get_one(Player, player_at(session, match, seat))
    if settings["absent"] == "forfeit" and clock.misses >= settings["misses"]:
        clock.away = False
        playing.leave(seat, SERVICE, kind="timed_out", policy="forfeit")
        tell_table(playing.transaction, match, "forfeited", seat)
        _tell_missed(playing, player, seat, "forfeited")
        return
    turn = match.turn_since
    for _ in range(MOST_MOVES):
        if match.to_act != seat or match.turn_since != turn:
            break
        playing.time_out(seat, choose_for(playing, seat), settings["absent"])
    if missed:
        tell_table(playing.transaction, match, "timed_out", seat)
    if not clock.away:
        clock.away = True
        _tell_missed(playing, player, seat, "away")


def choose_for(playing: Playing, seat: Seat) -> Move:
    """What is played for somebody who isn't there: the game's absent move, or what a bot makes of their view."""
    policy = (playing.match.clock or {})["absent"]
    if not policy.startswith("bot:"):
        return playing.game.absent(playing.game.view(playing.state, seat))
    return choose_move(policy, playing.match, playing.state, seat)


def _tell_missed(playing: Playing, player: Player, seat: int, said: str) -> None:
    """The one mail that brings them back in."""
    match = playing.match
    key = f"timed_out:{match.id}:{match.length}:{seat}"
    tell_player(playing.transaction, "timed_out", key, player, match, seat, said=said)


# -- reminders


def remind(match_id: str) -> None:
    """Remind the player whose time runs, once for each point, however often the clock is started anew."""
    with writing() as transaction:
        session = transaction.session
        match = lock_match(session, match_id)
        row = running(session, match)
        if row is None or row.remind_at is None or row.remind_at > now() or not is_beating(session):
            return
        player = session.get_one(Player, row.player_id)
        hours = hours_at(session, match, player, row.since)
        points = [
            point
            for point, moment in reminders_of(session, row, hours).items()
            if moment <= now() and point not in row.reminded
        ]
        if points and (hours.is_quiet(now()) or hours.is_off(now())):  # nobody swept while it would have been right
            row.remind_at = undisturbed_from(hours, now())
            return
        row.reminded = [*row.reminded, *points]
        row.remind_at = next_reminder(session, row, hours)
        if points and match.orders_due is None:
            key = f"reminder:{match.id}:{row.turn}:{row.seat}:{points[-1]}"
            tell_player(transaction, "reminder", key, player, match, row.seat)


def reminders_due() -> list[str]:
    """The matches in which it is time for one."""
    found = db.session.scalars(
        select(Deadline.id)
        .where(Deadline.status == "waiting", Deadline.remind_at <= now())
        .order_by(Deadline.remind_at)
        .limit(MOST_AT_ONCE)
    ).all()
    db.session.commit()
    return list(found)
