"""The games that the contracts are run over: all that Ogham hosts, and one that has what they may need and lack."""

from engine.game import Game
from engine.games import GAMES
from tests.games import hands

TEST_GAMES: tuple[Game, ...] = (*GAMES, hands)
