"""A player's key: made, kept in a file, and signed with."""

import hmac
import json
import os
import secrets
import time
from pathlib import Path
from typing import Any, Self

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from client.errors import KeyFileError
from engine.log import decode, encode


class Identity:
    """A private Ed25519 key. Whoever has it, plays as its owner; it never leaves this object but into its file."""

    def __init__(self, key: OKPKey) -> None:
        if key.curve_name != "Ed25519" or not key.is_private:
            raise KeyFileError("This is no private Ed25519 key.")
        self._key = key
        self.kid = key.thumbprint()
        """The RFC 7638 thumbprint: how statements name their key."""

    @classmethod
    def generate(cls) -> Self:
        return cls(OKPKey.generate_key("Ed25519"))

    @classmethod
    def load(cls, path: Path) -> Self:
        """The key in this file: a JWK, as `save` writes it."""
        try:
            return cls(OKPKey.import_key(json.loads(path.read_bytes())))
        except FileNotFoundError:
            raise KeyFileError(f"There is no key at {path}.") from None
        except OSError as error:
            raise KeyFileError(f"The key at {path} can't be read: {error.strerror}.") from None
        except (ValueError, TypeError, KeyError, AttributeError, JoseError, KeyFileError):
            raise KeyFileError(f"{path} holds no private Ed25519 key (a JWK).") from None

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write it for its owner's eyes only. A file that is there stays, unless `force` says that it may be lost."""
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(path.with_name(f".{path.name}.{secrets.token_hex(8)}") if force else path, path)
        except OSError as error:
            if isinstance(error, FileExistsError) and path.exists():
                raise KeyFileError(f"{path} is there already, and stays as it is.") from None
            raise KeyFileError(f"The key can't be written to {path}: {error.strerror}.") from None

    def _write(self, new: Path, path: Path) -> None:
        """Into a file that is new; the old key, where there is one, stays until that is whole."""
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(self._key.as_dict(private=True), file)
        if new != path:
            new.replace(path)

    @property
    def public(self) -> dict[str, str]:
        """What others may know of it: a JWK with exactly kty, crv and x."""
        jwk = self._key.as_dict(private=False)
        return {name: str(jwk[name]) for name in ("kty", "crv", "x")}

    def nonce(self, match_id: str) -> str:
        """This key's share of a sealed shuffle: the same each time, so that what was promised can be opened later."""
        private = decode(str(self._key.as_dict(private=True)["d"]))
        return encode(hmac.digest(private, f"ogham nonce {match_id}".encode(), "sha256"))

    def sign(self, typ: str, payload: dict[str, Any]) -> str:
        """The payload as a compact JWS, with a fresh jti and the time; no two signings give the same statement."""
        header = {"alg": "Ed25519", "kid": self.kid, "typ": typ}
        said = payload | {"jti": secrets.token_urlsafe(16), "iat": int(time.time())}
        return jws.serialize_compact(header, json.dumps(said), self._key, algorithms=["Ed25519"])
