"""The tables. The database holds the truth; what is in nobody's memory but here is safe.

Times are whole milliseconds since 1970, so that both databases sort and compare them alike. Ids are random text.
Work (a submission, a mail, a notice, a deadline) is a row with a status; see `claims.py` for how a worker takes one.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, Text, TypeDecorator, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

EPOCH = datetime.fromtimestamp(0, UTC)


class Instant(TypeDecorator[datetime]):
    """A moment, kept as the whole milliseconds before it: what is due now is due, and reads back as it was told."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // timedelta(milliseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromtimestamp(value / 1000, UTC)


class Duration(TypeDecorator[timedelta]):
    """A length of time, in whole milliseconds."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        return None if value is None else value // timedelta(milliseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        return None if value is None else timedelta(milliseconds=value)


class Json(TypeDecorator[Any]):
    """JSON as text: the same bytes on both databases, and nothing is read into it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class Base(DeclarativeBase):
    registry = registry(type_annotation_map={datetime: Instant, timedelta: Duration, str: Text, bytes: LargeBinary})


class Player(Base):
    """A person or a program, reached at a mail address that was proven."""

    __tablename__ = "player"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    address: Mapped[str] = mapped_column(unique=True)
    language: Mapped[str]
    preferences: Mapped[Any] = mapped_column(Json)
    """What differs from the defaults in `service/preferences.py`."""
    signed_by: Mapped[str | None]
    """The domain whose DKIM signature was on a mail of theirs: from then on, one without it is held."""
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    """From then on name and address are nobody's."""


class Registration(Base):
    """Somebody says that this is their address. It becomes a player when the mail to it is answered."""

    __tablename__ = "registration"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    address: Mapped[str]
    language: Mapped[str]
    jwk: Mapped[Any | None] = mapped_column(Json)
    created_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]


class Key(Base):
    """A player's public key. It is never deleted: old signatures are judged by it."""

    __tablename__ = "key"

    kid: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    jwk: Mapped[Any] = mapped_column(Json)
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    vouched: Mapped[str]
    """signed: by a key that was valid before; mailed: by the mail that confirmed a registration"""


class Token(Base):
    """A bearer token, known by its hash."""

    __tablename__ = "token"

    hash: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"))
    expires_at: Mapped[datetime] = mapped_column(index=True)


class Statement(Base):
    """A signed statement that was used: none can be used twice."""

    __tablename__ = "statement"

    kid: Mapped[str] = mapped_column(primary_key=True)
    jti: Mapped[str] = mapped_column(primary_key=True)
    used_at: Mapped[datetime] = mapped_column(index=True)


class ServiceKey(Base):
    """A key of the service's own: its public half, and the salt that gives the private one with the settings' secret.

    The one with the highest number signs; the others are kept, so that what they signed can be checked.
    """

    __tablename__ = "service_key"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kid: Mapped[str] = mapped_column(unique=True)
    jwk: Mapped[Any] = mapped_column(Json)
    salt: Mapped[bytes]
    created_at: Mapped[datetime]


class Match(Base):
    """One play of a game: what is needed to go on with it. Its history is in `entry`."""

    __tablename__ = "match"

    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[str]
    seats: Mapped[int]
    options: Mapped[Any] = mapped_column(Json)
    shuffle: Mapped[str] = mapped_column(server_default="joint")
    """joint or sealed: how the players' nonces come in"""
    status: Mapped[str] = mapped_column(index=True)
    """open, running or over"""
    opened_by: Mapped[str] = mapped_column(ForeignKey("player.id"))
    opened_at: Mapped[datetime]
    secret: Mapped[bytes]
    seed: Mapped[bytes | None]
    length: Mapped[int]
    head: Mapped[bytes]
    seals: Mapped[int]
    changed: Mapped[int]
    """The length of the log when the game's state last changed: a move that answers less is stale."""
    to_act: Mapped[int | None]
    """Whose decision is due."""
    turn: Mapped[int | None]
    """Whose turn it is: another seat's than `to_act` while that one answers a move."""
    turn_since: Mapped[int]
    """The length of the log when that turn began: what was sealed until the turn is over is open before it."""
    asked_at: Mapped[datetime | None]
    """When the decision became due."""
    orders_due: Mapped[datetime | None] = mapped_column(index=True)
    """When a standing order answers it; None where the player is asked."""
    bot_due: Mapped[datetime | None] = mapped_column(index=True)
    """When a bot answers it: as soon as a worker is free, who then puts this off for as long as it may take them. None
    where no bot is asked."""
    clock: Mapped[Any | None] = mapped_column(Json)
    """How much time there is and what happens when it is up, as `opened` has it; None: no clock runs."""
    asks: Mapped[Any | None] = mapped_column(Json)
    """What a player must have shown to take a seat; see `service/facts.py`."""
    paused_at: Mapped[datetime | None]


class Seated(Base):
    """Who sits where: a player, or a bot, of which there may be several alike at a table."""

    __tablename__ = "seated"
    __table_args__ = (UniqueConstraint("match_id", "player_id"),)

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("player.id"), index=True)
    """None: a bot. It is nobody who could be written to, sign, or be looked up."""
    bot: Mapped[str | None]
    """By its name, `bot:easy`."""
    nonce: Mapped[str]
    """Empty while it is only promised."""
    promise: Mapped[str | None]
    """Where the match's shuffle is sealed: the hash of the nonce."""
    joined_at: Mapped[datetime]
    left_at: Mapped[datetime | None]
    """When the seat resigned or forfeited."""


class Entry(Base):
    """One row of a match's log: the bytes that were hashed, and their hash. The database refuses to change it."""

    __tablename__ = "entry"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012  (SQLAlchemy's own form)

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    seat: Mapped[int | None]
    public: Mapped[bytes]
    hash: Mapped[bytes]
    receipt: Mapped[str | None]
    """The service's signature on this hash. Entries from before there were receipts have none."""


class SealOpening(Base):
    """A value that the log holds only a seal of, with its salt. Append-only like the entries."""

    __tablename__ = "opening"
    __table_args__ = (
        Index("opening_by_name", "match_id", "name"),
        {"sqlite_with_rowid": False},
    )

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    seq: Mapped[int]
    name: Mapped[str]
    value: Mapped[Any] = mapped_column(Json)
    salt: Mapped[bytes]


class PersonalOpening(Base):
    """A sealed value that names a person. It goes with the account, and the chain stays whole."""

    __tablename__ = "personal_opening"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    seq: Mapped[int]
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    value: Mapped[Any] = mapped_column(Json)
    salt: Mapped[bytes]


class Snapshot(Base):
    """A state, kept so that it needn't be folded again. A cache: any row may vanish at any time."""

    __tablename__ = "snapshot"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    length: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[str]
    state: Mapped[Any] = mapped_column(Json)


class Work:
    """What every kind of work has. `status` is `waiting` until it is done, whatever comes of it.

    A submission may be `kept` in between: some of its lines wait until others have answered the ones before. A notice
    may be `gathered`: it goes out with the digest that is due when it is.
    """

    status: Mapped[str]
    due_at: Mapped[datetime]
    attempts: Mapped[int]
    lease: Mapped[str | None]
    """Who has it now; whoever finishes it must still hold it."""
    lease_until: Mapped[datetime | None]


class Submission(Work, Base):
    """A move (or several) received and not yet judged, and later its verdict."""

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("kid", "jti"), Index("submission_work", "status", "due_at"))

    id: Mapped[str] = mapped_column(primary_key=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int]
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"))
    grade: Mapped[str]
    """signed or mailed"""
    kid: Mapped[str]
    """With `jti` its identity. A mailed one has the kid `mail` and the mail's id."""
    jti: Mapped[str]
    evidence: Mapped[Any] = mapped_column(Json)
    """The JWS as it was received, or what is kept of the mail: its hash, and what names a person."""
    seq: Mapped[int]
    head: Mapped[bytes | None]
    lines: Mapped[Any] = mapped_column(Json)
    received_at: Mapped[datetime]
    receipt: Mapped[str | None]
    """That it was received, and when, signed by the service; for signed ones."""
    by_mail: Mapped[bool]
    """Whether it came in a mail: then what becomes of it is told by mail."""
    verdict: Mapped[Any | None] = mapped_column(Json)


class Order(Base):
    """What a player said about decisions they will be asked for out of turn; or that they take such an order back."""

    __tablename__ = "order"
    __table_args__ = (UniqueConstraint("kid", "jti"),)

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """Orders and withdrawals of a seat are counted together, from 1."""
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"))
    line: Mapped[str]
    """All of it in canonical form."""
    text: Mapped[str]
    """What the game reads; empty for a withdrawal."""
    once: Mapped[bool]
    hour: Mapped[str | None]
    zone: Mapped[str]
    status: Mapped[str]
    """standing, used or withdrawn; a withdrawal is done"""
    grade: Mapped[str]
    kid: Mapped[str]
    jti: Mapped[str]
    evidence: Mapped[Any] = mapped_column(Json)
    given_at: Mapped[datetime]
    receipt: Mapped[str]


class Deadline(Work, Base):
    """The clock of a match while it runs, and when it runs out: at most one seat is asked at a time.

    `due_at` is never later than the true deadline, which is worked out anew when it has come: meanwhile the service may
    have been down. `done` means that no clock runs.
    """

    __tablename__ = "deadline"
    __table_args__ = (Index("deadline_work", "status", "due_at"), Index("deadline_reminder", "status", "remind_at"))

    id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    """The match's."""
    seat: Mapped[int]
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    turn: Mapped[int]
    """The match's `turn_since`: a clock runs once for each turn in which the seat is asked, however often."""
    since: Mapped[datetime]
    left: Mapped[timedelta]
    """How much time the seat had at `since`."""
    granted: Mapped[timedelta]
    """How much it had at the beginning of the turn."""
    reminded: Mapped[Any] = mapped_column(Json)
    """The points of this turn that the player was reminded at."""
    remind_at: Mapped[datetime | None]


class SeatClock(Base):
    """What a seat's clock keeps between turns."""

    __tablename__ = "seat_clock"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    left: Mapped[timedelta]
    granted: Mapped[timedelta]
    turn: Mapped[int | None]
    """The turn that time was last granted for."""
    reminded: Mapped[Any] = mapped_column(Json)
    misses: Mapped[int]
    """In a row: an answer begins anew."""
    missed_at: Mapped[datetime | None]
    away: Mapped[bool]
    """Missed, and not heard of since: its decisions are taken within the hour."""
    agrees: Mapped[bool]
    """Wants a pause."""


class Vacation(Base):
    """Days on which no clock runs for a player, announced to their tables."""

    __tablename__ = "vacation"

    id: Mapped[str] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    first: Mapped[str]
    """The first and the last day, both included, in the player's zone: what is counted for the budget."""
    last: Mapped[str]
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    announced_at: Mapped[datetime]


class Beat(Base):
    """One row: when the service was last known to be at work."""

    __tablename__ = "beat"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]


class Outage(Base):
    """The service was down: no time counts from its last heartbeat until an hour after it was back."""

    __tablename__ = "outage"

    starts_at: Mapped[datetime] = mapped_column(primary_key=True)
    ends_at: Mapped[datetime] = mapped_column(index=True)


class Taken(Base):
    """How long a player took for a move, or that they missed one: what facts about players are made from."""

    __tablename__ = "taken"

    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    time: Mapped[timedelta | None]
    """None where there was none to take: an order answered, or the line came with the one before."""
    missed: Mapped[bool]


class Feed(Base):
    """A player's calendar under a secret address, known by its hash."""

    __tablename__ = "feed"

    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), primary_key=True)
    hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]


class Message(Base):
    """What a player said to the others at a table. It is in no log, and goes with the account."""

    __tablename__ = "message"
    __table_args__ = (UniqueConstraint("match_id", "number"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    match_id: Mapped[str] = mapped_column(ForeignKey("match.id"))
    number: Mapped[int]
    """Counted in each match, from 1."""
    seat: Mapped[int]
    player_id: Mapped[str] = mapped_column(ForeignKey("player.id"), index=True)
    text: Mapped[str]
    sent_at: Mapped[datetime]


class Mail(Work, Base):
    """A mail that came in, as it came in."""

    __tablename__ = "mail"
    __table_args__ = (Index("mail_work", "status", "due_at"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    sender: Mapped[str]
    recipient: Mapped[str]
    raw: Mapped[bytes]
    received_at: Mapped[datetime]
    identity: Mapped[str | None] = mapped_column(unique=True)
    """The hash of player and Message-ID, set when it is read: the same mail again is found by it."""
    verdict: Mapped[str | None]


class Notice(Work, Base):
    """Something a player is told. It is written with what it tells of, and rendered when it is sent."""

    __tablename__ = "notice"
    __table_args__ = (
        Index("notice_work", "status", "due_at"),
        Index("notice_by_player", "player_id", "created_at"),
        Index("notice_by_address", "address", "done_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    """What it tells of: the same thing is told once."""
    kind: Mapped[str]
    player_id: Mapped[str | None] = mapped_column(ForeignKey("player.id"))
    address: Mapped[str]
    language: Mapped[str]
    match_id: Mapped[str | None] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int | None]
    seq: Mapped[int | None]
    about: Mapped[Any] = mapped_column(Json)
    reply_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    done_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    """sent, or why it was not"""


class Step(Base):
    """A line of the ledger: what became of a notice at some moment, and why."""

    __tablename__ = "step"

    notice_id: Mapped[str] = mapped_column(ForeignKey("notice.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    what: Mapped[str]
    """One of `STEPS` in `service/ledger.py`."""
    why: Mapped[str]
    """The mail server's words, or ours."""


class Address(Base):
    """What we learnt of a mail address, whoever's it is. Most have no row: nothing came back from them."""

    __tablename__ = "address"

    address: Mapped[str] = mapped_column(primary_key=True)
    bounces: Mapped[int]
    """How many mails in a row came back because there is nobody."""
    suppressed_at: Mapped[datetime | None]
    """Since then nothing is sent there."""
    why: Mapped[str]
    uninvited: Mapped[bool]
    """They want no invitations, and are no player who could say so."""


class Letter(Base):
    """A mail in the mailbox of the embedded set-up."""

    __tablename__ = "letter"

    id: Mapped[str] = mapped_column(primary_key=True)
    recipient: Mapped[str]
    raw: Mapped[bytes]
    sent_at: Mapped[datetime]
