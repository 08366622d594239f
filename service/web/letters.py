"""Letters as a mail client sees them: what they say, and the answer to one. Pure."""

import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import format_datetime, make_msgid
from typing import cast

_PICTURE = re.compile(r"""(?<=src=["'])cid:([^"'\s>]+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """What a list of mails shows of one."""

    subject: str
    notice: str
    """The id of the notice it brings, which its Message-ID is made from."""
    reply_to: str
    """Where an answer goes; empty where none is taken."""


def read_head(raw: bytes) -> Head:
    mail = BytesHeaderParser(policy=policy.default).parsebytes(raw)
    addresses = mail["Reply-To"].addresses if "Reply-To" in mail else ()
    return Head(
        subject=_line(mail["Subject"]),
        notice=_line(mail["Message-ID"]).strip("<>").partition("@")[0],
        reply_to=addresses[0].addr_spec if addresses else "",
    )


def read_letter(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def headers_of(mail: EmailMessage) -> list[tuple[str, str]]:
    return [(name, _line(mail[name])) for name in ("From", "To", "Date") if name in mail]


def text_of(mail: EmailMessage) -> str:
    return _body(mail, "plain")


def html_of(mail: EmailMessage) -> str:
    """The HTML part; pictures that came with the mail stand in it as data, so that it needs nothing from outside."""
    pictures = {
        str(part["Content-ID"]).strip().strip("<>"): part
        for part in mail.walk()
        if part.get_content_maintype() == "image" and "Content-ID" in part
    }

    def data(found: re.Match[str]) -> str:
        part = pictures.get(found[1])
        if part is None:
            return "data:,"
        content = cast(bytes, part.get_payload(decode=True))
        return f"data:{part.get_content_type()};base64,{b64encode(content).decode()}"

    return _PICTURE.sub(data, _body(mail, "html"))


def write_answer(mail: EmailMessage, sender: str, typed: str, moment: datetime) -> EmailMessage:
    """A reply as mail clients write them: the typed text, and the mail quoted below it."""
    subject = _line(mail["Subject"])
    before = _line(mail["Message-ID"])
    answer = EmailMessage(policy=policy.SMTP)
    answer["From"] = Address(addr_spec=sender)
    answer["To"] = mail["Reply-To"].addresses[0]
    answer["Subject"] = subject if subject.lower().startswith("re:") else f"Re: {subject}"
    answer["Date"] = format_datetime(moment)
    answer["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    answer["In-Reply-To"] = before
    answer["References"] = f"{_line(mail['References'])} {before}".strip()
    sent = mail["Date"].datetime
    quoted = "\n".join(f"> {line}".rstrip() for line in text_of(mail).splitlines())
    typed = "\n".join(typed.splitlines())
    body = f"{typed}\n\nOn {sent:%a, %d %b %Y at %H:%M}, Ogham wrote:\n\n{quoted}\n"
    answer.set_content(body, cte="quoted-printable")
    return answer


def _body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    return "" if part is None else str(part.get_content())


def _line(header: object) -> str:
    """A header as one line, whatever an encoded word in it may hold."""
    return "" if header is None else " ".join(str(header).split())
