"""Through a real Postfix: a turn mail goes out, its answer comes back, the move is played; and what bounces is seen."""

from collections.abc import Iterator
from contextlib import ExitStack
from email import policy
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from smtplib import SMTP
from typing import NamedTuple

import pytest

from tests.journeys.houses import DOMAIN, Grown, until
from tests.journeys.people import register
from tests.mail.postfix import MISSING, Postfix, program
from tests.mail.sink import Sink
from tests.servers import Postgres, Redis

pytestmark = [pytest.mark.skipif(program() is None, reason=MISSING), pytest.mark.timeout(180)]


class World(NamedTuple):
    house: Grown
    postfix: Postfix
    sink: Sink
    """The players' own mail server."""


@pytest.fixture
def world(tmp_path: Path, postgres: Postgres, redis_server: Redis) -> Iterator[World]:
    with ExitStack() as stack:
        sink = stack.enter_context(Sink())
        house = Grown(tmp_path, postgres, redis_server, sink)
        postfix = stack.enter_context(Postfix(ogham_test=house.mail_port, example_org=sink.port))
        house.set(SMTP_URL=postfix.url)
        stack.callback(house.stop)
        house.start()
        yield World(house, postfix, sink)


def answer(world: World, letter: EmailMessage, body: str) -> None:
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"], reply["To"] = str(letter["To"]), str(letter["Reply-To"])
    reply["Subject"], reply["Message-ID"] = f"Re: {letter['Subject']}", make_msgid(domain="example.org")
    reply.set_content(body)
    with SMTP("127.0.0.1", world.postfix.port, timeout=10) as server:
        server.send_message(reply)


def test_a_turn_mail_goes_out_and_its_answer_comes_back_through_postfix(world: World) -> None:
    house = world.house
    ann, ben = register(house, "Ann"), register(house, "Ben")
    match_id = ann.open("keltis", 2, {"first_player": 1})["id"]
    ann.join(match_id, 0)
    ben.join(match_id, 1)
    until(lambda: "your turn" in str(house.letters("ben@example.org")[-1]["Subject"]), "Ben's turn mail")
    letter = house.letters("ben@example.org")[-1]
    assert any("Postfix" in received for received in letter.get_all("Received", []))
    answer(world, letter, "reveal, leave\n\nBest wishes\nBen")
    until(lambda: ann.match(match_id)["to_act"] == 0, "Ben's move")
    until(lambda: "your turn" in str(house.letters("ann@example.org")[-1]["Subject"]), "Ann's turn mail")
    assert [step["what"] for step in ben.notices()["notices"][0]["steps"]] in (["accepted"], [])


def test_what_postfix_cannot_deliver_comes_back_to_the_ledger(world: World) -> None:
    house = world.house
    ann = register(house, "Ann")
    until(lambda: ann.notices()["notices"], "the first notice")
    world.sink.will("550 5.1.1 No such user", at="RCPT")
    ann.open("keltis", 2, {}, ["ann@example.org"])
    until(
        lambda: [step["what"] for step in ann.notices()["notices"][0]["steps"]] == ["accepted", "bounced"],
        f"the bounce of {ann.notices()['notices'][0]}",
    )
    step = ann.notices()["notices"][0]["steps"][-1]
    assert "No such user" in step["why"]
    assert step["why"].startswith("5.1.1")
    assert DOMAIN in world.postfix.log()
