"""Seeded chance that lives inside a state: a key and a counter, the same on every machine and Python.

Word ``n`` of a key is the little-endian 64-bit word ``n % 8`` of ``BLAKE2b(message=n // 8 as 8 bytes little-endian,
key=key, digest_size=64)``. Nothing here knows games, seats or where keys come from.
"""

from functools import lru_cache
from hashlib import blake2b
from struct import Struct as Layout
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

_WORDS = 8
_unpack = Layout("<8Q").unpack
_SPAN = 1 << 64
_SMALL = 256
_PLAIN = _SPAN - _SMALL
"""A word below this is drawn again for no ``n`` up to ``_SMALL``: nearly every word for nearly every draw."""


@lru_cache(maxsize=64)
def _words(key: bytes, block: int) -> tuple[int, ...]:
    """The eight words of one block; kept for a while, since most are drawn one by one."""
    return _unpack(blake2b(block.to_bytes(8, "little"), key=key).digest())


class Chance(Struct):
    """A stream of unbiased draws.

    ``key`` is up to 64 bytes; ``drawn`` counts the words used so far.
    """

    key: bytes
    drawn: int = 0

    def word(self) -> int:
        """The next 64-bit word."""
        drawn = self.drawn
        self.drawn = drawn + 1
        return _words(self.key, drawn // _WORDS)[drawn % _WORDS]

    def below(self, n: int) -> int:
        """A whole number from 0 to ``n - 1``, each equally likely.

        The word modulo ``n``; words at or above the greatest multiple of ``n`` below 2**64 are drawn again.

        Raises:
            ValueError: ``n`` is not from 1 to 2**64.
        """
        if not 1 <= n <= _SPAN:
            raise ValueError(f"expected n from 1 to 2**64, got {n}")
        drawn = self.drawn
        self.drawn = drawn + 1
        word = _words(self.key, drawn // _WORDS)[drawn % _WORDS]
        if n > _SMALL or word >= _PLAIN:
            while word >= _SPAN - _SPAN % n:
                word = self.word()
        return word % n

    def roll(self, sides: int = 6) -> int:
        """The face of one die, from 1 to ``sides``."""
        return 1 + self.below(sides)

    def shuffle(self, items: list[T]) -> None:
        """Put ``items`` into a uniformly random order, in place (Fisher and Yates, from the last place down).

        Place ``i`` is swapped with place ``below(i + 1)``, for ``i`` from the last down to 1.
        """
        last = len(items) - 1
        if last < 1:
            return
        drawn, key = self.drawn, self.key
        words: list[int] = []
        for block in range(drawn // _WORDS, (drawn + last - 1) // _WORDS + 1):
            words += _words(key, block)
        if last >= _SMALL or max(words) >= _PLAIN:
            for i in range(last, 0, -1):
                j = self.below(i + 1)
                items[i], items[j] = items[j], items[i]
            return
        # none of these words is drawn again, so they are taken as they come
        for i, word in zip(range(last, 0, -1), words[drawn % _WORDS :], strict=False):
            j = word % (i + 1)
            items[i], items[j] = items[j], items[i]
        self.drawn = drawn + last

    def copy(self) -> "Chance":
        """An independent stream that continues in the same way."""
        return Chance(self.key, self.drawn)
