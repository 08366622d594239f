"""The board: map and goal cards, read from data and checked. One is shipped; others are given with the match."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

GOODS = ("hides", "bronze", "wine", "amber", "jewelry", "yellow_pottery", "blue_pottery")
TRADE = "trade_"
"""What the id of a trade location begins with; its good follows."""

LEAST_GOALS = 20  # CE-4
MOST_LOCATIONS = 8
"""Of a goal: nobody has more markers."""

# Bounds that no rule asks for: what is drawn, told and kept must stay within reason.
MOST_PLACES, MOST_GOALS, MOST_INFLUENCE, MOST_COORDINATE, LONGEST_NAME = 100, 60, 99, 999, 24

_ID = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_GOAL_ID = re.compile(r"[A-Z]{1,3}[0-9]{1,3}")
_KEYS = frozenset(("meta", "village", "locations", "trade_locations", "roads", "goal"))
_NEEDED = ("village", "locations", "trade_locations", "roads", "goal")


@dataclass(frozen=True, slots=True)
class Place:
    id: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Goal:
    id: str
    influence: int
    locations: tuple[str, ...]


@dataclass(frozen=True)
class Board:
    """Without slots, so that what follows from it is worked out once and kept with it."""

    places: tuple[Place, ...]
    """The village, the locations and the trade locations: the order of the file."""
    roads: tuple[tuple[str, str], ...]
    goals: tuple[Goal, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each place stands among the places."""
        return {place.id: at for at, place in enumerate(self.places)}

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(place.id for place in self.places)

    @cached_property
    def trade(self) -> dict[str, int]:
        """The trade location of each good."""
        return {good: self.index[TRADE + good] for good in GOODS}

    @cached_property
    def next_to(self) -> tuple[tuple[int, ...], ...]:
        """By place: the places one road away."""
        near: list[set[int]] = [set() for _ in self.places]
        for one, other in self.roads:
            near[self.index[one]].add(self.index[other])
            near[self.index[other]].add(self.index[one])
        return tuple(tuple(sorted(some)) for some in near)

    @cached_property
    def reach(self) -> tuple[frozenset[int], ...]:
        """By place: the other places one or two roads away (CE-8)."""
        near = self.next_to
        return tuple(
            frozenset((*some, *(further for place in some for further in near[place]))) - {at}
            for at, some in enumerate(near)
        )

    @cached_property
    def in_reach(self) -> tuple[tuple[str, ...], ...]:
        """The same as names, in the order of the places."""
        return tuple(tuple(self.places[at].id for at in sorted(some)) for some in self.reach)

    @cached_property
    def roads_between(self) -> tuple[tuple[int, ...], ...]:
        """By place and other place: the fewest roads from one to the other."""
        return tuple(tuple(roads for _, roads in sorted(_walk(self, at))) for at in range(len(self.places)))

    @cached_property
    def goal(self) -> dict[str, Goal]:
        return {goal.id: goal for goal in self.goals}

    @cached_property
    def sites(self) -> dict[str, tuple[int, ...]]:
        """By goal: where its locations stand among the places."""
        return {goal.id: tuple(self.index[location] for location in goal.locations) for goal in self.goals}


VILLAGE = 0
"""Where the village stands among the places."""


class BrokenBoard(ValueError):
    """Data that isn't a board of Celtic."""


def read_toml(text: str) -> Board:
    """The board that a file holds, its places in the order of the file; BrokenBoard where it holds none."""
    try:
        return _read(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BrokenBoard(f"this is no TOML: {error}") from error


def read_board(data: Any) -> Board:
    """The board that the data describe.

    Data travel as JSON, where a table has no order; so the locations, and the trade locations, stand by how many roads
    they are from the village, and then by name.
    """
    board = _read(data)
    roads_to = _roads_from_village(board)

    def rank(place: Place) -> tuple[bool, int, str]:
        return place.id.startswith(TRADE), roads_to[place.id], place.id

    return Board((board.places[VILLAGE], *sorted(board.places[1:], key=rank)), board.roads, board.goals)


def _read(data: Any) -> Board:
    """With every check that holds for any board. `meta` is information only."""
    _table(data, "the board", _KEYS)
    for key in _NEEDED:
        if key not in data:
            raise BrokenBoard(f"it has no {key}")
    village = _table(data["village"], "village", frozenset(("id", "name", "pos")))
    trade = _table(data["trade_locations"], "trade_locations")
    places = (
        _place(village.get("id"), village.get("pos"), "village"),
        *(_place(name, given, "locations") for name, given in _table(data["locations"], "locations").items()),
        *(_place(name, given, "trade_locations") for name, given in trade.items()),
    )
    if set(trade) != {TRADE + good for good in GOODS}:
        raise BrokenBoard(f"trade_locations must be one for each good: {', '.join(TRADE + good for good in GOODS)}")
    if len(places) > MOST_PLACES:
        raise BrokenBoard(f"{len(places)} places are too many: {MOST_PLACES} is the most")
    known = {place.id for place in places}
    if twice := _first_twice([place.id for place in places]):
        raise BrokenBoard(f"{twice} is there twice")
    roads = _table(data["roads"], "roads", frozenset(("edges",)))
    edges = tuple(_road(given, known) for given in _list(roads.get("edges"), "roads: edges"))
    if twice := _first_twice(["-".join(sorted(edge)) for edge in edges]):
        raise BrokenBoard(f"the road {twice} is there twice")
    sites = known - {places[VILLAGE].id} - set(trade)
    goals = tuple(_goal(number, given, sites) for number, given in enumerate(_list(data["goal"], "goal"), 1))
    if not LEAST_GOALS <= len(goals) <= MOST_GOALS:
        raise BrokenBoard(f"{len(goals)} goals: there must be {LEAST_GOALS} at least and {MOST_GOALS} at most")
    if twice := _first_twice([goal.id for goal in goals]):
        raise BrokenBoard(f"goal {twice} is there twice")
    board = Board(places, edges, goals)
    if cut_off := known - set(_roads_from_village(board)):
        raise BrokenBoard(f"no road leads to {min(cut_off)}")
    return board


def _table(data: Any, what: str, keys: frozenset[str] | None = None) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BrokenBoard(f"{what} must be a table")
    for key in data:
        if keys is not None and key not in keys:
            raise BrokenBoard(f"{what} has no {key!r}")
    return data


def _list(data: Any, what: str) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise BrokenBoard(f"{what} must be a list")
    return data


def _whole(value: Any, least: int, most: int) -> bool:
    """`true` isn't 1."""
    return type(value) is int and least <= value <= most


def _place(name: Any, given: Any, what: str) -> Place:
    """`id = [x, y]`; what follows the two is information only."""
    if not isinstance(name, str) or not _ID.fullmatch(name) or len(name) > LONGEST_NAME:
        raise BrokenBoard(
            f"{what}: {name!r} can't be an id; an id is made of words in small letters joined by _, "
            f"{LONGEST_NAME} characters at most"
        )
    if spoken := SPOKEN.intersection(name.split("_")):
        raise BrokenBoard(f"{what}: {name} can't be an id, since “{min(spoken)}” is a word that moves are made of")
    if name.startswith(TRADE) != (what == "trade_locations"):
        raise BrokenBoard(f"{what}: the id of a trade location, and of no other place, begins with {TRADE}")
    position = _list(given, f"{what}: {name}")
    if len(position) < 2 or not all(_whole(value, 0, MOST_COORDINATE) for value in position[:2]):
        raise BrokenBoard(f"{what}: {name} needs an x and a y, whole numbers from 0 to {MOST_COORDINATE}")
    return Place(name, position[0], position[1])


def _road(given: Any, known: set[str]) -> tuple[str, str]:
    ends = given.split("-") if isinstance(given, str) else ()
    if len(ends) != 2:
        raise BrokenBoard(f"roads: {given!r} is no road; a road is two ids joined by -")
    for end in ends:
        if end not in known:
            raise BrokenBoard(f"roads: {given}: there is no place {end}")
    if ends[0] == ends[1]:
        raise BrokenBoard(f"roads: {given} joins a place with itself")
    return ends[0], ends[1]


def _goal(number: int, data: Any, sites: set[str]) -> Goal:
    given = _table(data, f"goal {number}", frozenset(("id", "kind", "influence", "locations")))
    name = given.get("id")
    if not isinstance(name, str) or not _GOAL_ID.fullmatch(name):
        raise BrokenBoard(f"goal {number}: {name!r} can't be an id; an id is up to 3 capitals and up to 3 digits")
    what = f"goal {name}"
    if not _whole(given.get("influence"), 0, MOST_INFLUENCE):
        raise BrokenBoard(f"{what}: influence must be a whole number from 0 to {MOST_INFLUENCE}")
    locations = _list(given.get("locations"), f"{what}: locations")
    if not 1 <= len(locations) <= MOST_LOCATIONS:
        raise BrokenBoard(f"{what}: it must have 1 to {MOST_LOCATIONS} locations")
    for location in locations:
        if not isinstance(location, str) or location not in sites:
            raise BrokenBoard(f"{what}: {location!r} is no location")
    if twice := _first_twice(locations):
        raise BrokenBoard(f"{what}: {twice} is there twice")
    return Goal(name, given["influence"], tuple(locations))


def _first_twice(names: Sequence[str]) -> str:
    return next((name for at, name in enumerate(names) if name in names[:at]), "")


def _roads_from_village(board: Board) -> dict[str, int]:
    """How far each place is, of those that a way leads to."""
    return {board.places[at].id: roads for at, roads in _walk(board)}


def _walk(board: Board, start: int = VILLAGE) -> Iterator[tuple[int, int]]:
    """Each place that a way leads to, and how many roads it is away."""
    near, seen = board.next_to, {start}
    edge, roads = [start], 0
    while edge:
        yield from ((at, roads) for at in edge)
        edge = sorted({further for at in edge for further in near[at]} - seen)
        seen.update(edge)
        roads += 1


def check_ours(board: Board) -> None:
    """What the rulebook's examples and counts demand of the board we ship, besides."""
    kinds = [place.id.startswith(TRADE) for place in board.places[1:]]
    if (kinds.count(False), kinds.count(True)) != (50, 7):
        raise BrokenBoard(f"{kinds.count(False)} locations and {kinds.count(True)} trade locations, not 50 and 7")
    if len(board.roads) != 90:
        raise BrokenBoard(f"{len(board.roads)} roads, not 90")
    village, grain, statue = VILLAGE, board.index.get("grain", -1), board.index.get("prince_statue", -1)
    between = {village, statue} <= set(board.next_to[grain]) if grain > 0 else False
    if not between or statue in board.next_to[village]:
        raise BrokenBoard("grain doesn't lie between the village and the statue of the prince")
    for locations, influence in ((2, 15), (3, 20)):
        count = sum((len(goal.locations), goal.influence) == (locations, influence) for goal in board.goals)
        if count != 10:
            raise BrokenBoard(f"{count} goals of {locations} locations for {influence}, not 10")
    if {"cows", "fish", "sheep"} not in [set(goal.locations) for goal in board.goals]:
        raise BrokenBoard("cows, fish and sheep are no goal")


# Words that a line of notation or an order is made of, which no place can be called.
SPOKEN = frozenset(
    (
        *("move", "go", "bewege", "bewegen", "ziehe", "ziehen", "zieh", "to", "nach", "zu", "zum", "zur", "from"),
        *("von", "vom", "aus", "all", "alle", "allen", "goal", "complete", "ziel", "erfuelle", "collect", "sammle"),
        *("sammeln", "nimm", "follow", "folge", "folgen", "mit", "with", "none", "nobody", "keine", "keinen", "keiner"),
        *("never", "nie", "niemals", "always", "immer", "done", "fertig", "end", "ende", "reveal", "show", "aufdecken"),
        *("zeige", "zeigen", "and", "und", "or", "oder", "the", "der", "die", "das", "dem", "den"),
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
