"""Playing a match: the steps that the service, the simulator and the verifier share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.chance import Chance
from engine.events import Event, Seat
from engine.game import Game, Move, Offer, State


@dataclass(frozen=True, slots=True)
class Played:
    """One move that was made, in canonical notation, what it brought about, and the state it led to."""

    seat: Seat
    move: str
    events: Sequence[Event]
    state: State


def fold(game: Game, state: State | None, events: Sequence[Event]) -> State:
    """The state after the events."""
    for event in events:
        state = game.evolve(state, event)
    return state


def play_line(game: Game, state: State, seat: Seat, line: str, chance: Chance) -> Played:
    """One line of a player's; NotationError or RuleViolation where it can't be played."""
    return play_move(game, state, seat, game.parse(line, game.view(state, seat)), chance)


def play_for_the_absent(game: Game, state: State, chance: Chance) -> Iterator[Played]:
    """The moves of seats that left, as long as one of them is to act (GE-1)."""
    while (seat := game.to_act(state)) is not None and seat in game.left(state):
        played = play_absent(game, state, seat, chance)
        state = played.state
        yield played


def play_absent(game: Game, state: State, seat: Seat, chance: Chance) -> Played:
    """What is played for a seat that isn't there, on its turn."""
    return play_move(game, state, seat, game.absent(game.view(state, seat)), chance)


def play_move(game: Game, state: State, seat: Seat, move: Move, chance: Chance) -> Played:
    events = game.decide(state, seat, move, chance)
    return Played(seat, game.notate(move), events, fold(game, state, events))


def pick(offers: Sequence[Offer], chance: Chance, label: str) -> str:
    """One legal line: an offer by chance, its gaps filled by chance."""
    offer = offers[chance.below(label, len(offers))]
    filled = {
        choice.name: " ".join(chance.shuffle(f"{label}/{choice.name}", choice.among)[: choice.count])
        for choice in offer.choices
    }
    return offer.text.format(**filled) if filled else offer.text
