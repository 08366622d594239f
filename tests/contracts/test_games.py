"""Every game keeps every promise of `engine/game.py`. A game is held to them by standing in TEST_GAMES.

The checks themselves are in `checks.py` and `worlds.py`; `test_planted.py` sees each of them fail.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadOption
from engine.events import SeatLeft
from engine.game import Game, complete_options
from tests.contracts import checks, worlds
from tests.contracts.walks import Walk, walks
from tests.games import TEST_GAMES

ROOT = Path(__file__).parents[2]
Sample = Callable[[int, int], int]

GAMES = pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
TABLES = pytest.mark.parametrize(
    ("game", "seats"),
    [pytest.param(game, seats, id=f"{game.info.id}-{seats}") for game in TEST_GAMES for seats in game.info.seats],
)


@pytest.fixture
def matches(game: Game, seats: int, sample: Sample) -> Iterator[Walk]:
    return walks(game, seats, sample(6, 200))


# -- the game itself


@GAMES
def test_its_id_is_the_name_of_its_folder(game: Game) -> None:
    checks.check_its_id_is_the_name_of_its_folder(game)


def test_no_two_games_share_an_id() -> None:
    assert len({game.info.id for game in TEST_GAMES}) == len(TEST_GAMES)


@TABLES
def test_its_options_have_allowed_defaults_and_allow_no_nonsense(game: Game, seats: int) -> None:
    checks.check_its_options(game, seats)


@GAMES
def test_a_match_is_not_opened_with_an_unknown_option_a_wrong_value_or_for_too_many(game: Game) -> None:
    seats = game.info.seats[0]
    wrong = [(seats, {"no such option": 1}), (1, {}), (game.info.seats[-1] + 1, {}), (True, {})]
    wrong += [(seats, {option.name: "nonsense"}) for option in game.info.options]
    for count, options in wrong:
        with pytest.raises(BadOption) as refused:
            complete_options(game.info, count, options)
        assert refused.value.sentence


# -- the deal


@TABLES
def test_the_same_seats_options_and_chance_give_the_same_deal(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_same_chance_gives_the_same_deal(match)


@TABLES
def test_every_label_of_chance_is_used_once_in_a_match(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_every_label_of_chance_is_used_once(match)


WRITE_A_LOG = """
import hashlib, sys
from tests.games import TEST_GAMES
from tests.matches import record
for game in TEST_GAMES:
    for entry in record(game, 3, 7).entries[-1:]:
        print(game.info.id, entry.seq, entry.hash.hex())
"""


def test_a_match_is_the_same_in_every_process() -> None:
    """The order of sets and dictionaries by hash is another in every process; nothing may hang on it."""
    logs = {
        subprocess.run(
            [sys.executable, "-c", WRITE_A_LOG],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(logs) == 1
    assert all(game.info.id in log for log in logs for game in TEST_GAMES)


# -- events, states and views as values


@TABLES
def test_an_event_survives_json_unchanged(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_events_survive_json(match)


@GAMES
def test_every_kind_of_event_happens_and_no_other(game: Game, sample: Sample) -> None:
    count = sample(15, 100)
    seen = {type(event) for seats in game.info.seats for match in walks(game, seats, count) for event in match.events}
    assert seen == {*game.events, SeatLeft}
    assert len({kind.__name__ for kind in seen}) == len(seen)


@TABLES
def test_a_state_survives_freeze_and_thaw_unchanged(game: Game, seats: int, sample: Sample) -> None:
    for match in walks(game, seats, sample(6, 1000)):
        checks.check_states_survive_json(match)


@TABLES
def test_a_view_survives_freeze(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_views_survive_freezing(match)


@TABLES
def test_what_is_shown_is_what_was_sealed(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_what_is_shown_was_sealed(match)


# -- whose turn it is, and what may be played


@TABLES
def test_somebody_is_to_act_until_the_match_is_over(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_somebody_is_to_act_until_the_match_is_over(match)


@TABLES
def test_somebody_has_the_turn_and_nobody_else_is_asked_where_there_are_no_orders(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_whose_turn_it_is(match)


@TABLES
def test_orders_are_read_and_what_they_answer_is_legal(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_orders_are_read_and_obeyed(match)


@TABLES
def test_nonsense_is_no_order(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_nonsense_is_no_order(match)


@TABLES
def test_what_a_bot_imagines_looks_to_its_seat_as_the_match_does_and_can_be_played_on(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_imagined_worlds(match)


@TABLES
def test_a_view_is_worth_a_number(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_a_view_is_worth_a_number(match)


@TABLES
def test_moves_are_offered_to_whoever_is_to_act_and_to_nobody_else(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_moves_are_offered_to_whoever_is_to_act_and_nobody_else(match)


@TABLES
def test_every_move_offered_is_accepted_and_brings_something_about(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_what_is_offered_is_accepted(match)


@TABLES
def test_the_words_of_a_choice_may_stand_in_any_order(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_words_of_a_choice_may_stand_in_any_order(match)


@TABLES
def test_no_other_move_is_accepted_and_each_refusal_names_its_rule(matches: Iterator[Walk]) -> None:
    assert sum(checks.check_nothing_else_is_accepted(match) for match in matches) > 20, "some lines were no good"


@pytest.mark.rule("GE-2")
@TABLES
def test_acting_out_of_turn_or_after_the_end_is_refused(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_acting_out_of_turn_or_after_the_end_is_refused(match)


@TABLES
def test_the_absent_move_is_always_legal(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_absent_move_is_legal(match)


# -- believing


@TABLES
def test_the_state_is_the_fold_of_its_events(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_state_is_the_fold_of_its_events(match)


@TABLES
def test_evolve_never_judges(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_evolve_never_refuses(match)


# -- the end


@TABLES
def test_places_are_counted_past_shared_ones_and_the_parts_of_a_score_add_up(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_outcome(match)


@pytest.mark.rule("GE-1")
@TABLES
def test_any_seat_may_leave_at_any_point_and_the_last_that_stays_wins(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_leaving(match)


@pytest.mark.rule("GE-2")
@TABLES
def test_nobody_leaves_after_the_end(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_nobody_leaves_after_the_end(match)


# -- notation


@TABLES
def test_notation_and_reading_are_inverse_to_each_other(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_notation_is_inverse_to_reading(match)


@TABLES
def test_reading_forgives_case_and_spaces(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_reading_is_forgiving(match)


@TABLES
def test_nonsense_is_read_or_refused_and_nothing_else(game: Game, seats: int, sample: Sample) -> None:
    for match in walks(game, seats, sample(2, 20)):
        checks.check_nonsense_is_read_or_refused(match)


@GAMES
@given(st.data())
def test_whatever_is_written_is_read_or_refused_as_no_move(game: Game, data: st.DataObject) -> None:
    match = next(walks(game, data.draw(st.sampled_from(list(game.info.seats))), 1))
    words = sorted({word for line in match.lines for word in re.findall(r"\d+|[^\W\d]+", line)})
    spoken = st.lists(st.sampled_from([*words, *"0123456789", ",", ".", "-"]), max_size=6)
    text = data.draw(st.text() | spoken.map(" ".join) | spoken.map("".join))
    state = data.draw(st.sampled_from(match.states))
    reader = data.draw(st.sampled_from(match.readers()))
    checks.check_reading_raises_nothing_but_notation_errors(game, state, reader, text)


# -- words and pictures


@TABLES
def test_the_position_is_told_in_lines_of_72_characters_whatever_the_names(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_position_is_told(match)


@TABLES
def test_the_guide_speaks_to_whoever_is_to_act_in_lines_that_can_be_played(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_the_guide_speaks_to_whoever_is_to_act(match)


@TABLES
def test_what_happened_is_recounted_to_every_reader(matches: Iterator[Walk]) -> None:
    for match in matches:
        checks.check_what_happened_is_recounted(match)


@TABLES
def test_the_picture_is_well_formed_stands_alone_and_is_the_same_every_time(
    game: Game, seats: int, sample: Sample
) -> None:
    for match in walks(game, seats, sample(1, 40)):
        checks.check_the_picture(match)


# -- secrecy


@TABLES
def test_nobody_can_tell_apart_what_differs_only_in_what_they_may_not_know(
    game: Game, seats: int, sample: Sample
) -> None:
    unnoticed = 0
    for match in walks(game, seats, sample(4 if seats == 2 else 2, 60)):
        for reader in match.readers():
            for pair in worlds.pairs(match, reader, sample(4, 6)):
                worlds.check_the_reader_cannot_tell(pair)
                unnoticed += 1
    assert unnoticed > sample(8, 20), "there was something to hide"


@TABLES
def test_a_bot_plays_the_same_whatever_its_seat_may_not_know(game: Game, seats: int, sample: Sample) -> None:
    asked = 0
    for match in walks(game, seats, sample(2, 30)):
        for reader in match.readers():
            asked += sum(worlds.check_a_bot_cannot_tell(pair) for pair in worlds.pairs(match, reader, 6))
    assert asked > 5, "bots were asked"
