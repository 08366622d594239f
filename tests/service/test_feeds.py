"""Deadlines as a calendar, read by a real calendar library."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import time_machine
from icalendar import Calendar

from client.errors import Problem
from tests.club import Club
from tests.raw import get, problem
from tests.stage import Stage

DAY = timedelta(days=1)


@pytest.fixture
def club(stage: Stage) -> Iterator[Club]:
    with time_machine.travel(stage.moment[0], tick=False) as travel:
        yield Club(stage, travel)


def read(club: Club, url: str) -> Calendar:
    answer = get(club.stage.app, url.removeprefix(club.stage.settings.public_url))
    assert (answer.status_code, answer.mimetype) == (200, "text/calendar")
    assert answer.headers["Cache-Control"] == "private, no-store"
    calendar = Calendar.from_ical(answer.data)
    assert isinstance(calendar, Calendar)
    assert calendar.errors == []
    return calendar


def test_the_feed_has_each_deadline_of_the_player_with_alarms_where_reminders_come(club: Club) -> None:
    ann, _ = club.people
    ann.client.preferences(reminders=["half", "24h", "2h"], zone="Europe/Berlin")
    url = ann.client.calendar()
    assert read(club, url).events == []
    first, second = club.table({"days": 4}), club.table({"days": 2})
    club.table({"days": 3}, first_player=1)  # Ben's time runs there
    club.table(None)
    events = read(club, url).events
    assert [event.start for event in events] == [_second(club.deadline(second)), _second(club.deadline(first))]
    assert str(events[1]["summary"]) == "Your time is up: Keltis: Der Weg der Steine"
    assert all(event.start.utcoffset() == timedelta(0) for event in events)
    asked = club.deadline(first) - 4 * DAY
    triggers = [_second(asked + after) for after in (2 * DAY, 3 * DAY, 4 * DAY - timedelta(hours=2))]
    alarms = events[1].walk("VALARM")
    assert [alarm["trigger"].dt for alarm in alarms] == triggers
    assert {str(alarm["action"]) for alarm in alarms} == {"DISPLAY"}
    assert list(events[1].alarms.times)
    assert [time.trigger for time in events[1].alarms.times] == triggers
    assert len({str(event["uid"]) for event in events}) == 2


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def test_alarms_disturb_nobody_at_night_and_follow_a_vacation(club: Club) -> None:
    ann, _ = club.people
    at = club.stage.moment[0]
    quiet = f"{at - timedelta(hours=3):%H:%M}-{at + timedelta(hours=5):%H:%M}"
    ann.client.preferences(reminders=["48h", "24h", "2h"], quiet=quiet)
    match_id = club.table({"days": 3})
    url = ann.client.calendar()
    for _ in range(2):
        (event,) = read(club, url).events
        assert event.start == _second(club.deadline(match_id))
        for alarm in event.walk("VALARM"):
            hour = (alarm["trigger"].dt - at) % DAY
            assert timedelta(hours=4, minutes=59) <= hour < timedelta(hours=21, minutes=1)
        ann.client.announce_vacation((at + 6 * DAY).date().isoformat())
    assert event.start > at + 6 * DAY


def test_the_address_can_be_replaced_and_dropped_and_no_other_leads_anywhere(club: Club) -> None:
    ann, _ = club.people
    old = ann.client.calendar()
    new = ann.client.calendar()
    assert old != new
    assert len(new.rpartition("/")[2]) == 44
    read(club, new)
    for wrong in (old, new[:-5] + ".ics", new.replace("/calendars/", "/calendars/0")):
        problem(get(club.stage.app, wrong.removeprefix(club.stage.settings.public_url)), 404, "calendar_unknown")
    ann.client._request("DELETE", "/v1/players/me/calendar", as_player=True)
    problem(get(club.stage.app, new.removeprefix(club.stage.settings.public_url)), 404, "calendar_unknown")
    with pytest.raises(Problem, match="token_missing"):
        club.stage.watcher().calendar()
