"""Keys that come and go while a match runs: what the log says of them, and what they can still sign."""

import json
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import OKPKey

from client.api import Ogham
from client.errors import Problem
from client.keys import Identity
from tests.raw import post, problem, statement
from tests.stage import Person, Stage


def kinds(client: Ogham, match_id: str) -> list[str]:
    return [json.loads(entry["public"])["kind"] for entry in client.log(match_id)]


def check_signatures(client: Ogham, match_id: str) -> int:
    """Judge every signature by the log alone, as any reader can: by the keys that count for its seat at that place."""
    valid: dict[int, dict[str, Any]] = {}
    judged = 0
    for entry in client.log(match_id):
        public = json.loads(entry["public"])
        if public["kind"] == "joined":
            valid[public["seat"]] = {OKPKey.import_key(jwk).thumbprint(): jwk for jwk in public["keys"]}
        if public.get("proof", {}).get("grade") == "signed":
            number = public["proof"]["evidence"]["$seal"]["number"]
            text = next(opening["value"]["jws"] for opening in entry["openings"] if opening["number"] == number)
            kid = jws.extract_compact(text.encode()).headers()["kid"]
            jws.deserialize_compact(text, OKPKey.import_key(valid[public["seat"]][kid]), algorithms=["Ed25519"])
            judged += 1
        if public["kind"] == "key_added":
            valid[public["seat"]][OKPKey.import_key(public["key"]).thumbprint()] = public["key"]
        if public["kind"] == "key_revoked":
            valid[public["seat"]].pop(public["kid"])
    return judged


def move_of(person: Person, identity: Identity, match_id: str, *lines: str, **said: Any) -> str:
    now = person.client.match(match_id)
    payload = {"match": match_id, "seat": 0, "seq": now["seq"], "head": now["head"], "moves": list(lines)}
    return statement(identity, "ogham-move+jws", payload | said)


def send(stage: Stage, match_id: str, submission: str, wait: bool = False) -> Any:
    headers = {"Prefer": "wait=1"} if wait else {}
    return post(stage.app, f"/v1/matches/{match_id}/moves", {"submission": submission}, **headers)


def identity_of(person: Person) -> Identity:
    assert person.client.identity
    return person.client.identity


def test_a_key_is_changed_in_the_middle_of_a_match(stage: Stage) -> None:
    people = [stage.person("Ann"), stage.person("Ben")]
    ann, old, new = people[0], identity_of(people[0]), Identity.generate()
    match_id = stage.table(people, first_player=0)
    over = stage.table(people)
    people[1].client.resign(over)
    opened = ann.client.open("keltis", 2)["id"]
    ann.client.join(opened, 0)
    stage.work()

    first = move_of(ann, old, match_id, "reveal, leave")
    assert send(stage, match_id, first).status_code == 202
    stage.work()
    settled = send(stage, match_id, first, wait=True)
    assert settled.status_code == 200
    refused_line = move_of(ann, old, match_id, "castle")
    send(stage, match_id, refused_line)
    stage.work()
    refused = send(stage, match_id, refused_line, wait=True)
    problem(refused, 422, "move_unreadable")

    ann.client.add_key(new)
    renewed = stage.watcher(new)
    assert kinds(renewed, match_id)[-1] == "key_added"
    assert kinds(renewed, opened)[-1] == "key_added"
    renewed.revoke_key(old.kid)
    assert kinds(renewed, match_id)[-2:] == ["key_added", "key_revoked"]
    assert kinds(renewed, opened)[-2:] == ["key_added", "key_revoked"]
    assert kinds(renewed, over)[-1] == "closed"
    keys = renewed.keys()
    assert {key["kid"]: key["revoked_at"] is None for key in keys} == {old.kid: False, new.kid: True}

    before = stage.fingerprint()
    for sent, answer in ((first, settled), (refused_line, refused)):  # what was answered before is answered the same
        again = send(stage, match_id, sent, wait=True)
        assert (again.status_code, again.data) == (answer.status_code, answer.data)
    problem(send(stage, match_id, move_of(people[1], old, match_id, "reveal")), 403, "key_revoked")
    assert stage.fingerprint() == before

    ann.client = renewed
    assert stage.play(people[1], match_id, "reveal, leave")["problem"] is None
    assert stage.play(ann, match_id, "reveal, leave")["problem"] is None
    assert kinds(renewed, match_id)[3:] == ["dealt", "moved", "key_added", "key_revoked", "moved", "moved"]
    assert check_signatures(ann.client, match_id) == 7
    assert check_signatures(ann.client, opened) == 3


def test_entries_about_keys_make_no_move_stale(stage: Stage) -> None:
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, first_player=0)
    submission = move_of(people[0], identity_of(people[0]), match_id, "reveal, leave")
    people[1].client.add_key(Identity.generate())
    assert send(stage, match_id, submission).status_code == 202
    stage.work()
    assert send(stage, match_id, submission, wait=True).get_json()["verdict"]["problem"] is None
    assert kinds(people[0].client, match_id)[-2:] == ["key_added", "moved"]


def test_what_a_key_signed_and_nobody_settled_before_it_was_revoked_is_refused(stage: Stage) -> None:
    """Else the log would hold a move signed with a key that doesn't count any more where it stands."""
    people = [stage.person("Ann"), stage.person("Ben")]
    ann, old = people[0], identity_of(people[0])
    match_id = stage.table(people, first_player=0)
    submission = move_of(ann, old, match_id, "reveal")
    assert send(stage, match_id, submission).status_code == 202
    ann.client.add_key(new := Identity.generate())
    stage.watcher(new).revoke_key(old.kid)
    before = stage.fingerprint()
    stage.work()
    refused = send(stage, match_id, submission, wait=True)
    problem(refused, 403, "key_revoked")
    assert stage.fingerprint() == before
    again = send(stage, match_id, submission, wait=True)
    assert (again.status_code, again.data) == (refused.status_code, refused.data)
    check_signatures(people[1].client, match_id)


def test_a_key_that_a_mail_brought_is_entered_as_that(stage: Stage) -> None:
    """Who lost their key registers anew with the same address; the log says that a mail vouches for the new one."""
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, first_player=0)
    stage.later(seconds=1)
    renewed = stage.watcher(Identity.generate())
    registration = renewed.register("Somebody", people[0].address)
    stage.work()
    player = renewed.confirm(registration["id"], stage.token(stage.letters(people[0].address)[-1]))
    assert player["name"] == "Ann"
    entry = json.loads(list(renewed.log(match_id))[-1]["public"])
    identity = renewed.identity
    assert identity
    assert (entry["kind"], entry["seat"], entry["key"]) == ("key_added", 0, identity.public)
    assert entry["proof"]["grade"] == "mailed"
    people[0].client = renewed
    assert stage.play(people[0], match_id, "reveal, leave")["problem"] is None
    check_signatures(renewed, match_id)


def test_who_joins_lists_all_keys_that_they_may_sign_with(stage: Stage) -> None:
    """Else a reader would meet a signature by a key that the log never named."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    first, second, third, hers = identity_of(ann), Identity.generate(), Identity.generate(), identity_of(ben)
    for new in (second, third):
        ann.client.add_key(new)
    ann.client.revoke_key(third.kid)
    match = ben.client.open("keltis", 2, {"first_player": 0})
    before = stage.fingerprint()

    def joining(*keys: Identity) -> Any:
        listed = [identity.public for identity in keys]
        said = {"match": match["id"], "opened": match["opened"], "seat": 0, "keys": listed, "nonce": 32 * "n"}
        body = {"statement": statement(first, "ogham-join+jws", said)}
        return post(stage.app, f"/v1/matches/{match['id']}/seats", body)

    for keys in ((first,), (second,), (first, second, third), (first, second, hers), (first, second, second)):
        problem(joining(*keys), 422, "statement_invalid")
    assert stage.fingerprint() == before
    assert joining(second, first).status_code == 201
    ben.client.join(match["id"], 1)
    ann.client = stage.watcher(second)
    assert stage.play(ann, match["id"], "reveal, leave")["problem"] is None
    check_signatures(ann.client, match["id"])


def test_the_client_lists_all_its_players_keys(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    second = Identity.generate()
    ann.client.add_key(second)
    match = ben.client.open("keltis", 2)
    assert stage.watcher(second).join(match["id"], 0)["seat"] == 0


def test_who_joins_by_mail_may_sign_with_the_keys_they_have(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match = ann.client.open("keltis", 2, {"first_player": 0}, [ben.address, ann.address])
    stage.work()
    for person in (ann, ben):
        stage.answer(stage.letters(person.address)[-1], "join with luck")
    joined = [json.loads(entry["public"]) for entry in ann.client.log(match["id"])][1:3]
    assert [entry["keys"] for entry in joined] == [[identity_of(person).public] for person in (ann, ben)]
    assert stage.play(ann, match["id"], "reveal, leave")["problem"] is None
    assert check_signatures(ann.client, match["id"]) == 1


def test_nobody_adds_a_key_to_another_players_seat(stage: Stage) -> None:
    people = [stage.person("Ann"), stage.person("Ben"), stage.person("Eve")]
    match_id = stage.table(people[:2])
    before = kinds(people[0].client, match_id)
    people[2].client.add_key(Identity.generate())
    assert kinds(people[0].client, match_id) == before
    with pytest.raises(Problem, match="signature_invalid"):
        people[2].client.send(match_id, move_of(people[0], identity_of(people[2]), match_id, "reveal"))
