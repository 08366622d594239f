"""Bots: they play legal moves of any game from what their seat may see, and the solid one plays well."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, cast

import pytest

from engine.bots import BOTS, WORK, Bot, choose
from engine.chance import Chance
from engine.game import Game
from engine.games import GAMES
from ogham.contest import hold_contest
from tests.contracts.walks import WatchedChance, is_offered, walks
from tests.games import TEST_GAMES

Sample = Callable[[int, int], int]

ALL_BOTS = pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
ALL_GAMES = pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)


def copy_of(game: Game, **changes: Any) -> Any:
    """The game, with these names replaced."""
    copy = ModuleType(game.info.id)
    for name in cast(Any, game).__all__:
        setattr(copy, name, changes.get(name, getattr(game, name)))
    return copy


def decisions(game: Game, matches: int, every: int = 7) -> list[tuple[Any, Any]]:
    """Some positions of matches of each number of seats, each with the view of whoever is to act."""
    return [
        (state, game.view(state, cast(Any, game.to_act(state))))
        for seats in game.info.seats
        for match in walks(game, seats, matches)
        for state in match.states[:-1:every]
    ]


@ALL_BOTS
@ALL_GAMES
def test_what_a_bot_plays_is_legal_and_canonical(game: Game, bot: Bot, sample: Sample) -> None:
    for number, (_, view) in enumerate(decisions(game, sample(3, 60))):
        line = choose(bot, game, view, Chance(b"bots"), f"move/{number}", 30)
        assert is_offered(line, game.legal(view))
        assert game.notate(game.parse(line, view)) == line


@ALL_BOTS
@ALL_GAMES
def test_the_same_view_luck_and_work_give_the_same_line(game: Game, bot: Bot) -> None:
    for _, view in decisions(game, 2, 15):
        lines = {choose(bot, game, view, Chance(b"bots"), "move", 40) for _ in range(3)}
        assert len(lines) == 1


@ALL_GAMES
def test_another_label_is_other_luck(game: Game) -> None:
    _, view = decisions(game, 1)[0]
    assert len({choose(BOTS["bot:easy"], game, view, Chance(b"bots"), f"move/{number}") for number in range(40)}) > 1


@ALL_BOTS
@ALL_GAMES
def test_the_chance_given_is_asked_for_one_number_and_never_shuffles_as_the_match_will(game: Game, bot: Bot) -> None:
    """Else a bot that is given the luck of the match would see in its imagined worlds what is to come."""
    for number, (_, view) in enumerate(decisions(game, 1)):
        watched = WatchedChance(b"match")
        choose(bot, game, view, watched, f"bot/{number}", 20)
        assert watched.asked == [(f"bot/{number}", 1 << 64)]


@ALL_BOTS
@ALL_GAMES
@pytest.mark.parametrize("work", [1, 2, 7, 40, WORK])
def test_a_bot_looks_at_no_more_positions_than_it_may(game: Game, bot: Bot, work: int) -> None:
    looked: list[Any] = []

    def decide(*given: Any) -> Any:
        looked.append(given)
        return game.decide(*given)

    watched = copy_of(game, decide=decide)
    for number, (_, view) in enumerate(decisions(game, 1, 25)):
        looked.clear()
        choose(bot, watched, view, Chance(b"bots"), f"{number}", work)
        assert len(looked) <= work


@ALL_BOTS
@ALL_GAMES
def test_in_a_game_without_judgement_a_bot_plays_any_legal_move(game: Game, bot: Bot) -> None:
    blind = copy_of(game, judgement=None)
    _, view = decisions(game, 1)[0]
    lines = {choose(bot, blind, view, Chance(b"bots"), f"{number}") for number in range(30)}
    assert len(lines) > 1
    assert all(is_offered(line, game.legal(view)) for line in lines)


def test_the_easy_bot_plays_nothing_worse_than_the_absent_move() -> None:
    """Keltis, judged by somebody who wants no row changed: the absent move reveals a tile and leaves it."""
    keltis = GAMES[0]
    judgement = cast(Any, keltis.judgement)
    for number, (_, view) in enumerate(decisions(keltis, 3)):
        worlds = ModuleType("judgement")
        worlds.imagine = judgement.imagine  # type: ignore[attr-defined]
        worlds.worth = lambda after: -1.0 if after.table.rows != view.table.rows else 0.0  # type: ignore[attr-defined]  # noqa: B023
        line = choose(BOTS["bot:easy"], copy_of(keltis, judgement=worlds), view, Chance(b"bots"), f"{number}")
        assert not line.startswith(("take", "lay"))


@pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
def test_the_solid_bot_beats_the_easy_one_in_eight_of_ten_matches(game: Game, sample: Sample) -> None:
    """Of two players, the seats alternating; a shared win is none."""
    count = sample(8, 100)
    solid, easy = hold_contest(game, ["bot:solid", "bot:easy"], count, "strength", {})
    assert solid.won >= 0.8 * count, (solid.won, solid.shared, easy.won)
    assert solid.seconds_per_move < 0.5, "a hundred times what it takes would be noticed"


@pytest.mark.parametrize(
    ("game", "seats"),
    [(game, game.info.seats[-1]) for game in GAMES],
    ids=lambda value: str(getattr(value, "__name__", value)),
)
def test_a_full_table_of_bots_plays_to_the_end(game: Game, seats: int) -> None:
    results = hold_contest(game, ["bot:solid", *["bot:easy"] * (seats - 1)], 2, "table", {}, work=60)
    assert all(len(result.scores) == 2 for result in results)
    assert sum(result.won for result in results) + (sum(result.shared for result in results) > 0) >= 1
