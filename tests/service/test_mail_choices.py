"""What players choose of our mails: which, when, how much they show; and what became of each."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import dkim  # type: ignore[import-untyped]
import pytest
from sqlalchemy import func, select

from client.errors import Problem
from service.addresses import BOUNCES, count_bounce
from service.kinds import KINDS
from service.ledger import ledger_of
from service.mailroom.bounces import bounce_address
from service.mailroom.compose import compose
from service.mailroom.keys import make_dkim_key
from service.mailroom.letter import Content, write
from service.mailroom.ways import STRANGERS
from service.players import register
from service.preferences import PREFERENCES
from service.store.db import db, writing
from service.store.tables import Letter, Mail, Notice, Player, Step
from tests.mail.asked import Asked, ask, legal_line, text_of
from tests.stage import DOMAIN, Person, Stage


@contextmanager
def a_stage(database_url: str, **settings: Any) -> Iterator[Stage]:
    stage = Stage.build(database_url, **settings)
    stage.moment[0] = datetime.now(UTC)  # what is signed carries the real time
    yield stage
    with stage.app.app_context():
        db.engine.dispose()


def subjects(stage: Stage, person: Person) -> list[str]:
    return [str(letter["Subject"]).strip() for letter in stage.letters(person.address)]


def outcome_of(stage: Stage, kind: str, person: Person) -> str | None:
    with stage.app.app_context():
        return db.session.scalars(
            select(Notice.outcome)
            .where(Notice.kind == kind, Notice.address == person.address)
            .order_by(Notice.created_at.desc())
        ).first()


def html_of(letter: EmailMessage) -> str:
    part = letter.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def picture_of(letter: EmailMessage) -> bytes:
    return next(bytes(part.get_content()) for part in letter.walk() if part.get_content_type() == "image/png")


def pass_turns(asked: Asked) -> None:
    """Ann moves, then Ben: it is Ann's turn again."""
    for person in (asked.ann, asked.ben):
        asked.stage.play(person, asked.match_id, "reveal, leave")


# -- off, now, digest


def test_each_kind_that_may_be_off_is_a_preference() -> None:
    choices = {f"mail_{name}" for name, kind in KINDS.items() if kind.choice is not None}
    assert {name for name in PREFERENCES if name.startswith("mail_")} == choices
    assert {"welcome", "nonce", "answer", "digest", "timed_out"} == {
        name for name, kind in KINDS.items() if kind.choice is None
    }


def test_a_kind_that_is_off_is_not_sent_and_the_ledger_says_so(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(mail_turn="off", mail_finished="off")
    before = subjects(stage, asked.ann)
    pass_turns(asked)
    assert subjects(stage, asked.ann) == before
    assert outcome_of(stage, "turn", asked.ann) == "not sent: off"
    asked.answer("what?")  # what answers their own mail is sent all the same
    assert len(subjects(stage, asked.ann)) == len(before) + 1
    newest = asked.ann.client.notices()["notices"][1]
    assert (newest["kind"], [step["what"] for step in newest["steps"]]) == ("turn", ["off"])


def test_a_digest_comes_once_a_day_at_the_players_hour_with_everything_and_the_ledger(stage: Stage) -> None:
    asked = ask(stage)
    there = ZoneInfo("Pacific/Auckland")
    asked.ann.client.preferences(mail_turn="digest", mail_finished="digest", digest_hour=7, zone=there.key)
    before = subjects(stage, asked.ann)
    pass_turns(asked)
    others = stage.table([asked.ann, asked.ben], "hands", first_player=0)
    assert subjects(stage, asked.ann) == before
    start = stage.moment[0]
    local = start.astimezone(there)
    stroke = local.replace(hour=7, minute=0, second=0, microsecond=0)
    stroke += timedelta(days=local >= stroke)
    stage.moment[0] = stroke - timedelta(seconds=1)
    stage.work()
    assert subjects(stage, asked.ann) == before
    stage.moment[0] = stroke + timedelta(seconds=1)
    stage.work()
    assert subjects(stage, asked.ann) == [*before, "Your digest from Ogham: 2"]
    letter = stage.letters(asked.ann.address)[-1]
    text = text_of(letter)
    assert text.count("It is your turn in this match") == 2
    assert "What became of our other mails to you" in text
    assert re.search(r"turn \(Keltis: Der Weg der Steine\): sent", text)
    stage.work()
    stage.later(days=2)
    stage.work()
    assert subjects(stage, asked.ann)[-1] == "Your digest from Ogham: 2"  # nothing new, no digest
    # Each part is answered on its own.
    stage.moment[0] = start
    (reply,) = re.findall(rf"play\+[a-z2-7]{{32}}@{DOMAIN}", text.partition("Hands")[2])
    part = EmailMessage()
    part["From"], part["To"], part["Message-ID"] = asked.ann.address, reply, "<from-the-digest@example.org>"
    part.set_content(legal_line(asked.ann, others))
    assert stage.receive(part.as_bytes(), reply).startswith("submission")
    assert asked.ann.client.match(others)["to_act"] == 1
    with stage.app.app_context():
        assert set(db.session.scalars(select(Notice.status))) == {"done"}


def test_a_digest_of_which_nothing_is_left_to_tell_is_not_sent(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(mail_turn="digest")
    pass_turns(asked)
    before = subjects(stage, asked.ann)
    stage.play(asked.ann, asked.match_id, "reveal, leave")
    stage.later(days=1)
    stage.work()
    assert subjects(stage, asked.ann) == before
    assert outcome_of(stage, "digest", asked.ann) == "not sent: nothing is left to tell"
    stage.later(days=-1)
    steps = next(one["steps"] for one in asked.ann.client.notices()["notices"] if one["kind"] == "turn")
    assert [step["what"] for step in steps] == ["gathered", "outdated"]


def test_what_waits_for_an_hour_waits_for_another_when_the_player_says_so(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(mail_turn="digest", digest_hour=(stage.moment[0].hour + 12) % 24)
    pass_turns(asked)
    soon = (stage.moment[0].hour + 1) % 24
    asked.ann.client.preferences(digest_hour=soon)
    stage.later(hours=1)
    stage.work()
    assert subjects(stage, asked.ann)[-1] == "Your digest from Ogham: 1"


def test_a_digest_written_twice_is_the_same_mail(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(mail_turn="digest")
    pass_turns(asked)
    with stage.app.app_context():
        digest = db.session.scalars(select(Notice).where(Notice.kind == "digest")).one()
        assert compose(digest) == compose(digest)


def test_more_mails_than_an_address_gets_in_a_day_go_into_the_digest(database_url: str) -> None:
    with a_stage(database_url, mails_a_day=4) as stage:
        asked = ask(stage)
        for _ in range(5):
            pass_turns(asked)
        assert len(subjects(stage, asked.ann)) == 4
        stage.later(days=1, minutes=1)
        stage.work()
        assert subjects(stage, asked.ann)[-1] == "Your digest from Ogham: 1"  # the turn that is still hers


def test_who_is_no_player_gets_only_so_many_mails_in_a_day(stage: Stage) -> None:
    with stage.app.app_context():
        for number in range(STRANGERS + 3):
            register(f"Eve {number}", "victim@example.org", "en", None, None)
    stage.work()
    assert len(stage.letters("victim@example.org")) == STRANGERS


# -- a moment's wait


def test_a_turn_mail_waits_a_moment_and_is_spared_when_the_turn_has_passed(database_url: str) -> None:
    with a_stage(database_url, linger=timedelta(seconds=2)) as stage:
        ann, ben = stage.person("Ann"), stage.person("Ben")
        match_id = stage.table([ann, ben], first_player=0)
        assert [len(stage.letters(person.address)) for person in (ann, ben)] == [1, 2]  # Ben knows that it began
        stage.play(ann, match_id, "reveal, leave")
        stage.later(seconds=3)
        stage.work()
        assert len(stage.letters(ann.address)) == 1  # she was quicker than the mail
        assert subjects(stage, ben)[-1] == "It is your turn: Keltis: Der Weg der Steine"


# -- what mails show


def test_a_hand_that_shall_not_be_in_mails_is_in_none(stage: Stage) -> None:
    """Text, picture, links and what may be played: all as a spectator would see it."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = stage.table([ann, ben], "hands", first_player=0)
    shown = stage.letters(ann.address)[-1]
    offers = ann.client.legal(match_id)["moves"]
    cards = {word for offer in offers for choice in offer["choices"] for word in choice["among"]}
    moves = [f"play {card}" for card in cards]
    assert any(move in html_of(shown) for move in moves)
    ann.client.preferences(hand_in_mails=False)
    with stage.app.app_context():
        turn = db.session.scalars(select(Notice).where(Notice.kind == "turn", Notice.match_id == match_id)).one()
        hidden = compose(turn)
    letter = message_from_bytes(hidden, policy=policy.default)
    for part in (text_of(letter), html_of(letter), str(letter["Subject"])):
        assert not [move for move in moves if move in part]
        assert not [card for card in cards if re.search(rf"\b{card}\b", part.partition("-- ")[0])]
    assert "mailto:" not in html_of(letter)
    assert picture_of(letter) != picture_of(shown)
    assert stage.receive(*reply_to(letter, moves[0])).startswith("submission")  # and the move counts as ever


def reply_to(letter: EmailMessage, body: str) -> tuple[bytes, str]:
    reply = EmailMessage()
    reply["From"], reply["To"] = str(letter["To"]), str(letter["Reply-To"])
    reply["Message-ID"] = "<one@example.org>"
    reply.set_content(body)
    return reply.as_bytes(), letter["Reply-To"].addresses[0].addr_spec


def test_where_nothing_is_hidden_the_mail_stays_as_it_is(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(hand_in_mails=False)
    pass_turns(asked)
    assert "What you may answer" in text_of(asked.newest())
    assert "only you may see" not in text_of(asked.newest())


@pytest.mark.parametrize("thread", ["match", "turn"])
def test_a_thread_is_a_match_or_a_turn(stage: Stage, thread: str) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(thread=thread)
    for _ in range(2):
        pass_turns(asked)
        stage.answer(asked.newest(), "what?")
    asked_twice = stage.letters(asked.ann.address)[-4:]
    threads = [str(letter["References"]) for letter in asked_twice]
    if thread == "match":
        assert set(threads) == {f"<{asked.match_id}@{DOMAIN}>"}
    else:
        assert threads[0] == threads[1] != threads[2] == threads[3]


def test_each_likely_move_is_a_link_that_fills_in_the_answer(stage: Stage) -> None:
    asked = ask(stage, language="de")
    links = [unescape(link) for link in re.findall(r'href="(mailto:[^"]+)"', html_of(asked.letter))]
    assert len(links) == 3
    for link in links:
        parts = urlsplit(link)
        assert unquote(parts.path) == asked.letter["Reply-To"].addresses[0].addr_spec
        fields = dict(field.split("=") for field in parts.query.split("&"))
        assert unquote(fields["subject"]) == f"Re: {asked.letter['Subject']}"
    bodies = [unquote(link.rpartition("body=")[2]) for link in links]
    assert bodies[0] == "aufdecken"
    assert stage.receive(*reply_to(asked.letter, bodies[2])).startswith("submission")


# -- leaving a kind of mail


def leaving(letter: EmailMessage) -> tuple[str, str]:
    """The path and the address that List-Unsubscribe gives."""
    url, mailto = re.fullmatch(r"<(https?://.+)>,\s*<mailto:(.+)>", str(letter["List-Unsubscribe"]).strip()).groups()  # type: ignore[union-attr]
    return "/" + url.split("/", 3)[3], mailto.replace("%2B", "+")


def test_one_click_ends_a_kind_of_mail_and_looking_does_not(stage: Stage) -> None:
    asked = ask(stage)
    path, _ = leaving(asked.letter)
    browser = stage.app.test_client()
    before = stage.fingerprint()
    page = browser.get(path)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")
    assert b'<form method="post"' in page.data
    browser.head(path)
    assert stage.fingerprint() == before
    assert browser.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert asked.ann.client.preferences()["mail_turn"] == "off"
    assert browser.post(f"{path}/again").status_code == 200
    assert asked.ann.client.preferences()["mail_turn"] == "now"


def test_a_code_is_good_for_its_own_mail_only(stage: Stage) -> None:
    asked = ask(stage)
    path, address = leaving(asked.letter)
    browser = stage.app.test_client()
    other = "b" if path[-1] == "a" else "a"
    for wrong in (path[:-1] + other, path + "a", "/unsubscribe/x", f"/unsubscribe/{Stage.token(asked.letter)}"):
        assert browser.post(wrong).status_code == 404
    assert stage.receive(b"From: x@example.org\n\n", address.replace("stop+", "bounce+")).startswith("ignored")
    assert asked.ann.client.preferences()["mail_turn"] == "now"


def test_a_mail_to_the_other_address_does_the_same(stage: Stage) -> None:
    asked = ask(stage)
    _, address = leaving(asked.letter)
    assert stage.receive(b"From: robot@example.net\n\n", address) == "unsubscribed from turn"
    assert asked.ann.client.preferences()["mail_turn"] == "off"


def test_who_leaves_the_digest_leaves_what_is_in_it(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.preferences(mail_turn="digest", mail_finished="digest")
    pass_turns(asked)
    stage.later(days=1)
    stage.work()
    stage.later(days=-1)
    path, _ = leaving(asked.newest())
    stage.app.test_client().post(path)
    chosen = asked.ann.client.preferences()
    assert (chosen["mail_turn"], chosen["mail_finished"], chosen["mail_invitation"]) == ("off", "off", "now")


def test_who_is_no_player_can_refuse_invitations(stage: Stage) -> None:
    ann = stage.person("Ann")
    ann.client.open("keltis", 2, {}, invite=["cleo@example.org"])
    stage.work()
    path, _ = leaving(stage.letters("cleo@example.org")[-1])
    stage.app.test_client().post(path)
    ann.client.open("keltis", 2, {}, invite=["cleo@example.org"])
    stage.work()
    assert len(stage.letters("cleo@example.org")) == 1


def test_the_head_offers_one_click_where_the_page_is_safe(database_url: str) -> None:
    url = "https://a-rather-long-name-of-a-host.ogham.example/below"
    with a_stage(database_url, public_url=url) as stage, stage.app.app_context():
        notice = Notice(
            id="n" * 20, key="k", address="ann@example.org", player_id=None, match_id=None, seat=None, seq=None,
            about={"by": "Ann"}, kind="invitation", language="en",
        )  # fmt: skip
        raw = write(notice, Content("An invitation", "Come!"))
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
    assert re.search(rb"\r\nList-Unsubscribe: <https://\S+>,\r\n <mailto:stop%2B[a-z2-7]{52}@ogham.test>\r\n", raw)
    assert b"\r\nList-Id: <invitation.ogham.test>\r\n" in raw


# -- the ledger


def test_the_ledger_is_read_page_by_page_and_is_ones_own(stage: Stage) -> None:
    asked = ask(stage)
    for _ in range(3):
        pass_turns(asked)
    told = asked.ann.client.notices()
    assert told["next"] is None
    listed = [notice["id"] for notice in told["notices"]]
    assert len(listed) == 4
    assert [notice["created_at"] for notice in told["notices"]] == sorted(
        (notice["created_at"] for notice in told["notices"]), reverse=True
    )
    assert all(notice["steps"][-1]["what"] == "accepted" for notice in told["notices"])
    with stage.app.app_context():
        ann = db.session.scalars(select(Player).where(Player.address == asked.ann.address)).one()
        first = [account.notice.id for account in ledger_of(ann, None, 3)]
        assert first + [account.notice.id for account in ledger_of(ann, first[-1], 3)] == listed
    assert asked.ann.client.notices(listed[0])["notices"] == told["notices"][1:]
    with pytest.raises(Problem, match="no such notice"):
        asked.ben.client.notices(listed[0])
    with pytest.raises(Problem, match="bearer"):
        stage.watcher().notices()


# -- what comes back


NOBODY = "550 5.1.1 No such user"


def report(address: str, status: str = "5.1.1", action: str = "failed", said: str = f"smtp; {NOBODY}") -> bytes:
    """As Postfix writes it."""
    return (
        "From: MAILER-DAEMON@mx.example.org (Mail Delivery System)\r\nSubject: Undelivered Mail Returned to Sender\r\n"
        "Auto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report;"
        ' report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nI'm sorry.\r\n\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n"
        f"Final-Recipient: rfc822; {address}\r\nAction: {action}\r\nStatus: {status}\r\nDiagnostic-Code: {said}\r\n\r\n"
        "--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nx\r\n\r\n--b--\r\n"
    ).encode()


def bounce(stage: Stage, notice_id: str, raw: bytes) -> str:
    with stage.app.app_context():
        address = bounce_address(db.session.get_one(Notice, notice_id))
    return stage.receive(raw, address, "")


def last_notice(stage: Stage, person: Person) -> str:
    return str(person.client.notices()["notices"][0]["id"])


def test_mails_that_come_back_are_in_the_ledger_and_end_it_and_the_table_hears_of_it(stage: Stage) -> None:
    asked = ask(stage)
    for number in range(BOUNCES):
        assert asked.ben.client.match(asked.match_id)["unreachable"] == []
        notice = last_notice(stage, asked.ann)
        assert bounce(stage, notice, report(asked.ann.address)) == f"notice {notice} bounced"
        assert bounce(stage, notice, report(asked.ann.address)) == "ignored: reported before"
        newest = asked.ann.client.notices()["notices"][0]
        assert newest["steps"][-1] | {"at": ""} == {"at": "", "what": "bounced", "why": f"5.1.1 {NOBODY}"}
        if number < BOUNCES - 1:
            pass_turns(asked)
    before = subjects(stage, asked.ann)
    pass_turns(asked)
    assert subjects(stage, asked.ann) == before
    told = asked.ann.client.notices()
    assert told["suppressed"]["why"] == f"5.1.1 {NOBODY}"
    assert [step["what"] for step in told["notices"][0]["steps"]] == ["suppressed"]
    assert asked.ben.client.match(asked.match_id)["unreachable"] == [0]
    stage.play(asked.ann, asked.match_id, "reveal, leave")
    assert "Our mails to Ann come back." in text_of(stage.letters(asked.ben.address)[-1])
    asked.ann.client.resume_mails()
    assert asked.ann.client.notices()["suppressed"] is None
    stage.play(asked.ben, asked.match_id, "reveal, leave")
    assert len(subjects(stage, asked.ann)) == len(before) + 1


def test_a_mail_from_an_address_shows_that_somebody_is_there(stage: Stage) -> None:
    asked = ask(stage)
    for _ in range(BOUNCES - 1):
        bounce(stage, last_notice(stage, asked.ann), report(asked.ann.address))
        pass_turns(asked)
    stage.answer(asked.newest(), "what?")
    bounce(stage, last_notice(stage, asked.ann), report(asked.ann.address))
    assert asked.ann.client.notices()["suppressed"] is None


def test_who_answers_a_mail_after_all_is_written_to_again(stage: Stage) -> None:
    """Only an answer that counts shows that somebody is there."""
    asked = ask(stage)
    with stage.app.app_context(), writing() as transaction:
        for _ in range(BOUNCES):
            count_bounce(transaction, asked.ann.address, NOBODY)
    for headers in ({"From": "eve@example.net"}, {"Auto_Submitted": "auto-replied"}):
        assert stage.answer(asked.letter, "reveal, leave", **headers).startswith("ignored: ")
        assert asked.ann.client.notices()["suppressed"] is not None
    before = len(subjects(stage, asked.ann))
    assert stage.answer(asked.letter, "reveal, leave").startswith("submission ")
    assert asked.ann.client.notices()["suppressed"] is None
    assert len(subjects(stage, asked.ann)) == before + 1


@pytest.mark.parametrize(
    ("raw", "recorded"),
    [
        (report("a", "4.4.7", "delayed"), "notice {} is delayed"),
        (report("a", "5.2.2", said="smtp; 552 5.2.2 Full"), "notice {} bounced"),
        (report("a", "5.7.1", said="smtp; 554 5.7.1 Spam"), "notice {} bounced"),
        (report("a", "nonsense"), "ignored: no delivery report"),
        (report("a", action="relayed"), "ignored: no delivery report"),
        (b"Subject: I am on holiday\r\n\r\nUntil May.\r\n", "ignored: no delivery report"),
        (b"", "ignored: no delivery report"),
        (b"\xff\xfe\0", "ignored: no delivery report"),
        (report("a").replace(b"message/delivery-status", b"text/plain"), "ignored: no delivery report"),
    ],
)  # fmt: skip
def test_what_says_nothing_of_the_address_doesnt_count_against_it(
    shared_stage: Stage, raw: bytes, recorded: str
) -> None:
    stage = shared_stage
    with stage.app.app_context():
        count = db.session.scalar(select(func.count()).select_from(Mail))
    person = stage.person(f"Guest{count}")
    for _ in range(BOUNCES + 1):
        person.client.open("keltis", 2, {}, invite=[person.address])
        stage.work()
        notice = last_notice(stage, person)
        assert bounce(stage, notice, raw) == recorded.format(notice)
    assert person.client.notices()["suppressed"] is None


def test_a_forged_bounce_address_is_nobodys(stage: Stage) -> None:
    asked = ask(stage)
    notice = last_notice(stage, asked.ann)
    for code in ("", "a" * 52, notice + "a" * 32):
        address = f"bounce+{code}@{DOMAIN}" if code else f"bounce@{DOMAIN}"
        assert stage.receive(report("a"), address, "").startswith("ignored")
    with stage.app.app_context():
        assert db.session.scalars(select(Step.what).where(Step.what == "bounced")).all() == []


# -- signed


def test_every_mail_is_signed_over_all_of_its_headers(database_url: str, tmp_path: Path) -> None:
    record = make_dkim_key(tmp_path / "dkim.pem")
    with pytest.raises(FileExistsError):
        make_dkim_key(tmp_path / "dkim.pem")
    with a_stage(database_url, dkim_key=(tmp_path / "dkim.pem").read_bytes(), dkim_selector="s1") as stage:
        asked = ask(stage)
        with stage.app.app_context():
            raws = list(db.session.scalars(select(Letter.raw)))
    asked_for: list[bytes] = []

    def look_up(name: bytes, timeout: int = 5) -> bytes:
        asked_for.append(name)
        return record.encode()

    assert len(raws) > 3
    for raw in raws:
        assert dkim.verify(raw, dnsfunc=look_up)
        assert not dkim.verify(raw.replace(b"Subject: ", b"Subject: Not "), dnsfunc=look_up)
        assert not dkim.verify(raw + b"more\r\n", dnsfunc=look_up)
        signed = re.search(rb"\bh=([\w\s:-]+);", raw)
        assert signed is not None
        names = {name.strip().lower() for name in signed[1].split(b":")}
        heads = raw.partition(b"\r\n\r\n")[0]
        assert names == {name.lower() for name in re.findall(rb"(?m)^([\w-]+):", heads)} - {b"dkim-signature"}
    assert set(asked_for) == {f"s1._domainkey.{DOMAIN}.".encode()}
    assert asked.letter["DKIM-Signature"]
