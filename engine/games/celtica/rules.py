"""Celtica, by Wolfgang Kramer and Michael Kiesling. The numbers CA-1 to CA-25 are those of the project's rules page."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from engine.chance import Chance
from engine.errors import RuleViolation
from engine.events import Event, Sealed, Seat, SeatLeft, Shown
from engine.game import Info, Option, Options, Outcome, Score, check_turn, places, seat_or_random
from engine.games.celtica.board import AMULET_SITES, DRUIDS, PART_TYPES, Board, BrokenBoard, find_board
from engine.games.celtica.evolve import evolve
from engine.games.celtica.table import (
    CardsDealt,
    Counts,
    Deck,
    DeckShuffled,
    DisplayFilled,
    Exchange,
    Exchanged,
    MatchEnded,
    Move,
    PartsDealt,
    Play,
    PlayEnded,
    RoundEnded,
    State,
    Table,
    TableSet,
    TurnTaken,
)
from engine.values import maker


def _objection(board: Any, _seats: int) -> str:
    try:
        find_board(board)
    except BrokenBoard as broken:
        return f"This is no board of Celtica: {broken}."
    return ""


info = Info(
    id="celtica",
    title="Celtica",
    seats=range(2, 6),  # CA-1
    ruleset=1,
    options=(
        Option(  # CA-2
            "board",
            "reconstruction",
            "the path: “reconstruction”, which isn't the printed order, or a board of your own as data.",
            lambda value, seats: not _objection(value, seats),
            _objection,
        ),
        Option(  # CA-16
            "edition",
            "de",
            "what the goal gives: “de” (the parts it shows) or “en” (nothing).",
            lambda value, _seats: value in ("de", "en"),
        ),
        Option("first_player", "random", "who begins: “random”, or the number of a seat.", seat_or_random),  # CA-7
        Option(  # CA-11
            "overshoot",
            "stop",
            "what steps past the goal are: “stop” (lost) or “forbid” (not allowed).",
            lambda value, _seats: value in ("stop", "forbid"),
        ),
    ),
)

HAND = 5  # CA-4
DISPLAY = 9  # CA-6
START_PARTS = 2
COPIES = {"druid-cards": 12, "experience-cards": 4, "parts": 10}  # CA-4 to CA-6: 60, 20 and 90 pieces


class Course:
    """What happens in one decision, and the state it leads to, which is what the next event is decided on."""

    def __init__(self, state: State | None, chance: Chance) -> None:
        self.state: Any = state
        self.chance = chance
        self.events: list[Event] = []

    def happens(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)

    def ends_with(self, event: Event) -> None:
        """Nothing follows, so nobody asks for the state any more."""
        self.events.append(event)


_sealed, _shown, _turn_taken = maker(Sealed[tuple[str, ...]]), maker(Shown[str]), maker(TurnTaken)


# -- set-up


def deal(seats: int, options: Options, chance: Chance) -> Sequence[Event]:
    """CA-2 to CA-7: the display is laid, then cards and parts are dealt, clockwise from whoever begins."""
    first = options["first_player"]
    if first == "random":
        first = chance.below("celtica/first-player", seats)
    board = find_board(options["board"])
    course = Course(None, chance)
    course.happens(TableSet(seats, Seat(first), options["edition"], options["overshoot"], board))
    _shuffle(course, "druid-cards", (COPIES["druid-cards"],) * DRUIDS)
    _shuffle(course, "experience-cards", (COPIES["experience-cards"],) * DRUIDS)
    _shuffle(course, "parts", (COPIES["parts"],) * PART_TYPES)
    _fill_display(course)
    _deal_round(course)
    for seat in _clockwise_after(course.state.table.last, seats):
        course.happens(PartsDealt(seat, _from_supply(course.state, START_PARTS)))
    return course.events


def _clockwise_after(seat: int, seats: int) -> Iterator[Seat]:
    """All seats, this one last."""
    return (Seat((seat + step) % seats) for step in range(1, seats + 1))


_DECKS: tuple[Deck, ...] = ("druid-cards", "experience-cards", "parts")


def _shuffle(course: Course, deck: Deck, pieces: Counts) -> None:
    """What is shuffled is put in order first, so that nothing known of a pile tells of the deck."""
    table = course.state.table
    names = table.terms.board.parts if deck == "parts" else table.terms.board.druids
    number = table.stage.shuffles[_DECKS.index(deck)] + 1
    in_order = [name for name, count in zip(names, pieces, strict=True) for _ in range(count)]
    shuffled = course.chance.shuffle(f"celtica/{deck}/{number}", in_order)
    sealed = [Sealed(piece, (), slot) for slot, piece in zip(_slots(deck, number), shuffled, strict=False)]
    course.happens(DeckShuffled(deck, tuple(sealed)))


@lru_cache(maxsize=256)
def _slots(deck: Deck, number: int) -> tuple[str, ...]:
    """What the places of a deck are called, as it was shuffled for the so many-th time."""
    return tuple([f"{deck}/{number}/{place}" for place in range(90)])


def _from_supply(state: State, count: int) -> tuple[Shown[str], ...]:
    """The next parts of the supply, for everybody to see; fewer where it ends."""
    start = len(state.supply) - state.table.supply
    end = start + count
    return tuple(map(_shown, _slots("parts", state.table.stage.shuffles[2])[start:end], state.supply[start:end]))


def _from_deck(state: State, deck: Deck, seat: Seat, count: int, after: int = 0) -> tuple[Shown[str], ...]:
    """The next cards of a deck, for this seat to see; fewer where it ends. `after` so many others."""
    if deck == "druid-cards":
        cards, rest, number = state.druid_deck, state.table.druid_deck, state.table.stage.shuffles[0]
    else:
        cards, rest, number = state.experience_deck, state.table.experience_deck, state.table.stage.shuffles[1]
    start = len(cards) - rest + after
    end = start + count
    return tuple(map(_shown, _slots(deck, number)[start:end], cards[start:end], repeat((seat,))))


def _deal_cards(course: Course, deck: Deck, wanted: list[tuple[Seat, int]]) -> None:
    """To these seats, one after the other, so many cards.

    CA-18: an empty deck is made anew of its discards; when there are none either, nothing is drawn.
    """
    while wanted:
        table, rest = course.state.table, _rest_of(course.state.table, deck)
        shares: list[tuple[Shown[str], ...]] = [()] * len(table.parts)
        dealt = 0
        while wanted and dealt < rest:
            seat, count = wanted.pop(0)
            shares[seat] = _from_deck(course.state, deck, seat, count, dealt)
            dealt += len(shares[seat])
            if len(shares[seat]) < count:
                wanted.insert(0, (seat, count - len(shares[seat])))
        if dealt:
            course.happens(CardsDealt(deck, tuple(shares)))
        if wanted:
            discards = table.druid_discards if deck == "druid-cards" else table.experience_discards
            if not any(discards):
                return
            _shuffle(course, deck, discards)


def _rest_of(table: Table, deck: Deck) -> int:
    return table.druid_deck if deck == "druid-cards" else table.experience_deck


def _fill_display(course: Course) -> None:
    """CA-17: up to nine, the given-up parts becoming the supply when it is empty."""
    while missing := DISPLAY - sum(course.state.table.display):
        parts = _from_supply(course.state, missing)
        if parts:
            course.happens(DisplayFilled(parts))
        elif any(course.state.table.given_up):
            _shuffle(course, "parts", course.state.table.given_up)
        else:
            return


def _deal_round(course: Course) -> None:
    table = course.state.table
    _deal_cards(course, "druid-cards", [(seat, HAND) for seat in _clockwise_after(table.last, len(table.parts))])


# -- a turn


def to_act(state: State) -> Seat | None:
    return next_to_act(state.table)


def next_to_act(table: Table) -> Seat | None:
    """CA-7, CA-19: clockwise, those without druid cards are passed over. CA-23: in the exchange, who can't pay is."""
    stage, last, seats = table.stage, table.last, len(table.parts)
    if stage.ended:
        return None
    if stage.closing:
        for step in range(1, stage.to_ask + 1):
            seat = Seat((last + step) % seats)
            if _can_exchange(table, seat):
                return seat
        return None
    druid_cards = table.druid_cards
    for step in range(1, seats + 1):
        seat = Seat((last + step) % seats)
        if druid_cards[seat]:
            return seat
    return None


def _can_exchange(table: Table, seat: Seat) -> bool:
    """A card buys a swap, if there is a part to swap; two cards buy a part."""
    cards = table.experience_cards[seat]
    return any(table.display) and (cards >= 2 or (cards == 1 and any(table.parts[seat])))


def due(table: Table, seat: Seat, colour: int, steps: int) -> tuple[str, str, int]:
    """What so many cards of this colour lead the seat to: the rule of the place, what is done there, how many parts.

    Only the place where the druid stops counts (CA-10), and the goal stops it (CA-11).
    """
    board, stands = table.terms.board, table.druids[colour]
    goal = len(board.places) - 1
    if stands == goal:
        return "CA-12", "nothing", 0
    place = board.places[min(stands + steps, goal)]
    kind = place.kind
    if kind == "cult":
        return "CA-15", "draw", 0
    if kind == "ruin":
        count = min(place.number, sum(table.parts[seat]))
        return "CA-14", "give" if count else "nothing", count
    if kind == "goal" and table.terms.edition == "en":
        return "CA-16", "nothing", 0
    return "CA-13", "take", min(place.number, sum(table.display))


def broken_rule(table: Table, seat: Seat, hand: Counts, move: Move) -> RuleViolation | None:
    """The lowest rule that this move of the seat, which is to act, breaks; None if it is legal.

    `hand` is what the seat holds, of each colour: druid cards, then experience cards. `legal` and `decide` ask here.

    Ruling: what is done at a place breaks the rule of that place, whatever it is. In the exchange nobody has druid
    cards, so that playing cards breaks CA-8 or CA-9.
    """
    if isinstance(move, Play):
        broken, parts = _broken_play(table, seat, hand, move), move.parts
    else:
        broken, parts = _broken_exchange(table, seat, hand, move), move.gives + move.gets
    if broken and broken.rule != "CA-3":
        return _first_unknown(table.terms.board, parts) or broken
    return broken


def _broken_play(table: Table, seat: Seat, hand: Counts, move: Play) -> RuleViolation | None:
    board = table.terms.board
    druid, experience = move.druid_cards, move.experience_cards
    if move.colour not in board.druids:
        return RuleViolation("CA-3", "no_such_druid", colour=move.colour)
    colour = board.druids.index(move.colour)
    if not druid and not experience:
        return RuleViolation("CA-8", "no_cards")
    if druid > hand[colour]:
        return RuleViolation("CA-8", "too_few_druid_cards", colour=move.colour, count=hand[colour])
    if experience > hand[colour + DRUIDS]:
        return RuleViolation("CA-8", "too_few_experience_cards", colour=move.colour, count=hand[colour + DRUIDS])
    if experience and not any(hand[:DRUIDS]):
        return RuleViolation("CA-9", "no_druid_card")
    steps = druid + experience
    if table.terms.overshoot == "forbid" and steps > (to_go := board.goal - table.druids[colour]) > 0:
        return RuleViolation("CA-11", "past_the_goal", colour=move.colour, count=to_go)
    rule, act, count = due(table, seat, colour, steps)
    if act == "draw":
        return None if move.act in ("draw", "nothing") else RuleViolation(rule, "draw_or_not")
    if move.act != act or len(move.parts) != count:
        return RuleViolation(rule, NOTHING_HAPPENS[rule] if act == "nothing" else f"{act}_parts", count=count)
    return _first_missing(table, rule, move.parts, table.display if act == "take" else table.parts[seat], act)


# Why nothing is taken, given or drawn at a place.
NOTHING_HAPPENS = {"CA-12": "druid_is_home", "CA-14": "no_part_to_give", "CA-16": "goal_gives_nothing"}


def _first_unknown(board: Board, parts: Sequence[str]) -> RuleViolation | None:
    for part in parts:
        if part not in board.parts:
            return RuleViolation("CA-6", "no_such_part", part=part)
    return None


def _first_missing(table: Table, rule: str, parts: Sequence[str], lie: Counts, act: str) -> RuleViolation | None:
    """The first part that is named more often than it lies there, or that there is none of."""
    names = table.terms.board.parts
    for part in parts:
        there = lie[names.index(part)] if part in names else 0
        if there < 1 or (there < len(parts) and there < parts.count(part)):
            return RuleViolation(rule, "not_in_display" if act == "take" else "not_yours", part=part, count=there)
    return None


def _broken_exchange(table: Table, seat: Seat, hand: Counts, move: Exchange) -> RuleViolation | None:
    """CA-23. What a player gives lies in the display only after they are done, as far as the move tells (see there)."""
    if not table.stage.closing:
        return RuleViolation("CA-8", "cards_are_played")
    if len(move.gives) > len(move.gets):
        return RuleViolation("CA-23", "nothing_for_it")
    if move.cards > sum(hand):
        return RuleViolation("CA-23", "too_few_cards", cost=move.cards, count=sum(hand))
    return _first_missing(table, "CA-23", move.gives, table.parts[seat], "give") or _first_missing(
        table, "CA-23", move.gets, table.display, "take"
    )


def held(state: State, seat: Seat) -> Counts:
    """How many cards the seat holds: of each colour druid cards, then of each colour experience cards."""
    return tuple(map(len, state.hands[seat]))


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Sequence[Event]:
    """CA-8: cards are played, and what follows from them is chosen, in one move; or, at the end, CA-23."""
    table = state.table
    check_turn(next_to_act(table), seat)
    refusal = broken_rule(table, seat, held(state, seat), move)
    if refusal is not None:
        raise refusal
    if isinstance(move, Play):
        return _take_turn(state, seat, move, chance)
    return _exchange(state, seat, move, chance)


def _take_turn(state: State, seat: Seat, move: Play, chance: Chance) -> Sequence[Event]:
    table = state.table
    board, hand = table.terms.board, state.hands[seat]
    druid, experience = move.druid_cards, move.experience_cards
    colour = board.druids.index(move.colour)
    stood, goal = table.druids[colour], len(board.places) - 1
    place = min(stood + druid + experience, goal)  # CA-10, CA-11
    kind = board.places[place].kind if stood < goal else ""  # CA-12
    taken, given, drawn = _NONE
    deck: Deck | None = None
    if kind in AMULET_SITES or kind == "goal":  # CA-13, CA-16
        taken = move.parts
    elif kind == "ruin":  # CA-14
        given, deck = move.parts, "experience-cards"
    elif kind == "cult" and move.act == "draw":  # CA-15
        deck = "druid-cards"
    if deck:
        drawn = _from_deck(state, deck, seat, 1)
    missing = DISPLAY - sum(table.display) + len(taken)
    filled = _from_supply(state, missing) if missing else ()  # CA-17
    slots = hand[colour][:druid] + hand[colour + DRUIDS][:experience]
    turn = _turn_taken(
        seat,
        move.colour,
        druid,
        experience,
        _sealed(slots, (seat,)),
        place,
        kind,
        taken,
        given,
        drawn,
        filled,
    )
    rests = sum(table.druid_cards) - druid + (kind == "cult" and len(drawn))
    all_home = stood < place == goal and table.druids.count(goal) == DRUIDS - 1
    if rests and not all_home and (drawn or not deck) and len(filled) == missing:
        return (turn,)  # most turns: nothing follows
    course = Course(state, chance)
    course.happens(turn)
    if deck and not drawn:
        _deal_cards(course, deck, [(seat, 1)])
    _fill_display(course)
    _end_turn(course, seat)
    return course.events


_NONE: tuple[tuple[str, ...], tuple[str, ...], tuple[Shown[str], ...]] = ((), (), ())


# -- rounds and end


def _end_turn(course: Course, seat: Seat) -> None:
    table = course.state.table
    goal = table.terms.board.goal
    if min(table.druids) == goal:  # CA-22
        _end_play(course, seat, "druids_home")
    elif not (any(table.display) or table.supply or any(table.given_up)):
        _end_play(course, seat, "no_parts")
    elif not any(table.druid_cards):
        if max(table.druids) == goal:  # CA-21
            _end_play(course, seat, "last_round")
        else:  # CA-20
            course.happens(RoundEnded(seat))
            _deal_round(course)


def _end_play(course: Course, seat: Seat, reason: str) -> None:
    """CA-22: the druid cards in the hands are discarded. CA-23: from the left neighbour on, who can is asked."""
    druids = course.state.table.terms.board.druids
    hands = [hand[:DRUIDS] for hand in course.state.hands]
    discarded = [tuple([name for name, slots in zip(druids, hand, strict=True) for _ in slots]) for hand in hands]
    slots = [
        Sealed(tuple([slot for slots in hand for slot in slots]), (Seat(owner),)) for owner, hand in enumerate(hands)
    ]
    course.happens(PlayEnded(seat, reason, tuple(discarded), tuple(slots)))
    _unless_asked(course)


def _unless_asked(course: Course) -> None:
    table = course.state.table
    if next_to_act(table) is None:
        course.ends_with(MatchEnded(table.stage.closing))


def _exchange(state: State, seat: Seat, move: Exchange, chance: Chance) -> Sequence[Event]:
    """CA-23: cards are paid in the board's order of druids, and the display is filled when the seat is done."""
    board = state.table.terms.board
    cards = [
        (name, slot) for name, slots in zip(board.druids, state.hands[seat][DRUIDS:], strict=True) for slot in slots
    ][: move.cards]
    paid, slots = tuple([name for name, _ in cards]), tuple([slot for _, slot in cards])
    missing = DISPLAY - sum(state.table.display) + len(move.gets) - len(move.gives)
    filled = _from_supply(state, missing)
    course = Course(state, chance)
    course.happens(Exchanged(seat, move.gives, move.gets, paid, Sealed(slots, (seat,)), filled))
    _fill_display(course)
    _unless_asked(course)
    return course.events


def leave(state: State, seat: Seat, _chance: Chance) -> Sequence[Event]:
    """GE-1. A seat that left before can't leave again."""
    left = state.table.stage.left
    if state.table.stage.ended:
        raise RuleViolation("GE-2", "match_over")
    if seat in left:
        return ()
    if len(left) + 2 == len(state.table.parts):
        return (SeatLeft(seat), MatchEnded("others_left"))
    return (SeatLeft(seat),)


def left(state: State) -> tuple[Seat, ...]:
    return state.table.stage.left


# -- winning


def amulets(parts: Counts) -> tuple[int, ...]:
    """CA-24: how many parts each amulet holds, the largest first; the k-th has every type that is there k times."""
    return tuple([sum(count >= number for count in parts) for number in range(1, max(parts) + 1)])


def outcome(state: State) -> Outcome | None:
    return standing(state.table) if state.table.stage.ended else None


def standing(table: Table) -> Outcome:
    """CA-25: most complete amulets, then the largest incomplete one, the next... Before the end: what it would be now.

    Amulets from the largest on compare like words in a dictionary: that is all of the rule.
    """
    results = [amulets(parts) for parts in table.parts]
    complete = [result.count(PART_TYPES) for result in results]
    scores = tuple(Score(count, (("complete_amulets", count),)) for count in complete)
    return Outcome(places(results, table.stage.left), scores, table.stage.ended)
