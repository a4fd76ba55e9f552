"""Limits in words: what is read, how it is written, and what a bot may ask for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.limits import KEYS, excess, lowered, read, setting, text
from arena.wire import DEFAULT_LIMITS, Limits

BANKED = replace(DEFAULT_LIMITS, bank=30_000, increment=100)


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("move", "400ms", {"move": 400}),
        ("move", "1.5s", {"move": 1500}),
        ("total", "10m", {"total": 600_000}),
        ("cpu", "2h", {"cpu": 7_200_000}),
        ("bank", "30s", {"bank": 30_000, "increment": 0}),
        ("bank", "30s+100ms", {"bank": 30_000, "increment": 100}),
        ("bank", "30s+0s", {"bank": 30_000, "increment": 0}),
        ("line", "4KiB", {"line": 4096}),
        ("memory", "2GiB", {"memory": 2 << 30}),
        ("memory", 33_554_432, {"memory": 32 << 20}),
        ("stray", 0, {"stray": 0}),
        ("descriptors", "16", {"descriptors": 16}),
    ],
)
def test_what_is_read(key: str, value: str | int, fields: dict[str, int]) -> None:
    """Times have a unit, sizes one or none, counts none; a bank has an increment behind a plus sign."""
    assert read(key, value) == fields


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("move", "0s", "expected a time from 1ms to 24h such as 400ms, 1s or 10m, got '0s'"),
        ("move", "25h", "from 1ms to 24h"),
        ("move", "9" * 400 + "s", "from 1ms to 24h"),
        ("move", 400, "got 400"),
        ("move", "1s+1s", "got '1s+1s'"),
        ("move", "1 s", "got '1 s'"),
        ("move", "1s\n", "got '1s\\n'"),
        ("move", "-1s", "got '-1s'"),
        ("bank", "30", "such as 30s, or 30s+100ms with an increment for each decision, got '30'"),
        ("bank", "30s+", "got '30s+'"),
        ("bank", "0s+1s", "got '0s+1s'"),
        ("bank", "30s+25h", "got '30s+25h'"),
        ("memory", "1.5GiB", "expected a size from 16MiB to 524288GiB such as 64KiB, 512MiB or 65536, got '1.5GiB'"),
        ("memory", "512MB", "got '512MB'"),
        ("memory", "1KiB", "from 16MiB"),
        ("line", "1023", "from 1KiB to 1MiB"),
        ("descriptors", "15", "expected a whole number from 16 to 1048576, got '15'"),
        ("stray", "few", "expected a whole number from 0 to 1000000, got 'few'"),
        ("stray", "\u0663", "got '\u0663'"),
        ("cpu", "999ms", "expected a time from 1s to 2400h"),
    ],
)
def test_what_is_refused(key: str, value: str | int, rule: str) -> None:
    """Whatever else, and what is out of bounds, is refused with the bounds."""
    with pytest.raises(ValueError, match="expected ") as caught:
        read(key, value)
    assert rule in str(caught.value)


def test_the_house_is_within_its_bounds() -> None:
    """Each limit that the host has by itself could also be asked for, and no bound reaches 2^53."""
    for key in KEYS:
        assert key == "bank" or read(key, text(DEFAULT_LIMITS, key)) == {key: getattr(DEFAULT_LIMITS, key)}
        assert KEYS[key].most < 2**53
    assert text(DEFAULT_LIMITS, "bank") == "none"


@given(st.sampled_from(list(KEYS)), st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read(key: str, data: st.DataObject) -> None:
    """A limit is written as it is read, whatever it is."""
    least, most = KEYS[key].least, KEYS[key].most
    limits = replace(DEFAULT_LIMITS, **{key: data.draw(st.integers(least, most))})
    if key == "bank":
        limits = replace(limits, increment=data.draw(st.integers(0, most)))
    assert replace(limits, **read(key, text(limits, key))) == limits


def test_less_is_given() -> None:
    """A bot is held to the lower of what it asks for and what the host allows, where it asks nothing to the latter."""
    assert lowered(DEFAULT_LIMITS, {}) == DEFAULT_LIMITS
    asked: dict[str, str | int] = {"move": "200ms", "memory": "2GiB", "stray": 3}
    assert lowered(DEFAULT_LIMITS, asked) == replace(DEFAULT_LIMITS, move=200, stray=3)
    assert excess(DEFAULT_LIMITS, {"move": "200ms", "stray": 3, "cpu": "2h"}) is None


@pytest.mark.parametrize(
    ("house", "asked", "effective", "more"),
    [
        (DEFAULT_LIMITS, "5s", (5000, 0), None),
        (DEFAULT_LIMITS, "5s+1s", (5000, 1000), None),
        (BANKED, "20s", (20_000, 0), None),
        (BANKED, "30s+100ms", (30_000, 100), None),
        (
            BANKED,
            "10s+200ms",
            (10_000, 100),
            "asks for bank 10s+200ms, expected at most 30s+100ms; --bank 30s+200ms allows it",
        ),
        (BANKED, "1m", (30_000, 0), "asks for bank 1m, expected at most 30s+100ms; --bank 1m+100ms allows it"),
    ],
)
def test_banks(house: Limits, asked: str, effective: tuple[int, int], more: str | None) -> None:
    """Where the host has no bank any is less; else neither the bank nor the increment may be more."""
    own = lowered(house, {"bank": asked})
    assert (own.bank, own.increment) == effective
    assert excess(house, {"bank": asked}) == more


@pytest.mark.parametrize(
    ("key", "asked", "more"),
    [
        ("memory", "2GiB", "asks for memory 2GiB, expected at most 512MiB; --limit memory=2GiB allows it"),
        ("move", "2s", "asks for move 2s, expected at most 1s; --move-time 2s allows it"),
        ("start", "11000ms", "asks for start 11s, expected at most 10s; --start-time 11s allows it"),
        ("total", "1h", "asks for total 1h, expected at most 10m; --budget 1h allows it"),
        ("stray", 65, "asks for stray 65, expected at most 64; --limit stray=65 allows it"),
    ],
)
def test_more_is_refused(key: str, asked: str | int, more: str) -> None:
    """Asking for more than the host allows is told with what would allow it, and that does."""
    assert excess(DEFAULT_LIMITS, {"line": "1KiB", key: asked}) == more
    wider = replace(DEFAULT_LIMITS, **read(key, asked))
    assert excess(wider, {key: asked}) is None
    assert " ".join(setting(wider, key)) in more
