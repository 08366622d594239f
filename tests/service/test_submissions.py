"""The same submission again and again, one after the other and all at once; and many for one place in the log."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from typing import Any

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from client.chain import check_log
from client.keys import Identity
from service.app import create_app
from service.store.db import db
from service.store.tables import Submission
from tests.games import TEST_GAMES
from tests.raw import post, problem, signed, statement, unb64
from tests.stage import Person, Stage
from worker.schedule import sweep

pytestmark = pytest.mark.both_databases

Sample = Callable[[int, int], int]


@pytest.fixture
def people(stage: Stage) -> list[Person]:
    return [stage.person("Ann"), stage.person("Ben")]


@pytest.fixture
def match_id(stage: Stage, people: list[Person]) -> str:
    return stage.table(people, first_player=0)


def identity_of(person: Person) -> Identity:
    assert person.client.identity
    return person.client.identity


def move(person: Person, match_id: str, *lines: str, **said: Any) -> str:
    now = person.client.match(match_id)
    payload = {"match": match_id, "seat": now["seat"], "seq": now["seq"], "head": now["head"], "moves": list(lines)}
    return statement(identity_of(person), "ogham-move+jws", payload | said)


def send(stage: Stage, match_id: str, submission: str, wait: int = 0) -> TestResponse:
    headers = {"Prefer": f"wait={wait}"} if wait else {}
    return post(stage.app, f"/v1/matches/{match_id}/moves", {"submission": submission}, **headers)


def settled(stage: Stage, match_id: str, submission: str) -> TestResponse:
    """The verdict. Who doesn't get a place to wait in asks again, as a client does."""
    while (answer := send(stage, match_id, submission, wait=10)).status_code == 202:
        pass
    return answer


def count_submissions(stage: Stage) -> int:
    with stage.app.app_context():
        return db.session.scalar(select(func.count()).select_from(Submission)) or 0


@contextmanager
def working(stage: Stage, workers: int) -> Iterator[None]:
    """So many sweeps at once, until the block is left."""
    stop, failures = threading.Event(), []

    def work() -> None:
        while not stop.wait(0.002):
            try:
                with stage.app.app_context():
                    sweep(timedelta(0))
            except Exception as error:  # noqa: BLE001  (the test fails with it, below)
                failures.append(error)
                return

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures


# -- the same again


@pytest.mark.parametrize("line", ["reveal, leave", "stop", "castle"])
def test_sent_up_to_five_times_before_and_after_it_is_settled_it_is_one(
    stage: Stage, people: list[Person], match_id: str, line: str
) -> None:
    submission = move(people[0], match_id, line)
    early = [send(stage, match_id, submission) for _ in range(5)]
    assert {(answer.status_code, answer.data) for answer in early} == {(202, early[0].data)}
    stage.work()
    before = stage.fingerprint()
    late = [send(stage, match_id, submission, wait=1) for _ in range(5)]
    assert {(answer.status_code, answer.data) for answer in late} == {(late[0].status_code, late[0].data)}
    plain = [send(stage, match_id, submission) for _ in range(2)]
    assert {(answer.status_code, answer.get_json()["id"]) for answer in plain} == {(202, early[0].get_json()["id"])}
    assert plain[0].get_json()["verdict"] == people[0].client.submission(early[0].get_json()["id"])["verdict"]
    stage.work()
    assert stage.fingerprint() == before
    assert count_submissions(stage) == 1


def test_sent_by_many_at_once_it_is_one(stage: Stage, people: list[Person], match_id: str, sample: Sample) -> None:
    with working(stage, 2), ThreadPoolExecutor(5) as pool:
        for turn in range(sample(4, 50)):  # of the 55 that the match lasts
            length = people[0].client.match(match_id)["seq"]
            submission = move(people[turn % 2], match_id, "reveal, leave")
            answers = list(pool.map(lambda _, text=submission: settled(stage, match_id, text), range(5)))
            assert [answer.status_code for answer in answers] == 5 * [200], [answer.text for answer in answers]
            assert len({answer.data for answer in answers}) == 1
            assert people[0].client.match(match_id)["seq"] == length + 1
    check_log(list(people[0].client.log(match_id)))


def test_after_a_restart_it_is_still_the_same(stage: Stage, people: list[Person], match_id: str) -> None:
    for line in ("stop", "reveal, leave"):
        submission = move(people[0], match_id, line)
        waiting = send(stage, match_id, submission)
        restarted = Stage(create_app(stage.settings, games=TEST_GAMES, clock=lambda: stage.moment[0]), stage.settings)
        assert send(restarted, match_id, submission).data == waiting.data
        restarted.work()
        settled = send(restarted, match_id, submission, wait=1)
        assert send(stage, match_id, submission, wait=1).data == settled.data
        with restarted.app.app_context():
            db.engine.dispose()
    assert count_submissions(stage) == 2


def test_the_same_payload_signed_again_is_the_same_submission(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    submission = move(people[0], match_id, "reveal")
    payload = submission.split(".")[1]
    header = {"typ": "application/ogham-move+jws", "alg": "Ed25519", "kid": identity_of(people[0]).kid}
    said = json.loads(unb64(payload))
    other = signed(identity_of(people[0]), header, json.dumps(said))
    assert other != submission
    assert other.split(".")[1] == payload
    first, again = send(stage, match_id, submission), send(stage, match_id, other)
    assert (again.status_code, again.data) == (202, first.data)


def test_a_jti_used_for_something_else_is_refused_whatever_became_of_the_first(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    jti = "a-jti-of-mine"
    first = move(people[0], match_id, "stop", jti=jti)
    assert send(stage, match_id, first).status_code == 202
    for _ in range(2):
        before = stage.fingerprint()
        problem(send(stage, match_id, move(people[0], match_id, "reveal", jti=jti)), 409, "jti_used")
        problem(send(stage, match_id, move(people[0], match_id, "reveal", jti=jti), wait=1), 409, "jti_used")
        assert stage.fingerprint() == before
        stage.work()
    assert send(stage, match_id, move(people[1], match_id, "reveal", jti=jti)).status_code == 202
    assert count_submissions(stage) == 2


def test_a_jti_used_in_one_match_is_used_in_all(stage: Stage, people: list[Person], match_id: str) -> None:
    other = stage.table(people, first_player=0)
    assert send(stage, match_id, move(people[0], match_id, "reveal", jti="a-jti-of-mine")).status_code == 202
    problem(send(stage, other, move(people[0], other, "reveal", jti="a-jti-of-mine")), 409, "jti_used")


def test_one_jti_for_two_things_sent_at_once_counts_for_one(
    stage: Stage, people: list[Person], match_id: str, sample: Sample
) -> None:
    for number in range(sample(3, 50)):
        two = [move(people[0], match_id, line, jti=f"jti-number-{number}") for line in ("stop", "castle")]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda text: send(stage, match_id, text), two + two))
        assert sorted(answer.status_code for answer in answers) == [202, 202, 409, 409]
        assert len({answer.get_json()["id"] for answer in answers if answer.status_code == 202}) == 1


# -- many for one place


def test_of_many_for_one_place_one_is_played_and_the_others_are_stale(
    stage: Stage, people: list[Person], match_id: str, sample: Sample
) -> None:
    clients = 6
    with working(stage, 3), ThreadPoolExecutor(clients) as pool:
        for turn in range(sample(4, 50)):
            person = people[turn % 2]
            now = person.client.match(match_id)
            texts = [move(person, match_id, "reveal, leave") for _ in range(clients)]
            answers = list(pool.map(lambda text: settled(stage, match_id, text), texts))
            assert sorted(answer.status_code for answer in answers) == [200, *(clients - 1) * [409]]
            after = person.client.match(match_id)
            for answer in answers:
                if answer.status_code == 200:
                    verdict = answer.get_json()["verdict"]
                    assert [played["seq"] for played in verdict["played"]] == [now["seq"]]
                    assert (verdict["seq"], verdict["head"]) == (after["seq"], after["head"])
                else:
                    stale = problem(answer, 409, "stale")
                    assert (stale["seq"], stale["head"]) == (after["seq"], after["head"])
    entries = list(people[0].client.log(match_id))
    check_log(entries)
    assert [entry["seq"] for entry in entries] == list(range(len(entries)))


def test_many_matches_at_once_lose_and_double_nothing(stage: Stage, people: list[Person], sample: Sample) -> None:
    matches = [stage.table(people, "hands", first_player=0) for _ in range(3)]

    def play(match_id: str, turns: int) -> int:
        played = 0
        for _ in range(turns):
            now = people[0].client.match(match_id)
            if now["to_act"] is None:
                break
            person = people[now["to_act"]]
            offer = person.client.legal(match_id)["moves"][0]
            line = offer["text"].format(
                **{choice["name"]: " ".join(choice["among"][: choice["count"]]) for choice in offer["choices"]}
            )
            answer = send(stage, match_id, move(person, match_id, line), wait=10)
            assert answer.status_code == 200, answer.text
            played += 1
        return played

    with working(stage, 3), ThreadPoolExecutor(3) as pool:
        played = list(pool.map(play, matches, 3 * [sample(4, 40)]))
    for match_id, moves in zip(matches, played, strict=True):
        entries = list(people[0].client.log(match_id))
        check_log(entries)
        assert sum(json.loads(entry["public"])["kind"] == "moved" for entry in entries) == moves


def test_many_take_seats_at_once_and_each_seat_has_one(stage: Stage) -> None:
    crowd = [stage.person(name) for name in ("Ann", "Ben", "Cid", "Dot", "Eve")]
    match = crowd[0].client.open("keltis", 3)

    def join(person: Person) -> TestResponse:
        identity, seat = identity_of(person), crowd.index(person) % 3
        said = {"match": match["id"], "opened": match["opened"], "seat": seat, "keys": [identity.public]}
        body = {"statement": statement(identity, "ogham-join+jws", said | {"nonce": 32 * "n"})}
        return post(stage.app, f"/v1/matches/{match['id']}/seats", body)

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(join, crowd))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 409, 409]
    now = crowd[0].client.match(match["id"])
    assert (now["status"], now["seq"]) == ("running", 5)
    check_log(list(crowd[0].client.log(match["id"])))


# -- waiting for the verdict


def test_who_prefers_to_wait_gets_the_verdict(stage: Stage, people: list[Person], match_id: str) -> None:
    with working(stage, 1):
        answer = send(stage, match_id, move(people[0], match_id, "reveal, leave", "reveal"), wait=10)
        assert (answer.status_code, answer.headers["Preference-Applied"]) == (200, "wait")
        verdict = answer.get_json()["verdict"]
        assert [played["move"] for played in verdict["played"]] == ["reveal, leave"]
        assert (verdict["problem"]["code"], verdict["problem"]["rule"]) == ("move_refused", "GE-2")
        problem(send(stage, match_id, move(people[0], match_id, "reveal"), wait=10), 422, "move_refused")


def test_who_waits_in_vain_gets_the_place_to_ask(stage: Stage, people: list[Person], match_id: str) -> None:
    answer = send(stage, match_id, move(people[0], match_id, "reveal"), wait=1)
    assert (answer.status_code, answer.get_json()["status"]) == (202, "waiting")
    assert answer.headers["Location"] == f"/v1/submissions/{answer.get_json()['id']}"
    assert "Preference-Applied" not in answer.headers


def test_no_more_than_half_of_the_threads_wait(stage: Stage, people: list[Person], match_id: str) -> None:
    most = stage.settings.threads // 2
    texts = [move(people[0], match_id, "reveal, leave") for _ in range(most + 2)]
    with ThreadPoolExecutor(len(texts)) as pool:
        sent: list[Future[TestResponse]] = [pool.submit(send, stage, match_id, text, 10) for text in texts]
        for future in islice(as_completed(sent), 2):  # they come back, though nobody works
            assert (future.result().status_code, future.result().get_json()["status"]) == (202, "waiting")
        stage.work()
    assert sorted(future.result().status_code for future in sent) == [200, 202, 202, *(most - 1) * [409]]


PREFERENCES = {
    "wait=5": 200,
    "respond-async, wait=5": 200,
    "wait=5, respond-async": 200,
    "return=minimal; wait=5": 200,
    "wait=0": 202,
    "wait": 202,
    "wait=soon": 202,
    "nowait=5": 202,
    "respond-async": 202,
}


def test_the_preference_is_read_as_rfc_7240_writes_it(stage: Stage, people: list[Person], match_id: str) -> None:
    submission = move(people[0], match_id, "reveal")
    send(stage, match_id, submission)
    stage.work()
    for prefer, status in PREFERENCES.items():
        answer = post(stage.app, f"/v1/matches/{match_id}/moves", {"submission": submission}, Prefer=prefer)
        assert answer.status_code == status, prefer
