"""The board: the one that is shipped, those that are given with a match, and what the loader doesn't let pass."""

import json
import tomllib
from copy import deepcopy
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import BadOption
from engine.events import Seat, Spelling
from engine.game import LANGUAGES, complete_options
from engine.games import celtic
from engine.games.celtic.board import (
    RECONSTRUCTION,
    SPOKEN,
    BrokenBoard,
    check_ours,
    find_board,
    read_board,
    read_toml,
)
from engine.games.celtic.notation import ALL, ARTICLES, FROM, NONE, TO, VERBS, WITH
from engine.games.celtic.orders import ALWAYS, JOINTS, NEVER
from engine.games.celtic.table import TableSet
from engine.play import fold, pick, play_line
from tests.engine.games.celtic.second_reading import GOALS, HAMLET, PLACES, ROADS, _goals, _joined

TEXT = files("engine.games.celtic").joinpath("board.toml").read_text("utf-8")
OURS: dict[str, Any] = tomllib.loads(TEXT)


@pytest.mark.rule("CE-2")
@pytest.mark.rule("CE-4")
def test_the_shipped_file_holds_the_reconstruction() -> None:
    board = RECONSTRUCTION
    assert list(board.ids) == PLACES
    roads = _joined(ROADS)
    assert {board.ids[at]: {board.ids[near] for near in some} for at, some in enumerate(board.next_to)} == roads
    assert {goal.id: list(goal.locations) for goal in board.goals} == _goals(GOALS)
    assert {goal.id[0]: goal.influence for goal in board.goals} == {"E": 15, "H": 20}
    assert find_board("reconstruction") == read_toml(TEXT) == board


def test_the_shipped_file_says_that_it_is_not_the_printed_board() -> None:
    assert "NOT the printed board" in TEXT


@pytest.mark.rule("CE-2")
def test_data_have_no_order_so_places_are_put_in_one() -> None:
    """JSON objects are sorted on their way through the log; the match must be the same."""
    back_to_front = {**OURS, "locations": dict(reversed(OURS["locations"].items()))}
    board = read_board(OURS)
    assert board == read_board(back_to_front) == read_board(json.loads(json.dumps(OURS, sort_keys=True)))
    assert set(board.places) == set(RECONSTRUCTION.places)
    assert board.ids[:51] == RECONSTRUCTION.ids[:51], "our file is in that order, but for the trade locations"


def changed(*path: Any, to: Any = None, drop: bool = False, **more: Any) -> dict[str, Any]:
    """Our data with one thing otherwise."""
    data = deepcopy(OURS)
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    if drop:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    for key, value in more.items():
        data[key] = value
    return data


def with_road(road: Any) -> dict[str, Any]:
    return changed("roads", "edges", to=[*OURS["roads"]["edges"], road])


def without_roads_of(place: str) -> dict[str, Any]:
    return changed("roads", "edges", to=[edge for edge in OURS["roads"]["edges"] if place not in edge.split("-")])


@pytest.mark.rule("CE-2")
@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (changed("village", drop=True), "it has no village"),
        (changed("locations", drop=True), "it has no locations"),
        (changed("trade_locations", drop=True), "it has no trade_locations"),
        (changed("roads", drop=True), "it has no roads"),
        (changed("goal", drop=True), "it has no goal"),
        (changed("rivers", to=[]), "has no 'rivers'"),
        (changed("village", "id", to="grain"), "grain is there twice"),
        (changed("village", "id", to="trade_wine"), "begins with trade_"),
        (changed("village", "id", drop=True), "None can't be an id"),
        (changed("village", "pos", drop=True), "must be a list"),
        (changed("locations", "Grain", to=[1, 2]), "'Grain' can't be an id"),
        (changed("locations", "a-b", to=[1, 2]), "'a-b' can't be an id"),
        (changed("locations", "x" * 25, to=[1, 2]), "24 characters at most"),
        (changed("locations", "way_to_rome", to=[1, 2]), "“to” is a word that moves are made of"),
        (changed("locations", "trade_salt", to=[1, 2]), "begins with trade_"),
        (changed("locations", "grain", to=[1]), "grain needs an x and a y"),
        (changed("locations", "grain", to=[1, True]), "grain needs an x and a y"),
        (changed("locations", "grain", to=[1.5, 2]), "grain needs an x and a y"),
        (changed("locations", "grain", to=[1000, 2]), "0 to 999"),
        (changed("locations", "grain", to=7), "must be a list"),
        (changed("locations", to=[]), "must be a table"),
        (changed("trade_locations", "trade_wine", drop=True), "one for each good"),
        (changed("trade_locations", "trade_gold", to=[1, 2]), "one for each good"),
        (changed("trade_locations", "gold", to=[1, 2]), "begins with trade_"),
        (with_road("village-grain"), "the road grain-village is there twice"),
        (with_road("grain-village"), "the road grain-village is there twice"),
        (with_road("village-village"), "joins a place with itself"),
        (with_road("village-rome"), "there is no place rome"),
        (with_road("village"), "is no road"),
        (with_road("village-grain-bread"), "is no road"),
        (with_road(7), "is no road"),
        (without_roads_of("necklace"), "no road leads to necklace"),
        (without_roads_of("village"), "no road leads to"),
        (changed("roads", to={"edges": 7}), "must be a list"),
        (changed("goal", to=OURS["goal"][:19]), "19 goals"),
        (changed("goal", to=OURS["goal"] * 4), "80 goals"),
        (changed("goal", to=[*OURS["goal"], OURS["goal"][0]]), "goal E01 is there twice"),
        (changed("goal", 0, "id", to="e01"), "can't be an id"),
        (changed("goal", 0, "locations", to=["bread", "rome"]), "'rome' is no location"),
        (changed("goal", 0, "locations", to=["bread", "village"]), "'village' is no location"),
        (changed("goal", 0, "locations", to=["bread", "trade_wine"]), "'trade_wine' is no location"),
        (changed("goal", 0, "locations", to=["bread", "bread"]), "bread is there twice"),
        (changed("goal", 0, "locations", to=[]), "1 to 8 locations"),
        (changed("goal", 0, "locations", to=PLACES[1:10]), "1 to 8 locations"),
        (changed("goal", 0, "locations", to=[7]), "7 is no location"),
        (changed("goal", 0, "influence", to=True), "influence must be"),
        (changed("goal", 0, "influence", drop=True), "influence must be"),
        (changed("goal", 0, "colour", to="red"), "has no 'colour'"),
        (changed("goal", 0, to=7), "must be a table"),
    ],
)
def test_a_broken_board_is_refused_with_what_is_wrong(data: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BrokenBoard) as caught:
        read_board(data)
    assert complaint in str(caught.value)


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(BrokenBoard) as caught:
        read_toml(TEXT.replace("[meta]", "[meta", 1))
    assert "no TOML" in str(caught.value)


@pytest.mark.parametrize("data", [None, 7, "board", [], {}, {"meta": {}}, {"goal": 7}, True])
def test_what_is_no_board_is_refused(data: object) -> None:
    with pytest.raises(BrokenBoard):
        find_board(data)


def test_meta_is_information_only() -> None:
    for meta in ({}, {"nodes": 3, "anything": "else"}, 7):
        assert read_board(changed("meta", to=meta)) == read_board(OURS)
    assert read_board(changed("meta", drop=True)) == read_board(OURS)


def replaced(old: str, new: str) -> dict[str, Any]:
    """Our data with one road leading elsewhere."""
    return changed("roads", "edges", to=[new if edge == old else edge for edge in OURS["roads"]["edges"]])


@pytest.mark.rule("CE-2")
@pytest.mark.rule("CE-4")
@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (
            changed("locations", "rome", to=[1, 1], roads={"edges": [*OURS["roads"]["edges"], "rome-grain"]}),
            "51 locations",
        ),
        (with_road("village-salt"), "91 roads"),
        (replaced("grain-pigs", "village-prince_statue"), "grain doesn't lie between"),
        (replaced("grain-prince_statue", "pigs-prince_statue"), "grain doesn't lie between"),
        (changed("goal", 0, "influence", to=16), "9 goals of 2 locations for 15"),
        (changed("goal", 12, "influence", to=25), "9 goals of 3 locations for 20"),
        (changed("goal", 10, "locations", to=["cows", "fish", "sword"]), "cows, fish and sheep are no goal"),
    ],
)
def test_on_ours_more_is_checked_than_on_any_board(data: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BrokenBoard) as caught:
        check_ours(read_board(data))
    assert complaint in str(caught.value)
    check_ours(read_board(OURS))


def test_no_place_can_be_called_a_word_of_the_notation() -> None:
    verbs = {word for words in VERBS.values() for word in words}
    assert verbs | TO | FROM | ALL | NONE | WITH | ARTICLES | NEVER | ALWAYS | JOINTS <= SPOKEN


# -- a board of one's own


@pytest.mark.rule("CE-2")
def test_a_board_given_with_the_match_is_checked_when_it_is_opened_and_the_fault_is_named() -> None:
    assert complete_options(celtic.info, 3, {"board": HAMLET})["board"] == HAMLET
    with pytest.raises(BadOption) as caught:
        complete_options(celtic.info, 3, {"board": with_road("village-rome")})
    assert caught.value.name == "board"
    assert "there is no place rome" in caught.value.sentence
    with pytest.raises(BadOption) as caught:
        complete_options(celtic.info, 3, {"board": "printed"})
    assert "reconstruction" in caught.value.sentence


@pytest.mark.rule("CE-2")
@pytest.mark.rule("CE-8")
def test_a_match_on_a_board_of_ones_own_is_recorded_and_played_to_its_end() -> None:
    own = json.loads(json.dumps(HAMLET))
    chance = Chance(b"own")
    events = celtic.deal(3, complete_options(celtic.info, 3, {"board": own, "max_turns": 20}), chance)
    assert isinstance(events[0], TableSet)
    assert events[0].board == read_board(own)
    spelling = Spelling(celtic.events)
    assert spelling.read(json.loads(json.dumps(spelling.write(events[0])))) == events[0]
    state = fold(celtic, None, events)
    made, names = 0, ["Ann", "Bob", "Cy"]
    while (seat := celtic.to_act(state)) is not None:
        view = celtic.view(state, seat)
        for language in LANGUAGES:
            assert max(map(len, celtic.tell(view, language, names).splitlines())) <= 72
            assert celtic.guide(view, language)
        state = play_line(celtic, state, seat, pick(celtic.legal(view), Chance(b"x"), f"{made}"), chance).state
        made += 1
    assert celtic.draw(celtic.view(state, Seat(0)), names, "en", "light").startswith("<svg")
    assert made > 50


@pytest.mark.parametrize("places", [9, 30, 100])
def test_boards_of_every_size_are_told_and_drawn(places: int) -> None:
    """All on one line, all goals alike: nothing is pretty, and all of it is there."""
    names = [f"place{number}" for number in range(places - 8)]
    trade = [
        f"trade_{good}" for good in ("hides", "bronze", "wine", "amber", "jewelry", "yellow_pottery", "blue_pottery")
    ]
    every = ["home", *names, *trade]
    data = {
        "village": {"id": "home", "pos": [0, 0]},
        "locations": {name: [at, 0] for at, name in enumerate(names)},
        "trade_locations": {name: [5, 0] for name in trade},
        "roads": {"edges": [f"{one}-{other}" for one, other in pairwise(every)]},
        "goal": [{"id": f"G{number}", "influence": 5, "locations": [names[0]]} for number in range(20)],
    }
    state = fold(celtic, None, celtic.deal(2, complete_options(celtic.info, 2, {"board": data}), Chance(b"")))
    view = celtic.view(state, Seat(0))
    assert max(map(len, celtic.tell(view, "en", ["Ann", "Bob"]).splitlines())) <= 72
    picture = celtic.draw(view, ["Ann", "Bob"], "en", "light")
    assert all(name in picture for name in names)


def test_the_roads_between_two_places_are_the_fewest() -> None:
    """One to a neighbour, as many there as back, and no detour is shorter."""
    board = RECONSTRUCTION
    places = range(len(board.places))
    for at in places:
        assert [other for other in places if board.roads_between[at][other] == 1] == list(board.next_to[at])
        assert board.roads_between[at][at] == 0
        for other in places:
            roads = board.roads_between[at][other]
            assert roads == board.roads_between[other][at]
            assert at == other or roads == 1 + min(board.roads_between[near][other] for near in board.next_to[at])
