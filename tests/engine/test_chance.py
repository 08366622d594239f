"""Chance: the published vectors, a second reading of the four steps, and fairness.

`vectors.json` is for those who write it again in another language. Each vector has a seed (hex) and a label, and either
`below` (n) with its `answer`, both as text since some languages would round them; or `shuffle` (how many items: the
numbers from 0) with the `order` they end up in.
"""

import hashlib
import hmac
import json
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chance import Chance

VECTORS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))


def words(seed: bytes, label: str) -> Iterator[int]:
    """Steps 1 and 2, read again: a 32-byte block is four words."""
    counter = 0
    while True:
        mac = hmac.new(seed, digestmod=hashlib.sha256)
        mac.update(label.encode("utf-8"))
        mac.update(bytes(1))
        mac.update(bytes((counter >> shift) & 255 for shift in (56, 48, 40, 32, 24, 16, 8, 0)))
        block = mac.hexdigest()
        for start in range(0, 64, 16):
            yield int(block[start : start + 16], 16)
        counter += 1


def number_below(source: Iterator[int], n: int) -> int:
    """Step 3, read again: a word in the last, incomplete stretch of n is thrown away."""
    whole_stretches = 2**64 // n
    return next(word - word // n * n for word in source if word // n < whole_stretches)


def shuffled(source: Iterator[int], count: int) -> list[int]:
    """Step 4, read again."""
    items = list(range(count))
    last = count - 1
    while last >= 1:
        other = number_below(source, last + 1)
        kept = items[other]
        items[other] = items[last]
        items[last] = kept
        last -= 1
    return items


def test_there_are_vectors_for_all_that_matters() -> None:
    assert len(VECTORS) >= 12
    assert {len(vector["seed"]) // 2 for vector in VECTORS} >= {0, 32, 100}, "seeds shorter and longer than a block"
    assert any(not vector["label"].isascii() for vector in VECTORS)
    assert any(int(vector.get("below", 0)) > 2**63 for vector in VECTORS)
    assert any(vector.get("shuffle", 0) > 50 for vector in VECTORS)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['label']}-{vector['seed'][:6]}")
def test_each_vector_is_what_the_engine_and_a_second_reading_of_the_steps_give(vector: dict[str, Any]) -> None:
    seed, label = bytes.fromhex(vector["seed"]), vector["label"]
    if "below" in vector:
        n, answer = int(vector["below"]), int(vector["answer"])
        assert Chance(seed).below(label, n) == answer
        assert number_below(words(seed, label), n) == answer
    else:
        count, order = vector["shuffle"], vector["order"]
        assert list(Chance(seed).shuffle(label, range(count))) == order
        assert shuffled(words(seed, label), count) == order


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['label']}-{vector['seed'][:6]}")
def test_the_verifier_for_others_knows_each_vector_too(vector: dict[str, Any]) -> None:
    second = runpy.run_path(str(Path(__file__).parents[2] / "docs/examples/verify.py"))
    seed, label = bytes.fromhex(vector["seed"]), vector["label"]
    if "below" in vector:
        assert second["below"](second["words"](seed, label), int(vector["below"])) == int(vector["answer"])
    else:
        assert second["shuffle"](seed, label, range(vector["shuffle"])) == vector["order"]


@given(st.binary(max_size=80), st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 2**64))
def test_below_follows_the_steps(seed: bytes, label: str, n: int) -> None:
    assert Chance(seed).below(label, n) == number_below(words(seed, label), n) < n


@given(st.binary(max_size=80), st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 100))
def test_a_shuffle_follows_the_steps_and_keeps_every_item(seed: bytes, label: str, count: int) -> None:
    order = Chance(seed).shuffle(label, iter(range(count)))
    assert list(order) == shuffled(words(seed, label), count)
    assert sorted(order) == list(range(count))


def test_a_label_starts_from_the_beginning_however_often_and_whenever_it_is_asked() -> None:
    chance = Chance(b"seed")
    first = chance.shuffle("a", range(20))
    chance.below("b", 6)
    assert chance.shuffle("a", range(20)) == first
    assert chance.shuffle("b", range(20)) != first
    assert Chance(b"tree").shuffle("a", range(20)) != first


def test_a_word_past_the_last_whole_stretch_is_thrown_away() -> None:
    n = 2**63 + 1  # one whole stretch: nearly half of all words are too great, and a modulo would fold them back
    rejecting = [label for label in map(str, range(200)) if next(words(b"seed", label)) >= n]
    assert 60 < len(rejecting) < 140
    for label in rejecting:
        source = words(b"seed", label)
        assert Chance(b"seed").below(label, n) == next(word for word in source if word < n)


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_a_number_that_no_word_can_give_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Chance(b"seed").below("label", n)


def chi_square(counts: Counter[Any], kinds: int) -> float:
    expected = counts.total() / kinds
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + (kinds - len(counts)) * expected


def unlikely(kinds: int) -> float:
    """A chi-square that a fair source passes once in ten thousand times or less (Wilson and Hilferty)."""
    freedom = kinds - 1
    return freedom * (1 - 2 / (9 * freedom) + 3.9 * (2 / (9 * freedom)) ** 0.5) ** 3


@pytest.mark.parametrize("n", [2, 3, 6, 55])
def test_all_numbers_are_equally_likely(n: int, sample: Callable[[int, int], int]) -> None:
    chance = Chance(b"fair")
    drawn = Counter(chance.below(f"{n}/{label}", n) for label in range(sample(20_000, 1_000_000)))
    assert chi_square(drawn, n) < unlikely(n)


def test_all_orders_are_equally_likely(sample: Callable[[int, int], int]) -> None:
    chance = Chance(b"fair")
    orders = Counter(chance.shuffle(str(label), "abcd") for label in range(sample(20_000, 500_000)))
    assert chi_square(orders, factorial(4)) < unlikely(factorial(4))


DECK = 12


def _shuffles(count: int) -> tuple[Counter[Any], Counter[Any]]:
    """Of so many shuffles of a deck: which card lay where, and which two lay first and last, or side by side on top."""
    chance, places, pairs = Chance(b"shuffles"), Counter[Any](), Counter[Any]()
    for label in range(count):
        order = chance.shuffle(str(label), range(DECK))
        places.update(enumerate(order))
        pairs.update((("ends", order[0], order[-1]), ("top", order[0], order[1])))
    return places, pairs


def test_every_card_lies_everywhere_and_every_pair_together_equally_often(sample: Callable[[int, int], int]) -> None:
    places, pairs = _shuffles(sample(20_000, 1_000_000))
    # Cards by position: rows and columns both add up, which leaves (n - 1) x (n - 1) degrees of freedom.
    assert chi_square(places, DECK * DECK) < unlikely((DECK - 1) ** 2 + 1)
    for which in ("ends", "top"):
        seen = Counter({pair: count for pair, count in pairs.items() if pair[0] == which})
        assert chi_square(seen, DECK * (DECK - 1)) < unlikely(DECK * (DECK - 1))


def test_the_measure_finds_a_shuffle_that_swaps_with_any_place() -> None:
    """The usual mistake: each item is swapped with any other, and some orders come more often."""
    chance, places = Chance(b"fair"), Counter[Any]()
    for label in range(20_000):
        order = list(range(DECK))
        for place in range(DECK):
            other = chance.below(f"{label}/{place}", DECK)
            order[place], order[other] = order[other], order[place]
        places.update(enumerate(order))
    assert chi_square(places, DECK * DECK) > unlikely((DECK - 1) ** 2 + 1)


def test_the_measure_of_fairness_finds_a_modulo_without_rejection() -> None:
    """The fault it is there for, large enough to see: 2^4 words instead of 2^64, folded onto 6 numbers."""
    folded = Counter(next(words(b"fair", str(label))) % 16 % 6 for label in range(20_000))
    assert chi_square(folded, 6) > unlikely(6)
