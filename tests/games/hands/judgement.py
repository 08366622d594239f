"""What a bot goes by in Hands: the points so far, and that a high card is better played than held."""

from engine.chance import Chance
from tests.games.hands.rules import CARDS, Slotted, State, View


def imagine(view: View, chance: Chance) -> State:
    """What is seen nowhere is mixed, and lies in the other hands and the deck."""
    unseen = list(CARDS)
    for cards in (view.hand, view.discards, *view.rows, *([(view.played,)] if view.played else [])):
        for card in cards:
            unseen.remove(card)
    mixed = [Slotted(f"imagined/{at}", card) for at, card in enumerate(chance.shuffle("imagined/cards", unseen))]
    own = tuple(Slotted(f"own/{at}", card) for at, card in enumerate(view.hand))
    hands = tuple(
        own if seat == view.seat else tuple(mixed.pop() for _ in range(held)) for seat, held in enumerate(view.held)
    )
    turns = -(-view.turns_to_come // len(hands))
    return State(
        swap=view.swap,
        turns=turns,
        turn=view.turn,
        turns_begun=turns * len(hands) - view.turns_to_come,
        deck=tuple(mixed),
        shuffles=0,
        thefts=0,
        hands=hands,
        rows=view.rows,
        beaten=view.beaten,
        discards=view.discards,
        played=view.played,
        left=view.left,
        ended="",
    )


def worth(view: View) -> float:
    points = [sum(card.number for card in row) + beaten for row, beaten in zip(view.rows, view.beaten, strict=True)]
    seat = view.seat or 0
    held = sum(card.number for card in view.hand) / 4 - max((card.number for card in view.hand), default=0) / 2
    on_the_way = view.played.number / 2 if view.played and view.turn == seat else 0
    return points[seat] - max(points[:seat] + points[seat + 1 :]) + held + on_the_way
