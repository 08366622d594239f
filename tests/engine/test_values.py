"""`freeze` and `thaw`: what goes out as JSON comes back as it was; what can't is refused by name."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from enum import Enum, IntEnum, StrEnum
from typing import Any, ClassVar, Generic, Literal, NewType, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import EVERYBODY, Sealed, Seat, Shown
from engine.values import changer, freeze, maker, quickly_made, thaw

T = TypeVar("T")
U = TypeVar("U")


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(StrEnum):
    YES = "yes"
    NO = "no"


Ship = NewType("Ship", str)
Fleet = NewType("Fleet", tuple[Ship, ...])


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    colour: Colour | None = None


@dataclass(frozen=True, slots=True)
class Pair(Generic[T, U]):
    one: T
    other: U
    more: tuple[T, ...] = ()
    maybe: tuple[U | None, ...] | None = None
    hidden: Sealed[T] | None = None


@dataclass(frozen=True, slots=True)
class Everything:
    text: str
    flag: bool
    level: Level
    word: Word
    seat: Seat
    fleet: Fleet
    empty: tuple[()]
    mixed: tuple[int, Colour, str | None]
    nested: tuple[tuple[Point, ...], ...]
    numbers: frozenset[int]
    points: frozenset[Point]
    colours: frozenset[Colour]
    rows: frozenset[tuple[int, ...]]
    either: int | str | None
    point: Point | None
    pair: Pair[Colour, Point]
    sealed: tuple[Sealed[Point], ...]
    shown: Shown[Colour]


SEATS = st.integers(0, 3).map(Seat)
TEXT = st.text(max_size=5)
COLOURS = st.sampled_from(Colour)
POINTS = st.builds(Point, st.integers(), st.none() | COLOURS)
SEALED_POINTS = st.builds(Sealed, st.none() | POINTS, st.lists(SEATS).map(tuple), TEXT)
PAIRS = st.builds(
    Pair,
    COLOURS,
    POINTS,
    st.lists(COLOURS, max_size=3).map(tuple),
    st.none() | st.lists(st.none() | POINTS, max_size=3).map(tuple),
    st.none() | st.builds(Sealed, st.none() | COLOURS),
)


def some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=4).map(tuple)


@given(
    st.builds(
        Everything,
        text=TEXT,
        flag=st.booleans(),
        level=st.sampled_from(Level),
        word=st.sampled_from(Word),
        seat=SEATS,
        fleet=some(TEXT.map(Ship)).map(Fleet),
        empty=st.just(()),
        mixed=st.tuples(st.integers(), COLOURS, st.none() | TEXT),
        nested=some(some(POINTS)),
        numbers=st.frozensets(st.integers()),
        points=st.frozensets(POINTS, max_size=4),
        colours=st.frozensets(COLOURS),
        rows=st.frozensets(some(st.integers(0, 20)), max_size=4),
        either=st.none() | st.integers() | TEXT,
        point=st.none() | POINTS,
        pair=PAIRS,
        sealed=some(SEALED_POINTS),
        shown=st.builds(Shown, TEXT, st.none() | COLOURS, st.just(EVERYBODY) | some(SEATS)),
    )
)
def test_what_is_frozen_comes_back_from_json_unchanged(value: Everything) -> None:
    assert thaw(Everything, json.loads(json.dumps(freeze(value)))) == value


@given(st.frozensets(st.none() | POINTS, max_size=6))
def test_a_set_is_written_in_one_order_whatever_its_own(items: frozenset[Point | None]) -> None:
    assert freeze(items) == freeze(frozenset(reversed(list(items))))
    assert thaw(frozenset[Point | None], freeze(items)) == items


def test_the_types_come_back_too() -> None:
    back = thaw(tuple[Level, Word, bool, int], freeze((Level.LOW, Word.YES, True, 1)))
    assert [type(item) for item in back] == [Level, Word, bool, int]
    assert [type(item) for item in freeze((Level.LOW, Word.YES))] == [int, str]


@dataclass(frozen=True)
class Holds:
    inside: Any


class Ranked(Enum):
    """Its values are no JSON."""

    FIRST = (1, "first")


@pytest.mark.parametrize("value", [1.5, b"bytes", [1], {"a": 1}, {1}, 1j, (1, [2]), Holds({}), Point, int], ids=repr)
def test_what_is_no_value_is_refused_by_name(value: object) -> None:
    with pytest.raises(TypeError, match="can be frozen"):
        freeze(value)


@dataclass(frozen=True)
class HasList:
    items: list[int]


@pytest.mark.parametrize(
    "kind",
    [
        float,
        bytes,
        list[int],
        dict[str, int],
        tuple,
        object,
        HasList,
        tuple[HasList, ...],
        Literal["a"],
        Pair,
        Ranked,
        frozenset,
    ],
    ids=repr,
)
def test_what_is_no_type_of_values_is_refused_by_name(kind: Any) -> None:
    with pytest.raises(TypeError, match="can be thawed"):
        thaw(kind, [])


@pytest.mark.parametrize("kind", [Point | Colour, str | Colour, tuple[int, ...] | str, Point | Level | None], ids=repr)
def test_types_that_json_does_not_tell_apart_are_refused(kind: Any) -> None:
    with pytest.raises(TypeError, match="told apart"):
        thaw(kind, None)


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick(Generic[T]):
    KEY: ClassVar[str] = "key"

    one: T
    two: tuple[int, ...] = ()
    three: str = "three"


def test_a_value_that_is_quickly_made_is_like_any_other() -> None:
    assert Quick(1, (2,), "3") == Quick(one=1, three="3", two=(2,))
    assert (Quick(1).two, Quick(1).three, Quick.KEY) == ((), "three", "key")
    assert hash(Quick(1)) == hash(Quick(1))
    assert repr(Quick(1)) == "Quick(one=1, two=(), three='three')"
    assert replace(Quick(1), three="x") == Quick(1, (), "x")
    assert thaw(Quick[int], freeze(Quick(1, (2,)))) == Quick(1, (2,))
    for wrong in ((), (1, (), "", 4)):
        with pytest.raises(TypeError):
            Quick(*wrong)
    with pytest.raises(FrozenInstanceError):
        Quick(1).one = 2  # type: ignore[misc]


def test_what_a_maker_makes_and_a_changer_changes_is_frozen_and_of_its_type() -> None:
    make, change = maker(Quick[int]), changer(Quick)
    assert make(1, (2,), "3") == Quick(1, (2,), "3")
    assert make(1) == Quick(1)
    assert change(Quick(1), three="x") == Quick(1, (), "x")
    for value in (make(1), change(Quick(1)), thaw(Quick[int], freeze(Quick(1)))):
        assert type(value) is Quick
        with pytest.raises(FrozenInstanceError):
            value.one = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        change(Quick(1), four=4)


@quickly_made
@dataclass(frozen=True, slots=True)
class Clash:
    """Fields by the names that a reader made of source might use itself."""

    json: int
    value_of: int
    made: tuple[str, ...]
    kind: str
    twin: str
    new: str
    was: str = ""
    name: str = ""
    changes: str = ""


def test_a_field_may_have_any_name() -> None:
    clash = Clash(1, 2, ("3",), "4", "5", "6")
    assert thaw(Clash, freeze(clash)) == clash
    assert changer(Clash)(clash, kind="7", was="8") == replace(clash, kind="7", was="8")


def test_values_that_are_quickly_made_can_be_copied_and_pickled() -> None:
    quick = Quick(1, (2,), "3")
    assert copy.copy(quick) == copy.deepcopy(quick) == pickle.loads(pickle.dumps(quick)) == quick
