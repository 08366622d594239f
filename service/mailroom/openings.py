"""What opens the seals of values that a mail shows: whoever is shown a card can check it there and then."""

import json

from sqlalchemy import select

from engine.log import canonical, encode, marks
from service.matches import Sight
from service.store.db import db
from service.store.tables import Entry, SealOpening


def last_turn(match_id: str, seat: int | None, length: int) -> int:
    """The first entry since this seat last acted; where it acted last of all, before that and what it answered to."""
    seats = db.session.scalars(
        select(Entry.seat).where(Entry.match_id == match_id, Entry.seq < length).order_by(Entry.seq.desc())
    ).all()
    own = 0
    while own < len(seats) and seats[own] in (seat, None):
        own += 1
    while own < len(seats) and seats[own] != seat:
        own += 1
    return len(seats) - own


def openings_in(sight: Sight) -> list[str]:
    """The values that the seat was shown since it last acted: number of the seal, salt, value as canonical JSON."""
    match_id, seat = sight.match.id, sight.seat
    publics = db.session.scalars(
        select(Entry.public)
        .where(Entry.match_id == match_id, Entry.seq >= last_turn(match_id, seat, sight.length))
        .where(Entry.seq < sight.length)
        .order_by(Entry.seq)
    )
    shown = [mark for public in publics for _, mark in marks(json.loads(public).get("events", []))]
    numbers = {mark["number"] for mark in shown if mark["to"] is None or seat in mark["to"]}
    rows = db.session.execute(
        select(SealOpening.number, SealOpening.salt, SealOpening.value)
        .where(SealOpening.match_id == match_id, SealOpening.number.in_(numbers))
        .order_by(SealOpening.number)
    )
    return [f"{number} {encode(salt)} {canonical(value).decode()}" for number, salt, value in rows]
