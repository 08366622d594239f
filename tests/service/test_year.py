"""A year of a club on a simulated clock: people with lives, in three zones, and matches with every kind of clock.

The club uses the service's own functions and its database; what the clocks did is then read from the logs alone, minute
by minute, by a plain second reading that shares no arithmetic with the service.
"""

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count, product
from pathlib import Path
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select, update

from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, Move, View
from engine.games import GAMES
from engine.play import fold, pick
from service.absence import GRACE
from service.app import create_app
from service.clocks import AGAIN, agree_to_pause, be_back, resume
from service.mailroom.compose import Outdated, compose
from service.mailroom.post import deliver_notice
from service.matches import find_match, join_by_mail, lock_match, open_match, see_match
from service.moves import accept_mailed, settle_submission
from service.orders import give_mailed
from service.outages import ONE
from service.store.claims import waiting_since
from service.store.db import db, writing
from service.store.logbook import entry_events, proof_of
from service.store.tables import Beat, Deadline, Letter, Match, Notice, Player, Seated, Submission, Taken
from service.vacations import announce_vacation
from tests.games import shorter
from tests.stage import Stage
from worker.schedule import WORK

Sample = Callable[[int, int], int]
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SHORT = 30  # turns, in a game that lets one say so: an aimless match would go on for years
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Sydney")
POLICIES: tuple[dict[str, Any], ...] = (
    {"absent": "play"}, {"absent": "forfeit", "misses": 2}, {"absent": "bot:test"},
)  # fmt: skip
CONTROLS: tuple[dict[str, Any], ...] = (
    {"days": 2}, {"days": 3, "weekdays": [1, 2, 3, 4, 5]}, {"bank": 96, "increment": 24, "cap": 120},
)  # fmt: skip


def bot(game: Game, view: View, chance: Chance) -> Move:
    return game.parse(pick(game.legal(view), chance, "bot"), view)


@dataclass
class Member:
    """Somebody with a zone, nights, vacations, and a temper: how long they take, and how often they forget."""

    id: str
    zone: ZoneInfo
    quiet: bool
    hours: float
    forgets: float
    off: list[tuple[datetime, datetime]] = field(default_factory=list)

    def is_there(self, moment: datetime) -> bool:
        awake = 8 <= moment.astimezone(self.zone).hour < 21
        return awake and not any(start <= moment < end for start, end in self.off)


class Year:
    openings = 300
    """The days in which matches are opened."""

    def __init__(self, stage: Stage, matches: int, games: Sequence[Game] = GAMES, turns: int = SHORT) -> None:
        self.stage = stage
        self.games = games
        self.turns = turns
        self.chance = Chance(b"a year")
        self.numbers = count()
        self.plans: list[tuple[datetime, int, Callable[[], None]]] = []
        self.begin = stage.moment[0]
        self.mails: Counter[str] = Counter()
        self.composed = 0
        self.members = self._members(max(6, matches * 60 // 400))
        for number in range(matches):
            start = self.begin + self.draw(self.openings * 24) * HOUR
            self.plan(start, lambda number=number: self.open(number) and None)  # type: ignore[misc]

    def draw(self, below: int) -> int:
        return self.chance.below(f"draw/{next(self.numbers)}", below)

    def plan(self, moment: datetime, act: Callable[[], None]) -> None:
        heapq.heappush(self.plans, (moment, next(self.numbers), act))

    def _members(self, how_many: int) -> dict[str, Member]:
        members = {}
        with writing() as transaction:
            for number in range(how_many):
                quiet = number % 2 == 0
                zone = ZONES[number % 3]
                preferences: dict[str, Any] = {"zone": zone, "reminders": ["half", "24h", "2h"][: number % 4]}
                preferences |= {"quiet": "22:00-07:00"} if quiet else {}
                player = Player(
                    id=f"p{number}", name=f"P{number}", address=f"p{number}@example.org", language="en",
                    preferences=preferences, created_at=self.begin,
                )  # fmt: skip
                transaction.session.add(player)
                hours, forgets = ((6, 0.0), (20, 0.04), (30, 0.08))[number % 3 if number % 5 else 0]
                members[player.id] = Member(player.id, ZoneInfo(zone), quiet, hours, forgets)
                for _ in range(2):
                    start = self.begin + (1 + self.draw(330)) * DAY + 12 * HOUR
                    self.plan(start, lambda id=player.id: self.go_away(members[id]))  # type: ignore[misc]
        return members

    # -- what people do

    def open(self, number: int) -> str:
        game = self.games[number % len(self.games)]
        clock = CONTROLS[number % len(CONTROLS)] | POLICIES[(number + number // 3) % len(POLICIES)]
        seats = 2 + self.draw(min(2, len(game.info.seats)))
        order = self.chance.shuffle(f"seats/{number}", list(self.members))
        opener = db.session.get_one(Player, order[0])
        match = open_match(opener, game.info.id, seats, shorter(game, self.turns), [], clock=clock)
        for id in order[:seats]:
            with writing() as transaction:
                player = transaction.session.get_one(Player, id)
                join_by_mail(transaction, match.id, player, f"nonce of {id}", proof_of("mailed", {"mail": "00"}))
        if number % 10 == 0:
            self.plan(self.stage.moment[0] + 9 * DAY, lambda: self.pause(match.id))
        return match.id

    def pause(self, match_id: str) -> None:
        for seat in range(find_match(match_id).seats):
            with writing() as transaction:
                match = lock_match(transaction.session, match_id)
                if match.status == "running" and transaction.session.get_one(Seated, (match_id, seat)).left_at is None:
                    agree_to_pause(transaction, match, seat)
        self.plan(self.stage.moment[0] + 5 * DAY, lambda: self.go_on(match_id))

    def go_on(self, match_id: str) -> None:
        with writing() as transaction:
            match = lock_match(transaction.session, match_id)
            if match.paused_at is not None and match.status == "running":
                resume(transaction, match, 0)

    def go_away(self, member: Member) -> None:
        until = self.stage.moment[0].astimezone(member.zone).date() + timedelta(days=4 + self.draw(9))
        with writing() as transaction:
            player = transaction.session.get_one(Player, member.id)
            vacation = announce_vacation(transaction, player, until)
            member.off.append((vacation.starts_at, vacation.ends_at))

    def asked(self, notice: Notice) -> None:
        """A member reads that they are asked: they answer later, or forget."""
        member = self.members[notice.player_id or ""]
        takes = timedelta(hours=0.2 + member.hours * self.draw(1000) / 1000)
        if self.draw(1000) < 1000 * member.forgets:
            takes += timedelta(days=5 + self.draw(6))
        moment = self.stage.moment[0] + takes
        while not member.is_there(moment):
            moment += timedelta(minutes=37)
        self.plan(moment, lambda: self.answer(member, notice))

    def answer(self, member: Member, notice: Notice) -> None:
        match = find_match(notice.match_id or "")
        if match.status != "running":
            return
        seat = Seat(notice.seat or 0)
        if match.to_act != seat:  # somebody played for them: they say that they are there again
            with writing() as transaction:
                be_back(transaction, lock_match(transaction.session, match.id), seat)
            return
        sight = see_match(match, seat)
        line = pick(sight.game.legal(sight.view), self.chance, f"move/{next(self.numbers)}")
        with writing() as transaction:
            player = transaction.session.get_one(Player, member.id)
            submission = accept_mailed(
                transaction, match.id, seat, player, f"m{next(self.numbers)}", {"mail": "00"}, match.length, [line]
            )
        settle_submission(submission.id)

    # -- what the service does

    def run(self) -> None:
        end = self.begin + 365 * DAY
        with writing() as transaction:  # the service is at work all year
            transaction.session.merge(Beat(id=ONE, at=end))
        while self.plans:
            moment = min([self.plans[0][0], *self._due()])
            if moment > end:
                break
            self.stage.moment[0] = max(moment, self.stage.moment[0] + timedelta(milliseconds=1))
            while self.plans and self.plans[0][0] <= self.stage.moment[0]:
                heapq.heappop(self.plans)[2]()
            for find, act in WORK[:-1]:
                for id in find(self.stage.moment[0]):
                    act(id)
            self.read_notices()
            db.session.remove()

    def _due(self) -> Iterator[datetime]:
        waiting = Deadline.status == "waiting"
        due_at = db.session.scalar(select(func.min(Deadline.due_at)).where(waiting))
        remind_at = db.session.scalar(select(func.min(Deadline.remind_at)).where(waiting))
        orders = db.session.scalar(select(func.min(Match.orders_due)))
        db.session.commit()
        yield from (moment for moment in (due_at and due_at + GRACE, remind_at, orders) if moment is not None)

    def read_notices(self) -> None:
        """Every notice is delivered; one in fifty is rendered, since pictures take their time."""
        notices = db.session.scalars(select(Notice).where(Notice.status == "waiting")).all()
        db.session.commit()
        for notice in notices:
            self.mails[notice.kind] += 1
            if sum(self.mails.values()) % 50 == 0:
                try:
                    compose(notice)
                    self.composed += 1
                except Outdated:
                    pass
            if notice.kind in ("turn", "timed_out"):
                self.asked(notice)
            if notice.kind == "reminder":
                member = self.members[notice.player_id or ""]
                local = self.stage.moment[0].astimezone(member.zone)
                assert not (member.quiet and (local.hour >= 22 or local.hour < 7)), "a reminder in quiet hours"
                assert not any(start <= local < end for start, end in member.off), "a reminder on vacation"
                match = find_match(notice.match_id or "")
                assert (match.to_act, match.changed <= (notice.seq or 0)) == (notice.seat, True)
        if notices:
            with writing() as transaction:
                transaction.session.execute(
                    update(Notice)
                    .where(Notice.id.in_([notice.id for notice in notices]))
                    .values(status="done", outcome="read", done_at=self.stage.moment[0])
                )


# -- the second reading


class Reading:
    """The clocks of one match, from its log, in whole minutes."""

    def __init__(self, year: Year, match: Match) -> None:
        self.year = year
        self.match = match
        players = db.session.execute(select(Seated.seat, Seated.player_id).where(Seated.match_id == match.id))
        self.members = {seat: year.members[id] for seat, id in players}
        self.clock = match.clock or {}
        self.fired = 0
        bank = timedelta(hours=self.clock.get("bank", 0))
        self.left = dict.fromkeys(self.members, bank)
        self.granted = dict.fromkeys(self.members, timedelta(0))
        self.turns: dict[int, int] = {}
        self.away: set[int] = set()
        self.off: dict[int, list[tuple[datetime, datetime]]] = {seat: [] for seat in self.members}

    def counts(self, seat: int, moment: datetime) -> bool:
        day = moment.astimezone(self.members[seat].zone).isoweekday()
        return day in self.clock["weekdays"] and not any(start <= moment < end for start, end in self.off[seat])

    def is_open(self, seat: int, moment: datetime) -> bool:
        member = self.members[seat]
        hour = moment.astimezone(member.zone).hour
        return self.counts(seat, moment) and not (member.quiet and (hour >= 22 or hour < 7))

    def used(self, seat: int, start: datetime, end: datetime) -> timedelta:
        """Minute by minute; all of it where nothing can be in the way. Days begin with a minute, vacations in one."""
        if len(self.clock["weekdays"]) == 7 and not any(one < end and other > start for one, other in self.off[seat]):
            return max(timedelta(0), end - start)
        total, moment = timedelta(0), start
        breaks = [moment for span in self.off[seat] for moment in span]
        while moment < end:
            minute = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
            until = min([minute, end, *(other for other in breaks if other > moment)])
            total += until - moment if self.counts(seat, moment) else timedelta(0)
            moment = until
        return total

    def check(self) -> None:
        game = self.year.stage.app.extensions["ogham"].games[self.match.game]
        state, seat, turn, since, paused, before, away = None, None, 0, None, False, None, False
        for entry, events in entry_events(db.session(), self.match, 0, self.match.length):
            form = json.loads(entry.public)
            at = datetime.fromisoformat(form["at"])
            running = seat is not None and not paused and since is not None
            if form["kind"] == "timed_out" and running and entry.seat == seat and before != (seat, at):
                self.fire(seat, since, at)  # type: ignore[arg-type]
                before = (seat, at)
            if form["kind"] == "vacation":
                span = tuple(datetime.fromisoformat(form[name]) for name in ("from", "until"))
                self.off[entry.seat].append(span)  # type: ignore[index, arg-type]
            was = (seat, turn, paused)
            state = fold(game, state, events) if events else state
            paused = {"paused": True, "resumed": False}.get(form["kind"], paused)
            now_asked = None if state is None else game.to_act(state)
            if now_asked is not None and now_asked in game.left(state):
                now_asked = None  # the rules play for it at once: nobody waits
            if state is not None and game.turn(state) != self._turn_seat:
                turn, self._turn_seat = entry.seq, game.turn(state)
            if form["kind"] == "timed_out":
                self.away.add(entry.seat)  # type: ignore[arg-type]
            if form["kind"] == "returned":
                self.away.discard(entry.seat)  # type: ignore[arg-type]
            returned = form["kind"] == "returned" and entry.seat == now_asked
            if (now_asked, turn, paused) == was and not returned:
                continue
            if running and not away:
                if form["kind"] == "moved" and at - since > self.left[seat]:  # type: ignore[operator, index]
                    self.in_time(seat, since, at)  # type: ignore[arg-type]
                self.left[seat] = max(timedelta(0), self.left[seat] - self.used(seat, since, at))  # type: ignore[arg-type, index]
            seat, since, away = now_asked, at, now_asked in self.away
            if seat is not None and not paused:
                self.grant(seat, turn, after_others=self._ran not in (None, seat))
                self._ran = seat

    _turn_seat: Seat | None = None
    _ran: Seat | None = None
    """Whose clock ran last."""

    def grant(self, seat: int, turn: int, after_others: bool) -> None:
        if self.turns.get(seat) != turn:
            self.turns[seat] = turn
            if "days" in self.clock:
                self.left[seat] = timedelta(days=self.clock["days"])
            else:
                cap, increment = (timedelta(hours=self.clock[name]) for name in ("cap", "increment"))
                self.left[seat] = min(cap, self.left[seat] + increment)
            self.granted[seat] = self.left[seat]
        elif after_others:
            self.left[seat] = max(self.left[seat], min(AGAIN, self.granted[seat]))

    def fire(self, seat: int, since: datetime, at: datetime) -> None:
        """Not early: all the time was used, and it was a moment to act at. Not late: a moment before, it wasn't so."""
        late = GRACE + timedelta(seconds=1)
        if seat in self.away:
            assert timedelta(0) <= at - since <= HOUR, "not within the hour"
            return
        self.fired += 1
        close = timedelta(seconds=2)
        assert self.used(seat, since, at) >= self.left[seat] - close, f"early in {self.match.id}"
        before = at - late - timedelta(minutes=1)
        due_before = self.used(seat, since, before) >= self.left[seat] + close and self.is_open(seat, before)
        assert not due_before, f"late in {self.match.id}"
        assert self.is_open(seat, at - late + close) or self.is_open(seat, at), f"at a bad time in {self.match.id}"

    def in_time(self, seat: int, since: datetime, at: datetime) -> None:
        """A move that took longer than its time was made before there was a moment for the deadline to fall on."""
        moment, left, minute = since, self.left[seat], timedelta(minutes=1)
        while left > timedelta(0) or not self.is_open(seat, moment):
            left -= minute if self.counts(seat, moment) else timedelta(0)
            moment += minute
        assert at <= moment + 2 * minute, f"a deadline was missed in {self.match.id}"


def test_a_year_of_a_club(stage: Stage, sample: Sample, figure: Callable[[str], None]) -> None:
    matches = sample(3, 400)
    began = monotonic()
    stage.app = create_app(stage.settings, clock=lambda: stage.moment[0], bots={"bot:test": bot})
    # Wherever the year begins, each zone's clocks change twice in it, and the weekend comes every week.
    with stage.app.app_context():
        year = Year(stage, matches)
        year.run()
        played = monotonic() - began
        rows = db.session.scalars(select(Match)).all()
        fired = 0
        for match in rows:
            reading = Reading(year, match)
            reading.check()
            fired += reading.fired
        _account(year, fired)
        moves = db.session.scalar(select(func.count()).select_from(Taken).where(~Taken.missed)) or 0
        over = sum(match.status == "over" for match in rows)
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(year.mails.items()))
        told = f"{len(rows)} matches, {over} over, {moves} moves, {fired} deadlines fired; notices: {kinds}"
        figure(f"{told}; {sum(year.mails.values()) / moves:.2f} notices per move; {played:.0f} s")
        assert fired > matches / 4 or matches < 10
        assert year.composed
        db.engine.dispose()


def _account(year: Year, fired: int) -> None:
    """Each notice is there because of something in a log, and what is in a log was told."""
    session = db.session()

    def notices(kind: str, said: str | None = None) -> int:
        query = select(Notice).where(Notice.kind == kind)
        return sum(said is None or notice.about.get("said") == said for notice in session.scalars(query))

    entries: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for match in session.scalars(select(Match)).all():
        for entry, _ in entry_events(session, match, 0, match.length):
            entries[entry.kind] += 1
            told[entry.kind] += match.seats - 1
    assert session.scalar(select(func.count()).where(Notice.status == "waiting")) == 0
    assert session.scalar(select(func.count()).where(Submission.status == "waiting")) == 0
    assert sum(year.mails.values()) == session.scalar(select(func.count()).select_from(Notice))
    misses = session.scalar(select(func.count()).select_from(Taken).where(Taken.missed)) or 0
    assert misses >= fired
    assert notices("clock", "returned") == told["returned"]
    assert notices("clock", "vacation") == told["vacation"]
    assert notices("clock", "paused") == told["paused"] + entries["paused"]
    assert notices("clock", "resumed") == told["resumed"] + entries["resumed"]
    assert notices("timed_out", "away") == fired - notices("timed_out", "forfeited") + _forfeits_while_away(session)
    over = session.scalars(select(Match).where(Match.status == "over")).all()
    assert notices("finished") == sum(match.seats for match in over)
    assert entries["closed"] == len(over)


def _forfeits_while_away(session: Any) -> int:
    """Seats that forfeited when they were away already: those told them so, and fired no further deadline."""
    return sum(
        notice.about["said"] == "forfeited" and _was_away(session, notice)
        for notice in session.scalars(select(Notice).where(Notice.kind == "timed_out"))
    )


def _was_away(session: Any, notice: Notice) -> bool:
    earlier = session.scalars(
        select(Notice)
        .where(Notice.kind == "timed_out", Notice.match_id == notice.match_id, Notice.seat == notice.seat)
        .where(Notice.created_at < notice.created_at)
    ).all()
    returned = session.scalars(select(Notice).where(Notice.kind == "clock", Notice.match_id == notice.match_id)).all()
    last_away = max((one.created_at for one in earlier), default=None)
    if last_away is None:
        return False
    return not any(
        one.about["said"] == "returned" and one.about["who"] == notice.seat and one.created_at > last_away
        for one in returned
    )


# -- mails


class MailedYear(Year):
    """The same, with every mail written and delivered. Who reads of their turn plays it to its end at one sitting.

    All matches begin within a week, so that there is something to gather.
    """

    openings = 7

    def __init__(
        self, stage: Stage, matches: int, games: Sequence[Game], turns: int, digest: bool, orders: bool
    ) -> None:
        super().__init__(stage, matches, games, turns)
        self.orders = orders
        self.read: set[str] = set()
        if digest:
            gathered = {f"mail_{kind}": "digest" for kind in ("turn", "started", "reminder", "clock", "finished")}
            with writing() as transaction:
                for player in transaction.session.scalars(select(Player)):
                    player.preferences = player.preferences | gathered | {"digest_hour": 7}

    def open(self, number: int) -> str:
        match_id = super().open(number)
        match = find_match(match_id)
        if self.orders and match.status == "running" and see_match(match, None).game.orders is not None:
            for seat, player_id in enumerate(self.seated(match_id)):
                with writing() as transaction:
                    player = transaction.session.get_one(Player, player_id)
                    order, evidence = (["never follow"], f"{match_id}{seat}"), {"mail": "00"}
                    give_mailed(transaction, match_id, player, Seat(seat), *order, evidence, act=True)
        return match_id

    @staticmethod
    def seated(match_id: str) -> list[str]:
        query = select(Seated.player_id).where(Seated.match_id == match_id).order_by(Seated.seat)
        found = list(db.session.scalars(query))
        db.session.commit()
        return found

    def answer(self, member: Member, notice: Notice) -> None:
        seat = notice.seat
        super().answer(member, notice)
        while (match := find_match(notice.match_id or "")).status == "running" and match.to_act == match.turn == seat:
            super().answer(member, notice)

    def _due(self) -> Iterator[datetime]:
        yield from super()._due()
        notice = db.session.scalar(select(func.min(Notice.due_at)).where(Notice.status == "waiting"))
        db.session.commit()
        if notice is not None:
            yield notice

    def read_notices(self) -> None:
        for id in waiting_since(Notice, self.stage.moment[0]):
            deliver_notice(id)
        today = self.stage.moment[0] - timedelta(minutes=1)
        told = db.session.scalars(
            select(Notice).where(
                Notice.outcome == "sent", Notice.done_at >= today, Notice.kind.in_(("turn", "timed_out"))
            )
        ).all()
        db.session.commit()
        for notice in told:
            if notice.id not in self.read:
                self.read.add(notice.id)
                self.asked(notice)


@pytest.mark.timeout(2400)
def test_digests_and_standing_orders_mean_fewer_mails(
    tmp_path: Path, sample: Sample, figure: Callable[[str], None]
) -> None:
    """Mails per move; in the small size, one short match of a game that asks out of turn."""
    matches, turns = sample(1, 12), sample(1, 8)
    games = GAMES if matches > 1 else [game for game in GAMES if game.orders is not None]
    rates = {}
    for digest, orders in product((False, True), repeat=2) if matches > 1 else ((False, False), (True, True)):
        stage = Stage.build(f"sqlite:///{tmp_path}/{digest}{orders}.sqlite")
        stage.app = create_app(stage.settings, clock=lambda stage=stage: stage.moment[0], bots={"bot:test": bot})
        with stage.app.app_context():
            MailedYear(stage, matches, games, turns, digest, orders).run()
            mails = db.session.scalar(select(func.count()).select_from(Letter)) or 0
            moves = db.session.scalar(select(func.count()).select_from(Taken).where(~Taken.missed)) or 0
            db.engine.dispose()
        rates[digest, orders] = mails / moves
        figure(f"{matches} matches, {digest=}, {orders=}: {mails} mails, {moves} moves, {mails / moves:.2f} each")
    assert all(rate < rates[False, False] for used, rate in rates.items() if any(used))
