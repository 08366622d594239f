"""Hostile mails: none is played, none is answered that mustn't be, none takes long, and the door stands open after."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from service.store.db import db
from service.store.tables import Letter, Mail, Order
from tests.mail.asked import ask, ask_again
from tests.mail.clients import plain, us
from tests.mail.hostile import HOSTILE, World
from tests.stage import Stage

SLOWEST = 5  # seconds of computing


@pytest.fixture(scope="module")
def world(shared_stage: Stage) -> World:
    stage = shared_stage
    asked = ask(stage)
    taken, over = ask_again(asked), ask_again(asked)
    stage.play(asked.ann, taken.match_id, "reveal, leave")
    asked.ann.client.resign(over.match_id)
    asked.ann.client.register("Ann", asked.ann.address, "en")
    stage.work()
    expired, bens = asked.newest(), stage.letters(asked.ben.address)[-1]
    stage.later(days=4)
    return World(asked, taken.letter, over.letter, bens, expired)


def letters(stage: Stage) -> list[tuple[str, str]]:
    with stage.app.app_context():
        rows = db.session.execute(select(Letter.id, Letter.recipient))
        return [(id, recipient) for id, recipient in rows]


def orders(stage: Stage) -> int:
    with stage.app.app_context():
        return len(db.session.scalars(select(Order)).all())


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) >= 300
    assert sum(not name.startswith("told") for name in HOSTILE) >= 250


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_mail_changes_nothing_and_is_answered_nowhere_else(world: World, name: str) -> None:
    stage = world.asked.stage
    raw, recipient, sender = HOSTILE[name](world)
    before, sent, ordered = stage.fingerprint(), letters(stage), orders(stage)
    start = time.process_time()
    verdict = stage.receive(raw, recipient, sender)
    assert time.process_time() - start < SLOWEST
    assert verdict != "None", "it wasn't read to its end"
    assert (stage.fingerprint(), orders(stage)) == (before, ordered)
    new = [recipient for id, recipient in letters(stage) if (id, recipient) not in sent]
    if name.startswith("told"):
        assert new in ([], [world.asked.ann.address])
    else:
        assert verdict.startswith("ignored: ")
        assert new == []


def test_after_all_of_them_her_own_answer_counts(world: World) -> None:
    stage, letter = world.asked.stage, world.asked.letter
    assert stage.receive(plain(letter, "reveal"), us(letter)).startswith("submission ")


@pytest.mark.parametrize("honest", [True, False])
def test_two_instances_dont_talk_to_each_other_for_ever(tmp_path: Path, honest: bool) -> None:
    """Each is a player at the other. Not honest: what says that a machine wrote them gets lost on the way."""
    houses = [
        Stage.build(f"sqlite:///{tmp_path / name}.sqlite", mail_domain=f"{name}.example") for name in ("one", "two")
    ]
    for stage, other in zip(houses, reversed(houses), strict=True):
        stage.moment[0] = datetime.now(UTC)
        host = stage.person("Host")
        host.client.open("keltis", 2, {}, invite=[f"play@{other.settings.mail_domain}"])
        stage.work()
    passed = 0
    for _ in range(30):
        moved = 0
        for stage, other in zip(houses, reversed(houses), strict=True):
            theirs = stage.letters(f"play@{other.settings.mail_domain}")
            for letter in theirs[-3:]:
                raw = letter.as_bytes()
                if not honest:
                    raw = raw.replace(b"Auto-Submitted: auto-generated", b"X-Gone: gone")
                verdict = other.receive(
                    raw, f"play@{other.settings.mail_domain}", f"bounce@{stage.settings.mail_domain}"
                )
                assert verdict.startswith("ignored: ")
                # Even to the address that it would have to know.
                known = other.letters(f"play@{stage.settings.mail_domain}")[-1]
                raw = raw.replace(b"From: Ogham <play@", b"From: <play@")
                verdict = other.receive(raw, us(known), f"bounce@{stage.settings.mail_domain}")
                moved += not verdict.startswith("ignored: ")
        passed += moved
        if not moved:
            break
    assert passed <= 12
    for stage in houses:
        assert stage.watcher().match(stage.fingerprint()["match"][0][0])["names"] == [None, None]
        with stage.app.app_context():
            assert {mail.status for mail in db.session.scalars(select(Mail))} == {"done"}
