"""What a seat may see, and what it may do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Seat
from engine.game import Offer
from engine.games.keltis.notation import notate
from engine.games.keltis.rules import Lay, Leave, Move, Reveal, State, Stop, Table, Take, broken_rule
from engine.games.keltis.tiles import COLOURS, TILES

# Every move but the takes, in the order they are offered.
_REVEALS_AND_ANSWERS: tuple[Move, ...] = (Reveal(), Reveal("lay else leave"), Reveal("leave"), Lay(), Leave())


@dataclass(frozen=True, slots=True)
class View:
    """The whole table; the order of the stack is not on it."""

    table: Table
    seat: Seat | None


def view(state: State, seat: Seat | None) -> View:
    return View(state.table, seat)


def may_act(view: View) -> bool:
    return not view.table.ended and view.table.turn == view.seat


def seats_in_view(view: View) -> list[Seat]:
    """All seats clockwise, the viewer's own first."""
    count, first = len(view.table.rows), view.seat or 0
    return [Seat((first + step) % count) for step in range(count)]


def open_by_colour(table: Table) -> Iterator[tuple[str, list[str]]]:
    """The colours that lie open in the middle, each with its tiles by number."""
    for place, colour in enumerate(COLOURS):
        tiles = [tile for tile in table.open if TILES[tile].colour == place]
        if tiles:
            yield colour, sorted(tiles, key=lambda tile: TILES[tile].number)


def legal(view: View) -> Sequence[Offer]:
    if not may_act(view):
        return ()
    moves = (*_REVEALS_AND_ANSWERS, *map(Take, view.table.open), Stop())
    return tuple([Offer(notate(move)) for move in moves if not broken_rule(view.table, move)])


def absent(view: View) -> Move:
    """Reveal and leave; in an extra turn, stop."""
    if view.table.revealed:
        return Leave()
    return Stop() if view.table.extra else Reveal("leave")
