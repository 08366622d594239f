"""Moves: taking a submission in, and settling it.

Taking in checks what the envelope shows and stores it; settling decides, appends and answers in one transaction. Both
doors, the API's and the mail's, meet in the table `submission`.
"""

import logging
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from engine.events import Seat
from engine.log import decode, encode
from service.errors import BadStatement, Conflict, NotFound
from service.ids import new_id
from service.matches import lock_match
from service.notices import tell_player
from service.parts import now, timestamp
from service.receipts import RECEIVED, sign_receipt
from service.signing import Signed, is_base64url, read_statement
from service.store.claims import RETRY_FIRST, RETRY_LAST
from service.store.db import Transaction, db, writing
from service.store.logbook import proof_of
from service.store.tables import Entry, Key, Match, Player, Seated, Submission
from service.turns import MAIL, Playing, go_on, judge, play_lines, revocation, tell_who_is_asked

MOVE = frozenset({"match", "seat", "seq", "head", "moves"})
RESIGN = frozenset({"match", "seat"})
MOST_LINES = 20
LONGEST_LINE = 500
HASH = 32  # bytes

journal = logging.getLogger(__name__)


# -- taking in


def accept_signed(match_id: str, text: str) -> Submission:
    """Store a signed submission; the one that is there already when it came before.

    All checks come before the transaction that writes, so that what isn't signed holds up nobody.
    """
    signed, key = read_by_seat(db.session(), match_id, text, "ogham-move+jws", MOVE)
    known = _known(signed)
    if known is not None:
        return known
    submission = _signed_submission(match_id, signed, key)
    try:
        with writing() as transaction:
            return _store(transaction, submission)
    except IntegrityError:  # its twin was stored between our look and now
        known = _known(signed)
        if known is None:
            raise
        return known


def accept_pasted(transaction: Transaction, match_id: str, text: str) -> Submission:
    """The same, out of a mail: what becomes of it is told by mail."""
    signed, key = read_by_seat(transaction.session, match_id, text, "ogham-move+jws", MOVE)
    known = _known(signed)
    if known is not None:
        return known
    submission = _signed_submission(match_id, signed, key)
    submission.by_mail = True
    return _store(transaction, submission)


def _signed_submission(match_id: str, signed: Signed, key: Key) -> Submission:
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    payload = signed.payload
    _check_move(payload)
    return _submission(
        match_id, payload["seat"], key.player_id, grade_of(key, match_id), signed.kid, signed.jti,
        {"jws": signed.text}, payload["seq"], decode(payload["head"]), payload["moves"],
    )  # fmt: skip


def _known(signed: Signed) -> Submission | None:
    """The submission that came before with this identity; the same payload signed again is the same submission."""
    known = db.session.scalars(
        select(Submission).where(Submission.kid == signed.kid, Submission.jti == signed.jti)
    ).one_or_none()
    if known is not None and known.evidence["jws"].split(".")[1] != signed.text.split(".")[1]:
        raise Conflict("jti_used", "You used this jti for another submission. Take a new one.")
    return known


def accept_mailed(
    transaction: Transaction,
    match_id: str,
    seat: int,
    player: Player,
    mail_id: str,
    evidence: dict[str, str],
    seq: int,
    lines: list[str],
) -> Submission:
    """Store what a mail said; its identity is the mail's."""
    submission = _submission(match_id, seat, player.id, "mailed", MAIL, mail_id, evidence, seq, None, lines)
    return _store(transaction, submission)


def _submission(
    match_id: str, seat: int, player_id: str, grade: str, kid: str, jti: str, evidence: Any,
    seq: int, head: bytes | None, lines: list[str],
) -> Submission:  # fmt: skip
    return Submission(
        id=new_id(), match_id=match_id, seat=seat, player_id=player_id, grade=grade, kid=kid, jti=jti,
        evidence=evidence, seq=seq, head=head, lines=lines, received_at=now(), verdict=None,
        by_mail=kid == MAIL, status="waiting", due_at=now(), attempts=0, lease=None, lease_until=None,
    )  # fmt: skip


def _store(transaction: Transaction, submission: Submission) -> Submission:
    if "jws" in submission.evidence:
        submission.receipt = sign_received(submission)
    transaction.session.add(submission)
    transaction.session.flush()
    transaction.ring("settle", submission.id)
    return submission


def sign_received(submission: Submission) -> str:
    """That these bytes were received, and when."""
    said = {"match": submission.match_id, "submission": submission.id, "received_at": timestamp(submission.received_at)}
    return sign_receipt(RECEIVED, said | {"hash": encode(sha256(submission.evidence["jws"].encode()).digest())})


def read_by_seat(session: Session, match_id: str, text: str, typ: str, members: frozenset[str]) -> tuple[Signed, Key]:
    """A statement by a key ever registered for the seat it names. All short of that gets one and the same answer."""
    keys: dict[str, Key] = {}

    def jwk_of(kid: str) -> Any | None:
        key = session.scalars(
            select(Key)
            .join(Seated, Seated.player_id == Key.player_id)
            .where(Key.kid == kid, Seated.match_id == match_id)
        ).one_or_none()
        return None if key is None else keys.setdefault(kid, key).jwk

    signed = read_statement(text, typ, jwk_of, members)
    key = keys[signed.kid]
    if signed.payload["match"] != match_id:
        raise BadStatement("other_match", "This was signed for another match.")
    seat = session.scalars(
        select(Seated.seat).where(Seated.match_id == match_id, Seated.player_id == key.player_id)
    ).one()
    if type(signed.payload["seat"]) is not int or signed.payload["seat"] != seat:  # for Python, false and 0.0 are 0
        raise BadStatement("other_seat", f"Your seat in this match is {seat}.")
    return signed, key


def grade_of(key: Key, match_id: str) -> str:
    """What a signature by this key is worth in the match: where a mail added the key after joining, a mail."""
    if key.vouched == "signed":
        return "signed"
    joined_at = db.session.scalars(
        select(Seated.joined_at).where(Seated.match_id == match_id, Seated.player_id == key.player_id)
    ).one()
    return "mailed" if key.created_at > joined_at else "signed"


def _check_move(payload: dict[str, Any]) -> None:
    seq, head, lines = payload["seq"], payload["head"], payload["moves"]
    if isinstance(seq, bool) or not isinstance(seq, int) or not 0 <= seq < 2**31:
        raise BadStatement("statement_invalid", "seq must be the length of the log that the move answers.")
    if not is_base64url(head, HASH):
        raise BadStatement("statement_invalid", "head must be the hash of the log's last entry, in base64url.")
    if not isinstance(lines, list) or not 1 <= len(lines) <= MOST_LINES:
        raise BadStatement("statement_invalid", f"moves must be a list of 1 to {MOST_LINES} lines.")
    if not all(isinstance(line, str) and 0 < len(line) <= LONGEST_LINE for line in lines):
        raise BadStatement("statement_invalid", f"A move is a line of 1 to {LONGEST_LINE} characters.")


# -- settling


def settle_submission(submission_id: str) -> None:
    """Judge it, append what it brought about, tell who must know. Done twice, it does nothing the second time.

    The transaction itself is the claim: it holds the submission's row and the match's, and is short.
    """
    try:
        with writing() as transaction:
            submission = transaction.session.scalars(
                select(Submission)
                .where(Submission.id == submission_id, Submission.status == "waiting")
                .with_for_update(skip_locked=True)
                .execution_options(populate_existing=True)
            ).one_or_none()
            if submission is not None:
                _settle(transaction, submission)
    except Exception:  # noqa: BLE001
        # Our fault, not the player's: keep it waiting, come back later, and let the operator see it.
        journal.exception("submission %s could not be settled", submission_id)
        _postpone(submission_id)


def _postpone(submission_id: str) -> None:
    with writing() as transaction:
        submission = transaction.session.get(Submission, submission_id, populate_existing=True)
        if submission is not None and submission.status == "waiting":
            submission.attempts += 1
            submission.due_at = now() + min(RETRY_FIRST * 2 ** min(submission.attempts, 20), RETRY_LAST)


def _settle(transaction: Transaction, submission: Submission) -> None:
    playing = Playing(transaction, lock_match(transaction.session, submission.match_id))
    match = playing.match
    playing.welcome_back(submission.seat)
    problem = revocation(playing, submission) or _staleness(transaction.session, match, submission)
    if problem is None:
        play_lines(playing, submission)
        if match.length > playing.before or submission.status == "kept":
            go_on(playing)
    else:
        judge(match, submission, [], problem, [], submission.lines[1:])
    _tell(playing, submission)


def _staleness(session: Session, match: Match, submission: Submission) -> dict[str, Any] | None:
    """The problem of a submission that answers another position than the one there is."""
    if match.status == "open":
        return {"code": "not_started", "detail": "The match hasn't started yet."}
    if submission.seq > match.length:
        return {"code": "seq_unknown", "detail": f"The log has {match.length} entries, not {submission.seq}."}
    if submission.seq < match.changed:
        return {"code": "stale", "detail": "The game has moved on since the position this answers."}
    if submission.head is not None:
        answered = session.get(Entry, (match.id, submission.seq - 1))
        if answered is None or answered.hash != submission.head:
            return {"code": "head_wrong", "detail": "head is not the hash of this match's log at that length."}
    return None


def _tell(playing: Playing, submission: Submission) -> None:
    """Who must know: the next to act, and whoever sent a mail. A client that asked over the API has its verdict."""
    match, seat, verdict = playing.match, submission.seat, cast(dict[str, Any], submission.verdict)
    running, refused = match.status == "running", verdict["problem"] is not None
    theirs = running and match.to_act == seat
    mailed = submission.by_mail
    if match.length > playing.before and (not theirs or (mailed and not refused)):
        tell_who_is_asked(playing)
    # At the end, the finished notice says it all.
    if mailed and (refused or (running and not theirs)):
        player = playing.session.get_one(Player, submission.player_id)
        about = {"submission": submission.id}
        tell_player(playing.transaction, "answer", f"answer:{submission.id}", player, match, seat, **about)


# -- verdicts


def find_submission(submission_id: str) -> Submission:
    submission = db.session.get(Submission, submission_id, populate_existing=True)
    if submission is None:
        raise NotFound("submission_unknown", "There is no such submission.")
    return submission


# -- resigning


def resign_signed(match_id: str, text: str) -> tuple[Match, Seat]:
    """Leave the match for good. The seat is played by the game's absent move from here on (GE-1)."""
    with writing() as transaction:
        return resign_pasted(transaction, match_id, text)


def resign_pasted(transaction: Transaction, match_id: str, text: str) -> tuple[Match, Seat]:
    """The same, in a transaction that does more."""
    signed, key = read_by_seat(transaction.session, match_id, text, "ogham-resign+jws", RESIGN)
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    seat = Seat(signed.payload["seat"])
    return _resign(transaction, match_id, seat, proof_of("signed", {"jws": signed.text})), seat


def resign_mailed(
    transaction: Transaction, match_id: str, player: Player, seat: Seat, evidence: dict[str, str]
) -> Match:
    """Leave the match for good, by a mail."""
    return _resign(transaction, match_id, seat, proof_of("mailed", evidence), player.id)


def _resign(
    transaction: Transaction, match_id: str, seat: Seat, proof: dict[str, Any], person: str | None = None
) -> Match:
    playing = Playing(transaction, lock_match(transaction.session, match_id))
    match = playing.match
    if playing.state is not None and seat in playing.game.left(playing.state):
        return match  # said before, and the answer to that was lost
    if match.status != "running":
        raise Conflict("not_running", "The match isn't running.")
    playing.leave(seat, proof, person)
    go_on(playing)
    tell_who_is_asked(playing)  # also when the turn stayed where it was: the position it answers is another now
    return match
