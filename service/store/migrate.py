"""Bringing a database to the tables of this version, with Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

_FOLDER = Path(__file__).with_name("migrations")


def _config(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine) -> None:
    """To the newest version; nothing happens when it is there already."""
    command.upgrade(_config(engine), "head")


def is_current(engine: Engine) -> bool:
    head = ScriptDirectory(str(_FOLDER)).get_current_head()
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == head


def write_revision(engine: Engine, message: str) -> None:
    """For developers: the difference between tables.py and the database, as a new migration."""
    command.revision(_config(engine), message=message, autogenerate=True)
