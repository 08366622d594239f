"""Celtica in plain text, English and German: the position, what may be played, what happened, and why not."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from engine.errors import GENERAL_REFUSALS, RuleViolation
from engine.events import Event, Seat, SeatLeft, Shown
from engine.game import Language
from engine.games.celtica.board import AMULET_SITES, DRUIDS, Board, Place
from engine.games.celtica.rules import amulets, next_to_act, standing
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
    Table,
    TableSet,
    Terms,
    TurnTaken,
)
from engine.games.celtica.view import Lead, View, leads, legal, may_act, said_cards, seats_in_view
from engine.names import shortened

WIDTH = 72
COLUMNS = 19
"""Places side by side; a longer path goes on below."""

# The names of pieces in German; in English, and on a board with names of its own, they are what they are.
GERMAN = {
    "red": "rot",
    "grey": "grau",
    "white": "weiß",
    "black": "schwarz",
    "brown": "braun",
    "blue": "blau",
    "coral": "koralle",
    "green": "grün",
    "rose": "rosa",
    "teal": "türkis",
    "violet": "violett",
    "middle": "mitte",
    "yellow": "gelb",
    "silver": "silber",
    "purple": "lila",
}

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "and": " and ",
        "none": "none",
        # the places
        "start": "start",
        "cult": "cult site",
        "village": "village",
        "castle": "castle",
        "cloister": "cloister",
        "ruin": "ruin",
        "goal": "goal",
        # the position
        "you": " (you)",
        "gone": " (left)",
        "your_turn": "It is your turn.",
        "turn": "{name} is to play.",
        "your_exchange": "You may exchange parts.",
        "exchange": "{name} may exchange parts.",
        "last_round": "A druid is home: this round is the last.",
        "over": "The match is over.",
        "won": "Won by {names}.",
        "place": "place",
        "legend": "c cult site: you may draw a druid card   +2 take parts   "
        "-2 ruin: give up parts, draw an experience card   {goal}",
        "goal_de": "last: the goal, which gives parts, too",
        "goal_en": "* the goal, which gives nothing",
        "display": "Display: {parts}",
        "piles": "Parts face down: {supply}, given up: {given_up}",
        "decks": "Cards to draw: {druid} druid, {experience} experience",
        "druid_discards": "Druid cards discarded: {cards}",
        "experience_discards": "Experience cards discarded: {cards}",
        "complete": "complete amulets: {count}",
        "druid_cards": "druid cards: {count}",
        "experience_cards": "experience cards: {count}",
        "no_parts": "no parts",
        "hand": "Your cards (druid+experience): {cards}",
        # the moves
        "guide": "You may play, for example:",
        "guide_exchange": "A swap costs 1 card, a part taken 2. You may play, for example:",
        "take": "take",
        "give": "give",
        "draw": "draw",
        "nothing": "nothing",
        "swap": "swap",
        "for": "for",
        "done": "done",
        "take?": "{place}: take {count} of the display",
        "give?": "{place}: give up {count}, draw experience",
        "draw?": "{place}: draw a druid card",
        "decline?": "{place}: draw none",
        "CA-12?": "that druid is home: nothing happens",
        "CA-14?": "{place}: no part to give",
        "CA-16?": "{place}: nothing happens",
        "done?": "exchange nothing",
        "cost?": "cards: {count}",
        # what happened
        "set": "The board is set up, and {name} begins.",
        "shuffled_druid-cards": "The discarded druid cards are shuffled into a new deck.",
        "shuffled_experience-cards": "The discarded experience cards are shuffled into a new deck.",
        "shuffled_parts": "The parts given up are shuffled into a new supply.",
        "dealt_druid-cards": "{name} gets druid cards: {count}.",
        "dealt_experience-cards": "{name} gets experience cards: {count}.",
        "dealt_druid-cards_seen": "{name} gets druid cards: {cards}.",
        "dealt_experience-cards_seen": "{name} gets experience cards: {cards}.",
        "parts_dealt": "{name} gets the parts {parts}.",
        "filled": "New in the display: {parts}.",
        "played": "{name} played {cards}: the druid comes to place {place} ({kind}).",
        "played_home": "{name} played {cards}: that druid is home, and nothing happens.",
        "played_taken": "{name} played {cards}: the druid comes to place {place} ({kind}), and {name} takes {parts}.",
        "played_given": "{name} played {cards}: the druid comes to place {place} ({kind}), "
        "and {name} gives up {parts}.",
        "drawn_cult": "{name} draws a druid card.",
        "drawn_ruin": "{name} draws an experience card.",
        "drawn_cult_seen": "{name} draws the druid card {cards}.",
        "drawn_ruin_seen": "{name} draws the experience card {cards}.",
        "round_ended": "Nobody has druid cards any more: a new round is dealt.",
        "ended_druids_home": "All five druids are home: no more cards are played.",
        "ended_no_parts": "No parts are left: no more cards are played.",
        "ended_last_round": "The last round is over: no more cards are played.",
        "discarded": "{name} discards {cards}.",
        "exchanged_nothing": "{name} exchanges nothing.",
        "exchanged_swap": "{name} gives {given} for {taken}, and pays {count} experience cards.",
        "exchanged_take": "{name} takes {taken}, and pays {count} experience cards.",
        "seat_left": "{name} left the match.",
        "match_ended": "The match is over.",
        "others_left": "All others have left: the match is over.",
        # why not
        "no_such_druid": "There is no druid {colour}.",
        "no_such_part": "There is no part {part}.",
        "no_cards": "A turn can't be passed: play at least one card.",
        "cards_are_played": "Parts are exchanged only at the end: play at least one card.",
        "too_few_druid_cards": "You hold {count} druid cards in {colour}.",
        "too_few_experience_cards": "You hold {count} experience cards in {colour}.",
        "no_druid_card": "Experience cards are played only while you hold a druid card.",
        "past_the_goal": "The druid in {colour} has only {count} steps to go.",
        "druid_is_home": "That druid is home: its cards are discarded, and nothing is taken, given or drawn.",
        "take_parts": "This leads to a place where you take parts: say exactly {count}.",
        "not_in_display": "The display holds too few parts in {part}: {count}.",
        "give_parts": "This leads to a ruin: say exactly {count} of your parts to give up.",
        "no_part_to_give": "This leads to a ruin, and you have no part to give up.",
        "not_yours": "You have too few parts in {part}: {count}.",
        "draw_or_not": "This leads to a cult site: draw a card, or say “nothing”.",
        "goal_gives_nothing": "In this edition nothing happens on the goal.",
        "nothing_for_it": "Every part you give must be swapped for one.",
        "too_few_cards": "That costs {cost} experience cards, and you hold {count}.",
    },
    "de": {
        "and": " und ",
        "none": "keine",
        "start": "Start",
        "cult": "Kultstätte",
        "village": "Dorf",
        "castle": "Burg",
        "cloister": "Kloster",
        "ruin": "Ruine",
        "goal": "Ziel",
        "you": " (du)",
        "gone": " (ausgestiegen)",
        "your_turn": "Du bist am Zug.",
        "turn": "{name} ist am Zug.",
        "your_exchange": "Du kannst Teile tauschen.",
        "exchange": "{name} kann Teile tauschen.",
        "last_round": "Ein Druide ist am Ziel: Diese Runde ist die letzte.",
        "over": "Die Partie ist zu Ende.",
        "won": "Gewonnen: {names}.",
        "place": "Feld",
        "legend": "c Kultstätte: du darfst eine Druidenkarte ziehen   +2 Teile nehmen   "
        "-2 Ruine: Teile abgeben, Erfahrungskarte ziehen   {goal}",
        "goal_de": "zuletzt: das Ziel, das auch Teile gibt",
        "goal_en": "* das Ziel, das nichts gibt",
        "display": "Auslage: {parts}",
        "piles": "Teile verdeckt: {supply}, abgegeben: {given_up}",
        "decks": "Karten zum Ziehen: {druid} Druiden, {experience} Erfahrung",
        "druid_discards": "Abgelegte Druidenkarten: {cards}",
        "experience_discards": "Abgelegte Erfahrungskarten: {cards}",
        "complete": "vollständige Amulette: {count}",
        "druid_cards": "Druidenkarten: {count}",
        "experience_cards": "Erfahrungskarten: {count}",
        "no_parts": "keine Teile",
        "hand": "Deine Karten (Druiden+Erfahrung): {cards}",
        "guide": "Du kannst zum Beispiel spielen:",
        "guide_exchange": "Ein Tausch kostet 1 Karte, ein Teil 2. Du kannst zum Beispiel spielen:",
        "take": "nimm",
        "give": "gib",
        "draw": "ziehe",
        "nothing": "nichts",
        "swap": "tausche",
        "for": "gegen",
        "done": "fertig",
        "take?": "{place}: {count} aus der Auslage",
        "give?": "{place}: {count} abgeben, Erfahrung ziehen",
        "draw?": "{place}: eine Druidenkarte",
        "decline?": "{place}: keine Karte",
        "CA-12?": "dieser Druide ist am Ziel: nichts geschieht",
        "CA-14?": "{place}: kein Teil abzugeben",
        "CA-16?": "{place}: nichts geschieht",
        "done?": "nichts tauschen",
        "cost?": "Karten: {count}",
        "set": "Der Plan ist aufgebaut, {name} beginnt.",
        "shuffled_druid-cards": "Die abgelegten Druidenkarten werden zum neuen Stapel gemischt.",
        "shuffled_experience-cards": "Die abgelegten Erfahrungskarten werden zum neuen Stapel gemischt.",
        "shuffled_parts": "Die abgegebenen Teile werden zum neuen Vorrat gemischt.",
        "dealt_druid-cards": "{name} bekommt Druidenkarten: {count}.",
        "dealt_experience-cards": "{name} bekommt Erfahrungskarten: {count}.",
        "dealt_druid-cards_seen": "{name} bekommt Druidenkarten: {cards}.",
        "dealt_experience-cards_seen": "{name} bekommt Erfahrungskarten: {cards}.",
        "parts_dealt": "{name} bekommt die Teile {parts}.",
        "filled": "Neu in der Auslage: {parts}.",
        "played": "{name} spielt {cards}: Der Druide kommt auf Feld {place} ({kind}).",
        "played_home": "{name} spielt {cards}: Dieser Druide ist am Ziel, nichts geschieht.",
        "played_taken": "{name} spielt {cards}: Der Druide kommt auf Feld {place} ({kind}), und {name} nimmt {parts}.",
        "played_given": "{name} spielt {cards}: Der Druide kommt auf Feld {place} ({kind}), "
        "und {name} gibt {parts} ab.",
        "drawn_cult": "{name} zieht eine Druidenkarte.",
        "drawn_ruin": "{name} zieht eine Erfahrungskarte.",
        "drawn_cult_seen": "{name} zieht die Druidenkarte {cards}.",
        "drawn_ruin_seen": "{name} zieht die Erfahrungskarte {cards}.",
        "round_ended": "Niemand hat mehr Druidenkarten: Eine neue Runde wird ausgeteilt.",
        "ended_druids_home": "Alle fünf Druiden sind am Ziel: Karten werden keine mehr gespielt.",
        "ended_no_parts": "Es gibt keine Teile mehr: Karten werden keine mehr gespielt.",
        "ended_last_round": "Die letzte Runde ist vorbei: Karten werden keine mehr gespielt.",
        "discarded": "{name} legt {cards} ab.",
        "exchanged_nothing": "{name} tauscht nichts.",
        "exchanged_swap": "{name} gibt {given} für {taken} und zahlt {count} Erfahrungskarten.",
        "exchanged_take": "{name} nimmt {taken} und zahlt {count} Erfahrungskarten.",
        "seat_left": "{name} ist aus der Partie ausgestiegen.",
        "match_ended": "Die Partie ist zu Ende.",
        "others_left": "Alle anderen sind ausgestiegen: Die Partie ist zu Ende.",
        "no_such_druid": "Einen Druiden {colour} gibt es nicht.",
        "no_such_part": "Ein Teil {part} gibt es nicht.",
        "no_cards": "Man kann nicht passen: Spiele mindestens eine Karte.",
        "cards_are_played": "Getauscht wird erst am Ende: Spiele mindestens eine Karte.",
        "too_few_druid_cards": "Druidenkarten in {colour} hast du {count}.",
        "too_few_experience_cards": "Erfahrungskarten in {colour} hast du {count}.",
        "no_druid_card": "Erfahrungskarten spielt man nur, solange man eine Druidenkarte hat.",
        "past_the_goal": "Der Druide in {colour} hat nur noch {count} Schritte vor sich.",
        "druid_is_home": "Dieser Druide ist am Ziel: Seine Karten werden abgelegt, und nichts wird genommen, "
        "gegeben oder gezogen.",
        "take_parts": "Das führt auf ein Feld, wo man Teile nimmt: Nenne genau {count}.",
        "not_in_display": "In der Auslage liegen zu wenige Teile in {part}: {count}.",
        "give_parts": "Das führt in eine Ruine: Nenne genau {count} deiner Teile, die du abgibst.",
        "no_part_to_give": "Das führt in eine Ruine, und du hast kein Teil abzugeben.",
        "not_yours": "Du hast zu wenige Teile in {part}: {count}.",
        "draw_or_not": "Das führt zu einer Kultstätte: Ziehe eine Karte oder sage „nichts“.",
        "goal_gives_nothing": "In dieser Ausgabe geschieht am Ziel nichts.",
        "nothing_for_it": "Für jedes Teil, das du gibst, musst du eines nehmen.",
        "too_few_cards": "Das kostet {cost} Erfahrungskarten, und du hast {count}.",
    },
}


def named(piece: str, language: Language) -> str:
    """What a colour or a part is called in this language."""
    return GERMAN.get(piece, piece) if language == "de" else piece


def listed(pieces: Sequence[str], language: Language) -> str:
    """`blue, green and middle`; of several alike, `gold (2)`."""
    words = WORDS[language]
    said = [
        f"{named(piece, language)} ({count})" if (count := pieces.count(piece)) > 1 else named(piece, language)
        for piece in dict.fromkeys(pieces)
    ]
    return words["and"].join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said) or words["none"]


def counted(names: Sequence[str], counts: Counts, language: Language) -> str:
    """`red 3, black 1`"""
    some = [f"{named(name, language)} {count}" for name, count in zip(names, counts, strict=True) if count]
    return ", ".join(some) or WORDS[language]["none"]


# -- the position


def tell(view: View, language: Language, names: Sequence[str]) -> str:
    names = [shortened(name) for name in names]
    table = view.table
    blocks = [
        wrap(_headline(view, language, names), WIDTH),
        list(_path(table, language)),
        list(_piles(table, language)),
        *([*_heading(view, seat, language, names), *_amulets(table, seat, language)] for seat in seats_in_view(view)),
    ]
    if view.hand and not table.stage.ended:
        blocks.append(_wrapped(WORDS[language]["hand"].format(cards=hand_of(view, language))))
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, WIDTH, subsequent_indent=indent)


def _headline(view: View, language: Language, names: Sequence[str]) -> str:
    words, table = WORDS[language], view.table
    if table.stage.ended:
        winners = [name for name, place in zip(names, standing(table).places, strict=True) if place == 1]
        return f"{words['over']} {words['won'].format(names=', '.join(winners))}"
    key = "exchange" if table.stage.closing else "turn"
    sentence = words[f"your_{key}" if may_act(view) else key].format(name=names[next_to_act(table) or 0])
    is_last = max(table.druids) == table.terms.board.goal and not table.stage.closing
    return f"{sentence} {words['last_round']}" if is_last else sentence


def sign(place: Place, terms: Terms) -> str:
    """What a place gives or costs, in two characters."""
    if place.kind == "cult":
        return "c"
    if place.kind == "ruin":
        return f"-{place.number}"
    if place.kind in AMULET_SITES or (place.kind == "goal" and terms.edition == "de"):
        return f"+{place.number}"
    return "o" if place.kind == "start" else "*"


def _path(table: Table, language: Language) -> Iterator[str]:
    """A column for each place, a line for each druid."""
    words, board = WORDS[language], table.terms.board
    width = max(8, *(len(named(druid, language)) + 1 for druid in board.druids))
    for start in range(0, len(board.places), COLUMNS):
        places = range(start, min(start + COLUMNS, len(board.places)))
        yield words["place"].ljust(width) + "".join(f"{place:>3}" for place in places)
        yield " " * width + "".join(f"{sign(board.places[place], table.terms):>3}" for place in places)
        for druid, stands in zip(board.druids, table.druids, strict=True):
            marks = "".join(f"{'@' if stands == place else '.':>3}" for place in places)
            yield named(druid, language).ljust(width) + marks
    yield from _wrapped(words["legend"].format(goal=words[f"goal_{table.terms.edition}"]), "")


def _piles(table: Table, language: Language) -> Iterator[str]:
    words, board = WORDS[language], table.terms.board
    for line in (
        words["display"].format(parts=counted(board.parts, table.display, language)),
        words["piles"].format(supply=table.supply, given_up=counted(board.parts, table.given_up, language)),
        words["decks"].format(druid=table.druid_deck, experience=table.experience_deck),
        words["druid_discards"].format(cards=counted(board.druids, table.druid_discards, language)),
        words["experience_discards"].format(cards=counted(board.druids, table.experience_discards, language)),
    ):
        yield from _wrapped(line)


def _heading(view: View, seat: Seat, language: Language, names: Sequence[str]) -> list[str]:
    words, table = WORDS[language], view.table
    you = words["you"] if seat == view.seat else ""
    gone = words["gone"] if seat in table.stage.left else ""
    facts = ", ".join(
        (
            words["complete"].format(count=standing(table).scores[seat].total),
            words["druid_cards"].format(count=table.druid_cards[seat]),
            words["experience_cards"].format(count=table.experience_cards[seat]),
        )
    )
    return [f"{names[seat]}{you}{gone}", f"  {facts}"]


def amulet_parts(board: Board, parts: Counts) -> Iterator[list[str]]:
    """CA-24: the parts of each amulet, the largest first."""
    for number in range(1, len(amulets(parts)) + 1):
        yield [name for name, count in zip(board.parts, parts, strict=True) if count >= number]


def _amulets(table: Table, seat: Seat, language: Language) -> Iterator[str]:
    """An amulet a line, behind the number of its parts."""
    for amulet in amulet_parts(table.terms.board, table.parts[seat]):
        said = " ".join(named(part, language) for part in amulet)
        yield from wrap(said, WIDTH, initial_indent=f"  {len(amulet)}: ", subsequent_indent="     ")
    if not any(table.parts[seat]):
        yield f"  {WORDS[language]['no_parts']}"


def hand_of(view: View, language: Language) -> str:
    """The viewer's cards, as one plays them: `red 2+1, black 1, brown 0+2`."""
    druids = view.table.terms.board.druids
    cards = [
        said_cards(named(name, language), view.hand[colour], view.hand[colour + DRUIDS])
        for colour, name in enumerate(druids)
        if view.hand[colour] or view.hand[colour + DRUIDS]
    ]
    return ", ".join(cards) or WORDS[language]["none"]


# -- the moves


def guide(view: View, language: Language) -> str:
    if not may_act(view):
        return ""
    words = WORDS[language]
    if view.table.stage.closing:
        title, lines = words["guide_exchange"], list(_guide_exchange(view, language))
    else:
        title, lines = words["guide"], list(_guide_plays(view, language))
    lines = [line for line in lines if len(line[0]) <= WIDTH - 2] or lines[:1]
    width = min(max(len(said) for said, _ in lines), WIDTH // 2)
    told = (f"  {said:<{width}}  {meaning}" for said, meaning in lines)
    return "\n".join([title, *(line if len(line) <= WIDTH else line[: line.rindex("  ")].rstrip() for line in told)])


def _guide_plays(view: View, language: Language) -> Iterator[tuple[str, str]]:
    words = WORDS[language]
    for lead in leads(view):
        cards = said_cards(named(lead.colour, language), lead.druid_cards, lead.experience_cards)
        parts = "".join(f" {named(part, language)}" for part in lead.among[: lead.count])
        key, place = _leads_to(view, lead, language)
        yield f"{cards} {words[lead.act]}{parts}", words[f"{key}?"].format(place=place, count=lead.count)
        if lead.act == "draw":
            yield f"{cards} {words['nothing']}", words["decline?"].format(place=place)


def _leads_to(view: View, lead: Lead, language: Language) -> tuple[str, str]:
    """What is told of the place, and its name: `castle 3`."""
    table, board = view.table, view.table.terms.board
    stands = table.druids[board.druids.index(lead.colour)]
    number = min(stands + lead.druid_cards + lead.experience_cards, board.goal)
    kind = board.places[number].kind
    key = lead.act
    if key == "nothing":
        key = "CA-12" if stands == board.goal else "CA-14" if kind == "ruin" else "CA-16"
    return key, f"{WORDS[language][kind]} {number}"


def _guide_exchange(view: View, language: Language) -> Iterator[tuple[str, str]]:
    words = WORDS[language]
    for offer in legal(view):
        chosen = {choice.name: choice.among[: choice.count] for choice in offer.choices}
        given, got = chosen.get("given", ()), chosen.get("got", ())
        said = {name: " ".join(named(part, language) for part in parts) for name, parts in chosen.items()}
        cost = words["cost?"].format(count=2 * len(got) - len(given))
        if given:
            yield f"{words['swap']} {said['given']} {words['for']} {said['got']}", cost
        elif got:
            yield f"{words['take']} {said['got']}", cost
        else:
            yield words["done"], words["done?"]


# -- what happened


def recount(events: Sequence[Event], language: Language, names: Sequence[str]) -> Sequence[str]:
    words = WORDS[language]
    return [words[key].format(**facts) for event in events for key, facts in _TOLD[type(event)](event, language, names)]


Told = Iterator[tuple[str, dict[str, Any]]]


def _tell_set(event: TableSet, _language: Language, names: Sequence[str]) -> Told:
    yield "set", {"name": names[event.first_player]}


def _tell_shuffled(event: DeckShuffled, _language: Language, _names: Sequence[str]) -> Told:
    if not event.pieces[0].name.startswith(f"{event.deck}/1/"):
        yield f"shuffled_{event.deck}", {}


def _seen(pieces: tuple[Shown[str], ...]) -> list[str]:
    """What the reader may see of them."""
    return [piece.value for piece in pieces if piece.value]


def _tell_dealt(event: CardsDealt, language: Language, names: Sequence[str]) -> Told:
    for seat, cards in enumerate(event.cards):
        if cards:
            seen = sorted(_seen(cards))
            facts = {"name": names[seat], "count": len(cards), "cards": listed(seen, language)}
            yield f"dealt_{event.deck}{'_seen' * bool(seen)}", facts


def _tell_parts_dealt(event: PartsDealt, language: Language, names: Sequence[str]) -> Told:
    yield "parts_dealt", {"name": names[event.seat], "parts": listed(_seen(event.parts), language)}


def _tell_filled(event: DisplayFilled, language: Language, _names: Sequence[str]) -> Told:
    yield "filled", {"parts": listed(_seen(event.parts), language)}


def _tell_turn(event: TurnTaken, language: Language, names: Sequence[str]) -> Told:
    facts = {
        "name": names[event.seat],
        "cards": said_cards(named(event.colour, language), event.druid_cards, event.experience_cards),
        "place": event.place,
        "kind": WORDS[language].get(event.kind, ""),
        "parts": listed(event.taken or event.given, language),
    }
    end = "_taken" if event.taken else "_given" if event.given else "" if event.kind else "_home"
    yield f"played{end}", facts
    if event.drawn:
        seen = _seen(event.drawn)
        yield f"drawn_{event.kind}{'_seen' * bool(seen)}", {**facts, "cards": listed(seen, language)}
    if event.filled:
        yield "filled", {"parts": listed(_seen(event.filled), language)}


def _tell_round(_event: RoundEnded, _language: Language, _names: Sequence[str]) -> Told:
    yield "round_ended", {}


def _tell_play_ended(event: PlayEnded, language: Language, names: Sequence[str]) -> Told:
    yield f"ended_{event.reason}", {}
    for name, cards in zip(names, event.discarded, strict=False):
        if cards:
            yield "discarded", {"name": name, "cards": listed(cards, language)}


def _tell_exchanged(event: Exchanged, language: Language, names: Sequence[str]) -> Told:
    facts = {
        "name": names[event.seat],
        "given": listed(event.given, language),
        "taken": listed(event.taken, language),
        "count": len(event.paid),
    }
    yield f"exchanged_{'swap' if event.given else 'take' if event.taken else 'nothing'}", facts
    if event.filled:
        yield "filled", {"parts": listed(_seen(event.filled), language)}


def _tell_left(event: SeatLeft, _language: Language, names: Sequence[str]) -> Told:
    yield "seat_left", {"name": names[event.seat]}


def _tell_ended(event: MatchEnded, _language: Language, _names: Sequence[str]) -> Told:
    yield "others_left" if event.reason == "others_left" else "match_ended", {}


_TOLD: dict[type, Callable[[Any, Language, Sequence[str]], Told]] = {
    TableSet: _tell_set,
    DeckShuffled: _tell_shuffled,
    CardsDealt: _tell_dealt,
    PartsDealt: _tell_parts_dealt,
    DisplayFilled: _tell_filled,
    TurnTaken: _tell_turn,
    RoundEnded: _tell_round,
    PlayEnded: _tell_play_ended,
    Exchanged: _tell_exchanged,
    SeatLeft: _tell_left,
    MatchEnded: _tell_ended,
}


# -- why not


def explain(refusal: RuleViolation, language: Language) -> str:
    if refusal.code in GENERAL_REFUSALS:
        return GENERAL_REFUSALS[refusal.code][language]
    facts = {name: named(fact, language) if isinstance(fact, str) else fact for name, fact in refusal.facts.items()}
    return WORDS[language][refusal.code].format(**facts)
