"""Orders for following: what may be ordered, and what an order answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NotationError, Unreadable
from engine.events import Seat
from engine.game import LANGUAGES, Language
from engine.games import celtic
from engine.games.celtic.orders import WORDS, guide, obey, read
from engine.games.celtic.table import Follow, State
from tests.engine.games.celtic.positions import play, position

VIEW = celtic.view(position(), Seat(0))

SPELLINGS = {
    "follow 0": [
        "follow 0", "never", "never follow", "follow never", "nie", "folge nie", "Follow NONE.", "niemals folgen",
        "0 follow",
    ],
    "follow all": ["follow all", "always", "always follow", "immer", "folge immer", "folge allen", "folge mit allen"],
    "follow 3": ["follow 3", "follow with 3", "folge mit 3", "fol 3"],
    "follow all to grain prince_statue": [
        "follow all to grain prince_statue", "follow all to prince statue and grain", "always to prince statue, grain",
        "folge mit allen nach Fürstenstatue oder Korn", "follow all to grain, grain, pri", "follow all to 3 12",
        "follow all to grain to prince-statue",
    ],
    "follow 2 from village": ["follow 2 from village", "folge mit 2 vom Dorf", "FOLLOW 2 FROM VIL"],
    "follow 3 from village to trade_wine": [
        "follow 3 from village to wine", "follow 3 to wine from village", "folge mit 3 von Dorf nach Wein",
    ],
    "follow 0 to trade_yellow_pottery trade_jewelry": ["never to jewelry, yellow pottery", "follow 0 to 55 57"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "order"), [(s, order) for order, spellings in SPELLINGS.items() for s in spellings])
def test_orders_are_read_in_both_languages(text: str, order: str) -> None:
    assert read(text, VIEW) == order
    assert read(order, VIEW) == order


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("hello", ""),
        ("follow", ""),
        ("follow me", "“me”? 0 · 1"),
        ("follow 9", "“9”? 0 · 1"),
        ("follow 12", "“12”? 0 · 1"),
        ("follow 1 2", ""),
        ("follow all to", "“…”? village"),
        ("follow all from to grain", "“…”? village"),
        ("follow all to rome", "“rome”? village"),
        ("follow all to gra", "“gra”? grain · burial_mound"),
        ("follow all grain", ""),
        ("follow follow all", ""),
        ("done", ""),
        ("f all", ""),
        ("follow all to " + "grain " * 200, ""),
        ("never\nalways", ""),
    ],
)
def test_what_is_no_order_is_refused_with_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text, VIEW)
    assert caught.value.expected.startswith(expected)
    assert caught.value.expected


ASKED = position("fish", "fish 3", way=("fish", "boat"), waiting=(1,))


@pytest.mark.rule("CE-9")
@pytest.mark.parametrize(
    ("order", "count"),
    [
        ("follow 0", 0),
        ("follow 2", 2),
        ("follow 8", 3),  # or as many as stand there
        ("follow all", 3),
        ("follow all to boat", 3),
        ("follow 1 to grain boat", 1),
        ("follow all to grain", None),
        ("follow all from fish", 3),
        ("follow all from boat", None),
        ("follow 2 from village fish to grain boat", 2),
        ("follow 2 from village to boat", None),
        ("follow 2 from fish to grain", None),
        ("follow 0 to boat", 0),
        ("follow 0 to grain", None),
    ],
)
def test_an_order_answers_the_moves_it_speaks_of_and_no_other(order: str, count: int | None) -> None:
    assert obey(order, celtic.view(ASKED, Seat(1))) == (None if count is None else Follow(count))


def test_an_order_answers_only_for_the_one_who_is_asked_and_only_while_asked() -> None:
    for state, seat in ((ASKED, 0), (position(), 0), (position(), 1), (play(ASKED, "follow 1"), 0)):
        assert obey("follow all", celtic.view(state, Seat(seat))) is None
    assert obey("follow all", celtic.view(ASKED, None)) is None
    second = play(position("", "", ""), "move 1 village to grain")
    assert obey("follow all", celtic.view(second, Seat(2))) is None
    assert obey("follow all", celtic.view(play(second, "follow 0"), Seat(2))) == Follow(8)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", [position(), ASKED])
def test_the_guide_shows_orders_and_fits(state: State, language: Language) -> None:
    view = celtic.view(state, Seat(1))
    lines = guide(view, language).splitlines()
    assert lines[0] == WORDS[language]["title"]
    assert [read(line.strip().split("  ")[0], view) for line in lines[1:-1]] == [
        *("follow 0", "follow all", "follow all to prince_statue", "follow 2 from village to prince_statue"),
    ]
    assert max(map(len, lines)) <= 72


def test_both_languages_say_the_same_things() -> None:
    assert set(WORDS["en"]) == set(WORDS["de"])


WORDS_OF_ORDERS = (
    "follow",
    "never",
    "all",
    "3",
    "0",
    "to",
    "from",
    "village",
    "grain",
    "prince",
    "statue",
    ",",
    "und",
    "nach",
    "b",
    "12",
)


@given(st.lists(st.sampled_from(WORDS_OF_ORDERS), max_size=10).map(" ".join) | st.text(max_size=60))
def test_whatever_is_written_is_an_order_or_none(text: str) -> None:
    try:
        order = read(text, VIEW)
    except NotationError:
        return
    assert read(order, VIEW) == order
    obey(order, celtic.view(ASKED, Seat(1)))
