"""Keltis: Der Weg der Steine, by Reiner Knizia, for 2 to 4 players: a game as `engine.game.Game` says."""

from engine.games.keltis.notation import notate, parse
from engine.games.keltis.rules import deal, decide, events, evolve, info, leave, left, outcome, state_type, to_act
from engine.games.keltis.view import absent, legal, view

__all__ = [
    "absent",
    "deal",
    "decide",
    "events",
    "evolve",
    "info",
    "leave",
    "left",
    "legal",
    "notate",
    "outcome",
    "parse",
    "state_type",
    "to_act",
    "view",
]
