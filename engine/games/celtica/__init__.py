"""Celtica, by Wolfgang Kramer and Michael Kiesling, for 2 to 5 players: a game as `engine.game.Game` says."""

from engine.games.celtica import judgement
from engine.games.celtica.draw import draw
from engine.games.celtica.evolve import evolve
from engine.games.celtica.notation import notate, parse
from engine.games.celtica.rules import deal, decide, info, leave, left, outcome, to_act
from engine.games.celtica.table import events, state_type
from engine.games.celtica.tell import explain, guide, recount, tell
from engine.games.celtica.view import absent, legal, view

orders = None
turn = to_act

__all__ = [
    "absent",
    "deal",
    "decide",
    "draw",
    "events",
    "evolve",
    "explain",
    "guide",
    "info",
    "judgement",
    "leave",
    "left",
    "legal",
    "notate",
    "orders",
    "outcome",
    "parse",
    "recount",
    "state_type",
    "tell",
    "to_act",
    "turn",
    "view",
]
