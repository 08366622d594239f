"""Players: registering, proving an address, keys, bearer tokens."""

import re
import secrets
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from engine.events import Seat
from service.errors import BadStatement, Conflict, Malformed, NotFound
from service.ids import fingerprint, new_id
from service.notices import reply_token, store_notice
from service.parts import now, parts
from service.signing import Signed, import_key, read_statement
from service.store.db import Transaction, db, writing
from service.store.logbook import Scribe, proof_of
from service.store.tables import Key, Match, Notice, Player, Registration, Seated, Statement, Token

TOKEN_LIFE = timedelta(days=1)
STATEMENT_LIFE = timedelta(minutes=10)
REGISTRATION_LIFE = timedelta(days=3)

# Letters of any script, digits, and what stands between the words of a name. No line ends, no brackets, no quotes:
# a name goes into mail headers and pictures.
_WORD = r"[^\W_]+(?:[.'’-][^\W_]+)*\.?"
NAME = re.compile(rf"(?=.{{1,40}}\Z){_WORD}(?: {_WORD})*")
# Neither quoted nor in other letters than ASCII: two readers might read such an address differently.
_ADDRESS = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+")


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Malformed(
            "name_invalid",
            "A name has 1 to 40 letters or digits, with single spaces, dots, hyphens or apostrophes between them.",
        )
    return name


def check_address(address: str) -> str:
    """The address as it is compared, in lower case. Its form was checked by the schema."""
    if not address.isascii() or not _ADDRESS.fullmatch(address.lower()):
        raise Malformed("address_invalid", "An address has plain letters, digits and signs, and no quotes or brackets.")
    domain = address.lower().rpartition("@")[2]
    if f".{domain}".endswith(f".{parts().settings.mail_domain}"):
        raise Malformed("address_invalid", "Addresses of this service's own mail domain belong to no player.")
    return address.lower()


# -- registering


def register(name: str, address: str, language: str, jwk: Any | None, proof: str | None) -> Registration:
    """Note that somebody claims this address, and ask the address. Whether it has a player already isn't told."""
    name, address = check_name(name), check_address(address)
    if (jwk is None) != (proof is None):
        raise Malformed(
            "key_invalid", "Give a key together with its proof: a statement of type ogham-register+jws signed with it."
        )
    statement = None
    if jwk is not None and proof is not None:
        kid = import_key(jwk).thumbprint()
        statement = read_statement(proof, "ogham-register+jws", {kid: jwk}.get, frozenset({"name", "address"}))
        if (statement.payload["name"], statement.payload["address"]) != (name, address):
            raise BadStatement("statement_invalid", "The proof is for another name or address (in lower case).")
    with writing() as transaction:
        if statement is not None:
            use_once(transaction, statement)
        registration = Registration(
            id=new_id(), name=name, address=address, language=language, jwk=jwk, created_at=now(), confirmed_at=None
        )
        transaction.session.add(registration)
        about = {"registration": registration.id, "name": name}
        store_notice(
            transaction, "welcome", f"welcome:{registration.id}", address=address, language=language, about=about
        )
    return registration


def confirm_registration(registration_id: str, token: str) -> Player:
    """The address answered, or the token of the mail to it was shown: now it is theirs."""
    with writing() as transaction:
        notice = transaction.session.scalars(
            select(Notice).where(Notice.key == f"welcome:{registration_id}")
        ).one_or_none()
        if notice is None or not secrets.compare_digest(reply_token(notice.id).encode(), token.encode()):
            raise NotFound(
                "registration_unknown", "There is no such registration, or this isn't the code from its mail."
            )
        return confirm(transaction, registration_id)


def confirm(transaction: Transaction, registration_id: str) -> Player:
    """Refused, it leaves nothing behind, whatever the transaction goes on to write."""
    with transaction.session.begin_nested():
        registration = transaction.session.get_one(Registration, registration_id, with_for_update=True)
        if registration.confirmed_at is None and registration.created_at + REGISTRATION_LIFE < now():
            raise Conflict("registration_expired", "This registration is older than three days. Please register again.")
        player = player_at(transaction, registration.address, registration.name, registration.language)
        if registration.jwk is not None and registration.confirmed_at is None:
            _confirm_key(transaction, player, registration.jwk)
        registration.confirmed_at = registration.confirmed_at or now()
        return player


def _confirm_key(transaction: Transaction, player: Player, jwk: Any) -> None:
    """The key that a registration brought. One that the player has already came with a registration sent twice."""
    known = transaction.session.get(Key, import_key(jwk).thumbprint())
    if known is None or known.player_id != player.id or known.revoked_at is not None:
        _add_key(transaction, player, jwk, "mailed")
        _enter_key(transaction, player, "key_added", {"grade": "mailed"}, key=jwk)


def player_at(transaction: Transaction, address: str, name: str, language: str) -> Player:
    """The player at a proven address; a new one where there was none."""
    at_address = select(Player).where(Player.address == address)
    player = transaction.session.scalars(at_address).one_or_none()
    if player is None:
        player = Player(
            id=new_id(), name=name, address=address, language=language, preferences={}, created_at=now()
        )  # fmt: skip
        try:
            with transaction.session.begin_nested():
                transaction.session.add(player)
        except IntegrityError:  # somebody else's transaction was quicker
            player = transaction.session.scalars(at_address).one()
    return player


# -- keys


def _add_key(transaction: Transaction, player: Player, jwk: Any, vouched: str) -> None:
    kid = import_key(jwk).thumbprint()
    key = Key(kid=kid, player_id=player.id, jwk=jwk, created_at=now(), revoked_at=None, vouched=vouched)
    try:
        if transaction.session.get(Key, key.kid) is None:
            with transaction.session.begin_nested():
                transaction.session.add(key)
            return
    except IntegrityError:  # since we looked
        pass
    raise Conflict("key_known", "This key is registered already. A key belongs to one player, for ever.")


def keys_of(player_id: str) -> list[Key]:
    return list(db.session.scalars(select(Key).where(Key.player_id == player_id).order_by(Key.created_at, Key.kid)))


def valid_keys(player_id: str) -> list[Key]:
    return [key for key in keys_of(player_id) if key.revoked_at is None]


def add_key(player: Player, jwk: Any, proof: str, statement: str) -> Key:
    """A further key: `proof` is signed by the new one, `statement` by one that is valid already; both say the same."""
    kid = import_key(jwk).thumbprint()
    with writing() as transaction:
        new = read_statement(proof, "ogham-key+jws", {kid: jwk}.get, frozenset({"action", "kid"}))
        old = _key_statement(player, statement)
        for signed in (new, old):
            _expect(signed, "add", kid)
            use_once(transaction, signed)
        _add_key(transaction, player, jwk, "signed")
        _enter_key(transaction, player, "key_added", proof_of("signed", {"jws": old.text}), key=jwk)
        return transaction.session.get_one(Key, kid)


def revoke_key(player: Player, kid: str, statement: str) -> Key:
    """From now on this key signs nothing. The statement is signed by any valid key of the player, this one included."""
    with writing() as transaction:
        signed = _key_statement(player, statement)
        _expect(signed, "revoke", kid)
        key = transaction.session.get(Key, kid, with_for_update=True)
        if key is None or key.player_id != player.id:
            raise NotFound("key_unknown", "You have no such key.")
        use_once(transaction, signed)
        if key.revoked_at is None:
            key.revoked_at = now()
            # Whoever else had the key may have asked for a token with it.
            transaction.session.execute(delete(Token).where(Token.player_id == player.id))
            _enter_key(transaction, player, "key_revoked", proof_of("signed", {"jws": signed.text}), kid=kid)
        return key


def read_own(transaction: Transaction, player: Player, text: str, typ: str, members: frozenset[str]) -> Signed:
    """A statement of the player's, about themselves and no match: signed by a valid key, just now, used once."""
    signed = _own_statement(player, text, typ, members)
    use_once(transaction, signed)
    return signed


def _key_statement(player: Player, text: str) -> Signed:
    return _own_statement(player, text, "ogham-key+jws", frozenset({"action", "kid"}))


def _own_statement(player: Player, text: str, typ: str, members: frozenset[str]) -> Signed:
    keys = {key.kid: key for key in keys_of(player.id)}
    signed = read_statement(text, typ, lambda kid: keys[kid].jwk if kid in keys else None, members)
    if keys[signed.kid].revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    return signed


def _expect(signed: Signed, action: str, kid: str) -> None:
    if (signed.payload["action"], signed.payload["kid"]) != (action, kid):
        raise BadStatement("statement_invalid", f'The statement must say "action": "{action}", "kid": "{kid}".')


def _enter_key(transaction: Transaction, player: Player, kind: str, proof: Any, **members: Any) -> None:
    """Tell every match the player sits in, so that its reader can judge signatures by the log alone."""
    session = transaction.session
    tables = session.execute(
        select(Match, Seated.seat)
        .join(Seated, Seated.match_id == Match.id)
        .where(Seated.player_id == player.id, Match.status != "over")
        .order_by(Match.id)
        .with_for_update(of=Match)
    ).all()
    for match, seat in tables:
        Scribe(session, match).append(kind, seat=Seat(seat), proof=proof, **members)


def find_key(kid: str) -> Any | None:
    key = db.session.get(Key, kid)
    return None if key is None else key.jwk


def use_once(transaction: Transaction, signed: Signed) -> None:
    if signed.payload["iat"] < (now() - STATEMENT_LIFE).timestamp():
        raise BadStatement("statement_expired", "iat lies more than ten minutes back: sign anew.")
    # One that was used so long ago could not be used again: iat may be ten minutes ahead, and then holds for ten more.
    transaction.session.execute(delete(Statement).where(Statement.used_at < now() - 2 * STATEMENT_LIFE))
    transaction.session.add(Statement(kid=signed.kid, jti=signed.jti, used_at=now()))
    try:
        transaction.session.flush()
    except IntegrityError:
        raise BadStatement("statement_used", "This statement was used before: sign anew, with a new jti.") from None


# -- bearer tokens


def give_token(assertion: str) -> tuple[str, Player]:
    """A bearer token for whoever signs an assertion for this service with a valid key."""
    signed = read_statement(assertion, "ogham-token+jws", find_key, frozenset({"aud"}))
    key = db.session.get_one(Key, signed.kid)
    if key.revoked_at is not None:
        raise BadStatement("key_revoked", "The key that signed this was revoked.")
    if signed.payload["aud"] != parts().settings.public_url:
        raise BadStatement("audience_wrong", f"aud must be {parts().settings.public_url}")
    with writing() as transaction:
        session = transaction.session
        use_once(transaction, signed)
        token = secrets.token_urlsafe(32)
        session.add(Token(hash=fingerprint(token), player_id=key.player_id, expires_at=now() + TOKEN_LIFE))
        session.execute(delete(Token).where(Token.expires_at < now()))
        return token, session.get_one(Player, key.player_id)


def player_with_token(token: str) -> Player | None:
    row = db.session.get(Token, fingerprint(token))
    if row is None or row.expires_at < now():
        return None
    return db.session.get(Player, row.player_id)
