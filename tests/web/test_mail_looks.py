"""Every kind of mail in a real browser: both languages, on a phone and on a desk, by day and by night.

    make prove ARGS="tests/web/test_mail_looks.py --basetemp=/tmp/looks"

leaves the pictures there, to be looked at.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, sync_playwright

from engine.game import LANGUAGES, Game, Language
from service.kinds import KINDS
from service.mailroom.letter import WIDTH
from service.matches import find_match
from service.store.db import db
from service.store.tables import Notice
from service.web.letters import html_of
from tests.club import let_time_run_out
from tests.games import TEST_GAMES
from tests.mail.asked import legal_line
from tests.stage import Person, Stage

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium isn't installed here")

SCREENS = {"phone": (390, 844), "desk": (900, 900)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield started
        started.close()


def write_all(stage: Stage, language: Language, games: Sequence[Game]) -> dict[str, EmailMessage]:
    """A mail of each kind, an answer of each sort and, where it shows a board, one of each game."""
    ann, ben = (stage.person(f"{name}{language}", language) for name in ("Ann", "Ben"))
    ann.client.preferences(reminders=["half"])
    for game in games:
        match_id = _play(stage, ann, ben, game.info.id)
        timed = ann.client.open(game.info.id, 2, {"first_player": 0}, clock={"bank": 1, "increment": 1})["id"]
        for seat, person in enumerate((ann, ben)):
            person.client.join(timed, seat)
        stage.work()
        let_time_run_out(stage)
        ann.client.preferences(mail_turn="digest", mail_started="digest", mail_finished="digest")
        second = stage.table([ann, ben], game.info.id, first_player=0)
        ben.client.resign(match_id)
        moment = stage.moment[0]
        stage.later(days=1)
        stage.work()
        stage.moment[0] = moment  # what is signed carries the real time
        ann.client.preferences(mail_turn=None, mail_started=None, mail_finished=None)
        ann.client.resign(second)
    sealed = ann.client.open("keltis", 2, {}, shuffle="sealed")["id"]
    for seat, person in enumerate((ann, ben)):
        person.client.join(sealed, seat)
    stage.work()
    letters = [letter for person in (ann, ben) for letter in stage.letters(person.address)]
    return {_name(stage, letter): letter for letter in letters}


def _play(stage: Stage, ann: Person, ben: Person, game: str) -> str:
    """A move, and all that may be said beside it."""
    ann.client.open(game, 2, {}, invite=[ben.address])
    stage.work()
    stage.answer(stage.letters(ben.address)[-1], "decline")
    match_id = stage.table([ann, ben], game, first_player=0)
    turn = next(one for one in stage.letters(ann.address) if match_id in one.get("References", ""))
    for said in ("what?", "help", "set", "orders", "history", "show", "resign", "set colour red",
                 f"vacation until {stage.moment[0].date()}", "vacation over", "say: Viel Glück!"):  # fmt: skip
        stage.answer(turn, said)
    ann.client.say(match_id, "Good luck, and have fun! I'll be slow this week.\n\nhttps://example.org/" + "long/" * 20)
    stage.play(ann, match_id, legal_line(ann, match_id))
    return match_id


def _name(stage: Stage, letter: EmailMessage) -> str:
    """Its kind, what it answers and, where it shows a board, the game."""
    with stage.app.app_context():
        notice = db.session.get_one(Notice, str(letter["Message-ID"]).strip("<>").partition("@")[0])
        shows = any(part.get_content_maintype() == "image" for part in letter.walk())
        game = find_match(notice.match_id).game if shows and notice.match_id else ""
        return "-".join(filter(None, (notice.kind, notice.about.get("said", ""), game)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_mail_fits_every_screen(
    tmp_path: Path, browser: Browser, language: Language, sample: Callable[[int, int], int]
) -> None:
    games = TEST_GAMES[: sample(1, len(TEST_GAMES))]
    stage = Stage.build(f"sqlite:///{tmp_path / 'ogham.sqlite'}")
    stage.moment[0] = datetime.now(UTC)
    letters = write_all(stage, language, games)
    assert {name.partition("-")[0] for name in letters} == set(KINDS)
    page = browser.new_page()
    for name, letter in letters.items():
        page.set_content(html_of(letter))
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} pixels wide on a screen of {width}"
            for scheme in SCHEMES if len(games) > 1 else ():  # nobody looks at those of `make test`
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=tmp_path / f"{name}-{language}-{screen}-{scheme}.png", full_page=True)
        body = letter.get_body(("plain",))
        assert body is not None
        text = str(body.get_content())
        (tmp_path / f"{name}-{language}.txt").write_text(text)
        assert not re.search(r"\n{4,}", text), f"{name} has holes"
        assert max(map(len, text.splitlines())) <= WIDTH, f"{name} is too wide for a terminal"
    page.close()
    with stage.app.app_context():
        db.engine.dispose()
