"""Keltis in words."""

import re

import pytest

from engine.errors import RuleViolation
from engine.events import Seat, SeatLeft, Shown
from engine.game import LANGUAGES, Language
from engine.games import keltis
from engine.games.keltis.rules import (
    MatchEnded,
    State,
    TileLaid,
    TileLeft,
    TileRevealed,
    TilesMixed,
    TileTaken,
    TurnStopped,
)
from engine.games.keltis.tell import WORDS
from tests.engine.games.keltis.positions import leave, play, position

LONG = "W" * 40
EVERYTHING = {colour: list(range(11)) for colour in ("blue", "brown", "yellow", "green", "pink")}
POSITIONS = [
    position({}, {}, {}, {}),
    position(EVERYTHING, {"pink": [3, 2]}, {"green": [10]}, middle=["blue 5", "pink 4"]),
    position(middle=[f"blue {number}" for number in range(11)], revealed="yellow 10"),
    position(extra=True, turn=1),
    leave(position({}, {}, {}, {}), 1, 2),
    leave(position({}, {}), 1),
    play(position({}, {}, {}, {}, stack=["pink 0"]), "reveal, leave"),
]


def test_both_languages_say_the_same_things() -> None:
    gaps = {
        language: {key: set(re.findall(r"{\w+}", words[key])) for key in words} for language, words in WORDS.items()
    }
    assert gaps["en"] == gaps["de"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", POSITIONS)
@pytest.mark.parametrize("names", [["A", "B", "C", "D"], [LONG] * 4, ["x\ny " * 30] * 4])
def test_no_line_is_longer_than_72(state: State, language: Language, names: list[str]) -> None:
    names = names[: len(state.table.rows)]
    for seat in (None, *map(Seat, range(len(names)))):
        view = keltis.view(state, seat)
        for line in (keltis.tell(view, language, names) + "\n" + keltis.guide(view, language)).split("\n"):
            assert len(line) <= 72
            assert line == line.rstrip()


def test_the_position_in_english() -> None:
    state = position(
        {"blue": [0, 3, 5], "green": [7]}, {"pink": [9, 7, 4]}, middle=["pink 5", "brown 10", "pink 2"], turn=1
    )
    assert (
        keltis.tell(keltis.view(state, Seat(0)), "en", ["Ann", "Bob"])
        == """\
Bob is to play.

Face-down tiles: 2
Open tiles: 3
  brown         10
  pink          2*  5+1

Ann (you): -5 points
  blue    up    0   3w  5*                                         2
  green         7                                                 -4
  wishing stones: 1                                               -3

Bob: 2 points
  pink    down  9*  7+3 4w                                         2
  wishing stones: 1                                               -3
  bonus points                                                     3

* clover   w wishing stone   +1 +3 bonus points"""
    )


@pytest.mark.parametrize(
    ("state", "english", "german"),
    [
        (position(), "It is your turn.", "Du bist am Zug."),
        (position(turn=1), "Bob is to play.", "Bob ist am Zug."),
        (position(extra=True), "It is your extra turn.", "Du hast einen Extrazug."),
        (position(extra=True, turn=1), "Bob has an extra turn.", "Bob hat einen Extrazug."),
        (
            position(revealed="pink 7"),
            "You revealed pink 7+3: lay it or leave it?",
            "Du hast rosa 7+3 aufgedeckt: legen oder liegen lassen?",
        ),
        (
            position(revealed="green 3", turn=1),
            "Bob revealed green 3*, and is to lay it or leave it.",
            "Bob hat grün 3* aufgedeckt und darf legen oder liegen lassen.",
        ),
        (leave(position(), 0), "The match is over. Won by Bob.", "Die Partie ist zu Ende. Gewonnen: Bob."),
    ],
)
def test_the_first_line_says_whose_turn_it_is(state: State, english: str, german: str) -> None:
    view = keltis.view(state, Seat(0))
    assert keltis.tell(view, "en", ["Ann", "Bob"]).splitlines()[0] == english
    assert keltis.tell(view, "de", ["Ann", "Bob"]).splitlines()[0] == german


def test_the_guide_lists_what_may_be_played() -> None:
    state = position({"pink": [3, 2]}, middle=["pink 4", "green 3", "blue 8", "blue 7"], extra=True)
    assert (
        keltis.guide(keltis.view(state, Seat(0)), "en")
        == """\
You may play one of these:
  reveal                  turn a tile over, then lay or leave it
  reveal, lay else leave  lay it if it fits, else leave it
  reveal, leave           leave it open, whatever it is
  take green 3            clover: another turn
  take blue 8             bonus: 3 points
  take blue 7
  stop                    give up the extra turn"""
    )


def test_the_guide_is_for_whoever_is_to_act() -> None:
    for seat in (None, Seat(1)):
        assert keltis.guide(keltis.view(position(), seat), "en") == ""


STORY = [
    TileRevealed(Seat(0), Shown("stack/3", "green 7")),
    TileLaid(Seat(0), "green 7", extra=False),
    TileRevealed(Seat(1), Shown("stack/4", "pink 3")),
    TileLeft(Seat(1), "pink 3"),
    TileTaken(Seat(0), "blue 5", extra=True),
    TileRevealed(Seat(0), Shown("stack/5", "brown 1")),
    SeatLeft(Seat(1)),
    TileLeft(Seat(0), "brown 1"),
    TileRevealed(Seat(1), Shown("stack/6", "pink 2")),
    TileLaid(Seat(1), "pink 2", extra=True),
    TurnStopped(Seat(1)),
    MatchEnded("last_tile"),
    MatchEnded("others_left"),
]


def test_what_happened_in_english() -> None:
    assert keltis.recount(STORY, "en", ["Ann", "Bob"]) == [
        "Ann revealed green 7 and laid it.",
        "Bob revealed pink 3 and left it in the middle.",
        "Ann took blue 5.",
        "The clover gives Ann another turn.",
        "Ann revealed brown 1.",
        "Bob left the match.",
        "Ann left brown 1 in the middle.",
        "Bob revealed pink 2 and laid it.",
        "The clover gives Bob another turn.",
        "Bob gave up the extra turn.",
        "The last tile is revealed: the match is over.",
        "All others have left: the match is over.",
    ]


def test_what_happened_in_german() -> None:
    assert keltis.recount(STORY[:9], "de", ["Ann", "Bob"]) == [
        "Ann hat grün 7 aufgedeckt und angelegt.",
        "Bob hat rosa 3 aufgedeckt und in der Mitte liegen lassen.",
        "Ann hat blau 5 genommen.",
        "Das Kleeblatt bringt Ann einen Extrazug.",
        "Ann hat braun 1 aufgedeckt.",
        "Bob ist aus der Partie ausgestiegen.",
        "Ann hat braun 1 in der Mitte liegen lassen.",
        "Bob hat rosa 2 aufgedeckt.",
    ]


def test_the_opening_is_recounted() -> None:
    assert keltis.recount([TilesMixed(2, Seat(1), "extra", ())], "de", ["Ann", "Bob"]) == [
        "Die Steine sind gemischt, Bob beginnt."
    ]


@pytest.mark.parametrize(
    ("state", "line", "english", "german"),
    [
        (
            position({"pink": [5, 4]}, middle=["pink 9"]),
            "take pink 9",
            "Pink 9 doesn't fit: your row goes down and has come to pink 4.",
            "Rosa 9 passt nicht: Deine Reihe fällt und ist bei rosa 4 angekommen.",
        ),
        (
            position({"pink": [4, 5]}, middle=["pink 1"]),
            "take pink 1",
            "Pink 1 doesn't fit: your row goes up and has come to pink 5.",
            "Rosa 1 passt nicht: Deine Reihe steigt und ist bei rosa 5 angekommen.",
        ),
        (
            position(),
            "take red 5",
            "There is no tile red 5: the numbers are 0 to 10, the colours blue, brown, yellow, green, pink.",
            "Einen Stein red 5 gibt es nicht: Die Zahlen sind 0 bis 10, die Farben blau, braun, gelb, grün, rosa.",
        ),
        (
            position(),
            "take take 5",  # a word of ours, but no colour
            "There is no tile take 5: the numbers are 0 to 10, the colours blue, brown, yellow, green, pink.",
            "Einen Stein take 5 gibt es nicht: Die Zahlen sind 0 bis 10, die Farben blau, braun, gelb, grün, rosa.",
        ),
        (
            position(),
            "take green 5",
            "Green 5 doesn't lie open in the middle.",
            "Grün 5 liegt nicht offen in der Mitte.",
        ),
        (
            position(),
            "lay",
            "You have revealed no tile: reveal one, or take an open one.",
            "Du hast keinen Stein aufgedeckt: Decke einen auf oder nimm einen offenen.",
        ),
        (
            position(extra=True, stack=[]),
            "reveal",
            "No tile lies face down any more.",
            "Es liegt kein Stein mehr verdeckt.",
        ),
        (
            position(),
            "stop",
            "A normal turn can't be passed: reveal a tile, or take an open one.",
            "Einen normalen Zug kann man nicht auslassen: Decke einen Stein auf oder nimm einen offenen.",
        ),
        (
            position(revealed="blue 5"),
            "stop",
            "You revealed blue 5: now lay it or leave it, nothing else.",
            "Du hast blau 5 aufgedeckt: Lege ihn jetzt oder lass ihn liegen, sonst nichts.",
        ),
        (position(turn=1), "reveal", "It isn't your turn.", "Du bist nicht am Zug."),
        (leave(position(), 1), "reveal", "The match is over.", "Die Partie ist zu Ende."),
    ],
)
def test_a_refusal_is_explained(state: State, line: str, english: str, german: str) -> None:
    with pytest.raises(RuleViolation) as caught:
        keltis.decide(state, Seat(0), keltis.parse(line, None), None)
    assert keltis.explain(caught.value, "en") == english
    assert keltis.explain(caught.value, "de") == german
