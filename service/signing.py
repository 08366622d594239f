"""Signed statements: compact JWS by Ed25519 keys, read strictly.

Until the signature verifies, every fault gets the same answer (`Unsigned`): who has no key learns nothing from trying.
joserfc does the cryptography; what it would let pass and we don't is refused here first: other header members, other
forms, text that isn't the one base64url spelling of its bytes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from engine.log import decode, encode
from engine.points import is_weak
from service.errors import BadStatement, Malformed, Unsigned
from service.parts import now
from service.strict import StrictError, strict_json

LARGEST = 16_384
FUTURE = timedelta(minutes=10)

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")
_JTI = re.compile(r"[A-Za-z0-9_.:-]{8,64}")


@dataclass(frozen=True, slots=True)
class Signed:
    """A statement whose signature verified. `kid` is the key's thumbprint, `text` what was received."""

    kid: str
    payload: dict[str, Any]
    text: str

    @property
    def jti(self) -> str:
        return str(self.payload["jti"])


def import_key(jwk: object) -> OKPKey:
    """A public key as a player gives it: exactly kty, crv and x, and no point of small order."""
    if not isinstance(jwk, dict) or set(jwk) != {"kty", "crv", "x"} or jwk["kty"] != "OKP" or jwk["crv"] != "Ed25519":
        raise Malformed("key_invalid", 'A key is a public JWK with exactly "kty": "OKP", "crv": "Ed25519" and "x".')
    x = jwk["x"]
    if not is_base64url(x, 32):
        raise Malformed("key_invalid", "The key's x is not 32 bytes in base64url without padding.")
    if is_weak(decode(x)):
        raise Malformed("key_invalid", "This key is a point of small order: anybody could sign with it.")
    return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": x})


def read_statement(text: str, typ: str, find_key: Callable[[str], object | None], members: frozenset[str]) -> Signed:
    """The statement, once its signature verified under the key that `find_key` has for its kid.

    Unsigned for all that comes before that; BadStatement for a payload with other members than these, jti and iat.
    """
    if len(text) > LARGEST or not _COMPACT.fullmatch(text):
        raise Unsigned
    parts = text.split(".")
    if not all(is_base64url(part) for part in parts):
        raise Unsigned
    try:
        header = strict_json(decode(parts[0]))
    except StrictError:
        raise Unsigned from None
    if not isinstance(header, dict) or set(header) != {"alg", "kid", "typ"} or header["alg"] != "Ed25519":
        raise Unsigned
    if not isinstance(header["kid"], str) or not _same_type(header["typ"], typ):
        raise Unsigned
    jwk = find_key(header["kid"])
    if jwk is None:
        raise Unsigned
    try:
        jws.deserialize_compact(text, import_key(jwk), algorithms=["Ed25519"])
    except (JoseError, ValueError):
        raise Unsigned from None
    return Signed(header["kid"], _payload(decode(parts[1]), members), text)


def _payload(raw: bytes, members: frozenset[str]) -> dict[str, Any]:
    try:
        payload = strict_json(raw)
    except StrictError as error:
        raise BadStatement("statement_invalid", f"The payload is no plain JSON: {error}") from None
    wanted = members | {"jti", "iat"}
    if not isinstance(payload, dict) or set(payload) != wanted:
        raise BadStatement(
            "statement_invalid", f"The payload must have exactly these members: {', '.join(sorted(wanted))}."
        )
    if not isinstance(payload["jti"], str) or not _JTI.fullmatch(payload["jti"]):
        raise BadStatement("statement_invalid", "jti must be 8 to 64 letters, digits or any of _ . : -")
    iat = payload["iat"]
    if isinstance(iat, bool) or not isinstance(iat, int) or iat < 0:
        raise BadStatement("statement_invalid", "iat must be a whole number of seconds since 1970.")
    if iat > (now() + FUTURE).timestamp():
        raise BadStatement("statement_from_the_future", "iat lies more than ten minutes ahead of our clock.")
    return payload


def _same_type(given: object, typ: str) -> bool:
    """RFC 7515, 4.1.9: case doesn't matter, and `application/` may stand before it."""
    return isinstance(given, str) and given.isascii() and given.lower().removeprefix("application/") == typ


def is_base64url(text: object, length: int | None = None) -> bool:
    """Whether this is base64url (of so many bytes). Python reads it leniently; the right spelling is what it writes."""
    try:
        raw = decode(text) if isinstance(text, str) else b""
    except ValueError:
        return False
    return encode(raw) == text and length in (None, len(raw))
