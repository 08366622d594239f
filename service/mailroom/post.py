"""Sending: a notice is claimed, rendered, handed to the SMTP server, and only then marked as sent.

A crash between the server's 250 and our mark sends a second copy with the same Message-ID; nothing is ever lost. Each
step is a line of the ledger.
"""

import logging
import smtplib
import ssl
from contextlib import suppress
from functools import cache

from service.addresses import count_bounce
from service.ids import new_id
from service.ledger import note_step
from service.mailroom.bounces import bounce_address, nobody_there, status_in
from service.mailroom.compose import Outdated, compose, content_of
from service.mailroom.ways import finish_gathered, gather, gathered_for, way_of
from service.parts import now, parts
from service.settings import LOOPBACK, smtp_parts
from service.store.claims import claim, finish, put_back
from service.store.db import db, writing
from service.store.tables import Letter, Notice

TIMEOUT = 20  # less than a lease: who is still speaking then still holds the notice
MOST_ATTEMPTS = 60  # with waits of up to an hour that is more than two days
LONGEST_OUTCOME = 500

journal = logging.getLogger(__name__)


def deliver_notice(notice_id: str) -> None:
    """Send it, unless it is sent, somebody else's, unwanted, or no longer true."""
    notice = claim(Notice, notice_id)
    if notice is None:
        return
    try:
        way = way_of(notice)
        if way.does == "gather":
            gather(notice, way)
            return
        if way.does == "drop":
            _finish(notice, f"not sent: {way.why or way.step}", way.step, way.why)
            return
        if notice.kind == "digest":
            _drop_outdated(notice)
        raw = compose(notice)
    except Outdated as reason:
        _finish(notice, f"not sent: {reason}", "outdated", str(reason))
        return
    except Exception:  # noqa: BLE001  (our fault: it waits, and the others behind it don't)
        journal.exception("notice %s could not be written", notice_id)
        db.session.rollback()
        put_back(notice)
        return
    finally:
        db.session.commit()  # no transaction stays open while a socket is spoken to
    smtp_url = parts().settings.smtp_url
    if smtp_url is None:
        _put_into_mailbox(notice, raw)
    else:
        _hand_over(smtp_url, notice, raw)


def _hand_over(smtp_url: str, notice: Notice, raw: bytes) -> None:
    try:
        said = _send(smtp_url, bounce_address(notice), notice.address, raw)
    except smtplib.SMTPRecipientsRefused as refusal:
        code, text = next(iter(refusal.recipients.values()))
        _refused(notice, code, text, at_recipient=True)
    except smtplib.SMTPDataError as refusal:
        _refused(notice, refusal.smtp_code, refusal.smtp_error, at_recipient=False)
    except (OSError, smtplib.SMTPException) as error:
        # Also a 5xx to our greeting, password or sender: the fault is between us and the server, and will be mended.
        journal.warning("notice %s waits: %s", notice.id, error)
        _try_later(notice, f"{type(error).__name__}")
    else:
        _finish(notice, "sent", "accepted", said)


def _refused(notice: Notice, code: int, text: bytes | str, at_recipient: bool) -> None:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    reason = f"{code} {said}"
    if code < 500:
        _try_later(notice, reason)
    else:
        # What is said of the mail, and not of its recipient, says nothing about the address.
        nobody = at_recipient and nobody_there(status_in(code, said))
        _finish(notice, f"refused: {reason}"[:LONGEST_OUTCOME], "refused", reason, nobody=nobody)


def _try_later(notice: Notice, reason: str) -> None:
    if notice.attempts >= MOST_ATTEMPTS:
        _finish(notice, f"given up: {reason}"[:LONGEST_OUTCOME], "given_up", reason)
    else:
        put_back(notice, lambda transaction: note_step(transaction, notice.id, "deferred", reason))


def _finish(notice: Notice, outcome: str, step: str, why: str = "", nobody: bool = False) -> None:
    with writing() as transaction:
        if not finish(transaction, notice, outcome=outcome, done_at=now()):
            journal.warning("notice %s was taken over while it was being sent", notice.id)
            return
        note_step(transaction, notice.id, step, why)
        finish_gathered(transaction, notice, outcome, "digested" if outcome == "sent" else step)
        if nobody:
            count_bounce(transaction, notice.address, why)


def _drop_outdated(digest: Notice) -> None:
    """What the digest would bring and is no longer so."""
    with writing() as transaction:
        for notice in gathered_for(digest):
            try:
                content_of(notice)
            except Outdated as reason:
                notice.status, notice.outcome, notice.done_at = "done", f"not sent: {reason}", now()
                note_step(transaction, notice.id, "outdated", str(reason))


def _put_into_mailbox(notice: Notice, raw: bytes) -> None:
    with writing() as transaction:
        if finish(transaction, notice, outcome="sent", done_at=now()):
            note_step(transaction, notice.id, "accepted", "the mailbox")
            finish_gathered(transaction, notice, "sent", "digested")
            transaction.session.add(Letter(id=new_id(), recipient=notice.address, raw=raw, sent_at=now()))


def _send(smtp_url: str, sender: str, address: str, raw: bytes) -> str:
    """One mail to one recipient; what the server said when it took it."""
    tls, host, port, user, password = smtp_parts(smtp_url)
    server = (
        smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=_trusted())
        if tls
        else smtplib.SMTP(host, port, timeout=TIMEOUT)
    )
    try:
        server.ehlo_or_helo_if_needed()
        if not tls and server.has_extn("starttls"):
            server.starttls(context=_trusted())
            server.ehlo_or_helo_if_needed()
            tls = True
        if user and not tls and host not in LOOPBACK:
            raise smtplib.SMTPNotSupportedError("STARTTLS isn't offered, and a password doesn't go out in the clear")
        if user:
            server.login(user, password or "")
        said = _speak(server, sender, address, raw)
        with suppress(OSError, smtplib.SMTPException):  # it has the mail; how it says goodbye changes nothing
            server.quit()
        return said
    finally:
        server.close()


@cache
def _trusted() -> ssl.SSLContext:
    """Whom we trust. Reading that anew for each mail took a third of all the time a mail takes (seen)."""
    return ssl.create_default_context()


def _speak(server: smtplib.SMTP, sender: str, address: str, raw: bytes) -> str:
    """As smtplib's `sendmail`, which keeps to itself what the server said at the end."""
    code, said = server.mail(sender, [f"SIZE={len(raw)}"] if server.has_extn("size") else [])
    if code != 250:
        raise smtplib.SMTPSenderRefused(code, said, sender)
    code, said = server.rcpt(address)
    if code not in (250, 251):
        raise smtplib.SMTPRecipientsRefused({address: (code, said)})
    code, said = server.data(raw)
    if code != 250:
        raise smtplib.SMTPDataError(code, said)
    return f"{code} {said.decode(errors='replace')}"
