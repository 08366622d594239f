"""Players of Celtic who want something. By chance hardly anybody completes five goals or gathers seven goods.

Each seat of a match has an aim, which the match's luck settles:

- chance: any legal move
- goals, late_goals: their goals, completed at once, or not before the next turn
- trade, patient: the seven goods, revealed at once, or only now and then
- hoard: as many cards of one good as there are
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from engine.chance import Chance
from engine.game import Offer
from engine.games.celtic.board import GOODS, Board
from engine.games.celtic.view import View
from engine.play import pick
from tests.engine.games.celtic.second_reading import HAMLET

AIMS = ("chance", "goals", "late_goals", "trade", "patient", "hoard")


def setting(number: int) -> dict[str, Any]:
    """Options with which the match of this number is short: few turns, or a map of a few steps."""
    return ({"board": HAMLET, "max_turns": 14}, {"max_turns": 4}, {"board": HAMLET, "max_turns": 9})[number % 3]


def choose(view: View, offers: Sequence[Offer], luck: Chance, label: str) -> str:
    """One legal line. Now and then everybody does something without an aim."""
    aim = AIMS[luck.below(f"aim/{view.seat}", len(AIMS))]
    if aim == "chance" or luck.below(f"{label}/whim", 12) == 0:
        return pick(offers, luck, label)
    said = {offer.text.partition(" {")[0]: offer for offer in offers}
    if "follow" in said:
        return f"follow {_following(view, aim)}"
    if not view.table.stage.closing and aim == "late_goals" and "done" in said:
        return "done"
    if "reveal" in said and (aim == "trade" or luck.below(f"{label}/reveal", 3) == 0):
        return "reveal"
    for text, offer in said.items():
        if text.startswith("goal "):
            return text
        if text.startswith("collect ") and (not aim.endswith("goals") or view.table.stage.closing):
            return offer.text.format(count=offer.choices[0].among[-1 if aim == "hoard" else 0])
    if "done" in said:
        return "done"
    return _best_move(view, aim) or pick(offers, luck, label)


@cache
def _distances(board: Board) -> list[list[int]]:
    """How many roads it is from each place to each."""
    found = []
    for start in range(len(board.places)):
        steps = {start: 0}
        edge = [start]
        while edge:
            edge = [
                near for at in edge for near in board.next_to[at] if steps.setdefault(near, steps[at] + 1) > steps[at]
            ]
            edge = list(dict.fromkeys(edge))
        found.append([steps[at] for at in range(len(board.places))])
    return found


def _wanted(view: View, aim: str) -> list[int]:
    """The places where a marker is missing."""
    board, seat = view.table.terms.board, view.seat or 0
    markers = view.table.markers[seat]
    if aim.endswith("goals"):
        places = [at for goal in view.hand for at in board.sites[goal]]
        return [at for at in places if not markers[at]]
    if aim == "hoard":
        goods = [GOODS[(seat // 2) % len(GOODS)]]
    else:
        goods = [good for good, count in zip(GOODS, view.goods[seat], strict=True) if not count] or list(GOODS)
    return [board.trade[good] for good in goods]


def _kept(view: View, aim: str) -> list[int]:
    """The places where one marker has what it came for."""
    board = view.table.terms.board
    return [at for goal in view.hand for at in board.sites[goal]] if aim.endswith("goals") else []


def _free(view: View, aim: str) -> Iterator[tuple[int, int]]:
    kept = _kept(view, aim)
    for at, there in enumerate(view.table.markers[view.seat or 0]):
        if there - (at in kept) > 0:
            yield at, there - (at in kept)


def _best_move(view: View, aim: str) -> str:
    """The step that brings somebody nearest to where a marker is missing."""
    board = view.table.terms.board
    steps = [
        (_distances_of(board, end, wanted), _distances_of(board, at, wanted), at, end, there)
        for wanted in [_wanted(view, aim)]
        if wanted
        for at, there in _free(view, aim)
        for end in sorted(board.reach[at])
    ]
    better = [step for step in steps if step[0] < step[1]]
    if not better:
        return ""
    _, _, at, end, there = min(better)
    count = there if aim == "hoard" else (there + 1) // 2
    return f"move {count} {board.ids[at]} to {board.ids[end]}"


def _distances_of(board: Board, at: int, wanted: Sequence[int]) -> int:
    return min(_distances(board)[at][place] for place in wanted)


def _following(view: View, aim: str) -> int:
    """With all that are free, if it leads nearer."""
    table, wanted = view.table, _wanted(view, aim)
    board = table.terms.board
    free = dict(_free(view, aim)).get(table.origin, 0)
    if not wanted or _distances_of(board, table.destination, wanted) >= _distances_of(board, table.origin, wanted):
        return 0
    return free if aim == "hoard" else (free + 1) // 2
