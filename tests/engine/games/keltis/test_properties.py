"""What holds in every match of Keltis, tried on many."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Seat, Spelling
from engine.game import complete_options
from engine.games import keltis
from engine.games.keltis.rules import Lay, Leave, Reveal, State, Stop, Take, score
from engine.games.keltis.tiles import TILES
from engine.games.keltis.view import View
from engine.play import fold
from engine.values import freeze, thaw

Sample = Callable[[int, int], int]

MOST_MOVES = 500
ALL_TILES = sorted(TILES)
EVERY_MOVE = (
    *(Reveal(), Reveal("lay else leave"), Reveal("leave"), Lay(), Leave(), Stop()),
    *map(Take, (*TILES, "blue 11", "red 5")),
)


def random_match(number: int, leaving: bool = False) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Each state of the match of this number, with the events that led to it."""
    random = Random(number)
    seats = 2 + number % 3
    options = complete_options(keltis.info, seats, {"last_clover": random.choice(("extra", "none"))})
    chance = Chance(number.to_bytes(8, "big"))
    events = tuple(keltis.deal(seats, options, chance))
    state = fold(keltis, None, events)
    yield state, events
    for _ in range(MOST_MOVES):
        seat = keltis.to_act(state)
        if seat is None:
            return
        if leaving and random.random() < 0.02:
            events = tuple(keltis.leave(state, Seat(random.randrange(seats)), chance))
        else:
            view = keltis.view(state, seat)
            move = keltis.absent(view) if seat in state.table.left else random_move(random, view)
            events = tuple(keltis.decide(state, seat, move, chance))
        state = fold(keltis, state, events)
        yield state, events
    pytest.fail(f"match {number} doesn't end")


def random_move(random: Random, view: View) -> object:
    return keltis.parse(random.choice(keltis.legal(view)).text, view)


def lying(state: State) -> Iterator[str]:
    """Every tile, wherever it lies."""
    table = state.table
    yield from state.stack[len(state.stack) - table.face_down :]
    yield from table.open
    yield from [table.revealed] if table.revealed else ()
    for rows in table.rows:
        for row in rows:
            yield from row


@pytest.mark.rule("KE-2")
@pytest.mark.rule("KE-4")
@pytest.mark.rule("KE-10")
def test_invariants_hold_in_random_matches(sample: Sample) -> None:
    """55 tiles are always accounted for; scores lie between -24 and 80; a normal turn has a tile to reveal; it ends."""
    for number in range(sample(200, 10_000)):
        state = None
        for state, _ in random_match(number, leaving=number % 5 == 0):
            table = state.table
            assert sorted(lying(state)) == ALL_TILES
            assert all(-24 <= score(table, seat).total <= 80 for seat in range(len(table.rows)))
            if not (table.ended or table.extra or table.revealed):
                assert table.face_down > 0
        assert state is not None
        outcome = keltis.outcome(state)
        assert outcome is not None
        assert outcome.reason == ("last_tile" if table.face_down == 0 else "others_left")


def test_every_state_survives_freeze_and_thaw(sample: Sample) -> None:
    for number in range(sample(50, 1_000)):
        for state, _ in random_match(number, leaving=number % 5 == 0):
            assert thaw(State, freeze(state)) == state


def test_the_events_as_stored_fold_to_the_state(sample: Sample) -> None:
    spelling = Spelling(keltis.events)
    for number in range(sample(50, 1_000)):
        folded = None
        for state, events in random_match(number, leaving=number % 5 == 0):
            for event in events:
                stored = spelling.read(spelling.write(event))
                assert stored == event
                folded = keltis.evolve(folded, stored)
            assert folded == state


def test_legal_and_decide_agree_on_every_move(sample: Sample) -> None:
    for number in range(sample(20, 300)):
        for state, _ in random_match(number):
            for seat in map(Seat, range(len(state.table.rows))):
                view = keltis.view(state, seat)
                accepted = {keltis.notate(move) for move in EVERY_MOVE if accepts(state, seat, move)}
                assert {offer.text for offer in keltis.legal(view)} == accepted
                assert bool(accepted) == (seat == keltis.to_act(state))
                if accepted:
                    assert keltis.notate(keltis.absent(view)) in accepted
            assert keltis.legal(keltis.view(state, None)) == ()


def accepts(state: State, seat: Seat, move: object) -> bool:
    try:
        return len(keltis.decide(state, seat, move, Chance(b""))) > 0
    except RuleViolation:
        return False


def test_the_order_of_the_stack_changes_nothing_a_view_shows(sample: Sample) -> None:
    random = Random(1)
    for number in range(sample(20, 300)):
        for state, _ in random_match(number):
            hidden = list(state.stack[len(state.stack) - state.table.face_down :])
            random.shuffle(hidden)
            other = State(state.table, (*state.stack[: len(state.stack) - len(hidden)], *hidden))
            assert keltis.view(other, Seat(0)) == keltis.view(state, Seat(0))


def test_all_tiles_are_there_in_an_imagined_world_and_its_stack_is_mixed(sample: Sample) -> None:
    same = 0
    for number in range(sample(10, 400)):
        for at, (state, _) in enumerate(random_match(number)):
            world = keltis.judgement.imagine(keltis.view(state, Seat(0)), Chance(at.to_bytes(4, "big")))
            assert sorted(lying(world)) == ALL_TILES
            rest = state.table.face_down
            same += rest > 4 and world.stack[-rest:] == state.stack[-rest:]
    assert same < 2, "the order of the stack is a secret"
