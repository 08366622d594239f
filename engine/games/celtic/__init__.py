"""Celtic, by D. Hillebrecht, for 2 to 4 players: a game as `engine.game.Game` says."""

from engine.games.celtic import judgement, orders
from engine.games.celtic.draw import draw
from engine.games.celtic.evolve import evolve
from engine.games.celtic.notation import notate, parse
from engine.games.celtic.rules import deal, decide, info, leave, left, outcome, to_act, turn
from engine.games.celtic.table import State, events
from engine.games.celtic.tell import explain, guide, recount, tell
from engine.games.celtic.view import absent, legal, view

state_type = State

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
