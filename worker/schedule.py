"""The sweep: what a lost bell left behind is found in the database and done here, without the broker.

So a dead Redis delays things by a second or two, and nothing else. Any number of sweeps may run at once: each piece of
work is claimed like any other.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.absence import GRACE, remind, reminders_due, time_out
from service.bots import bots_due, move_bot
from service.mailroom.post import deliver_notice
from service.mailroom.receive import read_mail
from service.moves import settle_submission
from service.outages import keep_beat
from service.parts import now, parts
from service.settings import Settings
from service.store.claims import became_due, waiting_since
from service.store.db import db
from service.store.tables import Deadline, Mail, Notice, Submission
from service.turns import follow_orders, orders_due

# How long a bell may take to be heard before the sweep does the work itself.
PATIENCE = timedelta(seconds=1)

Due = Callable[[datetime], list[str]]


def _since(table: type[Mail | Submission | Notice]) -> Due:
    return lambda overdue: waiting_since(table, overdue)


# In this order: who answered in time is heard before their time is up, and orders answer before that. What speaks to
# other servers, and may be slow, comes last.
WORK: tuple[tuple[Due, Callable[[str], None]], ...] = (
    (_since(Mail), read_mail),
    (_since(Submission), settle_submission),
    (lambda _: orders_due(), follow_orders),
    (bots_due, move_bot),
    (lambda overdue: waiting_since(Deadline, min(overdue, now() - GRACE)), time_out),
    (lambda _: reminders_due(), remind),
    (_since(Notice), deliver_notice),
)

journal = logging.getLogger(__name__)


def sweep(patience: timedelta = PATIENCE) -> int:
    """Do what has waited too long, the oldest first; how much that was."""
    keep_beat()
    overdue = now() - patience
    done = 0
    for find, act in WORK:
        for id in find(overdue):
            act(id)
            db.session.remove()  # each piece of work looks at the database afresh, as in a task of its own
            keep_beat()
            done += 1
    return done


def ring_due(since: datetime) -> datetime:
    """Ring for the notices that became due after that moment, having waited for it; the moment up to which it did.

    Nobody was told of them when they were stored. A ring that is lost leaves them to the sweep.
    """
    until = now()
    for id in became_due(Notice, since, until):
        parts().bell.ring("deliver", id)
    return until


def ring_until(stop: threading.Event, flask: Flask, settings: Settings) -> None:
    """Ring for what becomes due, again and again: in a thread of its own, since a sweep may take long."""
    with flask.app_context():
        since = now()
    while not stop.wait(settings.ring_every.total_seconds()):
        try:
            with flask.app_context():
                since = ring_due(since)
        except Exception as error:  # noqa: BLE001  (the sweep does it all, and says what is wrong)
            journal.warning("nobody is told of what becomes due: %s", type(error).__name__)


def sweep_until(stop: threading.Event, flask: Flask, settings: Settings) -> None:
    """Sweep again and again. A database that is away is waited for."""
    threading.Thread(target=ring_until, args=(stop, flask, settings), name="ringer", daemon=True).start()
    while not stop.wait(settings.sweep_every.total_seconds()):
        try:
            with flask.app_context():
                sweep()
        except SQLAlchemyError as error:
            journal.warning("the sweep waits for the database: %s", type(error).__name__)
        except Exception:  # noqa: BLE001  (whatever one round met, the next one comes)
            journal.exception("the sweep failed; it goes on")
