"""Celtica, rule by rule. The numbers are those of the rules page; a test of a rule fails when that rule is broken."""

import re
from collections import Counter
from pathlib import Path

import pytest

from engine.chance import Chance
from engine.errors import BadOption, RuleViolation
from engine.events import Sealed, Seat, Shown, as_seen_by
from engine.game import complete_options
from engine.games import celtica
from engine.games.celtica.rules import amulets, standing
from engine.games.celtica.table import (
    CardsDealt,
    DeckShuffled,
    DisplayFilled,
    Exchange,
    MatchEnded,
    PartsDealt,
    Play,
    PlayEnded,
    RoundEnded,
    State,
    TableSet,
    TurnTaken,
)
from tests.engine.games.celtica.positions import (
    ALL_NINE,
    CHANCE,
    cards,
    display,
    happened,
    leave,
    opening,
    owned,
    play,
    position,
    refusal,
    stands,
)
from tests.engine.games.celtica.second_reading import COLOURS, PARTS, PLACES

RULES = [*(f"CA-{number}" for number in range(1, 26)), "GE-1", "GE-2"]
DEFAULTS = complete_options(celtica.info, 3, {})


def ended(state: State) -> bool:
    return celtica.to_act(state) is None


def drawn(state: State, line: str) -> TurnTaken:
    turn = happened(state, line)[0]
    assert isinstance(turn, TurnTaken)
    return turn


# -- set-up


@pytest.mark.rule("CA-1")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_two_to_five_may_play(seats: int) -> None:
    assert len(opening(seats).table.parts) == seats


@pytest.mark.rule("CA-1")
@pytest.mark.parametrize("seats", [0, 1, 6])
def test_fewer_or_more_may_not(seats: int) -> None:
    with pytest.raises(BadOption):
        complete_options(celtica.info, seats, {})


@pytest.mark.rule("CA-2")
def test_the_path_has_19_places_from_start_to_goal() -> None:
    board = opening().table.terms.board
    assert [(place.kind, place.number) for place in board.places] == PLACES
    assert len(PLACES) == 19


@pytest.mark.rule("CA-2")
@pytest.mark.rule("CA-3")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_five_druids_stand_on_the_start(seats: int) -> None:
    table = opening(seats).table
    assert table.druids == (0, 0, 0, 0, 0)
    assert list(table.terms.board.druids) == COLOURS


@pytest.mark.rule("CA-3")
def test_everybody_moves_every_druid_and_druids_share_a_place() -> None:
    state = position(("red 1, grey 1", ""), ("red 2, grey 1", ""))
    state = play(state, "red 1 nothing", "grey 1 nothing", "grey 1 take blue", "red 1 take coral")
    assert (stands(state, "red"), stands(state, "grey")) == (2, 2)


@pytest.mark.rule("CA-3")
def test_there_is_no_other_druid() -> None:
    state = position(("red 1", ""))
    with pytest.raises(RuleViolation) as caught:
        celtica.decide(state, Seat(0), Play("blue", 99, 0, "take", ("pink",)), CHANCE)
    assert (caught.value.rule, caught.value.code) == ("CA-3", "no_such_druid")


@pytest.mark.rule("CA-4")
@pytest.mark.parametrize("seats", [2, 5])
def test_60_druid_cards_are_shuffled_and_each_player_gets_five(seats: int) -> None:
    state = opening(seats)
    assert Counter(state.druid_deck) == dict.fromkeys(COLOURS, 12)
    assert state.druid_deck != opening(seats, seed=b"another").druid_deck
    assert state.table.druid_cards == (5,) * seats
    assert state.table.druid_deck == 60 - 5 * seats
    hands = [slot for hand in state.hands for slots in hand[:5] for slot in slots]
    assert sorted(hands) == sorted(f"druid-cards/1/{place}" for place in range(5 * seats))


@pytest.mark.rule("CA-4")
def test_hands_are_private_and_their_numbers_public() -> None:
    (dealt,) = [event for event in celtica.deal(3, DEFAULTS, CHANCE) if isinstance(event, CardsDealt)]
    assert [len(hand) for hand in dealt.cards] == [5, 5, 5]
    for reader in (*map(Seat, range(3)), None):
        (seen,) = as_seen_by(reader, [dealt])
        for seat, hand in enumerate(seen.cards):
            assert [card.value is not None for card in hand] == [reader == seat] * 5
    state = opening(3)
    assert celtica.view(state, None).hand == ()
    for seat in map(Seat, range(3)):
        assert celtica.view(state, seat).hand == tuple(len(slots) for slots in state.hands[seat])
        assert celtica.view(state, seat).table.druid_cards == (5, 5, 5)


@pytest.mark.rule("CA-5")
def test_20_experience_cards_are_shuffled_and_none_is_dealt() -> None:
    state = opening()
    assert Counter(state.experience_deck) == dict.fromkeys(COLOURS, 4)
    assert state.experience_deck != opening(seed=b"another").experience_deck
    assert state.table.experience_deck == 20
    assert state.table.experience_cards == (0, 0)


@pytest.mark.rule("CA-6")
@pytest.mark.parametrize("seats", [2, 5])
def test_of_90_parts_nine_are_laid_open_and_each_player_gets_two(seats: int) -> None:
    state = opening(seats)
    assert Counter(state.supply) == dict.fromkeys(PARTS, 10)
    assert state.supply != opening(seats, seed=b"another").supply
    assert sum(state.table.display) == 9
    assert [sum(parts) for parts in state.table.parts] == [2] * seats
    assert state.table.supply == 90 - 9 - 2 * seats


@pytest.mark.rule("CA-4")
@pytest.mark.rule("CA-6")
@pytest.mark.rule("CA-7")
def test_the_display_is_laid_first_and_dealing_begins_with_the_first_player() -> None:
    events = celtica.deal(3, complete_options(celtica.info, 3, {"first_player": 1}), CHANCE)
    assert isinstance(events[0], TableSet)
    assert [event.deck for event in events[1:4]] == ["druid-cards", "experience-cards", "parts"]
    laid, hands, *parts = events[4:]
    assert [shown.name for shown in laid.parts] == [f"parts/1/{place}" for place in range(9)]
    assert [[shown.name for shown in event.parts] for event in parts] == [
        [f"parts/1/{place}", f"parts/1/{place + 1}"] for place in (9, 11, 13)
    ]
    assert [event.seat for event in parts] == [1, 2, 0]
    for seat, first in ((1, 0), (2, 5), (0, 10)):
        assert [shown.name for shown in hands.cards[seat]] == [f"druid-cards/1/{first + at}" for at in range(5)]


@pytest.mark.rule("CA-6")
def test_parts_lie_open() -> None:
    for event in celtica.deal(2, complete_options(celtica.info, 2, {}), CHANCE):
        if isinstance(event, PartsDealt | DisplayFilled):
            assert all(shown.to is None for shown in event.parts)


@pytest.mark.rule("CA-6")
def test_there_is_no_other_part() -> None:
    state = position(("red 3", ""))
    for move in (Play("red", 9, 0, "take", ("pink",)), Exchange((), ("pink",)), Exchange(("pink",), ())):
        with pytest.raises(RuleViolation) as caught:
            celtica.decide(state, Seat(0), move, CHANCE)
        assert (caught.value.rule, caught.value.code) == ("CA-6", "no_such_part")


@pytest.mark.rule("CA-4")
@pytest.mark.rule("CA-5")
@pytest.mark.rule("CA-6")
@pytest.mark.rule("CA-18")
def test_nobody_may_see_the_order_of_a_deck() -> None:
    dealt = celtica.deal(2, complete_options(celtica.info, 2, {}), CHANCE)
    shuffled = [event for event in dealt if isinstance(event, DeckShuffled)]
    assert [len(event.pieces) for event in shuffled] == [60, 20, 90]
    for event in shuffled:
        assert [sealed.name for sealed in event.pieces] == [f"{event.deck}/1/{n}" for n in range(len(event.pieces))]
        assert all(sealed.to == () for sealed in event.pieces)


@pytest.mark.rule("CA-7")
def test_turns_go_clockwise() -> None:
    state = opening(4, first_player=2)
    turns = []
    for _ in range(6):
        seat = celtica.to_act(state)
        turns.append(seat)
        state = play(state, celtica.notate(celtica.absent(celtica.view(state, seat))))
    assert turns == [2, 3, 0, 1, 2, 3]


@pytest.mark.rule("CA-7")
def test_by_default_chance_says_who_begins() -> None:
    first = Counter(celtica.to_act(opening(5, seed=bytes([number]))) for number in range(200))
    assert set(first) == {0, 1, 2, 3, 4}
    assert max(first.values()) < 70


@pytest.mark.rule("CA-7")
@pytest.mark.parametrize("first_player", [-1, 2, True, "youngest", None, 0.0])
def test_only_a_seat_of_the_match_can_begin(first_player: object) -> None:
    with pytest.raises(BadOption):
        complete_options(celtica.info, 2, {"first_player": first_player})


# -- a turn


@pytest.mark.rule("CA-8")
@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("red 1 nothing", "red 1+2, grey 1"),
        ("red 2 take blue", "red 0+2, grey 1"),
        ("red 0+1 nothing", "red 2+1, grey 1"),
        ("red 0+2 take blue", "red 2, grey 1"),
        ("red 1+1 take blue", "red 1+1, grey 1"),
        ("red 2+2 give gold", "grey 1, brown 0+1"),
    ],
)
def test_any_number_of_druid_and_experience_cards_of_one_colour_are_played(line: str, left: str) -> None:
    state = play(position(("red 2+2, grey 1", "gold green"), experience_deck="brown"), line)
    assert cards(state) == left


@pytest.mark.rule("CA-8")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("red 3 take blue coral", "too_few_druid_cards"),
        ("grey 2 take blue", "too_few_druid_cards"),
        ("white 1 nothing", "too_few_druid_cards"),
        ("red 2+2 nothing", "too_few_experience_cards"),
        ("grey 1+1 take blue", "too_few_experience_cards"),
        ("red 0 nothing", "no_cards"),
        ("red 0+0 nothing", "no_cards"),
        ("done", "cards_are_played"),
        ("take blue", "cards_are_played"),
        ("swap gold for blue", "cards_are_played"),
    ],
)
def test_cards_come_from_the_own_hand_and_a_turn_cannot_be_passed(line: str, code: str) -> None:
    state = position(("red 2+1, grey 1", "gold"), ("red 5+3, grey 5, white 5", ""))
    assert refusal(state, line) == ("CA-8", code)


@pytest.mark.rule("CA-8")
def test_the_lowest_rule_is_named() -> None:
    state = position(("red 2", ""), overshoot="forbid", druids="red 17")
    assert refusal(state, "red 3 take blue") == ("CA-8", "too_few_druid_cards")
    assert refusal(state, "red 2 draw") == ("CA-11", "past_the_goal")
    assert refusal(position(("red 0+2", "")), "red 0+3 draw", 0)[0] == "GE-2"


@pytest.mark.rule("CA-8")
def test_a_card_played_shows_its_value_and_only_its_player_knows_which_it_was() -> None:
    turn = drawn(position(("red 2+1", "")), "red 1+1 take blue")
    assert turn.slots == Sealed(("d/0/red/0", "e/0/red/0"), (Seat(0),))
    (seen,) = as_seen_by(Seat(1), [turn])
    assert (seen.colour, seen.druid_cards, seen.experience_cards, seen.slots.value) == ("red", 1, 1, None)


@pytest.mark.rule("CA-9")
def test_experience_cards_need_a_druid_card_of_any_colour_in_hand() -> None:
    state = position(("red 0+2, grey 1", ""))
    assert cards(play(state, "red 0+1 nothing")) == "red 0+1, grey 1"
    table = state.table
    stuck = celtica.rules.broken_rule(table, Seat(0), (0, 0, 0, 0, 0, 2, 0, 0, 0, 0), Play("red", 0, 1, "nothing"))
    assert stuck is not None
    assert (stuck.rule, stuck.code) == ("CA-9", "no_druid_card")


@pytest.mark.rule("CA-9")
def test_the_last_druid_card_may_be_played_together_with_experience_cards() -> None:
    state = play(position(("red 1+1", ""), ("grey 1", "")), "red 1+1 take blue")
    assert cards(state) == ""
    assert stands(state, "red") == 2


@pytest.mark.rule("CA-9")
@pytest.mark.rule("CA-19")
def test_who_holds_nothing_but_experience_cards_is_not_asked() -> None:
    state = position(("red 1", ""), ("grey 0+3", ""), ("white 1", ""))
    assert celtica.to_act(play(state, "red 1 nothing")) == 2


@pytest.mark.rule("CA-10")
def test_two_druid_cards_with_two_experience_cards_move_the_druid_four_places() -> None:
    state = play(position(("red 2+2, grey 1", "gold"), druids="red 5"), "red 2+2 take blue coral")
    assert stands(state, "red") == 9
    assert stands(state, "grey") == 0


@pytest.mark.rule("CA-10")
def test_played_cards_are_discarded_face_up_and_the_places_between_do_not_count() -> None:
    state = play(position(("red 3+1", "gold"), ("grey 1", "")), "red 2+1 take blue coral")
    assert state.table.druid_discards == (2, 0, 0, 0, 0)
    assert state.table.experience_discards == (1, 0, 0, 0, 0)
    assert owned(state) == "blue coral gold"
    assert cards(state) == "red 1"


@pytest.mark.rule("CA-11")
def test_a_druid_stops_on_the_goal_and_surplus_steps_are_lost() -> None:
    state = play(position(("red 4, grey 1", ""), druids="red 16"), "red 4 take blue coral gold green")
    assert stands(state, "red") == 18
    assert cards(state) == "grey 1"


@pytest.mark.rule("CA-11")
def test_with_the_option_forbid_no_step_may_be_lost() -> None:
    state = position(("red 4, grey 1", ""), druids="red 16", overshoot="forbid")
    assert refusal(state, "red 3 take blue coral gold green") == ("CA-11", "past_the_goal")
    assert stands(play(state, "red 2 take blue coral gold green"), "red") == 18
    assert (
        stands(
            play(position(("red 4", ""), druids="red 17", overshoot="forbid"), "red 1 take blue coral gold green"),
            "red",
        )
        == 18
    )


@pytest.mark.rule("CA-11")
@pytest.mark.rule("CA-12")
def test_with_the_option_forbid_any_number_of_cards_of_a_druid_at_home_may_be_played() -> None:
    state = position(("red 4, grey 1", ""), druids="red 18", overshoot="forbid")
    assert cards(play(state, "red 3 nothing")) == "red 1, grey 1"


@pytest.mark.rule("CA-11")
@pytest.mark.parametrize("overshoot", ["bounce", "", None, True, 1])
def test_there_is_no_third_way_to_overshoot(overshoot: object) -> None:
    with pytest.raises(BadOption):
        complete_options(celtica.info, 2, {"overshoot": overshoot})


@pytest.mark.rule("CA-12")
@pytest.mark.parametrize("edition", ["de", "en"])
@pytest.mark.parametrize("line", ["red 1 nothing", "red 3 nothing", "red 0+1 nothing", "red 3+1 nothing"])
def test_the_cards_of_a_druid_at_home_are_discarded_and_nothing_happens(line: str, edition: str) -> None:
    state = position(("red 3+1, grey 1", "gold"), ("grey 1", ""), druids="red 18", edition=edition)
    after = play(state, line)
    assert after.table.druids == state.table.druids
    assert (drawn(state, line).place, drawn(state, line).kind) == (18, "")
    assert (owned(after), display(after)) == ("gold", ALL_NINE)
    assert sum(after.table.druid_discards + after.table.experience_discards) == sum(map(int, re.findall(r"\d", line)))
    assert celtica.to_act(after) == 1


@pytest.mark.rule("CA-12")
@pytest.mark.parametrize("act", ["take blue", "take blue coral gold green", "give gold", "draw"])
def test_on_the_goal_a_druid_gives_nothing_more(act: str) -> None:
    state = position(("red 3, grey 1", "gold"), druids="red 18")
    assert refusal(state, f"red 1 {act}") == ("CA-12", "druid_is_home")


@pytest.mark.rule("CA-13")
@pytest.mark.parametrize(
    ("stood", "parts", "left"),
    [
        (1, "coral", "blue gold green orange rose teal violet middle"),
        (2, "gold middle", "blue coral green orange rose teal violet"),
        (5, "blue teal violet", "coral gold green orange rose middle"),
    ],
)
def test_an_amulet_site_gives_as_many_parts_of_the_display_as_it_shows(stood: int, parts: str, left: str) -> None:
    state = play(position(("red 1, grey 1", ""), druids=f"red {stood}"), f"red 1 take {parts}")
    assert owned(state) == parts
    assert display(state) == left


@pytest.mark.rule("CA-13")
@pytest.mark.parametrize("act", ["take blue", "take blue coral gold", "nothing", "draw", "give gold gold"])
def test_neither_fewer_nor_more_parts_are_taken(act: str) -> None:
    state = position(("red 1, grey 1", "gold gold"), druids="red 2")
    assert refusal(state, f"red 1 {act}") == ("CA-13", "take_parts")


@pytest.mark.rule("CA-13")
def test_parts_are_taken_from_the_display_as_it_lies() -> None:
    state = position(("red 1, grey 1", "green"), ("", "rose"), druids="red 2", display="blue blue gold", supply="teal")
    assert owned(play(state, "red 1 take blue blue")) == "blue blue green"
    for parts in ("gold gold", "green gold", "rose gold", "teal gold"):
        assert refusal(state, f"red 1 take {parts}") == ("CA-13", "not_in_display")


@pytest.mark.rule("CA-13")
def test_a_display_with_fewer_parts_is_taken_whole() -> None:
    state = position(("red 1, grey 1", ""), druids="red 5", display="blue gold", given_up="")
    assert refusal(state, "red 1 take blue") == ("CA-13", "take_parts")
    assert owned(play(state, "red 1 take blue gold")) == "blue gold"


@pytest.mark.rule("CA-13")
def test_no_part_is_refilled_between_picks() -> None:
    state = position(("red 1, grey 1", ""), druids="red 2", supply="gold gold", display="blue coral")
    assert refusal(state, "red 1 take blue gold") == ("CA-13", "not_in_display")


@pytest.mark.rule("CA-14")
def test_a_ruin_costs_as_many_parts_as_it_shows_and_gives_an_experience_card() -> None:
    state = position(("red 1, grey 1", "blue gold gold teal"), druids="red 6", experience_deck="brown red")
    state = play(state, "red 1 give gold teal")
    assert owned(state) == "blue gold"
    assert state.table.given_up == (0, 0, 1, 0, 0, 0, 1, 0, 0)
    assert cards(state) == "grey 1, brown 0+1"
    assert state.table.experience_deck == 1


@pytest.mark.rule("CA-14")
@pytest.mark.parametrize("act", ["give gold", "give gold gold teal", "nothing", "draw", "take blue coral"])
def test_neither_fewer_nor_more_parts_are_given_up(act: str) -> None:
    state = position(("red 1, grey 1", "blue gold gold teal"), druids="red 6")
    assert refusal(state, f"red 1 {act}") == ("CA-14", "give_parts")


@pytest.mark.rule("CA-14")
def test_only_own_parts_are_given_up() -> None:
    state = position(("red 1, grey 1", "blue gold teal"), ("", "rose"), druids="red 6")
    for parts in ("rose gold", "gold gold", "violet blue"):
        assert refusal(state, f"red 1 give {parts}") == ("CA-14", "not_yours")


@pytest.mark.rule("CA-14")
def test_who_has_fewer_parts_gives_all() -> None:
    state = position(("red 1, grey 1", "gold"), druids="red 13")
    assert owned(play(state, "red 1 give gold")) == ""


@pytest.mark.rule("CA-14")
def test_who_has_no_parts_gives_none_and_draws_all_the_same() -> None:
    state = position(("red 1, grey 1", ""), druids="red 13", experience_deck="white")
    assert cards(play(state, "red 1 nothing")) == "grey 1, white 0+1"
    for act in ("give gold", "draw", "take blue"):
        assert refusal(state, f"red 1 {act}") == ("CA-14", "no_part_to_give")


@pytest.mark.rule("CA-14")
def test_an_experience_card_is_used_from_the_next_turn_on() -> None:
    state = position(("red 1, grey 1", ""), ("black 1", ""), druids="red 13", experience_deck="red")
    assert refusal(state, "red 1+1 nothing") == ("CA-8", "too_few_experience_cards")
    state = play(state, "red 1 nothing", "black 1 nothing")
    assert stands(play(state, "red 0+1 take blue coral"), "red") == 15


@pytest.mark.rule("CA-14")
@pytest.mark.rule("CA-18")
def test_a_drawn_card_is_for_its_owner_to_see_and_a_given_part_for_everybody() -> None:
    turn = drawn(position(("red 1, grey 1", "gold"), druids="red 13"), "red 1 give gold")
    assert turn.given == ("gold",)
    assert turn.drawn == (Shown("experience-cards/1/0", "red", (Seat(0),)),)


@pytest.mark.rule("CA-15")
def test_at_a_cult_site_a_druid_card_may_be_drawn() -> None:
    state = position(("red 1, grey 1", ""), ("white 1", ""), druid_deck="brown black")
    assert cards(play(state, "red 1 draw")) == "grey 1, brown 1"
    assert drawn(state, "red 1 draw").drawn == (Shown("druid-cards/1/0", "brown", (Seat(0),)),)
    assert cards(play(state, "red 1 nothing")) == "grey 1"


@pytest.mark.rule("CA-15")
@pytest.mark.parametrize("act", ["take blue", "give gold"])
def test_nothing_else_happens_at_a_cult_site(act: str) -> None:
    assert refusal(position(("red 1", "gold")), f"red 1 {act}") == ("CA-15", "draw_or_not")


@pytest.mark.rule("CA-15")
@pytest.mark.rule("CA-19")
def test_the_last_card_used_to_enter_the_cult_site_before_the_two_ruins() -> None:
    """Declining ends the round for them; drawing makes them move again, at once when nobody else has cards."""
    alone = position(
        ("red 1", "gold"), ("", ""), druids="red 11", druid_deck="red grey red grey red grey red grey red grey red"
    )
    assert celtica.to_act(play(alone, "red 1 draw")) == 0
    assert cards(play(alone, "red 1 draw")) == "red 1"
    declined = play(alone, "red 1 nothing")
    assert declined.table.druid_cards == (5, 5)  # a new round
    assert celtica.to_act(declined) == 1
    others = position(("red 1", ""), ("grey 1, white 1", ""), druids="red 11", druid_deck="brown brown brown")
    assert celtica.to_act(play(others, "red 1 nothing", "grey 1 nothing")) == 1
    assert celtica.to_act(play(others, "red 1 draw", "grey 1 nothing")) == 0


@pytest.mark.rule("CA-16")
def test_in_the_german_edition_the_goal_gives_the_parts_it_shows() -> None:
    state = position(("red 1, grey 1", "gold"), druids="red 17", edition="de")
    assert owned(play(state, "red 1 take blue coral gold green")) == "blue coral gold gold green"
    for act in ("nothing", "take blue", "draw", "give gold"):
        assert refusal(state, f"red 1 {act}") == ("CA-13", "take_parts")


@pytest.mark.rule("CA-16")
def test_in_the_english_edition_nothing_happens_on_the_goal() -> None:
    state = position(("red 1, grey 1", "gold"), druids="red 17", edition="en")
    after = play(state, "red 1 nothing")
    assert (owned(after), display(after), stands(after, "red")) == ("gold", ALL_NINE, 18)
    for act in ("take blue", "take blue coral gold green", "draw", "give gold"):
        assert refusal(state, f"red 1 {act}") == ("CA-16", "goal_gives_nothing")


@pytest.mark.rule("CA-16")
@pytest.mark.parametrize("edition", ["fr", "", None, "DE", 0])
def test_there_is_no_third_edition(edition: object) -> None:
    with pytest.raises(BadOption):
        complete_options(celtica.info, 2, {"edition": edition})


@pytest.mark.rule("CA-17")
def test_the_display_is_filled_at_the_end_of_a_turn() -> None:
    state = position(("red 1, grey 1", ""), druids="red 2", supply="teal middle rose rose")
    after = play(state, "red 1 take blue coral")
    assert display(after) == "gold green orange rose teal teal violet middle middle"
    assert after.table.supply == 2
    assert drawn(state, "red 1 take blue coral").filled == (Shown("parts/1/0", "teal"), Shown("parts/1/1", "middle"))


@pytest.mark.rule("CA-17")
def test_the_given_up_parts_become_the_supply_when_it_is_empty_and_a_part_is_needed() -> None:
    state = position(("red 1, grey 1", ""), druids="red 2", supply="teal", given_up="blue blue rose")
    events = happened(state, "red 1 take blue coral")
    assert [type(event).__name__ for event in events] == ["TurnTaken", "DeckShuffled", "DisplayFilled"]
    assert sorted(sealed.value for sealed in events[1].pieces) == ["blue", "blue", "rose"]
    assert [sealed.name for sealed in events[1].pieces] == ["parts/2/0", "parts/2/1", "parts/2/2"]
    assert events[2].parts[0].name == "parts/2/0"
    after = play(state, "red 1 take blue coral")
    assert (sum(after.table.display), after.table.supply, sum(after.table.given_up)) == (9, 2, 0)


@pytest.mark.rule("CA-17")
def test_an_empty_supply_is_not_made_anew_before_a_part_is_needed() -> None:
    state = position(("red 1, grey 1", ""), druids="red 1", supply="teal", given_up="blue")
    assert len(happened(state, "red 1 take blue")) == 1


@pytest.mark.rule("CA-17")
def test_a_display_that_cannot_be_filled_stays_small_until_a_turn_makes_it_possible() -> None:
    state = position(
        ("red 1, grey 1", "gold"),
        ("white 1, grey 1", "rose rose"),
        druids="red 5 white 6",
        display="blue coral gold green",
    )
    state = play(state, "red 1 take blue coral gold")
    assert display(state) == "green"
    state = play(state, "white 1 give rose rose")
    assert display(state) == "green rose rose"
    assert not any(state.table.given_up)


@pytest.mark.rule("CA-18")
def test_an_empty_deck_is_made_anew_of_the_discards_with_the_cards_just_played() -> None:
    state = position(("red 1, grey 1", ""), druid_deck="", druid_discards="brown brown")
    events = happened(state, "red 1 draw")
    assert [type(event).__name__ for event in events] == ["TurnTaken", "DeckShuffled", "CardsDealt"]
    assert sorted(sealed.value for sealed in events[1].pieces) == ["brown", "brown", "red"]
    assert [sealed.name for sealed in events[1].pieces] == [f"druid-cards/2/{place}" for place in range(3)]
    assert [(card.name, card.to) for card in events[2].cards[0]] == [("druid-cards/2/0", (0,))]
    assert events[2].cards[1] == ()
    after = play(state, "red 1 draw")
    assert (after.table.druid_deck, sum(after.table.druid_discards), after.table.druid_cards[0]) == (2, 0, 2)


@pytest.mark.rule("CA-18")
def test_the_same_holds_for_experience_cards() -> None:
    state = position(("red 1+1, grey 1", ""), druids="red 12", experience_deck="", experience_discards="white")
    events = happened(state, "red 1+1 nothing")
    assert sorted(sealed.value for sealed in events[1].pieces) == ["red", "white"]
    after = play(state, "red 1+1 nothing")
    assert after.table.experience_cards[0] == 1
    assert after.table.experience_deck == 1


@pytest.mark.rule("CA-18")
def test_when_there_is_no_experience_card_at_all_none_is_drawn() -> None:
    state = position(("red 1, grey 1", ""), druids="red 13", experience_deck="")
    assert cards(play(state, "red 1 nothing")) == "grey 1"


@pytest.mark.rule("CA-18")
def test_a_deck_is_made_anew_in_the_middle_of_a_deal() -> None:
    state = position(("red 1", ""), ("", ""), druid_deck="grey " * 7, druid_discards="brown " * 11)
    events = happened(state, "red 1 nothing")
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["TurnTaken", "RoundEnded", "CardsDealt", "DeckShuffled", "CardsDealt"]
    assert [[len(hand) for hand in event.cards] for event in (events[2], events[4])] == [[2, 5], [3, 0]]
    assert len(events[3].pieces) == 12


@pytest.mark.rule("CA-18")
def test_what_is_public_of_the_piles() -> None:
    state = play(
        position(("red 1, grey 1", "gold"), druids="red 13", druid_deck="red red", supply="teal"), "red 1 give gold"
    )
    table = celtica.view(state, None).table
    assert (table.druid_deck, table.experience_deck, table.supply) == (2, 0, 1)
    assert table.druid_discards == (1, 0, 0, 0, 0)
    assert table.given_up == (0, 0, 1, 0, 0, 0, 0, 0, 0)


# -- rounds and end


@pytest.mark.rule("CA-19")
def test_who_has_no_druid_cards_is_passed_over_and_keeps_experience_cards() -> None:
    state = position(("red 1+1", ""), ("grey 3", ""), ("white 0+2", ""))
    state = play(state, "red 1 nothing")
    assert cards(state) == "red 0+1"
    for _ in range(2):
        assert celtica.to_act(state) == 1  # the last one with druid cards takes turn after turn
        state = play(state, celtica.notate(celtica.absent(celtica.view(state, Seat(1)))))
    assert cards(state, 2) == "white 0+2"


@pytest.mark.rule("CA-20")
def test_when_nobody_has_druid_cards_five_are_dealt_to_each_and_the_left_neighbour_begins() -> None:
    state = position(("", ""), ("red 1+1", ""), ("white 0+2", ""), turn=1, druid_deck="grey " * 20)
    events = happened(state, "red 1 nothing")
    assert events[1] == RoundEnded(Seat(1))
    names = [[int(card.name.split("/")[2]) for card in hand] for hand in events[2].cards]
    assert names == [[5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [0, 1, 2, 3, 4]]
    after = play(state, "red 1 nothing")
    assert after.table.druid_cards == (5, 5, 5)
    assert celtica.to_act(after) == 2
    assert cards(after, 1) == "red 0+1, grey 5"


@pytest.mark.rule("CA-20")
@pytest.mark.rule("CA-21")
def test_once_a_druid_is_home_no_new_round_is_dealt() -> None:
    state = position(("red 1", ""), ("grey 1", ""), druids="white 18", druid_deck="grey " * 20)
    state = play(state, "red 1 nothing")
    assert not ended(state)
    assert celtica.to_act(state) == 1
    events = happened(state, "grey 1 nothing")
    assert [type(event).__name__ for event in events] == ["TurnTaken", "PlayEnded", "MatchEnded"]
    assert (events[1].seat, events[1].reason) == (1, "last_round")


@pytest.mark.rule("CA-21")
def test_the_last_round_is_played_to_its_end_cult_draws_included() -> None:
    state = position(("white 1, red 1", ""), ("grey 2", ""), druids="white 17", edition="en", druid_deck="brown")
    state = play(state, "white 1 nothing")
    assert stands(state, "white") == 18
    state = play(state, "grey 1 nothing", "red 1 draw", "grey 1 take blue")
    assert cards(state) == "brown 1"
    state = play(state, "brown 1 nothing")
    assert celtica.outcome(state).reason == "last_round"  # type: ignore[union-attr]


@pytest.mark.rule("CA-22")
@pytest.mark.parametrize("edition", ["de", "en"])
def test_with_five_druids_home_the_game_ends_at_once_after_the_movers_action(edition: str) -> None:
    state = position(
        ("red 1, grey 2+1", ""), ("grey 3", ""), druids="red 17 grey 18 white 18 black 18 brown 18", edition=edition
    )
    line = "red 1 take blue coral gold green" if edition == "de" else "red 1 nothing"
    events = happened(state, line)
    (stopped,) = [event for event in events if isinstance(event, PlayEnded)]
    assert (stopped.seat, stopped.reason) == (0, "druids_home")
    assert stopped.discarded == (("grey", "grey"), ("grey", "grey", "grey"))
    after = play(state, line)
    assert owned(after) == ("blue coral gold green" if edition == "de" else "")
    assert after.table.druid_cards == (0, 0)
    assert after.table.druid_discards == (1, 5, 0, 0, 0)
    assert cards(after) == "grey 0+1"


@pytest.mark.rule("CA-22")
def test_which_of_their_cards_the_others_discard_at_the_end_only_they_know() -> None:
    state = position(("red 1", ""), ("grey 2", ""), druids="red 17 grey 18 white 18 black 18 brown 18", edition="en")
    (stopped,) = [event for event in happened(state, "red 1 nothing") if isinstance(event, PlayEnded)]
    assert [sealed.to for sealed in stopped.slots] == [(0,), (1,)]
    assert stopped.slots[1].value == ("d/1/grey/0", "d/1/grey/1")


@pytest.mark.rule("CA-22")
def test_with_no_parts_left_the_game_ends_at_once() -> None:
    state = position(("red 1, grey 2", ""), ("grey 3", ""), druids="red 5", display="blue coral")
    after = play(state, "red 1 take blue coral")
    assert ended(after)
    assert celtica.outcome(after).reason == "no_parts"  # type: ignore[union-attr]
    assert after.table.druid_cards == (0, 0)


@pytest.mark.rule("CA-17")
@pytest.mark.rule("CA-22")
def test_given_up_parts_count_as_parts_left_and_fill_the_display_before_the_exchange() -> None:
    state = position(("red 1, grey 2", ""), ("grey 3", ""), druids="red 5", display="blue coral", given_up="rose")
    state = play(state, "red 1 take blue coral")
    assert not ended(state)
    assert display(state) == "rose"


@pytest.mark.rule("CA-22")
def test_of_several_endings_the_first_is_told() -> None:
    home = "grey 18 white 18 black 18 brown 18"
    both = play(position(("red 1", ""), druids=f"red 17 {home}", display="blue"), "red 1 take blue")
    assert celtica.outcome(both).reason == "druids_home"  # type: ignore[union-attr]
    parts = play(position(("red 1", ""), druids="red 17", display="blue"), "red 1 take blue")
    assert celtica.outcome(parts).reason == "no_parts"  # type: ignore[union-attr]
    rounds = play(position(("red 1", ""), druids="red 17"), "red 1 take blue coral gold green")
    assert celtica.outcome(rounds).reason == "last_round"  # type: ignore[union-attr]


def exchange(*seats: tuple[str, str], **facts: object) -> State:
    """The exchange, as it begins: nobody has druid cards, and the seat before `turn` ended the game."""
    return position(*seats, closing="last_round", druids="red 18", **facts)  # type: ignore[arg-type]


@pytest.mark.rule("CA-23")
def test_the_exchange_begins_left_of_whoever_ended_the_game_and_that_player_is_last() -> None:
    state = position(("white 0+1", "rose"), ("red 1+1", "rose"), ("white 0+1", "rose"), druids="grey 18", turn=1)
    state = play(state, "red 1 nothing")
    asked = []
    while not ended(state):
        asked.append(celtica.to_act(state))
        state = play(state, "done")
    assert asked == [2, 0, 1]


@pytest.mark.rule("CA-23")
@pytest.mark.parametrize(
    ("held", "parts", "asked"),
    [
        ("red 0+1", "gold", True),
        ("red 0+1", "", False),
        ("red 0+2", "", True),
        ("red 0+1, grey 0+1", "", True),
        ("", "gold", False),
    ],
)
def test_who_cannot_pay_for_anything_is_not_asked(held: str, parts: str, asked: bool) -> None:
    state = exchange((held, parts), ("white 0+1", "rose"))
    assert celtica.to_act(state) == (0 if asked else 1)


@pytest.mark.rule("CA-23")
def test_with_an_empty_display_nobody_is_asked() -> None:
    state = position(("red 1+2", "gold"), ("grey 0+2", "gold"), druids="red 5", display="blue coral")
    assert ended(play(state, "red 1 take blue coral"))


@pytest.mark.rule("CA-23")
def test_whether_a_player_is_asked_is_judged_when_their_turn_comes() -> None:
    state = exchange(("red 0+4", "gold"), ("white 0+4", "rose"), display="blue coral")
    assert ended(play(state, "take blue coral"))
    assert celtica.to_act(play(state, "take blue")) == 1


@pytest.mark.rule("CA-23")
def test_a_swap_costs_one_card_and_a_part_two() -> None:
    state = exchange(("red 0+3", "coral rose"), ("white 0+1", "rose"))
    swapped = play(state, "swap coral for middle")
    assert (owned(swapped), cards(swapped)) == ("rose middle", "red 0+2")
    assert display(swapped) == "blue coral coral gold green orange rose teal violet"
    took = play(state, "take blue")
    assert (owned(took), cards(took)) == ("blue coral rose", "red 0+1")
    both = play(state, "swap coral for middle, take blue")
    assert (owned(both), cards(both)) == ("blue rose middle", "")
    assert play(state, "swap coral for blue middle") == both
    for line in ("take blue gold", "swap coral for blue gold middle", "swap coral rose for blue gold teal"):
        assert refusal(state, line) == ("CA-23", "too_few_cards")


@pytest.mark.rule("CA-23")
def test_with_four_experience_cards_a_player_may_take_one_part_and_swap_twice() -> None:
    state = exchange(("red 0+1, grey 0+3", "coral rose"))
    after = play(state, "take blue, swap coral for middle, swap rose for gold")
    assert (owned(after), cards(after)) == ("blue gold middle", "")


@pytest.mark.rule("CA-23")
def test_cards_are_paid_in_the_order_of_the_druids_whatever_their_colour() -> None:
    state = exchange(("black 0+2, grey 0+1, brown 0+2", "coral rose"), ("white 0+1", "rose"))
    after = play(state, "take blue")
    assert cards(after) == "black 0+1, brown 0+2"
    assert after.table.experience_discards == (0, 1, 0, 1, 0)


@pytest.mark.rule("CA-23")
def test_only_own_parts_are_swapped_and_only_for_parts_of_the_display() -> None:
    state = exchange(("red 0+4", "coral"), ("white 0+1", "rose"), display="blue blue", supply="gold")
    for line in ("swap rose for blue", "swap coral coral for blue blue", "swap blue for blue"):
        assert refusal(state, line) == ("CA-23", "not_yours")
    for line in ("swap coral for gold", "swap coral for rose", "take rose"):
        assert refusal(state, line) == ("CA-23", "not_in_display")
    assert refusal(state, "take blue blue blue") == ("CA-23", "too_few_cards")
    assert refusal(state, "swap coral for blue blue blue")[0] == "CA-23"


@pytest.mark.rule("CA-23")
def test_for_every_part_given_one_is_got() -> None:
    state = exchange(("red 0+4", "coral rose"))
    assert refusal(state, "swap coral rose for blue") == ("CA-23", "nothing_for_it")


@pytest.mark.rule("CA-23")
def test_a_part_may_be_swapped_for_one_of_its_own_type() -> None:
    state = exchange(("red 0+2", "coral"), ("white 0+1", "rose"))
    after = play(state, "swap coral for coral")
    assert (owned(after), display(after), cards(after)) == ("coral", ALL_NINE, "red 0+1")


@pytest.mark.rule("CA-23")
def test_a_swapped_part_lies_open_to_the_same_players_further_exchanges() -> None:
    state = exchange(("red 0+3", "coral"), ("white 0+1", "rose"), display="blue gold")
    after = play(state, "swap coral for blue, take coral")  # what it comes to is taking blue
    assert owned(after) == "blue coral"
    assert display(after) == "gold"
    chain = play(state, "swap coral for blue, swap blue for gold")
    assert (owned(chain), display(chain)) == ("gold", "blue coral")
    short = exchange(("red 0+1", "coral"), display="blue gold")
    assert refusal(short, "swap coral for blue, swap blue for gold") == ("CA-23", "too_few_cards")


@pytest.mark.rule("CA-23")
def test_a_swapped_part_lies_open_to_later_players_and_the_display_is_filled_only_when_the_player_is_done() -> None:
    state = exchange(("red 0+5", "coral"), ("white 0+1", "rose"), display="blue gold", supply="teal teal " * 5)
    assert refusal(state, "take blue gold teal")[0] == "CA-23"
    after = play(state, "swap coral for blue gold")
    assert display(after) == "coral teal teal teal teal teal teal teal teal"
    assert owned(play(after, "swap rose for coral"), 1) == "coral"


@pytest.mark.rule("CA-17")
@pytest.mark.rule("CA-23")
def test_the_display_is_filled_after_the_last_player_too() -> None:
    state = exchange(("red 0+2", "coral"), supply="teal")
    events = happened(state, "take blue")
    assert events[0].filled == (Shown("parts/1/0", "teal"),)
    assert isinstance(events[-1], MatchEnded)
    given = happened(exchange(("red 0+2", "coral"), given_up="rose rose"), "take blue")
    assert [type(event).__name__ for event in given] == ["Exchanged", "DeckShuffled", "DisplayFilled", "MatchEnded"]


@pytest.mark.rule("CA-23")
def test_nobody_must_spend_cards_and_what_is_left_is_worth_nothing() -> None:
    state = exchange(("red 0+4", ALL_NINE), ("white 0+1", ALL_NINE))
    after = play(state, "done", "done")
    assert ended(after)
    assert celtica.outcome(after).places == (1, 1)  # type: ignore[union-attr]


@pytest.mark.rule("CA-23")
def test_an_experience_card_drawn_in_the_last_round_can_still_be_exchanged() -> None:
    state = play(position(("red 1", "gold gold teal"), druids="red 12 grey 18"), "red 1 give gold teal")
    assert celtica.to_act(state) == 0
    assert owned(play(state, "swap gold for blue")) == "blue"


@pytest.mark.rule("CA-8")
@pytest.mark.rule("CA-9")
@pytest.mark.rule("CA-23")
def test_in_the_exchange_no_cards_are_played() -> None:
    state = exchange(("red 0+4", "gold"))
    assert refusal(state, "red 1 take blue") == ("CA-8", "too_few_druid_cards")
    assert refusal(state, "red 0+1 nothing") == ("CA-9", "no_druid_card")


@pytest.mark.rule("CA-23")
@pytest.mark.rule("CA-8")
def test_before_the_end_nothing_is_exchanged() -> None:
    assert refusal(position(("red 1+4", "gold")), "swap gold for blue") == ("CA-8", "cards_are_played")


# -- winning


@pytest.mark.rule("CA-24")
@pytest.mark.parametrize(
    ("parts", "sizes"),
    [
        ((0,) * 9, ()),
        ((1,) * 9, (9,)),
        ((2, 1, 1, 1, 1, 1, 1, 1, 1), (9, 1)),
        ((3, 0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 1)),
        ((4, 3, 3, 2, 2, 2, 2, 4, 4), (9, 9, 5, 3)),
        ((10,) * 9, (9,) * 10),
    ],
)
def test_the_kth_amulet_holds_every_type_that_is_there_k_times(parts: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    assert amulets(parts) == sizes


def parts_of(*sizes: int) -> str:
    """Parts that make amulets of these sizes."""
    return " ".join(part for size in sizes for part in PARTS[:size])


def places_of(*seats: tuple[int, ...]) -> tuple[int, ...]:
    return standing(position(*(("", parts_of(*sizes)) for sizes in seats)).table).places


@pytest.mark.rule("CA-24")
@pytest.mark.rule("CA-25")
def test_the_rulebooks_example() -> None:
    assert places_of((9, 9, 7, 4), (9, 9, 8), (9, 9, 9)) == (3, 2, 1)


@pytest.mark.rule("CA-25")
@pytest.mark.parametrize(
    ("seats", "places"),
    [
        (((9,), (8, 8, 8, 8)), (1, 2)),
        (((9, 5), (9, 5, 1)), (2, 1)),
        (((9, 5, 3), (9, 5, 4), (9, 6)), (3, 2, 1)),
        (((7, 2), (7, 2), (1,)), (1, 1, 3)),
        (((), (1,)), (2, 1)),
        (((9, 9), (9, 8, 8, 8)), (1, 2)),
    ],
)
def test_complete_amulets_come_first_then_the_larger_incomplete_ones(
    seats: tuple[tuple[int, ...], ...], places: tuple[int, ...]
) -> None:
    assert places_of(*seats) == places


@pytest.mark.rule("CA-25")
def test_the_score_is_the_number_of_complete_amulets() -> None:
    table = position(("", parts_of(9, 9, 4)), ("", parts_of(8, 8, 8, 8))).table
    assert [score.total for score in standing(table).scores] == [2, 0]
    assert standing(table).scores[0].parts == (("complete_amulets", 2),)


# -- rules of every game


@pytest.mark.rule("GE-1")
def test_who_leaves_is_played_by_the_absent_move_and_the_last_who_stays_wins_without_an_exchange() -> None:
    state = position(("red 2+2", "gold"), ("grey 1+3", ALL_NINE), ("white 1+2", "rose"))
    gone = leave(state, 1)
    assert not ended(gone)
    over = leave(gone, 2)
    assert celtica.outcome(over).reason == "others_left"  # type: ignore[union-attr]
    assert celtica.outcome(over).places == (1, 3, 2)  # type: ignore[union-attr]


@pytest.mark.rule("GE-1")
@pytest.mark.parametrize(
    ("state", "line"),
    [
        (position(("grey 2, red 1+3", "")), "red 1 nothing"),
        (position(("grey 2, white 1", ""), druids="grey 1", display="middle blue"), "grey 1 take blue"),
        (
            position(("brown 2", ""), druids="brown 5", display="middle violet teal teal"),
            "brown 1 take teal teal violet",
        ),
        (position(("brown 2", "middle gold gold"), druids="brown 6"), "brown 1 give gold gold"),
        (position(("black 1+1", ""), druids="black 18"), "black 1 nothing"),
        (position(("red 0+3", "gold"), closing="last_round"), "done"),
    ],
)
def test_the_absent_move(state: State, line: str) -> None:
    """One druid card of the first colour, parts in their order, no card from the cult site, nothing exchanged."""
    assert celtica.notate(celtica.absent(celtica.view(state, Seat(0)))) == line


@pytest.mark.rule("GE-2")
def test_nobody_acts_out_of_turn_or_after_the_end() -> None:
    state = position(("red 1", ""), ("grey 1", ""))
    assert refusal(state, "grey 1 nothing", 1) == ("GE-2", "not_your_turn")
    assert refusal(leave(state, 1), "red 1 nothing", 0) == ("GE-2", "match_over")


# -- editions, and this file


def test_the_editions_differ_on_the_goal_and_nowhere_else() -> None:
    """Every place, every number of cards: the offers are the same, but for those that lead to the goal."""
    for stood in range(19):
        offers = []
        for edition in ("de", "en"):
            state = position(("red 3+2, grey 1", "gold gold"), druids=f"red {stood}", edition=edition)
            offers.append(celtica.legal(celtica.view(state, Seat(0))))
        steps = [
            int(druid) + int(exp or 0)
            for druid, exp in re.findall(r"^red (\d)(?:\+(\d))?", "\n".join(o.text for o in offers[0]), re.MULTILINE)
        ]
        reaches = stood < 18 and any(stood + step >= 18 for step in steps)
        assert (offers[0] != offers[1]) == reaches, stood
        short = [[offer for offer in some if offer.text.startswith("grey")] for some in offers]
        assert short[0] == short[1]


def test_the_same_chance_and_moves_give_the_same_match_in_both_editions_until_a_druid_is_home() -> None:
    for number in range(10):
        one, other = (opening(3, seed=bytes([number]), edition=edition) for edition in ("de", "en"))
        while max(one.table.druids) < 18:
            assert one.hands == other.hands
            assert one.table.parts == other.table.parts
            seat = celtica.to_act(one)
            lines = [celtica.notate(celtica.absent(celtica.view(state, seat))) for state in (one, other)]
            assert lines[0].replace("take", "nothing").split()[:3] == lines[1].replace("take", "nothing").split()[:3]
            if lines[0] != lines[1]:
                break
            one, other = play(one, lines[0]), play(other, lines[1])


def test_every_rule_has_a_test() -> None:
    marked = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        marked |= set(re.findall(r'mark\.rule\("([A-Z]+-\d+)"\)', path.read_text("utf-8")))
    assert sorted(marked) == sorted(RULES)


def test_chance_is_not_asked_when_nothing_is_shuffled() -> None:
    class NoChance(Chance):
        def shuffle(self, label: str, items: object) -> tuple[str, ...]:  # type: ignore[override]
            raise AssertionError(label)

    state = position(("red 1, grey 1", ""))
    assert celtica.decide(state, Seat(0), celtica.parse("red 1 draw", None), NoChance(b""))
