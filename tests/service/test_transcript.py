"""Transcripts: for each game, each reader, both verifiers; and whatever is changed in one is found where it is."""

import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from client.api import Ogham
from client.errors import Problem
from client.keys import Identity
from engine.log import canonical
from engine.verify import Report, compare, verify
from tests.games import TEST_GAMES, shorter
from tests.raw import get
from tests.stage import Person, Stage

ROOT = Path(__file__).parents[2]
GAMES = {game.info.id: game for game in TEST_GAMES}
Sample = Callable[[int, int], int]
Lines = list[bytes]


def second_verifier() -> ModuleType:
    """docs/examples/verify.py, which imports nothing of ours."""
    spec = importlib.util.spec_from_file_location("second", ROOT / "docs/examples/verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SECOND = second_verifier()


def second_opinion(lines: Lines, keys: list[dict[str, str]] | None = None) -> tuple[str, Any]:
    """What the second verifier says: nothing, or what is wrong."""
    transcript = SECOND.Transcript(None if keys is None else {key["kid"]: key for key in keys})
    try:
        transcript.read(lines)
    except SECOND.Fault as fault:
        return str(fault), transcript
    return "", transcript


def checked(stage: Stage, client: Ogham, match_id: str) -> Report:
    """What both verifiers say of the transcript that this reader gets, when they say that it is good."""
    lines, keys = list(client.transcript(match_id)), stage.watcher().service_keys()
    report = verify(lines, GAMES, keys)
    assert report.good, [str(fault) for fault in report.faults]
    said, second = second_opinion(lines, keys)
    assert said == ""
    assert tuple(second.hashes) == report.hashes
    seals = next(check for check in report.checks if check.kind == "seals")
    assert (len(second.values), len(second.seals)) == (seals.held, seals.held + sum(seals.unchecked.values()))
    return report


def held(report: Report, kind: str) -> int:
    return next(check.held for check in report.checks if check.kind == kind)


def unchecked(report: Report, kind: str) -> dict[str, int]:
    return next(check.unchecked for check in report.checks if check.kind == kind)


def readers(stage: Stage, people: list[Person]) -> Iterator[Ogham]:
    yield from (person.client for person in people)
    yield stage.watcher()


@pytest.fixture(scope="module")
def people(shared_stage: Stage) -> list[Person]:
    return [shared_stage.person(name) for name in ("Ann", "Ben", "Cleo")]


# -- every game, every reader


Over = Callable[[str], str]


@pytest.fixture(scope="module")
def over(shared_stage: Stage, people: list[Person], request: pytest.FixtureRequest) -> Over:
    """A finished match of a game; played once for all tests. In the small size a short one, where the game has such."""
    turns = 100 if request.config.getoption("size") == "prove" else 4

    @cache
    def finished(game: str) -> str:
        match_id = shared_stage.table(people[:2], game, **shorter(GAMES[game], turns))
        shared_stage.play_out_quickly(people[:2], match_id)
        return match_id

    return finished


@pytest.mark.parametrize("game", GAMES)
def test_a_running_match_verifies_for_everybody_in_all_that_they_may_open(
    shared_stage: Stage, people: list[Person], game: str
) -> None:
    match_id = shared_stage.table(people, game)
    for _ in range(4):
        seat = people[0].client.match(match_id)["to_act"]
        assert seat is not None
        offers = people[seat].client.legal(match_id)["moves"]
        line = offers[0]["text"].format(**{gap["name"]: gap["among"][0] for gap in offers[0]["choices"]})
        shared_stage.play(people[seat], match_id, line)
        for reader in readers(shared_stage, people):
            report = checked(shared_stage, reader, match_id)
            assert (held(report, "moves"), set(unchecked(report, "moves"))) == (
                0,
                {"the match still runs: hidden cards and chance are opened at the end"},
            )


@pytest.mark.parametrize("game", GAMES)
def test_a_finished_match_verifies_for_everybody_with_each_move_judged_again(
    shared_stage: Stage, people: list[Person], over: Over, game: str
) -> None:
    for reader in readers(shared_stage, people):
        report = checked(shared_stage, reader, over(game))
        entries = [json.loads(line)["entry"] for line in list(reader.transcript(over(game)))[1:-1]]
        assert held(report, "moves") == sum("events" in entry for entry in entries)
        assert held(report, "signatures") == len(report.hashes) - 3  # opened, dealt and closed are nobody's
        assert not any(unchecked(report, kind) for kind in ("moves", "signatures", "seals", "receipts"))
        assert held(report, "receipts") == len(report.hashes) + 1


def test_a_match_with_all_that_may_happen_verifies(stage: Stage) -> None:
    """Keys added and revoked, a seat taken by mail, moves by mail, several lines at once, somebody who leaves."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = ann.client.open("keltis", 3, {"first_player": 0}, ["cleo@example.org"], shuffle="sealed")["id"]
    stage.work()
    stage.answer(stage.letters("cleo@example.org")[-1], "join by the light of the moon")
    for person in (ann, ben):
        person.client.join(match_id)
    for person in (ben, ann):
        person.client.open_nonce(match_id)
    stage.work()
    assert stage.answer(stage.letters("cleo@example.org")[-1], "reveal, leave").startswith("submission")
    new = Identity.generate()
    assert ann.client.identity
    ann.client.add_key(new)
    old, ann.client.identity = ann.client.identity, new
    ann.client.revoke_key(old.kid)
    stage.play(ann, match_id, "reveal, leave", "take 1")
    ben.client.resign(match_id)
    stage.work()
    for client in (ann.client, ben.client, stage.watcher()):
        report = checked(stage, client, match_id)
        assert unchecked(report, "mails")
    for _ in range(3):
        if stage.watcher().match(match_id)["to_act"] == 0:
            assert stage.answer(stage.letters("cleo@example.org")[-1], "reveal, leave").startswith("submission")
        else:
            stage.play(ann, match_id, "reveal, leave")
    ann.client.resign(match_id)
    stage.work()
    assert stage.watcher().match(match_id)["status"] == "over"
    report = checked(stage, stage.watcher(), match_id)
    assert held(report, "moves") >= 8
    assert set(unchecked(report, "seals")) == {"personal, and nobody's to open"}


def test_answers_by_standing_orders_and_lines_that_waited_verify(stage: Stage) -> None:
    """An order is its owner's until the end; then everybody can see that the answer follows from it."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], "hands", first_player=0, turns=2)
    ben.client.order(match_id, "let once")
    ben.client.order(match_id, "let")
    for _ in range(4):
        match = ann.client.match(match_id)
        person = (ann, ben)[match["to_act"] or 0]
        card = person.client.state(match_id)["view"]["hand"][0]
        own_turn = match["turn"] == match["to_act"]
        verdict = stage.play(person, match_id, f"play {card['colour']}{card['number']}" if own_turn else "let")
        assert verdict["problem"] is None
        for client in (ann.client, ben.client, stage.watcher()):
            checked(stage, client, match_id)
    ann.client.resign(match_id)
    stage.work()
    lines = list(stage.watcher().transcript(match_id))
    assert any(b'"order":' in line for line in lines)
    report = checked(stage, stage.watcher(), match_id)
    assert held(report, "moves") == sum("events" in json.loads(line)["entry"] for line in lines[1:-1])


def test_an_empty_table_has_a_transcript_too(shared_stage: Stage, people: list[Person]) -> None:
    match_id = people[0].client.open("keltis", 2)["id"]
    assert len(checked(shared_stage, shared_stage.watcher(), match_id).hashes) == 1


# -- over HTTP


def test_it_is_served_as_json_lines_with_an_etag(shared_stage: Stage, people: list[Person]) -> None:
    match_id = shared_stage.table(people[:2], "hands")
    path = f"/v1/matches/{match_id}/transcript"
    answer = get(shared_stage.app, path)
    assert answer.content_type == "application/jsonl"
    assert answer.data == b"".join(shared_stage.watcher().transcript(match_id))
    again = shared_stage.app.test_client().get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    token = people[0].client._bearer()["Authorization"].removeprefix("Bearer ")
    assert get(shared_stage.app, path, token).headers["ETag"] != answer.headers["ETag"]
    with pytest.raises(Problem) as refused:
        list(shared_stage.watcher().transcript("unknown"))
    assert refused.value.code == "match_unknown"


def test_a_match_is_streamed_and_500_entries_of_it_are_verified_in_a_second_or_less(
    shared_stage: Stage, people: list[Person], over: Over, sample: Sample, figure: Callable[[str], None]
) -> None:
    match_id = over("keltis")
    if sample(83, 500) == 500:
        busy = [shared_stage.person("Dora"), people[1]]
        match_id = shared_stage.table(busy, "keltis")
        while busy[0].client.match(match_id)["seq"] < 430:
            busy[0].client.add_key(Identity.generate())
        shared_stage.play_out_quickly(busy, match_id)
    assert shared_stage.app.test_client().get(f"/v1/matches/{match_id}/transcript").is_streamed
    lines, keys = list(shared_stage.watcher().transcript(match_id)), shared_stage.watcher().service_keys()
    started = time.process_time()  # others may be busy on this machine
    report = verify(lines, GAMES, keys)
    rate = len(report.hashes) / (time.process_time() - started)
    figure(f"{len(report.hashes)} entries, {rate:,.0f} a second of processor time")
    assert rate > 500
    assert report.good


# -- personal values


def test_nothing_personal_leaves_with_a_transcript(stage: Stage) -> None:
    ann = stage.person("Ann")
    match_id = ann.client.open("keltis", 2, {"first_player": 0}, ["cleo.secret@private.example"])["id"]
    stage.work()
    stage.answer(stage.letters("cleo.secret@private.example")[-1], "join", Message_ID="<telling@private.example>")
    ann.client.join(match_id)
    stage.work()
    letter = stage.letters("cleo.secret@private.example")[-1]
    stage.answer(letter, "reveal, leave", Message_ID="<telling-too@private.example>")
    ann.client.resign(match_id)
    stage.work()
    for client in (ann.client, stage.watcher()):
        text = b"".join(client.transcript(match_id)).decode()
        assert '"closed"' in text
        for personal in ("cleo.secret", "Cleo.Secret", "private.example", "<telling", '"Ann"', "ann@example.org"):
            assert personal not in text


# -- two transcripts


def test_two_readers_transcripts_tell_the_same_history(shared_stage: Stage, people: list[Person]) -> None:
    match_id = shared_stage.table(people[:2], "hands")
    one, other = (checked(shared_stage, person.client, match_id) for person in people[:2])
    assert compare(one, other) == ()


def test_one_that_was_cut_back_is_found_by_comparison(shared_stage: Stage, people: list[Person]) -> None:
    match_id = shared_stage.table(people[:2], "keltis", first_player=0)
    older = checked(shared_stage, people[0].client, match_id)
    shared_stage.play(people[0], match_id, "reveal, leave")
    newer = checked(shared_stage, people[1].client, match_id)
    (fault,) = compare(older, newer)
    assert (fault.line, "cut back" in fault.sentence) == (len(older.hashes) + 2, True)


# -- whatever is changed


@pytest.fixture(scope="module")
def finished(shared_stage: Stage, people: list[Person], over: Over) -> dict[str, Lines]:
    found = {game: list(people[0].client.transcript(over(game))) for game in GAMES}
    running = shared_stage.table(people[:2], "celtica")
    return found | {"running": list(people[0].client.transcript(running))}


def a_byte(lines: Lines, luck: Random) -> int:
    at = luck.randrange(len(lines))
    raw = bytearray(lines[at])
    raw[luck.randrange(len(raw))] ^= luck.randrange(1, 256)
    lines[at] = bytes(raw)
    return at


def a_swapped_pair(lines: Lines, luck: Random) -> int:
    at = luck.randrange(len(lines) - 1)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return at


def a_dropped_line(lines: Lines, luck: Random) -> int:
    at = luck.randrange(len(lines))
    del lines[at]
    return at


def a_doubled_line(lines: Lines, luck: Random) -> int:
    at = luck.randrange(len(lines))
    lines.insert(at, lines[at])
    return at + 1


def _entry_with(lines: Lines, luck: Random, wanted: Callable[[Any], Any]) -> tuple[int, Any]:
    """An entry's line, by chance among those that have what is wanted; written back by `_put`."""
    places = [at for at in range(1, len(lines) - 1) if wanted(json.loads(lines[at]))]
    at = luck.choice(places)
    return at, json.loads(lines[at])


def _put(lines: Lines, at: int, form: Any) -> int:
    raw = canonical(form) + b"\n"
    assert raw != lines[at]
    lines[at] = raw
    return at


def _flip(text: str, luck: Random) -> str:
    """Another text of the same letters: one of them is another."""
    at = luck.randrange(len(text))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:at] + luck.choice(letters.replace(text[at], "")) + text[at + 1 :]


def a_seal(lines: Lines, luck: Random) -> int:
    at, form = _entry_with(lines, luck, lambda form: '"$seal"' in json.dumps(form["entry"]))
    mark = luck.choice(list(SECOND.marks(form["entry"], "$seal")))
    mark["seal"] = _flip(mark["seal"], luck)
    return _put(lines, at, form)


def a_salt(lines: Lines, luck: Random) -> int:
    at, form = _entry_with(lines, luck, lambda form: form["openings"])
    opening = luck.choice(form["openings"])
    opening["salt"] = _flip(opening["salt"], luck)
    return _put(lines, at, form)


def an_opening(lines: Lines, luck: Random) -> int:
    at, form = _entry_with(lines, luck, lambda form: form["openings"])
    del form["openings"][luck.randrange(len(form["openings"]))]
    return _put(lines, at, form)


def a_draw(lines: Lines, luck: Random) -> int:
    """The values of two openings, exchanged."""

    def wanted(form: Any) -> bool:
        return len({json.dumps(opening["value"]) for opening in form["openings"]}) > 1

    at, form = _entry_with(lines, luck, wanted)
    first = luck.choice(form["openings"])
    other = luck.choice([opening for opening in form["openings"] if opening["value"] != first["value"]])
    first["value"], other["value"] = other["value"], first["value"]
    return _put(lines, at, form)


def a_signature(lines: Lines, luck: Random) -> int:
    at, form = _entry_with(lines, luck, lambda form: True)
    form["receipt"] = form["receipt"][:-86] + _flip(form["receipt"][-86:], luck)
    return _put(lines, at, form)


def a_players_signature(lines: Lines, luck: Random) -> int:
    def wanted(form: Any) -> bool:
        return any(isinstance(opening["value"], dict) and "jws" in opening["value"] for opening in form["openings"])

    at, form = _entry_with(lines, luck, wanted)
    for opening in form["openings"]:
        if isinstance(opening["value"], dict) and "jws" in opening["value"]:
            jws = opening["value"]["jws"]
            opening["value"]["jws"] = jws[:-86] + _flip(jws[-86:], luck)
    return _put(lines, at, form)


def a_move(lines: Lines, luck: Random) -> int:
    """Replaced by another that was legal there or elsewhere."""
    moves = sorted({json.loads(line)["entry"].get("move", "") for line in lines[1:-1]} - {""})
    at, form = _entry_with(lines, luck, lambda form: "move" in form["entry"])
    form["entry"]["move"] = luck.choice([move for move in moves if move != form["entry"]["move"]])
    return _put(lines, at, form)


CHANGES = (
    a_byte, a_swapped_pair, a_dropped_line, a_doubled_line, a_seal, a_salt, an_opening, a_draw, a_signature,
    a_players_signature, a_move,
)  # fmt: skip


def test_whatever_single_thing_is_changed_is_found_where_it_is(
    finished: dict[str, Lines], sample: Sample, shared_stage: Stage
) -> None:
    luck, keys = Random("changes"), shared_stage.watcher().service_keys()
    for lines in finished.values():
        assert verify(lines, GAMES, keys).good
    for number in range(sample(66, 1_000)):
        change = CHANGES[number % len(CHANGES)]
        over = change is a_move or number % 4
        lines = list(finished[luck.choice(list(GAMES)) if over else "running"])
        at = change(lines, luck)
        report = verify(lines, GAMES, keys)
        assert not report.good, (number, change.__name__, at)
        assert report.faults[0].line == at + 1, (number, change.__name__, at, [str(it) for it in report.faults[:3]])
        said, _ = second_opinion(lines, keys)
        assert said != ""
        # The second one reads once, and knows by the last line only that an opening is missing or the first changed.
        assert said.startswith(f"line {at + 1}:") or change is an_opening or at == 0, (number, change.__name__, said)
