"""Sending, to a real SMTP server: each notice once, whatever the server does, and never lost."""

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from client.keys import Identity
from service.mailroom.compose import compose
from service.mailroom.post import MOST_ATTEMPTS, _finish, _send, deliver_notice
from service.store.claims import RETRY_FIRST, claim
from service.store.db import db, writing
from service.store.tables import Letter, Notice
from tests.mail.sink import DROP, KEEP_AND_DROP, Sink
from tests.stage import DOMAIN, Stage

pytestmark = pytest.mark.both_databases


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink() as built:
        yield built


@pytest.fixture
def sending(database_url: str, sink: Sink) -> Iterator[Stage]:
    """A stage whose letters go to the sink."""
    stage = Stage.build(database_url, smtp_url=sink.url)
    stage.moment[0] = datetime.now(UTC)  # what is signed carries the real time
    yield stage
    with stage.app.app_context():
        db.engine.dispose()


def register(stage: Stage, name: str = "ann") -> str:
    """Something to send: the id of a welcome notice."""
    identity = Identity.generate()
    stage.watcher(identity).register(name.title(), f"{name}@example.org", "en")
    with stage.app.app_context():
        return db.session.scalars(select(Notice.id).where(Notice.address == f"{name}@example.org")).one()


def look(stage: Stage, notice_id: str) -> Notice:
    with stage.app.app_context():
        return db.session.get_one(Notice, notice_id)


def wait_for_retry(stage: Stage) -> None:
    """Nothing is sent before its time, and then it is."""
    assert stage.work() == 0
    stage.later(seconds=RETRY_FIRST.total_seconds())
    assert stage.work() == 1


def test_a_notice_is_sent_once_as_it_was_written(sending: Stage, sink: Sink) -> None:
    notice_id = register(sending)
    sending.work()
    assert sending.work() == 0
    (mail,) = sink.mails
    assert re.fullmatch(rf"bounce\+{notice_id}[a-z2-7]{{32}}@{DOMAIN}", mail.envelope_from)
    assert mail.rcpt == "ann@example.org"
    assert mail.letter["Message-ID"] == f"<{notice_id}@{DOMAIN}>"
    notice = look(sending, notice_id)
    assert (notice.status, notice.outcome, notice.attempts) == ("done", "sent", 1)
    with sending.app.app_context():
        written = compose(notice).replace(b"\r\n", b"\n").splitlines()
        assert [line for line in mail.raw.splitlines() if line[:5] != b"Date:"] == [
            line for line in written if line[:5] != b"Date:"
        ]
        assert db.session.scalars(select(Letter)).all() == []  # no copy is kept where anybody could look


TEMPORARY = [
    ("451 4.7.1 Come back later", "DATA"),
    ("450 4.2.1 Greylisted", "RCPT"),
    ("421 4.3.2 Closing", "RCPT"),
    ("452 4.3.1 Full", "MAIL"),
    # Not about this mail: somebody will mend it, and the mail must still be there then.
    ("550 5.7.1 Sender not allowed", "MAIL"),
    ("530 5.7.0 Authentication required", "MAIL"),
    (DROP, "MAIL"),
    (DROP, "RCPT"),
    (DROP, "DATA"),
]


@pytest.mark.parametrize(("answer", "at"), TEMPORARY)
def test_what_the_server_doesnt_take_now_is_sent_later_as_the_same_mail(
    sending: Stage, sink: Sink, answer: str, at: str
) -> None:
    sink.will(answer, at)
    notice_id = register(sending)
    sending.work()
    assert sink.mails == []
    assert look(sending, notice_id).outcome is None
    wait_for_retry(sending)
    assert [mail.letter["Message-ID"] for mail in sink.mails] == [f"<{notice_id}@{DOMAIN}>"]
    assert look(sending, notice_id).outcome == "sent"


def test_a_server_that_isnt_there_is_waited_for_longer_each_time(sending: Stage, sink: Sink) -> None:
    notice_id = register(sending)
    sink.close()
    sending.work()
    waits = []
    for _ in range(14):
        waits.append(look(sending, notice_id).due_at - sending.moment[0])
        sending.moment[0] = look(sending, notice_id).due_at
        sending.work()
    assert waits[:3] == pytest.approx([timedelta(seconds=n) for n in (2, 4, 8)], abs=timedelta(milliseconds=10))
    assert waits[-1] == pytest.approx(timedelta(hours=1), abs=timedelta(milliseconds=10))
    sink.open()
    sending.later(hours=1)
    sending.work()
    assert [mail.letter["Message-ID"] for mail in sink.mails] == [f"<{notice_id}@{DOMAIN}>"]


@pytest.mark.parametrize(
    ("answer", "at"), [("550 5.1.1 No such user", "RCPT"), ("554 5.7.1 Spam", "DATA"), ("552 5.3.4 Too big", "DATA")]
)
def test_a_mail_that_is_refused_for_good_is_recorded_and_not_sent_again(
    sending: Stage, sink: Sink, answer: str, at: str
) -> None:
    sink.will(answer, at)
    notice_id = register(sending)
    sending.work()
    sending.later(days=3)
    assert sending.work() == 0
    assert (sink.mails, look(sending, notice_id).outcome) == ([], f"refused: {answer}")


def test_a_notice_that_never_gets_through_is_given_up_after_days(sending: Stage, sink: Sink) -> None:
    notice_id = register(sending)
    with sending.app.app_context(), writing() as transaction:
        transaction.session.execute(update(Notice).values(attempts=MOST_ATTEMPTS - 1))
    sink.will("451 4.0.0 No")
    sending.work()
    assert look(sending, notice_id).outcome == "given up: 451 4.0.0 No"


@pytest.mark.parametrize("goodbye", ["500 5.5.1 What?", "421 4.0.0 Not now", DROP])
def test_how_the_server_says_goodbye_doesnt_matter(sending: Stage, sink: Sink, goodbye: str) -> None:
    sink.will(goodbye, at="QUIT")
    notice_id = register(sending)
    sending.work()
    sending.later(days=1)
    assert sending.work() == 0
    assert (len(sink.mails), look(sending, notice_id).outcome) == (1, "sent")


def test_one_mail_that_is_refused_keeps_no_other_from_being_sent(sending: Stage, sink: Sink) -> None:
    for name in ("ann", "ben", "cleo"):
        register(sending, name)
    sink.will("550 5.1.1 No such user", at="RCPT")
    sink.will("451 4.0.0 Later")
    sending.work()
    assert len(sink.mails) == 1
    sending.later(seconds=5)
    sending.work()
    assert len(sink.mails) == 2


# -- copies


def same_mail(sink: Sink) -> bool:
    first, second = ([line for line in mail.raw.splitlines() if line[:5] != b"Date:"] for mail in sink.mails)
    return first == second


def test_a_250_that_is_never_heard_costs_one_copy_with_the_same_message_id(sending: Stage, sink: Sink) -> None:
    sink.will(KEEP_AND_DROP)
    register(sending)
    sending.work()
    wait_for_retry(sending)
    sending.later(days=1)
    assert sending.work() == 0
    assert same_mail(sink)


def test_a_crash_between_the_250_and_our_mark_costs_one_copy_with_the_same_message_id(
    sending: Stage, sink: Sink
) -> None:
    notice_id = register(sending)
    with sending.app.app_context():
        notice = claim(Notice, notice_id)
        assert notice is not None
        _send(sink.url, f"bounce@{DOMAIN}", notice.address, compose(notice))  # and here the worker dies
    assert sending.work() == 0  # the lease still holds
    sending.later(seconds=sending.settings.lease.total_seconds() + 1)
    sending.work()
    assert same_mail(sink)
    assert look(sending, notice_id).outcome == "sent"


def test_who_slept_through_the_lease_marks_nothing(sending: Stage, sink: Sink) -> None:
    notice_id = register(sending)
    with sending.app.app_context():
        slow = claim(Notice, notice_id)
        assert slow is not None
        db.session.expunge(slow)
    sending.later(seconds=sending.settings.lease.total_seconds() + 1)
    sending.work()
    done_at = look(sending, notice_id).done_at
    sending.later(seconds=1)
    with sending.app.app_context():
        _finish(slow, "refused: 550 late", "refused")
    assert (look(sending, notice_id).outcome, look(sending, notice_id).done_at) == ("sent", done_at)


def test_many_deliverers_at_once_send_it_once(sending: Stage, sink: Sink) -> None:
    notice_id = register(sending)
    together = threading.Barrier(6)

    def deliver() -> None:
        with sending.app.app_context():
            together.wait()
            deliver_notice(notice_id)

    threads = [threading.Thread(target=deliver) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sink.mails) == 1
    assert look(sending, notice_id).outcome == "sent"


# -- the way there


def test_a_password_is_given_and_a_wrong_one_loses_no_mail(database_url: str) -> None:
    with Sink(password="open-sesame") as sink:
        wrong = Stage.build(database_url, smtp_url=sink.url.replace("sesame", "barley"))
        wrong.moment[0] = datetime.now(UTC)
        notice_id = register(wrong)
        wrong.work()
        assert (sink.mails, look(wrong, notice_id).outcome) == ([], None)
        right = Stage.build(database_url, smtp_url=sink.url)  # mended, and started again
        right.moment[0] = wrong.moment[0]
        wait_for_retry(right)
        assert [mail.rcpt for mail in sink.mails] == ["ann@example.org"]
        for stage in (wrong, right):
            with stage.app.app_context():
                db.engine.dispose()
