"""The mails we write: what is in them, that nothing else can get in, and that a copy is the same mail."""

import re
import string
from collections.abc import Iterator
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from engine.game import LANGUAGES, Language
from service.errors import Malformed
from service.kinds import KINDS
from service.mailroom.compose import Outdated, compose
from service.mailroom.letter import WIDTH, Unsendable, check
from service.mailroom.phrases import CUT_MARK, PHRASES
from service.mailroom.plain import seen
from service.moves import settle_submission
from service.players import check_name
from service.store.db import db
from service.store.tables import Letter, Notice
from tests.club import let_time_run_out
from tests.games import TEST_GAMES
from tests.mail.asked import Asked, ask, legal_line
from tests.stage import DOMAIN, URL, Stage

LONG = "Wolfeschlegelsteinhausenbergerdorff Sr 9"
HEADERS = ["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Reply-To", "Subject", "To"]


@pytest.fixture(scope="module")
def waiting(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


def all_letters(stage: Stage) -> Iterator[tuple[bytes, EmailMessage]]:
    with stage.app.app_context():
        raws = list(db.session.scalars(select(Letter.raw)))
        addresses = set(db.session.scalars(select(Letter.recipient)))
    letters = [letter for address in addresses for letter in stage.letters(address)]
    by_id = {str(letter["Message-ID"]).encode(): letter for letter in letters}
    for raw in raws:
        found = re.search(rb"^Message-ID: (\S+)", raw, re.MULTILINE)
        assert found is not None
        yield raw, by_id[found[1]]


def part(letter: EmailMessage, kind: str) -> str:
    body = letter.get_body((kind,))
    assert body is not None
    return str(body.get_content())


# -- every kind, both languages


def long_name(*parts: str) -> str:
    return "".join(parts).ljust(40, "x")


@pytest.fixture(scope="module")
def correspondence(shared_stage: Stage) -> Stage:
    """A match of each game in each language, from the first mail to the last, with some mistakes on the way."""
    stage = shared_stage
    for game in TEST_GAMES:
        for language in LANGUAGES:
            people = [stage.person(long_name(name, game.info.id, language), language) for name in ("Nora", "Otto")]
            people[0].client.open(game.info.id, 2, {}, invite=[f"guest-{game.info.id}-{language}@example.org"])
            match_id = stage.table(people, game.info.id, first_player=0)
            stage.answer(stage.letters(f"guest-{game.info.id}-{language}@example.org")[-1], "decline")
            turn = stage.letters(people[0].address)[-1]
            for body in ("what?", "reveal\n\nreveal, leave\n", "take blue 5", "play r3\nthanks", "set colour red"):
                stage.answer(turn, body)
            for body in ("help", "set", "set zone Europe/Berlin", "position", "history", "orders", "resign"):
                stage.answer(turn, body)
            for person in people:
                person.client.say(match_id, f"<b>{'so long ' * 20}</b>\n\n{'x' * 90}\nreveal")
            stage.answer(turn, "say: hello")
            stage.play(people[0], match_id, legal_line(people[0], match_id))
            stage.answer(turn, "reveal" if game.info.id == "keltis" else "play r3")
            people[1].client.preferences(mail_finished="digest")
            people[0].client.resign(match_id)
            sealed = people[0].client.open(game.info.id, 2, {}, shuffle="sealed")["id"]
            for seat, person in enumerate(people):
                person.client.join(sealed, seat)
            people[0].client.preferences(reminders=["half"])
            timed = people[0].client.open(game.info.id, 2, {"first_player": 0}, clock={"bank": 1, "increment": 1})["id"]
            for seat, person in enumerate(people):
                person.client.join(timed, seat)
            stage.work()
    let_time_run_out(stage)
    stage.later(days=1)
    stage.work()
    stage.later(days=-1)  # what is signed carries the real time
    return stage


def test_every_kind_is_written_in_every_language(correspondence: Stage) -> None:
    with correspondence.app.app_context():
        notices = list(db.session.scalars(select(Notice)))
    assert {(notice.kind, notice.language) for notice in notices} == {
        (kind, one) for kind in KINDS for one in LANGUAGES
    }
    assert {notice.outcome for notice in notices} <= {
        "sent",
        "not sent: the decision was taken",
        "not sent: the table is full",
        "not sent: the match went on",
    }


def test_each_letter_has_the_expected_headers_and_nothing_private_in_its_subject(correspondence: Stage) -> None:
    titles = "|".join(re.escape(game.info.title) for game in TEST_GAMES)
    what = "It is your turn|You are asked|About your move|The match is over|The match begins|"
    what += "Your time runs|Your time was up|About the clock|Deine Zeit läuft|Deine Zeit war um|Zur Uhr|"
    what += "Du bist am Zug|Du wirst gefragt|Zu deinem Zug|Die Partie ist zu Ende|Die Partie beginnt"
    what += "|An invitation was declined|Eine Einladung wurde abgelehnt"
    what += r"|\w+ writes to you|\w+ schreibt dir"
    subject = rf"(?:{what}): (?:{titles})|Ogham|Welcome to Ogham: .*|Willkommen bei Ogham: .*"
    subject += rf"|(?:The table is full|Der Tisch ist voll), .*: (?:{titles})"
    subject += r"|Your digest from Ogham: \d+|Deine Sammelmail von Ogham: \d+"
    subject += rf"|\w+ invites you to a match of (?:{titles})|\w+ lädt dich zu einer Partie (?:{titles}) ein"
    for raw, letter in all_letters(correspondence):
        names = sorted(letter.keys())
        told = str(letter["Subject"]).strip()  # a long one begins with its fold
        about_a_match = not told.startswith(("Welcome", "Willkommen", "Your digest", "Deine Sammel"))
        own = "Welcome|Willkommen|About your|Zu deinem|Ogham|The table is|Der Tisch ist|Your time was|Deine Zeit war"
        own_doing = told.startswith(tuple(own.split("|")))
        lists = [] if own_doing else ["List-Id", "List-Unsubscribe"]
        assert names == sorted(HEADERS + ["References"] * about_a_match + lists)
        assert str(letter["From"]) == f"Ogham <play@{DOMAIN}>"
        assert len(letter["To"].addresses) == 1
        assert letter["Auto-Submitted"] == "auto-generated"
        assert re.fullmatch(rf"<[a-z2-7]{{20}}@{DOMAIN}>", letter["Message-ID"])
        assert re.fullmatch(rf"play\+[a-z2-7]{{32}}@{DOMAIN}", letter["Reply-To"].addresses[0].addr_spec)
        assert re.fullmatch(subject, told), told
        assert raw.isascii()
        assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
        assert not re.search(rb"(?<!\r)\n|\r(?!\n)", raw)
        assert not [one for one in letter.walk() if one.defects]


def test_each_letter_begins_with_the_cut_line_and_fits_a_narrow_window(correspondence: Stage) -> None:
    for _, letter in all_letters(correspondence):
        text = part(letter, "plain").splitlines()
        assert CUT_MARK in text[0]
        assert [line for line in text if len(line) > WIDTH] == []
        assert CUT_MARK in next(line for line in seen(part(letter, "html")).splitlines() if line)


def test_a_letters_html_shows_its_own_picture_and_fetches_nothing(correspondence: Stage) -> None:
    pictures = 0
    for _, letter in all_letters(correspondence):
        page = part(letter, "html")
        named = re.findall(r"(?:src|href|background|srcset|action)\s*=\s*[\"']?([^\"'>\s]*)", page, re.IGNORECASE)
        # What a reader may press: an answer to be sent, and the page with the button that ends such mails.
        reply = "mailto:play%2B" + ("" if letter["List-Id"] == f"<digest.{DOMAIN}>" else Stage.token(letter))
        references = [one for one in named if not one.startswith((reply, f"{URL}/unsubscribe/"))]
        images = {one["Content-ID"]: one for one in letter.walk() if one.get_content_maintype() == "image"}
        assert [f"<{reference.removeprefix('cid:')}>" for reference in references] == list(images)
        assert not re.search(r"url\(|@import|<link|<script|<iframe|<form|expression\(|\son\w+=", page, re.IGNORECASE)
        for image in images.values():
            assert image.get_content_type() == "image/png"
            assert image.get_content().startswith(b"\x89PNG\r\n\x1a\n")
            assert image.get_content_disposition() == "inline"
            pictures += 1
    assert pictures > 10


def test_a_turn_letter_says_what_is_needed_to_answer_it(correspondence: Stage) -> None:
    letter = correspondence.letters(f"{long_name('nora', 'keltis', 'en')}@example.org")[1]
    text = " ".join(part(letter, "plain").split())
    for sentence in (
        "Hello Norakeltisen",
        "It is your turn in this match",
        "The tiles are mixed",
        "reveal, lay else leave",
        "Face-down",
    ):
        assert sentence in text
        assert sentence in " ".join(seen(part(letter, "html")).split())


# -- phrases


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_says_the_same_in_every_language(phrase: str) -> None:
    assert set(PHRASES[phrase]) == set(LANGUAGES)
    assert len({frozenset(fields(text)) for text in PHRASES[phrase].values()}) == 1


def notice(kind: str, language: Language = "en", **others: object) -> Notice:
    facts = {"id": "n" * 20, "key": "k", "address": "ann@example.org", "player_id": None, "match_id": None}
    return Notice(**facts | {"seat": None, "seq": None, "about": {}, "kind": kind, "language": language} | others)


def test_every_answer_can_be_written(waiting: Asked) -> None:
    """Those of a verdict apart: `correspondence` has them."""
    verdicts = {"subject", "played", "refused", "unreadable", "ambiguous", "rule", "dropped", "stale", "below", "kept"}
    with waiting.stage.app.app_context():
        for said in [name.removeprefix("answer.") for name in PHRASES if name.startswith("answer.")]:
            if said in verdicts:
                continue
            about = {"said": said, "line": "x", "below": True, "detail": "It is none."}
            for language in LANGUAGES:
                assert compose(notice("answer", language, about=about, match_id=waiting.match_id, seat=0, seq=4))
                if said not in ("nothing", "unclear", "joined", "order_refused"):
                    assert compose(notice("answer", language, about=about, match_id=waiting.match_id))
                    assert compose(notice("answer", language, about=about))


# -- the same mail


def test_a_mail_written_twice_is_the_same_but_for_its_date(waiting: Asked) -> None:
    stage = waiting.stage
    with stage.app.app_context():
        turn = db.session.scalars(
            select(Notice).where(Notice.kind == "turn", Notice.match_id == waiting.match_id)
        ).one()
        first, second = compose(turn), compose(turn)
        assert first == second
        stage.later(hours=3)
        third = compose(turn)
        stage.later(hours=-3)
    assert f"Message-ID: <{turn.id}@{DOMAIN}>\r\n".encode() in first
    assert first != third
    changed = [
        (one, other) for one, other in zip(first.split(b"\r\n"), third.split(b"\r\n"), strict=True) if one != other
    ]
    assert [one[:6] for pair in changed for one in pair] == [b"Date: ", b"Date: "]


# -- not sent


def test_a_question_that_was_answered_meanwhile_is_not_asked(stage: Stage) -> None:
    asked = ask(stage)
    before = len(stage.letters(asked.ben.address))
    for person in (asked.ann, asked.ben):  # settled, and nothing delivered in between
        submission = person.client.submit(asked.match_id, ["reveal, leave"], wait=0)
        with stage.app.app_context():
            settle_submission(submission["id"])
    stage.work()
    assert len(stage.letters(asked.ben.address)) == before
    with stage.app.app_context():
        outcomes = db.session.scalars(select(Notice.outcome).where(Notice.kind == "turn").order_by(Notice.seq)).all()
    assert outcomes == ["sent", "not sent: the decision was taken", "sent"]


def test_nobody_is_invited_to_a_full_table(stage: Stage) -> None:
    people = [stage.person("Ann"), stage.person("Ben")]
    match = people[0].client.open("keltis", 2, {}, invite=["cleo@example.org"])
    for seat, person in enumerate(people):
        person.client.join(match["id"], seat)
    with stage.app.app_context():
        invitation = db.session.scalars(select(Notice).where(Notice.kind == "invitation")).one()
        with pytest.raises(Outdated):
            compose(invitation)
    stage.work()
    assert stage.letters("cleo@example.org") == []


# -- nothing gets in


@pytest.mark.parametrize(
    "name",
    ["", " ", "Ann\r\nBcc: eve@example.org", "Ann\nX", "Ann\r", "Ann\0", "Ann\u2028X", "Ann\x85X", "Ann\t", "%s",
     '"Ann"', "Ann, Eve", "=?utf-8?q?Ann=0ABcc:_eve@example.org?=", "Ann@example.org", "Ann <eve@example.org>", "Ann&",
     "[ogham]", "Ann  Eve", " Ann", "Ann ", "-Ann", "Ann\u200b", "\u202eAnn", "Ann\ud800", "A" * 41, "Ann/Eve", "{ann}",
     "<b>Ann</b>", "Ann;"],
)  # fmt: skip
def test_a_name_that_could_be_more_than_a_name_is_refused(name: str) -> None:
    with pytest.raises(Malformed, match="A name has"):
        check_name(name)


@pytest.mark.parametrize("name", ["Ann", "Änn-Marie O'Neill Jr.", "李", "Ann 2", LONG])
def test_a_name_people_have_is_taken(name: str) -> None:
    assert check_name(name) == name


PLANTED = {
    "a further header": (b"Subject: ", b"Bcc: eve@example.org\r\nSubject: "),
    "a second recipient": (b"To: ann@example.org", b"To: ann@example.org, eve@example.org"),
    "another recipient": (b"To: ann@example.org", b"To: eve@example.org"),
    "a header twice": (b"Subject: ", b"Subject: x\r\nSubject: "),
    "References where there are none": (b"Subject: ", b"References: <x@y>\r\nSubject: "),
    "a header missing": (b"Auto-Submitted: auto-generated\r\n", b""),
    "headers that end early": (b"Subject: ", b"X: y\r\n\r\nSubject: "),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_in_what_was_built_is_found_before_it_is_sent(waiting: Asked, fault: str) -> None:
    with waiting.stage.app.app_context():
        welcome = notice("welcome", about={"registration": "x", "name": "Ann"})
        raw = compose(welcome)
        check(raw, welcome)
        planted = raw.replace(*PLANTED[fault], 1)
        assert planted != raw
        with pytest.raises(Unsendable):
            check(planted, welcome)


def test_a_name_that_got_past_its_check_goes_into_no_header(waiting: Asked) -> None:
    """Were such a name ever stored: on this Python an encoded word may hold a line end."""
    with waiting.stage.app.app_context():
        for by in (
            "Ann\r\nBcc: eve@example.org",
            "Änn\nBcc: eve@example.org",
            "=?utf-8?q?Ann=0ABcc:_eve@example.org?=",
        ):
            try:
                raw = compose(notice("invitation", about={"by": by}, match_id=_open_match(waiting)))
            except (Unsendable, ValueError):
                continue
            assert b"\nBcc:" not in raw


def _open_match(waiting: Asked) -> str:
    return str(waiting.ann.client.open("keltis", 2, {})["id"])
