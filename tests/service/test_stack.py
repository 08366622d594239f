"""Two schedules and three workers at once, one machine's clock ten minutes off, the whole stack down over a deadline.

Each machine is an app of its own on the same database. Their clocks are what `SharedClock` makes of a local clock that
may be wrong and of the one that all share, which the test sets.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import time_machine
from flask import Flask
from sqlalchemy import select

from service.absence import time_out
from service.app import create_app
from service.mailroom.receive import accept_mail
from service.parts import wall_clock
from service.store.clock import LOOK_EVERY, SharedClock, database_clock
from service.store.db import db
from service.store.tables import Deadline, Entry, Match, Notice, Submission
from tests.club import Club
from tests.games import TEST_GAMES
from tests.servers import Postgres
from tests.stage import Stage
from worker.schedule import sweep

Sample = Callable[[int, int], int]
DAY = timedelta(days=1)
OFF = timedelta(minutes=10)
PASS = "reveal, leave"


def machine(stage: Stage, off: timedelta) -> Flask:
    clock = SharedClock(lambda: stage.moment[0] + off, lambda: stage.moment[0])
    return create_app(stage.settings, games=TEST_GAMES, clock=clock)


@contextmanager
def at_work(stage: Stage, skews: list[timedelta]) -> Iterator[list[BaseException]]:
    """Two schedules that sweep, and three workers that are rung for every deadline, again and again, at once."""
    stop, faults = threading.Event(), []

    def run(app: Flask, act: Callable[[], Any]) -> None:
        try:
            while not stop.is_set():
                with app.app_context():
                    act()
        except BaseException as fault:  # noqa: BLE001  (the test looks at it)
            faults.append(fault)

    def hurry() -> None:
        for id in db.session.scalars(select(Deadline.id)).all():
            time_out(id)

    apps = [machine(stage, skew) for skew in skews]
    acts: list[Callable[[], Any]] = [lambda: sweep(timedelta(0))] * 2 + [hurry] * 3
    threads = [threading.Thread(target=run, args=pair) for pair in zip(apps, acts, strict=True)]
    for thread in threads:
        thread.start()
    try:
        yield faults
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for app in apps:
            with app.app_context():
                db.engine.dispose()


def until(stage: Stage, holds: Callable[[], bool], seconds: float = 30) -> float:
    """Wait until it holds, while the clock that all share ticks; how long that took."""
    began, moment = monotonic(), stage.moment[0]
    while not holds():
        assert monotonic() - began < seconds
        threading.Event().wait(0.02)
        stage.moment[0] = moment + timedelta(seconds=monotonic() - began)
    return monotonic() - began


def test_nothing_fires_early_or_twice_or_against_an_answer_and_an_outage_is_given_back(
    stage: Stage, sample: Sample
) -> None:
    count = sample(4, 40)
    with time_machine.travel(stage.moment[0], tick=False) as travel:
        club = Club(stage, travel)
        ann, _ = club.people
        matches = [club.table({"days": 1}) for _ in range(count)]
        mails = {id: _turn_mail(stage, id) for id in matches}
        deadlines = {id: club.deadline(id) for id in matches}
        club.later(DAY - timedelta(hours=1, seconds=10))
        by_mail, by_api, silent = matches[0::3], matches[1::3], matches[2::3] or matches[-1:]
        by_api = [id for id in by_api if id not in silent]

        # The stack goes down, but for the doors, and comes back three hours later.
        submissions = [ann.client.submit(id, [PASS], wait=0)["id"] for id in by_api]
        for id in by_mail:
            address = str(mails[id]["Reply-To"].addresses[0].addr_spec)
            raw = f"From: {ann.address}\r\nTo: {address}\r\nMessage-ID: <{id}@example.org>\r\n\r\n{PASS}\r\n"
            with stage.app.app_context():
                accept_mail(ann.address, address, raw.encode())
        down = stage.moment[0]
        club.jump(timedelta(hours=3))
        back = stage.moment[0]

    def kinds(id: str) -> list[str]:
        with stage.app.app_context():
            return list(db.session.scalars(select(Entry.kind).where(Entry.match_id == id).order_by(Entry.seq)))

    with at_work(stage, [timedelta(0), OFF, timedelta(0), OFF, -OFF]) as faults:
        answered = until(stage, lambda: all("moved" in kinds(id) for id in [*by_mail, *by_api]))
        until(stage, lambda: all("given_back" in kinds(id) for id in silent))
        assert not any("timed_out" in kinds(id) for id in matches)
        given = {id: _deadline(stage, id) for id in silent}
        for id in silent:  # three hours, and an hour more
            assert abs(given[id] - deadlines[id] - timedelta(hours=4)) < timedelta(seconds=30)
        # A minute before the first of them nothing has happened, though one machine believes that it is long past.
        _go_to(stage, min(given.values()) - timedelta(seconds=50))
        threading.Event().wait(1)
        assert not any("timed_out" in kinds(id) for id in silent)
        _go_to(stage, max(given.values()) + timedelta(seconds=6))
        fired = until(stage, lambda: all("timed_out" in kinds(id) for id in silent))
        threading.Event().wait(0.5)
    assert faults == []
    assert max(answered, fired) < 10
    assert back - down == timedelta(hours=3)
    for id in silent:
        assert kinds(id).count("timed_out") == kinds(id).count("given_back") == 1
        with stage.app.app_context():
            entry = db.session.scalars(select(Entry).where(Entry.match_id == id, Entry.kind == "timed_out")).one()
            assert datetime.fromisoformat(json.loads(entry.public)["at"]) >= given[id]
            told = db.session.scalars(select(Notice.kind).where(Notice.match_id == id)).all()
            assert (told.count("timed_out"), told.count("clock")) == (1, 1)
    for id in [*by_mail, *by_api]:
        assert "timed_out" not in kinds(id)
    with stage.app.app_context():
        assert db.session.scalars(select(Match.id).where(Match.to_act == 0)).all() == []
        judged = db.session.scalars(select(Submission).where(Submission.id.in_(submissions))).all()
        assert [submission.verdict["problem"] for submission in judged] == [None] * len(by_api)


def _turn_mail(stage: Stage, match_id: str) -> Any:
    letters = stage.letters("ann@example.org")
    return next(letter for letter in letters if match_id in str(letter.get_body(("plain",))))


def _deadline(stage: Stage, match_id: str) -> datetime:
    answer = stage.app.test_client().get(f"/v1/matches/{match_id}/clock")
    return datetime.fromisoformat(answer.get_json()["deadline"])


def _go_to(stage: Stage, moment: datetime) -> None:
    """In steps that every schedule sees, so that nobody takes them for an outage."""
    while stage.moment[0] < moment:
        stage.moment[0] = min(moment, stage.moment[0] + timedelta(seconds=90))
        Club.beat_at(stage, stage.moment[0])
        threading.Event().wait(0.01)


# -- the clock that all share


def test_a_clock_that_is_wrong_is_put_right_by_the_databases(postgres: Postgres) -> None:
    url = postgres.create_database()
    for off in (OFF, -OFF, timedelta(0)):
        clock = database_clock(url, lambda off=off: wall_clock() + off)  # type: ignore[misc]
        assert abs(clock() - wall_clock()) < timedelta(seconds=1)
    postgres.drop_database(url)


def test_a_clock_that_leaps_is_put_right_at_once_and_else_now_and_then() -> None:
    true, local, looks = [datetime(2027, 1, 1, tzinfo=UTC)], [datetime(2027, 1, 1, tzinfo=UTC)], [0]

    def ask() -> datetime:
        looks[0] += 1
        return true[0]

    clock = SharedClock(lambda: local[0], ask)
    assert clock() == clock() == true[0]
    assert looks == [1]
    for leap in (timedelta(hours=1), timedelta(hours=-3)):
        local[0] += leap
        assert clock() == true[0]
    true[0] += LOOK_EVERY
    local[0] += LOOK_EVERY
    assert clock() == true[0]
    assert looks == [4]
