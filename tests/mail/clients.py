"""How mail clients write the answer to a letter: the writer's words above, the letter below, each in its own way.

    raw = CLIENTS["gmail"](letter, "reveal")

Each is a function of (letter, words) and gives the reply as bytes. What they quote is the real letter.
"""

import base64
import html
import quopri
import re
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import make_msgid

Client = Callable[[EmailMessage, str], bytes]

ENGLISH = "Tue, 3 Nov 2026 at 09:12"
GERMAN = "Di., 3. Nov. 2026 um 09:12 Uhr"


def start_reply(letter: EmailMessage, **headers: str) -> EmailMessage:
    """The headers of an answer by the letter's recipient; others may be given or replaced (`Auto_Submitted="..."`)."""
    reply = EmailMessage(policy=policy.SMTP)
    usual = {
        "From": str(letter["To"]),
        "To": str(letter["Reply-To"]),
        "Subject": f"Re: {letter['Subject']}",
        "Message-ID": make_msgid(domain="example.org"),
        "In-Reply-To": str(letter["Message-ID"]),
    }
    for name, value in (usual | {name.replace("_", "-"): value for name, value in headers.items()}).items():
        reply[name] = value
    return reply


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert isinstance(part, MIMEPart)
    return str(part.get_content())


def html_of(letter: EmailMessage) -> str:
    """The letter's HTML, from `<body>` to `</body>`."""
    part = letter.get_body(("html",))
    assert isinstance(part, MIMEPart)
    found = re.search(r"<body[^>]*>(.*)</body>", str(part.get_content()), re.DOTALL)
    assert found is not None
    return found[1]


def us(letter: EmailMessage) -> str:
    return str(letter["Reply-To"].addresses[0].addr_spec)


def quoted(letter: EmailMessage) -> str:
    return "".join(f"> {line}".rstrip() + "\n" for line in text_of(letter).splitlines())


def in_divs(words: str) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in words.split("\n"))


def plain(letter: EmailMessage, body: str, **how: str) -> bytes:
    reply = start_reply(letter)
    charset = how.get("charset", "utf-8")
    body = body.encode(charset, "replace").decode(charset)  # as clients do with what doesn't fit
    reply.set_content(body, **how)  # type: ignore[arg-type]  # charset, cte
    return reply.as_bytes()


def only_html(letter: EmailMessage, body: str) -> bytes:
    reply = start_reply(letter)
    style = "<style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt} --></style>"
    reply.set_content(f"<html><head>{style}</head><body>{body}</body></html>", subtype="html")
    return reply.as_bytes()


# -- plain text


def _gmail(letter: EmailMessage, words: str) -> bytes:
    reply = start_reply(letter)
    # Gmail breaks this line where it gets too long.
    reply.set_content(f"{words}\n\nOn {ENGLISH}, Ogham <{us(letter)}>\nwrote:\n\n{quoted(letter)}")
    attribution = f'<div dir="ltr" class="gmail_attr">On {ENGLISH}, Ogham &lt;<a>{us(letter)}</a>&gt; wrote:<br></div>'
    quote = f'<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">{html_of(letter)}</blockquote>'
    page = f'<div dir="ltr">{in_divs(words)}</div><br><div class="gmail_quote">{attribution}{quote}</div>'
    reply.add_alternative(page, subtype="html")
    return reply.as_bytes()


def _gmail_german(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nAm {GERMAN} schrieb Ogham <\n{us(letter)}>:\n\n{quoted(letter)}")


def _thunderbird(letter: EmailMessage, words: str) -> bytes:
    reply = start_reply(letter, Content_Language="en-US")
    reply.set_content(f"{words}\n\nOn 11/3/26 09:12, Ogham wrote:\n{quoted(letter)}")
    reply.set_param("format", "flowed")
    return reply.as_bytes()


def _thunderbird_german(letter: EmailMessage, words: str) -> bytes:
    reply = start_reply(letter, Content_Language="de-DE")
    body = f"{words}\n\nAm 03.11.26 um 09:12 schrieb Ogham:\n{quoted(letter)}\n"
    reply.set_content(body.encode("iso-8859-15", "replace").decode("iso-8859-15"), charset="iso-8859-15")
    reply.set_param("format", "flowed")
    return reply.as_bytes()


def _mutt(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nOn Tue, Nov 03, 2026 at 09:12:00AM +0100, Ogham wrote:\n{quoted(letter)}")


def _mutt_german(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nOgham schrieb am Di, 03. Nov 2026 um 09:12:00:\n{quoted(letter)}")


def _apple(letter: EmailMessage, words: str) -> bytes:
    attribution = f"> On 3. Nov 2026, at 09:12, Ogham <{us(letter)}> wrote:\n> \n"
    return plain(letter, f"{words}\n\n{attribution}{quoted(letter)}", cte="quoted-printable")


def _iphone(letter: EmailMessage, words: str) -> bytes:
    attribution = f"> On 3 Nov 2026, at 09:12, Ogham <{us(letter)}> wrote:\n> \n> \ufeff"
    return plain(letter, f"{words}\n\nSent from my iPhone\n\n{attribution}{quoted(letter)}", cte="base64")


def _iphone_german(letter: EmailMessage, words: str) -> bytes:
    attribution = f"> Am 03.11.2026 um 09:12 schrieb Ogham <{us(letter)}>:\n> \n> \ufeff"
    return plain(letter, f"{words}\nVon meinem iPhone gesendet\n\n{attribution}{quoted(letter)}")


def _outlook(letter: EmailMessage, words: str) -> bytes:
    """No quote marks at all."""
    head = f"From: Ogham <{us(letter)}>\nSent: Tuesday, November 3, 2026 9:12 AM\nTo: {letter['To']}\n"
    return plain(letter, f"{words}\n\n{head}Subject: {letter['Subject']}\n\n{text_of(letter)}")


def _outlook_german(letter: EmailMessage, words: str) -> bytes:
    head = f"Von: Ogham <{us(letter)}> \nGesendet: Dienstag, 3. November 2026 09:12\nAn: {letter['To']}\n"
    return plain(letter, f"{words}\n\n{head}Betreff: {letter['Subject']}\n\n{text_of(letter)}", charset="iso-8859-1")


def _old_outlook(letter: EmailMessage, words: str) -> bytes:
    head = f"-----Original Message-----\nFrom: Ogham [mailto:{us(letter)}] \nSent: Tuesday, November 03, 2026 9:12 AM\n"
    return plain(letter, f"{words}\n\n{head}To: Ann\n\n{text_of(letter)}")


def _old_outlook_german(letter: EmailMessage, words: str) -> bytes:
    head = (
        f"-----Ursprüngliche Nachricht-----\nVon: Ogham [mailto:{us(letter)}] \nGesendet: Dienstag, 3. November 2026\n"
    )
    return plain(letter, f"{words}\n\n{head}An: Ann\n\n{text_of(letter)}", charset="iso-8859-1", cte="8bit")


def _outlook_phone(letter: EmailMessage, words: str) -> bytes:
    head = f"________________________________\nFrom: Ogham <{us(letter)}>\nSent: Tuesday, November 3, 2026 9:12:00 AM\n"
    body = f"{words}\n\nGet Outlook for Android<https://aka.ms/AAb9ysg>\n{head}To: Ann\n\n{text_of(letter)}"
    return plain(letter, body)


def _outlook_phone_german(letter: EmailMessage, words: str) -> bytes:
    head = (
        f"________________________________\nVon: Ogham <{us(letter)}>\nGesendet: Dienstag, 3. November 2026 09:12:00\n"
    )
    body = f"{words}\n\nOutlook für iOS herunterladen<https://aka.ms/o0ukef>\n{head}An: Ann\n\n{text_of(letter)}"
    return plain(letter, body)


def _web_de(letter: EmailMessage, words: str) -> bytes:
    head = f"Gesendet: Dienstag, 03. November 2026 um 09:12 Uhr\nVon: Ogham <{us(letter)}>\nAn: {letter['To']}\n"
    return plain(letter, f"{words}\n \n\n{head}Betreff: {letter['Subject']}\n\n{text_of(letter)}", charset="utf-8")


def _proton(letter: EmailMessage, words: str) -> bytes:
    attribution = f"On Tuesday, November 3rd, 2026 at 9:12 AM, Ogham <{us(letter)}> wrote:\n\n"
    return plain(letter, f"{words}\n\nSent with Proton Mail secure email.\n\n{attribution}{quoted(letter)}")


def _yahoo(letter: EmailMessage, words: str) -> bytes:
    """The letter stands below as it is, indented."""
    below = "".join(f" {line}\n" for line in text_of(letter).splitlines())
    attribution = f"    On Tuesday, November 3, 2026 at 09:12:00 AM GMT+1, Ogham <{us(letter)}> wrote:  \n \n"
    return plain(letter, f"{words}\n\n{attribution}{below}")


def _bare(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n")


def _phone_app(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n-------- Ursprüngliche Nachricht --------\nVon: Ogham\n{text_of(letter)}")


def _k9(letter: EmailMessage, words: str) -> bytes:
    return plain(
        letter, f"{words}\n\nOn November 3, 2026 9:12:00 AM GMT+01:00, Ogham <{us(letter)}> wrote:\n{quoted(letter)}"
    )


def _k9_german(letter: EmailMessage, words: str) -> bytes:
    sent = "-- \nDiese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet."
    attribution = f"Am 3. November 2026 09:12:00 MEZ schrieb Ogham <{us(letter)}>:"
    return plain(letter, f"{words}\n{sent}\n\n{attribution}\n{quoted(letter)}")


def _samsung(letter: EmailMessage, words: str) -> bytes:
    head = f"-------- Original message --------\nFrom: Ogham <{us(letter)}>\nDate: 03/11/2026 09:12 (GMT+01:00)\n"
    return plain(letter, f"{words}\n\n\nSent from my Galaxy\n\n{head}To: Ann\n\n{text_of(letter)}")


def _roundcube(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nAm 03.11.2026 09:12, schrieb Ogham:\n{quoted(letter)}")


def _evolution(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nOn Tue, 2026-11-03 at 09:12 +0100, Ogham wrote:\n{quoted(letter)}")


def _kmail(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"{words}\n\nAm Dienstag, 3. November 2026, 09:12:00 CET schrieb Ogham:\n{quoted(letter)}")


def _gmx_html(letter: EmailMessage, words: str) -> bytes:
    head = f"<b>Gesendet:</b>&nbsp;Dienstag, 03. November 2026 um 09:12 Uhr<br/><b>Von:</b>&nbsp;{us(letter)}"
    quote = f'<div name="quote" style="margin:10px 5px 5px 10px">{head}<br/>{html_of(letter)}</div>'
    return only_html(letter, f'<div style="font-family: Verdana">{in_divs(words)}<div>&nbsp;{quote}</div></div>')


def _fastmail_html(letter: EmailMessage, words: str) -> bytes:
    attribution = "<div>On Tue, Nov 3, 2026, at 9:12 AM, Ogham wrote:<br></div>"
    return only_html(
        letter, f'{in_divs(words)}<div><br></div>{attribution}<blockquote type="cite">{html_of(letter)}</blockquote>'
    )


def _spark_html(letter: EmailMessage, words: str) -> bytes:
    attribution = '<div name="messageReplySection">On 3. Nov 2026, 09:12 +0100, Ogham wrote:<br>'
    quote = f'<blockquote type="cite" class="spark_quote">{html_of(letter)}</blockquote></div>'
    return only_html(letter, f'<div name="messageBodySection">{in_divs(words)}</div>{attribution}{quote}')


# -- HTML only


def _apple_html(letter: EmailMessage, words: str) -> bytes:
    own = f'<div><br><blockquote type="cite"><div>On 3. Nov 2026, at 09:12, Ogham wrote:</div><br>{html_of(letter)}'
    return only_html(letter, f"{in_divs(words)}{own}</blockquote></div><br>")


def _outlook_html(letter: EmailMessage, words: str) -> bytes:
    lines = "".join(
        f"<p class=MsoNormal>{html.escape(line) or '<o:p>&nbsp;</o:p>'}</p>\n" for line in words.split("\n")
    )
    head = (
        f"<b>From:</b> Ogham &lt;{us(letter)}&gt; <br><b>Sent:</b> Tuesday, November 3, 2026 9:12 AM<br><b>To:</b> Ann"
    )
    border = "border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"
    body = f"{lines}<p class=MsoNormal>&nbsp;</p><div style='{border}'><p class=MsoNormal>{head}</p></div>"
    return only_html(letter, f'<div class="WordSection1">{body}{html_of(letter)}</div>')


def _outlook_web(letter: EmailMessage, words: str) -> bytes:
    lines = "".join(f'<div class="elementToProof">{html.escape(x) or "<br>"}</div>' for x in words.split("\n"))
    head = f"<b>Von:</b> Ogham &lt;{us(letter)}&gt;<br>\n<b>Gesendet:</b> Dienstag, 3. November 2026 09:12<br>\n"
    body = f'{lines}<div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg" dir="ltr">{head}</div>'
    return only_html(letter, f"{body}<div><br></div>{html_of(letter)}")


def _thunderbird_html(letter: EmailMessage, words: str) -> bytes:
    lines = html.escape(words).replace("\n", "<br>\n    ")
    prefix = '<div class="moz-cite-prefix">Am 03.11.26 um 09:12 schrieb Ogham:<br></div>'
    quote = f'<blockquote type="cite" cite="mid:x@ogham.test">{html_of(letter)}</blockquote>'
    return only_html(letter, f"<p>{lines}</p>\n    {prefix}\n    {quote}")


def _gmail_html(letter: EmailMessage, words: str) -> bytes:
    """The letter in a `gmail_quote` without a blockquote, as the app on phones does it."""
    attribution = f'<div dir="ltr" class="gmail_attr">On {ENGLISH}, Ogham &lt;{us(letter)}&gt; wrote:<br></div>'
    return only_html(letter, f'{in_divs(words)}<br><div class="gmail_quote">{attribution}{html_of(letter)}</div>')


CLIENTS: dict[str, Client] = {
    "bare": _bare,
    "gmail": _gmail,
    "gmail, German": _gmail_german,
    "gmail, HTML only": _gmail_html,
    "thunderbird": _thunderbird,
    "thunderbird, German": _thunderbird_german,
    "thunderbird, HTML only": _thunderbird_html,
    "mutt": _mutt,
    "mutt, German": _mutt_german,
    "apple": _apple,
    "apple, HTML only": _apple_html,
    "iphone": _iphone,
    "iphone, German": _iphone_german,
    "outlook": _outlook,
    "outlook, German": _outlook_german,
    "outlook, HTML only": _outlook_html,
    "outlook on the web": _outlook_web,
    "outlook on a phone": _outlook_phone,
    "outlook on a phone, German": _outlook_phone_german,
    "old outlook": _old_outlook,
    "old outlook, German": _old_outlook_german,
    "web.de": _web_de,
    "phone app": _phone_app,
    "proton": _proton,
    "yahoo": _yahoo,
    "k-9": _k9,
    "k-9, German": _k9_german,
    "samsung": _samsung,
    "roundcube, German": _roundcube,
    "evolution": _evolution,
    "kmail, German": _kmail,
    "gmx, HTML only": _gmx_html,
    "fastmail, HTML only": _fastmail_html,
    "spark, HTML only": _spark_html,
}


# -- underneath


def under_all(letter: EmailMessage, words: str) -> bytes:
    return plain(letter, f"On {ENGLISH}, Ogham wrote:\n{quoted(letter)}\n{words}\n")


def under_all_html(letter: EmailMessage, words: str) -> bytes:
    return only_html(letter, f"<blockquote>{html_of(letter)}</blockquote>{in_divs(words)}")


def under_a_trimmed_quote(letter: EmailMessage, words: str) -> bytes:
    """The end of the letter is what they left of it, signature included."""
    rest = "".join(f"> {line}\n" for line in text_of(letter).splitlines()[2:])
    return plain(letter, f"On {ENGLISH}, Ogham wrote:\n{rest}\n{words}\n")


def under_a_trimmed_quote_html(letter: EmailMessage, words: str) -> bytes:
    quote = f'<blockquote type="cite">{html_of(letter).partition("</p>")[2]}</blockquote>'
    return only_html(letter, f"<div>Am 03.11.26 um 09:12 schrieb Ogham:<br></div>{quote}{in_divs(words)}")


def between_quotes(letter: EmailMessage, words: str) -> bytes:
    lines = [f"> {line}\n" for line in text_of(letter).splitlines()[2:]]
    return plain(letter, f"Am 03.11.26 um 09:12 schrieb Ogham:\n{''.join(lines[:6])}\n{words}\n\n{''.join(lines[6:])}")


TRIMMERS: dict[str, Client] = {
    "under a trimmed quote": under_a_trimmed_quote,
    "under a trimmed quote, HTML only": under_a_trimmed_quote_html,
    "between quotes": between_quotes,
}
UNDERNEATH: dict[str, Client] = {"under all": under_all, "under all, HTML only": under_all_html}


# -- dress: the same words and quotes, in another charset and encoding, rightly declared or not


@dataclass(frozen=True)
class Dress:
    """How the text parts of a mail are written down. `declared` None: the mail doesn't say which charset it is in."""

    charset: str
    encoding: str = "8bit"
    declared: str | None = ""
    """Empty: as it is."""
    flowed: bool = False
    reads: bool = True
    """Whether plain ASCII words come out of it as they went in."""

    def put_on(self, raw: bytes) -> bytes:
        mail = message_from_bytes(raw, policy=policy.SMTP)
        for part in mail.walk():
            if part.get_content_maintype() == "text":
                self._rewrite(part)
        return mail.as_bytes()

    def _rewrite(self, part: EmailMessage) -> None:
        text, subtype = str(part.get_content()), part.get_content_subtype()
        if self.flowed and subtype == "plain":
            text = re.sub(r"^(?=From |>? ?-- $)", " ", text, flags=re.MULTILINE)
        body = text.replace("\r\n", "\n").replace("\n", "\r\n").encode(self.charset, "replace")
        declared = self.charset if self.declared == "" else self.declared
        kind = f"text/{subtype}" + (f'; charset="{declared}"' if declared else "")
        del part["Content-Type"], part["Content-Transfer-Encoding"]
        part["Content-Type"] = kind + ("; format=flowed; delsp=yes" if self.flowed and subtype == "plain" else "")
        part["Content-Transfer-Encoding"] = self.encoding
        written = {"8bit": bytes, "base64": base64.encodebytes, "quoted-printable": _quoted_printable}[self.encoding](
            body
        )
        part.set_payload(written.decode("ascii", "surrogateescape"))


def _quoted_printable(body: bytes) -> bytes:
    return quopri.encodestring(body.replace(b"\r\n", b"\n")) if b"\x00" not in body else quopri.encodestring(body)


DRESSES: dict[str, Dress] = {
    "utf-8": Dress("utf-8"),
    "utf-8, quoted-printable": Dress("utf-8", "quoted-printable"),
    "utf-8, base64": Dress("utf-8", "base64"),
    "utf-8 with a mark": Dress("utf-8-sig", "base64", "utf-8"),
    "utf-16, base64": Dress("utf-16", "base64"),
    "utf-16-be, base64": Dress("utf-16-be", "base64"),
    "iso-8859-15, quoted-printable": Dress("iso-8859-15", "quoted-printable"),
    "iso-8859-1, flowed": Dress("iso-8859-1", "8bit", flowed=True),
    "windows-1252": Dress("cp1252", "8bit", "windows-1252"),
    "gb18030, base64": Dress("gb18030", "base64"),
    "koi8-r": Dress("koi8-r"),
    "declared as ASCII": Dress("utf-8", "8bit", "us-ascii"),
    "latin-1 declared as utf-8": Dress("iso-8859-1", "quoted-printable", "utf-8"),
    "utf-8 declared as latin-1": Dress("utf-8", "base64", "iso-8859-1"),
    "undeclared": Dress("utf-8", "8bit", None),
    "undeclared windows-1252": Dress("cp1252", "8bit", None),
    "declared as what nobody knows": Dress("utf-8", "quoted-printable", "x-user-defined"),
    "utf-16 declared as utf-8": Dress("utf-16", "base64", "utf-8"),
    "utf-16 undeclared": Dress("utf-16-le", "base64", None, reads=False),
}

# What stands below the words: the writer's own, and the employer's.
ENDINGS: dict[str, str] = {
    "nothing": "",
    "a signature": "\n-- \nAnn Other\nHead of Tiles, Example Ltd\n+44 20 7946 0000",
    "greetings": "\n\nViele Grüße\nAnn",
    "a disclaimer": (
        "\n\nThis e-mail and any attachment are confidential and may be privileged. If you aren't the intended"
        " recipient please notify the sender and delete it."
    ),
}
