"""Bots against each other through the engine alone: what `ogham bots` plays."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, cast

from engine.bots import BOTS, WORK, choose
from engine.chance import Chance
from engine.errors import BadOption
from engine.game import Game, Options, Outcome, complete_options
from engine.play import fold


@dataclass(slots=True)
class Result:
    """How one bot did. But for the times, it depends on game, bots, options, seed, work and count alone."""

    bot: str
    won: int = 0
    shared: int = 0
    """First places that another came to as well."""
    scores: list[int] = field(default_factory=list)
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def mean_score(self) -> float:
        return sum(self.scores) / len(self.scores)

    @property
    def seconds_per_move(self) -> float:
        return self.seconds / self.moves

    def as_json(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "won": self.won,
            "shared": self.shared,
            "mean_score": self.mean_score,
            "moves": self.moves,
            "seconds_per_move": self.seconds_per_move,
            "slowest_move": self.slowest,
        }


def hold_contest(
    game: Game,
    bots: Sequence[str],
    count: int,
    seed: str,
    options: Options,
    work: int = WORK,
    on_match: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Play `count` matches with a bot on each seat, everybody moving on by a seat after each.

    BadOption for bots that there aren't, and for options or so many seats that the game doesn't have.
    """
    for bot in bots:
        if bot not in BOTS:
            raise BadOption("bots", f"There is no bot “{bot}”. There are: {', '.join(BOTS)}.")
    options = complete_options(game.info, len(bots), options)
    results = [Result(bot) for bot in bots]
    for number in range(count):
        turned = number % len(bots)
        _play_match(game, results[turned:] + results[:turned], options, f"{seed}/{number}", work)
        on_match()
    return results


def _play_match(game: Game, seated: Sequence[Result], options: Options, seed: str, work: int) -> None:
    """One match, noted in the results. The bots' luck has nothing to do with that of the match."""
    chance, luck = (Chance(hashlib.sha256(f"{kind}{seed}".encode()).digest()) for kind in ("", "bots of "))
    state = fold(game, None, game.deal(len(seated), options, chance))
    number = 0
    while (seat := game.to_act(state)) is not None:
        view, result = game.view(state, seat), seated[seat]
        started = perf_counter()
        line = choose(BOTS[result.bot], game, view, luck, f"move/{number}", work)
        took = perf_counter() - started
        result.moves += 1
        result.seconds += took
        result.slowest = max(result.slowest, took)
        state = fold(game, state, game.decide(state, seat, game.parse(line, view), chance))
        number += 1
    outcome = cast(Outcome, game.outcome(state))
    for result, place, score in zip(seated, outcome.places, outcome.scores, strict=True):
        result.scores.append(score.total)
        if place == 1:
            result.won += outcome.places.count(1) == 1
            result.shared += outcome.places.count(1) > 1
