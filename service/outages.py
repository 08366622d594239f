"""How the service knows that it was down: the sweep writes a heartbeat, and whoever beats next sees the gap.

From the last beat before the gap until an hour after it, no time counts on any clock. Deadlines aren't touched: each is
worked out anew when it comes, and then the outage is part of what it is worked out from.
"""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.parts import now
from service.store.db import db, writing
from service.store.tables import Beat, Outage
from service.timing import Span

BEAT_EVERY = timedelta(seconds=10)
OUTAGE_AFTER = timedelta(minutes=2)
"""Longer than any restart, and than any two clocks that look at the same one differ."""
AFTERWARDS = timedelta(hours=1)
ONE = 1


def keep_beat() -> None:
    """Say that the service is at work; if nobody did for too long, write down that it was down."""
    last = last_beat(db.session())
    db.session.commit()
    if last is not None and last <= now() < last + BEAT_EVERY:
        return
    with writing() as transaction:
        session, at = transaction.session, now()
        if last is None:
            insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
            session.execute(insert(Beat).values(id=ONE, at=at).on_conflict_do_nothing())
        beat = session.get_one(Beat, ONE, with_for_update=True, populate_existing=True)
        if at - beat.at > OUTAGE_AFTER:
            session.add(Outage(starts_at=beat.at, ends_at=at + AFTERWARDS))
        beat.at = max(beat.at, at)


def last_beat(session: Session) -> datetime | None:
    return session.scalars(select(Beat.at)).one_or_none()


def is_beating(session: Session) -> bool:
    """Whether it is known what time was lost: only then may time run out."""
    last = last_beat(session)
    return last is not None and now() - last <= OUTAGE_AFTER


def outages_since(session: Session, moment: datetime) -> list[Span]:
    """The spans without time that reach beyond this moment."""
    rows = session.scalars(select(Outage).where(Outage.ends_at > moment).order_by(Outage.starts_at))
    return [Span(row.starts_at, row.ends_at) for row in rows]
