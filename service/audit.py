"""Looking over all that is stored: every match's log, its seals and its row, checked as a stranger would check it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from engine.errors import BrokenLog
from engine.log import check_chain, encode, marks, seal
from engine.transcript import SERVICE
from engine.verify import Fault, Report, verify
from service.parts import parts
from service.receipts import published_keys
from service.store.db import db
from service.store.logbook import wrong_snapshots
from service.store.tables import Entry, Match, PersonalOpening, SealOpening
from service.transcripts import write_for

PAGE = 50


@dataclass(frozen=True, slots=True)
class Audited:
    """What was found in the whole database, by match."""

    matches: int
    entries: int
    faults: tuple[tuple[str, Fault], ...]

    @property
    def good(self) -> bool:
        return not self.faults

    def lines(self) -> Iterator[str]:
        yield f"{self.matches:,} matches with {self.entries:,} entries."
        yield from (f"match {match}: {fault.kind}: {fault}" for match, fault in self.faults)
        yield "GOOD" if self.good else f"NOT GOOD: {len(self.faults)} faults"

    def as_json(self) -> dict[str, Any]:
        faults = [
            {"match": match, "entry": fault.seq, "kind": fault.kind, "what": fault.sentence}
            for match, fault in self.faults
        ]
        return {"good": self.good, "matches": self.matches, "entries": self.entries, "faults": faults}


def audit_all(step: Callable[[int], None]) -> Audited:
    """Check every match; `step` is called after each, with how many there are."""
    total = db.session.scalar(select(func.count()).select_from(Match)) or 0
    keys = published_keys()
    matches, entries, after = 0, 0, ""
    faults: list[tuple[str, Fault]] = []
    while True:
        page = list(db.session.scalars(select(Match).where(Match.id > after).order_by(Match.id).limit(PAGE)))
        if not page:
            return Audited(matches, entries, tuple(faults))
        for match in page:
            report = audit_match(match, keys)
            matches, entries = matches + 1, entries + match.length
            beside = _row_faults(match, report) if report.hashes else ()
            faults += [(match.id, fault) for fault in (*report.faults, *beside)]
            step(total)
        after = page[-1].id
        db.session.commit()  # a long look doesn't hold on to an old picture
        db.session.expunge_all()


def audit_match(match: Match, keys: list[dict[str, str]]) -> Report:
    """The match as the service itself may know it: all seals opened, and judged although it runs."""
    try:
        check_chain(
            (seq, public, digest)
            for seq, public, digest in db.session.execute(
                select(Entry.seq, Entry.public, Entry.hash).where(Entry.match_id == match.id).order_by(Entry.seq)
            )
        )
    except BrokenLog as broken:  # then its bytes may not even be JSON
        fault = Fault(broken.seq + 2, "chain", broken.sentence, broken.seq)
        return Report(match.id, SERVICE, match.status == "over", (), (), (fault,))
    return verify(write_for(match, SERVICE, keys), parts().games, keys, secret=match.secret)


def _row_faults(match: Match, report: Report) -> Iterator[Fault]:
    """What is stored beside the log and must agree with it: the match's row, the entries' columns, seals, snapshots."""
    if (match.length, encode(match.head)) != (len(report.hashes), report.hashes[-1] if report.hashes else ""):
        yield Fault(len(report.hashes) + 2, "row", "the match's row has another length or head than its log")
    if report.over != (match.status == "over"):
        yield Fault(len(report.hashes) + 1, "row", "the match's row has another status than its log")
    known = set()
    personal = {
        row.number: row
        for row in db.session.scalars(select(PersonalOpening).where(PersonalOpening.match_id == match.id))
    }
    for entry in db.session.scalars(select(Entry).where(Entry.match_id == match.id).order_by(Entry.seq)):
        try:
            form = json.loads(entry.public)
            sealed = [mark for name, mark in marks(form) if name == "$seal"]
            told = (form["kind"], form.get("seat"))
        except (ValueError, KeyError, TypeError):
            continue  # told already: its bytes don't give its hash
        if told != (entry.kind, entry.seat):
            yield Fault(entry.seq + 2, "row", "the entry's columns say something else than its bytes", entry.seq)
        known |= {mark["number"] for mark in sealed}
        for mark in sealed:
            row = personal.get(mark["number"])  # gone with the account, where there was one
            if row is not None and seal(match.id, row.number, row.value, row.salt) != mark["seal"]:
                yield Fault(entry.seq + 2, "row", f"the personal seal {row.number} doesn't hold its value", entry.seq)
    stored = set(db.session.scalars(select(SealOpening.number).where(SealOpening.match_id == match.id)))
    if not stored <= known:
        yield Fault(len(report.hashes) + 1, "row", "there are openings of seals that the log doesn't have")
    for length in (
        wrong_snapshots(db.session(), match) if report.good else ()
    ):  # a cache, and yet moves are judged by it
        yield Fault(length + 1, "row", f"the snapshot at the length {length} isn't what the log gives")
