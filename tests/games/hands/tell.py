"""Hands in words, English and German."""

from collections.abc import Sequence
from textwrap import fill, shorten
from typing import Any

from engine.errors import GENERAL_REFUSALS, RuleViolation
from engine.events import Event, SeatLeft
from engine.game import Language
from tests.games.hands.notation import legal
from tests.games.hands.rules import (
    Card,
    CardBeaten,
    CardKept,
    CardPlayed,
    CardsDrawn,
    CardsSwapped,
    CardStolen,
    DeckShuffled,
    MatchEnded,
    View,
)

WIDTH = 72
NAME = 24

TEXTS = {
    "en": {
        "table": "{deck} cards in the deck. Discards: {discards}.",
        "played": "{name} played {card}; {other} answers.",
        "turn": "{name} is on turn; {turns} more turns follow.",
        "over": "The match is over.",
        "seat": "{name}: {held} cards; row {row}; {beaten} beaten.",
        "seat_over": "{name}: place {place}, {score} points; row {row}; {beaten} beaten.",
        "gone": " (left)",
        "hand": "Your hand: {hand}.",
        "none": "none",
        "guide": "You may play, for example:",
        "say_play": "play {cards}",
        "say_swap": "swap {cards}",
        "say_beat": "beat {cards}",
        "say_let": "let",
        "why_play": "one card of: {among}",
        "why_swap": "{count} of: {among}",
        "why_beat": "a higher card of its colour: {among}",
        "why_let": "let the card go",
        "shuffled": "A new deck of {count} cards was shuffled.",
        "drew": "{name} drew {count}.",
        "drew_seen": "{name} drew {cards}.",
        "play": "{name} played {card}.",
        "swapped": "{name} discarded {cards}.",
        "kept": "The card joined {name}'s row.",
        "beat": "{name} beat it with {card}.",
        "stole": "{name} took a card from {other}.",
        "stole_seen": "{name} took {card} from {other}.",
        "ended": "The match is over.",
        "left": "{name} left the match.",
        "no_such_card": "There is no card {card}.",
        "nothing_to_answer": "There is nothing to answer: play a card or swap.",
        "not_in_hand": "You don't hold {card}.",
        "wrong_count": "A swap takes exactly {count} cards.",
        "answer_due": "First answer the {card}: beat it or let it go.",
        "does_not_beat": "{card} doesn't beat {played}.",
    },
    "de": {
        "table": "{deck} Karten im Stapel. Abgelegt: {discards}.",
        "played": "{name} hat {card} gespielt; {other} antwortet.",
        "turn": "{name} ist am Zug; danach noch {turns} Züge.",
        "over": "Die Partie ist zu Ende.",
        "seat": "{name}: {held} Karten; Reihe {row}; {beaten} gestochen.",
        "seat_over": "{name}: Platz {place}, {score} Punkte; Reihe {row}; {beaten} gestochen.",
        "gone": " (ausgestiegen)",
        "hand": "Deine Hand: {hand}.",
        "none": "keine",
        "guide": "Du kannst zum Beispiel spielen:",
        "say_play": "spiele {cards}",
        "say_swap": "tausche {cards}",
        "say_beat": "stich {cards}",
        "say_let": "lass",
        "why_play": "eine Karte von: {among}",
        "why_swap": "{count} von: {among}",
        "why_beat": "eine höhere Karte der Farbe: {among}",
        "why_let": "die Karte lassen",
        "shuffled": "Ein neuer Stapel von {count} Karten wurde gemischt.",
        "drew": "{name} zog {count}.",
        "drew_seen": "{name} zog {cards}.",
        "play": "{name} spielte {card}.",
        "swapped": "{name} legte {cards} ab.",
        "kept": "Die Karte kam in die Reihe von {name}.",
        "beat": "{name} stach sie mit {card}.",
        "stole": "{name} nahm {other} eine Karte.",
        "stole_seen": "{name} nahm {other} die {card}.",
        "ended": "Die Partie ist zu Ende.",
        "left": "{name} ist ausgestiegen.",
        "no_such_card": "Eine Karte {card} gibt es nicht.",
        "nothing_to_answer": "Zu antworten ist nichts: spiele eine Karte oder tausche.",
        "not_in_hand": "{card} hast du nicht.",
        "wrong_count": "Getauscht werden genau {count} Karten.",
        "answer_due": "Antworte erst auf {card}: stich oder lass.",
        "does_not_beat": "{card} sticht {played} nicht.",
    },
}


def tell(view: View, language: Language, names: Sequence[str]) -> str:
    texts = TEXTS[language]
    short = [shorten_name(name) for name in names]
    lines = [texts["table"].format(deck=view.deck, discards=_list(view.discards, texts))]
    if view.outcome:
        lines.append(texts["over"])
    elif view.played:
        answering = short[view.to_act or 0]
        lines.append(texts["played"].format(name=short[view.turn], card=view.played, other=answering))
    else:
        lines.append(texts["turn"].format(name=short[view.turn], turns=view.turns_to_come))
    lines += [_tell_seat(view, seat, short[seat], texts) for seat in range(len(names))]
    if view.seat is not None:
        lines.append(texts["hand"].format(hand=_list(view.hand, texts)))
    return "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines)


def _tell_seat(view: View, seat: int, name: str, texts: dict[str, str]) -> str:
    facts: dict[str, Any] = {
        "name": name + (texts["gone"] if seat in view.left else ""),
        "held": view.held[seat],
        "row": _list(view.rows[seat], texts),
        "beaten": view.beaten[seat],
    }
    if view.outcome is None:
        return texts["seat"].format(**facts)
    return texts["seat_over"].format(place=view.outcome.places[seat], score=view.outcome.scores[seat].total, **facts)


def shorten_name(name: str) -> str:
    return shorten(name, NAME, placeholder="…") if " " in name else name[:NAME]


def _list(cards: Sequence[Card], texts: dict[str, str]) -> str:
    return " ".join(map(str, cards)) or texts["none"]


def guide(view: View, language: Language) -> str:
    texts = TEXTS[language]
    lines = []
    for offer in legal(view):
        verb = offer.text.split()[0]
        facts: dict[str, Any] = {}
        for choice in offer.choices:
            facts = {"cards": " ".join(choice.among[: choice.count]), "count": choice.count}
            facts["among"] = " ".join(choice.among)
        lines.append(f"  {texts[f'say_{verb}'].format(**facts):<16}  {texts[f'why_{verb}'].format(**facts)}")
    return "\n".join([texts["guide"], *lines]) if lines else ""


def recount(events: Sequence[Event], language: Language, names: Sequence[str]) -> Sequence[str]:
    told = (_recount(event, names) for event in events)
    return [TEXTS[language][text].format(**facts) for text, facts in filter(None, told)]


def _recount(event: Event, names: Sequence[str]) -> tuple[str, dict[str, Any]] | None:
    match event:
        case DeckShuffled(deck):
            return "shuffled", {"count": len(deck)}
        case CardsDrawn(seat, cards):
            if all(shown.value for shown in cards):
                return "drew_seen", {"name": names[seat], "cards": " ".join(str(shown.value) for shown in cards)}
            return "drew", {"name": names[seat], "count": len(cards)}
        case CardPlayed(seat, card):
            return "play", {"name": names[seat], "card": card}
        case CardsSwapped(seat, cards):
            return "swapped", {"name": names[seat], "cards": " ".join(map(str, cards))}
        case CardKept(seat):
            return "kept", {"name": names[seat]}
        case CardBeaten(seat, card):
            return "beat", {"name": names[seat], "card": card}
        case CardStolen(seat, victim, card):
            facts = {"name": names[seat], "other": names[victim], "card": card.value}
            return ("stole_seen" if card.value else "stole"), facts
        case MatchEnded():
            return "ended", {}
        case SeatLeft(seat):
            return "left", {"name": names[seat]}
    return None


def explain(refusal: RuleViolation, language: Language) -> str:
    if refusal.code in GENERAL_REFUSALS:
        return GENERAL_REFUSALS[refusal.code][language]
    return TEXTS[language][refusal.code].format(**refusal.facts)
