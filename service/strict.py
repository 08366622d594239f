"""JSON as it should be: what Python takes by default and nobody should send is refused."""

import json
from typing import Any, NoReturn

DEEPEST = 20
LARGEST_NUMBER = 2**53 - 1  # up to here every reader of JSON reads the same number


class StrictError(ValueError):
    """The text says what is wrong with it."""


def strict_json(raw: bytes | str) -> Any:
    """The value; StrictError for NaN, Infinity, members twice, lone surrogates, NUL, huge numbers, deep nesting."""
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
        value = json.loads(text, object_pairs_hook=_once_each, parse_constant=_refuse_constant)
    except RecursionError:
        raise StrictError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise StrictError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise StrictError(f"{error.msg} at character {error.pos}") from None
    except StrictError:
        raise
    except ValueError:  # a whole number of more digits than Python converts
        raise StrictError("a number is too large") from None
    _check(value, 0)
    return value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise StrictError("a member stands twice in an object")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise StrictError(f"{name} is no JSON")


def _check(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise StrictError("it is nested too deeply")
    if isinstance(value, str):
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value):
            raise StrictError("a text holds a NUL or half a character")
    elif isinstance(value, int | float):
        if not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            raise StrictError("a number is too large")
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check(name, depth + 1)
            _check(item, depth + 1)
