"""The one clock of the grown set-up: the database's.

Each machine's own clock runs between two looks at it, so that one whose clock is wrong does nothing early or late.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from sqlalchemy import create_engine, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import func

LOOK_EVERY = timedelta(seconds=30)


class SharedClock:
    """What a clock that all share says, asked for now and then; `local` measures the time in between."""

    def __init__(self, local: Callable[[], datetime], ask: Callable[[], datetime]) -> None:
        self._local = local
        self._ask = ask
        self._ahead = timedelta(0)
        self._looked: datetime | None = None
        self._looking = threading.Lock()

    def __call__(self) -> datetime:
        if self._must_look(self._local()):
            with self._looking:
                if self._must_look(self._local()):
                    self._look()
        return self._local() + self._ahead

    def _must_look(self, at: datetime) -> bool:
        """Also when the local clock was turned back, or leapt."""
        return self._looked is None or not self._looked <= at < self._looked + LOOK_EVERY

    def _look(self) -> None:
        # Nothing can be decided without the database anyhow; what was known is good for another while.
        with suppress(SQLAlchemyError):
            self._ahead = self._ask() - self._local()
        self._looked = self._local()


def database_clock(url: str, local: Callable[[], datetime]) -> SharedClock:
    """The clock of the database at this URL, on a connection of its own."""
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": 2})

    def ask() -> datetime:
        with engine.connect() as connection:
            said: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
            return said.astimezone(UTC)

    return SharedClock(local, ask)
