"""What the contracts are checked on: matches of a game, played by chance, and lines to try in them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice, product
from math import comb, prod
from typing import Any, TypeVar

from engine.chance import Chance
from engine.errors import NotationError
from engine.events import Event, Seat
from engine.game import Choice, Game, Move, Offer, Option, State
from engine.play import pick
from tests.matches import Step, play_match, players_of

T = TypeVar("T")

SEATED: dict[int, tuple[Seat, ...]] = {count: tuple(map(Seat, range(count))) for count in range(10)}


class WatchedChance(Chance):
    """Chance that notes what it was asked."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.asked: list[tuple[str, int]] = []

    def below(self, label: str, n: int) -> int:
        self.asked.append((label, n))
        return super().below(label, n)

    def shuffle(self, label: str, items: Iterable[T]) -> tuple[T, ...]:
        order = super().shuffle(label, items)
        self.asked.append((label, len(order)))
        return order


@dataclass(frozen=True)
class Walk:
    """A match from its deal to its end."""

    game: Game
    seats: int
    number: int
    options: dict[str, Any]
    chance: Chance
    asked: Sequence[tuple[str, int]]
    """What chance was asked for in the match: label, and how many items were shuffled or numbers possible."""
    steps: Sequence[Step]

    @property
    def states(self) -> list[State]:
        return [step.state for step in self.steps]

    @property
    def events(self) -> list[Event]:
        return [event for step in self.steps for event in step.events]

    def readers(self) -> tuple[Seat | None, ...]:
        return (*SEATED[self.seats], None)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Canonical lines: what the positions of the match offered, and twisted ones. Few fit any other position."""
        game = self.game
        offered: dict[str, bool] = {}
        for state in self.states:
            seat = game.to_act(state)
            if seat is not None:
                view = game.view(state, seat)
                for line in some_offered(game.legal(view), 20, f"{self.number}"):
                    offered[game.notate(game.parse(line, view))] = True
        return (*offered, *_twisted(self.game, self.states[0], tuple(offered), self.number))

    def some_lines(self, count: int, label: object) -> list[str]:
        return list(Chance(b"lines").shuffle(f"{self.number}/{label}", self.lines)[:count])


def walk(game: Game, seats: int, number: int) -> Walk:
    """The match of this number. Every other one has options of its own; in one of three, seats leave."""
    luck = Chance(f"walk {game.info.id}/{seats}/{number}".encode())
    players = players_of(game)
    options: dict[str, Any] = dict(players.setting(number)) if players else {}
    if number % 2:
        for option in game.info.options:
            if option.name in options:
                continue
            values = allowed_values(option, seats)
            options[option.name] = values[luck.below(option.name, len(values))]
    leaving: dict[int, tuple[int, ...]] = {}
    if number % 3 == 2:
        order = luck.shuffle("leavers", range(seats))
        for seat in order[: 1 + luck.below("how many", seats - 1)]:
            leaving[luck.below(f"when/{seat}", 30)] = (seat,)
    seed = f"chance {game.info.id}/{seats}/{number}".encode()
    watched = WatchedChance(seed)
    steps = play_match(game, seats, number, options, leaving, watched, players=players)
    return Walk(game, seats, number, options, Chance(seed), watched.asked, steps)


@cache
def _walk_once(game: Game, seats: int, number: int) -> Walk:
    return walk(game, seats, number)


def walks(game: Game, seats: int, count: int) -> Iterator[Walk]:
    """The first so many matches; the first few are played once for all tests."""
    for number in range(count):
        yield _walk_once(game, seats, number) if number < 6 else walk(game, seats, number)


def allowed_values(option: Option, seats: int) -> list[Any]:
    """Values of an option: its default, and of all that its meaning names and a few others those that it allows."""
    probes = [option.default, *re.findall(r"[\w-]+", option.meaning), *range(8), False, True, None]
    allowed = [value for value in probes if option.allows(value, seats)]
    return [value for place, value in enumerate(allowed) if value not in allowed[:place]]


# -- offers


def some_offered(offers: Sequence[Offer], most: int, label: str) -> list[str]:
    """All lines that are offered, if they are few; else as many by chance, and each offer at least once."""
    if sum(_size(offer) for offer in offers) <= most:
        return [line for offer in offers for line in _expanded(offer)]
    luck = Chance(b"offers")
    first = [next(_expanded(offer)) for offer in offers]
    return first + [pick(offers, luck, f"{label}/{number}") for number in range(most)]


def _size(offer: Offer) -> int:
    return prod(comb(len(choice.among), choice.count) for choice in offer.choices)


def _expanded(offer: Offer) -> Iterator[str]:
    """Each gap filled with words in the order in which they stand in its choice."""
    fillings = [dict.fromkeys(combinations(choice.among, choice.count)) for choice in offer.choices]
    for filling in product(*fillings):
        words = {choice.name: " ".join(chosen) for choice, chosen in zip(offer.choices, filling, strict=True)}
        yield offer.text.format(**words) if words else offer.text


def is_offered(line: str, offers: Sequence[Offer]) -> bool:
    """Whether a canonical line is one of those offered, however many they are."""
    return any(_fits(line, offer) for offer in offers)


def _fits(line: str, offer: Offer) -> bool:
    if not offer.choices:
        return line == offer.text
    parts = re.split(r"\{(\w+)\}", offer.text)
    pattern = "".join(re.escape(part) if place % 2 == 0 else f"(?P<{part}>.*)" for place, part in enumerate(parts))
    found = re.fullmatch(pattern, line)
    return found is not None and all(_fills(found[choice.name].split(), choice) for choice in offer.choices)


def _fills(words: list[str], choice: Choice) -> bool:
    return len(words) == choice.count and not Counter(words) - Counter(choice.among)


# -- lines that most likely are no good

_WORD = r"\d+|\w+?(?=\d|\b)"


def _twisted(game: Game, state: State, lines: Sequence[str], number: int) -> Iterator[str]:
    """Lines in which a word was replaced by another of the same game, or by a number that may be none of its own."""
    luck = Chance(f"twist {number}".encode())
    words = [*sorted({word for line in lines for word in re.findall(_WORD, line)}), "0", "7", "9", "99"]
    twisted = {}
    for place, line in enumerate(lines):
        parts = re.split(f"({_WORD})", line)
        at = 1 + 2 * luck.below(f"at/{place}", len(parts) // 2)
        parts[at] = words[luck.below(f"word/{place}", len(words))]
        try:
            twisted[game.notate(game.parse("".join(parts), game.view(state, Seat(0))))] = True
        except NotationError:
            continue
    return islice((line for line in twisted if line not in lines), 60)


def moves_of(game: Game, state: State, seat: Seat, lines: Iterable[str]) -> Iterator[tuple[str, Move]]:
    """The lines as moves of this seat."""
    view = game.view(state, seat)
    for line in lines:
        yield line, game.parse(line, view)
