"""What can be set, and the only place that reads the environment.

Two set-ups exist. *Embedded*: nothing is set; one process, SQLite, a broker in memory, and a mailbox in the browser in
place of a mail server. *Grown*: `DATABASE_URL`, `REDIS_URL` and `SMTP_URL` are all set. Anything between the two
refuses to start, so that a half-configured service never answers.
"""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from engine.bots import WORK

LOOPBACK = ("127.0.0.1", "::1", "localhost")

# name: (default, what it means). Documented in docs/operations.md; a test holds the two lists equal.
VARIABLES = {
    "DATABASE_URL": ("", "PostgreSQL, as SQLAlchemy writes it: postgresql+psycopg://user:password@host/database"),
    "REDIS_URL": ("", "the broker that rings the workers' bell: redis://host:6379/0"),
    "SMTP_URL": ("", "where mail goes out: smtp://user:password@host:587 (STARTTLS where offered) or smtps://host:465"),
    "OGHAM_SECRET": ("", "at least 32 random characters; reply addresses are made from it, so keep it and back it up"),
    "OGHAM_PUBLIC_URL": ("", "how clients reach the API; signed assertions name it: https://ogham.example"),
    "OGHAM_MAIL_DOMAIN": ("", "the domain of our own addresses; its MX leads to the mail listener"),
    "OGHAM_DATA": ("var", "folder of the embedded set-up: the database, the secret"),
    "OGHAM_HOST": (
        "127.0.0.1",
        "address the embedded API and mail listener bind to, or `ogham mail` in the grown set-up",
    ),
    "OGHAM_PORT": ("8000", "port of the embedded API"),
    "OGHAM_MAIL_PORT": ("8025", "port of the mail listener"),
    "OGHAM_LINGER": ("1", "seconds that a turn mail waits, so that a turn that passes at once makes none"),
    "OGHAM_MAILS_A_DAY": ("500", "how many mails an address gets in a day; what is more goes into its player's digest"),
    "OGHAM_BOT_WORK": (str(WORK), "how many positions a bot may look at for a move: its time budget, see docs/bots.md"),
    "OGHAM_DKIM_KEY": (
        "",
        "file with the key that signs our mails (`ogham dkim-key` makes one); none: they aren't signed",
    ),
    "OGHAM_DKIM_SELECTOR": ("ogham", "the key's name in the DNS: <selector>._domainkey.<OGHAM_MAIL_DOMAIN>"),
    "OGHAM_THREADS": ("8", "request threads of one API process; at most half of them wait for a verdict"),
    "OGHAM_LMTP_PORT": ("", "port of an LMTP listener beside the SMTP one, for a mail server on the same machine"),
    "OGHAM_HOOK_SECRET": ("", "at least 32 random characters; with them, `POST /v1/mails` takes mail in over HTTP"),
}


SHORTEST_SECRET = 32

# What a value must look like where one is given.
FORMS = {
    "DATABASE_URL": r"postgresql\+psycopg://.+",
    "REDIS_URL": r"rediss?://.+",
    "SMTP_URL": r"smtps?://.+",
    "OGHAM_SECRET": rf".{{{SHORTEST_SECRET},}}",
    "OGHAM_PUBLIC_URL": r"https?://[^/\s]+(/\S*)?",
    "OGHAM_MAIL_DOMAIN": r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*",
    "OGHAM_HOOK_SECRET": rf"[!-~]{{{SHORTEST_SECRET},}}",
    "OGHAM_LINGER": r"\d{1,3}(\.\d{1,3})?",
    "OGHAM_MAILS_A_DAY": r"[1-9]\d{0,8}",
    "OGHAM_BOT_WORK": r"[1-9]\d{0,4}",
    "OGHAM_DKIM_SELECTOR": r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*",
}


class BadSettings(Exception):
    """The settings don't go together; the text says which and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it, checked. Tests make their own; everything else takes it from the environment."""

    database_url: str
    redis_url: str | None
    """None: a broker in this process's memory."""
    smtp_url: str | None
    """None: mails go to the mailbox in the browser."""
    secret: bytes
    public_url: str
    mail_domain: str
    host: str = "127.0.0.1"
    port: int = 8000
    mail_port: int = 8025
    threads: int = 8
    lmtp_port: int | None = None
    """None: no LMTP."""
    hook_secret: str | None = None
    """None: no mail comes in over HTTP."""
    sweep_every: timedelta = timedelta(seconds=1)
    ring_every: timedelta = timedelta(milliseconds=200)
    """How often the schedule looks for notices whose moment has come."""
    lease: timedelta = timedelta(seconds=30)
    """How long a claimed mail or notice belongs to its worker; a delivery takes less or is taken over."""
    linger: timedelta = timedelta(seconds=1)
    mails_a_day: int = 500
    bot_work: int = WORK
    dkim_key: bytes | None = None
    """PEM; None: what we send isn't signed."""
    dkim_selector: str = "ogham"

    @property
    def embedded(self) -> bool:
        return self.smtp_url is None

    @staticmethod
    def from_environment(
        environ: Mapping[str, str] = os.environ, instead: Mapping[str, str] | None = None
    ) -> "Settings":
        """What the variables say; `instead` goes before them."""
        environ = {**environ, **(instead or {})}
        value = {name: environ.get(name, "") or default for name, (default, _) in VARIABLES.items()}
        servers = [name for name in ("DATABASE_URL", "REDIS_URL", "SMTP_URL") if value[name]]
        common: dict[str, Any] = {
            "host": value["OGHAM_HOST"],
            "port": _port("OGHAM_PORT", value["OGHAM_PORT"]),
            "mail_port": _port("OGHAM_MAIL_PORT", value["OGHAM_MAIL_PORT"]),
            "threads": _port("OGHAM_THREADS", value["OGHAM_THREADS"]),
            "lmtp_port": _port("OGHAM_LMTP_PORT", value["OGHAM_LMTP_PORT"]) if value["OGHAM_LMTP_PORT"] else None,
            "hook_secret": value["OGHAM_HOOK_SECRET"] or None,
        }
        for name, form in FORMS.items():
            if value[name] and not re.fullmatch(form, value[name]):  # which isn't shown: there may be a password in it
                raise BadSettings(f"{name} isn't what it must be: {VARIABLES[name][1]}.")
        common |= {
            "linger": timedelta(seconds=float(value["OGHAM_LINGER"])),
            "mails_a_day": int(value["OGHAM_MAILS_A_DAY"]),
            "bot_work": int(value["OGHAM_BOT_WORK"]),
            "dkim_key": _dkim_key(value["OGHAM_DKIM_KEY"]),
            "dkim_selector": value["OGHAM_DKIM_SELECTOR"],
        }
        if not servers:
            return _embedded(value, common)
        missing = [name for name in list(VARIABLES)[:6] if not value[name]]
        if missing:
            raise BadSettings(
                f"{', '.join(servers)} given, but not {', '.join(missing)}. Set all of them, or none of DATABASE_URL,"
                " REDIS_URL and SMTP_URL for the embedded set-up."
            )
        smtp_parts(value["SMTP_URL"])
        return Settings(
            database_url=value["DATABASE_URL"],
            redis_url=value["REDIS_URL"],
            smtp_url=value["SMTP_URL"],
            secret=value["OGHAM_SECRET"].encode(),
            public_url=value["OGHAM_PUBLIC_URL"].rstrip("/"),
            mail_domain=value["OGHAM_MAIL_DOMAIN"].lower(),
            **common,
        )


def _embedded(value: Mapping[str, str], common: dict[str, Any]) -> Settings:
    if value["OGHAM_HOST"] not in LOOPBACK:
        raise BadSettings(
            f"OGHAM_HOST={value['OGHAM_HOST']}: the embedded set-up shows every mail to whoever opens /mailbox, so it"
            " binds to loopback only. Set DATABASE_URL, REDIS_URL and SMTP_URL to serve others."
        )
    data = Path(value["OGHAM_DATA"]).resolve()
    return Settings(
        database_url=f"sqlite:///{data / 'ogham.sqlite'}",
        redis_url=None,
        smtp_url=None,
        secret=value["OGHAM_SECRET"].encode() or _kept_secret(data),
        public_url=value["OGHAM_PUBLIC_URL"].rstrip("/") or _url(common["host"], common["port"]),
        mail_domain=value["OGHAM_MAIL_DOMAIN"].lower() or "ogham.localhost",
        **common,
    )


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _kept_secret(data: Path) -> bytes:
    """The secret of this folder; made the first time, so that reply addresses outlive a restart."""
    data.mkdir(parents=True, exist_ok=True)
    file = data / "secret"
    if not file.exists():
        beside = data / f".secret-{secrets.token_hex(8)}"  # whoever is killed while writing leaves no half of a secret
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
            new.write(secrets.token_urlsafe(32).encode())
        with suppress(FileExistsError):
            os.link(beside, file)
        beside.unlink()
    secret = file.read_bytes()
    if len(secret) < SHORTEST_SECRET:
        raise BadSettings(
            f"{file} is no secret: it is too short. Restore it from a backup, or delete it: then a new one is made,"
            " and mails sent so far can't be answered any more."
        )
    return secret


def _dkim_key(file: str) -> bytes | None:
    """The key as it is in the file. That it is one is seen before the first mail is."""
    if not file:
        return None
    try:
        pem = Path(file).read_bytes()
        key = load_pem_private_key(pem, None)
    except (OSError, ValueError, TypeError) as error:
        raise BadSettings(f"OGHAM_DKIM_KEY={file} can't be read as a private key: {error}") from None
    if not isinstance(key, RSAPrivateKey):
        raise BadSettings(f"OGHAM_DKIM_KEY={file} must be an RSA key: not all mail servers know others yet.")
    return pem


def _port(name: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise BadSettings(f"{name}={text}: give a whole number from 1 to 65535.")
    return int(text)


def smtp_parts(url: str) -> tuple[bool, str, int, str | None, str | None]:
    """An SMTP_URL as (TLS from the start, host, port, user, password)."""
    parts = urlsplit(url)
    implicit = parts.scheme == "smtps"
    try:
        port = parts.port or (465 if implicit else 25)
    except ValueError:
        port = 0
    if not parts.hostname or not port:
        raise BadSettings("SMTP_URL must name a host, and a port if it isn't the usual one: smtp://mail.example:587.")
    user, password = (None if text is None else unquote(text) for text in (parts.username, parts.password))
    return implicit, parts.hostname, port, user, password
