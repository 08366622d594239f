"""Clocks of matches: whose time runs, what is given back, and what happens when it is up.

Ann and Ben play Keltis with a day for each turn, unless a test says otherwise. In Hands, each card is answered.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from sqlalchemy import select

from client.errors import Problem
from engine.chance import Chance
from engine.game import Game, Move, View
from engine.play import pick
from engine.verify import verify
from service.absence import remind, time_out
from service.app import create_app
from service.mailroom.receive import accept_mail
from service.store.db import db, writing
from service.store.tables import Deadline, Match, Outage, Player, SeatClock
from service.vacations import DAYS_A_YEAR, announce_vacation, end_vacation
from tests.club import Club
from tests.games import TEST_GAMES, shorter
from tests.stage import Person, Stage
from worker.schedule import sweep

DAY = timedelta(days=1)
PASS = "reveal, leave"


@pytest.fixture
def club(stage: Stage) -> Iterator[Club]:
    with time_machine.travel(stage.moment[0], tick=False) as travel:
        yield Club(stage, travel)


# -- opening


@pytest.mark.parametrize(
    ("clock", "code"),
    [
        ({}, "clock_invalid"),
        ({"days": 0}, "clock_invalid"),
        ({"days": True}, "clock_invalid"),
        ({"days": 1.5}, "clock_invalid"),
        ({"days": 3, "bank": 20}, "clock_invalid"),
        ({"days": 3, "cap": 20}, "clock_invalid"),
        ({"days": 3, "misses": 2}, "clock_invalid"),
        ({"bank": 20, "increment": 5, "cap": 10}, "clock_invalid"),
        ({"days": 3, "weekdays": []}, "clock_invalid"),
        ({"days": 3, "weekdays": [0]}, "clock_invalid"),
        ({"days": 3, "absent": "sleep"}, "clock_invalid"),
        ({"days": 3, "hours": 2}, "clock_invalid"),
        ({"days": 3, "absent": "bot:genius"}, "bot_unknown"),
    ],
)
def test_what_is_no_clock_is_refused_and_nothing_is_opened(club: Club, clock: dict[str, Any], code: str) -> None:
    before = club.stage.fingerprint()
    with pytest.raises(Problem) as refused:
        club.people[0].client.open("keltis", 2, clock=clock)
    assert refused.value.code == code
    assert club.stage.fingerprint() == before


def test_a_clock_stands_in_the_log_with_its_defaults(club: Club) -> None:
    match_id = club.table({"bank": 100})
    expected = {"bank": 100, "increment": 24, "cap": 100, "weekdays": [1, 2, 3, 4, 5, 6, 7], "absent": "play"}
    assert club.log(match_id)[0]["clock"] == club.people[0].client.match(match_id)["clock"] == expected


def test_without_a_clock_nothing_ever_runs_out(club: Club) -> None:
    match_id = club.table(None)
    club.jump(400 * DAY)
    club.stage.work()
    assert club.kinds(match_id)[-1] == "dealt"
    clock = club.clock(match_id)
    assert (clock["clock"], clock["running"], clock["deadline"]) == (None, None, None)
    assert "clock" not in club.log(match_id)[0]


# -- whose time runs


def test_the_clock_runs_for_who_is_asked_and_a_turn_mail_says_until_when(club: Club) -> None:
    match_id = club.table({"days": 2})
    ann, _ = club.people
    asked = club.stage.moment[0]
    assert club.clock(match_id)["running"] == 0
    assert abs(club.deadline(match_id) - asked - 2 * DAY) < timedelta(seconds=1)
    assert f"You have time until {club.deadline(match_id):%a %Y-%m-%d %H:%M} (UTC)." in club.text(ann)
    club.later(DAY)
    assert abs(club.clock(match_id)["seats"][0]["left"] - 86400) <= 1
    club.stage.play(ann, match_id, PASS)
    clock = club.clock(match_id)
    assert (clock["running"], clock["seats"][1]["left"]) == (1, pytest.approx(2 * 86400, abs=1))


def test_a_bank_is_used_up_and_filled_by_turns_and_not_by_entries(club: Club) -> None:
    match_id = club.table({"bank": 48, "increment": 12, "cap": 50}, "hands")
    ann, ben = club.people
    left = [seat["left"] / 3600 for seat in club.clock(match_id)["seats"]]
    assert left == pytest.approx([50, 48], abs=0.01)  # the first turn has begun: 48 and 12, but no more than 50
    club.later(timedelta(hours=10))
    club.stage.play(ann, match_id, a_card(ann, match_id))
    club.later(timedelta(hours=3))
    left = [seat["left"] / 3600 for seat in club.clock(match_id)["seats"]]
    assert left == pytest.approx([40, 47], abs=0.01)
    club.stage.play(ben, match_id, "let")  # and now it is Ben's own turn: a new one, with its increment
    left = [seat["left"] / 3600 for seat in club.clock(match_id)["seats"]]
    assert left == pytest.approx([40, 50], abs=0.01)


def a_card(person: Person, match_id: str) -> str:
    card = person.client.state(match_id)["view"]["hand"][0]
    return f"play {card['colour']}{card['number']}"


def test_a_deadline_falls_into_nobodys_night_or_weekend(club: Club) -> None:
    ann, _ = club.people
    ann.client.preferences(zone="Asia/Tokyo", quiet="22:00-08:00")
    match_id = club.table({"days": 1, "weekdays": [1, 2, 3, 4, 5]})
    for _ in range(8):
        local = club.deadline(match_id).astimezone(ZoneInfo("Asia/Tokyo"))
        assert local.isoweekday() <= 5
        assert 8 <= local.hour < 22
        club.jump(timedelta(hours=5))
        club.stage.play(ann, match_id, PASS)
        club.stage.play(club.people[1], match_id, PASS)


def test_other_hours_hold_from_the_moment_they_are_chosen(club: Club) -> None:
    match_id = club.table({"days": 2})
    ann, _ = club.people
    club.later(DAY)
    deadline = club.deadline(match_id)
    night = (deadline - timedelta(hours=2)).strftime("%H:00-") + (deadline + timedelta(hours=6)).strftime("%H:00")
    ann.client.preferences(quiet=night)
    moved = (deadline + timedelta(hours=6)).replace(minute=0, second=0, microsecond=0)
    assert club.deadline(match_id) == moved
    assert abs(club.clock(match_id)["seats"][0]["left"] - 86400) <= 1
    ann.client.preferences(quiet=None)
    assert abs(club.deadline(match_id) - deadline) < timedelta(seconds=1)


# -- when time is up


def test_when_time_is_up_the_absent_move_is_played_and_everybody_is_told(club: Club) -> None:
    match_id = club.table({"days": 1})
    ann, ben = club.people
    deadline = club.deadline(match_id)
    club.later(DAY - timedelta(minutes=1))
    assert club.kinds(match_id)[-1] == "dealt"
    club.later(timedelta(minutes=1, seconds=7))
    entry = club.log(match_id)[-1]
    assert (entry["kind"], entry["seat"], entry["proof"], entry["policy"]) == (
        "timed_out", 0, {"grade": "service"}, "play",
    )  # fmt: skip
    assert entry["move"]
    assert entry["events"]
    assert timedelta(0) <= datetime.fromisoformat(entry["at"]) - deadline <= timedelta(seconds=10)
    assert club.people[0].client.match(match_id)["to_act"] == 1
    assert [len(club.told(person, "timed_out")) for person in club.people] == [1, 0]
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["timed_out"]
    assert "Your time was up in this match" in club.text(ann)
    club.stage.work()
    assert club.kinds(match_id).count("timed_out") == 1
    seats = club.clock(match_id)["seats"]
    assert [(seat["away"], seat["misses"]) for seat in seats] == [(True, 1), (False, 0)]


def test_who_is_away_is_played_for_within_the_hour_and_not_written_to_again(club: Club) -> None:
    match_id = club.table({"days": 3})
    ann, ben = club.people
    club.later(3 * DAY + timedelta(minutes=1))
    mails = len(club.stage.letters(ann.address))
    club.stage.play(ben, match_id, PASS)
    assert club.clock(match_id)["running"] == 0
    club.later(timedelta(hours=1))
    assert club.kinds(match_id)[-3:] == ["timed_out", "moved", "timed_out"]
    assert len(club.stage.letters(ann.address)) == mails
    assert club.clock(match_id)["seats"][0]["misses"] == 1  # it is one absence
    assert len(club.told(ben, "clock")) == 1


@pytest.mark.parametrize("how", ["move", "word", "api", "too late"])
def test_an_answer_brings_the_player_back(club: Club, how: str) -> None:
    match_id = club.table({"days": 1})
    ann, ben = club.people
    turn_mail = club.stage.letters(ann.address)[-1]
    club.later(DAY + timedelta(minutes=1))
    mail = club.stage.letters(ann.address)[-1]
    if how == "too late":
        assert "submission" in club.stage.answer(turn_mail, PASS)
        assert "came too late" in club.text(ann)
        club.stage.play(ben, match_id, PASS)
    else:
        club.stage.play(ben, match_id, PASS)
        if how == "move":
            club.stage.play(ann, match_id, PASS)
        elif how == "word":
            assert club.stage.answer(mail, "back") == "back"
        else:
            ann.client.back(match_id)
        club.stage.work()
    assert club.kinds(match_id).count("returned") == 1
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["timed_out", "returned"]
    seat = club.clock(match_id)["seats"][0]
    assert (seat["away"], seat["misses"]) == (False, 0)
    if how != "move":  # and there is time again
        assert club.deadline(match_id) > club.stage.moment[0] + timedelta(hours=11)
        assert "It is your turn" in club.text(ann)


def test_a_seat_forfeits_after_so_many_misses_in_a_row_each_a_whole_clock(club: Club) -> None:
    match_id = club.table({"days": 1, "absent": "forfeit", "misses": 2})
    _, ben = club.people
    club.later(DAY + timedelta(minutes=1))
    assert club.kinds(match_id)[-1] == "timed_out"
    for _ in range(3):  # Ben is quick; that makes Ann no more absent
        club.stage.play(ben, match_id, PASS)
        club.later(timedelta(hours=1))
    assert club.people[0].client.match(match_id)["status"] == "running"
    club.later(DAY - timedelta(hours=4))
    club.stage.play(ben, match_id, PASS)
    club.later(timedelta(hours=2))
    kinds = club.kinds(match_id)
    assert kinds[-2:] == ["timed_out", "closed"]  # with one seat left, the match is over (GE-1)
    assert "move" not in club.log(match_id)[-2]
    check_transcript(club, match_id)
    assert club.log(match_id)[-1]["outcome"]["places"] == [2, 1]
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["timed_out", "forfeited"]
    assert [notice.about["said"] for notice in club.told(club.people[0], "timed_out")] == ["away", "forfeited"]


def test_a_bot_takes_the_seat_until_the_player_is_back(database_url: str) -> None:
    seen: list[View] = []

    def bot(game: Game, view: View, chance: Chance) -> Move:
        seen.append(view)
        return game.parse(pick(game.legal(view), chance, "bot"), view)

    stage = Stage.build(database_url)
    stage.moment[0] = datetime.now(UTC)
    stage.app = create_app(stage.settings, clock=lambda: stage.moment[0], bots={"bot:test": bot})
    with time_machine.travel(stage.moment[0], tick=False) as travel:
        club = Club(stage, travel)
        match_id = club.table({"days": 1, "absent": "bot:test"})
        club.later(DAY + timedelta(minutes=1))
        entry = club.log(match_id)[-1]
        assert (entry["kind"], entry["policy"]) == ("timed_out", "bot:test")
        assert len(seen) >= 1
        assert not isinstance(seen[0], stage.app.extensions["ogham"].games["keltis"].state_type)
    with stage.app.app_context():
        db.engine.dispose()


def test_a_decision_out_of_turn_has_its_own_time(club: Club) -> None:
    match_id = club.table({"days": 1}, "hands")
    ann, _ = club.people
    club.stage.play(ann, match_id, a_card(ann, match_id))
    assert club.clock(match_id)["running"] == 1
    club.later(DAY + timedelta(minutes=1))
    entry = next(entry for entry in club.log(match_id) if entry["kind"] == "timed_out")
    assert (entry["seat"], entry["move"]) == (1, "let")


def test_an_order_answers_before_any_deadline_whatever_its_hour(club: Club) -> None:
    match_id = club.table({"bank": 3, "increment": 2}, "hands")
    ann, ben = club.people
    hour = (club.stage.moment[0] + timedelta(hours=20)).strftime("%H:%M")
    ben.client.order(match_id, f"let at {hour} UTC")
    club.stage.play(ann, match_id, a_card(ann, match_id))
    assert club.clock(match_id)["running"] == 1
    club.later(timedelta(hours=3, minutes=5))
    kinds = club.kinds(match_id)
    assert "timed_out" not in kinds
    assert kinds[-2:] == ["moved", "moved"]


# -- nothing against someone who had answered in time


def test_a_deadline_waits_for_what_was_received_before_it(club: Club) -> None:
    match_id = club.table({"days": 1})
    ann, _ = club.people
    club.later(DAY - timedelta(seconds=30))
    sent = ann.client.submit(match_id, [PASS], wait=0)
    with club.stage.app.app_context():
        club.jump(timedelta(minutes=1))
        club.beat()
        time_out(match_id)  # whoever comes first: the deadline may be looked at before the submission
    assert club.kinds(match_id)[-1] == "dealt"
    club.stage.work()
    assert ann.client.submission(sent["id"])["verdict"]["problem"] is None  # type: ignore[index]
    assert club.kinds(match_id)[-1] == "moved"


def test_a_deadline_waits_for_a_mail_received_before_it_and_not_for_others(club: Club) -> None:
    ann, _ = club.people
    match_id = club.table({"days": 1})
    other = club.table({"days": 1}, first_player=1)
    turn_mail = next(letter for letter in club.stage.letters(ann.address) if "turn" in str(letter["Subject"]))
    club.later(DAY - timedelta(seconds=30))
    with club.stage.app.app_context():
        raw = (
            f"From: {ann.address}\r\nTo: {turn_mail['Reply-To']}\r\nMessage-ID: <a@example.org>\r\n\r\n{PASS}\r\n"
        ).encode()
        accept_mail(ann.address, str(turn_mail["Reply-To"].addresses[0].addr_spec), raw)
        club.jump(timedelta(minutes=1))
        club.beat()
        time_out(match_id)
        time_out(other)
    assert club.kinds(match_id)[-1] == "dealt"
    assert club.kinds(other)[-1] == "timed_out"  # Ben's
    club.stage.work()
    assert club.kinds(match_id)[-1] == "moved"


# -- outages


def test_the_time_of_an_outage_is_given_back_and_an_hour_more(club: Club) -> None:
    match_id = club.table({"days": 1})
    club.later(timedelta(hours=23))
    down = club.stage.moment[0]
    deadline = club.deadline(match_id)
    club.jump(timedelta(hours=5))
    club.stage.work()
    assert club.kinds(match_id)[-1] == "given_back"
    entry = club.log(match_id)[-1]
    assert abs(datetime.fromisoformat(entry["from"]) - down) < timedelta(seconds=15)
    assert club.people[0].client.match(match_id)["to_act"] == 0
    given = club.deadline(match_id) - deadline
    assert timedelta(hours=6) <= given <= timedelta(hours=6, seconds=20)
    club.later(given - timedelta(hours=5) + timedelta(hours=1, minutes=1))
    assert club.kinds(match_id).count("given_back") == 1
    assert club.kinds(match_id)[-1] == "timed_out"


def test_a_restart_is_no_outage(club: Club) -> None:
    match_id = club.table({"days": 1})
    deadline = club.deadline(match_id)
    club.jump(timedelta(seconds=100))
    club.stage.work()
    assert club.deadline(match_id) == deadline
    with club.stage.app.app_context():
        assert db.session.scalars(select(Outage)).all() == []


# -- pauses


def test_the_table_pauses_by_agreement_and_one_word_goes_on(club: Club) -> None:
    match_id = club.table({"days": 2})
    ann, ben = club.people
    club.later(DAY)
    assert not ann.client.pause(match_id)["paused"]
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["pause_wanted"]
    paused = ben.client.pause(match_id)
    assert (paused["paused"], paused["running"], paused["deadline"]) == (True, None, None)
    club.later(9 * DAY)
    assert club.kinds(match_id)[-1] == "paused"
    resumed = ann.client.resume(match_id)
    assert not resumed["paused"]
    assert abs(resumed["seats"][0]["left"] - 86400) <= 1
    entry = club.log(match_id)[-1]
    assert (entry["kind"], entry["seat"], entry["proof"]) == ("resumed", 0, {"grade": "service"})
    club.later(DAY + timedelta(minutes=1))
    assert club.kinds(match_id)[-1] == "timed_out"


def test_a_wish_for_a_pause_can_be_taken_back_and_moves_go_on_in_a_pause(club: Club) -> None:
    match_id = club.table({"days": 1})
    ann, ben = club.people
    ann.client.pause(match_id)
    ann.client.resume(match_id)
    assert not ben.client.pause(match_id)["paused"]
    assert ann.client.pause(match_id)["paused"]
    club.stage.play(ann, match_id, PASS)
    clock = club.clock(match_id)
    assert (clock["paused"], clock["running"]) == (True, None)
    assert ben.client.resume(match_id)["running"] == 1


def test_who_has_no_seat_or_no_clock_pauses_nothing(club: Club) -> None:
    match_id = club.table({"days": 1})
    stranger = club.stage.person("Cat")
    for say in (stranger.client.pause, stranger.client.resume, stranger.client.back):
        with pytest.raises(Problem, match="not_yours"):
            say(match_id)
    with pytest.raises(Problem, match="no_clock"):
        club.people[0].client.pause(club.table(None))


# -- vacations


def day(club: Club, days: int) -> str:
    return (club.stage.moment[0] + timedelta(days=days)).date().isoformat()


def test_a_vacation_stops_the_clock_and_the_table_is_told(club: Club) -> None:
    match_id = club.table({"days": 2})
    ann, ben = club.people
    club.later(DAY)
    assert len(club.told(ann, "reminder")) == 1
    vacations = ann.client.announce_vacation(day(club, 6))
    assert vacations == {"vacations": [{"first": day(club, 0), "last": day(club, 6)}], "left": DAYS_A_YEAR - 7}
    entry = club.log(match_id)[-1]
    assert (entry["kind"], entry["seat"], entry["proof"]) == ("vacation", 0, {"grade": "service"})
    midnight = (club.stage.moment[0] + timedelta(days=7)).replace(hour=0, minute=0, second=0, microsecond=0)
    assert datetime.fromisoformat(entry["until"]) == midnight
    assert abs(club.deadline(match_id) - midnight - DAY) < timedelta(seconds=1)
    assert [notice.about["said"] for notice in club.told(ben, "clock")] == ["vacation"]
    assert club.clock(match_id)["seats"][0]["vacation_until"] == entry["until"]
    club.later(5 * DAY)
    assert club.kinds(match_id)[-1] == "vacation"
    assert len(club.told(ann, "reminder")) == 1
    club.stage.work()
    assert "Ann is on vacation from" in club.text(ben)


def test_who_comes_back_early_keeps_the_rest(club: Club) -> None:
    match_id = club.table({"days": 2})
    ann, _ = club.people
    ann.client.announce_vacation(day(club, 9))
    club.jump(2 * DAY)
    assert ann.client.end_vacation()["left"] == DAYS_A_YEAR - 3
    assert club.kinds(match_id)[-1] == "vacation_ended"
    assert club.deadline(match_id) - club.stage.moment[0] < 2 * DAY + timedelta(minutes=1)
    with pytest.raises(Problem, match="no_vacation"):
        ann.client.end_vacation()


def test_the_budget_of_a_year_is_never_exceeded_and_no_day_counts_twice(club: Club) -> None:
    with club.stage.app.app_context():
        ann = db.session.scalars(select(Player).where(Player.name == "Ann")).one()
        new_year = datetime(club.stage.moment[0].year + 1, 1, 1, 12, tzinfo=UTC)
        club.stage.moment[0] = new_year
        with writing() as transaction:
            announce_vacation(transaction, ann, (new_year + timedelta(days=19)).date())
        with writing() as transaction:  # longer: only the days that are new count
            announce_vacation(transaction, ann, (new_year + timedelta(days=DAYS_A_YEAR - 1)).date())
        for until in (timedelta(days=DAYS_A_YEAR), timedelta(days=365)):
            with pytest.raises(Exception, match="vacation_spent"), writing() as transaction:
                announce_vacation(transaction, ann, (new_year + until).date())
        with writing() as transaction:
            end_vacation(transaction, ann)
        with pytest.raises(Exception, match="vacation_invalid"), writing() as transaction:
            announce_vacation(transaction, ann, (new_year - timedelta(days=1)).date())


def test_a_match_that_begins_hears_of_a_vacation_announced_before(club: Club) -> None:
    _, ben = club.people
    ben.client.announce_vacation(day(club, 3))
    match_id = club.table({"days": 1})
    assert club.kinds(match_id)[-2:] == ["dealt", "vacation"]


# -- reminders


def test_reminders_come_once_each_and_say_until_when(club: Club) -> None:
    ann, _ = club.people
    ann.client.preferences(reminders=["half", "24h", "2h"])
    match_id = club.table({"days": 4})
    asked = club.stage.moment[0]
    club.later(4 * DAY - timedelta(hours=1))
    reminded = club.told(ann, "reminder")
    after = [(notice.created_at - asked) / timedelta(hours=1) for notice in reminded]
    assert after == pytest.approx([48, 72, 94], abs=0.6)
    assert [notice.outcome for notice in reminded] == ["sent"] * 3
    assert "A reminder: it is still your turn" in club.text(ann)
    assert f"{club.deadline(match_id):%Y-%m-%d %H:%M}" in club.text(ann)


def test_a_reminder_is_not_sent_when_the_turn_is_over_by_then(club: Club) -> None:
    ann, _ = club.people
    match_id = club.table({"days": 2})
    club.later(DAY - timedelta(minutes=1))
    with club.stage.app.app_context():
        club.jump(timedelta(seconds=90))
        club.beat()
        remind(match_id)
    assert len(club.told(ann, "reminder")) == 1
    ann.client.submit(match_id, [PASS], wait=0)
    club.stage.work()  # settles before it delivers
    assert club.told(ann, "reminder")[0].outcome == "not sent: the turn is over, or no clock runs"


def test_no_reminder_comes_in_quiet_hours(club: Club) -> None:
    ann, _ = club.people
    at = club.stage.moment[0]
    quiet = f"{at - timedelta(hours=3):%H:%M}-{at + timedelta(hours=5):%H:%M}"
    ann.client.preferences(quiet=quiet, reminders=["48h"])
    club.table({"days": 3})
    club.later(2 * DAY)
    reminded = club.told(ann, "reminder")
    assert len(reminded) == 1
    assert timedelta(hours=4, minutes=59) <= (reminded[0].created_at - at) % DAY < timedelta(hours=5, minutes=35)


# -- facts


def test_facts_count_moves_misses_and_how_long_they_took(club: Club) -> None:
    match_id = club.table({"days": 1})
    ann, ben = club.people
    for hours in (1, 2, 3, 4, 5):
        club.later(timedelta(hours=hours))
        club.stage.play(ann, match_id, PASS)
        club.stage.play(ben, match_id, PASS)
    club.later(DAY + timedelta(minutes=1))
    facts = ann.client.facts()
    assert (facts["moves"], facts["misses"], facts["finished"]) == (5, 1, 0)
    assert facts["quartiles"] == pytest.approx([2 * 3600, 3 * 3600, 4 * 3600], abs=60)
    table = ben.client.facts(match_id)
    assert [(seat["seat"], seat["moves"], seat["misses"]) for seat in table] == [(0, 5, 1), (1, 5, 0)]
    other = club.table(None)
    ann.client.resign(other)
    assert (ann.client.facts()["finished"], ben.client.facts()["finished"]) == (0, 1)


def test_a_match_asks_for_a_minimum_and_its_opener_is_exempt(club: Club) -> None:
    ann, ben = club.people
    for asks in ({"moves": 1}, {"finished": 1}, {"median_hours": 2}):
        match_id = ann.client.open("keltis", 2, asks=asks)["id"]
        ann.client.join(match_id, 0)
        with pytest.raises(Problem, match="asks_not_met"):
            ben.client.join(match_id, 1)
    assert club.log(match_id)[0]["asks"] == {"median_hours": 2}
    match_id = club.table(None)
    club.stage.play(ann, match_id, PASS)
    club.stage.play(ben, match_id, PASS)
    match_id = ann.client.open("keltis", 2, asks={"moves": 1, "misses": 0, "median_hours": 2}, invite=[ben.address])[
        "id"
    ]
    ben.client.join(match_id, 1)
    for wrong in ({"speed": 3}, {"moves": -1}, {"moves": True}):
        with pytest.raises(Problem, match="asks_invalid"):
            ann.client.open("keltis", 2, asks=wrong)


def test_who_is_invited_by_mail_and_has_too_little_to_show_is_told(club: Club) -> None:
    ann, _ = club.people
    ann.client.open("keltis", 2, asks={"moves": 5}, invite=["dan@example.org"])
    club.stage.work()
    assert club.stage.answer(club.stage.letters("dan@example.org")[-1], "join") == "refused: asks_not_met"
    body = club.stage.letters("dan@example.org")[-1].get_body(("plain",))
    assert body
    assert "no seat was taken" in " ".join(body.get_content().split())


# -- leaving nothing behind


def test_the_clock_of_a_match_that_is_over_stands(club: Club) -> None:
    match_id = club.table({"days": 1})
    club.people[0].client.resign(match_id)
    clock = club.clock(match_id)
    assert (clock["running"], clock["deadline"]) == (None, None)
    club.later(3 * DAY)
    assert club.kinds(match_id)[-1] == "closed"


def test_whole_matches_of_absent_players_come_to_their_end(club: Club) -> None:
    for game in TEST_GAMES:
        match_id = club.table({"days": 1}, game.info.id, **shorter(game, 6))
        with club.stage.app.app_context():
            for _ in range(2000):
                match = db.session.get_one(Match, match_id, populate_existing=True)
                if match.status == "over":
                    break
                club.stage.moment[0] = db.session.get_one(Deadline, match_id, populate_existing=True).due_at
                club.stage.moment[0] += timedelta(seconds=6)
                club.beat()
                sweep(timedelta(0))
            assert match.status == "over", game.info.id
            away = db.session.scalars(select(SeatClock.away).where(SeatClock.match_id == match_id)).all()
            assert away == [True, True]
        club.jump(timedelta(0))
        kinds = club.kinds(match_id)
        assert set(kinds) == {"opened", "joined", "dealt", "timed_out", "closed"}
        check_transcript(club, match_id)


def check_transcript(club: Club, match_id: str) -> None:
    """What the clocks did can be checked by anybody, like moves."""
    lines, games = list(club.people[0].client.transcript(match_id)), {game.info.id: game for game in TEST_GAMES}
    report = verify(lines, games, club.stage.watcher().service_keys())
    assert report.good, [str(fault) for fault in report.faults]
    judged = sum("events" in entry for entry in club.log(match_id))
    assert next(check.held for check in report.checks if check.kind == "moves") == judged
