"""What Celtica is made of: the table and what is hidden, what happens, what may be done.

Private are the cards in the hands; unknown to everybody is the order of the two decks and of the supply of parts. All
else lies open, the numbers of cards held and of pieces in every pile included.
"""

from dataclasses import dataclass
from typing import Literal

from engine.events import Sealed, Seat, Shown
from engine.games.celtica.board import Board
from engine.values import quickly_made

# -- what there is

Counts = tuple[int, ...]
"""How many there are: of each part, by the board's order of parts; or of each colour, by its order of druids."""
Deck = Literal["druid-cards", "experience-cards", "parts"]
Hand = tuple[tuple[str, ...], ...]
"""The slots that a seat's cards came from: its druid cards by colour, then its experience cards by colour."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What was settled when the match was opened."""

    board: Board
    edition: str
    overshoot: str


@quickly_made
@dataclass(frozen=True, slots=True)
class Stage:
    """How far the match has come: what few turns change."""

    shuffles: tuple[int, int, int]
    """How often the druid cards, the experience cards and the parts have been shuffled."""
    closing: str
    """Why no more cards are played, and parts are exchanged instead (CA-23)."""
    to_ask: int
    """In the exchange: how many seats after the last one come into question."""
    left: tuple[Seat, ...]
    ended: str
    """Why the match is over; empty while it runs."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Table:
    """All that everybody may know."""

    terms: Terms
    druids: tuple[int, ...]
    """Where each druid stands."""
    display: Counts
    parts: tuple[Counts, ...]
    """What each seat has."""
    given_up: Counts
    supply: int
    druid_cards: tuple[int, ...]
    """How many each seat holds."""
    experience_cards: tuple[int, ...]
    druid_deck: int
    experience_deck: int
    druid_discards: Counts
    experience_discards: Counts
    last: Seat
    """Who played last; before the first turn, the right neighbour of whoever begins."""
    stage: Stage


@quickly_made
@dataclass(frozen=True, slots=True)
class State:
    table: Table
    hands: tuple[Hand, ...]
    druid_deck: tuple[str, ...]
    """The deck as shuffled last; the last `table.druid_deck` cards of it are still to be drawn, in this order."""
    experience_deck: tuple[str, ...]
    supply: tuple[str, ...]


# -- what happens


@dataclass(frozen=True, slots=True)
class TableSet:
    seats: int
    first_player: Seat
    edition: str
    overshoot: str
    board: Board


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """All cards or parts of a kind at first, later what was discarded or given up. Its slots have new names."""

    deck: str
    pieces: tuple[Sealed[str], ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class CardsDealt:
    """From a deck to the hands, by seat."""

    deck: str
    cards: tuple[tuple[Shown[str], ...], ...]


@dataclass(frozen=True, slots=True)
class PartsDealt:
    seat: Seat
    parts: tuple[Shown[str], ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class DisplayFilled:
    parts: tuple[Shown[str], ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A whole turn. What a deck had to be shuffled for, in the middle of it, follows in events of its own."""

    seat: Seat
    colour: str
    druid_cards: int
    experience_cards: int
    slots: Sealed[tuple[str, ...]]
    """Which of their cards these were, only their player knows."""
    place: int
    """Where the druid stands now."""
    kind: str
    """What place that is; empty when the druid was on the goal already, and nothing happened."""
    taken: tuple[str, ...]
    given: tuple[str, ...]
    drawn: tuple[Shown[str], ...]
    """A druid card on a cult site, an experience card in a ruin."""
    filled: tuple[Shown[str], ...]
    """What came into the display at the end of the turn."""


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """Nobody held a druid card any more, and a new round is dealt."""

    seat: Seat
    """Who played the last one."""


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """No more cards are played. Whatever druid cards the seats still hold, they discard."""

    seat: Seat
    """Whose turn it was."""
    reason: str
    discarded: tuple[tuple[str, ...], ...]
    slots: tuple[Sealed[tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """All that a seat exchanges, or nothing."""

    seat: Seat
    given: tuple[str, ...]
    taken: tuple[str, ...]
    paid: tuple[str, ...]
    slots: Sealed[tuple[str, ...]]
    filled: tuple[Shown[str], ...]


@dataclass(frozen=True, slots=True)
class MatchEnded:
    reason: str


events: tuple[type, ...] = (
    TableSet,
    DeckShuffled,
    CardsDealt,
    PartsDealt,
    DisplayFilled,
    TurnTaken,
    RoundEnded,
    PlayEnded,
    Exchanged,
    MatchEnded,
)
state_type = State


# -- what may be done


@quickly_made
@dataclass(frozen=True, slots=True)
class Play:
    """Cards of one colour, and what is done at the place they lead to."""

    colour: str
    druid_cards: int
    experience_cards: int
    act: str
    """`take` or `give` parts, `draw` a card, or `nothing`."""
    parts: tuple[str, ...] = ()
    """In the board's order."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Parts of one's own for as many of the display, 1 card each; and parts taken besides, 2 cards each.

    In which order a player exchanges makes no difference to what they end up with, so a move is what it comes to: a
    part that only passed through their hands, or through the display, isn't in it.
    """

    gives: tuple[str, ...]
    gets: tuple[str, ...]
    """At least as many; what is more than `gives` is taken."""

    @property
    def cards(self) -> int:
        return 2 * len(self.gets) - len(self.gives)


Move = Play | Exchange
