"""The ledger: for each notice when and how it was sent, accepted, bounced or held back, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, or_, select

from service.errors import NotFound
from service.parts import now
from service.store.db import Transaction, db
from service.store.tables import Notice, Player, Step

# What a line may say, and what that means.
STEPS = {
    "deferred": "the mail server didn't take it now; it is tried again",
    "accepted": "the mail server took it",
    "refused": "the mail server will never take it",
    "given_up": "it was tried for days",
    "gathered": "it goes out with the next digest",
    "digested": "it went out with a digest",
    "outdated": "what it would have told was no longer so",
    "off": "you want no such mails",
    "capped": "the address had enough mails for a day",
    "suppressed": "mails to this address came back, so none are sent",
    "delayed": "a mail server on the way is still trying",
    "bounced": "it came back",
}

LONGEST_WHY = 300


@dataclass(frozen=True, slots=True)
class Account:
    """A notice and what became of it, step by step."""

    notice: Notice
    steps: tuple[Step, ...]


def note_step(transaction: Transaction, notice_id: str, what: str, why: str = "") -> None:
    """A further line. The caller's transaction holds the notice's row, so that lines have an order."""
    session = transaction.session
    last = session.scalar(select(func.max(Step.number)).where(Step.notice_id == notice_id))
    why = " ".join(why.split())[:LONGEST_WHY]
    session.add(Step(notice_id=notice_id, number=0 if last is None else last + 1, at=now(), what=what, why=why))
    session.flush()


def ledger_of(player: Player, after: str | None, most: int) -> list[Account]:
    """The player's notices, the newest first; those behind the one with the id `after`."""
    query = select(Notice).where(Notice.player_id == player.id)
    if after is not None:
        last = db.session.get(Notice, after)
        if last is None or last.player_id != player.id:
            raise NotFound("notice_unknown", "You have no such notice.")
        together = and_(Notice.created_at == last.created_at, Notice.id < last.id)
        query = query.where(or_(Notice.created_at < last.created_at, together))
    return _accounts(list(db.session.scalars(query.order_by(Notice.created_at.desc(), Notice.id.desc()).limit(most))))


def ledger_between(player_id: str, since: datetime, until: datetime, most: int) -> list[Account]:
    """The notices of which something was noted in that time, with what was noted by its end; the oldest first."""
    noted = select(Step.notice_id).where(Step.at > since, Step.at <= until)
    query = select(Notice).where(Notice.player_id == player_id, Notice.id.in_(noted))
    found = list(db.session.scalars(query.order_by(Notice.created_at.desc(), Notice.id.desc()).limit(most)))
    return [
        Account(account.notice, tuple(step for step in account.steps if step.at <= until))
        for account in reversed(_accounts(found))
    ]


def _accounts(notices: Sequence[Notice]) -> list[Account]:
    steps: dict[str, list[Step]] = {notice.id: [] for notice in notices}
    for step in db.session.scalars(select(Step).where(Step.notice_id.in_(steps)).order_by(Step.notice_id, Step.number)):
        steps[step.notice_id].append(step)
    return [Account(notice, tuple(steps[notice.id])) for notice in notices]
