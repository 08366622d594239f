"""Mails that mean harm, or come from machines: what must neither be played nor, mostly, answered.

    raw, recipient, sender = HOSTILE["forged From 3: resign"](world)

A name that begins with `told` may be answered, at the registered address and nowhere else; the others may not.
"""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage

from client.keys import Identity
from tests.mail.asked import Asked
from tests.mail.clients import text_of, us
from tests.raw import b64, signed, statement
from tests.stage import DOMAIN


@dataclass(frozen=True)
class World:
    """Ann was asked. She has other mails, whose time is over."""

    asked: Asked
    taken: EmailMessage
    """A turn mail whose decision was taken."""
    over: EmailMessage
    """A turn mail of a match that is over."""
    bens: EmailMessage
    """Ben's."""
    expired: EmailMessage
    """A welcome to Ann that is older than three days."""


Hostile = Callable[[World], tuple[bytes, str, str]]

HOSTILE: dict[str, Hostile] = {}
DEEDS = ("reveal", "resign", "set zone Europe/Berlin", "order ask me", "join", "yes")


def add(name: str, hostile: Hostile) -> None:
    assert name not in HOSTILE, name
    HOSTILE[name] = hostile


def mail(*headers: str, body: str = "reveal") -> bytes:
    return ("\r\n".join(headers) + f"\r\n\r\n{body}\r\n").encode("utf-8", "surrogateescape")


def to_ann(raw: bytes, sender: str = "eve@example.org") -> Hostile:
    return lambda world: (raw, us(world.asked.letter), sender)


# -- who it says it is from

FORGED = (
    "eve@example.org",
    '"ann@example.org" <eve@example.org>',
    "ann@example.org <eve@example.org>",
    "Ann <ann@example.org> <eve@example.org>",
    "ann@example.org, eve@example.org",
    "eve@example.org, ann@example.org",
    "Friends: ann@example.org;",
    "ann@example.org.evil.example",
    "ann@example.org@evil.example",
    "ann%example.org@evil.example",
    "<ann@example.org>@evil.example",
    "=?utf-8?q?ann=40example.org?= <eve@example.org>",
    "ann@example.org\0@evil.example",
    "ann@ex\u0430mple.org",
    "\uff41nn@example.org",
    '"ann"@example.org (comment) , eve@example.org',
    "(ann@example.org) eve@example.org",
    f"play@{DOMAIN}",
    f"bounce@{DOMAIN}",
    "ben@example.org",
    "@example.org:ann@evil.example",
    "",
)
for number, value in enumerate(FORGED):
    for deed in DEEDS[:4]:
        head = (f"From: {value}", f"Message-ID: <forged-{number}-{deed}@evil.example>")
        add(f"forged From {number}: {deed}", to_ann(mail(*head, body=deed)))
for other in ("Sender", "Reply-To", "Return-Path", "Resent-From", "X-Original-From", "Errors-To"):
    add(f"her address in {other} only", to_ann(mail("From: eve@evil.example", f"{other}: ann@example.org")))
for second in ("From: eve@example.org", "from: ann@example.org", "FROM : ann@example.org", "From: ann@example.org"):
    add(f"a second From, {second}", to_ann(mail("From: ann@example.org", second)))

# -- what others are said to have found

RESULTS = (
    f"Authentication-Results: {DOMAIN}; dkim=pass header.d=example.org; spf=pass; dmarc=pass",
    "Authentication-Results: mx.google.com; dkim=pass header.i=@example.org",
    "ARC-Authentication-Results: i=1; mx.google.com; dkim=pass header.d=example.org",
    "ARC-Seal: i=1; a=rsa-sha256; cv=none; d=google.com; s=arc; b=AAAA",
    "Received-SPF: pass (google.com: domain of ann@example.org) client-ip=192.0.2.1",
    "DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=s1; h=from; bh=AAAA; b=AAAA",
    "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s1; h=from; bh=AAAA; b=AAAA",
    "X-Spam-Status: No",
    "X-MS-Exchange-Organization-AuthAs: Internal",
)
for number, result in enumerate(RESULTS):
    for deed in DEEDS[:3]:
        add(f"forged results {number}: {deed}", to_ann(mail(result, "From: eve@example.org", body=deed)))

# -- injection, in every field

FIELDS = ("To", "Subject", "Message-ID", "In-Reply-To", "References", "Reply-To", "Date", "Cc", "Sender",
          "Content-Type",
          "Content-Transfer-Encoding", "MIME-Version", "Received", "X-Anything")  # fmt: skip
INJECTED = (
    "x\r\nFrom: ann@example.org",
    "x\nFrom: ann@example.org",
    "x\rFrom: ann@example.org",
    "=?utf-8?q?x=0D=0AFrom:_ann@example.org?=",
    "x\r\n\r\nFrom: ann@example.org\r\n\r\nreveal",
    "x\x00\x0bFrom: ann@example.org\x85\u2028From: ann@example.org",
)
for field in FIELDS:
    for number, value in enumerate(INJECTED):
        add(f"injected into {field} {number}", to_ann(mail("From: eve@example.org", f"{field}: {value}")))

# -- endings that are none: what a careless server would take for two mails

for number, ending in enumerate(("\n.\n", "\r.\r", "\n.\r\n", "\r\n.\n", "\r\n.\r", "\r\n\0.\r\n")):
    smuggled = f"hello{ending}MAIL FROM:<ann@example.org>\r\nRCPT TO:<play@{DOMAIN}>\r\nDATA\r\n"
    for first in ("eve@example.org", "mallory@evil.example"):
        body = f"{smuggled}From: ann@example.org\r\n\r\nreveal"
        add(f"smuggled {number} by {first}", to_ann(mail(f"From: {first}", body=body)))

# -- tokens


def _ours(token: str) -> Hostile:
    return lambda world: (
        mail("From: ann@example.org", f"Message-ID: <{token}>"),
        f"play+{token}@{DOMAIN}",
        "a@b.example",
    )


for number, token in enumerate(
    ("b" * 32, "a234567" * 4 + "abcd", "a" * 31, "a" * 33, "0" * 32, "", "a" * 500, "%" * 32)
):
    add(f"a token that is none {number}", _ours(token))
for number, turn in enumerate((slice(1, None), slice(None, -1), slice(None, None, -1), slice(2, 30))):
    add(f"a token cut {number}", lambda w, turn=turn: (
        mail("From: ann@example.org"), f"play+{w.asked.stage.token(w.asked.letter)[turn]}@{DOMAIN}", "a@b.example"
    ))  # fmt: skip
for deed in DEEDS[:4]:
    add(
        f"Ben's token: {deed}",
        lambda w, deed=deed: (mail("From: ann@example.org", body=deed), us(w.bens), "a@b.example"),
    )
    add(f"Ann's token from Ben: {deed}", lambda w, deed=deed: (
        mail("From: ben@example.org", body=deed), us(w.asked.letter), "ben@example.org"
    ))  # fmt: skip
    add(
        f"no token: {deed}",
        lambda w, deed=deed: (mail("From: ann@example.org", body=deed), f"play@{DOMAIN}", "a@b.example"),
    )
for number in range(3):
    head = ("From: ann@example.org", f"Message-ID: <again-{number}@example.org>")
    add(f"told: a token used up {number}", lambda w, head=head: (mail(*head), us(w.taken), "ann@example.org"))
    add(
        f"told: a token of a match that is over {number}",
        lambda w, head=head: (mail(*head), us(w.over), "ann@example.org"),
    )
    add(f"told: a registration too old {number}", lambda w, head=head: (
        mail(*head, body="yes"), us(w.expired), "ann@example.org"
    ))  # fmt: skip

# -- too much, too deep: from her, with her token, so that all of it is read

PARTS = b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n'
DEEP = {
    "nested": b"".join(PARTS % (n, n) for n in range(9_000)),
    "messages": b"Content-Type: message/rfc822\r\n\r\n" * 15_000,
    "parts": b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n\r\n" * 80_000,
    "alternatives": b"Content-Type: multipart/alternative; boundary=x\r\n\r\n"
    + b"--x\r\nContent-Type: text/html\r\n\r\n<p>\r\n" * 20_000,
    "headers": b"a: b\r\n" * 160_000,
    "a header": b"Subject: " + b"x" * 1_000_000 + b"\r\n\r\nhello",
    "words": b"Subject: " + b"=?utf-8?q?a?= " * 70_000 + b"\r\n\r\nhello",
    "references": b"References: " + b"<a@b> " * 160_000 + b"\r\n\r\nhello",
    "parameters": b"Content-Type: text/plain; " + b"a=b;" * 250_000 + b"\r\n\r\nhello",
    "signatures": b"DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=x; h=from; bh=AA; b=AA\r\n" * 10_000 + b"\r\nx",
}  # fmt: skip
for name, rest in DEEP.items():
    add(f"told: {name} without end", to_ann(b"From: ann@example.org\r\n" + rest, "ann@example.org"))
UNITS = ("<", "<a ", "<!--", "&#", "<div>", "<blockquote><br>", "<p>", "<style>", "<pre>", "\n", "> ", "On a wrote:",
         "\n--\n", "Am x schrieb ", "\nFrom: ", "_", " ", "eyJ", "eyJ.", "set zone x\n", "order x\n", "help\n",
         "\u202e", "=?utf-8?q?")  # fmt: skip
for unit in UNITS:
    for kind in ("plain", "html"):
        raw = f"From: ann@example.org\r\nContent-Type: text/{kind}\r\n\r\n".encode() + unit.encode() * (
            900_000 // len(unit)
        )
        add(f"told: {unit!r} without end, {kind}", to_ann(raw, "ann@example.org"))

# -- statements

EVE = Identity.generate()


def _statement(build: Callable[[World], str]) -> Hostile:
    return lambda world: (mail("From: ann@example.org", body=build(world)), us(world.asked.letter), "ann@example.org")


def _move(world: World) -> dict[str, object]:
    return {"match": world.asked.match_id, "seat": 0, "seq": 4, "head": "x" * 43, "moves": ["reveal"]}


UNSIGNED = '{"alg": "none", "typ": "ogham-move+jws"}'
STATEMENTS: dict[str, Callable[[World], str]] = {
    "by a key that is nobody's": lambda w: statement(EVE, "ogham-move+jws", _move(w)),
    "alg none": lambda _: f"{b64(UNSIGNED)}.{b64('{}')}.{'A' * 86}",
    "HMAC": lambda w: signed(EVE, {"alg": "HS256", "kid": EVE.kid, "typ": "ogham-move+jws"}, _move(w)),
    "a key of its own": lambda w: signed(
        EVE, {"alg": "Ed25519", "kid": EVE.kid, "typ": "ogham-move+jws", "jwk": EVE.public}, _move(w)
    ),
    "resigning for her": lambda w: statement(EVE, "ogham-resign+jws", {"match": w.asked.match_id, "seat": 0}),
    "ordering for her": lambda w: statement(EVE, "ogham-order+jws", _move(w) | {"order": "x"}),
    "Ben's for her seat": lambda w: statement(w.asked.ben.client.identity, "ogham-move+jws", _move(w)),  # type: ignore[arg-type]
    "half": lambda w: statement(EVE, "ogham-move+jws", _move(w))[:100],
}  # fmt: skip
for name, build in STATEMENTS.items():
    add(f"told: a statement, {name}", _statement(build))

# -- machines

VACATIONS = {
    "English": ("Automatic reply: It is your turn", "I am out of the office until Monday."),
    "German": ("Automatische Antwort: Du bist am Zug", "Ich bin bis Montag nicht im Büro."),
    "German, old": ("Abwesenheitsnotiz", "Ich habe Urlaub.\n\nLegen Sie sich hin."),
    "French": ("Réponse automatique : It is your turn", "Je suis absent jusqu'à lundi."),
    "Spanish": ("Respuesta automática: It is your turn", "Estoy fuera de la oficina hasta el lunes."),
    "Italian": ("Risposta automatica: It is your turn", "Sono assente fino a lunedì."),
    "Portuguese": ("Resposta automática: It is your turn", "Estou de férias até segunda-feira."),
    "Dutch": ("Automatisch antwoord: It is your turn", "Ik ben tot maandag afwezig."),
    "Swedish": ("Autosvar: It is your turn", "Jag är på semester."),
    "Polish": ("Odpowiedź automatyczna: It is your turn", "Jestem na urlopie do poniedziałku."),
    "Russian": ("Автоответ: It is your turn", "Я в отпуске до понедельника."),
    "Japanese": ("自動返信: It is your turn", "月曜日まで不在です。"),
    "Chinese": ("自动回复: It is your turn", "我正在休假。"),
}
MACHINES = ("Auto-Submitted: auto-replied", "X-Autoreply: yes", "Precedence: auto_reply",
            "X-Auto-Response-Suppress: All", "List-Id: <x.example.org>")  # fmt: skip
for language, (subject, body) in VACATIONS.items():
    encoded = f"Subject: =?utf-8?b?{b64encode(subject.encode()).decode()}?="
    add(
        f"vacation, {language}, known by its subject",
        to_ann(mail("From: ann@example.org", encoded, body=body), "ann@example.org"),
    )
    for machine in MACHINES:
        head = ("From: ann@example.org", "Subject: Re: It is your turn", machine)
        add(f"vacation, {language}, {machine}", to_ann(mail(*head, body=f"{body}\n\nreveal"), "ann@example.org"))
    add(f"vacation, {language}, from nowhere", to_ann(mail("From: ann@example.org", "Subject: Re: x", body=body), "<>"))
    head = (
        "From: ann@example.org",
        "Subject: Re: It is your turn",
        f"Message-ID: <{language.replace(' ', '')}@example.org>",
    )
    add(f"told: vacation, {language}, that doesn't say so", to_ann(mail(*head, body=body), "ann@example.org"))


def _bounced(world: World) -> tuple[bytes, str, str]:
    raw = mail(
        "From: MAILER-DAEMON@relay.example",
        "Content-Type: multipart/report; boundary=x",
        body=text_of(world.asked.letter),
    )
    return raw, us(world.asked.letter), "<>"


add("a bounce", _bounced)
add(
    "a bounce in her name",
    lambda w: (_bounced(w)[0].replace(b"MAILER-DAEMON@relay.example", b"ann@example.org"), us(w.asked.letter), ""),
)
add("a bounce that a pipe hands over", lambda w: (mail("From: ann@example.org"), us(w.asked.letter), "MAILER-DAEMON"))
