"""DKIM: whether the domain that a mail claims to come from signed it. What others say they found counts for nothing.

A signature counts when it is by the domain in From or one above it (`example.org` for `ann@mail.example.org`), covers
From and the whole body, and verifies under the key in the DNS. Other signatures aren't looked up at all. The time is
bounded: dkimpy's patterns take quadratic time for some inputs, and so those aren't handed to it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import dkim
import dns.exception
import dns.resolver

MOST_SIGNATURES = 3
LONGEST_SIGNATURE = 4_096
LONGEST_HEAD = 65_536
TIMEOUT = 3
"""Seconds for one look-up; with three signatures less than a lease."""

LookUp = Callable[[str, float], bytes | None]
"""The TXT record of a name; None where there is none. TimeoutError where the DNS couldn't say, in so many seconds."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found. `domain` is the one that signed, where one did."""

    result: Literal["pass", "fail", "none", "temporary"]
    """pass; fail: none of its signatures verifies; none: the domain didn't sign; temporary: the DNS didn't answer"""
    domain: str = ""


NONE = Verdict("none")


def look_up(name: str, timeout: float) -> bytes | None:
    """By the system's name servers."""
    try:
        found = dns.resolver.resolve(name, "TXT", lifetime=timeout, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.name.LabelTooLong, dns.name.EmptyLabel):
        return None
    except (dns.exception.DNSException, OSError) as error:
        raise TimeoutError(type(error).__name__) from error
    return next((b"".join(record.strings) for record in found), None)


def check_signatures(raw: bytes, domain: str, look_up: LookUp) -> Verdict:
    """The best of the mail's signatures by this domain. Whatever the bytes are, it ends, soon."""
    head = re.split(rb"\r?\n\r?\n", raw[: LONGEST_HEAD + 4], maxsplit=1)[0]
    if not re.search(rb"^dkim-signature:", head, re.MULTILINE | re.IGNORECASE):
        return NONE
    if len(head) > LONGEST_HEAD or re.search(rb"\s{200}", head) or re.search(rb"[ \t]{250}", raw):
        return Verdict("fail")
    try:
        return _best(dkim.DKIM(re.sub(rb"\r?\n", b"\r\n", raw), timeout=TIMEOUT), domain, look_up)
    except Exception:  # noqa: BLE001  (dkimpy's own, and what the bytes bring out of the libraries below it)
        return Verdict("fail")


def _best(mail: dkim.DKIM, domain: str, look_up: LookUp) -> Verdict:
    signatures = [value for name, value in mail.headers if name.lower() == b"dkim-signature"]
    tried, temporary = 0, False
    for number, signature in enumerate(signatures):
        signer = _signer(signature, domain)
        if signer is None:
            continue
        if tried >= MOST_SIGNATURES:
            break
        tried += 1
        away: list[str] = []
        if _verifies(mail, number, look_up, away):
            return Verdict("pass", signer)
        temporary = temporary or bool(away)
    if temporary:
        return Verdict("temporary")
    return Verdict("fail") if tried else NONE


def _signer(signature: bytes, domain: str) -> str | None:
    """The domain that this signature is by, where it may speak for the one in From."""
    found = re.search(rb"(?:^|;)\s*d\s*=\s*([A-Za-z0-9.-]{1,253})\s*(?:;|$)", signature[:LONGEST_SIGNATURE])
    signer = found[1].decode().lower() if found else ""
    return signer if "." in signer and f".{domain}".endswith(f".{signer}") else None


def _verifies(mail: dkim.DKIM, number: int, look_up: LookUp, away: list[str]) -> bool:
    """Notes in `away` which name the DNS couldn't tell."""

    def txt(name: bytes, timeout: float) -> bytes | None:
        text = name.decode("ascii")
        try:
            return look_up(text, timeout)
        except TimeoutError:
            away.append(text)
            raise dkim.DnsTimeoutError(text) from None

    try:
        if not mail.verify(number, txt):
            return False
    except (dkim.DKIMException, ValueError, LookupError, ArithmeticError, NameError):
        return False  # NameError: dkimpy without PyNaCl met an Ed25519 key
    fields = mail.signature_fields
    # l=: only the beginning of the body is signed, and what follows may be anybody's.
    return b"from" in mail.include_headers and b"l" not in fields and fields[b"a"] == b"rsa-sha256"
