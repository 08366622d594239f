"""kill -9 in the middle of a match: nothing that was acknowledged is lost, nothing is doubled, nothing is invented."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import create_engine, text

from client.api import Ogham
from client.chain import check_log
from client.errors import Problem, Unreachable
from tests.journeys.houses import Embedded, Grown, House, embedded_house, grown_house, is_ready, until
from tests.journeys.people import register
from tests.servers import Postgres, Redis

T = TypeVar("T")


def insist(ask: Callable[[], T], patience: float = 40) -> T:
    """Ask until somebody answers: the service may just have been killed."""
    end = time.monotonic() + patience
    while True:
        try:
            return ask()
        except (Unreachable, Problem) as error:
            if isinstance(error, Problem) and error.status != 503:
                raise
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


class Bout(threading.Thread):
    """Two people play a match to its end over the API, whatever happens to it. Each verdict they are given is noted."""

    def __init__(self, people: list[Ogham], match_id: str) -> None:
        super().__init__(daemon=True)
        self.people = people
        self.match_id = match_id
        self.moves = 0
        self.acknowledged: dict[int, str] = {}
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while (match := insist(lambda: self.people[0].match(self.match_id)))["status"] == "running":
                self.play(self.people[match["to_act"] or 0])
        except BaseException as error:  # noqa: BLE001  (told to the test by `finish`)
            self.failure = error

    def play(self, person: Ogham) -> None:
        legal = insist(lambda: person.legal(self.match_id))
        if not legal["moves"]:
            return
        line = legal["moves"][self.moves % len(legal["moves"])]["text"]
        said = {"match": self.match_id, "seat": legal["seat"], "seq": legal["seq"], "head": legal["head"]}
        assert person.identity is not None
        jws = person.identity.sign("ogham-move+jws", said | {"moves": [line]})
        submission = insist(lambda: person.send(self.match_id, jws, wait=10))
        verdict = submission["verdict"]
        if verdict is None:  # it took longer than we wait: ask on
            until(lambda: insist(lambda: person.submission(submission["id"]))["verdict"], "the verdict")
            verdict = insist(lambda: person.submission(submission["id"]))["verdict"]
        assert verdict is not None
        assert verdict["problem"] is None, verdict
        for played in verdict["played"]:
            self.acknowledged[played["seq"]] = played["move"]
        self.moves += 1

    def finish(self) -> None:
        self.join(120)
        assert not self.is_alive(), f"the match hangs after {self.moves} moves"
        if self.failure is not None:
            raise self.failure


def meet(house: House) -> list[Ogham]:
    return [register(house, "Ann"), register(house, "Ben")]


def start_bout(people: list[Ogham]) -> Bout:
    match_id = people[0].open("keltis", 2)["id"]
    for seat, person in enumerate(people):
        person.join(match_id, seat)
    bout = Bout(people, match_id)
    bout.start()
    return bout


def wait_for_moves(bout: Bout, more: int) -> None:
    goal = bout.moves + more
    until(lambda: bout.moves >= goal or not bout.is_alive(), f"{more} more moves", patience=40)


def check(bout: Bout, house: Embedded | Grown) -> None:
    entries = list(bout.people[0].log(bout.match_id))
    check_log(entries)
    publics = [json.loads(entry["public"]) for entry in entries]
    moved = {public["seq"]: public["move"] for public in publics if public["kind"] == "moved"}
    assert moved == bout.acknowledged, "lost, doubled or invented"
    openings = [opening["value"] for entry in entries[4:-1] for opening in entry["openings"]]
    evidence = Counter(value["jws"] for value in openings if isinstance(value, dict) and "jws" in value)
    assert set(evidence.values()) == {1}
    assert len(evidence) == len(moved)
    states = [bout.people[0].state(bout.match_id, at) for at in (4, len(entries) // 2, len(entries))]
    assert [state["seq"] for state in states] == [4, len(entries) // 2, len(entries)]
    until(lambda: not waiting(house.database_url), "all work to be done")


def waiting(database_url: str) -> list[Any]:
    engine = create_engine(database_url)
    with engine.connect() as connection:
        rows: list[Any] = []
        for table in ("submission", "mail", "notice"):
            rows += connection.execute(text(f"SELECT id FROM {table} WHERE status <> 'done'")).all()
    engine.dispose()
    return rows


@pytest.mark.timeout(240)
def test_worker_redis_and_api_are_killed_during_a_match(
    tmp_path: Path, postgres: Postgres, sample: Callable[[int, int], int]
) -> None:
    with Redis.own() as redis, grown_house(tmp_path, postgres, redis) as house:
        people = meet(house)
        for _ in range(sample(1, 10)):
            bout = start_bout(people)
            for victim in ("worker", "worker2", "api", "schedule", "mail"):
                wait_for_moves(bout, 2)
                house.programs[victim].kill()
                if victim != "api":
                    wait_for_moves(bout, 1)
                house.programs[victim].start()
                if victim == "api":
                    until(lambda: is_ready(house.url), "the API")
            wait_for_moves(bout, 2)
            redis.kill()
            wait_for_moves(bout, 2)  # without Redis, by the sweep alone
            redis.start()
            bout.finish()
            check(bout, house)
        sent = Counter(str(mail.letter["Message-ID"]) for mail in house.sink.mails)
        kills = 6 * sample(1, 10)
        assert sum(copies - 1 for copies in sent.values()) <= kills, "more than one extra copy per crash"


@pytest.mark.timeout(240)
def test_the_embedded_process_is_killed_during_a_match_and_goes_on_where_it_was(
    tmp_path: Path, sample: Callable[[int, int], int]
) -> None:
    with embedded_house(tmp_path) as house:
        bout = start_bout(meet(house))
        for _ in range(sample(2, 10)):
            wait_for_moves(bout, 3)
            house.program.kill()
            house.start()
        bout.finish()
        check(bout, house)
