"""The database: its migrations, its log byte by byte, its snapshots; and what is answered when it is away."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, event, func, select, text

from client.errors import Problem
from client.keys import Identity
from engine.errors import BrokenLog
from engine.log import check_chain, decode
from service.app import create_app
from service.store.db import db, writing
from service.store.logbook import SNAPSHOT_EVERY
from service.store.migrate import is_current, upgrade
from service.store.tables import Base, Entry, Snapshot, Submission
from tests.raw import get, post, problem, statement
from tests.servers import Postgres
from tests.stage import Person, Stage, stage_settings

pytestmark = pytest.mark.both_databases

Sample = Callable[[int, int], int]


# -- migrations


def test_the_migrations_make_the_tables_of_the_code(stage: Stage) -> None:
    with stage.app.app_context(), db.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_difference_between_the_two_would_be_found(stage: Stage) -> None:
    with stage.app.app_context():
        with writing() as transaction:
            transaction.session.execute(text("ALTER TABLE letter ADD COLUMN planted TEXT"))
            transaction.session.execute(text("DROP INDEX notice_work"))
        with db.engine.connect() as connection:
            found = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    assert sorted(change[0] for change in found) == ["add_index", "remove_column"]


def test_migrating_again_changes_nothing(stage: Stage) -> None:
    stage.table([stage.person("Ann"), stage.person("Ben")])
    before = stage.fingerprint()
    with stage.app.app_context():
        for _ in range(2):
            upgrade(db.engine)
        assert is_current(db.engine)
    assert stage.fingerprint() == before


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_until_it_is_migrated_the_service_is_not_ready(database: str, postgres: Postgres, tmp_path: Path) -> None:
    empty = {"sqlite": f"sqlite:///{tmp_path / 'empty.sqlite'}", "postgres": postgres.create_database()}
    app = create_app(stage_settings(empty[database]))
    answer = get(app, "/v1/health/ready")
    assert (answer.status_code, "ogham migrate" in answer.get_json()["status"]) == (503, True)
    assert get(app, "/v1/health/live").status_code == 200
    problem(get(app, "/v1/matches/any"), 503, "unavailable")
    with app.app_context():
        upgrade(db.engine)
        db.engine.dispose()
    assert get(app, "/v1/health/ready").get_json() == {"status": "ok"}
    problem(get(app, "/v1/matches/any"), 404, "match_unknown")
    with app.app_context():
        db.engine.dispose()


# -- the log, byte by byte


@pytest.fixture
def played(stage: Stage) -> tuple[Stage, str]:
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, "hands", turns=1)
    stage.play_out(people, match_id)
    return stage, match_id


def stored(stage: Stage, match_id: str) -> list[tuple[int, bytes, bytes]]:
    with stage.app.app_context():
        rows = db.session.execute(
            select(Entry.seq, Entry.public, Entry.hash).where(Entry.match_id == match_id).order_by(Entry.seq)
        )
        return [(seq, public, digest) for seq, public, digest in rows]


def without_triggers(stage: Stage) -> None:
    """As somebody who owns the tables could: then only the chain is left to tell."""
    with stage.app.app_context(), writing() as transaction:
        if db.engine.dialect.name == "sqlite":
            for name in ("no_update", "no_delete"):
                transaction.session.execute(text(f"DROP TRIGGER entry_{name}"))
        else:
            transaction.session.execute(text("ALTER TABLE entry DISABLE TRIGGER USER"))


def test_one_changed_byte_in_a_stored_entry_is_found_and_located(played: tuple[Stage, str], sample: Sample) -> None:
    stage, match_id = played
    whole = stored(stage, match_id)
    assert check_chain(whole) == decode(stage.watcher().match(match_id)["head"])
    without_triggers(stage)
    places = [(seq, "public", place) for seq, public, _ in whole for place in range(len(public))]
    places += [(seq, "hash", place) for seq, _, _ in whole for place in range(32)]
    wanted = sample(24, 1000)
    for seq, column, place in places[:: max(1, len(places) // wanted)]:
        raw = bytearray(whole[seq][1 if column == "public" else 2])
        raw[place] ^= 1
        _write(stage, match_id, seq, column, bytes(raw))
        with pytest.raises(BrokenLog) as found:
            check_chain(stored(stage, match_id))
        assert found.value.seq == seq
        raw[place] ^= 1
        _write(stage, match_id, seq, column, bytes(raw))
    assert stored(stage, match_id) == whole


def _write(stage: Stage, match_id: str, seq: int, column: str, raw: bytes) -> None:
    with stage.app.app_context(), writing() as transaction:
        transaction.session.execute(
            text(f"UPDATE entry SET {column} = :raw WHERE match_id = :match AND seq = :seq"),
            {"raw": raw, "match": match_id, "seq": seq},
        )


def test_a_missing_entry_is_found(played: tuple[Stage, str]) -> None:
    stage, match_id = played
    without_triggers(stage)
    with stage.app.app_context(), writing() as transaction:
        transaction.session.execute(text("DELETE FROM entry WHERE seq = 3"))
    with pytest.raises(BrokenLog) as found:
        check_chain(stored(stage, match_id))
    assert found.value.seq == 3


# -- snapshots


def play_past_a_snapshot(stage: Stage) -> tuple[Person, str]:
    """A log of two moves around a snapshot; keys fill it up to there."""
    ann, ben = people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, first_player=0)
    while ann.client.match(match_id)["seq"] < SNAPSHOT_EVERY - 1:
        ann.client.add_key(Identity.generate())
    stage.play(ann, match_id, "reveal, leave")
    stage.play(ben, match_id, "reveal, lay")
    with stage.app.app_context():
        assert db.session.scalars(select(Snapshot.length)).all() == [SNAPSHOT_EVERY]
    return ann, match_id


def test_snapshots_of_another_version_are_ignored(stage: Stage) -> None:
    ann, match_id = play_past_a_snapshot(stage)
    lengths = (4, SNAPSHOT_EVERY - 1, SNAPSHOT_EVERY, SNAPSHOT_EVERY + 1)
    told = [ann.client.state(match_id, at) for at in lengths]
    with stage.app.app_context(), writing() as transaction:
        transaction.session.execute(text("UPDATE snapshot SET version = 'another', state = '{\"planted\": true}'"))
    assert [ann.client.state(match_id, at) for at in lengths] == told


def test_a_snapshot_of_this_version_is_used(stage: Stage) -> None:
    """Else the test above would show nothing."""
    ann, match_id = play_past_a_snapshot(stage)
    with stage.app.app_context(), writing() as transaction:
        transaction.session.execute(text("UPDATE snapshot SET state = '{\"planted\": true}'"))
    ann.client.state(match_id, SNAPSHOT_EVERY - 1)
    with pytest.raises(Problem, match="internal"):
        ann.client.state(match_id, SNAPSHOT_EVERY)


# -- an outage


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    with Postgres.own() as server:
        yield server


def test_while_the_database_is_away_the_api_says_so_and_nothing_acknowledged_is_lost(
    own_postgres: Postgres, sample: Sample
) -> None:
    stage = Stage.build(own_postgres.create_database())
    stage.moment[0] = stage.moment[0].now(stage.moment[0].tzinfo)
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, first_player=0)
    path = f"/v1/matches/{match_id}/moves"
    acknowledged: dict[str, str] = {}

    def submission(person: Person) -> str:
        now = person.client.match(match_id)
        said = {"match": match_id, "seat": now["seat"], "seq": now["seq"], "head": now["head"], "moves": ["stop"]}
        assert person.client.identity
        return statement(person.client.identity, "ogham-move+jws", said)

    for _ in range(sample(1, 10)):
        texts = [submission(people[0]) for _ in range(30)]

        def send(text: str) -> int:
            answer = post(stage.app, path, {"submission": text})
            if answer.status_code == 202:
                acknowledged[text] = answer.get_json()["id"]
            else:
                problem(answer, 503, "unavailable")
                assert answer.headers["Retry-After"] == "2"
            return answer.status_code

        with ThreadPoolExecutor(4) as pool:
            codes = [pool.submit(send, text) for text in texts]
            codes[8].result()
            own_postgres.kill()
            assert {code.result() for code in codes} == {202, 503}
        for away in ("/v1/health/ready", f"/v1/matches/{match_id}", f"/v1/matches/{match_id}/state"):
            problem(get(stage.app, away), 503, "unavailable")
        assert get(stage.app, "/v1/health/live").status_code == 200
        own_postgres.start()
        assert get(stage.app, "/v1/health/ready").status_code == 200
        for sent in texts:  # whoever got no answer asks again
            again = post(stage.app, path, {"submission": sent})
            assert again.status_code == 202
            assert again.get_json()["id"] == acknowledged.setdefault(sent, again.get_json()["id"])
    stage.work()
    with stage.app.app_context():
        assert set(db.session.scalars(select(Submission.id))) == set(acknowledged.values())
        assert db.session.scalar(select(func.count()).where(Submission.status == "waiting")) == 0
    assert [json.loads(entry["public"])["kind"] for entry in people[0].client.log(match_id)][-1] == "dealt"
    with stage.app.app_context():
        db.engine.dispose()


def test_when_no_connection_is_free_in_time_the_api_says_so(stage: Stage) -> None:
    with stage.app.app_context():
        db.engine.pool._timeout = 0.1  # type: ignore[attr-defined]  # 30 seconds else
        held = [db.engine.connect() for _ in range(db.engine.pool.size() + 10)]  # type: ignore[attr-defined]
    problem(get(stage.app, "/v1/matches"), 503, "unavailable")
    for connection in held:
        connection.close()
    assert get(stage.app, "/v1/matches").status_code == 200


def _lose_patience_soon(connection: Any, _: object) -> None:
    connection.execute("SET lock_timeout = 100")
    connection.commit()


def test_a_row_that_somebody_else_holds_for_too_long_is_an_outage_and_no_error_of_ours(postgres: Postgres) -> None:
    """lock_timeout, statement_timeout and a deadlock are psycopg errors with names of their own."""
    url = postgres.create_database()
    stage = Stage.build(url)
    with stage.app.app_context():
        db.engine.dispose()
        event.listen(db.engine, "connect", _lose_patience_soon)
    stage.moment[0] = stage.moment[0].now(stage.moment[0].tzinfo)
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people)
    before = stage.fingerprint()
    engine = create_engine(url)
    with engine.begin() as holder:
        holder.execute(text('SELECT * FROM "match" FOR UPDATE'))
        identity = people[0].client.identity
        assert identity
        body = {"statement": statement(identity, "ogham-resign+jws", {"match": match_id, "seat": 0})}
        answer = post(stage.app, f"/v1/matches/{match_id}/resignation", body)
        problem(answer, 503, "unavailable")
        assert answer.headers["Retry-After"] == "2"
    assert stage.fingerprint() == before
    engine.dispose()
    with stage.app.app_context():
        db.engine.dispose()
    postgres.drop_database(url)
