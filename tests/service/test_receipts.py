"""Receipts: the service's own keys, and what it signs with them."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest
from joserfc import jws
from joserfc.errors import BadSignatureError
from joserfc.jwk import OKPKey
from sqlalchemy import select

from engine.log import decode, encode, marks, seal
from service.receipts import published_keys, rotate_key, sign_receipt
from service.store.db import db, writing
from service.store.tables import Entry, ServiceKey
from tests.raw import get
from tests.stage import Stage


def published(stage: Stage) -> dict[str, dict[str, str]]:
    return {key["kid"]: key for key in get(stage.app, "/.well-known/jwks.json").get_json()["keys"]}


def read(receipt: str, keys: dict[str, dict[str, str]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and payload, once the signature verified under the published key it names."""
    found = jws.deserialize_compact(
        receipt, lambda part: OKPKey.import_key(keys[part.headers()["kid"]]), algorithms=["Ed25519"]
    )
    return dict(found.headers()), dict(json.loads(found.payload))


def sign(stage: Stage, **said: Any) -> str:
    with stage.app.app_context():
        return sign_receipt("ogham-test+jws", said)


def test_a_receipt_verifies_under_the_key_that_is_published(stage: Stage) -> None:
    header, payload = read(sign(stage, match="any"), published(stage))
    assert (header["alg"], header["typ"], payload) == ("Ed25519", "ogham-test+jws", {"match": "any"})
    assert list(published(stage)) == [header["kid"]]


def test_a_kid_is_the_thumbprint_and_nothing_private_is_published(stage: Stage) -> None:
    (key,) = published(stage).values()
    assert set(key) == {"kty", "crv", "x", "kid", "alg", "use"}
    assert OKPKey.import_key({name: key[name] for name in ("kty", "crv", "x")}).thumbprint() == key["kid"]


def test_the_api_and_the_well_known_place_say_the_same(stage: Stage) -> None:
    answer = get(stage.app, "/.well-known/jwks.json")
    assert answer.content_type == "application/jwk-set+json"
    assert answer.get_json() == get(stage.app, "/v1/keys").get_json()


def test_after_a_rotation_the_new_key_signs_and_the_old_receipts_still_verify(stage: Stage) -> None:
    old = sign(stage, number=1)
    with stage.app.app_context():
        kid = rotate_key()
    new = sign(stage, number=2)
    keys = published(stage)
    assert [read(receipt, keys)[0]["kid"] == kid for receipt in (old, new)] == [False, True]
    assert next(iter(keys)) == kid
    assert len(keys) == 2


def test_a_process_that_remembers_its_key_hears_of_a_rotation_in_ten_seconds(stage: Stage) -> None:
    other = Stage.build(stage.settings.database_url)
    other.moment = stage.moment
    other.app.extensions["ogham"] = stage.app.extensions["ogham"]
    first = read(sign(other, number=1), published(stage))[0]["kid"]
    stage.later(minutes=2)
    sign(other, number=2)  # now it is remembered
    with stage.app.app_context():
        kid = rotate_key()
    assert read(sign(other, number=3), published(stage))[0]["kid"] == first
    stage.later(seconds=10)
    assert read(sign(other, number=4), published(stage))[0]["kid"] == kid
    with other.app.app_context():
        db.engine.dispose()


def test_many_who_need_the_first_key_at_once_get_the_same(stage: Stage) -> None:
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda number: sign(stage, number=number), range(24)))
    keys = published(stage)
    assert len({read(receipt, keys)[0]["kid"] for receipt in receipts}) == len(keys) == 1


def test_a_key_made_in_a_transaction_that_is_undone_signs_nothing_afterwards(stage: Stage) -> None:
    with stage.app.app_context():
        with writing() as transaction:
            undone = sign_receipt("ogham-test+jws", {})
            transaction.session.rollback()
        receipt = sign_receipt("ogham-test+jws", {})
        assert len(published_keys()) == 1
    assert receipt != undone
    read(receipt, published(stage))
    with pytest.raises(KeyError):
        read(undone, published(stage))


def test_the_database_alone_signs_nothing(stage: Stage, database_url: str) -> None:
    """Neither is the private key in it, nor does somebody with another secret sign with it: they get a key anew."""
    receipt = sign(stage, number=1)
    with stage.app.app_context():
        row = db.session.scalars(select(ServiceKey)).one()
        assert set(row.jwk) == {"kty", "crv", "x"}
        as_key = OKPKey.import_key(row.jwk | {"d": encode(row.salt)})
    forged = jws.serialize_compact(
        {"alg": "Ed25519", "kid": row.kid, "typ": "t"}, b"{}", as_key, algorithms=["Ed25519"]
    )
    with pytest.raises(BadSignatureError):
        read(forged, published(stage))
    other = Stage.build(database_url, secret=b"t" * 32)
    other.moment = stage.moment
    assert len(published(other)) == 2
    read(receipt, published(other))
    with other.app.app_context():
        db.engine.dispose()


# -- of heads and submissions


def test_every_entry_s_head_is_signed(stage: Stage) -> None:
    match_id = stage.table([stage.person("Ann"), stage.person("Ben")])
    with stage.app.app_context():
        entries = db.session.scalars(select(Entry).where(Entry.match_id == match_id).order_by(Entry.seq)).all()
    keys = published(stage)
    assert len(entries) == 4
    for entry in entries:
        header, payload = read(str(entry.receipt), keys)
        assert header["typ"] == "ogham-head+jws"
        at = json.loads(entry.public)["at"]
        assert payload == {"match": match_id, "length": entry.seq + 1, "head": encode(entry.hash), "at": at}


def test_a_submission_is_receipted_when_it_comes_and_its_verdict_carries_the_head_s(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], first_player=0)
    keys = published(stage)
    assert ann.client.identity
    match = ann.client.match(match_id)
    said = {name: match[name] for name in ("seat", "seq", "head")} | {"match": match_id, "moves": ["reveal, leave"]}  # type: ignore[literal-required]
    text = ann.client.identity.sign("ogham-move+jws", said)
    sent = ann.client.send(match_id, text, wait=0)
    header, payload = read(str(sent["receipt"]), keys)
    assert (header["typ"], payload["hash"]) == ("ogham-received+jws", encode(sha256(text.encode()).digest()))
    assert payload["received_at"] == sent["received_at"]
    stage.work()
    done = ann.client.submission(sent["id"])
    assert done["receipt"] == sent["receipt"] == ann.client.send(match_id, text, wait=0)["receipt"]
    assert done["verdict"]
    header, payload = read(str(done["verdict"]["receipt"]), keys)
    assert header["typ"] == "ogham-head+jws"
    assert (payload["length"], payload["head"]) == (done["verdict"]["seq"], done["verdict"]["head"])


def test_every_turn_mail_carries_the_receipt_of_the_position_it_shows(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], first_player=0)
    stage.play(ann, match_id, "reveal, leave")
    for person in (ann, ben):
        letter = stage.letters(person.address)[-1]
        for part in (letter.get_body(("plain",)), letter.get_body(("html",))):
            assert part
            text = re.sub(r"\r?\n(?=\S)", "", part.get_content())  # a mail breaks it into lines
            (receipt,) = re.findall(r"eyJ[\w-]+\.[\w-]+\.[\w-]{86}", text)
            _, payload = read(receipt, published(stage))
            assert (payload["match"], payload["length"]) == (match_id, 4 if person is ann else 5)


def test_a_turn_mail_opens_the_seals_of_the_cards_it_shows(stage: Stage) -> None:
    """The hand that was dealt: each opening gives the seal in the log, and there are none of anybody else's."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], "hands", first_player=0)
    forms = [json.loads(entry["public"]) for entry in stage.watcher().log(match_id)]
    seals = {mark["number"]: mark for form in forms for name, mark in marks(form) if name == "$seal"}
    theirs = {mark["number"] for form in forms for _, mark in marks(form) if mark["to"] and 0 in mark["to"]}
    letter = stage.letters(ann.address)[-1].get_body(("plain",))
    assert letter
    text = letter.get_content().splitlines()
    opened = set()
    for line in text[text.index("Seals of what you were shown: number, salt, value:") + 1 :]:
        number, salt, value = line.split(" ", 2)
        assert seal(match_id, int(number), json.loads(value), decode(salt)) == seals[int(number)]["seal"]
        opened.add(int(number))
    assert opened == theirs
    assert len(opened) == len(ann.client.state(match_id)["view"]["hand"])
