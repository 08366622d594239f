"""Receipts: what the service signs with its own key, and the keys it has for that.

A receipt is a compact JWS (Ed25519, `kid` the RFC 7638 thumbprint) that whoever got it can hold against the service.
The keys are published as a JWK set; a new one can take over at any time, and old ones stay published.

A private key is never stored. The table holds its public half and a salt; the key itself is made from that salt and
the settings' secret (HKDF-SHA-256) when it is needed. So the database alone signs nothing, and where the secret was
changed, the next receipt is signed with a new key.
"""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from flask import current_app
from joserfc import jws
from joserfc.jwk import OKPKey
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from engine.log import encode
from engine.transcript import HEAD
from service.parts import now, parts
from service.store.db import db, writing
from service.store.tables import ServiceKey

RECEIVED = "ogham-received+jws"

# How long a process may go on with the key it knows: a rotation has reached everybody after that.
REMEMBERED = timedelta(seconds=10)
# A key that is younger may belong to a transaction that is undone yet, and so isn't remembered.
SETTLED = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Signer:
    """The key in use."""

    kid: str
    key: OKPKey
    since: datetime
    """When it was looked up."""


def sign_receipt(typ: str, payload: dict[str, Any]) -> str:
    """The payload as a compact JWS of this type, signed with the service's current key; the first is made here."""
    signer = _signer()
    header = {"alg": "Ed25519", "kid": signer.kid, "typ": typ}
    said = json.dumps(payload, separators=(",", ":"), sort_keys=True)
    return jws.serialize_compact(header, said, signer.key, algorithms=["Ed25519"])


def sign_head(match: str, length: int, head: bytes, at: str) -> str:
    """That the log of this match has, since then, this length and ends with this hash."""
    return sign_receipt(HEAD, {"match": match, "length": length, "head": encode(head), "at": at})


def rotate_key() -> str:
    """Sign with a new key from now on; its kid. Every process has it ten seconds later."""
    with writing() as transaction:
        newest, _ = _current(transaction.session)
        signer = _make_key(transaction.session, newest + 1)
    _remember(None)
    return signer.kid


def published_keys() -> list[dict[str, str]]:
    """The public keys as JWKs, the current one first: all that were ever used."""
    _signer()
    keys = db.session.scalars(select(ServiceKey).order_by(ServiceKey.number.desc()))
    return [key.jwk | {"kid": key.kid, "alg": "Ed25519", "use": "sig"} for key in keys]


def _signer() -> Signer:
    known: Signer | None = current_app.extensions.get("ogham-signer")
    if known is not None and now() - known.since < REMEMBERED:
        return known
    session = db.session()
    newest, signer = _current(session)
    if signer is not None:
        return signer
    if session.connection().get_execution_options().get("writing", False):
        return _make_key(session, newest + 1)
    with writing() as transaction:
        return _make_key(transaction.session, newest + 1)


def _remember(signer: Signer | None) -> None:
    current_app.extensions["ogham-signer"] = signer


def _current(session: Session) -> tuple[int, Signer | None]:
    """The newest number, 0 where there is none, and its key; None if the secret behind it isn't ours any more."""
    row = session.scalars(select(ServiceKey).order_by(ServiceKey.number.desc()).limit(1)).one_or_none()
    if row is None:
        return 0, None
    key = _derived(row.salt)
    if key.thumbprint() != row.kid:
        return row.number, None
    signer = Signer(row.kid, key, now())
    if now() - row.created_at > SETTLED:
        _remember(signer)
    return row.number, signer


def _make_key(session: Session, number: int) -> Signer:
    """A key with this number. Who comes second finds the number taken, and takes the key that has it."""
    salt = secrets.token_bytes(32)
    key = _derived(salt)
    row = ServiceKey(number=number, kid=key.thumbprint(), jwk=_public(key), salt=salt, created_at=now())
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        _, signer = _current(session)
        if signer is None:
            raise
        return signer
    return Signer(row.kid, key, now())


def _derived(salt: bytes) -> OKPKey:
    """The private key that this salt and the settings' secret give; the same each time."""
    raw = HKDF(SHA256(), length=32, salt=salt, info=b"ogham receipts, Ed25519").derive(parts().settings.secret)
    public = Ed25519PrivateKey.from_private_bytes(raw).public_key().public_bytes_raw()
    return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": encode(public), "d": encode(raw)})


def _public(key: OKPKey) -> dict[str, str]:
    jwk = key.as_dict(private=False)
    return {name: str(jwk[name]) for name in ("kty", "crv", "x")}
