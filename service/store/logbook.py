"""The log in the database: appending to it, and folding it into states."""

import json
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from engine.events import Event, Sealed, Seat
from engine.game import Game, State
from engine.log import FORMAT, STATE_CHANGING, Opening, Pen, read_events, replay, spelling_of
from engine.values import JSON, freeze, thaw
from service.parts import now, parts, timestamp
from service.receipts import sign_head
from service.store.db import db
from service.store.tables import Entry, Match, PersonalOpening, SealOpening, Snapshot

SNAPSHOT_EVERY = 32
MOST_REMEMBERED = 500


def game_of(match: Match) -> Game:
    return parts().games[match.game]


class Scribe:
    """Appends to one match's log. The caller holds the match's row."""

    def __init__(self, session: Session, match: Match) -> None:
        self._session = session
        self._match = match
        self._game = game_of(match)
        self._pen = Pen(match.id, match.length, match.head, match.seals, self._find, lambda: secrets.token_bytes(16))

    def append(
        self,
        kind: str,
        *,
        seat: Seat | None = None,
        proof: JSON = None,
        events: Sequence[Event] = (),
        person: str | None = None,
        **members: JSON,
    ) -> int:
        """Write the entry, sign the new head, and bring the match's row up to it; the answer is its seq.

        `person` is the player whom its personal seals name.
        """
        match = self._match
        if events:
            spelling = spelling_of(self._game)
            members |= {"rules": self._game.info.ruleset, "events": [spelling.write(event) for event in events]}
        at = timestamp(now())
        written = self._pen.write(kind, at, seat=seat, proof=proof, **members)
        self._session.execute(
            insert(Entry).values(
                match_id=match.id, seq=written.seq, kind=kind, seat=seat, public=written.public, hash=written.hash,
                receipt=sign_head(match.id, written.seq + 1, written.hash, at),
            )
        )  # fmt: skip
        self._store(written.seq, written.openings, person)
        match.length, match.head, match.seals = self._pen.length, self._pen.head, self._pen.seals
        if kind in STATE_CHANGING:
            match.changed = match.length
        return written.seq

    def _store(self, seq: int, openings: Sequence[Opening], person: str | None) -> None:
        ours, personal = [], []
        for opening in openings:
            row = {"match_id": self._match.id, "number": opening.number, "seq": seq}
            row |= {"value": opening.value, "salt": opening.salt}
            if opening.personal:
                personal.append(row | {"player_id": person})
            else:
                ours.append(row | {"name": opening.name})
        if ours:
            self._session.execute(insert(SealOpening), ours)
        if personal:
            self._session.execute(insert(PersonalOpening), personal)

    def _find(self, name: str) -> Opening:
        row = self._session.scalars(
            select(SealOpening).where(SealOpening.match_id == self._match.id, SealOpening.name == name)
        ).one()
        return Opening(row.number, row.value, row.salt, row.name)


def sealed(value: JSON, to: Sequence[Seat] | None = (), **more: JSON) -> JSON:
    """A value to be sealed in an entry, outside its events. `to` None: everybody may open it at once.

    `more` is `until="turn"` for what everybody may open when the turn is over, `personal=True` for what names a person.
    """
    return {Sealed.JSON_KEY: {"value": value, "to": None if to is None else list(to), "name": "", **more}}


# What is kept of a mail that names a person: sealed apart, and never opened to others.
PERSONAL = frozenset({"message_id", "domain", "signed_by"})


def proof_of(grade: str, evidence: JSON, to: Sequence[Seat] | None = None, **more: JSON) -> JSON:
    """The proof of an entry: a JWS, or what is kept of a mail. `to` and `more` as in `sealed`, but for the person."""
    proof = {"grade": grade}
    if "jws" not in evidence:
        proof["person"] = sealed({name: evidence[name] for name in PERSONAL & evidence.keys()}, personal=True)
        evidence = {name: value for name, value in evidence.items() if name not in PERSONAL}
    return proof | {"evidence": sealed(evidence, to, **more)}


def receipt_of(match_id: str, length: int) -> str | None:
    """The service's signature on the head that the log had at this length."""
    return db.session.scalars(
        select(Entry.receipt).where(Entry.match_id == match_id, Entry.seq == length - 1)
    ).one_or_none()


def load_state(session: Session, match: Match, length: int | None = None) -> State | None:
    """The state when the log had this length (None: now); None before the deal. From the nearest snapshot, if any."""
    game = game_of(match)
    length = match.length if length is None else length
    remembered = _remembered.get(match.head)
    if length == match.length and remembered is not None:
        return remembered
    snapshot = session.scalars(
        select(Snapshot)
        .where(Snapshot.match_id == match.id, Snapshot.length <= length, Snapshot.version == _version(game))
        .order_by(Snapshot.length.desc())
        .limit(1)
    ).one_or_none()
    state = None if snapshot is None else thaw(game.state_type, snapshot.state)
    publics = session.scalars(
        select(Entry.public)
        .where(Entry.match_id == match.id, Entry.seq >= (snapshot.length if snapshot else 0), Entry.seq < length)
        .order_by(Entry.seq)
    )
    return replay(game, publics, hidden_values(session, match), state)


def wrong_snapshots(session: Session, match: Match) -> list[int]:
    """The lengths at which a snapshot of this version isn't what the log gives."""
    game, wrong = game_of(match), []
    found = session.scalars(
        select(Snapshot).where(Snapshot.match_id == match.id, Snapshot.version == _version(game))
    ).all()
    for snapshot in found:
        publics = session.scalars(
            select(Entry.public).where(Entry.match_id == match.id, Entry.seq < snapshot.length).order_by(Entry.seq)
        )
        if freeze(replay(game, publics, hidden_values(session, match))) != snapshot.state:
            wrong.append(snapshot.length)
    return wrong


# The newest states of the matches this process dealt with, by the hash they follow from: whatever else happens, what
# that hash stands for doesn't change.
_remembered: OrderedDict[bytes, State] = OrderedDict()


def keep_state(session: Session, match: Match, state: State, before: int) -> None:
    """Remember the state; store it when the log, `before` entries long so far, passed a multiple of SNAPSHOT_EVERY."""
    _remembered[match.head] = state
    if len(_remembered) > MOST_REMEMBERED:
        _remembered.popitem(last=False)
    if match.length // SNAPSHOT_EVERY > before // SNAPSHOT_EVERY:
        session.merge(
            Snapshot(match_id=match.id, length=match.length, version=_version(game_of(match)), state=freeze(state))
        )


def _version(game: Game) -> str:
    return f"{FORMAT}/{game.info.id}/{game.info.ruleset}"


def hidden_values(session: Session, match: Match) -> Callable[[int], JSON]:
    """The match's hidden values by the number of their seal; read from the database when the first is asked for."""
    values: dict[int, JSON] = {}

    def value_of(number: int) -> JSON:
        if not values:
            rows = session.execute(
                select(SealOpening.number, SealOpening.value).where(SealOpening.match_id == match.id)
            )
            values.update((number, value) for number, value in rows)
        return values[number]

    return value_of


def entry_events(session: Session, match: Match, since: int, until: int) -> list[tuple[Entry, tuple[Event, ...]]]:
    """The entries from `since` up to but not including `until`, with their events as the service knows them."""
    spelling, value_of = spelling_of(game_of(match)), hidden_values(session, match)
    entries = session.scalars(
        select(Entry).where(Entry.match_id == match.id, Entry.seq >= since, Entry.seq < until).order_by(Entry.seq)
    ).all()
    return [(entry, read_events(spelling, json.loads(entry.public), value_of)) for entry in entries]
