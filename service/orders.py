"""Standing orders: what a player says ahead of time about decisions they will be asked for out of turn.

What a game can be ordered, the game says; how long an order stands and at which hour it acts is said here. Orders and
withdrawals are counted per seat, and each is receipted to its owner: an order that acts after its withdrawal is found.
"""

import re
from dataclasses import dataclass
from datetime import time
from hashlib import sha256

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from engine.errors import NotationError
from engine.events import Seat
from engine.log import encode
from engine.values import JSON
from service.errors import BadStatement, Conflict, Malformed, NotFound
from service.matches import lock_match
from service.moves import LONGEST_LINE, grade_of, read_by_seat
from service.parts import now, timestamp
from service.preferences import is_zone, preferences_of
from service.receipts import sign_receipt
from service.signing import Signed
from service.store.db import Transaction, db, writing
from service.store.tables import Key, Order, Player
from service.turns import ASK, MAIL, Playing, go_on, standing_orders, tell_who_is_asked

ORDER = frozenset({"match", "seat", "order"})
RECEIPT = "ogham-order-receipt+jws"
MOST_STANDING = 50

_WITHDRAW = re.compile(
    r"(?:withdraw|take back|widerrufe?|nimm zurück)\s+(?:(\d{1,6}(?:[\s,]+\d{1,6})*)|all|alles?)", re.IGNORECASE
)
_ASK = re.compile(r"(?:always\s+)?ask(?:\s+me)?|frage?(?:\s+mich)?(?:\s+immer)?", re.IGNORECASE)
_TAIL = re.compile(
    r"(?P<text>.+?)"
    r"(?P<once>[\s,]+(?:once|next time|einmal|nächstes mal))?"
    r"(?:[\s,]+(?:at|um)\s+(?P<hour>\d{1,2}:\d{2})(?:\s+uhr)?(?:\s+(?P<zone>[A-Za-z][\w+-]*(?:/[\w+-]+)*))?)?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Said:
    """An order as it is meant; a withdrawal has numbers in place of a text."""

    text: str
    once: bool = False
    hour: str | None = None
    zone: str = "UTC"
    withdraws: tuple[int, ...] = ()

    @property
    def line(self) -> str:
        """The one canonical line for it."""
        if self.withdraws:
            return f"withdraw {' '.join(map(str, self.withdraws))}"
        hour = f" at {self.hour} {self.zone}" if self.hour else ""
        return self.text + " once" * self.once + hour


# -- taking in


def give_signed(match_id: str, text: str) -> Order:
    """An order, or a withdrawal, by a signed statement. The same statement again gets the same answer."""
    signed, key = _read_signed(
        db.session(), match_id, text
    )  # before the transaction: what isn't signed holds up nobody
    with writing() as transaction:
        return _give_signed(transaction, match_id, signed, key)


def give_pasted(transaction: Transaction, match_id: str, text: str) -> Order:
    """The same, in a transaction that does more."""
    return _give_signed(transaction, match_id, *_read_signed(transaction.session, match_id, text))


def _read_signed(session: Session, match_id: str, text: str) -> tuple[Signed, Key]:
    signed, key = read_by_seat(session, match_id, text, "ogham-order+jws", ORDER)
    if _known(signed) is None:
        if key.revoked_at is not None:
            raise BadStatement("key_revoked", "The key that signed this was revoked.")
        line = signed.payload["order"]
        if not isinstance(line, str) or not 0 < len(line) <= LONGEST_LINE:
            raise BadStatement("statement_invalid", f"order must be a line of 1 to {LONGEST_LINE} characters.")
    return signed, key


def _give_signed(transaction: Transaction, match_id: str, signed: Signed, key: Key) -> Order:
    grade, seat = grade_of(key, match_id), Seat(signed.payload["seat"])
    player = transaction.session.get_one(Player, key.player_id)
    playing = Playing(transaction, lock_match(transaction.session, match_id))
    known = _known(signed)
    if known is not None:
        return known
    line = signed.payload["order"]
    order = give(playing, player, seat, line, grade, signed.kid, signed.jti, {"jws": signed.text})
    act_on_orders(playing, seat)
    return order


def _known(signed: Signed) -> Order | None:
    known = db.session.scalars(select(Order).where(Order.kid == signed.kid, Order.jti == signed.jti)).one_or_none()
    if known is not None and known.evidence["jws"].split(".")[1] != signed.text.split(".")[1]:
        raise Conflict("jti_used", "You used this jti for another order. Take a new one.")
    return known


def give_mailed(
    transaction: Transaction, match_id: str, player: Player, seat: Seat, lines: list[str], mail_id: str, evidence: JSON,
    act: bool,
) -> list[Order]:  # fmt: skip
    """The orders of a mail, all or none. `act`: also on what the seat is asked now."""
    playing = Playing(transaction, lock_match(transaction.session, match_id))
    orders = [
        give(playing, player, seat, line, "mailed", MAIL, f"{mail_id}:{number}", evidence | {"line": number})
        for number, line in enumerate(lines)
    ]
    if act:
        act_on_orders(playing, seat)
    return orders


def give(
    playing: Playing, player: Player, seat: Seat, line: str, grade: str, kid: str, jti: str, evidence: JSON
) -> Order:
    """Write an order down, or take orders back."""
    match, session = playing.match, playing.session
    if match.status != "running":
        raise Conflict("not_running", "The match isn't running.")
    said = read_order(playing, seat, line, preferences_of(player)["zone"])
    standing = standing_orders(session, match.id, seat)
    if len(standing) >= MOST_STANDING and not said.withdraws:
        raise Conflict("too_many_orders", f"You have {MOST_STANDING} standing orders. Take one back first.")
    for order in standing:
        if order.number in said.withdraws:
            order.status = "withdrawn"
    number, at = _next_number(session, match.id, seat), now()
    what = evidence["jws"].encode() if "jws" in evidence else bytes.fromhex(evidence["mail"])
    receipt = {
        "match": match.id, "seat": seat, "number": number, "order": said.line, "at": timestamp(at),
        "hash": encode(sha256(what).digest()), "length": match.length, "head": encode(match.head),
    }  # fmt: skip
    order = Order(
        match_id=match.id, seat=seat, number=number, player_id=player.id, line=said.line, text=said.text,
        once=said.once, hour=said.hour, zone=said.zone, status="done" if said.withdraws else "standing",
        grade=grade, kid=kid, jti=jti, evidence=evidence, given_at=at, receipt=sign_receipt(RECEIPT, receipt),
    )  # fmt: skip
    session.add(order)
    session.flush()
    return order


def act_on_orders(playing: Playing, seat: Seat) -> None:
    """What this seat is asked out of turn may have been answered by what it just said."""
    if playing.match.to_act == seat != playing.match.turn:
        go_on(playing)
        tell_who_is_asked(playing)


def _next_number(session: Session, match_id: str, seat: int) -> int:
    newest = session.scalar(select(func.max(Order.number)).where(Order.match_id == match_id, Order.seat == seat))
    return (newest or 0) + 1


# -- reading


def read_order(playing: Playing, seat: Seat, line: str, own_zone: str) -> Said:
    """What a line orders; Malformed or NotFound where it is no order, or takes back what doesn't stand.

    Hours are those of `own_zone`, unless another is named.
    """
    line = line.strip()
    withdrawal = _WITHDRAW.fullmatch(line)
    if withdrawal is not None:
        return _withdrawal(playing, seat, withdrawal[1])
    orders = playing.game.orders
    if orders is None:
        title = playing.game.info.title
        raise Malformed("order_unreadable", f"{title} asks nobody out of turn: there is nothing to order.")
    found = _TAIL.fullmatch(line)
    text = found["text"] if found else line
    try:
        text = ASK if _ASK.fullmatch(text) else orders.read(text, playing.game.view(playing.state, seat))
    except NotationError as error:
        raise Malformed("order_unreadable", f"“{line}” is no order: expected {error.expected}.") from None
    hour, zone = (found["hour"], found["zone"]) if found else (None, None)
    return Said(text, bool(found and found["once"]), _hour(hour), _zone(zone) if zone else own_zone)


def _withdrawal(playing: Playing, seat: Seat, numbers: str | None) -> Said:
    """Numbers, or everything that stands."""
    standing = sorted(order.number for order in standing_orders(playing.session, playing.match.id, seat))
    wanted = standing if numbers is None else sorted({int(number) for number in re.findall(r"\d+", numbers)})
    for number in wanted:
        if number not in standing:
            raise NotFound("order_unknown", f"You have no standing order {number}.")
    if not wanted:
        raise NotFound("order_unknown", "You have no standing orders.")
    return Said("", withdraws=tuple(wanted))


def _hour(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        hour, minute = map(int, text.split(":"))
        return time(hour, minute).isoformat("minutes")
    except ValueError:
        raise Malformed("order_unreadable", f"{text} is no time of the day. Say 00:00 to 23:59.") from None


def _zone(name: str) -> str:
    if not is_zone(name):
        raise Malformed("order_unreadable", f"There is no time zone {name}. Say one like Europe/Berlin.")
    return name


def orders_of(match_id: str, seat: Seat) -> list[Order]:
    """All that the seat ever ordered or took back, in order."""
    return list(
        db.session.scalars(select(Order).where(Order.match_id == match_id, Order.seat == seat).order_by(Order.number))
    )
