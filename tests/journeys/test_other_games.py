"""A game that the service has never heard of: one folder and one line, and it is played through API and mail."""

import re
import sys
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from client.chain import check_log
from engine.chance import Chance
from engine.game import Offer
from engine.play import pick
from engine.values import thaw
from tests.journeys.houses import embedded_house, until
from tests.journeys.people import Mailer, register

WITH_TEST_GAMES = """
from ogham.embedded import run
from service.settings import Settings
from tests.games import TEST_GAMES
run(Settings.from_environment(), TEST_GAMES)
"""


def subject_of(letter: EmailMessage | None) -> str:
    return "" if letter is None else str(letter["Subject"])


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("game", "options"), [("hands", {}), ("celtica", {}), ("celtic", {"max_turns": 2})])
def test_a_game_with_private_hands_is_played_by_signature_and_by_mail(
    tmp_path: Path, game: str, options: dict[str, object], sample: Callable[[int, int], int]
) -> None:
    """In the small size, Ann resigns a long match."""
    most = sample(40, 10_000)
    with embedded_house(tmp_path, [sys.executable, "-c", WITH_TEST_GAMES]) as house:
        ann = register(house, "Ann")
        ben = Mailer(house, "ben@example.org")
        ben_sees = register(house, "Ben")  # the same Ben, who looks at his hand over the API and answers by mail
        ben.answered |= {str(letter["Message-ID"]) for letter in house.letters(ben.address)}
        match_id = ann.open(game, 2, options)["id"]
        ann.join(match_id, 0)
        ben_sees.join(match_id, 1)
        chance = Chance(game.encode())
        while (match := ann.match(match_id))["status"] == "running":
            mover = ann if match["to_act"] == 0 else ben_sees
            legal = mover.legal(match_id)
            if not legal["moves"]:
                continue
            offers = thaw(tuple[Offer, ...], legal["moves"])  # type: ignore[arg-type]
            line = pick(offers, chance, str(legal["seq"]))
            if match["seq"] > most:
                ann.resign(match_id)
            elif mover is ann:
                ann.submit(match_id, [line])
            else:
                until(lambda: re.search("your turn|You are asked", subject_of(ben.newest())), "Ben's turn mail")
                letter = ben.newest()
                assert letter is not None
                ben.answer(letter, line)
                until(lambda seq=match["seq"]: ann.match(match_id)["seq"] > seq, "Ben's move")
        mine, theirs, anybodys = (list(who.log(match_id)) for who in (ann, ben_sees, ann))
        assert [entry["public"] for entry in mine] == [entry["public"] for entry in theirs]
        for entries in (mine, theirs, anybodys):
            check_log(entries)
