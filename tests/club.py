"""Some people at a stage, and the time they live in: for tests of clocks."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from service.outages import ONE
from service.store.db import db, writing
from service.store.tables import Beat, Notice
from tests.stage import Person, Stage


class Club:
    """Some people, and the time they live in: the service's clock and that of their clients go together."""

    def __init__(self, stage: Stage, travel: Any) -> None:
        self.stage = stage
        self._travel = travel
        self.people = [stage.person("Ann"), stage.person("Ben")]

    def later(self, time: timedelta) -> None:
        """So much later, with the service at work all the while."""
        until = self.stage.moment[0] + time
        while (rest := until - self.stage.moment[0]) > timedelta(0):
            self.jump(min(rest, timedelta(minutes=1, seconds=30)) if rest < timedelta(minutes=2) else self._step(rest))
            self.stage.work()

    def _step(self, rest: timedelta) -> timedelta:
        """The service beats every few seconds; a test needn't watch each of them."""
        step = min(rest, timedelta(hours=1))
        self.beat(self.stage.moment[0] + step)
        return step

    def beat(self, at: datetime | None = None) -> None:
        """The service was at work then, or is now."""
        self.beat_at(self.stage, at or self.stage.moment[0])

    @staticmethod
    def beat_at(stage: Stage, at: datetime) -> None:
        with stage.app.app_context(), writing() as transaction:
            transaction.session.merge(Beat(id=ONE, at=at))

    def jump(self, time: timedelta) -> None:
        """So much later, and nobody was at work."""
        self.stage.moment[0] += time
        self._travel.move_to(self.stage.moment[0], tick=False)

    def table(self, clock: Mapping[str, Any] | None, game: str = "keltis", seats: int = 2, **options: Any) -> str:
        match = self.people[0].client.open(game, seats, {"first_player": 0} | options, clock=clock)
        for seat, person in enumerate(self.people[:seats]):
            person.client.join(match["id"], seat)
        self.stage.work()
        return match["id"]

    def clock(self, match_id: str) -> Any:
        return self.people[0].client.clock(match_id)

    def deadline(self, match_id: str) -> datetime:
        return datetime.fromisoformat(self.clock(match_id)["deadline"])

    def log(self, match_id: str) -> list[dict[str, Any]]:
        return [json.loads(entry["public"]) for entry in self.people[0].client.log(match_id)]

    def kinds(self, match_id: str) -> list[str]:
        return [entry["kind"] for entry in self.log(match_id)]

    def told(self, person: Person, kind: str) -> list[Notice]:
        with self.stage.app.app_context():
            query = select(Notice).where(Notice.kind == kind, Notice.address == person.address)
            return list(db.session.scalars(query.order_by(Notice.created_at)))

    def text(self, person: Person) -> str:
        body = self.stage.letters(person.address)[-1].get_body(("plain",))
        assert body
        return " ".join(str(body.get_content()).split())


def let_time_run_out(stage: Stage) -> None:
    """Of every clock with an hour; then the stage's own is put back, since what is signed carries the real time."""
    moment = stage.moment[0]
    Club.beat_at(stage, moment + timedelta(hours=2))
    for _ in range(2):
        stage.later(minutes=32)
        stage.work()
    stage.moment[0] = moment
