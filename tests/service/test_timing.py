"""The arithmetic of clocks, against a plain second reading: minute by minute, with the clock on the wall in view."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.timing import (
    WEEK,
    Control,
    Hours,
    Quiet,
    Span,
    beginning_of,
    due,
    open_from,
    reach,
    read_quiet,
    reminders,
    used,
)

MINUTE = timedelta(minutes=1)
# Both hemispheres, half an hour of daylight saving, changes at midnight, a day that was left out, none at all.
ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut", "Pacific/Apia",
    "Asia/Kathmandu", "UTC",
]  # fmt: skip

moments = st.datetimes(datetime(2011, 12, 1), datetime(2031, 1, 1)).map(  # noqa: DTZ001  (they get their zone here)
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)
# Close to where the clocks change, and to a leap day.
edges = st.builds(
    lambda edge, minutes: edge + minutes * MINUTE,
    st.sampled_from(
        [
            datetime(2027, 3, 28, 1, tzinfo=UTC),
            datetime(2027, 10, 31, 1, tzinfo=UTC),
            datetime(2027, 3, 14, 7, tzinfo=UTC),
            datetime(2027, 11, 7, 6, tzinfo=UTC),
            datetime(2028, 2, 28, 22, tzinfo=UTC),
            datetime(2011, 12, 30, 10, tzinfo=UTC),
        ]
    ),
    st.integers(-2000, 2000),
)
quiets = st.none() | st.builds(
    lambda start, length: Quiet(_hour(start), _hour(start + length)), st.integers(0, 1439), st.integers(1, 720)
)


def _hour(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)


@st.composite
def all_hours(draw: st.DrawFn, around: datetime) -> Hours:
    spans = draw(st.lists(st.tuples(st.integers(-3000, 6000), st.integers(1, 4000)), max_size=3))
    off = tuple(Span(around + start * MINUTE, around + (start + length) * MINUTE) for start, length in spans)
    weekdays = draw(st.just(WEEK) | st.frozensets(st.integers(1, 7), min_size=1))
    return Hours(ZoneInfo(draw(st.sampled_from(ZONES))), weekdays, draw(quiets), off)


@st.composite
def clocks(draw: st.DrawFn) -> tuple[Hours, datetime]:
    moment = draw(moments | edges)
    return draw(all_hours(moment)), moment


amounts = st.integers(0, 4 * 1440).map(lambda minutes: minutes * MINUTE)


def minutes_from(moment: datetime) -> Iterator[datetime]:
    while True:
        yield moment
        moment += MINUTE


# -- time that counts


@given(clocks(), amounts)
def test_time_added_is_time_used(clock: tuple[Hours, datetime], amount: timedelta) -> None:
    hours, start = clock
    reached = reach(hours, start, amount)
    assert used(hours, start, reached) == amount
    if amount:
        assert used(hours, start, reached - MINUTE) == amount - MINUTE  # and not a minute later than need be


@given(clocks(), amounts, st.integers(0, 3000))
def test_time_used_adds_up_and_what_is_left_reaches_the_same_moment(
    clock: tuple[Hours, datetime], amount: timedelta, minutes: int
) -> None:
    hours, start = clock
    end = reach(hours, start, amount)
    middle = min(start + minutes * MINUTE, end)
    left = amount - used(hours, start, middle)
    assert used(hours, middle, end) == left
    assert due(hours, middle, left) == due(hours, start, amount)


@given(clocks(), st.integers(1, 3000))
def test_time_that_counts_is_what_counts_minute_by_minute(clock: tuple[Hours, datetime], minutes: int) -> None:
    hours, start = clock
    counted = sum(hours.counts(start + minute * MINUTE) for minute in range(minutes))
    assert used(hours, start, start + minutes * MINUTE) == counted * MINUTE


# -- deadlines


def may_fall_due(hours: Hours, moment: datetime) -> bool:
    local = moment.astimezone(hours.zone)
    return (
        local.isoweekday() in hours.weekdays
        and not any(span.start <= moment < span.end for span in hours.off)
        and not (hours.quiet and hours.quiet.covers(local.time()))
    )


@given(clocks())
def test_a_deadline_moves_to_the_first_minute_that_is_open(clock: tuple[Hours, datetime]) -> None:
    hours, moment = clock
    assert open_from(hours, moment) == next(found for found in minutes_from(moment) if may_fall_due(hours, found))


@given(clocks(), amounts)
def test_a_deadline_never_falls_where_nobody_can_be_expected_to_act(
    clock: tuple[Hours, datetime], amount: timedelta
) -> None:
    hours, start = clock
    assert may_fall_due(hours, due(hours, start, amount))
    assert used(hours, start, due(hours, start, amount)) >= amount


@pytest.mark.parametrize(
    ("quiet", "nominal", "expected"),
    [
        # The night in which 02:00 to 03:00 is left out: what ends at 02:30 ends when the clock jumps.
        ("22:00-02:30", "2027-03-28T00:30Z", "2027-03-28T01:00Z"),
        ("22:00-07:00", "2027-03-28T00:30Z", "2027-03-28T05:00Z"),
        # The night in which 02:00 to 03:00 comes twice: what ends at 02:30 ends both times.
        ("22:00-02:30", "2027-10-31T00:10Z", "2027-10-31T00:30Z"),
        ("22:00-02:30", "2027-10-31T00:45Z", "2027-10-31T00:45Z"),
        ("22:00-02:30", "2027-10-31T01:10Z", "2027-10-31T01:30Z"),
        ("22:00-07:00", "2027-10-31T00:30Z", "2027-10-31T06:00Z"),
    ],
)
def test_quiet_hours_end_by_the_clock_on_the_wall_when_the_clocks_change(
    quiet: str, nominal: str, expected: str
) -> None:
    hours = Hours(ZoneInfo("Europe/Berlin"), quiet=read_quiet(quiet))
    assert open_from(hours, datetime.fromisoformat(nominal)) == datetime.fromisoformat(expected)


def test_a_day_is_24_hours_also_over_a_leap_day_and_when_the_clocks_change() -> None:
    berlin = Hours(ZoneInfo("Europe/Berlin"))
    for start in (datetime(2028, 2, 28, 12, tzinfo=UTC), datetime(2027, 3, 27, 12, tzinfo=UTC)):
        assert due(berlin, start, timedelta(days=2)) == start + timedelta(days=2)


def test_a_weekend_does_not_count_where_it_does_not() -> None:
    hours = Hours(ZoneInfo("Europe/Berlin"), frozenset(range(1, 6)))
    friday = datetime(2027, 3, 26, 17, tzinfo=UTC)  # 18:00 there; the clocks change on Sunday
    assert due(hours, friday, timedelta(days=1)) == datetime(2027, 3, 29, 16, tzinfo=UTC)  # Monday, 18:00


def test_a_day_that_a_zone_left_out_has_no_time_in_it() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert beginning_of(date(2011, 12, 30), apia) == beginning_of(date(2011, 12, 31), apia)
    friday_only = Hours(apia, frozenset({5}))
    assert used(friday_only, datetime(2011, 12, 29, tzinfo=UTC), datetime(2012, 1, 4, tzinfo=UTC)) == timedelta(0)


@given(clocks(), amounts, st.sampled_from(ZONES), st.integers(0, 3000))
def test_a_zone_changed_in_the_middle_of_a_turn_neither_gives_nor_takes_time(
    clock: tuple[Hours, datetime], amount: timedelta, zone: str, minutes: int
) -> None:
    """What was used by the old hours is used; the rest is counted by the new ones."""
    hours, start = clock
    moved = min(start + minutes * MINUTE, reach(hours, start, amount))
    left = amount - used(hours, start, moved)
    other = Hours(ZoneInfo(zone), hours.weekdays, hours.quiet, hours.off)
    assert used(hours, start, moved) + used(other, moved, reach(other, moved, left)) == amount
    assert may_fall_due(other, due(other, moved, left))


@given(clocks(), amounts, st.integers(0, 3000), st.integers(1, 3000))
def test_a_vacation_announced_in_the_middle_of_a_turn_is_given_in_full(
    clock: tuple[Hours, datetime], amount: timedelta, minutes: int, length: int
) -> None:
    hours, start = clock
    vacation = Span(start + minutes * MINUTE, start + (minutes + length) * MINUTE)
    then = Hours(hours.zone, hours.weekdays, hours.quiet, (*hours.off, vacation))
    end = reach(then, start, amount)
    assert used(hours, start, end) - used(hours, max(start, vacation.start), min(vacation.end, end)) == amount
    assert due(then, start, amount) >= due(hours, start, amount)
    assert not vacation.start <= due(then, start, amount) < vacation.end


# -- turns


@given(st.integers(1, 500), st.integers(1, 200), st.integers(0, 500), st.lists(st.integers(0, 900), max_size=20))
def test_a_bank_grows_by_its_increment_and_never_beyond_its_cap(
    bank: int, increment: int, more: int, taken: list[int]
) -> None:
    hour = timedelta(hours=1)
    control = Control(bank=bank * hour, increment=increment * hour, cap=(bank + more) * hour)
    left = control.at_first()
    for hours_taken in taken:
        granted = control.grant(left)
        assert granted == min(control.cap, left + control.increment)
        left = max(timedelta(0), granted - hours_taken * hour)
    assert timedelta(0) <= left <= control.cap


def test_days_per_turn_are_not_carried_over() -> None:
    control = Control(per_turn=timedelta(days=3))
    assert control.grant(control.at_first()) == control.grant(timedelta(days=2)) == timedelta(days=3)


# -- reminders

POINTS = ("half", "48h", "24h", "2h")


@given(clocks(), st.integers(60, 6 * 1440), st.integers(0, 1440))
@example(
    (Hours(ZoneInfo("Europe/Berlin"), quiet=read_quiet("22:00-08:00")), datetime(2027, 3, 27, 9, tzinfo=UTC)), 720, 0
)
def test_reminders_come_in_time_and_disturb_nobody(clock: tuple[Hours, datetime], minutes: int, already: int) -> None:
    hours, start = clock
    left, granted = minutes * MINUTE, (minutes + already) * MINUTE
    deadline = due(hours, start, left)
    for point, moment in reminders(POINTS, hours, start, left, granted).items():
        assert start < moment < deadline, point
        assert not hours.is_quiet(moment), point
        assert not hours.is_off(moment), point


def test_reminders_come_at_their_points_where_nothing_is_in_the_way() -> None:
    start, day = datetime(2027, 5, 3, 12, tzinfo=UTC), timedelta(days=1)
    moments = reminders(POINTS, Hours(ZoneInfo("UTC")), start, 4 * day, 4 * day)
    wanted = {"half": 2 * day, "48h": 2 * day, "24h": 3 * day, "2h": 4 * day - timedelta(hours=2)}
    assert moments == {point: start + after for point, after in wanted.items()}
    assert list(reminders(POINTS, Hours(ZoneInfo("UTC")), start, day, 4 * day)) == ["2h"]


def test_a_reminder_waits_for_the_morning_or_comes_the_evening_before() -> None:
    hours = Hours(ZoneInfo("UTC"), quiet=read_quiet("22:00-08:00"))
    start = datetime(2027, 5, 3, 12, tzinfo=UTC)
    morning = reminders(["12h"], hours, start, timedelta(hours=27), timedelta(hours=27))  # due at 15:00
    assert morning == {"12h": datetime(2027, 5, 4, 8, tzinfo=UTC)}
    evening = reminders(["2h"], hours, start, timedelta(hours=18), timedelta(hours=18))  # at 06:00, so at 08:00
    assert evening == {"2h": datetime(2027, 5, 3, 21, 50, tzinfo=UTC)}


@pytest.mark.parametrize(
    "text", ["", "22:00", "22-07", "22:00-22:00", "06:00-19:00", "24:00-07:00", "2:00-07:00", "٢٢:00-07:00"]
)
def test_what_are_no_quiet_hours_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (any will do)
        read_quiet(text)
