"""The picture of Keltis. That it is pretty was looked at; that it is whole is tested here."""

import re
from xml.etree import ElementTree as ET

import pytest

from engine.events import Seat
from engine.game import LANGUAGES, Language, Theme
from engine.games import keltis
from engine.games.keltis.rules import State
from tests.engine.games.keltis.positions import leave, play, position

EVERYTHING = {colour: list(range(11)) for colour in ("blue", "brown", "yellow", "green", "pink")}
POSITIONS = [
    position({}, {}, {}, {}),
    position(EVERYTHING, {"pink": [3, 2]}, {"green": [10]}, middle=["blue 5", "pink 4"], extra=True),
    position({"blue": [1]}, middle=[f"blue {number}" for number in range(11)], revealed="yellow 10"),
    leave(position({}, {}, {}, {}), 1, 2),
    play(position({}, {"blue": [4, 5]}, stack=["pink 0"]), "reveal, leave"),
]
NAMES = ["Ann", "W" * 40, "</text><script>&\"'", "a\0b\x1b[31m\ud800\n"]
SVG = "{http://www.w3.org/2000/svg}"


def picture(state: State, language: Language = "en", theme: Theme = "light", seat: int | None = 0) -> str:
    viewer = None if seat is None else Seat(seat)
    return keltis.draw(keltis.view(state, viewer), NAMES[: len(state.table.rows)], language, theme)


@pytest.mark.parametrize("state", POSITIONS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_well_formed_stands_alone_and_can_be_read(state: State, language: Language, theme: Theme) -> None:
    svg = picture(state, language, theme)
    root = ET.fromstring(svg)
    assert root.get("viewBox", "").startswith("0 0 360 ")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "g", "rect", "path", "circle", "ellipse", "text")
    }
    attributes = {name for element in root.iter() for name in element.keys()}  # noqa: SIM118
    assert not attributes & {"href", "id", "style", "class", "src"}
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert all(float(text.get("font-size", "0")) >= 11 for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("state", POSITIONS)
def test_the_same_view_gives_the_same_bytes(state: State) -> None:
    assert picture(state) == picture(state)
    assert len({picture(state, language, theme) for language in LANGUAGES for theme in ("light", "dark")}) == 4


@pytest.mark.parametrize("state", POSITIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_a_background_of_its_own(state: State, theme: Theme) -> None:
    root = ET.fromstring(picture(state, theme=theme))
    assert root[0].tag == f"{SVG}rect"
    assert (root[0].get("width"), root[0].get("height")) == (root.get("width"), root.get("height"))
    assert root[0].get("fill", "").startswith("#")


def words(state: State) -> list[str]:
    return [text.text or "" for text in ET.fromstring(picture(state)).iter(f"{SVG}text")]


def test_every_open_tile_is_in_it() -> None:
    state = position(middle=["pink 7", "blue 10", "pink 0", "blue 5"])
    said = words(state)
    start = said.index("blue")
    assert said[start : start + 7] == ["blue", "5", "10", "pink", "0", "7", "+3"]


def test_every_colour_has_a_shape_of_its_own() -> None:
    shapes = {}
    for colour in EVERYTHING:
        drawn = set(re.findall(r' d="([^"]+)"', picture(position(middle=[f"{colour} 0"]))))
        shapes[colour] = drawn - set(re.findall(r' d="([^"]+)"', picture(position())))
    assert all(len(shape) == 1 for shape in shapes.values())
    assert len(set.union(*shapes.values())) == 5


def test_a_row_shows_its_direction_once_it_has_one() -> None:
    def paths(*numbers: int) -> list[str]:
        return re.findall(r' d="([^"]+)"', picture(position({"blue": numbers})))

    assert len(set(paths(3, 4)) - set(paths(3))) == 1
    assert paths(3, 4) != paths(4, 3)
    assert set(paths(3, 4)) == set(paths(3, 5))


def test_it_says_what_is_face_down_whose_turn_it_is_and_the_score_so_far() -> None:
    said = words(position({"blue": [1]}, {}, stack=["pink 0"] * 13, turn=1))
    assert "13" in said
    assert said.index("to play") > said.index("W" * 10 + "…")
    assert "-8 points" in said
    assert "extra turn" in words(position(extra=True))
    assert "lay or leave?" in words(position(revealed="pink 4"))


def test_after_the_end_it_shows_the_places() -> None:
    said = words(leave(position({}, {}, {}), 0, 2))
    assert [text for text in said if text.startswith("place")] == ["place 3", "place 1", "place 2"]
