"""Matches: opening one, joining it, starting it when the table is full, ending it; reading it as somebody."""

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from engine.chance import Chance
from engine.errors import BadOption
from engine.events import Seat
from engine.game import Game, State, complete_options
from engine.log import BEFORE_FIRST, FORMAT, commitment, encode, promise, seed
from engine.play import fold
from engine.values import freeze
from service.clocks import SERVICE, check_bot, follow_clock, read_clock
from service.errors import BadStatement, Conflict, Malformed, NotAllowed, NotFound
from service.facts import check_asks, read_asks
from service.ids import new_id
from service.notices import store_notice, tell_player, tell_the_end, tell_the_start, tell_whose_turn
from service.parts import now, parts
from service.players import check_address, find_key, valid_keys
from service.signing import Signed, import_key, is_base64url, read_statement
from service.store.db import Transaction, db, writing
from service.store.logbook import Scribe, game_of, keep_state, load_state, proof_of
from service.store.tables import Entry, Key, Match, Player, Seated
from service.vacations import enter_vacations

JOIN = frozenset({"match", "opened", "seat", "keys"})
# What a player adds to the shuffle when joining: their nonce, or its hash.
SHARE = {"joint": "nonce", "sealed": "promise"}
LONGEST_NONCE = 200
BOT = "bot:"
"""So begin the names of bots, and no address does."""


def open_match(
    player: Player, game_id: str, seats: int, options: dict[str, Any], invite: list[str], shuffle: str = "joint",
    clock: dict[str, Any] | None = None, asks: dict[str, Any] | None = None,
) -> Match:  # fmt: skip
    """A new match. Invited bots sit down at once, on the highest seats; people get a mail, and take a seat by joining.

    `clock` says how much time there is (None: as much as anybody likes), `asks` who may take a seat.
    """
    game = find_game(game_id)
    try:
        options = complete_options(game.info, seats, options)
    except BadOption as error:
        raise Malformed("option_invalid", error.sentence, option=error.name) from None
    clock = None if clock is None else read_clock(clock)
    asks = read_asks(asks) if asks else None
    invited, bots = _read_invited(invite, seats)
    with writing() as transaction:
        secret = secrets.token_bytes(32)
        match = Match(
            id=new_id(), game=game_id, seats=seats, options=options, shuffle=shuffle, status="open",
            opened_by=player.id, opened_at=now(), secret=secret, seed=None, length=0, head=BEFORE_FIRST, seals=0,
            changed=0, to_act=None, turn=None, turn_since=0, asked_at=None, orders_due=None, bot_due=None,
            clock=clock, asks=asks,
        )  # fmt: skip
        transaction.session.add(match)
        transaction.session.flush()
        scribe = Scribe(transaction.session, match)
        scribe.append(
            "opened",
            format=FORMAT,
            game=game_id,
            seats=seats,
            options=options,
            shuffle=shuffle,
            commitment=commitment(match.id, secret),
            clock=clock,
            asks=asks,
        )
        _seat_bots(transaction.session, match, scribe, bots)
        for address in invited:
            known = transaction.session.scalars(select(Player).where(Player.address == address)).one_or_none()
            store_notice(
                transaction,
                "invitation",
                f"invitation:{match.id}:{address}",
                address=address,
                language=known.language if known else player.language,
                player_id=known.id if known else None,
                match_id=match.id,
                about={"by": player.name},
            )
    return match


def _read_invited(invite: list[str], seats: int) -> tuple[list[str], list[str]]:
    """The addresses, each once, and the bots: of those there may be several alike. A player must be left a seat."""
    bots = [name for name in invite if name.startswith(BOT)]
    for name in bots:
        check_bot(name)
    addresses = list(dict.fromkeys(check_address(address) for address in invite if not address.startswith(BOT)))
    if (count := len(addresses) + len(bots)) > seats:
        raise Malformed("too_many_invited", f"The table has {seats} seats; {count} were invited.")
    if len(bots) == seats:
        raise Malformed("bots_only", "Leave a seat to a player: bots play each other with `ogham bots`.")
    return addresses, bots


def _seat_bots(session: Session, match: Match, scribe: Scribe, bots: list[str]) -> None:
    """Before any player: so a bot's nonce was fixed when theirs came."""
    for seat, bot in enumerate(bots, match.seats - len(bots)):
        nonce = secrets.token_urlsafe(32)
        promised = promise(match.id, seat, nonce) if match.shuffle == "sealed" else None
        row = Seated(match_id=match.id, seat=seat, bot=bot, nonce=nonce, promise=promised, joined_at=now())
        session.add(row)
        _enter_seat(scribe, row, [], SERVICE, bot=bot)


def find_game(game_id: str) -> Game:
    game = parts().games.get(game_id)
    if game is None:
        raise NotFound("game_unknown", f"There is no game “{game_id}”. There are: {', '.join(parts().games)}.")
    return game


# -- joining


def join_signed(match_id: str, text: str) -> tuple[Match, int]:
    """Take a seat by a signed statement. The same statement again gets the same answer."""
    match = db.session.get(Match, match_id)
    share = SHARE[match.shuffle if match else "joint"]
    signed = read_statement(text, "ogham-join+jws", find_key, JOIN | {share})
    key = db.session.get_one(Key, signed.kid)
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    if signed.payload["match"] != match_id:
        raise BadStatement("other_match", "This statement was signed for another match.")
    with writing() as transaction:
        session = transaction.session
        match = lock_match(session, match_id)
        player = session.get_one(Player, key.player_id)
        _check_join(session, match, player, signed)
        seat = signed.payload["seat"]
        seated = session.get(Seated, (match_id, seat))
        if seated is not None and (seated.player_id, getattr(seated, share)) == (player.id, signed.payload[share]):
            return match, seat
        proof = proof_of("signed", {"jws": signed.text})
        nonce, promised = signed.payload.get("nonce", ""), signed.payload.get("promise")
        _take_seat(transaction, match, player, seat, nonce, promised, signed.payload["keys"], proof)
        return match, seat


def _check_join(session: Session, match: Match, player: Player, signed: Signed) -> None:
    payload = signed.payload
    opened = session.get_one(Entry, (match.id, 0))
    if payload["opened"] != encode(opened.hash):
        raise BadStatement("other_match", "`opened` isn't the hash of this match's first entry.")
    seat = payload["seat"]
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < match.seats:
        raise BadStatement("statement_invalid", f"seat must be a whole number from 0 to {match.seats - 1}.")
    if match.shuffle == "joint":
        check_nonce(payload["nonce"])
    elif not is_base64url(payload["promise"], 32):
        raise BadStatement("statement_invalid", "promise must be the hash of your nonce, in base64url.")
    keys = payload["keys"]
    listed = sorted(import_key(jwk).thumbprint() for jwk in keys) if isinstance(keys, list) else None
    if listed != sorted(key.kid for key in valid_keys(player.id)):  # a reader of the log knows of no others
        raise BadStatement("statement_invalid", "keys must list your public keys: all that are valid, each once.")


def check_nonce(nonce: object) -> None:
    if not isinstance(nonce, str) or not 16 <= len(nonce) <= LONGEST_NONCE:
        raise BadStatement("statement_invalid", "nonce must be a text of 16 to 200 characters, random and your own.")


def join_by_mail(
    transaction: Transaction, match_id: str, player: Player, words: str, proof: dict[str, Any]
) -> tuple[Match, int]:
    """Take the first free seat by an answered invitation; the player's own words are their nonce."""
    match = lock_match(transaction.session, match_id)
    taken = {seated.seat: seated.player_id for seated in _seats(transaction.session, match)}
    for seat, other in taken.items():
        if other == player.id:
            return match, seat
    free = [seat for seat in range(match.seats) if seat not in taken]
    if match.status != "open" or not free:
        raise Conflict("table_full", "All seats of this match are taken.")
    keys = [key.jwk for key in valid_keys(player.id)]
    nonce = words[:LONGEST_NONCE]
    promised = promise(match.id, free[0], nonce) if match.shuffle == "sealed" else None
    _take_seat(transaction, match, player, free[0], nonce, promised, keys, proof)
    return match, free[0]


def _take_seat(
    transaction: Transaction, match: Match, player: Player, seat: int, nonce: str, promised: str | None,
    keys: list[Any], proof: Any,
) -> None:  # fmt: skip
    session = transaction.session
    if match.status != "open":
        raise Conflict("table_full", "All seats of this match are taken.")
    for taken in _seats(session, match):
        if taken.seat == seat:
            raise Conflict("seat_taken", f"Seat {seat} is taken.")
        if taken.player_id == player.id:
            raise Conflict("already_seated", f"You have seat {taken.seat} in this match.")
    check_asks(session, match, player)
    scribe = Scribe(session, match)
    row = Seated(match_id=match.id, seat=seat, player_id=player.id, nonce=nonce, promise=promised, joined_at=now())
    session.add(row)
    session.flush()
    _enter_seat(scribe, row, keys, proof)
    if is_full(session, match):
        if match.shuffle == "sealed":
            ask_for_nonces(transaction, match, scribe)
        start_when_all_nonces_are_there(transaction, match, scribe)


def _enter_seat(scribe: Scribe, row: Seated, keys: list[Any], proof: Any, **members: Any) -> None:
    share = {"nonce": row.nonce} if row.promise is None else {"promise": row.promise}
    scribe.append("joined", seat=Seat(row.seat), proof=proof, person=row.player_id, keys=keys, **share, **members)


def is_full(session: Session, match: Match) -> bool:
    """Whether all seats are taken."""
    return len(_seats(session, match)) == match.seats


def ask_for_nonces(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    """The table is full, and every nonce promised: open those that came by mail and the bots', ask for the others."""
    for seated in _seats(transaction.session, match):
        if seated.nonce:
            scribe.append("nonce_opened", seat=Seat(seated.seat), proof=SERVICE, nonce=seated.nonce)
    for seated in _seats(transaction.session, match):
        if not seated.nonce:
            player = transaction.session.get_one(Player, seated.player_id)
            tell_player(transaction, "nonce", f"nonce:{match.id}:{seated.seat}", player, match, seated.seat)


def _seats(session: Session, match: Match) -> list[Seated]:
    return list(session.scalars(select(Seated).where(Seated.match_id == match.id).order_by(Seated.seat)))


def start_when_all_nonces_are_there(transaction: Transaction, match: Match, scribe: Scribe) -> None:
    nonces = [seated.nonce for seated in _seats(transaction.session, match)]
    if all(nonces):
        _start(transaction, match, scribe, nonces)


def _start(transaction: Transaction, match: Match, scribe: Scribe, nonces: list[str]) -> None:
    match.seed = seed(match.id, match.secret, nonces)
    game = game_of(match)
    events = game.deal(match.seats, match.options, chance_of(match))
    before = match.length
    scribe.append("dealt", proof=SERVICE, events=events)
    match.status = "running"
    state = fold(game, None, events)
    note_position(match, game, state)
    enter_vacations(transaction, match, scribe)
    close_if_over(transaction, match, scribe, state, before)
    if match.status == "running":
        tell_the_start(transaction, match)
        tell_whose_turn(transaction, match)


def chance_of(match: Match) -> Chance:
    if match.seed is None:
        raise NotAllowed("not_started", "The match hasn't started yet.")
    return Chance(match.seed)


def note_position(match: Match, game: Game, state: State) -> None:
    """Bring the match's row up to the state it has reached."""
    match.to_act, turn = game.to_act(state), game.turn(state)
    match.asked_at = now()
    if turn != match.turn:
        match.turn, match.turn_since = turn, match.length


def close_if_over(transaction: Transaction, match: Match, scribe: Scribe, state: State, before: int) -> None:
    """Close the match when it is over. Keep the state; the log had `before` entries when this transaction began."""
    outcome = game_of(match).outcome(state)
    if outcome is not None:
        scribe.append("closed", proof=SERVICE, outcome=freeze(outcome), secret=encode(match.secret))
        match.status = "over"
        tell_the_end(transaction, match)
    _ask_bot(transaction, match)
    follow_clock(transaction, match, scribe)
    keep_state(transaction.session, match, state, before)


def _ask_bot(transaction: Transaction, match: Match) -> None:
    """Leave it to a worker to go on, where a bot is asked."""
    match.bot_due = None
    if match.status == "running" and bot_at(transaction.session, match, match.to_act) is not None:
        match.bot_due = now()
        transaction.ring("bot", match.id)


def bot_at(session: Session, match: Match, seat: int | None) -> str | None:
    """The name of the bot on this seat; None where a player has it."""
    return session.scalars(select(Seated.bot).where(Seated.match_id == match.id, Seated.seat == seat)).one_or_none()


def lock_match(session: Session, match_id: str) -> Match:
    match = session.get(Match, match_id, with_for_update=True, populate_existing=True)
    if match is None:
        raise NotFound("match_unknown", "There is no such match.")
    return match


# -- reading


@dataclass(frozen=True, slots=True)
class Sight:
    """A match as one reader may see it: at some length of its log, from their seat (None: as a spectator)."""

    match: Match
    game: Game
    seat: Seat | None
    names: list[str]
    length: int
    head: bytes
    view: Any
    to_act: Seat | None
    turn: Seat | None
    outcome: Any


def find_match(match_id: str) -> Match:
    match = db.session.get(Match, match_id, populate_existing=True)
    if match is None:
        raise NotFound("match_unknown", "There is no such match.")
    return match


def seat_of(match_id: str, player: Player | None) -> Seat | None:
    if player is None:
        return None
    seat = db.session.scalars(
        select(Seated.seat).where(Seated.match_id == match_id, Seated.player_id == player.id)
    ).one_or_none()
    return None if seat is None else Seat(seat)


def names_of(match: Match) -> list[str | None]:
    """The players' names by seat, and the bots'; None where nobody sits yet."""
    rows = db.session.execute(
        select(Seated.seat, func.coalesce(Player.name, Seated.bot))
        .outerjoin(Player, Player.id == Seated.player_id)
        .where(Seated.match_id == match.id)
    )
    names = {seat: name for seat, name in rows}  # noqa: C416  (mypy reads a row as a pair only when it is unpacked)
    return [names.get(seat) for seat in range(match.seats)]


def see_match(match: Match, seat: Seat | None, length: int | None = None) -> Sight:
    """What the seat sees when the log has this length (None: now)."""
    if length is None:
        length = match.length
    if not 0 < length <= match.length:
        raise NotFound(
            "seq_unknown", f"The log has entries 0 to {match.length - 1}; a state is after 1 to {match.length} of them."
        )
    state = load_state(db.session(), match, length)
    if state is None:
        raise NotFound("not_started", "The match had not been dealt yet: there is no position.")
    game = game_of(match)
    head = match.head if length == match.length else db.session.get_one(Entry, (match.id, length - 1)).hash
    return Sight(
        match=match,
        game=game,
        seat=seat,
        names=[name or "" for name in names_of(match)],  # the table is full, or there would be no state
        length=length,
        head=head,
        view=game.view(state, seat),
        to_act=game.to_act(state),
        turn=game.turn(state),
        outcome=game.outcome(state),
    )


def list_matches(player: Player | None, status: str | None, after: str | None, most: int) -> list[Match]:
    """The matches a player sits in (None: everybody's), in the order of their ids."""
    query = select(Match).order_by(Match.id).limit(most)
    if player is not None:
        query = query.join(Seated, Seated.match_id == Match.id).where(Seated.player_id == player.id)
    if status is not None:
        query = query.where(Match.status == status)
    if after is not None:
        query = query.where(Match.id > after)
    return list(db.session.scalars(query))
