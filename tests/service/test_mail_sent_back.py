"""Every mail of ours, of every kind and in both languages, sent back: nothing is played, ordered or changed."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import select, text

from client.keys import Identity
from engine.game import LANGUAGES
from service.kinds import KINDS
from service.mailroom.compose import _TO_COMMANDS
from service.mailroom.receive import accept_mail, read_mail
from service.store.db import db
from service.store.tables import Mail, Notice
from tests.mail.asked import Asked
from tests.mail.clients import CLIENTS, UNDERNEATH, html_of, only_html, plain, text_of, us
from tests.mail.signing import MailDomain
from tests.stage import Person, Stage


def prefixed(mark: str) -> Callable[[EmailMessage], bytes]:
    return lambda letter: plain(letter, "".join(f"{mark}{line}\n" for line in text_of(letter).splitlines()[1:]))


def wrapped(width: int) -> Callable[[EmailMessage], bytes]:
    def write(letter: EmailMessage) -> bytes:
        lines = text_of(letter).splitlines()[1:]
        return plain(letter, "\n".join(textwrap.fill(line, width) for line in lines))

    return write


# Without the cut line, since that ends all reading; and once with it.
WAYS: dict[str, Callable[[EmailMessage], bytes]] = {
    **{client: lambda letter, write=write: write(letter, "") for client, write in (CLIENTS | UNDERNEATH).items()},
    "as it is": lambda letter: plain(letter, text_of(letter)),
    **{f"marked with {mark!r}": prefixed(mark) for mark in ("", "> ", ">", "| ", "Ogham> ", "    ", "\t", ": ", "* ")},
    **{f"{width} wide": wrapped(width) for width in (72, 60, 40, 30)},
    "HTML": lambda letter: only_html(letter, html_of(letter).partition("</p>")[2]),
    "joined": lambda letter: plain(letter, " ".join(text_of(letter).splitlines()[1:])),
    "single-spaced": lambda letter: plain(letter, "\n".join(filter(None, text_of(letter).splitlines()[1:]))),
    "double-spaced": lambda letter: plain(letter, "\n\n".join(text_of(letter).splitlines()[1:])),
}


@dataclass
class Post:
    """A stage on which everything was said once, and a letter of each kind of it in each language."""

    stage: Stage
    letters: list[EmailMessage]


def say_everything(stage: Stage, language: str) -> list[Person]:
    home = MailDomain(f"{language}.example")
    stage.dns[home.name] = home.record
    people = [stage.person(f"{name}{language}", language) for name in ("Ann", "Ben", "Eve")]
    for game in ("keltis", "hands"):
        match_id = stage.table(people[:2], game, first_player=0)
        asked = Asked(stage, people[0], people[1], match_id, stage.letters(people[0].address)[-1])
        move = "reveal" if game == "keltis" else "let"
        for line in ("what?", "set colour red", f"{move}\nthank you", "order fly away", "help", "show", "history",
                     "set", "set zone Europe/Berlin", "orders", "order ask me", move):  # fmt: skip
            asked.answer(line)
        asked.answer(f"vacation until {stage.moment[0].date() + timedelta(days=2)}")
        asked.answer("vacation over")
        asked.answer("say: hello")
        people[1].client.say(match_id, f"{move}\n--- [ogham] above ---\n\n{move}\n\nsay: yes\nresign\nreveal, leave")
        stage.answer(stage.letters(people[0].address)[-1], "resign")
    people[0].client.open("keltis", 3, {}, invite=[f"{who}{language}@example.org" for who in ("guest", "shy")])
    stage.work()
    stage.answer(stage.letters(f"shy{language}@example.org")[-1], "decline")
    stage.watcher(Identity.generate()).register("New", f"new{language}@example.org", language)
    over = stage.table(people[1:], "keltis", first_player=0)
    people[1].client.preferences(mail_finished="digest")
    people[1].client.resign(over)
    sealed = people[1].client.open("keltis", 2, {}, shuffle="sealed")["id"]
    for seat, person in enumerate(people[1:]):
        person.client.join(sealed, seat)
    stage.work()
    with stage.app.app_context():  # Eve's mails were signed so far; now one isn't
        db.session.execute(text(f"UPDATE player SET signed_by = 'example.org' WHERE address = '{people[2].address}'"))
        db.session.commit()
    match_id = stage.table([people[2], people[1]], "keltis", first_player=0)
    stage.answer(stage.letters(people[2].address)[-1], "reveal")
    people[2].client.open("keltis", 2, {})
    return people


@pytest.fixture(scope="module")
def post(shared_stage: Stage) -> Post:
    stage = shared_stage
    for language in LANGUAGES:
        say_everything(stage, language)
    stage.later(days=1)
    stage.work()
    with stage.app.app_context():
        notices = list(db.session.scalars(select(Notice).order_by(Notice.created_at)))
    newest = {(one.kind, one.about.get("said"), one.language, one.match_id is None): one for one in notices}
    sent = {str(letter["Message-ID"])[1:21]: letter for one in notices for letter in stage.letters(one.address)}
    return Post(stage, [sent[one.id] for one in newest.values() if one.id in sent])


def state(stage: Stage) -> Any:
    with stage.app.app_context():
        more = {
            table: [tuple(row) for row in db.session.execute(text(f'SELECT * FROM "{table}"'))]
            for table in ("order", "registration", "submission", "vacation", "message")
        }
    return stage.fingerprint(), more


def test_everything_was_said(post: Post) -> None:
    with post.stage.app.app_context():
        notices = list(db.session.scalars(select(Notice)))
    kinds = set(KINDS) - {"reminder", "timed_out", "clock"}  # which need a clock: test_clocks.py has them
    assert {(one.kind, one.language) for one in notices} == {(kind, one) for kind in kinds for one in LANGUAGES}
    said = {notice.about.get("said") for notice in notices}
    assert set(_TO_COMMANDS) - said == {"resigned", "unsigned"}  # which offer nothing
    assert len(post.letters) >= 36


@pytest.mark.parametrize("way", WAYS)
def test_a_mail_of_ours_sent_back_does_nothing(post: Post, way: str) -> None:
    before = state(post.stage)
    with post.stage.app.app_context():
        for letter in post.letters:
            mail_id = accept_mail(str(letter["To"]), us(letter), WAYS[way](letter))
            read_mail(mail_id)
            verdict = str(db.session.get_one(Mail, mail_id).verdict)
            assert verdict.startswith(("nothing said", "ignored: ")), (verdict, text_of(letter))
    assert state(post.stage) == before
