"""Mail domains that sign: a key of a domain's own, its DNS record, and mails signed with it."""

import base64
from dataclasses import dataclass
from functools import cache

import dkim
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat


@cache
def _key(bits: int) -> RSAPrivateKey:
    return generate_private_key(65537, bits)


@dataclass(frozen=True)
class MailDomain:
    """A domain whose server signs what it sends."""

    domain: str
    selector: str = "s1"
    bits: int = 1024

    @property
    def name(self) -> str:
        """Where its key lies in the DNS."""
        return f"{self.selector}._domainkey.{self.domain}."

    @property
    def record(self) -> bytes:
        public = _key(self.bits).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)

    def sign(self, raw: bytes, **how: object) -> bytes:
        pem = _key(self.bits).private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        options: dict[str, object] = {"canonicalize": (b"relaxed", b"relaxed")} | how
        return bytes(dkim.sign(raw, self.selector.encode(), self.domain.encode(), pem, **options)) + raw
