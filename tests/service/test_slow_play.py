"""How long a match of Celtic takes by mail, with standing orders and without. Four players read their mail once a day.

    make prove ARGS=tests/service/test_slow_play.py

tells mails and days, on a simulated clock. The players decide alike both times; three of them never follow.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from engine.chance import Chance
from engine.events import Seat
from engine.play import pick
from service.matches import find_match, see_match
from service.store.db import db
from service.store.tables import Letter, Match
from tests.stage import Person, Stage

NAMES = ("Ann", "Ben", "Cleo", "Dov")
HOURS = (7, 12, 18, 22)  # when each of them reads their mail


@dataclass(frozen=True)
class Course:
    mails: int
    days: int
    moves: tuple[tuple[int, str], ...]


def play_by_mail(stage: Stage, people: list[Person], turns: int, ordered: bool) -> Course:
    match_id = stage.table(people, "celtic", first_player=0, max_turns=turns)
    midnight = (stage.moment[0] + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    before = letters(stage)
    if ordered:
        for person in people[1:]:
            person.client.order(match_id, "never follow")
    day = 0
    while running(stage, match_id):
        for seat, person in enumerate(people):
            stage.moment[0] = midnight + timedelta(days=day, hours=HOURS[seat])
            stage.work()
            lines = decision(stage, match_id, Seat(seat))
            if lines:
                stage.answer(stage.letters(person.address)[-1], "\n".join(lines))
        day += 1
    with stage.app.app_context():
        sight = see_match(find_match(match_id), None)
        assert sight.outcome.reason == "max_turns"
    return Course(letters(stage) - before, day, moves(stage, match_id))


def decision(stage: Stage, match_id: str, seat: Seat) -> list[str]:
    """What the seat answers, if it is asked: a whole turn at once, a place in it drawn by chance."""
    with stage.app.app_context():
        match = find_match(match_id)
        if match.to_act != seat:
            return []
        sight = see_match(match, seat)
        offers = sight.game.legal(sight.view)
        going = [offer for offer in offers if offer.text.startswith("move")]
        if not going:
            return ["follow 0"] if sight.turn != seat else ["done"]
        turn = sum(move.startswith("move") for _, move in moves(stage, match_id))
        return [pick(going, Chance(b"slow play"), f"{turn}"), "done"]


def moves(stage: Stage, match_id: str) -> tuple[tuple[int, str], ...]:
    entries = stage.watcher().log(match_id)
    publics = [json.loads(entry["public"]) for entry in entries]
    return tuple((public["seat"], public["move"]) for public in publics if public["kind"] == "moved")


def running(stage: Stage, match_id: str) -> bool:
    with stage.app.app_context():
        return db.session.get_one(Match, match_id, populate_existing=True).status == "running"


def letters(stage: Stage) -> int:
    with stage.app.app_context():
        return db.session.scalar(select(func.count()).select_from(Letter)) or 0


@pytest.mark.timeout(1200)
def test_with_standing_orders_a_match_takes_fewer_days_and_fewer_mails(
    tmp_path: Path, sample: Callable[[int, int], int], figure: Callable[[str], None]
) -> None:
    turns = sample(1, 20)
    courses = []
    for ordered in (False, True):
        stage = Stage.build(f"sqlite:///{tmp_path}/{ordered}.sqlite")
        stage.moment[0] = datetime.now(UTC)  # what is signed carries the real time
        people = [stage.person(name) for name in NAMES]
        courses.append(play_by_mail(stage, people, turns, ordered))
    without, with_orders = courses
    assert without.moves == with_orders.moves, "the same match, played faster"
    figure(
        f"{turns} turns each: {without.mails} mails in {without.days} days;"
        f" with three players' orders {with_orders.mails} mails in {with_orders.days} days"
    )
    assert with_orders.mails < without.mails
    assert with_orders.days < without.days
