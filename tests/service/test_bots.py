"""Bots at the table: how they get there, when they move, and what is never done to them.

Ann plays against bots. In Hands each card is answered by the left neighbour: a bot is asked out of turn, too.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import select, update

from client.errors import Problem
from client.keys import Identity
from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, Move, View
from engine.log import decode, read_events, seed, spelling_of
from engine.play import fold, pick
from engine.verify import verify
from service.bots import move_bot
from service.matches import find_match
from service.moves import settle_submission
from service.parts import Bot
from service.store.db import db
from service.store.tables import Match, Notice, Player
from tests.club import Club
from tests.forging import Change, forge
from tests.games import TEST_GAMES
from tests.service.test_transcript import checked, second_opinion
from tests.stage import Person, Stage

GAMES = {game.info.id: game for game in TEST_GAMES}
SHORT: dict[str, dict[str, Any]] = {"celtic": {"max_turns": 3}}
HANDS = {"first_player": 0, "turns": 1}


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    return shared_stage


@pytest.fixture(scope="module")
def ann(stage: Stage) -> Person:
    return guest(stage, "Ann")


def guest(stage: Stage, name: str) -> Person:
    """Somebody who wants no mails, which would take their time."""
    person = stage.person(name)
    person.client.preferences(mail_turn="off", mail_started="off", mail_finished="off")
    return person


def sit_down(stage: Stage, person: Person, game: str, *bots: str, **how: Any) -> str:
    """A match of this person against these bots, dealt."""
    options = how.pop("options", HANDS if game == "hands" else SHORT.get(game, {}))
    match_id = person.client.open(game, len(bots) + 1, options, invite=bots, **how)["id"]
    person.client.join(match_id)
    return match_id


def log_of(person: Person, match_id: str) -> list[dict[str, Any]]:
    return [json.loads(entry["public"]) for entry in person.client.log(match_id)]


def a_move(person: Person, match_id: str) -> str:
    offer = person.client.legal(match_id)["moves"][0]
    return offer["text"].format(**{gap["name"]: " ".join(gap["among"][: gap["count"]]) for gap in offer["choices"]})


@contextmanager
def instead(stage: Stage, bots: Mapping[str, Bot]) -> Iterator[None]:
    """Other bots for a while."""
    parts = stage.app.extensions["ogham"]
    stage.app.extensions["ogham"] = replace(parts, bots=bots)
    yield
    stage.app.extensions["ogham"] = parts


def any_move(game: Game, view: View, chance: Chance) -> Move:
    return game.parse(pick(game.legal(view), chance, "any"), view)


def no_move(game: Game, view: View, chance: Chance) -> Move:
    raise ZeroDivisionError


# -- sitting down


def test_a_bot_sits_down_when_the_match_is_opened_on_the_highest_seats_in_the_order_given(
    stage: Stage, ann: Person
) -> None:
    match = ann.client.open("keltis", 4, invite=["bot:solid", "dan@example.org", "bot:easy"])
    assert match["names"] == [None, None, "bot:solid", "bot:easy"]
    joined = log_of(ann, match["id"])[1:]
    assert [(entry["kind"], entry["seat"], entry["bot"]) for entry in joined] == [
        ("joined", 2, "bot:solid"), ("joined", 3, "bot:easy"),
    ]  # fmt: skip
    assert all((entry["proof"], entry["keys"]) == ({"grade": "service"}, []) for entry in joined)
    assert len({entry["nonce"] for entry in joined}) == 2
    with pytest.raises(Problem) as refused:
        ann.client.join(match["id"], 3)
    assert refused.value.code == "seat_taken"
    assert ann.client.join(match["id"])["seat"] == 0


def test_the_same_bot_may_have_several_seats(stage: Stage, ann: Person) -> None:
    assert ann.client.open("hands", 4, invite=["bot:easy"] * 3)["names"] == [None, "bot:easy", "bot:easy", "bot:easy"]


@pytest.mark.parametrize(
    ("invite", "code"),
    [
        (["bot:genius"], "bot_unknown"),
        (["bot:"], "bot_unknown"),
        (["BOT:easy"], "schema_invalid"),
        (["bot:easy", "bot:easy"], "bots_only"),
        (["bot:easy", "bot:easy", "bot:easy"], "too_many_invited"),
        (["bot:easy", "a@example.org", "b@example.org"], "too_many_invited"),
    ],
)
def test_what_cant_sit_down_is_refused_and_nothing_is_opened(
    stage: Stage, ann: Person, invite: list[str], code: str
) -> None:
    before = stage.fingerprint()
    with pytest.raises(Problem) as refused:
        ann.client.open("keltis", 2, invite=invite)
    assert (refused.value.code, refused.value.status) == (code, 422)
    assert stage.fingerprint() == before


def test_the_bots_there_are_are_listed_with_the_games(stage: Stage, ann: Person) -> None:
    assert ann.client.bots() == ["bot:easy", "bot:solid"]


@pytest.mark.parametrize(("name", "address"), [("bot:easy", "a@example.org"), ("Easy", "bot:easy")])
def test_nobody_registers_as_a_bot(stage: Stage, name: str, address: str) -> None:
    with pytest.raises(Problem) as refused:
        stage.watcher(Identity.generate()).register(name, address)
    assert refused.value.code in ("name_invalid", "schema_invalid")


def test_a_bot_is_no_player_so_there_is_nobody_to_log_in_as(stage: Stage, ann: Person) -> None:
    match_id = sit_down(stage, ann, "keltis", "bot:easy")
    with stage.app.app_context():
        assert not [name for name in db.session.scalars(select(Player.name)) if "bot" in name]
    assert [row["seat"] for row in ann.client.facts(match_id)] == [0]


# -- moving


def play(stage: Stage, person: Person, match_id: str, most: int = 500) -> int:
    """Play any move whenever asked; how often that was."""
    for count in range(most):
        match = person.client.match(match_id)
        if match["to_act"] is None:
            return count
        assert match["to_act"] == match["seat"]  # the bots have moved
        assert stage.play(person, match_id, a_move(person, match_id))["problem"] is None
    return most


@pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
def test_a_whole_match_against_two_bots_is_played_and_verifies(stage: Stage, game: Game) -> None:
    person = guest(stage, f"Guest-{game.info.id}")
    match_id = sit_down(stage, person, game.info.id, "bot:easy", "bot:easy")
    stage.play_out_quickly([person], match_id)
    report = checked(stage, stage.watcher(), match_id)
    assert report.over
    moved = [entry for entry in log_of(person, match_id) if entry["kind"] == "moved"]
    assert {(entry["seat"], entry["proof"]["grade"]) for entry in moved} == {
        (0, "signed"), (1, "service"), (2, "service"),
    }  # fmt: skip
    with stage.app.app_context():
        told = set(db.session.scalars(select(Notice.address).where(Notice.match_id == match_id)))
        assert told == {person.address}
        assert find_match(match_id).bot_due is None


def test_a_bot_moves_in_the_worker_and_neither_when_asked_nor_in_the_transaction_that_asks_it(
    stage: Stage, ann: Person
) -> None:
    match_id = sit_down(stage, ann, "hands", "bot:easy", "bot:easy")
    submission = ann.client.submit(match_id, [a_move(ann, match_id)], wait=0)
    rings = Rings()
    parts = stage.app.extensions["ogham"]
    stage.app.extensions["ogham"] = replace(parts, bell=rings)
    with stage.app.app_context():
        settle_submission(submission["id"])
        assert rings.heard == [("bot", match_id)]
        length, to_act = find_match(match_id).length, find_match(match_id).to_act
        assert to_act == 1
        move_bot(match_id)  # one move, and a ring for what comes next
        assert (find_match(match_id).length, find_match(match_id).to_act) == (length + 1, 1)
        assert rings.heard[1:] == [("bot", match_id)]
    stage.app.extensions["ogham"] = parts


class Rings:
    """A bell that nobody listens to."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def ring(self, work: str, id: str) -> None:
        if work == "bot":
            self.heard.append((work, id))


def test_who_plays_against_bots_gets_one_turn_mail_when_all_have_moved_which_tells_what_they_did(stage: Stage) -> None:
    person = stage.person("Tia")
    match_id = sit_down(stage, person, "keltis", "bot:easy", "bot:easy", options={"first_player": 0})
    stage.work()
    before = len(stage.letters(person.address))
    stage.play(person, match_id, "reveal, leave")
    (letter,) = stage.letters(person.address)[before:]
    body = str(letter.get_body(("plain",)).get_content())  # type: ignore[union-attr]
    assert "your turn" in str(letter["Subject"])
    assert body.count("bot:easy") >= 2  # what each of them did
    moved = [entry["seat"] for entry in log_of(person, match_id) if entry["kind"] == "moved"]
    assert set(moved[1:]) == {1, 2}


def test_a_bot_that_is_first_moves_when_the_match_begins(stage: Stage, ann: Person) -> None:
    match_id = sit_down(stage, ann, "keltis", "bot:easy", options={"first_player": 1})
    assert log_of(ann, match_id)[-1]["kind"] == "dealt"
    stage.work()
    assert ann.client.match(match_id)["to_act"] == 0


def test_a_bot_is_given_its_seats_view_and_luck_that_tells_nothing_of_the_decks(stage: Stage, ann: Person) -> None:
    seen: list[tuple[Game, View, Chance]] = []

    def spy(game: Game, view: View, chance: Chance) -> Move:
        seen.append((game, view, chance))
        return any_move(game, view, chance)

    with instead(stage, {"bot:spy": spy}):
        match_id = sit_down(stage, ann, "hands", "bot:spy", options=HANDS | {"first_player": 1})
        stage.work()
        play(stage, ann, match_id)
    assert len(seen) >= 2
    secret = decode(log_of(ann, match_id)[-1]["secret"])
    nonces = [entry["nonce"] for entry in sorted(log_of(ann, match_id)[1:3], key=lambda entry: entry["seat"])]
    match_seed = seed(match_id, secret, nonces)
    for game, view, chance in seen:
        assert not isinstance(view, game.state_type)
        assert view.seat == 1
        assert chance.below("deck", 1 << 60) != Chance(match_seed).below("deck", 1 << 60)
    assert len({chance.below("any", 1 << 60) for _, _, chance in seen}) == len(seen)


def test_when_the_match_is_over_everybody_can_see_that_a_bot_played_what_its_luck_gave(
    stage: Stage, ann: Person
) -> None:
    match_id = sit_down(stage, ann, "hands", "bot:easy", options=HANDS | {"first_player": 1})
    stage.work()
    play(stage, ann, match_id)
    entries = list(ann.client.log(match_id))
    forms = [json.loads(entry["public"]) for entry in entries]
    values = {opening["number"]: opening["value"] for entry in entries for opening in entry["openings"]}
    nonces = [form["nonce"] for form in sorted(forms[1:3], key=lambda form: form["seat"])]
    chance = Chance(seed(match_id, decode(forms[-1]["secret"]), nonces))
    game, state = GAMES["hands"], None
    bot: Bot = stage.app.extensions["ogham"].bots["bot:easy"]
    changed = 0
    for form in forms:
        if form["kind"] == "moved" and form["seat"] == 1:
            luck = Chance(chance.below(f"bot/{changed}", 1 << 64).to_bytes(8, "big"))
            assert game.notate(bot(game, game.view(state, Seat(1)), luck)) == form["move"]
        if "events" in form:
            state = fold(game, state, read_events(spelling_of(game), form, values.__getitem__))
            changed = form["seq"] + 1


# -- what goes wrong


def test_for_a_bot_that_fails_the_absent_move_is_played_and_others_go_on(stage: Stage, ann: Person) -> None:
    options = {"first_player": 1}
    with instead(stage, {"bot:broken": no_move, "bot:wrong": lambda game, view, chance: None, "bot:any": any_move}):
        broken, wrong, fine = (
            sit_down(stage, ann, "keltis", f"bot:{name}", options=options) for name in ("broken", "wrong", "any")
        )
        stage.work()
    for match_id in (broken, wrong, fine):
        assert ann.client.match(match_id)["to_act"] == 0
    assert log_of(ann, broken)[-1]["move"] == log_of(ann, wrong)[-1]["move"] == "reveal, leave"


def test_a_bot_that_is_no_longer_there_is_played_for(stage: Stage, ann: Person) -> None:
    match_id = sit_down(stage, ann, "keltis", "bot:easy", options={"first_player": 1})
    with instead(stage, {}):
        stage.work()
    assert log_of(ann, match_id)[-1]["move"] == "reveal, leave"


@pytest.mark.both_databases
def test_two_workers_at_once_make_one_move(stage: Stage, ann: Person) -> None:
    match_id = sit_down(stage, ann, "keltis", "bot:easy", "bot:easy", options={"first_player": 1})
    length = ann.client.match(match_id)["seq"]

    def work(_: int) -> None:
        with stage.app.app_context():
            move_bot(match_id)

    stopped = stage.moment[0]
    with stage.app.app_context():  # whoever comes second finds that the next bot isn't due yet
        db.session.execute(update(Match).where(Match.id == match_id).values(bot_due=stopped))
        db.session.commit()
    thinking: list[int] = []

    def slow(game: Game, view: View, chance: Chance) -> Move:
        thinking.append(view.seat)
        if len(thinking) == 1:  # the others look while it thinks
            with ThreadPoolExecutor(3) as pool:
                list(pool.map(work, range(3)))
            assert len(thinking) == 1
        return any_move(game, view, chance)

    with instead(stage, {"bot:easy": slow}):
        work(0)
    assert ann.client.match(match_id)["seq"] == length + 1
    stage.work()


@pytest.mark.both_databases
def test_a_worker_that_slept_through_its_lease_moves_nothing_twice(stage: Stage, ann: Person) -> None:
    match_id = sit_down(stage, ann, "keltis", "bot:easy", options={"first_player": 1})
    length = ann.client.match(match_id)["seq"]

    def another(_: int) -> None:
        with stage.app.app_context():
            move_bot(match_id)

    def sleeper(game: Game, view: View, chance: Chance) -> Move:
        nonlocal slept
        if not slept:
            slept = True
            stage.later(seconds=stage.settings.lease.total_seconds() + 1)
            with ThreadPoolExecutor(1) as pool:
                list(pool.map(another, range(1)))
        return any_move(game, view, chance)

    slept = False
    with instead(stage, {"bot:easy": sleeper}), stage.app.app_context():
        move_bot(match_id)
    assert ann.client.match(match_id)["seq"] == length + 1
    assert slept


@pytest.mark.both_databases
def test_a_bot_whose_table_changed_while_it_thought_thinks_again(stage: Stage, ann: Person) -> None:
    ben = guest(stage, "Ben")
    match_id = ann.client.open("keltis", 3, {"first_player": 2}, invite=["bot:easy"])["id"]
    for person in (ann, ben):
        person.client.join(match_id)

    def thinking(game: Game, view: View, chance: Chance) -> Move:
        if not seen:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(ben.client.resign, match_id).result()
        seen.append(view)
        return any_move(game, view, chance)

    seen: list[View] = []
    with instead(stage, {"bot:easy": thinking}):
        stage.work()
    assert len(seen) >= 2
    kinds = [(entry["kind"], entry.get("seat")) for entry in log_of(ann, match_id)]
    assert kinds[5:7] == [("resigned", 1), ("moved", 2)]


# -- clocks


@pytest.fixture
def club(database_url: str) -> Iterator[Club]:
    """On a stage of their own, where days go by."""
    stage = Stage.build(database_url, migrated=True)
    stage.moment[0] = datetime.now(UTC)
    with time_machine.travel(stage.moment[0], tick=False) as travel:
        yield Club(stage, travel)
    with stage.app.app_context():
        db.engine.dispose()


def test_no_clock_runs_for_a_bot_and_it_agrees_to_every_pause(club: Club) -> None:
    person, other = club.people
    match_id = person.client.open("keltis", 3, {"first_player": 2}, invite=["bot:easy"], clock={"days": 1})["id"]
    for one in (person, other):
        one.client.join(match_id)
    clock = club.clock(match_id)  # the bot is asked, and nobody is at work
    assert (clock["running"], clock["deadline"], [seat["seat"] for seat in clock["seats"]]) == (None, None, [0, 1])
    club.stage.work()
    assert club.clock(match_id)["running"] == 0
    person.client.pause(match_id)
    assert not club.clock(match_id)["paused"]
    other.client.pause(match_id)
    assert club.clock(match_id)["paused"]
    club.stage.play(person, match_id, "reveal, leave")
    club.stage.play(other, match_id, "reveal, leave")  # who likes may move, and so may bots
    assert person.client.match(match_id)["to_act"] == 0
    person.client.resume(match_id)
    assert club.clock(match_id)["running"] == 0


def test_a_bot_plays_for_who_is_absent_and_the_table_is_told(club: Club) -> None:
    ben = club.people[1]
    match_id = club.table({"days": 1, "absent": "bot:solid"}, "hands", turns=1)
    club.jump(timedelta(days=1))
    club.beat()
    club.later(timedelta(minutes=1))
    missed = next(entry for entry in club.log(match_id) if entry["kind"] == "timed_out")
    assert (missed["seat"], missed["policy"], missed["proof"]) == (0, "bot:solid", {"grade": "service"})
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["timed_out"]
    while (to_act := ben.client.match(match_id)["to_act"]) is not None:
        if to_act == 1:
            club.stage.play(ben, match_id, a_move(ben, match_id))
        else:
            club.later(timedelta(minutes=32))  # Ann is away, and played for within the hour
    assert checked(club.stage, club.stage.watcher(), match_id).over


# -- joining and cheating


def test_in_a_sealed_match_a_bot_promises_its_nonce_before_anybody_and_opens_it_when_the_table_is_full(
    stage: Stage, ann: Person
) -> None:
    match_id = ann.client.open("hands", 2, HANDS, invite=["bot:easy"], shuffle="sealed")["id"]
    assert "nonce" not in log_of(ann, match_id)[1]
    ann.client.join(match_id)
    assert ann.client.match(match_id)["unopened"] == [0]
    ann.client.open_nonce(match_id)
    stage.work()
    play(stage, ann, match_id)
    assert checked(stage, ann.client, match_id).over


def test_who_joins_by_mail_gets_the_lowest_free_seat(stage: Stage, ann: Person) -> None:
    match_id = ann.client.open("keltis", 3, {}, invite=["mia@example.org", "bot:easy", "bot:solid"])["id"]
    stage.work()
    stage.answer(stage.letters("mia@example.org")[-1], "join with these words of mine")
    assert ann.client.match(match_id)["names"] == ["Mia", "bot:easy", "bot:solid"]
    assert ann.client.match(match_id)["status"] == "running"


def _for_a_player(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
    mine = next(form for form in forms if form["kind"] == "moved" and form["seat"] == 0)
    mine["proof"] = {"grade": "service"}


def _a_bot_at_last(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
    forms[1], forms[2] = forms[2], forms[1]


def _a_player_made_a_bot(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
    joined = next(form for form in forms if form["kind"] == "joined" and form["seat"] == 0)
    joined |= {"bot": "bot:easy", "proof": {"grade": "service"}, "keys": []}


def _a_bot_unmade(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
    del forms[1]["bot"]


def _mailed_for_a_bot(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
    theirs = next(form for form in forms if form["kind"] == "moved" and form["seat"] == 1)
    theirs["proof"] = {"grade": "mailed"}


@pytest.fixture(scope="module")
def transcript(stage: Stage, ann: Person) -> list[bytes]:
    match_id = sit_down(stage, ann, "hands", "bot:easy")
    stage.work()
    play(stage, ann, match_id)
    return list(stage.watcher().transcript(match_id))


@pytest.mark.parametrize(
    "change", [_for_a_player, _a_bot_at_last, _a_player_made_a_bot, _a_bot_unmade, _mailed_for_a_bot]
)
def test_moves_that_nobody_made_are_found_by_both_verifiers(
    stage: Stage, transcript: list[bytes], change: Change
) -> None:
    keys = stage.watcher().service_keys()
    honest = forge(stage, transcript, lambda forms, values: None)
    assert verify(honest, GAMES, keys).good
    assert second_opinion(honest, keys)[0] == ""
    forged = forge(stage, transcript, change)
    assert {fault.kind for fault in verify(forged, GAMES, keys).faults} & {"signatures", "mails"}
    assert second_opinion(forged, keys)[0] != ""
