"""Keltis in plain text, English and German: the position, what may be played, what happened, why a move was refused."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from engine.errors import GENERAL_REFUSALS, RuleViolation
from engine.events import Event, Seat, SeatLeft, Shown
from engine.game import Language
from engine.games.keltis.rules import (
    MatchEnded,
    Table,
    TileLaid,
    TileLeft,
    TileRevealed,
    TilesMixed,
    TileTaken,
    TurnStopped,
    rises,
    score,
    standing,
)
from engine.games.keltis.tiles import COLOURS, TILES
from engine.games.keltis.view import View, legal, may_act, open_by_colour, seats_in_view
from engine.names import shortened

WIDTH = 72

# What stands behind a number in plain text.
MARKS = {"": "", "clover": "*", "wish": "w", "+1": "+1", "+3": "+3"}

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "blue": "blue",
        "brown": "brown",
        "yellow": "yellow",
        "green": "green",
        "pink": "pink",
        "clover": "clover: another turn",
        "wish": "wishing stone",
        "+1": "bonus: 1 point",
        "+3": "bonus: 3 points",
        "": "",
        # the position
        "you": " (you)",
        "gone": " (left)",
        "your_turn": "It is your turn.",
        "turn": "{name} is to play.",
        "your_extra": "It is your extra turn.",
        "extra": "{name} has an extra turn.",
        "your_answer": "You revealed {tile}: lay it or leave it?",
        "answer": "{name} revealed {tile}, and is to lay it or leave it.",
        "over": "The match is over.",
        "won": "Won by {names}.",
        "face_down": "Face-down tiles: {count}",
        "open": "Open tiles: {count}",
        "up": "up",
        "down": "down",
        "wishing_stones": "wishing stones: {count}",
        "bonus": "bonus points",
        "point": "{count} point",
        "points": "{count} points",
        "legend": "* clover   w wishing stone   +1 +3 bonus points",
        # the moves
        "guide": "You may play one of these:",
        "reveal": "reveal",
        "reveal?": "turn a tile over, then lay or leave it",
        "reveal, lay else leave": "reveal, lay else leave",
        "reveal, lay else leave?": "lay it if it fits, else leave it",
        "reveal, leave": "reveal, leave",
        "reveal, leave?": "leave it open, whatever it is",
        "lay": "lay",
        "lay?": "lay the tile you revealed",
        "leave": "leave",
        "leave?": "leave it open in the middle",
        "take": "take {tile}",
        "stop": "stop",
        "stop?": "give up the extra turn",
        # what happened
        "mixed": "The tiles are mixed, and {name} begins.",
        "revealed": "{name} revealed {tile}.",
        "laid": "{name} laid {tile}.",
        "revealed_laid": "{name} revealed {tile} and laid it.",
        "left": "{name} left {tile} in the middle.",
        "revealed_left": "{name} revealed {tile} and left it in the middle.",
        "taken": "{name} took {tile}.",
        "goes_on": "The clover gives {name} another turn.",
        "stopped": "{name} gave up the extra turn.",
        "seat_left": "{name} left the match.",
        "last_tile": "The last tile is revealed: the match is over.",
        "others_left": "All others have left: the match is over.",
        # why not
        "no_such_tile": "There is no tile {tile}: the numbers are 0 to 10, the colours {colours}.",
        "not_open": "{tile} doesn't lie open in the middle.",
        "nothing_revealed": "You have revealed no tile: reveal one, or take an open one.",
        "none_face_down": "No tile lies face down any more.",
        "cannot_pass": "A normal turn can't be passed: reveal a tile, or take an open one.",
        "lay_or_leave": "You revealed {tile}: now lay it or leave it, nothing else.",
        "row_rises": "{tile} doesn't fit: your row goes up and has come to {last}.",
        "row_falls": "{tile} doesn't fit: your row goes down and has come to {last}.",
    },
    "de": {
        "blue": "blau",
        "brown": "braun",
        "yellow": "gelb",
        "green": "grün",
        "pink": "rosa",
        "clover": "Kleeblatt: noch ein Zug",
        "wish": "Wunschstein",
        "+1": "Bonus: 1 Punkt",
        "+3": "Bonus: 3 Punkte",
        "": "",
        "you": " (du)",
        "gone": " (ausgestiegen)",
        "your_turn": "Du bist am Zug.",
        "turn": "{name} ist am Zug.",
        "your_extra": "Du hast einen Extrazug.",
        "extra": "{name} hat einen Extrazug.",
        "your_answer": "Du hast {tile} aufgedeckt: legen oder liegen lassen?",
        "answer": "{name} hat {tile} aufgedeckt und darf legen oder liegen lassen.",
        "over": "Die Partie ist zu Ende.",
        "won": "Gewonnen: {names}.",
        "face_down": "Verdeckte Steine: {count}",
        "open": "Offene Steine: {count}",
        "up": "auf",
        "down": "ab",
        "wishing_stones": "Wunschsteine: {count}",
        "bonus": "Bonuspunkte",
        "point": "{count} Punkt",
        "points": "{count} Punkte",
        "legend": "* Kleeblatt   w Wunschstein   +1 +3 Bonuspunkte",
        "guide": "Du kannst eines davon spielen:",
        "reveal": "aufdecken",
        "reveal?": "dann legen oder liegen lassen",
        "reveal, lay else leave": "aufdecken, legen sonst liegenlassen",
        "reveal, lay else leave?": "legen, wenn er passt",
        "reveal, leave": "aufdecken, liegenlassen",
        "reveal, leave?": "liegen lassen, was es auch ist",
        "lay": "legen",
        "lay?": "den aufgedeckten Stein legen",
        "leave": "liegenlassen",
        "leave?": "ihn offen in der Mitte liegen lassen",
        "take": "nimm {tile}",
        "stop": "aufhören",
        "stop?": "auf den Extrazug verzichten",
        "mixed": "Die Steine sind gemischt, {name} beginnt.",
        "revealed": "{name} hat {tile} aufgedeckt.",
        "laid": "{name} hat {tile} angelegt.",
        "revealed_laid": "{name} hat {tile} aufgedeckt und angelegt.",
        "left": "{name} hat {tile} in der Mitte liegen lassen.",
        "revealed_left": "{name} hat {tile} aufgedeckt und in der Mitte liegen lassen.",
        "taken": "{name} hat {tile} genommen.",
        "goes_on": "Das Kleeblatt bringt {name} einen Extrazug.",
        "stopped": "{name} hat auf den Extrazug verzichtet.",
        "seat_left": "{name} ist aus der Partie ausgestiegen.",
        "last_tile": "Der letzte Stein ist aufgedeckt: Die Partie ist zu Ende.",
        "others_left": "Alle anderen sind ausgestiegen: Die Partie ist zu Ende.",
        "no_such_tile": "Einen Stein {tile} gibt es nicht: Die Zahlen sind 0 bis 10, die Farben {colours}.",
        "not_open": "{tile} liegt nicht offen in der Mitte.",
        "nothing_revealed": "Du hast keinen Stein aufgedeckt: Decke einen auf oder nimm einen offenen.",
        "none_face_down": "Es liegt kein Stein mehr verdeckt.",
        "cannot_pass": "Einen normalen Zug kann man nicht auslassen: Decke einen Stein auf oder nimm einen offenen.",
        "lay_or_leave": "Du hast {tile} aufgedeckt: Lege ihn jetzt oder lass ihn liegen, sonst nichts.",
        "row_rises": "{tile} passt nicht: Deine Reihe steigt und ist bei {last} angekommen.",
        "row_falls": "{tile} passt nicht: Deine Reihe fällt und ist bei {last} angekommen.",
    },
}


# -- the position


def tell(view: View, language: Language, names: Sequence[str]) -> str:
    names = [shortened(name) for name in names]
    blocks = [
        wrap(_headline(view, language, names), WIDTH),
        _middle(view.table, language),
        *([_heading(view, seat, language, names), *_rows(view.table, seat, language)] for seat in seats_in_view(view)),
        [WORDS[language]["legend"]],
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _headline(view: View, language: Language, names: Sequence[str]) -> str:
    words, table = WORDS[language], view.table
    if table.ended:
        winners = [name for name, place in zip(names, standing(table).places, strict=True) if place == 1]
        return f"{words['over']} {words['won'].format(names=', '.join(winners))}"
    key = "answer" if table.revealed else "extra" if table.extra else "turn"
    sentence = words[f"your_{key}" if may_act(view) else key]
    tile = table.revealed and named(table.revealed, language) + MARKS[TILES[table.revealed].symbol]
    return sentence.format(name=names[table.turn], tile=tile)


def named(tile: str, language: Language) -> str:
    """A tile's name in this language; one that isn't printed keeps what it has."""
    colour, number = tile.split(" ")
    return f"{WORDS[language][colour] if colour in COLOURS else colour} {number}"


def _middle(table: Table, language: Language) -> list[str]:
    """The face-down tiles' number, and the open ones by colour and number."""
    words = WORDS[language]
    lines = [words["face_down"].format(count=table.face_down), words["open"].format(count=len(table.open))]
    lines += [f"  {words[colour]:<14}{_numbers(tiles)}".rstrip() for colour, tiles in open_by_colour(table)]
    return lines


def _numbers(tiles: Sequence[str]) -> str:
    """`3w  4   9+1`: no more than 44 characters, since a colour has eleven numbers."""
    return "".join(f"{TILES[tile].number}{MARKS[TILES[tile].symbol]}".ljust(4) for tile in tiles)


def _heading(view: View, seat: Seat, language: Language, names: Sequence[str]) -> str:
    words, table = WORDS[language], view.table
    you = words["you"] if seat == view.seat else ""
    gone = words["gone"] if seat in table.left else ""
    return f"{names[seat]}{you}{gone}: {total(table, seat, language)}"


def total(table: Table, seat: Seat, language: Language) -> str:
    """`21 points`"""
    count = score(table, seat).total
    return WORDS[language]["point" if abs(count) == 1 else "points"].format(count=count)


def _rows(table: Table, seat: Seat, language: Language) -> Iterator[str]:
    """The seat's rows that hold tiles, one a line, and all that makes up its points so far."""
    words = WORDS[language]
    points = dict(score(table, seat).parts)
    wishes = 0
    for colour, row in zip(COLOURS, table.rows[seat], strict=True):
        if row:
            direction = words["up" if rises(row) else "down"] if len(row) > 1 else ""
            yield f"  {words[colour]:<8}{direction:<6}{_numbers(row):<48}{points[colour]:>4}"
            wishes += sum(TILES[tile].wish for tile in row)
    yield f"  {words['wishing_stones'].format(count=wishes):<62}{points['wishing_stones']:>4}"
    if points["bonus"]:
        yield f"  {words['bonus']:<62}{points['bonus']:>4}"


# -- the moves


def guide(view: View, language: Language) -> str:
    if not may_act(view):
        return ""
    words = WORDS[language]
    lines = [_say(offer.text, language) for offer in legal(view)]
    width = max(len(said) for said, _ in lines) + 2
    return "\n".join([words["guide"], *(f"  {said:<{width}}{meaning}".rstrip() for said, meaning in lines)])


def _say(move: str, language: Language) -> tuple[str, str]:
    """How a legal move is said in this language, and what it means."""
    words = WORDS[language]
    if move.startswith("take "):
        tile = move.removeprefix("take ")
        return words["take"].format(tile=named(tile, language)), words[TILES[tile].symbol]
    return words[move], words[f"{move}?"]


# -- what happened


HAPPENED = {
    TileRevealed: "revealed",
    TileLaid: "laid",
    TileLeft: "left",
    TileTaken: "taken",
    TurnStopped: "stopped",
    SeatLeft: "seat_left",
}


def recount(events: Sequence[Event], language: Language, names: Sequence[str]) -> Sequence[str]:
    """A reveal and what became of the tile are one sentence."""
    words = WORDS[language]
    sentences: list[str] = []
    previous: Event = None
    for event in events:
        if isinstance(event, TilesMixed):
            sentences.append(words["mixed"].format(name=names[event.first_player]))
        elif isinstance(event, MatchEnded):
            sentences.append(words[event.reason])
        else:
            key, name = HAPPENED[type(event)], names[event.seat]
            if isinstance(previous, TileRevealed) and isinstance(event, TileLaid | TileLeft):
                sentences.pop()
                key = f"revealed_{key}"
            sentences.append(words[key].format(name=name, tile=_tile_of(event, language)))
            if isinstance(event, TileLaid | TileTaken) and event.extra:
                sentences.append(words["goes_on"].format(name=name))
        previous = event
    return sentences


def _tile_of(event: Event, language: Language) -> str:
    tile = getattr(event, "tile", "")
    if isinstance(tile, Shown):
        tile = tile.value
    return named(tile, language) if tile else ""


# -- why not


def explain(refusal: RuleViolation, language: Language) -> str:
    if refusal.code in GENERAL_REFUSALS:
        return GENERAL_REFUSALS[refusal.code][language]
    words = WORDS[language]
    facts = {name: named(str(tile), language) for name, tile in refusal.facts.items()}
    sentence = words[refusal.code].format(colours=", ".join(words[colour] for colour in COLOURS), **facts)
    return sentence[0].upper() + sentence[1:]
