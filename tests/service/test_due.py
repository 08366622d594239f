"""How long it takes to find what is due, among few open matches and among many."""

from collections.abc import Callable
from datetime import timedelta
from time import perf_counter

import pytest
from sqlalchemy import insert, select, text

from service.absence import reminders_due
from service.ids import new_id
from service.store.claims import waiting_since
from service.store.db import writing
from service.store.tables import Deadline, Match, Player
from tests.stage import Stage

pytestmark = pytest.mark.both_databases

Sample = Callable[[int, int], int]
DUE = 20


def fill(stage: Stage, first: int, last: int) -> None:
    """Matches with these numbers, whose time runs out an hour from now and later."""
    at, day = stage.moment[0], timedelta(days=1)
    with stage.app.app_context(), writing() as transaction:
        player_id = transaction.session.scalars(select(Player.id)).first()
        match = {
            "game": "keltis", "seats": 2, "options": {}, "status": "running", "opened_by": player_id, "opened_at": at,
            "secret": b"s", "length": 4, "head": b"h", "seals": 0, "changed": 4, "to_act": 0, "turn": 0,
            "turn_since": 0, "clock": {"days": 1},
        }  # fmt: skip
        deadline = {
            "seat": 0, "player_id": player_id, "turn": 0, "since": at, "left": day, "granted": day, "reminded": [],
            "status": "waiting", "attempts": 0,
        }  # fmt: skip
        for start in range(first, last, 5000):
            numbers = range(start, min(start + 5000, last))
            dues = {new_id(): at + timedelta(hours=1, seconds=number) for number in numbers}
            transaction.session.execute(insert(Match), [match | {"id": id} for id in dues])
            rows = [{"id": id, "due_at": due, "remind_at": due - timedelta(minutes=30)} for id, due in dues.items()]
            transaction.session.execute(insert(Deadline), [deadline | row for row in rows])


def seconds_to_find(stage: Stage) -> float:
    """What one look takes when nothing else disturbs it, with some deadlines and reminders due."""
    with stage.app.app_context():
        with writing() as transaction:
            transaction.session.execute(text("ANALYZE"))
        times = []
        for _ in range(15):
            began = perf_counter()
            found = waiting_since(Deadline, stage.moment[0] + timedelta(hours=1, seconds=DUE - 1))
            reminded = reminders_due()
            times.append(perf_counter() - began)
            assert (len(found), len(reminded)) == (DUE, 200)
        return min(times)


def test_what_is_due_among_many_is_found_as_quickly_as_among_few(
    stage: Stage, sample: Sample, figure: Callable[[str], None]
) -> None:
    few, many = 1000, sample(10_000, 100_000)
    stage.person("Ann")
    at = stage.moment[0]
    fill(stage, 0, few)
    stage.moment[0] = at + timedelta(hours=1, seconds=DUE - 1)
    among_few = seconds_to_find(stage)
    stage.moment[0] = at
    fill(stage, few, many)
    stage.moment[0] = at + timedelta(hours=1, seconds=DUE - 1)
    among_many = seconds_to_find(stage)
    told = f"{1000 * among_few:.2f} ms among {few:,}, {1000 * among_many:.2f} ms among {many:,}"
    figure(f"finding what is due, {stage.settings.database_url.partition(':')[0]}: {told}")
    assert among_many < 2 * among_few + 0.005
