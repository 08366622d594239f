"""Moves as lines of text.

Canonical: `red 2+1 take blue middle` (colour, druid cards, `+` experience cards, and what is done at the place),
`white 2 draw`, `black 1 give green green`, `grey 0+1 nothing`; and at the end `swap coral for blue middle`, `take
gold`, `done`. Parts stand in the board's order.

Read besides: any case and spacing, a full stop at the end, the German words, `2 red`, `red2`, `+1` for `0+1`, `2 green`
for `green green`, the verb last (`rot 2 blau nehmen`) or left out, exchanges one by one (`swap coral for middle, take
blue`), and every word cut short as long as one meaning is left. What the position forces may be left out; where there
is a choice, the answer says among what. A line is read as a whole or not at all.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod

from engine.errors import Ambiguous, NotationError, Unreadable
from engine.games.celtica.board import DRUIDS, RECONSTRUCTION
from engine.games.celtica.table import Exchange, Move, Play
from engine.games.celtica.view import Lead, View, lead_of, may_act, refused, said_cards
from engine.values import maker
from engine.words import Vocabulary, meanings, plain

# Umlauts are spelled out before a word is looked up.
ACTS = {
    "take": ("take", "nehmen", "nehme", "nimm"),
    "give": ("give", "abgeben", "geben", "gebe", "gib"),
    "draw": ("draw", "ziehen", "ziehe", "zieh"),
    "nothing": ("nothing", "none", "decline", "nichts", "keine", "verzichten", "verzichte"),
}
EXCHANGES = {
    "swap": ("swap", "exchange", "tauschen", "tausche", "tausch"),
    "take": ACTS["take"],
    "done": ("done", "fertig"),
}
# Names of pieces in other words. A board may have names of its own; those are read as they are.
COLOURS = {
    "red": ("rot",),
    "grey": ("gray", "grau"),
    "white": ("weiss",),
    "black": ("schwarz",),
    "brown": ("braun",),
    "blue": ("blau",),
    "coral": ("koralle",),
    "green": ("gruen", "grun"),
    "rose": ("rosa",),
    "teal": ("tuerkis", "turkis", "petrol"),
    "violet": ("violett",),
    "middle": ("mitte",),
    "yellow": ("gelb",),
    "silver": ("silber",),
    "purple": ("lila",),
    "turquoise": ("tuerkis", "turkis"),
}
FOR = frozenset(("for", "gegen", "fuer"))
AND = frozenset((",", "and", "und"))
THEN = AND | {"then", "dann"}

LONGEST, MOST_READINGS, MOST_CHOICES = 400, 24, 12
_LINE = re.compile(r"[a-z0-9+, \t]+")
_WORD = re.compile(r"[a-z]+|[0-9]+|[+,]")
_CARDS = {f"{d}+{e}" if e else f"{d}": (d, e) for d in range(13) for e in range(5)}

Parts = list[list[str]]
"""Parts, each with all that its word may mean."""


def notate(move: Move) -> str:
    if isinstance(move, Play):
        return " ".join((said_cards(move.colour, move.druid_cards, move.experience_cards), move.act, *move.parts))
    if move.gives:
        return f"swap {' '.join(move.gives)} for {' '.join(move.gets)}"
    return f"take {' '.join(move.gets)}" if move.gets else "done"


_play = maker(Play)


def parse(text: str, view: View | None) -> Move:
    """What is said in full doesn't depend on the position: a part that isn't there is refused by the rules."""
    board = view.table.terms.board if view else RECONSTRUCTION
    words = text.split(" ")
    if len(words) > 2 and words[0] in board.druids and words[1] in _CARDS:  # canonical but for the order of the parts
        act, parts = words[2], words[3:]
        if not parts and act in ("draw", "nothing"):
            return _play(words[0], *_CARDS[words[1]], act)
        if parts and act in ("take", "give") and all(map(board.parts.__contains__, parts)):
            if len(parts) > 1:
                parts.sort(key=board.parts.index)
            return _play(words[0], *_CARDS[words[1]], act, tuple(parts))
    return _Reading(text, view).move()


@lru_cache(maxsize=64)
def _vocabulary(names: tuple[str, ...]) -> Vocabulary:
    return {name: (name, *COLOURS.get(name, ())) for name in names}


def _words(text: str) -> list[str]:
    """The line's words, numbers and signs; none where it holds anything else."""
    line = plain(text, LONGEST)
    if not _LINE.fullmatch(line):
        return []
    words = _WORD.findall(line)
    return [word for word in words if word != "ab"] if len(words) > 1 else words  # `gib grün ab`


def _multisets(among: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    """Every choice of so many, each once."""
    if not count:
        yield ()
        return
    for place in range(len(among) - count + 1):
        if not place or among[place] != among[place - 1]:
            for rest in _multisets(among[place + 1 :], count - 1):
                yield (among[place], *rest)


class _Reading:
    """One line, read word by word."""

    def __init__(self, text: str, view: View | None) -> None:
        board = view.table.terms.board if view else RECONSTRUCTION
        self.text = text
        self.view = view if view is not None and may_act(view) else None
        """Where whose turn it is speaks."""
        self.names = board.parts
        self.druids = _vocabulary(board.druids)
        self.parts = _vocabulary(board.parts)
        self.words = _words(text)
        self.at = 0

    def move(self) -> Move:
        first = self._ahead()
        if not first:
            raise Unreadable(self.text)
        if first.isdigit() or first == "+" or meanings(first, self.druids):
            return self._play()
        if meanings(first, EXCHANGES):
            return self._exchange()
        raise self._unreadable((*self.druids, *EXCHANGES))

    # -- word after word

    def _ahead(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _unreadable(self, expected: Sequence[str]) -> NotationError:
        """What was expected at which word."""
        return Unreadable(self.text, f"“{self._ahead() or '…'}”? {' · '.join(expected)}")

    def _joins(self, words: frozenset[str]) -> bool:
        """Whether there were such words here; the last word of a line joins nothing."""
        start = self.at
        while self._ahead() in words and self.at + 1 < len(self.words):
            self.at += 1
        return self.at > start

    def _next(self, among: Vocabulary) -> list[str]:
        said = meanings(self._ahead(), among)
        if not said:
            raise self._unreadable(tuple(among))
        self.at += 1
        return said

    def _some_parts(self) -> Parts:
        """`blue, 2 green and middle`"""
        parts: Parts = []
        end = self.at
        while (word := self._ahead()).isdigit() or meanings(word, self.parts):
            count = 1
            if word.isdigit():
                if word not in "123456789":
                    raise self._unreadable(tuple(self.parts))
                count, self.at = int(word), self.at + 1
            parts += [self._next(self.parts)] * count
            end = self.at
            self._joins(AND)
        self.at = end
        return parts

    # -- cards, and what they lead to

    def _play(self) -> Move:
        if self._ahead().isalpha():
            colours = self._next(self.druids)
            druid, experience = self._cards()
        else:
            druid, experience = self._cards()
            colours = self._next(self.druids)
        self._joins(THEN)
        acts, parts = self._act()
        if self._ahead():
            raise self._unreadable(tuple(self.parts) if parts else tuple(ACTS))
        if not parts and not set(acts) & {"draw", "nothing"}:
            return self._completed(colours, druid, experience, acts)
        acts = [act for act in acts if (act in ("take", "give")) == bool(parts)]
        if not acts:
            raise Unreadable(self.text, "take · give")
        return self._only(
            [
                Play(colour, druid, experience, act, self._in_order(chosen))
                for colour in colours
                for act in acts
                for chosen in self._chosen(parts)
            ]
        )

    def _cards(self) -> tuple[int, int]:
        """`2`, `2+1`, `+1`"""
        counts = [0, 0]
        for kind in (0, 1):
            if kind and self._ahead() != "+":
                break
            self.at += kind
            if self._ahead().isdigit() and len(self._ahead()) <= 2:
                counts[kind] = int(self._ahead())
                self.at += 1
            elif kind or self._ahead() != "+":
                raise self._unreadable(("1", "2", "1+1"))
        return counts[0], counts[1]

    def _act(self) -> tuple[list[str], Parts]:
        """What the verb may mean, before the parts or after them. Parts alone are taken or given."""
        if not self._ahead():
            return [], []
        acts = meanings(self._ahead(), ACTS)
        if acts:
            self.at += 1
            return acts, self._some_parts()
        parts = self._some_parts()
        if not parts:
            raise self._unreadable((*ACTS, *self.parts))
        if self._ahead():
            acts = [act for act in self._next(ACTS) if act in ("take", "give")]
        return acts or ["take", "give"], parts

    def _chosen(self, parts: Parts) -> Iterator[tuple[str, ...]]:
        if prod(map(len, parts)) > MOST_READINGS:
            raise Unreadable(self.text, " · ".join(self.parts))
        return product(*parts)

    def _in_order(self, parts: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted(parts, key=self.names.index))

    def _completed(self, colours: list[str], druid: int, experience: int, acts: list[str]) -> Move:
        """Cards alone, or with `take` or `give` and no part: what the position forces, or else a question."""
        plays: list[Play] = []
        hints: list[str] = []
        for colour in colours:
            lead = lead_of(self.view, colour, druid, experience) if self.view else None
            if lead is None:
                if not acts:  # the rules say why not
                    plays.append(Play(colour, druid, experience, "nothing"))
                    hints.append(notate(plays[-1]))
            elif not acts or lead.act in acts:
                possible = list(islice(_possible(lead), MOST_CHOICES))
                plays += possible
                hints.append(_hint(lead, possible))
        if not plays:
            raise self._unreadable(tuple(self.parts))
        if len(plays) > 1 and self.view:
            plays = [play for play in plays if not refused(self.view, play)] or plays
        if len(plays) > 1:
            raise Ambiguous(self.text, " / ".join(hints), [notate(play) for play in plays[:MOST_CHOICES]])
        return plays[0]

    # -- the exchange at the end

    def _exchange(self) -> Move:
        items: list[tuple[Parts, Parts]] = []
        while True:
            meanings = self._next(EXCHANGES)
            if meanings == ["done"]:
                if self._ahead():
                    raise self._unreadable(())
                break
            if len(meanings) > 1:
                raise self._unreadable(tuple(EXCHANGES))
            gives: Parts = []
            if meanings == ["swap"]:
                gives = self._wanted_parts()
                if self._ahead() not in FOR:
                    raise self._unreadable(("for",))
                self.at += 1
            items.append((gives, self._wanted_parts()))
            if not self._ahead():
                break
            if not self._joins(THEN):
                raise self._unreadable((",", *self.parts))
        given = [part for gives, _ in items for part in gives]
        got = [part for _, gets in items for part in gets]
        self._chosen(given + got)
        return self._only(
            [
                self._comes_to(gives, gets) if len(items) > 1 else Exchange(self._in_order(gives), self._in_order(gets))
                for gives in product(*given)
                for gets in product(*got)
            ]
        )

    def _wanted_parts(self) -> Parts:
        parts = self._some_parts()
        if not parts:
            raise self._unreadable(tuple(self.parts))
        return parts

    def _comes_to(self, gives: Sequence[str], gets: Sequence[str]) -> Exchange:
        """Exchanges one by one, as one: a part got and given again, or given and got back, only passed through."""
        view, given, got = self.view, Counter(gives), Counter(gets)
        if view and view.seat is not None and 2 * len(gets) - len(gives) <= sum(view.hand[DRUIDS:]):
            for part, mine, lies in zip(self.names, view.table.parts[view.seat], view.table.display, strict=True):
                passed = min(max(given[part] - mine, got[part] - lies, 0), given[part], got[part])
                given[part] -= passed
                got[part] -= passed
        return Exchange(self._in_order(list(given.elements())), self._in_order(list(got.elements())))

    # -- one meaning

    def _only(self, readings: Sequence[Move]) -> Move:
        """The one reading; of several the one that is legal, or else the one that does what is due."""
        different = list(dict.fromkeys(readings))
        if len(different) > 1 and self.view:
            legal = [move for move in different if not refused(self.view, move)]
            different = legal or [move for move in different if self._is_due(move)] or different
        if len(different) > 1:
            choices = [notate(move) for move in different]
            raise Ambiguous(self.text, " / ".join(choices), choices)
        return different[0]

    def _is_due(self, move: Move) -> bool:
        if not isinstance(move, Play) or self.view is None:
            return False
        lead = lead_of(self.view, move.colour, move.druid_cards, move.experience_cards)
        return lead is not None and lead.act == move.act


def _possible(lead: Lead) -> Iterator[Play]:
    cards = (lead.colour, lead.druid_cards, lead.experience_cards)
    if lead.act == "draw":
        yield Play(*cards, "draw")
        yield Play(*cards, "nothing")
    else:
        for parts in _multisets(lead.among, lead.count):
            yield Play(*cards, lead.act, parts)


def _hint(lead: Lead, possible: Sequence[Play]) -> str:
    """`red 2 take ? ? (blue, coral, gold, gold)`"""
    if not lead.count or len(possible) == 1:
        return " / ".join(map(notate, possible))
    cards = said_cards(lead.colour, lead.druid_cards, lead.experience_cards)
    return f"{cards} {lead.act}{' ?' * lead.count} ({', '.join(lead.among)})"
