"""Notices as mails: text and HTML from one template each, the board as a picture.

A notice is rendered when it is sent. `Outdated` says that what it would tell is no longer so.
"""

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from engine.events import Seat, as_seen_by
from engine.game import Language
from service.mailroom.commands import COMMANDS
from service.mailroom.openings import last_turn, openings_in
from service.mailroom.phrases import PHRASES, say
from service.mailroom.pictures import png
from service.matches import Sight, find_match, see_match
from service.notices import reply_token
from service.orders import orders_of
from service.parts import parts
from service.preferences import PREFERENCES, preferences_of
from service.store.db import db
from service.store.logbook import entry_events, game_of, receipt_of
from service.store.tables import Match, Notice, Player, Seated, Submission

WIDTH = 72
MOST_TOLD = 300  # sentences of a match's history

_templates = Environment(
    loader=PackageLoader("service.mailroom"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
)


class Outdated(Exception):
    """The notice needn't be sent any more; the text says why."""


class Unsendable(Exception):
    """What we built doesn't read back as what we meant."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a mail says, before it is text or HTML."""

    subject: str
    lead: str
    how: str = ""
    since: tuple[str, ...] = ()
    sight: Sight | None = None
    receipts: tuple[str, ...] = ()
    """Of orders; that of the log is added where a position is shown."""


def compose(notice: Notice) -> bytes:
    """The mail for a notice, ready for the wire; the same bytes each time but for its Date."""
    content = _KINDS[notice.kind](notice)
    return _built(notice, content)


# -- what each kind says


def _welcome(notice: Notice) -> Content:
    language = _language(notice)
    return Content(
        say("welcome.subject", language),
        say("welcome.lead", language),
        how=say("welcome.how", language, code=reply_token(notice.id)),
    )


def _invitation(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    if match.status != "open":
        raise Outdated("the table is full")
    facts = {"by": notice.about["by"], "title": game_of(match).info.title, "seats": match.seats}
    return Content(
        say("invitation.subject", language, **facts),
        say("invitation.lead", language, **facts),
        how=say("invitation.how", language),
    )


def _nonce(notice: Notice) -> Content:
    """The table is full: who joined with the hash of a nonce has to open it."""
    match, language = _match(notice), _language(notice)
    if match.status != "open" or db.session.get_one(Seated, (match.id, notice.seat)).nonce:
        raise Outdated("the nonce is open")
    facts = {"title": game_of(match).info.title, "match": match.id}
    return Content(
        say("nonce.subject", language, **facts),
        say("nonce.lead", language, **facts),
        how=say("nonce.how", language, **facts),
    )


def _turn(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    if match.changed > cast(int, notice.seq) or match.to_act != notice.seat:
        raise Outdated("the decision was taken")
    sight = _sight(match, notice)
    kind = "turn" if sight.turn == sight.seat else "asked"
    facts = {"title": sight.game.info.title, "name": "" if sight.turn is None else sight.names[sight.turn]}
    return Content(
        say(f"{kind}.subject", language, **facts),
        say(f"{kind}.lead", language, **facts),
        how=_guide(sight, language),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


def _guide(sight: Sight, language: Language) -> str:
    """What may be answered; to who is asked out of turn, also how not to be."""
    guide = sight.game.guide(sight.view, language)
    if sight.seat == sight.to_act != sight.turn:
        guide += f"\n\n{_orders_guide(sight, language)}"
    return guide


def _orders_guide(sight: Sight, language: Language) -> str:
    if sight.game.orders is None:
        return say("orders.none", language)
    guide = sight.game.orders.guide(sight.view, language)
    told = re.sub(r"^  (?=\S)", say("orders.word", language), guide, flags=re.MULTILINE)
    return f"{say('orders.how', language)}\n\n{told.rstrip()}\n{say('orders.more', language)}"


def _answer(notice: Notice) -> Content:
    """What became of a mail: a settled submission's verdict, or why there was none."""
    about, language = notice.about, _language(notice)
    if about.get("said") in _TO_COMMANDS:
        return _TO_COMMANDS[about["said"]](notice)
    if notice.match_id is None:
        return Content("Ogham", say(f"answer.{about['said']}", language))
    match = _match(notice)
    subject = say("answer.subject", language, title=game_of(match).info.title)
    if "submission" in about:
        lead = _verdict(db.session.get_one(Submission, about["submission"]), language)
    elif about["said"] == "orders":
        return _orders(notice, match, subject)
    elif about["said"] == "order_refused":
        sight = _sight(match, notice)
        lead = say("answer.order_refused", language, line=about["line"], detail=about["detail"])
        return Content(subject, lead, how=_orders_guide(sight, language), sight=sight)
    elif about["said"] in ("nothing", "unclear"):
        lead = say(f"answer.{about['said']}", language, line=about.get("line", ""))
        if about["below"]:
            lead += "\n" + say("answer.below", language, cut=say("cut", language))
    else:  # about a seat, taken or not: there may be no position yet
        seat = "" if notice.seat is None else notice.seat + 1
        return Content(subject, say(f"answer.{about['said']}", language, seat=seat))
    sight = _sight(match, notice)
    return Content(subject, lead, how=_guide(sight, language), sight=sight)


def _orders(notice: Notice, match: Match, subject: str) -> Content:
    """What was ordered or taken back, and what stands now."""
    language, seat = _language(notice), Seat(cast(int, notice.seat))
    orders = {order.number: order for order in orders_of(match.id, seat)}
    given = [orders[number] for number in notice.about["numbers"]]
    lines = [say("orders.noted", language, number=order.number, line=order.line) for order in given]
    standing = [f"{order.number}: {order.line}" for order in orders.values() if order.status == "standing"]
    lines.append(
        say("orders.standing", language, orders="; ".join(standing)) if standing else say("orders.nothing", language)
    )
    sight = _sight(match, notice)
    receipts = tuple(order.receipt for order in given)
    return Content(subject, "\n".join(lines), how=_orders_guide(sight, language), sight=sight, receipts=receipts)


def _verdict(submission: Submission, language: Language) -> str:
    verdict = cast(dict[str, Any], submission.verdict)
    lines = []
    if verdict["played"]:
        lines.append(say("answer.played", language, moves="; ".join(item["move"] for item in verdict["played"])))
    if verdict["kept"]:
        lines.append(say("answer.kept", language, lines="; ".join(verdict["kept"])))
    if verdict["problem"] is not None:
        lines.append(_problem(verdict["problem"], language))
    if verdict["dropped"]:
        lines.append(say("answer.dropped", language, lines="; ".join(verdict["dropped"])))
    return "\n".join(lines)


def _problem(problem: dict[str, Any], language: Language) -> str:
    match problem["code"]:
        case "stale":
            return say("answer.stale", language)
        case "move_unreadable":
            return say("answer.unreadable", language, line=problem["line"])
        case "move_ambiguous":
            return say("answer.ambiguous", language, line=problem["line"], choices=", ".join(problem["choices"]))
    sentence = say("answer.refused", language, line=problem.get("line", ""), detail=problem["detail"])
    return f"{sentence} {say('answer.rule', language, rule=problem['rule'])}" if "rule" in problem else sentence


# -- answers to commands


def _subject(notice: Notice) -> str:
    if notice.match_id is None:
        return "Ogham"
    return say("answer.subject", _language(notice), title=game_of(_match(notice)).info.title)


def _simply(notice: Notice) -> Content:
    """One sentence, and what may be answered to it, where that is something."""
    language, said = _language(notice), notice.about["said"]
    how = say(f"command.{said}.how", language) if f"command.{said}.how" in PHRASES else ""
    return Content(_subject(notice), say(f"command.{said}", language), how=how)


def _help(notice: Notice) -> Content:
    """All commands that there are where this is read, and moves first, if one is asked for."""
    language, match = _language(notice), None if notice.seat is None else _match(notice)
    places = ("player",) if notice.seat is None else ("seat", "player")
    how = "\n".join(say(f"help.{command.name}", language) for command in COMMANDS if command.where in places)
    sight = _sight(match, notice) if match is not None and match.status != "open" else None
    guide = _guide(sight, language) if sight is not None and sight.seat == sight.to_act else ""
    return Content(_subject(notice), say("command.help", language), how=f"{guide}\n\n{how}".strip("\n"))


def _position(notice: Notice) -> Content:
    language, sight = _language(notice), _sight(_match(notice), notice)
    return Content(
        _subject(notice), say("command.position", language), how=sight.game.guide(sight.view, language), sight=sight
    )


def _history(notice: Notice) -> Content:
    """What happened so far, in words, as this seat may know it; of a long match, what happened last."""
    match, language = _match(notice), _language(notice)
    sight = _sight(match, notice)
    events = [event for _, some in entry_events(db.session(), match, 0, sight.length) for event in some]
    told = list(sight.game.recount(as_seen_by(sight.seat, events), language, sight.names))
    lead = say("command.history" if len(told) <= MOST_TOLD else "command.history.end", language, count=MOST_TOLD)
    return Content(_subject(notice), "\n".join([lead, *told[-MOST_TOLD:]]))


def _preferences(notice: Notice) -> Content:
    """What was changed, and what all of them are now."""
    language = _language(notice)
    player = db.session.get_one(Player, cast(str, notice.player_id))
    lines = [
        f"  {name}: {_spelt(value)}  {PREFERENCES[name].meaning}" for name, value in preferences_of(player).items()
    ]
    changed = [f"{name}: {_spelt(preferences_of(player)[name])}" for name in notice.about["changed"]]
    lead = (
        say("command.changed", language, changes="; ".join(changed)) if changed else say("command.unchanged", language)
    )
    return Content(_subject(notice), lead, how="\n".join([say("command.preferences.how", language), "", *lines]))


def _spelt(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _command_refused(notice: Notice) -> Content:
    about, language = notice.about, _language(notice)
    lead = say("command.refused", language, line=about["line"], detail=about["detail"])
    return Content(_subject(notice), lead, how=_help(notice).how)


_TO_COMMANDS: dict[str, Callable[[Notice], Content]] = {
    "help": _help,
    "position": _position,
    "history": _history,
    "preferences": _preferences,
    "command_refused": _command_refused,
    "resign": _simply,
    "resigned": _simply,
    "held": _simply,
    "unsigned": _simply,
}


def _declined(notice: Notice) -> Content:
    """To who invited them."""
    title, language = game_of(_match(notice)).info.title, _language(notice)
    lead = say("declined.lead", language, who=notice.about["who"], title=title)
    return Content(say("declined.subject", language, title=title), lead)


def _finished(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    sight = _sight(match, notice)
    places, seat = sight.outcome.places, cast(int, notice.seat)
    if places[seat] > 1:
        place = say("finished.place", language, place=places[seat])
    else:
        place = say("finished.shared" if places.count(1) > 1 else "finished.first", language)
    title = sight.game.info.title
    return Content(
        say("finished.subject", language, title=title),
        say("finished.lead", language, title=title, place=place),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


_KINDS: dict[str, Callable[[Notice], Content]] = {
    "welcome": _welcome,
    "invitation": _invitation,
    "nonce": _nonce,
    "turn": _turn,
    "answer": _answer,
    "declined": _declined,
    "finished": _finished,
}


# -- what they need


def _language(notice: Notice) -> Language:
    return cast(Language, notice.language)


def _match(notice: Notice) -> Match:
    return find_match(cast(str, notice.match_id))


def _sight(match: Match, notice: Notice) -> Sight:
    """The position that the notice tells of, however much later it is sent: what it shows is what an answer answers."""
    return see_match(match, None if notice.seat is None else Seat(notice.seat), notice.seq)


def _since_last_turn(match: Match, notice: Notice, sight: Sight) -> tuple[str, ...]:
    """What happened since this seat last acted; where it acted last of all, that and what it answered to."""
    entries = entry_events(db.session(), match, last_turn(match.id, notice.seat, sight.length), sight.length)
    events = [event for _, some in entries for event in some]
    return tuple(sight.game.recount(as_seen_by(sight.seat, events), _language(notice), sight.names))


def _receipts(content: Content, language: Language) -> tuple[str, ...]:
    """What the service signed of orders, and of the log up to the position shown, in lines: each inbox is a witness.

    And what opens the seals of the cards that were shown since the last turn. After the end a transcript has them all.
    """
    sight = content.sight
    signed = [*content.receipts, receipt_of(sight.match.id, sight.length) if sight else None]
    lines = [line for one in signed if one for line in textwrap.wrap(one, WIDTH, break_on_hyphens=False)]
    openings = openings_in(sight) if sight and sight.outcome is None else []
    if openings:
        lines += ["", f"{say('openings', language)}:"]
        lines += [line for one in openings for line in textwrap.wrap(one, WIDTH, break_on_hyphens=False)]
    return tuple(lines)


# -- building


def _built(notice: Notice, content: Content) -> bytes:
    settings, language, sight = parts().settings, _language(notice), content.sight
    player = None if notice.player_id is None else db.session.get(Player, notice.player_id)
    name = player.name if player else notice.about.get("name")
    picture = None
    if sight is not None:
        picture = png(sight.game.draw(sight.view, sight.names, language, "light"))
    url = settings.public_url
    facts = {
        "language": language,
        "subject": content.subject,
        "cut": say("cut", language),
        "hello": say("hello", language, name=f" {name}" if name else ""),
        "lead": content.lead,
        "since_title": say("since", language),
        "since": content.since,
        "how_title": say("how", language),
        "how": content.how,
        "position_title": say("position", language),
        "position": sight.game.tell(sight.view, language, sight.names) if sight else "",
        "board": say("board", language),
        "footer": say("footer", language, match=notice.match_id, url=url) if notice.match_id else f"Ogham, {url}",
        "receipt_title": say("receipt", language),
        "receipt": _receipts(content, language),
    }
    # 7bit: whatever server it is handed to, it needn't be asked whether it takes more.
    mail = EmailMessage(policy=policy.SMTP.clone(cte_type="7bit"))
    mail["From"] = Address("Ogham", "play", settings.mail_domain)
    mail["To"] = Address(addr_spec=notice.address)
    mail["Reply-To"] = Address("Ogham", f"play+{reply_token(notice.id)}", settings.mail_domain)
    mail["Subject"] = content.subject
    mail["Date"] = format_datetime(parts().now())
    mail["Message-ID"] = f"<{notice.id}@{settings.mail_domain}>"
    if notice.match_id:  # what gathers a match's mails in one thread
        mail["References"] = f"<{notice.match_id}@{settings.mail_domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    content_id = f"{notice.id}.board@{settings.mail_domain}"
    narrow = {"lead": _wrapped(content.lead), "since": [_wrapped(sentence) for sentence in content.since]}
    mail.set_content(_templates.get_template("mail.txt").render(facts | narrow))
    html = _templates.get_template("mail.html").render(facts | {"picture": content_id if picture else ""})
    mail.add_alternative(html, subtype="html")
    if picture:
        html_part = cast(list[EmailMessage], mail.get_payload())[1]
        html_part.add_related(
            picture, "image", "png", cid=f"<{content_id}>", filename="board.png", disposition="inline"
        )
        html_part.set_boundary(f"=related-{notice.id}")
    mail.set_boundary(f"=mail-{notice.id}")  # no chance in it: a mail sent twice is the same mail
    raw = mail.as_bytes()
    _check(raw, notice)
    return raw


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.fill(line, WIDTH, break_long_words=False) for line in text.split("\n"))


_HEADERS = ("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type")


def _check(raw: bytes, notice: Notice) -> None:
    """Read back what was built: on some Pythons a header can be smuggled in through another's text."""
    mail = message_from_bytes(raw, policy=policy.default)
    expected = [*_HEADERS, "References"] if notice.match_id else _HEADERS
    if sorted(mail.keys()) != sorted(expected) or mail.defects:
        raise Unsendable(f"headers {mail.keys()}, defects {mail.defects}")
    recipients = [recipient.addr_spec for recipient in mail["To"].addresses]
    if recipients != [notice.address]:
        raise Unsendable(f"recipients {recipients}")
