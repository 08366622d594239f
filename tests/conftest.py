"""What every test may use, and what every run is held to.

- `postgres`, `redis_server`: real servers, one pair per test worker, started when first asked for (tests/servers.py)
- `sample(small, prove)`: how many to try. `make test` takes the first, `make prove` the second and ends with a table
- `figure(text)`: what was measured; `make prove` tells it in that table
- a test that is skipped, and isn't named in ALLOWED_SKIPS, fails the run: what nobody ran was not shown
"""

import fnmatch
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.servers import Postgres, Redis, die_with_parent

# (pattern of test ids, why it may be skipped)
ALLOWED_SKIPS: tuple[tuple[str, str], ...] = (
    ("tests/web/test_browser.py::*", "a browser is not something `make test` can install without root"),
    ("tests/web/test_mail_looks.py::*", "a browser is not something `make test` can install without root"),
    ("tests/mail/test_postfix.py::*", "nor is a mail server; `make postfix` says how to get it"),
)

PROVE_TIMEOUT = 3600.0
MEMORY, ROOM = Path("/dev/shm"), 2 << 30
"""Where temporary files are kept in memory, if there is room: SQLite waits for the disk at every commit."""


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with Postgres.find() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    with Redis.find() as server:
        yield server


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    def choose(small: int, prove: int) -> int:
        chosen = prove if request.config.getoption("size") == "prove" else small
        request.node.user_properties.append(("size", chosen))
        return chosen

    return choose


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    return lambda text: record_property("figure", text)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--size", choices=("small", "prove"), default="small", help="how much the tests try")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    size = config.getoption("size")
    if size == "prove" and config.getoption("timeout") is None:
        config.option.timeout = PROVE_TIMEOUT
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    steady = os.environ.get("CI") == "true"
    hypothesis.settings.register_profile("small", max_examples=50, deadline=None, derandomize=steady)
    hypothesis.settings.register_profile("prove", max_examples=2000, deadline=None, derandomize=steady)
    hypothesis.settings.load_profile(size)
    if hasattr(config, "workerinput"):
        die_with_parent(signal.SIGKILL)  # else a killed run's workers go on for some seconds, and their servers too
    else:
        config.pluginmanager.register(Watch(size), "ogham-watch")


def pytest_runtest_setup(item: pytest.Item) -> None:
    test = getattr(item, "obj", None)
    if getattr(test, "is_hypothesis_test", False):
        chosen = getattr(test, "_hypothesis_internal_use_settings", None) or hypothesis.settings.default
        item.user_properties.append(("size", chosen.max_examples))


class Watch:
    """Looks at every report of the run, wherever it was made: lives in the process that the user started."""

    def __init__(self, size: str) -> None:
        self._size = size
        self._skips: dict[str, str] = {}
        self._sizes: list[tuple[str, str, float]] = []
        self._figures: dict[str, list[object]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note_skip(report)
        if report.when == "call":
            sizes = [f"{value:,}" for name, value in report.user_properties if name == "size"]
            if sizes:
                self._sizes.append((report.nodeid, " + ".join(sizes), report.duration))
            self._figures[report.nodeid] = [value for name, value in report.user_properties if name == "figure"]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note_skip(report)

    def _note_skip(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not any(fnmatch.fnmatchcase(report.nodeid, pattern) for pattern, _ in ALLOWED_SKIPS):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self._skips[report.nodeid] = reason

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._skips and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._size == "prove" and self._sizes:
            terminalreporter.section("what was proved")
            width = max(len(size) for _, size, _ in self._sizes)
            for name, size, seconds in sorted(self._sizes):
                terminalreporter.write_line(f"{size:>{width}}  {seconds:8.1f} s  {name}")
                for figure in self._figures[name]:
                    terminalreporter.write_line(f"{'':>{width}}              {figure}")
        for name, reason in sorted(self._skips.items()):
            terminalreporter.write_line(
                f"FAILED by a skip that tests/conftest.py doesn't allow: {name}: {reason}", red=True
            )
