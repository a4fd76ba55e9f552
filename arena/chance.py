"""Seeded chance that lives inside a state: a key and a counter, the same on every machine and Python.

Word ``n`` of a key is the little-endian 64-bit word ``n % 8`` of ``BLAKE2b(message=n // 8 as 8 bytes little-endian,
key=key, digest_size=64)``. Nothing here knows games, seats or where keys come from.
"""

from hashlib import blake2b
from operator import mod
from struct import Struct as Layout
from struct import unpack_from
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

_WORDS = 8
_BYTES = 8
"""Of a word."""
_unpack = Layout("<8Q").unpack
_SPAN = 1 << 64
_SMALL = 256
_PLAIN = _SPAN - _SMALL
"""A word below this is drawn again for no ``n`` up to ``_SMALL``: nearly every word for nearly every draw."""
_FEW = 5
"""So many words are drawn one by one sooner than at once."""
_NOT_PLAIN = b"\xff" * (_BYTES - 1)
"""Where these bytes are not, all words are plain."""
_LARGE = 1 << 32
_NOT_LOW = b"\xff" * 4
"""Where these bytes are not, no word is drawn again for any ``n`` up to ``_LARGE``."""
_AT_ONCE = 4096
"""So many words of a long shuffle are drawn together."""

_Words = tuple[int, ...]
_latest: dict[bytes, tuple[int, _Words]] = {}
"""By key the block that was last drawn from, with its words: most words are drawn one by one."""
_KEYS = 64
"""Of how many keys it is kept."""
_NONE: tuple[int, _Words] = (-1, ())


def _words(key: bytes, block: int) -> _Words:
    """The eight words of one block."""
    latest, words = _latest.get(key, _NONE)
    if latest != block:
        words = _unpack(blake2b(block.to_bytes(_BYTES, "little"), key=key).digest())
        if len(_latest) >= _KEYS:
            _latest.clear()
        _latest[key] = block, words
    return words


def _plain_words(key: bytes, drawn: int, number: int, n: int) -> _Words:
    """The words from a place on, several blocks at once; none if one of them might be drawn again for ``n``."""
    keyed = blake2b(key=key)
    digests = []
    for block in range(drawn // _WORDS, (drawn + number - 1) // _WORDS + 1):
        one = keyed.copy()
        one.update(block.to_bytes(_BYTES, "little"))
        digests.append(one.digest())
    if len(_latest) < _KEYS:  # a draw from the last of them is most often the next
        _latest[key] = block, _unpack(digests[-1])
    drawn_from = b"".join(digests)
    return (
        ()
        if (_NOT_PLAIN if n <= _SMALL else _NOT_LOW) in drawn_from
        else unpack_from(f"<{number}Q", drawn_from, drawn % _WORDS * _BYTES)
    )


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
        if not 0 < n <= _SPAN:
            raise ValueError(f"expected n from 1 to 2**64, got {n}")
        drawn = self.drawn
        self.drawn = drawn + 1
        block, words = _latest.get(self.key, _NONE)
        if block != drawn >> 3:  # // _WORDS, in the one place where it tells
            words = _words(self.key, drawn >> 3)
        word = words[drawn & 7]
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
        while last > 0:
            number = min(last, _AT_ONCE)
            places = range(last, last - number, -1)
            plain = number > _FEW and last < _LARGE
            words = _plain_words(self.key, self.drawn, number, last + 1) if plain else ()
            if words:
                # none of these words is drawn again, so they are taken as they come
                for i, j in zip(places, map(mod, words, range(last + 1, last + 1 - number, -1)), strict=True):
                    items[i], items[j] = items[j], items[i]
                self.drawn += number
            else:
                for i in places:
                    j = self.below(i + 1)
                    items[i], items[j] = items[j], items[i]
            last -= number

    def copy(self) -> "Chance":
        """An independent stream that continues in the same way."""
        return Chance(self.key, self.drawn)
