"""Which mails count. All others change nothing, and only those who hold a token and the address are answered."""

import threading
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import func, select

from service.mailroom.commands import MOST_ANSWERS
from service.mailroom.receive import accept_mail, is_ours, read_mail
from service.store.db import db
from service.store.tables import Mail, Submission
from tests.mail.asked import Asked, ask, count_letters, text_of
from tests.mail.clients import CLIENTS, plain, start_reply, us
from tests.stage import DOMAIN, Stage


@pytest.fixture
def asked(stage: Stage) -> Asked:
    return ask(stage)


# -- what is ignored


def answer_with(*headers: str, body: str = "reveal") -> Callable[[EmailMessage], bytes]:
    def build(letter: EmailMessage) -> bytes:
        return (
            "\r\n".join([*headers, f"To: {us(letter)}", "Message-ID: <x@example.org>"]) + f"\r\n\r\n{body}\r\n"
        ).encode()

    return build


FROM = "From: ann@example.org"
NOT_THEIRS = "ignored: not from the registered address"
IGNORED: dict[str, tuple[Callable[[EmailMessage], bytes], str]] = {
    "somebody else": (answer_with("From: eve@example.org"), NOT_THEIRS),
    "somebody else with her name": (answer_with('From: "ann@example.org" <eve@example.org>'), NOT_THEIRS),
    "her address as Sender only": (answer_with("From: eve@example.org", "Sender: ann@example.org"), NOT_THEIRS),
    "the other player": (answer_with("From: ben@example.org"), NOT_THEIRS),
    "ourselves": (answer_with(f"From: play@{DOMAIN}"), NOT_THEIRS),
    "no From": (answer_with(), NOT_THEIRS),
    "two Froms": (answer_with(FROM, "From: eve@example.org"), NOT_THEIRS),
    "From twice": (answer_with(FROM, FROM), NOT_THEIRS),
    "two addresses": (answer_with("From: ann@example.org, eve@example.org"), NOT_THEIRS),
    "a From that two parsers read differently": (answer_with("From: ann@example.org <eve@example.org>"), NOT_THEIRS),
    "a longer address": (answer_with("From: ann@example.org.evil.example"), NOT_THEIRS),
    "no mail at all": (lambda _: b"\x00\xff" * 500, NOT_THEIRS),
    "nothing": (lambda _: b"", NOT_THEIRS),
    "an auto-reply": (answer_with(FROM, "Auto-Submitted: auto-replied"), "ignored: automatic (Auto-Submitted)"),
    "bulk": (answer_with(FROM, "Precedence: bulk"), "ignored: automatic (Precedence)"),
    "a list": (answer_with(FROM, "List-Id: <x.example.org>"), "ignored: automatic (List-Id)"),
    "a report": (
        answer_with(FROM, "Content-Type: multipart/report; boundary=x"),
        "ignored: automatic (multipart/report)",
    ),
}


@pytest.fixture(scope="module")
def waiting(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


@pytest.mark.parametrize("mail", IGNORED)
def test_a_mail_that_doesnt_count_changes_nothing_and_isnt_answered(waiting: Asked, mail: str) -> None:
    build, verdict = IGNORED[mail]
    stage = waiting.stage
    before, letters = stage.fingerprint(), count_letters(stage)
    assert stage.receive(build(waiting.letter), us(waiting.letter)) == verdict
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters)


@pytest.mark.parametrize("sender", ["", "<>"])
def test_a_bounce_is_not_answered(waiting: Asked, sender: str) -> None:
    """aiosmtpd hands over the empty sender as `<>`."""
    stage, letter = waiting.stage, waiting.letter
    before, letters = stage.fingerprint(), count_letters(stage)
    assert stage.receive(plain(letter, "reveal"), us(letter), sender) == "ignored: no envelope sender"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters)


@pytest.mark.parametrize("local", ["play", f"play+{'b' * 32}", "bounce", "play+", "play+reveal"])
def test_a_mail_without_a_token_of_ours_is_not_even_read(waiting: Asked, local: str) -> None:
    stage = waiting.stage
    before, letters = stage.fingerprint(), count_letters(stage)
    verdict = stage.receive(plain(waiting.letter, "reveal"), f"{local}@{DOMAIN}")
    assert verdict == "ignored: no token of ours in the address"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters)


def test_somebody_elses_token_is_none(waiting: Asked) -> None:
    stage = waiting.stage
    bens = stage.letters(waiting.ben.address)[-1]
    before, letters = stage.fingerprint(), count_letters(stage)
    assert stage.receive(plain(waiting.letter, "reveal"), us(bens)) == NOT_THEIRS
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters)


def test_which_addresses_are_ours(waiting: Asked) -> None:
    with waiting.stage.app.app_context():
        assert all(map(is_ours, [f"play@{DOMAIN}", f"PLAY+{'A' * 32}@{DOMAIN.upper()}", f"bounce@{DOMAIN}"]))
        token = "a" * 32
        others = ["play", f"@{DOMAIN}", "play@example.org", f"play+{token[1:]}@{DOMAIN}", f"root@{DOMAIN}"]
        others += [f"play+{token}@{DOMAIN}.evil.example", f"play+{token}\n@{DOMAIN}", f"play+{'0' * 32}@{DOMAIN}"]
        for other in others:
            assert not is_ours(other)


# -- what counts


@pytest.mark.parametrize("sender", ["ANN@Example.org", "Somebody <ann@example.org>"])
def test_the_registered_address_counts_in_any_case_and_under_any_name(asked: Asked, sender: str) -> None:
    assert asked.answer("reveal", From=sender).startswith("submission ")
    assert asked.ann.client.match(asked.match_id)["seq"] == 5


def test_the_token_counts_in_any_case(asked: Asked) -> None:
    assert asked.stage.receive(plain(asked.letter, "reveal"), us(asked.letter).upper()).startswith("submission ")


def test_answers_go_to_the_registered_address_only(asked: Asked) -> None:
    stage = asked.stage
    letters = count_letters(stage)
    others = {"Reply_To": "eve@example.org", "Return_Path": "<eve@example.org>", "Sender": "eve@example.org"}
    others |= {
        "Errors_To": "eve@example.org",
        "Cc": "eve@example.org",
        "Disposition_Notification_To": "eve@example.org",
    }
    assert asked.answer("what is this?", **others) == "nothing said"
    assert count_letters(stage) == letters + 1
    assert "We found no move" in text_of(asked.newest())


def test_a_mail_that_comes_again_changes_nothing_and_repeats_no_answer(asked: Asked) -> None:
    stage, recipient = asked.stage, us(asked.letter)
    refused, played = plain(asked.letter, "take blue 5"), plain(asked.letter, "reveal, leave")
    for raw, answers in ((refused, 1), (played, 2)):  # a refusal; an answer and Ben's turn
        letters = count_letters(stage)
        assert stage.receive(raw, recipient).startswith("submission ")
        assert count_letters(stage) == letters + answers
        before = stage.fingerprint()
        for copy in (raw, b"Received: from elsewhere\r\n" + raw):
            assert stage.receive(copy, recipient) == "ignored: this Message-ID came before"
        assert (stage.fingerprint(), count_letters(stage)) == (before, letters + answers)


def test_a_mail_without_message_id_counts_once_too(asked: Asked) -> None:
    stage = asked.stage
    reply = start_reply(asked.letter)
    del reply["Message-ID"]
    reply.set_content("reveal")
    assert stage.receive(reply.as_bytes(), us(asked.letter)).startswith("submission ")
    letters = count_letters(stage)
    assert stage.receive(reply.as_bytes(), us(asked.letter)) == "ignored: this Message-ID came before"
    assert count_letters(stage) == letters


def test_two_players_may_use_the_same_message_id(asked: Asked) -> None:
    asked.answer("reveal, leave", Message_ID="<1@example.org>")
    bens = asked.stage.letters(asked.ben.address)[-1]
    assert asked.stage.answer(bens, "reveal, leave", Message_ID="<1@example.org>").startswith("submission ")


def test_the_same_mail_read_by_two_workers_at_once_is_one_submission(asked: Asked) -> None:
    stage = asked.stage
    raw = plain(asked.letter, "reveal")
    with stage.app.app_context():
        ids = [accept_mail("ann@example.org", us(asked.letter), raw) for _ in range(4)]

    def read(id: str) -> None:
        with stage.app.app_context():
            read_mail(id)

    threads = [threading.Thread(target=read, args=(id,)) for id in [*ids, *ids]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stage.later(seconds=10)  # one that met its twin waits a little
    stage.work()
    with stage.app.app_context():
        verdicts = sorted(str(verdict) for verdict in db.session.scalars(select(Mail.verdict)))
        assert db.session.scalar(select(func.count()).select_from(Submission)) == 1
    assert verdicts[:3] == ["ignored: this Message-ID came before"] * 3
    assert verdicts[3].startswith("submission ")


# -- stale


def test_the_token_of_a_decision_that_was_taken_is_answered_once_and_plays_nothing(asked: Asked) -> None:
    stage = asked.stage
    assert stage.play(asked.ann, asked.match_id, "reveal, leave")["problem"] is None
    assert stage.play(asked.ben, asked.match_id, "reveal, leave")["problem"] is None
    before, letters = stage.fingerprint(), count_letters(stage)
    assert asked.answer("reveal").startswith("submission ")
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + 1)
    said = text_of(asked.newest())
    assert "Your mail came too late" in said
    assert "reveal, lay else leave" in said  # what may be played now
    assert stage.answer(asked.newest(), "reveal").startswith("submission ")
    assert stage.fingerprint() != before


def test_a_token_is_used_up_by_the_move_it_brought(asked: Asked) -> None:
    asked.answer("reveal")
    before = asked.stage.fingerprint()
    asked.answer("leave")  # to the same mail again
    assert asked.stage.fingerprint() == before
    assert "Your mail came too late" in text_of(asked.newest())


# -- loops and small talk


def test_a_machine_that_doesnt_say_so_is_not_answered_for_ever(asked: Asked) -> None:
    stage = asked.stage
    before, letters = stage.fingerprint(), count_letters(stage)
    for number in range(MOST_ANSWERS + 3):
        verdict = stage.answer(asked.newest(), "I am on holiday until Monday.")
        assert verdict == ("nothing said" if number < MOST_ANSWERS else "ignored: answered often enough")
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + MOST_ANSWERS)
    assert stage.answer(asked.newest(), "reveal").startswith("submission ")
    assert stage.fingerprint() != before


def test_small_talk_from_who_isnt_asked_gets_no_answer(asked: Asked) -> None:
    asked.answer("reveal, leave")
    letters = count_letters(asked.stage)
    assert asked.stage.answer(asked.newest(), "Thank you!") == "nothing said"
    assert count_letters(asked.stage) == letters


def test_an_answer_to_a_mail_that_asks_nothing_is_ignored(stage: Stage) -> None:
    ann = stage.person("Ann")
    ann.client.open("keltis", 2, {}, invite=["cleo@example.org", "dora@example.org"])
    stage.work()
    ann.client.register("Ann", ann.address, "en")
    stage.work()
    stage.answer(stage.letters(ann.address)[-1], "yes")
    letters = count_letters(stage)
    assert stage.answer(stage.letters(ann.address)[-1], "reveal") == "ignored: there is nothing to decide"
    stage.answer(stage.letters("cleo@example.org")[-1], "join with a few words")
    joined = stage.letters("cleo@example.org")[-1]
    assert "You are in, on seat 1" in text_of(joined)
    assert stage.answer(joined, "reveal") == "ignored: the match has not started"
    assert count_letters(stage) == letters + 1


# -- what is kept


def test_a_mail_is_kept_as_it_came(asked: Asked) -> None:
    raw = CLIENTS["outlook, German"](asked.letter, "aufdecken") + b"\xff\x00 odd bytes \r\n.\r\n"
    asked.stage.receive(raw, us(asked.letter))
    with asked.stage.app.app_context():
        mail = db.session.scalars(select(Mail)).one()
        assert (mail.raw, mail.sender, mail.recipient) == (raw, "someone@example.org", us(asked.letter))
        assert mail.status == "done"
