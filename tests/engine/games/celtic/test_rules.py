"""Celtic, rule by rule. The numbers are those of the rules page; a test of a rule fails when that rule is broken."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import BadOption, RuleViolation
from engine.events import Sealed, Seat, Shown, as_seen_by
from engine.game import Score, complete_options
from engine.games import celtic
from engine.games.celtic.board import GOODS, RECONSTRUCTION
from engine.games.celtic.rules import ranked, score, standing
from engine.games.celtic.table import (
    CardsCollected,
    Collect,
    CompleteGoal,
    FinalPhaseBegun,
    Follow,
    Followed,
    GoalCompleted,
    GoalsDealt,
    GoalsShuffled,
    GoodsRevealed,
    MarkersMoved,
    MatchEnded,
    MoveMarkers,
    PartEnded,
    State,
    TableSet,
    TurnEnded,
)
from engine.play import fold, play_for_the_absent
from tests.engine.games.celtic.positions import (
    CHANCE,
    SEVEN,
    happened,
    leave,
    offered,
    opening,
    play,
    position,
    refusal,
    refused,
    stands,
)
from tests.engine.games.celtic.second_reading import PLACES

RULES = [*(f"CE-{number}" for number in range(1, 22)), "GE-1", "GE-2"]
FIVE = "E01 E02 E03 E04 E05"


def to_act(state: State) -> int | None:
    return celtic.to_act(state)


def reason(state: State) -> str:
    outcome = celtic.outcome(state)
    return outcome.reason if outcome else ""


# -- set-up


@pytest.mark.rule("CE-1")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_to_four_may_play(seats: int) -> None:
    assert len(opening(seats).table.markers) == seats


@pytest.mark.rule("CE-1")
@pytest.mark.parametrize("seats", [0, 1, 5])
def test_fewer_or_more_may_not(seats: int) -> None:
    with pytest.raises(BadOption):
        complete_options(celtic.info, seats, {})


@pytest.mark.rule("CE-2")
def test_the_map_has_the_village_50_locations_and_7_trade_locations() -> None:
    board = opening().table.terms.board
    assert board == RECONSTRUCTION
    assert list(board.ids) == PLACES
    trade = [place for place in board.ids if place.startswith("trade_")]
    assert (board.ids[0], len(board.ids), sorted(trade)) == ("village", 58, sorted(f"trade_{good}" for good in GOODS))


@pytest.mark.rule("CE-2")
def test_a_place_that_is_not_on_the_map_is_refused() -> None:
    for move in (MoveMarkers(1, "village", "rome"), MoveMarkers(9, "rome", "village"), MoveMarkers(0, "a", "b")):
        assert refused(position(), move) == ("CE-2", "no_such_place")
    assert refused(position(moved=True), MoveMarkers(1, "rome", "grain")) == ("CE-2", "no_such_place")


@pytest.mark.rule("CE-3")
def test_there_are_16_trade_cards_of_each_of_the_seven_goods() -> None:
    assert opening().table.stacks == (16,) * 7
    assert refused(position(), Collect("gold", 1)) == ("CE-3", "no_such_good")
    assert refused(position("village 1", waiting=(0,), way=("village", "grain")), Collect("gold", 9))[0] == "CE-3"


@pytest.mark.rule("CE-4")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_goals_are_shuffled_and_each_player_draws_two_clockwise_from_the_first(seats: int) -> None:
    state = opening(seats, first_player=1)
    assert sorted(state.deck) == sorted(goal.id for goal in RECONSTRUCTION.goals)
    for step in range(seats):
        assert state.hands[(1 + step) % seats] == state.deck[2 * step : 2 * step + 2]
    assert state.table.deck == 20 - 2 * seats
    assert len({opening(seats, seed=bytes([number])).deck for number in range(6)}) > 1
    assert refused(position(), CompleteGoal("E11")) == ("CE-4", "no_such_goal")


@pytest.mark.rule("CE-4")
def test_a_goal_in_hand_is_seen_by_its_owner_only() -> None:
    events = celtic.deal(3, complete_options(celtic.info, 3, {"first_player": 0}), CHANCE)
    _, shuffled, dealt = events
    assert isinstance(shuffled, GoalsShuffled)
    assert isinstance(dealt, GoalsDealt)
    assert all(isinstance(slot, Sealed) and slot.to == () and slot.name for slot in shuffled.deck)
    for seat, goals in enumerate(dealt.goals):
        assert all(isinstance(goal, Shown) and goal.to == (seat,) for goal in goals)
    state = fold(celtic, None, events)
    for viewer in (0, 1, 2, None):
        view = celtic.view(state, None if viewer is None else Seat(viewer))
        assert view.hand == (() if viewer is None else tuple(sorted(state.hands[viewer])))
    spectators = as_seen_by(None, events)[2]
    assert [goal.value for goals in spectators.goals for goal in goals] == [None] * 6


@pytest.mark.rule("CE-5")
def test_each_player_has_8_markers_all_in_the_village() -> None:
    state = opening(4)
    assert [stands(state, seat) for seat in range(4)] == [{"village": 8}] * 4


@pytest.mark.rule("CE-6")
def test_the_first_player_is_random_or_chosen() -> None:
    assert {to_act(opening(4, seed=bytes([number]))) for number in range(40)} == {0, 1, 2, 3}
    assert [to_act(opening(3, first_player=seat)) for seat in range(3)] == [0, 1, 2]
    for wrong in (3, -1, "nobody", True, None):
        with pytest.raises(BadOption):
            complete_options(celtic.info, 3, {"first_player": wrong})


# -- a turn


@pytest.mark.rule("CE-7")
def test_nobody_may_pass_the_move() -> None:
    state = position("cows, fish, sheep", hands=("H01 E05",))
    assert refusal(state, "done") == ("CE-7", "move_first")
    assert refusal(play(state, "goal H01"), "done") == ("CE-7", "move_first")
    assert "done" not in offered(state)
    assert refusal(position(goods=(SEVEN,)), "reveal") == ("CE-7", "move_first")


@pytest.mark.rule("CE-7")
def test_there_is_one_move_in_a_turn() -> None:
    state = play(position("grain"), "move 1 grain to pigs")
    assert refusal(state, "move 1 pigs to grain") == ("CE-7", "one_move")
    assert refusal(state, "move 9 pigs to pigs") == ("CE-7", "one_move")
    assert offered(state) == ["done"]


@pytest.mark.rule("CE-7")
def test_goals_and_trade_cards_come_before_and_after_the_move_in_any_order() -> None:
    state = position(
        "cows, fish, sheep, grain, tools, trade_wine 2, trade_amber", hands=("H01 E05",), deck="E06 E07 E08"
    )
    after = play(
        state,
        *("collect wine 1", "goal H01", "collect amber 1", "move 3 village to bread", "follow 0"),
        *("goal E05", "collect wine 1", "done"),
    )
    assert after.table.completed[0] == ("H01", "E05")
    assert after.goods[0] == (0, 0, 2, 1, 0, 0, 0)
    assert to_act(after) == 1


@pytest.mark.rule("CE-7")
def test_a_turn_ends_only_when_its_player_says_so() -> None:
    state = play(position("grain"), "move 1 grain to pigs")
    assert to_act(state) == 0, "there is nothing left to do, and yet the turn goes on"
    assert happened(state, "done") == (TurnEnded(Seat(0)),)
    assert to_act(play(state, "done")) == 1
    assert to_act(play(position("trade_wine, grain"), "move 1 grain to pigs", "collect wine 1")) == 0


# -- the move


@pytest.mark.rule("CE-8")
def test_markers_go_from_one_place_to_one_other_one_or_two_roads_away() -> None:
    state = position("fish 3")
    assert stands(play(state, "move 2 fish to millet")) == {"village": 5, "fish": 1, "millet": 2}
    assert stands(play(state, "move 3 fish to lentils")) == {"village": 5, "lentils": 3}
    assert happened(state, "move 2 fish to boat") == (MarkersMoved(Seat(0), 2, "fish", "boat", ()),)
    assert refusal(state, "move 1 fish to pears") == ("CE-8", "too_far")
    assert refusal(state, "move 1 village to fish") == ("CE-8", "too_far")


@pytest.mark.rule("CE-8")
def test_each_place_in_reach_is_offered_and_no_other() -> None:
    state = position("salt 8")
    (offer,) = celtic.legal(celtic.view(state, Seat(0)))
    assert offer.text == "move {count} salt to {place}"
    assert offer.choices[0].among == tuple("12345678")
    in_reach = "fish boat lentils torc horses pears wool loom sandstone"
    assert " ".join(offer.choices[1].among) == in_reach


@pytest.mark.rule("CE-8")
def test_one_marker_at_least_moves_and_not_more_than_stand_there() -> None:
    state = position("grain 2")
    assert refusal(state, "move 0 grain to village") == ("CE-8", "no_marker_moves")
    assert refusal(state, "move 3 grain to village") == ("CE-8", "too_few_there")
    assert refusal(state, "move 1 bread to village") == ("CE-8", "too_few_there")


@pytest.mark.rule("CE-8")
def test_coming_back_to_the_place_they_left_is_no_move() -> None:
    assert refusal(position(), "move 1 village to village") == ("CE-8", "back_again")
    assert all(at not in reach for at, reach in enumerate(RECONSTRUCTION.reach))


@pytest.mark.rule("CE-8")
def test_the_village_and_trade_locations_are_left_entered_and_passed_like_any_place() -> None:
    assert stands(play(position("bread 1"), "move 1 bread to spring")) == {
        "village": 7,
        "spring": 1,
    }  # past the village
    assert stands(play(position("beer 1"), "move 1 beer to mead"))["mead"] == 1  # past the trade location of hides
    assert stands(play(position("beer 1"), "move 1 beer to trade_hides"))["trade_hides"] == 1
    assert stands(play(position("trade_hides 1"), "move 1 trade_hides to bees"))["bees"] == 1
    assert stands(play(position("bread 1"), "move 1 bread to village")) == {"village": 8}


# -- travelling together


@pytest.mark.rule("CE-8")
@pytest.mark.rule("CE-9")
def test_three_players_leave_the_village_as_in_the_rulebook() -> None:
    state = play(position("", "", ""), "move 4 village to prince_statue")
    assert (to_act(state), celtic.turn(state)) == (1, 0)
    state = play(state, "follow 5")
    assert (to_act(state), celtic.turn(state)) == (2, 0)
    assert refusal(state, "move 1 village to grain") == ("CE-9", "answer_due"), "nobody stops on the way"
    state = play(state, "follow 2")
    assert (to_act(state), celtic.turn(state)) == (0, 0)
    expected = [(4, 4), (3, 5), (6, 2)]
    assert [stands(state, seat) for seat in range(3)] == [
        {"village": home, "prince_statue": away} for home, away in expected
    ]


@pytest.mark.rule("CE-9")
def test_who_has_no_marker_on_the_place_just_left_is_not_asked() -> None:
    state = position("grain", "", "grain 2", "bread 8")
    moved = play(state, "move 1 grain to pigs")
    assert moved.table.waiting == (2,)
    assert to_act(play(moved, "follow 0")) == 0
    assert happened(state, "move 1 village to grain") == (
        MarkersMoved(Seat(0), 1, "village", "grain", (Seat(1), Seat(2))),
    )
    assert to_act(play(position("salt"), "move 1 salt to boat")) == 0


@pytest.mark.rule("CE-9")
def test_followers_are_asked_clockwise_from_the_mover() -> None:
    state = play(position("", "", "", "", turn=2), "move 1 village to grain")
    order = []
    while (seat := to_act(state)) != 2:
        order.append(seat)
        state = play(state, "follow 1")
    assert order == [3, 0, 1]


@pytest.mark.rule("CE-9")
def test_each_follower_sends_any_number_of_those_that_stand_there_or_none() -> None:
    state = position("fish", "fish 3", way=("fish", "boat"), waiting=(1,))
    assert happened(state, "follow 2") == (Followed(Seat(1), 2, "fish", "boat"),)
    assert stands(play(state, "follow 3"), 1) == {"village": 5, "boat": 3}
    assert stands(play(state, "follow 0"), 1) == stands(state, 1)
    assert refusal(state, "follow 4") == ("CE-9", "too_few_to_follow")
    (offer,) = celtic.legal(celtic.view(state, Seat(1)))
    assert (offer.text, offer.choices[0].among) == ("follow {count}", ("0", "1", "2", "3"))


@pytest.mark.rule("CE-9")
def test_followers_neither_complete_goals_nor_collect_cards_nor_end_anything() -> None:
    state = position(
        "fish",
        "fish, cows, sheep, trade_wine",
        hands=("", "H01"),
        goods=("", SEVEN),
        way=("fish", "boat"),
        waiting=(1,),
        reveal="any_time",
    )
    for line in ("goal H01", "collect wine 1", "done", "reveal", "goal E05", "collect hides 1", "move 1 fish to boat"):
        assert refusal(state, line) == ("CE-9", "answer_due")
    assert refusal(state, "move 1 fish to pears") == ("CE-8", "too_far")
    assert offered(state) == ["follow {count}"]


@pytest.mark.rule("CE-9")
def test_when_all_have_answered_the_mover_goes_on_and_there_is_no_second_move() -> None:
    state = play(position(hands=("E05 E06",)), "move 8 village to grain", "follow 0")
    assert to_act(state) == 0
    assert refusal(state, "move 1 grain to village") == ("CE-7", "one_move")
    assert refusal(state, "follow 1") == ("CE-9", "nobody_to_follow")
    assert refusal(position(), "follow 0") == ("CE-9", "nobody_to_follow")
    assert to_act(play(state, "done")) == 1


# -- goals


@pytest.mark.rule("CE-10")
def test_a_completed_goal_returns_one_marker_from_each_location_and_a_new_one_is_drawn_at_once() -> None:
    state = position("cows 2, fish, sheep, grain", hands=("H01 E05", "E06 E07"), deck="E09 E10")
    (event,) = happened(state, "goal H01")
    assert event == GoalCompleted(
        Seat(0), "H01", Sealed("goals/0", (Seat(0),)), ("cows", "fish", "sheep"), (Shown("goals/4", "E09", (Seat(0),)),)
    )
    after = play(state, "goal H01")
    assert stands(after) == {"village": 6, "cows": 1, "grain": 1}
    assert after.hands == (("E05", "E09"), ("E06", "E07"))
    assert after.table.completed == (("H01",), ())
    assert after.table.deck == 1


@pytest.mark.rule("CE-10")
def test_a_goal_just_drawn_may_be_completed_in_the_same_turn() -> None:
    state = position("cows, fish, sheep, grain, tools", hands=("H01",), deck="E05 E06")
    assert play(state, "goal H01", "goal E05").table.completed[0] == ("H01", "E05")


@pytest.mark.rule("CE-10")
def test_a_marker_of_ones_own_on_every_location_is_needed_and_the_goal_in_hand() -> None:
    state = position("cows, fish", "sheep 3, grain, tools", hands=("H01 E05", "E06"))
    assert refusal(state, "goal H01") == ("CE-10", "marker_missing")
    assert refusal(state, "goal E06") == ("CE-10", "not_in_hand")
    assert not any(text.startswith("goal") for text in offered(state))
    assert "goal H01" in offered(position("cows, fish, sheep", hands=("H01",)))


@pytest.mark.rule("CE-10")
def test_which_card_of_the_deck_a_completed_goal_was_stays_sealed_to_others() -> None:
    state = position("cows, fish, sheep", hands=("H01 E05", "E06 E07"), deck="E09 E10")
    seen = as_seen_by(Seat(1), happened(state, "goal H01"))[0]
    assert (seen.goal, seen.slot.value, seen.drawn[0].value) == ("H01", None, None)
    own = as_seen_by(Seat(0), happened(state, "goal H01"))[0]
    assert (own.slot.value, own.drawn[0].value) == ("goals/0", "E09")


@pytest.mark.rule("CE-11")
def test_from_the_fourth_completed_goal_on_none_is_drawn() -> None:
    third = play(position("cows, fish, sheep", hands=("H01 E05",), done=("E01 E02",)), "goal H01")
    assert (len(third.table.completed[0]), len(third.hands[0])) == (3, 2)
    state = position("cows, fish, sheep, grain, tools", hands=("H01 E05",), done=("E01 E02 E03",))
    fourth = play(state, "goal H01")
    assert fourth.hands[0] == ("E05",)
    assert fourth.table.deck == state.table.deck
    fifth = play(fourth, "goal E05")
    assert fifth.hands[0] == ()
    assert fifth.table.deck == state.table.deck


# -- trade


@pytest.mark.rule("CE-12")
def test_two_of_three_markers_from_hides_and_one_from_wine_as_in_the_rulebook() -> None:
    state = play(position("trade_hides 3, trade_wine"), "collect hides 2", "collect wine 1")
    assert state.goods[0] == (2, 0, 1, 0, 0, 0, 0)
    assert state.table.stacks == (14, 16, 15, 16, 16, 16, 16)
    assert state.table.cards == (3, 0)
    assert stands(state) == {"village": 7, "trade_hides": 1}


@pytest.mark.rule("CE-12")
def test_to_collect_n_is_to_collect_one_n_times() -> None:
    state = position("trade_wine 4", stacks="wine 2")
    assert play(state, "collect wine 3") == play(state, *["collect wine 1"] * 3)
    assert happened(state, "collect wine 3") == (CardsCollected(Seat(0), "wine", 3, 2),)


@pytest.mark.rule("CE-12")
def test_when_the_cards_are_gone_markers_return_for_nothing() -> None:
    state = position("trade_wine 4", stacks="wine 0")
    after = play(state, "collect wine 3")
    assert stands(after) == {"village": 7, "trade_wine": 1}
    assert (after.goods[0], after.table.cards[0], after.table.stacks[2]) == ((0,) * 7, 0, 0)


@pytest.mark.rule("CE-12")
def test_only_markers_on_that_trade_location_return_and_at_least_one() -> None:
    state = position("trade_hides 2, grain 3")
    assert refusal(state, "collect hides 3") == ("CE-12", "too_few_to_return")
    assert refusal(state, "collect wine 1") == ("CE-12", "too_few_to_return")
    assert refusal(state, "collect hides 0") == ("CE-12", "no_marker_returns")
    assert [text for text in offered(state) if text.startswith("collect")] == ["collect hides {count}"]


@pytest.mark.rule("CE-13")
def test_completed_goals_lie_open_and_collected_cards_face_down() -> None:
    state = position(goods=("wine wine", "hides"), done=("E01", "E02 E03"))
    for viewer in (Seat(0), Seat(1), None):
        view = celtic.view(state, viewer)
        assert view.table.completed == (("E01",), ("E02", "E03"))
        assert view.table.cards == (2, 1)
        own = [(0, 0, 2, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0, 0)]
        assert view.goods == tuple(cards if seat == viewer else () for seat, cards in enumerate(own))


@pytest.mark.rule("CE-13")
def test_with_open_trade_everybody_sees_them_and_after_the_end_too() -> None:
    options = complete_options(celtic.info, 2, {})
    assert options["open_trade"] is False
    for wrong in (0, 1, "true", None):
        with pytest.raises(BadOption):
            complete_options(celtic.info, 2, {"open_trade": wrong})
    assert opening(open_trade=True).table.terms.open_trade
    for state in (position(goods=("wine", "hides"), open_trade=True), leave(position(goods=("wine", "hides")), 0)):
        for viewer in (Seat(0), Seat(1), None):
            assert celtic.view(state, viewer).goods == state.goods


@pytest.mark.rule("CE-13")
def test_taking_a_card_is_seen_by_all() -> None:
    (event,) = happened(position("trade_wine 2"), "collect wine 2")
    assert as_seen_by(None, [event]) == (event,) == (CardsCollected(Seat(0), "wine", 2, 2),)


# -- the end


@pytest.mark.rule("CE-14")
def test_a_fifth_goal_ends_the_game_at_the_end_of_that_turn() -> None:
    state = position("grain, tools, salt", hands=("E05",), done=("E01 E02 E03 E04",))
    for lines in (
        ("goal E05", "move 1 salt to boat", "done"),  # before the move, which still takes place
        ("move 1 salt to boat", "goal E05", "done"),
    ):
        after = play(state, *lines)
        assert (after.table.stage.closing, after.table.stage.closer) == ("fifth_goal", 0)
        assert to_act(after) == 0
    before_the_move = play(state, "goal E05")
    assert not before_the_move.table.stage.closing
    assert refusal(before_the_move, "done") == ("CE-7", "move_first")
    followed = play(before_the_move, "move 2 village to bread")
    assert to_act(followed) == 1, "others may follow"
    assert to_act(play(followed, "follow 8")) == 0


@pytest.mark.rule("CE-14")
def test_four_goals_end_nothing() -> None:
    state = position("grain, tools, salt", hands=("E05 H01",), done=("E01 E02 E03",))
    assert to_act(play(state, "goal E05", "move 1 salt to boat", "done")) == 1


@pytest.mark.rule("CE-15")
def test_who_has_all_seven_goods_may_reveal_at_the_end_of_the_turn_or_go_on() -> None:
    state = play(position("grain", goods=(SEVEN,)), "move 1 grain to pigs")
    assert offered(state) == ["done", "reveal"]
    assert happened(state, "reveal") == [
        GoodsRevealed(Seat(0)),
        FinalPhaseBegun(Seat(0), "seven_goods", Seat(0)),
    ]
    assert to_act(play(state, "reveal")) == 0
    declined = play(state, "done")
    assert not declined.table.stage.closing
    again = play(declined, "move 1 village to bread", "follow 0", "done", "move 1 pigs to grain")
    assert "reveal" in offered(again), "asked again at the end of each later turn"


@pytest.mark.rule("CE-15")
@pytest.mark.parametrize("missing", GOODS)
def test_one_card_of_each_good_is_needed(missing: str) -> None:
    six = " ".join(good for good in GOODS if good != missing)
    for goods in (six, f"{six} {six}", ""):
        state = play(position("grain", goods=(goods,)), "move 1 grain to pigs")
        assert refusal(state, "reveal") == ("CE-15", "goods_missing")
        assert offered(state) == ["done"]


@pytest.mark.rule("CE-15")
def test_with_any_time_the_game_ends_there_and_a_move_not_yet_made_is_dropped() -> None:
    state = position("grain", goods=(SEVEN,), reveal="any_time")
    assert "reveal" in offered(state)
    after = play(state, "reveal")
    assert (after.table.stage.closing, to_act(after), stands(after)) == ("seven_goods", 0, stands(state))
    assert refusal(position(goods=("wine",), reveal="any_time"), "reveal") == ("CE-15", "goods_missing")
    waiting = play(position(goods=(SEVEN,), reveal="any_time"), "move 1 village to grain")
    assert refusal(waiting, "reveal", seat=0) == ("GE-2", "not_your_turn")
    assert "reveal" in offered(play(waiting, "follow 0"))
    five = position("grain, tools", hands=("E05",), done=("E01 E02 E03 E04",), goods=(SEVEN,), reveal="any_time")
    dropped = play(five, "goal E05", "reveal")  # CE-14: even then
    assert (reason(dropped), dropped.table.stage.closing) == ("seven_goods", "seven_goods")
    for wrong in ("never", "", None, True):
        with pytest.raises(BadOption):
            complete_options(celtic.info, 2, {"reveal": wrong})


@pytest.mark.rule("CE-16")
def test_the_final_phase_is_one_pass_clockwise_from_who_ended_the_game() -> None:
    state = position("grain", "bread", "salt", "boat", goods=("", "", SEVEN), turn=2, moved=True)
    state = play(state, "reveal")
    order = []
    while (seat := to_act(state)) is not None:
        assert celtic.turn(state) == seat
        order.append(seat)
        state = play(state, "done")
    assert order == [2, 3, 0, 1]
    assert reason(state) == "seven_goods"


@pytest.mark.rule("CE-16")
def test_in_the_final_phase_nobody_moves_follows_or_reveals() -> None:
    state = position("grain, cows, fish, sheep", goods=(SEVEN,), hands=("H01",), closing="fifth_goal")
    assert refusal(state, "move 1 grain to village") == ("CE-16", "no_more_moves")
    assert refusal(state, "reveal") == ("CE-16", "no_more_reveals")
    assert refusal(state, "follow 0") == ("CE-9", "nobody_to_follow")
    assert refusal(state, "move 1 grain to sheep") == ("CE-8", "too_far")
    assert refusal(position("grain", closing="fifth_goal"), "reveal") == ("CE-15", "goods_missing")
    assert offered(state) == ["goal H01", "done"]


@pytest.mark.rule("CE-16")
def test_goals_and_cards_are_still_to_be_had_and_goals_are_drawn() -> None:
    state = position(
        "cows, fish, sheep, grain, tools, trade_wine 2, salt",
        "bread",
        hands=("H01",),
        deck="E05 E06",
        closing="max_turns",
    )
    state = play(state, "goal H01", "collect wine 2", "goal E05")
    assert (state.table.completed[0], state.hands[0], state.goods[0][2]) == (("H01", "E05"), ("E06",), 2)
    assert to_act(state) == 0
    assert to_act(play(state, "done")) == 1
    four = position("cows, fish, sheep", "bread", hands=("H01 E05",), done=("E01 E02 E03",), closing="max_turns")
    assert play(four, "goal H01").hands[0] == ("E05",)


@pytest.mark.rule("CE-16")
def test_a_part_ends_by_itself_once_all_markers_are_in_the_village() -> None:
    state = position("trade_wine 2", "", "bread", closing="max_turns")
    assert to_act(play(state, "collect wine 1")) == 0
    assert to_act(play(state, "collect wine 2")) == 2, "who has them all there isn't asked"
    assert to_act(position("", "bread", "", "boat", closing="max_turns")) == 1, "clockwise"
    assert happened(position("trade_wine", closing="max_turns"), "collect wine 1") == [
        CardsCollected(Seat(0), "wine", 1, 1),
        MatchEnded("max_turns"),
    ]
    assert happened(position("", "bread", closing="max_turns"), "done") == [PartEnded(Seat(1)), MatchEnded("max_turns")]
    everybody_home = position("trade_wine, grain", moved=True, goods=(SEVEN,))
    assert reason(play(everybody_home, "collect wine 1", "reveal")) == ""
    home = position(moved=True, goods=(SEVEN,))
    assert happened(home, "reveal")[-1] == MatchEnded("seven_goods")


@pytest.mark.rule("CE-16")
def test_a_part_that_is_over_does_not_come_again() -> None:
    state = play(position("bread", "salt", closing="max_turns"), "done", "done")
    assert reason(state) == "max_turns"


@pytest.mark.rule("CE-17")
def test_after_so_many_turns_of_everybody_the_final_phase_begins_with_the_next_in_order() -> None:
    state = opening(3, first_player=1, max_turns=2)
    for number in range(6):
        assert not state.table.stage.closing
        assert to_act(state) == (1 + number) % 3
        origin = next(iter(stands(state, (1 + number) % 3)))
        state = play(state, f"move 1 {origin} to bread")
        while celtic.to_act(state) != celtic.turn(state):
            state = play(state, "follow 0")
        state = play(state, "done")
    assert (state.table.stage.closing, state.table.stage.closer, to_act(state)) == ("max_turns", None, 1)


@pytest.mark.rule("CE-17")
def test_a_fifth_goal_or_a_reveal_in_the_very_last_turn_counts_first() -> None:
    last: dict[str, Any] = {"turn": 1, "turns": 3, "max_turns": 2, "moved": True}
    goal = position("salt", "grain, tools, salt", hands=("", "E05"), done=("", "E01 E02 E03 E04"), **last)
    after = play(goal, "goal E05", "done")
    assert (after.table.stage.closing, to_act(after)) == ("fifth_goal", 1)
    goods = play(position("salt", "salt", goods=("", SEVEN), **last), "reveal")
    assert (goods.table.stage.closing, to_act(goods)) == ("seven_goods", 1)
    neither = play(position("salt", "salt", **last), "done")
    assert (neither.table.stage.closing, to_act(neither)) == ("max_turns", 0)


@pytest.mark.rule("CE-17")
def test_max_turns_is_a_whole_number_of_at_least_one_and_100_by_default() -> None:
    assert complete_options(celtic.info, 2, {})["max_turns"] == 100
    assert complete_options(celtic.info, 2, {"max_turns": 1})["max_turns"] == 1
    for wrong in (0, -1, 1.5, "7", True, None):
        with pytest.raises(BadOption):
            complete_options(celtic.info, 2, {"max_turns": wrong})


# -- the score


@pytest.mark.rule("CE-18")
@pytest.mark.rule("CE-19")
def test_98_points_as_in_the_rulebook() -> None:
    goods = "hides " * 6 + "amber " * 3 + "wine " * 3 + "bronze " * 2 + "yellow_pottery " * 2 + "jewelry"
    state = position(goods=(goods,), done=("H01 H02 E01",))
    assert score(state.table, Seat(0), state.goods[0]) == Score(
        98,
        (
            *(("goals", 55), ("good_1", 4), ("good_2", 6), ("good_3", 9)),
            *(("good_4", 8), ("good_5", 10), ("good_6", 6), ("good_7", 0)),
        ),
    )


@pytest.mark.rule("CE-18")
def test_the_influence_of_all_completed_goals_counts() -> None:
    state = position(done=("E01 H01", ""))
    assert [score(state.table, Seat(seat), state.goods[seat]).total for seat in (0, 1)] == [35, 0]


@pytest.mark.rule("CE-19")
def test_of_each_good_one_more_than_goals_counts_and_the_surplus_is_dropped_first() -> None:
    assert ranked((0, 7, 0, 0, 0, 0, 0), 4) == (5, 0, 0, 0, 0, 0, 0), "with four goals done, 7 bronze cards count as 5"
    assert ranked((7, 2, 0, 0, 0, 0, 0), 0) == (1, 1, 0, 0, 0, 0, 0)
    assert ranked((3, 9, 9, 1, 0, 0, 0), 2) == (3, 3, 3, 1, 0, 0, 0)
    bronze = position(goods=("bronze " * 7,), done=("E01 E02 E03 E04",))
    assert score(bronze.table, Seat(0), bronze.goods[0]).total == 60 + 5


@pytest.mark.rule("CE-19")
def test_the_goods_are_ranked_by_what_remains_and_count_one_to_seven() -> None:
    state = position(goods=(SEVEN,))
    assert score(state.table, Seat(0), state.goods[0]).total == 1 + 2 + 3 + 4 + 5 + 6 + 7
    few_first = position(goods=("wine amber amber",), done=("E01",))
    assert score(few_first.table, Seat(0), few_first.goods[0]).total == 15 + 2 * 1 + 1 * 2


@pytest.mark.rule("CE-20")
def test_most_influence_wins_then_cards_that_counted_seven_then_the_place_is_shared() -> None:
    def places(*goods: str, done: tuple[str, ...]) -> tuple[int, ...]:
        state = position(*[""] * len(goods), goods=goods, done=done)
        return standing(state.table, state.goods).places

    assert places("wine", "", done=("E01", "H01")) == (2, 1)
    assert places("", SEVEN, done=("H01 H02", "")) == (1, 2)
    assert places("", "", "", done=("E01", "E02", "")) == (1, 1, 3)


@pytest.mark.rule("CE-20")
def test_on_a_tie_more_cards_that_counted_seven_are_better() -> None:
    # 15 + 28 = 43 with one card that counted seven; 40 + 1 + 2 = 43 with none.
    state = position("", "", goods=("wine amber", SEVEN), done=("H01 H02", "E01"))
    result = standing(state.table, state.goods)
    assert [score.total for score in result.scores] == [43, 43]
    assert result.places == (2, 1)


@pytest.mark.rule("CE-21")
def test_goals_left_in_hand_cost_nothing() -> None:
    for hand in ("", "H01 E05"):
        state = position(hands=(hand,), done=("E01",))
        assert score(state.table, Seat(0), state.goods[0]).total == 15
    over = play(position("salt", hands=("H01 E05",), closing="max_turns"), "done")
    outcome = celtic.outcome(over)
    assert outcome is not None
    assert [result.total for result in outcome.scores] == [0, 0]


# -- leaving, and whoever doesn't answer


@pytest.mark.rule("GE-1")
def test_a_seat_that_left_moves_one_marker_from_the_village_and_is_done() -> None:
    state = leave(position("", "", ""), 0)
    played = []
    while to_act(state) != 1 or state.table.turn == 0:
        steps = list(play_for_the_absent(celtic, state, CHANCE))
        played += [step.move for step in steps]
        state = steps[-1].state if steps else play(state, "follow 0")
    assert played == ["move 1 village to bread", "done"]


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (position(), "move 1 village to bread"),
        (position("salt 8"), "move 1 salt to boat"),
        (position("trade_hides 5, bread 3"), "move 1 bread to village"),
        (position("cows, fish, sheep", hands=("H01",), moved=True), "done"),
        (position("cows, fish, sheep, trade_wine", hands=("H01",), closing="max_turns"), "done"),
        (position("fish 3", "fish", turn=1, way=("fish", "boat"), waiting=(0,)), "follow 0"),
        (position(moved=True, goods=(SEVEN,)), "done"),
    ],
)
def test_the_absent_move_is_dull(state: State, line: str) -> None:
    assert celtic.notate(celtic.absent(celtic.view(state, Seat(0)))) == line


@pytest.mark.rule("GE-1")
def test_when_one_seat_is_left_it_wins_without_a_final_phase() -> None:
    state = leave(position("trade_wine", "", "bread", done=("", "H01 H02", "")), 1)
    assert to_act(state) == 0
    over = leave(state, 0)
    outcome = celtic.outcome(over)
    assert outcome is not None
    assert (outcome.reason, outcome.places) == ("others_left", (2, 3, 1))
    assert celtic.turn(over) is None
    assert celtic.leave(state, Seat(1), CHANCE) == ()
    with pytest.raises(RuleViolation):
        celtic.leave(over, Seat(2), CHANCE)


@pytest.mark.rule("GE-1")
def test_a_follower_who_left_is_still_asked_and_stays() -> None:
    state = play(leave(position("", "", ""), 1), "move 2 village to grain")
    assert to_act(state) == 1
    (step,) = play_for_the_absent(celtic, state, CHANCE)
    assert step.move == "follow 0"


@pytest.mark.rule("GE-2")
def test_only_who_is_to_act_may_act() -> None:
    state = play(position("", "", ""), "move 1 village to grain")
    for seat in (0, 2):
        assert refusal(state, "follow 0", seat=seat) == ("GE-2", "not_your_turn")
    assert refusal(leave(position(), 0), "done", seat=1) == ("GE-2", "match_over")


# -- the whole


def test_the_opening_is_recorded_with_its_options_and_its_board() -> None:
    options = complete_options(celtic.info, 3, {"first_player": 2, "reveal": "any_time", "max_turns": 7})
    first = celtic.deal(3, options, Chance(b""))[0]
    assert first == TableSet(3, Seat(2), False, "any_time", 7, RECONSTRUCTION)


def test_a_negative_number_is_no_number_of_markers() -> None:
    assert refused(position(), MoveMarkers(-1, "village", "grain")) == ("CE-8", "no_marker_moves")
    waiting = position("fish", "fish", way=("fish", "boat"), waiting=(1,))
    assert refused(waiting, Follow(-1), seat=1) == ("CE-9", "too_few_to_follow")


def test_every_rule_has_a_test_marked_with_it() -> None:
    marked = Counter(
        rule
        for path in Path(__file__).parent.glob("test_*.py")
        for rule in re.findall(r'rule\("([A-Z]+-\d+)"\)', path.read_text())
    )
    assert set(marked) == set(RULES)
