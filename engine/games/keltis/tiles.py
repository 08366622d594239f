"""The tiles, read from `tiles.toml` and checked."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

# What the file must hold (KE-2), whatever numbers the symbols stand on.
TILES_IN_ALL = 55
SYMBOLS_IN_ALL = {"clover": 10, "wish": 10, "+1": 5, "+3": 5}
PLAIN_NUMBERS = (0, 10)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile. Everywhere else a tile is known by its name, `blue 5`."""

    colour: int
    """Its colour's place in `colours`, and so its row's."""
    number: int
    symbol: str
    """`clover`, `wish`, `+1`, `+3`, or nothing. None carries two."""
    clover: bool
    wish: bool
    bonus: int


@dataclass(frozen=True, slots=True)
class Tiles:
    """All that is printed."""

    colours: tuple[str, ...]
    by_name: dict[str, Tile]
    row_points: tuple[int, ...]
    wish_points: tuple[int, ...]


class BrokenTiles(ValueError):
    """A tile file that isn't one of Keltis."""


def read_tiles(text: str) -> Tiles:
    """What the file says; BrokenTiles where it can't be the printed tiles."""
    try:
        file = tomllib.loads(text)
        meta = file["meta"]
        colours = tuple(meta["colours"])
        by_name = {
            f"{colour} {number}": _tile(place, colour, number, file[colour])
            for place, colour in enumerate(colours)
            for number in meta["numbers"]
        }
        tiles = Tiles(colours, by_name, tuple(meta["row_points"]), tuple(meta["wish_points"]))
    except tomllib.TOMLDecodeError as error:
        raise BrokenTiles(f"this is no TOML: {error}") from error
    except KeyError as error:
        raise BrokenTiles(f"{error} is missing") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise BrokenTiles(f"a value has the wrong type: {error}") from error
    _check(tiles)
    return tiles


def _tile(place: int, colour: str, number: int, symbols: Any) -> Tile:
    bonus = {int(bearer): points for bearer, points in symbols["bonus"].items()}
    found = [symbol for symbol in ("clover", "wish") if number in symbols[symbol]]
    found += [f"+{bonus[number]}"] if number in bonus else []
    if len(found) > 1:
        raise BrokenTiles(f"{colour} {number} carries {' and '.join(found)}: a tile carries one symbol at most")
    symbol = found[0] if found else ""
    return Tile(place, number, symbol, symbol == "clover", symbol == "wish", bonus.get(number, 0))


def _check(tiles: Tiles) -> None:
    if len(tiles.by_name) != TILES_IN_ALL:
        raise BrokenTiles(f"{len(tiles.by_name)} tiles, not {TILES_IN_ALL}")
    symbols = Counter(tile.symbol for tile in tiles.by_name.values() if tile.symbol)
    if symbols != SYMBOLS_IN_ALL:
        raise BrokenTiles(f"the tiles carry {dict(symbols)}, not {SYMBOLS_IN_ALL}")
    for name, tile in tiles.by_name.items():
        if tile.number in PLAIN_NUMBERS and tile.symbol:
            raise BrokenTiles(f"{name} carries {tile.symbol}: every 0 and every 10 is plain")
    for points in (tiles.row_points, tiles.wish_points):
        if not points or not all(type(value) is int for value in points):
            raise BrokenTiles(f"{list(points)} is no table of points")


PRINTED = read_tiles(files(__package__).joinpath("tiles.toml").read_text("utf-8"))
COLOURS = PRINTED.colours
TILES = PRINTED.by_name
