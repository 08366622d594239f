"""What is done with a notice when it is due: sent, kept for the digest, or not sent at all. Looked up at that moment.

So settling a move costs nothing for it, and what a player chose a second ago holds.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import func, select, update

from service.addresses import known_of
from service.kinds import KINDS
from service.ledger import note_step
from service.notices import store_notice
from service.parts import now, parts
from service.preferences import next_digest, preferences_of
from service.store.db import Transaction, db, writing
from service.store.tables import Notice, Player

STRANGERS = 20
"""So many mails a day for an address that is nobody's: others can make us send them, by inviting and registering it."""


@dataclass(frozen=True, slots=True)
class Way:
    """Send it; or gather it for the digest, or drop it, and what the ledger says of that."""

    does: Literal["send", "gather", "drop"]
    step: str = ""
    why: str = ""


SEND = Way("send")


def way_of(notice: Notice) -> Way:
    known = known_of(notice.address)
    if known is not None and known.suppressed_at is not None:
        return Way("drop", "suppressed", known.why)
    kind, player = KINDS[notice.kind], _player(notice)
    if player is None:
        if notice.kind == "invitation" and known is not None and known.uninvited:
            return Way("drop", "off", "this address wants no invitations")
        return Way("drop", "capped") if _sent_today(notice) >= STRANGERS else SEND
    choice = "now" if kind.choice is None else preferences_of(player)[f"mail_{notice.kind}"]
    if choice == "off":
        return Way("drop", "off")
    if choice == "digest":
        return Way("gather", "gathered")
    if notice.kind != "digest" and _sent_today(notice) >= parts().settings.mails_a_day:
        return Way("gather", "capped")
    return SEND


def _player(notice: Notice) -> Player | None:
    return None if notice.player_id is None else db.session.get_one(Player, notice.player_id, populate_existing=True)


def _sent_today(notice: Notice) -> int:
    """Those that went out with a digest are counted too; no harm is in that."""
    today = (Notice.address == notice.address, Notice.done_at > now() - timedelta(days=1), Notice.outcome == "sent")
    return db.session.scalar(select(func.count()).select_from(Notice).where(*today)) or 0


# -- the digest


def gather(notice: Notice, way: Way) -> None:
    """Keep it for the digest at the player's next hour, which is thereby due."""
    with writing() as transaction:
        player = transaction.session.get_one(Player, notice.player_id)
        stroke = next_digest(player)
        kept = transaction.session.execute(
            update(Notice)
            .where(Notice.id == notice.id, Notice.status == "waiting", Notice.lease == notice.lease)
            .values(status="gathered", lease=None, lease_until=None, due_at=stroke)
            .execution_options(synchronize_session=False)
        )
        if not kept.rowcount:  # type: ignore[attr-defined]  # an UPDATE's result has it
            return
        note_step(transaction, notice.id, way.step, way.why)
        store_notice(
            transaction,
            "digest",
            f"digest:{player.id}:{stroke:%Y-%m-%dT%H:%M}",
            address=player.address,
            language=player.language,
            player_id=player.id,
            about={"until": stroke.timestamp()},
            due_at=stroke,
        )


def gathered_for(digest: Notice) -> list[Notice]:
    """What this digest brings, the oldest first: the same each time it is tried."""
    if digest.kind != "digest":
        return []
    found = db.session.scalars(
        select(Notice)
        .where(Notice.player_id == digest.player_id, Notice.status == "gathered", Notice.due_at <= until(digest))
        .order_by(Notice.created_at, Notice.id)
    )
    return list(found)


def until(digest: Notice) -> datetime:
    """The moment up to which it tells: its hour, however much later it is sent."""
    return datetime.fromtimestamp(digest.about["until"], UTC)


def finish_gathered(transaction: Transaction, digest: Notice, outcome: str, step: str) -> None:
    """What became of a digest became of all that it brought."""
    for notice in gathered_for(digest):
        notice.status, notice.outcome, notice.done_at = "done", outcome, now()
        note_step(transaction, notice.id, step, f"digest {digest.id}")
