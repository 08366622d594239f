"""How fast Ogham is on this machine, and how fast it is meant to be: `make bench`, or `make bench ARGS=engine`.

Ratios are of one run; a figure alone tells of the machine. The engine is timed by the processor's clock, so that others
who work on the machine disturb it less; the service by the wall's, since it waits for the disk.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
from flask import Flask, request
from joserfc import jws
from joserfc.jwk import OKPKey
from rich.console import Console
from rich.table import Table
from sqlalchemy import create_engine, select, text

from client.api import Ogham
from client.keys import Identity
from engine.chance import Chance
from engine.events import Event, Seat
from engine.game import Game, State, View, complete_options
from engine.games import GAMES
from engine.log import BEFORE_FIRST, Opening, Pen, replay, spelling_of
from engine.play import fold, pick, play_line
from engine.values import JSON
from ogham.embedded import prepare_database
from service.app import create_app
from service.moves import settle_submission
from service.notices import reply_token
from service.settings import Settings
from service.store.db import db, engine_options, prepare_engine
from service.store.tables import Notice

SECONDS = 3.0
MATCHES = 20

# Three times and five times what boardgame.io's reducer and its replay do on two cores like ours.
DECIDE_BAR = 70_800
REPLAY_BAR = 112_000
REPLAY_500_BAR = 5.0
"""Milliseconds for 500 entries."""
SERVICE_BAR = 0.6
"""Of the minimal route."""


def rate(step: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """How often per second, over some seconds; a step answers how many it did."""
    done, start = 0, clock()
    while (spent := clock() - start) < SECONDS:
        done += step()
    return done / spent


@dataclass(frozen=True, slots=True)
class Turn:
    """One move of a random match: what was known when it was made, and what came of it."""

    seat: Seat
    view: View
    line: str
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Recorded:
    chance: Chance
    dealt: Sequence[Event]
    opening: State
    turns: Sequence[Turn]


def record(game: Game, number: int) -> Recorded:
    """A random match of as many as can play."""
    seats, chance = game.info.seats[-1], Chance(bytes([number]))
    dealt = game.deal(seats, complete_options(game.info, seats, {}), chance)
    opening = state = fold(game, None, dealt)
    turns: list[Turn] = []
    while (seat := game.to_act(state)) is not None:
        view = game.view(state, seat)
        line = pick(game.legal(view), chance, f"bench/{len(turns)}")
        played = play_line(game, state, seat, line, chance)
        turns.append(Turn(seat, view, line, played.events))
        state = played.state
    return Recorded(chance, dealt, opening, turns)


def decide_rate(game: Game, matches: Sequence[Recorded]) -> float:
    """parse + decide + evolve."""
    parse, decide, evolve = game.parse, game.decide, game.evolve

    def step() -> int:
        for match in matches:
            state, chance = match.opening, match.chance
            for turn in match.turns:
                for event in decide(state, turn.seat, parse(turn.line, turn.view), chance):
                    state = evolve(state, event)
        return sum(len(match.turns) for match in matches)

    return rate(step, time.process_time)


def replay_rate(game: Game, matches: Sequence[Recorded]) -> float:
    """Stored logs, from their JSON to the state."""
    logs = [_written(game, match) for match in matches]

    def step() -> int:
        for publics, values in logs:
            replay(game, publics, values.__getitem__)
        return sum(len(publics) for publics, _ in logs)

    return rate(step, time.process_time)


def _written(game: Game, match: Recorded) -> tuple[list[bytes], dict[int, JSON]]:
    """The match's entries, and its hidden values by the number of their seal."""
    named: dict[str, Opening] = {}
    values: dict[int, JSON] = {}
    pen = Pen("bench", 0, BEFORE_FIRST, 0, named.__getitem__, lambda: bytes(16))
    spelling, publics = spelling_of(game), []

    def write(kind: str, events: Sequence[Event], **members: JSON) -> None:
        proof = {"grade": "signed", "evidence": {"$seal": {"value": "a" * 400, "to": None, "name": ""}}}
        said = [spelling.write(event) for event in events]
        written = pen.write(kind, "2026-01-01T00:00:00Z", events=said, proof=proof, rules=1, **members)
        values.update((opening.number, opening.value) for opening in written.openings)
        named.update((opening.name, opening) for opening in written.openings)
        publics.append(written.public)

    write("dealt", match.dealt)
    for turn in match.turns:
        write("moved", turn.events, seat=turn.seat, move=turn.line)
    return publics, values


def minimal_route_rate(folder: Path) -> float:
    """The least that a service could do: verify one signature, commit one row."""
    key = OKPKey.generate_key("Ed25519")
    url = f"sqlite:///{folder / 'minimal.sqlite'}"
    engine = create_engine(url, **engine_options(url))
    prepare_engine(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE move (body TEXT)"))
    app = Flask("minimal")

    @app.post("/")
    def take() -> dict[str, str]:
        body = request.get_json()["submission"]
        jws.deserialize_compact(body, key, algorithms=["Ed25519"])
        with engine.connect().execution_options(writing=True) as connection, connection.begin():
            connection.execute(text("INSERT INTO move VALUES (:body)"), {"body": body})
        return {"status": "ok"}

    header = {"alg": "Ed25519", "kid": key.thumbprint(), "typ": "ogham-move+jws"}
    numbers = count()
    client = httpx.Client(transport=httpx.WSGITransport(app=app), base_url="http://minimal")

    def step() -> int:
        signed = jws.serialize_compact(header, json.dumps({"n": next(numbers)}), key, algorithms=["Ed25519"])
        client.post("/", json={"submission": signed}).raise_for_status()
        return 1

    return rate(step)


def service_rate(folder: Path, game: Game) -> float:
    """A signed move: taken in over the API, settled, its notice stored. The mails are left waiting."""
    settings = Settings(
        database_url=f"sqlite:///{folder / 'ogham.sqlite'}", redis_url=None, smtp_url=None, secret=bytes(32),
        public_url="http://127.0.0.1:8000", mail_domain="ogham.bench",
    )  # fmt: skip
    app = create_app(settings)
    prepare_database(app, settings)
    players = [_player(app, settings, name) for name in ("Ann", "Ben")]
    moves, spent = 0, 0.0
    while spent < SECONDS:
        match = players[0].open(game.info.id, 2)
        for seat, player in enumerate(players):
            match = player.join(match["id"], seat)
        while match["to_act"] is not None:
            player = players[match["to_act"]]
            legal = player.legal(match["id"])
            said = {name: legal[name] for name in ("match", "seat", "seq", "head")}
            signed = player.identity.sign("ogham-move+jws", said | {"moves": [legal["moves"][0]["text"]]})
            start = time.perf_counter()
            submission = player.send(match["id"], signed, wait=0)
            with app.app_context():
                settle_submission(submission["id"])
            spent += time.perf_counter() - start
            moves += 1
            match = player.match(match["id"])
    return moves / spent


def _player(app: Flask, settings: Settings, name: str) -> Ogham:
    client = Ogham(settings.public_url, Identity.generate(), transport=httpx.WSGITransport(app=app))
    registration = client.register(name, f"{name.lower()}@example.org")
    with app.app_context():
        notice = db.session.scalars(select(Notice).where(Notice.key == f"welcome:{registration['id']}")).one()
        client.confirm(registration["id"], reply_token(notice.id))
    return client


def measure_engine(table: Table) -> None:
    for game in GAMES:
        matches = [record(game, number) for number in range(MATCHES)]
        decided, replayed = decide_rate(game, matches), replay_rate(game, matches)
        table.add_row(
            f"{game.info.id}: moves parsed, decided and evolved, one core", f"{decided:,.0f}/s", f"{DECIDE_BAR:,}/s"
        )
        table.add_row(f"{game.info.id}: entries replayed from JSON", f"{replayed:,.0f}/s", f"{REPLAY_BAR:,}/s")
        table.add_row(
            f"{game.info.id}: 500 such entries", f"{500_000 / replayed:.1f} ms", f"{REPLAY_500_BAR:.1f} ms at most"
        )


def measure_service(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        minimal = minimal_route_rate(Path(folder))
        table.add_row("a minimal Flask route: verify, commit a row (SQLite)", f"{minimal:,.0f}/s", "")
        whole = service_rate(Path(folder), GAMES[0])
    table.add_row("signed moves taken in and settled (SQLite)", f"{whole:,.0f}/s", "")
    table.add_row("the same, of the minimal route", f"{whole / minimal:.2f}", f"{SERVICE_BAR:.2f}")


def main() -> None:
    table = Table("what", "measured", "bar")
    with Console().status("measuring, some seconds each"):
        measure_engine(table)
        if "engine" not in sys.argv[1:]:
            measure_service(table)
    Console().print(table)


if __name__ == "__main__":
    main()
