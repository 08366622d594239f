"""How moves of Keltis are said."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Ambiguous, NotationError, Unreadable
from engine.events import Seat
from engine.game import LANGUAGES, Language
from engine.games import keltis
from engine.games.keltis.rules import Lay, Leave, Move, Reveal, State, Stop, Take
from engine.games.keltis.tell import WORDS
from engine.games.keltis.tiles import TILES
from tests.engine.games.keltis.positions import position

CANONICAL = {
    "reveal": Reveal(),
    "reveal, lay else leave": Reveal("lay else leave"),
    "reveal, leave": Reveal("leave"),
    "lay": Lay(),
    "leave": Leave(),
    "stop": Stop(),
    **{f"take {tile}": Take(tile) for tile in TILES},
}

SPELLINGS = {
    "reveal": [
        "Reveal", "REVEAL.", "  reveal  ", "reveal!", "reveal;", "reveal .", "\treveal\r\n", "re", "RE", "rev",
        "aufdecken", "Aufdecken.", "decke auf", "Deck auf!", "aufd", "ｒｅｖｅａｌ",
    ],
    "reveal, lay else leave": [
        "reveal, lay", "reveal lay", "reveal,lay", "Reveal , Lay.", "reveal and lay", "reveal, then lay", "r lay",
        "reveal, lay or leave", "reveal and lay, otherwise leave", "reveal lay leave", "reveal, lay it, else leave it",
        "r l l", "aufdecken, legen", "aufdecken und legen", "aufdecken, legen sonst liegenlassen",
        "Aufdecken, legen, sonst liegen lassen.", "aufdecken, anlegen", "aufdecken dann lege oder lass liegen",
    ],
    "reveal, leave": [
        "reveal leave", "Reveal and leave it.", "r, lea", "reveal,then leave", "aufdecken, liegenlassen",
        "aufdecken und liegen lassen", "aufdecken, liegen  lassen", "decke auf, lass liegen",
    ],
    "lay": ["Lay", "lay it", "la", "LAY!", "legen", "lege", "leg", "hinlegen", "anlegen"],
    "leave": ["Leave.", "leave it", "lea", "liegenlassen", "liegen lassen", "Lasse liegen!", "lass  liegen", "li"],
    "stop": ["STOP", "st", "pass", "Pass.", "pa", "stopp", "passe", "passen", "aufhören", "Aufhoeren", "aufhoren",
             "AUFHÖREN", "aufho\N{COMBINING DIAERESIS}ren", "höre auf", "hör auf!"],
    "take blue 5": [
        "Take Blue 5", "take blue5", "take  blue,5.", "t blue 5", "t bl5", "take blu 5", "ta blue 05", "take, blue 5",
        "nimm blau 5", "nehmen blau 5", "nehme blau5", "blau 5 nehmen", "Blau5 nehmen.", "n bla 5", "blue 5 take",
        "take blue\N{NO-BREAK SPACE}5",
    ],
    "take brown 10": ["t br10", "nimm braun 10", "take bro 10", "take brown10"],
    "take yellow 0": ["t y0", "nimm gelb 0", "take ye 0", "take ge 0", "gelb 0 nehmen"],
    "take green 7": ["t gr7", "nimm grün 7", "nimm gruen 7", "nimm GRÜN 7", "take gre 7", "take grun 7"],
    "take pink 1": ["t p1", "nimm rosa 1", "take ro 1", "t pi 1", "rosa1 nehmen"],
    # A colour or a number that isn't printed is read: KE-2 refuses it.
    "take red 5": ["Take RED 5.", "nimm red 5", "t red5"],
    "take blue 11": ["take blue 11", "nimm blau 11", "take blue 0011"],
}  # fmt: skip

AMBIGUOUS = {
    "take b5": ["take blue 5", "take brown 5"],
    "t b 5": ["take blue 5", "take brown 5"],
    "nimm b5": ["take blue 5", "take brown 5"],
    "take g7": ["take yellow 7", "take green 7"],  # gelb, grün, green
    "le": ["lay", "leave"],  # leave, legen
    "auf": ["reveal", "stop"],  # aufdecken, aufhören
    "r l": ["reveal, lay else leave", "reveal, leave"],
}

PROSE = [
    "", " ", ".", ",", ", ,", "hello", "I reveal", "I would reveal, but I leave", "please stop", "stop it", "reveal?",
    "shall I take blue 5?", "take blue 5 or pink 3", "take blue 5, take pink 3", "take", "take blue", "take 5",
    "blue 5", "blue5", "5", "take the blue 5", "don't take blue 5", "no, stop", "reveal blue 5", "reveal, stop",
    "reveal, take", "lay else leave", "leave, lay", "reveal or leave", "reveal and", "reveal, lay else",
    "reveal lay and leave", "reveal\nlay", "reveal\0", "re\u200bveal", "> reveal", "- reveal", "reveal: lay",
    "reveal/lay", "take blue -5", "take blue 5.0", "take blue five", "take ٣ 5", "take blue ٣", "tak blue 5 5",
    "nimm nimm blau 5", "aufdecken auf", "Ich decke auf", "Kannst du aufhören?", "revealed", "takes blue 5", "laying",
    "passt", "x" * 100_000, "take blue " + "9" * 5_000, "reveal" + " " * 5_000, "\ud800", "\N{PILE OF POO}", "½", "ﬃ",
    "r", "R.", "s", "L", "a " * 40, "l," * 40, "r l l l", "take 5 5", "5 5 take",
]  # fmt: skip


@pytest.mark.parametrize(("text", "move"), CANONICAL.items())
def test_each_move_has_one_canonical_line(text: str, move: Move) -> None:
    assert keltis.notate(move) == text
    assert keltis.parse(text, None) == move


@pytest.mark.parametrize(("line", "canonical"), [(s, line) for line, spellings in SPELLINGS.items() for s in spellings])
def test_other_spellings_are_read(line: str, canonical: str) -> None:
    assert keltis.notate(keltis.parse(line, None)) == canonical


@pytest.mark.parametrize(("line", "choices"), AMBIGUOUS.items())
def test_a_line_with_several_readings_lists_them(line: str, choices: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        keltis.parse(line, None)
    assert list(caught.value.choices) == choices


@pytest.mark.parametrize("line", PROSE, ids=lambda line: repr(line)[:30])
def test_what_is_no_move_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable) as caught:
        keltis.parse(line, None)
    assert caught.value.text == line


@pytest.mark.parametrize("colour", ["blue", "brown", "yellow", "green", "pink"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_colour_can_be_said_in_both_languages(colour: str, language: Language) -> None:
    word = WORDS[language][colour]
    assert keltis.parse(f"take {word} 3", None) == Take(f"{colour} 3")


@given(st.text(st.characters(exclude_categories=[]), max_size=120))
def test_arbitrary_text_is_a_move_or_no_notation(text: str) -> None:
    try:
        move = keltis.parse(text, None)
    except NotationError:
        return
    assert keltis.parse(keltis.notate(move), None) == move


WORDS_OF_THE_GAME = (
    "reveal", "take", "lay", "leave", "else", "and", "stop", "blue", "b", "g", "5", "11", "nimm", "gelb", ",", ".",
    "legen", "auf", "re", "le",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS_OF_THE_GAME)))
def test_words_of_the_game_in_any_order_are_a_move_or_no_notation(words: list[str]) -> None:
    try:
        readings = [keltis.notate(keltis.parse(" ".join(words), None))]
    except NotationError as error:
        readings = list(error.choices)
    assert [keltis.notate(keltis.parse(reading, None)) for reading in readings] == readings


@given(st.sampled_from(sorted(CANONICAL)), st.randoms())
def test_case_spaces_and_a_full_stop_do_not_matter(text: str, random: Random) -> None:
    shaken = "".join(random.choice((letter.upper(), letter)) for letter in text)
    shaken = shaken.replace(" ", " " * random.randint(1, 3))
    assert keltis.parse(f" {shaken}. ", None) == CANONICAL[text]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "state",
    [
        position(middle=["green 3", "pink 4", "blue 8"]),
        position(middle=["green 3", "yellow 10"], extra=True),
        position(revealed="green 3"),
        position({"pink": [3, 4]}, middle=["pink 2", "brown 6"], extra=True, stack=[]),
    ],
)
def test_what_the_guide_says_can_be_played(state: State, language: Language) -> None:
    view = keltis.view(state, Seat(0))
    _, *lines = keltis.guide(view, language).splitlines()
    said = [line.strip().split("  ")[0] for line in lines]
    assert [keltis.notate(keltis.parse(line, view)) for line in said] == [offer.text for offer in keltis.legal(view)]
