"""Positions of Celtica to test with, and lines played from them."""

from collections.abc import Sequence

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Seat
from engine.game import complete_options
from engine.games import celtica
from engine.games.celtica.board import RECONSTRUCTION, Board
from engine.games.celtica.table import Stage, State, Table, Terms
from engine.play import fold, play_line

CHANCE = Chance(b"positions of Celtica")
ALL_NINE = "blue coral gold green orange rose teal violet middle"

# Places of the shipped board, by what a druid finds there: one step leads from the place before.
CULT, VILLAGE, CASTLE, RUIN, CLOISTER, RUIN_2, RUIN_3, GOAL = 1, 2, 3, 4, 6, 7, 14, 18


def opening(seats: int = 2, seed: bytes = b"seed", **options: object) -> State:
    dealt = celtica.deal(seats, complete_options(celtica.info, seats, options), Chance(seed))
    state: State = fold(celtica, None, dealt)
    return state


def counts(names: Sequence[str], words: str) -> tuple[int, ...]:
    """`blue green green` as numbers of each."""
    said = words.split()
    assert set(said) <= set(names), words
    return tuple(said.count(name) for name in names)


def position(
    *seats: tuple[str, str],
    druids: str = "",
    display: str = ALL_NINE,
    supply: str = "",
    given_up: str = "",
    druid_deck: str = "red",
    experience_deck: str = "red",
    druid_discards: str = "",
    experience_discards: str = "",
    turn: int = 0,
    edition: str = "de",
    overshoot: str = "stop",
    closing: str = "",
    to_ask: int | None = None,
    board: Board = RECONSTRUCTION,
) -> State:
    """Two seats or more with these cards (`red 2+1, grey 1`) and parts; druids stand as told (`red 5`), or at the
    start. The other pieces are nowhere, which no rule minds.
    """
    seats = (*seats, ("", ""), ("", ""))[: max(2, len(seats))]
    hands = tuple(_hand(seat, cards, board) for seat, (cards, _) in enumerate(seats))
    said = druids.split()
    stands = dict(zip(said[::2], map(int, said[1::2]), strict=True))
    table = Table(
        terms=Terms(board, edition, overshoot),
        druids=tuple(stands.get(name, 0) for name in board.druids),
        display=counts(board.parts, display),
        parts=tuple(counts(board.parts, parts) for _, parts in seats),
        given_up=counts(board.parts, given_up),
        supply=len(supply.split()),
        druid_cards=tuple(sum(map(len, hand[:5])) for hand in hands),
        experience_cards=tuple(sum(map(len, hand[5:])) for hand in hands),
        druid_deck=len(druid_deck.split()),
        experience_deck=len(experience_deck.split()),
        druid_discards=counts(board.druids, druid_discards),
        experience_discards=counts(board.druids, experience_discards),
        last=Seat((turn - 1) % len(seats)),
        stage=Stage(
            shuffles=(1, 1, 1),
            closing=closing,
            to_ask=len(seats) if to_ask is None else to_ask,
            left=(),
            ended="",
        ),
    )
    return State(table, hands, tuple(druid_deck.split()), tuple(experience_deck.split()), tuple(supply.split()))


def _hand(seat: int, cards: str, board: Board) -> tuple[tuple[str, ...], ...]:
    held: dict[str, tuple[int, int]] = {}
    for said in filter(None, cards.split(", ")):
        colour, count = said.split()
        druid, _, experience = count.partition("+")
        held[colour] = int(druid), int(experience or 0)
    return tuple(
        tuple(f"{name}/{seat}/{colour}/{at}" for at in range(held.get(colour, (0, 0))[kind]))
        for kind, name in ((0, "d"), (1, "e"))
        for colour in board.druids
    )


def play(state: State, *lines: str) -> State:
    """Each line is played by whoever is to act."""
    for line in lines:
        seat = celtica.to_act(state)
        assert seat is not None, f"the match is over before “{line}”"
        state = play_line(celtica, state, seat, line, CHANCE).state
    return state


def happened(state: State, line: str) -> Sequence[Event]:
    """What a line of whoever is to act brings about."""
    seat = celtica.to_act(state)
    assert seat is not None
    return play_line(celtica, state, seat, line, CHANCE).events


def leave(state: State, *seats: int) -> State:
    for seat in seats:
        state = fold(celtica, state, celtica.leave(state, Seat(seat), CHANCE))
    return state


def refusal(state: State, line: str, seat: int | None = None) -> tuple[str, str]:
    """The rule and the code that the line is refused with."""
    if seat is None:
        seat = celtica.to_act(state)
    with pytest.raises(RuleViolation) as caught:
        play_line(celtica, state, Seat(seat or 0), line, CHANCE)
    return caught.value.rule, caught.value.code


def owned(state: State, seat: int = 0) -> str:
    """The parts of a seat, in words."""
    return _words(state.table.terms.board.parts, state.table.parts[seat])


def display(state: State) -> str:
    return _words(state.table.terms.board.parts, state.table.display)


def _words(names: Sequence[str], counted: Sequence[int]) -> str:
    return " ".join(name for name, count in zip(names, counted, strict=True) for _ in range(count))


def cards(state: State, seat: int = 0) -> str:
    """The cards of a seat, as `position` is told them."""
    hand, druids = state.hands[seat], state.table.terms.board.druids
    held = [(name, len(hand[at]), len(hand[at + 5])) for at, name in enumerate(druids)]
    return ", ".join(f"{name} {druid}+{exp}" if exp else f"{name} {druid}" for name, druid, exp in held if druid or exp)


def stands(state: State, druid: str) -> int:
    return state.table.druids[state.table.terms.board.druids.index(druid)]
