"""Makes the golden files that are missing: `python -m tests.golden.make`.

Matches are played by chance, or by the players with an aim that a game's tests have, number after number, until each
way to end is shown. Files that exist stay as they are: a match once played must stay playable.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from hashlib import sha256
from importlib import import_module
from itertools import count
from random import Random

from engine.chance import Chance
from engine.events import EVERYBODY, Event, Shown
from engine.game import Game, Options, complete_options
from engine.games import GAMES
from tests.golden.golden import FOLDER, RESIGNS, Golden, Line, write
from tests.matches import play_match, players_of


def play(game: Game, seats: int, options: Options, number: int) -> Golden:
    """The match of this number; in every fourth one, seats may leave."""
    seed = sha256(f"golden match {number}".encode()).digest()
    options = complete_options(game.info, seats, options)
    random = Random(number)
    leavers = random.sample(range(seats), random.randrange(seats)) if number % 4 == 0 else ()
    leaving = {random.randrange(20, 60): [seat] for seat in leavers}
    steps = play_match(game, seats, number, options, leaving, Chance(seed), players=players_of(game))
    lines = [Line(step.seat or 0, step.move or RESIGNS, tuple(shown(step.events))) for step in steps[1:]]
    return Golden(game.info.id, seats, options, seed, tuple(lines))


def shown(events: Sequence[Event]) -> Iterator[str]:
    """What the events turned up for everybody to see."""
    for event in events:
        for field in fields(event):
            value = getattr(event, field.name)
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Shown) and one.to is EVERYBODY:
                    yield str(one.value)


def make(game: Game) -> None:
    reading = import_module(f"tests.engine.games.{game.info.id}.second_reading")
    folder = FOLDER / game.info.id
    folder.mkdir(exist_ok=True)
    missing = {way for way in reading.WAYS_TO_END if not (folder / f"{way}.txt").exists()}
    for number in count():
        if not missing:
            return
        golden = play(game, *reading.SETUPS[number % len(reading.SETUPS)], number)
        result = reading.second_reading(golden)
        if result.way in missing:
            missing.remove(result.way)
            (folder / f"{result.way}.txt").write_text(write(golden, result), "utf-8")
            print(f"{game.info.id}: match {number} shows {result.way}")


if __name__ == "__main__":
    for game in GAMES:
        make(game)
