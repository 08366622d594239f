"""Players: registering, keys, tokens."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from engine.game import LANGUAGES
from service import players
from service.api.resource import BEARER, Resource, signed_in
from service.clocks import choose_preferences
from service.deletion import delete_signed
from service.preferences import preferences_of
from service.store.db import writing
from service.store.tables import Key, Player, Registration

blueprint = Resource("players", __name__, url_prefix="/v1", description="Who plays: registering, keys, tokens")

JWS = "compact JWS, Ed25519, header exactly alg, kid (RFC 7638 thumbprint) and typ; "


class JwkSchema(ma.Schema):
    kty = ma.fields.String(required=True, validate=validate.Equal("OKP"))
    crv = ma.fields.String(required=True, validate=validate.Equal("Ed25519"))
    x = ma.fields.String(required=True, validate=validate.Length(equal=43))


class NewRegistrationSchema(ma.Schema):
    name = ma.fields.String(required=True, validate=validate.Length(1, 40))
    address = ma.fields.Email(required=True, validate=validate.Length(max=254))
    language = ma.fields.String(load_default="en", validate=validate.OneOf(LANGUAGES))
    key = ma.fields.Nested(JwkSchema, load_default=None, allow_none=True)
    proof = ma.fields.String(
        load_default=None,
        allow_none=True,
        metadata={"description": JWS + "typ ogham-register+jws, signed by `key`: name, address, jti, iat"},
    )


class RegistrationSchema(ma.Schema):
    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    address = ma.fields.String(required=True)
    confirmed = ma.fields.Boolean(required=True)


class ConfirmationSchema(ma.Schema):
    code = ma.fields.String(required=True, validate=validate.Length(1, 100))


class PlayerSchema(ma.Schema):
    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    address = ma.fields.String(required=True)
    language = ma.fields.String(required=True)


class PreferencesSchema(ma.Schema):
    """Each preference by its name; `GET` gives all, `PATCH` takes some, and null for a default."""

    preferences = ma.fields.Dict(keys=ma.fields.String(), required=True)


class NewTokenSchema(ma.Schema):
    assertion = ma.fields.String(
        required=True, metadata={"description": JWS + "typ ogham-token+jws: aud (this service's URL), jti, iat"}
    )


class TokenSchema(ma.Schema):
    token = ma.fields.String(required=True)
    expires_in = ma.fields.Integer(required=True, metadata={"description": "seconds"})
    player = ma.fields.Nested(PlayerSchema, required=True)


class NewKeySchema(ma.Schema):
    key = ma.fields.Nested(JwkSchema, required=True)
    proof = ma.fields.String(
        required=True,
        metadata={"description": JWS + "typ ogham-key+jws, signed by the new key: action add, kid, jti, iat"},
    )
    statement = ma.fields.String(required=True, metadata={"description": "the same, signed by a key you have already"})


class RevocationSchema(ma.Schema):
    statement = ma.fields.String(
        required=True,
        metadata={"description": JWS + "typ ogham-key+jws, by any valid key of yours: action revoke, kid, jti, iat"},
    )


class KeySchema(ma.Schema):
    kid = ma.fields.String(required=True)
    jwk = ma.fields.Nested(JwkSchema, required=True)
    created_at = ma.fields.AwareDateTime(required=True)
    revoked_at = ma.fields.AwareDateTime(required=True, allow_none=True)


class KeysSchema(ma.Schema):
    keys = ma.fields.List(ma.fields.Nested(KeySchema), required=True)


def _told(registration: Registration) -> dict[str, Any]:
    confirmed = registration.confirmed_at is not None
    return {"id": registration.id, "name": registration.name, "address": registration.address, "confirmed": confirmed}


@blueprint.post("/registrations")
@blueprint.arguments(NewRegistrationSchema)
@blueprint.response(202, RegistrationSchema)
def register(body: dict[str, Any]) -> dict[str, Any]:
    """Say who you are. A mail goes to the address; once it is answered, you are a player, with this key."""
    return _told(players.register(body["name"], body["address"], body["language"], body["key"], body["proof"]))


@blueprint.post("/registrations/<string:registration_id>/confirmation")
@blueprint.arguments(ConfirmationSchema)
@blueprint.response(200, PlayerSchema)
def confirm(body: dict[str, Any], registration_id: str) -> Player:
    """Show the code from the mail, instead of answering it."""
    return players.confirm_registration(registration_id, body["code"])


@blueprint.post("/tokens")
@blueprint.arguments(NewTokenSchema)
@blueprint.response(201, TokenSchema)
def create_token(body: dict[str, Any]) -> dict[str, Any]:
    """A bearer token against an assertion signed with your key."""
    token, player = players.give_token(body["assertion"])
    return {"token": token, "expires_in": int(players.TOKEN_LIFE.total_seconds()), "player": player}


@blueprint.get("/players/me")
@blueprint.response(200, PlayerSchema)
@blueprint.doc(security=BEARER)
def me() -> Player:
    """You."""
    return signed_in()


@blueprint.get("/players/me/preferences")
@blueprint.response(200, PreferencesSchema)
@blueprint.doc(security=BEARER)
def get_preferences() -> dict[str, Any]:
    """What you chose for yourself, and the defaults of the rest; docs/preferences.md says what each means."""
    return {"preferences": preferences_of(signed_in())}


@blueprint.patch("/players/me/preferences")
@blueprint.arguments(PreferencesSchema)
@blueprint.response(200, PreferencesSchema)
@blueprint.doc(security=BEARER)
def patch_preferences(body: dict[str, Any]) -> dict[str, Any]:
    """Change some, all of them or none; null puts one back to its default."""
    player = signed_in()
    with writing() as transaction:
        return {"preferences": choose_preferences(transaction, player, body["preferences"])}


@blueprint.get("/players/me/keys")
@blueprint.response(200, KeysSchema)
@blueprint.doc(security=BEARER)
def list_keys() -> dict[str, list[Key]]:
    """Your keys, revoked ones included."""
    return {"keys": players.keys_of(signed_in().id)}


@blueprint.post("/players/me/keys")
@blueprint.arguments(NewKeySchema)
@blueprint.response(201, KeySchema)
@blueprint.doc(security=BEARER)
def add_key(body: dict[str, Any]) -> Key:
    """A further key."""
    return players.add_key(signed_in(), body["key"], body["proof"], body["statement"])


@blueprint.post("/players/me/keys/<string:kid>/revocation")
@blueprint.arguments(RevocationSchema)
@blueprint.response(200, KeySchema)
@blueprint.doc(security=BEARER)
def revoke_key(body: dict[str, Any], kid: str) -> Key:
    """Revoke a key: what it signs from now on counts nowhere. What it signed before stays."""
    return players.revoke_key(signed_in(), kid, body["statement"])


class DeletionSchema(ma.Schema):
    statement = ma.fields.String(
        required=True, metadata={"description": JWS + "typ ogham-delete+jws: aud (this service's URL), jti, iat"}
    )


@blueprint.post("/players/me/deletion")
@blueprint.arguments(DeletionSchema)
@blueprint.response(204)
def delete_account(body: dict[str, Any]) -> None:
    """Delete your account, for good, by a signed statement: you leave all matches, and what names you goes.

    The logs stay, with seals that nobody can open any more, and still verify.
    """
    delete_signed(body["statement"])
