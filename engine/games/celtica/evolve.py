"""What events make of a match of Celtica. They are believed, never judged: that was done when they were decided."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.events import Event, Seat, SeatLeft, Shown
from engine.games.celtica.board import DRUIDS, PART_TYPES, Board
from engine.games.celtica.table import (
    CardsDealt,
    Counts,
    DeckShuffled,
    DisplayFilled,
    Exchanged,
    MatchEnded,
    PartsDealt,
    PlayEnded,
    RoundEnded,
    Stage,
    State,
    Table,
    TableSet,
    Terms,
    TurnTaken,
)
from engine.values import changer, maker

# Whole logs are folded with these.
new_table, new_state = maker(Table), maker(State)
changed_table, changed_stage = changer(Table), changer(Stage)


def evolve(state: State | None, event: Event) -> State:
    return _EVOLVE[type(event)](state, event)


def _set(_: None, event: TableSet) -> State:
    seats, none = event.seats, (0,) * event.seats
    colours, types = (0,) * DRUIDS, (0,) * PART_TYPES
    table = Table(
        terms=Terms(event.board, event.edition, event.overshoot),
        druids=colours,
        display=types,
        parts=(types,) * seats,
        given_up=types,
        supply=0,
        druid_cards=none,
        experience_cards=none,
        druid_deck=0,
        experience_deck=0,
        druid_discards=colours,
        experience_discards=colours,
        last=Seat((event.first_player - 1) % seats),
        stage=Stage(shuffles=(0, 0, 0), closing="", to_ask=0, left=(), ended=""),
    )
    return new_state(table, (((),) * 2 * DRUIDS,) * seats, (), (), ())


def _shuffled(state: State, event: DeckShuffled) -> State:
    pieces = tuple([sealed.value or "" for sealed in event.pieces])
    count, (druid, experience, parts) = len(event.pieces), state.table.stage.shuffles
    if event.deck == "parts":
        stage = changed_stage(state.table.stage, shuffles=(druid, experience, parts + 1))
        table = changed_table(state.table, supply=count, given_up=(0,) * PART_TYPES, stage=stage)
        return new_state(table, state.hands, state.druid_deck, state.experience_deck, pieces)
    if event.deck == "druid-cards":
        stage = changed_stage(state.table.stage, shuffles=(druid + 1, experience, parts))
        table = changed_table(state.table, druid_deck=count, druid_discards=(0,) * DRUIDS, stage=stage)
        return new_state(table, state.hands, pieces, state.experience_deck, state.supply)
    stage = changed_stage(state.table.stage, shuffles=(druid, experience + 1, parts))
    table = changed_table(state.table, experience_deck=count, experience_discards=(0,) * DRUIDS, stage=stage)
    return new_state(table, state.hands, state.druid_deck, pieces, state.supply)


def _cards_dealt(state: State, event: CardsDealt) -> State:
    table, hands = state.table, list(state.hands)
    board, first = table.terms.board, 0 if event.deck == "druid-cards" else DRUIDS
    held = list(table.druid_cards if event.deck == "druid-cards" else table.experience_cards)
    count = 0
    for seat, cards in enumerate(event.cards):
        if cards:
            hand = list(hands[seat])
            _take_up(hand, board, cards, first)
            hands[seat] = tuple(hand)
            held[seat] += len(cards)
            count += len(cards)
    if event.deck == "druid-cards":
        table = changed_table(table, druid_cards=tuple(held), druid_deck=table.druid_deck - count)
    else:
        table = changed_table(table, experience_cards=tuple(held), experience_deck=table.experience_deck - count)
    return new_state(table, tuple(hands), state.druid_deck, state.experience_deck, state.supply)


def _take_up(hand: list[tuple[str, ...]], board: Board, cards: tuple[Shown[str], ...], first: int) -> None:
    colour_of = board.druids.index
    for card in cards:
        hand[first + colour_of(card.value or "")] += (card.name,)


def _changed(counts: Counts, at: int, by: int) -> Counts:
    changed = list(counts)
    changed[at] += by
    return tuple(changed)


def _with_hand(state: State, table: Table, seat: int, hand: Sequence[tuple[str, ...]]) -> State:
    hands = list(state.hands)
    hands[seat] = tuple(hand)
    return new_state(table, tuple(hands), state.druid_deck, state.experience_deck, state.supply)


def _with_table(state: State, **changes: Any) -> State:
    table = changed_table(state.table, **changes)
    return new_state(table, state.hands, state.druid_deck, state.experience_deck, state.supply)


def _moved(counts: Counts, names: tuple[str, ...], more: Sequence[str], less: Sequence[str] = ()) -> Counts:
    """The counts with some parts more and some less."""
    changed = list(counts)
    for name in more:
        changed[names.index(name)] += 1
    for name in less:
        changed[names.index(name)] -= 1
    return tuple(changed)


def _parts_dealt(state: State, event: PartsDealt) -> State:
    table = state.table
    mine = _moved(table.parts[event.seat], table.terms.board.parts, _values(event.parts))
    parts = (*table.parts[: event.seat], mine, *table.parts[event.seat + 1 :])
    return _with_table(state, parts=parts, supply=table.supply - len(event.parts))


def _values(shown: tuple[Shown[str], ...]) -> list[str]:
    return [piece.value or "" for piece in shown]


def _display_filled(state: State, event: DisplayFilled) -> State:
    table = state.table
    display = _moved(table.display, table.terms.board.parts, _values(event.parts))
    return _with_table(state, display=display, supply=table.supply - len(event.parts))


def _turn_taken(state: State, event: TurnTaken) -> State:
    """A hand gives up the cards it got first. Most events are turns, so that this one is written to be quick."""
    was, seat = state.table, event.seat
    board, druid, experience = was.terms.board, event.druid_cards, event.experience_cards
    colour = board.druids.index(event.colour)
    druids, hands, hand = list(was.druids), list(state.hands), list(state.hands[seat])
    druids[colour] = event.place
    druid_cards, druid_deck, druid_discards = was.druid_cards, was.druid_deck, was.druid_discards
    experience_cards, experience_deck = was.experience_cards, was.experience_deck
    experience_discards = was.experience_discards
    more_druid, more_experience = -druid, -experience
    if druid:
        hand[colour] = hand[colour][druid:]
        druid_discards = _changed(druid_discards, colour, druid)
    if experience:
        hand[colour + DRUIDS] = hand[colour + DRUIDS][experience:]
        experience_discards = _changed(experience_discards, colour, experience)
    if event.drawn and event.kind == "cult":
        _take_up(hand, board, event.drawn, 0)
        more_druid += 1
        druid_deck -= 1
    elif event.drawn:
        _take_up(hand, board, event.drawn, DRUIDS)
        more_experience += 1
        experience_deck -= 1
    if more_druid:
        druid_cards = _changed(druid_cards, seat, more_druid)
    if more_experience:
        experience_cards = _changed(experience_cards, seat, more_experience)
    hands[seat] = tuple(hand)
    display, parts, given_up, supply = was.display, was.parts, was.given_up, was.supply
    if event.taken or event.given or event.filled:
        display, parts, given_up = _parts_moved(was, event)
        supply -= len(event.filled)
    table = new_table(
        was.terms,
        tuple(druids),
        display,
        parts,
        given_up,
        supply,
        druid_cards,
        experience_cards,
        druid_deck,
        experience_deck,
        druid_discards,
        experience_discards,
        seat,
        was.stage,
    )
    return new_state(table, tuple(hands), state.druid_deck, state.experience_deck, state.supply)


def _parts_moved(table: Table, turn: TurnTaken) -> tuple[Counts, tuple[Counts, ...], Counts]:
    """The display, everybody's parts, and those given up."""
    place = table.terms.board.parts.index
    parts, mine = list(table.parts), list(table.parts[turn.seat])
    display, given_up = table.display, table.given_up
    if turn.given:
        pile = list(given_up)
        for part in turn.given:
            at = place(part)
            mine[at] -= 1
            pile[at] += 1
        given_up = tuple(pile)
    if turn.taken or turn.filled:
        shown = list(display)
        for part in turn.taken:
            at = place(part)
            mine[at] += 1
            shown[at] -= 1
        for new in turn.filled:
            shown[place(new.value or "")] += 1
        display = tuple(shown)
    parts[turn.seat] = tuple(mine)
    return display, tuple(parts), given_up


def _round_ended(state: State, _event: RoundEnded) -> State:
    return state


def _play_ended(state: State, event: PlayEnded) -> State:
    table = state.table
    discards = table.druid_discards
    for cards in event.discarded:
        discards = _moved(discards, table.terms.board.druids, cards)
    seats = len(table.parts)
    table = changed_table(
        table,
        druid_discards=discards,
        druid_cards=(0,) * seats,
        last=event.seat,
        stage=changed_stage(table.stage, closing=event.reason, to_ask=seats),
    )
    hands = tuple([((),) * DRUIDS + hand[DRUIDS:] for hand in state.hands])
    return new_state(table, hands, state.druid_deck, state.experience_deck, state.supply)


def _exchanged(state: State, event: Exchanged) -> State:
    table, seat = state.table, event.seat
    board, seats = table.terms.board, len(table.parts)
    hand = list(state.hands[seat])
    for name in event.paid:
        colour = DRUIDS + board.druids.index(name)
        hand[colour] = hand[colour][1:]
    mine = _moved(table.parts[seat], board.parts, event.taken, event.given)
    display = _moved(table.display, board.parts, (*event.given, *_values(event.filled)), event.taken)
    to_ask = table.stage.to_ask - ((seat - table.last - 1) % seats + 1)
    table = changed_table(
        table,
        parts=(*table.parts[:seat], mine, *table.parts[seat + 1 :]),
        display=display,
        supply=table.supply - len(event.filled),
        experience_cards=_changed(table.experience_cards, seat, -len(event.paid)),
        experience_discards=_moved(table.experience_discards, board.druids, event.paid),
        last=seat,
        stage=changed_stage(table.stage, to_ask=to_ask),
    )
    return _with_hand(state, table, seat, hand)


def _seat_left(state: State, event: SeatLeft) -> State:
    stage = state.table.stage
    return _with_table(state, stage=changed_stage(stage, left=(*stage.left, event.seat)))


def _ended(state: State, event: MatchEnded) -> State:
    return _with_table(state, stage=changed_stage(state.table.stage, ended=event.reason))


_EVOLVE: dict[type, Callable[[Any, Any], State]] = {
    TableSet: _set,
    DeckShuffled: _shuffled,
    CardsDealt: _cards_dealt,
    PartsDealt: _parts_dealt,
    DisplayFilled: _display_filled,
    TurnTaken: _turn_taken,
    RoundEnded: _round_ended,
    PlayEnded: _play_ended,
    Exchanged: _exchanged,
    SeatLeft: _seat_left,
    MatchEnded: _ended,
}
