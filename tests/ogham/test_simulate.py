"""Random legal matches: the same seed gives the same ones, and the summary adds up."""

import dataclasses

import pytest

from engine.errors import BadOption
from engine.game import Game
from ogham.simulate import Summary, find_game, play_match, simulate
from tests.games import TEST_GAMES


def timeless(summary: Summary) -> Summary:
    return dataclasses.replace(summary, seconds=1, engine_seconds=1)


def every_table() -> list[tuple[Game, int]]:
    return [(game, seats) for game in TEST_GAMES for seats in game.info.seats]


@pytest.mark.parametrize(
    ("game", "seats"), every_table(), ids=lambda value: value if isinstance(value, int) else value.info.id
)
def test_the_same_seed_gives_the_same_summary_but_for_its_times(game: Game, seats: int):
    once, again = (simulate(game, seats, 10, "a", {}) for _ in range(2))
    assert timeless(once) == timeless(again)
    assert simulate(game, seats, 10, "b", {}).digest != once.digest


@pytest.mark.parametrize(
    ("game", "seats"), every_table(), ids=lambda value: value if isinstance(value, int) else value.info.id
)
def test_the_summary_adds_up(game: Game, seats: int):
    calls: list[None] = []
    summary = simulate(game, seats, 12, "a", {}, on_match=lambda: calls.append(None))
    assert summary.matches == len(calls) == 12
    assert summary.moves == round(summary.mean_length * 12)
    assert summary.least_score <= summary.mean_score <= summary.most_score
    assert [sum(places) for places in summary.places] == [12] * seats
    assert sum(summary.wins) >= 12  # more, where a first place was shared
    assert sum(summary.reasons.values()) == 12
    assert 0 < summary.engine_seconds < summary.seconds
    assert summary.engine_moves_per_second > summary.moves_per_second
    assert summary.as_json()["digest"] == summary.digest


def test_the_summary_is_that_of_its_matches():
    game = find_game("keltis")
    options = {"first_player": 1, "last_clover": "none"}
    summary = simulate(game, 3, 4, "a", {"first_player": 1, "last_clover": "none"})
    matches = [play_match(game, 3, options, f"a/{number}") for number in range(4)]
    totals = [score.total for match in matches for score in match.outcome.scores]
    assert summary.options == options
    assert summary.moves == sum(match.moves for match in matches)
    assert (summary.least_score, summary.most_score) == (min(totals), max(totals))
    assert summary.mean_score == pytest.approx(sum(totals) / 12)
    assert summary.wins == [sum(match.outcome.places[seat] == 1 for match in matches) for seat in range(3)]


def test_another_match_of_the_run_is_another_match():
    game = find_game("keltis")
    options = {"first_player": "random", "last_clover": "extra"}
    outcomes = {play_match(game, 4, options, f"a/{number}").outcome for number in range(20)}
    assert len(outcomes) > 15


def test_what_there_is_not_is_answered_with_what_there_is():
    with pytest.raises(BadOption) as refusal:
        find_game("nothing")
    assert "keltis (seats: 2 to 4)" in refusal.value.sentence
    with pytest.raises(BadOption):
        simulate(find_game("keltis"), 5, 1, "a", {})
    with pytest.raises(BadOption):
        simulate(find_game("keltis"), 2, 1, "a", {"nothing": 1})
