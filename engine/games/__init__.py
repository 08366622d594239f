"""The games Ogham hosts. A new one is a folder beside this file and a word in `GAMES`."""

from engine.game import Game
from engine.games import celtic, celtica, keltis

GAMES: tuple[Game, ...] = (keltis, celtica, celtic)
