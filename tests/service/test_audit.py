"""`ogham audit`: the whole database looked over, and whatever was changed in it found and named."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from client.keys import Identity
from service.audit import Audited, audit_all
from service.store.db import db, writing
from service.store.logbook import SNAPSHOT_EVERY
from tests.stage import Stage

Sample = Callable[[int, int], int]


def audit(stage: Stage) -> Audited:
    with stage.app.app_context():
        return audit_all(lambda total: None)


@pytest.fixture
def match_id(stage: Stage) -> str:
    """A running match with a snapshot, a mailed seat and hidden cards; and a finished one beside it."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    over = stage.table([ann, ben], "hands", turns=1)
    ben.client.resign(over)
    match_id = ann.client.open("keltis", 2, {"first_player": 0}, ["cleo@example.org"])["id"]
    stage.work()
    ann.client.join(match_id, 0)
    stage.answer(stage.letters("cleo@example.org")[-1], "join with words of mine")
    while ann.client.match(match_id)["seq"] < SNAPSHOT_EVERY - 1:
        ann.client.add_key(Identity.generate())
    stage.play(ann, match_id, "reveal, leave")
    stage.answer(stage.letters("cleo@example.org")[-1], "reveal, leave")
    return match_id


def change(stage: Stage, statement: str, **values: Any) -> None:
    """As somebody who owns the tables could."""
    with stage.app.app_context(), writing() as transaction:
        session = transaction.session
        for table in ("entry", "opening"):
            if db.engine.dialect.name == "sqlite":
                for trigger in ("no_update", "no_delete"):
                    session.execute(text(f"DROP TRIGGER IF EXISTS {table}_{trigger}"))
            else:
                session.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        session.execute(text(statement), values)


def test_a_database_that_nobody_touched_is_good_running_matches_included(stage: Stage, match_id: str) -> None:
    steps: list[int] = []
    with stage.app.app_context():
        audited = audit_all(steps.append)
    assert (audited.good, audited.faults, audited.matches, steps) == (True, (), 2, [2, 2])
    assert list(audited.lines())[-1] == "GOOD"


@pytest.mark.parametrize(
    ("statement", "kind", "entry"),
    [
        ("UPDATE entry SET public = :raw WHERE match_id = :match AND seq = 3", "chain", 3),
        ("UPDATE entry SET hash = :raw WHERE match_id = :match AND seq = 3", "chain", 3),
        ("UPDATE entry SET receipt = 'none' WHERE match_id = :match AND seq = 3", "receipts", 3),
        ("DELETE FROM entry WHERE match_id = :match AND seq = 3", "chain", 3),
        ("UPDATE entry SET seat = 1 WHERE match_id = :match AND seq = 1", "row", 1),
        ("UPDATE opening SET value = '\"other\"' WHERE match_id = :match AND number = 9", "seals", 3),
        ("DELETE FROM opening WHERE match_id = :match AND number = 9", "seals", 3),
        ("UPDATE personal_opening SET value = '\"x\"' WHERE match_id = :match", "row", 2),
        ('UPDATE "match" SET head = :raw WHERE id = :match', "row", None),
        ("UPDATE \"match\" SET status = 'over' WHERE id = :match", "row", None),
        ('UPDATE "match" SET secret = :raw WHERE id = :match', "seed", 0),
        ("UPDATE snapshot SET state = '{}' WHERE match_id = :match", "row", None),
    ],
)
def test_what_was_changed_is_found_and_named(
    stage: Stage, match_id: str, statement: str, kind: str, entry: int | None
) -> None:
    change(stage, statement, match=match_id, raw=b"{}")
    audited = audit(stage)
    match, fault = audited.faults[0]
    assert (match, fault.kind) == (match_id, kind), [str(it) for _, it in audited.faults]
    assert entry in (None, fault.seq)
    assert list(audited.lines())[-1].startswith("NOT GOOD")
