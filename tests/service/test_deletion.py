"""Deleting an account: the person is gone from the database, and every log still verifies."""

import json

import pytest
from sqlalchemy import text

from client.errors import Problem
from engine.verify import verify
from service.audit import audit_all
from service.deletion import delete_at
from service.errors import NotFound
from service.store.db import db
from service.store.tables import Base
from tests.games import TEST_GAMES
from tests.raw import post, problem
from tests.stage import Person, Stage

pytestmark = pytest.mark.both_databases

GAMES = {game.info.id: game for game in TEST_GAMES}


def everything(stage: Stage) -> str:
    """All rows of all tables, as text, but for mails that others were sent: those are theirs."""
    tables = [table for table in Base.metadata.tables if table != "letter"]
    with stage.app.app_context():
        rows = [row for table in tables for row in db.session.execute(text(f'SELECT * FROM "{table}"'))]
    cells = [cell.decode("latin-1") if isinstance(cell, bytes) else str(cell) for row in rows for cell in row]
    return "\n".join(cells).lower()


@pytest.fixture
def cleo(stage: Stage) -> tuple[Person, str]:
    """Ann, and a match that she plays against Cleo, who only mails, from a telling address."""
    ann = stage.person("Ann")
    match_id = ann.client.open("keltis", 3, {"first_player": 0}, ["cleo.telling@private.example"])["id"]
    stage.work()
    letter = stage.letters("cleo.telling@private.example")[-1]
    stage.answer(letter, "join with a word", Message_ID="<unmistakable@private.example>")
    ann.client.join(match_id)
    stage.person("Ben").client.join(match_id)
    stage.work()
    letter = stage.letters("cleo.telling@private.example")[-1]
    assert stage.answer(letter, "reveal, leave").startswith("submission")
    return ann, match_id


def verified(stage: Stage, match_id: str) -> bool:
    with stage.app.app_context():
        assert audit_all(lambda total: None).good
    return verify(stage.watcher().transcript(match_id), GAMES, stage.watcher().service_keys()).good


def test_what_names_the_person_is_gone_and_the_log_still_verifies(stage: Stage, cleo: tuple[Person, str]) -> None:
    _, match_id = cleo
    log = list(stage.watcher().log(match_id))
    for word in ("cleo", "telling", "private.example", "unmistakable"):
        assert word in everything(stage)
    with stage.app.app_context():
        delete_at("cleo.telling@private.example")
    stage.work()
    for word in ("cleo", "telling", "private.example", "unmistakable"):
        assert word not in everything(stage), word
    assert stage.letters("cleo.telling@private.example") == []
    assert verified(stage, match_id)
    assert [entry["public"] for entry in stage.watcher().log(match_id)][: len(log)] == [it["public"] for it in log]
    assert stage.watcher().match(match_id)["names"][0] == "Nobody"
    left = json.loads(list(stage.watcher().log(match_id))[len(log)]["public"])
    assert (left["kind"], left["seat"], left["proof"]) == ("resigned", 0, {"grade": "service"})


def test_a_player_deletes_their_account_by_a_signed_statement(stage: Stage, cleo: tuple[Person, str]) -> None:
    ann, match_id = cleo
    assert ann.client.identity
    statement = ann.client.identity.sign("ogham-delete+jws", {"aud": ann.client.base_url})
    assert post(stage.app, "/v1/players/me/deletion", {"statement": statement}).status_code == 204
    stage.work()
    assert "ann@example.org" not in everything(stage)
    assert verified(stage, match_id)
    problem(post(stage.app, "/v1/players/me/deletion", {"statement": statement}), 403, "key_revoked")
    with pytest.raises(Problem) as refused:
        ann.client.submit(match_id, ["reveal, leave"])
    assert refused.value.code in ("token_invalid", "key_revoked")
    assert stage.person("Ann").client.me()["name"] == "Ann"  # the address is free again


def test_after_the_end_everybody_sees_who_asked_for_it(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben])
    ann.client.delete_account()
    stage.work()
    assert stage.watcher().match(match_id)["status"] == "over"
    report = verify(stage.watcher().transcript(match_id), GAMES, stage.watcher().service_keys())
    assert report.good
    assert not next(check.unchecked for check in report.checks if check.kind == "signatures")


def test_nothing_is_sent_to_nobody(stage: Stage) -> None:
    ann, ben, cleo = (stage.person(name) for name in ("Ann", "Ben", "Cleo"))
    match_id = ann.client.open("keltis", 3, {"first_player": 0})["id"]
    ann.client.join(match_id, 0)
    ann.client.delete_account()
    ben.client.join(match_id, 1)
    cleo.client.join(match_id, 2)
    stage.work()
    with stage.app.app_context():
        assert db.session.execute(text("SELECT count(*) FROM notice WHERE address LIKE '%invalid'")).scalar_one() == 0
    assert verified(stage, match_id)


@pytest.mark.parametrize(("typ", "aud", "code"), [("ogham-delete+jws", "http://elsewhere", "audience_wrong")])
def test_a_statement_for_another_service_deletes_nothing(stage: Stage, typ: str, aud: str, code: str) -> None:
    ann = stage.person("Ann")
    assert ann.client.identity
    before = stage.fingerprint()
    body = {"statement": ann.client.identity.sign(typ, {"aud": aud})}
    problem(post(stage.app, "/v1/players/me/deletion", body), 422, code)
    body = {"statement": ann.client.identity.sign("ogham-token+jws", {"aud": ann.client.base_url})}
    problem(post(stage.app, "/v1/players/me/deletion", body), 403, "signature_invalid")
    assert stage.fingerprint() == before


def test_nobody_is_deleted_where_nobody_is(stage: Stage) -> None:
    with stage.app.app_context(), pytest.raises(NotFound):
        delete_at("nobody@example.org")
