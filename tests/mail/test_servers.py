"""Many notices through SMTP servers that misbehave: each is delivered or rightly given up, and none is lost."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from service.mailroom.post import MOST_ATTEMPTS
from service.players import register
from service.store.db import db
from service.store.tables import Notice, Step
from tests.mail.sink import DROP, KEEP_AND_DROP, Sink
from tests.stage import DOMAIN, Stage

Sample = Callable[[int, int], int]

# Each with what the server does to the first tries, where, and what becomes of the notices.
SERVERS = {
    "takes everything": ("", "", "sent"),
    "is slow": ("slow", "", "sent"),
    "greylists": ("450 4.7.1 Greylisted, come back later", "RCPT", "sent"),
    "is busy when greeted": ("421 4.3.2 Too busy", "EHLO", "sent"),
    "hangs up when greeted": (DROP, "EHLO", "sent"),
    "has no room for the sender": ("452 4.3.1 No room", "MAIL", "sent"),
    "doesn't allow the sender": ("550 5.7.1 Not you", "MAIL", "sent"),  # our fault: somebody will mend it
    "knows no such recipient": ("550 5.1.1 Nobody", "RCPT", "refused"),
    "takes it later": ("451 4.3.0 Later", "DATA", "sent"),
    "takes it for spam": ("554 5.7.1 Spam", "DATA", "refused"),
    "hangs up at the recipient": (DROP, "RCPT", "sent"),
    "hangs up before it has the mail": (DROP, "DATA", "sent"),
    "hangs up when it has the mail": (KEEP_AND_DROP, "DATA", "sent"),
    "isn't there for a while": ("away", "", "sent"),
    "is never ready": ("451 4.3.0 Never", "for ever", "given up"),
}


def outcomes(stage: Stage) -> Counter[str]:
    with stage.app.app_context():
        return Counter(str(outcome).partition(":")[0] for outcome in db.session.scalars(select(Notice.outcome)))


@pytest.mark.parametrize("server", SERVERS)
def test_every_notice_is_delivered_or_rightly_given_up(tmp_path: Path, sample: Sample, server: str) -> None:
    answer, at, becomes = SERVERS[server]
    count = sample(3 if at == "for ever" else 10, 200)
    with Sink() as sink:
        stage = Stage.build(f"sqlite:///{tmp_path / 'ogham.sqlite'}", smtp_url=sink.url)
        with stage.app.app_context():
            for number in range(count):
                register(f"Ann {number}", f"ann{number}@example.org", "en", None, None)
        if answer == "away":
            sink.close()
        elif answer == "slow":
            sink.pause = 0.01
        elif answer:
            for _ in range(count * (MOST_ATTEMPTS if at == "for ever" else 1)):
                sink.will(answer, at if at != "for ever" else "RCPT")
        stage.work()
        if answer == "away":
            sink.open()
        for _ in range(MOST_ATTEMPTS if becomes == "given up" else 2):
            stage.later(hours=1)
            stage.work()
        assert outcomes(stage) == {becomes: count}
        copies = Counter(str(mail.letter["Message-ID"]) for mail in sink.mails)
        with stage.app.app_context():
            notices = set(db.session.scalars(select(Notice.id)))
            steps = Counter(db.session.scalars(select(Step.what)))
            db.engine.dispose()
    expected = {f"<{id}@{DOMAIN}>" for id in notices} if becomes == "sent" else set()
    assert set(copies) == expected
    # A 250 that nobody hears is the one thing that costs a copy.
    assert set(copies.values()) <= ({2} if answer == KEEP_AND_DROP else {1})
    # The ledger has a line for each try.
    tries = 2 if becomes == "sent" and answer not in ("", "slow") else 1
    last = {"sent": "accepted", "refused": "refused", "given up": "given_up"}[becomes]
    deferred = (MOST_ATTEMPTS - 1 if becomes == "given up" else tries - 1) * count
    assert (steps[last], steps["deferred"], steps.total()) == (count, deferred, count + deferred)
