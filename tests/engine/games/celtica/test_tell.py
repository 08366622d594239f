"""Celtica in words."""

import re

import pytest

from engine.errors import RuleViolation
from engine.events import Sealed, Seat, SeatLeft, Shown
from engine.game import LANGUAGES, Language
from engine.games import celtica
from engine.games.celtica.table import (
    CardsDealt,
    DeckShuffled,
    DisplayFilled,
    Exchanged,
    MatchEnded,
    PartsDealt,
    PlayEnded,
    RoundEnded,
    State,
    TurnTaken,
)
from engine.games.celtica.tell import WORDS
from tests.engine.games.celtica.positions import ALL_NINE, CHANCE, leave, play, position, refusal

LONG = "W" * 40
FULL = ("red 3+1, grey 2+4, white 4+2, black 5+3, brown 12+4", f"{ALL_NINE} " * 10)
POSITIONS = [
    position(),
    position(("red 2+1", "gold"), ("grey 1", ""), ("white 1", "blue"), ("", ""), ("", "")),
    position(FULL, ("grey 1", ALL_NINE), druids="red 18 grey 17", given_up=ALL_NINE, druid_discards="red grey white"),
    position(FULL, ("", ""), edition="en", turn=1),
    position(("red 0+9, brown 0+3", f"{ALL_NINE} {ALL_NINE}"), closing="last_round"),
    leave(position(("red 1", ""), ("red 1", ""), ("red 1", "")), 1),
    leave(position(("red 1", "")), 1),
]


def test_both_languages_say_the_same_things() -> None:
    gaps = {
        language: {key: set(re.findall(r"{\w+}", words[key])) for key in words} for language, words in WORDS.items()
    }
    assert gaps["en"] == gaps["de"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", POSITIONS)
@pytest.mark.parametrize("names", [["A", "B", "C", "D", "E"], [LONG] * 5, ["x\ny " * 30] * 5])
def test_no_line_is_longer_than_72(state: State, language: Language, names: list[str]) -> None:
    names = names[: len(state.table.parts)]
    for seat in (None, *map(Seat, range(len(names)))):
        view = celtica.view(state, seat)
        for line in (celtica.tell(view, language, names) + "\n" + celtica.guide(view, language)).split("\n"):
            assert len(line) <= 72
            assert line == line.rstrip()


def test_the_position_in_english() -> None:
    state = position(
        ("red 2+1, brown 0+2", "blue gold gold middle"),
        ("grey 1", ""),
        druids="red 2 grey 2 brown 13",
        display="blue coral coral",
        supply="teal teal",
        given_up="rose",
        druid_discards="red red black",
    )
    assert (
        celtica.tell(celtica.view(state, Seat(0)), "en", ["Ann", "Bob"])
        == """\
It is your turn.

place     0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18
          o  c +1 +2 -1 +1 +3 -2  c +2 +1 +3  c -2 -3 +2 -2 +3 +4
red       .  .  @  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
grey      .  .  @  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
white     @  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
black     @  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
brown     .  .  .  .  .  .  .  .  .  .  .  .  .  @  .  .  .  .  .
c cult site: you may draw a druid card   +2 take parts   -2 ruin: give
up parts, draw an experience card   last: the goal, which gives parts,
too

Display: blue 1, coral 2
Parts face down: 2, given up: rose 1
Cards to draw: 1 druid, 1 experience
Druid cards discarded: red 2, black 1
Experience cards discarded: none

Ann (you)
  complete amulets: 0, druid cards: 2, experience cards: 3
  3: blue gold middle
  1: gold

Bob
  complete amulets: 0, druid cards: 1, experience cards: 0
  no parts

Your cards (druid+experience): red 2+1, brown 0+2"""
    )


@pytest.mark.parametrize(
    ("state", "english", "german"),
    [
        (position(("red 1", "")), "It is your turn.", "Du bist am Zug."),
        (position(("", ""), ("red 1", "")), "Bob is to play.", "Bob ist am Zug."),
        (
            position(("red 1", ""), druids="red 18"),
            "It is your turn. A druid is home: this round is the last.",
            "Du bist am Zug. Ein Druide ist am Ziel: Diese Runde ist die letzte.",
        ),
        (
            position(("red 0+1", "gold"), closing="last_round", druids="red 18"),
            "You may exchange parts.",
            "Du kannst Teile tauschen.",
        ),
        (
            position(("", ""), ("red 0+1", "gold"), closing="last_round"),
            "Bob may exchange parts.",
            "Bob kann Teile tauschen.",
        ),
        (
            leave(position(("red 1", "")), 0),
            "The match is over. Won by Bob.",
            "Die Partie ist zu Ende. Gewonnen: Bob.",
        ),
    ],
)
def test_the_first_line_says_whose_turn_it_is(state: State, english: str, german: str) -> None:
    view = celtica.view(state, Seat(0))
    assert celtica.tell(view, "en", ["Ann", "Bob"]).splitlines()[0] == english
    assert celtica.tell(view, "de", ["Ann", "Bob"]).splitlines()[0] == german


def test_only_the_owner_is_told_their_cards() -> None:
    state = position(("red 2+1", ""), ("grey 1", ""))
    for seat, told in ((Seat(0), True), (Seat(1), False), (None, False)):
        assert ("red 2+1" in celtica.tell(celtica.view(state, seat), "en", ["Ann", "Bob"])) == told


def test_the_guide_lists_what_may_be_played() -> None:
    state = position(("red 2+1, white 1, black 1, brown 1", "gold"), druids="red 1 white 18 black 3 brown 6")
    assert (
        celtica.guide(celtica.view(state, Seat(0)), "en")
        == """\
You may play, for example:
  red 1 take blue          village 2: take 1 of the display
  red 2 take blue coral    castle 3: take 2 of the display
  red 0+1 take blue        village 2: take 1 of the display
  red 1+1 take blue coral  castle 3: take 2 of the display
  red 2+1 give gold        ruin 4: give up 1, draw experience
  white 1 nothing          that druid is home: nothing happens
  black 1 give gold        ruin 4: give up 1, draw experience
  brown 1 give gold        ruin 7: give up 1, draw experience"""
    )


def test_the_guide_in_german() -> None:
    state = position(("red 1, grey 1, brown 1", ""), druids="grey 17 brown 15", edition="en")
    assert (
        celtica.guide(celtica.view(state, Seat(0)), "de")
        == """\
Du kannst zum Beispiel spielen:
  rot 1 ziehe     Kultstätte 1: eine Druidenkarte
  rot 1 nichts    Kultstätte 1: keine Karte
  grau 1 nichts   Ziel 18: nichts geschieht
  braun 1 nichts  Ruine 16: kein Teil abzugeben"""
    )


def test_the_guide_to_the_exchange() -> None:
    state = position(("red 0+3", "gold rose"), closing="last_round", display="blue coral teal")
    assert (
        celtica.guide(celtica.view(state, Seat(0)), "en")
        == """\
A swap costs 1 card, a part taken 2. You may play, for example:
  done                           exchange nothing
  take blue                      cards: 2
  swap gold for blue             cards: 1
  swap gold for blue coral       cards: 3
  swap gold rose for blue coral  cards: 2"""
    )


def test_the_guide_is_for_whoever_is_to_act() -> None:
    for seat in (None, Seat(1)):
        assert celtica.guide(celtica.view(position(("red 1", "")), seat), "en") == ""


def turn(kind: str, **facts: object) -> TurnTaken:
    told = {"taken": (), "given": (), "drawn": (), "filled": (), **facts}
    return TurnTaken(Seat(0), "red", 2, 1, Sealed(None, (Seat(0),)), 5, kind, **told)  # type: ignore[arg-type]


MINE, THEIRS = Shown("x", "grey", (Seat(0),)), Shown("x", None, (Seat(0),))
STORY = [
    turn("village", taken=("blue",), filled=(Shown("p", "gold"),)),
    turn("ruin", given=("blue", "gold", "gold"), drawn=(THEIRS,)),
    turn("ruin", drawn=(MINE,)),
    turn("cult", drawn=(THEIRS,)),
    turn("cult", drawn=(MINE,)),
    turn("cult"),
    turn("goal"),
    turn(""),
    RoundEnded(Seat(0)),
    DeckShuffled("druid-cards", (Sealed(None, name="druid-cards/2/0"),)),
    DeckShuffled("parts", (Sealed(None, name="parts/3/0"),)),
    CardsDealt("druid-cards", ((MINE, MINE), (THEIRS,) * 5)),
    CardsDealt("experience-cards", ((THEIRS,), ())),
    PartsDealt(Seat(1), (Shown("p", "gold"), Shown("p", "middle"))),
    DisplayFilled((Shown("p", "gold"),)),
    PlayEnded(Seat(0), "druids_home", (("red", "red"), ()), (Sealed(None), Sealed(None))),
    Exchanged(Seat(1), ("coral",), ("blue", "middle"), ("red",) * 3, Sealed(None), ()),
    Exchanged(Seat(1), (), ("blue",), ("red",) * 2, Sealed(None), (Shown("p", "rose"),)),
    Exchanged(Seat(1), (), (), (), Sealed(None), ()),
    SeatLeft(Seat(1)),
    MatchEnded("last_round"),
    MatchEnded("others_left"),
]


def test_what_happened_in_english() -> None:
    assert celtica.recount(STORY, "en", ["Ann", "Bob"]) == [
        "Ann played red 2+1: the druid comes to place 5 (village), and Ann takes blue.",
        "New in the display: gold.",
        "Ann played red 2+1: the druid comes to place 5 (ruin), and Ann gives up blue and gold (2).",
        "Ann draws an experience card.",
        "Ann played red 2+1: the druid comes to place 5 (ruin).",
        "Ann draws the experience card grey.",
        "Ann played red 2+1: the druid comes to place 5 (cult site).",
        "Ann draws a druid card.",
        "Ann played red 2+1: the druid comes to place 5 (cult site).",
        "Ann draws the druid card grey.",
        "Ann played red 2+1: the druid comes to place 5 (cult site).",
        "Ann played red 2+1: the druid comes to place 5 (goal).",
        "Ann played red 2+1: that druid is home, and nothing happens.",
        "Nobody has druid cards any more: a new round is dealt.",
        "The discarded druid cards are shuffled into a new deck.",
        "The parts given up are shuffled into a new supply.",
        "Ann gets druid cards: grey (2).",
        "Bob gets druid cards: 5.",
        "Ann gets experience cards: 1.",
        "Bob gets the parts gold and middle.",
        "New in the display: gold.",
        "All five druids are home: no more cards are played.",
        "Ann discards red (2).",
        "Bob gives coral for blue and middle, and pays 3 experience cards.",
        "Bob takes blue, and pays 2 experience cards.",
        "New in the display: rose.",
        "Bob exchanges nothing.",
        "Bob left the match.",
        "The match is over.",
        "All others have left: the match is over.",
    ]


def test_what_happened_in_german() -> None:
    assert celtica.recount(STORY[:5], "de", ["Ann", "Bob"]) == [
        "Ann spielt rot 2+1: Der Druide kommt auf Feld 5 (Dorf), und Ann nimmt blau.",
        "Neu in der Auslage: gold.",
        "Ann spielt rot 2+1: Der Druide kommt auf Feld 5 (Ruine), und Ann gibt blau und gold (2) ab.",
        "Ann zieht eine Erfahrungskarte.",
        "Ann spielt rot 2+1: Der Druide kommt auf Feld 5 (Ruine).",
        "Ann zieht die Erfahrungskarte grau.",
        "Ann spielt rot 2+1: Der Druide kommt auf Feld 5 (Kultstätte).",
        "Ann zieht eine Druidenkarte.",
        "Ann spielt rot 2+1: Der Druide kommt auf Feld 5 (Kultstätte).",
        "Ann zieht die Druidenkarte grau.",
    ]


@pytest.mark.parametrize(
    ("state", "line", "english", "german"),
    [
        (
            position(("red 1", "")),
            "red 2 take blue",
            "You hold 1 druid cards in red.",
            "Druidenkarten in rot hast du 1.",
        ),
        (
            position(("red 1", ""), druids="red 2"),
            "red 1 take blue",
            "This leads to a place where you take parts: say exactly 2.",
            "Das führt auf ein Feld, wo man Teile nimmt: Nenne genau 2.",
        ),
        (
            position(("red 1", "gold"), druids="red 3"),
            "red 1 give blue",
            "You have too few parts in blue: 0.",
            "Du hast zu wenige Teile in blau: 0.",
        ),
        (
            position(("red 0+1", "gold"), closing="last_round"),
            "take blue",
            "That costs 2 experience cards, and you hold 1.",
            "Das kostet 2 Erfahrungskarten, und du hast 1.",
        ),
        (position(("", ""), ("red 1", "")), "red 1 draw", "It isn't your turn.", "Du bist nicht am Zug."),
    ],
)
def test_a_refusal_is_explained(state: State, line: str, english: str, german: str) -> None:
    with pytest.raises(RuleViolation) as caught:
        celtica.decide(state, Seat(0), celtica.parse(line, celtica.view(state, Seat(0))), CHANCE)
    assert celtica.explain(caught.value, "en") == english
    assert celtica.explain(caught.value, "de") == german


def test_a_match_that_ended_shows_no_hand() -> None:
    over = play(position(("red 1+1", ""), druids="red 17", edition="en", display="blue"), "red 1 nothing")
    assert celtica.to_act(over) is None
    assert "Your cards" not in celtica.tell(celtica.view(over, Seat(0)), "en", ["Ann", "Bob"])
    assert refusal(over, "done", 0) == ("GE-2", "match_over")
