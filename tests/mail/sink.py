"""A real SMTP server that keeps what it is given, and that can be told to misbehave.

    with Sink() as sink:
        settings = stage_settings(url, smtp_url=sink.url)
        sink.will("451 4.7.1 Come back later")           # answer the next mail so, at its final dot
        sink.will("550 5.1.1 No such user", at="RCPT")   # or at another command: "EHLO", "MAIL", "QUIT"
        sink.will(DROP)                                  # lose the connection instead of answering: nothing is kept
        sink.will(KEEP_AND_DROP)                         # the worst: the mail is kept, and the sender never hears it
        sink.pause = 0.05                                # from now on, think so long before each answer
        sink.close(); sink.open()                        # nobody listens; then again, on the same port
        mail = sink.wait_for(lambda mail: mail.rcpt == "ann@example.org", timeout=5)

Each `will` is good once, in the order they were said; a mail for which nothing is planned is kept and gets its 250.
"""

import asyncio
import threading
import time
from asyncio import Transport
from collections import defaultdict, deque
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, NamedTuple, Self, cast
from weakref import WeakKeyDictionary

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from tests.servers import free_port

DROP = "drop"
KEEP_AND_DROP = "keep and drop"


class Sent(NamedTuple):
    """One mail for one recipient, as it came over the wire."""

    envelope_from: str
    rcpt: str
    raw: bytes

    @property
    def letter(self) -> EmailMessage:
        return message_from_bytes(self.raw, policy=policy.default)


class Sink:
    """With a `password` it offers AUTH, and refuses any other (the user is `ogham`)."""

    def __init__(self, password: str = "") -> None:
        self.mails: list[Sent] = []
        self.pause = 0.0
        self.port = free_port()
        self.url = f"smtp://{f'ogham:{password}@' if password else ''}127.0.0.1:{self.port}"
        self._password = password
        self._arrived = threading.Condition()
        self._plans: dict[str, deque[str]] = defaultdict(deque)
        self._controller: Controller | None = None
        self.open()

    def will(self, answer: str, at: str = "DATA") -> None:
        """What it says (or does) once, at this command; see the module's docstring."""
        self._plans[at].append(answer)

    def wait_for(self, predicate: Callable[[Sent], bool], timeout: float = 10, since: int = 0) -> Sent:
        """The first mail, from number `since` on, for which this holds; waits until it comes."""
        end = time.monotonic() + timeout
        with self._arrived:
            while True:
                for mail in self.mails[since:]:
                    if predicate(mail):
                        return mail
                if not self._arrived.wait(end - time.monotonic()):
                    raise TimeoutError(f"no such mail in {timeout} s; there are {len(self.mails)}")

    def open(self) -> None:
        how: dict[str, Any] = {"auth_require_tls": False, "authenticator": self._admits} if self._password else {}
        self._controller = Controller(_Handler(self), hostname="127.0.0.1", port=self.port, **how)
        self._controller.start()

    def close(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _admits(self, *asked: Any) -> AuthResult:
        return AuthResult(success=asked[-1].password == self._password.encode(), handled=False)

    def _planned(self, command: str) -> str | None:
        return self._plans[command].popleft() if self._plans[command] else None

    def _keep(self, envelope: Envelope) -> None:
        content = envelope.original_content or b""
        with self._arrived:
            self.mails += [Sent(envelope.mail_from or "", rcpt, content) for rcpt in envelope.rcpt_tos]
            self._arrived.notify_all()


class _Handler:
    """What aiosmtpd calls, in the sink's own thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._refused: WeakKeyDictionary[Session, str] = WeakKeyDictionary()

    async def handle_EHLO(  # noqa: N802  (aiosmtpd's names)
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        answer = self._answer(server, "EHLO")
        if answer.startswith("2"):
            return responses
        self._refused[session] = answer  # who tries HELO then hears the same
        return [answer]

    async def handle_HELO(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str
    ) -> str:
        session.host_name = hostname
        return self._refused.get(session, f"250 {server.hostname}")

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        await asyncio.sleep(self._sink.pause)
        answer = self._answer(server, "MAIL")
        if answer.startswith("2"):
            envelope.mail_from = address
        return answer

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        await asyncio.sleep(self._sink.pause)
        answer = self._answer(server, "RCPT")
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        await asyncio.sleep(self._sink.pause)
        plan = self._sink._planned("DATA") or "250 2.0.0 Kept"
        if plan.startswith("2") or plan == KEEP_AND_DROP:
            self._sink._keep(envelope)
        return _said(server, plan)

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        return _said(server, self._sink._planned("QUIT") or "221 Bye")

    def _answer(self, server: SMTP, command: str) -> str:
        return _said(server, self._sink._planned(command) or "250 OK")


def _said(server: SMTP, plan: str) -> str:
    if plan in (DROP, KEEP_AND_DROP):
        cast(Transport, server.transport).abort()
        return "421 Gone"  # nobody hears it
    return plan
