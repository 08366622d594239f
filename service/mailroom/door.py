"""The mail door: an SMTP listener (aiosmtpd) that stores a mail before it says 250."""

import asyncio
import logging
from collections.abc import Callable

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from flask import Flask

from service.mailroom.receive import LARGEST_MAIL, accept_mail, is_ours

MOST_RECIPIENTS = 5

journal = logging.getLogger(__name__)


class Door:
    """What aiosmtpd calls. Storing blocks, so it happens in a thread."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    async def handle_RCPT(  # noqa: N802  (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        with self._app.app_context():
            ours = is_ours(address)
        if not ours:
            return "550 5.1.1 No such mailbox here"
        address = address.lower()
        if address not in envelope.rcpt_tos:
            if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
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


def open_door(app: Flask, host: str, port: int) -> Callable[[], None]:
    """Listen in a thread of its own. What comes back closes the door."""
    controller = Controller(
        Door(app), hostname=host, port=port, data_size_limit=LARGEST_MAIL, enable_SMTPUTF8=False, ident="Ogham"
    )
    controller.start()
    return controller.stop
