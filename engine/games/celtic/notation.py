"""Moves as lines of text.

Canonical: `move 4 village to prince_statue`, `follow 5`, `follow 0`, `goal E05`, `collect wine 2`, `done`, `reveal`.

Read besides: any case and spacing, a full stop at the end, the German words and names, `prince statue`, a place by the
number that the picture shows, `all` for a number, the verb `move` left out, and every word cut short as long as one
meaning is left. What the position forces may be left out; where there is a choice, the answer says among what. A line
is read as a whole or not at all.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

from engine.errors import Ambiguous, NotationError, Unreadable
from engine.games.celtic.board import GOODS, RECONSTRUCTION, Board
from engine.games.celtic.names import GOOD_SPELLINGS, LONGEST, Spellings, meant, place_spellings
from engine.games.celtic.table import Collect, CompleteGoal, Done, Follow, Move, MoveMarkers, Reveal
from engine.games.celtic.view import View, legal, may_act, refused
from engine.words import meanings, plain

# Umlauts are spelled out before a word is looked up.
VERBS: Spellings = {
    "move": ("move", "go", "bewege", "bewegen", "ziehe", "ziehen", "zieh"),
    "follow": ("follow", "folge", "folgen"),
    "goal": ("goal", "complete", "ziel", "erfuelle"),
    "collect": ("collect", "sammle", "sammeln", "nimm"),
    "done": ("done", "end", "fertig", "ende"),
    "reveal": ("reveal", "show", "aufdecken", "zeige", "zeigen"),
}
TO = frozenset(("to", "nach", "zu", "zum", "zur"))
FROM = frozenset(("from", "von", "vom", "aus"))
ALL = frozenset(("all", "alle", "allen"))
NONE = frozenset(("none", "nobody", "keine", "keinen", "keiner"))
WITH = frozenset(("with", "mit"))
ARTICLES = frozenset(("the", "der", "die", "das", "dem", "den"))

MOST_CHOICES, MOST_READINGS = 12, 40
_LINE = re.compile(r"[a-z0-9_, \t-]+")
_WORD = re.compile(r"[a-z]+|[0-9]+")
_NUMBER = re.compile(r"[0-9]{1,2}")
_COUNTS = {str(number): number for number in range(100)}
_SIMPLE: dict[str, Move] = {"done": Done(), "reveal": Reveal()}

ALL_OF_THEM = -1


def notate(move: Move) -> str:
    match move:
        case MoveMarkers(count, origin, destination):
            return f"move {count} {origin} to {destination}"
        case Follow(count):
            return f"follow {count}"
        case CompleteGoal(goal):
            return f"goal {goal}"
        case Collect(good, count):
            return f"collect {good} {count}"
        case Done():
            return "done"
        case Reveal():
            return "reveal"


def parse(text: str, view: View | None) -> Move:
    """What is said in full doesn't depend on the position: a marker that isn't there is refused by the rules."""
    return _canonical(text, view.table.terms.board if view else RECONSTRUCTION) or _Reading(text, view).move()


def _canonical(text: str, board: Board) -> Move | None:
    words = text.split(" ")
    match words:
        case ["move", count, origin, "to", destination]:
            if count in _COUNTS and origin in board.index and destination in board.index:
                return MoveMarkers(_COUNTS[count], origin, destination)
        case ["follow", count]:
            if count in _COUNTS:
                return Follow(_COUNTS[count])
        case ["collect", good, count]:
            if good in GOODS and count in _COUNTS:
                return Collect(good, _COUNTS[count])
        case ["goal", goal]:
            if goal in board.goal:
                return CompleteGoal(goal)
        case [word]:
            return _SIMPLE.get(word)
    return None


def words_of(text: str) -> list[str]:
    """The line's words and numbers; none where it holds anything else."""
    line = plain(text, LONGEST)
    if not _LINE.fullmatch(line):
        return []
    return [word for word in _WORD.findall(line) if word not in ARTICLES]


def places_said(words: Sequence[str], board: Board) -> list[str]:
    """The places that these words, all of them together, may name."""
    if len(words) == 1 and words[0].isdigit():
        at = int(words[0]) if len(words[0]) <= 3 else len(board.places)
        return [board.ids[at]] if at < len(board.places) and words[0] == str(at) else []
    said = "".join(words)
    return meant(said, place_spellings(board)) if said else []


@lru_cache(maxsize=64)
def _goal_spellings(ids: tuple[str, ...]) -> Spellings:
    """`e05`, and `e5` where no other goal is meant."""
    return {goal: (goal.lower(), re.sub(r"(?<=[a-z])0+(?=\d)", "", goal.lower())) for goal in ids}


class _Reading:
    """One line, read word by word."""

    def __init__(self, text: str, view: View | None) -> None:
        self.text = text
        self.board = view.table.terms.board if view else RECONSTRUCTION
        self.view = view if view is not None and may_act(view) else None
        """Where whose decision is due speaks."""
        self.words = words_of(text)

    def move(self) -> Move:
        if not self.words:
            raise Unreadable(self.text)
        first, rest = self.words[0], self.words[1:]
        verbs = meanings(first, VERBS)
        if not verbs and (first.isdigit() or first in ALL or self._two_places(self.words)):  # `4 village to grain`
            verbs, rest = ["move"], self.words
        if not verbs:
            raise self._unreadable(first, VERBS)
        readings: list[Move] = []
        error: NotationError | None = None
        for verb in verbs:
            try:
                readings += self._after(verb, rest)
            except NotationError as wrong:
                error = error or wrong
        if not readings:
            raise error or Unreadable(self.text)
        return self._only(readings)

    def _unreadable(self, word: str, expected: Sequence[str] | Spellings) -> NotationError:
        """What was expected at which word."""
        return Unreadable(self.text, f"“{word or '…'}”? {' · '.join(expected)}")

    def _after(self, verb: str, rest: list[str]) -> list[Move]:
        """Every move that the verb and the words after it may mean."""
        if verb in _SIMPLE:
            if rest:
                raise self._unreadable(rest[0], ())
            return [_SIMPLE[verb]]
        if verb == "follow":
            return self._follow([word for word in rest if word not in WITH])
        if verb == "goal":
            return self._goal(rest)
        if verb == "collect":
            return self._collect(rest)
        return self._move(rest)

    # -- follow

    def _follow(self, rest: list[str]) -> list[Move]:
        if not rest:
            return self._offered("follow ?", Follow, ("0", "1", "2"))
        if len(rest) > 1:
            raise self._unreadable(rest[1], ())
        if rest[0] in NONE:
            return [Follow(0)]
        if rest[0] in ALL:
            table = self.view.table if self.view and self.view.table.waiting else None
            if table is None or self.view is None or self.view.seat is None:
                raise self._unreadable(rest[0], ("0", "1", "2"))
            return [Follow(table.markers[self.view.seat][table.origin])]
        return [Follow(self._number(rest[0]))]

    def _number(self, word: str) -> int:
        if not _NUMBER.fullmatch(word):
            raise self._unreadable(word, ("1", "2", "3"))
        return int(word)

    # -- goal

    def _goal(self, rest: list[str]) -> list[Move]:
        if not rest:
            return self._offered("goal ?", CompleteGoal, self.view.hand if self.view else ())
        goals = meant("".join(rest), _goal_spellings(tuple(self.board.goal)))
        if not goals:
            raise self._unreadable(rest[0], (self.view.hand if self.view else ()) or tuple(self.board.goal)[:6])
        return [CompleteGoal(goal) for goal in goals]

    # -- collect

    def _collect(self, rest: list[str]) -> list[Move]:
        """`wine 2`, `2 wine`, `wine`; `all` is as many as stand there."""
        counts = [word for word in rest if word.isdigit() or word in ALL]
        names = [word for word in rest if word not in counts]
        if len(counts) > 1 or (counts and rest.index(counts[0]) not in (0, len(rest) - 1)):
            raise self._unreadable(counts[-1], GOODS)
        goods = meant("".join(names), GOOD_SPELLINGS) if names else list(GOODS)
        if not goods:
            raise self._unreadable(names[0], GOODS)
        if counts and names and counts[0] not in ALL:
            return [Collect(good, self._number(counts[0])) for good in goods]
        if not self.view:
            raise self._unreadable("", ("1", "2", "3") if names else GOODS)
        there = {good: self._there(self.board.ids[self.board.trade[good]]) for good in goods}
        count = self._number(counts[0]) if counts and counts[0] not in ALL else 0
        found: list[Move] = [
            Collect(good, number)
            for good, most in there.items()
            for number in ([most] if counts and counts[0] in ALL else [count] if count else range(1, most + 1))
            if 0 < number <= most
        ]
        if not found:
            if names:  # the rules say why not
                return [Collect(good, max(count, 1)) for good in goods]
            raise self._unreadable("", GOODS)
        if len(found) > 1:
            raise self._ambiguous("collect ?", found)
        return found

    def _there(self, place: str) -> int:
        """How many markers of the viewer's stand there."""
        view = self.view
        return view.table.markers[view.seat][self.board.index[place]] if view and view.seat is not None else 0

    # -- move

    def _move(self, rest: list[str]) -> list[Move]:
        """`4 village to grain`, `4 from village to grain`, `village to grain`, `4 to grain`..."""
        words = list(rest)
        count: int | None = None
        if words and (words[0] in ALL or _NUMBER.fullmatch(words[0])):
            said = words.pop(0)
            count = ALL_OF_THEM if said in ALL else int(said)
        words = [word for word in words if word not in FROM]
        if words and words[-1] in TO:
            raise self._unreadable("", self.board.ids[:4])
        ways = list(self._ways(words))
        if not ways:
            raise self._where_it_fails(words)
        if count is not None and count != ALL_OF_THEM and all(origin and to for origin, to in ways):
            return [MoveMarkers(count, origin, to) for origin, to in ways]
        return self._completed(count, ways)

    def _ways(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """From where to where the words may lead; empty where they don't say."""
        joints = [at for at, word in enumerate(words) if word in TO]
        if len(joints) > 1 or len(words) > 8:
            return
        if joints:
            splits = [(words[: joints[0]], words[joints[0] + 1 :])]
        else:
            splits = [(words[:at], words[at:]) for at in range(1, len(words) + 1)] or [([], [])]
        for start, end in splits:
            origins = places_said(start, self.board) if start else [""]
            ends = places_said(end, self.board) if end else [""]
            yield from islice(product(origins, ends), MOST_READINGS)

    def _two_places(self, words: list[str]) -> bool:
        return any(to and origin for origin, to in self._ways([word for word in words if word not in FROM]))

    def _where_it_fails(self, words: list[str]) -> NotationError:
        """The first part of the line that is no place."""
        at = next((at for at, word in enumerate(words) if word in TO), len(words))
        for part in (words[:at], words[at + 1 :]):
            if part and not places_said(part, self.board):
                return self._unreadable(" ".join(part), self._likely(part[0]))
        return self._unreadable(words[-1] if words else "", ("to",))

    def _likely(self, word: str) -> Sequence[str]:
        """Places to name: those that begin alike; else where the viewer's markers stand, or the first of the board."""
        alike = [name for name in self.board.ids if name[:2] == word[:2]]
        own = [name for name in self.board.ids if self._there(name)]
        return (alike or own or self.board.ids)[:8]

    def _completed(self, count: int | None, ways: list[tuple[str, str]]) -> list[Move]:
        """What was left out is what the position forces, or else a question."""
        example = notate(MoveMarkers(4, *self.board.ids[:2]))
        if not self.view:
            raise self._unreadable("", (example,))
        possible = dict.fromkeys(move for origin, to in ways for move in self._possible(count, origin, to))
        found = [move for move in possible if not refused(self.view, move)]
        if len(found) > 1:
            hints = dict.fromkeys(
                f"move {move.count if count else '?'} {move.origin} to {move.destination}" for move in found
            )
            raise self._ambiguous(" / ".join(list(hints)[:MOST_CHOICES]), found)
        if found:
            return list(found)
        for origin, to in ways:
            if origin and to:  # the rules say why not
                return [MoveMarkers(1 if count in (None, ALL_OF_THEM) else count or 0, origin, to)]
        raise self._unreadable("", (example,))

    def _possible(self, count: int | None, origin: str, to: str) -> Iterator[MoveMarkers]:
        for start in [origin] if origin else self.board.ids:
            there = self._there(start)
            for end in [to] if to else self.board.in_reach[self.board.index[start]] if there else ():
                numbers = range(1, there + 1) if count is None else [there if count == ALL_OF_THEM else count]
                for number in numbers:
                    yield MoveMarkers(number, start, end)

    # -- one meaning

    def _offered(self, hint: str, kind: type, expected: Sequence[str]) -> list[Move]:
        """A verb alone: the one such move that is legal, or else a question."""
        found = [move for move in _legal_moves(self.view) if isinstance(move, kind)] if self.view else []
        if len(found) > 1:
            raise self._ambiguous(hint, found)
        if not found:
            raise self._unreadable("", expected)
        return found

    def _ambiguous(self, hint: str, found: Sequence[Move]) -> NotationError:
        choices = [notate(move) for move in found]
        return Ambiguous(self.text, hint, choices[:MOST_CHOICES])

    def _only(self, readings: Sequence[Move]) -> Move:
        """The one reading; of several the one that is legal."""
        different = list(dict.fromkeys(readings))
        if len(different) > 1 and self.view:
            view = self.view
            different = [move for move in different if not refused(view, move)] or different
        if len(different) > 1:
            choices = [notate(move) for move in different[:MOST_CHOICES]]
            raise Ambiguous(self.text, " / ".join(choices), choices)
        return different[0]


def _legal_moves(view: View) -> Iterator[Move]:
    """Of the offers with one gap or none, every move."""
    board = view.table.terms.board
    for offer in legal(view):
        if len(offer.choices) <= 1:
            words = offer.choices[0].among if offer.choices else ("",)
            for word in words:
                move = _canonical(offer.text.format(count=word), board)
                if move is not None:
                    yield move
