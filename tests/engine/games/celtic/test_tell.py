"""Celtic in words."""

import re
from pathlib import Path

import pytest

from engine.errors import RuleViolation
from engine.events import Sealed, Seat, SeatLeft, Shown
from engine.game import LANGUAGES, Language
from engine.games import celtic
from engine.games.celtic import rules
from engine.games.celtic.table import (
    CardsCollected,
    FinalPhaseBegun,
    Followed,
    GoalCompleted,
    GoalsDealt,
    GoodsRevealed,
    MarkersMoved,
    MatchEnded,
    PartEnded,
    State,
    TurnEnded,
)
from engine.games.celtic.words import WORDS
from tests.contracts.checks import EXAMPLE
from tests.contracts.walks import is_offered
from tests.engine.games.celtic.positions import SEVEN, leave, play, position

LONG = "W" * 40
CROWD = "grain 2, salt, trade_wine 3, necklace"
FULL = "wine " * 16 + "hides " * 12 + SEVEN
POSITIONS = [
    position(),
    position(
        CROWD, CROWD, CROWD, CROWD, hands=("E05 H01", "E06 H02"), goods=(FULL, "wine"), done=("E01 E02 E03 H04", "E07")
    ),
    position("fish", "fish 3", way=("prince_statue", "burial_mound"), waiting=(1,)),
    position("cows, fish, sheep, grain, tools, trade_yellow_pottery 3", hands=("H01 E05",), moved=True, goods=(SEVEN,)),
    position(CROWD, CROWD, closing="max_turns", open_trade=True, goods=(FULL, "hides")),
    position(CROWD, done=("E01 E02 E03 E04 E05",), moved=True),
    leave(position("", "", ""), 1),
    leave(position(CROWD, goods=(FULL, "")), 1),
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
    names = names[: len(state.table.markers)]
    for seat in (None, *map(Seat, range(len(names)))):
        view = celtic.view(state, seat)
        for line in (celtic.tell(view, language, names) + "\n" + celtic.guide(view, language)).split("\n"):
            assert len(line) <= 72
            assert line == line.rstrip()


def test_the_position_in_english() -> None:
    state = position(
        "grain 2, trade_wine 3, salt",
        "grain, prince_statue",
        hands=("E05 H01", "E06 E07"),
        goods=("wine wine hides", "amber"),
        done=("E02", ""),
        stacks="wine 14, hides 0",
        turns=12,
    )
    assert (
        celtic.tell(celtic.view(state, Seat(0)), "en", ["Ann", "Bob"])
        == """\
It is your turn. The move is still to come.

Markers, by place (Ann, Bob):
  0 village             2  6    32 salt                1  .
  3 grain               2  1    53 wine                3  .
 12 prince statue       .  1

Trade cards left: bronze 16, wine 14, amber 16, jewelry 16, yellow
  pottery 16, blue pottery 16
Goals left to draw: 15
Turns over: 12 of 200.

Ann (you)
  goals done: 1, in hand: 2, trade cards: 3, influence of goals: 15
  done: E02 (cheese, salt: 15)
  trade cards: hides 1, wine 2 (would count 4 now)

Bob
  goals done: 0, in hand: 2, trade cards: 1, influence of goals: 0

Your goals:
  E05: grain and tools (15)
  H01: cows, fish and sheep (20)"""
    )


@pytest.mark.parametrize(
    ("state", "english", "german"),
    [
        (position(), "It is your turn. The move is still to come.", "Du bist am Zug. Die Bewegung steht noch aus."),
        (position(moved=True), "It is your turn. The move is made.", "Du bist am Zug. Die Bewegung ist gemacht."),
        (
            position(turn=1),
            "Bob is to play. The move is still to come.",
            "Bob ist am Zug. Die Bewegung steht noch aus.",
        ),
        (
            position("fish", "fish", way=("fish", "boat"), waiting=(1,)),
            "Ann went from fish to boat: does Bob follow?",
            "Ann zog von Fisch nach Boot: Folgt Bob?",
        ),
        (
            position("fish", "fish", turn=1, way=("fish", "boat"), waiting=(0,)),
            "Bob went from fish to boat: do you follow?",
            "Bob zog von Fisch nach Boot: Folgst du?",
        ),
        (
            position(done=("E01 E02 E03 E04 E05",), moved=True),
            "It is your turn. The move is made. A fifth goal is done: the game ends",
            "Du bist am Zug. Die Bewegung ist gemacht. Ein fünftes Ziel ist erfüllt:",
        ),
        (
            position(CROWD, closing="max_turns"),
            "The final phase: it is your part.",
            "Die Schlussphase: Du bist dran.",
        ),
        (
            position("", CROWD, closing="max_turns"),
            "The final phase: it is Bob's part.",
            "Die Schlussphase: Bob ist dran.",
        ),
        (
            leave(position(), 0),
            "The match is over. Won by Bob.",
            "Die Partie ist zu Ende. Gewonnen: Bob.",
        ),
    ],
)
def test_the_first_line_says_whose_decision_is_due(state: State, english: str, german: str) -> None:
    view = celtic.view(state, Seat(0))
    assert celtic.tell(view, "en", ["Ann", "Bob"]).splitlines()[0] == english
    assert celtic.tell(view, "de", ["Ann", "Bob"]).splitlines()[0] == german


@pytest.mark.rule("CE-13")
def test_only_the_owner_is_told_their_goals_and_their_trade_cards() -> None:
    state = position("grain", hands=("E05 H01", ""), goods=("wine wine", ""))
    for seat, told in ((Seat(0), True), (Seat(1), False), (None, False)):
        text = celtic.tell(celtic.view(state, seat), "en", ["Ann", "Bob"])
        assert ("E05: grain" in text) == told
        assert ("wine 2" in text) == told
        assert "trade cards: 2" in text


def test_a_goal_that_can_be_completed_is_pointed_out_to_its_owner() -> None:
    state = position("grain, tools", hands=("E05 H01",))
    told = celtic.tell(celtic.view(state, Seat(0)), "en", ["Ann", "Bob"])
    assert "E05: grain and tools (15), can be completed" in told


def test_the_score_is_told_at_the_end() -> None:
    goods = "hides " * 6 + "amber " * 3 + "wine " * 3 + "bronze " * 2 + "yellow_pottery " * 2 + "jewelry"
    over = play(position("salt", goods=(goods,), done=("H01 H02 E01",), closing="max_turns"), "done")
    told = celtic.tell(celtic.view(over, None), "en", ["Ann", "Bob"])
    assert "influence: 98 = 55 + 4 + 6 + 9 + 8 + 10 + 6 + 0" in told
    assert "trade cards: hides 6, bronze 2, wine 3, amber 3, jewelry 1, yellow" in told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", POSITIONS[:-1])
def test_what_the_guide_shows_can_be_played(state: State, language: Language) -> None:
    view = celtic.view(state, celtic.to_act(state))
    examples = EXAMPLE.findall(celtic.guide(view, language))
    assert examples
    for example in examples:
        assert is_offered(celtic.notate(celtic.parse(example, view)), celtic.legal(view)), example
    assert celtic.guide(celtic.view(state, None), language) == ""


def test_the_guide_in_both_languages() -> None:
    state = position("cows, fish, sheep, trade_yellow_pottery 3", hands=("H01 E05",), moved=True, goods=(SEVEN,))
    view = celtic.view(state, Seat(0))
    assert celtic.guide(view, "en").splitlines() == [
        "You may play, for example:",
        "  goal H01                  20 influence: cows, fish and sheep",
        "  collect yellow pottery 3  a card for each marker; 3 there",
        "  done                      your turn is over",
        "  reveal                    show seven goods and end the game",
    ]
    assert celtic.guide(view, "de").splitlines() == [
        "Du kannst zum Beispiel spielen:",
        "  Ziel H01                20 Einfluss: Kühe, Fisch und Schafe",
        "  sammle gelbe Keramik 3  eine Karte für jede Figur; dort: 3",
        "  fertig                  dein Zug ist zu Ende",
        "  zeigen                  sieben Waren zeigen und das Spiel beenden",
    ]


ANN, BOB = Seat(0), Seat(1)


@pytest.mark.parametrize(
    ("event", "english", "german"),
    [
        (
            GoalsDealt(
                (
                    (Shown("goals/0", "E05", (ANN,)), Shown("goals/1", "H01", (ANN,))),
                    (Shown("goals/2", None, (BOB,)),) * 2,
                )
            ),
            "Ann draws the goals E05 and H01. Bob draws 2 goals.",
            "Ann zieht die Ziele E05 und H01. Bob zieht Ziele: 2.",
        ),
        (
            MarkersMoved(ANN, 4, "village", "prince_statue", (BOB,)),
            "Ann moves 4 from village to prince statue.",
            "Ann zieht 4 von Dorf nach Fürstenstatue.",
        ),
        (Followed(BOB, 2, "village", "grain"), "Bob follows with 2 to grain.", "Bob folgt mit 2 nach Korn."),
        (Followed(BOB, 0, "village", "grain"), "Bob doesn't follow.", "Bob folgt nicht."),
        (
            GoalCompleted(ANN, "E05", Sealed(None, (ANN,)), ("grain", "tools"), (Shown("goals/7", None, (ANN,)),)),
            "Ann completes goal E05: grain and tools. Ann draws a new goal.",
            "Ann erfüllt das Ziel E05: Korn und Werkzeug. Ann zieht ein neues Ziel.",
        ),
        (
            GoalCompleted(
                ANN, "E05", Sealed("goals/0", (ANN,)), ("grain", "tools"), (Shown("goals/7", "H02", (ANN,)),)
            ),
            "Ann completes goal E05: grain and tools. Ann draws the goal H02.",
            "Ann erfüllt das Ziel E05: Korn und Werkzeug. Ann zieht das Ziel H02.",
        ),
        (
            GoalCompleted(ANN, "E05", Sealed(None, (ANN,)), ("grain", "tools"), ()),
            "Ann completes goal E05: grain and tools.",
            "Ann erfüllt das Ziel E05: Korn und Werkzeug.",
        ),
        (
            CardsCollected(ANN, "wine", 2, 2),
            "Ann returns 2 from wine and takes as many cards.",
            "Ann holt 2 von Wein heim und nimmt ebenso viele Karten.",
        ),
        (
            CardsCollected(ANN, "wine", 2, 1),
            "Ann returns 2 from wine; cards taken: 1.",
            "Ann holt 2 von Wein heim; Karten dafür: 1.",
        ),
        (TurnEnded(ANN), "Ann is done.", "Ann ist fertig."),
        (
            GoodsRevealed(ANN),
            "Ann reveals one card of each of the seven goods and ends the game.",
            "Ann zeigt je eine Karte der sieben Waren und beendet das Spiel.",
        ),
        (
            FinalPhaseBegun(ANN, "fifth_goal", ANN),
            "Ann has completed five goals: the final phase begins.",
            "Ann hat fünf Ziele erfüllt: Die Schlussphase beginnt.",
        ),
        (
            FinalPhaseBegun(ANN, "max_turns", None),
            "All turns are over: the final phase begins with Ann.",
            "Alle Züge sind vorbei: Die Schlussphase beginnt mit Ann.",
        ),
        (PartEnded(BOB), "Bob is done with the final phase.", "Bob ist mit der Schlussphase fertig."),
        (SeatLeft(BOB), "Bob left the match.", "Bob ist aus der Partie ausgestiegen."),
        (MatchEnded("max_turns"), "The match is over.", "Die Partie ist zu Ende."),
        (
            MatchEnded("others_left"),
            "All others have left: the match is over.",
            "Alle anderen sind ausgestiegen: Die Partie ist zu Ende.",
        ),
    ],
)
def test_what_happened_is_recounted(event: object, english: str, german: str) -> None:
    assert " ".join(celtic.recount([event], "en", ["Ann", "Bob"])) == english
    assert " ".join(celtic.recount([event], "de", ["Ann", "Bob"])) == german


def test_every_refusal_of_the_rules_is_explained() -> None:
    source = Path(str(rules.__file__)).read_text("utf-8")
    codes = set(re.findall(r'RuleViolation\("CE-\d+", "(\w+)"', source))
    assert len(codes) > 15
    for language in LANGUAGES:
        assert codes <= set(WORDS[language])


def test_a_refusal_names_places_in_the_readers_language() -> None:
    refusal = RuleViolation("CE-8", "too_far", origin="village", destination="prince_statue")
    assert celtic.explain(refusal, "en") == "From village to prince statue it is more than two roads."
    assert celtic.explain(refusal, "de") == "Von Dorf nach Fürstenstatue sind es mehr als zwei Straßen."
