"""The key that signs our mails (DKIM, RFC 6376): making one. RSA, since not all mail servers know Ed25519 yet."""

import os
from base64 import b64encode
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

BITS = 2048


def make_dkim_key(file: Path) -> str:
    """Write a new key where there is no file yet, for its owner's eyes only; what the DNS says of it."""
    key = rsa.generate_private_key(65537, BITS)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
        new.write(pem)
    return dns_record(key.public_key())


def dns_record(key: rsa.RSAPublicKey) -> str:
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"v=DKIM1; k=rsa; p={b64encode(der).decode()}"
