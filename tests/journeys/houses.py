"""Ogham as real processes, in both set-ups: started, spoken to over HTTP and SMTP, killed, started again."""

import os
import signal
import smtplib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

import httpx

from tests.mail.sink import Sink
from tests.servers import Postgres, Redis, dies_with_us, free_port

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
DOMAIN = "ogham.test"
PATIENCE = 30.0


class House(Protocol):
    """A running Ogham: where it is, the mails it sent, and a way to mail it."""

    url: str
    mail_port: int

    def letters(self, address: str) -> list[EmailMessage]:
        """What it sent to this address, the oldest first."""


def until(found: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Wait until it is so; fail when it takes too long."""
    end = time.monotonic() + patience
    while not found():
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s for {what}")
        time.sleep(0.03)


def post(house: House, mail: EmailMessage) -> None:
    """Hand a mail to the house's door, in a real SMTP dialogue."""
    with smtplib.SMTP("127.0.0.1", house.mail_port, timeout=10) as server:
        server.send_message(mail)


class Program:
    """One process with its children, in a group of its own. Its output is kept for when a test fails."""

    def __init__(self, folder: Path, name: str, command: list[str], environment: dict[str, str]) -> None:
        self._log = folder / f"{name}.log"
        self._command = command
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env={name: value for name, value in os.environ.items() if not name.startswith("OGHAM_")}
                | {"DATABASE_URL": "", "REDIS_URL": "", "SMTP_URL": ""}
                | self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=dies_with_us(signal.SIGTERM),  # noqa: PLW1509  (calls nothing but prctl)
            )

    def kill(self) -> None:
        """kill -9, children too."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, number)
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(5)
        self._process = None

    def ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def output(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


class Embedded:
    """`ogham up`, or the same with other games."""

    def __init__(self, folder: Path, command: list[str] | None = None) -> None:
        port, self.mail_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._data = folder / "var"
        self._letters: list[tuple[int, str, EmailMessage]] = []
        environment = {
            "OGHAM_DATA": str(self._data),
            "OGHAM_PORT": str(port),
            "OGHAM_MAIL_PORT": str(self.mail_port),
            "OGHAM_MAIL_DOMAIN": DOMAIN,
            "OGHAM_LINGER": "0",  # whole matches are played here, in a minute or two
            "OGHAM_MAILS_A_DAY": "100000",
        }
        self.program = Program(folder, "up", command or [str(BIN / "ogham"), "up"], environment)

    def start(self) -> None:
        self.program.start()
        wait_until_ready(self.url, self.program)

    def letters(self, address: str) -> list[EmailMessage]:
        seen = max((row for row, _, _ in self._letters), default=0)
        with closing(sqlite3.connect(f"file:{self._data}/ogham.sqlite?mode=ro", uri=True)) as database:
            new = database.execute("SELECT rowid, recipient, raw FROM letter WHERE rowid > ? ORDER BY rowid", (seen,))
            self._letters += [(row, recipient, read_letter(raw)) for row, recipient, raw in new]
        return [letter for _, recipient, letter in self._letters if recipient == address]

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self._data}/ogham.sqlite"


class Grown:
    """gunicorn, two workers, the schedule and the mail listener, on PostgreSQL and Redis, with an SMTP server."""

    def __init__(self, folder: Path, postgres: Postgres, redis: Redis, sink: Sink, **settings: str) -> None:
        port, self.mail_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.database_url = postgres.create_database()
        self.sink = sink
        self._letters: list[tuple[str, EmailMessage]] = []
        environment = {
            "DATABASE_URL": self.database_url,
            "REDIS_URL": redis.url,
            "SMTP_URL": sink.url,
            "OGHAM_SECRET": "a secret of at least thirty-two characters",
            "OGHAM_PUBLIC_URL": self.url,
            "OGHAM_MAIL_DOMAIN": DOMAIN,
            "OGHAM_MAIL_PORT": str(self.mail_port),
            "OGHAM_THREADS": "8",
            "OGHAM_LINGER": "0",
        } | settings
        ogham = str(BIN / "ogham")
        gunicorn = [str(BIN / "gunicorn"), "ogham.wsgi:app", "--bind", f"127.0.0.1:{port}", "--workers", "2"]
        commands = {
            "api": [*gunicorn, "--worker-class", "gthread", "--threads", "8", "--graceful-timeout", "3"],
            "worker": [ogham, "worker"],
            "worker2": [ogham, "worker"],
            "schedule": [ogham, "schedule"],
            "mail": [ogham, "mail"],
        }
        self.programs = {name: Program(folder, name, command, environment) for name, command in commands.items()}
        self._migrate = [ogham, "migrate"]
        self._environment = environment

    def set(self, **settings: str) -> None:
        """Before it is started."""
        self._environment |= settings

    def start(self) -> None:
        subprocess.run(self._migrate, cwd=ROOT, env=os.environ | self._environment, check=True, timeout=60)
        for program in self.programs.values():
            program.start()
        wait_until_ready(self.url, self.programs["api"])
        until(lambda: door_answers(self.mail_port), "the mail listener")

    def stop(self) -> None:
        """At once: nothing is needed of it any more."""
        for program in self.programs.values():
            program.kill()

    def letters(self, address: str) -> list[EmailMessage]:
        self._letters += [(mail.rcpt, read_letter(mail.raw)) for mail in self.sink.mails[len(self._letters) :]]
        each_once: dict[str, EmailMessage] = {}
        for recipient, letter in self._letters:
            if recipient == address:
                each_once.setdefault(str(letter["Message-ID"]), letter)
        return list(each_once.values())


def read_letter(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def wait_until_ready(url: str, program: Program) -> None:
    try:
        until(lambda: program.ended() or is_ready(url), f"{url} to be ready")
    except AssertionError as error:
        raise AssertionError(f"{error}; it said:\n{program.output()}") from None
    assert not program.ended(), program.output()


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/v1/health/ready", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def door_answers(port: int) -> bool:
    try:
        with smtplib.SMTP("127.0.0.1", port, timeout=2) as server:
            return server.noop()[0] == 250
    except OSError:
        return False


@contextmanager
def embedded_house(folder: Path, command: list[str] | None = None) -> Iterator[Embedded]:
    house = Embedded(folder, command)
    house.start()
    try:
        yield house
    finally:
        house.program.stop()


@contextmanager
def grown_house(folder: Path, postgres: Postgres, redis: Redis, **settings: str) -> Iterator[Grown]:
    with ExitStack() as stack:
        sink = stack.enter_context(Sink())
        house = Grown(folder, postgres, redis, sink, **settings)
        stack.callback(house.stop)
        house.start()
        yield house
