"""How fast Ogham is on this machine: `make bench`. Ratios are of one run; a figure alone tells of the machine."""

import json
import tempfile
import time
from collections.abc import Callable
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
from engine.game import Game, complete_options
from engine.games import GAMES
from engine.log import BEFORE_FIRST, Opening, Pen, replay, spelling_of
from engine.play import fold, pick, play_line
from ogham.embedded import prepare_database
from service.app import create_app
from service.moves import settle_submission
from service.notices import reply_token
from service.settings import Settings
from service.store.db import db, engine_options, prepare_engine
from service.store.tables import Notice

SECONDS = 3.0

Recorded = list[tuple[int, str]]


def rate(step: Callable[[], int]) -> float:
    """How often per second, over some seconds; a step answers how many it did."""
    done, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < SECONDS:
        done += step()
    return done / spent


def record(game: Game, seats: int, seed: bytes) -> Recorded:
    """A random match: who played which line."""
    chance = Chance(seed)
    state = fold(game, None, game.deal(seats, complete_options(game.info, seats, {}), chance))
    lines: Recorded = []
    while (seat := game.to_act(state)) is not None:
        line = pick(game.legal(game.view(state, seat)), chance, f"bench/{len(lines)}")
        lines.append((seat, line))
        state = play_line(game, state, seat, line, chance).state
    return lines


def engine_rate(game: Game) -> float:
    """parse + decide + evolve."""
    seats = game.info.seats[-1]
    matches = [(Chance(bytes([n])), record(game, seats, bytes([n]))) for n in range(20)]
    numbers = count()

    def step() -> int:
        chance, lines = matches[next(numbers) % len(matches)]
        state = fold(game, None, game.deal(seats, complete_options(game.info, seats, {}), chance))
        for seat, line in lines:
            state = play_line(game, state, seat, line, chance).state  # type: ignore[arg-type]
        return len(lines)

    return rate(step)


def replay_rate(game: Game) -> float:
    """A stored log, from its JSON to the state."""
    seats, chance = game.info.seats[-1], Chance(b"r")
    openings: dict[int, Opening] = {}
    named: dict[str, Opening] = {}
    pen = Pen("bench", 0, BEFORE_FIRST, 0, named.__getitem__, lambda: bytes(16))
    spelling, publics = spelling_of(game), []

    def write(kind: str, events: object) -> None:
        written = pen.write(kind, "", events=[spelling.write(event) for event in events])  # type: ignore[attr-defined]
        openings.update((opening.number, opening) for opening in written.openings)
        named.update((opening.name, opening) for opening in written.openings)
        publics.append(written.public)

    dealt = game.deal(seats, complete_options(game.info, seats, {}), chance)
    state = fold(game, None, dealt)
    write("dealt", dealt)
    for seat, line in record(game, seats, b"r"):
        played = play_line(game, state, seat, line, chance)  # type: ignore[arg-type]
        write("moved", played.events)
        state = played.state

    def step() -> int:
        replay(game, publics, lambda number: openings[number].value)
        return len(publics)

    return rate(step)


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


def main() -> None:
    table = Table("what", "per second", "ratio")
    with Console().status("measuring, some seconds each"), tempfile.TemporaryDirectory() as folder:
        for game in GAMES:
            table.add_row(f"{game.info.id}: parse + decide + evolve, one core", f"{engine_rate(game):,.0f}", "")
            table.add_row(f"{game.info.id}: entries replayed from JSON", f"{replay_rate(game):,.0f}", "")
        minimal = minimal_route_rate(Path(folder))
        table.add_row("a minimal Flask route: verify, commit a row (SQLite)", f"{minimal:,.0f}", "1.00")
        whole = service_rate(Path(folder), GAMES[0])
        table.add_row("signed moves taken in and settled (SQLite)", f"{whole:,.0f}", f"{whole / minimal:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
