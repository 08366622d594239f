"""The service's own keys: what receipts are checked with."""

from typing import Any

import marshmallow as ma
from flask import Flask, Response, jsonify

from service.api.resource import Resource
from service.receipts import published_keys

blueprint = Resource("keys", __name__, url_prefix="/v1", description="The keys that the service signs receipts with")


class ServiceKeySchema(ma.Schema):
    kty = ma.fields.String(required=True)
    crv = ma.fields.String(required=True)
    x = ma.fields.String(required=True)
    kid = ma.fields.String(required=True, metadata={"description": "RFC 7638 thumbprint"})
    alg = ma.fields.String(required=True)
    use = ma.fields.String(required=True)


class ServiceKeysSchema(ma.Schema):
    keys = ma.fields.List(ma.fields.Nested(ServiceKeySchema), required=True)


@blueprint.get("/keys")
@blueprint.response(200, ServiceKeysSchema)
def get_keys() -> dict[str, Any]:
    """The public keys that receipts are signed with, as a JWK set: the current one first, old ones for ever.

    The same is at /.well-known/jwks.json.
    """
    return {"keys": published_keys()}


@blueprint.record
def _well_known(setup: Any) -> None:
    app: Flask = setup.app

    @app.get("/.well-known/jwks.json")
    def jwks() -> Response:
        answer = jsonify({"keys": published_keys()})
        answer.content_type = "application/jwk-set+json"
        return answer
