"""Work: claimed by one at a time, taken over when its lease ends, put back when it fails, found when unheard."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import select

from engine.game import Game
from service.mailroom.post import deliver_notice
from service.moves import settle_submission
from service.store.claims import RETRY_FIRST, RETRY_LAST, claim, finish, put_back, waiting_since
from service.store.db import db, writing
from service.store.tables import Notice, Submission
from tests.games import hands
from tests.mail.asked import count_letters
from tests.stage import Person, Stage
from worker.schedule import sweep

pytestmark = pytest.mark.both_databases

Sample = Callable[[int, int], int]


def make_notices(stage: Stage, count: int) -> list[str]:
    """So many welcome mails that wait to be sent, a second apart."""
    ids: list[str] = []
    for number in range(count):
        body = {"name": "Ann", "address": f"ann{number}@example.org"}
        answer = stage.app.test_client().post("/v1/registrations", json=body)
        assert answer.status_code == 202
        with stage.app.app_context():
            key = f"welcome:{answer.get_json()['id']}"
            ids.append(db.session.scalars(select(Notice.id).where(Notice.key == key)).one())
        stage.later(seconds=1)
    return ids


def row(stage: Stage, id: str) -> Notice:
    with stage.app.app_context():
        return db.session.get_one(Notice, id)


@pytest.fixture
def notice(stage: Stage) -> str:
    return make_notices(stage, 1)[0]


@pytest.fixture
def context(stage: Stage) -> Iterator[None]:
    with stage.app.app_context():
        yield


@pytest.mark.usefixtures("context")
def test_what_is_claimed_is_nobody_elses_until_its_lease_ends(stage: Stage, notice: str) -> None:
    mine = claim(Notice, notice)
    assert mine is not None
    assert (mine.attempts, mine.lease_until) == (1, _whole(stage.moment[0] + stage.settings.lease))
    first = mine.lease
    assert claim(Notice, notice) is None
    stage.later(seconds=stage.settings.lease.total_seconds())
    assert claim(Notice, notice) is None
    stage.later(seconds=1)
    theirs = claim(Notice, notice)
    assert theirs is not None
    assert theirs.attempts == 2
    assert theirs.lease != first


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def test_who_slept_through_the_lease_finishes_nothing(stage: Stage, notice: str) -> None:
    with stage.app.app_context():
        slow = claim(Notice, notice)
    assert slow is not None
    stage.later(minutes=1)
    with stage.app.app_context():
        quick = claim(Notice, notice)
    assert quick is not None
    with stage.app.app_context():
        with writing() as transaction:
            assert not finish(transaction, slow, outcome="sent by the slow one")
        put_back(slow)
    assert (row(stage, notice).status, row(stage, notice).lease) == ("waiting", quick.lease)
    with stage.app.app_context(), writing() as transaction:
        assert finish(transaction, quick, outcome="sent")
        assert not finish(transaction, quick, outcome="sent again")
    assert (row(stage, notice).status, row(stage, notice).outcome) == ("done", "sent")
    with stage.app.app_context():
        assert claim(Notice, notice) is None


@pytest.mark.usefixtures("context")
def test_what_failed_waits_longer_each_time_and_an_hour_at_most(stage: Stage, notice: str) -> None:
    waits = []
    for _ in range(16):
        claimed = claim(Notice, notice)
        assert claimed is not None
        put_back(claimed)
        assert claim(Notice, notice) is None
        due = row(stage, notice).due_at
        waits.append(due - _whole(stage.moment[0]))
        stage.moment[0] = due
    assert waits[:4] == [RETRY_FIRST, 2 * RETRY_FIRST, 4 * RETRY_FIRST, 8 * RETRY_FIRST]
    assert waits == sorted(waits)
    assert waits[-1] == RETRY_LAST


@pytest.mark.usefixtures("context")
def test_the_sweep_finds_what_is_due_and_nobodys_the_oldest_first(stage: Stage) -> None:
    oldest, leased, failed, done, newest = make_notices(stage, 5)
    claim(Notice, leased)
    claimed = claim(Notice, failed)
    assert claimed is not None
    put_back(claimed)
    claimed = claim(Notice, done)
    assert claimed is not None
    with writing() as transaction:
        finish(transaction, claimed)
    now = stage.moment[0]
    assert waiting_since(Notice, now) == [oldest, newest]
    assert waiting_since(Notice, now, most=1) == [oldest]
    assert waiting_since(Notice, now - timedelta(seconds=2)) == [oldest]
    assert waiting_since(Notice, now - timedelta(minutes=1)) == []
    stage.later(minutes=1)
    assert waiting_since(Notice, stage.moment[0]) == [oldest, leased, newest, failed]


def test_many_deliverers_at_once_send_one_letter(stage: Stage, sample: Sample) -> None:
    for number, notice in enumerate(make_notices(stage, sample(3, 40))):

        def deliver(_: int, id: str = notice) -> None:
            with stage.app.app_context():
                deliver_notice(id)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(deliver, range(4)))
        assert len(stage.letters(f"ann{number}@example.org")) == 1
        assert (row(stage, notice).status, row(stage, notice).attempts) == ("done", 1)


def test_many_sweeps_at_once_send_each_letter_once(stage: Stage, sample: Sample) -> None:
    count = sample(8, 200)
    make_notices(stage, count)

    def work(_: int) -> None:
        with stage.app.app_context():
            sweep(timedelta(0))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    assert [len(stage.letters(f"ann{number}@example.org")) for number in range(count)] == count * [1]


# -- faults of our own


def faulty(**verbs: Callable[..., Any]) -> Game:
    """The game Hands, with some of its verbs replaced."""
    names = {name: getattr(hands, name) for name in dir(hands) if not name.startswith("_")}
    return cast(Game, SimpleNamespace(**names | verbs))


def failing(times: int, verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb, but the first calls of it break down."""
    left = [times]

    def call(*args: Any, **kwargs: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise RuntimeError("planted")
        return verb(*args, **kwargs)

    return call


def play_with(database_url: str, game: Game) -> tuple[Stage, list[Person], str]:
    stage = Stage.build(database_url, [game])
    stage.moment[0] = datetime.now(UTC)
    people = [stage.person("Ann"), stage.person("Ben")]
    return stage, people, stage.table(people, "hands", first_player=0)


def first_card(person: Person, match_id: str) -> str:
    offer = person.client.legal(match_id)["moves"][0]
    return f"play {offer['choices'][0]['among'][0]}"


def submission_row(stage: Stage, id: str) -> Submission:
    with stage.app.app_context():
        return db.session.get_one(Submission, id)


def test_a_fault_while_settling_changes_nothing_and_is_overcome_later(database_url: str) -> None:
    stage, (ann, ben), match_id = play_with(database_url, faulty(decide=failing(2, hands.decide)))
    before = stage.fingerprint()
    sent = ann.client.submit(match_id, [first_card(ann, match_id)], wait=0)
    waits = []
    for attempts in (1, 2):
        stage.work()
        waiting = submission_row(stage, sent["id"])
        assert (waiting.status, waiting.attempts, waiting.verdict) == ("waiting", attempts, None)
        assert ann.client.submission(sent["id"])["status"] == "waiting"
        assert stage.fingerprint() == before
        waits.append(waiting.due_at - _whole(stage.moment[0]))
        stage.moment[0] = waiting.due_at
    assert waits == sorted(waits)
    assert waits[0] < waits[1]
    stage.work()
    verdict = ann.client.submission(sent["id"])["verdict"]
    assert verdict is not None
    assert (len(verdict["played"]), verdict["problem"]) == (1, None)
    assert len(stage.letters(ben.address)) == 3  # the welcome, the beginning, and that it is their turn


def test_a_submission_that_cannot_be_settled_holds_up_no_other(database_url: str) -> None:
    stage, people, match_id = play_with(database_url, faulty(decide=failing(1, hands.decide)))
    other = stage.table(people, "hands", first_player=0)
    broken = people[0].client.submit(match_id, [first_card(people[0], match_id)], wait=0)
    stage.later(milliseconds=1)
    fine = people[0].client.submit(other, [first_card(people[0], other)], wait=0)
    stage.work()
    assert people[0].client.submission(broken["id"])["status"] == "waiting"
    assert people[0].client.submission(fine["id"])["status"] == "done"


def test_a_fault_while_a_mail_is_written_is_overcome_later(database_url: str) -> None:
    stage, _, _ = play_with(database_url, faulty(draw=failing(1, hands.draw)))
    assert count_letters(stage) == 3  # two welcomes, and one of the two that show the opening
    stage.later(seconds=1)
    stage.work()
    assert count_letters(stage) == 3
    stage.later(seconds=2)
    stage.work()
    assert count_letters(stage) == 4


def test_many_settlers_at_once_settle_it_once(stage: Stage, sample: Sample) -> None:
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, first_player=0)
    for turn in range(sample(3, 50)):
        now = people[0].client.match(match_id)
        sent = people[turn % 2].client.submit(match_id, ["reveal, leave"], wait=0)

        def settle(_: int, id: str = sent["id"]) -> None:
            with stage.app.app_context():
                settle_submission(id)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(settle, range(4)))
        assert people[0].client.match(match_id)["seq"] == now["seq"] + 1
        assert submission_row(stage, sent["id"]).attempts == 0
