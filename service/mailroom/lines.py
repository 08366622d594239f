"""Which lines of a mail are moves. Pure.

Nothing is played that the writer may not have meant: where that isn't sure there are no moves, but a line to ask about.
"""

import re
from difflib import get_close_matches

from engine.errors import NotationError
from engine.game import Language
from service.mailroom.reply import Paragraphs
from service.matches import Sight
from service.moves import LONGEST_LINE, MOST_LINES

MOST_WORDS = 6


def find_moves(paragraphs: Paragraphs, sight: Sight, name: str, language: Language) -> tuple[list[str], str]:
    """The one paragraph in which every line reads as a move; or the line that makes it unclear which are meant.

    Prose in other paragraphs is left alone. It is unclear where a paragraph holds both moves and other lines; where
    several hold moves; and where a line reads as none but looks like one: after `reveel`, an empty line and `lay`, the
    `lay` was meant for a position that isn't there.
    """
    words = _words_of_moves(sight, language) - set(_words(name))
    found: list[str] = []
    for paragraph in _without_sign_off(paragraphs, name):
        moves = [line for line in paragraph if _reads_as_move(line, sight)]
        others = [line for line in paragraph if line not in moves]
        if moves and others:
            return [], others[0]
        if moves and (found or len(moves) > MOST_LINES):
            return [], moves[0]
        misspelt = [line for line in others if _looks_like_move(line, words)]
        if misspelt:
            return [], misspelt[0]
        found = found or moves
    return found, ""


def plays(line: str, sight: Sight) -> bool:
    """Whether the line, as it stands, is a move that may be made now."""
    if sight.seat is None or sight.seat != sight.to_act or not _reads_as_move(line, sight):
        return False
    try:
        said = sight.game.notate(sight.game.parse(line, sight.view))
    except NotationError:
        return True  # it may mean several moves
    return any(offer.text == said for offer in sight.game.legal(sight.view) if not offer.choices)


LONGEST_ORDER = 20  # words; what is longer is prose


def _reads_as_move(line: str, sight: Sight) -> bool:
    if len(line) > LONGEST_LINE:
        return False
    try:
        sight.game.parse(line, sight.view)
    except NotationError as error:
        return error.code == "ambiguous"  # it is meant as a move, and the answer will say what it may mean
    return True


def _looks_like_move(line: str, words: set[str]) -> bool:
    """A few words, and one of them is a move's, or nearly: the same first letter, and few others wrong."""
    said = _words(line)
    return len(said) <= MOST_WORDS and any(
        get_close_matches(word, [known for known in words if known[0] == word[0]], n=1, cutoff=0.75) for word in said
    )


def _words_of_moves(sight: Sight, language: Language) -> set[str]:
    """The words in which moves may be said now."""
    game, view = sight.game, sight.view
    offers = game.legal(view)
    texts = [offer.text for offer in offers] + [text for offer in offers for gap in offer.choices for text in gap.among]
    # In a guide the moves stand indented, and what they mean stands apart.
    texts += re.findall(r"^ +(\S+(?: \S+)*)", game.guide(view, language), re.MULTILINE)
    return {word for text in texts for word in _words(text)}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", text.casefold())


def _without_sign_off(paragraphs: Paragraphs, name: str) -> Paragraphs:
    """Without a last line that is the writer's own name or its beginning: Lea doesn't mean `leave`, nor S. `stop`."""
    if sum(map(len, paragraphs)) < 2:
        return paragraphs
    *others, (*lines, last) = paragraphs
    signed = re.findall(r"[^\W\d_]+", last.casefold())
    names = re.findall(r"[^\W\d_]+", name.casefold())
    if all(any(part.startswith(word) for part in names) for word in signed):
        return (*others, tuple(lines))
    return paragraphs
