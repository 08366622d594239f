"""The tile file, and what its loader doesn't let pass."""

from importlib.resources import files

import pytest

from engine.games.keltis.tiles import PRINTED, BrokenTiles, read_tiles
from tests.engine.games.keltis.second_reading import CLOVERS, ONES, THREES, WISHES

TEXT = files("engine.games.keltis").joinpath("tiles.toml").read_text("utf-8")


@pytest.mark.rule("KE-2")
def test_the_file_holds_what_is_printed() -> None:
    symbols = [tile.symbol for tile in PRINTED.by_name.values()]
    assert len(symbols) == 55
    assert [symbols.count(symbol) for symbol in ("clover", "wish", "+1", "+3")] == [10, 10, 5, 5]
    assert all(PRINTED.by_name[f"{colour} {number}"].symbol == "" for colour in PRINTED.colours for number in (0, 10))


@pytest.mark.rule("KE-2")
@pytest.mark.rule("KE-8")
@pytest.mark.rule("KE-13")
@pytest.mark.rule("KE-14")
@pytest.mark.parametrize(("symbol", "printed"), [("clover", CLOVERS), ("wish", WISHES), ("+1", ONES), ("+3", THREES)])
def test_each_symbol_stands_where_it_is_printed(symbol: str, printed: list[str]) -> None:
    assert sorted(name for name, tile in PRINTED.by_name.items() if tile.symbol == symbol) == sorted(printed)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("numbers = [0, 1,", "numbers = [0,", "50 tiles, not 55"),
        ('"green", "pink"]', '"green"]', "44 tiles, not 55"),
        ("clover = [5, 6]", "clover = [5]", "'clover': 9"),
        ("wish   = [2, 3]", "wish   = [2, 3, 7]", "'wish': 11"),
        ("bonus  = { 8 = 3, 9 = 1 }", "bonus  = { 8 = 3, 9 = 3 }", "'+3': 6"),
        ("bonus  = { 8 = 3, 9 = 1 }", "bonus  = { 8 = 3, 9 = 2 }", "'+2': 1"),
        ("clover = [5, 6]", "clover = [5, 10]", "blue 10 carries clover"),
        ("wish   = [1, 4]", "wish   = [0, 4]", "pink 0 carries wish"),
        ("clover = [5, 6]", "clover = [5, 2]", "blue 2 carries clover and wish"),
        ("[pink]", "[rose]", "'pink' is missing"),
        ("row_points  =", "points  =", "'row_points' is missing"),
        ("row_points  = [0, -4, -3, 2, 3, 6, 10]", "row_points  = []", "no table of points"),
        ("wish_points = [-4,", "wish_points = [true,", "no table of points"),
        ("wish_points = [-4, -3, 2, 3, 6, 10]", "wish_points = 4", "wrong type"),
        ("bonus  = { 8 = 3, 9 = 1 }", "bonus  = { eight = 3, 9 = 1 }", "wrong type"),
        ("[meta]", "[meta", "no TOML"),
    ],
)
def test_a_broken_file_is_refused_with_what_is_wrong(old: str, new: str, complaint: str) -> None:
    assert old in TEXT
    with pytest.raises(BrokenTiles) as caught:
        read_tiles(TEXT.replace(old, new, 1))
    assert complaint in str(caught.value)
