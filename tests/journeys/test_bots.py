"""A bot of somebody's own against two of ours, through a real process: the program that stands in docs/bots.md."""

import re
from pathlib import Path

import pytest

from client.api import Ogham
from engine.games import GAMES
from engine.verify import verify
from tests.journeys.houses import ROOT, embedded_house
from tests.journeys.people import register


def program(url: str) -> str:
    """What the page has, with our address, and less patience."""
    page = (ROOT / "docs/bots.md").read_text()
    (source,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert "http://127.0.0.1:8000" in source
    assert "time.sleep(1)" in source
    return str(source).replace("http://127.0.0.1:8000", url).replace("time.sleep(1)", "time.sleep(0.02)")


@pytest.mark.timeout(60)
def test_the_documented_bot_plays_to_the_end_against_two_of_ours(tmp_path: Path) -> None:
    with embedded_house(tmp_path) as house:
        me = register(house, "Robin")
        assert me.identity is not None
        me.identity.save(tmp_path / "key")
        match_id = me.open("celtic", 3, {"max_turns": 2}, invite=["bot:easy", "bot:solid"])["id"]
        me.join(match_id)
        exec(program(house.url), {"key_file": tmp_path / "key", "match_id": match_id})
        assert me.match(match_id)["status"] == "over"
        with Ogham(house.url) as reader:
            report = verify(reader.transcript(match_id), {game.info.id: game for game in GAMES}, reader.service_keys())
        assert report.good, report.faults
        assert not [letter for letter in house.letters("robin@example.org") if "bot:" in str(letter["To"])]
