"""Matches: opening, joining, leaving; the log, the state, the board."""

import json
from typing import Any

import marshmallow as ma
from flask import Response, jsonify, stream_with_context
from marshmallow import validate
from sqlalchemy import select

from engine.game import LANGUAGES
from engine.log import encode, openings_for
from engine.values import freeze
from service import matches
from service.addresses import unreachable_seats
from service.api.resource import BEARER, BEARER_OR_NOBODY, Resource, caller, signed_in, tagged
from service.matches import Sight, find_match, names_of, seat_of, see_match
from service.moves import resign_signed
from service.nonces import open_nonce_signed, unopened
from service.receipts import published_keys
from service.store.db import db
from service.store.tables import Entry, Match, SealOpening
from service.transcripts import write_for

blueprint = Resource(
    "matches", __name__, url_prefix="/v1/matches", description="Matches, their logs, states and boards"
)

PAGE = 100


class Invited(validate.Email):
    """An address, or the name of a bot."""

    def __call__(self, value: str) -> str:
        return value if value.startswith(matches.BOT) else super().__call__(value)


class NewMatchSchema(ma.Schema):
    game = ma.fields.String(required=True, validate=validate.Length(1, 40))
    seats = ma.fields.Integer(required=True, strict=True, validate=validate.Range(1, 100))
    options = ma.fields.Dict(keys=ma.fields.String(), load_default=dict)
    shuffle = ma.fields.String(
        load_default="joint",
        validate=validate.OneOf(["joint", "sealed"]),
        metadata={"description": "how the players' nonces come in: plainly, or hashed first; see docs/log.md"},
    )
    invite = ma.fields.List(
        ma.fields.String(validate=[validate.Length(max=254), Invited()]),
        load_default=list,
        metadata={
            "description": "addresses that get an invitation by mail; bots (`bot:easy`), each of which takes one of the"
            " highest seats at once"
        },
    )
    clock = ma.fields.Dict(
        keys=ma.fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "how much time there is; see docs/clocks.md. Null: as much as anybody likes"},
    )
    asks = ma.fields.Dict(
        keys=ma.fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "what a player must have shown to take a seat; see docs/clocks.md"},
    )


class MatchSchema(ma.Schema):
    id = ma.fields.String(required=True)
    game = ma.fields.String(required=True)
    options = ma.fields.Dict(required=True)
    shuffle = ma.fields.String(required=True, validate=validate.OneOf(["joint", "sealed"]))
    status = ma.fields.String(required=True, validate=validate.OneOf(["open", "running", "over"]))
    seats = ma.fields.Integer(required=True)
    names = ma.fields.List(
        ma.fields.String(allow_none=True),
        required=True,
        metadata={"description": "by seat; null where it is free. A bot's has a colon: `bot:easy`"},
    )
    unopened = ma.fields.List(
        ma.fields.Integer(),
        required=True,
        metadata={"description": "seats that have yet to open the nonce they promised; the table must be full for it"},
    )
    unreachable = ma.fields.List(
        ma.fields.Integer(), required=True, metadata={"description": "seats of players whose mails come back to us"}
    )
    to_act = ma.fields.Integer(required=True, allow_none=True, metadata={"description": "whose decision is due"})
    turn = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "whose turn it is; not the same while another answers a move"},
    )
    seq = ma.fields.Integer(required=True, metadata={"description": "the length of the log"})
    head = ma.fields.String(required=True, metadata={"description": "the hash of the log's last entry"})
    opened = ma.fields.String(required=True, metadata={"description": "the hash of the log's first entry"})
    seat = ma.fields.Integer(required=True, allow_none=True, metadata={"description": "the caller's"})
    clock = ma.fields.Dict(required=True, allow_none=True, metadata={"description": "as the match was opened with it"})
    asks = ma.fields.Dict(required=True, allow_none=True, metadata={"description": "as the match was opened with it"})


class MatchesQuerySchema(ma.Schema):
    mine = ma.fields.Boolean(load_default=False)
    status = ma.fields.String(load_default=None, validate=validate.OneOf(["open", "running", "over"]))
    after = ma.fields.String(
        load_default=None,
        validate=validate.Regexp("^[a-z2-7]{1,40}$"),
        metadata={"description": "the cursor: `next` of the page before"},
    )


class MatchesSchema(ma.Schema):
    matches = ma.fields.List(ma.fields.Nested(MatchSchema), required=True)
    next = ma.fields.String(required=True, allow_none=True)


class StatementSchema(ma.Schema):
    statement = ma.fields.String(required=True, metadata={"description": "compact JWS; see docs/signing.md"})


class AtSchema(ma.Schema):
    at = ma.fields.Integer(
        load_default=None, metadata={"description": "the length of the log to look back to; default: all of it"}
    )


class BoardQuerySchema(AtSchema):
    theme = ma.fields.String(load_default="light", validate=validate.OneOf(["light", "dark"]))
    language = ma.fields.String(load_default="en", validate=validate.OneOf(LANGUAGES))


class StateQuerySchema(AtSchema):
    language = ma.fields.String(load_default="en", validate=validate.OneOf(LANGUAGES))


class StateSchema(ma.Schema):
    match = ma.fields.String(required=True)
    seq = ma.fields.Integer(required=True)
    head = ma.fields.String(required=True)
    seat = ma.fields.Integer(
        required=True, allow_none=True, metadata={"description": "whose view it is; null: a spectator's"}
    )
    to_act = ma.fields.Integer(required=True, allow_none=True)
    view = ma.fields.Dict(required=True, metadata={"description": "all this reader may know, in the game's own terms"})
    text = ma.fields.String(required=True, metadata={"description": "the position in plain text"})
    outcome = ma.fields.Dict(required=True, allow_none=True, metadata={"description": "null while the match runs"})


class ChoiceSchema(ma.Schema):
    name = ma.fields.String(required=True)
    count = ma.fields.Integer(required=True)
    among = ma.fields.List(ma.fields.String(), required=True)


class OfferSchema(ma.Schema):
    text = ma.fields.String(
        required=True, metadata={"description": "a move; each {name} in it is filled from that choice"}
    )
    choices = ma.fields.List(ma.fields.Nested(ChoiceSchema), required=True)


class LegalSchema(ma.Schema):
    match = ma.fields.String(required=True)
    seq = ma.fields.Integer(required=True)
    head = ma.fields.String(required=True)
    seat = ma.fields.Integer(required=True, allow_none=True)
    moves = ma.fields.List(ma.fields.Nested(OfferSchema), required=True)
    guide = ma.fields.String(required=True, metadata={"description": "the same in words"})


class LogQuerySchema(ma.Schema):
    after = ma.fields.Integer(
        load_default=0,
        validate=validate.Range(0, 2**31 - 1),
        metadata={"description": "the cursor: the first seq wanted"},
    )


class OpeningSchema(ma.Schema):
    number = ma.fields.Integer(required=True)
    value = ma.fields.Raw(required=True)
    salt = ma.fields.String(required=True)


class EntrySchema(ma.Schema):
    seq = ma.fields.Integer(required=True)
    hash = ma.fields.String(required=True)
    public = ma.fields.String(required=True, metadata={"description": "the bytes that were hashed: canonical JSON"})
    openings = ma.fields.List(
        ma.fields.Nested(OpeningSchema), required=True, metadata={"description": "of seals that the caller may open"}
    )


class LogSchema(ma.Schema):
    match = ma.fields.String(required=True)
    entries = ma.fields.List(ma.fields.Nested(EntrySchema), required=True)
    next = ma.fields.Integer(required=True, allow_none=True)


def told(match: Match, seat: int | None) -> dict[str, Any]:
    """The match as told to whoever has this seat: by their token, or by the statement that was just acted on."""
    return {
        "id": match.id,
        "game": match.game,
        "options": match.options,
        "shuffle": match.shuffle,
        "status": match.status,
        "seats": match.seats,
        "names": names_of(match),
        "unopened": unopened(match),
        "unreachable": unreachable_seats(match.id),
        "to_act": match.to_act,
        "turn": match.turn,
        "seq": match.length,
        "head": encode(match.head),
        "opened": encode(db.session.get_one(Entry, (match.id, 0)).hash),
        "seat": seat,
        "clock": match.clock,
        "asks": match.asks,
    }


@blueprint.post("")
@blueprint.arguments(NewMatchSchema)
@blueprint.response(201, MatchSchema)
@blueprint.doc(security=BEARER)
def open_match(body: dict[str, Any]) -> dict[str, Any]:
    """Open a match. But for bots the table is empty at first: join it yourself, and invite others."""
    asked = (body[name] for name in ("game", "seats", "options", "invite", "shuffle", "clock", "asks"))
    return told(matches.open_match(signed_in(), *asked), None)


@blueprint.get("")
@blueprint.arguments(MatchesQuerySchema, location="query")
@blueprint.response(200, MatchesSchema)
@blueprint.doc(security=BEARER_OR_NOBODY)
def list_matches(query: dict[str, Any]) -> dict[str, Any]:
    """Matches: all, or those you sit in; page by page."""
    player = signed_in() if query["mine"] else caller()
    found = matches.list_matches(player if query["mine"] else None, query["status"], query["after"], PAGE)
    listed = [told(match, seat_of(match.id, player)) for match in found]
    return {"matches": listed, "next": found[-1].id if len(found) == PAGE else None}


@blueprint.get("/<string:match_id>")
@blueprint.response(200, MatchSchema)
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_match(match_id: str) -> Response:
    """Where a match stands."""
    found = find_match(match_id)
    match = told(found, seat_of(found.id, caller()))
    lost = "".join(f"u{seat}" for seat in match["unreachable"])
    return tagged(jsonify(match), "match", match["id"], match["seq"], match["status"], match["seat"], lost)


@blueprint.post("/<string:match_id>/seats")
@blueprint.arguments(StatementSchema)
@blueprint.response(201, MatchSchema)
def join(body: dict[str, Any], match_id: str) -> dict[str, Any]:
    """Take a seat, by a statement of typ ogham-join+jws: match, opened, seat, keys, nonce, jti, iat.

    When the last seat is taken, the match is dealt and the first player gets a mail. Where the shuffle is sealed, the
    statement has `promise`, the hash of the nonce, in its place, and the nonces are opened before the deal.
    """
    return told(*matches.join_signed(match_id, body["statement"]))


@blueprint.post("/<string:match_id>/nonces")
@blueprint.arguments(StatementSchema)
@blueprint.response(201, MatchSchema)
def open_nonce(body: dict[str, Any], match_id: str) -> dict[str, Any]:
    """Open the nonce that you promised when joining, by a statement of typ ogham-nonce+jws.

    It says match, seat, nonce, and seq and head of the log you saw, jti and iat. For matches whose shuffle is sealed,
    once the table is full. When the last nonce is open, the match is dealt.
    """
    return told(*open_nonce_signed(match_id, body["statement"]))


@blueprint.post("/<string:match_id>/resignation")
@blueprint.arguments(StatementSchema)
@blueprint.response(200, MatchSchema)
def resign(body: dict[str, Any], match_id: str) -> dict[str, Any]:
    """Leave the match for good, by a statement of typ ogham-resign+jws: match, seat, jti, iat."""
    return told(*resign_signed(match_id, body["statement"]))


def _seen(match_id: str, at: int | None) -> Sight:
    match = find_match(match_id)
    return see_match(match, seat_of(match.id, caller()), at)


@blueprint.get("/<string:match_id>/state")
@blueprint.arguments(StateQuerySchema, location="query")
@blueprint.response(200, StateSchema)
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_state(query: dict[str, Any], match_id: str) -> Response:
    """The position, now or at any length of the log, as the caller may see it."""
    sight = _seen(match_id, query["at"])
    state = {
        "match": match_id,
        "seq": sight.length,
        "head": encode(sight.head),
        "seat": sight.seat,
        "to_act": sight.to_act,
        "view": freeze(sight.view),
        "text": sight.game.tell(sight.view, query["language"], sight.names),
        "outcome": freeze(sight.outcome),
    }
    return tagged(jsonify(state), "state", match_id, sight.length, sight.seat, query["language"])


@blueprint.get("/<string:match_id>/legal")
@blueprint.arguments(StateQuerySchema, location="query")
@blueprint.response(200, LegalSchema)
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_legal(query: dict[str, Any], match_id: str) -> Response:
    """What the caller may play. Nothing when it isn't their turn."""
    sight = _seen(match_id, query["at"])
    legal = {
        "match": match_id,
        "seq": sight.length,
        "head": encode(sight.head),
        "seat": sight.seat,
        "moves": [freeze(offer) for offer in sight.game.legal(sight.view)],
        "guide": sight.game.guide(sight.view, query["language"]),
    }
    return tagged(jsonify(legal), "legal", match_id, sight.length, sight.seat, query["language"])


@blueprint.get("/<string:match_id>/board.svg")
@blueprint.arguments(BoardQuerySchema, location="query")
@blueprint.response(200, {"type": "string"}, content_type="image/svg+xml")
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_board(query: dict[str, Any], match_id: str) -> Response:
    """The position as a picture."""
    sight = _seen(match_id, query["at"])
    picture = sight.game.draw(sight.view, sight.names, query["language"], query["theme"])
    answer = Response(picture, mimetype="image/svg+xml")
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return tagged(answer, "board", match_id, sight.length, sight.seat, query["theme"], query["language"])


@blueprint.get("/<string:match_id>/log")
@blueprint.arguments(LogQuerySchema, location="query")
@blueprint.response(200, LogSchema)
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_log(query: dict[str, Any], match_id: str) -> Response:
    """The log, page by page: what everybody sees, and the openings that are for the caller."""
    match = find_match(match_id)
    seat, over = seat_of(match.id, caller()), match.status == "over"
    entries = db.session.scalars(
        select(Entry).where(Entry.match_id == match.id, Entry.seq >= query["after"]).order_by(Entry.seq).limit(PAGE)
    ).all()
    since = match.turn_since
    wanted = {entry.seq: list(openings_for(seat, json.loads(entry.public), over, since)) for entry in entries}
    numbers = {number for some in wanted.values() for number in some}
    openings = {
        opening.number: {"number": opening.number, "value": opening.value, "salt": encode(opening.salt)}
        for opening in db.session.scalars(
            select(SealOpening).where(SealOpening.match_id == match.id, SealOpening.number.in_(numbers))
        )
    }
    log = {
        "match": match.id,
        "entries": [
            {
                "seq": entry.seq,
                "hash": encode(entry.hash),
                "public": entry.public.decode(),
                "openings": [openings[number] for number in wanted[entry.seq] if number in openings],
            }
            for entry in entries
        ],
        "next": entries[-1].seq + 1 if len(entries) == PAGE else None,
    }
    return tagged(jsonify(log), "log", match.id, query["after"], match.length, seat)


@blueprint.get("/<string:match_id>/transcript")
@blueprint.response(200, {"type": "string"}, content_type="application/jsonl")
@blueprint.doc(security=BEARER_OR_NOBODY)
def get_transcript(match_id: str) -> Response:
    """The whole match to take away and to check, as JSON lines, for the caller's eyes.

    docs/transcript.md describes the format; `ogham verify` reads it.
    """
    match = find_match(match_id)
    seat, keys = seat_of(match.id, caller()), published_keys()
    lines = write_for(match, seat, keys)
    answer = Response(stream_with_context(lines), mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="{match.id}.jsonl"'
    return tagged(answer, "transcript", match.id, match.length, seat, keys[0]["kid"])
