"""Taking mail in: stored as it came, then acknowledged, then read.

A mail counts on two things together: the token in the address it was sent to, and the registered address it comes from.
Answers go to the registered address only. A mail without a known token is never answered, nor one a machine wrote.
"""

import hashlib
import logging
import re
from typing import Any, cast

from sqlalchemy import select

from engine.errors import NotationError
from engine.events import Seat
from service.errors import Conflict
from service.ids import fingerprint, new_id
from service.mailroom.reply import Reply, read_reply
from service.matches import find_match, join_by_mail, see_match
from service.moves import LONGEST_LINE, MOST_LINES, accept_mailed
from service.notices import store_notice, tell_player
from service.parts import now, parts
from service.players import NAME, confirm, player_at
from service.store.claims import claim, finish, put_back
from service.store.db import Transaction, writing
from service.store.logbook import proof_of
from service.store.tables import Mail, Notice, Player

LARGEST_MAIL = 1_048_576

journal = logging.getLogger(__name__)


def is_ours(recipient: str) -> bool:
    """Whether mail to this address is for us."""
    local, _, domain = recipient.lower().rpartition("@")
    return domain == parts().settings.mail_domain and bool(re.fullmatch(r"bounce|play(\+[a-z2-7]{32})?", local))


def accept_mail(sender: str, recipient: str, raw: bytes) -> str:
    """Store a mail as it came. When this returns, it is safe; only then may it be acknowledged."""
    with writing() as transaction:
        id = new_id()
        transaction.session.add(
            Mail(
                id=id, sender=sender, recipient=recipient.lower(), raw=raw, received_at=now(), identity=None,
                verdict=None, status="waiting", due_at=now(), attempts=0, lease=None, lease_until=None,
            )
        )  # fmt: skip
        transaction.ring("read", id)
    return id


def read_mail(mail_id: str) -> None:
    """Find out what it says and do it, or record why nothing was done."""
    mail = claim(Mail, mail_id)
    if mail is None:
        return
    try:
        reply = read_reply(mail.raw)
        with writing() as transaction:
            verdict = _act(transaction, mail, reply)
            if not finish(transaction, mail, verdict=verdict, identity=_identity(transaction, mail, reply, verdict)):
                transaction.session.rollback()
    except Exception:  # noqa: BLE001  (our fault, not the mail's: it is tried again)
        journal.exception("mail %s could not be read", mail_id)
        put_back(mail)


def _act(transaction: Transaction, mail: Mail, reply: Reply) -> str:
    """Do what the mail says; the answer is what is recorded of it."""
    notice = _answered(transaction, mail)
    if notice is None:
        return "ignored: no token of ours in the address"
    if not mail.sender:
        return "ignored: no envelope sender"
    if reply.automatic:
        return f"ignored: automatic ({reply.automatic})"
    if reply.sender != notice.address:
        return "ignored: not from the registered address"
    if _seen_before(transaction, notice, reply):
        return "ignored: this Message-ID came before"
    return _ACTS[notice.kind](transaction, mail, reply, notice)


def _answered(transaction: Transaction, mail: Mail) -> Notice | None:
    token = mail.recipient.partition("@")[0].partition("+")[2]
    if not token:
        return None
    return transaction.session.scalars(select(Notice).where(Notice.reply_hash == fingerprint(token))).one_or_none()


def _message_identity(notice: Notice, reply: Reply) -> str | None:
    return fingerprint(f"{notice.address} {reply.message_id}") if reply.message_id else None


def _seen_before(transaction: Transaction, notice: Notice, reply: Reply) -> bool:
    identity = _message_identity(notice, reply)
    return identity is not None and bool(
        transaction.session.scalars(select(Mail.id).where(Mail.identity == identity)).one_or_none()
    )


def _identity(transaction: Transaction, mail: Mail, reply: Reply, verdict: str) -> str | None:
    if verdict.startswith("ignored"):
        return None
    return _message_identity(cast(Notice, _answered(transaction, mail)), reply)


# -- what each kind of notice may be answered with


def _confirm(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    """Any word will do: that an answer came from this address, to this token, is the proof."""
    if not reply.paragraphs:
        return "nothing said"
    try:
        player = confirm(transaction, notice.about["registration"])
    except Conflict as error:
        _answer_stranger(transaction, mail, notice, error.code)
        return f"refused: {error.code}"
    _answer_stranger(transaction, mail, notice, "confirmed", player)
    return "registration confirmed"


def _join(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    words = [line for paragraph in reply.paragraphs for line in paragraph]
    found = re.match(r"(?:join|mitspielen|ja|yes)\b[\s,:]*(.*)", words[0], re.IGNORECASE) if words else None
    if found is None:
        return "nothing said"
    name = notice.address.partition("@")[0]
    name = name.title() if NAME.fullmatch(name.title()) else "Guest"
    player = player_at(transaction, notice.address, name, notice.language)
    proof = proof_of("mailed", _evidence(mail, reply))
    nonce = " ".join([found[1], *words[1:]]).strip() or mail.id
    try:
        match, seat = join_by_mail(transaction, cast(str, notice.match_id), player, nonce, proof)
    except Conflict as error:
        _answer_stranger(transaction, mail, notice, error.code, player)
        return f"refused: {error.code}"
    if match.status == "open":
        tell_player(transaction, "answer", f"answer:{mail.id}", player, match, seat, said="joined")
    return f"joined on seat {seat}"


def _move(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    player = transaction.session.get_one(Player, cast(str, notice.player_id))
    match, seat = find_match(cast(str, notice.match_id)), Seat(cast(int, notice.seat))
    lines, stumbled = _moves(reply, match, seat)
    if lines:
        evidence = _evidence(mail, reply)
        submission = accept_mailed(transaction, match.id, seat, player, mail.id, evidence, cast(int, notice.seq), lines)
        return f"submission {submission.id}"
    about: dict[str, Any] = {"said": "unclear", "line": stumbled} if stumbled else {"said": "nothing"}
    tell_player(transaction, "answer", f"answer:{mail.id}", player, match, seat, **about, below=reply.below)
    return "nothing said"


_ACTS = {"welcome": _confirm, "invitation": _join, "turn": _move, "answer": _move, "finished": _move}


def _moves(reply: Reply, match: Any, seat: Seat) -> tuple[list[str], str]:
    """The lines that are moves: one paragraph in which every line reads as one. Prose around it is left alone.

    Where a paragraph holds both moves and other lines, or several hold moves, nobody should guess: then there are none,
    and the second part of the answer is the line to ask about.
    """
    view = see_match(match, seat)
    found: list[str] = []
    for paragraph in reply.paragraphs:
        readable = [line for line in paragraph if _reads_as_move(line, view)]
        if not readable:
            continue
        if len(readable) < len(paragraph):
            return [], next(line for line in paragraph if line not in readable)
        if found or len(readable) > MOST_LINES:
            return [], readable[0]
        found = readable
    return found, ""


def _reads_as_move(line: str, sight: Any) -> bool:
    if len(line) > LONGEST_LINE:
        return False
    try:
        sight.game.parse(line, sight.view)
    except NotationError as error:
        return error.code == "ambiguous"  # it is meant as a move, and the answer will say what it may mean
    return True


def _evidence(mail: Mail, reply: Reply) -> dict[str, str]:
    domain = (reply.sender or "").rpartition("@")[2]
    digest = hashlib.sha256(mail.raw).hexdigest()
    return {"mail": digest, "dkim": "unchecked", "message_id": reply.message_id, "domain": domain}


def _answer_stranger(
    transaction: Transaction, mail: Mail, notice: Notice, said: str, player: Player | None = None
) -> None:
    """An answer to somebody who has no seat: about their registration, or an invitation that came to nothing."""
    store_notice(
        transaction,
        "answer",
        f"answer:{mail.id}",
        address=notice.address,
        language=notice.language,
        player_id=player.id if player else notice.player_id,
        match_id=notice.match_id,
        about={"said": said},
    )
