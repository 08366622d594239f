"""A whole match, through real processes: one player signs moves, one answers mails in plain text, one in HTML."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from client.api import Ogham
from client.chain import check_log
from engine.events import Seat
from engine.games import GAMES
from engine.log import replay
from engine.values import freeze
from tests.engine.games.keltis.second_reading import second_reading
from tests.golden.golden import Golden, Line
from tests.journeys.houses import House, embedded_house, grown_house, until
from tests.journeys.people import HtmlMailer, Mailer, register
from tests.servers import Postgres, Redis


@pytest.fixture(params=["embedded", "grown"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    if request.param == "embedded":
        with embedded_house(tmp_path) as embedded:
            yield embedded
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        redis: Redis = request.getfixturevalue("redis_server")
        with grown_house(tmp_path, postgres, redis) as grown:
            yield grown


@pytest.mark.timeout(180)
def test_three_players_play_a_match_by_signature_by_mail_and_by_another_mail(house: House) -> None:
    ann = register(house, "Ann")
    ben, cleo = Mailer(house, "ben@example.org"), HtmlMailer(house, "cleo@example.org")
    match_id = ann.open("keltis", 3, invite=[ben.address, cleo.address])["id"]
    ann.join(match_id, 0)
    for guest in (ben, cleo):
        until(guest.newest, f"the invitation to {guest.address}")
        letter = guest.newest()
        assert letter is not None
        guest.answer(letter, "join with all my luck")
        seats = 2 if guest is ben else 3
        until(lambda seats=seats: sum(name is not None for name in ann.match(match_id)["names"]) == seats, "the seat")
    play_to_the_end(ann, match_id, ben, cleo)
    check_the_log(ann, match_id)
    for address in ("ann@example.org", ben.address, cleo.address):
        until(lambda address=address: "over" in str(house.letters(address)[-1]["Subject"]), "the last mail")


def play_to_the_end(ann: Ogham, match_id: str, *writers: Mailer | HtmlMailer) -> None:
    steps = 0
    while (match := ann.match(match_id))["status"] == "running":
        if match["to_act"] == match["seat"]:
            moves = [offer["text"] for offer in ann.legal(match_id)["moves"]]
            verdict = ann.submit(match_id, [moves[steps % len(moves)]])["verdict"]
            assert verdict is not None
            assert verdict["problem"] is None
        elif any(writer.play() for writer in writers):
            until(lambda seq=match["seq"]: ann.match(match_id)["seq"] != seq, "the next move")
        else:
            time.sleep(0.02)  # the mail is on its way
        steps += 1


def lines_of(publics: list[dict[str, Any]]) -> Iterator[Line]:
    """The moves as a golden file has them, with the tiles that were turned up."""
    for entry in publics:
        if entry["kind"] == "moved":
            shown = tuple(
                event["tile"]["$show"]["value"] for event in entry["events"] if event["event"] == "TileRevealed"
            )
            yield Line(entry["seat"], entry["move"], shown)


def check_the_log(ann: Ogham, match_id: str) -> None:
    """The log is whole, and the engine alone comes from it to the same scores, as does a plain reading of the rules."""
    (game,) = [game for game in GAMES if game.info.id == "keltis"]
    entries = list(ann.log(match_id))
    check_log(entries)
    publics = [json.loads(entry["public"]) for entry in entries]
    values = {opening["number"]: opening["value"] for entry in entries for opening in entry["openings"]}
    state = replay(game, (entry["public"].encode() for entry in entries), values.__getitem__)
    outcome = game.outcome(state)
    assert outcome is not None
    assert publics[-1]["outcome"] == freeze(outcome)
    assert ann.state(match_id)["view"] == freeze(game.view(state, Seat(0)))
    reading = second_reading(Golden("keltis", 3, publics[0]["options"], b"", tuple(lines_of(publics))))
    assert (reading.scores, reading.places) == (tuple(score.total for score in outcome.scores), outcome.places)
    grades = {entry["seat"]: entry["proof"]["grade"] for entry in publics if entry["kind"] == "moved"}
    assert grades == {0: "signed", 1: "mailed", 2: "mailed"}
