"""What a seat may see, and what it may do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Seat
from engine.game import Choice, Offer
from engine.games.celtica.board import DRUIDS
from engine.games.celtica.rules import broken_rule, due, held, next_to_act
from engine.games.celtica.table import Counts, Exchange, Move, Play, State, Table


@dataclass(frozen=True, slots=True)
class View:
    """What everybody may know, and the viewer's own cards."""

    table: Table
    seat: Seat | None
    hand: Counts
    """Of each colour druid cards, then experience cards; empty for a spectator."""


def view(state: State, seat: Seat | None) -> View:
    return View(state.table, seat, () if seat is None else held(state, seat))


def may_act(view: View) -> bool:
    return view.seat is not None and next_to_act(view.table) == view.seat


def seats_in_view(view: View) -> list[Seat]:
    """All seats clockwise, the viewer's own first."""
    count, first = len(view.table.parts), view.seat or 0
    return [Seat((first + step) % count) for step in range(count)]


def spelled_out(names: Sequence[str], counts: Counts) -> tuple[str, ...]:
    """Each name as often as it is counted, in their order."""
    return tuple([name for name, count in zip(names, counts, strict=True) for _ in range(count)])


def refused(view: View, move: Move) -> bool:
    """Whether the viewer, whose turn it is, may not make this move."""
    return view.seat is None or broken_rule(view.table, view.seat, view.hand, move) is not None


@dataclass(frozen=True, slots=True)
class Lead:
    """Cards that may be played, and what they lead to."""

    colour: str
    druid_cards: int
    experience_cards: int
    act: str
    """What is due at the place: `take`, `give`, `draw` (which may be declined) or `nothing`."""
    count: int
    among: tuple[str, ...]
    """The parts to choose from, each as often as it lies there."""


def leads(view: View) -> Iterator[Lead]:
    """Every play of cards that the viewer, whose turn it is, may make: by colour, the fewest cards first."""
    druids, hand = view.table.terms.board.druids, view.hand
    for colour, name in enumerate(druids):
        for experience in range(hand[colour + DRUIDS] + 1):
            for druid in range(hand[colour] + 1):
                lead = lead_of(view, name, druid, experience)
                if lead:
                    yield lead


def lead_of(view: View, colour: str, druid: int, experience: int) -> Lead | None:
    """What these cards lead the viewer to; None where they can't be played."""
    table, board = view.table, view.table.terms.board
    if view.seat is None or colour not in board.druids or not druid + experience:
        return None
    _, act, count = due(table, view.seat, board.druids.index(colour), druid + experience)
    lie = table.display if act == "take" else table.parts[view.seat]
    among = spelled_out(board.parts, lie) if count else ()
    if refused(view, Play(colour, druid, experience, act, among[:count])):
        return None
    return Lead(colour, druid, experience, act, count, among)


def legal(view: View) -> Sequence[Offer]:
    if not may_act(view):
        return ()
    return tuple(_exchanges(view, view.seat or Seat(0)) if view.table.stage.closing else _plays(view))


def _plays(view: View) -> Iterator[Offer]:
    for lead in leads(view):
        cards = said_cards(lead.colour, lead.druid_cards, lead.experience_cards)
        if lead.count:
            yield Offer(f"{cards} {lead.act} {{parts}}", (Choice("parts", lead.count, lead.among),))
        else:
            yield Offer(f"{cards} {lead.act}")
            if lead.act == "draw":
                yield Offer(f"{cards} nothing")


def said_cards(colour: str, druid: int, experience: int) -> str:
    """`red 2+1`"""
    return f"{colour} {druid}+{experience}" if experience else f"{colour} {druid}"


def _exchanges(view: View, seat: Seat) -> Iterator[Offer]:
    """For so many parts given and so many got, every choice of them is as good as the first."""
    names = view.table.terms.board.parts
    mine, display = spelled_out(names, view.table.parts[seat]), spelled_out(names, view.table.display)
    yield Offer("done")
    for gives in range(len(mine) + 1):
        for gets in range(max(gives, 1), len(display) + 1):
            if refused(view, Exchange(mine[:gives], display[:gets])):
                break
            got = Choice("got", gets, display)
            if gives:
                yield Offer("swap {given} for {got}", (Choice("given", gives, mine), got))
            else:
                yield Offer("take {got}", (got,))


def absent(view: View) -> Move:
    """One druid card of the first colour, the first parts in their order, no card drawn, nothing exchanged."""
    if view.table.stage.closing:
        return Exchange((), ())
    lead = next(lead for lead in leads(view) if (lead.druid_cards, lead.experience_cards) == (1, 0))
    return Play(lead.colour, 1, 0, "nothing" if lead.act == "draw" else lead.act, lead.among[: lead.count])
