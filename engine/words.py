"""Reading words forgivingly: what the games' notations share. Each game has its own words and its own sentences."""

import unicodedata
from collections.abc import Mapping, Sequence

Vocabulary = Mapping[str, Sequence[str]]
"""Each meaning with the words for it, in small letters, their umlauts spelled out."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def plain(text: str, longest: int) -> str:
    """The line in small letters, its umlauts spelled out, without spaces around it and a full stop at its end.

    Empty where it is too long, or a single letter, which may be how somebody signs a mail.
    """
    if len(text) > longest:
        return ""
    line = unicodedata.normalize("NFKC", text).casefold().translate(_UMLAUTS).strip().rstrip(".!;").rstrip()
    return line if len(line) > 1 else ""


def meanings(word: str, words: Vocabulary) -> list[str]:
    """What a word stands for: itself, or else everything it is the beginning of."""
    if not word.isalpha():
        return []
    exact = [meaning for meaning, spellings in words.items() if word in spellings]
    return exact or [meaning for meaning, spellings in words.items() if any(s.startswith(word) for s in spellings)]
