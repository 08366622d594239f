"""Celtic, by D. Hillebrecht. The numbers CE-1 to CE-21 are those of the project's rules page."""

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Sealed, Seat, SeatLeft, Shown
from engine.game import Info, Option, Options, Outcome, Score, check_turn, places, seat_or_random
from engine.games.celtic.board import GOODS, VILLAGE, BrokenBoard, find_board
from engine.games.celtic.evolve import MARKERS, evolve
from engine.games.celtic.table import (
    CardsCollected,
    Collect,
    CompleteGoal,
    Counts,
    Done,
    FinalPhaseBegun,
    Follow,
    Followed,
    GoalCompleted,
    GoalsDealt,
    GoalsShuffled,
    GoodsRevealed,
    MarkersMoved,
    MatchEnded,
    Move,
    MoveMarkers,
    PartEnded,
    Reveal,
    State,
    Table,
    TableSet,
    TurnEnded,
)


def _objection(board: Any, _seats: int) -> str:
    try:
        find_board(board)
    except BrokenBoard as broken:
        return f"This is no board of Celtic: {broken}."
    return ""


MOST_TURNS = 10_000
"""No rule asks for a bound; but a match must end some day."""

info = Info(
    id="celtic",
    title="Celtic",
    seats=range(2, 5),  # CE-1
    ruleset=1,
    options=(
        Option(  # CE-2
            "board",
            "reconstruction",
            "the map: “reconstruction”, which isn't the printed one, or a board of your own as data.",
            lambda value, seats: not _objection(value, seats),
            _objection,
        ),
        Option("first_player", "random", "who begins: “random”, or the number of a seat.", seat_or_random),  # CE-6
        Option(  # CE-13
            "open_trade",
            False,
            "whether collected trade cards lie open: false or true.",
            lambda value, _seats: isinstance(value, bool),
        ),
        Option(  # CE-15
            "reveal",
            "end_of_turn",
            "when seven goods may be revealed: “end_of_turn”, or “any_time” of one's own turn.",
            lambda value, _seats: value in ("end_of_turn", "any_time"),
        ),
        Option(  # CE-17
            "max_turns",
            100,
            f"after how many turns of each player the final phase begins: a whole number from 1 to {MOST_TURNS}.",
            lambda value, _seats: type(value) is int and 1 <= value <= MOST_TURNS,
        ),
    ),
)

START_GOALS = 2  # CE-4
LAST_DRAWN = 4  # CE-11: from the so many-th completed goal on, none is drawn
GOALS_TO_END = 5  # CE-14


class Course:
    """What happens in one decision, and the state it leads to, which is what the next event is decided on."""

    def __init__(self, state: State | None) -> None:
        self.state: Any = state
        self.events: list[Event] = []

    def happens(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)


# -- set-up


def deal(seats: int, options: Options, chance: Chance) -> Sequence[Event]:
    """CE-2 to CE-6. The first player is settled, the goals are shuffled, and each draws two, clockwise from there."""
    first = options["first_player"]
    if first == "random":
        first = chance.below("celtic/first-player", seats)
    board = find_board(options["board"])
    course = Course(None)
    course.happens(TableSet(seats, Seat(first), options["open_trade"], options["reveal"], options["max_turns"], board))
    shuffled = chance.shuffle("celtic/goals", [goal.id for goal in board.goals])
    course.happens(GoalsShuffled(tuple(Sealed(goal, name=_slot(at)) for at, goal in enumerate(shuffled))))
    goals: list[tuple[Shown[str], ...]] = [()] * seats
    for step in range(seats):
        seat = Seat((first + step) % seats)
        slots = range(START_GOALS * step, START_GOALS * (step + 1))
        goals[seat] = tuple(Shown(_slot(at), shuffled[at], (seat,)) for at in slots)
    course.happens(GoalsDealt(tuple(goals)))
    return course.events


def _slot(place: int) -> str:
    """What a place in the deck is called."""
    return f"goals/{place}"


# -- whose turn it is, and who is asked


def to_act(state: State) -> Seat | None:
    return next_to_act(state.table)


def next_to_act(table: Table) -> Seat | None:
    """CE-9: who may follow answers first. CE-16: in the final phase, who has all markers in the village isn't asked."""
    stage = table.stage
    if stage.ended:
        return None
    if table.waiting:
        return table.waiting[0]
    if not stage.closing:
        return table.turn
    for step in range(stage.to_ask):
        seat = Seat((table.turn + step) % len(table.markers))
        if table.markers[seat][VILLAGE] < MARKERS:
            return seat
    return None


def turn(state: State) -> Seat | None:
    return whose_turn(state.table)


def whose_turn(table: Table) -> Seat | None:
    """While others answer whether they follow, it is still the turn of whoever moved."""
    return table.turn if table.waiting and not table.stage.ended else next_to_act(table)


# -- what is forbidden


def broken_rule(table: Table, seat: Seat, hand: Sequence[str], goods: Counts, move: Move) -> RuleViolation | None:
    """The lowest rule that this move of the seat, which is to act, breaks; None if it is legal.

    `hand` is what goals the seat holds, `goods` what it has collected. `legal` and `decide` ask here.

    Ruling: to be asked whether one follows is no turn, nor is one's part of the final phase; so what isn't said there
    breaks CE-9 or CE-16, unless it is no move at all by CE-8 or none of one's goals by CE-10.
    """
    if isinstance(move, MoveMarkers):
        return _broken_move(table, seat, move)
    if isinstance(move, Follow):
        return _broken_follow(table, seat, move)
    if isinstance(move, CompleteGoal):
        return _broken_goal(table, seat, hand, move)
    if isinstance(move, Collect):
        return _broken_collect(table, seat, move)
    return _broken_end(table, goods, move)


def _broken_move(table: Table, seat: Seat, move: MoveMarkers) -> RuleViolation | None:
    board = table.terms.board
    origin, destination = board.index.get(move.origin, -1), board.index.get(move.destination, -1)
    if origin < 0 or destination < 0:
        return RuleViolation("CE-2", "no_such_place", place=move.origin if origin < 0 else move.destination)
    if table.moved and not table.waiting:
        return RuleViolation("CE-7", "one_move")
    if move.count < 1:
        return RuleViolation("CE-8", "no_marker_moves")
    there = table.markers[seat][origin]
    if move.count > there:
        return RuleViolation("CE-8", "too_few_there", place=move.origin, count=there)
    if origin == destination:
        return RuleViolation("CE-8", "back_again", place=move.origin)
    if destination not in board.reach[origin]:
        return RuleViolation("CE-8", "too_far", origin=move.origin, destination=move.destination)
    if table.waiting:
        return RuleViolation("CE-9", "answer_due")
    if table.stage.closing:
        return RuleViolation("CE-16", "no_more_moves")
    return None


def _broken_follow(table: Table, seat: Seat, move: Follow) -> RuleViolation | None:
    if not table.waiting:
        return RuleViolation("CE-9", "nobody_to_follow")
    there = table.markers[seat][table.origin]
    if not 0 <= move.count <= there:
        place = table.terms.board.ids[table.origin]
        return RuleViolation("CE-9", "too_few_to_follow", place=place, count=there)
    return None


def _broken_goal(table: Table, seat: Seat, hand: Sequence[str], move: CompleteGoal) -> RuleViolation | None:
    board = table.terms.board
    if move.goal not in board.goal:
        return RuleViolation("CE-4", "no_such_goal", goal=move.goal)
    if table.waiting:
        return RuleViolation("CE-9", "answer_due")
    if move.goal not in hand:
        return RuleViolation("CE-10", "not_in_hand", goal=move.goal)
    markers = table.markers[seat]
    for at in board.sites[move.goal]:
        if not markers[at]:
            return RuleViolation("CE-10", "marker_missing", goal=move.goal, place=board.ids[at])
    return None


def _broken_collect(table: Table, seat: Seat, move: Collect) -> RuleViolation | None:
    if move.good not in GOODS:
        return RuleViolation("CE-3", "no_such_good", good=move.good)
    if table.waiting:
        return RuleViolation("CE-9", "answer_due")
    if move.count < 1:
        return RuleViolation("CE-12", "no_marker_returns")
    there = table.markers[seat][table.terms.board.trade[move.good]]
    if move.count > there:
        return RuleViolation("CE-12", "too_few_to_return", good=move.good, count=there)
    return None


def _broken_end(table: Table, goods: Counts, move: Done | Reveal) -> RuleViolation | None:
    """`done` and `reveal` both say that the turn is over; `any_time` lets the second be said before the move."""
    reveals, closing = isinstance(move, Reveal), table.stage.closing
    early = reveals and table.terms.reveal == "any_time"
    if not table.moved and not closing and not early:
        return RuleViolation("CE-7", "move_first")
    if table.waiting:
        return RuleViolation("CE-9", "answer_due")
    if not reveals:
        return None
    if not all(goods):
        return RuleViolation("CE-15", "goods_missing", count=goods.count(0))
    return RuleViolation("CE-16", "no_more_reveals") if closing else None


# -- what follows


def decide(state: State, seat: Seat, move: Move, _chance: Chance) -> Sequence[Event]:
    table = state.table
    check_turn(next_to_act(table), seat)
    refusal = broken_rule(table, seat, state.hands[seat], state.goods[seat], move)
    if refusal is not None:
        raise refusal
    if isinstance(move, MoveMarkers):  # CE-8
        return (MarkersMoved(seat, move.count, move.origin, move.destination, _may_follow(table, seat, move)),)
    if isinstance(move, Follow):  # CE-9
        ids = table.terms.board.ids
        return (Followed(seat, move.count, ids[table.origin], ids[table.destination]),)
    if isinstance(move, CompleteGoal):
        return _unless_over(state, _complete(state, seat, move.goal))
    if isinstance(move, Collect):
        return _unless_over(state, _collect(table, seat, move))
    if isinstance(move, Done):
        return _unless_over(state, PartEnded(seat)) if table.stage.closing else _end_turn(state, seat)
    return _reveal(state, seat)


def _may_follow(table: Table, seat: Seat, move: MoveMarkers) -> tuple[Seat, ...]:
    """CE-9: clockwise, whoever has a marker on the place just left."""
    origin, seats, markers = table.terms.board.index[move.origin], len(table.markers), table.markers
    return tuple([Seat(other % seats) for other in range(seat + 1, seat + seats) if markers[other % seats][origin]])


def _complete(state: State, seat: Seat, goal: str) -> GoalCompleted:
    """CE-10: a marker from each location goes back, and a goal is drawn at once. CE-11: from the fourth on, none."""
    table, deck = state.table, state.deck
    drawn: tuple[Shown[str], ...] = ()
    if len(table.completed[seat]) + 1 < LAST_DRAWN:
        at = len(deck) - table.deck
        drawn = (Shown(_slot(at), deck[at], (seat,)),)
    slot = Sealed(_slot(deck.index(goal)), (seat,))
    return GoalCompleted(seat, goal, slot, table.terms.board.goal[goal].locations, drawn)


def _collect(table: Table, seat: Seat, move: Collect) -> CardsCollected:
    """CE-12: a card for each marker, as long as there are any."""
    left = table.stacks[GOODS.index(move.good)]
    return CardsCollected(seat, move.good, move.count, min(move.count, left))


def _unless_over(state: State, event: Event) -> Sequence[Event]:
    """CE-16: the final phase is over when nobody is left to be asked."""
    if not state.table.stage.closing:
        return (event,)
    course = Course(state)
    course.happens(event)
    _end_if_nobody_is_asked(course)
    return course.events


def _end_turn(state: State, seat: Seat) -> Sequence[Event]:
    table = state.table
    seats = len(table.markers)
    if len(table.completed[seat]) >= GOALS_TO_END:  # CE-14
        return _begin_final_phase(state, TurnEnded(seat), FinalPhaseBegun(seat, "fifth_goal", seat))
    if table.turns + 1 >= seats * table.terms.max_turns:  # CE-17
        return _begin_final_phase(state, TurnEnded(seat), FinalPhaseBegun(Seat((seat + 1) % seats), "max_turns", None))
    return (TurnEnded(seat),)


def _reveal(state: State, seat: Seat) -> Sequence[Event]:
    """CE-15: the game ends here, and a move not yet made is dropped."""
    return _begin_final_phase(state, GoodsRevealed(seat), FinalPhaseBegun(seat, "seven_goods", seat))


def _begin_final_phase(state: State, end: Event, begin: FinalPhaseBegun) -> Sequence[Event]:
    """CE-16."""
    course = Course(state)
    course.happens(end)
    course.happens(begin)
    _end_if_nobody_is_asked(course)
    return course.events


def _end_if_nobody_is_asked(course: Course) -> None:
    table = course.state.table
    if next_to_act(table) is None:
        course.events.append(MatchEnded(table.stage.closing))


def leave(state: State, seat: Seat, _chance: Chance) -> Sequence[Event]:
    """GE-1. A seat that left before can't leave again."""
    left = state.table.stage.left
    if state.table.stage.ended:
        raise RuleViolation("GE-2", "match_over")
    if seat in left:
        return ()
    if len(left) + 2 == len(state.table.markers):
        return (SeatLeft(seat), MatchEnded("others_left"))
    return (SeatLeft(seat),)


def left(state: State) -> tuple[Seat, ...]:
    return state.table.stage.left


# -- the score


def goals_held(table: Table, seat: Seat) -> int:
    """CE-4, CE-11: two goals in hand until the fourth is done, then one, then none."""
    return min(START_GOALS, GOALS_TO_END - len(table.completed[seat]))


def influence(table: Table, seat: Seat) -> int:
    """CE-18."""
    return sum(table.terms.board.goal[goal].influence for goal in table.completed[seat])


def ranked(goods: Counts, goals: int) -> Counts:
    """CE-19: how many cards of each good count, with so many goals completed, most first."""
    return tuple(sorted([min(count, goals + 1) for count in goods], reverse=True))


def score(table: Table, seat: Seat, goods: Counts) -> Score:
    """CE-18, CE-19: the cards of the first good count 1 each, of the second 2... CE-21: goals in hand cost nothing."""
    counted = ranked(goods, len(table.completed[seat]))
    parts = (
        ("goals", influence(table, seat)),
        *((f"good_{rank}", rank * count) for rank, count in enumerate(counted, 1)),
    )
    return Score(sum(points for _, points in parts), parts)


def outcome(state: State) -> Outcome | None:
    return standing(state.table, state.goods) if state.table.stage.ended else None


def standing(table: Table, goods: Sequence[Counts]) -> Outcome:
    """CE-20: most influence; on a tie, who has more cards that counted 7."""
    scores = tuple(score(table, Seat(seat), mine) for seat, mine in enumerate(goods))
    results = [(score.total, score.parts[-1][1]) for score in scores]
    return Outcome(places(results, table.stage.left), scores, table.stage.ended)
