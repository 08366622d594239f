"""Keltis as a picture.

A colour is told three times: by its hue, by the shape behind the number, and by its name before the row. The symbols
stand below the number.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.events import Seat
from engine.game import Language, Theme
from engine.games.keltis.rules import Row, Table, rises, score, standing
from engine.games.keltis.tell import WORDS, named, total
from engine.games.keltis.tiles import COLOURS, TILES
from engine.games.keltis.view import View, open_by_colour, seats_in_view
from engine.names import clean
from engine.picture import BOLD, END, INSIDE, MIDDLE, PAPERS, RIGHT, Brush, Piece, at, heading, panel, sheet

TILE_HEIGHT = 35
ROW_HEIGHT = TILE_HEIGHT + 3
ROW_LEFT = 55
"""Where a row's first tile stands, behind the colour's name and the direction."""
PITCH = 23
"""From tile to tile: eleven of them leave room for the row's points."""

# What is cut into a tile's back.
NOTCHES = "M15.5 7V29M15.5 11l6-2M15.5 15l6-2M15.5 21l-6 2M15.5 25l-6 2"
# Which way a row goes.
UP, DOWN = "M1 9L9 1M3 1H9V7", "M1 1L9 9M3 9H9V3"

# The shape of each colour, 22 by 22, with room for two digits.
SHAPES = {
    "blue": "M11 1a10 10 0 1 1 0 20a10 10 0 1 1 0-20z",  # disc
    "brown": "M2 2h18v18H2z",  # block
    "yellow": "M11 .5L20.5 9V20.5H1.5V9z",  # house
    "green": "M11 0L22 11L11 22L0 11z",  # diamond
    "pink": "M1.5 1.5H20.5V13L11 21.5L1.5 13z",  # shield
}


@dataclass(frozen=True, slots=True)
class Palette:
    stone: str
    back: str
    clover: str
    wish: str
    colours: dict[str, tuple[str, str]]
    """What each colour is filled with, and what is written on it."""


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        stone="#e9e4d8",
        back="#8d8778",
        clover="#1f7a3a",
        wish="#6b4fa0",
        colours={
            "blue": ("#2b67b1", "#ffffff"),
            "brown": ("#774a26", "#ffffff"),
            "yellow": ("#f3c534", "#2b2300"),
            "green": ("#2f8544", "#ffffff"),
            "pink": ("#ef9cc0", "#3b0a22"),
        },
    ),
    "dark": Palette(
        stone="#33373d",
        back="#5d626a",
        clover="#6fd28b",
        wish="#c0a4f5",
        colours={
            "blue": ("#4d8de0", "#0a1220"),
            "brown": ("#9a6538", "#ffffff"),
            "yellow": ("#f3c534", "#2b2300"),
            "green": ("#3f9d57", "#06150a"),
            "pink": ("#f0a3c6", "#3b0a22"),
        },
    ),
}

PICTURE_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "face_down": "face down",
        "open": "Open tiles",
        "no_open": "none yet",
        "revealed": "lay or leave?",
        "turn": "to play",
        "extra": "extra turn",
        "place": "place {place}",
        "clover": "another turn",
        "bonus": "bonus",
        "wish": "wishing stone",
    },
    "de": {
        "face_down": "verdeckt",
        "open": "Offene Steine",
        "no_open": "noch keine",
        "revealed": "legen oder lassen?",
        "turn": "am Zug",
        "extra": "Extrazug",
        "place": "Platz {place}",
        "clover": "noch ein Zug",
        "bonus": "Bonus",
        "wish": "Wunschstein",
    },
}


def draw(view: View, names: Sequence[str], language: Language, theme: Theme) -> str:
    brush = Brush(PAPERS[theme], PALETTES[theme], language, PICTURE_WORDS[language])
    return sheet(
        brush.paper,
        [
            _middle(brush, view.table),
            *(_player(brush, view, seat, clean(names[seat])) for seat in seats_in_view(view)),
            _legend(brush),
        ],
    )


# -- the middle


def _middle(brush: Brush[Palette], table: Table) -> Piece:
    """The stack, the tile just revealed, and the open tiles, a line for each colour."""
    body = [_stack(brush, table.face_down)]
    if table.revealed:
        body.append(_revealed(brush, table.revealed))
    y = 58.0
    body.append(brush.text(0, y, brush.words["open"], style=BOLD))
    if not table.open:
        body.append(brush.text(RIGHT, y, brush.words["no_open"], brush.paper.faint, style=END))
    y += 6
    for colour, tiles in open_by_colour(table):
        body.append(at(0, y, _row(brush, colour, tiles)))
        y += ROW_HEIGHT
    return Piece(y, "".join(body))


def _stack(brush: Brush[Palette], count: int) -> str:
    """A tile's back for every ten, begun; none, and the place they lay on shows."""
    paper = brush.paper
    backs = [
        f'<rect x="{3 * step + 0.5:g}" y="{6.5 - step:g}" width="30" height="35" rx="5" fill="{brush.palette.back}" '
        f'stroke="{paper.ground}"/>'
        for step in range((count + 9) // 10)
    ]
    top = 3 * (len(backs) - 1)
    notches = f'<path transform="translate({top} {7 - len(backs)})" d="{NOTCHES}" fill="none" stroke="{paper.ground}"/>'
    place = f'<rect x=".5" y="6.5" width="30" height="35" rx="5" fill="none" stroke="{paper.edge}"/>'
    return (
        ("".join(backs) + notches if backs else place)
        + brush.text(56, 28, str(count), size=20, style=BOLD)
        + brush.text(84, 28, brush.words["face_down"], paper.faint)
    )


def _revealed(brush: Brush[Palette], tile: str) -> str:
    paper = brush.paper
    return (
        f'<rect x="{RIGHT - 33}" y="0" width="32" height="42" rx="7" fill="none" stroke="{paper.accent}" '
        f'stroke-width="2"/>'
        + at(RIGHT - 28, 3.5, _tile(brush, tile))
        + brush.text(RIGHT - 42, 18, named(tile, brush.language), style=END + BOLD)
        + brush.text(RIGHT - 42, 34, brush.words["revealed"], paper.accent, style=END)
    )


# -- a player


def _player(brush: Brush[Palette], view: View, seat: Seat, name: str) -> Piece:
    paper, table = brush.paper, view.table
    words = WORDS[brush.language]
    acts = not table.ended and table.turn == seat
    parts = dict(score(table, seat).parts)
    body = [_heading(brush, view, seat, name, acts)]
    y = 30.0
    for colour, row in zip(COLOURS, table.rows[seat], strict=True):
        if row:
            direction = _direction(brush, row) if len(row) > 1 else ""
            points = brush.text(INSIDE, 22, str(parts[colour]), size=13, style=END)
            body.append(at(0, y, _row(brush, colour, row) + direction + points))
            y += ROW_HEIGHT
    wishes = sum(TILES[tile].wish for row in table.rows[seat] for tile in row)
    y += 12
    body += [
        at(7, y - 4, _wish(brush.palette)),
        brush.text(18, y, words["wishing_stones"].format(count=wishes), paper.faint),
        brush.text(150, y, str(parts["wishing_stones"]), size=13, style=END),
        brush.text(200, y, words["bonus"], paper.faint),
        brush.text(INSIDE, y, str(parts["bonus"]), size=13, style=END),
    ]
    y += 10
    return panel(brush.paper, y, "".join(body), acts)


def _heading(brush: Brush[Palette], view: View, seat: Seat, name: str, acts: bool) -> str:
    paper, table = brush.paper, view.table
    you = WORDS[brush.language]["you"] if seat == view.seat else ""
    if table.ended:
        status, fill = brush.words["place"].format(place=standing(table).places[seat]), paper.ink
    elif seat in table.left:
        status, fill = WORDS[brush.language]["gone"].strip(" ()"), paper.faint
    else:
        status, fill = brush.words["extra" if table.extra else "turn"] if acts else "", paper.accent
    points = brush.text(INSIDE, 20, total(table, seat, brush.language), size=13, style=END + BOLD)
    return heading(brush, name, acts, INSIDE - 70, you, status, fill) + points


# -- rows and tiles


def _row(brush: Brush[Palette], colour: str, row: Sequence[str]) -> str:
    """The colour's name, and the tiles."""
    tiles = "".join(at(ROW_LEFT + place * PITCH, 0, _tile(brush, tile)) for place, tile in enumerate(row))
    return brush.text(0, 22, WORDS[brush.language][colour]) + tiles


def _direction(brush: Brush[Palette], row: Row) -> str:
    return (
        f'<path transform="translate(41 13)" d="{UP if rises(row) else DOWN}" fill="none" stroke="{brush.paper.ink}" '
        f'stroke-width="1.8"/>'
    )


def _tile(brush: Brush[Palette], tile: str) -> str:
    palette, printed = brush.palette, TILES[tile]
    colour = COLOURS[printed.colour]
    fill, ink = palette.colours[colour]
    size, y = (12, 15.5) if printed.number == 10 else (14, 16)
    return (
        f'<rect width="22" height="{TILE_HEIGHT}" rx="5" fill="{palette.stone}"/>'
        f'<path d="{SHAPES[colour]}" fill="{fill}"/>'
        + brush.text(11, y, str(printed.number), ink, size, MIDDLE + BOLD)
        + at(11, 28, _symbol(brush, printed.symbol))
    )


def _symbol(brush: Brush[Palette], symbol: str) -> str:
    if symbol == "clover":
        return _clover(brush.palette)
    if symbol == "wish":
        return _wish(brush.palette)
    return brush.text(0, 4, symbol, style=MIDDLE + BOLD)


def _clover(palette: Palette) -> str:
    leaves = "".join(f'<circle cx="{x}" cy="{y}" r="2.7"/>' for x in (-2.4, 2.4) for y in (-2.9, 1.9))
    return f'<g fill="{palette.clover}">{leaves}<path d="M-.5-.5L2 6.5H3.5L.8-.5z"/></g>'


def _wish(palette: Palette) -> str:
    """A pebble with a hole."""
    return f'<ellipse rx="5" ry="3.8" fill="none" stroke="{palette.wish}" stroke-width="2.6"/>'


def _legend(brush: Brush[Palette]) -> Piece:
    palette, faint = brush.palette, brush.paper.faint
    return Piece(
        14,
        at(8, 7, _clover(palette))
        + brush.text(18, 11, brush.words["clover"], faint)
        + at(128, 7, _wish(palette))
        + brush.text(138, 11, brush.words["wish"], faint)
        + brush.text(250, 11, "+1 +3", style=BOLD)
        + brush.text(288, 11, brush.words["bonus"], faint),
    )
