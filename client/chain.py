"""Checking a log: that its entries are a chain, and that every value shown is the one that was sealed."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from client.answers import Entry
from engine.errors import BrokenLog
from engine.log import BEFORE_FIRST, check_chain, decode, encode, seal


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found to hold: so many entries, so many seals, so many of them opened, and the hash they end with."""

    entries: int
    seals: int
    opened: int
    head: str


def check_log(entries: Iterable[Entry]) -> Checked:
    """BrokenLog at the first entry that isn't what was once written, as far as its reader can tell.

    The head is worth comparing: with one kept from earlier, with another player's.
    """
    reading = _Reading()
    for entry in entries:
        try:
            reading.go_on(entry)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BrokenLog(reading.length, "it can't be read") from None
    return Checked(reading.length, len(reading.seals), len(reading.opened), encode(reading.head))


class _Reading:
    """How far one has come, and what is known from there."""

    def __init__(self) -> None:
        self.length = 0
        self.head = BEFORE_FIRST
        self.match = ""
        self.seals: dict[int, str] = {}
        self.opened: set[int] = set()

    def go_on(self, entry: Entry) -> None:
        stored = (entry["seq"], entry["public"].encode(), decode(entry["hash"]))
        head = check_chain([stored], self.head, start=self.length)
        public = json.loads(entry["public"])
        self.match = self.match or public["match"]
        if (public["match"], public["seq"]) != (self.match, self.length):
            raise BrokenLog(self.length, "it says that it is another match's, or has another place")
        self.seals |= {mark["number"]: mark["seal"] for mark in _marks("$seal", public)}
        for shown in _marks("$show", public):
            if "salt" in shown:  # else it is shown to some only, who find it among the openings
                self._open(shown)
        for opening in entry["openings"]:
            self._open(opening)
        self.length, self.head = self.length + 1, head

    def _open(self, opening: Any) -> None:
        number = opening["number"]
        if self.seals[number] != seal(self.match, number, opening["value"], decode(opening["salt"])):
            raise BrokenLog(self.length, f"seal {number} doesn't hold the value that is shown for it")
        self.opened.add(number)


def _marks(name: str, form: Any) -> Iterator[Any]:
    """The marks of this name; what stands inside a mark is a value, and no mark."""
    if isinstance(form, list):
        for item in form:
            yield from _marks(name, item)
    elif isinstance(form, dict):
        for member, value in form.items():
            if member == name:
                yield value
            elif member not in ("$seal", "$show"):
                yield from _marks(name, value)
