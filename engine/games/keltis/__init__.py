"""Keltis: Der Weg der Steine, by Reiner Knizia, for 2 to 4 players: a game as `engine.game.Game` says."""

from engine.games.keltis import judgement
from engine.games.keltis.draw import draw
from engine.games.keltis.notation import notate, parse
from engine.games.keltis.rules import deal, decide, events, evolve, info, leave, left, outcome, state_type, to_act
from engine.games.keltis.tell import explain, guide, recount, tell
from engine.games.keltis.view import absent, legal, view

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
