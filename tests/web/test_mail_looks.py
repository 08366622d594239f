"""Every kind of mail in a real browser: both languages, on a phone and on a desk, by day and by night.

    make test ARGS="tests/web/test_mail_looks.py --basetemp=/tmp/looks"

leaves the pictures there, to be looked at.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from engine.game import LANGUAGES, Language
from service.kinds import KINDS
from service.matches import find_match
from service.store.db import db
from service.store.tables import Notice
from service.web.letters import html_of
from tests.games import TEST_GAMES
from tests.mail.asked import legal_line
from tests.stage import Stage

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium isn't installed here")

SCREENS = {"phone": (390, 844), "desk": (1200, 900)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield started
        started.close()


def write_all(stage: Stage, language: Language) -> dict[str, EmailMessage]:
    """A mail of each kind and, where it shows a board, of each game."""
    ann, ben = (stage.person(f"{name}{language}", language) for name in ("Ann", "Ben"))
    for game in TEST_GAMES:
        id = game.info.id
        match_id = stage.table([ann, ben], id, first_player=0)
        stage.answer(stage.letters(ann.address)[-1], "what?")
        stage.play(ann, match_id, legal_line(ann, match_id))
        ann.client.open(id, 2, {}, invite=[ben.address])
        stage.work()
        ann.client.preferences(mail_turn="digest", mail_started="digest", mail_finished="digest")
        second = stage.table([ann, ben], id, first_player=0)
        ben.client.resign(match_id)
        stage.work()
        stage.later(days=1)
        stage.work()
        stage.later(days=-1)
        ann.client.preferences(mail_turn=None, mail_started=None, mail_finished=None)
        ann.client.resign(second)
        sealed = ann.client.open(id, 2, {}, shuffle="sealed")["id"]
        for seat, person in enumerate((ann, ben)):
            person.client.join(sealed, seat)
        stage.work()
    letters = [letter for person in (ann, ben) for letter in stage.letters(person.address)]
    return {_name(stage, letter): letter for letter in letters}


def _name(stage: Stage, letter: EmailMessage) -> str:
    """Its kind and, where it shows a board, the game."""
    with stage.app.app_context():
        notice = db.session.get_one(Notice, str(letter["Message-ID"]).strip("<>").partition("@")[0])
        return notice.kind if notice.match_id is None else f"{notice.kind}-{find_match(notice.match_id).game}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_mail_fits_every_screen(tmp_path: Path, browser: Browser, language: Language) -> None:
    stage = Stage.build(f"sqlite:///{tmp_path / 'ogham.sqlite'}")
    stage.moment[0] = datetime.now(UTC)
    letters = write_all(stage, language)
    assert {name.partition("-")[0] for name in letters} == set(KINDS)
    for name, letter in letters.items():
        html = html_of(letter)
        for screen, (width, height) in SCREENS.items():
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
                page.set_content(html)
                page.screenshot(path=tmp_path / f"{name}-{language}-{screen}-{scheme}.png", full_page=True)
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{name} is {wide} pixels wide on a screen of {width}"
                page.close()
        text = letter.get_body(("plain",))
        assert text is not None
        (tmp_path / f"{name}-{language}.txt").write_text(str(text.get_content()))
        assert not re.search(r"\n{4,}", str(text.get_content())), f"{name} has holes"
    with stage.app.app_context():
        db.engine.dispose()
