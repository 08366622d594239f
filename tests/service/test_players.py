"""Becoming a player: a name, an address that answers, a key that is one's own; and tokens to read with."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select

from client.errors import Problem
from client.keys import Identity
from service.store.db import db
from service.store.tables import Player, Statement
from tests.raw import get, post, problem, statement
from tests.stage import Person, Stage


def registering(
    identity: Identity, name: str = "Ann", address: str = "ann@example.org", **others: Any
) -> dict[str, Any]:
    proof = statement(identity, "ogham-register+jws", {"name": name, "address": address})
    return {"name": name, "address": address, "key": identity.public, "proof": proof} | others


def registered(stage: Stage, body: dict[str, Any]) -> tuple[str, str]:
    """The registration, and the code that was mailed for it."""
    stage.later(milliseconds=1)  # so that its letter is the newest
    answer = post(stage.app, "/v1/registrations", body)
    assert answer.status_code == 202, answer.text
    stage.work()
    return answer.get_json()["id"], stage.token(stage.letters(body["address"].lower())[-1])


def confirm(stage: Stage, registration: str, code: str) -> Any:
    return post(stage.app, f"/v1/registrations/{registration}/confirmation", {"code": code})


def token_of(person: Person) -> str:
    return person.client._bearer()["Authorization"].removeprefix("Bearer ")


# -- names and addresses


NAMES = (
    "Ann",
    "a",
    "Ann Lee",
    "Jean-Luc",
    "O'Brien",
    "O’Brien",
    "J. R. R. Tolkien",
    "李",
    "Łukasz Żak",
    "R2 D2",
    40 * "n",
)
NO_NAMES = (
    " ", " Ann", "Ann ", "Ann  Lee", "-Ann", "Ann\nBcc: x@example.org", "Ann\r\nBcc: x", "<b>Ann</b>", '"Ann"', "Ann;",
    "ann@example.org", "Ann\u202eLee", "Ann\u200bLee", "Ann_Lee", "=?utf-8?q?Ann?=", "Ann\tLee", "\u2028",
    "Ann\x7f", "A..", "😀",
)  # fmt: skip
NO_ADDRESSES = (
    "ann", "@example.org", "ann@", "ann@example", "a b@example.org", "ann@example.org\nBcc: x@example.org",
    '"a b"@example.org', "ann@e\u212axample.org", " ann@example.org", "ann@example.org, eve@example.org",
    250 * "a" + "@b.org",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_be_anybodys(shared_stage: Stage, name: str) -> None:
    assert post(shared_stage.app, "/v1/registrations", {"name": name, "address": "a@example.org"}).status_code == 202


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_is_letters_and_what_stands_between_them(shared_stage: Stage, name: str) -> None:
    body = {"name": name, "address": "a@example.org"}
    problem(post(shared_stage.app, "/v1/registrations", body), 422, "name_invalid")


@pytest.mark.parametrize(
    "address",
    [
        "play@ogham.test",
        "PLAY@OGHAM.TEST",
        "bounce@sub.ogham.test",
        '"ann"@example.org',
        "änn@example.org",
        "ann@exämple.org",
        "ann@[127.0.0.1]",
    ],
)
def test_an_address_of_ours_or_one_that_readers_read_differently_is_nobodys(shared_stage: Stage, address: str) -> None:
    answer = post(shared_stage.app, "/v1/registrations", {"name": "Ann", "address": address})
    problem(answer, 422, "address_invalid")


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_cannot_be_registered(shared_stage: Stage, address: str) -> None:
    answer = post(shared_stage.app, "/v1/registrations", {"name": "Ann", "address": address})
    assert answer.status_code == 422
    assert answer.get_json(force=True)["code"] in ("schema_invalid", "address_invalid")


def test_an_address_is_one_whatever_its_case(stage: Stage) -> None:
    identity = Identity.generate()
    proof = statement(identity, "ogham-register+jws", {"name": "Ann", "address": "ann@example.org"})
    body = registering(identity, address="Ann@Example.ORG", proof=proof)
    player = confirm(stage, *registered(stage, body)).get_json()
    assert player["address"] == "ann@example.org"


# -- the proof that the key is one's own


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (lambda body, _: body.pop("proof"), 422, "key_invalid"),
        (lambda body, _: body.pop("key"), 422, "key_invalid"),
        (lambda body, _: body.update(proof="nonsense"), 403, "signature_invalid"),
        (lambda body, other: body.update(key=other.public), 403, "signature_invalid"),
        (lambda body, other: body.update(proof=registering(other)["proof"]), 403, "signature_invalid"),
        (lambda body, _: body.update(name="Eve"), 422, "statement_invalid"),
        (lambda body, _: body.update(address="eve@example.org"), 422, "statement_invalid"),
    ],
)
def test_a_key_is_not_registered_without_a_proof_of_its_own(
    shared_stage: Stage, change: Callable[[Any, Identity], None], status: int, code: str
) -> None:
    body = registering(Identity.generate())
    change(body, Identity.generate())
    problem(post(shared_stage.app, "/v1/registrations", body), status, code)


def test_a_proof_is_good_once_and_for_ten_minutes(stage: Stage) -> None:
    body = registering(Identity.generate())
    assert post(stage.app, "/v1/registrations", body).status_code == 202
    problem(post(stage.app, "/v1/registrations", body), 409, "statement_used")
    body = registering(Identity.generate())
    stage.later(minutes=11)
    problem(post(stage.app, "/v1/registrations", body), 422, "statement_expired")


def test_what_was_used_is_forgotten_when_it_could_not_be_used_again(stage: Stage) -> None:
    for name in ("Ann", "Ben"):
        stage.person(name).client.me()
    stage.later(minutes=30)
    with stage.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Statement)) == 4
    identity = Identity.generate()
    said = {"name": "Cid", "address": "cid@example.org", "iat": int(time.time()) + 1800}
    body = registering(identity, "Cid", "cid@example.org", proof=statement(identity, "ogham-register+jws", said))
    assert post(stage.app, "/v1/registrations", body).status_code == 202
    with stage.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Statement)) == 1


# -- confirming


def test_whether_an_address_has_a_player_already_is_not_told(stage: Stage) -> None:
    stage.person("Ann")
    known = post(stage.app, "/v1/registrations", registering(Identity.generate(), address="ann@example.org"))
    unknown = post(stage.app, "/v1/registrations", registering(Identity.generate(), address="eve@example.org"))
    for answer in (known, unknown):
        assert answer.status_code == 202
    expected = unknown.get_json() | {"id": known.get_json()["id"], "address": "ann@example.org"}
    assert known.get_json() == expected


@pytest.mark.parametrize("code", ["wrong", "ä", "😀", 100 * "a"])
def test_a_wrong_code_confirms_nothing(stage: Stage, code: str) -> None:
    registration, _ = registered(stage, registering(Identity.generate()))
    before = stage.fingerprint()
    problem(confirm(stage, registration, code), 404, "registration_unknown")
    problem(confirm(stage, "nothing", code), 404, "registration_unknown")
    assert stage.fingerprint() == before


def test_the_code_of_one_registration_confirms_no_other(stage: Stage) -> None:
    one, _ = registered(stage, registering(Identity.generate()))
    _, code = registered(stage, registering(Identity.generate(), "Eve", "eve@example.org"))
    problem(confirm(stage, one, code), 404, "registration_unknown")


def test_a_registration_can_be_confirmed_for_three_days_and_said_again_for_ever(stage: Stage) -> None:
    old = registered(stage, registering(Identity.generate()))
    new = registered(stage, registering(Identity.generate(), "Ben", "ben@example.org"))
    stage.later(days=2)
    first = confirm(stage, *new)
    assert first.status_code == 200
    stage.later(days=2)
    before = stage.fingerprint()
    problem(confirm(stage, *old), 409, "registration_expired")
    assert confirm(stage, *new).get_json() == first.get_json()
    assert stage.fingerprint() == before


def test_the_same_key_registered_twice_by_the_same_player_is_one_key(stage: Stage) -> None:
    """The first answer was lost, so the client registered again."""
    identity = Identity.generate()
    first, second = registered(stage, registering(identity)), registered(stage, registering(identity))
    player = confirm(stage, *first).get_json()
    before = stage.fingerprint()
    assert confirm(stage, *second).get_json() == player
    assert stage.fingerprint() == before


def test_a_key_belongs_to_one_player_for_ever(stage: Stage) -> None:
    identity = Identity.generate()
    confirm(stage, *registered(stage, registering(identity)))
    elsewhere = registered(stage, registering(identity, "Eve", "eve@example.org"))
    before = stage.fingerprint()
    problem(confirm(stage, *elsewhere), 409, "key_known")
    assert stage.fingerprint() == before


def test_a_key_that_another_player_has_is_refused_by_mail_too(stage: Stage) -> None:
    identity = Identity.generate()
    confirm(stage, *registered(stage, registering(identity)))
    registered(stage, registering(identity, "Eve", "eve@example.org"))
    before = stage.fingerprint()
    assert stage.answer(stage.letters("eve@example.org")[-1], "yes") == "refused: key_known"
    assert stage.fingerprint() == before
    assert "key" in stage.letters("eve@example.org")[-1].get_body(("plain",)).get_content()  # type: ignore[union-attr]


def test_a_revoked_key_cannot_be_registered_again(stage: Stage) -> None:
    ann = stage.person("Ann")
    old = ann.client.identity
    assert old
    ann.client.add_key(new := Identity.generate())
    stage.watcher(new).revoke_key(old.kid)
    again = registered(stage, registering(old))
    before = stage.fingerprint()
    problem(confirm(stage, *again), 409, "key_known")
    assert stage.fingerprint() == before


def test_two_registrations_of_one_address_confirmed_at_once_make_one_player(
    stage: Stage, sample: Callable[[int, int], int]
) -> None:
    for number in range(sample(3, 30)):
        address = f"ann{number}@example.org"
        both = [registered(stage, registering(Identity.generate(), address=address)) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda one: confirm(stage, *one), both))
        assert all(answer.status_code in (200, 503) for answer in answers), [answer.text for answer in answers]
        again = [confirm(stage, *one) for one in both]
        assert [answer.status_code for answer in again] == 4 * [200]
        assert len({answer.get_json()["id"] for answer in again}) == 1
        with stage.app.app_context():
            assert db.session.scalar(select(func.count()).select_from(Player).where(Player.address == address)) == 1


# -- tokens


def test_a_token_is_given_against_an_assertion_for_this_service(stage: Stage) -> None:
    ann = stage.person("Ann")
    identity = ann.client.identity
    assert identity
    before = stage.fingerprint()
    url = stage.settings.public_url
    for aud, status in ((url, 201), (url + "/", 422), ("https://elsewhere.example", 422), (None, 422), ([url], 422)):
        answer = post(stage.app, "/v1/tokens", {"assertion": statement(identity, "ogham-token+jws", {"aud": aud})})
        assert answer.status_code == status
        if status == 422:
            problem(answer, 422, "audience_wrong")
    assert stage.fingerprint() == before


def test_an_assertion_is_good_once_and_for_ten_minutes(stage: Stage) -> None:
    identity = stage.person("Ann").client.identity
    assert identity
    body = {"assertion": statement(identity, "ogham-token+jws", {"aud": stage.settings.public_url})}
    assert post(stage.app, "/v1/tokens", body).status_code == 201
    problem(post(stage.app, "/v1/tokens", body), 409, "statement_used")
    body = {"assertion": statement(identity, "ogham-token+jws", {"aud": stage.settings.public_url})}
    stage.later(minutes=11)
    problem(post(stage.app, "/v1/tokens", body), 422, "statement_expired")


def test_one_assertion_sent_at_once_by_many_gives_one_token(stage: Stage) -> None:
    identity = stage.person("Ann").client.identity
    assert identity
    body = {"assertion": statement(identity, "ogham-token+jws", {"aud": stage.settings.public_url})}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: post(stage.app, "/v1/tokens", body), range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


# -- keys


def test_a_further_key_needs_both_signatures(stage: Stage) -> None:
    ann, eve = stage.person("Ann"), stage.person("Eve")
    mine, hers, new = ann.client.identity, eve.client.identity, Identity.generate()
    assert mine
    assert hers
    token, before = token_of(ann), stage.fingerprint()

    def said(identity: Identity, action: str = "add", kid: str = new.kid) -> str:
        return statement(identity, "ogham-key+jws", {"action": action, "kid": kid})

    for proof, by, status, code in (
        (said(mine), said(mine), 403, "signature_invalid"),
        (said(new), said(new), 403, "signature_invalid"),
        (said(new), said(hers), 403, "signature_invalid"),
        ("", said(mine), 403, "signature_invalid"),
        (said(new), "", 403, "signature_invalid"),
        (said(new, "revoke"), said(mine), 422, "statement_invalid"),
        (said(new), said(mine, "revoke"), 422, "statement_invalid"),
        (said(new), said(mine, kid=mine.kid), 422, "statement_invalid"),
    ):
        body = {"key": new.public, "proof": proof, "statement": by}
        problem(post(stage.app, "/v1/players/me/keys", body, token), status, code)
    body = {"key": new.public, "proof": said(new), "statement": said(mine)}
    problem(post(stage.app, "/v1/players/me/keys", body), 401, "token_missing")
    assert stage.fingerprint() == before
    assert post(stage.app, "/v1/players/me/keys", body, token).status_code == 201
    problem(post(stage.app, "/v1/players/me/keys", body, token), 409, "statement_used")
    body = {"key": new.public, "proof": said(new), "statement": said(mine)}
    problem(post(stage.app, "/v1/players/me/keys", body, token), 409, "key_known")


def test_a_key_is_revoked_by_its_owner_only(stage: Stage) -> None:
    ann, eve = stage.person("Ann"), stage.person("Eve")
    mine, hers = ann.client.identity, eve.client.identity
    assert mine
    assert hers
    before = stage.fingerprint()

    def revoke(by: Identity, token: str, kid: str = mine.kid, said: str = mine.kid) -> Any:
        body = {"statement": statement(by, "ogham-key+jws", {"action": "revoke", "kid": said})}
        return post(stage.app, f"/v1/players/me/keys/{kid}/revocation", body, token)

    problem(revoke(hers, token_of(eve)), 404, "key_unknown")
    problem(revoke(hers, token_of(ann)), 403, "signature_invalid")
    problem(revoke(mine, token_of(eve)), 403, "signature_invalid")
    problem(revoke(mine, token_of(ann), said=hers.kid), 422, "statement_invalid")
    problem(revoke(mine, token_of(ann), kid="none", said="none"), 404, "key_unknown")
    assert stage.fingerprint() == before


def test_with_a_key_its_tokens_end(stage: Stage) -> None:
    """Whoever stole the key has shown an assertion with it, and would go on reading for a day."""
    ann = stage.person("Ann")
    old = ann.client.identity
    assert old
    stolen = token_of(Person("Ann", "", stage.watcher(old)))
    ann.client.add_key(new := Identity.generate())
    stage.watcher(new).revoke_key(old.kid)
    problem(get(stage.app, "/v1/players/me", stolen), 401, "token_invalid")
    body = {"assertion": statement(old, "ogham-token+jws", {"aud": stage.settings.public_url})}
    problem(post(stage.app, "/v1/tokens", body), 403, "key_revoked")
    assert stage.watcher(new).me()["name"] == "Ann"


def test_a_key_may_revoke_itself_and_then_signs_nothing(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], "hands")
    identity = ann.client.identity
    assert identity
    token = token_of(ann)
    ann.client.revoke_key(identity.kid)
    before = stage.fingerprint()
    problem(get(stage.app, "/v1/players/me", token), 401, "token_invalid")
    with pytest.raises(Problem, match="key_revoked"):
        stage.watcher(identity).me()
    now = ben.client.match(match_id)
    said = {"match": match_id, "seat": 0, "seq": now["seq"], "head": now["head"], "moves": ["let"]}
    for typ, path, member, payload in (
        ("move", f"/v1/matches/{match_id}/moves", "submission", said),
        ("resign", f"/v1/matches/{match_id}/resignation", "statement", {"match": match_id, "seat": 0}),
    ):
        body = {member: statement(identity, f"ogham-{typ}+jws", payload)}
        problem(post(stage.app, path, body), 403, "key_revoked")
    open_match = ben.client.open("hands", 2)
    keys = {"keys": [identity.public], "nonce": 32 * "n", "opened": open_match["opened"]}
    body = {"statement": statement(identity, "ogham-join+jws", {"match": open_match["id"], "seat": 0} | keys)}
    problem(post(stage.app, f"/v1/matches/{open_match['id']}/seats", body), 403, "key_revoked")
    assert {table: rows for table, rows in stage.fingerprint().items() if table not in ("match", "entry")} == {
        table: rows for table, rows in before.items() if table not in ("match", "entry")
    }
