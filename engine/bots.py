"""Bots: players that are programs, of any game.

A bot is given what the seat it plays for may see and do, and luck of its own; never the state, so it knows no more than
anybody on that seat would. It answers with a line. The same view, luck and amount of work give the same line on every
machine: the amount is counted in positions looked at, and how many a second allows is for the caller to say.

To look ahead, a bot imagines a world that may be behind its view, makes a move there, and asks the game what the seat's
view is worth then (`Judgement` in `engine/game.py`). In a game without judgement both bots play any legal move.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import comb, prod

from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, Judgement, Offer, State, View
from engine.play import fold, pick

Bot = Callable[[Game, View, Sequence[Offer], Chance, int], str]
"""Plays one of the offers, which are there. The number is how many positions it may look at, at least one."""

WORK = 240
"""How many positions a bot looks at, unless told: a move takes some hundredths of a second."""


def choose(bot: Bot, game: Game, view: View, chance: Chance, label: str, work: int = WORK) -> str:
    """The canonical line that the bot plays for the viewing seat, which is to act.

    What the bot throws and shuffles follows from one number drawn under the label, and not from `chance` itself: the
    worlds it imagines shuffle under the labels of a real match, and must not come out as that match will.
    """
    luck = Chance(chance.below(label, 1 << 64).to_bytes(8, "big"))
    line = bot(game, view, game.legal(view), luck, work)
    return game.notate(game.parse(line, view))


# -- easy


TRIES = 3


def easy(game: Game, view: View, offers: Sequence[Offer], luck: Chance, work: int) -> str:
    """Any move that leaves the seat no worse off than the dull one that is played for the absent; at last, that one."""
    seat: Seat = view.seat
    if game.judgement is None:
        return pick(offers, luck, "line")
    glance = _Glance(game, game.judgement, view, seat, luck, worlds=1)
    dull = game.notate(game.absent(view))
    for number in range(min(TRIES, work - 1)):
        line = pick(offers, luck, f"line/{number}")
        if glance.rate(line) >= glance.rate(dull):
            return line
    return dull


# -- solid


MOST_WORLDS = 12


def solid(game: Game, view: View, offers: Sequence[Offer], luck: Chance, work: int) -> str:
    """The move that comes out best in the worlds imagined.

    Where there are more moves than it may look at, it looks at as many of each offer, and then changes the best of them
    word by word as long as that makes it better.
    """
    if game.judgement is None:
        return pick(offers, luck, "line")
    share = max(1, work // 2 // len(offers))
    fillings = luck.shuffle("lines", [filled for offer in offers for filled in _some_fillings(offer, share, luck)])
    worlds = max(1, min(MOST_WORLDS, work // len(fillings)))
    glance = _Glance(game, game.judgement, view, view.seat, luck, worlds)
    best = max(fillings[:work], key=lambda filled: glance.rate(filled.line))
    better: _Filled | None = best
    while better:
        best, left = better, (work - glance.looked_at) // worlds
        better = next(
            (other for other in islice(_changed(best), left) if glance.rate(other.line) > glance.rate(best.line)), None
        )
    return best.line


BOTS: dict[str, Bot] = {"bot:easy": easy, "bot:solid": solid}


# -- looking ahead

VICTORY = 1_000_000.0


class _Glance:
    """What lines come to in a few worlds, the same for each line. It remembers what it has looked at."""

    def __init__(self, game: Game, judgement: Judgement, view: View, seat: Seat, luck: Chance, worlds: int) -> None:
        self._game, self._judgement, self._view, self._seat = game, judgement, view, seat
        self._worlds = [self._imagined(luck, number) for number in range(worlds)]
        self._rated: dict[str, float] = {}
        self.looked_at = 0

    def _imagined(self, luck: Chance, number: int) -> tuple[State, Chance]:
        """A world, and the luck it goes on with."""
        chance = Chance(luck.below(f"world/{number}", 1 << 64).to_bytes(8, "big"))
        return self._judgement.imagine(self._view, chance), chance

    def rate(self, line: str) -> float:
        if line not in self._rated:
            move = self._game.parse(line, self._view)
            rated = 0.0
            for world, chance in self._worlds:
                events = self._game.decide(world, self._seat, move, chance)
                rated += self._worth(fold(self._game, world, events))
            self._rated[line] = rated
            self.looked_at += len(self._worlds)
        return self._rated[line]

    def _worth(self, state: State) -> float:
        """Once a match is over, what counts is who came before whom."""
        outcome = self._game.outcome(state)
        if outcome is None:
            return self._judgement.worth(self._game.view(state, self._seat))
        mine = outcome.places[self._seat]
        return VICTORY * sum((mine < other) - (mine > other) for other in outcome.places)


# -- lines of an offer


@dataclass(frozen=True, slots=True)
class _Filled:
    """An offer, and the words in its gaps."""

    offer: Offer
    words: tuple[tuple[str, ...], ...]

    @property
    def line(self) -> str:
        choices = self.offer.choices
        if not choices:
            return self.offer.text
        words = {choice.name: " ".join(chosen) for choice, chosen in zip(choices, self.words, strict=True)}
        return self.offer.text.format(**words)


def _some_fillings(offer: Offer, most: int, luck: Chance) -> list[_Filled]:
    """All ways to fill the offer, if they are few; else so many of them by chance."""
    choices = offer.choices
    if prod(comb(len(choice.among), choice.count) for choice in choices) <= most:
        ways = (dict.fromkeys(combinations(choice.among, choice.count)) for choice in choices)
        return [_Filled(offer, words) for words in product(*ways)]
    drawn = (
        tuple(luck.shuffle(f"{offer.text}/{number}/{choice.name}", choice.among)[: choice.count] for choice in choices)
        for number in range(most)
    )
    return [_Filled(offer, words) for words in dict.fromkeys(drawn)]


def _changed(filled: _Filled) -> Iterator[_Filled]:
    """Every filling in which one word is another."""
    for gap, (choice, chosen) in enumerate(zip(filled.offer.choices, filled.words, strict=True)):
        others = Counter(choice.among) - Counter(chosen)
        for at, word in product(range(choice.count), others):
            words = (*chosen[:at], word, *chosen[at + 1 :])
            yield _Filled(filled.offer, (*filled.words[:gap], words, *filled.words[gap + 1 :]))
