"""Bodies that nobody should send: refused before anything is read from them, on every route that takes one."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.app import LARGEST_BODY
from service.strict import DEEPEST, StrictError, strict_json
from tests.raw import post, problem
from tests.stage import Stage

NOT_JSON = {
    "nothing": b"",
    "words": b"hello",
    "cut off": b'{"game": "keltis"',
    "two values": b'{"game": "keltis"} {}',
    "single quotes": b"{'game': 'keltis'}",
    "a trailing comma": b'{"game": "keltis",}',
    "a comment": b'{"game": "keltis"} // two',
    "NaN": b'{"seats": NaN}',
    "Infinity": b'{"seats": Infinity}',
    "-Infinity": b'{"options": {"a": [-Infinity]}}',
    "1e400": b'{"seats": 1e400}',
    "-1e400": b'{"seats": -1e400}',
    "a huge number": b'{"seats": 1' + 400 * b"0" + b"}",
    "a number that Python won't convert": b'{"seats": 1' + 5000 * b"0" + b"}",
    "a number beyond what doubles hold": b'{"seats": 9007199254740992}',
    "a member twice": b'{"game": "keltis", "game": "hands"}',
    "a member twice, deep inside": b'{"options": {"a": [{"b": 1, "b": 2}]}}',
    "a member twice, spelled otherwise": b'{"game": "keltis", "g\\u0061me": "hands"}',
    "half a character": b'{"game": "\\ud800"}',
    "half a character in a name": b'{"\\udfff": 1}',
    "NUL": b'{"game": "kel\\u0000tis"}',
    "a raw NUL": b'{"game": "kel\x00tis"}',
    "a raw line end in a text": b'{"game": "kel\ntis"}',
    "no UTF-8": b'{"game": "\xff"}',
    "UTF-16": '{"game": "keltis"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"game": "keltis"}',
    "deep lists": b'{"options": ' + 30_000 * b"[" + 30_000 * b"]" + b"}",
    "deep objects": b'{"options": ' + 3_000 * b'{"a":' + b"1" + 3_000 * b"}" + b"}",
    "a little too deep": b'{"options": ' + (DEEPEST + 1) * b"[" + (DEEPEST + 1) * b"]" + b"}",
}
ROUTES = (
    "/v1/registrations",
    "/v1/registrations/any/confirmation",
    "/v1/tokens",
    "/v1/players/me/keys",
    "/v1/players/me/keys/any/revocation",
    "/v1/players/me/deletion",
    "/v1/players/me/vacations",
    "/v1/matches",
    "/v1/matches/any/seats",
    "/v1/matches/any/nonces",
    "/v1/matches/any/resignation",
    "/v1/matches/any/moves",
    "/v1/matches/any/orders",
    "/v1/matches/any/messages",
)
WITHOUT_BODY = (
    "/v1/players/me/calendar",
    "/v1/matches/any/pause",
    "/v1/matches/any/resumption",
    "/v1/matches/any/return",
)
RAW_BODY = ("/v1/mails",)  # a mail as it came; tests/service/test_mail_door.py


@pytest.fixture
def stage(shared_stage: Stage) -> Iterator[Stage]:
    """One for all of them, since none may change it."""
    before = shared_stage.fingerprint()
    yield shared_stage
    assert shared_stage.fingerprint() == before


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_a_body_that_is_no_plain_json_is_refused_everywhere(stage: Stage, body: bytes) -> None:
    for route in ROUTES:
        problem(post(stage.app, route, body), 400, "json_invalid")


@pytest.mark.parametrize("body", [b"null", b"[]", b"1", b'"text"', b"true", b"{}", b'{"unknown": 1}', b'{"": {}}'])
def test_a_body_of_another_shape_is_refused_everywhere(stage: Stage, body: bytes) -> None:
    for route in ROUTES:
        assert problem(post(stage.app, route, body), 422, "schema_invalid")["errors"]


def test_every_route_that_takes_a_body_is_among_them(stage: Stage) -> None:
    rules = stage.app.url_map.iter_rules()
    posts = {rule.rule for rule in rules if "POST" in (rule.methods or ()) and rule.rule.startswith("/v1/")}
    routes = ROUTES + WITHOUT_BODY + RAW_BODY
    assert len(posts) == len(routes)
    adapter = stage.app.url_map.bind("127.0.0.1")
    assert {adapter.match(route, "POST", return_rule=True)[0].rule for route in routes} == posts


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_of_another_media_type_is_refused_everywhere(stage: Stage, kind: str) -> None:
    for route in ROUTES:
        problem(post(stage.app, route, b'{"game": "keltis", "seats": 2}', Content_Type=kind), 415, "media_type_wrong")


def test_a_body_that_is_too_large_is_refused_everywhere(stage: Stage) -> None:
    for route in ROUTES:
        body = json.dumps({"statement": LARGEST_BODY * "a"}).encode()
        problem(post(stage.app, route, body), 413, "body_too_large")


def test_a_body_of_the_largest_size_is_read(stage: Stage) -> None:
    frame = len(b'{"assertion": ""}')
    body = b'{"assertion": "' + (LARGEST_BODY - frame) * b"a" + b'"}'
    assert len(body) == LARGEST_BODY
    problem(post(stage.app, "/v1/tokens", body), 403, "signature_invalid")
    problem(post(stage.app, "/v1/tokens", body + b" "), 413, "body_too_large")


@pytest.mark.parametrize("members", [{"id": "mine"}, {"confirmed": True}, {"player_id": "x"}, {"created_at": 0}])
def test_a_member_that_is_not_asked_for_is_refused(stage: Stage, members: dict[str, object]) -> None:
    body = {"name": "Ann", "address": "ann@example.org"} | members
    errors = problem(post(stage.app, "/v1/registrations", body), 422, "schema_invalid")["errors"]
    assert set(errors) == set(members)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-1e15, 1e15)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=10,
)


@given(plain)
def test_plain_json_is_read_as_python_reads_it(value: object) -> None:
    assert strict_json(json.dumps(value)) == value
    assert strict_json(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary() | st.text().map(str.encode))
def test_whatever_comes_is_read_or_refused_and_never_crashes(raw: bytes) -> None:
    try:
        value = strict_json(raw)
    except StrictError:
        return
    assert json.loads(raw) == value
