"""Whole matches as text: how a golden file is written and read.

    game: keltis
    shows: what the file is kept for, one of the ways to end that the game's second reading knows
    seats: 3
    options: {"first_player": "random", "last_clover": "extra"}
    seed: 00ff...

    0: reveal, lay else leave  # green 7
    1: take pink 4
    2: resigns

    scores: 21 -3 8
    places: 1 3 2
    reason: last_tile

Behind `#` stands what the move turned up for everybody to see. A seat that resigned is played for, and those moves
stand in the file like all others. Scores, places and reason are those of the game's second reading.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
RESIGNS = "resigns"


@dataclass(frozen=True, slots=True)
class Line:
    seat: int
    move: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What a second reading of the lines comes to. `way` is the way to end that the match shows."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    reason: str
    way: str


@dataclass(frozen=True, slots=True)
class Golden:
    game: str
    seats: int
    options: dict[str, Any]
    seed: bytes
    lines: tuple[Line, ...]


def write(golden: Golden, result: Result) -> str:
    return "\n".join(
        [
            f"game: {golden.game}",
            f"shows: {result.way}",
            f"seats: {golden.seats}",
            f"options: {json.dumps(golden.options, sort_keys=True)}",
            f"seed: {golden.seed.hex()}",
            "",
            *(f"{line.seat}: {line.move}{'  # ' * bool(line.shown)}{', '.join(line.shown)}" for line in golden.lines),
            "",
            f"scores: {_spaced(result.scores)}",
            f"places: {_spaced(result.places)}",
            f"reason: {result.reason}",
            "",
        ]
    )


def read(text: str) -> tuple[Golden, Result]:
    head, lines, foot = text.strip().split("\n\n")
    known = dict(line.split(": ", 1) for line in f"{head}\n{foot}".split("\n"))
    golden = Golden(
        game=known["game"],
        seats=int(known["seats"]),
        options=json.loads(known["options"]),
        seed=bytes.fromhex(known["seed"]),
        lines=tuple(_line(line) for line in lines.split("\n")),
    )
    return golden, Result(_numbers(known["scores"]), _numbers(known["places"]), known["reason"], known["shows"])


def _line(text: str) -> Line:
    seat, rest = text.split(": ", 1)
    move, _, shown = rest.partition("  # ")
    return Line(int(seat), move, tuple(shown.split(", ")) if shown else ())


def _spaced(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))
