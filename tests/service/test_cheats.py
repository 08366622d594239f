"""Who could cheat with the shuffle or the moves, alone or together: prevented, found, or told of in the documentation.

A dishonest service is `tests/forging.py`: it may write whatever it likes, and sign it with its own key.
"""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.chance import Chance
from engine.events import Seat
from engine.log import decode, encode, promise, seed
from engine.verify import Fault, Report, verify
from service.store.db import db
from service.store.tables import Match
from tests.forging import Change, forge
from tests.games import TEST_GAMES
from tests.stage import Person, Stage

GAMES = {game.info.id: game for game in TEST_GAMES}
LOG_PAGE = " ".join((Path(__file__).parents[2] / "docs/log.md").read_text().split())


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    return shared_stage


@pytest.fixture(scope="module")
def people(stage: Stage) -> list[Person]:
    return [stage.person(name) for name in ("Ann", "Ben", "Cleo")]


def play_quickly(stage: Stage, people: list[Person], match_id: str) -> list[bytes]:
    """A few moves, then all leave but one; the transcript."""
    for _ in range(2):
        seat = people[0].client.match(match_id)["to_act"]
        assert seat is not None
        offer = people[seat].client.legal(match_id)["moves"][0]
        line = offer["text"].format(**{gap["name"]: gap["among"][0] for gap in offer["choices"]})
        stage.play(people[seat], match_id, line)
    for person in people[1:]:
        person.client.resign(match_id)
    return list(stage.watcher().transcript(match_id))


@pytest.fixture(scope="module")
def joint(stage: Stage, people: list[Person]) -> list[bytes]:
    return play_quickly(stage, people, stage.table(people, "celtica"))


def sealed_table(stage: Stage, people: list[Person]) -> str:
    match_id = people[0].client.open("celtica", len(people), shuffle="sealed")["id"]
    for seat, person in enumerate(people):
        person.client.join(match_id, seat)
    for person in people:
        person.client.open_nonce(match_id)
    return match_id


@pytest.fixture(scope="module")
def sealed(stage: Stage, people: list[Person]) -> list[bytes]:
    return play_quickly(stage, people, sealed_table(stage, people))


def judged(stage: Stage, lines: list[bytes]) -> Report:
    return verify(lines, GAMES, stage.watcher().service_keys())


def found(stage: Stage, lines: list[bytes], change: Change) -> Fault:
    """The first fault in what a dishonest service makes of it."""
    assert judged(stage, forge(stage, lines, lambda forms, values: None)).good  # the forger's craft is without fault
    report = judged(stage, forge(stage, lines, change))
    assert not report.good
    return report.faults[0]


def entry(forms: list[dict[str, Any]], kind: str, seat: int | None = None) -> dict[str, Any]:
    return next(form for form in forms if form["kind"] == kind and seat in (None, form.get("seat")))


# -- the service alone


def test_another_secret_than_the_one_committed_to_is_found(stage: Stage, joint: list[bytes]) -> None:
    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        entry(forms, "closed")["secret"] = encode(secrets.token_bytes(32))

    fault = found(stage, joint, change)
    assert (fault.kind, "committed" in fault.sentence) == ("seed", True)


@pytest.mark.parametrize("shuffle", ["joint", "sealed"])
def test_another_commitment_is_found_since_every_player_signed_the_first(
    request: pytest.FixtureRequest, stage: Stage, shuffle: str
) -> None:
    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        entry(forms, "opened")["commitment"] = encode(secrets.token_bytes(32))

    fault = found(stage, request.getfixturevalue(shuffle), change)
    assert (fault.kind, fault.sentence, fault.seq) == ("signatures", "the player signed another opened", 1)


def test_a_nonce_in_a_players_name_is_found(stage: Stage, joint: list[bytes]) -> None:
    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        entry(forms, "joined", 1)["nonce"] = "a nonce that suits us better"

    fault = found(stage, joint, change)
    assert (fault.sentence, fault.seq) == ("the player signed another nonce", 2)


def test_cards_dealt_otherwise_than_the_seed_says_are_found(stage: Stage, joint: list[bytes]) -> None:
    def change(forms: list[dict[str, Any]], values: dict[int, Any]) -> None:
        slots = [number for number, value in values.items() if not isinstance(value, dict)]
        other = next(number for number in slots if values[number] != values[slots[0]])
        values[slots[0]], values[other] = values[other], values[slots[0]]

    fault = found(stage, joint, change)
    assert (fault.kind, fault.seq) == ("moves", 4)


def test_a_move_in_a_players_name_is_found(stage: Stage, joint: list[bytes]) -> None:
    def other_move(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        one, other = [form for form in forms if form["kind"] == "moved"][:2]
        one["move"] = other["move"] if one["move"] != other["move"] else "another move"

    def without_proof(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        entry(forms, "moved")["proof"] = {"grade": "service"}

    def twice(forms: list[dict[str, Any]], values: dict[int, Any]) -> None:
        moved = [form for form in forms if form["kind"] == "moved" and "evidence" in form["proof"]]
        signed = [form["proof"]["evidence"] for form in moved]
        one, other = (mark["$seal"]["number"] for mark in signed[:2])
        values[other] = values[one]

    for change, kinds in (
        (other_move, {"moves"}),
        (without_proof, {"seals", "moves"}),
        (twice, {"signatures"}),
    ):
        assert found(stage, joint, change).kind in kinds


def test_a_history_in_which_an_entry_is_left_out_is_found(stage: Stage, joint: list[bytes]) -> None:
    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        forms.remove(entry(forms, "moved"))

    assert found(stage, joint, change).seq == 5


def test_a_receipt_that_was_kept_shows_that_the_service_changed_its_mind(stage: Stage, joint: list[bytes]) -> None:
    """Even where no player signed anything: each inbox is a witness."""
    kept = json.loads(joint[-3])["receipt"]

    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        forms[-2]["at"] = forms[-2]["at"].replace("2", "3")

    forged = forge(stage, joint, change)
    keys = stage.watcher().service_keys()
    assert verify(joint, GAMES, keys, receipts=[kept]).good
    report = verify(forged, GAMES, keys, receipts=[kept])
    assert "a receipt that was kept" in report.faults[0].sentence
    assert report.faults[0].line == len(joint) - 2


# -- the last to join, alone


def test_the_last_to_join_can_t_know_what_a_nonce_of_theirs_would_give(
    stage: Stage, people: list[Person], sample: Callable[[int, int], int]
) -> None:
    """All they see before they choose is public; the secret is 256 random bits that stand in none of it."""
    match_id = people[0].client.open("keltis", 2)["id"]
    people[0].client.join(match_id, 0)
    seen = b"".join(people[1].client.transcript(match_id))
    with stage.app.app_context():
        secret = db.session.get_one(Match, match_id).secret
    assert encode(secret) not in seen.decode()
    assert secret not in seen
    assert len(secret) == 32
    people[1].client.join(match_id, 1)
    forms = [json.loads(line)["entry"] for line in list(people[1].client.transcript(match_id))[1:4]]
    nonces = [forms[1]["nonce"], forms[2]["nonce"]]
    true = seed(match_id, secret, nonces)
    guesses = [forms[0]["commitment"], *(line["hash"] for line in map(json.loads, seen.splitlines()[1:-1]))]
    guesses += [encode(number.to_bytes(32, "big")) for number in range(sample(1_000, 100_000))]
    assert all(seed(match_id, decode(guess), nonces) != true for guess in guesses)


# -- the service with the last to join


def choose_nonce(secret: bytes, match_id: str, others: list[str], wanted: Callable[[Any], bool]) -> str:
    """Try nonces until the deal is as wanted: what the two can do who know everything else."""
    game = GAMES["keltis"]
    options = {option.name: option.default for option in game.info.options}
    while True:
        nonce = secrets.token_urlsafe(32)
        chance = Chance(seed(match_id, secret, [*others, nonce]))
        if wanted(game.deal(len(others) + 1, options, chance)):
            return nonce


def begins(events: Any) -> bool:
    """Seat 1 is to begin."""
    game = GAMES["keltis"]
    state = None
    for event in events:
        state = game.evolve(state, event)
    return bool(game.to_act(state) == Seat(1))


def test_with_a_joint_shuffle_the_service_and_the_last_to_join_can_choose_it_and_the_page_says_so(
    stage: Stage, people: list[Person]
) -> None:
    for _ in range(4):  # they get what they want each time
        match_id = people[0].client.open("keltis", 2)["id"]
        people[0].client.join(match_id, 0)
        forms = [json.loads(line)["entry"] for line in list(stage.watcher().transcript(match_id))[1:-1]]
        with stage.app.app_context():
            secret = db.session.get_one(Match, match_id).secret
        nonce = choose_nonce(secret, match_id, [forms[1]["nonce"]], begins)
        identity, match = people[1].client.identity, people[1].client.match(match_id)
        assert identity
        said = {"match": match_id, "opened": match["opened"], "seat": 1, "keys": [identity.public], "nonce": nonce}
        statement = {"statement": identity.sign("ogham-join+jws", said)}
        assert people[1].client._post(f"/v1/matches/{match_id}/seats", statement)["to_act"] == 1
        assert judged(stage, list(stage.watcher().transcript(match_id))).good  # and nothing is to be seen
    assert "together with the *last* player to join it could try nonces until the shuffle suits them" in LOG_PAGE


def test_with_a_sealed_shuffle_the_last_to_join_is_held_to_what_they_promised(
    stage: Stage, sealed: list[bytes]
) -> None:
    def change(forms: list[dict[str, Any]], _: dict[int, Any]) -> None:
        entry(forms, "nonce_opened", 2)["nonce"] = "a nonce that suits both of us"

    report = judged(stage, forge(stage, sealed, change))
    assert ("seed", "the nonce isn't the one that was promised") in [(it.kind, it.sentence) for it in report.faults]
    assert report.faults[0].seq == 6


# -- the service with all but one


@pytest.mark.parametrize("honest", [0, 1, 2])
def test_with_a_sealed_shuffle_one_honest_player_is_enough(
    stage: Stage, people: list[Person], sealed: list[bytes], honest: int
) -> None:
    """The others and the service change what they like, promises included, and sign it all anew. The honest player's
    opening names the log in which all had promised, and so the change is found there at the latest."""

    def change(forms: list[dict[str, Any]], values: dict[int, Any]) -> None:
        match = forms[0]["match"]
        for seat in {0, 1, 2} - {honest}:
            nonce = f"chosen when all was known, by {seat}"
            joined, opened = entry(forms, "joined", seat), entry(forms, "nonce_opened", seat)
            joined["promise"], opened["nonce"] = promise(match, seat, nonce), nonce
            identity = people[seat].client.identity
            assert identity
            evidence = joined["proof"]["evidence"]["$seal"]["number"]
            said = json.loads(decode(values[evidence]["jws"].split(".")[1])) | {"promise": joined["promise"]}
            values[evidence] = {"jws": identity.sign("ogham-join+jws", said)}

    report = judged(stage, forge(stage, sealed, change))
    honest_entry = next(
        place
        for place, line in enumerate(sealed)
        if b'"nonce_opened"' in line and json.loads(line)["entry"]["seat"] == honest
    )
    assert any(fault.line == honest_entry + 1 and "another history" in fault.sentence for fault in report.faults), (
        report.faults
    )


def test_with_a_joint_shuffle_all_but_one_and_the_service_can_choose_it_and_the_page_says_so() -> None:
    assert "unless the one who is honest joins last" in LOG_PAGE


def test_what_no_shuffle_proves_is_said_too() -> None:
    for sentence in (
        "An operator can also look at the decks",
        "A nonce that came by mail was seen by the operator only, and proves nothing against them",
        "let the match stall",
    ):
        assert sentence in LOG_PAGE
