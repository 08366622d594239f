"""DKIM: which signatures count, and that checking them ends, soon."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.mailroom.signatures import MOST_SIGNATURES, NONE, Verdict, check_signatures, look_up
from tests.mail.signing import MailDomain

RAW = b"From: ann@example.org\r\nTo: play@ogham.test\r\nSubject: Re: x\r\nMessage-ID: <1@example.org>\r\n\r\nreveal\r\n"
HOME = MailDomain("example.org")
FAIL = Verdict("fail")


def check(raw: bytes, domain: str = "example.org") -> Verdict:
    return check_signatures(raw, domain, lambda name, _: {HOME.name: HOME.record}.get(name))


def test_a_signature_by_the_domain_in_from_passes() -> None:
    assert check(HOME.sign(RAW)) == Verdict("pass", "example.org")


def test_line_ends_that_a_pipe_changed_do_no_harm() -> None:
    assert check(HOME.sign(RAW).replace(b"\r\n", b"\n")) == Verdict("pass", "example.org")


def test_a_domain_above_the_one_in_from_may_sign_and_none_below_or_beside() -> None:
    raw = HOME.sign(RAW.replace(b"ann@example.org", b"ann@mail.example.org"))
    assert check(raw, "mail.example.org") == Verdict("pass", "example.org")
    for domain in ("org", "ample.org", "example.net", "example.org.evil.example"):
        assert check(HOME.sign(RAW), domain) == NONE


def test_a_mail_without_a_signature_has_none_whatever_others_say_they_found() -> None:
    forged = b"Authentication-Results: ogham.test; dkim=pass header.d=example.org\r\nARC-Seal: i=1; cv=pass\r\n"
    assert check(RAW) == check(forged + RAW) == NONE
    assert check(RAW + b"\r\nDKIM-Signature: v=1; d=example.org\r\n") == NONE


CHANGED = {
    "the body": HOME.sign(RAW).replace(b"reveal", b"resign"),
    "From": HOME.sign(RAW).replace(b"From: ann@", b"From: eve@"),
    "a second From": b"From: eve@example.org\r\n" + HOME.sign(RAW),
    "the subject": HOME.sign(RAW).replace(b"Re: x", b"Re: y"),
    "something appended": HOME.sign(RAW) + b"and more\r\n",
    "appended behind a signed length": HOME.sign(RAW, length=True) + b"resign\r\n",
    "a signed length": HOME.sign(RAW, length=True),
    "From not signed": HOME.sign(RAW).replace(b"from :", b"").replace(b"from:", b""),
    "another selector": HOME.sign(RAW).replace(b"s=s1", b"s=s2"),
    "sha-1": HOME.sign(RAW).replace(b"rsa-sha256", b"rsa-sha1"),
    "no algorithm we know": HOME.sign(RAW).replace(b"rsa-sha256", b"none"),
    "expired": HOME.sign(RAW).replace(b" t=", b" x=1000000000; t="),
    "no signature in it": b"DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s1; h=from; bh=; b=\r\n" + RAW,
    "tags twice": HOME.sign(RAW).replace(b"d=example.org", b"d=example.org; d=example.org"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_signature_that_doesnt_cover_what_came_fails(what: str) -> None:
    assert check(CHANGED[what]) == FAIL


def test_a_key_that_is_too_short_fails() -> None:
    """1024 bits is the least that RFC 8301 allows."""
    raw = HOME.sign(RAW)
    short = (
        b"v=DKIM1; k=rsa; p=MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKx1c7RR7R/drnBSQ/zfx1vQLHUbFLh1AQQQ5R8DZjXpgzS8rJkwLoTM"
    )
    assert check_signatures(raw, "example.org", lambda *_: short) == FAIL
    for record in (
        b"",
        b"v=DKIM1; p=",
        b"v=DKIM2; p=xx",
        b"\xff",
        b"k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    ):
        assert check_signatures(raw, "example.org", lambda *_, record=record: record) == FAIL


def test_one_good_signature_among_others_is_enough() -> None:
    other = MailDomain("relay.example").sign(HOME.sign(RAW))
    assert check(other) == Verdict("pass", "example.org")
    assert check(b"DKIM-Signature: v=1; d=example.org; s=broken\r\n" + HOME.sign(RAW)) == Verdict("pass", "example.org")


def test_where_the_dns_doesnt_answer_the_verdict_is_temporary() -> None:
    def away(name: str, timeout: float) -> bytes | None:
        raise TimeoutError

    assert check_signatures(HOME.sign(RAW), "example.org", away) == Verdict("temporary")


def test_only_the_domain_itself_is_looked_up_and_not_often() -> None:
    asked: list[str] = []

    def note(name: str, _: float) -> bytes | None:
        asked.append(name)
        return None

    raw = b"".join(MailDomain(f"evil{n}.example").sign(RAW)[: -len(RAW)] for n in range(3))
    raw += b"".join(MailDomain("example.org", f"s{n}").sign(RAW)[: -len(RAW)] for n in range(9)) + RAW
    check_signatures(raw, "example.org", note)
    assert asked == [f"s{n}._domainkey.example.org." for n in range(MOST_SIGNATURES)]


def test_a_name_that_is_none_has_no_record() -> None:
    assert look_up(f"{'x' * 70}.example.org.", 0.1) is None
    assert look_up("a..example.org.", 0.1) is None


SIGNATURE = b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=s1; h=from; bh=AAAA; b="
SLOW = {
    "spaces": SIGNATURE + b"AAAA\r\n\r\n" + b" " * 1_000_000,
    "many spaces": SIGNATURE + b"AAAA\r\n\r\n" + (b" " * 249 + b"x") * 4_000,
    "folds": SIGNATURE + (b"A" + b"\r\n " * 60) * 20 + b"!\r\nFrom: a@example.org\r\n\r\nx",
    "a long one": SIGNATURE + b"A A" * 20_000 + b"!\r\nFrom: a@example.org\r\n\r\nx",
    "many": (SIGNATURE + b"AAAA\r\n") * 600 + b"From: a@example.org\r\n\r\nx",
    "lines": SIGNATURE + b"AAAA\r\nFrom: a@example.org\r\n\r\n" + b"\r\n" * 500_000,
    "headers": SIGNATURE.replace(b"h=from", b"h=" + b"a:" * 900) + b"AAAA\r\n" + b"a:b\r\n" * 9_000 + b"\r\nx",
    "a whole head": (SIGNATURE + b"AAAA\r\n") * 20_000,
}


@pytest.mark.parametrize("what", SLOW)
def test_a_mail_made_to_be_slow_is_checked_soon(what: str) -> None:
    start = time.process_time()
    assert check(SLOW[what]) in (FAIL, NONE)
    assert time.process_time() - start < 5


@given(st.binary(max_size=300), st.integers(0, 400), st.binary(max_size=20))
def test_any_bytes_are_checked_without_a_fault(raw: bytes, place: int, other: bytes) -> None:
    assert check(raw).result in ("none", "fail")
    assert check(SIGNATURE + raw).result in ("none", "fail")
    signed = HOME.sign(RAW)
    check(signed[:place] + other + signed[place + len(other) :])
