"""What there is in a match of Celtic: the table, what is hidden, what happens, and what a player may say.

Private are the goals in the hands; unknown to everybody is the order of the goal deck. Collected trade cards lie face
down: only their owner is shown them. All else lies open, the numbers of cards in every hand and stack included.
"""

from dataclasses import dataclass

from engine.events import Sealed, Seat, Shown
from engine.games.celtic.board import Board
from engine.values import quickly_made

Counts = tuple[int, ...]
"""How many there are: of each good, in the order of GOODS; or on each place, in the board's order of places."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What was settled when the match was opened."""

    board: Board
    open_trade: bool
    reveal: str
    max_turns: int


@dataclass(frozen=True, slots=True)
class Stage:
    """How far the match has come: what few turns change."""

    closing: str
    """Why the final phase began (CE-16); empty before."""
    closer: Seat | None
    """Who ended the game, if a player did."""
    to_ask: int
    """In the final phase: how many seats, from `turn` on, come into question."""
    left: tuple[Seat, ...]
    ended: str
    """Why the match is over; empty while it runs."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Table:
    """All that everybody may know."""

    terms: Terms
    markers: tuple[Counts, ...]
    """By seat: how many of its markers stand on each place."""
    stacks: Counts
    """How many trade cards of each good are left."""
    cards: tuple[int, ...]
    """How many trade cards each seat has collected."""
    completed: tuple[tuple[str, ...], ...]
    """The goals of each seat, in the order they were completed."""
    deck: int
    """How many goals are left to draw."""
    turn: Seat
    """Whose turn it is; in the final phase, the first seat that comes into question."""
    turns: int
    """How many turns are over."""
    moved: bool
    """Whether this turn's move was made."""
    origin: int
    destination: int
    """From where to where it went."""
    waiting: tuple[Seat, ...]
    """Who may follow and hasn't answered yet, in order (CE-9)."""
    stage: Stage


@quickly_made
@dataclass(frozen=True, slots=True)
class State:
    table: Table
    hands: tuple[tuple[str, ...], ...]
    """The goals that each seat holds, as drawn."""
    goods: tuple[Counts, ...]
    """The trade cards that each seat has collected."""
    deck: tuple[str, ...]
    """All goals as shuffled; the last `table.deck` of them are still to be drawn, in this order."""


# -- what happens


@dataclass(frozen=True, slots=True)
class TableSet:
    seats: int
    first_player: Seat
    open_trade: bool
    reveal: str
    max_turns: int
    board: Board


@dataclass(frozen=True, slots=True)
class GoalsShuffled:
    deck: tuple[Sealed[str], ...]


@dataclass(frozen=True, slots=True)
class GoalsDealt:
    """By seat."""

    goals: tuple[tuple[Shown[str], ...], ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class MarkersMoved:
    seat: Seat
    count: int
    origin: str
    destination: str
    asked: tuple[Seat, ...]
    """Who may follow, in the order they are asked."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Followed:
    """The answer of somebody who might follow; a count of 0 is to stay."""

    seat: Seat
    count: int
    origin: str
    destination: str


@quickly_made
@dataclass(frozen=True, slots=True)
class GoalCompleted:
    """Which goal it is, everybody sees; which of the cards drawn it was, only its owner knows."""

    seat: Seat
    goal: str
    slot: Sealed[str]
    returned: tuple[str, ...]
    """The locations from which a marker went back to the village."""
    drawn: tuple[Shown[str], ...]
    """The new goal, or none."""


@quickly_made
@dataclass(frozen=True, slots=True)
class CardsCollected:
    seat: Seat
    good: str
    markers: int
    """So many went back to the village."""
    cards: int
    """So many were left to take for them."""


@quickly_made
@dataclass(frozen=True, slots=True)
class TurnEnded:
    seat: Seat


@dataclass(frozen=True, slots=True)
class GoodsRevealed:
    """One card of each of the seven goods is shown, and with it the turn and the game end."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class FinalPhaseBegun:
    seat: Seat
    """Who is the first in it."""
    reason: str
    closer: Seat | None
    """Who ended the game, if a player did."""


@dataclass(frozen=True, slots=True)
class PartEnded:
    """A seat is done with its part of the final phase."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    reason: str


events: tuple[type, ...] = (
    TableSet,
    GoalsShuffled,
    GoalsDealt,
    MarkersMoved,
    Followed,
    GoalCompleted,
    CardsCollected,
    TurnEnded,
    GoodsRevealed,
    FinalPhaseBegun,
    PartEnded,
    MatchEnded,
)


# -- what a player may say


@quickly_made
@dataclass(frozen=True, slots=True)
class MoveMarkers:
    count: int
    origin: str
    destination: str


@quickly_made
@dataclass(frozen=True, slots=True)
class Follow:
    count: int


@dataclass(frozen=True, slots=True)
class CompleteGoal:
    goal: str


@dataclass(frozen=True, slots=True)
class Collect:
    good: str
    count: int


@dataclass(frozen=True, slots=True)
class Done:
    pass


@dataclass(frozen=True, slots=True)
class Reveal:
    pass


Move = MoveMarkers | Follow | CompleteGoal | Collect | Done | Reveal
