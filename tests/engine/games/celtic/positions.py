"""Positions of Celtic to test with, and lines played from them."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Seat
from engine.game import complete_options
from engine.games import celtic
from engine.games.celtic.board import GOODS, RECONSTRUCTION, Board
from engine.games.celtic.table import Counts, Stage, State, Table, Terms
from engine.play import fold, play_line

CHANCE = Chance(b"positions of Celtic")
ALL_GOALS = tuple(goal.id for goal in RECONSTRUCTION.goals)
SEVEN = " ".join(GOODS)


def opening(seats: int = 2, seed: bytes = b"seed", **options: object) -> State:
    dealt = celtic.deal(seats, complete_options(celtic.info, seats, options), Chance(seed))
    state: State = fold(celtic, None, dealt)
    return state


def position(
    *seats: str,
    hands: Sequence[str] = (),
    goods: Sequence[str] = (),
    done: Sequence[str] = (),
    stacks: str = "",
    deck: str | None = None,
    turn: int = 0,
    turns: int = 0,
    moved: bool = False,
    way: tuple[str, str] | None = None,
    waiting: tuple[int, ...] = (),
    closing: str = "",
    to_ask: int | None = None,
    open_trade: bool = False,
    reveal: str = "end_of_turn",
    max_turns: int = 100,
    board: Board = RECONSTRUCTION,
) -> State:
    """Two seats or more, their markers as told (`grain 2, trade_wine`) and the others of the eight in the village.

    `hands` and `done` are goals (`E05 H01`), `goods` and `stacks` trade cards (`wine wine hides`, `wine 0`): by seat,
    and none where nothing is told; stacks are full, and whoever isn't given goals holds none.
    """
    seats = (*seats, "", "")[: max(2, len(seats))]
    count = len(seats)
    held = [tuple(hand.split()) for hand in (*hands, *[""] * count)][:count]
    completed = [tuple(goals.split()) for goals in (*done, *[""] * count)][:count]
    collected = [_goods(some) for some in (*goods, *[""] * count)][:count]
    used = [goal for goals in (*held, *completed) for goal in goals]
    rest = tuple(goal for goal in ALL_GOALS if goal not in used) if deck is None else tuple(deck.split())
    left = dict.fromkeys(GOODS, 16)
    for said in filter(None, stacks.split(", ")):
        good, number = said.split()
        left[good] = int(number)
    origin, destination = (board.index[place] for place in way) if way else (-1, -1)
    table = Table(
        terms=Terms(board, open_trade, reveal, max_turns),
        markers=tuple(_markers(said, board) for said in seats),
        stacks=tuple(left.values()),
        cards=tuple(map(sum, collected)),
        completed=tuple(completed),
        deck=len(rest),
        turn=Seat(turn),
        turns=turns,
        moved=moved or way is not None,
        origin=origin,
        destination=destination,
        waiting=tuple(map(Seat, waiting)),
        stage=Stage(
            closing=closing,
            closer=Seat(turn) if closing else None,
            to_ask=(count if to_ask is None else to_ask) if closing else 0,
            left=(),
            ended="",
        ),
    )
    return State(table, tuple(held), tuple(collected), (*used, *rest))


def _markers(said: str, board: Board) -> Counts:
    counts = [8] + [0] * (len(board.places) - 1)
    for some in filter(None, said.split(", ")):
        place, *number = some.split()
        counts[board.index[place]] += int(*number) if number else 1
        counts[0] -= int(*number) if number else 1
    assert counts[0] >= 0, said
    return tuple(counts)


def _goods(said: str) -> Counts:
    words = said.split()
    assert set(words) <= set(GOODS), said
    return tuple(words.count(good) for good in GOODS)


def play(state: State, *lines: str) -> State:
    """Each line is played by whoever is to act."""
    for line in lines:
        seat = celtic.to_act(state)
        assert seat is not None, f"the match is over before “{line}”"
        state = play_line(celtic, state, seat, line, CHANCE).state
    return state


def happened(state: State, line: str) -> Sequence[Event]:
    """What a line of whoever is to act brings about."""
    seat = celtic.to_act(state)
    assert seat is not None
    return play_line(celtic, state, seat, line, CHANCE).events


def leave(state: State, *seats: int) -> State:
    for seat in seats:
        state = fold(celtic, state, celtic.leave(state, Seat(seat), CHANCE))
    return state


def refusal(state: State, line: str, seat: int | None = None) -> tuple[str, str]:
    """The rule and the code that the line is refused with."""
    if seat is None:
        seat = celtic.to_act(state)
    with pytest.raises(RuleViolation) as caught:
        play_line(celtic, state, Seat(seat or 0), line, CHANCE)
    return caught.value.rule, caught.value.code


def refused(state: State, move: Any, seat: int = 0) -> tuple[str, str]:
    """The same for a move that has no line."""
    with pytest.raises(RuleViolation) as caught:
        celtic.decide(state, Seat(seat), move, CHANCE)
    return caught.value.rule, caught.value.code


def stands(state: State, seat: int = 0) -> dict[str, int]:
    """Where the markers of a seat stand."""
    return {
        place: there
        for place, there in zip(state.table.terms.board.ids, state.table.markers[seat], strict=True)
        if there
    }


def offered(state: State, seat: int | None = None) -> list[str]:
    """What whoever is to act may say, in short."""
    viewer = celtic.to_act(state) if seat is None else Seat(seat)
    return [offer.text for offer in celtic.legal(celtic.view(state, viewer))]
