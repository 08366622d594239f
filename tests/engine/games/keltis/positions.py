"""Positions of Keltis to test with, and lines played from them."""

from collections.abc import Mapping, Sequence

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Seat
from engine.games import keltis
from engine.games.keltis.rules import State, Table
from engine.games.keltis.tiles import COLOURS
from engine.play import fold, play_line

CHANCE = Chance(b"no move of Keltis needs any")


def position(
    *rows: Mapping[str, Sequence[int]],
    middle: Sequence[str] = (),
    stack: Sequence[str] = ("blue 0", "brown 0"),
    turn: int = 0,
    extra: bool = False,
    revealed: str = "",
    last_clover: str = "extra",
) -> State:
    """Two seats or more with these rows. The other tiles of the 55 are nowhere, which no rule minds."""
    seats = [*rows, {}, {}][: max(2, len(rows))]
    laid = tuple(tuple(tuple(f"{c} {n}" for n in row.get(c, ())) for c in COLOURS) for row in seats)
    table = Table(laid, tuple(middle), len(stack), Seat(turn), extra, revealed, (), "", last_clover)
    return State(table, tuple(stack))


def play(state: State, *lines: str) -> State:
    """Each line is played by whoever is to act."""
    for line in lines:
        seat = keltis.to_act(state)
        assert seat is not None, f"the match is over before “{line}”"
        state = play_line(keltis, state, seat, line, CHANCE).state
    return state


def leave(state: State, *seats: int) -> State:
    for seat in seats:
        state = fold(keltis, state, keltis.leave(state, Seat(seat), CHANCE))
    return state


def refusal(state: State, line: str, seat: int | None = None) -> tuple[str, str]:
    """The rule and the code that the line is refused with."""
    if seat is None:
        seat = keltis.to_act(state)
    with pytest.raises(RuleViolation) as caught:
        play_line(keltis, state, Seat(seat or 0), line, CHANCE)
    return caught.value.rule, caught.value.code


def row(state: State, seat: int, colour: str) -> list[int]:
    return [int(tile.split()[1]) for tile in state.table.rows[seat][COLOURS.index(colour)]]
