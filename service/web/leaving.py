"""Leaving a kind of mail (RFC 8058): mail programs post here, people press a button. Looking changes nothing."""

from typing import cast

from flask import Blueprint, Response, abort, render_template

from engine.game import Language
from service.mailroom.phrases import say
from service.store.db import writing
from service.store.tables import Notice
from service.unsubscribe import find_mail, subscribe, unsubscribe
from service.web.guard import add_headers

blueprint = Blueprint("leaving", __name__, url_prefix="/unsubscribe", template_folder="templates")
blueprint.after_request(add_headers)


@blueprint.after_request
def keep_nothing(response: Response) -> Response:
    """The address of this page is a secret."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def _find(code: str) -> Notice:
    return find_mail(code) or abort(404)


@blueprint.get("/<string:code>")
def ask(code: str) -> str:
    """A mail scanner that follows the link sees a page with a button, and that is all."""
    return _page(_find(code), code, "asked")


@blueprint.post("/<string:code>")
def leave(code: str) -> str:
    """One click: nothing is asked, and the body doesn't matter."""
    notice = _find(code)
    with writing() as transaction:
        unsubscribe(transaction, notice)
    return _page(notice, code, "left")


@blueprint.post("/<string:code>/again")
def return_to(code: str) -> str:
    notice = _find(code)
    with writing() as transaction:
        subscribe(transaction, notice)
    return _page(notice, code, "asked")


def _page(notice: Notice, code: str, state: str) -> str:
    language = cast(Language, notice.language)
    kind = say(f"kind.{notice.kind}", language)
    return render_template("leaving.html", code=code, state=state, kind=kind, language=language, name=notice.kind)
