"""What a mail says: who it is from, whether a machine wrote it, and the lines its writer added. Pure.

Only whole lines above the cut line count, and nothing that is quoted. HTML is read as the text a person sees.
"""

import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import getaddresses

import html2text
from mailparser_reply import EmailReplyParser

from service.mailroom.phrases import CUT_MARK

MOST_TEXT = 50_000


@dataclass(frozen=True, slots=True)
class Reply:
    """A mail, read. `paragraphs` are the writer's own words, line by line; `below`: they wrote under the cut line."""

    sender: str | None
    message_id: str
    automatic: str
    """Why it seems to be written by a machine; empty for a person's."""
    paragraphs: tuple[tuple[str, ...], ...]
    below: bool


def read_reply(raw: bytes) -> Reply:
    mail = message_from_bytes(raw, policy=policy.default)
    text = _text(mail)
    above, cut, below = _cut(text[:MOST_TEXT])
    own = _own_words(above)
    return Reply(
        sender=_sender(mail),
        message_id=_header(mail, "Message-ID").strip()[:500],
        automatic=_automatic(mail),
        paragraphs=own,
        below=bool(cut) and not own and bool(_own_words(below)),
    )


def _header(mail: EmailMessage, name: str) -> str:
    """A header as text; empty where there is none or it can't be read."""
    try:
        return str(mail.get(name, ""))
    except (MessageError, ValueError, IndexError, AttributeError, TypeError):
        return ""


def _sender(mail: EmailMessage) -> str | None:
    """The one address in the one From. None where there are several, or where two parsers read it differently."""
    headers = [value for name, value in mail.raw_items() if name.lower() == "from"]
    if len(headers) != 1:
        return None
    try:
        parsed = [address.addr_spec for address in mail["From"].addresses]
    except (MessageError, ValueError, IndexError, AttributeError, TypeError):
        return None
    again = [address for _, address in getaddresses([str(headers[0])])]
    if len(parsed) != 1 or parsed != again or not parsed[0]:
        return None
    return str(parsed[0]).lower()


def _automatic(mail: EmailMessage) -> str:
    if _header(mail, "Auto-Submitted").split(";")[0].strip().lower() not in ("", "no"):
        return "Auto-Submitted"
    if _header(mail, "Precedence").strip().lower() in ("bulk", "junk", "list", "auto_reply"):
        return "Precedence"
    for name in ("List-Id", "X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress", "X-Failed-Recipients"):
        if name in mail:
            return name
    if mail.get_content_type() == "multipart/report":
        return "multipart/report"
    return ""


def _text(mail: EmailMessage) -> str:
    """The body as text: the plain part, or else the HTML as one sees it."""
    try:
        part = mail.get_body(("plain", "html"))
        if part is None:
            return ""
        content = part.get_content()
    except (LookupError, MessageError, ValueError, AttributeError, TypeError):
        return ""
    if not isinstance(content, str):
        return ""
    if part.get_content_type() == "text/html":
        content = _seen(content[: MOST_TEXT * 4])
    return content.replace("\r\n", "\n").replace("\u00a0", " ")


def _seen(html: str) -> str:
    reader = html2text.HTML2Text(bodywidth=0)
    reader.ignore_links = reader.ignore_images = reader.ignore_emphasis = reader.ignore_tables = True
    return reader.handle(html)


def _cut(text: str) -> tuple[str, bool, str]:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if CUT_MARK in line:
            return "\n".join(lines[:number]), True, "\n".join(lines[number + 1 :])
    return text, False, ""


def _own_words(text: str) -> tuple[tuple[str, ...], ...]:
    """The paragraphs that aren't quoted, nor the line that introduces a quote, nor a signature."""
    latest = EmailReplyParser(languages=["en", "de"]).read(text).latest_reply or ""
    stripped = [line.strip() for line in latest.split("\n")]
    kept = ["" if line.startswith((">", "|")) else line for line in stripped]
    blocks = re.split(r"\n\s*\n", "\n".join(kept))
    return tuple(lines for block in blocks if (lines := tuple(line for line in block.split("\n") if line)))
