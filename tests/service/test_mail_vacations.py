"""Vacations by mail: announced, ended, and refused, in the words of both languages."""

from datetime import date, timedelta

import pytest
from sqlalchemy import select

from service.errors import Malformed
from service.mailroom.commands import COMMANDS, _day
from service.store.db import db
from service.store.tables import Vacation
from tests.mail.asked import Asked, ask, ask_again, text_of
from tests.stage import Stage

UNTIL = date(2028, 1, 5)


@pytest.fixture(scope="module")
def waiting(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


def today(stage: Stage) -> date:
    return stage.moment[0].date()


def german(day: date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


def vacations(stage: Stage) -> list[tuple[str, str]]:
    with stage.app.app_context():
        return [(one.first, one.last) for one in db.session.scalars(select(Vacation).order_by(Vacation.first))]


def test_a_vacation_is_announced_confirmed_told_to_the_table_and_ended(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben", "de")
    match_id = ann.client.open("keltis", 2, {"first_player": 0}, clock={"days": 3})["id"]
    for seat, person in enumerate((ann, ben)):
        person.client.join(match_id, seat)
    stage.work()
    turn, before = stage.letters(ann.address)[-1], ann.client.clock(match_id)["deadline"]
    first, last = today(stage), today(stage) + timedelta(days=4)
    assert stage.answer(turn, f"Off I go!\n\nvacation until {last}") == f"vacation from {first} until {last}"
    said = text_of(stage.letters(ann.address)[-1])
    assert f"You are on vacation from {first} to {last}, both days included." in said
    left = 30 - len([day for day in range(5) if (first + timedelta(days=day)).year == last.year])
    assert f"Days of vacation left in {last.year}: {left}" in said
    assert f"Ann macht Urlaub vom {first} bis zum {last}." in text_of(stage.letters(ben.address)[-1])
    assert ann.client.clock(match_id)["deadline"] > before
    assert stage.answer(stage.letters(ann.address)[-1], "Vacation over.") == "vacation over"
    assert "Your vacation is over" in text_of(stage.letters(ann.address)[-1])
    assert "Ann ist aus dem Urlaub zurück" in text_of(stage.letters(ben.address)[-1])
    assert vacations(stage) == [(str(first), str(first))]
    assert ann.client.clock(match_id)["seats"][0]["vacation_until"] is None


def test_in_german_and_beside_a_move(stage: Stage) -> None:
    asked = ask(stage, language="de")
    first, last = today(stage) + timedelta(days=2), today(stage) + timedelta(days=3)
    said = asked.answer(f"aufdecken, liegenlassen\n\nUrlaub vom {first.day}.{first.month}. bis zum {german(last)}")
    assert said.startswith(f"vacation from {first} until {last}, submission ")
    letters = [text_of(letter) for letter in stage.letters(asked.ann.address)]
    assert any(f"du hast Urlaub vom {first} bis zum {last}" in letter for letter in letters)
    assert asked.answer("Urlaub zu Ende") == "vacation over"
    assert vacations(stage) == []


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ("until {past}", "A vacation lies ahead"),
        ("from {soon} until {today}", "A vacation lies ahead"),
        ("until {far}", "A vacation ends within a year"),
        ("until {long}", "days of vacation left in"),
        ("until 31/7/2027", "“31/7/2027” is no day"),
        ("until 2027-02-30", "“2027-02-30” is no day"),
        ("until 31.7.", "“31.7” is no day"),
        ("over", "You are on no vacation"),
        ("until {today}\nvacation until {soon}", "one vacation at a time"),
    ],
)
def test_what_is_no_vacation_is_answered_with_the_reason_and_nothing_is_done(
    waiting: Asked, days: str, why: str
) -> None:
    stage, asked = waiting.stage, ask_again(waiting)
    spans = {"past": -1, "today": 0, "soon": 3, "long": 62, "far": 400}
    facts = {name: today(stage) + timedelta(days=ahead) for name, ahead in spans.items()}
    before = stage.fingerprint()
    assert asked.answer(f"reveal\n\nvacation {days.format(**facts)}") == "nothing said"
    assert (stage.fingerprint(), vacations(stage)) == (before, [])
    assert why in text_of(asked.newest())


@pytest.mark.parametrize(
    "prose",
    ["I'm on vacation until 2027-07-31", "vacation until Monday", "Urlaub bis bald", "vacation", "Urlaub",
     "vacation until 2027-07-31 or so", "> vacation until 2027-07-31", "vacation is over"],
)  # fmt: skip
def test_prose_is_no_vacation(prose: str) -> None:
    command = next(one for one in COMMANDS if one.name == "vacation")
    assert not command.pattern.fullmatch(prose)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2027-12-20", date(2027, 12, 20)),
        ("20.12.2027", date(2027, 12, 20)),
        ("02.01.", date(2028, 1, 2)),
        ("20.12.", date(2027, 12, 20)),
    ],
)
def test_a_first_day_needs_no_year(text: str, day: date) -> None:
    assert _day(text, UNTIL) == day


@pytest.mark.parametrize("text", ["20.12.27", "12/20/2027", "2027-1-2", "20.12", "31.6.2027", "٢٠٢٧-٠١-٠٢x"])
def test_other_ways_to_write_a_day_are_asked_about(text: str) -> None:
    with pytest.raises(Malformed):
        _day(text)
