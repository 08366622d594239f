"""What is read out of a mail, whatever client wrote it."""

import base64
import quopri
import time
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.mailroom.phrases import PHRASES
from service.mailroom.plain import seen
from service.mailroom.reply import NOTHING, Reply, read_reply
from tests.mail.clients import CLIENTS, TRIMMERS, UNDERNEATH, plain, start_reply

TOKEN = "a" * 32


def make_letter() -> EmailMessage:
    """A letter like ours, made by hand: the real ones are answered in tests/service."""
    body = (
        "Hello Ann,\n\nit is your turn in this match.\n\nWhat you may answer:\n\nYou may play one of these:\n"
        "  reveal         turn a tile over, then lay or leave it\n  take blue 5\n  take grün 1\n\nThe position:\n\n"
        "  blue          5\n\n-- \nMatch abc, http://127.0.0.1:8000\n"
    )
    letter = EmailMessage(policy=policy.SMTP)
    letter["From"] = "Ogham <play@ogham.test>"
    letter["To"] = "ann@example.org"
    letter["Reply-To"] = f"Ogham <play+{TOKEN}@ogham.test>"
    letter["Subject"] = "Keltis: it is your turn"
    letter["Message-ID"] = "<notice@ogham.test>"
    cut = PHRASES["cut"]["de"]
    letter.set_content(f"{cut}\n\n{body}")
    page = f"<p class=cut>{cut}</p><p>Hello Ann,</p><ul><li>Ben took blue 3.</li></ul><pre>{body}</pre>"
    letter.add_alternative(f"<html><body><main>{page}</main></body></html>", subtype="html")
    return message_from_bytes(letter.as_bytes(), policy=policy.default)


LETTER = make_letter()


def text(body: str | bytes, content_type: str = "text/plain; charset=utf-8", *headers: str) -> Reply:
    raw = body.encode() if isinstance(body, str) else body
    head = "".join(f"{line}\r\n" for line in ("From: ann@example.org", f"Content-Type: {content_type}", *headers))
    return read_reply(head.encode() + b"\r\n" + raw)


def paragraphs(words: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(block.split("\n")) for block in words.split("\n\n"))


# -- clients


@pytest.mark.parametrize(
    "words", ["reveal, lay else leave", "take grün 1\nlay", "Hallo!\n\nreveal\nlay\n\nSee you, Ann"]
)
@pytest.mark.parametrize("client", [*CLIENTS, *TRIMMERS])
def test_a_clients_answer_is_read_as_it_was_typed_and_nothing_else_is(client: str, words: str) -> None:
    reply = read_reply((CLIENTS | TRIMMERS)[client](LETTER, words))
    assert reply.paragraphs == paragraphs(words)
    assert (reply.sender, reply.automatic, reply.below) == ("ann@example.org", "", False)


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_without_a_word_says_nothing(client: str) -> None:
    assert read_reply(CLIENTS[client](LETTER, "")).paragraphs == ()


@pytest.mark.parametrize("client", UNDERNEATH)
def test_what_is_written_under_the_whole_letter_is_not_read_and_is_noticed(client: str) -> None:
    reply = read_reply(UNDERNEATH[client](LETTER, "reveal"))
    assert (reply.paragraphs, reply.below) == ((), True)


def test_what_stands_under_an_attribution_without_quote_marks_is_not_read_and_is_noticed() -> None:
    reply = text("On Tue, 3 Nov 2026 at 09:12, Ogham wrote:\n\nit is your turn\n\nreveal\n")
    assert (reply.paragraphs, reply.below) == ((), True)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("reveal\n-- \nAnn\nlay\n", "reveal"),
        ("reveal\n--\nAnn\n", "reveal"),
        ("reveal\nThanks,\nAnn", "reveal"),
        ("aufdecken\n\nViele Grüße\nAnn", "aufdecken"),
        ("reveal\nSent from my iPad", "reveal"),
        ("reveal\nVon meinem iPad gesendet", "reveal"),
        ("reveal\n\nGesendet mit der WEB.DE Mail App", "reveal"),
        ("reveal\nOn Tue, 3 Nov 2026 at 09:12, Ogham <play@ogham.test> wrote:\n> x\n", "reveal"),
        ("reveal\nAm 03.11.26 um 09:12 schrieb Ogham:\n> x\n", "reveal"),
        ("Hallo,\n\nAm 03.11.26 um 09:12 schrieb Ogham:\n> du bist am Zug\n\naufdecken\n", "Hallo,\n\naufdecken"),
        ("> -- \n> Match abc\n\nreveal", "reveal"),
        ("| quoted by somebody old\nreveal", "reveal"),
        ("reveal\n--------------------\nlay", "reveal"),
        # a nonce, whatever it begins with
        ("-Zk3jd93k-JD8_dk39\n\nAnn", "-Zk3jd93k-JD8_dk39\n\nAnn"),
        ("--Zk3jd93kJD8_dk39-", "--Zk3jd93kJD8_dk39-"),
        ("_-Zk3jd93kJD8_dk39", "_-Zk3jd93kJD8_dk39"),
        # whole lines, as they are
        ("I think I will reveal now", "I think I will reveal now"),
        ("I could reveal. Hinweis: this mail is mine", ""),
        ("take blue 5 wrote:", "take blue 5 wrote:"),
        ("1. reveal\n+ lay", "1. reveal\n+ lay"),
        ("  reveal \t\r\n", "reveal"),
        ("reveal\u00a0\u200b\u00ad", "reveal"),
        ("take\u00a0blue\u20285", "take blue\n5"),
        ("take blue\r5", "take blue\n5"),
        ("take blue\x00 5\x1b", "take blue 5"),
        ("x" * 600 + "\nreveal", "…\nreveal"),
    ],
)
def test_plain_text_is_read_by_whole_lines(body: str, words: str) -> None:
    assert text(body).paragraphs == (paragraphs(words) if words else ())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("reveal", "reveal"),
        ("<div>reveal</div><div>lay</div>", "reveal\nlay"),
        ("<div>reveal<br></div><div><br></div><div>bye</div>", "reveal\n\nbye"),
        ("<p>reveal</p><p>bye</p>", "reveal\n\nbye"),
        ("<p>reveal</p>bye", "reveal\n\nbye"),
        ("reveal<br>lay", "reveal\nlay"),
        ("<p style='margin:0'>reveal</p><p style='margin: 0px'>lay</p>", "reveal\nlay"),
        ("<b>re</b>veal, <i>lay\n else</i> leave", "reveal, lay else leave"),
        ("<div>1. reveal</div><div>- lay</div><div>+ b</div><div>a*b_c\\d</div>", "1. reveal\n- lay\n+ b\na*b_c\\d"),
        ("take gr&uuml;n&nbsp;1 &#43; 2", "take grün 1 + 2"),
        ("<table><tr><td>reveal</td></tr><tr><td>lay</td></tr></table>", "reveal\nlay"),
        ("<pre>reveal\nlay</pre>", "reveal\nlay"),
        ("<head><title>reveal</title><style>lay</style></head><script>stop</script>leave", "leave"),
        ("<head><style>x</style><body>reveal", "reveal"),
        ("<!-- lay --><!--[if mso]><p>stop</p><![endif]-->reveal", "reveal"),
        ("<!doctype html><?xml version='1'?>a < b", "a < b"),
        ("<blockquote>lay<blockquote>stop</blockquote>leave</blockquote>reveal", "reveal"),
        ("reveal</blockquote></blockquote><blockquote>lay</blockquote>", "reveal"),
    ],
)
def test_html_is_read_as_the_lines_one_sees(page: str, words: str) -> None:
    assert text(page, "text/html; charset=utf-8").paragraphs in (
        paragraphs(words),
        # a line that starts like a list's may be a signature to the library: then it isn't read, and that is safe
        paragraphs(words.partition("\n- ")[0]),
    )
    own = [line for line in seen(page).split("\n") if line and not line.startswith(">")]
    assert [" ".join(line.split()) for line in own] == [line for line in words.split("\n") if line]


def encoded(body: bytes, encoding: str, charset: str) -> Reply:
    return text(body, f"text/plain; charset={charset}", f"Content-Transfer-Encoding: {encoding}")


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "utf-16", "utf-16-le", "utf-7"])
def test_any_charset_and_encoding_is_read(charset: str) -> None:
    body = "take grün 1\n".encode(charset)
    for encoding, written in [("base64", base64.encodebytes(body)), ("quoted-printable", quopri.encodestring(body))]:
        assert encoded(written, encoding, charset).paragraphs == (("take grün 1",),)


@pytest.mark.parametrize(
    "charset", ["x-unknown", "", '"', "rot13", "hex", "base64", "undefined", "idna", "unicode_escape"]
)
def test_an_unknown_charset_or_one_that_is_none_is_no_fault(charset: str) -> None:
    reply = encoded(b"take blue 5\n", "8bit", charset)
    assert reply.sender == "ann@example.org"
    assert reply.paragraphs in ((("take blue 5",),), ())


@pytest.mark.parametrize("declared", ["us-ascii", "utf-8", "x-unknown", "", "idna"])
@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
def test_a_charset_that_is_missing_or_wrong_is_guessed(charset: str, declared: str) -> None:
    body = base64.encodebytes("take grün 1\n".encode(charset))
    assert encoded(body, "base64", declared).paragraphs == (("take grün 1",),)


@pytest.mark.parametrize("charset", ["idna", "punycode", "utf-7", "unicode_escape"])
@pytest.mark.parametrize("unit", [b"a", b"a.", b"xn--a.", b"-9", b"+AA"])
def test_a_charset_made_to_be_slow_is_read_soon(charset: str, unit: bytes) -> None:
    start = time.process_time()
    encoded(unit * (1_000_000 // len(unit)), "8bit", charset)
    assert time.process_time() - start < 5


def test_what_doesnt_decode_is_replaced_and_the_rest_is_read() -> None:
    assert encoded(b"reveal\n\n\xff\xfe\n", "8bit", "utf-8").paragraphs[0] == ("reveal",)
    assert encoded(b"cmV2ZWFs", "base64", "utf-8").paragraphs == (("reveal",),)
    assert encoded(b"cmV2ZWFs!", "base64", "utf-8").paragraphs == (("reveal",),)


def test_an_attachment_is_not_read() -> None:
    reply = start_reply(LETTER)
    reply.set_content("reveal\n")
    reply.add_attachment("lay\n", filename="notes.txt")
    reply.add_attachment(LETTER)
    assert read_reply(reply.as_bytes()).paragraphs == (("reveal",),)
    only = start_reply(LETTER)
    only.add_attachment("lay\n", filename="notes.txt")
    assert read_reply(only.as_bytes()).paragraphs == ()


def test_a_mail_with_a_large_picture_is_read() -> None:
    reply = start_reply(LETTER)
    reply.set_content("<p>reveal</p>", subtype="html")
    reply.add_related(bytes(600_000), "image", "png", cid="<x>")
    assert read_reply(reply.as_bytes()).paragraphs == (("reveal",),)


# -- who wrote it


@pytest.mark.parametrize(
    "value",
    ["ann@example.org", "Ann <ann@example.org>", "ANN@Example.ORG", '"Ann, A." <ann@example.org>', "<ann@example.org>",
     "=?utf-8?q?=C3=84nn?= <ann@example.org>", "Ann (at home) <ann@example.org>", "Ann\r\n <ann@example.org>"],
)  # fmt: skip
def test_the_one_address_in_from_is_the_sender(value: str) -> None:
    assert read_reply(f"From: {value}\r\n\r\nreveal\r\n".encode()).sender == "ann@example.org"


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "From: \r\n",
        "From: ann@example.org\r\nFrom: ann@example.org\r\n",
        "From: ann@example.org\r\nfROM: eve@example.org\r\n",
        "From: ann@example.org, eve@example.org\r\n",
        "From: eve@example.org, ann@example.org\r\n",
        "From: Friends: ann@example.org;\r\n",
        "From: Friends:;\r\n",
        "From: ann@example.org <eve@example.org>\r\n",
        "From: <ann@example.org> <eve@example.org>\r\n",
        "From: ann@example.org eve@example.org\r\n",
        "From: <ann@example.org>eve@example.org\r\n",
        "From: ann@example.org, \r\n eve@example.org\r\n",
        "From: Ann\r\n",
        "From: @example.org\r\n",
        "From:\0ann@example.org\r\n",
        "From: ann@\r\n",
        "From: \u212aarl@example.org\r\n",  # the sign for Kelvin, whose small letter is k
        "From: " + "(" * 990 + "\r\n",
        "From: " + "a," * 600 + "\r\n",
        "Sender: ann@example.org\r\nReply-To: ann@example.org\r\n",
    ],
)
def test_a_from_that_is_not_one_address_is_nobody(headers: str) -> None:
    sender = read_reply(f"{headers}\r\nreveal\r\n".encode()).sender
    assert sender in (None, "eve@example.org")
    if "eve" not in headers or "," in headers:
        assert sender is None


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Auto-Submitted: auto-replied", "Auto-Submitted"),
        ("auto-submitted: Auto-Generated; owner-email=x@example.org", "Auto-Submitted"),
        ("Auto-Submitted: no\r\nAuto-Submitted: auto-replied (vacation)", "Auto-Submitted"),
        ("Precedence: bulk", "Precedence"),
        ("Precedence: Auto_Reply", "Precedence"),
        ("List-Id: <cats.example.org>", "List-Id"),
        ("X-Autoreply: yes", "X-Autoreply"),
        ("X-Auto-Response-Suppress: All", "X-Auto-Response-Suppress"),
        ("X-Failed-Recipients: ann@example.org", "X-Failed-Recipients"),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=x", "multipart/report"),
        ("Auto-Submitted: no", ""),
        ("Auto-Submitted: No (a person)", ""),
        ("Precedence: first-class", ""),
    ],
)
def test_what_a_machine_wrote_is_known_by_its_headers(header: str, reason: str) -> None:
    assert read_reply(f"From: ann@example.org\r\n{header}\r\n\r\nreveal\r\n".encode()).automatic == reason


def test_a_message_id_is_read_whatever_is_in_it() -> None:
    for value, read in [("<a@b>", "<a@b>"), ("\r\n <a@b>", "<a@b>"), ("<", "<"), ("", ""), ("<a@[b>", "<a@[b>")]:
        assert read_reply(f"Message-ID: {value}\r\n\r\n".encode()).message_id == read
    assert read_reply(b"Message-ID: <\xff\x00@b>\r\n\r\n").message_id.isascii()
    assert len(read_reply(b"Message-ID: <" + b"a" * 5000 + b">\r\n\r\n").message_id) == 1000


# -- any bytes


def check(raw: bytes) -> None:
    reply = read_reply(raw)
    for line in (reply.sender or "", reply.message_id, *(line for some in reply.paragraphs for line in some)):
        line.encode()  # no lone surrogates: it goes into the database
        assert line.isprintable()
        assert line == line.strip()
        assert "\n" not in line
    assert reply.sender is None or reply.sender.isascii()


HEADERS = [b"From", b"Message-ID", b"Content-Type", b"Content-Transfer-Encoding", b"Content-Disposition", b"Subject"]


@given(st.lists(st.tuples(st.sampled_from(HEADERS), st.binary(max_size=60)), max_size=6), st.binary(max_size=300))
@example([(b"Message-ID", b"<")], b"")
@example([(b"Content-Type", b"text/html")], b"&#" + b"9" * 5000 + b";")
@example([(b"Content-Type", b"multipart/mixed")], b"")
@example([(b"Content-Type", b'text/plain; charset="utf-8\xff"')], b"reveal")
@example([(b"Content-Type", b"text/plain; charset*=x''y")], b"reveal")
def test_any_bytes_are_read_without_a_fault(headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    check(body)
    check(b"".join(name + b": " + value + b"\r\n" for name, value in headers) + b"\r\n" + body)


@given(st.sampled_from([*CLIENTS, *TRIMMERS, *UNDERNEATH]), st.data())
def test_a_real_mail_with_some_bytes_changed_is_read_without_a_fault(client: str, data: st.DataObject) -> None:
    raw = bytearray((CLIENTS | TRIMMERS | UNDERNEATH)[client](LETTER, "take grün 1"))
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(raw)))
        raw[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
    check(bytes(raw))


ENDLESS = [
    *(
        ("html", unit)
        for unit in ("<", "<a ", "<!--", "<!", "&", "&#", "<div>", "<blockquote><br>", "<p>", "<b>a", "\n")
    ),
    *(("html", unit) for unit in ("<ul><li>x", "<a b='", "<x/", "<style>", "<pre>", "<p margin")),
    *(
        ("plain", unit)
        for unit in ("\n", "On ", "Am ", "Am schrieb ", "On a wrote:", "\nFrom: ", "> ", "\n--\n", "mail ")
    ),
    *(("plain", unit) for unit in ("Warning: ", "\n> ", " ", "_", "\nAm " + "x schrieb " * 40)),
]


@pytest.mark.parametrize(("kind", "unit"), ENDLESS)
def test_a_mail_made_to_be_slow_is_read_soon(kind: str, unit: str) -> None:
    """The parsers underneath take minutes for some of these if they are given a megabyte."""
    start = time.process_time()
    check(f"Content-Type: text/{kind}\r\n\r\n".encode() + unit.encode() * (1_000_000 // len(unit)))
    assert time.process_time() - start < 5


NESTED = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(15_000))


@pytest.mark.parametrize(
    "raw",
    [
        NESTED,
        b"Content-Type: message/rfc822\r\n\r\n" * 15_000,
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n\r\n" * 80_000,
        b"From: " + b"a@b, " * 200_000,
        b"From: " + b"(" * 1_000_000,
        b"From: " + b"=?utf-8?q?a?= " * 70_000,
        b"Content-Type: " + b"a=b;" * 250_000,
        b"a: b\r\n" * 160_000,
    ],
    ids=["nested", "messages", "parts", "addresses", "brackets", "words", "parameters", "headers"],
)
def test_headers_and_parts_made_to_be_slow_are_read_soon(raw: bytes) -> None:
    start = time.process_time()
    check(raw)
    assert time.process_time() - start < 5


def test_what_cant_be_read_is_from_nobody() -> None:
    assert read_reply(NESTED) == NOTHING
    assert NOTHING.sender is None


def test_a_reply_in_the_plain_part_counts_and_its_html_twin_does_not() -> None:
    reply = start_reply(LETTER)
    reply.set_content("reveal\n")
    reply.add_alternative("<p>lay</p>", subtype="html")
    assert read_reply(reply.as_bytes()).paragraphs == (("reveal",),)
    assert read_reply(plain(LETTER, "reveal\n")).paragraphs == (("reveal",),)
