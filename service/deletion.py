"""Deleting an account: what names the person goes, and every log still verifies.

The player's row stays, as nobody's: seats, submissions and keys refer to it, and logs are judged by those keys. What
the logs hold of the person are seals; what opens them lies in a table of its own and goes.
"""

from typing import Any

from sqlalchemy import delete, or_, select, update

from engine.events import Seat
from service.errors import BadStatement, NotFound
from service.matches import lock_match
from service.notices import code_of, reply_token
from service.parts import now, parts
from service.players import find_key, use_once
from service.signing import read_statement
from service.store.db import Transaction, db, writing
from service.store.logbook import PERSONAL, proof_of
from service.store.tables import (
    Address,
    Feed,
    Key,
    Letter,
    Mail,
    Match,
    Message,
    Notice,
    Order,
    PersonalOpening,
    Player,
    Registration,
    Seated,
    Step,
    Submission,
    Taken,
    Token,
    Vacation,
)
from service.turns import MAIL, Playing, go_on, tell_who_is_asked

NOBODY = "Nobody"


def delete_signed(text: str) -> Player:
    """By a statement of the player's own. They leave the matches that run."""
    signed = read_statement(text, "ogham-delete+jws", find_key, frozenset({"aud"}))
    key = db.session.get_one(Key, signed.kid)
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    if signed.payload["aud"] != parts().settings.public_url:
        raise BadStatement("audience_wrong", f"aud must be {parts().settings.public_url}")
    with writing() as transaction:
        use_once(transaction, signed)
        player = transaction.session.get_one(Player, key.player_id, with_for_update=True)
        _delete(transaction, player, proof_of("signed", {"jws": signed.text, "deletion": True}))
        return player


def delete_at(address: str) -> Player:
    """By the operator, for somebody who has no key and asks for it: the logs say that the service did it."""
    with writing() as transaction:
        player = transaction.session.scalars(
            select(Player).where(Player.address == address.lower()).with_for_update()
        ).one_or_none()
        if player is None:
            raise NotFound("player_unknown", "There is no player at this address.")
        _delete(transaction, player, {"grade": "service"})
        return player


def _delete(transaction: Transaction, player: Player, proof: Any) -> None:
    for match_id, seat in _running(transaction, player):
        playing = Playing(transaction, lock_match(transaction.session, match_id))
        if seat not in playing.game.left(playing.state):
            playing.leave(Seat(seat), proof)
            go_on(playing)
            tell_who_is_asked(playing)
    _forget(transaction, player)


def _running(transaction: Transaction, player: Player) -> list[tuple[str, int]]:
    """In the order of their ids, in which everybody locks several."""
    rows = transaction.session.execute(
        select(Match.id, Seated.seat)
        .join(Seated, Seated.match_id == Match.id)
        .where(Seated.player_id == player.id, Match.status == "running")
        .order_by(Match.id)
    )
    return [(match_id, seat) for match_id, seat in rows]


def _forget(transaction: Transaction, player: Player) -> None:
    session, address = transaction.session, player.address
    submissions = session.scalars(select(Submission).where(Submission.player_id == player.id, Submission.kid == MAIL))
    orders = session.scalars(select(Order).where(Order.player_id == player.id, Order.kid == MAIL))
    for row in (*submissions, *orders):
        row.evidence = {name: value for name, value in row.evidence.items() if name not in PERSONAL}
    theirs = or_(Notice.player_id == player.id, Notice.address == address)
    domain = parts().settings.mail_domain
    notices = session.scalars(select(Notice.id).where(theirs)).all()
    for notice_id in notices:  # what was answered to it, they wrote; what came back names them
        ours = [f"play+{reply_token(notice_id)}", *(f"{to}+{code_of(to, notice_id)}" for to in ("bounce", "stop"))]
        session.execute(delete(Mail).where(Mail.recipient.in_([f"{local}@{domain}" for local in ours])))
        session.execute(delete(Step).where(Step.notice_id == notice_id))
    session.execute(delete(Mail).where(Mail.sender == address))
    session.execute(delete(Notice).where(theirs))
    session.execute(delete(Notice).where(Notice.kind == "declined", Notice.about == {"who": address}))
    session.execute(delete(Address).where(Address.address == address))
    session.execute(delete(Letter).where(Letter.recipient == address))
    session.execute(delete(Registration).where(Registration.address == address))
    session.execute(delete(PersonalOpening).where(PersonalOpening.player_id == player.id))
    for table in (Token, Feed, Vacation, Taken, Message):
        session.execute(delete(table).where(table.player_id == player.id))
    session.execute(update(Key).where(Key.player_id == player.id, Key.revoked_at.is_(None)).values(revoked_at=now()))
    player.name, player.address, player.deleted_at = NOBODY, f"{player.id}@deleted.invalid", now()
    player.preferences, player.signed_by = {}, None
