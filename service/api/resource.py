"""What all resources share: strict JSON in, the caller, ETags out."""

from typing import Any, NoReturn, cast

from flask import Request, Response, make_response, request
from flask.typing import ResponseReturnValue
from flask_smorest import Blueprint
from webargs.flaskparser import FlaskParser

from service.errors import Malformed, ServiceError
from service.players import player_with_token
from service.store.tables import Player
from service.strict import StrictError, strict_json

BEARER: list[dict[str, list[str]]] = [{"bearer": []}]
BEARER_OR_NOBODY: list[dict[str, list[str]]] = [{"bearer": []}, {}]


class StrictParser(FlaskParser):
    """Takes no JSON that Python takes and nobody should send."""

    def _raw_load_json(self, req: Request) -> Any:
        if not req.is_json:
            raise Malformed("media_type_wrong", "Send the body as Content-Type: application/json.")
        try:
            return strict_json(req.get_data())
        except StrictError as error:
            raise Malformed("json_invalid", f"The body is no JSON we take: {error}.") from None


class Resource(Blueprint):
    ARGUMENTS_PARSER = StrictParser()


class NoToken(ServiceError):
    """The route is for players, and this is none."""


def caller() -> Player | None:
    """Whose bearer token came with the request; nobody's where none came. A token that is none of ours is an error."""
    header = request.headers.get("Authorization", "")
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    player = player_with_token(token.strip()) if scheme.lower() == "bearer" else None
    if player is None:
        _refuse("token_invalid", "This bearer token is unknown or has expired. POST /v1/tokens gives a new one.")
    return player


def signed_in() -> Player:
    """The caller, who must be somebody."""
    return caller() or _refuse("token_missing", "Send a bearer token. POST /v1/tokens gives one.")


def _refuse(code: str, sentence: str) -> NoReturn:
    raise NoToken(code, sentence)


def tagged(answer: ResponseReturnValue, *facts: object) -> Response:
    """The answer with an ETag made from these facts; 304 without a body when the client has it already."""
    response = make_response(answer)
    response.set_etag("-".join(map(str, facts)))
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization"
    return cast(Response, response.make_conditional(request))
