"""Notices: what players are told. Written in the transaction that makes them true; delivered afterwards.

`service/kinds.py` lists their kinds. Whether and when one is sent is decided when it is due (`mailroom/ways.py`).
"""

import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.ids import derived_token, fingerprint, new_id
from service.kinds import KINDS
from service.parts import now, parts
from service.store.db import Transaction, db
from service.store.tables import Match, Notice, Player, SeatClock, Seated

ID = 20  # characters of a notice's id


def reply_token(notice_id: str) -> str:
    """The secret in a notice's reply address. It is made anew when needed; the database holds its hash only."""
    return derived_token(parts().settings.secret, f"reply/{notice_id}")


def answered_notice(session: Session, recipient: str) -> Notice | None:
    """The notice whose reply address this is."""
    token = recipient.partition("@")[0].partition("+")[2]
    if not token:
        return None
    return session.scalars(select(Notice).where(Notice.reply_hash == fingerprint(token))).one_or_none()


def code_of(purpose: str, notice_id: str) -> str:
    """What stands in an address of ours that is about one notice: its id, and a token that only we can make."""
    return notice_id + derived_token(parts().settings.secret, f"{purpose}/{notice_id}")


def notice_with(purpose: str, code: str) -> Notice | None:
    """The notice that this code is about; None where it isn't one of ours, or for something else."""
    if not secrets.compare_digest(code_of(purpose, code[:ID]).encode(), code.encode()):
        return None
    return db.session.get(Notice, code[:ID])


def store_notice(
    transaction: Transaction,
    kind: str,
    key: str,
    *,
    address: str,
    language: str,
    player_id: str | None = None,
    match_id: str | None = None,
    seat: int | None = None,
    seq: int | None = None,
    about: dict[str, Any] | None = None,
    due_at: datetime | None = None,
) -> None:
    """Write the notice, unless what it tells of (its key) was told before. It is due now, or when its kind says."""
    session = transaction.session
    if session.scalars(select(Notice.id).where(Notice.key == key)).one_or_none() is not None:
        return
    id, due_at = new_id(), due_at or now() + (parts().settings.linger if KINDS[kind].lingers else timedelta(0))
    session.add(
        Notice(
            id=id,
            key=key,
            kind=kind,
            player_id=player_id,
            address=address,
            language=language,
            match_id=match_id,
            seat=seat,
            seq=seq,
            about=about or {},
            reply_hash=fingerprint(reply_token(id)),
            created_at=now(),
            done_at=None,
            outcome=None,
            status="waiting",
            due_at=due_at,
            attempts=0,
            lease=None,
            lease_until=None,
        )
    )
    if due_at <= now():
        transaction.ring("deliver", id)


def tell_player(
    transaction: Transaction, kind: str, key: str, player: Player, match: Match, seat: int, **about: Any
) -> None:
    """A notice to a player about a match, as its log is now. Who deleted their account isn't told anything."""
    if player.deleted_at is not None:
        return
    store_notice(
        transaction,
        kind,
        key,
        address=player.address,
        language=player.language,
        player_id=player.id,
        match_id=match.id,
        seat=seat,
        seq=match.length,
        about=about,
    )


def table_of(transaction: Transaction, match: Match) -> list[tuple[int, Player]]:
    """The players at the match, by seat. Bots aren't told anything, and are left out."""
    rows = transaction.session.execute(
        select(Seated.seat, Player)
        .join(Player, Player.id == Seated.player_id)
        .where(Seated.match_id == match.id)
        .order_by(Seated.seat)
    )
    return [(seat, player) for seat, player in rows]


def tell_whose_turn(transaction: Transaction, match: Match) -> None:
    """The turn notice for the decision that is due now. Who is away got the one mail that brings them back in."""
    for seat, player in table_of(transaction, match):
        if seat == match.to_act and not is_away(transaction, match, seat):
            tell_player(transaction, "turn", f"turn:{match.id}:{match.length}", player, match, seat)


def tell_the_start(transaction: Transaction, match: Match) -> None:
    """To those who wait: who is to act gets a turn notice, which says as much."""
    for seat, player in table_of(transaction, match):
        if seat != match.to_act:
            tell_player(transaction, "started", f"started:{match.id}:{seat}", player, match, seat)


def is_away(transaction: Transaction, match: Match, seat: int) -> bool:
    """Whether the seat missed a decision and was not heard of since."""
    clock = transaction.session.get(SeatClock, (match.id, seat))
    return clock is not None and clock.away


def tell_table(transaction: Transaction, match: Match, said: str, about_seat: int, **about: Any) -> None:
    """Tell the others at the table what the clock did about a seat; its own player knows, or is told otherwise."""
    for seat, player in table_of(transaction, match):
        if seat != about_seat:
            key = f"clock:{match.id}:{match.length}:{said}:{about_seat}:{seat}"
            tell_player(transaction, "clock", key, player, match, seat, said=said, who=about_seat, **about)


def tell_the_end(transaction: Transaction, match: Match) -> None:
    for seat, player in table_of(transaction, match):
        tell_player(transaction, "finished", f"finished:{match.id}:{seat}", player, match, seat)
