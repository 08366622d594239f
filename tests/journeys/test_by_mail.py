"""Somebody who knows nothing but their mailbox: invited, they join, play every game to its end, and have their way."""

import json
import re
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from client.api import Ogham
from client.chain import check_log
from engine.chance import Chance
from engine.game import Game, Offer
from engine.games import GAMES
from engine.play import pick
from engine.values import thaw
from tests.games import shorter
from tests.journeys.houses import embedded_house, until
from tests.journeys.people import HtmlMailer, Mailer, Writer, register, text_of


def offered(letter: EmailMessage) -> list[str]:
    """What the mail's own text says may be answered: its indented lines, up to where they say what they mean."""
    asked = text_of(letter).replace("\r", "").partition("What you may answer:\n")[2].partition("The position:\n")[0]
    lines = re.findall(r"^  (\S+(?: \S+)*)", asked, flags=re.MULTILINE)
    return [line for line in lines if not line.startswith("order")]


class Newcomer:
    """Cleo. All she has is her mailbox."""

    def __init__(self, writer: Writer, chance: Chance) -> None:
        self.writer = writer
        self.chance = chance
        self.said = 0

    def unseen(self, subject: str) -> EmailMessage | None:
        """The newest mail with this in its subject, unless she answered it."""
        found = [
            one for one in self.writer.house.letters(self.writer.address) if re.search(subject, str(one["Subject"]))
        ]
        return found[-1] if found and str(found[-1]["Message-ID"]) not in self.writer.answered else None

    def wait_for(self, subject: str) -> EmailMessage:
        until(lambda: self.unseen(subject), f"a mail: {subject}")
        letter = self.unseen(subject)
        assert letter is not None
        return letter

    def move(self, letter: EmailMessage) -> None:
        lines = offered(letter)
        assert lines, text_of(letter)
        self.said += 1
        self.writer.answer(letter, lines[self.chance.below(f"line/{self.said}", len(lines))])

    def ask(self, letter: EmailMessage, words: str, answer: str) -> None:
        self.writer.answer(letter, words)
        until(lambda: answer in " ".join(text_of(self.newest()).split()), f"the answer to {words}")

    def newest(self) -> EmailMessage:
        return self.writer.house.letters(self.writer.address)[-1]


def host_moves(host: Ogham, match_id: str, chance: Chance) -> None:
    legal = host.legal(match_id)
    if legal["moves"]:
        offers = thaw(tuple[Offer, ...], legal["moves"])  # type: ignore[arg-type]
        host.submit(match_id, [pick(offers, chance, str(legal["seq"]))])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("writer", [Mailer, HtmlMailer], ids=["text", "HTML"])
def test_a_newcomer_joins_plays_every_game_to_its_end_and_changes_preferences_all_by_mail(
    tmp_path: Path, writer: type[Writer], sample: Callable[[int, int], int]
) -> None:
    """In the small size each writer plays one game, a short one where a match can be short."""
    count = sample(1, len(GAMES))
    games = GAMES[:count] if writer is HtmlMailer else GAMES[-count:]
    turns = sample(2, 40)
    with embedded_house(tmp_path) as house:
        host = register(house, "Host")
        cleo = Newcomer(writer(house, "cleo@example.org"), Chance(b"by mail"))
        for game in games:
            play_by_mail(host, cleo, game, shorter(game, turns))
        over = cleo.newest()
        cleo.ask(over, "set zone Europe/Berlin", "Noted: zone: Europe/Berlin")
        cleo.ask(over, "set demand_dkim on", "Noted: demand_dkim: true")
        cleo.ask(over, "set", "zone: Europe/Berlin")


def play_by_mail(host: Ogham, cleo: Newcomer, game: Game, options: dict[str, int]) -> None:
    match_id = host.open(game.info.id, 2, options, invite=[cleo.writer.address])["id"]
    host.join(match_id, 0)
    cleo.writer.answer(cleo.wait_for(f"invites you to a match of {game.info.title}"), "join with some words of my own")
    until(lambda: host.match(match_id)["status"] == "running", "the match")
    turn = f"(It is your turn|You are asked): {game.info.title}"
    asked = 0
    while (match := host.match(match_id))["status"] == "running":
        if match["to_act"] == 0:
            host_moves(host, match_id, cleo.chance)
            continue
        letter = cleo.wait_for(turn)
        asked += 1
        if asked == 1:
            cleo.ask(letter, "help", "Here is all that you may say")
            cleo.ask(letter, "history", "What happened so far")
        cleo.move(letter)
        until(lambda before=match["seq"]: host.match(match_id)["seq"] > before, "Cleo's move")
    assert asked > 2
    over = cleo.wait_for(f"The match is over: {game.info.title}")
    assert re.search(r"You won!|You share the first place!|Your place: \d", text_of(over))
    entries = list(host.log(match_id))
    check_log(entries)
    proofs = [json.loads(entry["public"]).get("proof", {}) for entry in entries]
    assert sum(proof.get("grade") == "mailed" for proof in proofs) > asked  # her moves, and her seat
