"""Messages: what the players at a table say to each other."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from service.api.resource import BEARER, Resource, signed_in
from service.messages import LONGEST, read_messages, send_message
from service.parts import timestamp
from service.store.db import writing
from service.store.tables import Message

blueprint = Resource("messages", __name__, url_prefix="/v1/matches", description="What players at a table say")

PAGE = 100


class NewMessageSchema(ma.Schema):
    # A little more than a message may have, since what can't be seen isn't counted.
    text = ma.fields.String(required=True, validate=validate.Length(1, 2 * LONGEST))


class MessageSchema(ma.Schema):
    number = ma.fields.Integer(required=True, metadata={"description": "counted in each match; some may be missing"})
    seat = ma.fields.Integer(required=True, metadata={"description": "who said it"})
    text = ma.fields.String(required=True, metadata={"description": "plain text; its lines end with a line feed"})
    sent_at = ma.fields.String(required=True)


class MessagesQuerySchema(ma.Schema):
    after = ma.fields.Integer(
        load_default=0,
        validate=validate.Range(0, 2**31 - 1),
        metadata={"description": "the cursor: `next` of the page before"},
    )


class MessagesSchema(ma.Schema):
    match = ma.fields.String(required=True)
    messages = ma.fields.List(ma.fields.Nested(MessageSchema), required=True)
    next = ma.fields.Integer(required=True, allow_none=True)


def _told(message: Message) -> dict[str, Any]:
    sent_at = timestamp(message.sent_at)
    return {"number": message.number, "seat": message.seat, "text": message.text, "sent_at": sent_at}


@blueprint.post("/<string:match_id>/messages")
@blueprint.arguments(NewMessageSchema)
@blueprint.response(201, MessageSchema)
@blueprint.doc(security=BEARER)
def post_message(body: dict[str, Any], match_id: str) -> dict[str, Any]:
    """Say something to the others at your table. They get it by mail, unless they chose otherwise."""
    player = signed_in()
    with writing() as transaction:
        return _told(send_message(transaction, match_id, player, body["text"]))


@blueprint.get("/<string:match_id>/messages")
@blueprint.arguments(MessagesQuerySchema, location="query")
@blueprint.response(200, MessagesSchema)
@blueprint.doc(security=BEARER)
def get_messages(query: dict[str, Any], match_id: str) -> dict[str, Any]:
    """What was said at your table, the oldest first; page by page."""
    found = read_messages(match_id, signed_in(), query["after"], PAGE)
    following = found[-1].number if len(found) == PAGE else None
    return {"match": match_id, "messages": [_told(message) for message in found], "next": following}
