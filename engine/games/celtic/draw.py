"""Celtic as a picture: the map with its roads, every player's markers on it, and a panel for each player.

A player is told by hue and by the shape of the markers; the number on a marker is how many stand there. Each place has
its number and its name, and a move can be said with either. A ring stands around the places of the viewer's own goals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Seat
from engine.game import Language, Theme
from engine.games.celtic.atlas import LETTERS, LINE, TOKEN, Atlas, Label, atlas, is_trade
from engine.games.celtic.board import GOODS, VILLAGE, Board
from engine.games.celtic.names import named
from engine.games.celtic.rules import goals_held, influence, next_to_act, score, standing, whose_turn
from engine.games.celtic.view import View, seats_in_view
from engine.games.celtic.words import WORDS
from engine.names import clean, fitted
from engine.picture import BOLD, END, INSIDE, MIDDLE, PAPERS, RIGHT, Brush, Piece, at, heading, panel, sheet

# Each seat's marker, around its middle, 14 by 14.
SHAPES = (
    "M0-7a7 7 0 1 1 0 14a7 7 0 1 1 0-14z",  # disc
    "M-6.2-6.2H6.2V6.2H-6.2z",  # block
    "M0-8L8 0L0 8L-8 0z",  # diamond
    "M-3.7-6.6H3.7L7.2 0L3.7 6.6H-3.7L-7.2 0z",  # hexagon
)
VILLAGE_SHAPE = "M-17 9V-13L0-27L17-13V9z"  # with room for everybody's markers
TRADE_SHAPE = "M-6-4H6V5H-6zM-7-4L-4-8H4L7-4z"


@dataclass(frozen=True, slots=True)
class Palette:
    land: str
    road: str
    place: str
    trade: str
    card: str
    seats: tuple[tuple[str, str], ...]
    """What the markers of each seat are filled with, and what is written on them."""


# Hues that are told apart by everybody, whatever their eyes.
PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        land="#e7ecd9",
        road="#ad9a70",
        place="#fffdf8",
        trade="#f0d38a",
        card="#f0d38a",
        seats=(("#0a5fa8", "#ffffff"), ("#f0a000", "#241700"), ("#b3265e", "#ffffff"), ("#0c7d5b", "#ffffff")),
    ),
    "dark": Palette(
        land="#1d2620",
        road="#6f6749",
        place="#39423a",
        trade="#7a6426",
        card="#7a6426",
        seats=(("#5aa9ee", "#06131f"), ("#f5b93e", "#241700"), ("#f07aa8", "#2a0716"), ("#46c79b", "#03190f")),
    ),
}

PICTURE_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "turn": "to play",
        "waits": "waits",
        "answer": "follows?",
        "part": "final phase",
        "place": "place {place}",
        "face_down": "trade cards, face down: {count}",
        "no_cards": "no trade cards",
        "none_done": "no goal completed",
        "cards": "trade cards left",
        "deck": "goals to draw: {count}",
        "turns": "turn {turn} of {most}",
    },
    "de": {
        "turn": "am Zug",
        "waits": "wartet",
        "answer": "folgt?",
        "part": "Schlussphase",
        "place": "Platz {place}",
        "face_down": "Handelskarten, verdeckt: {count}",
        "no_cards": "keine Handelskarten",
        "none_done": "kein Ziel erfüllt",
        "cards": "Handelskarten übrig",
        "deck": "Ziele zum Ziehen: {count}",
        "turns": "Zug {turn} von {most}",
    },
}

Painter = Brush[Palette]


def draw(view: View, names: Sequence[str], language: Language, theme: Theme) -> str:
    brush = Brush(PAPERS[theme], PALETTES[theme], language, PICTURE_WORDS[language])
    pieces = [
        _map(brush, view),
        _stacks(brush, view),
        *(_player(brush, view, seat, clean(names[seat])) for seat in seats_in_view(view)),
    ]
    return sheet(brush.paper, pieces)


# -- the map


def _map(brush: Painter, view: View) -> Piece:
    board, palette = view.table.terms.board, brush.palette
    chart = atlas(board, brush.language)
    body = [f'<rect width="{RIGHT}" height="{chart.height:g}" rx="8" fill="{palette.land}"/>']
    body.append(f'<path d="{_roads(board, chart)}" fill="none" stroke="{palette.road}" stroke-width="2.5"/>')
    body += _way(brush, view, chart)
    wanted = {place for goal in view.hand for place in board.goal[goal].locations} if not view.table.stage.ended else ()
    for place, (x, y) in zip(board.ids, chart.spots, strict=True):
        body.append(at(x, y, _site(brush, place, board, place in wanted)))
    for place, label in zip(board.ids, chart.labels, strict=True):
        body.append(_label(brush, place, label))
    for number, (x, y) in enumerate(chart.spots):
        body += _markers(brush, view, number, x, y)
    return Piece(chart.height, "".join(body))


def _roads(board: Board, chart: Atlas) -> str:
    ways = []
    for one, other in board.roads:
        (x, y), (to_x, to_y) = chart.spots[board.index[one]], chart.spots[board.index[other]]
        ways.append(f"M{x:g} {y:g}L{to_x:g} {to_y:g}")
    return "".join(ways)


def _way(brush: Painter, view: View, chart: Atlas) -> Iterator[str]:
    """The move that was made in this turn: an arrow from where it began to where it went."""
    table = view.table
    if not table.moved:
        return
    (x, y), (to_x, to_y) = chart.spots[table.origin], chart.spots[table.destination]
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5 or 1
    along_x, along_y = (to_x - x) / length, (to_y - y) / length
    tip_x, tip_y = to_x - 12 * along_x, to_y - 12 * along_y
    head = " ".join(
        f"L{tip_x - 7 * along_x - side * 4 * along_y:.1f} {tip_y - 7 * along_y + side * 4 * along_x:.1f}"
        for side in (1, -1)
    )
    yield (
        f'<path d="M{x:g} {y:g}L{tip_x - 5 * along_x:.1f} {tip_y - 5 * along_y:.1f}" fill="none" '
        f'stroke="{brush.paper.accent}" stroke-width="2.5" stroke-dasharray="5 3"/>'
        f'<path d="M{tip_x:.1f} {tip_y:.1f}{head}z" fill="{brush.paper.accent}"/>'
    )


def _site(brush: Painter, place: str, board: Board, wanted: bool) -> str:
    paper, palette = brush.paper, brush.palette
    ring = (
        f'<circle r="9.8" fill="none" stroke="{paper.accent}" stroke-width="2" stroke-dasharray="3 2"/>'
        if wanted
        else ""
    )
    if place == board.ids[VILLAGE]:
        shape = f'<path d="{VILLAGE_SHAPE}" fill="{palette.place}" stroke="{paper.ink}" stroke-width="1.2"/>'
    elif is_trade(place):
        shape = f'<path d="{TRADE_SHAPE}" fill="{palette.trade}" stroke="{paper.ink}"/>'
    else:
        shape = f'<circle r="4" fill="{palette.place}" stroke="{paper.faint}" stroke-width="1.2"/>'
    return ring + shape


def _label(brush: Painter, place: str, label: Label) -> str:
    """A name, with a rim of the land's colour, so that a road behind it doesn't disturb."""
    style = MIDDLE + (BOLD if is_trade(place) else "")
    rim = f' stroke="{brush.palette.land}" stroke-width="2.5" stroke-linejoin="round" paint-order="stroke"'
    return "".join(
        brush.text(label.x, label.y + LINE * row, line, brush.paper.ink, LETTERS, style + rim)
        for row, line in enumerate(label.lines)
    )


def _markers(brush: Painter, view: View, place: int, x: float, y: float) -> Iterator[str]:
    """Those of each seat, with their number: two side by side, two more above them."""
    here = [(seat, markers[place]) for seat, markers in enumerate(view.table.markers) if markers[place]]
    for row, some in enumerate((here[:2], here[2:])):
        for step, (seat, count) in enumerate(some):
            shift = (step - (len(some) - 1) / 2) * TOKEN
            yield at(round(x + shift, 1), round(y - row * TOKEN, 1), _token(brush, seat, count))


def _token(brush: Painter, seat: int, count: int | None) -> str:
    fill, ink = brush.palette.seats[seat]
    said = brush.text(0, 3.6, str(count), ink, 11, MIDDLE + BOLD) if count is not None else ""
    return f'<path d="{SHAPES[seat]}" fill="{fill}" stroke="{brush.paper.ink}"/>{said}'


# -- the stacks


def _stacks(brush: Painter, view: View) -> Piece:
    table, words = view.table, brush.words
    seats = len(table.markers)
    said = [words["deck"].format(count=table.deck)]
    if table.stage.closing and not table.stage.ended:
        said.append(words["part"])
    elif not table.stage.ended:
        said.append(words["turns"].format(turn=table.turns // seats + 1, most=table.terms.max_turns))
    body = brush.text(0, 11, words["cards"], size=12, style=BOLD)
    body += brush.text(RIGHT, 11, " · ".join(said), brush.paper.faint, style=END)
    return Piece(48, body + at(0, 16, _goods(brush, table.stacks, RIGHT)))


def _goods(brush: Painter, goods: Sequence[int], width: float) -> str:
    """Seven cards side by side with their numbers, and their names below."""
    pitch = width / len(GOODS)
    body = []
    for step, (good, count) in enumerate(zip(GOODS, goods, strict=True)):
        middle = pitch * (step + 0.5)
        fill = brush.palette.card if count else "none"
        body.append(
            f'<rect x="{middle - 9:.1f}" y="0" width="18" height="15" rx="2.5" fill="{fill}" '
            f'stroke="{brush.paper.edge if not count else brush.paper.ink}"/>'
        )
        body.append(brush.text(round(middle, 1), 11.5, str(count), size=11, style=MIDDLE + BOLD))
        first, _, rest = named(good, brush.language).partition(" ")
        body.append(brush.text(round(middle, 1), 24.5, fitted(first, pitch + 8, 9), size=9, style=MIDDLE))
        body.append(brush.text(round(middle, 1), 33, fitted(rest, pitch + 8, 9), size=9, style=MIDDLE))
    return "".join(body)


# -- a player


def _player(brush: Painter, view: View, seat: Seat, name: str) -> Piece:
    table = view.table
    acts = next_to_act(table) == seat
    body = [at(7, 15, _token(brush, seat, None)), at(18, 0, _heading(brush, view, seat, name, acts))]
    y = 28.0
    for row in _rows(brush, view, seat):
        body.append(at(0, y, row.body))
        y += row.height
    return panel(brush.paper, y + 4, "".join(body), acts)


def _heading(brush: Painter, view: View, seat: Seat, name: str, acts: bool) -> str:
    table, words = view.table, WORDS[brush.language]
    you = words["you"] if seat == view.seat else ""
    status, fill = "", brush.paper.accent
    if table.stage.ended:
        status, fill = brush.words["place"].format(place=standing(table, view.goods).places[seat]), brush.paper.ink
    elif seat in table.stage.left:
        status, fill = words["gone"].strip(" ()"), brush.paper.faint
    elif acts:
        status = brush.words["answer" if table.waiting else "part" if table.stage.closing else "turn"]
    elif whose_turn(table) == seat:
        status, fill = brush.words["waits"], brush.paper.faint
    end = INSIDE - 18
    points = str(score(table, seat, view.goods[seat]).total if table.stage.ended else influence(table, seat))
    return heading(brush, name, acts, end - 34, you, status, fill) + brush.text(
        end, 21, points, size=17, style=END + BOLD
    )


def _rows(brush: Painter, view: View, seat: Seat) -> Iterator[Piece]:
    table, goods, words = view.table, view.goods[seat], brush.words
    yield _completed(brush, view, seat)
    if any(goods):
        yield Piece(38, _goods(brush, goods, INSIDE))
    else:
        cards = table.cards[seat]
        said = words["face_down"].format(count=cards) if cards else words["no_cards"]
        yield Piece(17, brush.text(0, 11, said, brush.paper.faint))
    if seat == view.seat and not table.stage.ended:
        for goal in view.hand:
            yield Piece(19, _goal(brush, view, seat, goal))


def _completed(brush: Painter, view: View, seat: Seat) -> Piece:
    """A chip for each goal done, and an outline for each in another's hand."""
    table, paper = view.table, brush.paper
    body = []
    chips = [(goal, True) for goal in table.completed[seat]]
    if seat != view.seat and not table.stage.ended:
        chips += [("", False)] * goals_held(table, seat)
    for step, (goal, done) in enumerate(chips):
        x = step * 58
        said = f"{goal} +{table.terms.board.goal[goal].influence}" if done else "?"
        dashes = "" if done else ' stroke-dasharray="3 2"'
        body.append(
            f'<rect x="{x + 0.5}" y=".5" width="54" height="16" rx="3" fill="{brush.palette.card if done else "none"}" '
            f'stroke="{paper.ink if done else paper.edge}"{dashes}/>'
        )
        body.append(brush.text(x + 27.5, 12.5, said, paper.ink if done else paper.faint, 11, MIDDLE))
    if not chips:
        body.append(brush.text(0, 11, brush.words["none_done"], paper.faint))
    return Piece(23, "".join(body))


def _goal(brush: Painter, view: View, seat: Seat, goal: str) -> str:
    """`E05 15`, and its places, each with a mark where one of the viewer's markers stands."""
    table, paper = view.table, brush.paper
    board = table.terms.board
    card = board.goal[goal]
    body = [brush.text(0, 12, f"{goal} +{card.influence}", size=12, style=BOLD)]
    pitch = (INSIDE - 56) / len(card.locations)
    for step, place in enumerate(card.locations):
        x = 56 + step * pitch
        there = table.markers[seat][board.index[place]] > 0
        fill = paper.accent if there else "none"
        body.append(f'<circle cx="{x + 4:.1f}" cy="8" r="3.6" fill="{fill}" stroke="{paper.accent}"/>')
        said = f"{board.index[place]} {named(place, brush.language)}"
        body.append(brush.text(round(x + 11, 1), 12, fitted(said, pitch - 11, 12), size=12))
    return "".join(body)
