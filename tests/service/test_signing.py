"""Forged statements, all of them answered alike; and keys that anybody could sign with."""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from client.keys import Identity
from service.errors import Malformed
from service.signing import LARGEST, import_key
from tests.raw import b64, post, problem, signature, signed, statement, unb64
from tests.stage import Person, Stage

ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that Ed25519 signs in


@dataclass
class Scene:
    """Ann and Ben at a match, a stranger who registered as well, and what Ann is about to sign."""

    stage: Stage
    ann: Identity
    ben: Identity
    stranger: Identity
    match: str
    payload: dict[str, Any]

    @property
    def header(self) -> dict[str, str]:
        return {"alg": "Ed25519", "kid": self.ann.kid, "typ": "ogham-move+jws"}

    def send(self, text: str) -> Any:
        return post(self.stage.app, f"/v1/matches/{self.match}/moves", {"submission": text})

    def fresh(self) -> dict[str, Any]:
        """The payload with a jti of its own."""
        return self.payload | {"jti": secrets.token_urlsafe(16)}


def identity(person: Person) -> Identity:
    assert person.client.identity
    return person.client.identity


@pytest.fixture(scope="module")
def built(shared_stage: Stage) -> Scene:
    people = [shared_stage.person(name) for name in ("Ann", "Ben", "Cid")]
    match_id = shared_stage.table(people[:2], "hands", first_player=1)
    now = people[0].client.match(match_id)
    payload = {"match": match_id, "seat": 0, "seq": now["seq"], "head": now["head"], "moves": ["let"]}
    return Scene(shared_stage, *map(identity, people), match_id, payload | {"iat": int(time.time())})


@pytest.fixture
def scene(built: Scene) -> Iterator[Scene]:
    before = built.stage.fingerprint()
    yield built
    assert built.stage.fingerprint() == before


def with_header(**changes: Any) -> Callable[[Scene], str]:
    """Signed by the right key, but with a header that has, or lacks (None), something."""

    def forge(scene: Scene) -> str:
        header = {name: value for name, value in (scene.header | changes).items() if value is not None}
        return signed(scene.ann, header, scene.fresh())

    return forge


def as_text(change: Callable[[Scene, str], str]) -> Callable[[Scene], str]:
    """A good statement, spelled otherwise."""
    return lambda scene: change(scene, signed(scene.ann, scene.header, scene.fresh()))


def hmac_with(secret: Callable[[Identity], bytes]) -> Callable[[Scene], str]:
    def forge(scene: Scene) -> str:
        parts = f"{b64(json.dumps(scene.header | {'alg': 'HS256'}))}.{b64(json.dumps(scene.fresh()))}"
        return f"{parts}.{b64(hmac.digest(secret(scene.ann), parts.encode(), hashlib.sha256))}"

    return forge


def unsigned(scene: Scene, alg: str = "none", signature_text: str = "") -> str:
    return f"{b64(json.dumps(scene.header | {'alg': alg}))}.{b64(json.dumps(scene.fresh()))}.{signature_text}"


def other_signature(change: Callable[[bytes], bytes]) -> Callable[[Scene], str]:
    def forge(_: Scene, text: str) -> str:
        head, payload, seal = text.split(".")
        return f"{head}.{payload}.{b64(change(unb64(seal)))}"

    return as_text(forge)


def flattened(scene: Scene, text: str) -> str:
    head, payload, seal = text.split(".")
    return json.dumps({"protected": head, "payload": payload, "signature": seal})


def general(scene: Scene, text: str) -> str:
    head, payload, seal = text.split(".")
    return json.dumps({"payload": payload, "signatures": [{"protected": head, "signature": seal}]})


def last_bits_changed(text: str) -> str:
    """Another spelling of the same bytes: the unused bits of the last character aren't zero."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1]


def respelled(text: str) -> str:
    """Base64url that Python's decoder takes for that text (and a few spaces), and that isn't how it is spelled."""
    text += " " * ((1 - len(text)) % 3)  # so that there are unused bits
    other = last_bits_changed(b64(text))
    assert (unb64(other), other != b64(text)) == (text.encode(), True)
    return other


def respelled_header(scene: Scene) -> str:
    """Signed by the right key over what it says."""
    parts = f"{respelled(json.dumps(scene.header))}.{b64(json.dumps(scene.fresh()))}"
    return f"{parts}.{b64(signature(scene.ann, parts))}"


def respelled_payload(scene: Scene) -> str:
    parts = f"{b64(json.dumps(scene.header))}.{respelled(json.dumps(scene.fresh()))}"
    return f"{parts}.{b64(signature(scene.ann, parts))}"


def spliced(scene: Scene) -> str:
    """The header and signature of one statement around the payload of another."""
    one, other = (signed(scene.ann, scene.header, scene.fresh()).split(".") for _ in range(2))
    return f"{one[0]}.{other[1]}.{one[2]}"


JWK = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}

FORGERIES: dict[str, Callable[[Scene], str]] = {
    "nothing": lambda _: "",
    "words": lambda _: "let",
    "alg none": unsigned,
    "alg None, in another case": lambda scene: unsigned(scene, "nOnE"),
    "alg none with a signature": lambda scene: unsigned(scene, "none", b64(bytes(64))),
    "no alg": with_header(alg=None),
    "alg EdDSA": with_header(alg="EdDSA"),
    "alg ed25519": with_header(alg="ed25519"),
    "alg Ed448": with_header(alg="Ed448"),
    "alg ES256": with_header(alg="ES256"),
    "alg a list": with_header(alg=["Ed25519"]),
    "HMAC with the public key's bytes": hmac_with(lambda key: unb64(key.public["x"])),
    "HMAC with the public key's text": hmac_with(lambda key: key.public["x"].encode()),
    "HMAC with the JWK": hmac_with(lambda key: json.dumps(key.public).encode()),
    "HMAC with the kid": hmac_with(lambda key: key.kid.encode()),
    "crit": with_header(crit=["exp"]),
    "crit b64": with_header(crit=["b64"], b64=False),
    "b64 true": with_header(b64=True),
    "jku": with_header(jku="https://example.org/keys"),
    "jwk": with_header(jwk=JWK),
    "x5u": with_header(x5u="https://example.org/chain"),
    "x5c": with_header(x5c=["AAAA"]),
    "cty": with_header(cty="json"),
    "zip": with_header(zip="DEF"),
    "no kid": with_header(kid=None),
    "kid a number": with_header(kid=1),
    "kid unknown": with_header(kid=b64(32 * b"x")),
    "kid empty": with_header(kid=""),
    "no typ": with_header(typ=None),
    "typ of another statement": with_header(typ="ogham-join+jws"),
    "typ JWT": with_header(typ="JWT"),
    "typ twice prefixed": with_header(typ="application/application/ogham-move+jws"),
    "typ of text": with_header(typ="text/ogham-move+jws"),
    "typ a list": with_header(typ=["ogham-move+jws"]),
    "header member twice": lambda scene: signed(
        scene.ann, json.dumps(scene.header)[:-1] + ', "alg": "Ed25519"}', scene.fresh()
    ),
    "header no object": lambda scene: signed(scene.ann, "[]", scene.fresh()),
    "header no JSON": lambda scene: signed(scene.ann, "alg=Ed25519", scene.fresh()),
    "header NaN": lambda scene: signed(scene.ann, json.dumps(scene.header)[:-1] + ', "x": NaN}', scene.fresh()),
    "header NUL": with_header(kid="\0"),
    "header nested deeply": with_header(kid=json.loads(500 * "[" + 500 * "]")),
    "flattened JSON form": as_text(flattened),
    "general JSON form": as_text(general),
    "payload detached": as_text(lambda _, text: f"{text.split('.')[0]}..{text.split('.')[2]}"),
    "signature left out": as_text(lambda _, text: text.rpartition(".")[0] + "."),
    "two parts": as_text(lambda _, text: text.rpartition(".")[0]),
    "four parts": as_text(lambda _, text: text + ".AAAA"),
    "five parts, as encrypted": as_text(lambda _, text: text + ".AAAA.AAAA"),
    "padded": as_text(lambda _, text: text + "=="),
    "plain base64 alphabet": as_text(lambda _, text: text[:-2] + "+/"),
    "unused bits in the signature": as_text(lambda _, text: last_bits_changed(text)),
    "unused bits in the header": respelled_header,
    "unused bits in the payload": respelled_payload,
    "a space before": as_text(lambda _, text: " " + text),
    "a line end after": as_text(lambda _, text: text + "\n"),
    "a line end inside": as_text(lambda _, text: text[:40] + "\n" + text[40:]),
    "garbage after": as_text(lambda _, text: text + "AAAA"),
    "another script": as_text(lambda _, text: text[:-1] + "А"),
    "signature flipped": other_signature(lambda raw: bytes([raw[0] ^ 1]) + raw[1:]),
    "signature of zeros": other_signature(lambda _: bytes(64)),
    "signature cut": other_signature(lambda raw: raw[:-1]),
    "signature with a greater S": other_signature(
        lambda raw: raw[:32] + (int.from_bytes(raw[32:], "little") + ORDER).to_bytes(32, "little")
    ),
    "spliced": spliced,
    "payload changed": as_text(lambda _, text: text.replace(text.split(".")[1], b64('{"seat": 0}'))),
    "another player's key under my kid": lambda scene: signed(scene.ben, scene.header, scene.fresh()),
    "the other seat's kid under my key": lambda scene: signed(
        scene.ann, scene.header | {"kid": scene.ben.kid}, scene.fresh()
    ),
    "a player's who has no seat": lambda scene: statement(scene.stranger, "ogham-move+jws", scene.payload),
    "nobody's": lambda scene: statement(Identity.generate(), "ogham-move+jws", scene.payload),
    "oversized": lambda scene: signed(scene.ann, scene.header, scene.fresh() | {"moves": [LARGEST * "a"]}),
    "oversized nonsense": lambda _: (LARGEST + 1) * "a",
}  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_every_forgery_gets_one_and_the_same_answer(scene: Scene, forge: Callable[[Scene], str]) -> None:
    answer = scene.send(forge(scene))
    problem(answer, 403, "signature_invalid")
    usual = scene.send("nonsense")
    assert (answer.data, dict(answer.headers)) == (usual.data, dict(usual.headers))


def test_the_same_answer_comes_for_a_match_that_is_not_there(scene: Scene) -> None:
    text = signed(scene.ann, scene.header, scene.fresh())
    answer = post(scene.stage.app, "/v1/matches/nowhere/moves", {"submission": text})
    assert answer.data == scene.send("nonsense").data


def test_what_the_forgeries_differ_from_is_taken(scene: Scene) -> None:
    assert scene.send(signed(scene.ann, scene.header, scene.fresh())).status_code == 202


@pytest.mark.parametrize(
    "typ",
    ["OGHAM-MOVE+JWS", "application/ogham-move+jws", "Application/Ogham-Move+JWS", "ogham-move+jws"],
)
def test_the_type_is_compared_as_rfc_7515_says(scene: Scene, typ: str) -> None:
    assert scene.send(signed(scene.ann, scene.header | {"typ": typ}, scene.fresh())).status_code == 202


def test_a_type_in_letters_that_only_look_alike_is_another(scene: Scene) -> None:
    """Python's lower() makes a k of the Kelvin sign; RFC 7515 means ASCII."""
    said = {"action": "revoke", "kid": scene.ann.kid, "jti": secrets.token_urlsafe(16), "iat": int(time.time())}
    text = signed(scene.ann, scene.header | {"typ": "ogham-\u212aey+jws"}, said)
    token = Person("", "", scene.stage.watcher(scene.ann)).client._bearer()["Authorization"].removeprefix("Bearer ")
    path = f"/v1/players/me/keys/{scene.ann.kid}/revocation"
    problem(post(scene.stage.app, path, {"statement": text}, token), 403, "signature_invalid")


@pytest.mark.parametrize(
    "payload",
    ["", "[]", "null", "let", '{"a": 1', '{"seat": NaN}', '{"seat": 0, "seat": 0}', '{"jti": "\\ud800"}', "[" * 2000],
)
def test_a_payload_that_is_no_plain_json_is_told_only_to_who_signed_it(scene: Scene, payload: str) -> None:
    text = signed(scene.ann, scene.header, payload)
    if not payload:  # then it is no compact form of anything
        problem(scene.send(text), 403, "signature_invalid")
        return
    problem(scene.send(text), 422, "statement_invalid")
    forged = signed(scene.stranger, scene.header, payload)
    problem(scene.send(forged), 403, "signature_invalid")


@pytest.mark.parametrize(
    ("path", "member", "typ"),
    [
        ("/v1/tokens", "assertion", "ogham-token+jws"),
        ("/v1/matches/{}/seats", "statement", "ogham-join+jws"),
        ("/v1/matches/{}/resignation", "statement", "ogham-resign+jws"),
        ("/v1/matches/{}/moves", "submission", "ogham-move+jws"),
    ],
)
def test_every_door_asks_for_its_own_type_and_a_known_key(scene: Scene, path: str, member: str, typ: str) -> None:
    types = ["register", "token", "key", "join", "move", "resign"]
    others = [f"ogham-{name}+jws" for name in types if f"ogham-{name}+jws" != typ]
    texts = [statement(scene.ann, other, scene.payload) for other in others]
    texts += [statement(Identity.generate(), typ, scene.payload), "nonsense", ""]
    answers = [post(scene.stage.app, path.format(scene.match), {member: text}) for text in texts]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.data for answer in answers}) == 1
    problem(answers[0], 403, "signature_invalid")


# -- keys that anybody could sign with

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def multiply(point: Point, times: int) -> Point:
    result: Point = (0, 1)
    while times:
        if times & 1:
            result = add(result, point)
        point, times = add(point, point), times >> 1
    return result


def points() -> Iterator[Point]:
    """Points of the curve, y = 2, 3, 4..."""
    for y in range(2, 200):
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        x = pow(square, (P + 3) // 8, P)
        if (x * x - square) % P:
            x = x * pow(2, (P - 1) // 4, P) % P
        if (x * x - square) % P == 0:
            yield x, y


def small_order_points() -> set[Point]:
    """All that eight times themselves is nothing: what is left of a point when its part in the main group is gone."""
    found = {multiply(point, ORDER) for point in points()}
    assert all(multiply(point, 8) == (0, 1) for point in found)
    assert len(found) == 8
    return found


def spellings() -> list[bytes]:
    """Every 32 bytes that some reader takes for such a point: y or y + p, with either sign bit."""
    ys = {y + more for _, y in small_order_points() for more in (0, P) if y + more < 2**255}
    return [(y | sign << 255).to_bytes(32, "little") for y in sorted(ys) for sign in (0, 1)]


def test_no_point_of_small_order_can_be_registered_however_it_is_spelled(shared_stage: Stage) -> None:
    before = shared_stage.fingerprint()
    found = spellings()
    assert len(found) == 14
    for raw in found:
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": b64(raw)}
        body = {"name": "Eve", "address": "eve@example.org", "key": jwk, "proof": "any"}
        refused = problem(post(shared_stage.app, "/v1/registrations", body), 422, "key_invalid")
        assert "small order" in refused["detail"]
    assert shared_stage.fingerprint() == before


def test_with_such_a_key_one_signature_would_fit_many_messages() -> None:
    """Why they are refused: the library that checks signatures takes them."""
    key = Ed25519PublicKey.from_public_bytes((1).to_bytes(32, "little"))
    key.verify((1).to_bytes(32, "little") + bytes(32), b"one thing")
    key.verify((1).to_bytes(32, "little") + bytes(32), b"and another")


@pytest.mark.parametrize(
    "jwk",
    [
        JWK | {"d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"},
        JWK | {"kid": "mine"},
        JWK | {"alg": "Ed25519"},
        JWK | {"x": 43 * "A"},
        JWK | {"x": JWK["x"] + "="},
        JWK | {"x": JWK["x"][:-1] + "p"},
        JWK | {"x": JWK["x"][:-1]},
        JWK | {"x": ""},
        JWK | {"x": None},
        JWK | {"crv": "X25519"},
        JWK | {"crv": "Ed448"},
        {"kty": "EC", "crv": "P-256", "x": JWK["x"], "y": JWK["x"]},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": "OKP", "crv": "Ed25519"},
        [],
        "key",
    ],
    ids=str,
)
def test_what_is_no_public_ed25519_key_cannot_be_registered(shared_stage: Stage, jwk: Any) -> None:
    with pytest.raises(Malformed, match="key_invalid"):
        import_key(jwk)
    body = {"name": "Eve", "address": "eve@example.org", "key": jwk, "proof": "any"}
    answer = post(shared_stage.app, "/v1/registrations", body)
    assert answer.status_code == 422
    assert answer.get_json(force=True)["code"] in ("schema_invalid", "key_invalid")
