"""What a mail may say besides moves, and that it counts only where it is meant."""

import json
import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from client.chain import check_log
from engine.errors import NotationError
from engine.events import Seat
from engine.game import Game
from service.mailroom.commands import COMMANDS, MOST_TOLD, Command
from service.mailroom.lines import plays
from service.mailroom.phrases import PHRASES
from service.matches import find_match, see_match
from service.preferences import PREFERENCES, preferences_of
from service.store.db import db
from service.store.tables import Deadline, Player, Submission
from tests.club import Club
from tests.games import TEST_GAMES
from tests.mail.asked import Asked, ask, count_letters, text_of
from tests.mail.clients import CLIENTS, plain, us
from tests.mail.signing import MailDomain
from tests.matches import play_match
from tests.raw import statement
from tests.stage import Stage

HOME = MailDomain("example.org")


@pytest.fixture
def asked(stage: Stage) -> Asked:
    return ask(stage)


def preferences(stage: Stage, address: str) -> dict[str, object]:
    with stage.app.app_context():
        return preferences_of(db.session.scalars(select(Player).where(Player.address == address)).one())


# -- the table


def test_every_command_is_explained_in_both_languages() -> None:
    told = {name.removeprefix("help.") for name in PHRASES if name.startswith("help.")}
    assert told == {command.name for command in COMMANDS if command.where in ("seat", "player")}


WORDS = ["resign", "aufgeben", "position", "Stellung", "history", "Verlauf", "help", "Hilfe", "digest on",
         "Sammelmail aus", "set zone UTC", "setze zone auf UTC", "Einstellungen", "orders", "Auftrag",
         "vacation until 2027-07-31", "Urlaub bis 31.7.2027", "vacation over", "Urlaub vorbei"]  # fmt: skip


@pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
def test_no_command_is_a_move_of_any_game(game: Game) -> None:
    """But for `show`, which has another word beside it."""
    for step in play_match(game, 2, 1, most=12):
        for seat in (0, 1):
            for word in WORDS:
                with pytest.raises(NotationError) as unreadable:
                    game.parse(word, game.view(step.state, seat))  # type: ignore[arg-type]
                assert unreadable.value.code == "unreadable", word


def test_a_word_that_may_be_a_move_as_well_is_asked_about(shared_stage: Stage) -> None:
    """As `show` may be in Celtic, where who has one of each good may show them, and wins."""
    stage = shared_stage
    asked = ask(stage, "keltis")
    assert asked.answer("show") == "shown"  # it isn't a move now
    with stage.app.app_context():
        sight = see_match(find_match(asked.match_id), Seat(0))
        legal = [offer.text for offer in sight.game.legal(sight.view) if not offer.choices]
        assert plays(legal[0], sight)
        assert not plays("show", sight)
        assert not plays("hello", sight)
        assert not plays(legal[0], see_match(find_match(asked.match_id), Seat(1)))
    move = legal[0]
    command = Command("twin", "seat", re.compile(re.escape(move)), lambda *_: "done", harmless=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.mailroom.commands.COMMANDS", (*COMMANDS, command))
        before = stage.fingerprint()
        assert asked.answer(move) == "nothing said"
        assert stage.fingerprint() == before
    assert f"We stumbled over: “{move}”" in text_of(asked.newest())
    assert asked.answer(move).startswith("submission ")


# -- looking


@pytest.mark.parametrize("word", ["show", "Show!", "zeig", "Stellung", "Hello\n\nshow\n\nbye, Ann"])
def test_show_sends_the_position_and_what_may_be_played(asked: Asked, word: str) -> None:
    before, letters = asked.stage.fingerprint(), count_letters(asked.stage)
    assert asked.answer(word) == "shown"
    assert (asked.stage.fingerprint(), count_letters(asked.stage)) == (before, letters + 1)
    said = text_of(asked.newest())
    assert "This is how the match stands." in said
    assert "Face-down tiles: 55" in said
    assert asked.stage.answer(asked.newest(), "reveal").startswith("submission ")


def test_show_is_for_who_waits_as_well(asked: Asked) -> None:
    asked.answer("reveal, leave")
    assert asked.stage.answer(asked.newest(), "show") == "shown"
    assert "Face-down tiles: 54" in text_of(asked.newest())


def test_history_tells_what_happened_so_far(asked: Asked) -> None:
    asked.answer("reveal, leave")
    asked.stage.play(asked.ben, asked.match_id, "reveal, leave")
    assert asked.stage.answer(asked.newest(), "history") == "told what happened"
    said = text_of(asked.newest())
    assert "What happened so far:" in said
    assert said.index("Ann revealed") < said.index("Ben revealed")


def test_help_lists_the_commands_and_what_may_be_played(asked: Asked) -> None:
    assert asked.answer("help") == "helped"
    said = text_of(asked.newest())
    assert "You may play one of these: reveal" in said
    for word in ("resign", "show", "history", "digest on", "set NAME VALUE", "orders", "help"):
        assert word in said


def test_where_nothing_is_understood_the_answer_names_the_word_help(asked: Asked) -> None:
    assert asked.answer("How does this work?") == "nothing said"
    assert "The word “help” alone" in text_of(asked.newest())


def test_commands_stand_beside_moves(asked: Asked) -> None:
    said = asked.answer("reveal, leave\n\nshow\nhistory")
    assert said.startswith("shown, told what happened, submission ")
    moves = [json.loads(entry["public"]).get("move") for entry in asked.ann.client.log(asked.match_id)]
    assert moves[-1] == "reveal, leave"


@pytest.mark.parametrize(
    "prose",
    ["I will show you", "show me the board, please", "history repeats itself", "I need help with this", "> help",
     "I resign myself to losing", "resigned", "set fire to the rain and let it burn", "my digest on Mondays"],
)  # fmt: skip
def test_prose_is_no_command(asked: Asked, prose: str) -> None:
    before = asked.stage.fingerprint()
    assert asked.answer(prose) == "nothing said"
    assert asked.stage.fingerprint() == before


def test_in_german_too(stage: Stage) -> None:
    asked = ask(stage, language="de")
    for word, told in {
        "Hilfe": "hier steht alles",
        "Verlauf": "was bisher geschah",
        "zeigen": "so steht die Partie",
        "Einstellungen": "das sind deine Einstellungen",
        "setze zone auf Europe/Berlin": "vermerkt: zone: Europe/Berlin",
        "aufgeben": "möchtest du diese Partie endgültig verlassen?",
    }.items():
        asked.stage.answer(asked.letter, word)
        assert told in text_of(asked.newest()), word
    assert asked.stage.answer(asked.newest(), "aufgeben") == "resigned"


def test_commands_are_not_answered_for_ever(asked: Asked) -> None:
    letters = count_letters(asked.stage)
    for _ in range(MOST_TOLD + 3):
        asked.answer("show")
    assert count_letters(asked.stage) == letters + MOST_TOLD


# -- resigning


def test_resign_asks_back_and_the_answer_with_the_word_counts(asked: Asked) -> None:
    stage, before = asked.stage, asked.stage.fingerprint()
    assert asked.answer("resign") == "asked whether to resign"
    assert stage.fingerprint() == before
    question = asked.newest()
    assert "leave this match for good? Nothing has happened yet." in text_of(question)
    for word in ("yes", "ok", ""):
        stage.answer(question, word)
        assert stage.fingerprint() == before
    assert asked.answer("resign") == "asked whether to resign"  # to the old mail: asked again
    assert stage.fingerprint() == before
    assert stage.answer(question, "resign") == "resigned"
    entries = list(stage.watcher().log(asked.match_id))
    check_log(entries)
    assert [json.loads(entry["public"])["kind"] for entry in entries[-2:]] == ["resigned", "closed"]
    assert json.loads(entries[-2]["public"])["proof"]["grade"] == "mailed"
    assert "example.org" not in json.dumps(entries)
    assert stage.answer(question, "resign") == "nothing said"  # it is over, and was refused


def test_who_asked_to_resign_may_play_on(asked: Asked) -> None:
    asked.answer("resign")
    assert asked.stage.answer(asked.newest(), "reveal").startswith("submission ")


def test_where_others_play_on_who_left_is_told(stage: Stage) -> None:
    people = [stage.person(name) for name in ("Ann", "Ben", "Cleo")]
    match_id = stage.table(people, first_player=0)
    stage.answer(stage.letters("ann@example.org")[-1], "resign")
    stage.answer(stage.letters("ann@example.org")[-1], "resign")
    assert "It goes on without you" in text_of(stage.letters("ann@example.org")[-1])
    assert stage.watcher().match(match_id)["to_act"] == 1


# -- declining


def invitation(stage: Stage, language: str = "en") -> EmailMessage:
    host = stage.person("Host", language)
    host.client.open("keltis", 2, {}, invite=["cleo@example.org"])
    stage.work()
    return stage.letters("cleo@example.org")[-1]


@pytest.mark.parametrize("word", ["decline", "Decline, sorry!", "ablehnen", "absagen"])
def test_an_invitation_is_declined_and_who_invited_is_told_once(stage: Stage, word: str) -> None:
    letter = invitation(stage)
    before, letters = stage.fingerprint(), count_letters(stage)
    for _ in range(2):
        assert stage.answer(letter, word) == "declined"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + 2)
    assert "cleo@example.org won't play in your match" in text_of(stage.letters("host@example.org")[-1])
    assert "You declined" in text_of(stage.letters("cleo@example.org")[-1])
    assert stage.answer(stage.letters("host@example.org")[-1], "What a pity") == "ignored: there is nothing to decide"
    assert stage.answer(letter, "join") == "joined on seat 0"  # one may change one's mind


def test_who_sits_already_cant_decline(stage: Stage) -> None:
    letter = invitation(stage)
    stage.answer(letter, "join")
    before = stage.fingerprint()
    assert stage.answer(letter, "decline") == "refused: already_seated"
    assert stage.fingerprint() == before
    assert "You sit at this table already" in text_of(stage.letters("cleo@example.org")[-1])


@pytest.mark.parametrize("body", ["I must decline", "no", "> decline", "declined"])
def test_only_the_word_declines(stage: Stage, body: str) -> None:
    assert stage.answer(invitation(stage), body) == "nothing said"
    assert len(stage.letters("host@example.org")) == 1


# -- preferences


def test_preferences_are_shown_and_changed(asked: Asked) -> None:
    stage = asked.stage
    assert asked.answer("set") == "preferences"
    assert "zone: UTC the time zone of hours" in text_of(asked.newest())
    assert asked.answer("set zone Europe/Berlin\nset demand_dkim = off") == "preferences demand_dkim, zone"
    assert preferences(stage, "ann@example.org")["zone"] == "Europe/Berlin"
    assert "Noted: demand_dkim: false; zone: Europe/Berlin" in text_of(asked.newest())
    assert asked.answer("set zone default") == "preferences zone"
    assert preferences(stage, "ann@example.org")["zone"] == "UTC"


def test_changes_are_made_all_or_none_and_a_move_beside_them_waits(asked: Asked) -> None:
    stage, before = asked.stage, asked.stage.fingerprint()
    assert asked.answer("set zone Europe/Berlin\nset colour blue\n\nreveal") == "nothing said"
    assert stage.fingerprint() == before
    said = text_of(asked.newest())
    assert "Nothing of your mail was done." in said
    assert "There is no preference “colour”." in said
    asked.answer("set zone Atlantis")
    assert "won't do for “zone”" in text_of(asked.newest())
    assert stage.fingerprint() == before


@pytest.mark.parametrize("name", PREFERENCES)
def test_every_preference_can_be_set_to_its_default_by_a_word(asked: Asked, name: str) -> None:
    assert asked.answer(f"set {name} default") == f"preferences {name}"


def test_preferences_can_be_changed_before_there_is_any_match(stage: Stage) -> None:
    ann = stage.person("Ann")
    ann.client.register("Ann", ann.address, "en")
    stage.work()
    stage.answer(stage.letters(ann.address)[-1], "yes")
    assert stage.answer(stage.letters(ann.address)[-1], "set zone Europe/Berlin") == "preferences zone"
    assert stage.answer(stage.letters(ann.address)[-1], "help") == "helped"
    assert "resign" not in text_of(stage.letters(ann.address)[-1])
    assert preferences(stage, ann.address)["zone"] == "Europe/Berlin"


def test_a_running_clock_goes_by_a_preference_from_when_it_was_set(stage: Stage) -> None:
    """As it does when it is set by the API: what was used stays used."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match_id = ann.client.open("keltis", 2, {"first_player": 0}, clock={"days": 1})["id"]
    for seat, person in enumerate((ann, ben)):
        person.client.join(match_id, seat)
    stage.work()
    stage.later(minutes=5)
    Club.beat_at(stage, stage.moment[0])  # the service was at work meanwhile
    assert stage.answer(stage.letters(ann.address)[-1], "set quiet 22:00-07:00") == "preferences quiet"
    with stage.app.app_context():
        row = db.session.get_one(Deadline, match_id)
        assert stage.moment[0] - row.since < timedelta(minutes=1)
        assert row.left < row.granted


def test_digest_is_a_word_for_all_kinds_that_can_wait(asked: Asked) -> None:
    kinds = [name for name, preference in PREFERENCES.items() if preference.allows("digest")]
    verdict = asked.answer("digest on")
    if not kinds:
        assert verdict == "nothing said"
        assert "There is no digest here." in text_of(asked.newest())
        return
    assert {preferences(asked.stage, "ann@example.org")[name] for name in kinds} == {"digest"}
    asked.answer("digest off")
    assert all(preferences(asked.stage, "ann@example.org")[name] == PREFERENCES[name].default for name in kinds)


# -- signed statements


def move(asked: Asked, *lines: str, **others: object) -> str:
    match, identity = asked.ann.client.match(asked.match_id), asked.ann.client.identity
    assert identity
    said = {"match": asked.match_id, "seat": 0, "seq": match["seq"], "head": match["head"], "moves": list(lines)}
    return statement(identity, "ogham-move+jws", said | others)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_pasted_statement_counts_as_if_it_was_posted(asked: Asked, client: str) -> None:
    text = move(asked, "reveal, leave")
    assert asked.stage.receive(CLIENTS[client](asked.letter, text), us(asked.letter)).startswith("submission ")
    entries = list(asked.ann.client.log(asked.match_id))
    check_log(entries)
    assert json.loads(entries[-1]["public"])["proof"]["grade"] == "signed"
    assert "Your move was played: reveal, leave" in text_of(asked.newest())
    with asked.stage.app.app_context():
        submission = db.session.scalars(select(Submission)).one()
        assert (submission.evidence, bool(submission.receipt)) == ({"jws": text}, True)


@pytest.mark.parametrize("width", [60, 76, 400])
def test_a_statement_that_the_client_broke_into_lines_is_joined(asked: Asked, width: int) -> None:
    text = move(asked, *["reveal, leave"], jti="j" * 60)
    broken = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    assert asked.answer(f"Hello\n\n{broken}\n\nAnn").startswith("submission ")
    assert "Your move was played" in text_of(asked.newest())


def test_a_line_of_a_statement_may_look_like_the_end_of_a_mail(asked: Asked) -> None:
    drafts = (move(asked, "reveal, leave") for _ in range(100))
    broken = next(text for text in drafts if "-" in text.rpartition(".")[2]).replace("-", "\n-")
    assert asked.answer(f"Hello\n\n{broken}\n\nAnn").startswith("submission ")


def test_the_same_statement_again_gets_the_same_answer(asked: Asked) -> None:
    text = move(asked, "reveal, leave")
    first = asked.answer(text)
    before, letters = asked.stage.fingerprint(), count_letters(asked.stage)
    assert asked.answer(text) == first
    assert (asked.stage.fingerprint(), count_letters(asked.stage)) == (before, letters + 1)
    assert "Your move was played: reveal, leave" in text_of(asked.newest())


def test_a_statement_that_isnt_good_is_answered_with_the_reason(asked: Asked) -> None:
    before = asked.stage.fingerprint()
    for text, detail in {
        move(asked, "reveal", match="other"): "This was signed for another match.",
        move(asked, "reveal", seat=1): "Your seat in this match is 0.",
        move(asked): "moves must be a list",
        move(asked, "reveal")[:-4] + "AAAA": "This is no compact JWS",
    }.items():
        assert asked.answer(text) == "nothing said"
        assert detail in text_of(asked.newest())
    assert asked.stage.fingerprint() == before


def test_a_statement_of_another_kind_is_left_alone(asked: Asked) -> None:
    identity = asked.ann.client.identity
    assert identity
    before = asked.stage.fingerprint()
    for typ in ("ogham-token+jws", "ogham-head+jws", "ogham-join+jws", "ogham-key+jws", "JWT"):
        assert asked.answer(statement(identity, typ, {"aud": "x"})) == "nothing said"
    assert asked.stage.fingerprint() == before


def test_a_signed_resignation_needs_no_asking_back(asked: Asked) -> None:
    identity = asked.ann.client.identity
    assert identity
    text = statement(identity, "ogham-resign+jws", {"match": asked.match_id, "seat": 0})
    assert asked.answer(text) == "resigned"
    assert asked.stage.watcher().match(asked.match_id)["status"] == "over"


def test_a_signed_order_is_left_by_mail(stage: Stage) -> None:
    asked = ask(stage, "hands")
    identity = asked.ann.client.identity
    assert identity
    guide = asked.ann.client.orders(asked.match_id)["guide"]
    line = next(line.strip().partition("  ")[0] for line in guide.splitlines() if line.startswith("  "))
    text = statement(identity, "ogham-order+jws", {"match": asked.match_id, "seat": 0, "order": line})
    assert asked.answer(text) == "signed order"
    assert [order["number"] for order in asked.ann.client.orders(asked.match_id)["orders"]] == [1]


# -- DKIM


def signed_answer(asked: Asked, letter: EmailMessage, body: str) -> str:
    return asked.stage.receive(HOME.sign(plain(letter, body)), us(letter))


def proofs(asked: Asked) -> list[str]:
    entries = list(asked.ann.client.log(asked.match_id))
    return [opening["value"]["dkim"] for entry in entries for opening in entry["openings"] if "mail" in str(opening)]


def seen(asked: Asked) -> str | None:
    with asked.stage.app.app_context():
        return db.session.scalars(select(Player.signed_by).where(Player.address == asked.ann.address)).one()


def test_what_was_found_is_in_the_proof_and_the_domain_is_nobodys_business(asked: Asked) -> None:
    asked.stage.dns[HOME.name] = HOME.record
    assert signed_answer(asked, asked.letter, "reveal, leave").startswith("submission ")
    assert proofs(asked) == ["pass"]
    assert seen(asked) == "example.org"
    for reader in (asked.ben.client, asked.stage.watcher()):
        assert "example.org" not in json.dumps(list(reader.log(asked.match_id)))


def test_a_signature_that_fails_is_recorded_and_the_mail_counts_as_ever(asked: Asked) -> None:
    assert signed_answer(asked, asked.letter, "reveal, leave").startswith("submission ")  # there is no key in the DNS
    assert (proofs(asked), seen(asked)) == (["fail"], None)


def test_where_nobody_minds_a_silent_dns_delays_nothing(asked: Asked) -> None:
    asked.stage.dns[HOME.name] = None
    assert signed_answer(asked, asked.letter, "reveal, leave").startswith("submission ")
    assert proofs(asked) == ["temporary"]


def test_mails_that_dont_count_make_us_look_nothing_up(asked: Asked) -> None:
    stage, raw = asked.stage, HOME.sign(plain(asked.letter, "reveal"))
    stage.receive(raw.replace(b"From: ann@", b"From: eve@"), us(asked.letter))
    stage.receive(raw, f"play@{stage.settings.mail_domain}")
    stage.receive(b"Auto-Submitted: auto-replied\r\n" + raw, us(asked.letter))
    assert stage.looked_up == []


def test_once_a_mail_was_signed_one_that_isnt_is_held_until_its_writer_says_so(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    before, letters = stage.fingerprint(), count_letters(stage)
    letter = asked.newest()
    assert stage.answer(letter, "leave") == "held"
    assert (stage.fingerprint(), count_letters(stage)) == (before, letters + 1)
    question = asked.newest()
    assert "Was it yours?" in text_of(question)
    for word in ("no", "", "leave", "yes, I think", "> yes"):
        assert stage.answer(question, word) == "nothing said"
    assert stage.fingerprint() == before
    assert stage.answer(question, "yes").startswith("released ")
    assert json.loads(list(asked.ann.client.log(asked.match_id))[-1]["public"])["move"] == "leave"
    assert proofs(asked) == ["pass", "none"]
    before = stage.fingerprint()
    assert stage.answer(question, "yes") == "ignored: nothing is held"
    assert stage.fingerprint() == before


def test_a_held_mail_that_is_released_too_late_is_stale(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    stage.answer(asked.newest(), "leave")
    question = asked.newest()
    stage.play(asked.ann, asked.match_id, "leave")
    before = stage.fingerprint()
    assert stage.answer(question, "yes").startswith("released ")
    assert stage.fingerprint() == before
    assert "Your mail came too late" in text_of(asked.newest())


@pytest.mark.parametrize("word", ["show", "history", "help"])
def test_what_changes_nothing_needs_no_signature(asked: Asked, word: str) -> None:
    asked.stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    assert asked.stage.answer(asked.newest(), word) in ("shown", "told what happened", "helped")


@pytest.mark.parametrize("word", ["leave", "resign", "set zone UTC", "order ask me"])
def test_what_changes_something_does(asked: Asked, word: str) -> None:
    asked.stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    assert asked.stage.answer(asked.newest(), word) == "held"


def test_a_statement_signed_by_its_player_needs_no_other_signature(asked: Asked) -> None:
    asked.stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    assert asked.stage.answer(asked.newest(), move(asked, "leave")).startswith("submission ")


def test_who_demands_a_signature_gets_nothing_done_without(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    assert asked.answer("set demand_dkim on") == "preferences demand_dkim"
    before = stage.fingerprint()
    assert asked.answer("reveal") == "refused: not signed by its domain"
    assert stage.fingerprint() == before
    assert "which you demand" in text_of(asked.newest())
    assert stage.answer(asked.newest(), "yes") == "nothing said"
    assert asked.answer("set demand_dkim off") == "refused: not signed by its domain"
    assert stage.fingerprint() == before
    assert signed_answer(asked, asked.letter, "reveal").startswith("submission ")
    assert signed_answer(asked, asked.newest(), "set demand_dkim off") == "preferences demand_dkim"


def test_where_a_signature_matters_a_silent_dns_is_waited_for(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    stage.dns[HOME.name] = None
    letter, before = asked.newest(), stage.fingerprint()
    assert signed_answer(asked, letter, "leave") == "None"  # it waits
    assert stage.fingerprint() == before
    stage.dns[HOME.name] = HOME.record
    stage.later(seconds=10)
    stage.work()
    assert json.loads(list(asked.ann.client.log(asked.match_id))[-1]["public"])["move"] == "leave"


def test_and_not_for_ever(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    stage.dns[HOME.name] = None
    letter, before = asked.newest(), stage.fingerprint()
    signed_answer(asked, letter, "leave")
    for _ in range(10):
        stage.later(minutes=2)
        stage.work()
    assert stage.fingerprint() == before
    assert "Was it yours?" in text_of(asked.newest())


def test_an_invitation_to_who_signed_before_is_held_too(asked: Asked) -> None:
    stage = asked.stage
    stage.dns[HOME.name] = HOME.record
    signed_answer(asked, asked.letter, "reveal")
    other = asked.ben.client.open("keltis", 2, {}, invite=[asked.ann.address])
    stage.work()
    invited = asked.newest()
    assert stage.answer(invited, "join") == "held"
    assert stage.watcher().match(other["id"])["names"] == [None, None]
    assert stage.answer(asked.newest(), "yes").startswith("released ")
    assert stage.watcher().match(other["id"])["names"] == ["Ann", None]


def test_who_joins_by_a_signed_mail_is_known_to_sign(stage: Stage) -> None:
    letter = invitation(stage)
    stage.dns[HOME.name] = HOME.record
    assert stage.receive(HOME.sign(plain(letter, "join")), us(letter)) == "joined on seat 0"
    with stage.app.app_context():
        player = db.session.scalars(select(Player).where(Player.address == "cleo@example.org")).one()
        assert player.signed_by == "example.org"
