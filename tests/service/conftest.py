"""Every test of the service runs on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.store.db import db
from tests.servers import Postgres
from tests.stage import Stage


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ogham.sqlite'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.create_database()
        yield url
        server.drop_database(url)


@pytest.fixture
def stage(database_url: str) -> Iterator[Stage]:
    built = Stage.build(database_url)
    built.moment[0] = datetime.now(UTC)
    yield built
    with built.app.app_context():
        db.engine.dispose()
