"""What the games' pictures share: a sheet 360 wide, what is written on it, and a panel for each player.

A game keeps what is its own: its colours, its shapes, what stands where. A picture refers to nothing, not even to parts
of itself: several can stand on one page.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Generic, TypeVar

from engine.game import Language, Theme
from engine.names import fitted

WIDTH = 360
MARGIN = 8
RIGHT = WIDTH - 2 * MARGIN
"""How wide a piece is."""
INSIDE = RIGHT - 16
"""How wide a panel is, within its edge."""

# Styles of a text; they can be added.
END = ' text-anchor="end"'
MIDDLE = ' text-anchor="middle"'
BOLD = ' font-weight="bold"'


@dataclass(frozen=True, slots=True)
class Paper:
    """What a picture is drawn on and written with."""

    ground: str
    panel: str
    edge: str
    ink: str
    faint: str
    accent: str


PAPERS: dict[Theme, Paper] = {
    "light": Paper(ground="#f4f1ea", panel="#fffdf8", edge="#c9c2b3", ink="#22201c", faint="#6a6458", accent="#b3420f"),
    "dark": Paper(ground="#16181b", panel="#202327", edge="#4a5058", ink="#f1efe9", faint="#a9a59b", accent="#ffa45c"),
}

Palette = TypeVar("Palette")


@dataclass(frozen=True, slots=True)
class Brush(Generic[Palette]):
    """What draws in a theme and a language: the paper, the game's own colours, its words in a picture."""

    paper: Paper
    palette: Palette
    language: Language
    words: Mapping[str, str]

    def text(self, x: float, y: float, said: str, fill: str = "", size: int = 12, style: str = "") -> str:
        """A line of text on its base line, whatever it says; nothing where it says nothing."""
        if not said:
            return ""
        fill = fill or self.paper.ink
        return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"{style}>{escape(said)}</text>'


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the picture, drawn from its own top left corner, as wide as `RIGHT`."""

    height: float
    body: str


def at(x: float, y: float, body: str) -> str:
    """The same, moved there."""
    return f'<g transform="translate({x:g} {y:g})">{body}</g>'


def sheet(paper: Paper, pieces: Iterable[Piece]) -> str:
    """The whole picture: the pieces below each other, as high as it needs to be."""
    body, y = [], float(MARGIN)
    for piece in pieces:
        body.append(at(MARGIN, y, piece.body))
        y += piece.height + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" width="{WIDTH}" height="{y:g}" '
        f'role="img" font-family="Source Sans Pro, Roboto, sans-serif">'
        f'<rect width="{WIDTH}" height="{y:g}" fill="{paper.ground}"/>{"".join(body)}</svg>'
    )


# -- a player


def panel(paper: Paper, height: float, body: str, acts: bool) -> Piece:
    """What belongs to a player, in a frame; that of who is to act stands out."""
    edge, width = (paper.accent, 2) if acts else (paper.edge, 1)
    frame = (
        f'<rect x=".5" y=".5" width="{RIGHT - 1}" height="{height - 1:g}" rx="8" fill="{paper.panel}" stroke="{edge}" '
        f'stroke-width="{width}"/>'
    )
    return Piece(height, frame + at(8, 0, body))


def heading(
    brush: Brush[Palette], name: str, acts: bool, end: float, you: str = "", status: str = "", fill: str = ""
) -> str:
    """The line on top of a panel, up to `end`: a mark for who is to act, the name, `you` behind it, the status.

    The name is cut to what surely has room. What stands behind `end` is the game's.
    """
    room = end - 14 - 72 * bool(status) - 36 * bool(you)
    mark = f'<path d="M0 9.5L9 15L0 20.5z" fill="{brush.paper.accent}"/>' if acts else ""
    return (
        mark
        + brush.text(14 if acts else 0, 20, fitted(name, room, 15) + you, size=15, style=BOLD)
        + brush.text(end, 20, status, fill, style=END)
    )
