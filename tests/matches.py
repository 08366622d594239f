"""Whole matches to test with: played by chance through `engine.play`, and written down as the service writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.chance import Chance
from engine.events import Event, Seat
from engine.game import Game, Offer, Options, State, complete_options
from engine.log import BEFORE_FIRST, FORMAT, Opening, Pen, Written, commitment, encode, read_events, seed, spelling_of
from engine.play import Played, fold, pick, play_for_the_absent, play_line
from engine.values import JSON, freeze

MOST_MOVES = 5_000


def players_of(game: Game) -> ModuleType | None:
    """The players with an aim that a game has in its tests, where matches by chance would show too little or last long.

    Such a module has `setting(number)`, the options that make the match of this number a short one, and `choose(view,
    offers, luck, label)`, the line that is played.
    """
    there = (Path(__file__).parent / "engine/games" / game.info.id / "players.py").exists()
    return import_module(f"tests.engine.games.{game.info.id}.players") if there else None


@dataclass(frozen=True, slots=True)
class Step:
    """One entry's worth of a match: the deal, a move, or a seat that left."""

    kind: str
    seat: Seat | None
    move: str | None
    events: Sequence[Event]
    state: State
    """The state it led to."""


def play_match(
    game: Game,
    seats: int,
    number: int,
    options: Options | None = None,
    leaving: Mapping[int, Sequence[int]] | None = None,
    chance: Chance | None = None,
    lines: Sequence[str] | None = None,
    most: int = MOST_MOVES,
    players: ModuleType | None = None,
) -> list[Step]:
    """The match of this number: another number, another deal and other moves; the same number, the same match.

    `leaving` says which seats leave once so many moves are made. `lines` are played instead of moves by chance, or
    what the `players` choose.
    """
    choose = players.choose if players else _by_chance
    chance = chance or Chance(f"{game.info.id}/{seats}/{number}".encode())
    moves = Chance(f"moves of {game.info.id}/{seats}/{number}".encode())
    dealt = game.deal(seats, complete_options(game.info, seats, options or {}), chance)
    steps = [Step("dealt", None, None, dealt, fold(game, None, dealt))]
    leavers = sorted((after, seat) for after, seats in (leaving or {}).items() for seat in seats)
    made = 0

    def add(played: Played) -> None:
        nonlocal made
        steps.append(Step("moved", played.seat, played.move, played.events, played.state))
        made += 1

    while made < most:
        while leavers and leavers[0][0] <= made and game.to_act(steps[-1].state) is not None:
            _leave(game, steps, Seat(leavers.pop(0)[1]), chance)
        absences = list(play_for_the_absent(game, steps[-1].state, chance))
        for absence in absences:
            add(absence)
        state = steps[-1].state
        to_act = game.to_act(state)
        if to_act is None or (lines is not None and made >= len(lines)):
            break
        if not absences:
            view = game.view(state, to_act)
            line = lines[made] if lines else choose(view, game.legal(view), moves, f"move/{made}")
            add(play_line(game, state, to_act, line, chance))
    return steps


def _by_chance(_view: Any, offers: Sequence[Offer], luck: Chance, label: str) -> str:
    return pick(offers, luck, label)


def _leave(game: Game, steps: list[Step], seat: Seat, chance: Chance) -> None:
    events = game.leave(steps[-1].state, seat, chance)
    steps.append(Step("resigned", seat, None, events, fold(game, steps[-1].state, events)))


@dataclass(frozen=True)
class Recorded:
    """A match's log, as stored, and what it was written from."""

    game: Game
    match: str
    steps: Sequence[Step]
    entries: Sequence[Written]
    states: Sequence[State | None]
    """After each entry; None before the deal."""

    @cached_property
    def openings(self) -> dict[int, Opening]:
        return {opening.number: opening for entry in self.entries for opening in entry.openings}

    @property
    def stored(self) -> list[tuple[int, bytes, bytes]]:
        return [(entry.seq, entry.public, entry.hash) for entry in self.entries]

    def value_of(self, number: int) -> JSON:
        return self.openings[number].value

    def events_of(self, public: JSON) -> tuple[Event, ...]:
        return read_events(spelling_of(self.game), public, self.value_of)


def record(game: Game, seats: int, number: int, **how: Any) -> Recorded:
    """`play_match`, written down: opened, joined by everybody, dealt, moved..., and closed if it came to its end."""
    match = f"{game.info.id}-{seats}-{number}"
    secret = sha256(match.encode()).digest()
    nonces = [f"nonce of seat {seat} in {match}" for seat in range(seats)]
    chance = Chance(seed(match, secret, nonces))
    steps = play_match(game, seats, number, chance=chance, **how)
    return write_down(game, match, seats, steps, how.get("options"), secret, nonces)


def write_down(
    game: Game,
    match: str,
    seats: int,
    steps: Sequence[Step],
    options: Options | None = None,
    secret: bytes = bytes(32),
    nonces: Sequence[str] = (),
) -> Recorded:
    """The log of these steps, with salts that are each their own and the same every time."""
    entries: list[Written] = []
    states: list[State | None] = []
    salts = iter(range(1_000_000))
    pen = Pen(
        match,
        length=0,
        head=BEFORE_FIRST,
        seals=0,
        find=lambda name: next(known for entry in entries for known in entry.openings if known.name == name),
        salt=lambda: sha256(f"salt {next(salts)} of {match}".encode()).digest()[:16],
    )

    def write(kind: str, state: State | None, **members: JSON) -> None:
        entries.append(pen.write(kind, f"2026-01-01T{len(entries) // 60:02}:{len(entries) % 60:02}:00Z", **members))
        states.append(state)

    write(
        "opened",
        None,
        format=FORMAT,
        game=game.info.id,
        seats=seats,
        options=complete_options(game.info, seats, options or {}),
        shuffle="joint",
        commitment=commitment(match, secret),
    )
    for seat, nonce in enumerate(nonces or [""] * seats):
        write("joined", None, seat=seat, proof=mailed_proof(seat), nonce=nonce, keys=[])
    spelling = spelling_of(game)
    for step in steps:
        proof = {"grade": "service"} if step.seat is None else mailed_proof(step.seat)
        events = [spelling.write(event) for event in step.events]
        write(
            step.kind,
            step.state,
            seat=step.seat,
            move=step.move,
            proof=proof,
            rules=game.info.ruleset,
            events=events,
        )
    outcome = game.outcome(steps[-1].state)
    if outcome is not None:
        write("closed", steps[-1].state, outcome=freeze(outcome), secret=encode(secret), proof={"grade": "service"})
    return Recorded(game, match, steps, entries, states)


def address(seat: int) -> str:
    return f"player{seat}@example.org"


def mailed_proof(seat: int) -> JSON:
    """The address names a person: only its owner may ever open it."""
    return {
        "grade": "mailed",
        "from": {"$seal": {"value": address(seat), "to": [seat], "name": "", "personal": True}},
        "evidence": {"$seal": {"value": f"hash of a mail by {seat}", "to": None, "name": ""}},
    }
