"""A transcript: a match's log for one reader's eyes, as lines of canonical JSON. Pure; docs/transcript.md describes it.

    {"ogham":"transcript", ...}                      who may read what: match, seat, the service's keys
    {"entry":..., "hash":..., "openings":[...], "receipt":...}     one for each entry, from 0 on
    {"end":..., "receipt":...}                       how many there are, signed by the service

An opening stands in the line of the first entry that lets the reader open it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.events import Seat
from engine.log import Opening, canonical, encode, marks, openings_for
from engine.values import JSON

FORMAT = 1
SERVICE = "service"
"""The seat of a reader who may open everything, running or not: the service itself, when it looks over its own logs."""

HEAD = "ogham-head+jws"
TRANSCRIPT = "ogham-transcript+jws"

Reader = Seat | None | str


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry as the service has it, read for a transcript."""

    form: JSON
    hash: bytes
    receipt: str | None


class Sight:
    """Which seals a reader may open, entry by entry. Each is opened once, and personal ones never."""

    def __init__(self, reader: Reader, over: bool, turn_since: int) -> None:
        self._reader = reader
        self._over = over
        self._turn_since = turn_since
        self._done: set[int] = set()

    def opens(self, form: JSON) -> list[int]:
        """The numbers of the seals that this entry, the next one, is the first to let the reader open."""
        self._done |= {mark["number"] for name, mark in marks(form) if name == "$seal" and mark.get("personal")}
        if self._reader == SERVICE:
            numbers: Iterable[int] = openings_for(None, form, over=True)
        else:
            numbers = openings_for(self._reader, form, self._over, self._turn_since)  # type: ignore[arg-type]
        fresh = sorted(set(numbers) - self._done)
        self._done.update(fresh)
        return fresh


def write_transcript(
    match: str,
    reader: Reader,
    keys: Sequence[JSON],
    entries: Iterable[tuple[Stored, Sequence[Opening]]],
    turn_since: int,
    sign: Callable[[dict[str, JSON]], str],
) -> Iterator[bytes]:
    """The lines, one after the other. `entries` bring the openings that stand in their line; `sign` makes a receipt."""
    digest = sha256()
    length, head, at, over = 0, b"", "", False

    def line(form: JSON) -> bytes:
        raw = canonical(form) + b"\n"
        digest.update(raw)
        return raw

    yield line({"ogham": "transcript", "format": FORMAT, "match": match, "seat": reader, "keys": list(keys)})
    first = encode(digest.digest())
    for stored, openings in entries:
        opened = [{"number": it.number, "value": it.value, "salt": encode(it.salt)} for it in openings]
        body = {"entry": stored.form, "hash": encode(stored.hash), "openings": opened, "receipt": stored.receipt}
        length, head, at = length + 1, stored.hash, stored.form["at"]
        over = over or stored.form["kind"] == "closed"
        yield line(body)
    said = {"match": match, "length": length, "head": encode(head), "at": at, "seat": reader, "turn_since": turn_since}
    said |= {"over": over, "first": first, "digest": encode(digest.digest())}
    yield canonical({"end": length, "receipt": sign(said)}) + b"\n"
