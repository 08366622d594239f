"""Mail that comes in over HTTP, from a mail server or a provider that hands each mail to a hook."""

import secrets

import marshmallow as ma
from flask import request
from marshmallow import validate

from service.api.resource import Resource
from service.errors import Malformed, NotAllowed, NotFound
from service.mailroom.receive import LARGEST_MAIL, accept_whole
from service.parts import parts

blueprint = Resource("mails", __name__, url_prefix="/v1", description="Mail that comes in over HTTP")

HEADER = "Ogham-Hook-Secret"


class EnvelopeSchema(ma.Schema):
    recipient = ma.fields.String(required=True, validate=validate.Length(1, 320))
    sender = ma.fields.String(
        load_default="",
        validate=validate.Length(max=320),
        metadata={"description": "the envelope's sender; empty for a bounce"},
    )


class StoredSchema(ma.Schema):
    id = ma.fields.String(required=True)


@blueprint.post("/mails")
@blueprint.arguments(EnvelopeSchema, location="query")
@blueprint.response(202, StoredSchema)
@blueprint.doc(
    parameters=[{"in": "header", "name": HEADER, "required": True, "schema": {"type": "string"}}],
    requestBody={"required": True, "content": {"message/rfc822": {"schema": {"type": "string", "format": "binary"}}}},
)
def take_in(envelope: dict[str, str]) -> dict[str, str]:
    """Hand over a raw mail. It is stored when this answers; there is no such route where no secret is set."""
    secret = parts().settings.hook_secret
    if secret is None:
        raise NotFound("not_found", "No mail is taken in here.")
    if not secrets.compare_digest(request.headers.get(HEADER, "").encode(), secret.encode()):
        raise NotAllowed("hook_secret_wrong", f"Send the secret of this hook as {HEADER}.")
    if request.mimetype != "message/rfc822":
        raise Malformed("media_type_wrong", "Send the mail as it is, as Content-Type: message/rfc822.")
    request.max_content_length = LARGEST_MAIL
    return {"id": accept_whole(envelope["sender"], envelope["recipient"], request.get_data(cache=False))}
