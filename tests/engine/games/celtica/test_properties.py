"""What holds in every match of Celtica, tried on many."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Seat, Spelling
from engine.game import Offer, complete_options
from engine.games import celtica
from engine.games.celtica.table import Exchange, Move, Play, State
from engine.play import fold
from engine.values import freeze, thaw
from tests.contracts import worlds
from tests.contracts.walks import is_offered, walk
from tests.engine.games.celtica.second_reading import COLOURS, PARTS, RICH

Sample = Callable[[int, int], int]
SEATS = pytest.mark.parametrize("seats", [2, 3, 4, 5])
MOST_MOVES = 1_000


def options_of(number: int) -> dict[str, Any]:
    return {
        "edition": ("de", "en")[number % 2],
        "overshoot": ("stop", "forbid")[number // 2 % 2],
        "board": RICH if number % 10 == 9 else "reconstruction",
    }


def random_match(seats: int, number: int, leaving: bool = False) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Each state of the match of this number, with the events that led to it."""
    random = Random(f"{seats}/{number}")
    chance = Chance(f"{seats}/{number}".encode())
    events = tuple(celtica.deal(seats, complete_options(celtica.info, seats, options_of(number)), chance))
    state = fold(celtica, None, events)
    yield state, events
    for _ in range(MOST_MOVES):
        seat = celtica.to_act(state)
        if seat is None:
            return
        if leaving and random.random() < 0.02:
            events = tuple(celtica.leave(state, Seat(random.randrange(seats)), chance))
        else:
            view = celtica.view(state, seat)
            if seat in state.table.stage.left:
                move = celtica.absent(view)
            else:
                offers = celtica.legal(view)
                assert offers, "somebody is without a legal move on their turn"
                move = celtica.parse(filled(random, random.choice(offers)), view)
            events = tuple(celtica.decide(state, seat, move, chance))
        state = fold(celtica, state, events)
        yield state, events
    pytest.fail(f"match {number} doesn't end")


def filled(random: Random, offer: Offer) -> str:
    """The offer, its gaps filled by chance."""
    chosen = {choice.name: " ".join(random.sample(choice.among, choice.count)) for choice in offer.choices}
    return offer.text.format(**chosen)


def check_pieces(state: State) -> None:
    """60 druid cards, 20 experience cards and 90 parts, wherever they lie; and the public numbers are those of them."""
    table = state.table
    drawn = Counter(slot for hand in state.hands for slots in hand for slot in slots)
    assert not drawn or max(drawn.values()) == 1
    for first, deck, rest, discards, held, each in (
        (0, state.druid_deck, table.druid_deck, table.druid_discards, table.druid_cards, 12),
        (5, state.experience_deck, table.experience_deck, table.experience_discards, table.experience_cards, 4),
    ):
        for at, colour in enumerate(COLOURS):
            in_hands = sum(len(hand[first + at]) for hand in state.hands)
            assert in_hands + deck[len(deck) - rest :].count(colour) + discards[at] == each
        assert held == tuple(sum(map(len, hand[first : first + 5])) for hand in state.hands)
    for at, part in enumerate(PARTS):
        owned = sum(parts[at] for parts in table.parts)
        face_down = state.supply[len(state.supply) - table.supply :].count(part)
        assert owned + table.display[at] + table.given_up[at] + face_down == 10
    assert min(table.display) >= 0
    assert sum(table.display) <= 9
    assert sum(table.druid_cards) <= 45


@pytest.mark.rule("CA-2")
@pytest.mark.rule("CA-4")
@pytest.mark.rule("CA-5")
@pytest.mark.rule("CA-6")
@pytest.mark.rule("CA-10")
@pytest.mark.rule("CA-17")
@SEATS
def test_all_pieces_are_accounted_for_after_every_event_and_every_match_ends(seats: int, sample: Sample) -> None:
    """Druids never go back, the display is full wherever it can be, and whoever is to act has a legal move."""
    reasons = Counter[str]()
    for number in range(sample(40, 10_000)):
        before: State | None = None
        for _, events in random_match(seats, number, leaving=number % 7 == 0):
            dealt = before is not None
            for event in events:
                was, before = before, celtica.evolve(before, event)
                if dealt:
                    check_pieces(before)
                    assert was is not None
                    assert all(old <= new for old, new in zip(was.table.druids, before.table.druids, strict=True))
            assert before is not None
            check_pieces(before)
            table = before.table
            assert sum(table.display) == 9 or not (table.supply or any(table.given_up))
        assert before is not None
        outcome = celtica.outcome(before)
        assert outcome is not None
        assert max(score.total for score in outcome.scores) <= 10
        reasons[outcome.reason] += 1
    assert {"last_round", "druids_home", "no_parts"} <= set(reasons)


@SEATS
def test_the_events_as_stored_fold_to_the_state_and_a_state_survives_freezing(seats: int, sample: Sample) -> None:
    spelling = Spelling(celtica.events)
    for number in range(sample(10, 300)):
        folded = None
        for state, events in random_match(seats, number, leaving=number % 5 == 0):
            for event in events:
                stored = spelling.read(spelling.write(event))
                assert stored == event
                folded = celtica.evolve(folded, stored)
            assert folded == state
        assert thaw(State, freeze(folded)) == folded


# -- legal and decide


def some_parts(random: Random, most: int) -> tuple[str, ...]:
    return tuple(sorted(random.choices(PARTS, k=random.randint(0, most)), key=PARTS.index))


def any_move(random: Random) -> Move:
    """A move of any kind, which mostly is no good."""
    if random.random() < 0.2:
        return Exchange(some_parts(random, 3), some_parts(random, 3))
    act = random.choice(("take", "give", "draw", "nothing"))
    parts = some_parts(random, 4) if act in ("take", "give") else ()
    cards = random.choice(((1, 0), (1, 0), (2, 0), (0, 1), (1, 1), (3, 0), (0, 0), (2, 2)))
    return Play(random.choice(COLOURS), *cards, act, parts)


def near_move(random: Random, offers: Sequence[Offer], view: Any) -> Move:
    """A legal move in which one thing was changed."""
    move = celtica.parse(filled(random, random.choice(offers)), view)
    if isinstance(move, Exchange):
        gives, gets = list(move.gives), list(move.gets)
        random.choice((gives, gets)).append(random.choice(PARTS))
        return Exchange(tuple(sorted(gives, key=PARTS.index)), tuple(sorted(gets, key=PARTS.index)))
    parts = list(move.parts)
    match random.randrange(4):
        case 0 if parts:
            parts[random.randrange(len(parts))] = random.choice(PARTS)
        case 1 if parts:
            parts.pop()
        case 2:
            parts.append(random.choice(PARTS))
        case _:
            cards = (move.druid_cards + random.randrange(2), move.experience_cards + random.randrange(2))
            return Play(random.choice(COLOURS), *cards, move.act, move.parts)
    act = move.act if move.act in ("take", "give") or not parts else "take"
    return Play(move.colour, move.druid_cards, move.experience_cards, act, tuple(sorted(parts, key=PARTS.index)))


def rule_broken(state: State, seat: int, move: Move) -> str:
    """The lowest rule that a move breaks, told once more from the rules page; empty when it breaks none."""
    table, hand = state.table, state.hands[seat]
    mine = Counter({part: count for part, count in zip(PARTS, table.parts[seat], strict=True) if count})
    lies = Counter({part: count for part, count in zip(PARTS, table.display, strict=True) if count})
    if isinstance(move, Exchange):
        if not table.stage.closing:
            return "CA-8"
        extra = len(move.gets) - len(move.gives)
        good = extra >= 0 and len(move.gives) + 2 * extra <= table.experience_cards[seat]
        return "" if good and not (Counter(move.gives) - mine or Counter(move.gets) - lies) else "CA-23"
    at, steps = COLOURS.index(move.colour), move.druid_cards + move.experience_cards
    if steps == 0 or move.druid_cards > len(hand[at]) or move.experience_cards > len(hand[at + 5]):
        return "CA-8"
    if move.experience_cards and not table.druid_cards[seat]:
        return "CA-9"
    places = table.terms.board.places
    stood, goal = table.druids[at], len(places) - 1
    if stood == goal:
        return "" if move.act == "nothing" else "CA-12"
    if stood + steps > goal and table.terms.overshoot == "forbid":
        return "CA-11"
    place = places[min(stood + steps, goal)]
    if place.kind == "cult":
        return "" if move.act in ("draw", "nothing") else "CA-15"
    if place.kind == "ruin":
        count = min(place.number, mine.total())
        right = move.act == ("give" if count else "nothing") and len(move.parts) == count
        return "" if right and not Counter(move.parts) - mine else "CA-14"
    if place.kind == "goal" and table.terms.edition == "en":
        return "" if move.act == "nothing" else "CA-16"
    right = move.act == "take" and len(move.parts) == min(place.number, lies.total())
    return "" if right and not Counter(move.parts) - lies else "CA-13"


def rule_named(state: State, seat: Seat, move: Move) -> str:
    try:
        assert celtica.decide(state, seat, move, Chance(b"tried"))
    except RuleViolation as refusal:
        return refusal.rule
    return ""


@SEATS
def test_legal_and_decide_agree_and_every_other_move_is_refused_by_the_right_rule(seats: int, sample: Sample) -> None:
    seen = Counter[str]()
    for number in range(sample(12, 500)):
        random = Random(number)
        for state, _ in random_match(seats, number):
            seat = celtica.to_act(state)
            if seat is None:
                continue
            view = celtica.view(state, seat)
            offers = celtica.legal(view)
            for offer in offers:
                line = filled(random, offer)
                move = celtica.parse(line, view)
                assert rule_named(state, seat, move) == rule_broken(state, seat, move) == "", line
            for move in (*(any_move(random) for _ in range(6)), *(near_move(random, offers, view) for _ in range(6))):
                broken = rule_broken(state, seat, move)
                assert rule_named(state, seat, move) == broken, move
                assert is_offered(celtica.notate(move), offers) == (not broken), move
                seen[broken] += 1
    assert {"CA-8", "CA-11", "CA-12", "CA-13", "CA-14", "CA-15", "CA-16", "CA-23", ""} <= set(seen)


# -- secrecy


@SEATS
def test_pairs_of_matches_that_differ_in_what_is_hidden_look_alike(seats: int, sample: Sample) -> None:
    """View, legal moves, refusals, texts, pictures and log of every seat and of a spectator."""
    wanted = sample(30, 5_000)
    seen = number = 0
    while seen < wanted:
        match = walk(celtica, seats, number)
        number += 1
        for reader in match.readers():
            for pair in worlds.pairs(match, reader, 4):
                worlds.check_the_reader_cannot_tell(pair, most=1)
                seen += 1
    assert seen >= wanted


@SEATS
def test_no_hidden_card_changes_what_a_view_shows(seats: int, sample: Sample) -> None:
    """The other hands and all decks dealt anew, as far as the numbers that everybody knows allow."""
    random = Random(seats)
    for number in range(sample(4, 100)):
        for state, _ in random_match(seats, number):
            seat = Seat(random.randrange(seats))
            assert celtica.view(_dealt_anew(random, state, seat), seat) == celtica.view(state, seat)


def _dealt_anew(random: Random, state: State, seat: Seat) -> State:
    table, hands = state.table, [list(hand) for hand in state.hands]
    decks = []
    for first, deck, rest in (
        (0, state.druid_deck, table.druid_deck),
        (5, state.experience_deck, table.experience_deck),
    ):
        others = [other for other in range(seats_of(state)) if other != seat]
        hidden = [COLOURS[at] for other in others for at in range(5) for _ in hands[other][first + at]]
        hidden += deck[len(deck) - rest :]
        random.shuffle(hidden)
        for other in others:
            slots = [slot for at in range(5) for slot in hands[other][first + at]]
            dealt: list[list[str]] = [[] for _ in range(5)]
            for slot in slots:
                dealt[COLOURS.index(hidden.pop())].append(slot)
            hands[other][first : first + 5] = map(tuple, dealt)
        decks.append((*deck[: len(deck) - rest], *hidden))
    supply = list(state.supply[len(state.supply) - table.supply :])
    random.shuffle(supply)
    supply = [*state.supply[: len(state.supply) - table.supply], *supply]
    return State(table, tuple(map(tuple, hands)), decks[0], decks[1], tuple(supply))


@SEATS
def test_all_pieces_are_there_in_an_imagined_world(seats: int, sample: Sample) -> None:
    for number in range(sample(4, 200)):
        for at, (state, _) in enumerate(random_match(seats, number)):
            if celtica.to_act(state) is not None:
                view = celtica.view(state, Seat(at % seats))
                check_pieces(celtica.judgement.imagine(view, Chance(at.to_bytes(4, "big"))))


def seats_of(state: State) -> int:
    return len(state.table.parts)
