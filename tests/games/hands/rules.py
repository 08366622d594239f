"""The rules of Hands, in the order of play."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Sealed, Seat, SeatLeft, Shown
from engine.game import Info, Option, Options, Outcome, Score, check_turn, places, seat_or_random


def _number_up_to(most: int) -> Any:
    return lambda value, _seats: type(value) is int and 1 <= value <= most


info = Info(
    id="hands",
    title="Hands",
    seats=range(2, 5),  # HA-1
    ruleset=1,
    options=(
        Option("first_player", "random", "who begins: “random”, or the number of a seat.", seat_or_random),
        Option("swap", 2, "how many cards a swap takes: 1 to 3.", _number_up_to(3)),
        Option("turns", 4, "how many turns each player has: 1 to 6.", _number_up_to(6)),
    ),
)


# -- what there is


class Colour(Enum):
    BLUE = "b"
    GREEN = "g"
    RED = "r"


@dataclass(frozen=True, slots=True)
class Card:
    colour: Colour
    number: int

    def __str__(self) -> str:
        return f"{self.colour.value}{self.number}"


CARDS = tuple(Card(colour, number) for colour in Colour for number in (1, 2, 3) for _ in range(2))  # HA-2
HAND = 4


@dataclass(frozen=True, slots=True)
class Slotted:
    """A card, and the slot of the deck it lay in: what the log knows it by."""

    slot: str
    card: Card


@dataclass(frozen=True, slots=True)
class State:
    swap: int
    turns: int
    turn: Seat
    turns_begun: int
    deck: tuple[Slotted, ...]
    shuffles: int
    thefts: int
    hands: tuple[tuple[Slotted, ...], ...]
    rows: tuple[tuple[Card, ...], ...]
    beaten: tuple[int, ...]
    discards: tuple[Card, ...]
    played: Card | None
    left: tuple[Seat, ...]
    ended: str


@dataclass(frozen=True, slots=True)
class View:
    seat: Seat | None
    hand: tuple[Card, ...]
    """The viewer's own, in order of the cards and not as drawn."""
    held: tuple[int, ...]
    deck: int
    rows: tuple[tuple[Card, ...], ...]
    beaten: tuple[int, ...]
    discards: tuple[Card, ...]
    played: Card | None
    turn: Seat
    to_act: Seat | None
    swap: int
    turns_to_come: int
    left: tuple[Seat, ...]
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class TableSet:
    seats: int
    first_player: Seat
    swap: int
    turns: int


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """A new deck: all cards, or later the discards. Its slots have new names, so that no card is known from before."""

    deck: tuple[Sealed[Card], ...]


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    seat: Seat
    cards: tuple[Shown[Card], ...]


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """Which card it is, everybody sees; which of the cards drawn it was, only its player knows."""

    seat: Seat
    card: Card
    slot: Sealed[str]


@dataclass(frozen=True, slots=True)
class CardsSwapped:
    seat: Seat
    cards: tuple[Card, ...]
    slots: tuple[Sealed[str], ...]


@dataclass(frozen=True, slots=True)
class CardKept:
    """The played card joins the seat's row."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CardBeaten:
    seat: Seat
    card: Card
    slot: Sealed[str]


@dataclass(frozen=True, slots=True)
class CardStolen:
    seat: Seat
    victim: Seat
    card: Sealed[Card]
    slot: Sealed[str]


@dataclass(frozen=True, slots=True)
class TurnEnded:
    pass


@dataclass(frozen=True, slots=True)
class MatchEnded:
    hands: tuple[tuple[Shown[Card], ...], ...]
    reason: str


events: tuple[type, ...] = (
    TableSet,
    DeckShuffled,
    CardsDrawn,
    CardPlayed,
    CardsSwapped,
    CardKept,
    CardBeaten,
    CardStolen,
    TurnEnded,
    MatchEnded,
)
state_type = State


@dataclass(frozen=True, slots=True)
class Play:
    card: Card


@dataclass(frozen=True, slots=True)
class Swap:
    cards: tuple[Card, ...]
    """In order of the cards."""


@dataclass(frozen=True, slots=True)
class Beat:
    card: Card


@dataclass(frozen=True, slots=True)
class Let:
    pass


Move = Play | Swap | Beat | Let


def in_order(cards: Sequence[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=str))


class Course:
    """What happens in one decision, and the state it leads to, which is what the next event is decided on."""

    def __init__(self, state: State | None, chance: Chance) -> None:
        self.state: Any = state
        self.chance = chance
        self.events: list[Event] = []

    def happens(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)


# -- set-up


def deal(seats: int, options: Options, chance: Chance) -> Sequence[Event]:
    first = options["first_player"]
    if first == "random":
        first = chance.below("hands/first-player", seats)
    course = Course(None, chance)
    course.happens(TableSet(seats, Seat(first), options["swap"], options["turns"]))
    _shuffle(course, CARDS)
    _fill_hands(course)
    return course.events


def _shuffle(course: Course, cards: Sequence[Card]) -> None:
    number = course.state.shuffles + 1
    shuffled = course.chance.shuffle(f"hands/deck/{number}", cards)
    deck = (Sealed(card, name=f"deck{number}/{place}") for place, card in enumerate(shuffled))
    course.happens(DeckShuffled(tuple(deck)))


# -- a turn


def to_act(state: State) -> Seat | None:
    if state.ended:
        return None
    return _next(state, state.turn) if state.played else state.turn  # HA-5


def turn(state: State) -> Seat | None:
    return None if state.ended else state.turn


def _next(state: State, seat: Seat) -> Seat:
    return Seat((seat + 1) % len(state.hands))


def broken_rule(view: View, move: Move) -> RuleViolation | None:
    """Why the viewing seat, whose decision is due, may not make this move: the lowest rule it breaks."""
    cards = _cards_of(move)
    for card in cards:
        if card not in CARDS:
            return RuleViolation("HA-2", "no_such_card", card=str(card))
    if isinstance(move, Beat | Let) and not view.played:
        return RuleViolation("HA-4", "nothing_to_answer")
    for card in cards:
        if cards.count(card) > view.hand.count(card):
            return RuleViolation("HA-4", "not_in_hand", card=str(card))
    if isinstance(move, Swap) and len(cards) != view.swap:
        return RuleViolation("HA-6", "wrong_count", count=view.swap)
    if view.played:
        if isinstance(move, Play | Swap):
            return RuleViolation("HA-7", "answer_due", card=str(view.played))
        if isinstance(move, Beat) and not beats(move.card, view.played):
            return RuleViolation("HA-7", "does_not_beat", card=str(move.card), played=str(view.played))
    return None


def _cards_of(move: Move) -> tuple[Card, ...]:
    match move:
        case Swap(cards):
            return cards
        case Play(card) | Beat(card):
            return (card,)
        case _:
            return ()


def beats(card: Card, other: Card) -> bool:
    return card.colour is other.colour and card.number > other.number


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Sequence[Event]:
    check_turn(to_act(state), seat)
    refusal = broken_rule(view(state, seat), move)
    if refusal is not None:
        raise refusal
    course = Course(state, chance)
    slots = [Sealed(slot, to=(seat,)) for slot in _slots(state.hands[seat], _cards_of(move))]
    match move:
        case Play(card):
            course.happens(CardPlayed(seat, card, *slots))
            if not state.hands[_next(state, seat)]:  # HA-5: nobody to answer
                course.happens(CardKept(seat))
                _end_turn(course)
        case Swap(cards):
            course.happens(CardsSwapped(seat, cards, tuple(slots)))
            _end_turn(course)
        case Beat(card):
            course.happens(CardBeaten(seat, card, *slots))
            _steal(course, seat, state.turn)
            _end_turn(course)
        case Let():
            course.happens(CardKept(state.turn))
            _end_turn(course)
    return course.events


def _slots(hand: tuple[Slotted, ...], cards: Sequence[Card]) -> list[str]:
    """Which of the hand these cards are: of two alike, the one drawn first."""
    rest = list(hand)
    taken = []
    for card in cards:
        taken.append(next(held for held in rest if held.card == card))
        rest.remove(taken[-1])
    return [held.slot for held in taken]


def _steal(course: Course, seat: Seat, victim: Seat) -> None:
    """HA-7. The two see the card, and where in the deck it came from."""
    hand = course.state.hands[victim]
    if hand:
        stolen = hand[course.chance.below(f"hands/theft/{course.state.thefts + 1}", len(hand))]
        both = (seat, victim)
        course.happens(CardStolen(seat, victim, Sealed(stolen.card, both), Sealed(stolen.slot, both)))


def _end_turn(course: Course) -> None:
    _fill_hands(course)  # HA-8
    course.happens(TurnEnded())
    state = course.state
    if state.turns_begun > state.turns * len(state.hands):  # HA-9
        _end(course, "all_turns_taken")
    elif not state.hands[state.turn]:
        _end(course, "no_cards")


def _fill_hands(course: Course) -> None:
    seats = len(course.state.hands)
    for place in range(seats):
        seat = Seat((course.state.turn + place) % seats)
        while (missing := HAND - len(course.state.hands[seat])) > 0:
            if not course.state.deck:
                if not course.state.discards:
                    return
                _shuffle(course, course.state.discards)
            drawn = course.state.deck[:missing]
            course.happens(CardsDrawn(seat, tuple(Shown(held.slot, held.card, (seat,)) for held in drawn)))


# -- the end


def _end(course: Course, reason: str) -> None:
    hands = tuple(tuple(Shown(held.slot, held.card) for held in hand) for hand in course.state.hands)
    course.happens(MatchEnded(hands, reason))


def leave(state: State, seat: Seat, chance: Chance) -> Sequence[Event]:
    """GE-1."""
    if state.ended:
        raise RuleViolation("GE-2", "match_over")
    course = Course(state, chance)
    if seat not in state.left:
        course.happens(SeatLeft(seat))
        if len(course.state.left) == len(state.hands) - 1:
            _end(course, "others_left")
    return course.events


def left(state: State) -> tuple[Seat, ...]:
    return state.left


def outcome(state: State) -> Outcome | None:
    if not state.ended:
        return None
    scores = [_score(state, seat) for seat in range(len(state.hands))]
    return Outcome(places([score.total for score in scores], state.left), tuple(scores), state.ended)


def _score(state: State, seat: int) -> Score:
    """HA-10."""
    row = sum(card.number for card in state.rows[seat])
    hand = -max((held.card.number for held in state.hands[seat]), default=0)
    return Score(row + state.beaten[seat] + hand, (("row", row), ("beaten", state.beaten[seat]), ("hand", hand)))


# -- believing


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, TableSet):
        nothing: tuple[Any, ...] = ((),) * event.seats
        hands = rows = nothing
        none = (0,) * event.seats
        return State(event.swap, event.turns, event.first_player, 1, (), 0, 0, hands, rows, none, (), None, (), "")
    assert state is not None
    return _evolve(state, event)


def _evolve(state: State, event: Event) -> State:
    match event:
        case DeckShuffled(deck):
            slots = tuple(Slotted(sealed.name, sealed.value) for sealed in deck if sealed.value)
            return replace(state, deck=slots, discards=(), shuffles=state.shuffles + 1)
        case CardsDrawn(seat, cards):
            count = len(cards)
            hands = _changed(state.hands, seat, state.hands[seat] + state.deck[:count])
            return replace(state, deck=state.deck[count:], hands=hands)
        case CardPlayed(seat, card, slot):
            return replace(state, played=card, hands=_without(state.hands, seat, slot))
        case CardsSwapped(seat, cards, slots):
            return replace(state, discards=state.discards + cards, hands=_without(state.hands, seat, *slots))
        case CardKept(seat):
            assert state.played
            rows = _changed(state.rows, seat, (*state.rows[seat], state.played))
            return replace(state, played=None, rows=rows)
        case CardBeaten(seat, card, slot):
            assert state.played
            return replace(
                state,
                played=None,
                discards=(*state.discards, state.played, card),
                beaten=_changed(state.beaten, seat, state.beaten[seat] + 1),
                hands=_without(state.hands, seat, slot),
            )
        case CardStolen(seat, victim, card, slot):
            assert card.value
            assert slot.value
            hands = _without(state.hands, victim, slot)
            hands = _changed(hands, seat, (*hands[seat], Slotted(slot.value, card.value)))
            return replace(state, hands=hands, thefts=state.thefts + 1)
        case TurnEnded():
            return replace(state, turn=_next(state, state.turn), turns_begun=state.turns_begun + 1)
        case MatchEnded(_, reason):
            return replace(state, ended=reason)
        case SeatLeft(seat):
            return replace(state, left=(*state.left, seat))
    raise TypeError(f"{event} is no event of this game")


def _changed(by_seat: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*by_seat[:seat], value, *by_seat[seat + 1 :])


def _without(hands: tuple[tuple[Slotted, ...], ...], seat: Seat, *slots: Sealed[str]) -> tuple[Any, ...]:
    gone = {sealed.value for sealed in slots}
    return _changed(hands, seat, tuple(held for held in hands[seat] if held.slot not in gone))


# -- speaking


def view(state: State, seat: Seat | None) -> View:
    return View(
        seat=seat,
        hand=() if seat is None else in_order([held.card for held in state.hands[seat]]),
        held=tuple(len(hand) for hand in state.hands),
        deck=len(state.deck),
        rows=state.rows,
        beaten=state.beaten,
        discards=state.discards,
        played=state.played,
        turn=state.turn,
        to_act=to_act(state),
        swap=state.swap,
        turns_to_come=state.turns * len(state.hands) - state.turns_begun,
        left=state.left,
        outcome=outcome(state),
    )
