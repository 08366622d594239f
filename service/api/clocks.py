"""The clock of a match, what players say about it, and facts about players."""

from collections.abc import Callable
from typing import Any

import marshmallow as ma

from service.api.resource import BEARER, Resource, signed_in
from service.clocks import agree_to_pause, be_back, check_seat, clock_state, resume
from service.facts import Facts, facts_of
from service.matches import find_match, lock_match
from service.notices import table_of
from service.store.db import Transaction, db, writing
from service.store.tables import Match

blueprint = Resource("clocks", __name__, url_prefix="/v1", description="Clocks of matches, and facts about players")


class SeatClockSchema(ma.Schema):
    seat = ma.fields.Integer(required=True)
    left = ma.fields.Integer(
        required=True, metadata={"description": "seconds that are left, while the clock runs: now"}
    )
    away = ma.fields.Boolean(required=True, metadata={"description": "missed a decision, and was not heard of since"})
    misses = ma.fields.Integer(required=True, metadata={"description": "in a row"})
    wants_pause = ma.fields.Boolean(required=True)
    vacation_until = ma.fields.String(required=True, allow_none=True)


class ClockSchema(ma.Schema):
    match = ma.fields.String(required=True)
    clock = ma.fields.Dict(required=True, allow_none=True, metadata={"description": "null: there is none"})
    paused = ma.fields.Boolean(required=True)
    running = ma.fields.Integer(required=True, allow_none=True, metadata={"description": "the seat whose time runs"})
    deadline = ma.fields.String(required=True, allow_none=True, metadata={"description": "when that time is up"})
    seats = ma.fields.List(ma.fields.Nested(SeatClockSchema), required=True)


class FactsSchema(ma.Schema):
    moves = ma.fields.Integer(required=True)
    misses = ma.fields.Integer(required=True)
    finished = ma.fields.Integer(required=True, metadata={"description": "matches played to their end"})
    quartiles = ma.fields.List(
        ma.fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "of the time taken for a move, in seconds; the second is the median"},
    )


class SeatFactsSchema(FactsSchema):
    seat = ma.fields.Integer(required=True)


class TableFactsSchema(ma.Schema):
    match = ma.fields.String(required=True)
    seats = ma.fields.List(ma.fields.Nested(SeatFactsSchema), required=True)


@blueprint.get("/matches/<string:match_id>/clock")
@blueprint.response(200, ClockSchema)
def get_clock(match_id: str) -> dict[str, Any]:
    """Where the clocks stand: whose time runs, how much is left, and until when."""
    return clock_state(find_match(match_id))


@blueprint.post("/matches/<string:match_id>/pause")
@blueprint.response(200, ClockSchema)
@blueprint.doc(security=BEARER)
def pause(match_id: str) -> dict[str, Any]:
    """Say that you want a pause. The clocks stop when everybody who still plays does."""
    return _say(match_id, agree_to_pause)


@blueprint.post("/matches/<string:match_id>/resumption")
@blueprint.response(200, ClockSchema)
@blueprint.doc(security=BEARER)
def go_on(match_id: str) -> dict[str, Any]:
    """Let the clocks run again, or take back your wish for a pause."""
    return _say(match_id, resume)


@blueprint.post("/matches/<string:match_id>/return")
@blueprint.response(200, ClockSchema)
@blueprint.doc(security=BEARER)
def come_back(match_id: str) -> dict[str, Any]:
    """Say that you are there again after your time was up. A move says so, too."""
    return _say(match_id, be_back)


def _say(match_id: str, say: Callable[[Transaction, Match, int], object]) -> dict[str, Any]:
    seat = check_seat(find_match(match_id), signed_in())
    with writing() as transaction:
        match = lock_match(transaction.session, match_id)
        say(transaction, match, seat)
    return clock_state(match)


@blueprint.get("/players/me/facts")
@blueprint.response(200, FactsSchema)
@blueprint.doc(security=BEARER)
def get_my_facts() -> dict[str, Any]:
    """What you did so far, in numbers. Who sits at a table with you sees them too."""
    return _told(facts_of(db.session(), signed_in().id))


@blueprint.get("/matches/<string:match_id>/facts")
@blueprint.response(200, TableFactsSchema)
@blueprint.doc(security=BEARER)
def get_table_facts(match_id: str) -> dict[str, Any]:
    """What the players of a match did so far, in all their matches. Bots are no players."""
    signed_in()
    match = find_match(match_id)
    players = table_of(Transaction(db.session()), match)
    facts = [{"seat": seat} | _told(facts_of(db.session(), player.id)) for seat, player in players]
    return {"match": match.id, "seats": facts}


def _told(facts: Facts) -> dict[str, Any]:
    quartiles = None if facts.quartiles is None else [int(cut.total_seconds()) for cut in facts.quartiles]
    return {"moves": facts.moves, "misses": facts.misses, "finished": facts.finished, "quartiles": quartiles}
