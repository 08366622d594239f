"""Keltis, rule by rule. The numbers are those of the rules page; a test of a rule fails when that rule is broken."""

import re
from collections import Counter
from pathlib import Path

import pytest

from engine.chance import Chance
from engine.errors import BadOption, RuleViolation
from engine.events import Seat
from engine.game import complete_options
from engine.games import keltis
from engine.games.keltis.rules import MatchEnded, State, TileRevealed, TilesMixed, score
from engine.games.keltis.tiles import TILES
from engine.play import fold
from tests.engine.games.keltis.positions import CHANCE, leave, play, position, refusal, row

RULES = [*(f"KE-{number}" for number in range(1, 16)), "GE-1", "GE-2"]


def opening(seats: int = 2, seed: bytes = b"seed", **options: object) -> State:
    dealt = keltis.deal(seats, complete_options(keltis.info, seats, options), Chance(seed))
    state: State = fold(keltis, None, dealt)
    return state


def ended(state: State) -> bool:
    return keltis.to_act(state) is None


# -- set-up


@pytest.mark.rule("KE-1")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_to_four_may_play(seats: int) -> None:
    assert len(opening(seats).table.rows) == seats


@pytest.mark.rule("KE-1")
@pytest.mark.parametrize("seats", [0, 1, 5])
def test_fewer_or_more_may_not(seats: int) -> None:
    with pytest.raises(BadOption):
        complete_options(keltis.info, seats, {})


@pytest.mark.rule("KE-2")
def test_all_55_tiles_are_mixed_face_down() -> None:
    state = opening()
    assert state.table.face_down == 55
    assert Counter(state.stack) == Counter(
        f"{colour} {number}" for colour in ("blue", "brown", "yellow", "green", "pink") for number in range(11)
    )
    assert state.stack != tuple(TILES)
    assert state.stack != opening(seed=b"another").stack


@pytest.mark.rule("KE-2")
@pytest.mark.parametrize("line", ["take blue 11", "take red 5", "take green 99"])
def test_a_tile_that_is_not_printed_is_no_such_tile(line: str) -> None:
    assert refusal(position(), line) == ("KE-2", "no_such_tile")
    assert refusal(position(revealed="blue 5"), line) == ("KE-2", "no_such_tile")


@pytest.mark.rule("KE-2")
@pytest.mark.rule("KE-9")
def test_nobody_may_see_the_order_of_the_stack() -> None:
    (mixed,) = keltis.deal(2, complete_options(keltis.info, 2, {}), CHANCE)
    assert isinstance(mixed, TilesMixed)
    assert [sealed.name for sealed in mixed.stack] == [f"stack/{place}" for place in range(55)]
    assert all(sealed.to == () for sealed in mixed.stack)


@pytest.mark.rule("KE-3")
def test_play_goes_by_rising_seat_number_and_round() -> None:
    state = opening(3, first_player=1)
    turns = []
    for _ in range(5):
        turns.append(keltis.to_act(state))
        state = play(state, "reveal, leave")
    assert turns == [1, 2, 0, 1, 2]


@pytest.mark.rule("KE-3")
def test_by_default_chance_says_who_begins() -> None:
    first = Counter(opening(4, seed=bytes([number])).table.turn for number in range(200))
    assert set(first) == {0, 1, 2, 3}
    assert max(first.values()) < 80


@pytest.mark.rule("KE-3")
@pytest.mark.parametrize("first_player", [-1, 2, True, "oldest", None, 0.0])
def test_only_a_seat_of_the_match_can_begin(first_player: object) -> None:
    with pytest.raises(BadOption):
        complete_options(keltis.info, 2, {"first_player": first_player})


# -- a turn


@pytest.mark.rule("KE-4")
def test_a_turn_is_one_reveal_or_one_take() -> None:
    state = position(middle=["pink 3"])
    assert keltis.to_act(play(state, "reveal, leave")) == 1
    assert keltis.to_act(play(state, "take pink 3")) == 1


@pytest.mark.rule("KE-4")
def test_a_normal_turn_cannot_be_passed() -> None:
    assert refusal(position(middle=["pink 3"]), "stop") == ("KE-4", "cannot_pass")


@pytest.mark.rule("KE-4")
def test_only_an_open_tile_can_be_taken() -> None:
    state = position({}, {"blue": [3]}, middle=["pink 3"], stack=["green 1", "green 2"])
    for tile in ("green 1", "blue 3", "yellow 7"):
        assert refusal(state, f"take {tile}") == ("KE-4", "not_open")


@pytest.mark.rule("KE-4")
@pytest.mark.parametrize("line", ["lay", "leave"])
@pytest.mark.parametrize("extra", [False, True])
def test_without_a_reveal_nothing_is_laid_or_left(line: str, extra: bool) -> None:
    assert refusal(position(extra=extra), line) == ("KE-4", "nothing_revealed")


@pytest.mark.rule("KE-5")
def test_everybody_sees_the_tile_that_was_revealed() -> None:
    state = position(stack=["green 7", "pink 1"])
    (revealed,) = keltis.decide(state, Seat(0), keltis.parse("reveal", None), CHANCE)
    assert isinstance(revealed, TileRevealed)
    assert revealed.tile.value == "green 7"
    assert revealed.tile.to is None
    state = fold(keltis, state, [revealed])
    assert {keltis.view(state, seat).table.revealed for seat in (Seat(0), Seat(1), None)} == {"green 7"}


@pytest.mark.rule("KE-5")
def test_who_reveals_lays_the_tile_or_leaves_it() -> None:
    state = play(position(stack=["green 7", "pink 1"]), "reveal")
    assert keltis.to_act(state) == 0
    laid, left = play(state, "lay"), play(state, "leave")
    assert (row(laid, 0, "green"), laid.table.open, laid.table.turn) == ([7], (), 1)
    assert (row(left, 0, "green"), left.table.open, left.table.turn) == ([], ("green 7",), 1)


@pytest.mark.rule("KE-5")
@pytest.mark.parametrize("line", ["take pink 3", "take green 7", "stop", "reveal", "reveal, leave"])
@pytest.mark.parametrize("extra", [False, True])
def test_after_a_reveal_nothing_but_lay_or_leave_is_allowed(line: str, extra: bool) -> None:
    state = play(position(middle=["pink 3"], stack=["green 7", "pink 1"], extra=extra), "reveal")
    assert refusal(state, line) == ("KE-5", "lay_or_leave")


@pytest.mark.rule("KE-5")
@pytest.mark.parametrize("line", ["reveal", "reveal, lay", "reveal, lay else leave", "reveal, leave"])
def test_a_tile_that_does_not_fit_is_left_at_once(line: str) -> None:
    state = play(position({"green": [8, 5]}, stack=["green 7", "pink 1"]), line)
    assert state.table.open == ("green 7",)
    assert row(state, 0, "green") == [8, 5]
    assert keltis.to_act(state) == 1


@pytest.mark.rule("KE-5")
def test_a_reveal_may_say_what_follows() -> None:
    state = position(stack=["green 7", "pink 1"])
    assert play(state, "reveal, lay else leave") == play(state, "reveal", "lay")
    assert play(state, "reveal, lay") == play(state, "reveal", "lay")
    assert play(state, "reveal, leave") == play(state, "reveal", "leave")


@pytest.mark.rule("KE-6")
def test_a_tile_taken_is_laid_at_once() -> None:
    state = play(position({"pink": [1]}, middle=["blue 2", "pink 3", "green 9"]), "take pink 3")
    assert row(state, 0, "pink") == [1, 3]
    assert state.table.open == ("blue 2", "green 9")


@pytest.mark.rule("KE-6")
@pytest.mark.rule("KE-7")
def test_a_tile_that_does_not_fit_cannot_be_taken() -> None:
    assert refusal(position({"pink": [1, 5]}, middle=["pink 3"]), "take pink 3") == ("KE-7", "row_rises")
    assert refusal(position({"pink": [5, 4]}, middle=["pink 9"]), "take pink 9") == ("KE-7", "row_falls")


@pytest.mark.rule("KE-7")
@pytest.mark.parametrize("numbers", [[0, 3, 4, 5, 9], [8, 6, 5, 2, 0]])
def test_the_rows_of_the_rulebook_are_fine(numbers: list[int]) -> None:
    state = position(stack=[tile for number in numbers for tile in (f"yellow {number}", "blue 0")])
    for _ in numbers:
        state = play(state, "reveal, lay", "reveal, leave")
    assert row(state, 0, "yellow") == numbers


@pytest.mark.rule("KE-7")
@pytest.mark.parametrize("number", [7, 9])
def test_after_green_8_and_5_neither_7_nor_9_fits(number: int) -> None:
    state = position({"green": [8, 5]}, middle=[f"green {number}"])
    assert refusal(state, f"take green {number}") == ("KE-7", "row_falls")


@pytest.mark.rule("KE-7")
@pytest.mark.parametrize("first", range(11))
def test_the_first_two_tiles_of_a_row_may_be_any(first: int) -> None:
    for second in set(range(11)) - {first}:
        state = play(position({"brown": [first]}, middle=[f"brown {second}"]), f"take brown {second}")
        assert row(state, 0, "brown") == [first, second]


@pytest.mark.rule("KE-7")
@pytest.mark.parametrize(
    ("laid", "fitting"),
    [([2, 4], {5, 6, 7, 8, 9, 10}), ([4, 2], {0, 1}), ([3, 9], {10}), ([1, 10], set()), ([9, 0], set())],
)
def test_each_later_tile_goes_on_strictly_in_the_row_s_direction(laid: list[int], fitting: set[int]) -> None:
    others = [f"pink {number}" for number in range(11) if number not in laid]
    state = position({"pink": laid}, middle=others)
    offered = {offer.text for offer in keltis.legal(keltis.view(state, Seat(0)))}
    assert {tile for tile in others if f"take {tile}" in offered} == {f"pink {number}" for number in fitting}


@pytest.mark.rule("KE-7")
def test_each_player_has_rows_of_their_own() -> None:
    state = position({"pink": [5, 4]}, {"pink": [1, 2]}, middle=["pink 9"])
    assert refusal(state, "take pink 9") == ("KE-7", "row_falls")
    assert row(play(state, "reveal, leave", "take pink 9"), 1, "pink") == [1, 2, 9]


@pytest.mark.rule("KE-8")
@pytest.mark.parametrize("lines", [["reveal, lay"], ["reveal", "lay"], ["take pink 9"]])
def test_laying_a_clover_gives_another_turn(lines: list[str]) -> None:
    state = play(position(middle=["pink 9"], stack=["blue 5", "blue 0"]), *lines)
    assert (keltis.to_act(state), state.table.extra) == (0, True)


@pytest.mark.rule("KE-8")
@pytest.mark.parametrize("tile", sorted(TILES))
def test_only_a_clover_gives_another_turn(tile: str) -> None:
    clovers = {"blue": (5, 6), "brown": (5, 8), "yellow": (1, 7), "green": (3, 4), "pink": (2, 9)}
    colour, number = tile.split()
    state = play(position(middle=[tile]), f"take {tile}")
    assert (keltis.to_act(state) == 0) == (int(number) in clovers[colour])


@pytest.mark.rule("KE-8")
def test_a_clover_left_open_gives_no_extra_turn_until_somebody_takes_it() -> None:
    state = play(position(stack=["blue 5", "blue 0"]), "reveal, leave")
    assert (keltis.to_act(state), state.table.extra) == (1, False)
    state = play(state, "take blue 5")
    assert (keltis.to_act(state), state.table.extra) == (1, True)


@pytest.mark.rule("KE-8")
def test_extra_turns_chain() -> None:
    state = position(middle=["blue 5", "brown 8", "pink 2"], stack=["green 3", "blue 0", "blue 1"])
    state = play(state, "take blue 5", "take brown 8", "reveal, lay", "take pink 2")
    assert (keltis.to_act(state), state.table.extra) == (0, True)
    assert keltis.to_act(play(state, "reveal, leave")) == 1


@pytest.mark.rule("KE-8")
def test_an_extra_turn_may_be_given_up() -> None:
    state = play(position(middle=["blue 5"]), "take blue 5", "stop")
    assert (keltis.to_act(state), state.table.extra) == (1, False)
    assert refusal(state, "stop") == ("KE-4", "cannot_pass")


@pytest.mark.rule("KE-9")
def test_reveals_come_in_the_order_of_the_shuffled_stack() -> None:
    state = opening()
    seen = []
    for _ in range(55):
        seat = keltis.to_act(state)
        assert seat is not None
        revealed, *rest = keltis.decide(state, seat, keltis.parse("reveal, leave", None), CHANCE)
        seen.append((revealed.tile.name, revealed.tile.value))
        state = fold(keltis, state, [revealed, *rest])
    assert seen == [(f"stack/{place}", tile) for place, tile in enumerate(opening().stack)]


# -- the end


@pytest.mark.rule("KE-10")
@pytest.mark.parametrize("lines", [["reveal, leave"], ["reveal, lay"], ["reveal", "lay"], ["reveal", "leave"]])
@pytest.mark.parametrize("extra", [False, True])
def test_the_match_ends_with_the_turn_that_reveals_the_last_tile(lines: list[str], extra: bool) -> None:
    state = position(stack=["blue 0"], middle=["pink 3"], extra=extra)
    assert not ended(play(state, *lines[:-1]))
    state = play(state, *lines)
    assert ended(state)
    outcome = keltis.outcome(state)
    assert outcome is not None
    assert outcome.reason == "last_tile"


@pytest.mark.rule("KE-10")
@pytest.mark.parametrize("lines", [["reveal"], ["reveal, lay"]])
def test_a_last_tile_that_does_not_fit_ends_the_match_unasked(lines: list[str]) -> None:
    state = play(position({"blue": [2, 1]}, stack=["blue 9"]), *lines)
    assert ended(state)
    assert state.table.open == ("blue 9",)


@pytest.mark.rule("KE-10")
def test_taking_while_one_tile_is_face_down_does_not_end_the_match() -> None:
    assert not ended(play(position(stack=["blue 0"], middle=["pink 3"]), "take pink 3"))


@pytest.mark.rule("KE-10")
@pytest.mark.parametrize("lines", [["reveal, lay"], ["reveal", "lay"]])
def test_a_clover_laid_last_gives_an_extra_turn_from_the_open_tiles(lines: list[str]) -> None:
    state = position({"green": [3, 1]}, stack=["blue 5"], middle=["pink 3", "pink 9", "green 8"])
    state = play(state, *lines)
    offers = [offer.text for offer in keltis.legal(keltis.view(state, Seat(0)))]
    assert offers == ["take pink 3", "take pink 9", "stop"]
    assert refusal(state, "reveal") == ("KE-4", "none_face_down")
    assert refusal(state, "take green 8") == ("KE-7", "row_falls")


@pytest.mark.rule("KE-10")
def test_the_last_extra_turn_takes_one_tile() -> None:
    state = position(stack=["blue 5"], middle=["pink 3", "pink 4"])
    assert ended(play(state, "reveal, lay", "take pink 3"))


@pytest.mark.rule("KE-10")
def test_the_last_extra_turn_chains_over_clovers() -> None:
    state = position(stack=["blue 5"], middle=["pink 9", "green 4", "pink 3", "pink 10"])
    state = play(state, "reveal, lay", "take green 4", "take pink 9")
    assert not ended(state)
    assert ended(play(state, "take pink 10"))


@pytest.mark.rule("KE-10")
def test_the_last_extra_turn_may_be_given_up() -> None:
    assert ended(play(position(stack=["blue 5"], middle=["pink 9"]), "reveal, lay", "stop"))


@pytest.mark.rule("KE-10")
def test_the_last_extra_turn_is_over_when_no_open_tile_fits() -> None:
    state = position({"pink": [3, 4], "blue": [6]}, stack=["blue 5"], middle=["pink 2", "blue 9"])
    assert ended(play(state, "reveal, lay"))
    chain = position({"pink": [3, 4]}, stack=["blue 5"], middle=["pink 9", "pink 5"])
    assert ended(play(chain, "reveal, lay", "take pink 9"))
    assert ended(play(position(stack=["blue 5"]), "reveal, lay"))
    assert ended(play(position(stack=["blue 5"], middle=["pink 9"]), "reveal, lay", "take pink 9"))


@pytest.mark.rule("KE-10")
def test_with_last_clover_none_the_last_tile_gives_no_extra_turn() -> None:
    state = position(stack=["blue 5"], middle=["pink 9"], last_clover="none")
    assert ended(play(state, "reveal, lay"))
    assert not ended(play(position(stack=["blue 5", "blue 0"], last_clover="none"), "reveal, lay"))


@pytest.mark.rule("KE-10")
def test_a_clover_left_last_gives_nothing() -> None:
    assert ended(play(position(stack=["blue 5"], middle=["pink 9"]), "reveal, leave"))


@pytest.mark.rule("KE-10")
def test_last_clover_knows_two_values() -> None:
    assert complete_options(keltis.info, 2, {})["last_clover"] == "extra"
    assert opening(last_clover="none").table.last_clover == "none"
    for value in ("both", True, None, 1):
        with pytest.raises(BadOption):
            complete_options(keltis.info, 2, {"last_clover": value})


# -- the score


def total(*rows: dict[str, list[int]], seat: int = 0) -> int:
    return score(position(*rows).table, seat).total


def part(name: str, rows: dict[str, list[int]]) -> int:
    return dict(score(position(rows).table, 0).parts)[name]


@pytest.mark.rule("KE-11")
def test_open_tiles_count_for_nobody() -> None:
    assert score(position(middle=["blue 8", "pink 7", "blue 2"]).table, 0).total == -4


@pytest.mark.rule("KE-12")
@pytest.mark.parametrize(
    ("length", "points"),
    [(0, 0), (1, -4), (2, -3), (3, 2), (4, 3), (5, 6), (6, 10), (7, 10), (8, 10), (9, 10), (10, 10), (11, 10)],
)
def test_each_row_counts_by_its_length(length: int, points: int) -> None:
    for colour in ("blue", "brown", "yellow", "green", "pink"):
        assert part(colour, {colour: list(range(length))}) == points


@pytest.mark.rule("KE-13")
@pytest.mark.parametrize(("count", "points"), [(0, -4), (1, -3), (2, 2), (3, 3), (4, 6), (5, 10), (6, 10), (10, 10)])
def test_all_wishing_stones_count_together(count: int, points: int) -> None:
    wishes = [
        ("blue", 2), ("brown", 4), ("yellow", 6), ("green", 6), ("pink", 1),
        ("blue", 3), ("brown", 7), ("yellow", 8), ("green", 9), ("pink", 4),
    ]  # fmt: skip
    rows: dict[str, list[int]] = {}
    for colour, number in wishes[:count]:
        rows.setdefault(colour, []).append(number)
    assert part("wishing_stones", rows) == points


@pytest.mark.rule("KE-13")
def test_who_never_laid_a_tile_scores_minus_4() -> None:
    assert total({}) == -4


@pytest.mark.rule("KE-14")
def test_bonus_points_are_added() -> None:
    assert part("bonus", {"blue": [8, 9], "brown": [2, 6], "yellow": [3, 4], "green": [5, 1], "pink": [7, 5]}) == 20
    assert part("bonus", {"blue": [8]}) == 3
    assert part("bonus", {"green": [1]}) == 1
    assert part("bonus", {"green": [2, 3, 6]}) == 0


@pytest.mark.rule("KE-12")
@pytest.mark.rule("KE-13")
@pytest.mark.rule("KE-14")
def test_the_example_of_the_rulebook_makes_21() -> None:
    """Two blue tiles, four yellow, three pink, five brown, three wishing stones, bonus 3+1+3+3."""
    rows = {"blue": [8, 7], "yellow": [0, 3, 4, 6], "pink": [1, 3, 7], "brown": [0, 1, 3, 7, 8]}
    result = score(position(rows).table, 0)
    assert [points for _, points in result.parts] == [-3, 6, 3, 0, 2, 3, 10]
    assert result.total == 21


@pytest.mark.rule("KE-15")
def test_most_points_wins_and_equal_points_share_the_place() -> None:
    best, same = {"blue": [0, 1, 2, 3, 4, 5]}, {"pink": [10, 8, 6]}
    state = play(position(same, best, same, {}, stack=["green 0"], turn=3), "reveal, leave")
    outcome = keltis.outcome(state)
    assert outcome is not None
    assert [result.total for result in outcome.scores] == [-2, 12, -2, -4]
    assert outcome.places == (2, 1, 2, 4)
    assert all(sum(points for _, points in result.parts) == result.total for result in outcome.scores)


@pytest.mark.rule("KE-15")
def test_there_can_be_several_winners() -> None:
    outcome = keltis.outcome(play(position({}, {}, {"pink": [0]}, stack=["green 0"], turn=2), "reveal, leave"))
    assert outcome is not None
    assert outcome.places == (1, 1, 3)


def test_there_is_no_outcome_while_the_match_runs() -> None:
    assert keltis.outcome(position(stack=["green 0"])) is None


# -- the rules of every game


@pytest.mark.rule("GE-1")
def test_a_match_goes_on_while_two_seats_are_left() -> None:
    state = leave(position({}, {}, {}), 1)
    assert keltis.left(state) == (1,)
    assert keltis.to_act(state) == 0
    assert keltis.outcome(state) is None


@pytest.mark.rule("GE-1")
def test_the_last_seat_wins_whatever_the_scores_and_later_leavers_rank_first() -> None:
    best = {"blue": [0, 1, 2, 3, 4, 5]}
    state = leave(position({}, best, {}, best), 3, 0, 1)
    assert keltis.to_act(state) is None
    outcome = keltis.outcome(state)
    assert outcome is not None
    assert outcome.places == (3, 2, 1, 4)
    assert outcome.reason == "others_left"


@pytest.mark.rule("GE-1")
def test_who_left_ranks_after_all_others_when_the_stack_runs_out() -> None:
    best = {"blue": [0, 1, 2, 3, 4, 5]}
    state = play(leave(position(best, {"pink": [1]}, {}, stack=["green 0"], turn=1), 0), "reveal, leave")
    outcome = keltis.outcome(state)
    assert outcome is not None
    assert outcome.places == (3, 2, 1)


@pytest.mark.rule("GE-1")
def test_who_left_cannot_leave_again() -> None:
    state = leave(position({}, {}, {}), 1)
    assert keltis.leave(state, Seat(1), CHANCE) == ()
    over = leave(state, 0)
    with pytest.raises(RuleViolation) as caught:
        keltis.leave(over, Seat(2), CHANCE)
    assert caught.value.rule == "GE-2"


@pytest.mark.rule("GE-1")
def test_the_absent_move_is_to_reveal_and_leave_and_in_an_extra_turn_to_stop() -> None:
    def absent(state: State) -> str:
        return keltis.notate(keltis.absent(keltis.view(state, Seat(0))))

    assert absent(position(middle=["blue 5"])) == "reveal, leave"
    assert absent(position(revealed="blue 5")) == "leave"
    assert absent(position(revealed="blue 5", extra=True)) == "leave"
    assert absent(position(extra=True)) == "stop"


@pytest.mark.rule("GE-2")
@pytest.mark.parametrize("line", ["reveal", "take pink 3", "take red 5", "lay", "stop"])
def test_acting_out_of_turn_is_refused(line: str) -> None:
    assert refusal(position(middle=["pink 3"]), line, seat=1) == ("GE-2", "not_your_turn")


@pytest.mark.rule("GE-2")
@pytest.mark.parametrize("seat", [0, 1])
def test_acting_after_the_end_is_refused(seat: int) -> None:
    over = play(position(stack=["blue 0"], middle=["pink 3"]), "reveal, leave")
    assert refusal(over, "take pink 3", seat=seat) == ("GE-2", "match_over")


# -- the lowest number is named


def test_a_move_that_breaks_several_rules_names_the_lowest() -> None:
    after_a_reveal = position({"pink": [1, 5]}, middle=["pink 3"], revealed="green 7")
    assert refusal(after_a_reveal, "take pink 11") == ("KE-2", "no_such_tile")
    assert refusal(after_a_reveal, "take pink 4") == ("KE-4", "not_open")
    assert refusal(after_a_reveal, "take pink 3") == ("KE-5", "lay_or_leave")
    assert refusal(position({"pink": [1, 5]}), "take pink 3") == ("KE-4", "not_open")


def test_the_last_event_of_a_match_says_why_it_ended() -> None:
    state = position(stack=["blue 0"])
    events = keltis.decide(state, Seat(0), keltis.parse("reveal, leave", None), CHANCE)
    assert events[-1] == MatchEnded("last_tile")


def test_every_rule_has_a_test_that_names_it() -> None:
    here = Path(__file__).parent
    marked = {
        number
        for test in here.glob("test_*.py")
        for number in re.findall(r'^@pytest\.mark\.rule\("(.+?)"\)$', test.read_text("utf-8"), re.MULTILINE)
    }
    assert marked == set(RULES)
