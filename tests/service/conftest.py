"""The service is tested on both databases: what the database matters to in every run, the rest by turns.

A file that sets `pytestmark = pytest.mark.both_databases` runs on both, always. Of all others, `make test` runs each
test on one of them, half on either; `make prove` runs all on both.
"""

import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from service.store.db import db
from service.store.migrate import upgrade
from tests.servers import Postgres
from tests.stage import Stage

DATABASES = ["sqlite", "postgres"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("size") != "prove":
        spared = [item for item in items if _is_spared(item)]
        config.hook.pytest_deselected(items=spared)
        items[:] = [item for item in items if item not in set(spared)]


def _is_spared(item: pytest.Item) -> bool:
    """Whether it is the other database's turn: which one's it is follows from the test's name, the same every time.

    Tests that share a stage share its turn too, so that a run builds it once.
    """
    databases = [id for id in DATABASES if id in item.nodeid.partition("[")[2].rstrip("]").split("-")]
    if not databases or item.get_closest_marker("both_databases"):
        return False
    shared = "shared_stage" in getattr(item, "fixturenames", ())
    name = item.path.name if shared else item.nodeid.replace(databases[0], "database")
    number = zlib.crc32(name.encode()) % len(DATABASES)
    return databases != [DATABASES[number]]


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that was brought to the tables of this version once, and is copied for each test."""
    file = tmp_path_factory.mktemp("migrated") / "ogham.sqlite"
    _migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres: Postgres) -> str:
    url = postgres.create_database()
    _migrate(url)
    return url


def _migrate(url: str) -> None:
    engine = create_engine(url)
    upgrade(engine)
    engine.dispose()


@contextmanager
def _database(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "sqlite":
        file = shutil.copy(request.getfixturevalue("migrated_sqlite"), folder / "ogham.sqlite")
        yield f"sqlite:///{file}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.create_database(request.getfixturevalue("migrated_postgres"))
        yield url
        server.drop_database(url)


@contextmanager
def _stage(database_url: str) -> Iterator[Stage]:
    built = Stage.build(database_url, migrated=True)
    built.moment[0] = datetime.now(UTC)
    yield built
    with built.app.app_context():
        db.engine.dispose()


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with _database(request, tmp_path) as url:
        yield url


@pytest.fixture
def stage(database_url: str) -> Iterator[Stage]:
    with _stage(database_url) as built:
        yield built


@pytest.fixture(scope="module", params=DATABASES)
def shared_stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One stage for all tests of a file: for those that leave everything as it was."""
    with _database(request, tmp_path_factory.mktemp("shared")) as url, _stage(url) as built:
        yield built
