"""The grown set-up's processes: gunicorn runs `ogham.wsgi:app`; the others start here, as many of each as one likes."""

import logging
import signal
import threading
from collections.abc import Callable

import yaml
from flask import Flask

from ogham.assembly import assemble
from service.app import create_app
from service.audit import Audited, audit_all
from service.deletion import delete_at
from service.mailroom.door import open_door
from service.mailroom.receive import accept_whole
from service.receipts import rotate_key as make_new_key
from service.settings import Settings
from service.store.db import db
from service.store.migrate import upgrade
from worker.schedule import sweep_until


def migrate(settings: Settings) -> None:
    """Bring the database to this version's tables."""
    flask = create_app(settings)
    with flask.app_context():
        upgrade(db.engine)


def rotate_key(settings: Settings) -> str:
    """A new key for receipts; its id."""
    with create_app(settings).app_context():
        return make_new_key()


def audit(settings: Settings, step: Callable[[int], None]) -> Audited:
    """Check every match in the database; `step` is called after each."""
    with create_app(settings).app_context():
        return audit_all(step)


def forget(settings: Settings, address: str) -> None:
    """Delete the account of the player at this address."""
    with assemble(settings)[0].app_context():
        delete_at(address)


def run_worker(settings: Settings) -> None:
    """A Celery worker, one task at a time."""
    _log()
    _, celery = assemble(settings)
    # Without Celery's event loop: with it, a Redis that goes away while a task is acknowledged leaves the worker deaf
    # for good (seen, and open upstream); the plain loop notices and connects again. Of the pools only solo is quick
    # without it: the others hear a bell up to two seconds late (seen).
    worker = celery.Worker(
        pool="solo", loglevel="WARNING", use_eventloop=False, without_gossip=True, without_mingle=True
    )
    worker.start()
    raise SystemExit(worker.exitcode)


def run_schedule(settings: Settings) -> None:
    """The sweep. It needs the database and no broker."""
    flask, stop = _start(settings)
    sweep_until(stop, flask, settings)


def run_mail(settings: Settings) -> None:
    """The mail listener: SMTP, and LMTP where a port is set for it."""
    flask, stop = _start(settings)
    close = open_door(flask, settings.host, settings.mail_port, settings.lmtp_port)
    stop.wait()
    close()


def receive(settings: Settings, sender: str, recipient: str, raw: bytes) -> None:
    """Store one mail. Nobody is rung: the schedule finds it within a second or two."""
    with create_app(settings).app_context():
        accept_whole(sender, recipient, raw)


def _start(settings: Settings) -> tuple[Flask, threading.Event]:
    _log()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    flask, _ = assemble(settings)
    return flask, stop


def _log() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def openapi_yaml() -> str:
    """The API's description, as it is committed in openapi.yaml."""
    settings = Settings(
        database_url="sqlite://", redis_url=None, smtp_url=None, secret=bytes(32),
        public_url="http://127.0.0.1:8000", mail_domain="ogham.localhost",
    )  # fmt: skip
    spec = create_app(settings).extensions["ogham-openapi"]
    return str(yaml.safe_dump(spec.to_dict(), sort_keys=False, allow_unicode=True, width=110))
