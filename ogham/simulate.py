"""Random legal matches through the engine alone: what `ogham simulate` plays."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter, perf_counter_ns
from typing import Any, cast

from engine.chance import Chance
from engine.errors import BadOption
from engine.game import Game, Offer, Options, Outcome, complete_options
from engine.games import GAMES
from engine.play import fold
from engine.values import freeze


@dataclass(frozen=True, slots=True)
class Simulated:
    """One match: how many moves it took, how it ended, and how long the engine took over the moves."""

    moves: int
    outcome: Outcome
    engine_seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Many matches. But for its times, it depends on game, seats, options, seed and count alone."""

    game: str
    seats: int
    options: Options
    seed: str
    matches: int
    moves: int
    mean_length: float
    least_score: int
    mean_score: float
    most_score: int
    places: Sequence[Sequence[int]]
    """By seat: how often it came first, second... A shared place counts for each."""
    reasons: dict[str, int]
    digest: str
    """SHA-256 over every outcome, in order: two runs with the same digest ended alike, match by match."""
    seconds: float
    engine_seconds: float

    @property
    def wins(self) -> list[int]:
        return [places[0] for places in self.places]

    @property
    def moves_per_second(self) -> float:
        """Of the whole loop, with the listing of legal moves and the choice among them."""
        return self.moves / self.seconds

    @property
    def engine_moves_per_second(self) -> float:
        """Of parse, decide and evolve alone."""
        return self.moves / self.engine_seconds

    def as_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "seats": self.seats,
            "options": dict(self.options),
            "seed": self.seed,
            "matches": self.matches,
            "moves": self.moves,
            "mean_length": self.mean_length,
            "score": {"min": self.least_score, "mean": self.mean_score, "max": self.most_score},
            "wins": self.wins,
            "places": [list(places) for places in self.places],
            "reasons": self.reasons,
            "digest": self.digest,
            "seconds": self.seconds,
            "engine_seconds": self.engine_seconds,
            "moves_per_second": self.moves_per_second,
            "engine_moves_per_second": self.engine_moves_per_second,
        }


def find_game(game_id: str) -> Game:
    """BadOption, with the games there are, for any other."""
    for game in GAMES:
        if game.info.id == game_id:
            return game
    known = ", ".join(f"{game.info.id} (seats: {game.info.seats[0]} to {game.info.seats[-1]})" for game in GAMES)
    raise BadOption("game", f"There is no game “{game_id}”. There are: {known}.")


def simulate(
    game: Game,
    seats: int,
    count: int,
    seed: str,
    options: Options,
    on_match: Callable[[], None] = lambda: None,
) -> Summary:
    """Play `count` matches, each with its own luck; BadOption for seats or options that the game doesn't have."""
    options = complete_options(game.info, seats, options)
    started = perf_counter()
    played = []
    for number in range(count):
        played.append(play_match(game, seats, options, f"{seed}/{number}"))
        on_match()
    return _summed_up(game, seats, options, seed, played, perf_counter() - started)


def play_match(game: Game, seats: int, options: Options, seed: str) -> Simulated:
    """One match, in which every seat plays any of its legal moves."""
    chance = Chance(hashlib.sha256(seed.encode()).digest())
    taste = Random(seed)  # noqa: S311  (which move is played is no secret, and must not cost more than the rules)
    moves = spent = 0
    state = fold(game, None, game.deal(seats, options, chance))
    while (seat := game.to_act(state)) is not None:
        view = game.view(state, seat)
        line = _pick(game.legal(view), taste)
        started = perf_counter_ns()
        for event in game.decide(state, seat, game.parse(line, view), chance):
            state = game.evolve(state, event)
        spent += perf_counter_ns() - started
        moves += 1
    return Simulated(moves, cast(Outcome, game.outcome(state)), spent / 1e9)


def _pick(offers: Sequence[Offer], taste: Random) -> str:
    """As `engine.play.pick`, with a cheaper source."""
    offer = offers[int(taste.random() * len(offers))]
    if not offer.choices:
        return offer.text
    filled = {choice.name: " ".join(taste.sample(choice.among, choice.count)) for choice in offer.choices}
    return offer.text.format(**filled)


def _summed_up(
    game: Game, seats: int, options: Options, seed: str, played: Sequence[Simulated], seconds: float
) -> Summary:
    totals = [score.total for match in played for score in match.outcome.scores]
    moves = sum(match.moves for match in played)
    ranked = [Counter(match.outcome.places[seat] for match in played) for seat in range(seats)]
    return Summary(
        game=game.info.id,
        seats=seats,
        options=options,
        seed=seed,
        matches=len(played),
        moves=moves,
        mean_length=moves / len(played),
        least_score=min(totals),
        mean_score=sum(totals) / len(totals),
        most_score=max(totals),
        places=[[counted[place] for place in range(1, seats + 1)] for counted in ranked],
        reasons=dict(sorted(Counter(match.outcome.reason for match in played).items())),
        digest=_digest(played),
        seconds=seconds,
        engine_seconds=sum(match.engine_seconds for match in played),
    )


def _digest(played: Sequence[Simulated]) -> str:
    digest = hashlib.sha256()
    for match in played:
        digest.update(json.dumps(freeze(match.outcome), sort_keys=True).encode() + b"\n")
    return digest.hexdigest()
