"""Luck that can be checked: a seed and a label give a stream of numbers, the same for everybody.

To write it again in another language, this is all there is to know:

1. The stream of a label is HMAC-SHA-256(key=seed, message=label in UTF-8 + one zero byte + counter), the counter as 8
   bytes, big-endian, counting 0, 1, 2...; the blocks of 32 bytes follow each other.
2. A *word* is the next 8 bytes of the stream, read as a big-endian integer.
3. `below(n)`: take words until one is less than the largest multiple of n that is at most 2^64; the answer is that word
   modulo n. (Rejecting the rest is what keeps every answer equally likely.)
4. `shuffle`: for i = last, last - 1, ... 1: swap item i with item `below(i + 1)`.

Each label is used once in a match, and starts its stream from the beginning. `tests/engine/vectors.json` holds test
vectors.
"""

import hmac
from collections.abc import Iterable, Iterator
from itertools import count
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

_WORDS = 1 << 64


class Chance:
    """The luck of one match. It holds no position: the same label always gives the same answer."""

    __slots__ = ("_seed",)

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def below(self, label: str, n: int) -> int:
        """One number from 0 to n - 1, all equally likely."""
        if not 0 < n <= _WORDS:
            raise ValueError(f"no word gives a number below {n}")
        words = self._words(label)
        return _fair(n, next(words), words) % n

    def shuffle(self, label: str, items: Iterable[T]) -> tuple[T, ...]:
        """The items in an order that only the seed and the label decide."""
        words = self._words(label)
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            n = i + 1
            word = next(words)
            if word >= _ALWAYS_FAIR:  # hardly ever
                word = _fair(n, word, words)
            j = word % n
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def _words(self, label: str) -> Iterator[int]:
        start = label.encode() + b"\0"
        for counter in count():
            yield from _four_words(hmac.digest(self._seed, start + counter.to_bytes(8, "big"), "sha256"))


_four_words = Struct(">4Q").unpack


# A word below this favours no number of 32 bits.
_ALWAYS_FAIR = _WORDS - (1 << 32)


def _fair(n: int, word: int, words: Iterator[int]) -> int:
    """This word, or the first of those that follow, that lies below the largest multiple of n."""
    limit = _WORDS - _WORDS % n
    while word >= limit:
        word = next(words)
    return word
