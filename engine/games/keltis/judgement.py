"""What a bot goes by in Keltis: how far each row is likely to come."""

from collections.abc import Iterable, Iterator

from engine.chance import Chance
from engine.games.keltis.rules import Row, Rows, State, Table, fits, rises
from engine.games.keltis.tiles import COLOURS, PRINTED, TILES
from engine.games.keltis.view import View

# How likely a tile that fits comes to one's row: one that lies open, one that nobody has seen yet.
OPEN, UNSEEN = 0.5, 0.35
EXTRA_TURN = 2.0

_BY_COLOUR = tuple(tuple(tile for tile in TILES if TILES[tile].colour == colour) for colour in range(len(COLOURS)))


def imagine(view: View, chance: Chance) -> State:
    """All but the order of the stack is seen."""
    seen = tuple(_seen(view.table))
    return State(view.table, seen + chance.shuffle("imagined/stack", [tile for tile in TILES if tile not in seen]))


def _seen(table: Table) -> Iterator[str]:
    for rows in table.rows:
        for row in rows:
            yield from row
    yield from table.open
    if table.revealed:
        yield table.revealed


def worth(view: View) -> float:
    """By how many points the seat is likely to win."""
    table, seat = view.table, view.seat or 0
    coming = dict.fromkeys(TILES, UNSEEN) | dict.fromkeys(_seen(table), 0.0) | dict.fromkeys(table.open, OPEN)
    if not table.revealed:
        return _lead(table.rows, seat, coming) + (EXTRA_TURN if table.turn == seat else 0)
    tile = table.revealed
    left = _lead(table.rows, seat, coming | {tile: OPEN})
    mine = table.rows[table.turn]
    if not fits(mine, tile):
        return left
    colour = TILES[tile].colour
    mine = (*mine[:colour], (*mine[colour], tile), *mine[colour + 1 :])
    laid = _lead((*table.rows[: table.turn], mine, *table.rows[table.turn + 1 :]), seat, coming)
    laid += EXTRA_TURN if TILES[tile].clover and table.turn == seat else 0
    return max(left, laid) if table.turn == seat else min(left, laid)


def _lead(rows: tuple[Rows, ...], seat: int, coming: dict[str, float]) -> float:
    points = [_prospect(mine, coming) for mine in rows]
    return points[seat] - max(points[:seat] + points[seat + 1 :])


def _prospect(rows: Rows, coming: dict[str, float]) -> float:
    """What a seat's rows are likely to score, if each tile comes with the likelihood given."""
    total = wishes = 0.0
    for row, tiles in zip(rows, _BY_COLOUR, strict=True):
        to_come = _to_come(row, tiles, coming)
        more = sum(coming[tile] for tile in to_come)
        points = _points(PRINTED.row_points, len(row) + more)
        total += points if row else max(points, 0)
        total += sum(TILES[tile].bonus for tile in row) + sum(TILES[tile].bonus * coming[tile] for tile in to_come)
        wishes += sum(TILES[tile].wish for tile in row) + sum(TILES[tile].wish * coming[tile] for tile in to_come)
    return total + _points(PRINTED.wish_points, wishes)


def _to_come(row: Row, tiles: Iterable[str], coming: dict[str, float]) -> list[str]:
    """The tiles that the row may still get; where its direction is open, those of the better one."""
    if not row:
        return [tile for tile in tiles if coming[tile]]
    last = TILES[row[-1]].number
    above = [tile for tile in tiles if TILES[tile].number > last and coming[tile]]
    below = [tile for tile in tiles if TILES[tile].number < last and coming[tile]]
    if len(row) > 1:
        return above if rises(row) else below
    return max(above, below, key=lambda some: sum(coming[tile] for tile in some))


def _points(points: tuple[int, ...], count: float) -> float:
    """The table of points, with straight lines between its numbers."""
    whole = int(count)
    if whole + 1 >= len(points):
        return points[-1]
    return points[whole] + (points[whole + 1] - points[whole]) * (count - whole)
