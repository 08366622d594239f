"""The picture of Celtica. That it is pretty was looked at; that it is whole is tested here."""

import re
from xml.etree import ElementTree as ET

import pytest

from engine.events import Seat
from engine.game import LANGUAGES, Language, Theme
from engine.games import celtica
from engine.games.celtica.draw import PALETTES, SHAPES
from engine.games.celtica.table import State
from engine.picture import PAPERS
from tests.engine.games.celtica.positions import ALL_NINE, leave, play, position

FULL = ("red 3+1, grey 2+4, white 4+2, black 5+3, brown 12+4", f"{ALL_NINE} " * 10)
POSITIONS = [
    position(),
    position(FULL, FULL, FULL, FULL, FULL, druids="red 18 grey 18 white 18 black 18 brown 17"),
    position(("red 1", "gold"), ("", ""), display="blue", edition="en"),
    position(("red 0+3", "gold"), closing="last_round", display=""),
    leave(position(("red 1", ""), ("", ""), ("", "")), 1),
    leave(position(("red 1", "")), 1),
]
NAMES = ["Ann", "W" * 40, "</text><script>&\"'", "a\0b\x1b[31m\ud800\n", "Eve"]
SVG = "{http://www.w3.org/2000/svg}"


def picture(state: State, language: Language = "en", theme: Theme = "light", seat: int | None = 0) -> str:
    viewer = None if seat is None else Seat(seat)
    return celtica.draw(celtica.view(state, viewer), NAMES[: len(state.table.parts)], language, theme)


def words(state: State, **how: object) -> list[str]:
    return [text.text or "" for text in ET.fromstring(picture(state, **how)).iter(f"{SVG}text")]  # type: ignore[arg-type]


@pytest.mark.parametrize("state", POSITIONS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_well_formed_stands_alone_and_can_be_read(state: State, language: Language, theme: Theme) -> None:
    svg = picture(state, language, theme)
    root = ET.fromstring(svg)
    assert root.get("viewBox", "").startswith("0 0 360 ")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "g", "rect", "path", "circle", "text"}
    attributes = {name for element in root.iter() for name in element.keys()}  # noqa: SIM118
    assert not attributes & {"href", "id", "style", "class", "src"}
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert all(float(text.get("font-size", "0")) >= 10 for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("state", POSITIONS)
def test_the_same_view_gives_the_same_bytes(state: State) -> None:
    assert picture(state) == picture(state)
    assert len({picture(state, language, theme) for language in LANGUAGES for theme in ("light", "dark")}) == 4


def test_it_has_a_background_of_its_own() -> None:
    for theme in ("light", "dark"):
        root = ET.fromstring(picture(POSITIONS[0], theme=theme))  # type: ignore[arg-type]
        assert (root[0].get("width"), root[0].get("height")) == (root.get("width"), root.get("height"))
        assert root[0].get("fill") == PAPERS[theme].ground  # type: ignore[index]


def test_every_place_shows_its_number_and_what_it_gives_or_costs() -> None:
    said = words(position())
    shown = [text for text in said if re.fullmatch(r"[+−]\d", text)]
    assert " ".join(shown) == "+1 +2 −1 +1 +3 −2 +2 +1 +3 −2 −3 +2 −2 +3 +4"
    assert [text for text in said[: said.index("Display")] if text.isdigit()] == [str(number) for number in range(19)]
    assert "+4" not in words(position(edition="en"))


def test_every_druid_has_a_shape_and_letters_of_its_own_wherever_it_stands() -> None:
    assert len(set(SHAPES)) == 5
    for druids in ("", "red 3 grey 3 white 3 black 3 brown 3", "red 1 grey 5 white 18 black 9 brown 17"):
        svg = picture(position(druids=druids))
        assert [svg.count(f'd="{shape}"') for shape in SHAPES] == [1] * 5
        said = words(position(druids=druids))
        assert all(said.count(letters) == 1 for letters in ("R", "G", "W", "Bl", "Br"))
    assert {"R", "G", "W", "S", "B"} <= set(words(position(), language="de"))


def test_every_part_of_the_display_is_in_it() -> None:
    said = words(position(display="blue coral coral middle"))
    start = said.index("Display")
    assert said[start : start + 6] == ["Display", "face down: 0 · given up: 0", "blue", "coral", "coral", "middle"]


def test_each_amulet_shows_its_parts_and_a_complete_one_stands_out() -> None:
    state = position(("red 1", f"{ALL_NINE} blue gold"), ("", "rose"))
    svg = picture(state)
    assert svg.count("<circle") == 1
    for colour, times in (("blue", 2), ("gold", 2), ("rose", 1)):
        fill = PALETTES["light"].parts[ALL_NINE.split().index(colour)]
        display = 1
        assert svg.count(f'fill="{fill}"') == times + display + (colour == "rose")
    said = words(state)
    assert said[said.index("Ann (you)") :][:8] == ["Ann (you)", "to play", "1", "0", "R", "1", "9", "2"]


def test_only_the_owner_sees_their_cards() -> None:
    state = position(("red 7+2", ""), ("grey 1", ""))
    assert "7+2" in words(state, seat=0)
    assert "7+2" not in words(state, seat=1)
    assert "7+2" not in words(state, seat=None)
    assert "7" in words(state, seat=1)  # how many there are, everybody sees


def test_after_the_end_it_shows_the_places() -> None:
    said = words(leave(position(("red 1", ""), ("", ""), ("", "")), 0, 2))
    assert [text for text in said if text.startswith("place")] == ["place 3", "place 1", "place 2"]
    assert "last round" in words(position(("red 1", ""), druids="red 18"))
    assert "exchanges" in words(position(("red 0+1", "gold"), closing="last_round"))
    over = play(position(("red 1+1", ""), druids="red 17", edition="en"), "red 1 nothing")
    assert "last round" not in words(over)
