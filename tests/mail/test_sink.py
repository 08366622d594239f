"""The sink itself: what other tests lean on."""

import smtplib
from collections.abc import Iterator

import pytest

from tests.mail.sink import DROP, KEEP_AND_DROP, Sink


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink() as built:
        yield built


def send(sink: Sink, text: str = "Subject: x\r\n\r\nx\r\n") -> None:
    with smtplib.SMTP("127.0.0.1", sink.port, timeout=5) as server:
        server.sendmail("a@example.org", ["b@example.org"], text)


def test_it_keeps_what_it_is_given_byte_for_byte(sink: Sink) -> None:
    send(sink, "Subject: x\r\n\r\n.a line with a dot\r\n")
    kept = sink.wait_for(lambda mail: mail.rcpt == "b@example.org", timeout=1)
    assert kept == ("a@example.org", "b@example.org", b"Subject: x\r\n\r\n.a line with a dot\r\n")
    with pytest.raises(TimeoutError):
        sink.wait_for(lambda mail: True, timeout=0.01, since=1)


def test_it_misbehaves_once_as_told(sink: Sink) -> None:
    sink.will("451 later")
    with pytest.raises(smtplib.SMTPDataError):
        send(sink)
    sink.will("550 nobody", at="RCPT")
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        send(sink)
    sink.will(DROP)
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send(sink)
    assert sink.mails == []
    sink.will(KEEP_AND_DROP)
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send(sink)
    assert len(sink.mails) == 1
    sink.close()
    with pytest.raises(ConnectionRefusedError):
        send(sink)
    sink.open()
    send(sink)
    assert len(sink.mails) == 2
