"""What Alembic runs: migrations on the engine it is given, in one transaction."""

from alembic import context
from sqlalchemy import BigInteger
from sqlalchemy.engine import Connection

from service.store.tables import Base, Instant, Json


def render_item(kind: str, item: object, _: object) -> str | bool:
    """A migration stands for ever, so it names the column types beneath ours."""
    if kind == "type" and isinstance(item, Instant | Json):
        return "sa.BigInteger()" if isinstance(item.impl, BigInteger) else "sa.Text()"
    return False


def run(connection: Connection) -> None:
    context.configure(
        connection=connection, target_metadata=Base.metadata, render_item=render_item, render_as_batch=False
    )
    with context.begin_transaction():
        context.run_migrations()


with context.config.attributes["engine"].connect().execution_options(writing=True) as connection, connection.begin():
    run(connection)
