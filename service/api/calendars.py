"""Calendars: a player's deadlines as a feed (RFC 5545) that calendar programs subscribe to."""

from typing import Any

import marshmallow as ma
from flask import Response

from service.api.resource import BEARER, Resource, signed_in
from service.feeds import drop_feed, find_feed, make_feed, write_calendar

blueprint = Resource("calendars", __name__, url_prefix="/v1", description="Deadlines as calendars")


class CalendarSchema(ma.Schema):
    url = ma.fields.String(required=True, metadata={"description": "secret: who knows it can read your deadlines"})


@blueprint.post("/players/me/calendar")
@blueprint.response(201, CalendarSchema)
@blueprint.doc(security=BEARER)
def make_calendar() -> dict[str, Any]:
    """A new secret address for your calendar. One that you had before leads nowhere from now on."""
    return {"url": make_feed(signed_in())}


@blueprint.delete("/players/me/calendar")
@blueprint.response(204)
@blueprint.doc(security=BEARER)
def drop_calendar() -> None:
    """No calendar any more, at no address."""
    drop_feed(signed_in())


@blueprint.get("/calendars/<string:secret>.ics")
@blueprint.response(200, {"type": "string"}, content_type="text/calendar")
def get_calendar(secret: str) -> Response:
    """Your deadlines, with alarms at the points where you are reminded."""
    answer = Response(write_calendar(find_feed(secret)), mimetype="text/calendar")
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
