"""What the service answers, as openapi.yaml describes it. These are plain dicts: a member that is new does no harm."""

from typing import Any, TypedDict


class Option(TypedDict):
    name: str
    default: Any
    meaning: str


class Game(TypedDict):
    id: str
    title: str
    seats: list[int]
    ruleset: int
    options: list[Option]


class Registration(TypedDict):
    id: str
    name: str
    address: str
    confirmed: bool


class Player(TypedDict):
    id: str
    name: str
    address: str
    language: str


class Key(TypedDict):
    kid: str
    jwk: dict[str, str]
    created_at: str
    revoked_at: str | None


class Step(TypedDict):
    at: str
    what: str
    why: str


class Notice(TypedDict):
    id: str
    kind: str
    match: str | None
    seat: int | None
    seq: int | None
    created_at: str
    status: str
    steps: list[Step]


class Suppression(TypedDict):
    since: str
    why: str


class Notices(TypedDict):
    suppressed: Suppression | None
    notices: list[Notice]
    next: str | None


class Match(TypedDict):
    id: str
    game: str
    options: dict[str, Any]
    shuffle: str
    status: str
    seats: int
    names: list[str | None]
    unopened: list[int]
    unreachable: list[int]
    to_act: int | None
    turn: int | None
    seq: int
    head: str
    opened: str
    seat: int | None
    clock: dict[str, Any] | None
    asks: dict[str, int] | None


class SeatClock(TypedDict):
    seat: int
    left: int
    away: bool
    misses: int
    wants_pause: bool
    vacation_until: str | None


class Clock(TypedDict):
    match: str
    clock: dict[str, Any] | None
    paused: bool
    running: int | None
    deadline: str | None
    seats: list[SeatClock]


class Vacations(TypedDict):
    vacations: list[dict[str, str]]
    left: int


class State(TypedDict):
    match: str
    seq: int
    head: str
    seat: int | None
    to_act: int | None
    view: dict[str, Any]
    text: str
    outcome: dict[str, Any] | None


class Choice(TypedDict):
    name: str
    count: int
    among: list[str]


class Offer(TypedDict):
    text: str
    choices: list[Choice]


class Legal(TypedDict):
    match: str
    seq: int
    head: str
    seat: int | None
    moves: list[Offer]
    guide: str


class Opening(TypedDict):
    number: int
    value: Any
    salt: str


class Entry(TypedDict):
    seq: int
    hash: str
    public: str
    openings: list[Opening]


class Played(TypedDict):
    line: str
    move: str
    seq: int


class Verdict(TypedDict):
    played: list[Played]
    problem: dict[str, Any] | None
    kept: list[str]
    dropped: list[str]
    seq: int
    head: str
    receipt: str | None


class Submission(TypedDict):
    id: str
    match: str
    seat: int
    status: str
    received_at: str
    receipt: str | None
    verdict: Verdict | None


class Order(TypedDict):
    number: int
    order: str
    status: str
    given_at: str
    receipt: str


class Message(TypedDict):
    number: int
    seat: int
    text: str
    sent_at: str


class Orders(TypedDict):
    match: str
    seat: int
    orders: list[Order]
    guide: str
