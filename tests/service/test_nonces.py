"""Matches whose shuffle is sealed: nonces are promised when joining, and opened when the table is full."""

import json
from typing import Any

import pytest

from engine.errors import BrokenLog
from engine.log import encode, promise
from tests.raw import post, problem
from tests.stage import Person, Stage


@pytest.fixture
def people(stage: Stage) -> list[Person]:
    return [stage.person("Ann"), stage.person("Ben")]


def sealed_match(stage: Stage, people: list[Person], seats: int = 2, **how: Any) -> str:
    match_id = people[0].client.open("hands", seats, shuffle="sealed", **how)["id"]
    for seat, person in enumerate(people):
        person.client.join(match_id, seat)
    stage.work()
    return match_id


def log(stage: Stage, match_id: str) -> list[dict[str, Any]]:
    return [json.loads(entry["public"]) for entry in stage.watcher().log(match_id)]


def nonce_statement(person: Person, match_id: str, **instead: Any) -> str:
    match = person.client.match(match_id)
    assert person.client.identity
    said = {"match": match_id, "seat": match["seat"], "seq": match["seq"], "head": match["head"]}
    said |= {"nonce": person.client.identity.nonce(match_id)}
    return person.client.identity.sign("ogham-nonce+jws", said | instead)


def test_it_is_dealt_when_everybody_has_opened_what_they_promised(stage: Stage, people: list[Person]) -> None:
    ann, ben = people
    match_id = sealed_match(stage, people)
    match = stage.watcher().match(match_id)
    assert (match["status"], match["shuffle"], match["unopened"]) == ("open", "sealed", [0, 1])
    assert ben.client.open_nonce(match_id)["unopened"] == [0]
    assert ann.client.open_nonce(match_id)["status"] == "running"
    entries = log(stage, match_id)
    assert [entry["kind"] for entry in entries] == ["opened", *["joined"] * 2, *["nonce_opened"] * 2, "dealt"]
    for entry in entries[3:5]:
        promised = entries[1 + entry["seat"]]["promise"]
        assert promised == promise(match_id, entry["seat"], entry["nonce"])
    assert not any("nonce" in entry for entry in entries[:3])
    stage.play_out(people, match_id)


def test_what_is_sent_again_gets_the_same_answer(stage: Stage, people: list[Person]) -> None:
    match_id = sealed_match(stage, people)
    statement = nonce_statement(people[0], match_id)
    before = None
    for _ in range(3):
        assert post(stage.app, f"/v1/matches/{match_id}/nonces", {"statement": statement}).status_code == 201
        now = stage.fingerprint()
        assert before in (None, now)
        before = now
    assert people[0].client.join(match_id, 0)["seat"] == 0


@pytest.mark.parametrize(
    ("instead", "code"),
    [
        ({"nonce": "another nonce than the one promised"}, "nonce_wrong"),
        ({"nonce": "short"}, "statement_invalid"),
        ({"nonce": 7}, "statement_invalid"),
        ({"seq": 2}, "statement_invalid"),
        ({"seq": True}, "statement_invalid"),
        ({"head": encode(bytes(32))}, "statement_invalid"),
        ({"seat": 1}, "other_seat"),
        ({"match": "another"}, "other_match"),
    ],
)
def test_anything_else_than_what_was_promised_is_refused(
    stage: Stage, people: list[Person], instead: dict[str, Any], code: str
) -> None:
    match_id = sealed_match(stage, people)
    before = stage.fingerprint()
    statement = nonce_statement(people[0], match_id, **instead)
    problem(post(stage.app, f"/v1/matches/{match_id}/nonces", {"statement": statement}), 422, code)
    assert stage.fingerprint() == before


def test_a_nonce_isn_t_taken_before_the_table_is_full(stage: Stage, people: list[Person]) -> None:
    match_id = sealed_match(stage, people[:1])
    statement = nonce_statement(people[0], match_id)
    problem(post(stage.app, f"/v1/matches/{match_id}/nonces", {"statement": statement}), 409, "table_open")
    with pytest.raises(BrokenLog, match="stays closed"):
        people[0].client.open_nonce(match_id)


def test_a_plain_nonce_is_no_way_to_join_a_sealed_match_nor_a_promise_a_joint_one(
    stage: Stage, people: list[Person]
) -> None:
    for shuffle, share in (("sealed", {"nonce": "a plain nonce of mine"}), ("joint", {"promise": encode(bytes(32))})):
        match = people[0].client.open("hands", 2, shuffle=shuffle)
        identity = people[0].client.identity
        assert identity
        said = {"match": match["id"], "opened": match["opened"], "seat": 0, "keys": [identity.public]} | share
        body = {"statement": identity.sign("ogham-join+jws", said)}
        problem(post(stage.app, f"/v1/matches/{match['id']}/seats", body), 422, "statement_invalid")


def test_a_promise_must_be_a_hash(stage: Stage, people: list[Person]) -> None:
    match = people[0].client.open("hands", 2, shuffle="sealed")
    identity = people[0].client.identity
    assert identity
    for promised in ("short", 7, None, encode(bytes(31))):
        said = {"match": match["id"], "opened": match["opened"], "seat": 0, "keys": [identity.public]}
        body = {"statement": identity.sign("ogham-join+jws", said | {"promise": promised})}
        problem(post(stage.app, f"/v1/matches/{match['id']}/seats", body), 422, "statement_invalid")


def test_a_joint_match_has_nothing_to_open(stage: Stage, people: list[Person]) -> None:
    match_id = stage.table(people, "hands")
    body = {"statement": nonce_statement(people[0], match_id)}
    problem(post(stage.app, f"/v1/matches/{match_id}/nonces", body), 422, "nonce_wrong")


# -- by mail


def test_a_nonce_can_be_opened_by_answering_a_mail_with_it(stage: Stage, people: list[Person]) -> None:
    ann, ben = people
    match_id = sealed_match(stage, people)
    letter = stage.letters(ann.address)[-1]
    assert ann.client.identity
    assert stage.answer(letter, "something else") == "nothing said"
    assert "None of the lines" in str(stage.letters(ann.address)[-1])
    assert stage.answer(letter, f"Here it is:\n\n{ann.client.identity.nonce(match_id)}\n\nAnn") == "nonce opened"
    assert ben.client.match(match_id)["unopened"] == [1]
    ben.client.open_nonce(match_id)
    opened = [entry["proof"]["grade"] for entry in log(stage, match_id) if entry["kind"] == "nonce_opened"]
    assert opened == ["mailed", "signed"]


def test_whoever_joins_by_mail_has_promised_their_words_and_they_open_by_themselves(
    stage: Stage, people: list[Person]
) -> None:
    ann = people[0]
    match_id = ann.client.open("hands", 2, {}, ["cleo@example.org"], shuffle="sealed")["id"]
    stage.work()
    assert stage.answer(stage.letters("cleo@example.org")[-1], "join the rain in Spain") == "joined on seat 0"
    assert "the rain" not in json.dumps(log(stage, match_id))
    ann.client.join(match_id, 1)
    assert [entry.get("nonce") for entry in log(stage, match_id)[1:]] == [None, None, "the rain in Spain"]
    assert ann.client.open_nonce(match_id)["status"] == "running"
