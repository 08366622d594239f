"""What a bot goes by in Celtica: the amulets it has, and what its cards may still bring."""

from collections.abc import Sequence
from functools import lru_cache

from engine.chance import Chance
from engine.games.celtica.board import DRUIDS, PART_TYPES, Board
from engine.games.celtica.rules import COPIES, amulets
from engine.games.celtica.table import Counts, Hand, State
from engine.games.celtica.view import View, spelled_out

# A part of the first amulet is worth 1, of each further one so much less, and so much more when it completes one.
FURTHER, COMPLETE = 0.9, 2.0
# What is to come: a part that a druid may bring, a card that is drawn at a cult site, a card that is drawn in a ruin.
PART, DRUID_CARD, EXPERIENCE_CARD = 0.7, 0.8, 1.0
LATER = 0.7
"""What the next play is worth, measured by this one: others move the druids, too."""


def imagine(view: View, chance: Chance) -> State:
    """Unseen are the other hands, both decks and the supply: what is seen nowhere else, mixed."""
    table, board = view.table, view.table.terms.board
    parts = _unseen(board.parts, COPIES["parts"], (table.display, table.given_up, *table.parts))
    own = view.hand
    druid = _unseen(board.druids, COPIES["druid-cards"], (table.druid_discards, own[:DRUIDS]))
    experience = _unseen(board.druids, COPIES["experience-cards"], (table.experience_discards, own[DRUIDS:]))
    druid, experience = chance.shuffle("imagined/druids", druid), chance.shuffle("imagined/experience", experience)
    hands = []
    for seat in range(len(table.parts)):
        counts = own
        if seat != view.seat:
            druid, drawn = _drawn(board, druid, table.druid_cards[seat])
            experience, drawn_besides = _drawn(board, experience, table.experience_cards[seat])
            counts = drawn + drawn_besides
        hands.append(_hand(seat, counts))
    return State(table, tuple(hands), druid, experience, chance.shuffle("imagined/parts", parts))


def _unseen(names: tuple[str, ...], copies: int, seen: Sequence[Counts]) -> tuple[str, ...]:
    return spelled_out(names, tuple([copies - sum(counts) for counts in zip(*seen, strict=True)]))


def _drawn(board: Board, deck: tuple[str, ...], count: int) -> tuple[tuple[str, ...], Counts]:
    """The deck without its first cards, and how many of each colour these are."""
    return deck[count:], tuple([deck[:count].count(name) for name in board.druids])


def _hand(seat: int, counts: Counts) -> Hand:
    """So many cards of each kind. Which slots they came from makes no difference to how a match goes on."""
    return tuple(
        [tuple([f"imagined/{seat}/{kind}/{card}" for card in range(count)]) for kind, count in enumerate(counts)]
    )


def worth(view: View) -> float:
    table, seat = view.table, view.seat or 0
    parts = [_worth_of_parts(mine) for mine in table.parts]
    return parts[seat] - max(parts[:seat] + parts[seat + 1 :]) + _worth_of_hand(view)


def _worth_of_parts(parts: Counts) -> float:
    """CA-24, CA-25."""
    total, weight = 0.0, 1.0
    for size in amulets(parts):
        total += weight * (size + (COMPLETE if size == PART_TYPES else 0))
        weight *= FURTHER
    return total


def _worth_of_hand(view: View) -> float:
    table, hand = view.table, view.hand
    if table.stage.closing:  # CA-23: who was asked has no more use for cards
        asked = (view.seat or 0) - table.last - 1
        return EXPERIENCE_CARD * sum(hand) if asked % len(table.parts) < table.stage.to_ask else 0.0
    prospects, total = _prospects(table.terms.board, table.terms.edition), 0.0
    has_druid_cards = any(hand[:DRUIDS])
    for colour, stands in enumerate(table.druids):
        druid, experience = hand[colour], hand[colour + DRUIDS]
        kept = EXPERIENCE_CARD * experience
        if has_druid_cards:
            ahead = prospects[stands]
            total += max(ahead[druid + used] - EXPERIENCE_CARD * used for used in range(experience + 1))
        total += kept
    return total


MOST_CARDS = COPIES["druid-cards"] + COPIES["experience-cards"]


@lru_cache(maxsize=32)
def _prospects(board: Board, edition: str) -> list[list[float]]:
    """By place and number of cards: what a druid there may bring who plays all of these cards, in as many turns."""
    brings = [_brings(board, place, edition) for place in range(board.goal + 1)]
    prospects = [[0.0] * (MOST_CARDS + 1) for _ in brings]
    for place in reversed(range(board.goal)):
        for cards in range(1, MOST_CARDS + 1):
            prospects[place][cards] = max(
                brings[stop] + LATER * prospects[stop][cards - steps]
                for steps in range(1, cards + 1)
                for stop in [min(place + steps, board.goal)]
            )
    return prospects


def _brings(board: Board, number: int, edition: str) -> float:
    """CA-13 to CA-16."""
    place = board.places[number]
    if place.kind == "cult":
        return DRUID_CARD
    if place.kind == "ruin":
        return EXPERIENCE_CARD - PART * place.number
    return 0.0 if place.kind == "goal" and edition == "en" else PART * place.number
