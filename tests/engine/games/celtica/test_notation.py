"""How moves of Celtica are said."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Ambiguous, NotationError, Unreadable
from engine.events import Seat
from engine.game import LANGUAGES, Language
from engine.games import celtica
from engine.games.celtica.board import SPOKEN
from engine.games.celtica.notation import ACTS, AND, EXCHANGES, FOR, THEN
from engine.games.celtica.table import Exchange, Move, Play, State
from engine.games.celtica.tell import WORDS, named
from engine.games.celtica.view import View
from tests.engine.games.celtica.positions import position
from tests.engine.games.celtica.second_reading import COLOURS, PARTS

CANONICAL: dict[str, Move] = {
    "red 2+1 take blue middle": Play("red", 2, 1, "take", ("blue", "middle")),
    "white 2 draw": Play("white", 2, 0, "draw"),
    "white 2 nothing": Play("white", 2, 0, "nothing"),
    "black 1 give green green": Play("black", 1, 0, "give", ("green", "green")),
    "grey 0+1 take rose": Play("grey", 0, 1, "take", ("rose",)),
    "brown 12+4 nothing": Play("brown", 12, 4, "nothing"),
    "brown 99 nothing": Play("brown", 99, 0, "nothing"),
    "red 0 nothing": Play("red", 0, 0, "nothing"),
    "swap coral for middle": Exchange(("coral",), ("middle",)),
    "swap coral green for blue gold middle": Exchange(("coral", "green"), ("blue", "gold", "middle")),
    "swap blue for blue": Exchange(("blue",), ("blue",)),
    "take blue": Exchange((), ("blue",)),
    "take blue blue": Exchange((), ("blue", "blue")),
    "done": Exchange((), ()),
}

SPELLINGS = {
    "red 2+1 take blue middle": [
        "Red 2+1 take middle blue", "RED 2+1 TAKE BLUE MIDDLE.", "red 2 + 1 take blue, middle",
        "red2+1 take blue middle",
        "2+1 red take blue and middle", "red 2+1, take blue middle!", "r 2+1 t blu m", "red 2+1 then take blue middle",
        "rot 2+1 nimm blau mitte", "rot 2+1 blau und mitte nehmen", "Rot 2+1, dann nimm Blau und Mitte.",
        "red\t2+1\ttake blue\N{NO-BREAK SPACE}middle", "red 2+1 blue middle take", "red 2+1 take mid blau",
        "ｒｅｄ 2+1 take blue middle", "red 02+01 take blue middle",
    ],
    "white 2 draw": [
        "White 2 DRAW.", "w2 draw", "2 white draw", "weiß 2 ziehen", "weiss 2 ziehe", "WEISS 2 zieh!", "w 2 dr",
    ],
    "white 2 nothing": [
        "white 2 none", "white 2 decline", "weiß 2 nichts", "weiß 2 keine", "weiß 2 verzichten", "white 2",
    ],
    "black 1 give green green": [
        "black 1 give 2 green", "schwarz 1 gib grün grün", "schwarz 1 gib 2 grün ab", "schwarz 1 2 grün abgeben",
        "bl1 give gre gre",
        "schwarz 1 gebe gruen, grun", "1 black give green and green",
    ],
    "grey 0+1 take rose": [
        "grey +1 take rose", "gray +1 take rose", "grau +1 nimm rosa", "+1 grey take rose", "g 0+1 rose take",
    ],
    "red 1 take coral teal violet": [
        "rot 1 nimm violett türkis koralle", "red 1 take tuerkis violet coral", "r1 t c te vi",
    ],
    "swap coral for middle": [
        "Swap coral for middle.", "tausche koralle gegen mitte", "exchange coral for middle", "sw c for m",
    ],
    "swap coral for blue middle": [
        "swap coral for middle, take blue", "take blue, swap coral for middle", "swap coral for middle and take blue",
        "tausche koralle gegen mitte, nimm blau", "swap coral for middle then take blue, done",
        "swap coral for blue, middle",
    ],
    "swap coral rose for blue gold": [
        "swap coral for blue, swap rose for gold", "swap rose for blue and swap coral for gold",
    ],
    "take blue blue": ["take 2 blue", "take blue, take blue", "nimm blau und blau"],
    "done": ["Done.", "DONE!", "fertig", "Fertig.", "do", "fe"],
}  # fmt: skip

AMBIGUOUS = {
    "b 1 draw": ["black 1 draw", "brown 1 draw"],
    "b 1": ["black 1 nothing", "brown 1 nothing"],
    "red 1 take g": ["red 1 take gold", "red 1 take green"],
    "red 1 take b g": ["red 1 take blue gold", "red 1 take blue green"],
    "red 1 d": ["red 1 draw", "red 1 nothing"],  # draw, decline
    "red 1 blue": ["red 1 take blue", "red 1 give blue"],
    "swap g for middle": ["swap gold for middle", "swap green for middle"],
}

PROSE = [
    "", " ", ".", ",", "+", "r", "5", "hello", "I play red 2", "red", "red take blue", "2", "2+1", "red +", "red 2+",
    "red 2-1 draw",
    "red 2+1+1 draw", "red 100 draw", "red two draw", "red 2 draw blue", "red 2 nothing blue", "red 2 draw draw",
    "red 2 take",
    "red 2 give", "red 2 take red", "red 2 take blue then", "blue 2 draw", "green 1 take blue", "red 2 grey 1 draw",
    "red 2 for blue",
    "swap", "swap coral", "swap coral middle", "swap coral for", "swap for middle", "swap coral for red", "take",
    "take red",
    "take blue for coral", "done done", "done, take blue", "take blue done", "take 0 blue", "take 10 blue",
    "red 2 take 2",
    "red 2 take blue?", "> red 2 draw", "- red 2 draw", "red 2: draw", "red 2\ndraw", "red 2 draw\nred 1 draw",
    "shall I take blue?",
    "take the blue one", "it is done", "well done", "red 2 take " + "g " * 40, "x" * 100_000, "red " + "9" * 5_000,
    "swap " + "b " * 300,
    "\ud800", "red 2 take blue\0", "red ² take", "٣ red draw", "give blue", "draw", "nothing", "red 2 draw +1",
]  # fmt: skip


@pytest.mark.parametrize(("text", "move"), CANONICAL.items())
def test_each_move_has_one_canonical_line(text: str, move: Move) -> None:
    assert celtica.notate(move) == text
    assert celtica.parse(text, None) == move


@pytest.mark.parametrize(("line", "canonical"), [(s, line) for line, spellings in SPELLINGS.items() for s in spellings])
def test_other_spellings_are_read(line: str, canonical: str) -> None:
    assert celtica.notate(celtica.parse(line, None)) == canonical


@pytest.mark.parametrize(("line", "choices"), AMBIGUOUS.items())
def test_a_line_with_several_readings_lists_them(line: str, choices: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        celtica.parse(line, None)
    assert list(caught.value.choices) == choices


@pytest.mark.parametrize("line", PROSE, ids=lambda line: repr(line)[:30])
def test_what_is_no_move_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable) as caught:
        celtica.parse(line, None)
    assert caught.value.text == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("red 2 steal blue", "“steal”? take · give · draw · nothing · blue · coral"),
        ("red 2 take pink", "“pink”? "),
        ("rad 2 draw", "“rad”? red · grey · white · black · brown · swap · take · done"),
        ("red draw", "“draw”? 1 · 2 · 1+1"),
        ("2 pink draw", "“pink”? red · grey · white · black · brown"),
        ("swap coral with blue", "“with”? for"),
        ("swap coral for pink", "“pink”? blue · coral · gold"),
        ("red 2 take", "“…”? blue · coral · gold"),
    ],
)
def test_an_unreadable_line_says_what_was_expected_at_which_word(line: str, expected: str) -> None:
    with pytest.raises(Unreadable) as caught:
        celtica.parse(line, None)
    assert caught.value.expected.startswith(expected)


# -- what the position adds


def read(state: State, line: str) -> str:
    return celtica.notate(celtica.parse(line, celtica.view(state, Seat(0))))


@pytest.mark.parametrize(
    ("state", "line", "completed"),
    [
        (position(("red 1", "green"), druids="red 3"), "red 1", "red 1 give green"),
        (position(("red 1", "green green"), druids="red 3"), "red 1", "red 1 give green"),
        (position(("red 1", "green blue"), druids="red 6"), "red 1", "red 1 give blue green"),
        (position(("red 1", "green blue"), druids="red 13"), "red 1 give", "red 1 give blue green"),
        (position(("red 1", ""), druids="red 13"), "red 1", "red 1 nothing"),
        (position(("red 1", ""), druids="red 1", display="gold gold"), "red 1", "red 1 take gold"),
        (position(("red 1", ""), druids="red 5", display="gold rose"), "red 1 take", "red 1 take gold rose"),
        (position(("red 1", ""), druids="red 17", edition="en"), "red 1", "red 1 nothing"),
        (position(("red 2", ""), druids="red 18"), "red 2", "red 2 nothing"),
        (position(("black 1", ""), druids="black 18"), "b 1", "black 1 nothing"),
        (position(("red 1", ""), druids="red 2"), "red 1 blue gold", "red 1 take blue gold"),
        (position(("red 1", "blue gold teal"), druids="red 6"), "red 1 blue gold", "red 1 give blue gold"),
        (position(("red 1", "blue gold teal"), druids="red 6"), "red 1 blue", "red 1 give blue"),  # for CA-14 to refuse
        (position(("red 1", ""), druids="red 1", display="gold blue"), "red 1 take g", "red 1 take gold"),
        (position(("red 1", "")), "red 3", "red 3 nothing"),  # for CA-8 to refuse
    ],
)
def test_what_the_position_forces_may_be_left_out(state: State, line: str, completed: str) -> None:
    assert read(state, line) == completed


@pytest.mark.parametrize(
    ("state", "line", "expected", "choices"),
    [
        (position(("white 2", "")), "white 1", "white 1 draw / white 1 nothing", ["white 1 draw", "white 1 nothing"]),
        (
            position(("red 2", ""), druids="red 2", display="blue gold gold"),
            "red 1",
            "red 1 take ? ? (blue, gold, gold)",
            ["red 1 take blue gold", "red 1 take gold gold"],
        ),
        (
            position(("red 2", "rose teal"), druids="red 3"),
            "red 1 give",
            "red 1 give ? (rose, teal)",
            ["red 1 give rose", "red 1 give teal"],
        ),
    ],
)
def test_a_choice_left_out_is_asked_for(state: State, line: str, expected: str, choices: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        read(state, line)
    assert caught.value.expected == expected
    assert list(caught.value.choices) == choices


def test_of_very_many_choices_some_are_listed_and_all_parts_are_named() -> None:
    with pytest.raises(Ambiguous) as caught:
        read(position(("red 1", ""), druids="red 17"), "red 1")
    assert len(caught.value.choices) == 12
    assert caught.value.expected == f"red 1 take ? ? ? ? ({', '.join(PARTS)})"


def test_a_line_said_in_full_means_the_same_in_every_position() -> None:
    states = [position(("red 1", "green")), position(("red 0+3", "gold"), closing="last_round")]
    views: list[View | None] = [celtica.view(state, seat) for state in states for seat in (Seat(0), Seat(1), None)]
    for view, (line, move) in product([*views, None], CANONICAL.items()):
        assert celtica.parse(line, view) == move


def test_exchanges_one_by_one_are_read_as_what_they_come_to() -> None:
    state = position(("red 0+5", "coral"), closing="last_round", display="blue gold")
    assert read(state, "swap coral for blue, swap blue for gold") == "swap coral for gold"
    assert read(state, "swap coral for blue, take coral") == "take blue"
    assert read(state, "take blue, take gold") == "take blue gold"
    assert read(state, "swap coral for blue, swap blue for gold, take blue") == "swap coral for blue gold"


# -- both languages, and anything at all


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("colour", "part"), list(zip([*COLOURS, *COLOURS], [*PARTS, "blue"], strict=True)))
def test_pieces_are_read_as_they_are_told(colour: str, part: str, language: Language) -> None:
    words = WORDS[language]
    line = f"{named(colour, language)} 1 {words['take']} {named(part, language)}"
    assert celtica.parse(line, None) == Play(colour, 1, 0, "take", (part,))
    swap = f"{words['swap']} {named(part, language)} {words['for']} {named(part, language)}"
    assert celtica.parse(swap, None) == Exchange((part,), (part,))


def test_no_piece_can_be_called_a_word_of_the_notation() -> None:
    spoken = {word for words in (*ACTS.values(), *EXCHANGES.values()) for word in words} | FOR | AND | THEN
    assert spoken - {","} <= SPOKEN


@given(st.text(st.characters(exclude_categories=[]), max_size=120))
def test_arbitrary_text_is_a_move_or_no_notation(text: str) -> None:
    try:
        move = celtica.parse(text, None)
    except NotationError:
        return
    assert celtica.parse(celtica.notate(move), None) == move


WORDS_OF_THE_GAME = (
    "red", "b", "grau", "1", "2", "+", "+1", "2+1", "take", "t", "give", "draw", "d", "nothing", "n", "blue", "g",
    "mitte", "ab",
    ",", "and", "swap", "for", "gegen", "done", "rosa", "nehmen", ".",
)  # fmt: skip
STATES = (
    position(("red 2+1, black 1, brown 1", "green gold"), druids="red 2 black 6"),
    position(("red 0+4", "green gold"), closing="last_round"),
)


@given(st.lists(st.sampled_from(WORDS_OF_THE_GAME), max_size=12), st.sampled_from(STATES))
def test_words_of_the_game_in_any_order_are_a_move_or_no_notation(words: list[str], state: State) -> None:
    view = celtica.view(state, Seat(0))
    try:
        readings = [celtica.notate(celtica.parse(" ".join(words), view))]
    except NotationError as error:
        readings = list(error.choices)
    assert [celtica.notate(celtica.parse(reading, view)) for reading in readings] == readings


@given(st.sampled_from(sorted(CANONICAL)), st.randoms())
def test_case_and_spacing_do_not_matter(line: str, random: Random) -> None:
    spaced = "".join(random.choice((letter.upper(), letter)) for letter in line).replace(
        " ", " " * random.randint(1, 3)
    )
    assert celtica.parse(f" {spaced}{random.choice(['', '.', ' !'])}", None) == CANONICAL[line]
