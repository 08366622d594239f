"""The database, and the one way to change it: `with writing() as transaction`.

SQLite and PostgreSQL behave alike from here on. On SQLite a writing transaction is BEGIN IMMEDIATE (one writer at a
time, queued by the database); on PostgreSQL it locks the rows it asks for.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session

from service.parts import parts
from service.store.tables import Base

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


@dataclass(slots=True)
class Transaction:
    """A transaction that writes. What it wants rung is rung once it is committed, and not before."""

    session: Session
    bells: list[tuple[str, str]] = field(default_factory=list)

    def ring(self, work: str, id: str) -> None:
        self.bells.append((work, id))


@contextmanager
def writing() -> Iterator[Transaction]:
    """One transaction, committed at the end of the block or not at all."""
    session = db.session()
    session.commit()  # ends a read that went before, so that the write doesn't build on an old picture
    session.connection(execution_options={"writing": True})
    transaction = Transaction(session)
    try:
        yield transaction
        session.commit()
    except BaseException:
        session.rollback()
        raise
    for work, id in transaction.bells:
        parts().bell.ring(work, id)


def connect(app: Flask, url: str) -> None:
    """Bind the app to its database."""
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = engine_options(url)
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)


def engine_options(url: str) -> dict[str, Any]:
    if url.startswith("sqlite"):
        # isolation_level None: pysqlite leaves BEGIN to us. The timeout is how long a writer queues.
        return {"connect_args": {"isolation_level": None, "timeout": 30, "check_same_thread": False}}
    # A hung server must not hold a request for ever, and a connection lost over night is replaced unseen.
    return {
        "pool_pre_ping": True,
        "pool_size": 10,
        "connect_args": {"connect_timeout": 5, "options": "-c statement_timeout=15000 -c lock_timeout=10000"},
    }


def prepare_engine(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def is_outage(error: DBAPIError) -> bool:
    """Whether the database, and not the statement, is what failed: it is gone, busy for too long, or not migrated."""
    gone = error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
    return gone or type(error.orig).__name__ == "UndefinedTable"  # which SQLite calls an OperationalError
