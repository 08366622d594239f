"""Keltis: Der Weg der Steine, by Reiner Knizia. The numbers KE-1 to KE-15 are those of the project's rules page.

Nothing is private: the order of the face-down tiles is unknown to everybody, all else lies on the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Sealed, Seat, SeatLeft, Shown
from engine.game import Info, Option, Options, Outcome, Score, check_turn, places, seat_or_random
from engine.games.keltis.tiles import COLOURS, PRINTED, TILES

info = Info(
    id="keltis",
    title="Keltis: Der Weg der Steine",
    seats=range(2, 5),  # KE-1
    ruleset=1,
    options=(
        Option("first_player", "random", "who begins: “random”, or the number of a seat.", seat_or_random),  # KE-3
        Option(  # KE-10
            "last_clover",
            "extra",
            "what a clover on the last face-down tile gives: “extra” (an extra turn from the open tiles) or “none”.",
            lambda value, _seats: value in ("extra", "none"),
        ),
    ),
)

SLOTS = tuple(f"stack/{place}" for place in range(len(TILES)))


# -- what there is

Row = tuple[str, ...]
"""The tiles of one colour that one seat laid, in the order laid."""
Rows = tuple[Row, ...]
"""A seat's rows, by colour."""


@dataclass(frozen=True, slots=True)
class Table:
    """All that lies open, which is all but the order of the stack."""

    rows: tuple[Rows, ...]
    open: tuple[str, ...]
    face_down: int
    turn: Seat
    extra: bool
    """The turn was given by a clover (KE-8)."""
    revealed: str
    """The tile that `turn` revealed and now lays or leaves; empty when there is none."""
    left: tuple[Seat, ...]
    ended: str
    """Why the match is over; empty while it runs."""
    last_clover: str


@dataclass(frozen=True, slots=True)
class State:
    table: Table
    stack: tuple[str, ...]
    """The tiles as mixed; the last `face_down` of them still lie face down, the next one to be revealed first."""


@dataclass(frozen=True, slots=True)
class TilesMixed:
    seats: int
    first_player: Seat
    last_clover: str
    stack: tuple[Sealed[str], ...]


@dataclass(frozen=True, slots=True)
class TileRevealed:
    seat: Seat
    tile: Shown[str]


@dataclass(frozen=True, slots=True)
class TileLaid:
    """The revealed tile went to the seat's row; `extra`: the seat goes on."""

    seat: Seat
    tile: str
    extra: bool


@dataclass(frozen=True, slots=True)
class TileLeft:
    """The revealed tile stays open in the middle."""

    seat: Seat
    tile: str


@dataclass(frozen=True, slots=True)
class TileTaken:
    """An open tile went to the seat's row; `extra`: the seat goes on."""

    seat: Seat
    tile: str
    extra: bool


@dataclass(frozen=True, slots=True)
class TurnStopped:
    """The seat gave up its extra turn."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    reason: str


events: tuple[type, ...] = (TilesMixed, TileRevealed, TileLaid, TileLeft, TileTaken, TurnStopped, MatchEnded)
state_type = State


@dataclass(frozen=True, slots=True)
class Reveal:
    """Turn a tile over. `then` says beforehand what follows; without it, a tile that fits is asked about."""

    then: Literal["", "lay else leave", "leave"] = ""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay the revealed tile."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the revealed tile in the middle."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take an open tile. `tile` is what was said, and may be no tile at all."""

    tile: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Give up an extra turn."""


Move = Reveal | Lay | Leave | Take | Stop


# -- set-up


def deal(seats: int, options: Options, chance: Chance) -> Sequence[Event]:
    """KE-2, KE-3, KE-9: the first player is settled, then all tiles are mixed into one stack."""
    first_player = options["first_player"]
    if first_player == "random":
        first_player = chance.below("keltis/first-player", seats)
    mixed = chance.shuffle("keltis/stack", TILES)
    stack = tuple(Sealed(tile, name=slot) for slot, tile in zip(SLOTS, mixed, strict=True))
    return (TilesMixed(seats, Seat(first_player), options["last_clover"], stack),)


# -- a turn


def to_act(state: State) -> Seat | None:
    return None if state.table.ended else state.table.turn


def fits(rows: Rows, tile: str) -> bool:
    """KE-7: a row's second tile fixes its direction, and each later one must go on strictly that way."""
    row = rows[TILES[tile].colour]
    if len(row) < 2:
        return True
    number, last = TILES[tile].number, TILES[row[-1]].number
    return number > last if rises(row) else number < last


def rises(row: Row) -> bool:
    """Whether a row of two tiles or more goes up."""
    return TILES[row[1]].number > TILES[row[0]].number


def broken_rule(table: Table, move: Move) -> RuleViolation | None:
    """The lowest rule that this move of whoever is to act breaks; None if it is legal. `legal` and `decide` ask here.

    Ruling: a tile just revealed counts as open, so that taking it breaks KE-5 and not KE-4. Revealing when nothing lies
    face down breaks KE-4, as taking a tile that isn't open does.
    """
    revealed = table.revealed
    match move:
        case Take(tile):
            if tile not in TILES:
                return RuleViolation("KE-2", "no_such_tile", tile=tile)
            if tile not in table.open and tile != revealed:
                return RuleViolation("KE-4", "not_open", tile=tile)
            if not revealed:
                return _unless_it_fits(table, tile)  # KE-6
        case Reveal():
            if not table.face_down:
                return RuleViolation("KE-4", "none_face_down")
            if not revealed:
                return None
        case Stop():
            if not revealed:
                return None if table.extra else RuleViolation("KE-4", "cannot_pass")
        case Lay():
            return _unless_it_fits(table, revealed) if revealed else RuleViolation("KE-4", "nothing_revealed")
        case Leave():
            return None if revealed else RuleViolation("KE-4", "nothing_revealed")
    return RuleViolation("KE-5", "lay_or_leave", tile=revealed)


def _unless_it_fits(table: Table, tile: str) -> RuleViolation | None:
    rows = table.rows[table.turn]
    if fits(rows, tile):
        return None
    row = rows[TILES[tile].colour]
    return RuleViolation("KE-7", "row_rises" if rises(row) else "row_falls", tile=tile, last=row[-1])


def decide(state: State, seat: Seat, move: Move, _chance: Chance) -> Sequence[Event]:
    """KE-4: exactly one of two things, to reveal a tile or to take one; or KE-8, to stop."""
    table = state.table
    check_turn(to_act(state), seat)
    refusal = broken_rule(table, move)
    if refusal is not None:
        raise refusal
    match move:
        case Reveal(then):
            return _reveal(state, seat, then)
        case Lay():
            return _lay(table, seat, table.revealed, table.face_down)
        case Leave():
            return _leave_open(seat, table.revealed, table.face_down)
        case Take(tile):
            return _take(table, seat, tile)
        case Stop():
            return _unless_last(table.face_down, TurnStopped(seat))


def _reveal(state: State, seat: Seat, then: str) -> Sequence[Event]:
    """KE-5: lay or leave; a tile that doesn't fit is left at once, unasked. KE-9: the stack's next tile."""
    table = state.table
    tile = state.stack[-table.face_down]
    revealed = TileRevealed(seat, Shown(SLOTS[-table.face_down], tile))
    if then == "leave" or not fits(table.rows[seat], tile):
        return (revealed, *_leave_open(seat, tile, table.face_down - 1))
    if then == "lay else leave":
        return (revealed, *_lay(table, seat, tile, table.face_down - 1))
    return (revealed,)


def _leave_open(seat: Seat, tile: str, face_down: int) -> Sequence[Event]:
    return _unless_last(face_down, TileLeft(seat, tile))


def _lay(table: Table, seat: Seat, tile: str, face_down: int) -> Sequence[Event]:
    extra = _extra_turn(table, seat, tile, face_down)
    return _unless_last(face_down or extra, TileLaid(seat, tile, extra))


def _take(table: Table, seat: Seat, tile: str) -> Sequence[Event]:
    """KE-6: laid at once."""
    extra = _extra_turn(table, seat, tile, table.face_down)
    return _unless_last(table.face_down or extra, TileTaken(seat, tile, extra))


def _extra_turn(table: Table, seat: Seat, tile: str, face_down: int) -> bool:
    """KE-8: laying a clover gives another turn. KE-10: after the last reveal only where it can take an open tile."""
    if not TILES[tile].clover:
        return False
    if face_down:
        return True
    rows = _with_tile(table.rows, seat, tile)[seat]
    return table.last_clover == "extra" and any(fits(rows, other) for other in table.open if other != tile)


# -- the end


def _unless_last(goes_on: int, event: Event) -> Sequence[Event]:
    """KE-10: once the last tile is revealed, the turn is finished and the match is over."""
    return (event,) if goes_on else (event, MatchEnded("last_tile"))


def leave(state: State, seat: Seat, _chance: Chance) -> Sequence[Event]:
    """GE-1. A seat that left before can't leave again."""
    left = state.table.left
    if state.table.ended:
        raise RuleViolation("GE-2", "match_over")
    if seat in left:
        return ()
    if len(left) + 2 == len(state.table.rows):
        return (SeatLeft(seat), MatchEnded("others_left"))
    return (SeatLeft(seat),)


def left(state: State) -> tuple[Seat, ...]:
    return state.table.left


def score(table: Table, seat: int) -> Score:
    """KE-11: only the tiles in the seat's own rows count."""
    rows = table.rows[seat]
    laid = [TILES[tile] for row in rows for tile in row]
    parts = (
        *((colour, _points(PRINTED.row_points, len(row))) for colour, row in zip(COLOURS, rows, strict=True)),  # KE-12
        ("wishing_stones", _points(PRINTED.wish_points, sum(tile.wish for tile in laid))),  # KE-13
        ("bonus", sum(tile.bonus for tile in laid)),  # KE-14
    )
    return Score(sum(points for _, points in parts), parts)


def _points(points: tuple[int, ...], count: int) -> int:
    return points[min(count, len(points) - 1)]


def outcome(state: State) -> Outcome | None:
    return standing(state.table) if state.table.ended else None


def standing(table: Table) -> Outcome:
    """KE-15: most points wins, equal points share the place. Before the end: what it would be now."""
    scores = tuple(score(table, seat) for seat in range(len(table.rows)))
    return Outcome(places([score.total for score in scores], table.left), scores, table.ended)


# -- believing


def evolve(state: State | None, event: Event) -> State:
    return _EVOLVE[type(event)](state, event)


def _mixed(_: None, event: TilesMixed) -> State:
    rows: tuple[Rows, ...] = (((),) * len(COLOURS),) * event.seats
    table = Table(rows, (), len(event.stack), event.first_player, False, "", (), "", event.last_clover)
    return State(table, tuple(sealed.value for sealed in event.stack if sealed.value is not None))


def _revealed(state: State, event: TileRevealed) -> State:
    was = state.table
    table = Table(
        was.rows,
        was.open,
        was.face_down - 1,
        was.turn,
        was.extra,
        event.tile.value or "",
        was.left,
        "",
        was.last_clover,
    )
    return State(table, state.stack)


def _laid(state: State, event: TileLaid) -> State:
    rows = _with_tile(state.table.rows, event.seat, event.tile)
    return _next_turn(state, rows, state.table.open, event.seat, event.extra)


def _taken(state: State, event: TileTaken) -> State:
    rows = _with_tile(state.table.rows, event.seat, event.tile)
    middle = tuple([tile for tile in state.table.open if tile != event.tile])
    return _next_turn(state, rows, middle, event.seat, event.extra)


def _tile_left(state: State, event: TileLeft) -> State:
    return _next_turn(state, state.table.rows, (*state.table.open, event.tile), event.seat, False)


def _stopped(state: State, event: TurnStopped) -> State:
    return _next_turn(state, state.table.rows, state.table.open, event.seat, False)


def _next_turn(state: State, rows: tuple[Rows, ...], middle: tuple[str, ...], seat: Seat, extra: bool) -> State:
    """KE-3: the next seat's, or with `extra` this one's again."""
    was = state.table
    turn = seat if extra else Seat((seat + 1) % len(rows))
    return State(Table(rows, middle, was.face_down, turn, extra, "", was.left, "", was.last_clover), state.stack)


def _with_tile(rows: tuple[Rows, ...], seat: Seat, tile: str) -> tuple[Rows, ...]:
    mine, colour = rows[seat], TILES[tile].colour
    mine = (*mine[:colour], (*mine[colour], tile), *mine[colour + 1 :])
    return (*rows[:seat], mine, *rows[seat + 1 :])


def _seat_left(state: State, event: SeatLeft) -> State:
    return replace(state, table=replace(state.table, left=(*state.table.left, event.seat)))


def _ended(state: State, event: MatchEnded) -> State:
    return replace(state, table=replace(state.table, ended=event.reason))


_EVOLVE: dict[type, Callable[[Any, Any], State]] = {
    TilesMixed: _mixed,
    TileRevealed: _revealed,
    TileLaid: _laid,
    TileTaken: _taken,
    TileLeft: _tile_left,
    TurnStopped: _stopped,
    SeatLeft: _seat_left,
    MatchEnded: _ended,
}
