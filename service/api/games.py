"""Games: what can be played."""

from typing import Any

import marshmallow as ma

from engine.game import Game
from service.api.resource import Resource
from service.matches import find_game
from service.parts import parts

blueprint = Resource("games", __name__, url_prefix="/v1/games", description="What can be played")


class OptionSchema(ma.Schema):
    name = ma.fields.String(required=True)
    default = ma.fields.Raw(required=True)
    meaning = ma.fields.String(required=True)


class GameSchema(ma.Schema):
    id = ma.fields.String(required=True)
    title = ma.fields.String(required=True)
    seats = ma.fields.List(ma.fields.Integer(), required=True, metadata={"description": "how many may play"})
    ruleset = ma.fields.Integer(required=True, metadata={"description": "the version of the rules that judge now"})
    options = ma.fields.List(ma.fields.Nested(OptionSchema), required=True)


class GamesSchema(ma.Schema):
    games = ma.fields.List(ma.fields.Nested(GameSchema), required=True)
    bots = ma.fields.List(
        ma.fields.String(),
        required=True,
        metadata={"description": "they play every game: invite them, or let them play for who is absent"},
    )


def _told(game: Game) -> dict[str, Any]:
    info = game.info
    return {
        "id": info.id,
        "title": info.title,
        "seats": list(info.seats),
        "ruleset": info.ruleset,
        "options": info.options,
    }


@blueprint.get("")
@blueprint.response(200, GamesSchema)
def list_games() -> dict[str, Any]:
    """All games, and the bots that play them."""
    return {"games": [_told(game) for game in parts().games.values()], "bots": list(parts().bots)}


@blueprint.get("/<string:game_id>")
@blueprint.response(200, GameSchema)
def get_game(game_id: str) -> dict[str, Any]:
    """One game, with its options."""
    return _told(find_game(game_id))
