"""The Game Protocol: what a game promises, and all that the rest of Ogham knows of it.

A game is a module with these names; there is nothing to inherit. State, view and move are the game's own frozen values,
opaque to everybody else. Each sentence below is held by a test in `tests/contracts/`, run over every game in `GAMES`.

Two rules hold in every game. GE-1: a seat that left is played by `absent` from then on, at once; when one seat is left
that hasn't, the match ends and that seat wins. GE-2: acting out of turn or after the end is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.chance import Chance
from engine.errors import BadOption, RuleViolation
from engine.events import Event, Seat

State = Any
View = Any
Move = Any
Language = Literal["en", "de"]
Theme = Literal["light", "dark"]
Options = Mapping[str, Any]

LANGUAGES: tuple[Language, ...] = ("en", "de")


@dataclass(frozen=True, slots=True)
class Option:
    """A choice made when a match is opened. `allows(value, seats)` says whether a value is one of its own.

    `objection(value, seats)`, where it has one, says in a sentence what is wrong with a value that isn't.
    """

    name: str
    default: Any
    meaning: str
    allows: Callable[[Any, int], bool]
    objection: Callable[[Any, int], str] | None = None


@dataclass(frozen=True, slots=True)
class Info:
    """What is known of a game before a match of it is opened."""

    id: str
    title: str
    seats: range
    ruleset: int
    """Goes up with every change of what `decide` allows; an entry names the one that judged it."""
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A gap in an offer: exactly `count` of the words in `among`, in any order, each as often as it stands there."""

    name: str
    count: int
    among: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """Legal moves, told in one line: canonical notation in which each `{name}` is filled from the choice of that name.

    An offer without choices is one move.
    """

    text: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's result. The parts add up to the total."""

    total: int
    parts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended: each seat's place (1 is first; equal results share one: 1, 1, 3), its score, and why."""

    places: tuple[int, ...]
    scores: tuple[Score, ...]
    reason: str


class Orders(Protocol):
    """How a player answers ahead of time what others' moves will ask them out of turn. An order is a line of text."""

    def read(self, text: str, view: View) -> str:
        """The canonical line for what the text orders; NotationError where it is no order. Forgiving like `parse`."""

    def obey(self, order: str, view: View) -> Move | None:
        """What the canonical order answers to the decision the viewing seat is asked for out of turn: a legal move.

        None where it leaves that to the player, and on their own turn.
        """

    def guide(self, view: View, language: Language) -> str:
        """What may be ordered and how to say it, in lines of at most 62 characters: a mail puts a word before them.

        A line indented by two spaces shows something that can be ordered as it stands, up to the next two spaces.
        """


class Judgement(Protocol):
    """What a bot goes by that plays a game well. It sees views, and so knows no more than the seat it plays for."""

    def imagine(self, view: View, chance: Chance) -> State:
        """A state of a running match as it may be, for all that the viewing seat knows: the rest is drawn by chance.

        The seat's view of it is the view given, and it can be played on. The same view and chance give the same state.
        """

    def worth(self, view: View) -> float:
        """How well the viewing seat stands in a running match: a finite number, more is better.

        A rule of thumb, by which one seat compares the positions that its moves may lead to.
        """


class Game(Protocol):
    """A set of rules."""

    @property
    def info(self) -> Info:
        """Its id is the name of the game's folder."""

    @property
    def events(self) -> tuple[type, ...]:
        """Every kind of event the game has, `SeatLeft` apart. An event survives JSON unchanged."""

    @property
    def state_type(self) -> type:
        """The type of its states. A state survives `freeze` and `thaw` unchanged."""

    @property
    def orders(self) -> Orders | None:
        """What a player may order for decisions out of turn; None in a game that asks nobody but whose turn it is."""

    @property
    def judgement(self) -> Judgement | None:
        """How bots tell a good move from a bad one; None in a game in which they play any move."""

    # -- deciding: sees the whole state, may refuse, changes nothing

    def deal(self, seats: int, options: Options, chance: Chance) -> Sequence[Event]:
        """The opening. The same seats, options and chance give the same events. `options` is complete and allowed."""

    def to_act(self, state: State) -> Seat | None:
        """Whose decision is due; None exactly when the match is over. It depends on public facts only."""

    def turn(self, state: State) -> Seat | None:
        """Whose turn it is: the seat that is to act, or one that waits for another's answer and then goes on.

        None exactly when the match is over. It depends on public facts only.
        """

    def decide(self, state: State, seat: Seat, move: Move, chance: Chance) -> Sequence[Event]:
        """What the move brings about, at least one event; or RuleViolation, naming the lowest of the rules it breaks.

        A refusal depends on what the seat may see, and on nothing else.
        """

    def leave(self, state: State, seat: Seat, chance: Chance) -> Sequence[Event]:
        """The seat resigned or forfeited. The match goes on, unless only one other seat is left (GE-1).

        Nothing happens when it had left before; after the end it is refused (GE-2).
        """

    # -- believing

    def evolve(self, state: State | None, event: Event) -> State:
        """The state after the event; it never judges. None is the state before the first event of `deal`."""

    def left(self, state: State) -> tuple[Seat, ...]:
        """The seats that left, in the order they did."""

    def outcome(self, state: State) -> Outcome | None:
        """None while the match runs."""

    # -- speaking: sees a view, and so can't leak

    def view(self, state: State, seat: Seat | None) -> View:
        """All that this seat (None: a spectator) may know, and nothing else. It survives `freeze`.

        States that differ only in what the seat may not see have equal views.
        """

    def legal(self, view: View) -> Sequence[Offer]:
        """The moves the viewing seat may make now: each is accepted by `decide`, and `decide` accepts no other.

        Empty when another seat, or nobody, is to act; never empty when it is the viewer's turn.
        """

    def parse(self, text: str, view: View) -> Move:
        """The move that a line says; Unreadable or Ambiguous where it says none.

        Forgiving: case, spaces, both languages.
        """

    def notate(self, move: Move) -> str:
        """The one canonical line for a move: `parse` gives the move back, and takes nothing else for canonical."""

    def absent(self, view: View) -> Move:
        """What is played for someone who never answers: always legal on their turn, harmless, dull."""

    def tell(self, view: View, language: Language, names: Sequence[str]) -> str:
        """The position in plain text, lines of at most 72 characters. `names` are the players', by seat."""

    def guide(self, view: View, language: Language) -> str:
        """What the viewing seat may play now and how to say it; empty when it isn't its turn.

        A line indented by two spaces shows something that can be played as it stands, up to the next two spaces.
        """

    def recount(self, events: Sequence[Event], language: Language, names: Sequence[str]) -> Sequence[str]:
        """What happened, a sentence per event worth one. The events are `as_seen_by` the reader."""

    def explain(self, refusal: RuleViolation, language: Language) -> str:
        """Why the move was refused, in one sentence."""

    def draw(self, view: View, names: Sequence[str], language: Language, theme: Theme) -> str:
        """The position as an SVG picture: well-formed, self-contained, readable at 360 pixels of width."""


def complete_options(info: Info, seats: int, given: Options) -> dict[str, Any]:
    """The given options with the defaults filled in; BadOption where one is unknown or not allowed."""
    if isinstance(seats, bool) or seats not in info.seats:
        raise BadOption("seats", f"{info.title} is for {info.seats[0]} to {info.seats[-1]} players.")
    known = {option.name: option for option in info.options}
    for name, value in given.items():
        if name not in known:
            raise BadOption(name, f"{info.title} has no option “{name}”. It has: {', '.join(known) or 'none'}.")
        option = known[name]
        if not option.allows(value, seats):
            objection = option.objection and option.objection(value, seats)
            raise BadOption(name, objection or f"{value!r} is no value of “{name}”: {option.meaning}")
    return {name: given.get(name, option.default) for name, option in known.items()}


def seat_or_random(value: Any, seats: int) -> bool:
    """What the option `first_player` allows, in every game that has it."""
    return value == "random" or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < seats)


def check_turn(to_act: Seat | None, seat: Seat) -> None:
    """GE-2."""
    if to_act is None:
        raise RuleViolation("GE-2", "match_over")
    if to_act != seat:
        raise RuleViolation("GE-2", "not_your_turn")


def places(results: Sequence[Any], left: Sequence[Seat] = ()) -> tuple[int, ...]:
    """Each seat's place by its result, greater is better; who left comes after the others, last leaver first (GE-1)."""

    def rank(seat: int) -> tuple[int, Any]:
        if seat in left:
            return (0, left.index(Seat(seat)))
        return (1, results[seat])

    ranks = [rank(seat) for seat in range(len(results))]
    return tuple(1 + sum(_better(other, rank) for other in ranks) for rank in ranks)


def _better(one: tuple[int, Any], other: tuple[int, Any]) -> bool:
    return one[0] > other[0] or (one[0] == other[0] and one[1] > other[1])
