"""A player's deadlines as a calendar, under an address that only they know."""

import secrets
from datetime import timedelta

from icalendar import Alarm, Calendar, Event
from sqlalchemy import delete, select

from service.clocks import deadline_of, hours_at, reminders_of, seat_clock
from service.errors import NotFound
from service.ids import fingerprint
from service.mailroom.phrases import say
from service.parts import now, parts
from service.store.db import db, writing
from service.store.logbook import game_of
from service.store.tables import Deadline, Feed, Match, Player

REFRESH = timedelta(hours=1)


def make_feed(player: Player) -> str:
    """The address of the player's calendar: a new one each time, and only the newest leads anywhere."""
    secret = secrets.token_hex(20)
    with writing() as transaction:
        transaction.session.execute(delete(Feed).where(Feed.player_id == player.id))
        transaction.session.add(Feed(player_id=player.id, hash=fingerprint(secret), created_at=now()))
    return f"{parts().settings.public_url}/v1/calendars/{secret}.ics"


def drop_feed(player: Player) -> None:
    with writing() as transaction:
        transaction.session.execute(delete(Feed).where(Feed.player_id == player.id))


def find_feed(secret: str) -> Player:
    feed = db.session.scalars(select(Feed).where(Feed.hash == fingerprint(secret))).one_or_none()
    if feed is None:
        raise NotFound("calendar_unknown", "There is no calendar at this address; maybe its owner has a new one.")
    return db.session.get_one(Player, feed.player_id)


def write_calendar(player: Player) -> bytes:
    """One event for each match in which the player's time runs, with an alarm at each point they are reminded at."""
    settings, language = parts().settings, player.language
    calendar = Calendar()
    calendar.add("prodid", "-//Ogham//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Ogham")
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    rows = db.session.execute(
        select(Deadline, Match)
        .join(Match, Match.id == Deadline.id)
        .where(Deadline.player_id == player.id, Deadline.status == "waiting")
        .order_by(Deadline.due_at, Deadline.id)
    )
    for row, match in rows:
        title = game_of(match).info.title
        event = Event()
        event.add("uid", f"{match.id}-{row.turn}-{row.seat}@{settings.mail_domain}")
        event.add("dtstamp", now())
        event.add("dtstart", deadline_of(db.session(), match, row))
        event.add("summary", say("feed.summary", language, title=title))  # type: ignore[arg-type]
        event.add("url", f"{settings.public_url}/v1/matches/{match.id}")
        event.add("transp", "TRANSPARENT")
        if not seat_clock(db.session(), match, row.seat).away:
            hours = hours_at(db.session(), match, player, row.since)
            for moment in sorted(set(reminders_of(db.session(), row, hours).values())):
                event.add_component(_alarm(moment, say("reminder.subject", language, title=title)))  # type: ignore[arg-type]
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _alarm(moment: object, text: str) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", text)
    alarm.add("trigger", moment, parameters={"VALUE": "DATE-TIME"})
    return alarm
