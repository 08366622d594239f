"""The mail door: an SMTP and an LMTP listener (aiosmtpd) that store a mail before they say 250.

The other doors are the command `ogham receive` and the route in `service/api/mails.py`: all end in `accept_mail`.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import ExitStack

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from service.mailroom.receive import LARGEST_MAIL, accept_mail, is_ours

MOST_RECIPIENTS = 5

journal = logging.getLogger(__name__)


class Door:
    """What aiosmtpd calls. Storing blocks, so it happens in a thread."""

    def __init__(self, app: Flask, most_recipients: int = MOST_RECIPIENTS) -> None:
        self._app = app
        self._most_recipients = most_recipients

    async def handle_RCPT(  # noqa: N802  (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        with self._app.app_context():
            ours = is_ours(address)
        if not ours:
            return "550 5.1.1 No such mailbox here"
        address = address.lower()
        if address not in envelope.rcpt_tos:
            if len(envelope.rcpt_tos) >= self._most_recipients:
                return "452 4.5.3 Too many recipients"
            envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._store, envelope)
        except Exception:  # noqa: BLE001  (whatever it was, the sender must hear that it isn't stored)
            journal.exception("a mail could not be stored")
            return "451 4.3.0 Not stored, please try again later"
        return "250 2.0.0 Stored"

    def _store(self, envelope: Envelope) -> None:
        content = envelope.content
        raw = content.encode() if isinstance(content, str) else content or b""
        with self._app.app_context():
            for recipient in envelope.rcpt_tos:
                accept_mail(envelope.mail_from or "", recipient, raw)


class Listener(Controller):
    """A listener in a thread of its own; `protocol` is SMTP or LMTP."""

    def __init__(self, protocol: type[SMTP], door: Door, host: str, port: int) -> None:
        self._protocol = protocol
        super().__init__(
            door, hostname=host, port=port, data_size_limit=LARGEST_MAIL, enable_SMTPUTF8=False, ident="Ogham"
        )

    def factory(self) -> SMTP:
        return self._protocol(self.handler, **self.SMTP_kwargs)


def open_door(app: Flask, host: str, port: int, lmtp_port: int | None = None) -> Callable[[], None]:
    """Listen for SMTP and, where a port is given, for LMTP. What comes back closes the door."""
    listeners = [Listener(SMTP, Door(app), host, port)]
    if lmtp_port is not None:
        # One recipient: RFC 2033 wants an answer for each after DATA, and aiosmtpd gives one.
        listeners.append(Listener(LMTP, Door(app, most_recipients=1), host, lmtp_port))
    with ExitStack() as opened:
        for listener in listeners:
            listener.start()
            opened.callback(listener.stop)
        return opened.pop_all().close
