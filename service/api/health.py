"""Health: is the process alive, and is it ready to serve."""

import marshmallow as ma
from sqlalchemy import text

from service.api.resource import Resource
from service.store.db import db
from service.store.migrate import is_current

blueprint = Resource("health", __name__, url_prefix="/v1/health", description="Is it alive, is it ready")


class HealthSchema(ma.Schema):
    status = ma.fields.String(required=True)


@blueprint.get("/live")
@blueprint.response(200, HealthSchema)
def live() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@blueprint.get("/ready")
@blueprint.response(200, HealthSchema)
@blueprint.alt_response(503, schema=HealthSchema, description="The database is away, or not migrated")
def ready() -> tuple[dict[str, str], int]:
    """The database answers and has the tables of this version.

    The broker isn't asked: without it we are slower, not down.
    """
    db.session.execute(text("SELECT 1"))
    if not is_current(db.engine):
        return {"status": "the database must be migrated: run `ogham migrate`"}, 503
    return {"status": "ok"}, 200
