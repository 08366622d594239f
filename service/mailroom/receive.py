"""Taking mail in: stored as it came, then acknowledged, then read.

A mail counts on two things together: the token in the address it was sent to, and the registered address it comes from.
Answers go to the registered address only. A mail without a known token is never answered, nor one a machine wrote.
What a mail that counts says, and what is done then, is in `commands.py`.
"""

import hashlib
import logging
import re

from sqlalchemy import select

from service.addresses import heard_from
from service.errors import Malformed, NotFound
from service.ids import fingerprint, new_id
from service.mailroom.bounces import record_bounce
from service.mailroom.commands import Errand, follow
from service.mailroom.reply import NOTHING, Reply, read_reply
from service.mailroom.signatures import NONE, Verdict, check_signatures
from service.notices import answered_notice
from service.parts import now, parts
from service.preferences import preferences_of
from service.store.claims import claim, finish, put_back
from service.store.db import Transaction, db, writing
from service.store.tables import Mail, Player
from service.unsubscribe import unsubscribe_by_mail

# A notice's own addresses: to answer it, to leave its kind of mail, and where it comes back to.
_LOCAL = r"bounce(\+[a-z2-7]{52})?|stop\+[a-z2-7]{52}|play(\+[a-z2-7]{32})?"
LARGEST_MAIL = 1_048_576
LONGEST_SENDER = 320
MOST_LOOKS = 6
"""How often a mail whose signature matters is put back because the DNS doesn't answer: that is a minute."""

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


def accept_whole(sender: str, recipient: str, raw: bytes) -> str:
    """A mail that is handed over in one piece, envelope included: by a pipe or the hook. Stored, or refused."""
    if not is_ours(recipient):
        raise NotFound("mailbox_unknown", "There is no such mailbox here.")
    if len(raw) > LARGEST_MAIL:
        raise Malformed("mail_too_large", f"A mail has at most {LARGEST_MAIL} bytes.")
    if raw.startswith(b"From "):  # what some pipes put before a mail isn't part of it
        raw = raw.partition(b"\n")[2]
    # An address is printable ASCII; PostgreSQL takes no NUL, and UTF-8 no lone surrogates.
    return accept_mail(re.sub(r"[^!-~]", "?", sender)[:LONGEST_SENDER], recipient, raw)


def read_mail(mail_id: str) -> None:
    """Find out what it says and do it, or record why nothing was done."""
    mail = claim(Mail, mail_id)
    if mail is None:
        return
    try:
        reply, dkim, matters = _look_at(mail)
        if matters and dkim.result == "temporary" and mail.attempts < MOST_LOOKS:
            put_back(mail)
            return
        with writing() as transaction:
            verdict, identity = _act(transaction, mail, reply, dkim)
            if not finish(transaction, mail, verdict=verdict, identity=identity):
                transaction.session.rollback()
    except Exception:  # noqa: BLE001  (our fault, not the mail's: it is tried again)
        journal.exception("mail %s could not be read", mail_id)
        put_back(mail)


def _look_at(mail: Mail) -> tuple[Reply, Verdict, bool]:
    """Read it, and check who signed it, before any transaction: the DNS may take seconds. Also whether that matters.

    A mail that doesn't count makes us ask nobody.
    """
    notice = answered_notice(db.session(), mail.recipient)
    player = None if notice is None else _player_at(notice.address)
    matters = player is not None and bool(player.signed_by or preferences_of(player)["demand_dkim"])
    db.session.commit()
    if notice is None:
        return NOTHING, NONE, False
    reply = read_reply(mail.raw)
    if reply.sender != notice.address or reply.automatic:
        return reply, NONE, False
    return reply, check_signatures(mail.raw, notice.address.rpartition("@")[2], parts().look_up), matters


def _act(transaction: Transaction, mail: Mail, reply: Reply, dkim: Verdict) -> tuple[str, str | None]:
    """Do what the mail says. What is recorded of it, and what it is known by should it come again."""
    match mail.recipient.partition("+")[0]:
        case "bounce":
            return record_bounce(transaction, mail), None
        case "stop":
            return unsubscribe_by_mail(transaction, mail), None
    notice = answered_notice(transaction.session, mail.recipient)
    if notice is None:
        return "ignored: no token of ours in the address", None
    if mail.sender.partition("@")[0].lower() in ("", "<>", "mailer-daemon"):  # what Postfix writes to a pipe for <>
        return "ignored: no envelope sender", None
    if reply.automatic:
        return f"ignored: automatic ({reply.automatic})", None
    if reply.sender != notice.address:
        return "ignored: not from the registered address", None
    heard_from(transaction, notice.address)
    identity = fingerprint(f"{notice.address} {reply.message_id or hashlib.sha256(mail.raw).hexdigest()}")
    if transaction.session.scalars(select(Mail.id).where(Mail.identity == identity)).one_or_none() is not None:
        return "ignored: this Message-ID came before", None
    player = _player_at(notice.address)
    if player is not None and dkim.result == "pass":
        player.signed_by = dkim.domain
    return follow(Errand(transaction, mail, reply, notice, player, dkim)), identity


def _player_at(address: str) -> Player | None:
    return db.session.scalars(select(Player).where(Player.address == address)).one_or_none()
