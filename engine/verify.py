"""Checking a transcript: that it is what was written, by whom, and that each move was one. Pure, and needs no network.

What is found wrong is a `Fault`, located at its line; what holds is counted by kind, and so is what couldn't be
checked, with the reason. `verify` reads one transcript, `compare` two of the same match.

    form        lines of canonical JSON, in their order
    chain       the hash of every entry
    receipts    the service's signatures on the heads, and on the transcript
    seals       values that are shown hold against their seals; all that this reader may open is there, and no more
    signatures  the players', by the keys in the log
    mails       what is known of mails
    seed        the service's secret, the players' nonces
    moves       each decided again by the rules
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from engine.chance import Chance
from engine.errors import EngineError, NotationError
from engine.events import Event, Seat
from engine.game import Game, State
from engine.log import (
    BEFORE_FIRST,
    STATE_CHANGING,
    canonical,
    chained,
    commitment,
    decode,
    encode,
    marks,
    promise,
    read_events,
    seal,
    seed,
    spelling_of,
)
from engine.play import fold
from engine.points import is_weak
from engine.transcript import HEAD, SERVICE, TRANSCRIPT, Sight
from engine.values import JSON, freeze

READABLE = range(1, 2)
"""The formats of transcripts and logs that this version reads."""
KINDS = ("form", "chain", "receipts", "seals", "signatures", "mails", "seed", "moves")
SHORTEST_SALT = 16

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError, EngineError)


class Wrong(Exception):
    """Something isn't as it must be; the text says what."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What isn't as it must be, and the line that shows it: 1 is the file's first, entry n stands in line n + 2."""

    line: int
    kind: str
    sentence: str
    seq: int | None = None
    """The entry in that line, where one stands there."""

    def __str__(self) -> str:
        return f"line {self.line}{'' if self.seq is None else f' (entry {self.seq})'}: {self.sentence}"


@dataclass(slots=True)
class Check:
    """How much of one kind holds, and how much couldn't be checked, by reason."""

    kind: str
    held: int = 0
    unchecked: dict[str, int] = field(default_factory=dict)

    def skip(self, why: str) -> None:
        self.unchecked[why] = self.unchecked.get(why, 0) + 1


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found. `good` is the verdict: nothing is wrong, though not all may have been checked."""

    match: str
    seat: Any
    over: bool
    hashes: tuple[str, ...]
    checks: tuple[Check, ...]
    faults: tuple[Fault, ...]

    @property
    def good(self) -> bool:
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        return {
            "match": self.match,
            "seat": self.seat,
            "over": self.over,
            "entries": len(self.hashes),
            "head": self.hashes[-1] if self.hashes else None,
            "good": self.good,
            "checks": {check.kind: {"held": check.held, "unchecked": check.unchecked} for check in self.checks},
            "faults": [{"line": it.line, "entry": it.seq, "kind": it.kind, "what": it.sentence} for it in self.faults],
        }


@dataclass(frozen=True, slots=True)
class Read:
    """A line of an entry, taken apart."""

    line: int
    form: dict[str, Any]
    hash: str
    openings: list[dict[str, Any]]
    receipt: str | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A player's JWS whose signature holds."""

    kid: str
    payload: dict[str, Any]
    text: str
    by_mail: bool
    """Its key came into the log by a mail's word."""


def verify(
    lines: Iterable[bytes],
    games: Mapping[str, Game],
    keys: Sequence[JSON] | None = None,
    receipts: Iterable[str] = (),
    mails: Iterable[bytes] = (),
    secret: bytes | None = None,
) -> Report:
    """What a transcript is worth.

    `keys`, the service's public keys as somebody trusts them; without, those in the transcript are believed. `receipts`
    and `mails` are a reader's own: the log must show what they say. `secret` is for the service alone: with it a match
    that still runs is judged too.
    """
    reading = _Reading(games, keys, secret)
    reading.read(lines)
    if reading.match:
        for check in (_chain, _receipts, _seals, _signatures, _seed, _moves):
            check(reading)
        _kept(reading, receipts, mails)
    return reading.report()


def compare(one: Report, other: Report) -> tuple[Fault, ...]:
    """Where two transcripts of one match tell different histories; one that stops earlier is told as well."""
    if one.match != other.match:
        return (Fault(1, "comparison", f"two matches: {one.match} and {other.match}"),)
    for seq, (here, there) in enumerate(zip(one.hashes, other.hashes, strict=False)):
        if here != there:
            return (Fault(seq + 2, "comparison", "the two have different entries here: two histories were told"),)
    lengths = len(one.hashes), len(other.hashes)
    if lengths[0] != lengths[1]:
        sentence = f"one has {lengths[0]} entries and the other {lengths[1]}: the shorter is older, or was cut back"
        return (Fault(min(lengths) + 2, "comparison", sentence),)
    return ()


class _Reading:
    """A transcript as far as it was read, and what was found."""

    def __init__(self, games: Mapping[str, Game], trusted: Sequence[JSON] | None, secret: bytes | None) -> None:
        self.games = games
        self.trusted = trusted
        self.secret = secret
        self.match = ""
        self.seat: Any = None
        self.keys: dict[str, OKPKey] = {}
        self.entries: list[Read] = []
        self.end: dict[str, Any] | None = None
        self.told: dict[str, Any] | None = None
        """What the service signed of the transcript, once the signature was seen to hold."""
        self.end_line = 0
        self.last_line = 0
        self.first = ""
        self.digest = ""
        self.values: dict[int, JSON] = {}
        self.seals: dict[int, JSON] = {}
        self.statements: dict[int, tuple[Statement, dict[str, Any]]] = {}
        self.nonces: dict[int, str] = {}
        self.checks = {kind: Check(kind) for kind in KINDS}
        self.faults: list[Fault] = []

    @property
    def over(self) -> bool:
        return any(entry.form.get("kind") == "closed" for entry in self.entries)

    def wrong(self, line: int, kind: str, sentence: str) -> None:
        self.faults.append(Fault(line, kind, sentence))

    @contextmanager
    def at(self, line: int, kind: str) -> Iterator[None]:
        """What can't be read or isn't as it must be, in this block, is a fault at this line."""
        try:
            yield
        except Wrong as wrong:
            self.wrong(line, kind, str(wrong))
        except _UNREADABLE as error:
            self.wrong(line, kind, f"it can't be read ({type(error).__name__})")

    def report(self) -> Report:
        there = {entry.line: seq for seq, entry in enumerate(self.entries)}
        faults = [replace(fault, seq=there.get(fault.line)) for fault in self.faults]
        faults.sort(key=lambda fault: (fault.line, KINDS.index(fault.kind)))
        hashes = tuple(entry.hash for entry in self.entries)
        return Report(self.match, self.seat, self.over, hashes, tuple(self.checks.values()), tuple(faults))

    # -- lines

    def read(self, lines: Iterable[bytes]) -> None:
        digest, held = sha256(), b""
        for number, raw in enumerate(lines, 1):
            self.last_line = number
            if self.end is not None:
                self.wrong(number, "form", "there is a line behind the last")
                break
            digest.update(held)
            held = raw
            self.first = self.first or encode(sha256(raw).digest())
            with self.at(number, "form"):
                self._line(number, raw)
                self.checks["form"].held += 1
        self.digest = encode(digest.digest())
        if self.end is None:
            self.wrong(self.last_line + 1, "form", "the last line, which says how many there are, is missing")

    def _line(self, number: int, raw: bytes) -> None:
        form = _parsed(raw)
        if number == 1:
            self._header(form)
        elif "end" in form:
            _must(set(form) == {"end", "receipt"}, "the last line has other members than it must")
            self.end, self.end_line = form, number
        else:
            _must(set(form) == {"entry", "hash", "openings", "receipt"}, "it has other members than an entry's line")
            entry, openings = form["entry"], form["openings"]
            _must(isinstance(entry, dict) and isinstance(openings, list), "it is no entry's line")
            _must(_is_base64url(form["hash"], 32), "its hash isn't 32 bytes in base64url")
            self.entries.append(Read(number, entry, form["hash"], openings, form["receipt"]))

    def _header(self, form: dict[str, Any]) -> None:
        _must(form["ogham"] == "transcript", "it is no transcript")
        _must(set(form) == {"ogham", "format", "match", "seat", "keys"}, "it has other members than a first line must")
        seat = form["seat"]
        _must(seat is None or seat == SERVICE or type(seat) is int, "its reader is nobody")
        self.match, self.seat = str(form["match"]), seat
        _must(type(form["format"]) is int and form["format"] in READABLE, "its format is none that is known here")
        trusted = None if self.trusted is None else {_key(jwk).thumbprint() for jwk in self.trusted}
        for jwk in form["keys"]:
            key = _key(jwk)
            _must(key.thumbprint() == jwk["kid"], "a key of the service isn't the one that its kid names")
            if trusted is None or jwk["kid"] in trusted:
                self.keys[jwk["kid"]] = key


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise Wrong(sentence)


def _parsed(raw: bytes) -> dict[str, Any]:
    _must(raw.endswith(b"\n"), "it is cut off")
    form = json.loads(raw, parse_float=_no_number, parse_constant=_no_number)
    _must(isinstance(form, dict), "it is no object")
    _must(canonical(form) + b"\n" == raw, "it isn't written in canonical JSON")
    return dict(form)


def _no_number(text: str) -> None:
    raise Wrong(f"{text} is no number that stands in a log")


def _key(jwk: Any) -> OKPKey:
    _must(jwk["kty"] == "OKP" and jwk["crv"] == "Ed25519" and _is_base64url(jwk["x"], 32), "this is no Ed25519 key")
    _must(not is_weak(decode(jwk["x"])), "a key is a point of small order: anybody could sign with it")
    return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": jwk["x"]})


def _is_base64url(text: Any, length: int | None = None) -> bool:
    if not isinstance(text, str):
        return False
    raw = decode(text)
    return encode(raw) == text and length in (None, len(raw))


def _signed(text: Any, typ: str, keys: Mapping[str, OKPKey], whose: str) -> tuple[str, dict[str, Any]]:
    """Kid and payload of a compact JWS of this type, by one of these keys."""
    _must(isinstance(text, str) and bool(_COMPACT.fullmatch(text)), f"{whose} is no compact JWS")
    parts = text.split(".")
    _must(all(map(_is_base64url, parts)), f"{whose} isn't written as base64url is")
    header = _object(decode(parts[0]))
    _must(set(header) == {"alg", "kid", "typ"} and header["alg"] == "Ed25519", f"{whose} has another header")
    _must(header["typ"].lower().removeprefix("application/") == typ, f"{whose} isn't of the type {typ}")
    _must(header["kid"] in keys, f"{whose} is signed with a key that doesn't count here")
    try:
        jws.deserialize_compact(text, keys[header["kid"]], algorithms=["Ed25519"])
    except JoseError:
        raise Wrong(f"{whose} has a signature that doesn't hold") from None
    return header["kid"], _object(decode(parts[1]))


def _object(raw: bytes) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _must(len({name for name, _ in pairs}) == len(pairs), "a member stands in it twice")
        return dict(pairs)

    form = json.loads(raw, object_pairs_hook=once)
    _must(isinstance(form, dict), "it is no object")
    return dict(form)


# -- chain


def _chain(reading: _Reading) -> None:
    before = BEFORE_FIRST
    for seq, entry in enumerate(reading.entries):
        with reading.at(entry.line, "chain"):
            form = entry.form
            previous, before = before, decode(entry.hash)
            _must(type(form["seq"]) is int and form["seq"] == seq, f"entry {form['seq']} stands in the place of {seq}")
            _must(form["match"] == reading.match, "it is another match's")
            _must(chained(previous, canonical(form)) == before, "its bytes don't give its hash")
            _must((form["kind"] == "opened") == (seq == 0), "a log begins with opened, and only once")
            reading.checks["chain"].held += 1
    if not reading.entries:
        reading.wrong(2, "chain", "there are no entries")
        return
    with reading.at(2, "chain"):
        told = reading.entries[0].form["format"]
        _must(type(told) is int and told in READABLE, "the log's format is none that is known here")


# -- receipts


def _receipts(reading: _Reading) -> None:
    check = reading.checks["receipts"]
    for seq, entry in enumerate(reading.entries):
        if entry.receipt is None:
            check.skip("the service gave none")
            continue
        with reading.at(entry.line, "receipts"):
            _, said = _signed(entry.receipt, HEAD, reading.keys, "the receipt")
            length, at = seq + 1, entry.form["at"]
            _must(
                said == {"match": reading.match, "length": length, "head": entry.hash, "at": at},
                "the receipt is for another head",
            )
            check.held += 1
    if reading.end is not None:
        with reading.at(reading.end_line, "receipts"):
            _end(reading, reading.end)
            check.held += 1
    if reading.trusted is None:
        check.skip("the keys are the transcript's own; --keys compares them with those that are published")


def _end(reading: _Reading, end: dict[str, Any]) -> None:
    _, said = _signed(end["receipt"], TRANSCRIPT, reading.keys, "the last receipt")
    reading.told = said
    length, last = len(reading.entries), reading.entries[-1]
    _must(type(end["end"]) is int and end["end"] == said["length"], "it says another length than its receipt")
    _must(said["length"] == length, f"{said['length']} entries were signed, and {length} are here")
    if said["first"] != reading.first:
        reading.wrong(1, "receipts", "the first line isn't the one that was signed: it was another match, or reader")
        return
    _must(said["match"] == reading.match and said["head"] == last.hash, "the last receipt is for another head")
    _must(said["seat"] == reading.seat, "the transcript was made for another reader")
    _must(said["over"] == reading.over, "the match was over when it was signed, or wasn't")
    _must(said["digest"] == reading.digest, "the lines before aren't those that were signed")


def _kept(reading: _Reading, receipts: Iterable[str], mails: Iterable[bytes]) -> None:
    """What a reader kept of their own must be in the log."""
    for text in receipts:
        with reading.at(reading.last_line + 1, "receipts"):
            _, said = _signed(text, HEAD, reading.keys, "a receipt that was kept")
            _must(said["match"] == reading.match, "a receipt that was kept is another match's")
            length = said["length"]
            _must(length <= len(reading.entries), f"a receipt that was kept is for {length} entries: some are missing")
            head = reading.entries[length - 1].hash
            if said["head"] != head:
                reading.wrong(length + 1, "receipts", "a receipt that was kept has another head: the log was changed")
            reading.checks["receipts"].held += 1
    known = {value["mail"] for value in reading.values.values() if isinstance(value, dict) and "mail" in value}
    for mail in mails:
        if sha256(mail).hexdigest() in known:
            reading.checks["mails"].held += 1
        else:
            reading.checks["mails"].skip("a mail that was given isn't named in the log, or not openly")


# -- seals


def _seals(reading: _Reading) -> None:
    # Which seals are due depends on how far the match has come. Where nobody signed that, only values are compared.
    told, check = reading.told, reading.checks["seals"]
    sight = None if told is None else Sight(reading.seat, told["over"], told["turn_since"])
    for entry in reading.entries:
        with reading.at(entry.line, "seals"):
            sealed = {mark["number"]: mark for name, mark in marks(entry.form) if name == "$seal"}
            first = len(reading.seals)
            _must(sorted(sealed) == list(range(first, first + len(sealed))), "its seals aren't numbered on")
            reading.seals |= sealed
            for name, mark in marks(entry.form):
                if name == "$show":
                    _must(reading.seals[mark["number"]]["name"] == mark["name"], "what is shown is named otherwise")
                    if "salt" in mark:
                        _open(reading, mark)
            given = [opening["number"] for opening in entry.openings]
            due = given if sight is None else sight.opens(entry.form)
            for opening in entry.openings:
                _must(set(opening) == {"number", "value", "salt"}, "an opening has other members than it must")
                _must(opening["number"] in due, f"seal {opening['number']} isn't this reader's to open here")
                _open(reading, opening)
            _must(given == due, f"the openings of {len(due) - len(given)} seals are missing, or out of order")
    hidden = [mark for number, mark in reading.seals.items() if number not in reading.values]
    for mark in hidden:
        check.skip("personal, and nobody's to open" if mark.get("personal") else "not this reader's to open yet")


def _open(reading: _Reading, opening: Mapping[str, Any]) -> None:
    number, value = opening["number"], opening["value"]
    _must(_is_base64url(opening["salt"]) and len(decode(opening["salt"])) >= SHORTEST_SALT, "a salt is too short")
    sealed = reading.seals[number]["seal"]
    _must(
        sealed == seal(reading.match, number, value, decode(opening["salt"])),
        f"seal {number} doesn't hold the value that is shown for it",
    )
    if number not in reading.values:
        reading.checks["seals"].held += 1
    reading.values[number] = value


# -- players' signatures


class _Ring:
    """The keys that count for one seat, and who speaks for it without one."""

    def __init__(self, signed: bool, bot: bool) -> None:
        self.joined_unsigned = not signed
        self.bot = bot
        self.left = False
        """Resigned or forfeited: the rules play for it."""
        self.keys: dict[str, OKPKey] = {}
        self.by_mail: set[str] = set()

    def add(self, jwk: Any, by_mail: bool) -> str:
        _must(set(jwk) == {"kty", "crv", "x"}, "a key has other members than it must")
        key = _key(jwk)
        kid = str(key.thumbprint())
        self.keys[kid] = key
        if by_mail:
            self.by_mail.add(kid)
        return kid

    def go_on(self, form: dict[str, Any]) -> None:
        """What counts from here on."""
        kind = form["kind"]
        if kind == "key_added":
            self.add(form["key"], form["proof"]["grade"] != "signed")
        elif kind == "key_revoked":
            self.keys.pop(form["kid"])
        elif kind == "resigned" or (kind == "timed_out" and "move" not in form):
            self.left = True


def _signatures(reading: _Reading) -> None:
    rings: dict[int, _Ring] = {}
    used: dict[tuple[str, str], str] = {}
    for seq, entry in enumerate(reading.entries):
        kind = "mails" if entry.form.get("proof", {}).get("grade") == "mailed" else "signatures"
        with reading.at(entry.line, kind):
            _proof(reading, seq, entry, rings, used)


def _proof(reading: _Reading, seq: int, entry: Read, rings: dict[int, _Ring], used: dict[tuple[str, str], str]) -> None:
    form = entry.form
    kind, proof, seat = form["kind"], form.get("proof", {}), form.get("seat", -1)
    if kind == "joined":
        rings[seat] = _joined(form, rings)
    ring = rings.get(seat)
    if ring is not None and ring.bot:
        _must(kind in _OF_BOTS and proof == {"grade": "service"}, "a bot doesn't do that, nor can anybody for it")
    evidence = _evidence(reading, proof)
    if evidence is not None and "jws" in evidence:
        _must(ring is not None, "it is signed for a seat that nobody took")
        expected = _expected(reading, entry, evidence)
        kid, payload = _signed(evidence["jws"], expected.pop("typ"), ring.keys, "the player's statement")  # type: ignore[union-attr]
        for name, value in expected.items():
            _must(_same(payload[name], value), f"the player signed another {name}")
        text = evidence["jws"]
        said = used.setdefault((kid, payload["jti"]), text)
        _must(said.split(".")[1] == text.split(".")[1], "its jti was used for something else")
        by_mail = kid in ring.by_mail  # type: ignore[union-attr]
        reading.statements[seq] = (Statement(kid, payload, text, by_mail), evidence)
        _in_its_place(reading, seq, entry)
        check = reading.checks["signatures"]
        check.held += 1
        if by_mail:
            check.skip("and for these keys a mail vouches, or the service, and no signature")
    elif evidence is not None:
        _must(proof["grade"] == "mailed" and bool(_DIGEST.fullmatch(evidence["mail"])), "its proof is none")
        reading.checks["mails"].skip("only who has the mail can compare its hash (--mail)")
    elif "evidence" in proof:
        reading.checks["mails" if proof["grade"] == "mailed" else "signatures"].skip("not this reader's to open yet")
    else:
        _must(_may_go_without(form, ring), "it has no proof")
        if kind in ("nonce_opened", "resigned"):
            reading.checks["signatures"].skip("on the word of the service alone")
    if "seat" in form:
        _must(ring is not None, "nobody took that seat")
        ring.go_on(form)  # type: ignore[union-attr]


def _evidence(reading: _Reading, proof: dict[str, Any]) -> dict[str, Any] | None:
    """What the proof holds, if this reader may open it."""
    _must(proof.get("grade", "service") in ("signed", "mailed", "service"), "its proof has no grade")
    if "evidence" not in proof:
        return None
    value = reading.values.get(proof["evidence"]["$seal"]["number"])
    _must(value is None or isinstance(value, dict), "its proof is none")
    _must(value is None or "jws" in value or proof["grade"] == "mailed", "its proof is of another grade than it says")
    return value


_OF_BOTS = ("joined", "nonce_opened", "moved")


def _joined(form: dict[str, Any], rings: Mapping[int, _Ring]) -> _Ring:
    """A bot's nonce was made by the service, which did so before it saw anybody else's."""
    signed, bot = form["proof"]["grade"] == "signed", "bot" in form
    if bot:
        _must(isinstance(form["bot"], str) and form["keys"] == [], "a bot has a name, and no keys")
        _must(all(ring.bot for ring in rings.values()), "a bot joined behind a player: its nonce was chosen too late")
    ring = _Ring(signed, bot)
    for jwk in form["keys"]:
        ring.add(jwk, not signed)
    return ring


def _may_go_without(form: dict[str, Any], ring: _Ring | None) -> bool:
    """The rules' own entries have no proof. Nor has a key that a confirmed registration brought, nor the nonce of
    somebody who joined by mail: the service knew it, and opens it by itself. Nor has what a bot does."""
    kind, grade = form["kind"], form.get("proof", {"grade": "service"})["grade"]
    if kind == "key_added":
        return bool(grade == "mailed")
    if kind == "nonce_opened":
        return bool(grade == "service") and ring is not None and ring.joined_unsigned
    if kind == "joined":
        return ring is not None and ring.bot
    if kind == "moved":
        return bool(grade == "service") and ring is not None and (ring.bot or ring.left)
    return bool(grade == "service") and kind != "key_revoked"


_TYPES = {
    "joined": "ogham-join+jws",
    "nonce_opened": "ogham-nonce+jws",
    "moved": "ogham-move+jws",
    "resigned": "ogham-resign+jws",
    "key_added": "ogham-key+jws",
    "key_revoked": "ogham-key+jws",
}


def _expected(reading: _Reading, entry: Read, evidence: dict[str, Any]) -> dict[str, Any]:
    """What the statement must say for this entry, and its type."""
    form, kind = entry.form, entry.form["kind"]
    if kind == "key_added":
        return {"typ": _TYPES[kind], "action": "add", "kid": _key(form["key"]).thumbprint()}
    if kind == "key_revoked":
        return {"typ": _TYPES[kind], "action": "revoke", "kid": form["kid"]}
    if kind == "resigned" and evidence.get("deletion"):
        return {"typ": "ogham-delete+jws"}
    said = {"typ": _TYPES[kind], "match": reading.match, "seat": form["seat"]}
    if kind == "moved" and "order" in evidence:
        return said | {"typ": "ogham-order+jws"}
    if kind == "joined":
        said |= {"opened": reading.entries[0].hash, "keys": form["keys"]}
        said |= {name: form[name] for name in ("nonce", "promise") if name in form}
    elif kind == "nonce_opened":
        said |= {"nonce": form["nonce"]}
    return said


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _in_its_place(reading: _Reading, seq: int, entry: Read) -> None:
    """A move or a nonce answers a log that its player saw, and each line of a submission is played once, in order."""
    statement, evidence = reading.statements[seq]
    payload, kind = statement.payload, entry.form["kind"]
    if kind not in ("moved", "nonce_opened") or "order" in evidence:
        return
    answered = payload["seq"]
    _must(type(answered) is int and 0 < answered <= seq, "it answers a log that wasn't there")
    _must(payload["head"] == reading.entries[answered - 1].hash, "it answers another history: its head is none of ours")
    if kind == "nonce_opened":
        joined = [place for place, other in enumerate(reading.entries) if other.form["kind"] == "joined"]
        _must(joined[-1] < answered, "the nonce was opened before everybody had promised theirs")
        return
    line = evidence["line"]
    _must(type(line) is int and 0 <= line < len(payload["moves"]), "it is no line of what was signed")
    own = [
        place
        for place in range(answered, seq)
        if reading.entries[place].form.get("seat") == entry.form["seat"]
        and reading.entries[place].form["kind"] in STATE_CHANGING
    ]
    lines = [reading.statements[place][1].get("line") for place in own if place in reading.statements]
    texts = {reading.statements[place][0].text for place in own if place in reading.statements}
    _must(lines == list(range(line)) and texts <= {statement.text}, "it is stale: the seat had moved on")


# -- seed


def _seed(reading: _Reading) -> None:
    if not reading.entries:
        return
    opened, check = reading.entries[0].form, reading.checks["seed"]
    promised: dict[int, str] = {}
    full = False
    for entry in reading.entries:
        form = entry.form
        with reading.at(entry.line, "seed"):
            if form["kind"] == "joined":
                share = {"joint": "nonce", "sealed": "promise"}[opened["shuffle"]]
                _must(
                    form["seat"] not in promised and 0 <= form["seat"] < opened["seats"], "that seat is taken or none"
                )
                promised[form["seat"]] = form[share]
                if share == "nonce":
                    reading.nonces[form["seat"]] = form["nonce"]
                full = len(promised) == opened["seats"]
                check.held += 1
            elif form["kind"] == "nonce_opened":
                seat, nonce = form["seat"], form["nonce"]
                _must(full and seat not in reading.nonces, "the nonce was opened too early, or twice")
                _must(
                    promised[seat] == promise(reading.match, seat, nonce), "the nonce isn't the one that was promised"
                )
                reading.nonces[seat] = nonce
                check.held += 1
            elif form["kind"] == "dealt":
                _must(len(reading.nonces) == opened["seats"], "it was dealt before all nonces were there")
            elif form["kind"] == "closed":
                _committed(reading, opened, decode(form["secret"]))
                check.held += 1
    if not reading.over and reading.secret is None:
        check.skip("the service's secret is opened at the end")
    if reading.secret is not None:
        with reading.at(2, "seed"):
            _committed(reading, opened, reading.secret)


def _committed(reading: _Reading, opened: dict[str, Any], secret: bytes) -> None:
    _must(commitment(reading.match, secret) == opened["commitment"], "the secret isn't the one that was committed to")
    reading.secret = secret


# -- moves


def _moves(reading: _Reading) -> None:
    check, acts = reading.checks["moves"], [entry for entry in reading.entries if "events" in entry.form]
    game = reading.games.get(reading.entries[0].form.get("game", "")) if reading.entries else None
    if reading.secret is None or game is None:
        why = "the match still runs: hidden cards and chance are opened at the end" if game else "the game isn't known"
        for _ in acts:
            check.skip(why)
        return
    judge = _Judge(reading, game)
    for seq, entry in enumerate(reading.entries):
        if "events" in entry.form or entry.form.get("kind") == "closed":
            with reading.at(entry.line, "moves"):
                judge.go_on(seq, entry.form)
            if judge.lost:
                return
    if judge.state is not None and (game.outcome(judge.state) is not None) != reading.over:
        reading.wrong(reading.last_line, "moves", "by the rules the match is over, and the log doesn't close it")


class _Judge:
    """Plays the match again."""

    def __init__(self, reading: _Reading, game: Game) -> None:
        opened = reading.entries[0].form
        self.reading = reading
        self.game = game
        self.opened = opened
        nonces = [reading.nonces.get(seat, "") for seat in range(opened["seats"])]
        self.chance = Chance(seed(reading.match, reading.secret or b"", nonces))
        self.bots = {form["seat"] for entry in reading.entries if "bot" in (form := entry.form)}
        self.state: State = None
        self.turns: dict[int, Seat | None] = {}
        self.lost = False
        """Whether the events themselves couldn't be believed: then there is nothing to go on from."""

    def go_on(self, seq: int, form: dict[str, Any]) -> None:
        if form["kind"] == "closed":
            _must(form["outcome"] == freeze(self.game.outcome(self.state)), "the rules know another outcome")
            return
        before = self.state
        if before is not None:
            self.turns[seq] = self.game.turn(before)
        try:
            events = read_events(spelling_of(self.game), form, self.reading.values.__getitem__)
            self.state = fold(self.game, before, events)
        except Exception as error:  # evolve believes what it is told, and nonsense may end it anyhow
            self.lost = True
            raise Wrong("its events can't be believed") from error
        check = self.reading.checks["moves"]
        if form["rules"] != self.game.info.ruleset:
            check.skip("folded, and not judged: another version of the rules decided it")
            return
        decided = self._decided(seq, form, before)
        if decided is None:
            check.skip(f"folded, and not judged: {form['kind']} is no kind that is known here")
            return
        _must(tuple(decided) == events, "by the rules and the seed something else comes of it")
        check.held += 1

    def _decided(self, seq: int, form: dict[str, Any], state: State) -> Sequence[Event] | None:
        """What the rules make of it; None where they have no say."""
        game, kind = self.game, form["kind"]
        if kind == "dealt":
            _must(state is None, "it was dealt twice")
            return game.deal(self.opened["seats"], self.opened["options"], self.chance)
        seat = Seat(form["seat"])
        policy = (self.opened.get("clock") or {}).get("absent", "")
        _must(kind != "timed_out" or form["policy"] == policy, "that isn't what was agreed on")
        forfeited = kind == "timed_out" and "move" not in form
        if kind == "resigned" or forfeited:
            _must(not forfeited or policy == "forfeit", "nobody forfeits in this match")
            return game.leave(state, seat, self.chance)
        if kind not in ("moved", "timed_out"):
            return None
        view = game.view(state, seat)
        move = game.parse(form["move"], view)
        _must(game.notate(move) == form["move"], "the move isn't in canonical notation")
        if kind == "timed_out":
            _must(form["proof"]["grade"] == "service", "a clock's doing is the service's")
            _must(policy.startswith("bot:") or move == game.absent(view), "that isn't what is played for the absent")
        elif form["proof"]["grade"] == "service" and seat not in self.bots:
            _must(seat in game.left(state) and move == game.absent(view), "nobody made this move")
        if seq in self.reading.statements:
            self._said(seq, seat, view, form["move"])
        return game.decide(state, seat, move, self.chance)

    def _said(self, seq: int, seat: Seat, view: Any, move: str) -> None:
        """The line that was signed says this move; an order gives it."""
        statement, evidence = self.reading.statements[seq]
        if "order" in evidence:
            ordered = self._ordered(statement.payload["order"], view)
            if ordered is None:
                self.reading.checks["signatures"].skip("the order can't be read any more; its signature holds")
            else:
                _must(ordered == move, "the order gives another move")
            return
        line = statement.payload["moves"][evidence["line"]]
        _must(self.game.notate(self.game.parse(line, view)) == move, "the player signed another move")
        for place in range(statement.payload["seq"], seq):
            other = self.reading.entries[place].form
            if other["kind"] in STATE_CHANGING and other.get("seat") != seat:
                _must(self.turns.get(place) == seat, "it is stale: the turn had passed on")

    def _ordered(self, text: str, view: Any) -> str | None:
        """The move that an order gives; when it acts and for how long stands behind what the game reads of it."""
        words = text.split()
        for count in range(len(words), 0, -1):
            try:
                order = self.game.orders.read(" ".join(words[:count]).rstrip(","), view)  # type: ignore[union-attr]
            except NotationError:
                continue
            move = self.game.orders.obey(order, view)  # type: ignore[union-attr]
            return "nothing" if move is None else self.game.notate(move)
        return None
