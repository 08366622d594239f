"""Putting the service and the worker together: the one place where each is handed to the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from celery import Celery
from flask import Flask

from engine import bots
from engine.chance import Chance
from engine.game import Game, Move, View
from engine.games import GAMES
from service.app import create_app
from service.parts import Bot
from service.settings import Settings
from worker.app import make_celery
from worker.bell import CeleryBell


def assemble(settings: Settings, games: Sequence[Game] = GAMES) -> tuple[Flask, Celery[Any]]:
    """The Flask app, whose bell rings the Celery app, whose tasks run inside the Flask app."""
    bell = CeleryBell()
    flask = create_app(settings, bell, games, bots=hired_bots(settings.bot_work))
    celery = make_celery(settings, flask)
    bell.hang_up(celery)
    return flask, celery


def hired_bots(work: int) -> Mapping[str, Bot]:
    """The engine's bots as the service calls them, each looking at so many positions for a move."""
    return {name: _hired(bot, work) for name, bot in bots.BOTS.items()}


def _hired(bot: bots.Bot, work: int) -> Bot:
    def choose(game: Game, view: View, chance: Chance) -> Move:
        return game.parse(bots.choose(bot, game, view, chance, "bot", work), view)

    return choose
