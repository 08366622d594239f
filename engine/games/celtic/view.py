"""What a seat may see, and what it may do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Seat
from engine.game import Choice, Offer
from engine.games.celtic.board import GOODS, VILLAGE
from engine.games.celtic.rules import broken_rule, next_to_act
from engine.games.celtic.table import CompleteGoal, Counts, Done, Follow, Move, MoveMarkers, Reveal, State, Table


@dataclass(frozen=True, slots=True)
class View:
    """What everybody may know, and what the viewer holds."""

    table: Table
    seat: Seat | None
    hand: tuple[str, ...]
    """The viewer's own goals, by name and not as drawn; empty for a spectator."""
    goods: tuple[Counts, ...]
    """By seat: the trade cards collected, of each good; empty where they lie face down (CE-13)."""


def view(state: State, seat: Seat | None) -> View:
    table = state.table
    shows_all = table.terms.open_trade or bool(table.stage.ended)
    goods = state.goods if shows_all else tuple([own if at == seat else () for at, own in enumerate(state.goods)])
    return View(table, seat, () if seat is None else tuple(sorted(state.hands[seat])), goods)


def may_act(view: View) -> bool:
    return view.seat is not None and next_to_act(view.table) == view.seat


def seats_in_view(view: View) -> list[Seat]:
    """All seats clockwise, the viewer's own first."""
    count, first = len(view.table.markers), view.seat or 0
    return [Seat((first + step) % count) for step in range(count)]


def refused(view: View, move: Move) -> bool:
    """Whether the viewer, whose decision is due, may not make this move."""
    if view.seat is None:
        return True
    return broken_rule(view.table, view.seat, view.hand, view.goods[view.seat], move) is not None


# Up to so many markers, one or more of them; none is a choice only in following.
_UP_TO = tuple(Choice("count", 1, tuple(map(str, range(1, most + 1)))) for most in range(9))
_NONE_OR_MORE = tuple(Choice("count", 1, tuple(map(str, range(most + 1)))) for most in range(9))


def legal(view: View) -> Sequence[Offer]:
    if not may_act(view):
        return ()
    table, seat = view.table, view.seat or Seat(0)
    if table.waiting:  # CE-9
        return (Offer("follow {count}", (_NONE_OR_MORE[table.markers[seat][table.origin]],)),)
    return tuple(_offers(view, table, table.markers[seat]))


def _offers(view: View, table: Table, markers: Counts) -> Iterator[Offer]:
    board = table.terms.board
    for goal in view.hand:
        if not refused(view, CompleteGoal(goal)):
            yield Offer(f"goal {goal}")
    for good in GOODS:
        if there := markers[board.trade[good]]:
            yield Offer(f"collect {good} {{count}}", (_UP_TO[there],))
    if not table.moved and not table.stage.closing:
        for at, there in enumerate(markers):
            if there:
                places = Choice("place", 1, board.in_reach[at])
                yield Offer(f"move {{count}} {board.ids[at]} to {{place}}", (_UP_TO[there], places))
    for move, text in ((Done(), "done"), (Reveal(), "reveal")):
        if not refused(view, move):
            yield Offer(text)


def absent(view: View) -> Move:
    """One marker from the village, or else from the first place that holds one, to the first place one road away."""
    table, seat = view.table, view.seat or Seat(0)
    if table.waiting:
        return Follow(0)
    if table.moved or table.stage.closing:
        return Done()
    board = table.terms.board
    origin = next(at for at, there in enumerate(table.markers[seat]) if there)
    return MoveMarkers(1, board.ids[origin], board.ids[board.next_to[origin][0]])


def standing_markers(table: Table, seat: Seat) -> Iterator[tuple[str, int]]:
    """Where the seat's markers stand outside the village, and how many."""
    for at, there in enumerate(table.markers[seat]):
        if there and at != VILLAGE:
            yield table.terms.board.ids[at], there
