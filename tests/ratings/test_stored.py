"""Matches that lie beyond memory: the same ratings, intervals, pairs and notes, bit for bit."""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from arena.ratings import BlockOutcomes, design_effect, fit_blocks, intervals_of, outcomes, pairs
from arena.ratings import sums as sums_module
from arena.ratings.blocks import block_name, block_number
from arena.ratings.outcomes import in_order
from arena.ratings.sums import groups
from arena.report.tally import Repeats
from arena.spill import Spill
from tests.ratings.matches import simulated
from tests.report.records import record

SKILLS = {f"bot{number}": 20.0 + number for number in range(8)}
SEVERAL = {seats: simulated(SKILLS, 80, seats, seed=seats, grain=2.0) for seats in (2, 3, 4)}
BUDGET = 1 << 12
"""A small part of what these matches and a fit of them take."""


def counted(spill: Spill) -> BlockOutcomes:
    """The matches, counted there: of three seat counts and two epochs, and the first blocks not the first to end."""
    blocks = BlockOutcomes(spill=spill)
    for at in Random(1).sample(range(240), 240):
        blocks.add(block_number(epoch=at % 2, block=at // 8), *SEVERAL[2 + at % 3][at // 3])
    return blocks


def found(spill: Spill) -> str:
    """All that is found of the matches, in full digits."""
    blocks = counted(spill)
    table, solutions = fit_blocks(blocks)
    sorted_blocks = BlockOutcomes(bots=blocks.bots, spill=spill)
    sorted_blocks.take(blocks, first=0, end=block_number(epoch=1, block=10))
    return repr(
        (
            table,
            intervals_of(blocks, table, solutions, anchors={"bot3"}),
            pairs(blocks, table),
            design_effect(blocks, solutions),
            [list(each.matches()) for each in (*blocks.of_seats().values(), sorted_blocks)],
            list(in_order(blocks)),
        )
    )


@pytest.mark.parametrize("numpy", [True, False])
def test_beyond_the_budget_nothing_found_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, numpy: bool
) -> None:
    """Past a small budget matches and the arrays of the fit lie in files, and every digit stays as it is."""
    monkeypatch.setattr(outcomes, "MANY", 0 if numpy else 1 << 60)
    monkeypatch.setattr(outcomes, "MANY_ALIKE", 0)
    monkeypatch.setattr(sums_module, "_TOGETHER", 32)
    monkeypatch.setattr(sums_module, "_MATCHES", 64)
    in_memory = found(Spill())
    small = Spill(tmp_path, budget=BUDGET)
    assert found(small) == in_memory
    of_matches = 240 * (8 + 4 * 3)
    of_fit = 240 * (3 + 6 * 2) * 8
    assert small.stored > of_matches - BUDGET + numpy * of_fit
    assert list(tmp_path.iterdir()) == []


def test_groups_are_those_of_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are put into groups in the order of their names, as text, whatever finds them."""
    monkeypatch.setattr(outcomes, "MANY", 0)
    monkeypatch.setattr(sums_module, "_TOGETHER", 16)
    blocks = BlockOutcomes()
    drawn = Random(1)
    for epoch in (0, 1, 2, 10, 9999):
        for number in {0, 1, 9, 10, 99, 100, 10**10 - 1, *drawn.sample(range(10**10), 9), *range(100, 130)}:
            blocks.add(block_number(epoch=epoch, block=number), "ab", (0, 1))
    for most in (7, 1000):
        order, of_blocks = groups(blocks, most)
        assert dict(zip(order.tolist(), of_blocks.tolist(), strict=True)) == blocks.groups(most)
    by_name = sorted(blocks.groups(1000).items(), key=lambda each: each[1])
    assert [block_name(block) for block, _ in by_name] == sorted(block_name(block) for block, _ in by_name)


@pytest.mark.parametrize(("epoch", "block"), [(10**4, 0), (0, 10**10), (-1, 0), (0, -1)])
def test_blocks_that_no_run_has(epoch: int, block: int) -> None:
    """A journal of a stranger may hold any id: one that is too long is refused in words."""
    with pytest.raises(ValueError, match="expected fewer than 10000 epochs and 10000000000 blocks, got e"):
        block_number(epoch=epoch, block=block)


def test_repeats_are_counted_beyond_memory(tmp_path: Path) -> None:
    """Matches that repeat another one are as many, wherever their hashes lie."""
    spill = Spill(tmp_path, budget=BUDGET)
    for repeats in (Repeats(), Repeats(spill)):
        for number in range(500):
            repeats.add(record({"a": 0, "b": number % 100}, waits=((0, 1),)))
        assert repeats.count == 0
        for number in range(500):
            played = record({"a": 0, "b": 1}, scores=(number % 100, 0))
            repeats.add(replace(played, picks=((0,),)))
        assert repeats.count == 400
    assert spill.stored >= 500 * 8 - BUDGET
