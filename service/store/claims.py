"""How a worker takes a piece of work, and how it gives it back done.

A claim writes a lease into the row: for that long nobody else takes it, and no transaction stays open while a socket is
spoken to. Who finishes must still hold the lease (the fence): a worker that slept through it finds its claim gone.
PostgreSQL skips rows that somebody is just claiming; SQLite knows no SKIP LOCKED, and its single writer needs none.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, or_, select, update

from service.parts import now, parts
from service.store.db import Transaction, db, writing
from service.store.tables import Mail, Notice, Submission

Row = TypeVar("Row", bound=Mail | Notice | Submission)

RETRY_FIRST = timedelta(seconds=2)
RETRY_LAST = timedelta(hours=1)


def _free(table: type[Row], at: datetime) -> ColumnElement[bool]:
    unleased = or_(table.lease_until.is_(None), table.lease_until < at)
    return (table.status == "waiting") & (table.due_at <= at) & unleased


def claim(table: type[Row], id: str) -> Row | None:
    """This row, leased to the caller; None when it is done, not yet due, or somebody else's."""
    at = now()
    with writing() as transaction:
        return transaction.session.scalars(
            update(table)
            .where(table.id == id, _free(table, at))
            .values(lease=secrets.token_hex(8), lease_until=at + parts().settings.lease, attempts=table.attempts + 1)
            .returning(table)
            .execution_options(populate_existing=True)
        ).one_or_none()


def waiting_since(table: type[Row], moment: datetime, most: int = 200) -> list[str]:
    """The ids of work that has been due since before this moment and that nobody has: what lost bells left behind."""
    at = now()
    found = db.session.scalars(
        select(table.id).where(_free(table, at), table.due_at <= moment).order_by(table.due_at).limit(most)
    ).all()
    db.session.commit()
    return list(found)


def became_due(table: type[Row], since: datetime, until: datetime, most: int = 1000) -> list[str]:
    """The ids of work whose time came between these moments, and that nobody has."""
    found = db.session.scalars(
        select(table.id).where(_free(table, until), table.due_at > since).order_by(table.due_at).limit(most)
    ).all()
    db.session.commit()
    return list(found)


def finish(transaction: Transaction, row: Row, **outcome: Any) -> bool:
    """Mark it done. False, and nothing is changed, when the lease went to somebody else meanwhile."""
    table = type(row)
    done = transaction.session.execute(
        update(table)
        .where(table.id == row.id, table.status == "waiting", table.lease == row.lease)
        .values(status="done", lease=None, lease_until=None, **outcome)
        .execution_options(synchronize_session=False)
    )
    return bool(done.rowcount)  # type: ignore[attr-defined]  # an UPDATE's result has it


def put_back(row: Row, note: Callable[[Transaction], None] | None = None) -> None:
    """It failed for now: wait, longer each time, and let anybody try again. `note` writes down why."""
    wait = min(RETRY_FIRST * 2 ** min(row.attempts - 1, 20), RETRY_LAST)
    table = type(row)
    with writing() as transaction:
        back = transaction.session.execute(
            update(table)
            .where(table.id == row.id, table.status == "waiting", table.lease == row.lease)
            .values(lease=None, lease_until=None, due_at=now() + wait)
            .execution_options(synchronize_session=False)
        )
        if note is not None and back.rowcount:  # type: ignore[attr-defined]  # an UPDATE's result has it
            note(transaction)
