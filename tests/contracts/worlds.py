"""Secrecy: pairs of matches that differ only in what a reader may not know, and the demand that the reader can't tell.

The second match of a pair is a real one, made without knowing the game: the same lines are played again with another
chance, one shuffle or throw of which comes out otherwise. As long as the events, as seen by the reader, are the same in
both, they are two worlds that the reader can't tell apart; where they first differ, the pair ends.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.bots import BOTS, choose
from engine.chance import Chance
from engine.errors import NotationError, RuleViolation
from engine.events import Event, Seat, as_seen_by
from engine.game import LANGUAGES, Game, State, complete_options
from engine.log import encode, openings_for
from engine.play import fold, play_line
from engine.transcript import Sight, Stored, write_transcript
from engine.values import JSON, freeze
from tests.contracts.checks import NASTY_NAMES, NONSENSE, THEMES
from tests.contracts.walks import Walk
from tests.matches import Step, write_down

T = TypeVar("T")


class OtherwiseChance(Chance):
    """Chance of which one label comes out otherwise: two places of a shuffle swapped, or a number moved on."""

    def __init__(self, chance: Chance, label: str, one: int, other: int) -> None:
        self._chance, self._label, self._one, self._other = chance, label, one, other

    def below(self, label: str, n: int) -> int:
        drawn = self._chance.below(label, n)
        return (drawn + self._other) % n if label == self._label else drawn

    def shuffle(self, label: str, items: Iterable[T]) -> tuple[T, ...]:
        order = list(self._chance.shuffle(label, items))
        if label == self._label:
            order[self._one], order[self._other] = order[self._other], order[self._one]
        return tuple(order)


@dataclass(frozen=True)
class Pair:
    """Two histories of the same length, alike to the reader and yet not the same."""

    walk: Walk
    reader: Seat | None
    one: Sequence[Step]
    other: Sequence[Step]


def pairs(walk: Walk, reader: Seat | None, count: int) -> Iterator[Pair]:
    """Up to so many changes of chance that the reader doesn't notice at once, each as far as they stay unnoticed.

    What decides how a match goes on, whose turn it is and if the reader's own move is legal, is checked on the way.
    """
    luck = Chance(f"worlds {walk.number}/{reader}".encode())
    asked = [(label, size) for label, size in walk.asked if size > 1]
    for attempt in range(count):
        label, size = asked[luck.below(f"{attempt}/label", len(asked))]
        one, other = luck.shuffle(f"{attempt}/places", range(size))[:2]
        pair = _played_otherwise(walk, reader, OtherwiseChance(walk.chance, label, one, other or 1))
        if pair is not None:
            yield pair


def _played_otherwise(walk: Walk, reader: Seat | None, chance: Chance) -> Pair | None:
    game = walk.game
    dealt = game.deal(walk.seats, complete_options(game.info, walk.seats, walk.options), chance)
    if not _alike(reader, walk.steps[0].events, dealt):
        return None
    steps = [Step("dealt", None, None, dealt, fold(game, None, dealt))]
    for before, step in zip(walk.steps, walk.steps[1:], strict=False):
        assert game.to_act(before.state) == game.to_act(steps[-1].state), "whose turn it is tells something hidden"
        again = _again(game, steps[-1].state, step, reader, chance)
        if again is None or not _alike(reader, step.events, again.events):
            break
        steps.append(again)
    if steps[-1].state == walk.steps[len(steps) - 1].state:
        return None
    return Pair(walk, reader, walk.steps[: len(steps)], steps)


def _again(game: Game, state: State, step: Step, reader: Seat | None, chance: Chance) -> Step | None:
    """The same step in the other world; None where somebody else can't take it there."""
    assert step.seat is not None
    if step.move is None:
        events = game.leave(state, step.seat, chance)
        return Step(step.kind, step.seat, None, events, fold(game, state, events))
    if step.seat in game.left(state) and game.notate(game.absent(game.view(state, step.seat))) != step.move:
        assert step.seat != reader, "what is played for the reader tells something hidden"
        return None
    try:
        played = play_line(game, state, step.seat, step.move, chance)
    except (RuleViolation, NotationError) as refusal:
        if step.seat == reader:
            raise AssertionError("a refusal tells something hidden") from refusal
        return None
    return Step(step.kind, step.seat, played.move, played.events, played.state)


def _alike(reader: Seat | None, one: Sequence[Event], other: Sequence[Event]) -> bool:
    return as_seen_by(reader, one) == as_seen_by(reader, other)


# -- what the reader gets


def check_the_reader_cannot_tell(pair: Pair, most: int = 6) -> None:
    """All that is said to the reader, in positions of the pair in which the worlds differ and the match runs."""
    game = pair.walk.game
    differing = []
    for place, (one, other) in enumerate(zip(pair.one, pair.other, strict=True)):
        assert game.to_act(one.state) == game.to_act(other.state), "whose turn it is tells something hidden"
        assert game.turn(one.state) == game.turn(other.state), "whose turn it is tells something hidden"
        assert game.left(one.state) == game.left(other.state)
        # After the end the hidden is opened, and outcome and view may tell of it.
        if one.state != other.state and game.to_act(one.state) is not None:
            differing.append(place)
    for place in differing[:: -max(1, len(differing) // most)]:
        lines = [*pair.walk.some_lines(25, place), *NONSENSE[:12]]
        said = _said(pair, pair.one[place].state, lines)
        said_otherwise = _said(pair, pair.other[place].state, lines)
        for name, heard in said.items():
            assert heard == said_otherwise[name], f"{name} tells something hidden"
    assert _recounted(pair, pair.one) == _recounted(pair, pair.other)
    assert _log(pair, pair.one) == _log(pair, pair.other), "the log tells something hidden"
    assert _transcript(pair, pair.one) == _transcript(pair, pair.other), "a transcript tells something hidden"


def _said(pair: Pair, state: State, lines: Sequence[str]) -> dict[str, Any]:
    game, reader, names = pair.walk.game, pair.reader, NASTY_NAMES[: pair.walk.seats]
    view = game.view(state, reader)
    said: dict[str, Any] = {"view": json.dumps(freeze(view)), "view's repr": repr(view), "legal": game.legal(view)}
    if reader is not None:
        said["refusals"] = [_answer(game, state, reader, line) for line in lines]
        if reader == game.to_act(state):
            said["absent"] = game.absent(view)
    for language in LANGUAGES:
        said[f"tell {language}"] = game.tell(view, language, names)
        said[f"guide {language}"] = game.guide(view, language)
        for theme in THEMES:
            said[f"draw {language} {theme}"] = game.draw(view, names, language, theme)
    return said


def _answer(game: Game, state: State, seat: Seat, line: str) -> Any:
    """What the seat is told when it tries this line: that it is played, or why it isn't."""
    try:
        return play_line(game, state, seat, line, Chance(b"tried")).move
    except NotationError as error:
        return (type(error), error.text, error.expected, error.choices)
    except RuleViolation as refusal:
        sentences = [game.explain(refusal, language) for language in LANGUAGES]
        return (refusal.rule, refusal.code, sorted(refusal.facts.items()), sentences)


def _recounted(pair: Pair, steps: Sequence[Step]) -> list[Any]:
    names = NASTY_NAMES[: pair.walk.seats]
    return [
        list(pair.walk.game.recount(as_seen_by(pair.reader, step.events), language, names))
        for step in steps
        for language in LANGUAGES
    ]


def _log(pair: Pair, steps: Sequence[Step]) -> list[Any]:
    """The log as the reader gets it: what everybody sees, with numbers for seals and salts; and what may be opened."""
    recorded = write_down(pair.walk.game, "match", pair.walk.seats, steps, pair.walk.options)
    read: list[Any] = []
    numbers: dict[str, int] = {}
    running = [entry for entry in recorded.entries if json.loads(entry.public)["kind"] != "closed"]
    for entry in running:
        public = json.loads(entry.public)
        opened = [(number, recorded.value_of(number)) for number in openings_for(pair.reader, public, over=False)]
        read.append((len(entry.public), _with_numbers(public, numbers), opened))
    return read


def _transcript(pair: Pair, steps: Sequence[Step]) -> list[Any]:
    """What the reader takes away while the match runs: each hash, seal, salt and signature as a number."""
    recorded = write_down(pair.walk.game, "match", pair.walk.seats, steps, pair.walk.options)
    stored = [
        Stored(json.loads(entry.public), entry.hash, f"receipt of {encode(entry.hash)}")
        for entry in recorded.entries
        if json.loads(entry.public)["kind"] != "closed"
    ]
    sight = Sight(pair.reader, over=False, turn_since=len(stored) // 2)
    entries = [(one, [recorded.openings[number] for number in sight.opens(one.form)]) for one in stored]
    lines = write_transcript("match", pair.reader, [], entries, len(stored) // 2, json.dumps)
    numbers: dict[str, int] = {}
    return [(len(line), _with_numbers(json.loads(line), numbers)) for line in lines]


_UNTELLING = ("seal", "salt", "hash", "receipt")


def _with_numbers(form: JSON, numbers: dict[str, int]) -> JSON:
    """Each seal and each salt replaced by a number in order of appearance."""
    if isinstance(form, list):
        return [_with_numbers(item, numbers) for item in form]
    if not isinstance(form, dict):
        return form
    return {
        name: numbers.setdefault(value, len(numbers)) if name in _UNTELLING else _with_numbers(value, numbers)
        for name, value in form.items()
    }


# -- what a bot plays for the reader


def check_a_bot_cannot_tell(pair: Pair, most: int = 4) -> int:
    """With the same luck a bot plays the same line. In how many positions it was asked, the caller may want to know."""
    game = pair.walk.game
    asked = [
        (one.state, other.state)
        for one, other in zip(pair.one, pair.other, strict=True)
        if one.state != other.state and pair.reader is not None and game.to_act(one.state) == pair.reader
    ]
    asked = asked[:: -max(1, len(asked) // most)]
    for states in asked:
        for name, bot in BOTS.items():
            one, other = (
                choose(bot, game, game.view(state, pair.reader), Chance(b"bots"), "line", 40) for state in states
            )
            assert one == other, f"{name} sees something hidden"
    return len(asked)
