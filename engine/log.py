"""The log of a match: entries, their seals, and the chain that holds them together. Pure; format 1, which is frozen.

An entry exists in two forms. The *private form* is what the service knows: hidden values stand in it inside the marks
`$seal` and `$show` of `engine.events`. The *public form* is what everybody sees and what is hashed: there, `$seal`
holds the seal in place of the value, and `$show` gives the number of the seal it opens. An *opening* is a hidden value
with its salt; who has one can check it against the public form.

    seal      HMAC-SHA-256(key=salt, message=canonical JSON of [match, number of the seal, value])
    salt      16 random bytes, fresh for each seal
    hash      SHA-256(hash of the entry before + public form); 32 zero bytes stand before the first
    canonical JSON as RFC 8785 has it; seals, salts and hashes are written in base64url without padding
    commitment, promise, seed: see the functions of that name
"""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import rfc8785

from engine.errors import BrokenLog
from engine.events import Event, Seat, Spelling
from engine.game import Game, State
from engine.values import JSON

FORMAT = 1
BEFORE_FIRST = bytes(32)

# A move answers the log up to some length; entries of these kinds after that make it stale, others don't.
STATE_CHANGING = frozenset({"dealt", "moved", "timed_out", "resigned", "closed"})


def encode(raw: bytes) -> str:
    """Bytes as base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """What `encode` wrote."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(frozen=True, slots=True)
class Opening:
    """A hidden value, and what proves that it is the one that was sealed."""

    number: int
    value: JSON
    salt: bytes
    name: str = ""
    personal: bool = False
    """Names a person, and so is never opened to others and goes with the account."""


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it is stored: the bytes that were hashed, their hash, and the openings of its seals."""

    seq: int
    public: bytes
    hash: bytes
    openings: tuple[Opening, ...]


def canonical(form: JSON) -> bytes:
    """The form as RFC 8785 writes it."""
    return rfc8785.dumps(form)


def seal(match: str, number: int, value: JSON, salt: bytes) -> str:
    return encode(hmac.digest(salt, rfc8785.dumps([match, number, value]), "sha256"))


def chained(previous: bytes, public: bytes) -> bytes:
    return sha256(previous + public).digest()


class Pen:
    """Writes entries at the end of one match's log, and numbers their seals."""

    def __init__(
        self,
        match: str,
        length: int,
        head: bytes,
        seals: int,
        find: Callable[[str], Opening],
        salt: Callable[[], bytes],
    ) -> None:
        """`find` gives the opening of a value sealed under a name in an earlier entry; `salt` gives a fresh salt."""
        self.match = match
        self.length = length
        self.head = head
        self.seals = seals
        self._find = find
        self._salt = salt
        self._named: dict[str, Opening] = {}

    def write(self, kind: str, at: str, **members: JSON) -> Written:
        """The next entry. `members` are its private form; a member that is None is left out."""
        openings: list[Opening] = []
        private = {"match": self.match, "seq": self.length, "kind": kind, "at": at}
        private |= {name: value for name, value in members.items() if value is not None}
        public = rfc8785.dumps(self._publish(private, openings))
        written = Written(self.length, public, chained(self.head, public), tuple(openings))
        self.length, self.head = self.length + 1, written.hash
        return written

    def _publish(self, form: JSON, openings: list[Opening]) -> JSON:
        if isinstance(form, list):
            return [self._publish(item, openings) for item in form]
        if not isinstance(form, dict):
            return form
        if "$seal" in form:
            return {"$seal": self._seal(form["$seal"], openings)}
        if "$show" in form:
            return {"$show": self._show(form["$show"])}
        return {name: self._publish(value, openings) for name, value in form.items()}

    def _seal(self, mark: JSON, openings: list[Opening]) -> JSON:
        opening = Opening(self.seals, mark["value"], self._salt(), mark["name"], mark.get("personal", False))
        self.seals += 1
        openings.append(opening)
        if opening.name:
            self._named[opening.name] = opening
        sealed = seal(self.match, opening.number, opening.value, opening.salt)
        public = {"number": opening.number, "seal": sealed, "to": mark["to"], "name": opening.name}
        return public | {name: mark[name] for name in ("until", "personal") if name in mark}

    def _show(self, mark: JSON) -> JSON:
        name = mark["name"]
        opening = self._named.get(name) or self._named.setdefault(name, self._find(name))
        if mark["value"] != opening.value:
            raise ValueError(f"{name} is shown with another value than it was sealed with")
        public = {"number": opening.number, "name": name, "to": mark["to"]}
        if mark["to"] is None:
            public |= {"value": mark["value"], "salt": encode(opening.salt)}
        return public


def openings_for(seat: Seat | None, public: JSON, over: bool, turn_since: int = 0) -> Iterator[int]:
    """The numbers of the seals that this entry lets the seat (None: a spectator) open.

    A seal `until` the turn is over is everybody's from `turn_since` on, the length of the log when the turn that runs
    began. Once the match is over every seal is, but for personal ones.
    """
    for name, mark in marks(public):
        if name == "$show":
            opens = mark["to"] is not None and seat in mark["to"]
        else:
            waited = over or ("until" in mark and public["seq"] < turn_since)
            opens = mark["to"] is None or seat in mark["to"] or (waited and not mark.get("personal", False))
        if opens:
            yield mark["number"]


def marks(form: JSON) -> Iterator[tuple[str, JSON]]:
    """The marks `$seal` and `$show` in a form, by name, in the order in which they stand there."""
    if isinstance(form, list):
        for item in form:
            yield from marks(item)
    elif isinstance(form, dict):
        for name, value in form.items():
            if name in ("$seal", "$show"):
                yield name, value
            else:
                yield from marks(value)


def check_chain(entries: Iterable[tuple[int, bytes, bytes]], previous: bytes = BEFORE_FIRST, start: int = 0) -> bytes:
    """The head of a chain of (seq, public form, hash); BrokenLog at the first entry that isn't what was written."""
    for expected, (seq, public, stored) in enumerate(entries, start):
        if seq != expected:
            raise BrokenLog(expected, f"missing; entry {seq} stands in its place")
        if chained(previous, public) != stored:
            raise BrokenLog(seq, "its bytes don't give its hash")
        previous = stored
    return previous


def check_opening(match: str, public: JSON, opening: Opening) -> bool:
    """Whether the opening is that of a seal in this entry."""
    return any(
        name == "$seal"
        and mark["number"] == opening.number
        and mark["seal"] == seal(match, opening.number, opening.value, opening.salt)
        for name, mark in marks(public)
    )


def read_events(spelling: Spelling, public: JSON, value_of: Callable[[int], JSON]) -> tuple[Event, ...]:
    """The events of an entry; `value_of` gives hidden values by the number of their seal (None where unknown)."""
    return tuple([spelling.read(event, value_of) for event in public.get("events", ())])


def replay(
    game: Game, publics: Iterable[bytes], value_of: Callable[[int], JSON], state: State | None = None
) -> State | None:
    """The state after these entries; None where none of them changed it yet."""
    read, evolve = spelling_of(game).read, game.evolve
    for public in publics:
        for event in _events_in(public.decode()):
            state = evolve(state, read(event, value_of))
    return state


def _events_in(public: str) -> JSON:
    """The events of an entry, and nothing else of it: reading all of it takes twice the time.

    Canonical JSON has its members in order, so that the events follow the time, in which nothing is quoted.
    """
    end = public.find('"', _TIME)
    if public.startswith(_EVENTS, end):
        return _decode(public, end + _TO_EVENTS)[0]
    return json.loads(public).get("events", ())


_TIME, _EVENTS = len('{"at":"'), '","events":'
_TO_EVENTS = len(_EVENTS)
_decode = json.JSONDecoder().raw_decode


def spelling_of(game: Game) -> Spelling:
    """How the game's events are written; made once for each game."""
    if game.info.id not in _spellings:
        _spellings[game.info.id] = Spelling(game.events)
    return _spellings[game.info.id]


_spellings: dict[str, Spelling] = {}


def commitment(match: str, secret: bytes) -> str:
    """What `opened` says of the service's secret: SHA-256 of canonical JSON of ["ogham-secret", match, secret]."""
    return encode(sha256(rfc8785.dumps(["ogham-secret", match, encode(secret)])).digest())


def promise(match: str, seat: int, nonce: str) -> str:
    """What a player who joins a match with a sealed shuffle says of their nonce, before they open it.

    SHA-256 of canonical JSON of ["ogham-nonce", match, seat, nonce].
    """
    return encode(sha256(rfc8785.dumps(["ogham-nonce", match, seat, nonce])).digest())


def seed(match: str, secret: bytes, nonces: Sequence[str]) -> bytes:
    """The match's seed: SHA-256 of canonical JSON of ["ogham-seed", match, secret, the nonces by seat]."""
    return sha256(rfc8785.dumps(["ogham-seed", match, encode(secret), list(nonces)])).digest()
