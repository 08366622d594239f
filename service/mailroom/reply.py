"""What a mail says: who it is from, whether a machine wrote it, and the lines its writer added. Pure.

Only whole lines above the cut line count, and nothing that is quoted. HTML is read as the text a person sees. Whatever
the bytes are, reading them ends, soon: what is looked at is bounded, since the parsers below take quadratic time.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy, Policy
from email.utils import getaddresses
from typing import Any, cast

from mailparser_reply import EmailReplyParser

from service.mailroom.phrases import CUT_MARK, PHRASES
from service.mailroom.plain import seen

MOST_RAW = 131_072  # what comes after that are pictures and the like
MOST_TEXT = 20_000
LONGEST_LINE = 500
LONGEST_HEADER = 1_000
MOST_PIECES = 400  # into which one statement may have been broken

SIGNED = re.compile(r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")
_STATEMENT = re.compile(r"\s*eyJ[A-Za-z0-9_.-]{1,16384}\s*")
_PIECE = re.compile(r"[A-Za-z0-9_.-]+")
# A nonce may begin like a signature does. What stands before it then is no character that a mail's text can have here.
_SECRET = re.compile(r"[-_](?=[-_]*[A-Za-z0-9])[A-Za-z0-9_-]{15,}")
SHIELD = "\ue000"

Paragraphs = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A mail, read. `paragraphs` are the writer's own words, line by line."""

    sender: str | None
    message_id: str
    automatic: str
    """Why it seems to be written by a machine; empty for a person's."""
    paragraphs: Paragraphs
    below: bool
    """They wrote nothing where it is read, and something below the cut line or under an attribution."""


NOTHING = Reply(sender=None, message_id="", automatic="", paragraphs=(), below=False)


_HEAD_END = re.compile(rb"\r?\n\r?\n|\r\r")
_FROM = re.compile(rb"(?:^|[\r\n])from[ \t]*:", re.IGNORECASE)


def read_reply(raw: bytes) -> Reply:
    """`NOTHING`, which is from nobody, where it can't be read."""
    try:
        reply = _read(message_from_bytes(raw[:MOST_RAW], policy=_BOUNDED))
        # A space before the colon: for the library the headers end there, for others that is a second From.
        return replace(reply, sender=None) if len(_FROM.findall(_HEAD_END.split(raw, 1)[0])) > 1 else reply
    except Exception:  # noqa: BLE001  (the standard library's parser raises nearly anything, RecursionError included)
        return NOTHING


class _Bounded(EmailPolicy):
    def header_fetch_parse(self, name: str, value: str) -> Any:
        return super().header_fetch_parse(name, value[:LONGEST_HEADER])


_BOUNDED = cast("Policy[EmailMessage]", _Bounded())  # the class says less of its type than `policy.default` does


def _read(mail: EmailMessage) -> Reply:
    above, below = _cut(_lines(_text(mail)))
    own, rest = _own_words(above)
    return Reply(
        sender=_sender(mail),
        message_id=_message_id(mail),
        automatic=_automatic(mail),
        paragraphs=own,
        below=not own and (rest or any(_own_words(below))),
    )


# -- headers


def _raw(mail: EmailMessage, name: str) -> list[str]:
    return [str(value) for header, value in mail.raw_items() if header.lower() == name]


def _message_id(mail: EmailMessage) -> str:
    """The first one, as what an id may consist of."""
    ids = _raw(mail, "message-id")
    return re.sub(r"[^!-~]", "", ids[0])[:LONGEST_HEADER] if ids else ""


def _sender(mail: EmailMessage) -> str | None:
    """The one address in the one From. None where there are several, or where two parsers read it differently."""
    headers = _raw(mail, "from")
    if len(headers) != 1 or len(headers[0]) > LONGEST_HEADER:
        return None
    groups = mail["From"].groups
    parsed = [address.addr_spec for group in groups if group.display_name is None for address in group.addresses]
    again = [address for _, address in getaddresses(headers)]
    if len(groups) != 1 or len(parsed) != 1 or parsed != again or not re.fullmatch(r"[!-~]+@[!-~]+", parsed[0]):
        return None
    return str(parsed[0]).lower()


# Headers that only machines and lists write, our own kind included.
_MACHINES = (
    "List-Id", "List-Post", "List-Unsubscribe", "X-Autoreply", "X-Autoreply-From", "X-Auto-Reply-From", "X-Autorespond",
    "X-Auto-Response-Suppress", "X-Mail-Autoreply", "X-Vacation", "X-Failed-Recipients", "X-Loop",
)  # fmt: skip
# How the subjects of those begin that have no such header. An answer's begins with Re:, AW: or our own words.
_SAYS_SO = re.compile(
    r"auto(matic|mated)?[ -]?(reply|response|answer)|out[ -]of[ -](the[ -])?office|autoreply|on vacation|vacation"
    r"|automatische (e-mail-)?(antwort|rückmeldung)|abwesenheit|abwesend|ich bin abwesend|urlaub"
    r"|réponse automatique|absence|respuesta automática|fuera de la oficina|risposta automatica|resposta automática"
    r"|automatisch antwoord|afwezig|autosvar|automatisk svar|automaattinen|odpowiedź automatyczna|automatická odpověď"
    r"|автоответ|автоматический ответ|自動返信|自动回复|자동 회신"
    r"|undeliver|delivery (status|failure)|mail delivery|returned mail|failure notice|unzustellbar|nicht zugestellt",
    re.IGNORECASE,
)


def _automatic(mail: EmailMessage) -> str:
    if any(_first_word(value) not in ("", "no") for value in _raw(mail, "auto-submitted")):
        return "Auto-Submitted"
    if any(_first_word(value) in ("bulk", "junk", "list", "auto_reply") for value in _raw(mail, "precedence")):
        return "Precedence"
    for name in _MACHINES:
        if name in mail:
            return name
    if any(value.strip() == "<>" for value in _raw(mail, "return-path")):
        return "Return-Path"
    if _SAYS_SO.match(str(mail.get("Subject", "")).strip()):
        return "Subject"
    return "multipart/report" if mail.get_content_type() == "multipart/report" else ""


def _first_word(value: str) -> str:
    return re.split(r"[;(\s]", value.strip(), maxsplit=1)[0].lower()


# -- body


def _text(mail: EmailMessage) -> str:
    """The body as text: the plain part, or else the HTML as one sees it."""
    part = mail.get_body(("plain", "html"))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    content = _decoded(payload, _charset(part)) if isinstance(payload, bytes) else ""
    return seen(content) if part.get_content_type() == "text/html" else content


def _charset(part: MIMEPart) -> str:
    try:
        return part.get_content_charset("")
    except (LookupError, ValueError):
        return ""


# No charsets, though Python has codecs of these names; and they take quadratic time.
_NO_CHARSETS = ("idna", "punycode")


def _decoded(payload: bytes, charset: str) -> str:
    """The text in the charset that its mark or its header names; where that can't be, in the one it looks like."""
    if payload.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16"
    for guess in (charset, "utf-8"):
        if guess and guess not in _NO_CHARSETS:
            with suppress(LookupError, ValueError):
                return payload.decode(guess)
    return payload.decode("cp1252", "replace")


def _lines(text: str) -> Iterator[str]:
    """Line by line, without what can't be seen. A line too long to be a move is one that is none.

    A signed statement is one word, however long.
    """
    length = 0
    for line in text.splitlines():
        shown = line if len(line) <= LONGEST_LINE or _STATEMENT.fullmatch(line) else "…"
        length += len(shown) + 1
        if length > MOST_TEXT:
            return
        yield "".join(" " if char.isspace() else char for char in shown if char.isspace() or _visible(char)).strip()


def _visible(char: str) -> bool:
    return not unicodedata.category(char).startswith("C")


_HEADINGS = frozenset(text for phrase in ("since", "how", "position") for text in PHRASES[phrase].values())


def _cut(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """What stands above our cut line and below it. Where that is gone, one of our headings is as good."""
    lines = list(lines)
    for number, line in enumerate(lines):
        if CUT_MARK in line or line.strip("#*_ :") in _HEADINGS:
            return lines[:number], lines[number + 1 :]
    return lines, []


# Where a writer's own words end, as mail-parser-reply doesn't know it (it does know most).
_ENDS = re.compile(
    r"[-_]{3,} ?(urspr.{1,3}ngliche nachricht|original-nachricht|weitergeleitete nachricht|forwarded message) ?[-_]{3,}"
    r"|.{1,80} schrieb am .{1,80}:"
    r"|von meinem .{1,40} gesendet\.?|gesendet mit .{1,60}|sent (from|with|via) .{1,60}"
    r"|outlook für .{1,20} herunterladen.{0,80}|[-_]{2,}",
    re.IGNORECASE,
)
_PARSER = EmailReplyParser(languages=["en", "de"])


def _joined(lines: list[str]) -> Iterator[str]:
    """Each signed statement on one line again: a piece of it may look like what ends a mail, `--` for one."""
    rest = iter(lines)
    for line in rest:
        pieces, whole = [line], SIGNED.fullmatch(line)
        while not whole and line.startswith("eyJ") and _PIECE.fullmatch(pieces[-1]) and len(pieces) < MOST_PIECES:
            pieces.append(next(rest, ""))
            whole = SIGNED.fullmatch("".join(pieces))
        yield from [whole[0]] if whole else pieces


def _shielded(line: str) -> str:
    return SHIELD + line if _SECRET.fullmatch(line) else line


def _own_words(lines: list[str]) -> tuple[Paragraphs, bool]:
    """The paragraphs that aren't quoted, nor the line that introduces a quote, nor a signature; and whether more lines
    follow that aren't marked as quoted, but stand where a quote does.
    """
    # Quotes are emptied first: else a signature that is quoted hides all that is written below it.
    marked = [">" if line.startswith((">", "|")) else _shielded(line) for line in _joined(lines)]
    ends = next((number for number, line in enumerate(marked) if _ENDS.fullmatch(line)), len(marked))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(marked[:ends]))
    whole, kept, rest = set(marked), [], False
    for part in _PARSER.read(text).replies:
        # Under an attribution stands a quote. Where it is marked as one, what isn't marked is the writer's own.
        if part.headers and not part.body.startswith(">"):
            rest = bool(part.body)
            break
        kept += [line if line in whole else "" for line in part.body.split("\n")] + [""]
    blocks = re.split(r"\n\n+", "\n".join("" if line == ">" else line.removeprefix(SHIELD) for line in kept))
    paragraphs = (tuple(line for line in block.split("\n") if line) for block in blocks)
    return tuple(paragraph for paragraph in paragraphs if paragraph), rest
