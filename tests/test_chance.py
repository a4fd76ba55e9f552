"""Chance gives the documented draws, every one as likely as the others; and a bad shuffle would be found out."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import pairwise, product
from math import factorial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc

from arena.chance import Chance

DOCUMENT = (Path(__file__).parents[1] / "examples" / "check-a-deal" / "chance.md").read_text(encoding="utf-8")
VECTORS = json.loads(re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)[0])
KEY = bytes(range(32))
SLIM = 1e-6
"""A fair source fails a test with twice this probability; the keys are fixed, so a pass stays a pass."""

Shuffle = Callable[[Chance, list[int]], None]


# --- the documented draws


def draws(vector: dict[str, Any]) -> tuple[list[str], int]:
    """What the draws of a vector give, and the words drawn afterwards."""
    chance = Chance(bytes.fromhex(vector["key"]), vector["drawn"])
    of = int(vector["of"])
    if vector["draw"] == "shuffle":
        given = list(range(of))
        chance.shuffle(given)
    else:
        draw = chance.below if vector["draw"] == "below" else chance.roll
        given = [draw(of) for _ in vector["gives"]]
    return [str(number) for number in given], chance.drawn


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['draw']} {vector['of']}")
def test_vectors(vector: dict[str, Any]) -> None:
    """The vectors of examples/check-a-deal/chance.md are what is drawn."""
    assert draws(vector) == (vector["gives"], vector["drawn_after"])


def test_worked_shuffle() -> None:
    """The words, remainders and lists of its worked shuffle are those of the code."""
    rows = re.findall(r"^\| (\d) \| `(\w{16})` \| (\d) \| ([\d ]+) \|$", DOCUMENT, re.MULTILINE)
    assert [int(i) for i, *_ in rows] == list(range(9, 0, -1))
    chance, items = Chance(KEY), list(range(10))
    for i, word, j, after in rows:
        drawn = chance.word()
        assert f"{drawn:016x}" == word
        assert drawn % (int(i) + 1) == int(j)
        items[int(i)], items[int(j)] = items[int(j)], items[int(i)]
        assert " ".join(map(str, items)) == after


def test_first_block_as_openssl_prints_it() -> None:
    """Words are the little-endian eighths of keyed BLAKE2b: the block here was printed by OpenSSL."""
    block = bytes.fromhex(
        "9212BC97156556F62890B1AF163258514C78FD9C7A4FFFA97A3381BCA1FA788F"
        "239282C9D2934FA9BD1DAAB210574F3907A9351BAEAA33D3E2A68484A6AF5D25"
    )
    chance = Chance(KEY)
    assert b"".join(chance.word().to_bytes(8, "little") for _ in range(8)) == block
    assert block.hex().upper().startswith("9212BC97156556F6")
    assert "`9212BC97156556F6`" in DOCUMENT


# --- laws

keys = st.binary(max_size=64)
counts = st.integers(0, 2**40)


@settings(max_examples=50)
@given(keys, counts)
def test_any_word_can_be_had_directly(key: bytes, drawn: int) -> None:
    """Word n needs no earlier word: a stream is its key and its count."""
    chance = Chance(key, drawn)
    for n in range(drawn, drawn + 10):
        block = blake2b((n // 8).to_bytes(8, "little"), key=key).digest()
        assert chance.word() == int.from_bytes(block[n % 8 * 8 :][:8], "little")
    assert chance.drawn == drawn + 10


@settings(max_examples=100)
@given(keys, counts, st.integers(0, 100) | st.sampled_from([255, 256, 257, 4096, 4097, 4100, 8200]))
def test_shuffle_is_fisher_yates_by_below(key: bytes, drawn: int, size: int) -> None:
    """A shuffle, which reads words by the block, draws exactly what drawing them one at a time would."""
    fast, slow = Chance(key, drawn), Chance(key, drawn)
    items, naive = list(range(size)), list(range(size))
    fast.shuffle(items)
    for i in range(size - 1, 0, -1):
        j = slow.below(i + 1)
        naive[i], naive[j] = naive[j], naive[i]
    assert (items, fast) == (naive, slow)
    assert sorted(items) == list(range(size))


@settings(max_examples=50)
@given(keys, counts, st.integers(0, 100) | st.sampled_from([255, 256]))
def test_permute_draws_bytes(key: bytes, drawn: int, size: int) -> None:
    """As a shuffle, but each place is drawn from a byte; what is left of the last word is not used."""
    fast, slow = Chance(key, drawn), Chance(key, drawn)
    items, naive, bytes_left = list(range(size)), list(range(size)), b""
    fast.permute(items)
    for i in range(size - 1, 0, -1):
        while True:
            bytes_left = bytes_left or slow.word().to_bytes(8, "little")
            byte, bytes_left = bytes_left[0], bytes_left[1:]
            if byte < 256 // (i + 1) * (i + 1):
                break
        j = byte % (i + 1)
        naive[i], naive[j] = naive[j], naive[i]
    assert (items, fast) == (naive, slow)


def test_long_lists_are_shuffled() -> None:
    """Of more than 256 items a permutation is a shuffle."""
    permuted, shuffled = list(range(257)), list(range(257))
    Chance(KEY).permute(permuted)
    Chance(KEY).shuffle(shuffled)
    assert permuted == shuffled


@settings(max_examples=100)
@given(keys, counts, st.integers(1, 2**64))
def test_below_stays_below(key: bytes, drawn: int, n: int) -> None:
    """A draw below n is from 0 to n - 1 and is the first word that is not dropped, modulo n."""
    chance, words = Chance(key, drawn), Chance(key, drawn)
    number = chance.below(n)
    assert 0 <= number < n
    while (word := words.word()) >= 2**64 // n * n:
        pass
    assert (number, chance) == (word % n, words)


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_below_what(n: int) -> None:
    """There is no number below 0, and no word holds more than 64 bits."""
    with pytest.raises(ValueError, match=rf"expected n from 1 to 2\*\*64, got {n}"):
        Chance(KEY).below(n)


def test_copies_and_saved_streams_go_on_alike() -> None:
    """A copy and a loaded stream go on as the first one does, and independently of it."""
    chance = Chance(KEY, 5)
    copied, loaded = chance.copy(), msgspec.json.decode(msgspec.json.encode(chance), type=Chance)
    words = [chance.word() for _ in range(20)]
    assert copied.drawn == loaded.drawn == 5
    assert [copied.word() for _ in range(20)] == [loaded.word() for _ in range(20)] == words


# --- chi-squared


def p_value(statistic: float, freedom: int) -> float:
    """The chance of a chi-squared as great as this."""
    return float(gammaincc(freedom / 2, statistic / 2))


def uniformity(outcomes: Iterable[object], cells: int) -> float:
    """The p-value of outcomes being equally likely among so many cells."""
    seen = Counter(outcomes)
    assert len(seen) <= cells
    expected = seen.total() / cells
    assert expected >= 20, "too few draws for so many cells"
    off = sum((count - expected) ** 2 for count in seen.values()) + (cells - len(seen)) * expected**2
    return p_value(off / expected, cells - 1)


def is_fair(p: float) -> bool:
    """Neither further from even than chance allows, nor nearer."""
    return SLIM < p < 1 - SLIM


def swap_with_any(chance: Chance, items: list[int]) -> None:
    """A well-known bad shuffle: every place is swapped with any place."""
    for i in range(len(items)):
        j = chance.below(len(items))
        items[i], items[j] = items[j], items[i]


def off_by_one(chance: Chance, items: list[int]) -> None:
    """A well-known bad shuffle: no card may stay (Sattolo's cycles)."""
    for i in range(len(items) - 1, 0, -1):
        j = chance.below(i)
        items[i], items[j] = items[j], items[i]


def last_stays(chance: Chance, items: list[int]) -> None:
    """A bad shuffle: the last card never moves."""
    for i in range(len(items) - 2, 0, -1):
        j = chance.below(i + 1)
        items[i], items[j] = items[j], items[i]


def cut_once(chance: Chance, items: list[int]) -> None:
    """A bad shuffle that every place x card table passes: the deck is only cut."""
    at = chance.below(len(items))
    items[:] = items[at:] + items[:at]


BAD_SHUFFLES = [swap_with_any, off_by_one, last_stays]


def all_orders(shuffle: Shuffle) -> float:
    """The p-value of the 120 orders of five cards being equally likely."""
    chance, orders = Chance(b"orders"), []
    for _ in range(120 * 250):
        items = list(range(5))
        shuffle(chance, items)
        orders.append(tuple(items))
    return uniformity(orders, factorial(5))


def first_card(shuffle: Shuffle) -> float:
    """The p-value of the first of twenty cards being any, each deck from a key of its own."""
    firsts = []
    for number in range(8_000):
        items = list(range(20))
        shuffle(Chance(number.to_bytes(32, "big")), items)
        firsts.append(items[0])
    return uniformity(firsts, 20)


def place_by_card(shuffle: Shuffle) -> float:
    """The p-value of every card lying in every place equally often.

    One shuffle puts each card somewhere, so the cells hang together: (m - 1) / m times the sum is chi-squared with
    (m - 1)**2 degrees of freedom.
    """
    size, times = 12, 8_000
    chance, seen = Chance(b"places"), Counter[tuple[int, int]]()
    for _ in range(times):
        items = list(range(size))
        shuffle(chance, items)
        seen.update(enumerate(items))
    expected = times / size
    off = sum((seen[cell] - expected) ** 2 for cell in product(range(size), range(size))) / expected
    return p_value(off * (size - 1) / size, (size - 1) ** 2)


@pytest.mark.parametrize("law", [all_orders, first_card, place_by_card])
@pytest.mark.parametrize("shuffle", [Chance.shuffle, Chance.permute])
def test_shuffle_is_uniform(law: Callable[[Shuffle], float], shuffle: Shuffle) -> None:
    """Every order, every first card and every place of every card is equally likely."""
    assert is_fair(law(shuffle))


@pytest.mark.parametrize("law", [all_orders, first_card, place_by_card])
@pytest.mark.parametrize("bad", BAD_SHUFFLES)
def test_bad_shuffles_are_found(law: Callable[[Shuffle], float], bad: Shuffle) -> None:
    """The laws have power: each well-known bad shuffle breaks each of them."""
    assert not is_fair(law(bad))


def test_a_cut_deck_is_found_by_its_orders_alone() -> None:
    """A deck that is only cut passes the table of places and is found by the orders: both laws are needed."""
    assert is_fair(place_by_card(cut_once))
    assert not is_fair(all_orders(cut_once))


@pytest.mark.parametrize("sides", [2, 6, 20])
def test_dice_are_fair(sides: int) -> None:
    """Every face of a die is equally likely, and no other face comes up."""
    chance = Chance(b"dice")
    faces = [chance.roll(sides) for _ in range(sides * 2000)]
    assert set(faces) == set(range(1, sides + 1))
    assert is_fair(uniformity(faces, sides))


def test_a_loaded_die_is_found() -> None:
    """A die that shows a six one time in five is found with as many throws as the fair one is given."""
    chance = Chance(b"dice")
    assert not is_fair(uniformity((1 + min(5, chance.below(25) // 4) for _ in range(12_000)), 6))


def test_successive_draws_do_not_know_each_other() -> None:
    """Pairs of successive draws are equally likely, across blocks of words too."""
    chance = Chance(b"pairs")
    row = [chance.below(16) for _ in range(40_001)]
    assert is_fair(uniformity(list(pairwise(row))[::2], 256))
    assert not is_fair(uniformity(list(pairwise(sorted(row)))[::2], 256))


def test_great_ranges_are_unbiased() -> None:
    """Below 3 * 2**62 every third is equally likely; a word's plain remainder would give the first third half."""
    third = 1 << 62
    chance, plain = Chance(b"thirds"), Chance(b"thirds")
    assert is_fair(uniformity((chance.below(3 * third) // third for _ in range(3000)), 3))
    assert not is_fair(uniformity((plain.word() % (3 * third) // third for _ in range(3000)), 3))
