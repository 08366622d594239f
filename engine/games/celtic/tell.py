"""Celtic in plain text, English and German: the position, what may be played, what happened, and why not."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from engine.errors import GENERAL_REFUSALS, RuleViolation
from engine.events import Event, Seat, SeatLeft, Shown
from engine.game import Language
from engine.games.celtic.board import GOODS, Board
from engine.games.celtic.names import named, sayable
from engine.games.celtic.rules import GOALS_TO_END, goals_held, influence, next_to_act, score, standing
from engine.games.celtic.table import (
    CardsCollected,
    CompleteGoal,
    Counts,
    FinalPhaseBegun,
    Followed,
    GoalCompleted,
    GoalsDealt,
    GoalsShuffled,
    GoodsRevealed,
    MarkersMoved,
    MatchEnded,
    PartEnded,
    Table,
    TableSet,
    TurnEnded,
)
from engine.games.celtic.view import View, legal, may_act, refused, seats_in_view
from engine.games.celtic.words import WORDS
from engine.names import shortened

WIDTH = 72
NAME = 16
"""Of a player's name, in the table of markers."""


def listed(things: Sequence[str], language: Language) -> str:
    """`cows, fish and sheep`"""
    said = [named(thing, language) for thing in things]
    return WORDS[language]["and"].join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)


def counted(goods: Counts, language: Language) -> str:
    """`hides 3, wine 1`"""
    some = [f"{named(good, language)} {count}" for good, count in zip(GOODS, goods, strict=True) if count]
    return ", ".join(some) or WORDS[language]["none"]


def described(board: Board, goal: str, language: Language) -> str:
    """`E05 (grain, tools: 15)`"""
    card = board.goal[goal]
    return f"{goal} ({', '.join(named(place, language) for place in card.locations)}: {card.influence})"


# -- the position


def tell(view: View, language: Language, names: Sequence[str]) -> str:
    names = [shortened(name) for name in names]
    words, table = WORDS[language], view.table
    blocks = [
        _wrapped(headline(view, language, names), ""),
        list(_markers(view, language, names)),
        [
            *_wrapped(words["stacks"].format(goods=counted(table.stacks, language))),
            words["deck"].format(count=table.deck),
            *_turns(table, language),
        ],
        *(list(_player(view, seat, language, names)) for seat in seats_in_view(view)),
    ]
    if view.hand and not table.stage.ended:
        blocks.append([words["hand"], *_hand(view, language)])
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)


def _wrapped(text: str, indent: str = "  ", first: str = "") -> list[str]:
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent)


def headline(view: View, language: Language, names: Sequence[str]) -> str:
    """Whose decision is due, and which."""
    words, table = WORDS[language], view.table
    seat = next_to_act(table)
    if seat is None:
        winners = [name for name, place in zip(names, standing(table, view.goods).places, strict=True) if place == 1]
        return f"{words['over']} {words['won'].format(names=', '.join(winners))}"
    key = "answer" if table.waiting else "part" if table.stage.closing else "turn"
    facts = {"name": names[seat], "mover": names[table.turn]}
    if table.waiting:
        ids = table.terms.board.ids
        facts["origin"] = named(ids[table.origin], language)
        facts["destination"] = named(ids[table.destination], language)
    sentences = [words[f"your_{key}" if may_act(view) else key].format(**facts)]
    if key == "turn":
        sentences.append(words["after" if table.moved else "before"])
    if not table.stage.closing and len(table.completed[table.turn]) >= GOALS_TO_END:
        sentences.append(words["last_turn"])
    return " ".join(sentences)


def _turns(table: Table, language: Language) -> Iterator[str]:
    if not table.stage.closing:
        most = table.terms.max_turns * len(table.markers)
        yield WORDS[language]["turns"].format(count=table.turns, most=most)


def _markers(view: View, language: Language, names: Sequence[str]) -> Iterator[str]:
    """A line for each place on which a marker stands, a column for each seat; two lines side by side, if they fit."""
    table, seats = view.table, seats_in_view(view)
    yield from _wrapped(
        WORDS[language]["markers"].format(names=", ".join(shortened(names[seat], NAME) for seat in seats))
    )
    lines = []
    for at, place in enumerate(table.terms.board.ids):
        there = [table.markers[seat][at] for seat in seats]
        if any(there):
            numbers = "".join(f"{count or '.':>3}" for count in there)
            lines.append(f"{at:>3} {named(place, language)[:18]:<18}{numbers}")
    half = (len(lines) + 1) // 2
    for at in range(half):
        yield "   ".join(lines[at::half])


def _player(view: View, seat: Seat, language: Language, names: Sequence[str]) -> Iterator[str]:
    words, table, goods = WORDS[language], view.table, view.goods[seat]
    you = words["you"] if seat == view.seat else ""
    gone = words["gone"] if seat in table.stage.left else ""
    yield f"{names[seat]}{you}{gone}"
    if table.stage.ended:
        result = score(table, seat, goods)
        parts = " + ".join(str(points) for _, points in result.parts)
        yield from _wrapped(words["score"].format(total=result.total, parts=parts), "    ", "  ")
    else:
        facts = words["facts"].format(
            done=len(table.completed[seat]),
            held=goals_held(table, seat),
            cards=table.cards[seat],
            influence=influence(table, seat),
        )
        yield from _wrapped(facts, "    ", "  ")
    if table.completed[seat]:
        done = ", ".join(described(table.terms.board, goal, language) for goal in table.completed[seat])
        yield from _wrapped(words["done_goals"].format(goals=done), "    ", "  ")
    if any(goods):
        points = score(table, seat, goods).total - influence(table, seat)
        key = "goods" if table.stage.ended else "trade_now"
        yield from _wrapped(words[key].format(goods=counted(goods, language), points=points), "    ", "  ")


def _hand(view: View, language: Language) -> Iterator[str]:
    for goal in view.hand:
        card = view.table.terms.board.goal[goal]
        ready = WORDS[language]["may_complete"] if may_act(view) and not refused(view, CompleteGoal(goal)) else ""
        said = f"{goal}: {listed(card.locations, language)} ({card.influence}){', ' * bool(ready)}{ready}"
        yield from _wrapped(said, "    ", "  ")


# -- the moves


def guide(view: View, language: Language) -> str:
    if not may_act(view):
        return ""
    title = WORDS[language]["guide_answer" if view.table.waiting else "guide"]
    lines = [line for line in _examples(view, language) if len(line[0]) <= WIDTH - 2]
    width = min(max(len(said) for said, _ in lines), WIDTH // 2)
    told = (f"  {said:<{width}}  {meaning}" for said, meaning in lines)
    return "\n".join([title, *(line if len(line) <= WIDTH else line[: line.rindex("  ")].rstrip() for line in told)])


def _examples(view: View, language: Language) -> Iterator[tuple[str, str]]:
    """One or two for each offer."""
    words, table, board = WORDS[language], view.table, view.table.terms.board
    markers = table.markers[view.seat or 0]
    for offer in legal(view):
        verb, _, rest = offer.text.partition(" ")
        if verb == "goal":
            card = board.goal[rest]
            facts = {"influence": card.influence, "places": listed(card.locations, language)}
            yield words["goal"].format(goal=rest), words["goal?"].format(**facts)
        elif verb == "collect":
            good = rest.split()[0]
            there = markers[board.trade[good]]
            key = "collect?" if table.stacks[GOODS.index(good)] else "collect_none?"
            yield words["collect"].format(good=named(good, language), count=there), words[key].format(there=there)
        elif verb == "move":
            origin = rest.split()[1]
            there, end = markers[board.index[origin]], board.in_reach[board.index[origin]][0]
            facts = {"count": there, "origin": sayable(board, origin, language)}
            facts["destination"] = sayable(board, end, language)
            yield words["move"].format(**facts), words["move?"].format(there=there)
        elif verb == "follow":
            there = markers[table.origin]
            yield words["follow"].format(count=there), words["follow?"].format(there=there)
            yield words["follow"].format(count=0), words["follow_0?"]
        else:
            yield words[verb], words["part_done?" if table.stage.closing else f"{verb}?"]


# -- what happened


def recount(events: Sequence[Event], language: Language, names: Sequence[str]) -> Sequence[str]:
    words = WORDS[language]
    return [words[key].format(**facts) for event in events for key, facts in _TOLD[type(event)](event, language, names)]


Told = Iterator[tuple[str, dict[str, Any]]]


def _seen(goals: tuple[Shown[str], ...], language: Language) -> str:
    """What the reader may see of them."""
    return WORDS[language]["and"].join(goal.value for goal in goals if goal.value)


def _tell_set(event: TableSet, _language: Language, names: Sequence[str]) -> Told:
    yield "set", {"name": names[event.first_player]}


def _tell_shuffled(_event: GoalsShuffled, _language: Language, _names: Sequence[str]) -> Told:
    yield "shuffled", {}


def _tell_dealt(event: GoalsDealt, language: Language, names: Sequence[str]) -> Told:
    for name, goals in zip(names, event.goals, strict=False):
        seen = _seen(goals, language)
        yield f"dealt{'_seen' * bool(seen)}", {"name": name, "count": len(goals), "goals": seen}


def _way(event: MarkersMoved | Followed, language: Language, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": names[event.seat],
        "count": event.count,
        "origin": named(event.origin, language),
        "destination": named(event.destination, language),
    }


def _tell_moved(event: MarkersMoved, language: Language, names: Sequence[str]) -> Told:
    yield "moved", _way(event, language, names)


def _tell_followed(event: Followed, language: Language, names: Sequence[str]) -> Told:
    yield "followed" if event.count else "stayed", _way(event, language, names)


def _tell_completed(event: GoalCompleted, language: Language, names: Sequence[str]) -> Told:
    facts = {"name": names[event.seat], "goal": event.goal, "places": listed(event.returned, language)}
    yield "completed", facts
    if event.drawn:
        seen = _seen(event.drawn, language)
        yield f"drawn{'_seen' * bool(seen)}", {**facts, "goals": seen}


def _tell_collected(event: CardsCollected, language: Language, names: Sequence[str]) -> Told:
    facts = {"name": names[event.seat], "good": named(event.good, language)}
    key = "collected" if event.cards == event.markers else "collected_fewer"
    yield key, {**facts, "markers": event.markers, "cards": event.cards}


def _tell_turn(event: TurnEnded, _language: Language, names: Sequence[str]) -> Told:
    yield "turn_ended", {"name": names[event.seat]}


def _tell_revealed(event: GoodsRevealed, _language: Language, names: Sequence[str]) -> Told:
    yield "revealed", {"name": names[event.seat]}


def _tell_final(event: FinalPhaseBegun, _language: Language, names: Sequence[str]) -> Told:
    yield f"final_{event.reason}", {"name": names[event.seat]}


def _tell_part(event: PartEnded, _language: Language, names: Sequence[str]) -> Told:
    yield "part_ended", {"name": names[event.seat]}


def _tell_left(event: SeatLeft, _language: Language, names: Sequence[str]) -> Told:
    yield "seat_left", {"name": names[event.seat]}


def _tell_ended(event: MatchEnded, _language: Language, _names: Sequence[str]) -> Told:
    yield "others_left" if event.reason == "others_left" else "match_ended", {}


_TOLD: dict[type, Callable[[Any, Language, Sequence[str]], Told]] = {
    TableSet: _tell_set,
    GoalsShuffled: _tell_shuffled,
    GoalsDealt: _tell_dealt,
    MarkersMoved: _tell_moved,
    Followed: _tell_followed,
    GoalCompleted: _tell_completed,
    CardsCollected: _tell_collected,
    TurnEnded: _tell_turn,
    GoodsRevealed: _tell_revealed,
    FinalPhaseBegun: _tell_final,
    PartEnded: _tell_part,
    SeatLeft: _tell_left,
    MatchEnded: _tell_ended,
}


# -- why not


def explain(refusal: RuleViolation, language: Language) -> str:
    if refusal.code in GENERAL_REFUSALS:
        return GENERAL_REFUSALS[refusal.code][language]
    facts = {name: named(fact, language) if isinstance(fact, str) else fact for name, fact in refusal.facts.items()}
    return WORDS[language][refusal.code].format(**facts)
