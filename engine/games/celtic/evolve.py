"""Believing what happened: the state after each event. Nothing is judged here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from engine.events import Event, Seat, SeatLeft
from engine.games.celtic.board import GOODS, VILLAGE
from engine.games.celtic.table import (
    CardsCollected,
    Counts,
    FinalPhaseBegun,
    Followed,
    GoalCompleted,
    GoalsDealt,
    GoalsShuffled,
    GoodsRevealed,
    MarkersMoved,
    MatchEnded,
    PartEnded,
    Stage,
    State,
    Table,
    TableSet,
    Terms,
    TurnEnded,
)

MARKERS = 8  # CE-5
STACK = 16  # CE-3

NOWHERE = -1


def evolve(state: State | None, event: Event) -> State:
    return _EVOLVE[type(event)](state, event)


def _set(_: None, event: TableSet) -> State:
    seats = event.seats
    at_home = (MARKERS,) + (0,) * (len(event.board.places) - 1)
    table = Table(
        terms=Terms(event.board, event.open_trade, event.reveal, event.max_turns),
        markers=(at_home,) * seats,
        stacks=(STACK,) * len(GOODS),
        cards=(0,) * seats,
        completed=((),) * seats,
        deck=0,
        turn=event.first_player,
        turns=0,
        moved=False,
        origin=NOWHERE,
        destination=NOWHERE,
        waiting=(),
        stage=Stage(closing="", closer=None, to_ask=0, left=(), ended=""),
    )
    return State(table, ((),) * seats, ((0,) * len(GOODS),) * seats, ())


def _shuffled(state: State, event: GoalsShuffled) -> State:
    deck = tuple([sealed.value or "" for sealed in event.deck])
    return State(replace(state.table, deck=len(deck)), state.hands, state.goods, deck)


def _dealt(state: State, event: GoalsDealt) -> State:
    hands = tuple([tuple([cast(str, goal.value) for goal in goals]) for goals in event.goals])
    return State(replace(state.table, deck=state.table.deck - sum(map(len, hands))), hands, state.goods, state.deck)


def _with_seat(by_seat: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    changed = list(by_seat)
    changed[seat] = value
    return tuple(changed)


def _sent(markers: tuple[Counts, ...], seat: Seat, count: int, origin: int, destination: int) -> tuple[Counts, ...]:
    mine = list(markers[seat])
    mine[origin] -= count
    mine[destination] += count
    return _with_seat(markers, seat, tuple(mine))


def _moved(state: State, event: MarkersMoved) -> State:
    was, index = state.table, state.table.terms.board.index
    origin, destination = index[event.origin], index[event.destination]
    table = Table(
        was.terms,
        _sent(was.markers, event.seat, event.count, origin, destination),
        was.stacks,
        was.cards,
        was.completed,
        was.deck,
        was.turn,
        was.turns,
        True,
        origin,
        destination,
        event.asked,
        was.stage,
    )
    return State(table, state.hands, state.goods, state.deck)


def _followed(state: State, event: Followed) -> State:
    was, count, markers = state.table, event.count, state.table.markers
    table = Table(
        was.terms,
        _sent(markers, event.seat, count, was.origin, was.destination) if count else markers,
        was.stacks,
        was.cards,
        was.completed,
        was.deck,
        was.turn,
        was.turns,
        True,
        was.origin,
        was.destination,
        was.waiting[1:],
        was.stage,
    )
    return State(table, state.hands, state.goods, state.deck)


def _completed(state: State, event: GoalCompleted) -> State:
    was, seat, index = state.table, event.seat, state.table.terms.board.index
    mine = list(was.markers[seat])
    for location in event.returned:
        mine[index[location]] -= 1
    mine[VILLAGE] += len(event.returned)
    table = Table(
        was.terms,
        _with_seat(was.markers, seat, tuple(mine)),
        was.stacks,
        was.cards,
        _with_seat(was.completed, seat, (*was.completed[seat], event.goal)),
        was.deck - len(event.drawn),
        was.turn,
        was.turns,
        was.moved,
        was.origin,
        was.destination,
        was.waiting,
        was.stage,
    )
    hand = [goal for goal in state.hands[seat] if goal != event.goal]
    hand += [cast(str, goal.value) for goal in event.drawn]
    return State(table, _with_seat(state.hands, seat, tuple(hand)), state.goods, state.deck)


def _collected(state: State, event: CardsCollected) -> State:
    was, seat, cards = state.table, event.seat, event.cards
    good = GOODS.index(event.good)
    goods, stacks = list(state.goods[seat]), list(was.stacks)
    goods[good] += cards
    stacks[good] -= cards
    table = Table(
        was.terms,
        _sent(was.markers, seat, event.markers, was.terms.board.trade[event.good], VILLAGE),
        tuple(stacks),
        _with_seat(was.cards, seat, was.cards[seat] + cards),
        was.completed,
        was.deck,
        was.turn,
        was.turns,
        was.moved,
        was.origin,
        was.destination,
        was.waiting,
        was.stage,
    )
    return State(table, state.hands, _with_seat(state.goods, seat, tuple(goods)), state.deck)


def _turn_ended(state: State, event: TurnEnded | GoodsRevealed) -> State:
    was = state.table
    table = Table(
        was.terms,
        was.markers,
        was.stacks,
        was.cards,
        was.completed,
        was.deck,
        Seat((event.seat + 1) % len(was.markers)),
        was.turns + 1,
        False,
        NOWHERE,
        NOWHERE,
        (),
        was.stage,
    )
    return State(table, state.hands, state.goods, state.deck)


def _final_phase(state: State, event: FinalPhaseBegun) -> State:
    stage = replace(state.table.stage, closing=event.reason, closer=event.closer, to_ask=len(state.table.markers))
    return replace(state, table=replace(state.table, turn=event.seat, stage=stage))


def _part_ended(state: State, event: PartEnded) -> State:
    """This seat's part is over, and with it the parts of those before it, who weren't asked."""
    table = state.table
    seats = len(table.markers)
    passed = (event.seat - table.turn) % seats + 1
    stage = replace(table.stage, to_ask=table.stage.to_ask - passed)
    return replace(state, table=replace(table, turn=Seat((event.seat + 1) % seats), stage=stage))


def _seat_left(state: State, event: SeatLeft) -> State:
    stage = replace(state.table.stage, left=(*state.table.stage.left, event.seat))
    return replace(state, table=replace(state.table, stage=stage))


def _ended(state: State, event: MatchEnded) -> State:
    return replace(state, table=replace(state.table, stage=replace(state.table.stage, ended=event.reason)))


_EVOLVE: dict[type, Callable[[Any, Any], State]] = {
    TableSet: _set,
    GoalsShuffled: _shuffled,
    GoalsDealt: _dealt,
    MarkersMoved: _moved,
    Followed: _followed,
    GoalCompleted: _completed,
    CardsCollected: _collected,
    TurnEnded: _turn_ended,
    GoodsRevealed: _turn_ended,
    FinalPhaseBegun: _final_phase,
    PartEnded: _part_ended,
    SeatLeft: _seat_left,
    MatchEnded: _ended,
}
