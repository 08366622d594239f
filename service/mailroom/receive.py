"""Taking mail in: stored as it came, then acknowledged, then read.

A mail counts on two things together: the token in the address it was sent to, and the registered address it comes from.
Answers go to the registered address only. A mail without a known token is never answered, nor one a machine wrote.
"""

import hashlib
import logging
import re
from typing import Any, cast

from sqlalchemy import func, select

from engine.events import Seat
from engine.game import Language
from service.addresses import heard_from
from service.clocks import be_back
from service.errors import Conflict, ServiceError
from service.ids import fingerprint, new_id
from service.mailroom.bounces import record_bounce
from service.mailroom.lines import find_moves, find_orders
from service.mailroom.reply import Reply, read_reply
from service.matches import find_match, join_by_mail, lock_match, see_match
from service.moves import accept_mailed
from service.nonces import open_nonce_by_mail
from service.notices import store_notice, tell_player
from service.orders import give_mailed
from service.parts import now, parts
from service.players import NAME, confirm, player_at
from service.store.claims import claim, finish, put_back
from service.store.db import Transaction, writing
from service.store.logbook import proof_of
from service.store.tables import Mail, Match, Notice, Player
from service.unsubscribe import unsubscribe_by_mail

# A notice's own addresses: to answer it, to leave its kind of mail, and where it comes back to.
_LOCAL = r"bounce(\+[a-z2-7]{52})?|stop\+[a-z2-7]{52}|play(\+[a-z2-7]{32})?"
LARGEST_MAIL = 1_048_576
MOST_ANSWERS = 5

journal = logging.getLogger(__name__)


def is_ours(recipient: str) -> bool:
    """Whether mail to this address is for us."""
    local, _, domain = recipient.lower().rpartition("@")
    return domain == parts().settings.mail_domain and bool(re.fullmatch(_LOCAL, local))


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
        with writing() as transaction:
            verdict, identity = _act(transaction, mail)
            if not finish(transaction, mail, verdict=verdict, identity=identity):
                transaction.session.rollback()
    except Exception:  # noqa: BLE001  (our fault, not the mail's: it is tried again)
        journal.exception("mail %s could not be read", mail_id)
        put_back(mail)


def _act(transaction: Transaction, mail: Mail) -> tuple[str, str | None]:
    """Do what the mail says. What is recorded of it, and what it is known by should it come again."""
    match mail.recipient.partition("+")[0]:
        case "bounce":
            return record_bounce(transaction, mail), None
        case "stop":
            return unsubscribe_by_mail(transaction, mail), None
    notice = _answered(transaction, mail)
    if notice is None:
        return "ignored: no token of ours in the address", None
    if mail.sender in ("", "<>"):
        return "ignored: no envelope sender", None
    reply = read_reply(mail.raw)
    if reply.automatic:
        return f"ignored: automatic ({reply.automatic})", None
    if reply.sender != notice.address:
        return "ignored: not from the registered address", None
    heard_from(transaction, notice.address)
    identity = fingerprint(f"{notice.address} {reply.message_id or hashlib.sha256(mail.raw).hexdigest()}")
    if transaction.session.scalars(select(Mail.id).where(Mail.identity == identity)).one_or_none() is not None:
        return "ignored: this Message-ID came before", None
    return _ACTS.get(notice.kind, _move)(transaction, mail, reply, notice), identity


def _answered(transaction: Transaction, mail: Mail) -> Notice | None:
    token = mail.recipient.partition("@")[0].partition("+")[2]
    if not token:
        return None
    return transaction.session.scalars(select(Notice).where(Notice.reply_hash == fingerprint(token))).one_or_none()


# -- what each kind of notice may be answered with


def _confirm(transaction: Transaction, _: Mail, reply: Reply, notice: Notice) -> str:
    """Only a yes will do: who asks what this is, or says no, wants no player, nor somebody else's key in their name."""
    if _words_after(r"yes|ja", reply) is None:
        _answer_once(transaction, notice, "unconfirmed")
        return "nothing said"
    try:
        player = confirm(transaction, notice.about["registration"])
    except Conflict as error:
        _answer_once(transaction, notice, error.code)
        return f"refused: {error.code}"
    _answer_once(transaction, notice, "confirmed", player)
    return "registration confirmed"


def _join(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    words = _words_after(r"join|mitspielen|yes|ja", reply)
    if words is None:
        _answer_once(transaction, notice, "not_joined")
        return "nothing said"
    name = notice.address.partition("@")[0].title()
    proof = proof_of("mailed", _evidence(mail, reply))
    try:
        with transaction.session.begin_nested():
            player = player_at(transaction, notice.address, name if NAME.fullmatch(name) else "Guest", notice.language)
            match, seat = join_by_mail(transaction, cast(str, notice.match_id), player, words or mail.id, proof)
    except Conflict as error:
        _answer_once(transaction, notice, error.code)
        return f"refused: {error.code}"
    if match.status == "open":
        tell_player(transaction, "answer", f"answer:{notice.id}", player, match, seat, said="joined")
    return f"joined on seat {seat}"


def _open_nonce(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    """Whoever knows what the hash was made of opens it: the answer proves itself."""
    match_id, seat = cast(str, notice.match_id), cast(int, notice.seat)
    player = transaction.session.get_one(Player, cast(str, notice.player_id))
    proof = proof_of("mailed", _evidence(mail, reply))
    lines = [line for paragraph in reply.paragraphs for line in paragraph]
    opened = any(open_nonce_by_mail(transaction, match_id, seat, player, line, proof) for line in lines)
    match = find_match(match_id)
    if match.status == "open" or not opened:
        said = "nonce_opened" if opened else "nonce_wrong"
        tell_player(transaction, "answer", f"answer:{notice.id}:{said}", player, match, seat, said=said)
    return "nonce opened" if opened else "nothing said"


def _words_after(opening: str, reply: Reply) -> str | None:
    """What follows one of these words, which must be the mail's first; None where it isn't."""
    lines = [line for paragraph in reply.paragraphs for line in paragraph]
    found = re.match(rf"(?:{opening})\b[\s,:]*(.*)", lines[0], re.IGNORECASE) if lines else None
    return None if found is None else " ".join([found[1], *lines[1:]]).strip()


def _answer_once(transaction: Transaction, notice: Notice, said: str, player: Player | None = None) -> None:
    """An answer to somebody who has no seat, about their registration or invitation. The same is said once."""
    store_notice(
        transaction,
        "answer",
        f"answer:{notice.id}:{said}",
        address=notice.address,
        language=notice.language,
        player_id=player.id if player else notice.player_id,
        match_id=notice.match_id,
        about={"said": said},
    )


def _move(transaction: Transaction, mail: Mail, reply: Reply, notice: Notice) -> str:
    if notice.match_id is None or notice.seat is None:
        return "ignored: there is nothing to decide"
    match, seat = find_match(notice.match_id), Seat(notice.seat)
    if match.status == "open":
        return "ignored: the match has not started"
    back = be_back(transaction, lock_match(transaction.session, match.id), seat)
    player = transaction.session.get_one(Player, cast(str, notice.player_id))
    orders, paragraphs = find_orders(reply.paragraphs)
    lines, stumbled = find_moves(paragraphs, see_match(match, seat), player.name, cast(Language, player.language))
    evidence, done = _evidence(mail, reply), []
    if orders and not stumbled:
        refusal = _order(transaction, mail, match.id, player, seat, orders, evidence, act=not lines)
        if refusal is not None:
            return _ask_again(transaction, mail, match, seat, player, refusal)
        done.append("orders")
    if lines:
        submission = accept_mailed(transaction, match.id, seat, player, mail.id, evidence, cast(int, notice.seq), lines)
        done.append(f"submission {submission.id}")
    if done:
        return ", ".join(done)
    if back:
        return "back"
    if match.to_act != seat and not stumbled:
        return "nothing said"  # and nothing was asked
    about: dict[str, Any] = {"said": "unclear", "line": stumbled} if stumbled else {"said": "nothing"}
    return _ask_again(transaction, mail, match, seat, player, about | {"below": reply.below})


def _order(
    transaction: Transaction, mail: Mail, match_id: str, player: Player, seat: Seat, lines: list[str],
    evidence: dict[str, str], act: bool,
) -> dict[str, Any] | None:  # fmt: skip
    """Leave the orders, and say which stand now; what to say instead where one of them is none."""
    lines = [line for line in lines if line]  # `orders` alone asks which there are
    try:
        with transaction.session.begin_nested():
            given = give_mailed(transaction, match_id, player, seat, lines, mail.id, evidence, act)
    except ServiceError as error:
        return {"said": "order_refused", "line": "; ".join(lines), "detail": error.sentence}
    match = find_match(match_id)
    numbers = [order.number for order in given]
    tell_player(transaction, "answer", f"answer:{mail.id}:orders", player, match, seat, said="orders", numbers=numbers)
    return None


def _ask_again(
    transaction: Transaction, mail: Mail, match: Match, seat: Seat, player: Player, about: dict[str, Any]
) -> str:
    if _answers(transaction, match, seat) >= MOST_ANSWERS:
        return "ignored: answered often enough"
    tell_player(transaction, "answer", f"answer:{mail.id}", player, match, seat, **about)
    return "nothing said"


def _answers(transaction: Transaction, match: Match, seat: Seat) -> int:
    """How many were sent about the decision that is due. A machine that doesn't say it is one would answer them all."""
    told = (Notice.kind == "answer", Notice.match_id == match.id, Notice.seat == seat, Notice.seq == match.length)
    return transaction.session.scalar(select(func.count()).select_from(Notice).where(*told)) or 0


_ACTS = {"welcome": _confirm, "invitation": _join, "nonce": _open_nonce}
"""All other notices are about a seat, or ask for nothing."""


def _evidence(mail: Mail, reply: Reply) -> dict[str, str]:
    domain = (reply.sender or "").rpartition("@")[2]
    digest = hashlib.sha256(mail.raw).hexdigest()
    return {"mail": digest, "dkim": "unchecked", "message_id": reply.message_id, "domain": domain}
