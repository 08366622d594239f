"""Celtica as a picture.

A druid is told by hue, shape and letters. A part is told by its hue and by where it sits in the amulet: eight pieces of
the rim, and the middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from engine.events import Seat
from engine.game import Language, Theme
from engine.games.celtica.board import DRUIDS, PART_TYPES, Board, Place
from engine.games.celtica.rules import next_to_act, standing
from engine.games.celtica.table import Counts, Table
from engine.games.celtica.tell import WORDS, amulet_parts, named, sign
from engine.games.celtica.view import View, said_cards, seats_in_view, spelled_out
from engine.names import clean, fitted
from engine.picture import BOLD, END, MIDDLE, PAPERS, RIGHT, Brush, Paper, Piece, at, heading, panel, sheet

COLUMNS = 5
CELL, CELL_HEIGHT, GAP = 65.6, 62, 4
TOKEN = 20
"""From druid to druid on a place."""
AMULET = 33
"""From amulet to amulet."""

# Each druid's shape, around its middle, 18 by 18.
SHAPES = (
    "M0-9a9 9 0 1 1 0 18a9 9 0 1 1 0-18z",  # disc
    "M-8-8H8V8H-8z",  # block
    "M0-9.8L9.8 0L0 9.8L-9.8 0z",  # diamond
    "M-8.5-8H8.5V1.5L0 9.3L-8.5 1.5z",  # shield
    "M-4.6-8.6H4.6L9.3 0L4.6 8.6H-4.6L-9.3 0z",  # hexagon
)
ICONS = {
    "start": "M-6 5H6M-5 5V-2L0-6L5-2V5",
    "cult": "M-6 6V-5H-3V6M3 6V-5H6V6M-7-5H7",  # stones
    "village": "M-6 6V-1L0-6L6-1V6z",
    "castle": "M-6 6V-6H-3V-3H-1.5V-6H1.5V-3H3V-6H6V6z",
    "cloister": "M-6 6V0H-1V6M-1 6V-4L2.5-7L6-4V6zM-6 6H6",
    "ruin": "M-6 6V-3L-4-5L-2.5-1L0-2L2-6L3.5 0L6-1V6z",
    "goal": "M-5 7V-7L6-3.5L-5 0",  # flag
}
CARD = "M-5-7H5V7H-5z"
STAR = "M0-4.5L1.3-1.3L4.3 0L1.3 1.3L0 4.5L-1.3 1.3L-4.3 0L-1.3-1.3z"


@dataclass(frozen=True, slots=True)
class Palette:
    hollow: str
    gives: str
    costs: str
    cult: str
    way: str
    druids: dict[str, tuple[str, str]]
    """What each druid is filled with, and what is written on it."""
    parts: tuple[str, ...]


OTHER_DRUIDS: tuple[tuple[str, str], ...] = (
    ("#c23b2e", "#ffffff"),
    ("#9aa0a6", "#16181b"),
    ("#ffffff", "#16181b"),
    ("#1d1f22", "#ffffff"),
    ("#7a4a26", "#ffffff"),
)
"""By place, for druids that a board calls otherwise."""
DRUID_COLOURS = {
    **dict(zip(("red", "grey", "white", "black", "brown"), OTHER_DRUIDS, strict=True)),
    "yellow": ("#f3c534", "#2b2300"),
    "blue": ("#2b67b1", "#ffffff"),
    "green": ("#2f8544", "#ffffff"),
    "orange": ("#ea8a2a", "#2b1600"),
    "purple": ("#7d4fb5", "#ffffff"),
}

PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        hollow="#e6e0d3",
        gives="#e3efdc",
        costs="#f3dcd5",
        cult="#e6dff2",
        way="#d8d0bf",
        druids=DRUID_COLOURS,
        parts=("#2f6fd0", "#ff7a66", "#d9a914", "#2c9a4c", "#f28a1e", "#e283b4", "#129a9c", "#7f51c6", "#5a4632"),
    ),
    "dark": Palette(
        hollow="#31363c",
        gives="#24382a",
        costs="#452a26",
        cult="#352c49",
        way="#33373d",
        druids={**DRUID_COLOURS, "black": ("#08090a", "#ffffff"), "red": ("#d4483a", "#ffffff")},
        parts=("#5a96f0", "#ff8d7a", "#eec03c", "#4dbb6c", "#ff9f3d", "#f0a0c8", "#35bfc1", "#a682ea", "#d9c6a4"),
    ),
}

PICTURE_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "display": "Display",
        "supply": "face down",
        "given_up": "given up",
        "druid": "druid cards",
        "experience": "experience cards",
        "turn": "to play",
        "exchange": "exchanges",
        "place": "place {place}",
        "no_parts": "no parts",
        "last_round": "last round",
    },
    "de": {
        "display": "Auslage",
        "supply": "verdeckt",
        "given_up": "abgegeben",
        "druid": "Druidenkarten",
        "experience": "Erfahrungskarten",
        "turn": "am Zug",
        "exchange": "tauscht",
        "place": "Platz {place}",
        "no_parts": "keine Teile",
        "last_round": "letzte Runde",
    },
}


def draw(view: View, names: Sequence[str], language: Language, theme: Theme) -> str:
    brush = Brush(PAPERS[theme], PALETTES[theme], language, PICTURE_WORDS[language])
    return sheet(
        brush.paper,
        [
            _path(brush, view.table),
            _display(brush, view.table),
            *(_player(brush, view, seat, clean(names[seat])) for seat in seats_in_view(view)),
        ],
    )


# -- the path


def _path(brush: Brush[Palette], table: Table) -> Piece:
    """The places in rows, every other one from right to left, so that the way runs on."""
    places = table.terms.board.places
    corners = [_corner(number) for number in range(len(places))]
    way = "L".join(f"{x + CELL / 2:g} {y + CELL_HEIGHT / 2:g}" for x, y in corners)
    body = [f'<path d="M{way}" fill="none" stroke="{brush.palette.way}" stroke-width="14"/>']
    for number, (place, (x, y)) in enumerate(zip(places, corners, strict=True)):
        body.append(at(x, y, _place(brush, table, number, place)))
    return Piece(corners[-1][1] + CELL_HEIGHT, "".join(body))


def _corner(number: int) -> tuple[float, float]:
    row, column = divmod(number, COLUMNS)
    if row % 2:
        column = COLUMNS - 1 - column
    return column * (CELL + GAP), row * (CELL_HEIGHT + GAP)


def _place(brush: Brush[Palette], table: Table, number: int, place: Place) -> str:
    """Its icon, what it gives or costs, its number, and the druids on it."""
    paper, palette, board = brush.paper, brush.palette, table.terms.board
    said = sign(place, table.terms).replace("-", "−")
    fill = {"c": palette.cult, "+": palette.gives, "−": palette.costs}.get(said[0], paper.panel)
    edge, width = (paper.ink, 1.5) if place.kind in ("start", "goal") else (paper.edge, 1)
    here = [druid for druid, stands in enumerate(table.druids) if stands == number]
    druids = [at(x, y, _druid(brush, board, druid)) for druid, (x, y) in zip(here, _spots(len(here)), strict=True)]
    return (
        f'<rect width="{CELL:g}" height="{CELL_HEIGHT}" rx="7" fill="{fill}" stroke="{edge}" '
        f'stroke-width="{width:g}"/>'
        f'<path transform="translate(11.5 11.5)" d="{ICONS[place.kind]}" fill="none" stroke="{paper.ink}" '
        f'stroke-width="1.5" stroke-linejoin="round"/>'
        + brush.text(22, 17, said if said[0] in "+−" else "", size=15, style=BOLD)
        + brush.text(CELL - 5, 13, str(number), paper.faint, 10, END)
        + _card_there(paper, place.kind)
        + "".join(druids)
    )


def _card_there(paper: Paper, kind: str) -> str:
    """The card that is drawn at such a place."""
    if kind not in ("cult", "ruin"):
        return ""
    x = 28 if kind == "cult" else 44
    return f'<g transform="translate({x} 11.5) scale(.7)">{_card(paper, druid=kind == "cult")}</g>'


def _spots(count: int) -> Iterator[tuple[float, float]]:
    """Where so many druids stand: up to three side by side, and a second row above them."""
    lower = min(count, 3)
    for rows, y in ((lower, CELL_HEIGHT - 12), (count - lower, CELL_HEIGHT - 31)):
        for step in range(rows):
            yield CELL / 2 + (step - (rows - 1) / 2) * TOKEN + (0 if rows == lower else 6), y


def _druid(brush: Brush[Palette], board: Board, druid: int) -> str:
    fill, ink = brush.palette.druids.get(board.druids[druid], OTHER_DRUIDS[druid])
    letters = _letters([named(other, brush.language) for other in board.druids])[druid]
    return f'<path d="{SHAPES[druid]}" fill="{fill}" stroke="{brush.paper.ink}" stroke-width="1.2"/>' + brush.text(
        0, 4 if len(letters) == 1 else 3.5, letters, ink, 12 if len(letters) == 1 else 10, MIDDLE + BOLD
    )


def _letters(names: Sequence[str]) -> list[str]:
    """What tells each name from the others: its first letter, or its first two."""
    firsts = [name[0] for name in names]
    return [name[: 1 + (firsts.count(name[0]) > 1)].capitalize() for name in names]


# -- the display


def _display(brush: Brush[Palette], table: Table) -> Piece:
    paper, board = brush.paper, table.terms.board
    parts = spelled_out(board.parts, table.display)
    pitch = RIGHT / 9
    body = [brush.text(0, 12, brush.words["display"], size=13, style=BOLD)]
    piles = f"{brush.words['supply']}: {table.supply} · {brush.words['given_up']}: {sum(table.given_up)}"
    body.append(brush.text(RIGHT, 12, piles, paper.faint, style=END))
    for step, part in enumerate(parts):
        filled = [name == part for name in board.parts]
        x = pitch * (step + 0.5)
        body.append(at(x, 36, _amulet(brush.palette, filled)))
        body.append(brush.text(x, 63, fitted(named(part, brush.language), pitch + 6, 10), size=10, style=MIDDLE))
    body.append(at(6, 77, _card(paper, druid=True)))
    body.append(brush.text(15, 81, f"{brush.words['druid']}: {table.druid_deck}", paper.faint))
    body.append(at(113, 77, _card(paper, druid=False)))
    body.append(brush.text(122, 81, f"{brush.words['experience']}: {table.experience_deck}", paper.faint))
    if max(table.druids) == board.goal and not table.stage.closing:
        body.append(brush.text(RIGHT, 81, brush.words["last_round"], paper.accent, style=END + BOLD))
    return Piece(84, "".join(body))


def _amulet(palette: Palette, filled: Sequence[bool]) -> str:
    """Eight pieces around a middle, those that are there in their colours."""
    body = []
    for number, there in enumerate(filled):
        fill = palette.parts[number] if there else palette.hollow
        body.append(f'<path d="{RIM[number]}" fill="{fill}"/>')
    return "".join(body)


def _rim_piece(number: int) -> str:
    """A piece of the rim, an eighth of the way round, the first at the top; or the middle."""
    if number == PART_TYPES - 1:
        return "M0-5.4a5.4 5.4 0 1 1 0 10.8a5.4 5.4 0 1 1 0-10.8z"
    start, end = ((number + edge) * pi / 4 - pi / 2 for edge in (-0.46, 0.46))
    corners = ((15.5, start), (15.5, end), (7, end), (7, start))
    return "M" + "L".join(f"{radius * cos(angle):.1f} {radius * sin(angle):.1f}" for radius, angle in corners) + "z"


RIM = tuple(_rim_piece(number) for number in range(PART_TYPES))


# -- a player


def _player(brush: Brush[Palette], view: View, seat: Seat, name: str) -> Piece:
    table, board = view.table, view.table.terms.board
    acts = next_to_act(table) == seat
    body = [_heading(brush, view, seat, name, acts)]
    y = 32.0
    if seat == view.seat and not table.stage.ended:
        body.append(at(0, y, _hand(brush, board, view.hand)))
        y += 27
    mine = table.parts[seat]
    for step, amulet in enumerate(amulet_parts(board, mine)):
        filled = [part in amulet for part in board.parts]
        row, column = divmod(step, 10)
        body.append(at(16 + AMULET * column, y + 17 + 46 * row, _framed(brush, filled)))
    if not any(mine):
        body.append(brush.text(0, y + 12, brush.words["no_parts"], brush.paper.faint))
        y -= 30
    y += 52
    return panel(brush.paper, y, "".join(body), acts)


def _framed(brush: Brush[Palette], filled: Sequence[bool]) -> str:
    """An amulet with the number of its parts; a complete one stands out."""
    paper, count = brush.paper, sum(filled)
    complete = count == PART_TYPES
    ring = f'<circle r="16.3" fill="none" stroke="{paper.accent}" stroke-width="2"/>' if complete else ""
    said = brush.text(0, 28, str(count), paper.accent if complete else paper.faint, 11, MIDDLE + BOLD * complete)
    return _amulet(brush.palette, filled) + ring + said


def _heading(brush: Brush[Palette], view: View, seat: Seat, name: str, acts: bool) -> str:
    paper, table = brush.paper, view.table
    words = WORDS[brush.language]
    you = words["you"] if seat == view.seat else ""
    if table.stage.ended:
        status, fill = brush.words["place"].format(place=standing(table).places[seat]), paper.ink
    elif seat in table.stage.left:
        status, fill = words["gone"].strip(" ()"), paper.faint
    else:
        status, fill = brush.words["exchange" if table.stage.closing else "turn"] if acts else "", paper.accent
    return (
        heading(brush, name, acts, RIGHT - 104, you, status, fill)
        + at(RIGHT - 86, 15, _cards(brush, table.druid_cards[seat], druid=True))
        + at(RIGHT - 48, 15, _cards(brush, table.experience_cards[seat], druid=False))
    )


def _cards(brush: Brush[Palette], count: int, druid: bool) -> str:
    """How many cards are held."""
    return _card(brush.paper, druid) + brush.text(9, 5, str(count), size=13, style=BOLD)


def _card(paper: Paper, druid: bool) -> str:
    """A card's back: that of druid cards is dark, that of experience cards light with a star."""
    back = paper.faint if druid else paper.panel
    star = "" if druid else f'<path d="{STAR}" fill="{paper.ink}"/>'
    return f'<path d="{CARD}" fill="{back}" stroke="{paper.ink}" stroke-width="1.2" stroke-linejoin="round"/>{star}'


def _hand(brush: Brush[Palette], board: Board, hand: Counts) -> str:
    """The viewer's own cards, as they are said: druid cards, `+` experience cards."""
    body, x = [], 10.0
    for druid in range(DRUIDS):
        if hand[druid] or hand[druid + DRUIDS]:
            said = said_cards("", hand[druid], hand[druid + DRUIDS]).strip()
            body.append(at(x, 11, _druid(brush, board, druid)))
            body.append(brush.text(x + 13, 16, said, size=14, style=BOLD))
            x += 66
    return "".join(body)
