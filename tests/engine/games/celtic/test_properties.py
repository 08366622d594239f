"""What holds in every match of Celtic, tried on many: by chance, and by players with an aim."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Seat, SeatLeft, Spelling
from engine.game import Offer, complete_options
from engine.games import celtic
from engine.games.celtic.board import GOODS, RECONSTRUCTION
from engine.games.celtic.table import (
    Collect,
    CompleteGoal,
    Done,
    FinalPhaseBegun,
    Follow,
    Move,
    MoveMarkers,
    Reveal,
    State,
)
from engine.play import fold
from engine.values import freeze, thaw
from tests.contracts import worlds
from tests.contracts.walks import is_offered, walk
from tests.engine.games.celtic import players
from tests.engine.games.celtic.second_reading import HAMLET, ROADS, _joined

Sample = Callable[[int, int], int]
SEATS = pytest.mark.parametrize("seats", [2, 3, 4])
MOST_MOVES = 3_000


def options_of(number: int) -> dict[str, Any]:
    """One in twenty is as long as it may be; half are on a map of few steps."""
    return {
        "open_trade": number % 3 == 0,
        "reveal": ("end_of_turn", "any_time")[number // 2 % 2],
        "board": HAMLET if number % 2 else "reconstruction",
        "max_turns": 100 if number % 20 == 4 else (8, 20, 30, 40)[number // 4 % 4],
    }


def random_match(seats: int, number: int, leaving: bool = False) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Each state of the match of this number, with the events that led to it. In one of three, nobody has an aim."""
    random = Random(f"{seats}/{number}")
    chance = Chance(f"{seats}/{number}".encode())
    events = tuple(celtic.deal(seats, complete_options(celtic.info, seats, options_of(number)), chance))
    state = fold(celtic, None, events)
    yield state, events
    for made in range(MOST_MOVES):
        seat = celtic.to_act(state)
        if seat is None:
            return
        if leaving and random.random() < 0.02:
            events = tuple(celtic.leave(state, Seat(random.randrange(seats)), chance))
        else:
            view = celtic.view(state, seat)
            if seat in state.table.stage.left:
                move = celtic.absent(view)
            else:
                offers = celtic.legal(view)
                assert offers, "somebody is without a legal move on their turn"
                if number % 3:
                    line = players.choose(view, offers, chance, f"{made}")
                else:
                    line = filled(random, random.choice(offers))
                move = celtic.parse(line, view)
            events = tuple(celtic.decide(state, seat, move, chance))
        state = fold(celtic, state, events)
        yield state, events
    pytest.fail(f"match {number} doesn't end")


def filled(random: Random, offer: Offer) -> str:
    """The offer, its gaps filled by chance."""
    chosen = {choice.name: " ".join(random.sample(choice.among, choice.count)) for choice in offer.choices}
    return offer.text.format(**chosen)


def check_pieces(state: State) -> None:
    """8 markers each, 16 cards of each good, all goals, wherever they are; and the public numbers are those of them."""
    table = state.table
    for markers in table.markers:
        assert sum(markers) == 8
        assert min(markers) >= 0
    for at, good in enumerate(GOODS):
        assert table.stacks[at] + sum(goods[at] for goods in state.goods) == 16, good
        assert table.stacks[at] >= 0
    assert table.cards == tuple(map(sum, state.goods))
    in_play = [goal for goals in (*state.hands, *table.completed) for goal in goals]
    to_draw = state.deck[len(state.deck) - table.deck :]
    assert sorted((*in_play, *to_draw)) == sorted(goal.id for goal in table.terms.board.goals)


def check_hands(state: State) -> None:
    """Two goals until the fourth is done, then one, then none; so twenty goals are enough for four players."""
    for hand, done in zip(state.hands, state.table.completed, strict=True):
        assert len(hand) == (2, 2, 2, 2, 1, 0)[len(done)]


def ways(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        if isinstance(event, FinalPhaseBegun):
            yield event.reason
        if isinstance(event, SeatLeft):
            yield "left"


@SEATS
def test_markers_cards_and_goals_are_all_there_after_every_event(seats: int, sample: Sample) -> None:
    """In matches that end in every way, and in which a stack runs out."""
    seen = Counter[str]()
    for number in range(sample(24, 10_000)):
        for state, events in random_match(seats, number, leaving=number % 8 == 7):
            check_pieces(state)
            check_hands(state)
            seen.update(ways(events))
            seen["empty stack"] += min(state.table.stacks) == 0
            seen["four goals"] += any(len(done) == 4 for done in state.table.completed)
            following = state.table.waiting and not state.table.stage.ended
            assert not following or celtic.to_act(state) != celtic.turn(state)
    assert {"fifth_goal", "seven_goods", "max_turns", "left", "empty stack", "four goals"} <= set(+seen)


@SEATS
def test_replaying_the_events_from_json_gives_every_state_again(seats: int, sample: Sample) -> None:
    spelling = Spelling(celtic.events)
    for number in range(sample(4, 300)):
        folded: State | None = None
        for state, events in random_match(seats, number, leaving=number % 2 == 1):
            for event in events:
                folded = celtic.evolve(folded, spelling.read(spelling.write(event)))
            assert folded == state
        assert thaw(State, freeze(folded)) == folded


# -- the rules once more, by another hand


def rule_broken(state: State, seat: int, move: Move) -> str:
    """The lowest rule that the move breaks, read off the rules page in the order of its numbers."""
    broken = sorted(_rules_broken(state, seat, move))
    return f"CE-{broken[0]}" if broken else ""


def _rules_broken(state: State, seat: int, move: Move) -> Iterator[int]:
    """Asked whether one follows, one answers nothing else; and in the final phase nobody moves or reveals."""
    table = state.table
    markers = dict(zip(table.terms.board.ids, table.markers[seat], strict=True))
    if bool(table.waiting) != isinstance(move, Follow):
        yield 9
    if table.stage.closing and isinstance(move, MoveMarkers | Reveal):
        yield 16
    if isinstance(move, MoveMarkers):
        yield from _broken_by_move(state, markers, move)
    elif isinstance(move, Follow):
        if table.waiting and move.count > table.markers[seat][table.origin]:
            yield 9
    elif isinstance(move, CompleteGoal | Collect):
        yield from _broken_by_return(state, seat, markers, move)
    else:
        yield from _broken_by_end(state, seat, move)


def _broken_by_return(state: State, seat: int, markers: dict[str, int], move: CompleteGoal | Collect) -> Iterator[int]:
    if isinstance(move, CompleteGoal):
        locations = {goal.id: goal.locations for goal in state.table.terms.board.goals}
        if move.goal not in locations:
            yield 4
        elif move.goal not in state.hands[seat] or not all(markers[location] for location in locations[move.goal]):
            yield 10
    elif move.good not in GOODS:
        yield 3
    elif not 1 <= move.count <= markers[f"trade_{move.good}"]:
        yield 12


def _broken_by_end(state: State, seat: int, move: Done | Reveal) -> Iterator[int]:
    table, reveals = state.table, isinstance(move, Reveal)
    own_turn = not table.waiting and not table.stage.closing
    if own_turn and not table.moved and not (reveals and table.terms.reveal == "any_time"):
        yield 7
    if reveals and 0 in state.goods[seat]:
        yield 15


def _broken_by_move(state: State, markers: dict[str, int], move: MoveMarkers) -> Iterator[int]:
    if move.origin not in markers or move.destination not in markers:
        yield 2
        return
    roads = ROADS_OF[state.table.terms.board.ids[0]]
    near = roads[move.origin]
    further = {place for step in near for place in roads[step]}
    if not state.table.waiting and state.table.moved:
        yield 7
    if not 1 <= move.count <= markers[move.origin] or move.destination not in (near | further) - {move.origin}:
        yield 8


ROADS_OF = {
    "village": _joined(ROADS),
    "hamlet": _joined(" ".join(edge.replace("-", ": ") for edge in HAMLET["roads"]["edges"])),
}


def any_move(random: Random, state: State) -> Move:
    board = state.table.terms.board
    place = lambda: random.choice((*board.ids, "rome"))  # noqa: E731
    return random.choice(
        (
            MoveMarkers(random.randrange(10), place(), place()),
            Follow(random.randrange(10)),
            CompleteGoal(random.choice((*board.goal, "X1"))),
            Collect(random.choice((*GOODS, "gold")), random.randrange(10)),
            Done(),
            Reveal(),
        )
    )


def near_move(random: Random, state: State, seat: int) -> Move:
    """Something that might well be legal."""
    board = state.table.terms.board
    here = [at for at, there in enumerate(state.table.markers[seat]) if there]
    origin = random.choice(here)
    ends = sorted(board.reach[origin] | {near for at in board.reach[origin] for near in board.next_to[at]})
    return random.choice(
        (
            MoveMarkers(random.randrange(4), board.ids[origin], board.ids[random.choice(ends)]),
            Follow(random.randrange(4)),
            CompleteGoal(random.choice((*state.hands[seat], "E01"))),
            Collect(random.choice(GOODS), random.randrange(1, 3)),
        )
    )


def rule_named(state: State, seat: Seat, move: Move) -> str:
    try:
        assert celtic.decide(state, seat, move, Chance(b"tried"))
    except RuleViolation as refusal:
        return refusal.rule
    return ""


@SEATS
def test_legal_and_decide_agree_and_every_other_move_is_refused_by_the_right_rule(seats: int, sample: Sample) -> None:
    seen = Counter[str]()
    for number in range(sample(12, 500)):
        random = Random(number)
        for state, _ in random_match(seats, number):
            seat = celtic.to_act(state)
            if seat is None:
                continue
            view = celtic.view(state, seat)
            offers = celtic.legal(view)
            for offer in offers:
                line = filled(random, offer)
                move = celtic.parse(line, view)
                assert rule_named(state, seat, move) == rule_broken(state, seat, move) == "", line
            for move in (
                *(any_move(random, state) for _ in range(4)),
                *(near_move(random, state, seat) for _ in range(4)),
                *(Done(), Reveal()),
            ):
                broken = rule_broken(state, seat, move)
                assert rule_named(state, seat, move) == broken, move
                assert is_offered(celtic.notate(move), offers) == (not broken), move
                seen[broken] += 1
    numbers = (2, 3, 4, 7, 8, 9, 10, 12, 15, 16)
    assert {*(f"CE-{number}" for number in numbers), ""} <= set(seen)


# -- secrecy


@SEATS
def test_pairs_of_matches_that_differ_in_what_is_hidden_look_alike(seats: int, sample: Sample) -> None:
    """View, legal moves, refusals, texts, pictures and log of every seat and of a spectator."""
    wanted = sample(30, 5_000)
    seen = number = 0
    while seen < wanted:
        match = walk(celtic, seats, number)
        number += 1
        for reader in match.readers():
            for pair in worlds.pairs(match, reader, 4):
                worlds.check_the_reader_cannot_tell(pair, most=1)
                seen += 1
    assert seen >= wanted


@SEATS
def test_no_hidden_card_changes_what_a_view_shows_or_who_is_asked(seats: int, sample: Sample) -> None:
    """The others' goals, the deck and the others' trade cards dealt anew, as far as the public numbers allow."""
    random = Random(seats)
    for number in range(sample(6, 200)):
        for state, _ in random_match(seats, number):
            if celtic.to_act(state) is None:
                continue
            seat = random.randrange(seats)
            other = _dealt_anew(random, state, seat)
            assert celtic.view(other, Seat(seat)) == celtic.view(state, Seat(seat))
            assert (celtic.to_act(other), celtic.turn(other)) == (celtic.to_act(state), celtic.turn(state))


def _dealt_anew(random: Random, state: State, seat: int) -> State:
    table, hands, goods = state.table, list(state.hands), list(state.goods)
    others = [other for other in range(len(hands)) if other != seat]
    drawn = state.deck[: len(state.deck) - table.deck]
    hidden = [goal for other in others for goal in hands[other]] + list(state.deck[len(drawn) :])
    random.shuffle(hidden)
    for other in others:
        hands[other] = tuple(hidden.pop() for _ in hands[other])
        if not table.terms.open_trade:
            cards = [good for good, count in enumerate(goods[other]) for _ in range(count)]
            swapped = [random.randrange(len(GOODS)) for _ in cards]
            goods[other] = tuple(swapped.count(good) for good in range(len(GOODS)))
    return State(table, tuple(hands), tuple(goods), (*drawn, *hidden))


def test_the_deck_can_not_run_out() -> None:
    """Four players of five goals need twenty, and a board has as many."""
    state = fold(celtic, None, celtic.deal(4, complete_options(celtic.info, 4, {"first_player": 0}), Chance(b"deck")))
    for seat in range(4):
        for _ in range(5):
            goal = state.hands[seat][0]
            sites = dict.fromkeys(RECONSTRUCTION.sites[goal], 1)
            markers = tuple(sites.get(at, 8 - len(sites) if at == 0 else 0) for at in range(58))
            table = state.table
            everybody = (*table.markers[:seat], markers, *table.markers[seat + 1 :])
            turned = type(table)(
                *(table.terms, everybody, table.stacks, table.cards, table.completed, table.deck, Seat(seat)),
                *(table.turns, table.moved, table.origin, table.destination, table.waiting, table.stage),
            )
            state = State(turned, state.hands, state.goods, state.deck)
            state = fold(celtic, state, celtic.decide(state, Seat(seat), CompleteGoal(goal), Chance(b"")))
            check_hands(state)
    assert state.table.deck == 0
    assert [len(done) for done in state.table.completed] == [5, 5, 5, 5]


@SEATS
def test_markers_cards_and_goals_are_all_there_in_an_imagined_world(seats: int, sample: Sample) -> None:
    for number in range(sample(4, 200)):
        for at, (state, _) in enumerate(random_match(seats, number)):
            if celtic.to_act(state) is not None:
                world = celtic.judgement.imagine(celtic.view(state, Seat(at % seats)), Chance(at.to_bytes(4, "big")))
                check_pieces(world)
                check_hands(world)
