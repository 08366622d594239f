"""Mails: text and HTML from one template each, the board as a picture; signed, and read again before they are sent."""

import re
import textwrap
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from typing import Any, cast
from urllib.parse import quote

import dkim
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from engine.game import Language
from service.addresses import unreachable_seats
from service.mailroom.openings import openings_in
from service.mailroom.phrases import say
from service.mailroom.pictures import png
from service.matches import Sight, find_match, names_of
from service.notices import reply_token
from service.parts import parts
from service.preferences import preferences_of
from service.store.db import db
from service.store.logbook import receipt_of
from service.store.tables import Notice, Player
from service.unsubscribe import leaving_code, may_be_left

WIDTH = 72

_templates = Environment(
    loader=PackageLoader("service.mailroom"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
)


class Unsendable(Exception):
    """What we built doesn't read back as what we meant."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a mail says, before it is text or HTML."""

    subject: str
    """It never shows anything private: others see it over a shoulder."""
    lead: str
    words: str = ""
    """What another player wrote. It is shown as a quote: nobody's program takes it for the reader's own words."""
    how: str = ""
    taps: tuple[str, ...] = ()
    """Likely answers, each a link that fills in the reply."""
    since: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    check: str = ""
    sight: Sight | None = None
    receipts: tuple[str, ...] = ()
    """Of orders; that of the log is added where a position is shown."""
    items: tuple[tuple[Notice, "Content"], ...] = ()
    """What a digest brings."""
    ledger: tuple[str, ...] = ()


def write(notice: Notice, content: Content) -> bytes:
    """The mail, ready for the wire; the same bytes each time but for its Date and our signature."""
    raw = _signed(_built(notice, content))
    check(raw, notice)
    return raw


def player_of(notice: Notice) -> Player | None:
    return None if notice.player_id is None else db.session.get(Player, notice.player_id)


# -- building


class _Uris(UnstructuredHeader):
    """A header of URIs. Python would make encoded words of long ones, which nobody reads as URIs (seen)."""

    name: str

    def fold(self, *, policy: policy.Policy) -> str:
        return f"{self.name}: {str(self).replace(', ', f',{policy.linesep} ')}{policy.linesep}"


_headers = HeaderRegistry()
_headers.map_to_type("list-unsubscribe", cast(type[BaseHeader], _Uris))  # it is mixed into that class
# 7bit: whatever server it is handed to, it needn't be asked whether it takes more.
_POLICY = EmailPolicy(linesep="\r\n", cte_type="7bit", header_factory=_headers)


def _built(notice: Notice, content: Content) -> bytes:
    settings, language = parts().settings, cast(Language, notice.language)
    player = player_of(notice)
    name = player.name if player else notice.about.get("name")
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = Address("Ogham", "play", settings.mail_domain)
    mail["To"] = Address(addr_spec=notice.address)
    mail["Reply-To"] = Address("Ogham", f"play+{reply_token(notice.id)}", settings.mail_domain)
    mail["Subject"] = content.subject
    mail["Date"] = format_datetime(parts().now())
    mail["Message-ID"] = f"<{notice.id}@{settings.mail_domain}>"
    if notice.match_id:
        mail["References"] = _thread(notice, player)
    mail["Auto-Submitted"] = "auto-generated"
    for header, value in _list_headers(notice).items():
        mail[header] = value
    told = content.items or ((notice, content),)
    sections = [_section(one, said, language, alone=bool(content.items)) for one, said in told]
    pictures = {section["picture"]: _picture(said, language) for section, (_, said) in zip(sections, told, strict=True)}
    pictures.pop("", None)
    url = settings.public_url
    facts = {
        "language": language,
        "subject": content.subject,
        "cut": say("cut", language),
        "hello": say("hello", language, name=f" {name}" if name else ""),
        "intro": content.lead if content.items else "",
        "sections": sections,
        "since_title": say("since", language),
        "how_title": say("how", language),
        "taps_title": say("taps", language),
        "position_title": say("position", language),
        "check_title": say("check", language),
        "board": say("board", language),
        "receipt_title": say("receipt", language),
        "ledger_title": say("ledger", language),
        "ledger": content.ledger,
        "unreachable": _unreachable(notice, language),
        "footer": say("footer", language, match=notice.match_id, url=url) if notice.match_id else f"Ogham, {url}",
        "fewer": say("fewer", language, kind=notice.kind) if _has_choice(notice) else "",
        "leave": say("leave", language),
        "leave_url": f"{url}/unsubscribe/{leaving_code(notice)}" if may_be_left(notice) else "",
    }
    mail.set_content(_templates.get_template("mail.txt").render(facts))
    mail.add_alternative(_templates.get_template("mail.html").render(facts), subtype="html")
    if pictures:
        html_part = cast(list[EmailMessage], mail.get_payload())[1]
        for content_id, picture in pictures.items():
            html_part.add_related(
                picture, "image", "png", cid=f"<{content_id}>", filename="board.png", disposition="inline"
            )
        html_part.set_boundary(f"=related-{notice.id}")
    mail.set_boundary(f"=mail-{notice.id}")  # no chance in it: a mail sent twice is the same mail
    return mail.as_bytes()


def _section(notice: Notice, content: Content, language: Language, alone: bool) -> dict[str, Any]:
    """What a template needs to tell of one notice; alone it stands under a title, else it goes on from the greeting."""
    sight, address = content.sight, f"play+{reply_token(notice.id)}@{parts().settings.mail_domain}"
    return {
        "title": content.subject,
        "lead": content.lead[:1].upper() + content.lead[1:] if alone else content.lead,
        "words": content.words,
        "since": content.since,
        "result": content.result,
        "how": content.how,
        "taps": [(tap, _mailto(address, f"Re: {content.subject}", tap)) for tap in content.taps],
        "address": say("answer_to", language, address=address) if content.how else "",
        "position": sight.game.tell(sight.view, language, sight.names) if sight else "",
        "check": content.check,
        "receipt": _receipts(content, language),
        "picture": f"{notice.id}.board@{parts().settings.mail_domain}" if sight else "",
    }


def _picture(content: Content, language: Language) -> bytes:
    sight = content.sight
    return png(sight.game.draw(sight.view, sight.names, language, "light")) if sight else b""


def _mailto(address: str, subject: str, body: str) -> str:
    """RFC 6068. A plus is encoded too: some programs read it as a space."""
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='')}&body={quote(body, safe='')}"


def _thread(notice: Notice, player: Player | None) -> str:
    """What gathers mails in one thread: those of a match, or those about the same decision."""
    per_turn = player is not None and preferences_of(player)["thread"] == "turn" and notice.seq is not None
    thread = f"{notice.match_id}.{notice.seq}" if per_turn else notice.match_id
    return f"<{thread}@{parts().settings.mail_domain}>"


def _has_choice(notice: Notice) -> bool:
    return notice.player_id is not None and may_be_left(notice) and notice.kind != "digest"


def _list_headers(notice: Notice) -> dict[str, str]:
    """How to leave this kind of mail, with one click where the URL is safe to post to (RFC 8058)."""
    if not may_be_left(notice):
        return {}
    domain, url, code = parts().settings.mail_domain, parts().settings.public_url, leaving_code(notice)
    headers = {
        "List-Id": f"<{notice.kind}.{domain}>",
        "List-Unsubscribe": f"<{url}/unsubscribe/{code}>, <mailto:stop%2B{code}@{domain}>",
    }
    return headers | ({"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} if url.startswith("https:") else {})


def _unreachable(notice: Notice, language: Language) -> str:
    if notice.match_id is None:
        return ""
    match, seats = find_match(notice.match_id), unreachable_seats(notice.match_id)
    names = [name for seat, name in enumerate(names_of(match)) if name and seat in seats and seat != notice.seat]
    return say("unreachable", language, names=", ".join(names)) if names else ""


def _wrapped(text: str) -> str:
    return "\n".join(
        textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
    )


def _quoted(text: str) -> str:
    """As mail programs quote, in lines that fit."""
    lines = [textwrap.wrap(line, WIDTH - 2, break_on_hyphens=False) or [""] for line in text.split("\n")]
    return "\n".join(f"> {line}".rstrip() for some in lines for line in some)


def _unbroken(text: str) -> str:
    """With what something to say means on one line, as a window may break it anywhere."""
    return re.sub(r"\n {6,}(?=\S)", "  ", text)


_templates.filters |= {"wrapped": _wrapped, "quoted": _quoted, "unbroken": _unbroken}


# -- signing and checking


def _signed(raw: bytes) -> bytes:
    """With our DKIM signature over every header we wrote: RFC 8058 asks for those of the list."""
    settings = parts().settings
    if settings.dkim_key is None:
        return raw
    names = [name.lower().encode() for name in message_from_bytes(raw, policy=policy.compat32)]
    signature = dkim.sign(
        raw,
        settings.dkim_selector.encode(),
        settings.mail_domain.encode(),
        settings.dkim_key,
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=names,
    )
    return bytes(signature) + raw


_HEADERS = ("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type")


def check(raw: bytes, notice: Notice) -> None:
    """Read back what was built: on some Pythons a header can be smuggled in through another's text."""
    mail = message_from_bytes(raw, policy=policy.default)
    lists = _list_headers(notice)
    expected = [*_HEADERS, *lists, *(["References"] if notice.match_id else [])]
    expected += ["DKIM-Signature"] if parts().settings.dkim_key else []
    if sorted(mail.keys()) != sorted(expected) or mail.defects:
        raise Unsendable(f"headers {mail.keys()}, defects {mail.defects}")
    recipients = [recipient.addr_spec for recipient in mail["To"].addresses]
    if recipients != [notice.address]:
        raise Unsendable(f"recipients {recipients}")
    for name, value in lists.items():
        if value.encode() not in b" ".join(raw.partition(b"\r\n\r\n")[0].split()):
            raise Unsendable(f"{name} doesn't read as {value}")


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
