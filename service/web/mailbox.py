"""The mailbox: every mail the service sent, and a way to answer it. Embedded set-up only.

An answer is a real mail: it goes to our own SMTP listener, and from there the way of every mail that comes in.
"""

import logging
import smtplib
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from typing import Literal, NoReturn

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from sqlalchemy import LargeBinary, Select, and_, exists, func, or_, select
from werkzeug.exceptions import UnsupportedMediaType
from werkzeug.wrappers import Response as AnyResponse

from service.parts import now, parts
from service.players import REGISTRATION_LIFE
from service.store.db import db
from service.store.tables import Letter, Mail, Match, Notice, Player, Registration, Seated
from service.web.guard import add_headers
from service.web.letters import headers_of, html_of, read_head, read_letter, text_of, write_answer

PAGE = 100
TIMEOUT = 10
LONGEST_ANSWER = 20_000
LONGEST_HEAD = 8_192
"""How much of a mail is read for the list; our headers are far shorter."""

SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

NOTES = {"sent": "Answer sent. The reply will appear here in a moment."}

journal = logging.getLogger(__name__)

blueprint = Blueprint("mailbox", __name__, url_prefix="/mailbox", template_folder="templates")
blueprint.after_request(add_headers)


@blueprint.after_request
def keep_nothing(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


State = Literal["waits", "arrived", "answered", ""]
"""Of a letter: a decision waits for its answer; an answer came and isn't read yet; it was answered; none of these."""


@dataclass(frozen=True, slots=True)
class Line:
    """A letter in the list."""

    id: str
    recipient: str
    subject: str
    sent: datetime
    state: State


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who got letters."""

    address: str
    letters: int
    waiting: int


# -- pages


@blueprint.get("")
def list_letters() -> str:
    """All letters, or those to one address, the newest first."""
    to, before = request.args.get("to", ""), request.args.get("before", "")
    waiting = _waiting()
    lines = _lines(to, before, waiting)
    people = _people(waiting)
    return render_template(
        "mailbox.html",
        to=to,
        before=before,
        lines=lines[:PAGE],
        older=lines[PAGE - 1].id if len(lines) > PAGE else "",
        people=people,
        note=NOTES.get(request.args.get("note", ""), ""),
        today=_local(now()).date(),
    )


@blueprint.get("/<string:letter_id>")
def show_letter(letter_id: str) -> str:
    return _letter_page(_find(letter_id))


@blueprint.get("/<string:letter_id>/html")
def show_html(letter_id: str) -> Response:
    """The mail's HTML part, for the frame in its page: it may run nothing and fetch nothing."""
    return _sandboxed(html_of(read_letter(_find(letter_id).raw)), "text/html")


@blueprint.get("/<string:letter_id>/raw")
def show_raw(letter_id: str) -> Response:
    """The mail as it was sent."""
    return _sandboxed(_find(letter_id).raw, "text/plain")


@blueprint.post("/<string:letter_id>/reply")
def reply(letter_id: str) -> AnyResponse | tuple[str, int]:
    """Answer it, as its recipient."""
    if request.mimetype != "application/x-www-form-urlencoded":
        raise UnsupportedMediaType("Answers are sent by the form below the mail.")
    letter = _find(letter_id)
    typed = request.form.get("text", "")
    if not typed.strip():
        return _letter_page(letter, "There is nothing in your answer yet.", typed), 422
    if len(typed) > LONGEST_ANSWER:
        return _letter_page(letter, f"An answer has at most {LONGEST_ANSWER:,} characters.", typed), 422
    mail = read_letter(letter.raw)
    if "Reply-To" not in mail:
        return _letter_page(letter, "This mail takes no answers.", typed), 422
    db.session.rollback()  # no transaction stays open while a socket is spoken to
    answer = write_answer(mail, letter.recipient, typed, now())
    try:
        _send(answer, letter.recipient)
    except (OSError, smtplib.SMTPException) as error:
        journal.warning("an answer could not be sent: %s", error)
        listener = f"{parts().settings.host}:{parts().settings.mail_port}"
        message = f"Not sent: the mail listener at {listener} didn't take it ({_reason(error)}). Please try again."
        return _letter_page(letter, message, typed), 502
    return redirect(url_for("mailbox.list_letters", to=letter.recipient, note="sent"), 303)


@blueprint.errorhandler(404)
def missing(_: Exception) -> tuple[str, int]:
    return render_template("missing.html"), 404


def _letter_page(letter: Letter, problem: str = "", typed: str = "") -> str:
    mail = read_letter(letter.raw)
    head = read_head(letter.raw)
    answers = db.session.scalars(
        select(Mail).where(Mail.recipient == head.reply_to.lower()).order_by(Mail.received_at, Mail.id)
    ).all()
    return render_template(
        "letter.html",
        letter=letter,
        head=head,
        headers=headers_of(mail),
        text=text_of(mail),
        waits=head.notice in _waiting(),
        answers=[(_local(answer.received_at), answer.verdict or "not read yet") for answer in answers],
        problem=problem,
        typed=typed,
        longest=LONGEST_ANSWER,
    )


def _sandboxed(content: str | bytes, mimetype: str) -> Response:
    response = make_response(content)
    response.content_type = f"{mimetype}; charset=utf-8"
    response.headers["Content-Security-Policy"] = SANDBOX
    return response


def _send(answer: EmailMessage, sender: str) -> None:
    settings = parts().settings
    recipient = answer["To"].addresses[0].addr_spec
    with smtplib.SMTP(settings.host, settings.mail_port, local_hostname="localhost", timeout=TIMEOUT) as server:
        server.send_message(answer, sender, [recipient])


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        error = smtplib.SMTPResponseException(*next(iter(error.recipients.values())))
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error
        return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


# -- what they read


def _find(letter_id: str) -> Letter:
    return db.session.get(Letter, letter_id) or _missing()


def _missing() -> NoReturn:
    abort(404)


def _local(moment: datetime) -> datetime:
    """In this machine's time zone, which is the reader's too."""
    return moment.astimezone()


def _lines(to: str, before: str, waiting: dict[str, str]) -> list[Line]:
    """A page of letters and one more, if there is one."""
    query = select(
        Letter.id, Letter.recipient, Letter.sent_at, func.substr(Letter.raw, 1, LONGEST_HEAD, type_=LargeBinary)
    )
    if to:
        query = query.where(Letter.recipient == to)
    if before:
        last = _find(before)
        together = and_(Letter.sent_at == last.sent_at, Letter.id < last.id)
        query = query.where(or_(Letter.sent_at < last.sent_at, together))
    rows = db.session.execute(query.order_by(Letter.sent_at.desc(), Letter.id.desc()).limit(PAGE + 1)).all()
    heads = [read_head(raw) for _, _, _, raw in rows]
    arrived = _arrived({head.reply_to.lower() for head in heads})
    return [
        Line(id, recipient, head.subject, _local(sent), _state(head.notice in waiting, arrived.get(head.reply_to)))
        for (id, recipient, sent, _), head in zip(rows, heads, strict=True)
    ]


def _arrived(addresses: set[str]) -> dict[str, bool]:
    """The reply addresses that were answered, and whether an answer is still unread."""
    rows = db.session.execute(
        select(Mail.recipient, func.count().filter(Mail.status == "waiting"))
        .where(Mail.recipient.in_(addresses))
        .group_by(Mail.recipient)
    )
    return {recipient: bool(unread) for recipient, unread in rows}


def _state(waits: bool, unread: bool | None) -> State:
    if unread:
        return "arrived"
    if waits:
        return "waits"
    return "" if unread is None else "answered"


def _people(waiting: dict[str, str]) -> list[Person]:
    rows = db.session.execute(
        select(Letter.recipient, func.count()).group_by(Letter.recipient).order_by(Letter.recipient)
    )
    due = list(waiting.values())
    return [Person(address, letters, due.count(address)) for address, letters in rows]


def _waiting() -> dict[str, str]:
    """The notices whose question is still open, with the address that was asked."""
    # A move that was refused is asked for again: of such notices the latest is the one to answer.
    latest = {(match, seat): (id, address) for id, address, match, seat in db.session.execute(_turns())}
    others = [(id, address) for query in (_invitations(), _welcomes()) for id, address in db.session.execute(query)]
    return dict([*latest.values(), *others])


def _turns() -> Select[str, str, str | None, int | None]:
    """What was said of each decision that is due, in that order."""
    return (
        select(Notice.id, Notice.address, Notice.match_id, Notice.seat)
        .join(Match, Match.id == Notice.match_id)
        .where(Notice.kind.in_(("turn", "answer")), Notice.outcome == "sent")
        .where(Match.status == "running", Match.to_act == Notice.seat, Match.changed <= Notice.seq)
        .order_by(Notice.seq, Notice.created_at, Notice.kind == "turn")
    )


def _sent(kind: str) -> Select[str, str]:
    return select(Notice.id, Notice.address).where(Notice.kind == kind, Notice.outcome == "sent")


def _invitations() -> Select[str, str]:
    seated = exists().where(
        Seated.match_id == Match.id, Seated.player_id == Player.id, Player.address == Notice.address
    )
    return _sent("invitation").join(Match, Match.id == Notice.match_id).where(Match.status == "open", ~seated)


def _welcomes() -> Select[str, str]:
    return (
        _sent("welcome")
        .join(Registration, Notice.key == "welcome:" + Registration.id)
        .where(Registration.confirmed_at.is_(None), Registration.created_at > now() - REGISTRATION_LIFE)
    )
