"""What Alembic runs: migrations on the engine it is given, in one transaction."""

from typing import Literal

from alembic import context
from sqlalchemy.engine import Connection

from service.store.tables import Base, Instant, Json


def render_item(_: str, item: object, __: object) -> str | Literal[False]:
    """A migration stands for ever, so it names the column types beneath ours."""
    if isinstance(item, Instant):
        return "sa.BigInteger()"
    return "sa.Text()" if isinstance(item, Json) else False


def run(connection: Connection) -> None:
    context.configure(
        connection=connection, target_metadata=Base.metadata, render_item=render_item, render_as_batch=False
    )
    with context.begin_transaction():
        context.run_migrations()


with context.config.attributes["engine"].connect().execution_options(writing=True) as connection, connection.begin():
    run(connection)
