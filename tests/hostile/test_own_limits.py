"""Limits of a bot's own: what its bot file asks for is what it is held to, as a real process."""

import json
from pathlib import Path

import pytest

from arena.limits import lowered
from arena.players.botfile import read_bot_file
from arena.wire import DEFAULT_LIMITS, Limits
from tests.hostile.house import IN_TIME, House, only_fault

BANK = 150


def asking(folder: Path, **limits: str | int) -> Limits:
    """What a bot is held to whose bot file asks for this."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in limits.items()]
    text = "\n".join(['name = "modest"', 'command = ["x"]', "[limits]", *lines])
    (folder / "bot.toml").write_text(text, encoding="utf-8")
    return lowered(DEFAULT_LIMITS, read_bot_file(folder).limits)


@pytest.mark.parametrize(
    ("sin", "limits", "rule"),
    [
        ("deep", {"line": "8KiB"}, "expected a line of at most 8192 bytes, got a longer one"),
        ("fat-spam", {"output": "64KiB"}, "expected at most 65536 bytes of output a question, got more"),
        ("chatter", {"stray": 2}, "expected at most 2 stray lines a question, got more"),
        ("blank-lines", {"stray": 2}, "expected at most 2 stray lines a question, got more"),
    ],
)
def test_what_it_may_write(house: House, sin: str, limits: dict[str, str | int], rule: str) -> None:
    """A bot that asked for less is garbled as soon as it writes more, with its own limit in the fault."""
    with house.visit("--sin", sin, limits=asking(house.place, **limits)) as guest:
        fault = only_fault(guest.match(move=IN_TIME))
    assert (fault.kind, fault.rule) == ("garbled", rule)


def test_stderr_that_is_kept(house: House) -> None:
    """Of its stderr as much is kept as it asked for, half of it from the head and half from the tail."""
    with house.visit("--sin", "much-stderr", limits=asking(house.place, stderr="2KiB")) as guest:
        assert guest.match(move=IN_TIME).faults == ()
    head, tail = guest.errors[0].split(b"\n[... ")[0], guest.errors[0].split(b" ...]\n")[1]
    assert (len(head), len(tail)) == (1024, 1024)
    assert head.startswith(b"first ")
    assert tail.endswith(b" last")


def test_a_bank_that_runs_out(house: House) -> None:
    """A bot that takes 20 ms each time loses on its bank, and not before; until then it answers as it likes."""
    with house.visit("--sin", "think") as guest:
        record = guest.match(move=IN_TIME, rounds=50, faults=3, bank=BANK)
    own = [micros / 1000 for micros in record.micros[::2]]
    first = record.faults[0].decision // 2
    assert [fault.kind for fault in record.faults] == ["late"] * 3
    assert record.retired == (0,)
    assert sum(own[:first]) + max(own[first], 0) >= BANK - 1
    # of a machine that does something else, its bot gets the time back: up to four times its own
    assert first <= 4 * (BANK // 20 + 1)
    assert max(own[first + 1 :]) < 0


def test_an_increment_that_is_enough(house: House) -> None:
    """With more added than it takes, the same bot never runs out."""
    with house.visit("--sin", "think") as guest:
        assert guest.match(move=IN_TIME, rounds=15, bank=BANK, increment=IN_TIME).faults == ()


def test_a_total_that_runs_out(house: House) -> None:
    """A bot that has thought for the total of a match is retired at once, with one fault."""
    with house.visit("--sin", "think") as guest:
        record = guest.match(move=IN_TIME, rounds=50, faults=3, total=BANK)
    fault = only_fault(record)
    assert (fault.kind, record.retired) == ("late", (0,))
    assert fault.rule == "expected at most 0.15 s of thinking in a match, got more"
