"""Reading words forgivingly."""

import pytest

from engine.words import meanings, plain

VERBS = {"take": ("take", "nehmen"), "tell": ("tell", "sagen"), "do": ("do", "tun"), "done": ("done", "fertig")}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  Nimm GRÜN. ", "nimm gruen"),
        ("stop!;", "stop"),
        ("ﬁne", "fine"),
        ("\u2167 is a number", "viii is a number"),
        ("A", ""),  # how somebody signs a mail
        (" . ", ""),
        ("x" * 20, "x" * 20),
        ("x" * 21, ""),
    ],
)
def test_a_line_is_made_plain(text: str, line: str) -> None:
    assert plain(text, 20) == line


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("take", ["take"]),
        ("nehm", ["take"]),
        ("t", ["take", "tell", "do"]),
        ("do", ["do"]),  # and not `done`, which it is the beginning of
        ("don", ["done"]),
        ("x", []),
        ("", []),
        ("5", []),
    ],
)
def test_a_word_means_itself_or_all_it_may_be_the_beginning_of(word: str, said: list[str]) -> None:
    assert meanings(word, VERBS) == said
