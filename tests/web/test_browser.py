"""The mailbox in a real browser: Chromium, where it is installed."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.journeys.houses import Embedded, embedded_house
from tests.journeys.people import register

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium isn't installed here")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield started
        started.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Embedded]:
    with embedded_house(tmp_path) as built:
        yield built


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ben_joins_and_plays_in_the_browser_on_a_phone(house: Embedded, browser: Browser, scheme: str) -> None:
    ann = register(house, "Ann")
    match_id = ann.open("keltis", 2, {"first_player": 1}, ["ben@example.org"])["id"]
    ann.join(match_id, 0)
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{house.url}/mailbox?to=ben@example.org")
    for subject, answer in (("invites you", "join with my own words"), ("turn", "reveal, leave")):
        page.get_by_role("link", name=re.compile(subject)).first.click(timeout=15_000)
        expect(page.locator("iframe")).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"{width} pixels wide on a phone of 390"
        page.get_by_role("textbox").fill(answer)
        page.get_by_role("button", name=re.compile("send", re.IGNORECASE)).click()
        page.goto(f"{house.url}/mailbox?to=ben@example.org")
    expect(page.get_by_role("link", name=re.compile("About your move")).first).to_be_visible(timeout=15_000)
    assert ann.match(match_id)["to_act"] == 0
    assert not faults
