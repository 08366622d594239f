"""Every test of the service runs on both databases."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.store.db import db
from tests.servers import Postgres
from tests.stage import Stage

DATABASES = ["sqlite", "postgres"]


@contextmanager
def _database(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{folder / 'ogham.sqlite'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.create_database()
        yield url
        server.drop_database(url)


@contextmanager
def _stage(database_url: str) -> Iterator[Stage]:
    built = Stage.build(database_url)
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
