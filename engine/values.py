"""Values as JSON and back: `freeze` and `thaw`.

A value here is what states, views and events are made of: frozen dataclasses, enums, tuples, frozensets, strings, whole
numbers, booleans and None. For each of them `thaw(type, freeze(value)) == value`. How a type is read is worked out
once, from its annotations.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from json import dumps
from types import NoneType, UnionType
from typing import Any, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

JSON = Any
T = TypeVar("T")
Reader = Callable[[JSON], Any]


def quickly_made(kind: type[T]) -> type[T]:
    """The same frozen dataclass with slots, its values made in half the time: for those made by the million.

    A frozen dataclass sets each field by name, through `object.__setattr__`; this one through the slot itself.
    """
    names = [field.name for field in fields(cast(Any, kind))]
    known = {f"set_{name}": getattr(kind, name).__set__ for name in names}
    sets = "".join(f"\n    set_{name}(self, {name})" for name in names)
    exec(f"def __init__(self, {', '.join(names)}):{sets}", known)  # noqa: S102  (as dataclasses makes its own)
    made, was = cast(Any, known["__init__"]), cast(Any, kind).__init__
    made.__defaults__, made.__annotations__, made.__qualname__ = was.__defaults__, was.__annotations__, was.__qualname__
    cast(Any, kind).__init__ = made
    return kind


def freeze(value: object) -> JSON:
    """The value as JSON. A dataclass becomes an object of its fields, a tuple a list, a set a list in a fixed order."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [freeze(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(map(freeze, value), key=dumps)
    if is_dataclass(value) and not isinstance(value, type):
        return _write(type(value), value)
    raise TypeError(f"{type(value).__name__} is no value that can be frozen")


def thaw(kind: type[T], json: JSON) -> T:
    """The value of this type that `freeze` wrote. It believes what it reads, as `evolve` does."""
    read = reader(cast(Any, kind))
    return cast(T, json if read is None else read(json))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _write(kind: type, value: object) -> JSON:
    body = {name: freeze(getattr(value, name)) for name in _names(kind)}
    wrapper = getattr(kind, "JSON_KEY", None)
    return body if wrapper is None else {wrapper: body}


@cache
def reader(kind: Any) -> Reader | None:
    """What reads this type from JSON; None where the JSON is the value already."""
    if isinstance(kind, NewType):
        return reader(kind.__supertype__)
    if kind in (str, int, bool, NoneType, Any):
        return None
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _tuple_reader(arguments)
    if origin is frozenset:
        if hasattr(get_origin(arguments[0]), "JSON_KEY"):
            raise TypeError(f"{kind} can't be thawed: the order it is written in would tell of what its marks hide")
        each = reader(arguments[0])
        return frozenset if each is None else lambda json: frozenset(map(each, json))
    if origin in (Union, UnionType):
        return _optional_reader(arguments)
    if isinstance(kind, type) and issubclass(kind, Enum) and all(isinstance(one.value, str | int) for one in kind):
        return {one.value: one for one in kind}.__getitem__
    if is_dataclass(origin or kind):
        return _dataclass_reader(origin or kind, arguments)
    raise TypeError(f"{kind} is no type that can be thawed")


def _tuple_reader(arguments: tuple[Any, ...]) -> Reader:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        each = reader(arguments[0])
        return tuple if each is None else lambda json: tuple(map(each, json))
    readers = [reader(argument) for argument in arguments]
    return lambda json: tuple(item if read is None else read(item) for read, item in zip(readers, json, strict=True))


def _optional_reader(arguments: tuple[Any, ...]) -> Reader | None:
    others = [argument for argument in arguments if argument is not NoneType]
    readers = {reader(other) for other in others}
    if readers == {None}:
        return None
    if len(others) > 1:
        raise TypeError(f"a union of {others} can't be told apart in JSON")
    read = cast(Reader, readers.pop())
    return lambda json: None if json is None else read(json)


def _dataclass_reader(kind: Any, arguments: tuple[Any, ...]) -> Reader:
    hints = get_type_hints(kind)
    filled = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))
    steps = [(name, reader(_filled(hints[name], filled))) for name in _names(kind)]
    wrapper = getattr(kind, "JSON_KEY", None)

    def read(json: JSON) -> Any:
        body = json if wrapper is None else json[wrapper]
        return kind(*[body[name] if step is None else step(body[name]) for name, step in steps])

    return read


def _filled(hint: Any, filled: dict[Any, Any]) -> Any:
    """The annotation of a generic class's field with its type variables filled in: `T`, `T | None`, `tuple[T, ...]`."""
    if get_origin(hint) is None:
        return filled.get(hint, hint)
    gaps = getattr(hint, "__parameters__", ())
    return hint[tuple(filled.get(gap, gap) for gap in gaps)] if gaps else hint
