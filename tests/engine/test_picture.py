"""What the games' pictures are made of."""

from xml.etree import ElementTree as ET

import pytest

from engine.picture import INSIDE, PAPERS, RIGHT, Brush, Piece, heading, panel, sheet

SVG = "{http://www.w3.org/2000/svg}"
BRUSH = Brush(PAPERS["light"], None, "en", {})


def texts(svg: str) -> list[str | None]:
    return [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_sheet_is_as_high_as_its_pieces_with_a_margin_around_each() -> None:
    root = ET.fromstring(sheet(BRUSH.paper, [Piece(20, ""), Piece(30.5, "")]))
    assert root.get("viewBox") == "0 0 360 74.5"
    assert [group.get("transform") for group in root.iter(f"{SVG}g")] == ["translate(8 8)", "translate(8 36)"]


@pytest.mark.parametrize("said", ["<b>", "a & b", '"', "</text>"])
def test_whatever_is_written_is_text(said: str) -> None:
    assert texts(sheet(BRUSH.paper, [Piece(20, BRUSH.text(0, 12, said))])) == [said]


def test_nothing_said_draws_nothing() -> None:
    assert BRUSH.text(0, 12, "") == ""


def test_the_panel_and_the_heading_of_who_is_to_act_stand_out() -> None:
    accent = BRUSH.paper.accent
    for acts in (True, False):
        assert (accent in panel(BRUSH.paper, 40, "", acts).body) == acts
        assert (accent in heading(BRUSH, "Ann", acts, INSIDE)) == acts


@pytest.mark.parametrize("end", [INSIDE - 70, RIGHT - 104])
def test_a_name_is_cut_so_that_you_and_the_status_have_room(end: int) -> None:
    def name(**behind: str) -> str:
        return texts(sheet(BRUSH.paper, [Piece(30, heading(BRUSH, "m" * 40, True, end, **behind))]))[0] or ""

    assert name().endswith("…")
    assert len(name()) > len(name(you=" (you)").removesuffix(" (you)")) > len(name(status="to play"))
    assert name(you=" (you)").endswith("… (you)")
