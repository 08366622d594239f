"""Transcripts from the database: a match for one reader's eyes, a page of entries at a time."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import select

from engine.log import Opening
from engine.transcript import TRANSCRIPT, Reader, Sight, Stored, write_transcript
from service.receipts import sign_receipt
from service.store.db import db
from service.store.tables import Entry, Match, SealOpening

PAGE = 100


def write_for(match: Match, reader: Reader, keys: Sequence[dict[str, str]]) -> Iterator[bytes]:
    """The lines of the match as it is now; whatever happens to it meanwhile is left for the next time."""
    sight = Sight(reader, match.status == "over", match.turn_since)
    entries = _entries(match.id, match.length, sight)
    return write_transcript(match.id, reader, keys, entries, match.turn_since, _sign)


def _sign(said: dict[str, Any]) -> str:
    return sign_receipt(TRANSCRIPT, said)


def _entries(match_id: str, length: int, sight: Sight) -> Iterator[tuple[Stored, list[Opening]]]:
    for start in range(0, length, PAGE):
        rows = db.session.execute(
            select(Entry.public, Entry.hash, Entry.receipt)
            .where(Entry.match_id == match_id, Entry.seq >= start, Entry.seq < min(start + PAGE, length))
            .order_by(Entry.seq)
        ).all()
        page = [Stored(json.loads(public), digest, receipt) for public, digest, receipt in rows]
        wanted = [sight.opens(stored.form) for stored in page]
        openings = _openings(match_id, [number for numbers in wanted for number in numbers])
        for stored, numbers in zip(page, wanted, strict=True):
            yield stored, [openings[number] for number in numbers if number in openings]


def _openings(match_id: str, numbers: list[int]) -> dict[int, Opening]:
    found: dict[int, Opening] = {}
    for start in range(0, len(numbers), 500):  # so that no statement has more variables than a database takes
        rows = db.session.execute(
            select(SealOpening.number, SealOpening.value, SealOpening.salt).where(
                SealOpening.match_id == match_id, SealOpening.number.in_(numbers[start : start + 500])
            )
        )
        found |= {number: Opening(number, value, salt) for number, value, salt in rows}
    return found
