"""The front page: what this is, what is played, how to begin."""

from flask import Blueprint, render_template
from sqlalchemy import select

from service.matches import names_of
from service.parts import parts
from service.store.db import db
from service.store.tables import Match
from service.web.guard import add_headers

MOST_MATCHES = 20

blueprint = Blueprint("pages", __name__, template_folder="templates", static_folder="static", static_url_path="/static")
blueprint.after_request(add_headers)


@blueprint.app_context_processor
def facts() -> dict[str, object]:
    return {"settings": parts().settings}


@blueprint.get("/")
def front() -> str:
    games = parts().games
    running = db.session.scalars(
        select(Match).where(Match.status == "running").order_by(Match.opened_at.desc(), Match.id).limit(MOST_MATCHES)
    )
    matches = [
        {"id": match.id, "title": games[match.game].info.title, "names": names_of(match), "to_act": match.to_act}
        for match in running
        if match.game in games
    ]
    return render_template("front.html", games=[game.info for game in games.values()], matches=matches)
