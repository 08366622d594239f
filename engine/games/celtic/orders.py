"""Orders for following (CE-9): what a player answers ahead of time to other players' moves.

Canonical: `follow 0`, `follow 3`, `follow all`; for some moves only, `follow all from village`, `follow 2 to grain
trade_wine`, `follow 3 from village to grain`. A number is that many, or as many as stand there. To a move that an order
doesn't speak of it answers nothing.

Read besides: all that `parse` forgives, `never` and `always`, and commas, `and` and `or` between places.
"""

from collections.abc import Iterator, Sequence

from engine.errors import Unreadable
from engine.game import Language
from engine.games.celtic.board import Board
from engine.games.celtic.names import sayable
from engine.games.celtic.notation import ALL, FROM, NONE, TO, VERBS, WITH, places_said, words_of
from engine.games.celtic.table import Follow, Move
from engine.games.celtic.view import View, may_act
from engine.words import meanings

NEVER = NONE | {"never", "nie", "niemals"}
ALWAYS = ALL | {"always", "immer"}
JOINTS = frozenset(("and", "or", "und", "oder"))
MOST_WORDS = 60
WIDTH = 72
MARKERS = "12345678"


def read(text: str, view: View) -> str:
    board = view.table.terms.board
    words = [word for word in words_of(text) if word not in WITH]
    if not words or len(words) > MOST_WORDS:
        raise Unreadable(text, EXPECTED)
    head, sides = _split(words)
    count = _count(text, head)
    said = [count]
    for side, name in ((FROM, "from"), (TO, "to")):
        some = [word for joint, words in sides for word in words if joint in side]
        if any(joint in side for joint, _ in sides):
            said += [name, *_in_order(board, _places(text, some, board))]
    return f"follow {' '.join(said)}"


EXPECTED = "follow 0 · follow all · follow 2 from village to grain"


def _split(words: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """What stands before the first `from` or `to`, and each of these with the words behind it."""
    head: list[str] = []
    sides: list[tuple[str, list[str]]] = []
    for word in words:
        if word in FROM | TO:
            sides.append((word, []))
        elif sides:
            sides[-1][1].append(word)
        else:
            head.append(word)
    return head, sides


def _count(text: str, head: Sequence[str]) -> str:
    """`follow 3`, `3`, `follow never`, `never follow`, `always`"""
    said = [word for word in head if not (len(word) > 1 and meanings(word, VERBS) == ["follow"])]
    if len(said) != 1 or len(head) - len(said) > 1:
        raise Unreadable(text, EXPECTED)
    word = said[0]
    if word in NEVER or word == "0":
        return "0"
    if word in ALWAYS:
        return "all"
    if word not in MARKERS or len(word) != 1:
        raise Unreadable(text, f"“{word}”? 0 · 1 · 2 · all")
    return word


def _places(text: str, words: Sequence[str], board: Board) -> Iterator[str]:
    """Each time the longest run of words that names one place."""
    rest = list(words)
    if not rest:
        raise Unreadable(text, f"“…”? {' · '.join(board.ids[:4])}")
    while rest:
        if rest[0] in JOINTS and len(rest) > 1:
            rest.pop(0)
            continue
        for length in range(min(6, len(rest)), 0, -1):
            found = places_said(rest[:length], board)
            if len(found) == 1 or (found and length == 1):
                break
        else:
            raise Unreadable(text, f"“{rest[0]}”? {' · '.join(board.ids[:4])}")
        if len(found) > 1:
            raise Unreadable(text, f"“{rest[0]}”? {' · '.join(found[:8])}")
        yield found[0]
        del rest[:length]


def _in_order(board: Board, places: Iterator[str]) -> list[str]:
    return sorted(set(places), key=board.index.__getitem__)


def obey(order: str, view: View) -> Move | None:
    table = view.table
    if not table.waiting or not may_act(view) or view.seat is None:
        return None
    _, count, *rest = order.split(" ")
    ids = table.terms.board.ids
    way = {"from": ids[table.origin], "to": ids[table.destination]}
    named_places: dict[str, list[str]] = {}
    for word in rest:
        if word in way:
            named_places[word] = []
        else:
            named_places[list(named_places)[-1]].append(word)
    if any(way[side] not in places for side, places in named_places.items()):
        return None
    there = table.markers[view.seat][table.origin]
    return Follow(there if count == "all" else min(int(count), there))


WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "title": "You may order, for example:",
        "never": "follow 0",
        "always": "follow all",
        "to": "follow all to {place}",
        "from_to": "follow 2 from {origin} to {place}",
        "never?": "never follow",
        "always?": "always, with all there",
        "to?": "if a move goes there",
        "from_to?": "or as many as stand there",
        "several": "Several places may be named. Of other moves you are asked.",
    },
    "de": {
        "title": "Du kannst zum Beispiel anweisen:",
        "never": "folge 0",
        "always": "folge allen",
        "to": "folge mit allen nach {place}",
        "from_to": "folge mit 2 von {origin} nach {place}",
        "never?": "nie folgen",
        "always?": "immer, mit allen dort",
        "to?": "wenn es dorthin geht",
        "from_to?": "oder so viele dort sind",
        "several": "Auch mehrere Orte. Bei anderen Zügen wirst du gefragt.",
    },
}


def guide(view: View, language: Language) -> str:
    words, board = WORDS[language], view.table.terms.board
    places = {
        "origin": sayable(board, board.ids[0], language),
        "place": sayable(board, board.in_reach[0][-1], language),
    }
    lines = [(words[key].format(**places), words[f"{key}?"]) for key in ("never", "always", "to", "from_to")]
    width = min(max(len(said) for said, _ in lines), 42)
    told = [f"  {said:<{width}}  {meaning}"[:WIDTH].rstrip() for said, meaning in lines]
    return "\n".join([words["title"], *told, words["several"]])
