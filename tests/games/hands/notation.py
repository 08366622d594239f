"""Hands as lines of text."""

import re
from collections.abc import Sequence

from engine.errors import Ambiguous, Unreadable
from engine.game import Choice, Offer
from tests.games.hands.rules import Beat, Card, Colour, Let, Move, Play, Swap, View, broken_rule, in_order

VERBS = {
    "play": ("play", "spiel", "spiele"),
    "swap": ("swap", "tausch", "tausche"),
    "beat": ("beat", "stich", "steche"),
    "let": ("let", "lass"),
}
COLOURS = {
    Colour.BLUE: ("b", "blue", "blau"),
    Colour.GREEN: ("g", "green", "grün", "gruen"),
    Colour.RED: ("r", "red", "rot"),
}
EXPECTED = "play r3 · swap b1 g2 · beat r3 · let"

_VERB_OF = {word: verb for verb, words in VERBS.items() for word in words}
_COLOUR_OF = {word: colour for colour, words in COLOURS.items() for word in words}
_LINE = re.compile(
    r"(?:(?P<verb>{})(?![^\W\d]))?(?P<cards>.*)".format("|".join(sorted(_VERB_OF, reverse=True))), re.DOTALL
)
_CARD = re.compile(r"[\s,]*(?:(?P<colour>[^\W\d_]+)\s*)?(?P<number>[0-9])?(?![0-9])")


def parse(text: str, view: View) -> Move:
    line = _LINE.fullmatch(text.casefold().strip())
    assert line is not None
    verb = _VERB_OF.get(line["verb"]) or ("beat" if view.played and view.turn != view.seat else "play")
    cards = _read_cards(text, line["cards"])
    if verb == "let" and not cards:
        return Let()
    if verb == "swap" and cards:
        return Swap(in_order([_whole(text, card) for card in cards]))
    if verb in ("play", "beat") and len(cards) <= 1 and (line["verb"] or cards):
        return _single(text, view, Play if verb == "play" else Beat, *(cards or [(None, None)]))
    raise Unreadable(text, EXPECTED)


def _read_cards(text: str, written: str) -> list[tuple[Colour | None, int | None]]:
    """Each card's colour and number, where they are said."""
    cards = []
    rest = written.rstrip(" ,.!\t\r\n")
    while rest:
        card = _CARD.match(rest)
        if card is None or not card.group().strip(" ,\t\r\n") or (card["colour"] and card["colour"] not in _COLOUR_OF):
            raise Unreadable(text, EXPECTED)
        cards.append((_COLOUR_OF.get(card["colour"]), int(card["number"]) if card["number"] else None))
        rest = rest[card.end() :]
    return cards


def _whole(text: str, card: tuple[Colour | None, int | None]) -> Card:
    colour, number = card
    if colour is None or number is None:
        raise Unreadable(text, EXPECTED)
    return Card(colour, number)


def _single(
    text: str, view: View, kind: type[Play] | type[Beat], said: tuple[Colour | None, int | None]
) -> Play | Beat:
    colour, number = said
    if colour is not None and number is not None:
        return kind(Card(colour, number))
    meant = [
        card for card in dict.fromkeys(view.hand) if colour in (None, card.colour) and number in (None, card.number)
    ]
    readings = [kind(card) for card in meant]
    readings = [move for move in readings if broken_rule(view, move) is None] or readings
    if not readings:
        raise Unreadable(text, EXPECTED)
    if len(readings) > 1:
        raise Ambiguous(text, EXPECTED, [notate(move) for move in readings])
    return readings[0]


def notate(move: Move) -> str:
    match move:
        case Play(card):
            return f"play {card}"
        case Swap(cards):
            return f"swap {' '.join(map(str, cards))}"
        case Beat(card):
            return f"beat {card}"
        case Let():
            return "let"


def legal(view: View) -> Sequence[Offer]:
    if view.seat is None or view.to_act != view.seat:
        return ()
    hand = tuple(map(str, view.hand))
    offers = []
    if view.played:
        offers.append(Offer("let"))
    for text, kind in (("play {card}", Play), ("beat {card}", Beat)):
        cards = tuple(str(card) for card in dict.fromkeys(view.hand) if broken_rule(view, kind(card)) is None)
        if cards:
            offers.append(Offer(text, (Choice("card", 1, cards),)))
    if len(hand) >= view.swap and broken_rule(view, Swap(view.hand[: view.swap])) is None:
        offers.append(Offer("swap {cards}", (Choice("cards", view.swap, hand),)))
    return offers


def absent(view: View) -> Move:
    if view.played:
        return Let()
    return Play(min(view.hand, key=lambda card: (card.number, str(card))))
