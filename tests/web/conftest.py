"""A whole app as the embedded set-up has it, with its real mail door, and a worker that works when told."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from service import players
from service.app import create_app
from service.mailroom.door import open_door
from service.settings import Settings
from service.store.db import db
from service.store.migrate import upgrade
from service.store.tables import Letter, Mail
from tests.games import hands
from worker.schedule import sweep


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Site:
    app: Flask
    settings: Settings

    @property
    def browser(self) -> FlaskClient:
        return self.app.test_client()

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.browser.get(path, headers=headers)

    def answer(self, letter_id: str, text: str, **headers: str) -> TestResponse:
        """The form below a mail, as a browser sends it."""
        origin = {"Origin": "http://localhost"}
        return self.browser.post(f"/mailbox/{letter_id}/reply", data={"text": text}, headers=origin | headers)

    def register(self, name: str = "Ann", address: str = "ann@example.org", language: str = "en") -> str:
        """Somebody registers; the id of the letter that asks them."""
        with self.app.app_context():
            players.register(name, address, language, None, None)
        self.work()
        return self.letters(address)[-1].id

    def work(self) -> None:
        """Everything that waits, and what comes of it, until nothing does."""
        with self.app.app_context():
            while sweep(timedelta(0)):
                pass

    def letters(self, address: str) -> list[Letter]:
        with self.app.app_context():
            query = select(Letter).where(Letter.recipient == address).order_by(Letter.sent_at, Letter.id)
            return list(db.session.scalars(query))

    def mails(self) -> list[Mail]:
        with self.app.app_context():
            return list(db.session.scalars(select(Mail).order_by(Mail.received_at, Mail.id)))


BuildSite = Callable[..., Site]


@pytest.fixture
def build_site(tmp_path: Path) -> BuildSite:
    def build(**changes: Any) -> Site:
        settings = Settings(
            linger=timedelta(0),
            database_url=f"sqlite:///{tmp_path / 'ogham.sqlite'}",
            redis_url=None,
            smtp_url=None,
            secret=b"a secret of the tests, 32 or more",
            public_url="http://127.0.0.1:8000",
            mail_domain="ogham.localhost",
            mail_port=free_port(),
        )
        settings = replace(settings, **changes)
        site = Site(create_app(settings, games=(hands,)), settings)
        with site.app.app_context():
            upgrade(db.engine)
        return site

    return build


@pytest.fixture
def closed_site(build_site: BuildSite) -> Site:
    """Nobody listens for mail."""
    return build_site()


@pytest.fixture
def site(closed_site: Site) -> Iterator[Site]:
    close_door = open_door(closed_site.app, closed_site.settings.host, closed_site.settings.mail_port)
    yield closed_site
    close_door()
