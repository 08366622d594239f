"""How moves of Celtic are said."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Ambiguous, NotationError, Unreadable
from engine.events import Seat
from engine.game import LANGUAGES, Language
from engine.games import celtic
from engine.games.celtic.board import GOODS, RECONSTRUCTION
from engine.games.celtic.names import GERMAN, named
from engine.games.celtic.table import Collect, CompleteGoal, Done, Follow, Move, MoveMarkers, Reveal, State
from engine.games.celtic.view import View
from engine.games.celtic.words import WORDS
from tests.engine.games.celtic.positions import position

CANONICAL: dict[str, Move] = {
    "move 4 village to prince_statue": MoveMarkers(4, "village", "prince_statue"),
    "move 1 trade_wine to plums": MoveMarkers(1, "trade_wine", "plums"),
    "move 99 village to village": MoveMarkers(99, "village", "village"),
    "move 0 salt to boat": MoveMarkers(0, "salt", "boat"),
    "follow 5": Follow(5),
    "follow 0": Follow(0),
    "goal E05": CompleteGoal("E05"),
    "collect wine 2": Collect("wine", 2),
    "collect yellow_pottery 1": Collect("yellow_pottery", 1),
    "done": Done(),
    "reveal": Reveal(),
}

SPELLINGS = {
    "move 4 village to prince_statue": [
        "Move 4 village to prince_statue.", "MOVE 4 VILLAGE TO PRINCE STATUE", "move 4 village to prince-statue",
        "move 4 from village to the prince statue", "4 village to prince statue", "4 village prince statue",
        "move 4 vil to pri", "mo 4 vil pri", "move 4 0 to 12", "4 0 12", "ziehe 4 vom Dorf nach Fürstenstatue",
        "bewege 4 Dorf zur Fürstenstatue!", "zieh 4 dorf fuerst", "go 4 village to princestatue",
        "move4 village to pri",
        "move  4\tvillage to\N{NO-BREAK SPACE}prince_statue", "move 04 village to prince_statue",
        "4 Dorf Furstenstatue",
    ],
    "move 1 trade_wine to plums": [
        "move 1 wine to plums", "1 trade wine to plums", "ziehe 1 Wein nach Pflaumen", "move 1 53 to 25",
        "1 wein pflaum",
    ],
    "move 2 iron_ore to trade_yellow_pottery": [
        "move 2 iron ore to yellow pottery", "2 Eisenerz nach gelbe Keramik", "move 2 iron_ore yellow", "2 49 55",
    ],
    "follow 5": ["Follow 5.", "fo 5", "folge 5", "folge mit 5", "follow with 5", "follow5", "follow 05"],
    "follow 0": ["follow none", "folge keiner", "folge mit keinen", "follow nobody"],
    "goal E05": ["Goal e05", "goal E5", "goal e 05", "complete E05", "Ziel E05.", "erfülle e5", "goal e5!"],
    "collect wine 2": [
        "collect 2 wine", "Collect wine 2.", "sammle 2 Wein", "sammle Wein 2", "nimm 2 Wein", "co wi 2",
        "COLLECT  WINE 2",
    ],
    "collect yellow_pottery 3": [
        "collect yellow pottery 3", "collect 3 yellow-pottery", "sammle 3 gelbe Keramik", "collect yel 3",
    ],
    "done": ["Done.", "DONE!", "fertig", "do", "end", "Ende"],
    "reveal": ["Reveal", "rev", "aufdecken", "zeige", "show"],
}  # fmt: skip

AMBIGUOUS = {
    "move 4 village to gra": ["move 4 village to grain", "move 4 village to burial_mound"],  # Grabhügel
    "collect b 2": ["collect bronze 2", "collect amber 2", "collect blue_pottery 2"],
    "goal e": [f"goal E{number:02}" for number in range(1, 11)],
    "3 ber to boat": ["move 3 berries to boat", "move 3 trade_amber to boat"],  # Bernstein
}

PROSE = [
    "", " ", ".", ",", "4", "m", "hello", "I move 4 to grain", "move", "move 4", "move 4 village",
    "move village to grain",
    "move 4 to grain", "move all village to grain", "move 4 village to", "move to", "move 4 village to rome",
    "move 4 rome to grain",
    "move 100 village to grain", "move four village to grain", "move 4 village to grain to bread",
    "move -1 village to grain2x",
    "follow", "follow all", "follow 1 2", "follow me", "follow 100", "goal", "goal X99", "goal E05 E06 now",
    "collect", "collect wine",
    "collect wine 2 3", "collect gold 2", "collect 2", "done done", "done 4", "well done", "reveal all", "reveal wine",
    "move 4 village > grain", "> move 4 village to grain", "move 4 village to grain?", "move 4 village to grain\ndone",
    "move 4 village: grain", "\ud800", "move 4 village to grain\0", "x" * 100_000, "move " + "9" * 5_000,
    "grain " * 100,
    "٣ village to grain", "village", "4 village", "resign", "0", "12", "-",
]  # fmt: skip


@pytest.mark.parametrize(("text", "move"), CANONICAL.items())
def test_each_move_has_one_canonical_line(text: str, move: Move) -> None:
    assert celtic.notate(move) == text
    assert celtic.parse(text, None) == move


@pytest.mark.parametrize(("line", "canonical"), [(s, line) for line, spellings in SPELLINGS.items() for s in spellings])
def test_other_spellings_are_read(line: str, canonical: str) -> None:
    assert celtic.notate(celtic.parse(line, None)) == canonical


@pytest.mark.parametrize(("line", "choices"), AMBIGUOUS.items())
def test_a_line_with_several_readings_lists_them(line: str, choices: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        celtic.parse(line, None)
    assert sorted(caught.value.choices) == sorted(choices)


@pytest.mark.parametrize("line", PROSE, ids=lambda line: repr(line)[:30])
def test_what_is_no_move_is_unreadable(line: str) -> None:
    with pytest.raises(Unreadable) as caught:
        celtic.parse(line, None)
    assert caught.value.text == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("steal 4 village to grain", "“steal”? move · follow · goal · collect · done · reveal"),
        ("move 4 village to grian", "“grian”? grain"),
        ("move 4 rome to grain", "“rome”? village · bread"),
        ("collect gold 2", "“gold”? hides · bronze · wine"),
        ("follow many", "“many”? 1 · 2 · 3"),
        ("goal X99", "“x”? E01 · E02"),
        ("move 4 village to", "“…”? village · bread"),
        ("done now", "“now”?"),
    ],
)
def test_an_unreadable_line_says_what_was_expected_at_which_word(line: str, expected: str) -> None:
    with pytest.raises(Unreadable) as caught:
        celtic.parse(line, None)
    assert caught.value.expected.startswith(expected)


# -- what the position adds


def read(state: State, line: str, seat: int = 0) -> str:
    return celtic.notate(celtic.parse(line, celtic.view(state, Seat(seat))))


ASKED = position("fish", "fish 3", way=("fish", "boat"), waiting=(1,))
BUSY = position("cows, fish, sheep, trade_wine, trade_amber 3, bread 1", hands=("H01 E05",))


@pytest.mark.parametrize(
    ("state", "line", "completed"),
    [
        (position("grain"), "move grain to pigs", "move 1 grain to pigs"),
        (position("grain 7"), "move all grain to pigs", "move 7 grain to pigs"),
        (position("grain 7"), "all grain pigs", "move 7 grain to pigs"),
        (position("salt 8"), "move 3 to boat", "move 3 salt to boat"),
        (position("salt 3"), "move all to boat", "move 3 salt to boat"),
        (position("salt"), "move salt to bread", "move 1 salt to bread"),  # for CE-8 to refuse
        (BUSY, "goal", "goal H01"),
        (BUSY, "collect wine", "collect wine 1"),
        (BUSY, "collect amber all", "collect amber 3"),
        (BUSY, "collect alle Bernstein", "collect amber 3"),
        (BUSY, "collect 3", "collect amber 3"),
        (BUSY, "collect hides", "collect hides 1"),  # for CE-12 to refuse
        (BUSY, "move 1 b to grain", "move 1 bread to grain"),
        (position("trade_wine"), "collect", "collect wine 1"),
    ],
)
def test_what_the_position_forces_may_be_left_out(state: State, line: str, completed: str) -> None:
    assert read(state, line) == completed


def test_what_is_left_out_must_be_there() -> None:
    for line in ("move 8 to grain", "move 1 to salt", "move all to salt"):
        with pytest.raises(Unreadable):
            read(position("grain 2"), line)


def test_all_who_may_follow_are_as_many_as_stand_there() -> None:
    assert read(ASKED, "follow all", 1) == read(ASKED, "folge mit allen", 1) == "follow 3"


@pytest.mark.parametrize(
    ("state", "line", "choices"),
    [
        (position("grain 2"), "move grain to pigs", ["move 1 grain to pigs", "move 2 grain to pigs"]),
        (position("grain, bread"), "move 1 to spring", [
            f"move 1 {place} to spring" for place in ("village", "bread", "grain")
        ]),
        (position("trade_wine, trade_amber"), "collect", ["collect wine 1", "collect amber 1"]),
        (position("trade_wine 3"), "collect wine", [f"collect wine {number}" for number in (1, 2, 3)]),
        (
            position("cows, fish, sheep, grain, tools", hands=("H01 E05",)),
            "goal",
            ["goal E05", "goal H01"],
        ),
    ],
)  # fmt: skip
def test_a_choice_left_out_is_asked_for(state: State, line: str, choices: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        read(state, line)
    assert list(caught.value.choices) == choices
    assert caught.value.expected


def test_to_follow_without_a_number_is_asked_for() -> None:
    with pytest.raises(Ambiguous) as caught:
        read(ASKED, "follow", 1)
    assert list(caught.value.choices) == [f"follow {number}" for number in range(4)]


def test_of_very_many_choices_some_are_listed() -> None:
    with pytest.raises(Ambiguous) as caught:
        read(position("grain 2, salt 2"), "move")
    assert len(caught.value.choices) == 12


def test_a_line_said_in_full_means_the_same_in_every_position() -> None:
    states = [position(), ASKED, BUSY, position("grain", closing="max_turns")]
    views: list[View | None] = [celtic.view(state, seat) for state in states for seat in (Seat(0), Seat(1), None)]
    for view, (line, move) in product([*views, None], CANONICAL.items()):
        assert celtic.parse(line, view) == move


# -- both languages, and anything at all


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", RECONSTRUCTION.ids)
def test_places_are_read_as_they_are_told(place: str, language: Language) -> None:
    words = WORDS[language]
    line = words["move"].format(count=2, origin=named(place, language), destination=named("village", language))
    assert celtic.parse(line, None) == MoveMarkers(2, place, "village")
    number = RECONSTRUCTION.index[place]
    assert celtic.parse(f"move 2 {number} to 0", None) == MoveMarkers(2, place, "village")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("good", GOODS)
def test_goods_are_read_as_they_are_told(good: str, language: Language) -> None:
    line = WORDS[language]["collect"].format(good=named(good, language), count=2)
    assert celtic.parse(line, None) == Collect(good, 2)


def test_every_place_and_good_of_ours_has_a_german_name_of_its_own() -> None:
    things = {place.removeprefix("trade_") for place in RECONSTRUCTION.ids}
    assert set(GERMAN) == things
    assert len(set(GERMAN.values())) == len(GERMAN)


@given(st.text(st.characters(exclude_categories=[]), max_size=120))
def test_arbitrary_text_is_a_move_or_no_notation(text: str) -> None:
    try:
        move = celtic.parse(text, None)
    except NotationError:
        return
    assert celtic.parse(celtic.notate(move), None) == move


WORDS_OF_THE_GAME = (
    "move", "m", "follow", "goal", "g", "collect", "done", "reveal", "re", "0", "1", "4", "12", "99", "to", "nach",
    "from",
    "all", "village", "grain", "b", "prince", "statue", "wine", "trade", "E05", "e", "5", "salt", "Korn", "with",
    "none", "the", ".",
    ",", "-",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS_OF_THE_GAME), max_size=9), st.sampled_from([position(), ASKED, BUSY]))
def test_words_of_the_game_in_any_order_are_a_move_or_no_notation(words: list[str], state: State) -> None:
    view = celtic.view(state, celtic.to_act(state))
    try:
        readings = [celtic.notate(celtic.parse(" ".join(words), view))]
    except NotationError as error:
        readings = list(error.choices)
    assert [celtic.notate(celtic.parse(reading, view)) for reading in readings] == readings


@given(st.sampled_from(sorted(CANONICAL)), st.randoms())
def test_case_and_spacing_do_not_matter(line: str, random: Random) -> None:
    spaced = "".join(random.choice((letter.upper(), letter)) for letter in line).replace(
        " ", " " * random.randint(1, 3)
    )
    assert celtic.parse(f" {spaced}{random.choice(['', '.', ' !'])}", None) == CANONICAL[line]
