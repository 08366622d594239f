"""A player's key and what it signs, checked against the standards and another implementation."""

import json
import os
import stat
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from joserfc.jwk import ECKey, OKPKey

from client.errors import KeyFileError
from client.keys import Identity

# RFC 8037, appendix A: the key, and its thumbprint.
KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}
THUMBPRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_the_key_of_the_standard_has_the_thumbprint_of_the_standard(tmp_path: Path):
    (tmp_path / "key.json").write_text(json.dumps(KEY))
    identity = Identity.load(tmp_path / "key.json")
    assert identity.kid == THUMBPRINT
    assert identity.public == {"kty": "OKP", "crv": "Ed25519", "x": KEY["x"]}


def test_a_statement_is_a_compact_jws_with_exactly_three_header_members():
    identity = Identity.generate()
    header, payload, signature = identity.sign("ogham-move+jws", {"moves": ["größer"]}).split(".")
    assert json.loads(decoded(header)) == {"alg": "Ed25519", "kid": identity.kid, "typ": "ogham-move+jws"}
    said = json.loads(decoded(payload))
    assert set(said) == {"moves", "jti", "iat"}
    assert said["moves"] == ["größer"]
    key = Ed25519PublicKey.from_public_bytes(decoded(identity.public["x"]))
    key.verify(decoded(signature), f"{header}.{payload}".encode())
    with pytest.raises(InvalidSignature):
        key.verify(decoded(signature), f"{header}.{payload}x".encode())


def test_no_two_statements_are_the_same():
    identity = Identity.generate()
    jtis = {json.loads(decoded(identity.sign("x", {}).split(".")[1]))["jti"] for _ in range(50)}
    assert len(jtis) == 50


def test_a_key_is_kept_for_its_owners_eyes_only(tmp_path: Path):
    path = tmp_path / "new" / "folder" / "key.json"
    before = os.umask(0)
    try:
        identity = Identity.generate()
        identity.save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert Identity.load(path).kid == identity.kid


def test_a_key_is_never_overwritten_unless_forced(tmp_path: Path):
    path = tmp_path / "key.json"
    old, new = Identity.generate(), Identity.generate()
    old.save(path)
    with pytest.raises(KeyFileError, match="is there already"):
        new.save(path)
    assert Identity.load(path).kid == old.kid
    new.save(path, force=True)
    assert Identity.load(path).kid == new.kid
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["key.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "{}",
        json.dumps({name: value for name, value in KEY.items() if name != "d"}),
        json.dumps(OKPKey.generate_key("X25519").as_dict(private=True)),
        json.dumps(OKPKey.generate_key("Ed448").as_dict(private=True)),
        json.dumps(ECKey.generate_key("P-256").as_dict(private=True)),
        json.dumps(KEY | {"d": "short"}),
    ],
)
def test_a_file_that_holds_no_private_ed25519_key_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "key.json"
    path.write_text(text)
    with pytest.raises(KeyFileError, match="holds no private Ed25519 key"):
        Identity.load(path)


def test_a_file_that_is_missing_or_a_folder_is_said_to_be(tmp_path: Path):
    with pytest.raises(KeyFileError, match="There is no key at"):
        Identity.load(tmp_path / "key.json")
    with pytest.raises(KeyFileError, match="can't be read"):
        Identity.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyFileError, match="can't be written"):
        Identity.generate().save(tmp_path / "file" / "key.json")
