"""The REST API: one file per resource, schemas beside routes. `problems.py` maps errors to HTTP, once."""

from flask import Flask, abort, request
from flask_smorest import Api

from service.api import (
    calendars,
    clocks,
    games,
    health,
    keys,
    mails,
    matches,
    messages,
    moves,
    notices,
    orders,
    players,
    vacations,
)
from service.api.problems import ProblemSchema, add_problem_handlers

VERSION = "0.1.0"
RESOURCES = (
    health, keys, games, players, notices, matches, moves, orders, messages, mails, clocks, vacations, calendars,
)  # fmt: skip

DESCRIPTION = """\
Slow board games by mail and over this API. Moves are signed (compact JWS, Ed25519); reading needs no signature, but who
shows a bearer token of a seated player sees what that seat sees. Errors are RFC 9457 problems with a stable `code`."""


class OghamApi(Api):
    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """flask-smorest's own would drop headers such as Allow; ours are in problems.py."""

    def _register_responses(self) -> None:
        response = {
            "description": "A problem (RFC 9457)",
            "content": {"application/problem+json": {"schema": self.ERROR_SCHEMA}},
        }
        for name in ("DEFAULT_ERROR", "UNPROCESSABLE_ENTITY"):  # every route with arguments refers to the second
            self.spec.components.response(name, response, lazy=True)

    def _register_pagination_header(self) -> None:
        """Our lists have cursors."""


def add_api(app: Flask) -> None:
    app.config |= {
        "API_TITLE": "Ogham",
        "API_VERSION": VERSION,
        "OPENAPI_VERSION": "3.1.0",
        "OPENAPI_URL_PREFIX": "/v1",
        "OPENAPI_JSON_PATH": "openapi.json",
        "API_SPEC_OPTIONS": {
            "info": {"description": DESCRIPTION, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
            "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        },
    }
    api = OghamApi(app)
    for resource in RESOURCES:
        api.register_blueprint(resource.blueprint)
    app.extensions["ogham-openapi"] = api.spec
    add_problem_handlers(app)

    @app.before_request
    def refuse_nul() -> None:
        """PostgreSQL can't even be asked for an id with a NUL in it."""
        if "\0" in request.path:
            abort(404)
