"""Notices: what a player was told by mail, and what became of each of those mails."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from service.addresses import heard_from, known_of
from service.api.resource import BEARER, Resource, signed_in
from service.kinds import KINDS
from service.ledger import STEPS, Account, ledger_of
from service.parts import timestamp
from service.store.db import writing
from service.store.tables import Player

blueprint = Resource(
    "notices", __name__, url_prefix="/v1/players/me", description="The ledger of the mails to a player"
)

PAGE = 100


class StepSchema(ma.Schema):
    at = ma.fields.String(required=True)
    what = ma.fields.String(
        required=True,
        validate=validate.OneOf(list(STEPS)),
        metadata={"description": "; ".join(f"{step}: {meaning}" for step, meaning in STEPS.items())},
    )
    why = ma.fields.String(required=True, metadata={"description": "the mail server's words, or ours; may be empty"})


class NoticeSchema(ma.Schema):
    id = ma.fields.String(required=True, metadata={"description": "its mail's Message-ID begins with it"})
    kind = ma.fields.String(required=True, validate=validate.OneOf(list(KINDS)))
    match = ma.fields.String(required=True, allow_none=True)
    seat = ma.fields.Integer(required=True, allow_none=True)
    seq = ma.fields.Integer(
        required=True, allow_none=True, metadata={"description": "the length of the log it tells of"}
    )
    created_at = ma.fields.String(required=True)
    status = ma.fields.String(
        required=True,
        validate=validate.OneOf(["waiting", "gathered", "done"]),
        metadata={"description": "gathered: it goes out with the next digest"},
    )
    steps = ma.fields.List(ma.fields.Nested(StepSchema), required=True)


class SuppressionSchema(ma.Schema):
    since = ma.fields.String(required=True)
    why = ma.fields.String(required=True)


class NoticesSchema(ma.Schema):
    suppressed = ma.fields.Nested(
        SuppressionSchema,
        required=True,
        allow_none=True,
        metadata={"description": "null, or since when and why nothing is sent to your address"},
    )
    notices = ma.fields.List(ma.fields.Nested(NoticeSchema), required=True)
    next = ma.fields.String(required=True, allow_none=True)


class NoticesQuerySchema(ma.Schema):
    after = ma.fields.String(
        load_default=None,
        validate=validate.Regexp("^[a-z2-7]{1,40}$"),
        metadata={"description": "the cursor: `next` of the page before"},
    )


def _told(account: Account) -> dict[str, Any]:
    notice = account.notice
    return {
        "id": notice.id,
        "kind": notice.kind,
        "match": notice.match_id,
        "seat": notice.seat,
        "seq": notice.seq,
        "created_at": timestamp(notice.created_at),
        "status": notice.status,
        "steps": [{"at": timestamp(step.at), "what": step.what, "why": step.why} for step in account.steps],
    }


def _suppressed(player: Player) -> dict[str, Any] | None:
    known = known_of(player.address)
    if known is None or known.suppressed_at is None:
        return None
    return {"since": timestamp(known.suppressed_at), "why": known.why}


@blueprint.get("/notices")
@blueprint.arguments(NoticesQuerySchema, location="query")
@blueprint.response(200, NoticesSchema)
@blueprint.doc(security=BEARER)
def list_notices(query: dict[str, Any]) -> dict[str, Any]:
    """What you were told by mail, the newest first, and what became of each mail; page by page."""
    player = signed_in()
    found = [_told(account) for account in ledger_of(player, query["after"], PAGE)]
    following = found[-1]["id"] if len(found) == PAGE else None
    return {"suppressed": _suppressed(player), "notices": found, "next": following}


@blueprint.delete("/suppression")
@blueprint.response(204)
@blueprint.doc(security=BEARER)
def resume() -> None:
    """Mails to your address came back, and none are sent any more: try again from now on."""
    player = signed_in()
    with writing() as transaction:
        heard_from(transaction, player.address)
