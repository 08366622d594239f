"""What places and goods are called, and how what a player writes is looked up among them.

An id is its own English name, with spaces. German names are for the ids of the board we ship; on a board with places of
its own, they are called what they are.
"""

from functools import lru_cache

from engine.game import Language
from engine.games.celtic.board import GOODS, TRADE, Board
from engine.words import plain

GERMAN = {
    "village": "Dorf",
    "bread": "Brot",
    "chickens": "Hühner",
    "grain": "Korn",
    "spring": "Quelle",
    "apples": "Äpfel",
    "beer": "Bier",
    "bees": "Bienen",
    "cheese": "Käse",
    "geese": "Gänse",
    "hay": "Heu",
    "pigs": "Schweine",
    "prince_statue": "Fürstenstatue",
    "burial_mound": "Grabhügel",
    "cows": "Kühe",
    "deer": "Hirsch",
    "fish": "Fisch",
    "flagon": "Kanne",
    "goats": "Ziegen",
    "mead": "Met",
    "millet": "Hirse",
    "boat": "Boot",
    "clay": "Lehm",
    "lentils": "Linsen",
    "mistletoe": "Mistel",
    "plums": "Pflaumen",
    "torc": "Torques",
    "wild_boar": "Wildschwein",
    "hazelnuts": "Haselnüsse",
    "herbs": "Kräuter",
    "horses": "Pferde",
    "pears": "Birnen",
    "salt": "Salz",
    "berries": "Beeren",
    "smithy": "Schmiede",
    "wagon": "Wagen",
    "wool": "Wolle",
    "charcoal": "Holzkohle",
    "loom": "Webstuhl",
    "mushrooms": "Pilze",
    "sandstone": "Sandstein",
    "sword": "Schwert",
    "timber": "Bauholz",
    "flax": "Flachs",
    "helmet": "Helm",
    "sheep": "Schafe",
    "shield": "Schild",
    "tools": "Werkzeug",
    "fibula": "Fibel",
    "iron_ore": "Eisenerz",
    "necklace": "Halskette",
    "hides": "Felle",
    "bronze": "Bronze",
    "wine": "Wein",
    "amber": "Bernstein",
    "jewelry": "Schmuck",
    "yellow_pottery": "gelbe Keramik",
    "blue_pottery": "blaue Keramik",
}


def named(thing: str, language: Language) -> str:
    """What a place or a good is called. A trade location is called by its good."""
    thing = thing.removeprefix(TRADE)
    plain = thing.replace("_", " ")
    return GERMAN.get(thing, plain) if language == "de" else plain


LONGEST = 200
"""Of a line."""
_BARE = str.maketrans({"ä": "a", "ö": "o", "ü": "u"})


def sayable(board: Board, place: str, language: Language) -> str:
    """What a place is called, where it is read as that place; else its id."""
    name = named(place, language)
    return name if meant(plain(name, LONGEST).replace(" ", ""), place_spellings(board)) == [place] else place


Spellings = dict[str, tuple[str, ...]]
"""By what is meant: its spellings, without what joins their words. The first is its own."""


def _spelled(thing: str) -> tuple[str, ...]:
    german = GERMAN.get(thing.removeprefix(TRADE), "")
    forms = (thing, thing.removeprefix(TRADE), plain(german, LONGEST), german.casefold().translate(_BARE))
    joined = (form.replace("_", "").replace(" ", "") for form in forms)
    return tuple(dict.fromkeys(form for form in joined if form))


GOOD_SPELLINGS: Spellings = {good: _spelled(good) for good in GOODS}


@lru_cache(maxsize=64)
def _place_spellings(ids: tuple[str, ...]) -> Spellings:
    return {name: _spelled(name) for name in ids}


def place_spellings(board: Board) -> Spellings:
    return _place_spellings(board.ids)


def meant(said: str, spellings: Spellings) -> list[str]:
    """What these letters stand for: the thing of that id, or else all so called, or else all that so begin."""
    own = [thing for thing, forms in spellings.items() if forms[0] == said]
    exact = own or [thing for thing, forms in spellings.items() if said in forms]
    return exact or [thing for thing, forms in spellings.items() if any(form.startswith(said) for form in forms)]
