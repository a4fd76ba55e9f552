"""Seeded chance that lives inside a state: a key and a counter, the same on every machine and Python.

Word ``n`` of a key is the little-endian 64-bit word ``n % 8`` of ``BLAKE2b(message=n // 8 as 8 bytes little-endian,
key=key, digest_size=64)``.
"""

from collections.abc import MutableSequence
from functools import lru_cache
from hashlib import blake2b
from operator import length_hint
from struct import Struct as Layout
from typing import TypeVar

from msgspec import Struct

from arena.structs import set_by_python

T = TypeVar("T")

_WORDS = 32
"""Of a page: so many words, of four blocks, are computed together."""
_BLOCKS = 4
_BYTES = 8
_unpack = Layout(f"<{_WORDS}Q").unpack
_SPAN = 1 << 64
_SMALL = 256
_LARGE = 1 << 29
_NOT_PLAIN = b"\xff" * 4
"""A word without these bytes is drawn again for no ``n`` up to ``_LARGE``: nearly every word for nearly every draw."""
_FEW = 5
"""So many words are drawn one by one sooner than at once."""
_AT_ONCE = 4096
"""So many words of a long shuffle are drawn together."""
_EVEN = (0, *(256 - 256 % n for n in range(1, _SMALL + 1)))
"""By ``n`` the greatest multiple of it that is not above 256."""

_Words = tuple[int, ...]
_Page = tuple[int, _Words, bytes]
_latest: dict[bytes, _Page] = {}
"""By key the page that was last drawn from, if all its words are plain: number, words and bytes."""
_KEYS = 64
"""Of how many keys it is kept."""
_EARLY = 64
_MESSAGES = tuple(number.to_bytes(_BYTES, "little") for number in range(_EARLY))
"""What is hashed for the first blocks of a key, which a match hardly ever gets beyond."""
_NONE: _Page = (-1, (), b"")


def _page(key: bytes, number: int) -> _Page:
    """One page: its number, its words, and the bytes that they are made of."""
    page = _latest.get(key, _NONE)
    return page if page[0] == number else _store_page(key, number, _digests(key, number, number))


def _store_page(key: bytes, number: int, digests: bytes) -> _Page:
    """The page of these bytes, kept for the draws that follow if all its words are plain."""
    page = number, _unpack(digests), digests
    if _NOT_PLAIN not in digests:
        if len(_latest) >= _KEYS:
            _latest.clear()
        _latest[key] = page
    return page


def _digests(key: bytes, first: int, last: int) -> bytes:
    copy = blake2b(key=key).copy
    digests = []
    for number in range(first * _BLOCKS, (last + 1) * _BLOCKS):
        block = copy()
        block.update(_MESSAGES[number] if number < _EARLY else number.to_bytes(_BYTES, "little"))
        digests.append(block.digest())
    return b"".join(digests)


def _plain_words(key: bytes, drawn: int, number: int) -> _Words:
    """The words from a place on; none if one of them might be drawn again."""
    first, last = drawn // _WORDS, (drawn + number - 1) // _WORDS
    latest, _, digests = _latest.get(key, _NONE)
    if latest != first:
        digests = _digests(key, first, last)
        _store_page(key, last, digests[-_WORDS * _BYTES :])
    elif last > first:
        digests += _digests(key, first + 1, last)
        _store_page(key, last, digests[-_WORDS * _BYTES :])
    return () if _NOT_PLAIN in digests else _layout(number).unpack_from(digests, drawn % _WORDS * _BYTES)


@lru_cache(maxsize=256)
def _layout(number: int) -> Layout:
    return Layout(f"<{number}Q")


@set_by_python
class Chance(Struct, gc=False):
    """A stream of unbiased draws; ``key`` is up to 64 bytes, ``drawn`` counts the words used so far."""

    key: bytes
    drawn: int = 0

    def word(self) -> int:
        """The next 64-bit word."""
        drawn = self.drawn
        self.drawn = drawn + 1
        return _page(self.key, drawn // _WORDS)[1][drawn % _WORDS]

    def below(self, n: int) -> int:
        """A whole number from 0 to ``n - 1``, each equally likely; a ``ValueError`` if ``n`` is not from 1 to 2**64.

        The word modulo ``n``; words at or above the greatest multiple of ``n`` below 2**64 are drawn again.
        """
        drawn = self.drawn
        try:
            page, words, _ = _latest[self.key]
        except KeyError:
            page, words, _ = _NONE
        if page == drawn >> 5 and n > 0:  # `// _WORDS`, in the one place where the speed matters
            word = words[drawn & 31]
            if n <= _LARGE or word < _SPAN - _SPAN % n:
                self.drawn = drawn + 1
                return word % n
        if not 0 < n <= _SPAN:
            raise ValueError(f"expected n from 1 to 2**64, got {n}")
        word = self.word()
        while word >= _SPAN - _SPAN % n:
            word = self.word()
        return word % n

    def roll(self, sides: int = 6) -> int:
        """The face of one die, from 1 to ``sides``."""
        return 1 + self.below(sides)

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put ``items`` into a uniformly random order, in place (Fisher and Yates, from the last place down).

        Place ``i`` is swapped with place ``below(i + 1)``, for ``i`` from the last down to 1.
        """
        last = len(items) - 1
        while last > 0:
            number = min(last, _AT_ONCE)
            plain = number > _FEW and last < _LARGE
            words = _plain_words(self.key, self.drawn, number) if plain else ()
            if words:
                # no word of these has to be drawn again, so all are used as they come
                self.drawn += number
                i = last + 1
                for word in words:
                    j = word % i
                    i -= 1
                    items[i], items[j] = items[j], items[i]
            else:
                for i in range(last, last - number, -1):
                    j = self.below(i + 1)
                    items[i], items[j] = items[j], items[i]
            last -= number

    def permute(self, items: list[T]) -> None:
        """Put ``items`` into a uniformly random order, in place, for half of what ``shuffle`` costs.

        This is for states that are made up, never for a deal. It swaps the same places, each with one that is as
        likely, but draws bytes instead of words: the byte modulo ``i + 1``; bytes at or above the greatest multiple of
        ``i + 1`` up to 256 are dropped. What is left of the last word is not used. More than 256 items are shuffled.
        """
        last = len(items) - 1
        if last >= _SMALL:
            self.shuffle(items)
            return
        ways = last + 1
        bound = _EVEN[ways]
        key, drawn = self.key, self.drawn
        while last > 0:
            number, _, digest = _page(key, drawn // _WORDS)
            rest = iter(digest[drawn % _WORDS * _BYTES :])
            for byte in rest:
                if byte < bound:
                    to = byte % ways
                    items[last], items[to] = items[to], items[last]
                    ways = last
                    last -= 1
                    if not last:
                        break
                    bound = _EVEN[ways]
            self.drawn = drawn = (number + 1) * _WORDS - length_hint(rest) // _BYTES

    def copy(self) -> "Chance":
        """An independent stream that continues in the same way."""
        return Chance(self.key, self.drawn)
