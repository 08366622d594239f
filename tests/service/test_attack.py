"""An attack on all that a player can see and isn't told: every seal, every hash, tried with every value there may be.

What is sealed has few values, so a hash of it alone would be no secret: one core tries a million a second. What keeps
it is a salt of 128 random bits for each seal. The attacker here knows the format, all values, all that is public, and
all openings that were for them.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from itertools import chain, count, islice
from typing import Any

import pytest

from engine.log import canonical, decode, encode, marks, seal
from tests.stage import Person, Stage

Sample = Callable[[int, int], int]


def salts(lines: list[dict[str, Any]]) -> Iterator[bytes]:
    """Guesses: none, what is known of other seals, all that stands in the log, times, and then numbers from 0 on."""
    texts = [line[name] for line in lines for name in ("hash", "receipt", "match") if isinstance(line.get(name), str)]
    known = [opening["salt"] for line in lines for opening in line.get("openings", ())]
    yield b""
    yield from (bytes([byte]) * size for byte in range(256) for size in (1, 16, 32))
    yield from (decode(text)[:16] for text in known)
    yield from (hashlib.sha256(text.encode()).digest()[:16] for text in texts)
    for number in count():
        yield number.to_bytes(16, "big")
        yield str(number).encode()


def attack(
    match: str, sealed: dict[int, str], values: list[Any], lines: list[dict[str, Any]], tries: int
) -> dict[int, Any]:
    """The seals whose value was found: every value with every guess at a salt, so many tries in all."""
    found: dict[int, Any] = {}
    each = max(1, tries // (len(sealed) * len(values)))
    guesses = list(islice(salts(lines), each))
    for number, wanted in sealed.items():
        target = decode(wanted)
        for value in values:
            message = canonical([match, number, value])
            plain = (hashlib.sha256(message).digest(), hashlib.sha256(canonical(value)).digest())
            if target in plain or any(hmac.digest(salt, message, "sha256") == target for salt in guesses):
                found[number] = value
    return found


def attack_secret(match: str, commitment: str, lines: list[dict[str, Any]], tries: int) -> bytes | None:
    """The service's secret, if it is one of so many guesses."""
    for guess in islice(salts(lines), tries):
        for secret in (guess, guess.rjust(32, b"\0"), hashlib.sha256(guess).digest()):
            told = hashlib.sha256(canonical(["ogham-secret", match, encode(secret)])).digest()
            if encode(told) == commitment:
                return secret
    return None


@pytest.fixture
def seen(stage: Stage) -> tuple[Stage, str, list[dict[str, Any]], list[Person]]:
    """A running match with private hands and two decks, as one of its players may know it."""
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, "celtica")
    return stage, match_id, [json.loads(line) for line in people[0].client.transcript(match_id)], people


def test_no_seal_and_no_hash_that_a_player_sees_gives_anything_away(
    seen: tuple[Stage, str, list[dict[str, Any]], list[Person]], sample: Sample
) -> None:
    stage, match_id, lines, people = seen
    opened = {opening["number"] for line in lines for opening in line.get("openings", ())}
    forms = [line["entry"] for line in lines if "entry" in line]
    sealed = {mark["number"]: mark["seal"] for form in forms for name, mark in marks(form) if name == "$seal"}
    hidden = {number: text for number, text in sealed.items() if number not in opened}
    people[1].client.resign(match_id)
    after = [json.loads(line) for line in stage.watcher().transcript(match_id)]
    values = {it["number"]: it["value"] for line in after for it in line.get("openings", ())}
    possible = [json.loads(text) for text in sorted({json.dumps(values[number]) for number in hidden})]
    assert len(hidden) > 100
    tries = sample(1 << 14, 1 << 22)
    assert attack(match_id, hidden, possible, lines, tries) == {}
    assert attack_secret(match_id, forms[0]["commitment"], lines, tries // 16) is None


def test_the_attack_finds_what_is_sealed_with_a_weak_salt_or_none(
    seen: tuple[Stage, str, list[dict[str, Any]], list[Person]],
) -> None:
    _, match_id, lines, _ = seen
    known = next(opening["salt"] for line in lines for opening in line.get("openings", ()))
    weak = [b"", b"\0" * 16, (7).to_bytes(16, "big"), decode(known)]
    sealed = {number: seal(match_id, number, "blue", salt) for number, salt in enumerate(weak)}
    sealed[9] = encode(hashlib.sha256(canonical([match_id, 9, "blue"])).digest())
    found = attack(match_id, sealed, ["red", "blue"], lines, 100_000)
    assert found == dict.fromkeys(sealed, "blue")
    weakly = encode(hashlib.sha256(canonical(["ogham-secret", match_id, encode(bytes(32))])).digest())
    assert attack_secret(match_id, weakly, lines, 10_000) == bytes(32)


def test_no_salt_is_used_twice(seen: tuple[Stage, str, list[dict[str, Any]], list[Person]]) -> None:
    stage, match_id, _, people = seen
    people[1].client.resign(match_id)
    lines = [json.loads(line) for line in stage.watcher().transcript(match_id)]
    used = [it["salt"] for it in chain.from_iterable(line.get("openings", ()) for line in lines)]
    assert len(set(used)) == len(used) > 100
    assert all(len(decode(salt)) >= 16 for salt in used)
