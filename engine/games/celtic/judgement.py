"""What a bot goes by in Celtic: its score, how near its goals are, and what its other markers may collect."""

from collections.abc import Sequence

from engine.chance import Chance
from engine.events import Seat
from engine.games.celtic.board import GOODS, Board
from engine.games.celtic.rules import GOALS_TO_END, goals_held, influence, ranked, score
from engine.games.celtic.table import Counts, State, Table
from engine.games.celtic.view import View

NEARER = 0.9
"""What is a road away is worth so much of what is here."""
AT_HAND = 0.9
"""What could be completed or collected is worth so much of what was."""
TO_COME = 6.0
"""A goal that is still to be drawn."""
CARD = 3.0
"""A trade card of another's."""
AGAIN = 0.5
"""What a second marker on its way to the same good is promised, measured by the first."""
GOALS_EXPECTED = 1
"""So many goals more than there are now will let surplus cards count."""
FAR = 1_000
IN_A_STACK = 16  # CE-3


def imagine(view: View, chance: Chance) -> State:
    """Unseen are the other hands, the deck, and who has collected which trade cards where these lie face down."""
    table = view.table
    known = {*view.hand, *(goal for goals in table.completed for goal in goals)}
    unseen = chance.shuffle("imagined/goals", [goal.id for goal in table.terms.board.goals if goal.id not in known])
    drawn = [goal for goals in table.completed for goal in goals]
    hands = []
    for at in range(len(table.markers)):
        hand, held = view.hand, goals_held(table, Seat(at))
        if at != view.seat:
            hand, unseen = unseen[:held], unseen[held:]
        hands.append(hand)
        drawn += hand
    return State(table, tuple(hands), _goods(view, chance), (*drawn, *unseen))


def _goods(view: View, chance: Chance) -> tuple[Counts, ...]:
    """CE-13. What has gone from the stacks and isn't seen is with the others, so many cards with each."""
    table = view.table
    gone = [IN_A_STACK - left - sum(own[at] for own in view.goods if own) for at, left in enumerate(table.stacks)]
    hidden = chance.shuffle("imagined/goods", [good for good, count in enumerate(gone) for _ in range(count)])
    goods = []
    for own, count in zip(view.goods, table.cards, strict=True):
        if own:
            goods.append(own)
        else:
            goods.append(tuple([hidden[:count].count(good) for good in range(len(GOODS))]))
            hidden = hidden[count:]
    return tuple(goods)


def worth(view: View) -> float:
    """By how many points the seat leads, with what its markers may still bring."""
    table, seat = view.table, view.seat or Seat(0)
    mine = score(table, seat, view.goods[seat]).total
    others = [
        influence(table, Seat(other)) + CARD * table.cards[other]
        for other in range(len(table.markers))
        if other != seat
    ]
    return mine - max(others) + _prospects(view, seat)


def _prospects(view: View, seat: Seat) -> float:
    """What the goals in hand promise, each to the markers nearest to it, and then trade to the other markers."""
    table, board = view.table, view.table.terms.board
    roads_left = 2 * _moves_left(table, seat)  # CE-8
    markers = [at for at, there in enumerate(table.markers[seat]) for _ in range(there)]
    total = 0.0
    goals = list(view.hand)
    while goals:
        roads, goal, used = min(_way_to(board, goal, markers) for goal in goals)
        goals.remove(goal)
        if roads <= roads_left:
            total += AT_HAND * board.goal[goal].influence * NEARER**roads
            for at in used:
                markers.remove(at)
    if roads_left:
        total += TO_COME * (GOALS_TO_END - len(table.completed[seat]) - len(view.hand))
    return total + _trade(view, seat, markers, roads_left)


def _moves_left(table: Table, seat: Seat) -> int:
    """How many moves the seat has before the game ends (CE-17); none in the final phase (CE-16)."""
    if table.stage.closing:
        return 0
    seats = len(table.markers)
    wait = (seat - table.turn) % seats
    turns = (seats * table.terms.max_turns - table.turns - wait + seats - 1) // seats
    return turns - (table.moved and not wait)


def _way_to(board: Board, goal: str, markers: Sequence[int]) -> tuple[int, str, list[int]]:
    """How many roads a goal's locations are away in all, each from the marker nearest to it, and these markers."""
    free, total, used = list(markers), 0, []
    for site in board.sites[goal]:
        if not free:  # more locations than markers to spare
            return FAR, goal, []
        roads = board.roads_between[site]
        nearest = min(free, key=roads.__getitem__)
        free.remove(nearest)
        used.append(nearest)
        total += roads[nearest]
    return total, goal, used


def _trade(view: View, seat: Seat, markers: Sequence[int], roads_left: int) -> float:
    """CE-12, CE-19: each marker makes for the good that promises most; a second one there is promised half."""
    table, board, mine = view.table, view.table.terms.board, view.goods[seat]
    limit = len(table.completed[seat]) + 1 + GOALS_EXPECTED
    before = _points(mine, limit)
    promised = [
        AT_HAND * (_points((*mine[:good], mine[good] + 1, *mine[good + 1 :]), limit) - before) if left else 0.0
        for good, left in enumerate(table.stacks)
    ]
    total = 0.0
    for at in markers:
        roads = board.roads_between[at]
        offered = [
            promise * NEARER ** roads[place] if roads[place] <= roads_left else 0.0
            for promise, place in zip(promised, board.trade.values(), strict=True)
        ]
        best = max(offered)
        total += best
        promised[offered.index(best)] *= AGAIN
    return total


def _points(goods: Counts, limit: int) -> int:
    """What trade cards score with so many of each good counting."""
    return sum(rank * count for rank, count in enumerate(ranked(goods, limit - 1), 1))
