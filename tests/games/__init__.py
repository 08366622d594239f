"""The games that the contracts are run over: all that Ogham hosts, and one that has what they may need and lack."""

from engine.game import Game
from engine.games import GAMES
from tests.games import hands

TEST_GAMES: tuple[Game, ...] = (*GAMES, hands)


def shorter(game: Game, turns: int) -> dict[str, int]:
    """Options for a match of so many turns at most, in a game that has such an option; else none."""
    return {"max_turns": turns} if any(option.name == "max_turns" for option in game.info.options) else {}
