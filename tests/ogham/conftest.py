"""A running Ogham, and the command as somebody types it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ogham.command import main
from tests.journeys.houses import Embedded, embedded_house, until
from tests.journeys.people import token_of


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded_house(tmp_path_factory.mktemp("house")) as house:
        yield house


class Terminal:
    """Where one person types commands: their home, and the service they speak to."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self.url = url

    def type(self, *words: str) -> Result:
        """Run it; what it said is told apart by stdout and stderr. An exception that nobody foresaw is one here too."""
        environment = {"OGHAM_HOME": str(self.home), "OGHAM_URL": self.url}
        return CliRunner(env=environment).invoke(main, words, catch_exceptions=False)

    def ask(self, *words: str) -> str:
        """What goes to stdout when all is well."""
        result = self.type(*words)
        assert result.exit_code == 0, result.output
        return result.stdout.rstrip("\n")

    def complaint(self, *words: str, exit_code: int = 1) -> str:
        """The one line on stderr when it isn't."""
        result = self.type(*words)
        assert result.exit_code == exit_code, result.output
        (line,) = result.stderr.splitlines()
        return line


Arrive = Callable[..., Terminal]


@pytest.fixture
def arrive(house: Embedded, tmp_path: Path) -> Arrive:
    """Somebody who has typed keygen, register and confirm."""

    def make(name: str, language: str = "en") -> Terminal:
        terminal = Terminal(tmp_path / name, house.url)
        kid = terminal.ask("keygen")
        address = f"{name.lower()}-{kid.lower().strip('-_')}@example.org"
        terminal.ask("register", name, address, "--language", language)
        until(lambda: house.letters(address), f"the welcome to {name}")
        terminal.ask("confirm", token_of(house.letters(address)[0]))
        return terminal

    return make
