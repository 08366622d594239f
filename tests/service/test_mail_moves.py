"""Playing by mail: what is played, what is asked back, what is proven."""

import hashlib
import json
import re
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from client.chain import check_log
from client.keys import Identity
from engine.game import Game
from service.mailroom.receive import accept_mail, read_mail
from service.mailroom.reply import read_reply
from service.players import REGISTRATION_LIFE
from service.store.db import db
from service.store.tables import Mail, PersonalOpening, Player, Seated
from tests.games import TEST_GAMES
from tests.mail.asked import Asked, ask, ask_again, count_letters, legal_line, text_of
from tests.mail.clients import CLIENTS, TRIMMERS, UNDERNEATH, Client, plain, us
from tests.mail.clients import text_of as whole_text_of
from tests.stage import Stage


@pytest.fixture
def asked(stage: Stage) -> Asked:
    return ask(stage)


@pytest.fixture(scope="module")
def waiting(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


def last_move(asked: Asked) -> str:
    return str(json.loads(list(asked.ann.client.log(asked.match_id))[-1]["public"])["move"])


# -- played


def test_a_move_is_played_its_player_is_told_and_the_next_is_asked(asked: Asked) -> None:
    stage = asked.stage
    asked.answer("Good morning!\n\nreveal, leave\n\nSee you, Ann")
    assert last_move(asked) == "reveal, leave"
    told, turn = asked.newest(), stage.letters(asked.ben.address)[-1]
    assert told["Subject"] == "About your move: Keltis: Der Weg der Steine"
    assert "Your move was played: reveal, leave" in text_of(told)
    assert turn["Subject"] == "It is your turn: Keltis: Der Weg der Steine"
    assert "Ann revealed" in text_of(turn)
    stage.answer(turn, "reveal, lay else leave")
    assert last_move(asked) == "reveal, lay else leave"


def test_a_decision_that_leads_to_another_is_answered_by_the_next_question(asked: Asked) -> None:
    letters = count_letters(asked.stage)
    asked.answer("reveal")
    assert count_letters(asked.stage) == letters + 1
    assert "lay it or leave it?" in text_of(asked.newest())
    asked.stage.answer(asked.newest(), "leave")
    assert last_move(asked) == "leave"


def test_several_lines_are_played_in_their_order(asked: Asked) -> None:
    asked.answer("reveal\nleave")
    kinds = [json.loads(entry["public"]) for entry in asked.ann.client.log(asked.match_id)]
    assert [entry.get("move") for entry in kinds[-2:]] == ["reveal", "leave"]
    assert "Your move was played: reveal; leave" in text_of(asked.newest())


@pytest.mark.parametrize("client", [*CLIENTS, *TRIMMERS])
def test_the_real_letter_is_answered_in_any_clients_style(waiting: Asked, client: str) -> None:
    reply = read_reply((CLIENTS | TRIMMERS)[client](waiting.letter, "reveal, lay else leave"))
    assert (reply.paragraphs, reply.sender) == ((("reveal, lay else leave",),), "ann@example.org")


# -- refused


def test_a_refused_move_is_answered_with_its_rule_and_the_answer_can_be_answered(asked: Asked) -> None:
    stage = asked.stage
    before, letters = stage.fingerprint(), count_letters(stage)
    asked.answer("take blue 5")
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + 1)
    said = text_of(asked.newest())
    assert "“take blue 5” could not be played. Blue 5 doesn't lie open in the middle. (Rule KE-4)" in said
    assert "You may play one of these: reveal" in said
    assert "Face-down tiles: 55" in said
    assert stage.answer(asked.newest(), "reveal").startswith("submission ")
    assert last_move(asked) == "reveal"


def test_lines_after_the_first_that_is_refused_are_left_out_and_named(asked: Asked) -> None:
    asked.answer("reveal\nstop\nleave")
    assert last_move(asked) == "reveal"
    said = text_of(asked.newest())
    assert "Your move was played: reveal “stop” could not be played." in said
    assert "(Rule KE-" in said
    assert "What came after it was left out: leave" in said
    asked.stage.answer(asked.newest(), "leave")
    assert last_move(asked) == "leave"


def test_a_move_out_of_turn_is_refused(asked: Asked) -> None:
    asked.answer("reveal, leave")
    before = asked.stage.fingerprint()
    asked.stage.answer(asked.newest(), "reveal")
    assert asked.stage.fingerprint() == before
    assert "It isn't your turn. (Rule GE-2)" in text_of(asked.newest())


def test_a_line_with_several_meanings_is_answered_with_them(asked: Asked) -> None:
    asked.answer("reveal")
    before = asked.stage.fingerprint()
    asked.stage.answer(asked.newest(), "le")
    assert asked.stage.fingerprint() == before
    assert "“le” could not be played: it may mean lay, leave." in text_of(asked.newest())


NO_MOVE = "We found no move in your mail"
UNCLEAR = "We stumbled over: “{}”"
ASKED_BACK = {
    "": NO_MOVE,
    "Hello, what is this?": NO_MOVE,
    "I think I will reveal now, since nothing else is left to do": NO_MOVE,
    "reveal!\nthank you": UNCLEAR.format("thank you"),
    "Hello\nreveal": UNCLEAR.format("Hello"),
    "reveal\n\nreveal, leave": UNCLEAR.format("reveal, leave"),
    "reveel\n\nleave": UNCLEAR.format("reveel"),
    "reveal\n\nno, reveel and leave": UNCLEAR.format("no, reveel and leave"),
    "reveal\n\n" + "reveal\n" * 21: UNCLEAR.format("reveal"),
    "reveal\n" * 21: UNCLEAR.format("reveal"),
    "> reveal": NO_MOVE,
    "- reveal": NO_MOVE,
}


@pytest.mark.parametrize("body", ASKED_BACK)
def test_where_it_isnt_sure_what_is_meant_nothing_is_played_and_the_writer_is_asked(waiting: Asked, body: str) -> None:
    asked = ask_again(waiting)
    before, letters = asked.stage.fingerprint(), count_letters(asked.stage)
    assert asked.answer(body) == "nothing said"
    assert (asked.stage.fingerprint(), count_letters(asked.stage)) == (before, letters + 1)
    said = text_of(asked.newest())
    assert ASKED_BACK[body] in said
    assert "You may play one of these: reveal" in said


@pytest.mark.parametrize("client", UNDERNEATH)
def test_who_writes_under_the_whole_letter_is_told_where_to_write(asked: Asked, client: str) -> None:
    before = asked.stage.fingerprint()
    asked.stage.receive(UNDERNEATH[client](asked.letter, "reveal"), us(asked.letter))
    assert asked.stage.fingerprint() == before
    assert "write your answer above this line ---” isn't read" in text_of(asked.newest())


@pytest.mark.parametrize(
    ("body", "played"),
    [
        ("Sorry for the delay!\n\nreveal", "reveal"),
        ("Nice play.\n\nreveal", "reveal"),
        (
            "Hi Ben, hello Ogham\n\nreveal\n\nSo long and thanks for all the fish, which I had with chips and peas",
            "reveal",
        ),
        ("REVEAL, Lay  else leave.", "reveal, lay else leave"),
        ("decke auf", "reveal"),
        ("rev", "reveal"),
    ],
)
def test_small_talk_apart_from_the_move_is_left_alone(waiting: Asked, body: str, played: str) -> None:
    asked = ask_again(waiting)
    assert asked.answer(body).startswith("submission ")
    assert last_move(asked) == played


def test_a_name_below_a_move_is_a_name(stage: Stage) -> None:
    lea, ben = stage.person("Lea"), stage.person("Ben")
    match_id = stage.table([lea, ben], first_player=0)
    for name in ("Lea", "lea.", "Le"):
        letter = stage.letters(lea.address)[-1]
        stage.answer(letter, f"reveal\n{name}")
        assert json.loads(list(lea.client.log(match_id))[-1]["public"])["move"] == "reveal"
        stage.answer(stage.letters(lea.address)[-1], f"leave\n\n{name}")
        stage.play(ben, match_id, "reveal, leave")


# -- our own mails


@pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
def test_a_mail_of_ours_sent_back_plays_nothing_however_it_is_quoted(
    shared_stage: Stage, game: Game, sample: Callable[[int, int], int]
) -> None:
    stage, most = shared_stage, sample(4, 40)
    number = count_letters(stage)  # others share the stage
    people = [stage.person(f"Ann{number}", "de"), stage.person(f"Ben{number}")]
    match_id = stage.table(people, game.info.id)
    letters: list[EmailMessage] = []
    while (seat := people[0].client.match(match_id)["to_act"]) is not None and len(letters) < most:
        letter = stage.letters(people[seat].address)[-1]
        letters.append(letter)
        for client in (CLIENTS | UNDERNEATH).values():
            assert read_reply(client(letter, "")).paragraphs == ()
        before = stage.fingerprint()
        text = whole_text_of(letter)
        assert stage.receive(_sent_back(letter), us(letter)) == "nothing said"
        assert stage.answer(letter, text) == "nothing said"
        # Even without the cut line, and without any quote mark.
        assert stage.answer(letter, text.partition("\n")[2]) == "nothing said"
        assert stage.fingerprint() == before
        stage.answer(letter, legal_line(people[seat], match_id))
    assert len(letters) >= 4


def _sent_back(letter: EmailMessage) -> bytes:
    """As it is, but for what says that a machine wrote it."""
    raw = re.sub(
        rb"^(Auto-Submitted|List-[\w-]+): .*\r?\n(?:[ \t].*\r?\n)*", b"", letter.as_bytes(), flags=re.MULTILINE
    )
    return raw.replace(b"From: Ogham", f"From: {letter['To']}\nX-From: Ogham".encode(), 1)


# -- languages


def test_a_german_player_plays_in_german(stage: Stage) -> None:
    asked = ask(stage, language="de")
    assert asked.letter["Subject"] == "Du bist am Zug: Keltis: Der Weg der Steine"
    assert "Antwort bitte über diese Zeile schreiben" in text_of(asked.letter)
    asked.answer("nimm blau 5")
    said = text_of(asked.newest())
    assert "„nimm blau 5“ konnte nicht gespielt werden. Blau 5 liegt nicht offen in der Mitte. (Regel KE-4)" in said
    asked.answer("aufdecken\nbitte")
    assert "Gestolpert sind wir über: „bitte“" in text_of(asked.newest())
    asked.answer("aufdeken\n\nlegen")
    assert "Gestolpert sind wir über: „aufdeken“" in text_of(asked.newest())
    asked.answer("Hallo!\n\naufdecken, liegenlassen\n\nViele Grüße\nAnn")
    assert last_move(asked) == "reveal, leave"
    assert "dein Zug wurde gespielt" in text_of(asked.newest())
    asked.answer("aufdecken")
    assert "deine Mail kam zu spät" in text_of(asked.newest())


# -- joining


def invite(stage: Stage, *addresses: str, seats: int = 2) -> str:
    host = stage.person("Host")
    match = host.client.open("keltis", seats, {}, invite=list(addresses))
    stage.work()
    return match["id"]


def player_at(stage: Stage, address: str) -> Player:
    with stage.app.app_context():
        return db.session.scalars(select(Player).where(Player.address == address)).one()


def test_an_invitation_is_answered_and_the_match_begins_when_the_table_is_full(stage: Stage) -> None:
    match_id = invite(stage, "cleo.rossi@example.org", "x_9!@example.org")
    first = stage.letters("cleo.rossi@example.org")[-1]
    assert first["Subject"] == "Host invites you to a match of Keltis: Der Weg der Steine"
    assert stage.answer(first, "Join, and may the best\nwin!\n\nbye") == "joined on seat 0"
    assert "You are in, on seat 1" in text_of(stage.letters("cleo.rossi@example.org")[-1])
    assert player_at(stage, "cleo.rossi@example.org").name == "Cleo.Rossi"
    second = stage.letters("x_9!@example.org")[-1]
    assert stage.answer(second, "mitspielen") == "joined on seat 1"
    assert player_at(stage, "x_9!@example.org").name == "Guest"
    with stage.app.app_context():
        nonces = list(db.session.scalars(select(Seated.nonce).order_by(Seated.seat)))
        assert nonces[0] == "and may the best win! bye"
        assert db.session.get(Mail, nonces[1]) is not None  # no words of their own: something nobody chose
    match = stage.watcher().match(match_id)
    assert match["status"] == "running"
    turn = stage.letters(["cleo.rossi@example.org", "x_9!@example.org"][match["to_act"] or 0])[-1]
    assert stage.answer(turn, "reveal").startswith("submission ")


def test_a_second_answer_to_an_invitation_changes_nothing(stage: Stage) -> None:
    invite(stage, "cleo@example.org")
    letter = stage.letters("cleo@example.org")[-1]
    stage.answer(letter, "join one")
    before, letters = stage.fingerprint(), count_letters(stage)
    assert stage.answer(letter, "join two") == "joined on seat 0"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters)


def test_who_finds_the_table_full_is_told_and_becomes_no_player(stage: Stage) -> None:
    host, other = stage.person("Host"), stage.person("Other")
    match = host.client.open("keltis", 2, {}, invite=["cleo@example.org"])
    stage.work()
    for seat, person in enumerate([host, other]):
        person.client.join(match["id"], seat)
    stage.work()
    before = stage.fingerprint()
    assert stage.answer(stage.letters("cleo@example.org")[-1], "join") == "refused: table_full"
    assert stage.fingerprint() == before
    assert "The table is full already" in text_of(stage.letters("cleo@example.org")[-1])


def test_who_doesnt_say_join_isnt_seated_and_is_told_once(stage: Stage) -> None:
    invite(stage, "cleo@example.org")
    letter = stage.letters("cleo@example.org")[-1]
    before, letters = stage.fingerprint(), count_letters(stage)
    for body in ("", "no, thank you", "I would like to join", "> join", "joining is not for me"):
        assert stage.answer(letter, body) == "nothing said"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + 1)
    assert "didn't begin with the word “join”" in text_of(stage.letters("cleo@example.org")[-1])
    assert stage.answer(letter, "join") == "joined on seat 0"


def test_joining_and_starting_between_two_deliveries_is_told_right(stage: Stage) -> None:
    """The note that one is in may be sent when the match runs already."""
    invite(stage, "cleo@example.org", "dora@example.org")
    letters = [stage.letters(f"{name}@example.org")[-1] for name in ("cleo", "dora")]
    with stage.app.app_context():
        for letter in letters:
            read_mail(accept_mail("x@example.org", us(letter), plain(letter, "join")))
    stage.work()
    said = [text_of(letter) for letter in stage.letters("cleo@example.org")]
    assert any("You are in, on seat 1" in one for one in said)


def test_odd_words_can_be_a_nonce(stage: Stage) -> None:
    invite(stage, "cleo@example.org")
    letter = stage.letters("cleo@example.org")[-1]
    raw = plain(letter, "PLACEHOLDER").replace(b"PLACEHOLDER", b"join \x00\x01 \xed\xa0\x80 \xf0\x9f\x8d\x80 words")
    assert stage.receive(raw, us(letter)) == "joined on seat 0"
    assert list(stage.watcher().log(stage.fingerprint()["match"][0][0]))


# -- registering


def register(stage: Stage, language: str = "en") -> EmailMessage:
    stage.watcher(Identity.generate()).register("Ann", "ann@example.org", language)
    stage.work()
    return stage.letters("ann@example.org")[-1]


@pytest.mark.parametrize(("language", "word"), [("en", "Yes, that was me."), ("de", "ja"), ("en", "yes\n-- \nAnn")])
def test_a_yes_confirms_an_address(stage: Stage, language: str, word: str) -> None:
    letter = register(stage, language)
    for _ in range(2):
        assert stage.answer(letter, word) == "registration confirmed"
    player = player_at(stage, "ann@example.org")
    assert (player.name, player.language) == ("Ann", language)
    assert len(stage.letters("ann@example.org")) == 2
    assert ("you are a player" if language == "en" else "du bist dabei") in text_of(
        stage.letters("ann@example.org")[-1]
    )


def test_anything_else_confirms_nothing(stage: Stage) -> None:
    """Somebody else may have written this address, and brought a key of theirs."""
    letter = register(stage)
    before = stage.fingerprint()
    for body in ("no", "Who are you?", "", "I said yes yesterday", "yesterday", "> yes"):
        assert stage.answer(letter, body) == "nothing said"
    assert stage.fingerprint() == before
    assert len(stage.letters("ann@example.org")) == 2
    assert "didn't begin with the word “yes”" in text_of(stage.letters("ann@example.org")[-1])
    assert stage.answer(stage.letters("ann@example.org")[-1], "yes") == "ignored: there is nothing to decide"


def test_a_yes_that_comes_too_late_is_told_so(stage: Stage) -> None:
    letter = register(stage)
    before = stage.fingerprint()
    stage.later(seconds=REGISTRATION_LIFE.total_seconds() + 1)
    assert stage.answer(letter, "yes") == "refused: registration_expired"
    assert stage.fingerprint() == before
    assert "after more than three days" in text_of(stage.letters("ann@example.org")[-1])


# -- proof


@pytest.mark.parametrize("client", ["gmail", "outlook, HTML only"])
def test_the_log_proves_a_mailed_move_and_names_nobody(asked: Asked, client: str) -> None:
    stage, write = asked.stage, (CLIENTS)[client]
    raw = _with_message_id(write, asked.letter)
    stage.receive(raw, us(asked.letter))
    seq = len(list(stage.watcher().log(asked.match_id))) - 1
    stage.answer(stage.letters(asked.ann.address)[-1], "leave")  # what proves a move is shown when the turn is over
    proof = {"mail": hashlib.sha256(raw).hexdigest(), "dkim": "none", "line": 0}
    for reader in (asked.ben.client, stage.watcher()):
        entries = list(reader.log(asked.match_id))
        check_log(entries)
        assert json.loads(entries[seq]["public"])["proof"]["grade"] == "mailed"
        assert proof in [opening["value"] for opening in entries[seq]["openings"]]
        everything = json.dumps(entries)
        assert not [word for word in ("secret-id", "example.org", "ann@", '"Ann"') if word in everything]
    with stage.app.app_context():
        person = db.session.scalars(select(PersonalOpening).where(PersonalOpening.seq == 4)).one()
        assert person.value == {"message_id": "<secret-id@example.org>", "domain": "example.org"}
        assert person.player_id == player_at(stage, "ann@example.org").id
        assert raw in db.session.scalars(select(Mail.raw)).all()


def _with_message_id(client: Client, letter: EmailMessage) -> bytes:
    lines = client(letter, "reveal").split(b"\r\n")
    return b"\r\n".join(b"Message-ID: <secret-id@example.org>" if b"Message-ID:" in line else line for line in lines)


def test_a_seat_taken_by_mail_is_proven_like_a_move(stage: Stage) -> None:
    match_id = invite(stage, "cleo@example.org")
    letter = stage.letters("cleo@example.org")[-1]
    raw = plain(letter, "join with these words")
    stage.receive(raw, us(letter))
    entry = list(stage.watcher().log(match_id))[-1]
    public = json.loads(entry["public"])
    assert (public["kind"], public["nonce"], public["proof"]["grade"]) == ("joined", "with these words", "mailed")
    assert {"mail": hashlib.sha256(raw).hexdigest(), "dkim": "none"} in [one["value"] for one in entry["openings"]]
    assert "example.org" not in json.dumps(entry)
