"""The board: the path and the pieces, read from data and checked. One is shipped; others are given with the match."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

AMULET_SITES = frozenset(("village", "castle", "cloister"))
KINDS = frozenset(("start", "cult", "ruin", "goal", *AMULET_SITES))

# What every board must have (CA-3 to CA-6), and what the rules say whatever the board.
DRUIDS, PART_TYPES = 5, 9
PIECES = {
    "druid_cards_per_colour": (DRUIDS, 60),
    "experience_cards_per_colour": (DRUIDS, 20),
    "copies_per_type": (PART_TYPES, 90),
}
FIXED = {"players": [2, 5], "hand_size": 5, "display_size": 9, "start_parts": 2, "part_types": PART_TYPES}

# Bounds that no rule asks for: what is drawn, told and kept must stay within reason.
MOST_PLACES, MOST_PARTS, LONGEST_NAME = 60, 20, 24

_WORD = re.compile(r"[a-z]{2,12}")
_PLACE_KEYS = frozenset(("kind", "parts", "loss", "name"))
_META_KEYS = frozenset((*FIXED, *PIECES, "places", "druids", "part_ids"))


@dataclass(frozen=True, slots=True)
class Place:
    kind: str
    number: int
    """How many parts it gives or, a ruin, costs; 0 where neither."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    places: tuple[Place, ...]
    """From the start to the goal."""
    druids: tuple[str, ...]
    parts: tuple[str, ...]
    """The nine types, in the order in which they are told."""

    @property
    def goal(self) -> int:
        return len(self.places) - 1


class BrokenBoard(ValueError):
    """Data that isn't a board of Celtica."""


def read_toml(text: str) -> Board:
    """The board that a file holds; BrokenBoard where it holds none."""
    try:
        return read_board(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BrokenBoard(f"this is no TOML: {error}") from error


def read_board(data: Any) -> Board:
    """The board that the data describe, with every check that holds for any board. What `meta` leaves out is ours."""
    meta = _table(data, "the board", frozenset(("meta", "place"))).get("meta", {})
    _table(meta, "meta", _META_KEYS)
    if "place" not in data:
        raise BrokenBoard("it has no places")
    places = tuple(_place(number, given) for number, given in enumerate(_list(data["place"], "place")))
    druids = _names(meta.get("druids", STANDARD_DRUIDS), "druids", DRUIDS)
    parts = _names(meta.get("part_ids", STANDARD_PARTS), "part_ids", PART_TYPES)
    if shared := set(druids) & set(parts):
        raise BrokenBoard(f"{min(shared)} is a druid and a part: each needs a name of its own")
    for key, value in FIXED.items():
        if key in meta and _plain(meta[key]) != value:
            raise BrokenBoard(f"{key} is {value}, by the rules")
    for key, (types, total) in PIECES.items():
        if key in meta and (type(meta[key]) is not int or types * meta[key] != total):
            raise BrokenBoard(f"{key} must come to {total} pieces: {total // types} of each")
    if "places" in meta and meta["places"] != len(places):
        raise BrokenBoard(f"meta speaks of {meta['places']} places, and there are {len(places)}")
    _check_path(places)
    return Board(places, druids, parts)


def _table(data: Any, what: str, keys: frozenset[str]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BrokenBoard(f"{what} must be a table")
    for key in data:
        if key not in keys:
            raise BrokenBoard(f"{what} has no {key!r}")
    return data


def _list(data: Any, what: str) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise BrokenBoard(f"{what} must be a list")
    return data


def _plain(value: Any) -> Any:
    """A tuple as the list that it is in a file; `true` isn't 1."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, bool) else value


def _names(data: Any, what: str, count: int) -> tuple[str, ...]:
    names = tuple(_list(data, what))
    for name in names:
        if not isinstance(name, str) or not _WORD.fullmatch(name) or name in SPOKEN:
            raise BrokenBoard(f"{what}: {name!r} can't be a name; a name is a word of 2 to 12 letters a to z")
    if len(names) != count or len(set(names)) != count:
        raise BrokenBoard(f"{what} must be {count} different names")
    return names


def _place(number: int, data: Any) -> Place:
    what = f"place {number}"
    given = _table(data, what, _PLACE_KEYS)
    kind, name = given.get("kind"), given.get("name", "")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BrokenBoard(f"{what}: {kind!r} is no kind of place; there are {', '.join(sorted(KINDS))}")
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable():
        raise BrokenBoard(f"{what}: its name must be text of at most {LONGEST_NAME} characters")
    key = "loss" if kind == "ruin" else "parts" if kind == "goal" or kind in AMULET_SITES else ""
    for other in ("parts", "loss"):
        if other in given and other != key:
            raise BrokenBoard(f"{what}: a {kind} has no {other}")
    if not key:
        return Place(kind, 0, name)
    count = given.get(key)
    if type(count) is not int or not 1 <= count <= MOST_PARTS:
        raise BrokenBoard(f"{what}: {key} must be a number from 1 to {MOST_PARTS}")
    return Place(kind, count, name)


def _check_path(places: Sequence[Place]) -> None:
    kinds = [place.kind for place in places]
    if len(places) > MOST_PLACES:
        raise BrokenBoard(f"{len(places)} places are too many: {MOST_PLACES} is the most")
    for kind, number, where in (("start", 0, "first"), ("goal", len(places) - 1, "last")):
        if [place for place, other in enumerate(kinds) if other == kind] != [number]:
            raise BrokenBoard(f"the {where} place, and no other, must be the {kind}")
    for what, some in (("cult site", {"cult"}), ("ruin", {"ruin"}), ("amulet site", AMULET_SITES)):
        if not some & set(kinds):
            raise BrokenBoard(f"it has no {what}")


def check_ours(board: Board) -> None:
    """What the hints in the German rulebook demand of the board we ship, besides."""
    kinds = [place.kind for place in board.places]
    if len(kinds) != 19:
        raise BrokenBoard(f"{len(kinds)} places, not 19")
    if kinds.count("cult") < 2 or kinds.count("ruin") < 2:
        raise BrokenBoard("fewer than two cult sites or two ruins")
    runs = zip(board.places, board.places[1:], board.places[2:], strict=False)
    if not any(one.kind == "cult" and (two, three) == (Place("ruin", 2), Place("ruin", 3)) for one, two, three in runs):
        raise BrokenBoard("no cult site is followed by a ruin of 2 and a ruin of 3")
    if Place("village", 1) not in board.places[2:]:
        raise BrokenBoard("no village of 1 lies at place 2 or later")


STANDARD_DRUIDS = ("red", "grey", "white", "black", "brown")
STANDARD_PARTS = ("blue", "coral", "gold", "green", "orange", "rose", "teal", "violet", "middle")

# Words that a line of notation is made of, which no piece can be called.
SPOKEN = frozenset(
    (
        *("take", "nehmen", "nehme", "nimm", "give", "geben", "gebe", "gib", "abgeben", "ab"),
        *(
            "draw",
            "ziehen",
            "ziehe",
            "zieh",
            "nothing",
            "none",
            "decline",
            "nichts",
            "keine",
            "verzichten",
            "verzichte",
        ),
        *("swap", "exchange", "tauschen", "tausche", "tausch", "for", "gegen", "fuer", "done", "fertig"),
        *("and", "und", "then", "dann"),
    )
)

RECONSTRUCTION = read_toml(files(__package__).joinpath("board.toml").read_text("utf-8"))
check_ours(RECONSTRUCTION)

BOARDS = {"reconstruction": RECONSTRUCTION}
"""The boards that are shipped, by name."""


def find_board(given: Any) -> Board:
    """The board of this name, or the one that the data describe; BrokenBoard where there is none."""
    if isinstance(given, str):
        if given not in BOARDS:
            raise BrokenBoard(f"there is no board “{given}”; there is: {', '.join(BOARDS)}")
        return BOARDS[given]
    return read_board(given)
