"""Outcomes as columns: by shape, by block and by group of blocks."""

from random import Random

import pytest

from arena.chance import Chance
from arena.ratings import outcomes_of
from arena.ratings.outcomes import KEY, block_number
from tests.ratings.matches import counted


def test_outcomes_of_very_many_bots_are_told_apart() -> None:
    """Eight bots of many thousands make a number that no machine word holds: still each outcome is one."""
    names = [f"{at:05}" for at in range(20_000)]
    drawn = Random(1)
    line_ups = [tuple(drawn.sample(names, 8)) for _ in range(50)]
    blocks = counted([(str(at), (line_up, tuple(range(8)))) for at, line_up in enumerate([*line_ups, *line_ups])])
    (found,) = blocks.different(range(len(blocks.names)))
    assert found.counts.tolist() == [2] * 50
    assert found.places[:50].tolist() == found.places[50:].tolist()
    assert [blocks.names[bot] for bot in found.bots.ravel()] == [
        name for line_up in sorted(line_ups) for name in line_up
    ]


def test_groups_are_those_of_the_names() -> None:
    """Blocks are put into groups in the order of their names, as text, whatever finds them."""
    drawn, played = Random(1), []
    for epoch in (0, 1, 2, 10, 9999):
        numbers = {0, 1, 9, 10, 99, 100, 10**10 - 1, *drawn.sample(range(10**10), 9), *range(100, 130)}
        played += [(block_number(epoch=epoch, block=number), "ab", (0, 1)) for number in numbers]
    outcomes = outcomes_of(played)
    names = sorted(f"e{block >> 40}b{block % 2**40}" for block, _, _ in played)
    for most in (7, 1000):
        blocks, groups = outcomes.groups(most)
        order = list(names)
        if len(order) > most:
            Chance(KEY).shuffle(order)
        of_blocks = zip(blocks.tolist(), groups.tolist(), strict=True)
        found = {f"e{block >> 40}b{block % 2**40}": group for block, group in of_blocks}
        assert found == {name: at % most for at, name in enumerate(order)}


@pytest.mark.parametrize(("epoch", "block"), [(10**4, 0), (0, 10**10), (-1, 0), (0, -1)])
def test_blocks_that_no_run_has(epoch: int, block: int) -> None:
    """A journal of a stranger may hold any id: one that is too long is refused in words."""
    with pytest.raises(ValueError, match="expected fewer than 10000 epochs and 10000000000 blocks, got e"):
        block_number(epoch=epoch, block=block)
