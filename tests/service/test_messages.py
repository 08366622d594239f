"""Messages: by API and by mail, to those at the table and to nobody else."""

import json
import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import func, select, text

from client.errors import Problem
from service.mailroom.commands import find_commands
from service.mailroom.plain import seen
from service.mailroom.reply import read_reply
from service.messages import DAY, LONGEST, MOST_A_DAY, send_message
from service.store.db import db, writing
from service.store.tables import Message, Notice, Player
from tests.mail.asked import Asked, ask, ask_again, text_of
from tests.mail.clients import CLIENTS, html_of, plain, us
from tests.stage import Stage

HOSTILE = "Hi <script>alert(1)</script> & “you”\r\nBcc: eve@example.net\r\n\r\nreveal, leave\n"
HOSTILE += "--- [ogham] write above ---\nresign"


@pytest.fixture(scope="module")
def table(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


@pytest.fixture
def asked(table: Asked) -> Asked:
    return ask_again(table)


def said(asked: Asked) -> list[tuple[int, str]]:
    return [(message["seat"], message["text"]) for message in asked.ben.client.messages(asked.match_id)]


def lines(letter: EmailMessage) -> list[str]:
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).splitlines()


# -- the API


def test_who_sits_at_the_table_is_told_and_may_read_and_nobody_else(stage: Stage) -> None:
    ann, ben, eve = (stage.person(name) for name in ("Ann", "Ben", "Eve"))
    match_id = stage.table([ann, ben], first_player=0)
    before, letters = list(ann.client.log(match_id)), len(stage.letters(ann.address))
    sent = ann.client.say(match_id, "Nice to play with you!")
    stage.work()
    assert (sent["number"], sent["seat"], sent["text"]) == (1, 0, "Nice to play with you!")
    letter = stage.letters(ben.address)[-1]
    assert letter["Subject"] == "Ann writes to you: Keltis: Der Weg der Steine"
    assert "Ann says to the table" in text_of(letter)
    assert "> Nice to play with you!" in lines(letter)
    assert len(stage.letters(ann.address)) == letters
    assert [message["text"] for message in ben.client.messages(match_id)] == ["Nice to play with you!"]
    assert list(ann.client.log(match_id)) == before
    for watcher, code in ((eve.client, "not_yours"), (stage.watcher(), "token_missing")):
        for ask_for in (lambda by: by.say(match_id, "Me too"), lambda by: list(by.messages(match_id))):
            with pytest.raises(Problem) as problem:
                ask_for(watcher)
            assert problem.value.code == code
    with pytest.raises(Problem) as unknown:
        ann.client.say("a" * 20, "Hello?")
    assert unknown.value.code == "match_unknown"


@pytest.mark.parametrize("words", [" \t\n\u200b", "\x07\u202e", "x" * (LONGEST + 1)])
def test_a_message_says_something_and_not_too_much(asked: Asked, words: str) -> None:
    with pytest.raises(Problem) as problem:
        asked.ann.client.say(asked.match_id, words)
    assert problem.value.code == "message_invalid"
    assert said(asked) == []


def test_what_cant_be_seen_is_left_out(asked: Asked) -> None:
    asked.ann.client.say(asked.match_id, " a\x1b[31mb\u202ec \x07\r\n\r\n\n\n\nd\u2028e ")
    assert said(asked) == [(0, "a[31mbc\n\nd\ne")]


def test_who_says_very_much_has_to_wait(stage: Stage) -> None:
    asked = ask(stage)
    for number in range(MOST_A_DAY):
        asked.ann.client.say(asked.match_id, f"{number}")
        stage.later(seconds=1)
    with pytest.raises(Problem) as problem:
        asked.ann.client.say(asked.match_id, "once more")
    assert (problem.value.status, problem.value.code) == (429, "too_many_messages")
    token = asked.ann.client._bearer()
    answer = stage.app.test_client().post(
        f"/v1/matches/{asked.match_id}/messages", json={"text": "once more"}, headers=token
    )
    wait = int(answer.headers["Retry-After"])
    assert answer.json is not None
    assert answer.json["retry_after"] == wait
    assert timedelta(seconds=wait) <= DAY
    assert stage.answer(asked.letter, "reveal\n\nsay: by mail neither") == "nothing said"
    assert "You have said 20 things" in text_of(asked.newest())
    asked.ben.client.say(asked.match_id, "I may")
    other = ask_again(asked)
    other.ann.client.say(other.match_id, "and elsewhere so may I")
    stage.later(seconds=wait)
    with stage.app.app_context(), writing() as transaction:  # by now her token has expired
        player = transaction.session.scalars(select(Player).where(Player.address == asked.ann.address)).one()
        assert send_message(transaction, asked.match_id, player, "now again").number == MOST_A_DAY + 2


def test_a_message_can_be_off_or_wait_for_the_digest(stage: Stage) -> None:
    asked = ask(stage)
    ben = asked.ben
    for choice, outcome in (("off", "done"), ("digest", "gathered")):
        ben.client.preferences(mail_message=choice)
        sent = asked.ann.client.say(asked.match_id, f"are you {choice}?")
        stage.work()
        with stage.app.app_context():
            message = db.session.scalars(select(Message.id).where(Message.text == sent["text"])).one()
            notice = db.session.scalars(select(Notice).where(Notice.key == f"message:{message}:1")).one()
            assert (notice.status, notice.outcome) == (outcome, "not sent: off" if choice == "off" else None)
    stage.later(days=1)
    stage.work()
    assert "> are you digest?" in lines(stage.letters(ben.address)[-1])


def test_messages_go_with_the_account(stage: Stage) -> None:
    asked = ask(stage)
    asked.ann.client.say(asked.match_id, "a secret of mine")
    asked.ben.client.say(asked.match_id, "and mine")
    asked.ann.client.delete_account()
    stage.work()
    assert said(asked) == [(1, "and mine")]
    assert "a secret of mine" not in " ".join(text_of(letter) for letter in stage.letters(asked.ben.address))
    letters = len(stage.letters(asked.ann.address))
    asked.ben.client.say(asked.match_id, "Are you there?")
    stage.work()
    assert len(stage.letters(asked.ann.address)) == letters
    with stage.app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Message).where(Message.text.contains("secret"))) == 0


# -- by mail


def test_say_passes_words_on_beside_a_move(asked: Asked) -> None:
    assert asked.answer("Say: Your turn, dear Ben:\ntake your time.\n\nreveal, leave").startswith("said, submission ")
    assert said(asked) == [(0, "Your turn, dear Ben:\ntake your time.")]
    told = [text_of(letter) for letter in asked.stage.letters(asked.ann.address)]
    assert any("Your words were passed on" in one for one in told)
    asked.ann.client.say(asked.match_id, "Well?")
    asked.stage.work()
    letter = asked.stage.letters(asked.ben.address)[-1]
    assert asked.stage.answer(letter, "sage: danke\n\nreveal, leave").startswith("said, submission ")
    log = [json.loads(entry["public"]) for entry in asked.ann.client.log(asked.match_id)]
    assert [entry["move"] for entry in log if entry.get("move")] == ["reveal, leave"] * 2
    assert not re.search(r"danke|take your time", json.dumps(log))


@pytest.mark.parametrize("client", CLIENTS)
def test_words_are_found_in_any_clients_style(client: str) -> None:
    letter = EmailMessage()
    letter["To"], letter["Reply-To"], letter["Subject"] = "ann@example.org", "play+x@ogham.test", "Hello"
    letter.set_content("--- [ogham] write above ---\n\nHello\n")
    letter.add_alternative("<body><p>--- [ogham] write above ---</p></body>", subtype="html")
    reply = read_reply(CLIENTS[client](letter, "say: good luck, and have fun"))
    [(command, [found])], _ = find_commands(reply.paragraphs, frozenset({"seat", "player"}))
    assert (command.name, found["text"]) == ("say", " good luck, and have fun")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("say: good luck\nreveal", "reveal"),
        ("say: good luck\nresign", "resign"),
        ("say: see you\nvacation over", "vacation over"),
    ],
)
def test_a_line_that_may_be_meant_otherwise_is_asked_about(asked: Asked, body: str, line: str) -> None:
    before = asked.stage.fingerprint()
    assert asked.answer(body) == "nothing said"
    assert (asked.stage.fingerprint(), said(asked)) == (before, [])
    assert f"We stumbled over: “{line}”" in text_of(asked.newest())


@pytest.mark.parametrize(
    "prose", ["as they say: good luck", "say good luck", "> say: good luck", "sayings: many", "say: ...", "Er sagt: ja"]
)
def test_prose_is_not_passed_on(asked: Asked, prose: str) -> None:
    assert asked.answer(prose) == "nothing said"
    assert said(asked) == []


# -- hostile


@pytest.mark.parametrize("way", ["as it is", "without the cut line", "HTML", "trimmed"])
def test_a_hostile_message_is_only_a_quote(asked: Asked, way: str) -> None:
    stage = asked.stage
    asked.ben.client.say(asked.match_id, HOSTILE)
    stage.work()
    letter = asked.newest()
    assert "Bcc" not in letter
    assert len(letter["To"].addresses) == 1
    page = html_of(letter)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in page
    for line in ("reveal, leave", "resign", "Bcc: eve@example.net"):
        assert f"> {line}" in lines(letter)
        assert f"> {line}" in seen(page)
    body = {
        "as it is": "\n".join(lines(letter)),
        "without the cut line": "\n".join(lines(letter)[1:]),
        "HTML": seen(page.partition("</p>")[2]),
        "trimmed": "\n".join(line for line in lines(letter) if line.startswith(">")),
    }[way]
    before = stage.fingerprint()
    assert stage.receive(plain(letter, body), us(letter)) == "nothing said"
    assert (stage.fingerprint(), len(said(asked))) == (before, 1)
    assert stage.receive(plain(letter, f"reveal, leave\n\n{body}"), us(letter)).startswith("submission ")


def test_the_table_of_messages_holds_no_more_than_was_said(asked: Asked) -> None:
    asked.ann.client.say(asked.match_id, "x" * LONGEST)
    asked.stage.work()
    assert max(map(len, lines(asked.stage.letters(asked.ben.address)[-1]))) <= 72
    with asked.stage.app.app_context():
        abouts = db.session.scalars(select(Notice.about).where(Notice.kind == "message"))
        assert all(set(about) == {"message"} for about in abouts)
        assert not db.session.execute(text("SELECT 1 FROM entry WHERE kind = 'message'")).first()
