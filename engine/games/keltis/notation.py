"""Moves as lines of text.

Canonical: `reveal`, `reveal, lay else leave`, `reveal, leave`, `lay`, `leave`, `take blue 5`, `stop`.

Read besides: any case and spacing, a full stop at the end, the German words, `blue5`, and every word cut short as long
as one meaning is left. A line is read as a whole or not at all: a move inside a sentence is none, nor is a single
letter, which may be how somebody signs a mail.
"""

import re
from itertools import product

from engine.errors import Ambiguous, Unreadable
from engine.games.keltis.rules import Lay, Leave, Move, Reveal, Stop, Take
from engine.games.keltis.tiles import TILES
from engine.words import meanings, plain

# Umlauts are spelled out before a word is looked up: `grün` and `gruen` are one word, and `grun` is a common slip.
VERBS = {
    "reveal": ("reveal", "aufdecken"),
    "lay": ("lay", "legen", "lege", "leg", "hinlegen", "anlegen"),
    "leave": ("leave", "liegenlassen"),
    "take": ("take", "nehmen", "nehme", "nimm"),
    "stop": ("stop", "pass", "stopp", "passen", "passe", "aufhoeren", "aufhoren"),
}
COLOUR_WORDS = {
    "blue": ("blue", "blau"),
    "brown": ("brown", "braun"),
    "yellow": ("yellow", "gelb"),
    "green": ("green", "gruen", "grun"),
    "pink": ("pink", "rosa"),
}
# Two words that say one thing.
PHRASES = {
    "liegen lassen": "liegenlassen",
    "lasse liegen": "liegenlassen",
    "lass liegen": "liegenlassen",
    "decke auf": "aufdecken",
    "deck auf": "aufdecken",
    "hoere auf": "aufhoeren",
    "hoer auf": "aufhoeren",
    "leave it": "leave",
    "lay it": "lay",
}
# What may stand between a reveal and what follows it.
THEN = frozenset(("and", "then", "und", "dann"))
ELSE = frozenset(("else", "otherwise", "or", "sonst", "oder"))

LONGEST = 80
_LINE = re.compile(r"[a-z0-9, \t]+")
_WORD = re.compile(r"[a-z]+|[0-9]+")
_PHRASE = re.compile(r"\b(?:" + "|".join(PHRASES) + r")\b")

_SENTENCES: dict[tuple[str, ...], Move] = {
    ("reveal",): Reveal(),
    ("reveal", "lay"): Reveal("lay else leave"),  # by KE-5 a tile that doesn't fit is left anyway
    ("reveal", "lay", "leave"): Reveal("lay else leave"),
    ("reveal", "leave"): Reveal("leave"),
    ("lay",): Lay(),
    ("leave",): Leave(),
    ("stop",): Stop(),
}
LONGEST_SENTENCE = max(map(len, _SENTENCES))


def notate(move: Move) -> str:
    match move:
        case Reveal(then):
            return f"reveal, {then}" if then else "reveal"
        case Take(tile):
            return f"take {tile}"
        case Lay():
            return "lay"
        case Leave():
            return "leave"
        case Stop():
            return "stop"


_CANONICAL: dict[str, Move] = {notate(move): move for move in (*_SENTENCES.values(), *map(Take, TILES))}


def parse(text: str, _view: object) -> Move:
    """What a line says doesn't depend on the position: a tile that isn't there is refused by the rules, not misread."""
    return _CANONICAL.get(text) or _read(text)


def _read(text: str) -> Move:
    readings = _readings(_words(text))
    if not readings:
        raise Unreadable(text)
    if len(readings) > 1:
        raise Ambiguous(text, choices=[notate(move) for move in readings])
    return readings[0]


def _words(text: str) -> list[str]:
    """The line's words and numbers; none where it holds anything else."""
    line = plain(text, LONGEST)
    if not _LINE.fullmatch(line):
        return []
    return _PHRASE.sub(lambda phrase: PHRASES[phrase[0]], " ".join(_WORD.findall(line))).split()


def _readings(words: list[str]) -> list[Move]:
    """Every move the words can mean, each once."""
    if len(words) == 3:
        first, second, third = words
        if second.isdigit() and meanings(third, VERBS) == ["take"]:  # `blau 5 nehmen`
            first, second, third = third, first, second
        if second.isalpha() and third.isdigit() and meanings(first, VERBS) == ["take"]:
            return _takes(second, third)
    said = [meanings(word, VERBS) for place, word in enumerate(words) if not _joins(words, place)]
    if len(said) > LONGEST_SENTENCE:  # forty times `l` has a trillion readings, none of which is a move
        return []
    moves = (_SENTENCES.get(sentence) for sentence in product(*said))
    return list(dict.fromkeys(move for move in moves if move))


def _takes(colour: str, number: str) -> list[Move]:
    """A colour or a number that isn't printed is read all the same, for KE-2 to refuse."""
    colours = meanings(colour, COLOUR_WORDS) or [colour]
    return [Take(f"{colour} {int(number)}") for colour in colours]


def _joins(words: list[str], place: int) -> bool:
    last = place == len(words) - 1
    return not last and ((place == 1 and words[place] in THEN) or (place >= 2 and words[place] in ELSE))
