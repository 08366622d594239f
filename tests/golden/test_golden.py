"""Whole matches, kept for ever: the engine, the file and a second reading of the rules agree on each."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, Outcome
from engine.games import GAMES
from engine.play import fold, play_line
from tests.golden.golden import FOLDER, RESIGNS, Golden, Result, read
from tests.golden.make import play, shown

FILES = sorted(FOLDER.glob("*/*.txt"))
BY_ID = {game.info.id: game for game in GAMES}


def second_reading_of(game: Game) -> ModuleType:
    return import_module(f"tests.engine.games.{game.info.id}.second_reading")


def replay(game: Game, golden: Golden) -> Outcome | None:
    """The golden match, played once more by the engine."""
    chance = Chance(golden.seed)
    state = fold(game, None, game.deal(golden.seats, golden.options, chance))
    for line in golden.lines:
        seat = Seat(line.seat)
        if line.move == RESIGNS:
            state = fold(game, state, game.leave(state, seat, chance))
            continue
        if seat in game.left(state):
            assert game.notate(game.absent(game.view(state, seat))) == line.move
        played = play_line(game, state, seat, line.move, chance)
        assert (played.move, tuple(shown(played.events))) == (line.move, line.shown)
        state = played.state
    return game.outcome(state)


def agree(outcome: Outcome | None, read: Result) -> bool:
    assert outcome is not None
    totals = tuple(score.total for score in outcome.scores)
    return (totals, outcome.places, outcome.reason) == (read.scores, read.places, read.reason)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_engine_file_and_second_reading_agree(path: Path) -> None:
    golden, expected = read(path.read_text("utf-8"))
    assert (golden.game, expected.way) == (path.parent.name, path.stem)
    game = BY_ID[golden.game]
    assert second_reading_of(game).second_reading(golden) == expected
    assert agree(replay(game, golden), expected)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
def test_engine_and_second_reading_agree_on_matches_by_chance(game: Game, sample: Callable[[int, int], int]) -> None:
    reading = second_reading_of(game)
    for number in range(sample(50, 2_000)):
        golden = play(game, *reading.SETUPS[number % len(reading.SETUPS)], number)
        assert agree(replay(game, golden), reading.second_reading(golden)), f"match {number}"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
def test_every_way_to_end_has_its_golden_match(game: Game) -> None:
    kept = {path.stem for path in FILES if path.parent.name == game.info.id}
    assert kept == set(second_reading_of(game).WAYS_TO_END)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
def test_every_number_of_seats_and_every_option_tried_has_a_golden_match(game: Game) -> None:
    kept = [read(path.read_text("utf-8"))[0] for path in FILES if path.parent.name == game.info.id]
    setups = second_reading_of(game).SETUPS
    assert {golden.seats for golden in kept} == set(game.info.seats) == {seats for seats, _ in setups}
    for _, options in setups:
        assert any(options.items() <= golden.options.items() for golden in kept)
