"""Requests and statements by hand: what the client in client/ would never send."""

import base64
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from client.keys import Identity


def b64(raw: bytes | str) -> str:
    return base64.urlsafe_b64encode(raw.encode() if isinstance(raw, str) else raw).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signature(identity: Identity, text: str) -> bytes:
    return bytes(identity._key.private_key.sign(text.encode()))  # type: ignore[union-attr]  # an Ed25519 key


def signed(identity: Identity, header: Mapping[str, Any] | str, payload: Mapping[str, Any] | str) -> str:
    """A compact JWS with exactly this header and this payload, as JSON or as the text given."""
    parts = [b64(part if isinstance(part, str) else json.dumps(part)) for part in (header, payload)]
    return ".".join([*parts, b64(signature(identity, ".".join(parts)))])


def statement(identity: Identity, typ: str, payload: Mapping[str, Any]) -> str:
    """A good one, but for what the payload says; it may bring its own jti and iat."""
    said = {"jti": secrets.token_urlsafe(16), "iat": int(time.time())} | payload
    return signed(identity, {"alg": "Ed25519", "kid": identity.kid, "typ": typ}, said)


def post(app: Flask, path: str, body: Any, token: str | None = None, **headers: str) -> TestResponse:
    """POST a JSON body, or bytes as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return app.test_client().post(
        path, data=raw, headers=sent | {name.replace("_", "-"): headers[name] for name in headers}
    )


def get(app: Flask, path: str, token: str | None = None) -> TestResponse:
    return app.test_client().get(path, headers={"Authorization": f"Bearer {token}"} if token else {})


def problem(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The problem that an answer is; it must have this status and code, and be all that RFC 9457 wants."""
    assert (answer.status_code, answer.get_json(silent=True, force=True)["code"]) == (status, code), answer.text
    assert answer.content_type == "application/problem+json"
    body: dict[str, Any] = answer.get_json(force=True)
    assert body["status"] == status
    assert body["type"] == f"urn:ogham:problem:{code}"
    assert body["title"]
    return body
