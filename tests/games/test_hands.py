"""Hands by its own rules: what the contracts can't know of a game."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from engine.chance import Chance
from engine.errors import Ambiguous, RuleViolation, Unreadable
from engine.events import Sealed, Seat, Shown, as_seen_by
from engine.game import complete_options
from engine.play import Played, fold, play_line
from tests.games import hands
from tests.games.hands.rules import CARDS, Card, CardKept, CardStolen, Colour, DeckShuffled, Slotted, State
from tests.matches import play_match

CHANCE = Chance(b"hands")


def cards(text: str) -> list[Card]:
    return [Card(Colour(word[0]), int(word[1])) for word in text.split()]


def position(*held: str, deck: str = "b1 b1 g1", played: str = "", **changes: object) -> State:
    """Seat 0 on turn, these hands, this deck."""
    names = iter(range(100))
    options = complete_options(hands.info, len(held), {"first_player": 0})
    state = fold(hands, None, hands.deal(len(held), options, CHANCE))

    def slotted(text: str) -> tuple[Slotted, ...]:
        return tuple(Slotted(f"slot{next(names)}", card) for card in cards(text))

    return replace(
        state,
        hands=tuple(map(slotted, held)),
        deck=slotted(deck),
        played=cards(played)[0] if played else None,
        **changes,  # type: ignore[arg-type]
    )


def play(state: State, seat: int, line: str) -> Played:
    return play_line(hands, state, Seat(seat), line, CHANCE)


def refused(state: State, seat: int, line: str) -> tuple[str, str]:
    with pytest.raises(RuleViolation) as refusal:
        play(state, seat, line)
    return refusal.value.rule, refusal.value.code


def lying(state: State) -> list[Card]:
    held = [slotted.card for hand in (*state.hands, state.deck) for slotted in hand]
    rows = [card for row in state.rows for card in row]
    return [*held, *rows, *state.discards, *([state.played] if state.played else [])]


@pytest.mark.rule("HA-2")
def test_all_cards_are_somewhere_and_a_match_is_short(sample: Callable[[int, int], int]) -> None:
    endings = set()
    for number in range(sample(60, 3000)):
        steps = play_match(hands, 2 + number % 3, number, {"turns": 1 + number % 6, "swap": 1 + number % 3})
        for step in steps:
            assert Counter(lying(step.state)) == Counter(CARDS)
        assert len(steps) <= 1 + 2 * (2 + number % 3) * (1 + number % 6)
        endings.add(steps[-1].state.ended)
    assert "all_turns_taken" in endings


@pytest.mark.rule("HA-9")
def test_a_match_ends_when_a_turn_begins_without_cards() -> None:
    state = play(position("r1", "", deck=""), 0, "play r1").state
    assert hands.outcome(state) is not None
    assert state.ended == "no_cards"


@pytest.mark.rule("HA-4")
def test_the_lowest_of_several_broken_rules_is_named() -> None:
    state = position("r1 r1 r2 b1", "g1 g2 g3 r3")
    assert refused(state, 0, "swap r1 r1 g9") == ("HA-2", "no_such_card")
    assert refused(state, 0, "swap r1 g1 g2") == ("HA-4", "not_in_hand")
    assert refused(state, 0, "swap r1 r1 r2") == ("HA-6", "wrong_count")
    assert refused(state, 0, "beat g1") == ("HA-4", "nothing_to_answer")
    assert refused(state, 1, "play r9") == ("GE-2", "not_your_turn")


@pytest.mark.rule("HA-7")
def test_an_answer_is_higher_and_of_the_same_colour() -> None:
    state = play(position("r2 b1", "g3 r1 r3 r2", deck="b1 b1 g1 g1 b2 b2"), 0, "play r2").state
    assert hands.to_act(state) == 1
    assert refused(state, 1, "beat g3") == ("HA-7", "does_not_beat")
    assert refused(state, 1, "beat r2") == ("HA-7", "does_not_beat")
    assert refused(state, 1, "play r3") == ("HA-7", "answer_due")
    beaten = play(state, 1, "beat")
    assert beaten.move == "beat r3", "no other card could be meant"
    assert beaten.state.beaten == (0, 1)
    assert cards("r2 r3") == list(beaten.state.discards)


@pytest.mark.rule("HA-5")
def test_who_cannot_beat_is_asked_all_the_same_and_who_holds_nothing_is_not() -> None:
    assert hands.to_act(play(position("r3 b1", "b1 b2"), 0, "play r3").state) == 1
    alone = play(position("r3 b1", "", deck=""), 0, "play r3")
    assert CardKept(Seat(0)) in alone.events


@pytest.mark.rule("HA-7")
def test_only_the_two_see_what_was_stolen() -> None:
    state = play(position("r2 b1 b3", "r3", "g1"), 0, "play r2").state
    events = play(state, 1, "beat r3").events
    seen = [
        next(event for event in as_seen_by(reader, events) if isinstance(event, CardStolen))
        for reader in (Seat(0), Seat(1), Seat(2), None)
    ]
    assert [bool(event.card.value) for event in seen] == [True, True, False, False]
    assert [bool(event.slot.value) for event in seen] == [True, True, False, False]


@pytest.mark.rule("HA-8")
def test_the_discards_become_a_deck_whose_slots_have_new_names() -> None:
    state = position("r2 b1 b3 g1", "r3 r1 r1 g2", deck="g3")
    played = play(state, 0, "swap b1 b3")
    (shuffled,) = [event for event in played.events if isinstance(event, DeckShuffled)]
    assert {sealed.name for sealed in shuffled.deck} == {"deck2/0", "deck2/1"}
    assert Counter(sealed.value for sealed in shuffled.deck) == Counter(cards("b1 b3"))
    assert len(played.state.hands[0]) == 4


def test_which_slot_a_card_came_from_stays_sealed_to_its_player() -> None:
    played = play(position("r2 b1", "r3"), 0, "play r2")
    assert played.events[0].slot == Sealed("slot0", to=(Seat(0),))
    assert as_seen_by(Seat(1), played.events)[0].slot == Sealed(None, to=(Seat(0),))
    drawn: Sequence[Shown[Card]] = play(position("r2 b1", ""), 0, "swap r2 b1").events[1].cards
    assert all(shown.to == (Seat(0),) for shown in drawn)


def test_a_line_that_could_mean_several_cards_is_ambiguous() -> None:
    state = position("r2 b2 b1 b1", "r3")
    with pytest.raises(Ambiguous) as unclear:
        play(state, 0, "play 2")
    assert unclear.value.choices == ("play b2", "play r2")
    assert play(state, 0, "1").move == "play b1", "two cards alike are one meaning"
    assert play(state, 0, "Rot").move == "play r2"
    with pytest.raises(Unreadable):
        play(state, 0, "play 3")


@pytest.mark.rule("HA-10")
def test_row_and_beaten_cards_count_and_the_highest_card_in_hand_is_subtracted() -> None:
    state = position("r2 b1", "g3 g1", rows=(tuple(cards("b3 g3")), ()), beaten=(1, 2), ended="all_turns_taken")
    outcome = hands.outcome(state)
    assert outcome is not None
    assert [score.total for score in outcome.scores] == [3 + 3 + 1 - 2, 2 - 3]
    assert outcome.places == (1, 2)
