"""The picture of Celtic. That it is pretty was looked at; that it is whole is tested here."""

import re
from xml.etree import ElementTree as ET

import pytest

from engine.events import Seat
from engine.game import LANGUAGES, Language, Theme
from engine.games import celtic
from engine.games.celtic.atlas import _label_box, _site_box, atlas
from engine.games.celtic.board import RECONSTRUCTION
from engine.games.celtic.draw import PALETTES, SHAPES
from engine.games.celtic.names import named
from engine.games.celtic.table import State
from engine.picture import RIGHT
from tests.engine.games.celtic.positions import SEVEN, leave, play, position

CROWD = "grain 2, salt, trade_wine 3, necklace"
POSITIONS = [
    position(),
    position(
        CROWD, CROWD, CROWD, CROWD, hands=("E05 H01", "E06 H02"), goods=(SEVEN * 1, "wine " * 16), done=("", "E01 E02")
    ),
    position("fish", "fish 3", way=("fish", "boat"), waiting=(1,)),
    position(CROWD, CROWD, closing="max_turns", open_trade=True, goods=("wine", "hides")),
    leave(position("", "", ""), 1),
    leave(position(CROWD, goods=("wine", "")), 1),
]
NAMES = ["Ann", "W" * 40, "</text><script>&\"'", "a\0b\x1b[31m\ud800\n"]
SVG = "{http://www.w3.org/2000/svg}"


def picture(state: State, language: Language = "en", theme: Theme = "light", seat: int | None = 0) -> str:
    viewer = None if seat is None else Seat(seat)
    return celtic.draw(celtic.view(state, viewer), NAMES[: len(state.table.markers)], language, theme)


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
    assert all(float(text.get("font-size", "0")) >= 9 for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("state", POSITIONS)
def test_the_same_view_gives_the_same_bytes(state: State) -> None:
    assert picture(state) == picture(state)
    assert len({picture(state, language, theme) for language in LANGUAGES for theme in ("light", "dark")}) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_place_shows_its_number_and_its_name(language: Language) -> None:
    said = " ".join(words(position(), language=language))
    for at, place in enumerate(RECONSTRUCTION.ids):
        assert f"{at} {named(place, language)}" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_our_map_no_name_hides_another_or_a_marker(language: Language) -> None:
    chart = atlas(RECONSTRUCTION, language)
    boxes = [_label_box(label) for label in chart.labels]
    for at, box in enumerate(boxes):
        assert 0 <= box.left < box.right <= RIGHT
        assert 0 <= box.top < box.bottom <= chart.height
        for other in boxes[at + 1 :]:
            assert box.common(other) == 0, chart.labels[at]
        for place, (x, y) in enumerate(chart.spots):
            assert place == at or box.common(_site_box(place, x, y)) < 12, (chart.labels[at], chart.labels[place])


def test_every_road_is_drawn() -> None:
    svg = picture(position())
    (roads,) = re.findall(r'd="((?:M[\d.]+ [\d.]+L[\d.]+ [\d.]+)+)" fill="none"', svg)
    assert roads.count("M") == 90


def test_every_seat_has_a_marker_of_its_own_shape_with_the_number_that_stand_there() -> None:
    assert len(set(SHAPES)) == 4
    state = position("grain 3", "grain 5, salt 2", "grain", "bread 8")
    svg = picture(state)
    # on the map and before the name
    assert [svg.count(f'd="{shape}"') for shape in SHAPES] == [3, 4, 3, 2]
    fills = PALETTES["light"].seats
    assert len(set(fills)) == 4
    tokens = re.findall(r'd="([^"]+)" fill="[^"]+" stroke="[^"]+"/><text[^>]*>(\d)</text>', svg)
    assert sorted((SHAPES.index(shape), int(count)) for shape, count in tokens if shape in SHAPES) == [
        *((0, 3), (0, 5), (1, 1), (1, 2), (1, 5), (2, 1), (2, 7), (3, 8)),
    ]


def test_only_the_owner_sees_goals_and_trade_cards() -> None:
    state = position("grain", hands=("E05", "H01"), goods=("wine " * 9, "hides"))
    assert "E05 +15" in words(state, seat=0)
    for seat in (1, None):
        assert "E05 +15" not in words(state, seat=seat)
        assert "trade cards, face down: 9" in words(state, seat=seat)
    open_trade = position(goods=("wine " * 9, ""), open_trade=True)
    assert "9" in words(open_trade, seat=1)


def test_the_places_of_ones_own_goals_are_ringed() -> None:
    rings = 'r="9.8"'
    state = position(hands=("E05 H01", "E06"))
    assert [picture(state, seat=seat).count(rings) for seat in (0, 1, None)] == [5, 2, 0]


def test_it_shows_whose_turn_it_is_who_is_asked_and_the_places_at_the_end() -> None:
    assert "to play" in words(position())
    asked = words(position("fish", "fish 3", way=("fish", "boat"), waiting=(1,)))
    assert {"follows?", "waits"} <= set(asked)
    assert "final phase" in words(position(CROWD, closing="max_turns"))
    over = words(leave(position("", "", "", done=("E01", "", "")), 0, 2))
    assert [text for text in over if text.startswith("place")] == ["place 3", "place 1", "place 2"]
    ended = play(position("grain", closing="max_turns", goods=("", "wine wine")), "done")
    assert "place 1" in words(ended)


def test_a_move_just_made_is_shown_by_an_arrow() -> None:
    before, after = position("salt"), play(position("salt"), "move 1 salt to boat")
    assert 'stroke-dasharray="5 3"' not in picture(before)
    assert 'stroke-dasharray="5 3"' in picture(after)
