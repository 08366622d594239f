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

from engine.errors import NotationError, RuleViolation
from engine.events import Seat
from engine.game import Game, Language, State
from engine.log import decode, encode
from engine.play import fold, play_for_the_absent, play_line
from service.errors import BadStatement, Conflict, NotFound
from service.ids import new_id
from service.matches import chance_of, lock_match, settle_state
from service.notices import tell_player, tell_whose_turn
from service.parts import now, timestamp
from service.receipts import RECEIVED, sign_receipt
from service.signing import Signed, is_base64url, read_statement
from service.store.claims import RETRY_FIRST, RETRY_LAST
from service.store.db import Transaction, db, writing
from service.store.logbook import Scribe, game_of, load_state, proof_of
from service.store.tables import Entry, Key, Match, Player, Seated, Submission

MOVE = frozenset({"match", "seat", "seq", "head", "moves"})
RESIGN = frozenset({"match", "seat"})
MOST_LINES = 20
UNREAD: dict[str, dict[Language, str]] = {
    "unreadable": {"en": "This line is no move.", "de": "Diese Zeile ist kein Zug."},
    "ambiguous": {"en": "This line may mean several moves.", "de": "Diese Zeile kann mehreres heißen."},
}
LONGEST_LINE = 500
HASH = 32  # bytes

journal = logging.getLogger(__name__)


# -- taking in


def accept_signed(match_id: str, text: str) -> Submission:
    """Store a signed submission; the one that is there already when it came before.

    All checks come before the transaction that writes, so that what isn't signed holds up nobody.
    """
    signed, key = _read_by_seat(db.session(), match_id, text, "ogham-move+jws", MOVE)
    known = _known(signed)
    if known is not None:
        return known
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    payload = signed.payload
    _check_move(payload)
    submission = _submission(
        match_id, payload["seat"], key.player_id, "signed", signed.kid, signed.jti, signed.text,
        payload["seq"], decode(payload["head"]), payload["moves"],
    )  # fmt: skip
    try:
        with writing() as transaction:
            submission.receipt = sign_received(submission)
            return _store(transaction, submission)
    except IntegrityError:  # its twin was stored between our look and now
        known = _known(signed)
        if known is None:
            raise
        return known


def _known(signed: Signed) -> Submission | None:
    """The submission that came before with this identity; the same payload signed again is the same submission."""
    known = db.session.scalars(
        select(Submission).where(Submission.kid == signed.kid, Submission.jti == signed.jti)
    ).one_or_none()
    if known is not None and known.evidence.split(".")[1] != signed.text.split(".")[1]:
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
    submission = _submission(match_id, seat, player.id, "mailed", "mail", mail_id, evidence, seq, None, lines)
    return _store(transaction, submission)


def _submission(
    match_id: str, seat: int, player_id: str, grade: str, kid: str, jti: str, evidence: Any,
    seq: int, head: bytes | None, lines: list[str],
) -> Submission:  # fmt: skip
    return Submission(
        id=new_id(), match_id=match_id, seat=seat, player_id=player_id, grade=grade, kid=kid, jti=jti,
        evidence=evidence, seq=seq, head=head, lines=lines, received_at=now(), verdict=None,
        status="waiting", due_at=now(), attempts=0, lease=None, lease_until=None,
    )  # fmt: skip


def _store(transaction: Transaction, submission: Submission) -> Submission:
    transaction.session.add(submission)
    transaction.session.flush()
    transaction.ring("settle", submission.id)
    return submission


def sign_received(submission: Submission) -> str:
    """That these bytes were received, and when."""
    said = {"match": submission.match_id, "submission": submission.id, "received_at": timestamp(submission.received_at)}
    return sign_receipt(RECEIVED, said | {"hash": encode(sha256(submission.evidence.encode()).digest())})


def _read_by_seat(session: Session, match_id: str, text: str, typ: str, members: frozenset[str]) -> tuple[Signed, Key]:
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
    session = transaction.session
    match = lock_match(session, submission.match_id)
    player = session.get_one(Player, submission.player_id)
    scribe = Scribe(session, match)
    before = match.length
    problem = _revocation(session, submission) or _staleness(session, match, submission)
    verdict: dict[str, Any] = {"played": [], "problem": problem, "dropped": []}
    if verdict["problem"] is None:
        state = _play_lines(session, match, scribe, submission, verdict, player)
        if match.length > before:
            _go_on(transaction, match, scribe, state, before)
    played = len(verdict["played"])
    verdict["dropped"] = submission.lines[played + (verdict["problem"] is not None) :]
    submission.verdict = verdict | {"seq": match.length, "head": encode(match.head)}
    submission.status = "done"
    _tell(transaction, match, submission, player, before)


def _go_on(transaction: Transaction, match: Match, scribe: Scribe, state: State, before: int) -> None:
    """After what was played: the moves of those who left, and the end if this was it."""
    for absence in play_for_the_absent(game_of(match), state, chance_of(match)):
        scribe.append("moved", seat=absence.seat, proof={"grade": "service"}, move=absence.move, events=absence.events)
        state = absence.state
    settle_state(transaction, match, scribe, state, before)


def _revocation(session: Session, submission: Submission) -> dict[str, Any] | None:
    """The problem of a key that was revoked after it signed: its move would stand in the log behind the revocation."""
    if submission.grade != "signed" or session.get_one(Key, submission.kid).revoked_at is None:
        return None
    return {"code": "key_revoked", "detail": "The key that signed this was revoked before it was settled."}


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


def _play_lines(
    session: Session, match: Match, scribe: Scribe, submission: Submission, verdict: dict[str, Any], player: Player
) -> State:
    """Play line after line, up to the first that can't be played. The state that was reached."""
    game, seat = game_of(match), Seat(submission.seat)
    state = load_state(session, match)
    for number, line in enumerate(submission.lines):
        try:
            played = play_line(game, state, seat, line, chance_of(match))
        except (NotationError, RuleViolation) as refusal:
            verdict["problem"] = problem_of(game, refusal, cast(Language, player.language)) | {"line": line}
            break
        proof = proof_of(submission.grade, submission.evidence, line=number)
        seq = scribe.append("moved", seat=seat, proof=proof, person=player.id, move=played.move, events=played.events)
        verdict["played"].append({"line": line, "move": played.move, "seq": seq})
        state = played.state
    return state


def problem_of(game: Game, refusal: NotationError | RuleViolation, language: Language) -> dict[str, Any]:
    """A refused line as a problem: its code, the rule it breaks, and a sentence."""
    if isinstance(refusal, RuleViolation):
        sentence = game.explain(refusal, language)
        return {"code": "move_refused", "rule": refusal.rule, "reason": refusal.code, "detail": sentence}
    sentence = refusal.expected or UNREAD[refusal.code][language]
    return {"code": f"move_{refusal.code}", "detail": sentence, "choices": list(refusal.choices)}


def _tell(transaction: Transaction, match: Match, submission: Submission, player: Player, before: int) -> None:
    """Who must know: the next to act, and whoever sent a mail. A client that asked over the API has its verdict."""
    seat, refused = submission.seat, submission.verdict["problem"] is not None  # type: ignore[index]  # just set
    moved = match.length > before
    still_theirs = match.status == "running" and match.to_act == seat
    if moved and match.status == "running" and not still_theirs:
        tell_whose_turn(transaction, match)
    if submission.grade == "mailed":
        if still_theirs and not refused:
            tell_whose_turn(transaction, match)
        elif refused or match.status == "running":  # at the end, the finished notice says it all
            tell_player(transaction, "answer", f"answer:{submission.id}", player, match, seat, submission=submission.id)


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
        session = transaction.session
        signed, key = _read_by_seat(session, match_id, text, "ogham-resign+jws", RESIGN)
        if key.revoked_at is not None:
            raise BadStatement("key_revoked", "The key that signed this was revoked.")
        match = lock_match(session, match_id)
        game, seat = game_of(match), Seat(signed.payload["seat"])
        state = load_state(session, match)
        if state is not None and seat in game.left(state):  # said before, and the answer to that was lost
            return match, seat
        if match.status != "running":
            raise Conflict("not_running", "The match isn't running.")
        before, scribe = match.length, Scribe(session, match)
        events = game.leave(state, seat, chance_of(match))
        scribe.append("resigned", seat=seat, proof=proof_of("signed", signed.text), events=events)
        _go_on(transaction, match, scribe, fold(game, state, events), before)
        if match.status == "running":  # also when the turn stayed where it was: the position it answers is another now
            tell_whose_turn(transaction, match)
        return match, seat
