"""Ids and secrets as text."""

import hashlib
import hmac
import secrets
from base64 import b32encode


def new_id() -> str:
    """A random id: 20 letters and digits, lower case, so that it survives being typed and put into an address."""
    return _base32(secrets.token_bytes(12))


def derived_token(secret: bytes, purpose: str) -> str:
    """The token for a purpose: 32 letters and digits that only who has the secret can make, the same each time."""
    return _base32(hmac.digest(secret, purpose.encode(), "sha256")[:20])


def fingerprint(text: str) -> str:
    """What is stored of a token: enough to know it again, not to use it."""
    return hashlib.sha256(text.encode()).hexdigest()


def _base32(raw: bytes) -> str:
    return b32encode(raw).decode().rstrip("=").lower()
