"""Sending: a notice is claimed, rendered, handed to the SMTP server, and only then marked as sent.

A crash between the server's 250 and our mark sends a second copy with the same Message-ID; nothing is ever lost.
"""

import logging
import smtplib
import ssl
from contextlib import suppress

from service.ids import new_id
from service.mailroom.compose import Outdated, compose
from service.parts import now, parts
from service.settings import LOOPBACK, smtp_parts
from service.store.claims import claim, finish, put_back
from service.store.db import db, writing
from service.store.tables import Letter, Notice

TIMEOUT = 20  # less than a lease: who is still speaking then still holds the notice
MOST_ATTEMPTS = 60  # with waits of up to an hour that is more than two days

journal = logging.getLogger(__name__)


def deliver_notice(notice_id: str) -> None:
    """Send it, unless it is sent, somebody else's, or no longer true."""
    notice = claim(Notice, notice_id)
    if notice is None:
        return
    try:
        raw = compose(notice)
    except Outdated as reason:
        _finish(notice, f"not sent: {reason}")
        return
    except Exception:  # noqa: BLE001  (our fault: it waits, and the others behind it don't)
        journal.exception("notice %s could not be written", notice_id)
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
        _send(smtp_url, notice.address, raw)
    except smtplib.SMTPRecipientsRefused as refusal:
        code, text = next(iter(refusal.recipients.values()))
        _refused(notice, code, text)
    except smtplib.SMTPDataError as refusal:
        _refused(notice, refusal.smtp_code, refusal.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        # Also a 5xx to our greeting, password or sender: the fault is between us and the server, and will be mended.
        journal.warning("notice %s waits: %s", notice.id, error)
        _try_later(notice, f"{type(error).__name__}")
    else:
        _finish(notice, "sent")


def _refused(notice: Notice, code: int, text: bytes | str) -> None:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    if code >= 500:
        _finish(notice, f"refused: {code} {said}"[:500])
    else:
        _try_later(notice, f"{code} {said}")


def _try_later(notice: Notice, reason: str) -> None:
    if notice.attempts >= MOST_ATTEMPTS:
        _finish(notice, f"given up: {reason}"[:500])
    else:
        put_back(notice)


def _finish(notice: Notice, outcome: str) -> None:
    with writing() as transaction:
        if not finish(transaction, notice, outcome=outcome, done_at=now()):
            journal.warning("notice %s was taken over while it was being sent", notice.id)


def _put_into_mailbox(notice: Notice, raw: bytes) -> None:
    with writing() as transaction:
        if finish(transaction, notice, outcome="sent", done_at=now()):
            transaction.session.add(Letter(id=new_id(), recipient=notice.address, raw=raw, sent_at=now()))


def _send(smtp_url: str, address: str, raw: bytes) -> None:
    tls, host, port, user, password = smtp_parts(smtp_url)
    context = ssl.create_default_context()
    server = (
        smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=context)
        if tls
        else smtplib.SMTP(host, port, timeout=TIMEOUT)
    )
    try:
        server.ehlo()
        if not tls and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
            tls = True
        if user and not tls and host not in LOOPBACK:
            raise smtplib.SMTPNotSupportedError("STARTTLS isn't offered, and a password doesn't go out in the clear")
        if user:
            server.login(user, password or "")
        server.sendmail(f"bounce@{parts().settings.mail_domain}", [address], raw)
        with suppress(OSError, smtplib.SMTPException):  # it has the mail; how it says goodbye changes nothing
            server.quit()
    finally:
        server.close()
