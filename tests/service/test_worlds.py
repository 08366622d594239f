"""Secrecy at the service's doors: two services that differ only in what a reader may not know tell them the same.

The engine's own pairs (`tests/contracts/worlds.py`) say what may differ: here the same moves are played in two whole
services, one for each of the two chances, and all that the reader gets is compared, byte by byte once ids, hashes,
seals, signatures and tokens are numbers in order of appearance. Then the same for what isn't of the game but of the
service: lines that are kept, and orders.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.chance import Chance
from engine.events import Seat
from engine.game import Game
from tests.contracts.walks import Walk, walk
from tests.contracts.worlds import OtherwiseChance, Pair, _played_otherwise
from tests.games import TEST_GAMES
from tests.stage import Person, Stage

HIDING = [game for game in TEST_GAMES if game.info.id != "keltis"]  # where nothing is hidden but the order of the stack
MOST_STEPS = 8
NAMES = ("Ann", "Ben", "Cleo", "Dov", "Eve")


def with_chance(game: Game, chance: Chance) -> Any:
    """The game, whatever its match's seed says, with this chance."""
    copy = ModuleType(str(game.__name__))  # type: ignore[attr-defined]
    copy.__dict__.update({name: getattr(game, name) for name in Game.__dict__ if not name.startswith("_")})
    copy.deal = lambda seats, options, _: game.deal(seats, options, chance)  # type: ignore[attr-defined]
    copy.decide = lambda state, seat, move, _: game.decide(state, seat, move, chance)  # type: ignore[attr-defined]
    copy.leave = lambda state, seat, _: game.leave(state, seat, chance)  # type: ignore[attr-defined]
    return copy


class World:
    """One service with one match, and what its people are told."""

    def __init__(self, url: str, game: Game, seats: int, start: datetime, options: dict[str, Any]) -> None:
        self.stage = Stage.build(url, games=[game])
        self.stage.moment[0] = start
        self.people = [self.stage.person(name) for name in NAMES[:seats]]
        self.match_id = self.stage.table(self.people, game.info.id, **options)

    def play(self, seat: int, *lines: str) -> dict[str, Any]:
        return self.stage.play(self.people[seat], self.match_id, *lines)

    def told(self, reader: int | None) -> list[str]:
        """Everything that this reader gets, as text without chance in it."""
        numbers: dict[str, int] = {}

        def plain(text: str) -> str:
            text = re.sub(r"(?<=[\w.-]{72})\r?\n(?=[\w.-])", "", text)  # a receipt in a mail stands in several lines
            return re.sub(r"[A-Za-z0-9_-]{20,}", lambda found: _number(found[0], numbers), text)

        return [plain(text) for text in (*self._answers(reader), *self._mails(reader))]

    def _answers(self, reader: int | None) -> Iterator[str]:
        client = self.stage.watcher() if reader is None else self.people[reader].client
        for path in ("", "/state", "/state?language=de", "/legal", "/board.svg?theme=dark", "/log", "/transcript"):
            answer = client._read(f"/v1/matches/{self.match_id}{path}", None, as_player=True)
            headers = {name: value for name, value in answer.headers.items() if name != "date"}
            yield json.dumps([path, answer.status_code, headers]) + answer.text

    def _mails(self, reader: int | None) -> Iterator[str]:
        for letter in self.stage.letters(self.people[reader].address) if reader is not None else ():
            yield json.dumps([(name, str(value)) for name, value in letter.items()])
            for part in letter.walk():
                content = part.get_payload(decode=True)
                if part.get_content_maintype() == "text":
                    yield part.get_content()
                elif isinstance(content, bytes):
                    yield sha256(content).hexdigest()[:16]


def _number(token: str, numbers: dict[str, int]) -> str:
    return f"<{numbers.setdefault(token, len(numbers))}:{len(token)}>"


def assert_alike(one: list[str], other: list[str]) -> None:
    assert len(one) == len(other)
    for here, there in zip(one, other, strict=True):
        assert here == there


@pytest.fixture
def pair_of_worlds(tmp_path: Path) -> Callable[..., tuple[World, World]]:
    made: list[int] = []

    def make(games: tuple[Game, Game], seats: int, options: dict[str, Any]) -> tuple[World, World]:
        start = datetime.now(UTC)
        urls = [f"sqlite:///{tmp_path}/{len(made)}-{side}.sqlite" for side in range(2)]
        made.append(1)
        return tuple(World(url, game, seats, start, options) for url, game in zip(urls, games, strict=True))  # type: ignore[return-value]

    return make


def unnoticed(match: Walk, reader: Seat | None, luck: Chance) -> tuple[Pair, Chance] | None:
    """A change of chance that the reader doesn't notice for a while, and what it leads to."""
    for attempt in range(12):
        label, size = match.asked[luck.below(f"{attempt}/label", len(match.asked))]
        if size < 2:
            continue
        one, other = luck.shuffle(f"{attempt}/places", range(size))[:2]
        chance = OtherwiseChance(match.chance, label, one, other or 1)
        pair = _played_otherwise(match, reader, chance)
        if pair is not None and len(pair.one) > 3:
            return pair, chance
    return None


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", HIDING, ids=lambda game: game.info.id)
def test_hidden_cards_change_nothing_that_a_reader_is_told(
    game: Game, pair_of_worlds: Callable[..., tuple[World, World]], sample: Callable[[int, int], int]
) -> None:
    compared, number, wanted = 0, 0, sample(1, 25)
    while compared < wanted:
        number += 1
        if number % 3 == 2:  # in these, seats leave
            continue
        seats = game.info.seats[number % len(game.info.seats)]
        reader = None if number % 4 == 0 else Seat(number % seats)
        match = walk(game, seats, number)
        found = unnoticed(match, reader, Chance(f"worlds {number}".encode()))
        if found is None:
            continue
        pair, chance = found
        games = (with_chance(game, match.chance), with_chance(game, chance))
        worlds = pair_of_worlds(games, seats, match.options)
        # At the end everything is opened, and nothing is hidden any more.
        for step in (step for step in pair.one[1:][:MOST_STEPS] if game.outcome(step.state) is None):
            for world in worlds:
                assert step.seat is not None
                assert step.move is not None
                assert world.play(step.seat, step.move)["problem"] is None
        assert_alike(*(world.told(reader) for world in worlds))
        compared += 1


# -- what is of the service


def hands() -> Game:
    game = next(game for game in TEST_GAMES if game.info.id == "hands")
    return with_chance(game, Chance(b"the same hands"))  # type: ignore[no-any-return]


def card(world: World, person: Person) -> str:
    first = person.client.state(world.match_id)["view"]["hand"][0]
    return f"{first['colour']}{first['number']}"


def test_lines_that_are_kept_change_nothing_that_others_are_told(
    pair_of_worlds: Callable[..., tuple[World, World]],
) -> None:
    worlds = pair_of_worlds((hands(), hands()), 3, {"first_player": 0})
    for world, more in zip(worlds, ([], ["swap", "swap"]), strict=True):
        verdict = world.play(0, f"play {card(world, world.people[0])}", *more)
        assert (verdict["problem"], verdict["kept"]) == (None, more)
    for reader in (1, 2, None):
        assert_alike(*(world.told(reader) for world in worlds))


@pytest.mark.parametrize("order", ["let", "beat once", "ask me", "let at {later}"])
def test_orders_change_nothing_that_others_are_told(
    pair_of_worlds: Callable[..., tuple[World, World]], order: str
) -> None:
    """Before they act; and while one waits for its hour, it looks as if its owner took their time."""
    worlds = pair_of_worlds((hands(), hands()), 3, {"first_player": 0})
    waits = "{later}" in order or order == "ask me"
    later = f"{(datetime.now(UTC).hour + 12) % 24:02d}:00"
    worlds[1].people[1].client.order(worlds[1].match_id, order.format(later=later))
    for reader in (0, 2, None):
        assert_alike(*(world.told(reader) for world in worlds))
    if waits:
        for world in worlds:
            world.play(0, f"play {card(world, world.people[0])}")
        for reader in (0, 2, None):
            assert_alike(*(world.told(reader) for world in worlds))


def test_an_answer_by_order_and_one_by_hand_are_told_alike(
    pair_of_worlds: Callable[..., tuple[World, World]],
) -> None:
    """But for the moment in which they are given: here the clock stands still."""
    worlds = pair_of_worlds((hands(), hands()), 3, {"first_player": 0})
    worlds[1].people[1].client.order(worlds[1].match_id, "let")
    for world in worlds:
        world.play(0, f"play {card(world, world.people[0])}")
    worlds[0].play(1, "let")
    for reader in (0, 2, None):
        one, other = (world.told(reader) for world in worlds)
        assert_alike([without_times(text) for text in one], [without_times(text) for text in other])


def without_times(text: str) -> str:
    return re.sub(r"\d\d:\d\d:\d\d(\.\d+)?", "<time>", text)


def test_a_difference_is_found(pair_of_worlds: Callable[..., tuple[World, World]]) -> None:
    worlds = pair_of_worlds((hands(), hands()), 3, {"first_player": 0})
    for world, line in zip(worlds, ("play", "swap"), strict=True):
        hand = [
            f"{one['colour']}{one['number']}" for one in world.people[0].client.state(world.match_id)["view"]["hand"]
        ]
        world.play(0, f"{line} {hand[0]}" if line == "play" else f"{line} {hand[0]} {hand[1]}")
    with pytest.raises(AssertionError):
        assert_alike(*(world.told(2) for world in worlds))
