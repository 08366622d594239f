"""create_app: the service as a Flask application."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from flask import Flask, Response

from engine.game import Game
from engine.games import GAMES
from service.api import add_api
from service.mailroom.signatures import LookUp, look_up
from service.parts import Bell, Bot, NoBell, Parts, wall_clock
from service.settings import Settings
from service.store.clock import database_clock
from service.store.db import connect
from service.web import add_pages

LARGEST_BODY = 65_536


def create_app(
    settings: Settings,
    bell: Bell | None = None,
    games: Sequence[Game] = GAMES,
    clock: Callable[[], datetime] | None = None,
    bots: Mapping[str, Bot] | None = None,
    look_up: LookUp = look_up,
) -> Flask:
    """`clock` None: the database's, which all processes share, or this machine's where there is but one process."""
    url = settings.database_url
    clock = clock or (wall_clock if url.startswith("sqlite") else database_clock(url, wall_clock))
    app = Flask("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.extensions["ogham"] = Parts(
        settings, {game.info.id: game for game in games}, bell or NoBell(), clock, bots or {}, look_up
    )
    connect(app, url)
    add_api(app)
    add_pages(app)
    app.after_request(_no_guessing)
    return app


def _no_guessing(response: Response) -> Response:
    """Browsers take every answer for what it says it is."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
