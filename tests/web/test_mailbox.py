"""The mailbox: what it shows, and that an answer given there is a real mail."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser

import pytest

from service import matches
from service.ids import new_id
from service.mailroom.receive import accept_mail
from service.mailroom.reply import read_reply
from service.store.db import db
from service.store.tables import Letter, Mail, Match, Player
from service.web.letters import read_head, write_answer
from tests.games import hands
from tests.web.conftest import Site

PIXEL = bytes.fromhex("89504e470d0a1a0a")


class Tags(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def values(self, *names: str) -> list[str]:
        return [value or "" for _, attributes in self.found for name, value in attributes.items() if name in names]


def page(site: Site, path: str) -> str:
    answer = site.get(path)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_data(as_text=True)


def lines(html: str) -> list[tuple[str, str]]:
    """The letters of a list: the id of each, and its state."""
    return [(id, state) for state, id in re.findall(r'<li class="(\w*)"><a href="/mailbox/(\w+)">', html)]


def store_letter(site: Site, recipient: str, subject: str, html: str, sent_at: datetime | None = None) -> str:
    """A letter that our own composing wouldn't write."""
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"], mail["Subject"] = "Ogham <play@ogham.localhost>", recipient, subject
    mail["Date"], mail["Message-ID"] = "Wed, 18 Nov 2026 09:00:00 +0000", f"<{new_id()}@ogham.localhost>"
    mail.set_content("plain text")
    mail.add_alternative(html, subtype="html")
    mail.get_payload(1).add_related(PIXEL, "image", "png", cid="<board@ogham.localhost>")  # type: ignore[index, union-attr]
    id = new_id()
    with site.app.app_context():
        db.session.add(Letter(id=id, recipient=recipient, raw=mail.as_bytes(), sent_at=sent_at or datetime.now(UTC)))
        db.session.commit()
    return id


def start_match(site: Site, *names: str) -> Match:
    """A match that these people joined, all through the mailbox."""
    for name in names:
        site.answer(site.register(name, f"{name.lower()}@example.org"), "yes")
    site.work()
    invite = [f"{name.lower()}@example.org" for name in names]
    with site.app.app_context():
        opener = db.session.query(Player).filter_by(address=invite[0]).one()
        match = matches.open_match(opener, hands.info.id, len(names), {"first_player": 0}, invite)
    site.work()
    for address in invite:
        assert site.answer(site.letters(address)[-1].id, "join").status_code == 303
    site.work()
    return match


# -- the list


def test_an_empty_mailbox_says_so(closed_site: Site):
    assert "No mail yet" in page(closed_site, "/mailbox")


def test_every_letter_is_listed_the_newest_first(closed_site: Site):
    ann, bob = closed_site.register("Ann", "ann@example.org"), closed_site.register("Bob", "bob@example.org", "de")
    html = page(closed_site, "/mailbox")
    assert [id for id, _ in lines(html)] == [bob, ann]
    assert "Welcome to Ogham: is this your address?" in html
    assert "Willkommen bei Ogham: ist das deine Adresse?" in html


def test_the_list_can_be_that_of_one_address(closed_site: Site):
    ann, bob = closed_site.register("Ann", "ann@example.org"), closed_site.register("Bob", "bob@example.org")
    html = page(closed_site, "/mailbox?to=ann@example.org")
    assert [id for id, _ in lines(html)] == [ann]
    assert "/mailbox?to=bob@example.org" in html
    assert bob not in html
    assert "No mail for" in page(closed_site, "/mailbox?to=nobody@example.org")


def test_a_hundred_letters_are_a_page(closed_site: Site):
    start = datetime(2026, 11, 18, tzinfo=UTC)
    ids = [
        store_letter(closed_site, "ann@example.org", f"number {n}", "<p>", start + timedelta(seconds=n // 7))
        for n in range(203)
    ]
    seen, path = [], "/mailbox?to=ann@example.org"
    for expected in (100, 100, 3):
        html = page(closed_site, path)
        found = [id for id, _ in lines(html)]
        assert len(found) == expected
        seen += found
        older = [value for value in Tags(html).values("href") if "before=" in value]
        assert bool(older) == (expected == 100)
        path = older[0] if older else ""
    assert sorted(seen) == sorted(ids)
    assert closed_site.get("/mailbox?before=nosuch").status_code == 404


def test_what_waits_for_an_answer_is_marked_until_it_is_answered(site: Site):
    letter = site.register()
    assert lines(page(site, "/mailbox")) == [(letter, "waits")]
    assert "<title>(1) Mailbox</title>" in page(site, "/mailbox")
    site.answer(letter, "yes")
    assert lines(page(site, "/mailbox")) == [(letter, "arrived")]
    site.work()
    assert [state for _, state in lines(page(site, "/mailbox"))] == ["", "answered"]
    assert "<title>Mailbox</title>" in page(site, "/mailbox")


def test_the_mail_to_answer_is_marked_whoever_is_to_move(site: Site):
    start_match(site, "Ann", "Bob")

    def waiting() -> list[str]:
        """Whose mails are marked, each with its number among theirs."""
        marked = [id for id, state in lines(page(site, "/mailbox")) if state == "waits"]
        return [
            f"{person}: {number}"
            for person in ("ann", "bob")
            for number, letter in enumerate(site.letters(f"{person}@example.org"))
            if letter.id in marked
        ]

    before = {person: len(site.letters(f"{person}@example.org")) for person in ("ann", "bob")}
    assert waiting() == [f"ann: {before['ann'] - 1}"]

    # What isn't understood is asked about, and then the question is the mail to answer.
    site.answer(site.letters("ann@example.org")[-1].id, "castle to e4")
    site.work()
    assert waiting() == [f"ann: {before['ann']}"]

    card = re.search(r"play (\w\d)", message_text(site.letters("ann@example.org")[-1]))
    assert card
    site.answer(site.letters("ann@example.org")[-1].id, f"play {card[1]}")
    site.work()
    assert waiting() == [f"bob: {before['bob']}"]
    site.answer(site.letters("bob@example.org")[-1].id, "let")
    site.work()
    with site.app.app_context():
        assert db.session.query(Match).one().to_act == 1
    assert waiting() == [f"bob: {len(site.letters('bob@example.org')) - 1}"]


def test_an_invitation_waits_until_its_own_guest_has_joined(site: Site):
    site.answer(site.register(), "yes")
    site.work()
    with site.app.app_context():
        ann = db.session.query(Player).one()
        matches.open_match(ann, hands.info.id, 2, {}, ["ann@example.org", "bob@example.org"])
    site.work()
    site.answer(site.letters("ann@example.org")[-1].id, "join")
    site.work()
    marked = [id for id, state in lines(page(site, "/mailbox")) if state == "waits"]
    assert marked == [site.letters("bob@example.org")[-1].id]


def message_text(letter: Letter) -> str:
    body = message_from_bytes(letter.raw, policy=policy.default).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


# -- a letter


def test_a_letter_is_shown_with_its_headers_and_its_text(closed_site: Site):
    letter = closed_site.register()
    html = page(closed_site, f"/mailbox/{letter}")
    for expected in (
        "<h1>Welcome to Ogham: is this your address?</h1>",
        "ann@example.org",
        "Hello Ann,",
        "Send answer",
    ):
        assert expected in html
    frame = next(attributes for tag, attributes in Tags(html).found if tag == "iframe")
    assert frame["src"] == f"/mailbox/{letter}/html"
    assert frame["sandbox"] in ("", None)  # nothing is allowed back


def test_its_html_may_run_nothing_and_fetches_nothing(site: Site):
    start_match(site, "Ann", "Bob")
    letter = site.letters("ann@example.org")[-1]
    answer = site.get(f"/mailbox/{letter.id}/html")
    assert answer.mimetype == "text/html"
    rules = [rule.strip() for rule in answer.headers["Content-Security-Policy"].split(";")]
    assert {"sandbox", "default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"} <= set(rules)
    html = answer.get_data(as_text=True)
    named = Tags(html).values("src", "href", "srcset", "background", "action")
    pictures = [
        one for one in named if not one.startswith(("mailto:play%2B", f"{site.settings.public_url}/unsubscribe/"))
    ]
    assert len(pictures) == 1
    assert pictures[0].startswith("data:image/png;base64,iVBORw0KGgo")
    assert not re.search(r"cid:|url\(|@import|<script|<link", html)


def test_even_without_its_cut_line_a_letter_sent_back_as_html_plays_nothing(site: Site):
    start_match(site, "Ann", "Bob")
    letter = site.letters("ann@example.org")[-1]
    html = page(site, f"/mailbox/{letter.id}/html")
    assert re.search(r"<li><b>play \w\d</b>", html)  # what may be answered stands in a list
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = "ann@example.org", read_head(letter.raw).reply_to
    mail["Message-ID"] = "<sent-back@example.org>"
    mail.set_content(re.sub('<p class="cut">.*?</p>|<img.*?>', "", html), subtype="html")
    with site.app.app_context():
        accept_mail("ann@example.org", str(mail["To"]), mail.as_bytes())
        before = db.session.query(Match).one().length
    site.work()
    assert site.mails()[-1].verdict == "nothing said"
    with site.app.app_context():
        assert db.session.query(Match).one().length == before


def test_pictures_that_did_not_come_with_it_are_not_shown(closed_site: Site):
    letter = store_letter(
        closed_site,
        "ann@example.org",
        "x",
        '<img src="cid:board@ogham.localhost"><img src="cid:other@x"><p>cid:text</p>',
    )
    html = page(closed_site, f"/mailbox/{letter}/html")
    assert Tags(html).values("src") == ["data:image/png;base64,iVBORw0KGgo=", "data:,"]
    assert "<p>cid:text</p>" in html


def test_the_source_is_what_was_sent(closed_site: Site):
    letter = closed_site.register()
    answer = closed_site.get(f"/mailbox/{letter}/raw")
    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.data == closed_site.letters("ann@example.org")[0].raw


def test_nothing_of_it_stays_in_a_cache(closed_site: Site):
    letter = closed_site.register()
    for path in ("/mailbox", f"/mailbox/{letter}", f"/mailbox/{letter}/html", f"/mailbox/{letter}/raw"):
        assert closed_site.get(path).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/mailbox/nosuch", "/mailbox/nosuch/html", "/mailbox/nosuch/raw"])
def test_a_letter_that_is_not_there_is_a_404_for_people(closed_site: Site, path: str):
    answer = closed_site.get(path)
    assert answer.status_code == 404
    assert "There is no such mail" in answer.get_data(as_text=True)


def test_what_people_wrote_is_text_and_never_markup(closed_site: Site):
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    letter = store_letter(closed_site, "ann@example.org", f"Re: {hostile}", f"<p>{hostile}</p>")
    with closed_site.app.app_context():
        db.session.get_one(Letter, letter).recipient = f'{hostile}"@example.org'
        db.session.commit()
    paths = ["/mailbox", f"/mailbox/{letter}"]
    paths += ["/mailbox?" + query for query in (f"to={hostile}", f"note={hostile}", "to=x&note=<b>", "note=sent")]
    for path in paths:
        tags = Tags(page(closed_site, path)).found
        assert not [tag for tag, _ in tags if tag == "b"]
        assert [attributes.get("src") for tag, attributes in tags if tag == "script"] in ([], ["/static/mailbox.js"])
        assert not [attributes for _, attributes in tags if any(name.startswith("on") for name in attributes)]
        assert [attributes.get("src") for tag, attributes in tags if tag == "img"] == ["/static/ogham.svg"]
    assert "Re: &#34;&gt;&lt;script&gt;" in page(closed_site, f"/mailbox/{letter}")


# -- answering


def test_an_answer_goes_through_real_smtp_and_reads_back_as_typed(site: Site):
    letter_id = site.register()
    answer = site.answer(letter_id, "yes, that was me\r\nfür Ann \N{SHAMROCK}\r\n\r\nregards")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/mailbox?to=ann@example.org&note=sent"
    assert "Answer sent. The reply will appear here in a moment." in page(site, answer.headers["Location"])

    letter = message_from_bytes(site.letters("ann@example.org")[0].raw, policy=policy.default)
    (stored,) = site.mails()
    assert (stored.status, stored.sender) == ("waiting", "ann@example.org")
    assert stored.recipient == letter["Reply-To"].addresses[0].addr_spec
    mail = message_from_bytes(stored.raw, policy=policy.default)
    assert not mail.defects
    assert mail["From"].addresses[0].addr_spec == "ann@example.org"
    assert mail["To"].addresses[0].addr_spec == stored.recipient
    assert mail["Subject"] == "Re: Welcome to Ogham: is this your address?"
    assert mail["In-Reply-To"] == letter["Message-ID"]
    assert str(letter["Message-ID"]) in str(mail["References"])
    assert mail["Message-ID"]
    assert mail["Message-ID"] != letter["Message-ID"]
    assert mail["Date"].datetime

    reply = read_reply(stored.raw)
    assert reply.sender == "ann@example.org"
    assert reply.automatic == ""
    assert reply.paragraphs == (("yes, that was me", "für Ann \N{SHAMROCK}"), ("regards",))
    quoted = mail.get_body(("plain",)).get_content().replace("\r\n", "\n")
    assert re.search(r"^On \w{3}, \d\d \w{3} \d{4} at \d\d:\d\d, Ogham wrote:$", quoted, re.MULTILINE)
    assert "> --- [ogham] write your answer above this line ---\n>\n> Hello Ann,\n" in quoted


def test_the_service_acts_on_it(site: Site):
    letter = site.register()
    site.answer(letter, "yes")
    site.work()
    assert [mail.verdict for mail in site.mails()] == ["registration confirmed"]
    assert len(site.letters("ann@example.org")) == 2
    html = page(site, f"/mailbox/{letter}")
    assert "registration confirmed" in html
    with site.app.app_context():
        assert db.session.query(Player).one().address == "ann@example.org"


def test_the_same_answer_twice_is_two_mails(site: Site):
    letter = site.register()
    site.answer(letter, "yes")
    site.answer(letter, "yes")
    ids = {read_reply(mail.raw).message_id for mail in site.mails()}
    assert len(ids) == 2


def test_the_subject_of_an_answer_says_re_once_and_brings_no_header_along():
    letter = EmailMessage(policy=policy.default)
    for header in (
        "Subject: RE: =?utf-8?q?a=0D=0ABcc=3A_evil=40example.org?=",
        "Reply-To: play@ogham.localhost",
        "Date: Wed, 18 Nov 2026 09:00:00 +0000",
        "Message-ID: <1@ogham.localhost>",
    ):
        letter[header.partition(":")[0]] = header.partition(": ")[2]
    letter.set_content("x")
    raw = write_answer(letter, "ann@example.org", "x", datetime.now(UTC)).as_bytes()
    answer = message_from_bytes(raw, policy=policy.default)
    assert answer["Subject"] == "RE: a Bcc: evil@example.org"
    assert "Bcc" not in answer


def test_an_empty_answer_is_not_sent(site: Site):
    letter = site.register()
    for text in ("", "  \r\n "):
        answer = site.answer(letter, text)
        assert answer.status_code == 422
        assert "nothing in your answer" in answer.get_data(as_text=True)
    assert site.mails() == []


def test_an_endless_answer_is_not_sent(site: Site):
    assert site.answer(site.register(), "x" * 20_001).status_code == 422
    assert site.answer(site.register(), "x" * 70_000).status_code == 413
    assert site.mails() == []


def test_only_a_form_can_answer(site: Site):
    letter = site.register()
    path, origin = f"/mailbox/{letter}/reply", {"Origin": "http://localhost"}
    assert site.browser.post(path, json={"text": "yes"}, headers=origin).status_code == 415
    assert site.browser.post(path, data="text=yes", content_type="text/plain", headers=origin).status_code == 415
    multipart = {"data": {"text": "yes"}, "content_type": "multipart/form-data"}
    assert site.browser.post(path, **multipart, headers=origin).status_code == 415
    assert site.get(path).status_code == 405
    assert site.answer("nosuch", "yes").status_code == 404
    assert site.mails() == []


def test_a_letter_without_a_reply_address_takes_no_answer(site: Site):
    letter = store_letter(site, "ann@example.org", "News", "<p>")
    assert "<form" not in page(site, f"/mailbox/{letter}")
    assert site.answer(letter, "yes").status_code == 422
    assert site.mails() == []


def test_when_nobody_listens_for_mail_the_page_says_so_and_keeps_the_text(closed_site: Site):
    letter = closed_site.register()
    answer = closed_site.answer(letter, "yes, <b>me</b>")
    html = answer.get_data(as_text=True)
    assert answer.status_code == 502
    assert (
        f"the mail listener at 127.0.0.1:{closed_site.settings.mail_port} didn&#39;t take it (Connection refused)"
        in html
    )
    assert "yes, &lt;b&gt;me&lt;/b&gt;</textarea>" in html
    with closed_site.app.app_context():
        assert db.session.query(Mail).count() == 0


def test_what_the_listener_refuses_is_said(site: Site):
    letter = site.register()
    with site.app.app_context():
        row = db.session.get_one(Letter, letter)
        row.raw = re.sub(rb"play\+\w+@ogham.localhost", b"stranger@elsewhere.example", row.raw)
        db.session.commit()
    answer = site.answer(letter, "yes")
    assert answer.status_code == 502
    assert "550 5.1.1 No such mailbox here" in answer.get_data(as_text=True)
    assert site.mails() == []
