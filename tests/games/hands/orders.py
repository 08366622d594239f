"""Orders for answering a card (HA-7): `let` or `beat`, for every card or those of one colour."""

from engine.errors import Unreadable
from engine.game import Language
from tests.games.hands.rules import Beat, Colour, Let, Move, View, beats

ANSWERS = ("beat", "let")


def read(text: str, view: View) -> str:
    words = text.casefold().split()
    colours = {name: colour for colour in Colour for name in (colour.value, colour.name.casefold())}
    if not words or words[0] not in ANSWERS or len(words) > 2 or (words[1:] and words[1] not in colours):
        raise Unreadable(text, f"{' or '.join(ANSWERS)}, and a colour or none")
    return " ".join([words[0], *(colours[word].value for word in words[1:])])


def obey(order: str, view: View) -> Move | None:
    answer, *colour = order.split()
    if view.played is None or view.to_act != view.seat or (colour and view.played.colour.value != colour[0]):
        return None
    beating = [card for card in view.hand if beats(card, view.played)]
    return Beat(min(beating, key=str)) if answer == "beat" and beating else Let()


def guide(view: View, language: Language) -> str:
    return "  let\n  beat r\n" if language == "en" else "  let\n  beat b\n"
