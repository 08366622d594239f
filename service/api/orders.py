"""Standing orders: a seat's own, and nobody else's."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from engine.events import Seat
from engine.game import LANGUAGES
from service.api.matches import StatementSchema
from service.api.resource import BEARER, Resource, signed_in
from service.errors import NotAllowed
from service.matches import find_match, seat_of, see_match
from service.orders import give_signed, orders_of
from service.parts import timestamp
from service.store.tables import Order

blueprint = Resource(
    "orders", __name__, url_prefix="/v1/matches", description="Standing orders for decisions out of turn"
)


class OrderSchema(ma.Schema):
    number = ma.fields.Integer(
        required=True, metadata={"description": "orders and withdrawals of a seat are counted together, from 1"}
    )
    order = ma.fields.String(required=True, metadata={"description": "in canonical form"})
    status = ma.fields.String(required=True, validate=validate.OneOf(["standing", "used", "withdrawn", "done"]))
    given_at = ma.fields.String(required=True)
    receipt = ma.fields.String(
        required=True, metadata={"description": "signed by the service (ogham-order-receipt+jws): keep it"}
    )


class OrdersQuerySchema(ma.Schema):
    language = ma.fields.String(load_default="en", validate=validate.OneOf(LANGUAGES))


class OrdersSchema(ma.Schema):
    match = ma.fields.String(required=True)
    seat = ma.fields.Integer(required=True)
    orders = ma.fields.List(ma.fields.Nested(OrderSchema), required=True)
    guide = ma.fields.String(
        required=True, metadata={"description": "what may be ordered, in words; empty where a game takes no orders"}
    )


def _told(order: Order) -> dict[str, Any]:
    return {
        "number": order.number,
        "order": order.line,
        "status": order.status,
        "given_at": timestamp(order.given_at),
        "receipt": order.receipt,
    }


@blueprint.post("/<string:match_id>/orders")
@blueprint.arguments(StatementSchema)
@blueprint.response(201, OrderSchema)
def give_order(body: dict[str, Any], match_id: str) -> dict[str, Any]:
    """Leave a standing order or take one back, by a statement of typ ogham-order+jws: match, seat, order, jti, iat."""
    return _told(give_signed(match_id, body["statement"]))


@blueprint.get("/<string:match_id>/orders")
@blueprint.arguments(OrdersQuerySchema, location="query")
@blueprint.response(200, OrdersSchema)
@blueprint.doc(security=BEARER)
def get_orders(query: dict[str, Any], match_id: str) -> dict[str, Any]:
    """All that you ever ordered in this match, and what can be ordered."""
    match = find_match(match_id)
    seat = seat_of(match.id, signed_in())
    if seat is None:
        raise NotAllowed("not_yours", "You have no seat in this match.")
    return {
        "match": match.id,
        "seat": seat,
        "orders": [_told(order) for order in orders_of(match.id, Seat(seat))],
        "guide": _guide(see_match(match, seat), query["language"]),
    }


def _guide(sight: Any, language: Any) -> str:
    orders = sight.game.orders
    return "" if orders is None else str(orders.guide(sight.view, language))
