"""Vacations: one's own."""

from datetime import date
from typing import Any

import marshmallow as ma

from service.api.matches import StatementSchema
from service.api.resource import BEARER, Resource, signed_in
from service.parts import now
from service.store.db import db, writing
from service.store.tables import Player
from service.vacations import announce_vacation as announce
from service.vacations import days_left, end_vacation, read_vacation, vacations_of

blueprint = Resource("vacations", __name__, url_prefix="/v1/players/me", description="Days on which no clock runs")


class VacationSchema(ma.Schema):
    first = ma.fields.String(required=True, metadata={"description": "the first day, in your zone"})
    last = ma.fields.String(required=True, metadata={"description": "the last day, all of it"})


class VacationsSchema(ma.Schema):
    vacations = ma.fields.List(ma.fields.Nested(VacationSchema), required=True)
    left = ma.fields.Integer(required=True, metadata={"description": "days left of this year's vacation"})


@blueprint.get("/vacations")
@blueprint.response(200, VacationsSchema)
@blueprint.doc(security=BEARER)
def list_vacations() -> dict[str, Any]:
    """All that you ever announced, but what you took back before it began."""
    return _told(signed_in())


@blueprint.post("/vacations")
@blueprint.arguments(StatementSchema)
@blueprint.response(201, VacationsSchema)
@blueprint.doc(security=BEARER)
def announce_vacation(body: dict[str, Any]) -> dict[str, Any]:
    """Announce a vacation to your tables, by a statement of typ ogham-vacation+jws: action, from, until, jti, iat.

    `action` is announce; `from` and `until` are days (2027-07-31), or `from` is null for now. With the action end, and
    null for both days, a vacation ends now, and what was still to come doesn't.
    """
    player = signed_in()
    with writing() as transaction:
        action, start, until = read_vacation(transaction, player, body["statement"])
        if action == "end":
            end_vacation(transaction, player)
        else:
            announce(transaction, player, until or date.min, start)
    return _told(player)


def _told(player: Player) -> dict[str, Any]:
    session = db.session()
    vacations = [{"first": one.first, "last": one.last} for one in vacations_of(session, player.id)]
    return {"vacations": vacations, "left": days_left(session, player.id, now().year)}
