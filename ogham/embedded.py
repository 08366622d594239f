"""Ogham in one process: API, worker, schedule, mail listener and mailbox, on SQLite and a broker in memory.

Nothing in memory is needed after a crash: what was acknowledged is in the database, and the sweep finds it.
"""

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from celery import Celery
from celery.worker import state as worker_state
from flask import Flask
from sqlalchemy.engine import make_url
from waitress.server import create_server

from engine.game import Game
from engine.games import GAMES
from ogham.assembly import assemble
from service.mailroom.door import open_door
from service.settings import BadSettings, Settings
from service.store.db import db
from service.store.migrate import upgrade
from worker.schedule import sweep_until

Bound = TypeVar("Bound")


def run(settings: Settings, games: Sequence[Game] = GAMES) -> None:
    """Serve until SIGINT or SIGTERM."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    flask, celery = assemble(settings, games)
    prepare_database(flask, settings)
    server = _bound(settings.host, settings.port, lambda: create_server(
        flask, host=settings.host, port=settings.port, threads=settings.threads, ident="Ogham"
    ))  # fmt: skip
    close_door = _bound(
        settings.host,
        settings.mail_port,
        lambda: open_door(flask, settings.host, settings.mail_port, settings.lmtp_port),
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    with _worker(celery), _schedule(flask, settings):
        _greet(settings)
        with suppress(KeyboardInterrupt):
            server.run()
    close_door()
    server.close()
    print("Stopped. Everything is kept.", flush=True)


def prepare_database(flask: Flask, settings: Settings) -> None:
    Path(str(make_url(settings.database_url).database)).parent.mkdir(parents=True, exist_ok=True)
    with flask.app_context():
        upgrade(db.engine)


def _bound(host: str, port: int, bind: Callable[[], Bound]) -> Bound:
    try:
        return bind()
    except OSError as error:
        raise BadSettings(
            f"{host}:{port} can't be bound ({error.strerror}). Is Ogham running already? Else choose another port:"
            " make run ARGS='--port 9000 --mail-port 9025'"
        ) from None


def _stop(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def _worker(celery: Celery[Any]) -> Iterator[None]:
    """A Celery worker in a thread: its pool is the thread itself, since a fork couldn't share the broker."""
    celery.set_default()  # what a thread without an app of its own takes for the app
    worker = celery.WorkController(
        pool="solo", without_heartbeat=True, without_mingle=True, without_gossip=True, loglevel=logging.WARNING
    )
    thread = threading.Thread(target=worker.start, name="worker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        worker_state.should_terminate = 0  # type: ignore[assignment]  # Celery's exit code, or None to go on
        thread.join(0.5)  # it looks up every two seconds; what it is cut off from is taken up after the next start
        worker_state.should_terminate = None


@contextmanager
def _schedule(flask: Flask, settings: Settings) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=sweep_until, args=(stop, flask, settings), name="schedule", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)


def _greet(settings: Settings) -> None:
    print(
        f"Ogham is at {settings.public_url}\n"
        f"  every mail it sends:  {settings.public_url}/mailbox\n"
        f"  the API:              {settings.public_url}/v1/openapi.json\n"
        f"  mail is taken in at   {settings.host}:{settings.mail_port} (SMTP)\n"
        "Ctrl-C stops it; nothing is lost.",
        flush=True,
    )
