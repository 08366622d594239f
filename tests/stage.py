"""A stage for tests of the service: a whole app on a real database, people with keys, a worker that works when told.

Mails land in the table `letter`, as in the embedded set-up; answers are handed to the mail door's own function.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any

import httpx
from flask import Flask
from sqlalchemy import select, text

from client.api import Ogham
from client.keys import Identity
from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, Offer
from engine.log import encode
from engine.play import pick
from engine.values import thaw
from ogham.assembly import hired_bots
from service.app import create_app
from service.bots import move_bot
from service.mailroom.receive import accept_mail
from service.matches import find_match, see_match
from service.moves import accept_signed, find_submission, settle_submission
from service.settings import Settings
from service.store.db import db
from service.store.migrate import upgrade
from service.store.tables import Letter, Mail
from tests.games import TEST_GAMES
from worker.schedule import sweep

URL = "http://127.0.0.1:8000"
DOMAIN = "ogham.test"


def stage_settings(database_url: str, **others: Any) -> Settings:
    common: dict[str, Any] = {
        "linger": timedelta(0),
        "redis_url": None,
        "smtp_url": None,
        "secret": b"s" * 32,
        "public_url": URL,
    }
    return Settings(database_url=database_url, **common | {"mail_domain": DOMAIN} | others)


@dataclass
class Person:
    """A player at the stage: an address and, unless they only mail, a client with a key."""

    name: str
    address: str
    client: Ogham


@dataclass
class Stage:
    app: Flask
    settings: Settings
    moment: list[datetime] = field(default_factory=lambda: [datetime(2026, 11, 18, 9, 0, tzinfo=UTC)])
    dns: dict[str, bytes | None] = field(default_factory=dict)
    """TXT records by name; None for one that the DNS can't tell just now."""
    looked_up: list[str] = field(default_factory=list)

    @staticmethod
    def build(database_url: str, games: Sequence[Game] = TEST_GAMES, migrated: bool = False, **others: Any) -> "Stage":
        """`others` are settings; with an `smtp_url`, letters go there and not into the table."""
        settings = stage_settings(database_url, **others)
        stage = Stage(app=None, settings=settings)  # type: ignore[arg-type]  # the app needs the stage's clock
        stage.app = create_app(
            settings,
            games=games,
            clock=lambda: stage.moment[0],
            bots=hired_bots(settings.bot_work),
            look_up=stage.look_up,
        )
        if not migrated:
            with stage.app.app_context():
                upgrade(db.engine)
        return stage

    def look_up(self, name: str, timeout: float) -> bytes | None:
        self.looked_up.append(name)
        if name in self.dns and self.dns[name] is None:
            raise TimeoutError
        return self.dns.get(name)

    def later(self, **time: float) -> None:
        self.moment[0] += timedelta(**time)

    def work(self) -> int:
        """Everything that waits, and what comes of it, until nothing does."""
        done = 0
        while True:
            self.later(milliseconds=1)  # so that letters have an order
            with self.app.app_context():
                step = sweep(timedelta(0))
            if not step:
                return done
            done += step

    def watcher(self, identity: Identity | None = None) -> Ogham:
        return Ogham(URL, identity, transport=httpx.WSGITransport(app=self.app), patience=0)

    def person(self, name: str, language: str = "en") -> Person:
        """A registered player with a key. The clock stands at now, since what is signed carries the real time."""
        client = self.watcher(Identity.generate())
        address = f"{name.lower()}@example.org"
        registration = client.register(name, address, language)
        self.work()
        client.confirm(registration["id"], self.token(self.letters(address)[-1]))
        return Person(name, address, client)

    def table(self, people: Sequence[Person], game: str = "keltis", **options: Any) -> str:
        """A match in which these people sit in this order, dealt."""
        match = people[0].client.open(game, len(people), options)
        for seat, person in enumerate(people):
            person.client.join(match["id"], seat)
        self.work()
        return match["id"]

    def play(self, person: Person, match_id: str, *lines: str) -> dict[str, Any]:
        """Send lines, let the worker work; the verdict."""
        submission = person.client.submit(match_id, lines, wait=0)
        self.work()
        verdict = person.client.submission(submission["id"])["verdict"]
        assert verdict is not None
        return dict(verdict)

    def play_out(self, people: Sequence[Person], match_id: str, seed: bytes = b"play out") -> None:
        """Play the match to its end with moves drawn by chance, each as its own signed submission."""
        chance = Chance(seed)
        while (seat := people[0].client.match(match_id)["to_act"]) is not None:
            legal = people[seat].client.legal(match_id)
            offers = thaw(tuple[Offer, ...], legal["moves"])  # type: ignore[arg-type]  # an alias is a type here
            verdict = self.play(people[seat], match_id, pick(offers, chance, f"{legal['seq']}"))
            assert verdict["problem"] is None, verdict

    def play_out_quickly(self, people: Sequence[Person], match_id: str, seed: bytes = b"play out") -> None:
        """The same without HTTP, and with all mails left undelivered: for tests of the log, and of nothing else."""
        chance = Chance(seed)
        with self.app.app_context():
            while (seat := find_match(match_id).to_act) is not None:
                if find_match(match_id).bot_due is not None:
                    move_bot(match_id)
                    continue
                sight = see_match(find_match(match_id), Seat(seat))
                said = {"match": match_id, "seat": seat, "seq": sight.length, "head": encode(sight.head)}
                said["moves"] = [pick(sight.game.legal(sight.view), chance, f"{sight.length}")]
                identity = people[seat].client.identity
                assert identity is not None
                submission = accept_signed(match_id, identity.sign("ogham-move+jws", said))
                settle_submission(submission.id)
                verdict = find_submission(submission.id).verdict
                assert verdict is not None
                assert verdict["problem"] is None, verdict

    # -- mail

    def letters(self, address: str) -> list[EmailMessage]:
        """What was sent to this address, the oldest first."""
        with self.app.app_context():
            raws = db.session.scalars(
                select(Letter.raw).where(Letter.recipient == address).order_by(Letter.sent_at)
            ).all()
        return [message_from_bytes(raw, policy=policy.default) for raw in raws]

    @staticmethod
    def token(letter: EmailMessage) -> str:
        return str(letter["Reply-To"].addresses[0].username).partition("+")[2]

    def answer(self, letter: EmailMessage, body: str, **headers: str) -> str:
        """Answer a letter as its recipient; what the service recorded of it. Headers may be replaced or added."""
        reply = EmailMessage(policy=policy.SMTP)
        plain = {
            "From": str(letter["To"]),
            "To": str(letter["Reply-To"]),
            "Subject": f"Re: {letter['Subject']}",
            "Message-ID": make_msgid(domain="example.org"),
            "In-Reply-To": str(letter["Message-ID"]),
        }
        for name, value in (plain | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            reply[name] = value
        reply.set_content(body)
        return self.receive(reply.as_bytes(), str(letter["Reply-To"].addresses[0].addr_spec))

    def receive(self, raw: bytes, recipient: str, sender: str = "someone@example.org") -> str:
        """A raw mail at the door, read; what the service recorded of it."""
        with self.app.app_context():
            mail_id = accept_mail(sender, recipient, raw)
        self.work()
        with self.app.app_context():
            return str(db.session.get_one(Mail, mail_id).verdict)

    # -- looking

    def fingerprint(self) -> dict[str, list[Any]]:
        """All that a refusal must leave as it was: matches, their logs, who sits where, keys, players."""
        tables = ("match", "entry", "opening", "personal_opening", "seated", "key", "player", "snapshot")
        with self.app.app_context():
            return {
                table: [tuple(row) for row in db.session.execute(text(f'SELECT * FROM "{table}" ORDER BY 1, 2'))]
                for table in tables
            }
