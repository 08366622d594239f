"""Opening nonces, in matches whose shuffle is sealed.

Players join such a match with the hash of their nonce, and open it when the table is full: by then every other share of
the seed is fixed. Whoever knows what gives the hash may open it, so a mail will do where a signature is missing.
"""

from typing import Any

from sqlalchemy import select

from engine.events import Seat
from engine.log import encode, promise
from service.errors import BadStatement, Conflict
from service.matches import LONGEST_NONCE, check_nonce, is_full, lock_match, start_when_all_nonces_are_there
from service.moves import read_by_seat
from service.store.db import Transaction, db, writing
from service.store.logbook import Scribe, proof_of
from service.store.tables import Entry, Match, Player, Seated

NONCE = frozenset({"match", "seat", "seq", "head", "nonce"})


def unopened(match: Match) -> list[int]:
    """The seats that have yet to open what they promised."""
    if match.shuffle != "sealed" or match.status != "open":
        return []
    return list(
        db.session.scalars(
            select(Seated.seat).where(Seated.match_id == match.id, Seated.nonce == "").order_by(Seated.seat)
        )
    )


def open_nonce_signed(match_id: str, text: str) -> tuple[Match, int]:
    """Open it by a statement, which names the log that its signer saw. The same again gets the same answer."""
    with writing() as transaction:
        session = transaction.session
        signed, key = read_by_seat(session, match_id, text, "ogham-nonce+jws", NONCE)
        if key.revoked_at is not None:
            raise BadStatement("key_revoked", "The key that signed this was revoked.")
        match, payload = lock_match(session, match_id), signed.payload
        check_nonce(payload["nonce"])
        seq = payload["seq"]
        answered = session.get(Entry, (match_id, seq - 1)) if type(seq) is int and 0 < seq <= match.length else None
        if answered is None or payload["head"] != encode(answered.hash):
            raise BadStatement("statement_invalid", "head must be the hash of this match's log at the length seq.")
        _open(transaction, match, payload["seat"], payload["nonce"], proof_of("signed", {"jws": signed.text}), None)
        return match, payload["seat"]


def open_nonce_by_mail(
    transaction: Transaction, match_id: str, seat: int, player: Player, line: str, proof: dict[str, Any]
) -> bool:
    """Whether this line is the nonce, and it is open now."""
    match = lock_match(transaction.session, match_id)
    try:
        _open(transaction, match, seat, line[:LONGEST_NONCE], proof, player.id)
    except BadStatement:
        return False
    return True


def _open(transaction: Transaction, match: Match, seat: int, nonce: str, proof: Any, person: str | None) -> None:
    session = transaction.session
    seated = session.get_one(Seated, (match.id, seat))
    if seated.promise is None or seated.promise != promise(match.id, seat, nonce):
        raise BadStatement("nonce_wrong", "This isn't what you promised: its hash is another.")
    if seated.nonce:
        return
    if not is_full(session, match):
        raise Conflict("table_open", "Keep your nonce to yourself until all seats are taken.")
    seated.nonce = nonce
    session.flush()
    scribe = Scribe(session, match)
    scribe.append("nonce_opened", seat=Seat(seat), proof=proof, person=person, nonce=nonce)
    start_when_all_nonces_are_there(transaction, match, scribe)
