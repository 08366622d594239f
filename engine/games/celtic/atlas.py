"""Where the places of a board stand in the picture, and where their names have room."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.game import Language
from engine.games.celtic.board import TRADE, VILLAGE, Board, Place
from engine.games.celtic.names import named
from engine.picture import RIGHT

LETTERS = 9
"""The size of a name."""
TOKEN = 14
"""From marker to marker on a place: two side by side, two more above them."""
LINE = 9.5
EDGE_X, EDGE_TOP, EDGE_BOTTOM = 18, 30, 24


@dataclass(frozen=True, slots=True)
class Label:
    """The lines of a name, in the middle of `x`; the first stands on `y`."""

    x: float
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Atlas:
    height: float
    spots: tuple[tuple[float, float], ...]
    """By place."""
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def common(self, other: "Box") -> float:
        """How much of the sheet both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * high if wide > 0 and high > 0 else 0


def atlas(board: Board, language: Language) -> Atlas:
    return _atlas(board.places, language)


@lru_cache(maxsize=32)
def _atlas(places: tuple[Place, ...], language: Language) -> Atlas:
    height = 120 + 6.0 * len(places)
    spots = tuple(_spots(places, height))
    taken = [_site_box(at, x, y) for at, (x, y) in enumerate(spots)]
    labels = []
    for at, (place, spot) in enumerate(zip(places, spots, strict=True)):
        candidates = list(_candidates(_lines(at, place.id, language), *spot))
        crowds = [_crowded(label, taken[:at] + taken[at + 1 :], height) for label in candidates]
        label = candidates[crowds.index(min(crowds))]
        labels.append(label)
        taken.append(_label_box(label))
    return Atlas(height, spots, tuple(labels))


def _spots(places: tuple[Place, ...], height: float) -> Iterator[tuple[float, float]]:
    """The coordinates of the data, stretched over the sheet."""
    xs, ys = [place.x for place in places], [place.y for place in places]
    wide, high = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
    for x, y in zip(xs, ys, strict=True):
        yield (
            round(EDGE_X + (x - min(xs)) / wide * (RIGHT - 2 * EDGE_X), 1),
            round(EDGE_TOP + (y - min(ys)) / high * (height - EDGE_TOP - EDGE_BOTTOM), 1),
        )


def _lines(at: int, name: str, language: Language) -> tuple[str, ...]:
    """Its number and its name; a long one on two lines."""
    said = named(name, language)
    first, _, rest = said.partition(" ")
    if rest and len(said) > 8:
        return f"{at} {first}", rest
    return (f"{at} {said}",)


def _wide(lines: tuple[str, ...]) -> float:
    return max(map(len, lines)) * LETTERS * 0.5 + 2


def _candidates(lines: tuple[str, ...], x: float, y: float) -> Iterator[Label]:
    """Below the place, beside it, above it; a little to either side."""
    half, more = _wide(lines) / 2, LINE * (len(lines) - 1)
    for shift in (0, 6, -6, 12, -12, 18, -18):
        yield Label(x + shift, y + 16, lines)
    for drop in (3, 10, -4):
        yield Label(x + 9 + half, y + drop - more / 2, lines)
        yield Label(x - 9 - half, y + drop - more / 2, lines)
    for shift in (0, 8, -8, 16, -16):
        yield Label(x + shift, y - 10 - more, lines)


def _site_box(at: int, x: float, y: float) -> Box:
    """What a place and two markers on it cover; the village is a house for all."""
    if at == VILLAGE:
        return Box(x - 17, y - 27, x + 17, y + 9)
    return Box(x - TOKEN, y - TOKEN / 2 - 1, x + TOKEN, y + TOKEN / 2)


def _label_box(label: Label) -> Box:
    half = _wide(label.lines) / 2
    bottom = label.y + LINE * (len(label.lines) - 1) + 2
    return Box(label.x - half, label.y - LETTERS + 1, label.x + half, bottom)


def _crowded(label: Label, others: list[Box], height: float) -> float:
    """How badly a label stands: what it covers of others, and what of it has no room on the sheet."""
    box = _label_box(label)
    outside = max(0, -box.left) + max(0, box.right - RIGHT) + max(0, box.bottom - height) + max(0, -box.top)
    return outside * 100 + sum(box.common(other) for other in others)


def is_trade(place: str) -> bool:
    return place.startswith(TRADE)
