"""Errors as RFC 9457 problems: the one table of codes. docs/problems.md lists the same; a test holds them equal."""

import logging
from typing import Any, cast

import marshmallow as ma
from flask import Flask, Response, json, request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException

from service.errors import ServiceError
from service.store.db import db, is_outage

journal = logging.getLogger(__name__)

# Each code with its status and title.
PROBLEMS = {
    # the request as such
    "bad_request": (400, "The request can't be understood"),
    "json_invalid": (400, "The body is not plain JSON"),
    "media_type_wrong": (415, "The body has the wrong media type"),
    "body_too_large": (413, "The body is too large"),
    "schema_invalid": (422, "Members are missing, unknown or of the wrong type"),
    "not_found": (404, "There is nothing here"),
    "method_not_allowed": (405, "This method isn't for this resource"),
    "host_wrong": (421, "This request was meant for another host"),
    "origin_wrong": (403, "This request comes from another site's page"),
    "internal": (500, "Something went wrong on our side"),
    "unavailable": (503, "The database doesn't answer"),
    # who is asking
    "token_missing": (401, "A bearer token is needed"),
    "token_invalid": (401, "The bearer token isn't valid"),
    "not_yours": (403, "This isn't yours to read"),
    # statements
    "signature_invalid": (403, "Not signed by a key that counts here"),
    "statement_invalid": (422, "The signed statement doesn't say what it must"),
    "statement_expired": (422, "The signed statement is too old"),
    "statement_from_the_future": (422, "The signed statement is from the future"),
    "statement_used": (409, "The signed statement was used before"),
    "audience_wrong": (422, "The assertion is for another service"),
    "key_revoked": (403, "The key was revoked"),
    "key_invalid": (422, "This is no key to register"),
    "key_known": (409, "The key is registered already"),
    "key_unknown": (404, "There is no such key"),
    "other_match": (422, "The statement is for another match"),
    "other_seat": (422, "The statement is for another seat"),
    "jti_used": (409, "The jti was used for another submission"),
    # players
    "name_invalid": (422, "This is no name"),
    "address_invalid": (422, "This address can't be registered"),
    "preference_invalid": (422, "This preference or its value isn't known"),
    "notice_unknown": (404, "There is no such notice"),
    "registration_unknown": (404, "There is no such registration"),
    "registration_expired": (409, "The registration is too old"),
    "player_unknown": (404, "There is no such player"),
    # games and matches
    "game_unknown": (404, "There is no such game"),
    "match_unknown": (404, "There is no such match"),
    "option_invalid": (422, "An option isn't allowed"),
    "too_many_invited": (422, "More were invited than there are seats"),
    "bots_only": (422, "No seat is left to a player"),
    "bot_unknown": (422, "There is no such bot"),
    "table_full": (409, "The table is full"),
    "seat_taken": (409, "The seat is taken"),
    "already_seated": (409, "You sit at this table already"),
    "table_open": (409, "Seats are still free"),
    "nonce_wrong": (422, "This isn't the nonce that was promised"),
    "not_started": (409, "The match hasn't started"),
    "not_running": (409, "The match isn't running"),
    "seq_unknown": (404, "The log isn't that long"),
    "submission_unknown": (404, "There is no such submission"),
    # clocks
    "clock_invalid": (422, "This is no clock"),
    "no_clock": (409, "The match has no clock"),
    "vacation_invalid": (422, "This is no vacation"),
    "vacation_spent": (409, "There aren't that many days of vacation left"),
    "no_vacation": (409, "There is no vacation to end"),
    "calendar_unknown": (404, "There is no calendar at this address"),
    "asks_invalid": (422, "A match can't ask for this"),
    "asks_not_met": (403, "The match asks for more than the player has shown"),
    # orders
    "order_unreadable": (422, "The line is no order"),
    "order_unknown": (404, "There is no such standing order"),
    "too_many_orders": (409, "There are too many standing orders"),
    # messages
    "message_invalid": (422, "This is no message"),
    "too_many_messages": (429, "Too much was said in a day"),
    # mail
    "hook_secret_wrong": (403, "The hook's secret is missing or wrong"),
    "mailbox_unknown": (404, "There is no such mailbox"),
    "mail_too_large": (413, "The mail is too large"),
    # verdicts
    "turn_passed": (409, "The turn was over before a kept line could be played"),
    "stale": (409, "The game has moved on"),
    "head_wrong": (409, "The move answers another history"),
    "move_refused": (422, "A rule forbids the move"),
    "move_unreadable": (422, "The line is no move"),
    "move_ambiguous": (422, "The line may mean several moves"),
}

_HTTP_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "body_too_large",
               415: "media_type_wrong", 422: "schema_invalid", 421: "host_wrong"}  # fmt: skip


class ProblemSchema(ma.Schema):
    """An RFC 9457 problem."""

    type = ma.fields.String(required=True, metadata={"description": "urn:ogham:problem: and the code"})
    title = ma.fields.String(required=True)
    status = ma.fields.Integer(required=True)
    code = ma.fields.String(required=True, metadata={"description": "stable; listed in docs/problems.md"})
    detail = ma.fields.String(metadata={"description": "one sentence for a person"})
    rule = ma.fields.String(metadata={"description": "for a refused move: the rule it breaks"})
    reason = ma.fields.String(metadata={"description": "for a refused move: the game's own stable code"})
    line = ma.fields.String(metadata={"description": "for a refused move: the line as it was sent"})
    choices = ma.fields.List(ma.fields.String(), metadata={"description": "for an ambiguous line: what it may mean"})
    seq = ma.fields.Integer(metadata={"description": "for a refused move: the length of the log now"})
    head = ma.fields.String(metadata={"description": "for a refused move: the hash of the log's last entry"})
    errors = ma.fields.Dict(metadata={"description": "for schema_invalid: what is wrong, by member"})
    option = ma.fields.String(
        metadata={"description": "for option_invalid, clock_invalid, asks_invalid and asks_not_met: which one"}
    )
    preference = ma.fields.String(metadata={"description": "which one was meant"})
    retry_after = ma.fields.Integer(metadata={"description": "for too_many_messages: in how many seconds"})
    left = ma.fields.Integer(metadata={"description": "for vacation_spent: the days left of that year's vacation"})


def problem(code: str, detail: str = "", **more: Any) -> dict[str, Any]:
    status, title = PROBLEMS[code]
    body = {"type": f"urn:ogham:problem:{code}", "title": title, "status": status, "code": code}
    return body | ({"detail": detail} if detail else {}) | more


def respond(body: dict[str, Any]) -> Response:
    response = Response(json.dumps(body), body["status"], mimetype="application/problem+json")
    if body["status"] == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if body["status"] == 503:
        response.headers["Retry-After"] = "2"
    if "retry_after" in body:
        response.headers["Retry-After"] = str(body["retry_after"])
    return response


def add_problem_handlers(app: Flask) -> None:
    @app.errorhandler(ServiceError)
    def refused(error: ServiceError) -> Response:
        return respond(problem(error.code, error.sentence, **error.more))

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        if error.response is not None or error.code is None or error.code < 400:
            return cast(Response, error.get_response())
        code = _HTTP_CODES.get(error.code, "internal" if error.code >= 500 else "bad_request")
        messages = getattr(error, "data", {}).get("messages")
        more = {"errors": next(iter(messages.values()))} if messages else {}
        response = respond(problem(code, "" if messages else error.description or "", **more))
        for name, value in error.get_headers(request.environ):
            if name not in ("Content-Type", "Content-Length"):
                response.headers[name] = value
        return response

    @app.errorhandler(DBAPIError)
    def database(error: DBAPIError) -> Response:
        db.session.rollback()
        if is_outage(error):
            journal.warning("the database doesn't answer: %s", type(error.orig).__name__)
            return respond(problem("unavailable", "Please send the same request again in a moment."))
        journal.exception("a statement failed")
        return respond(problem("internal"))

    @app.errorhandler(PoolTimeout)
    def crowded(_: PoolTimeout) -> Response:
        journal.warning("no connection to the database was free in time")
        return respond(problem("unavailable", "Please send the same request again in a moment."))

    @app.errorhandler(Exception)
    def unexpected(_: Exception) -> Response:
        journal.exception("an error nobody foresaw")
        return respond(problem("internal"))
