"""The client against a running Ogham: nothing between them but HTTP."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from client.answers import Entry, Submission, Verdict
from client.api import Ogham
from client.chain import check_log
from client.errors import Garbled, NotSeated, Problem, Unreachable
from client.keys import Identity
from engine.errors import BrokenLog
from engine.log import BEFORE_FIRST, chained, encode
from tests.client.conftest import Newcomer
from tests.journeys.houses import Embedded, until
from tests.servers import free_port

pytestmark = pytest.mark.xdist_group("client")

Pair = tuple[Ogham, Ogham, str]
Fault = Exception | httpx.Response


def verdict_of(submission: Submission) -> Verdict:
    assert submission["verdict"] is not None
    return submission["verdict"]


class BadLine(httpx.BaseTransport):
    """A network that fails: `fault` sees each request, and says what comes back in place of the answer, if anything."""

    def __init__(self, fault: Callable[[httpx.Request], Fault | None], deliver: bool) -> None:
        self._fault = fault
        self._deliver = deliver
        self._line = httpx.HTTPTransport()
        self.sent: list[bytes] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fault = self._fault(request)
        if request.url.path.endswith("/moves"):
            self.sent.append(request.read())
        if fault is None:
            return self._line.handle_request(request)
        if self._deliver:
            answer = self._line.handle_request(request)
            answer.read()
        if isinstance(fault, Exception):
            raise fault
        return fault

    def close(self) -> None:
        self._line.close()


def first(
    times: int, fault: Exception | httpx.Response
) -> Callable[[httpx.Request], Exception | httpx.Response | None]:
    """For the first so many moves that are sent."""
    left = [times]

    def decide(request: httpx.Request) -> Fault | None:
        if not request.url.path.endswith("/moves") or not left[0]:
            return None
        left[0] -= 1
        return fault

    return decide


# -- who plays


def test_a_player_has_a_name_an_address_and_a_key(newcomer: Newcomer):
    ann = newcomer("Ann", language="de")
    me = ann.me()
    assert (me["name"], me["language"]) == ("Ann", "de")
    (key,) = ann.keys()
    assert key["kid"] == ann.identity.kid
    assert key["revoked_at"] is None


def test_a_key_that_nobody_registered_gets_no_token(house: Embedded):
    with Ogham(house.url, Identity.generate()) as stranger, pytest.raises(Problem) as refusal:
        stranger.me()
    assert (refusal.value.code, refusal.value.status) == ("signature_invalid", 403)


def test_a_wrong_code_confirms_nothing(house: Embedded):
    with Ogham(house.url, Identity.generate()) as client:
        registration = client.register("Eve", "eve@example.org")
        with pytest.raises(Problem) as refusal:
            client.confirm(registration["id"], "a" * 32)
        assert refusal.value.code == "registration_unknown"


def test_a_token_that_has_expired_is_renewed_once(pair: Pair):
    ann, _, match_id = pair
    assert ann.match(match_id)["seat"] == 0
    ann._token = "expired"
    assert ann.match(match_id)["seat"] == 0
    assert ann._token != "expired"


def test_a_service_that_is_called_by_another_name_says_its_own(newcomer: Newcomer, house: Embedded):
    elsewhere = house.url.replace("127.0.0.1", "localhost")
    with Ogham(elsewhere, newcomer("Ann").identity) as client, pytest.raises(Problem, match=house.url) as refusal:
        client.me()
    assert refusal.value.code == "audience_wrong"


def test_a_second_key_plays_and_a_revoked_one_doesnt(newcomer: Newcomer, pair: Pair, house: Embedded):
    ann, ben, match_id = pair
    second = Identity.generate()
    assert ann.add_key(second)["kid"] == second.kid
    with Ogham(house.url, second) as ann_elsewhere:
        assert verdict_of(ann_elsewhere.submit(match_id, ["reveal"]))["problem"] is None
        assert ann_elsewhere.revoke_key(ann.identity.kid)["revoked_at"] is not None
        old, new = ann_elsewhere.keys()
        assert (old["revoked_at"] is None, new["revoked_at"] is None) == (False, True)
        with pytest.raises(Problem) as refusal:
            ann.submit(match_id, ["leave"])
        assert refusal.value.code == "key_revoked"
        assert verdict_of(ann_elsewhere.submit(match_id, ["leave"]))["problem"] is None
    kinds = [json.loads(entry["public"])["kind"] for entry in ben.log(match_id)]
    assert [kind for kind in kinds if kind.startswith("key")] == ["key_added", "key_revoked"]


def test_a_key_that_is_somebody_elses_cant_be_added_or_revoked(newcomer: Newcomer):
    ann, ben = newcomer("Ann"), newcomer("Ben")
    with pytest.raises(Problem) as refusal:
        ann.add_key(ben.identity)
    assert refusal.value.code == "key_known"
    with pytest.raises(Problem) as refusal:
        ann.revoke_key(ben.identity.kid)
    assert refusal.value.code == "key_unknown"


# -- matches


def test_games_are_listed_for_everybody(house: Embedded):
    with Ogham(house.url) as watcher:
        (game,) = [game for game in watcher.games() if game["id"] == "keltis"]
    assert game["seats"] == [2, 3, 4]
    assert {option["name"] for option in game["options"]} == {"first_player", "last_clover"}


def test_who_joins_without_naming_a_seat_gets_the_first_free_one(newcomer: Newcomer):
    people = [newcomer(name) for name in ("Ann", "Ben", "Cleo", "Dora")]
    match_id = people[0].open("keltis", 3)["id"]
    assert people[0].join(match_id, 1)["seat"] == 1
    with pytest.raises(Problem) as refusal:
        people[1].join(match_id, 1)
    assert refusal.value.code == "seat_taken"
    with pytest.raises(Problem) as refusal:
        people[0].join(match_id)
    assert refusal.value.code == "already_seated"
    assert people[1].join(match_id)["seat"] == 0
    assert people[1].match(match_id)["status"] == "open"
    assert people[2].join(match_id)["seat"] == 2
    assert people[2].match(match_id)["status"] == "running"
    with pytest.raises(Problem) as refusal:
        people[3].join(match_id)
    assert refusal.value.code == "table_full"


def test_lists_go_on_over_pages(newcomer: Newcomer, house: Embedded):
    ann = newcomer("Ann")
    mine = {ann.open("keltis", 2)["id"] for _ in range(102)}
    with Ogham(house.url) as watcher:
        assert mine <= {match["id"] for match in watcher.matches(status="open")}
    assert list(ann.matches(mine=True)) == []
    match_id = mine.pop()
    ann.join(match_id)
    assert [match["id"] for match in ann.matches(mine=True)] == [match_id]
    assert list(ann.matches(mine=True, status="over")) == []


def test_a_match_is_seen_from_ones_own_seat_and_in_ones_language(pair: Pair, house: Embedded):
    ann, ben, match_id = pair
    assert ann.state(match_id)["seat"] == 0
    assert ben.state(match_id)["seat"] == 1
    assert "It is your turn." in ann.state(match_id)["text"]
    assert "Du bist am Zug." in ann.state(match_id, language="de")["text"]
    assert {"text": "reveal", "choices": []} in ann.legal(match_id)["moves"]
    assert ben.legal(match_id)["moves"] == []
    with Ogham(house.url) as watcher:
        assert watcher.match(match_id)["seat"] is None
        assert watcher.legal(match_id)["moves"] == []
        assert watcher.board(match_id, theme="dark").lstrip().startswith("<svg")


def test_ids_of_any_kind_ask_for_nothing_but_a_match(house: Embedded):
    with Ogham(house.url) as watcher:
        for match_id in ("nosuchmatch", "../games", "x?y=1", "#", "%2e%2e", "ä ö"):
            with pytest.raises(Problem) as refusal:
                watcher.match(match_id)
            assert refusal.value.status == 404


# -- moves


def test_a_match_is_played_to_its_end_and_its_log_holds(pair: Pair):
    ann, ben, match_id = pair
    players = [ann, ben]
    while (match := ann.match(match_id))["to_act"] is not None:
        verdict = verdict_of(players[match["to_act"]].submit(match_id, ["reveal", "leave"]))
        assert [played["move"] for played in verdict["played"]] == ["reveal", "leave"]
    assert match["status"] == "over"
    outcome = ben.state(match_id)["outcome"]
    assert outcome is not None
    assert outcome["places"] == [1, 1]
    entries = list(ben.log(match_id))
    assert len(entries) == match["seq"] > 100  # more than a page
    checked = check_log(entries)
    assert (checked.entries, checked.head) == (match["seq"], match["head"])
    assert checked.opened == checked.seals  # nobody came by mail, so nothing in it is personal
    assert ann.state(match_id, at=4)["text"] != ann.state(match_id)["text"]
    assert all(ann.state(match_id, at=seq + 1)["head"] == entries[seq]["hash"] for seq in range(3, len(entries)))
    the_log_is_found_broken_where_it_is_changed(entries)


def the_log_is_found_broken_where_it_is_changed(entries: list) -> None:
    def changed(seq: int, **members: object) -> list:
        return [entry | members if entry["seq"] == seq else entry for entry in entries]

    public = entries[7]["public"]
    dealt = entries[3]["openings"]
    cases = {
        "a byte of an entry": (7, changed(7, public=public.replace("moved", "Moved"))),
        "a hash": (7, changed(7, hash=entries[6]["hash"])),
        "a hash that is none": (7, changed(7, hash="!")),
        "an entry left out": (7, entries[:7] + entries[8:]),
        "the first left out": (0, entries[1:]),
        "two entries swapped": (7, [*entries[:7], entries[8], entries[7], *entries[9:]]),
        "an entry twice": (8, [*entries[:8], entries[7], *entries[8:]]),
        "another value": (3, changed(3, openings=[dealt[0] | {"value": dealt[1]["value"]}, *dealt[1:]])),
        "another salt": (3, changed(3, openings=[dealt[0] | {"salt": dealt[1]["salt"]}, *dealt[1:]])),
        "another seal": (3, changed(3, openings=[dealt[0] | {"number": dealt[1]["number"]}, *dealt[1:]])),
        "a seal that isn't there": (3, changed(3, openings=[dealt[0] | {"number": 9999}, *dealt[1:]])),
        "no JSON": (7, changed(7, public=None)),
        "another match's entry": (1, rehashed(entries[0]["public"], public_of(entries[1], match="another"))),
        "another place's entry": (1, rehashed(entries[0]["public"], public_of(entries[1], seq=2))),
    }
    for what, (seq, broken) in cases.items():
        with pytest.raises(BrokenLog) as found:
            check_log(broken)
        assert found.value.seq == seq, what


def public_of(entry: Entry, **members: object) -> str:
    return json.dumps(json.loads(entry["public"]) | members)


def rehashed(*publics: str) -> list:
    """A log of these entries whose chain is whole."""
    entries, head = [], BEFORE_FIRST
    for seq, public in enumerate(publics):
        head = chained(head, public.encode())
        entries.append({"seq": seq, "hash": encode(head), "public": public, "openings": []})
    return entries


def test_a_refused_move_tells_its_code_rule_and_sentence(pair: Pair):
    ann, ben, match_id = pair
    before = ann.match(match_id)
    cases = [
        (ben, "reveal", "move_refused", "GE-2"),
        (ann, "stop", "move_refused", "KE-4"),
        (ann, "take blue 5", "move_refused", "KE-4"),
        (ann, "dance", "move_unreadable", None),
    ]
    for player, line, code, rule in cases:
        with pytest.raises(Problem) as refusal:
            player.submit(match_id, [line])
        problem = refusal.value
        assert (problem.code, problem.status, problem.body["line"]) == (code, 422, line)
        assert problem.rule == rule
        assert problem.detail in str(problem)
        assert problem.code in str(problem)
        assert problem.body["seq"] == before["seq"]
    assert ann.match(match_id) == before


def test_lines_are_played_up_to_the_first_that_cant_be(pair: Pair):
    ann, _, match_id = pair
    verdict = verdict_of(ann.submit(match_id, ["Reveal", "dance", "leave"]))
    assert [(played["line"], played["move"]) for played in verdict["played"]] == [("Reveal", "reveal")]
    assert verdict["problem"] is not None
    assert verdict["problem"]["code"] == "move_unreadable"
    assert verdict["dropped"] == ["leave"]
    assert ann.match(match_id)["seq"] == verdict["seq"]


def test_who_doesnt_wait_finds_the_verdict_later(pair: Pair):
    ann, _, match_id = pair
    submission = ann.submit(match_id, ["reveal"], wait=0)
    until(lambda: ann.submission(submission["id"])["status"] == "done", "the verdict")
    assert verdict_of(ann.submission(submission["id"]))["problem"] is None


def test_where_the_service_doesnt_wait_the_client_asks_again(pair: Pair, house: Embedded):
    ann, _, match_id = pair

    def forget(request: httpx.Request) -> None:
        request.headers.pop("Prefer", None)

    with Ogham(house.url, ann.identity, BadLine(forget, deliver=True)) as client:
        assert client.submit(match_id, ["reveal"], wait=30)["status"] == "done"
        with pytest.raises(Problem, match="KE-5"):
            client.submit(match_id, ["stop"], wait=30)


def test_only_who_sits_there_can_play_or_resign(newcomer: Newcomer, pair: Pair):
    stranger, (*_, match_id) = newcomer("Cleo"), pair
    with pytest.raises(NotSeated):
        stranger.submit(match_id, ["reveal"])
    with pytest.raises(NotSeated):
        stranger.resign(match_id)


def test_who_resigns_leaves_the_match_to_the_others(pair: Pair):
    ann, ben, match_id = pair
    assert ann.resign(match_id)["status"] == "over"
    outcome = ben.state(match_id)["outcome"]
    assert outcome is not None
    assert outcome["places"] == [2, 1]
    with pytest.raises(Problem) as refusal:
        ben.submit(match_id, ["reveal"])
    assert refusal.value.rule == "GE-2"


# -- a network that fails


def test_a_move_whose_answer_is_lost_is_sent_again_and_played_once(newcomer: Newcomer, pair: Pair):
    line = BadLine(first(3, httpx.ReadError("the line broke")), deliver=True)
    cleo, dora = newcomer("Cleo", transport=line), newcomer("Dora")
    match_id = cleo.open("keltis", 2, {"first_player": 0})["id"]
    cleo.join(match_id)
    dora.join(match_id)
    seq = cleo.match(match_id)["seq"]
    verdict = verdict_of(cleo.submit(match_id, ["reveal"]))
    assert len(line.sent) == 4
    assert len(set(line.sent)) == 1
    assert verdict["played"] == [{"line": "reveal", "move": "reveal", "seq": seq}]
    assert cleo.match(match_id)["seq"] == seq + 1


def test_a_move_is_sent_again_while_the_service_is_away(newcomer: Newcomer):
    for fault in (httpx.Response(503), httpx.Response(502), httpx.ConnectError("refused")):
        line = BadLine(first(2, fault), deliver=False)
        cleo, dora = newcomer("Cleo", transport=line), newcomer("Dora")
        match_id = cleo.open("keltis", 2, {"first_player": 0})["id"]
        cleo.join(match_id)
        dora.join(match_id)
        assert verdict_of(cleo.submit(match_id, ["reveal"]))["problem"] is None
        assert len(line.sent) == 3


def test_patience_ends(pair: Pair, house: Embedded):
    ann, _, match_id = pair
    line = BadLine(first(1000, httpx.ConnectError("refused")), deliver=False)
    with Ogham(house.url, ann.identity, line, patience=0.5) as impatient:
        started = time.monotonic()
        with pytest.raises(Unreachable, match="refused"):
            impatient.submit(match_id, ["reveal"])
        assert time.monotonic() - started < 5
    assert 2 <= len(line.sent) <= 5


def test_a_problem_is_final(pair: Pair, house: Embedded):
    ann, _, match_id = pair
    line = BadLine(lambda _: None, deliver=True)
    with Ogham(house.url, ann.identity, line) as watched, pytest.raises(Problem):
        watched.submit(match_id, ["dance"])
    assert len(line.sent) == 1


def test_nobody_at_the_address_is_said_at_once():
    started = time.monotonic()
    with Ogham(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(Unreachable, match="Nothing answers at"):
        client.games()
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("url", ["somewhere", "http://", "http://[", "ftp://127.0.0.1"])
def test_an_address_that_is_none_is_said_to_be_unreachable(url: str):
    with pytest.raises(Unreachable), Ogham(url) as client:
        client.games()


@contextmanager
def other_server(status: int, kind: str, body: bytes) -> Iterator[str]:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Other)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_what_answers_and_isnt_ogham_is_said_not_to_be():
    with other_server(200, "text/html", b"<h1>Hello</h1>") as url, Ogham(url) as client, pytest.raises(Garbled):
        client.games()
    with other_server(404, "text/html", b"<h1>No</h1>") as url, Ogham(url) as client:
        with pytest.raises(Problem, match="404") as refusal:
            client.games()
        assert refusal.value.code == "unknown"


def test_a_body_that_the_schema_refuses_is_told_member_by_member(newcomer: Newcomer):
    with pytest.raises(Problem, match="seats") as refusal:
        newcomer("Ann").open("keltis", 0)
    assert refusal.value.code == "schema_invalid"
