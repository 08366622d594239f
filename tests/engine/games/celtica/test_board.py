"""The board: the one that is shipped, those that are given with a match, and what the loader doesn't let pass."""

import json
import tomllib
from copy import deepcopy
from importlib.resources import files
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import BadOption
from engine.events import Seat, Spelling
from engine.game import complete_options
from engine.games import celtica
from engine.games.celtica.board import RECONSTRUCTION, BrokenBoard, check_ours, find_board, read_board, read_toml
from engine.games.celtica.table import TableSet
from engine.play import fold, pick, play_line
from tests.engine.games.celtica.second_reading import COLOURS, PARTS, PLACES, RICH

TEXT = files("engine.games.celtica").joinpath("board.toml").read_text("utf-8")
OURS: dict[str, Any] = tomllib.loads(TEXT)


@pytest.mark.rule("CA-2")
def test_the_shipped_file_holds_the_reconstruction() -> None:
    assert [(place.kind, place.number) for place in RECONSTRUCTION.places] == PLACES
    assert list(RECONSTRUCTION.druids) == COLOURS
    assert list(RECONSTRUCTION.parts) == PARTS
    assert find_board("reconstruction") == read_toml(TEXT) == read_board(OURS) == RECONSTRUCTION


def test_the_shipped_file_says_that_it_is_not_the_printed_board() -> None:
    assert "NOT the printed board" in TEXT


@pytest.mark.rule("CA-2")
@pytest.mark.rule("CA-3")
@pytest.mark.rule("CA-4")
@pytest.mark.rule("CA-5")
@pytest.mark.rule("CA-6")
@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[meta]", "[meta", "no TOML"),
        ('kind = "start"', 'kind = "village"\nparts = 1', "must be the start"),
        ('kind = "goal"', 'kind = "castle"', "must be the goal"),
        ('kind = "cult"', 'kind = "goal"\nparts = 1', "must be the goal"),
        ('kind = "cult"', 'kind = "start"', "must be the start"),
        ('kind = "cult"', 'kind = "temple"', "'temple' is no kind"),
        ('kind = "cult"', "kind = 7", "7 is no kind"),
        ('kind = "cult"', 'kinds = "cult"', "has no 'kinds'"),
        ('kind = "cult"', 'kind = "cult"\nparts = 1', "a cult has no parts"),
        ("loss = 1", "parts = 1", "a ruin has no parts"),
        ("loss = 1", "loss = 0", "from 1"),
        ("loss = 1", "loss = true", "from 1"),
        ("loss = 1", "loss = 1.5", "from 1"),
        ("loss = 1", "", "loss must be a number"),
        ("parts = 1\n", "parts = -1\n", "from 1"),
        ("parts = 4 ", "parts = 0 ", "place 18: parts"),
        ("parts = 4 ", "parts = 21 ", "to 20"),
        ('"black", "brown"]', '"black"]', "5 different names"),
        ('"black", "brown"]', '"black", "black"]', "5 different names"),
        ('"black", "brown"]', '"black", "blue"]', "blue is a druid and a part"),
        ('"black", "brown"]', '"black", "take"]', "'take' can't be a name"),
        ('"black", "brown"]', '"black", "Brown"]', "can't be a name"),
        ('"black", "brown"]', '"black", 5]', "can't be a name"),
        ('"violet", "middle"]', '"violet"]', "9 different names"),
        ("druid_cards_per_colour = 12", "druid_cards_per_colour = 11", "60 pieces"),
        ("experience_cards_per_colour = 4", "experience_cards_per_colour = 5", "20 pieces"),
        ("copies_per_type = 10", "copies_per_type = true", "90 pieces"),
        ("hand_size = 5", "hand_size = 6", "hand_size is 5"),
        ("display_size = 9", "display_size = 8", "display_size is 9"),
        ("start_parts = 2", "start_parts = true", "start_parts is 2"),
        ("players = [2, 5]", "players = [2, 6]", "players is"),
        ("places = 19 ", "places = 20 ", "speaks of 20 places"),
        ("part_types = 9 ", "part_types = 8 ", "part_types is 9"),
        ("[meta]", "[meta]\nsize = 1", "meta has no 'size'"),
        ("[meta]", "[extra]\n[meta]", "has no 'extra'"),
    ],
)
def test_a_broken_board_is_refused_with_what_is_wrong(old: str, new: str, complaint: str) -> None:
    assert old in TEXT
    with pytest.raises(BrokenBoard) as caught:
        read_toml(TEXT.replace(old, new, 1))
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "kinds",
    [
        ["start", "ruin", "village", "goal"],
        ["start", "cult", "village", "goal"],
        ["start", "cult", "ruin", "goal"],
        ["start"],
        ["goal"],
        [],
    ],
)
def test_a_board_has_a_cult_site_a_ruin_an_amulet_site_a_start_and_a_goal(kinds: list[str]) -> None:
    numbers = {"ruin": {"loss": 1}, "village": {"parts": 1}, "goal": {"parts": 1}}
    with pytest.raises(BrokenBoard):
        read_board({"place": [{"kind": kind, **numbers.get(kind, {})} for kind in kinds]})


@pytest.mark.parametrize("data", [None, 7, "board", [], {}, {"meta": {}}, {"place": 7}, {"place": [7]}, {"place": {}}])
def test_what_is_no_board_is_refused(data: object) -> None:
    with pytest.raises(BrokenBoard):
        find_board(data)


def without(*places: int) -> dict[str, Any]:
    data = deepcopy(OURS)
    del data["meta"]["places"]
    data["place"] = [place for number, place in enumerate(data["place"]) if number not in places]
    return data


def changed(number: int, **place: Any) -> dict[str, Any]:
    data = deepcopy(OURS)
    data["place"][number] = place
    return data


@pytest.mark.rule("CA-2")
@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (without(3), "18 places, not 19"),
        (changed(13, kind="ruin", loss=3), "no cult site is followed"),
        (changed(12, kind="castle", parts=1), "no cult site is followed"),
        (changed(14, kind="castle", parts=3), "no cult site is followed"),
    ],
)
def test_on_ours_more_is_checked_than_on_any_board(data: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BrokenBoard) as caught:
        check_ours(read_board(data))
    assert complaint in str(caught.value)


def test_ours_has_two_cult_sites_two_ruins_and_a_village_of_one_after_the_first_place() -> None:
    one_cult = deepcopy(OURS)
    for number in (1, 8):
        one_cult["place"][number] = {"kind": "castle", "parts": 2}
    big = deepcopy(OURS)
    for place in big["place"]:
        if place["kind"] == "village":
            place["parts"] = 2
    for data, complaint in ((one_cult, "two cult sites"), (big, "no village of 1")):
        with pytest.raises(BrokenBoard) as caught:
            check_ours(read_board(data))
        assert complaint in str(caught.value)


# -- a board of one's own


@pytest.mark.rule("CA-2")
def test_a_board_may_have_another_length_and_names_of_its_own() -> None:
    board = read_board(without(5, 6, 7))
    assert board.goal == 15
    meta = {"druids": ["yellow", "grey", "white", "black", "brown"], "part_ids": [*PARTS[:8], "heart"]}
    own = read_board({"meta": meta, "place": OURS["place"]})
    assert own.druids[0] == "yellow"
    assert own.parts[8] == "heart"
    with pytest.raises(BrokenBoard):
        read_board({"place": [OURS["place"][0], *[OURS["place"][1]] * 58, *OURS["place"][2:]]})


@pytest.mark.rule("CA-2")
def test_a_board_given_with_the_match_is_checked_when_it_is_opened_and_the_fault_is_named() -> None:
    assert complete_options(celtica.info, 3, {"board": RICH})["board"] == RICH
    with pytest.raises(BadOption) as caught:
        complete_options(celtica.info, 3, {"board": changed(1, kind="cults")})
    assert caught.value.name == "board"
    assert "place 1: 'cults' is no kind of place" in caught.value.sentence
    with pytest.raises(BadOption) as caught:
        complete_options(celtica.info, 3, {"board": "printed"})
    assert "reconstruction" in caught.value.sentence


@pytest.mark.rule("CA-2")
@pytest.mark.rule("CA-10")
def test_a_match_on_a_board_of_ones_own_is_recorded_and_played_to_its_end() -> None:
    meta = {"druids": ["yellow", "grey", "white", "black", "brown"], "part_ids": [*PARTS[:8], "heart"]}
    own = json.loads(json.dumps({"meta": meta, **RICH}))
    chance = Chance(b"own")
    events = celtica.deal(3, complete_options(celtica.info, 3, {"board": own}), chance)
    assert isinstance(events[0], TableSet)
    assert events[0].board == read_board(own)
    spelling = Spelling(celtica.events)
    assert spelling.read(json.loads(json.dumps(spelling.write(events[0])))) == events[0]
    state = fold(celtica, None, events)
    made, names = 0, ["Ann", "Bob", "Cy"]
    while (seat := celtica.to_act(state)) is not None:
        view = celtica.view(state, seat)
        for language in ("en", "de"):
            assert max(map(len, celtica.tell(view, language, names).splitlines())) <= 72  # type: ignore[arg-type]
            assert celtica.guide(view, language)  # type: ignore[arg-type]
        state = play_line(celtica, state, seat, pick(celtica.legal(view), Chance(b"x"), f"{made}"), chance).state
        made += 1
    assert celtica.draw(celtica.view(state, Seat(0)), names, "en", "light").startswith("<svg")
    assert any(parts[8] for parts in state.table.parts)
    assert made > 10


@pytest.mark.parametrize("places", [6, 19, 20, 21, 60])
def test_boards_of_every_length_are_told_and_drawn(places: int) -> None:
    numbers = [{"kind": "castle", "parts": 2}] * (places - 4)
    data = {
        "place": [
            {"kind": "start"},
            {"kind": "cult"},
            {"kind": "ruin", "loss": 2},
            *numbers,
            {"kind": "goal", "parts": 1},
        ]
    }
    state = fold(celtica, None, celtica.deal(2, complete_options(celtica.info, 2, {"board": data}), Chance(b"")))
    view = celtica.view(state, Seat(0))
    told = celtica.tell(view, "en", ["Ann", "Bob"])
    assert max(map(len, told.splitlines())) <= 72
    assert f"{places - 1:>3}" in told
    assert f">{places - 1}</text>" in celtica.draw(view, ["Ann", "Bob"], "en", "light")
