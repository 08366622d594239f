"""What is refused over the API, with which status, code and rule; and that nothing is changed by it."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from client.keys import Identity
from engine.games.keltis.rules import fits
from service.matches import find_match
from service.store.db import db
from service.store.logbook import load_state
from tests.raw import b64, get, post, problem, statement
from tests.stage import Person, Stage


@dataclass
class Table:
    """Matches of Ann (seat 0) and Ben (seat 1): at the first turn, after a reveal, well under way; and an empty one."""

    stage: Stage
    ann: Person
    ben: Person
    fresh: str
    revealed: str = ""
    late: str = ""
    empty: str = ""

    def person(self, seat: int) -> Person:
        return (self.ann, self.ben)[seat]

    def token(self, person: Person) -> str:
        return person.client._bearer()["Authorization"].removeprefix("Bearer ")

    def move(self, match_id: str, seat: int, /, *lines: str, **said: Any) -> str:
        """A signed submission; `said` replaces what it would say."""
        now = self.person(seat).client.match(match_id)
        payload = {"match": match_id, "seat": seat, "seq": now["seq"], "head": now["head"], "moves": list(lines)}
        return statement(self.identity(seat), "ogham-move+jws", payload | said)

    def identity(self, seat: int) -> Identity:
        identity = self.person(seat).client.identity
        assert identity
        return identity

    def submit(self, match_id: str, submission: str) -> Any:
        """Sent, settled, and sent again: the answer of the second time, which waits for the verdict."""
        path = f"/v1/matches/{match_id}/moves"
        first = post(self.stage.app, path, {"submission": submission})
        if first.status_code != 202:
            return first
        self.stage.work()
        return post(self.stage.app, path, {"submission": submission}, Prefer="wait=1")

    def state(self, match_id: str) -> Any:
        with self.stage.app.app_context():
            return load_state(db.session(), find_match(match_id)).table


def play_until_a_tile_does_not_fit(stage: Stage, people: list[Person], match_id: str) -> None:
    """By laying all that fits, until an open tile doesn't fit whoever is to act."""
    while True:
        seat = people[0].client.match(match_id)["to_act"]
        assert seat is not None
        if misfits(stage, match_id, seat):
            return
        stage.play(people[seat], match_id, "reveal, lay else leave")


def misfits(stage: Stage, match_id: str, seat: int) -> list[str]:
    with stage.app.app_context():
        table = load_state(db.session(), find_match(match_id)).table
    return [tile for tile in table.open if not fits(table.rows[seat], tile)]


@pytest.fixture(scope="module")
def built(shared_stage: Stage) -> Table:
    ann, ben = people = [shared_stage.person("Ann"), shared_stage.person("Ben")]
    fresh, revealed, late = (shared_stage.table(people, first_player=0) for _ in range(3))
    shared_stage.play(ann, revealed, "reveal, leave")
    shared_stage.play(ben, revealed, "reveal")
    play_until_a_tile_does_not_fit(shared_stage, people, late)
    return Table(shared_stage, ann, ben, fresh, revealed, late, ann.client.open("keltis", 2)["id"])


@pytest.fixture
def table(built: Table) -> Iterator[Table]:
    """The same for all tests, since none of them may change it."""
    before = built.stage.fingerprint()
    yield built
    built.stage.work()
    assert built.stage.fingerprint() == before


# -- by the rules


def refused_move(table: Table, match_id: str, seat: int, line: str, rule: str, reason: str) -> None:
    now = table.ann.client.match(match_id)
    refused = problem(table.submit(match_id, table.move(match_id, seat, line)), 422, "move_refused")
    assert (refused["rule"], refused["reason"], refused["line"]) == (rule, reason, line)
    assert (refused["seq"], refused["head"]) == (now["seq"], now["head"])
    assert refused["detail"]


def test_a_move_out_of_turn_is_refused(table: Table) -> None:
    refused_move(table, table.fresh, 1, "reveal", "GE-2", "not_your_turn")


def test_an_open_tile_that_does_not_fit_is_refused(table: Table) -> None:
    seat = table.ann.client.match(table.late)["to_act"]
    assert seat is not None
    tile = misfits(table.stage, table.late, seat)[0]
    row = table.state(table.late).rows[seat]
    assert not fits(row, tile)
    answer = problem(table.submit(table.late, table.move(table.late, seat, f"take {tile}")), 422, "move_refused")
    assert answer["rule"] == "KE-7"
    assert answer["reason"] in ("row_rises", "row_falls")


def test_taking_another_tile_after_a_reveal_is_refused(table: Table) -> None:
    [open_tile] = table.state(table.revealed).open
    refused_move(table, table.revealed, 1, f"take {open_tile}", "KE-5", "lay_or_leave")
    refused_move(table, table.revealed, 1, "reveal", "KE-5", "lay_or_leave")


def test_passing_a_normal_turn_is_refused(table: Table) -> None:
    refused_move(table, table.fresh, 0, "stop", "KE-4", "cannot_pass")


def test_a_line_that_is_no_move_is_refused(table: Table) -> None:
    refused = problem(table.submit(table.fresh, table.move(table.fresh, 0, "castle")), 422, "move_unreadable")
    assert refused["line"] == "castle"
    assert "rule" not in refused


def test_a_line_that_may_mean_several_moves_is_refused_and_says_which(table: Table) -> None:
    refused = problem(table.submit(table.fresh, table.move(table.fresh, 0, "le")), 422, "move_ambiguous")
    assert refused["choices"] == ["lay", "leave"]


def test_what_follows_a_refused_line_is_dropped(table: Table) -> None:
    submission = table.move(table.fresh, 0, "stop", "reveal")
    assert problem(table.submit(table.fresh, submission), 422, "move_refused")["line"] == "stop"
    sent = post(table.stage.app, f"/v1/matches/{table.fresh}/moves", {"submission": submission}).get_json()
    verdict = table.ann.client.submission(sent["id"])["verdict"]
    assert verdict is not None
    assert (verdict["played"], verdict["dropped"]) == ([], ["reveal"])


# -- by what the submission answers


@pytest.mark.parametrize("behind", [1, 2, 3])
def test_a_move_that_answers_an_old_position_is_stale_and_told_where_the_log_stands(table: Table, behind: int) -> None:
    now = table.ann.client.match(table.late)
    then = table.ann.client.state(table.late, now["seq"] - behind)
    seat = now["to_act"]
    assert seat is not None
    submission = table.move(table.late, seat, "reveal", seq=then["seq"], head=then["head"])
    stale = problem(table.submit(table.late, submission), 409, "stale")
    assert (stale["seq"], stale["head"]) == (now["seq"], now["head"])


def test_a_move_on_another_history_is_refused(table: Table) -> None:
    now = table.ann.client.match(table.fresh)
    other = table.ann.client.match(table.revealed)["head"]
    refused = problem(table.submit(table.fresh, table.move(table.fresh, 0, "reveal", head=other)), 409, "head_wrong")
    assert (refused["seq"], refused["head"]) == (now["seq"], now["head"])


def test_a_move_beyond_the_log_is_refused(table: Table) -> None:
    now = table.ann.client.match(table.fresh)
    submission = table.move(table.fresh, 0, "reveal", seq=now["seq"] + 1)
    assert problem(table.submit(table.fresh, submission), 404, "seq_unknown")["seq"] == now["seq"]


def test_a_move_before_the_deal_is_refused(stage: Stage) -> None:
    ann = stage.person("Ann")
    match = ann.client.open("keltis", 2)
    match = ann.client.join(match["id"], 0)
    table = Table(stage, ann, ann, match["id"])
    before = stage.fingerprint()
    submission = table.move(match["id"], 0, "reveal", seq=match["seq"], head=match["head"])
    problem(table.submit(match["id"], submission), 409, "not_started")
    problem(get(stage.app, f"/v1/matches/{match['id']}/state"), 409, "not_started")
    problem(get(stage.app, f"/v1/matches/{match['id']}/board.svg"), 409, "not_started")
    assert stage.fingerprint() == before


def test_a_move_after_the_end_is_refused(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], "hands", turns=1)
    ben.client.resign(match_id)
    stage.work()
    before = stage.fingerprint()
    table = Table(stage, ann, ben, match_id)
    refused = problem(table.submit(match_id, table.move(match_id, 0, "let")), 422, "move_refused")
    assert (refused["rule"], refused["reason"]) == ("GE-2", "match_over")
    assert stage.fingerprint() == before


@pytest.mark.parametrize(
    "said",
    [
        {"seq": True},
        {"seq": -1},
        {"seq": 4.0},
        {"seq": "4"},
        {"seq": 2**31},
        {"seq": None},
        {"seat": False},
        {"seat": 0.0},
        {"seat": "0"},
        {"seat": None},
        {"head": ""},
        {"head": None},
        {"head": 43 * "!"},
        {"head": 43 * "ä"},
        {"head": 42 * "A" + "B"},
        {"head": 42 * "A" + "="},
        {"moves": []},
        {"moves": "reveal"},
        {"moves": [""]},
        {"moves": [501 * "a"]},
        {"moves": 21 * ["reveal"]},
        {"moves": [["reveal"]]},
        {"moves": {"0": "reveal"}},
        {"jti": "short"},
        {"jti": 65 * "a"},
        {"jti": "a b c d e f"},
        {"jti": 12345678},
        {"iat": "now"},
        {"iat": True},
        {"iat": -1},
        {"iat": 1.5},
        {"admin": True},
    ],
    ids=str,
)
def test_a_well_signed_statement_that_says_nonsense_is_refused(table: Table, said: dict[str, Any]) -> None:
    code = "other_seat" if "seat" in said else "statement_invalid"
    problem(table.submit(table.fresh, table.move(table.fresh, 0, "reveal", **said)), 422, code)


def test_a_statement_that_lacks_a_member_is_refused(table: Table) -> None:
    submission = statement(table.identity(0), "ogham-move+jws", {"match": table.fresh, "seat": 0})
    problem(table.submit(table.fresh, submission), 422, "statement_invalid")


def test_a_statement_from_the_future_is_refused_and_one_of_a_fast_clock_is_not(table: Table) -> None:
    now = int(table.stage.moment[0].timestamp())
    for ahead, status, code in ((660, 422, "statement_from_the_future"), (540, 409, "stale")):
        submission = table.move(table.fresh, 0, "reveal", iat=now + ahead, seq=1)
        problem(table.submit(table.fresh, submission), status, code)


# -- by who signed it


def test_another_matchs_signature_is_refused(table: Table) -> None:
    problem(table.submit(table.fresh, table.move(table.late, 0, "reveal")), 422, "other_match")


def test_another_seat_than_the_signers_is_refused(table: Table) -> None:
    now = table.ann.client.match(table.fresh)
    said = {"match": table.fresh, "seat": 0, "seq": now["seq"], "head": now["head"], "moves": ["reveal"]}
    refused = problem(
        table.submit(table.fresh, statement(table.identity(1), "ogham-move+jws", said)), 422, "other_seat"
    )
    assert refused["detail"] == "Your seat in this match is 1."


def test_only_who_sits_at_the_match_can_resign_from_it(table: Table) -> None:
    stranger = Identity.generate()
    path = f"/v1/matches/{table.fresh}/resignation"
    for body, status, code in (
        (statement(stranger, "ogham-resign+jws", {"match": table.fresh, "seat": 0}), 403, "signature_invalid"),
        (statement(table.identity(0), "ogham-move+jws", {"match": table.fresh, "seat": 0}), 403, "signature_invalid"),
        (statement(table.identity(0), "ogham-resign+jws", {"match": table.late, "seat": 0}), 422, "other_match"),
        (statement(table.identity(0), "ogham-resign+jws", {"match": table.fresh, "seat": 1}), 422, "other_seat"),
        (statement(table.identity(0), "ogham-resign+jws", {"match": table.fresh, "seat": False}), 422, "other_seat"),
    ):
        problem(post(table.stage.app, path, {"statement": body}), status, code)


# -- by the bearer token


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer ", "Basic YW5uOmFubg==", "Bearer \xff", "bearer"])
def test_a_token_that_is_none_of_ours_is_refused_even_where_none_is_needed(table: Table, header: str) -> None:
    for path in ("/v1/players/me", f"/v1/matches/{table.fresh}", f"/v1/matches/{table.fresh}/state"):
        answer = table.stage.app.test_client().get(path, headers={"Authorization": header})
        problem(answer, 401, "token_invalid")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_who_needs_a_token_and_has_none_is_told_so(table: Table) -> None:
    app = table.stage.app
    problem(get(app, "/v1/players/me"), 401, "token_missing")
    problem(get(app, "/v1/players/me/keys"), 401, "token_missing")
    problem(get(app, "/v1/matches?mine=true"), 401, "token_missing")
    problem(get(app, "/v1/submissions/whatever"), 401, "token_missing")
    problem(post(app, "/v1/matches", {"game": "keltis", "seats": 2}), 401, "token_missing")


def test_a_token_ends_after_a_day(stage: Stage) -> None:
    ann = stage.person("Ann")
    token = ann.client._bearer()["Authorization"].removeprefix("Bearer ")
    stage.later(hours=23)
    assert get(stage.app, "/v1/players/me", token).status_code == 200
    stage.later(hours=2)
    problem(get(stage.app, "/v1/players/me", token), 401, "token_invalid")


def test_another_players_submission_is_not_for_me(table: Table) -> None:
    submission = table.move(table.fresh, 0, "stop")
    sent = post(table.stage.app, f"/v1/matches/{table.fresh}/moves", {"submission": submission}).get_json()
    path = f"/v1/submissions/{sent['id']}"
    assert get(table.stage.app, path, table.token(table.ann)).status_code == 200
    problem(get(table.stage.app, path, table.token(table.ben)), 403, "not_yours")
    problem(get(table.stage.app, path), 401, "token_missing")


# -- what isn't there


def test_what_is_not_there_is_not_found(table: Table) -> None:
    app, token = table.stage.app, table.token(table.ann)
    for path in ("", "/state", "/legal", "/board.svg", "/log"):
        problem(get(app, f"/v1/matches/nowhere{path}"), 404, "match_unknown")
    problem(get(app, "/v1/games/chess"), 404, "game_unknown")
    problem(get(app, "/v1/submissions/nothing", token), 404, "submission_unknown")
    problem(post(app, "/v1/matches", {"game": "chess", "seats": 2}, token), 404, "game_unknown")
    problem(get(app, "/v1/nothing"), 404, "not_found")
    length = table.ann.client.match(table.fresh)["seq"]
    for at in (0, -1, length + 1, 10**30):
        problem(get(app, f"/v1/matches/{table.fresh}/state?at={at}"), 404, "seq_unknown")
    problem(get(app, f"/v1/matches/{table.fresh}/state?at=2"), 409, "not_started")


def test_a_method_that_a_resource_does_not_have_is_refused(table: Table) -> None:
    answer = table.stage.app.test_client().delete(f"/v1/matches/{table.fresh}")
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize("path", ["/v1/matches/%00", "/v1/matches/%ff", "/v1/matches/a%00b/state", "/v1/games/%00"])
def test_an_id_that_no_database_could_hold_is_not_found(table: Table, path: str) -> None:
    assert get(table.stage.app, path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/v1/matches?after=%00",
        "/v1/matches?status=finished",
        "/v1/matches?mine=perhaps",
        "/v1/matches/{}/log?after=2147483648",
        "/v1/matches/{}/log?after=-1",
        "/v1/matches/{}/state?at=now",
        "/v1/matches/{}/state?language=xx",
        "/v1/matches/{}/board.svg?theme=blue",
    ],
)
def test_a_query_that_means_nothing_is_refused(table: Table, path: str) -> None:
    problem(get(table.stage.app, path.format(table.fresh)), 422, "schema_invalid")


# -- opening and joining


@pytest.mark.parametrize(
    ("body", "code", "option"),
    [
        ({"seats": 1}, "option_invalid", "seats"),
        ({"seats": 5}, "option_invalid", "seats"),
        ({"seats": 0}, "schema_invalid", None),
        ({"seats": True}, "schema_invalid", None),
        ({"seats": 2.5}, "schema_invalid", None),
        ({"seats": "2"}, "schema_invalid", None),
        ({"options": {"first_player": 2}}, "option_invalid", "first_player"),
        ({"options": {"first_player": True}}, "option_invalid", "first_player"),
        ({"options": {"first_player": 1.0}}, "option_invalid", "first_player"),
        ({"options": {"first_player": ["random"]}}, "option_invalid", "first_player"),
        ({"options": {"last_clover": None}}, "option_invalid", "last_clover"),
        ({"options": {"speed": "fast"}}, "option_invalid", "speed"),
        ({"options": []}, "schema_invalid", None),
        ({"invite": ["nobody"]}, "schema_invalid", None),
        ({"invite": ["a@example.org", "b@example.org", "c@example.org"]}, "too_many_invited", None),
        ({"invite": ["play@ogham.test"]}, "address_invalid", None),
        ({"status": "over"}, "schema_invalid", None),
        ({"game": None}, "schema_invalid", None),
    ],
    ids=str,
)
def test_a_match_that_cannot_be_is_not_opened(table: Table, body: dict[str, Any], code: str, option: str) -> None:
    token = table.token(table.ann)
    answer = post(table.stage.app, "/v1/matches", {"game": "keltis", "seats": 2} | body, token)
    assert problem(answer, 422, code).get("option") == option


def joining(person: Person, match: Any, /, **said: Any) -> dict[str, str]:
    identity = person.client.identity
    assert identity
    payload = {"match": match["id"], "opened": match["opened"], "seat": 0, "keys": [identity.public]}
    return {"statement": statement(identity, "ogham-join+jws", payload | {"nonce": secrets.token_urlsafe(32)} | said)}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"match": "another"}, "other_match"),
        ({"opened": b64(32 * b"x")}, "other_match"),
        ({"opened": None}, "other_match"),
        ({"seat": 2}, "statement_invalid"),
        ({"seat": -1}, "statement_invalid"),
        ({"seat": False}, "statement_invalid"),
        ({"seat": 0.0}, "statement_invalid"),
        ({"nonce": "short"}, "statement_invalid"),
        ({"nonce": 201 * "n"}, "statement_invalid"),
        ({"nonce": 10**17}, "statement_invalid"),
        ({"keys": []}, "statement_invalid"),
        ({"keys": "mine"}, "statement_invalid"),
        (
            {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]},
            "statement_invalid",
        ),
        ({"keys": [{"kty": "OKP"}]}, "key_invalid"),
        ({"keys": [None]}, "key_invalid"),
        ({"cheat": True}, "statement_invalid"),
    ],
    ids=str,
)
def test_a_seat_is_not_taken_by_a_statement_that_says_nonsense(table: Table, said: dict[str, Any], code: str) -> None:
    body = joining(table.ann, table.ann.client.match(table.empty), **said)
    problem(post(table.stage.app, f"/v1/matches/{table.empty}/seats", body), 422, code)


def test_a_seat_is_for_one_player_and_a_player_for_one_seat(stage: Stage) -> None:
    ann, ben, cid = (stage.person(name) for name in ("Ann", "Ben", "Cid"))
    match = ann.client.open("keltis", 2)
    path = f"/v1/matches/{match['id']}/seats"
    mine = joining(ann, match)
    assert post(stage.app, path, mine).status_code == 201
    before = stage.fingerprint()
    problem(post(stage.app, path, joining(ben, match)), 409, "seat_taken")
    problem(post(stage.app, path, joining(ann, match, seat=1)), 409, "already_seated")
    again = post(stage.app, path, mine)
    assert (again.status_code, again.get_json()["seat"]) == (201, 0)
    assert stage.fingerprint() == before
    assert post(stage.app, path, joining(ben, match, seat=1)).status_code == 201
    before = stage.fingerprint()
    for seat in (0, 1):
        problem(post(stage.app, path, joining(cid, match, seat=seat)), 409, "table_full")
    assert post(stage.app, path, mine).get_json()["status"] == "running"
    assert stage.fingerprint() == before


def test_a_stranger_cannot_take_a_seat(table: Table) -> None:
    match = table.ann.client.match(table.fresh)
    stranger = Identity.generate()
    said = {"match": match["id"], "opened": match["opened"], "seat": 0, "keys": [stranger.public], "nonce": 32 * "n"}
    body = {"statement": statement(stranger, "ogham-join+jws", said)}
    problem(post(table.stage.app, f"/v1/matches/{match['id']}/seats", body), 403, "signature_invalid")


def test_who_joins_a_match_that_is_not_there_is_told_so(table: Table) -> None:
    nowhere = {"id": "nowhere", "opened": b64(bytes(32))}
    problem(post(table.stage.app, "/v1/matches/nowhere/seats", joining(table.ann, nowhere)), 404, "match_unknown")


# -- resigning


def test_who_resigns_twice_is_answered_twice_and_left_once(stage: Stage) -> None:
    for seats in (3, 2):  # with two players, the first resignation ends the match
        people = [stage.person(f"{name}{seats}") for name in ("Ann", "Ben", "Cid")[:seats]]
        match_id = stage.table(people)
        identity = people[0].client.identity
        assert identity
        body = {"statement": statement(identity, "ogham-resign+jws", {"match": match_id, "seat": 0})}
        path = f"/v1/matches/{match_id}/resignation"
        first = post(stage.app, path, body)
        assert first.status_code == 200
        before = stage.fingerprint()
        again = post(stage.app, path, body)
        assert (again.status_code, again.get_json()) == (200, first.get_json())
        assert stage.fingerprint() == before


def test_nobody_resigns_from_a_match_that_has_not_begun(stage: Stage) -> None:
    ann = stage.person("Ann")
    match = ann.client.open("keltis", 2)
    ann.client.join(match["id"], 0)
    before = stage.fingerprint()
    identity = ann.client.identity
    assert identity
    body = {"statement": statement(identity, "ogham-resign+jws", {"match": match["id"], "seat": 0})}
    problem(post(stage.app, f"/v1/matches/{match['id']}/resignation", body), 409, "not_running")
    assert stage.fingerprint() == before
