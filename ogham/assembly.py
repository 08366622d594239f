"""Putting the service and the worker together: the one place where each is handed to the other."""

from collections.abc import Sequence
from typing import Any

from celery import Celery
from flask import Flask

from engine.game import Game
from engine.games import GAMES
from service.app import create_app
from service.settings import Settings
from worker.app import make_celery
from worker.bell import CeleryBell


def assemble(settings: Settings, games: Sequence[Game] = GAMES) -> tuple[Flask, Celery[Any]]:
    """The Flask app, whose bell rings the Celery app, whose tasks run inside the Flask app."""
    bell = CeleryBell()
    flask = create_app(settings, bell, games)
    celery = make_celery(settings, flask)
    bell.hang_up(celery)
    return flask, celery
