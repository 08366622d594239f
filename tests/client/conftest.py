"""A running Ogham (`ogham up`, a process of its own), and people who are players there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from client.api import Ogham
from client.keys import Identity
from tests.journeys.houses import Embedded, embedded_house, until
from tests.journeys.people import token_of


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded_house(tmp_path_factory.mktemp("house")) as house:
        yield house


Newcomer = Callable[..., Ogham]


@pytest.fixture
def newcomer(house: Embedded) -> Iterator[Newcomer]:
    """Makes a player: registered, and confirmed with the code from the mail."""
    with ExitStack() as stack:

        def arrive(name: str, transport: httpx.BaseTransport | None = None, language: str = "en") -> Ogham:
            identity = Identity.generate()
            client = stack.enter_context(Ogham(house.url, identity, transport))
            address = f"{name.lower()}-{identity.kid.lower().strip('-_')}@example.org"
            registration = client.register(name, address, language)
            until(lambda: house.letters(address), f"the welcome to {name}")
            client.confirm(registration["id"], token_of(house.letters(address)[0]))
            return client

        yield arrive


@pytest.fixture
def pair(newcomer: Newcomer) -> tuple[Ogham, Ogham, str]:
    """Two players at a table that was just dealt; the first is to act."""
    ann, ben = newcomer("Ann"), newcomer("Ben")
    match_id = ann.open("keltis", 2, {"first_player": 0})["id"]
    ann.join(match_id)
    ben.join(match_id)
    return ann, ben, match_id
