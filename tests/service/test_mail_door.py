"""The mail door, spoken to over real sockets: stored, then acknowledged; and nothing gets in any other way."""

import smtplib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import Engine, select, text

from service.mailroom.door import MOST_RECIPIENTS, open_door
from service.mailroom.receive import LARGEST_MAIL
from service.store.db import db
from service.store.tables import Mail
from tests.mail.asked import Asked, ask
from tests.mail.clients import plain, us
from tests.raw import problem
from tests.servers import Postgres, free_port
from tests.stage import DOMAIN, Stage


class Door:
    """A door that stands open, and the stage behind it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.port = free_port()
        self.lmtp_port = free_port()
        self.close: Callable[[], None] = open_door(stage.app, "127.0.0.1", self.port, self.lmtp_port)

    def knock(self) -> smtplib.SMTP:
        return smtplib.SMTP("127.0.0.1", self.port, local_hostname="client.example.org", timeout=20)

    def knock_by_lmtp(self) -> smtplib.LMTP:
        return smtplib.LMTP("127.0.0.1", self.lmtp_port, local_hostname="client.example.org", timeout=20)

    def mails(self) -> list[Mail]:
        with self.stage.app.app_context():
            return list(db.session.scalars(select(Mail).order_by(Mail.received_at, Mail.id)))

    def clear(self) -> None:
        with self.stage.app.app_context():
            db.session.execute(text("DELETE FROM mail"))
            db.session.commit()


@pytest.fixture(scope="module")
def opened(shared_stage: Stage) -> Iterator[Door]:
    door = Door(shared_stage)
    yield door
    door.close()


@pytest.fixture
def door(opened: Door) -> Door:
    opened.clear()
    return opened


@pytest.fixture(scope="module")
def asked(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


PLAY = f"play@{DOMAIN}"
SIMPLE = b"From: ann@example.org\r\nSubject: x\r\n\r\nreveal\r\n"


# -- stored, then acknowledged


def test_a_mail_is_stored_byte_for_byte_and_read_from_there(door: Door, asked: Asked) -> None:
    raw = plain(asked.letter, "reveal\n\n.a line with a dot\n..and two\n\u00fc\n")
    with door.knock() as server:
        server.sendmail("ann@example.org", [us(asked.letter)], raw)
        (mail,) = door.mails()  # it is there as soon as the 250 is
    assert (mail.raw, mail.sender, mail.recipient) == (raw, "ann@example.org", us(asked.letter))
    assert (mail.status, mail.verdict) == ("waiting", None)
    door.stage.work()
    assert str(door.mails()[0].verdict).startswith("submission ")


def lock_out_writers(engine: Engine) -> Callable[[], None]:
    """Nobody writes until what comes back is called."""
    connection = engine.connect()
    if engine.dialect.name == "sqlite":
        connection.execution_options(writing=True)
    connection.execute(text("SELECT 1"))
    if engine.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE mail IN EXCLUSIVE MODE"))

    def release() -> None:
        connection.rollback()
        connection.close()

    return release


def test_nothing_is_acknowledged_before_it_is_stored(door: Door) -> None:
    with door.stage.app.app_context():
        release = lock_out_writers(db.engine)
    answers: list[int] = []

    def send() -> None:
        with door.knock() as server:
            server.ehlo()
            server.mail("ann@example.org")
            server.rcpt(PLAY)
            answers.append(server.data(SIMPLE)[0])

    sending = threading.Thread(target=send)
    sending.start()
    sending.join(0.5)
    assert sending.is_alive()
    assert answers == []
    release()
    sending.join(20)
    assert answers == [250]
    assert len(door.mails()) == 1


def test_while_the_database_is_away_nothing_is_acknowledged() -> None:
    with Postgres.own() as server:
        stage = Stage.build(server.create_database())
        door = Door(stage)
        try:
            with door.knock() as client:
                client.sendmail("ann@example.org", [PLAY], SIMPLE)
                server.kill()
                for _ in range(2):
                    with pytest.raises(smtplib.SMTPDataError) as refused:
                        client.sendmail("ann@example.org", [PLAY], SIMPLE)
                    assert refused.value.smtp_code == 451
                server.start()
                client.sendmail("ann@example.org", [PLAY], SIMPLE)
            assert [mail.raw for mail in door.mails()] == [SIMPLE] * 2
        finally:
            door.close()
            with stage.app.app_context():
                db.engine.dispose()


# -- who and how much


@pytest.mark.parametrize(
    "recipient",
    [f"root@{DOMAIN}", "play@example.org", f"play+{'a' * 31}@{DOMAIN}", f"play@{DOMAIN}.example.org", "play",
     f"@{DOMAIN}", f"play%example.org@{DOMAIN}"],
)  # fmt: skip
def test_an_unknown_recipient_is_refused(door: Door, recipient: str) -> None:
    with door.knock() as server:
        server.ehlo()
        server.mail("ann@example.org")
        code, _ = server.docmd(f"RCPT TO:<{recipient}>")
        assert code in (550, 553)
    assert door.mails() == []


def test_an_address_of_ours_is_known_in_any_case(door: Door) -> None:
    with door.knock() as server:
        server.sendmail("ann@example.org", [f"PLAY@{DOMAIN.upper()}"], SIMPLE)
    assert [mail.recipient for mail in door.mails()] == [PLAY]


def test_a_mail_to_several_of_us_is_stored_for_each_once(door: Door) -> None:
    tokens = [f"play+{letter * 32}@{DOMAIN}" for letter in "ab"]
    with door.knock() as server:
        refused = server.sendmail("ann@example.org", [*tokens, "eve@example.org", tokens[0].upper()], SIMPLE)
    assert list(refused) == ["eve@example.org"]
    assert sorted(mail.recipient for mail in door.mails()) == tokens


def test_too_many_recipients_are_put_off(door: Door) -> None:
    tokens = [f"play+{letter * 32}@{DOMAIN}" for letter in "abcdefgh"]
    with door.knock() as server:
        refused = server.sendmail("ann@example.org", tokens, SIMPLE)
    assert {code for code, _ in refused.values()} == {452}
    assert len(door.mails()) == MOST_RECIPIENTS == len(tokens) - len(refused)


def test_a_mail_that_is_too_large_is_refused_however_it_comes(door: Door) -> None:
    large = SIMPLE + b"x" * 70 + b"\r\n" + (b"y" * 70 + b"\r\n") * (LARGEST_MAIL // 72)
    with door.knock() as server:
        server.ehlo()
        assert server.docmd(f"MAIL FROM:<ann@example.org> SIZE={len(large)}")[0] == 552
        server.mail("ann@example.org")  # says nothing of its size
        server.rcpt(PLAY)
        assert server.data(large)[0] == 552
        assert server.sendmail("ann@example.org", [PLAY], SIMPLE) == {}  # the door stands open still
    assert [mail.raw for mail in door.mails()] == [SIMPLE]


def test_a_bounce_is_taken_in_and_not_answered(door: Door, asked: Asked) -> None:
    with door.knock() as server:
        server.sendmail("", [us(asked.letter)], plain(asked.letter, "reveal"))
    door.stage.work()
    (mail,) = door.mails()
    assert mail.verdict == "ignored: no envelope sender"


# -- one mail is one mail


def talk(port: int, data: bytes) -> list[bytes]:
    """A whole dialogue with these bytes as its DATA, and every answer there was."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line, line.makefile("rb") as answers:
        heard = [answers.readline()]
        for command in (b"HELO x", b"MAIL FROM:<ann@example.org>", f"RCPT TO:<{PLAY}>".encode(), b"DATA"):
            line.sendall(command + b"\r\n")
            heard.append(answers.readline())
        line.sendall(data + b"\r\n.\r\nQUIT\r\n")
        return heard + list(answers)


@pytest.mark.parametrize(
    "ending", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\r.\r\n", b"\n.\r", b"\r\n\x00.\r\n"]
)
def test_no_second_mail_is_smuggled_in_behind_an_ending_that_is_none(door: Door, ending: bytes) -> None:
    smuggled = (
        f"MAIL FROM:<eve@example.org>\r\nRCPT TO:<{PLAY}>\r\nDATA\r\nFrom: eve@example.org\r\n\r\nreveal".encode()
    )
    heard = talk(door.port, b"From: ann@example.org\r\n\r\nhello" + ending + smuggled)
    assert [answer[:3] for answer in heard] == [b"220", b"250", b"250", b"250", b"354", b"250", b"221"]
    (mail,) = door.mails()
    assert mail.sender == "ann@example.org"
    assert smuggled in mail.raw


def test_a_connection_lost_before_the_final_dot_leaves_nothing(door: Door) -> None:
    with socket.create_connection(("127.0.0.1", door.port), timeout=10) as line, line.makefile("rb") as answers:
        answers.readline()
        for command in (b"HELO x", b"MAIL FROM:<ann@example.org>", f"RCPT TO:<{PLAY}>".encode(), b"DATA"):
            line.sendall(command + b"\r\n")
            answers.readline()
        line.sendall(SIMPLE)
    with door.knock() as server:
        server.noop()
    assert door.mails() == []


def test_two_mails_on_one_connection_are_two(door: Door) -> None:
    other = EmailMessage()
    other["From"] = "ann@example.org"
    other.set_content("second")
    with door.knock() as server:
        server.sendmail("ann@example.org", [PLAY], SIMPLE)
        server.sendmail("ben@example.org", [PLAY], other.as_bytes())
    assert [mail.sender for mail in sorted(door.mails(), key=lambda mail: mail.sender)] == [
        "ann@example.org",
        "ben@example.org",
    ]


# -- the other doors: the same path behind all of them


def test_lmtp_is_spoken_on_a_port_of_its_own(door: Door, asked: Asked) -> None:
    raw = plain(asked.letter, "show")
    with door.knock_by_lmtp() as server:
        assert server.sendmail("ann@example.org", [us(asked.letter)], raw) == {}
        (mail,) = door.mails()
    assert (mail.raw, mail.sender, mail.recipient) == (raw, "ann@example.org", us(asked.letter))
    door.stage.work()
    assert door.mails()[0].verdict == "shown"


def test_lmtp_takes_one_recipient_a_mail_so_that_each_has_its_answer(door: Door) -> None:
    tokens = [f"play+{letter * 32}@{DOMAIN}" for letter in "ab"]
    with door.knock_by_lmtp() as server:
        assert {code for code, _ in server.sendmail("ann@example.org", tokens, SIMPLE).values()} == {452}
        assert server.sendmail("ann@example.org", [tokens[1]], SIMPLE) == {}
        server.lhlo = server.ehlo  # type: ignore[attr-defined]
        assert server.docmd("EHLO x")[0] == 500
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            server.sendmail("ann@example.org", [f"root@{DOMAIN}"], SIMPLE)
    assert sorted(mail.recipient for mail in door.mails()) == tokens


HOOK = "hook-secret-" * 3


@pytest.fixture
def hook(door: Door) -> Iterator[Door]:
    """The same app, with a secret for its hook."""
    parts = door.stage.app.extensions["ogham"]
    door.stage.app.extensions["ogham"] = replace(parts, settings=replace(parts.settings, hook_secret=HOOK))
    yield door
    door.stage.app.extensions["ogham"] = parts


def hand_over(door: Door, raw: bytes, secret: str | None = HOOK, kind: str = "message/rfc822", **envelope: str) -> Any:
    headers = {"Content-Type": kind} | ({"Ogham-Hook-Secret": secret} if secret is not None else {})
    query = {"recipient": PLAY, "sender": "ann@example.org"} | envelope
    return door.stage.app.test_client().post("/v1/mails", query_string=query, data=raw, headers=headers)


def test_a_mail_comes_in_over_http(hook: Door, asked: Asked) -> None:
    raw = plain(asked.letter, "show")
    answer = hand_over(hook, raw, recipient=us(asked.letter))
    (mail,) = hook.mails()
    assert (answer.status_code, answer.get_json()) == (202, {"id": mail.id})
    assert (mail.raw, mail.sender, mail.recipient) == (raw, "ann@example.org", us(asked.letter))
    hook.stage.work()
    assert hook.mails()[0].verdict == "shown"


def test_there_is_no_hook_where_no_secret_is_set(door: Door) -> None:
    for secret in (None, "", HOOK, "None"):
        problem(hand_over(door, SIMPLE, secret), 404, "not_found")
    assert door.mails() == []


@pytest.mark.parametrize("secret", [None, "", "x", HOOK[:-1], HOOK + "x", HOOK.upper(), "\u00fc" * 36])
def test_without_the_secret_nothing_is_taken(hook: Door, secret: str | None) -> None:
    problem(hand_over(hook, SIMPLE, secret), 403, "hook_secret_wrong")
    assert hook.mails() == []


def test_the_hook_refuses_what_the_other_doors_refuse(hook: Door) -> None:
    problem(hand_over(hook, SIMPLE, recipient=f"root@{DOMAIN}"), 404, "mailbox_unknown")
    problem(hand_over(hook, SIMPLE, kind="application/json"), 415, "media_type_wrong")
    problem(hand_over(hook, b"x" * (LARGEST_MAIL + 1)), 413, "body_too_large")
    assert hand_over(hook, SIMPLE + b"y" * (LARGEST_MAIL - len(SIMPLE))).status_code == 202
    assert (
        hand_over(hook, SIMPLE, sender="odd\0 \udcff@example.org".encode("utf-8", "replace").decode()).status_code
        == 202
    )
    assert len(hook.mails()) == 2


def test_a_mail_handed_over_with_an_mbox_line_is_stored_without(hook: Door) -> None:
    hand_over(hook, b"From ann@example.org Wed Nov 18 09:00:00 2026\n" + SIMPLE)
    assert [mail.raw for mail in hook.mails()] == [SIMPLE]


@pytest.mark.parametrize("sender", ["MAILER-DAEMON", "mailer-daemon@relay.example", "", "<>"])
def test_a_bounce_is_known_however_a_pipe_writes_its_sender(hook: Door, asked: Asked, sender: str) -> None:
    hand_over(hook, plain(asked.letter, "show"), sender=sender, recipient=us(asked.letter))
    hook.stage.work()
    assert hook.mails()[0].verdict == "ignored: no envelope sender"
