"""Mail addresses: which of them our mails don't reach, and which want none."""

from sqlalchemy import select

from service.parts import now
from service.store.db import Transaction, db
from service.store.tables import Address, Player, Seated

BOUNCES = 3
"""After so many mails in a row that found nobody, no more are sent."""


def _row(transaction: Transaction, address: str) -> Address:
    row = transaction.session.get(Address, address, with_for_update=True, populate_existing=True)
    if row is None:
        row = Address(address=address, bounces=0, suppressed_at=None, why="", uninvited=False)
        transaction.session.add(row)
    return row


def count_bounce(transaction: Transaction, address: str, why: str) -> None:
    """Another mail found nobody there."""
    row = _row(transaction, address)
    row.bounces += 1
    row.why = why
    if row.bounces >= BOUNCES and row.suppressed_at is None:
        row.suppressed_at = now()


def heard_from(transaction: Transaction, address: str) -> None:
    """There is somebody at this address after all."""
    row = transaction.session.get(Address, address, with_for_update=True, populate_existing=True)
    if row is not None:
        row.bounces, row.suppressed_at, row.why = 0, None, ""


def refuse_invitations(transaction: Transaction, address: str, refused: bool) -> None:
    """What somebody says who is no player, and so has no preferences."""
    _row(transaction, address).uninvited = refused


def known_of(address: str) -> Address | None:
    return db.session.get(Address, address, populate_existing=True)


def unreachable_seats(match_id: str) -> list[int]:
    """The seats whose players our mails don't reach. The others may want to tell them."""
    return list(
        db.session.scalars(
            select(Seated.seat)
            .join(Player, Player.id == Seated.player_id)
            .join(Address, Address.address == Player.address)
            .where(Seated.match_id == match_id, Address.suppressed_at.is_not(None))
            .order_by(Seated.seat)
        )
    )
