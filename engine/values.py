"""Values as JSON and back: `freeze` and `thaw`.

A value here is what states, views and events are made of: frozen dataclasses, enums, tuples, frozensets, strings, whole
numbers, booleans and None. For each of them `thaw(type, freeze(value)) == value`. How a type is read is worked out
once, from its annotations.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import repeat
from json import dumps
from types import NoneType, UnionType
from typing import Any, NewType, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

JSON = Any
T = TypeVar("T")
P = ParamSpec("P")
Reader = Callable[..., Any]
"""Reads JSON; see `reader`."""


def quickly_made(kind: type[T]) -> type[T]:
    """The same frozen dataclass with slots, its values made in half the time: for those made by the million.

    A frozen dataclass sets each field by name, through `object.__setattr__`. Here a value is born as one of a twin, of
    the same slots and not frozen, and is of its own type once its fields are set.
    """
    names = [field.name for field in fields(cast(Any, kind))]
    body = {"__slots__": names, "__module__": kind.__module__}
    if "__orig_bases__" in vars(kind):  # a generic class
        body["__orig_bases__"] = vars(kind)["__orig_bases__"]
    twin = _twins[kind] = type(kind.__name__, kind.__bases__, body)
    known = {"BECOME": object.__setattr__, "TWIN": twin, "KIND": kind}
    lines = ["BECOME(self, '__class__', TWIN)", *(f"self.{name} = {name}" for name in names), "self.__class__ = KIND"]
    made, was = _function("__init__", ["self", *names], lines, known), cast(Any, kind).__init__
    made.__defaults__, made.__annotations__, made.__qualname__ = was.__defaults__, was.__annotations__, was.__qualname__
    cast(Any, kind).__init__ = made
    return kind


_twins: dict[type, type] = {}


def maker(kind: Callable[P, T]) -> Callable[P, T]:
    """What makes values of a type that is `quickly_made` in two thirds of the time that calling the type takes."""
    plain: Any = get_origin(kind) or kind
    names = _names(plain)
    known = {"KIND": plain, "TWIN": _twins[plain], "NEW": object.__new__}
    make = _function("make", list(names), _made(names, names), known)
    make.__defaults__ = plain.__init__.__defaults__
    return cast(Callable[P, T], make)


def changer(kind: type[T]) -> Callable[..., T]:
    """What `dataclasses.replace` is, for a type that is `quickly_made`, in a quarter of the time."""
    names = _names(cast(Any, kind))
    lines = _made(names, [f"was.{name}" for name in names])
    lines[-2:-2] = ["for name, value in changes.items():", "    SET(made, name, value)"]
    known = {"KIND": kind, "TWIN": _twins[kind], "NEW": object.__new__, "SET": setattr}
    return cast(Callable[..., T], _function("change", ["was", "/", "**changes"], lines, known))


def _made(names: Sequence[str], values: Sequence[str]) -> list[str]:
    """The lines that make a value of a type with a twin, and return it."""
    sets = [f"made.{name} = {value}" for name, value in zip(names, values, strict=True)]
    return ["made = NEW(TWIN)", *sets, "made.__class__ = KIND", "return made"]


def _function(name: str, arguments: list[str], lines: list[str], known: dict[str, Any]) -> Any:
    """A function made of its source, as dataclasses makes its own. Only names that stand in the code go into it."""
    exec(f"def {name}({', '.join(arguments)}):\n    " + "\n    ".join(lines), known)  # noqa: S102
    return known[name]


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
    """What reads this type from JSON; None where the JSON is the value already.

    Its second argument, where a log is read, gives hidden values by the number of their seal: a mark without its value
    asks there.
    """
    if isinstance(kind, NewType):
        return reader(kind.__supertype__)
    if kind in (str, int, bool, NoneType, Any):
        return None
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType) or (origin is tuple and arguments[-1:] == (Ellipsis,)):
        known: dict[str, Any] = {}
        source = _source(kind, "json", known)
        return None if source == "json" else cast(Reader, _function("read", _GIVEN, [f"return {source}"], known))
    if origin is tuple:
        return _short_tuple_reader(arguments)
    if origin is frozenset:
        return _set_reader(kind, arguments[0])
    if isinstance(kind, type) and issubclass(kind, Enum) and all(isinstance(one.value, str | int) for one in kind):
        ones = {one.value: one for one in kind}
        return lambda json, _value_of=None: ones[json]
    if is_dataclass(origin or kind):
        return _dataclass_reader(origin or kind, arguments)
    raise TypeError(f"{kind} is no type that can be thawed")


_GIVEN = ["json", "value_of=None"]


def _source(kind: Any, given: str, known: dict[str, Any]) -> str:
    """The expression that reads this type from what has the name `given`; `known` is what else it speaks of."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple and arguments[-1:] == (Ellipsis,):
        each = reader(arguments[0])
        if each is None:
            return f"(tuple({given}) if {given} else ())"
        known["REPEAT"] = repeat
        known[name := f"read_{len(known)}"] = each
        return f"(tuple(map({name}, {given}, REPEAT(value_of))) if {given} else ())"
    if origin in (Union, UnionType):
        others = [argument for argument in arguments if argument is not NoneType]
        if all(reader(other) is None for other in others):
            return given
        if len(others) > 1:
            raise TypeError(f"a union of {others} can't be told apart in JSON")
        return f"(None if {given} is None else {_source(others[0], given, known)})"
    read = reader(kind)
    if read is None:
        return given
    known[name := f"read_{len(known)}"] = read
    return f"{name}({given}, value_of)"


def _short_tuple_reader(arguments: tuple[Any, ...]) -> Reader:
    readers = [reader(argument) for argument in arguments]
    return lambda json, value_of=None: tuple(
        item if read is None else read(item, value_of) for read, item in zip(readers, json, strict=True)
    )


def _set_reader(kind: Any, item: Any) -> Reader:
    if hasattr(get_origin(item), "JSON_KEY"):
        raise TypeError(f"{kind} can't be thawed: the order it is written in would tell of what its marks hide")
    each = reader(item)
    return lambda json, value_of=None: frozenset(json if each is None else [each(one, value_of) for one in json])


def _dataclass_reader(kind: Any, arguments: tuple[Any, ...]) -> Reader:
    """Made of source, straight from the JSON into the fields: a log has thousands of events."""
    hints = get_type_hints(kind)
    filled = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))
    known: dict[str, Any] = {"KIND": kind, "TWIN": _twins.get(kind), "NEW": object.__new__}
    mark = getattr(kind, "JSON_KEY", None)
    lines, values = [f"json = json[{mark!r}]"] if mark else [], []
    for name in _names(kind):
        given = f"json[{name!r}]"
        if mark and name == "value":
            given = "(json['value'] if 'value' in json else value_of(json['number']))"
        value = _source(_filled(hints[name], filled), f"_{name}", known)
        if value == f"_{name}":
            value = given
        else:  # it is spoken of more than once
            lines.append(f"_{name} = {given}")
        values.append(value)
    if kind in _twins:
        lines += _made(_names(kind), values)
    else:
        lines.append(f"return KIND({', '.join(values)})")
    return cast(Reader, _function("read", _GIVEN, lines, known))


def _filled(hint: Any, filled: dict[Any, Any]) -> Any:
    """The annotation of a generic class's field with its type variables filled in: `T`, `T | None`, `tuple[T, ...]`."""
    if get_origin(hint) is None:
        return filled.get(hint, hint)
    gaps = getattr(hint, "__parameters__", ())
    return hint[tuple(filled.get(gap, gap) for gap in gaps)] if gaps else hint
