"""How far each block moves the ratings, and how many single matches a block is worth.

At the fixed point the pulls of all blocks and of the prior balance. Blocks more or less move the ratings, to first
order, by the inverse of the joint precision times their pulls (one Newton step; the infinitesimal jackknife of Jaeckel
1972). Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Iterable, Sequence
from itertools import compress
from operator import mul

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.joint import differences
from arena.ratings.outcomes import by_arrays
from arena.ratings.quantiles import FEWEST_BLOCKS
from arena.ratings.table import Solution

MOST_GROUPS = 1000
"""More blocks than these are put together into this many groups by lot; deviations are then good to a 45th."""
_MOST_MOVES = 100_000
"""With many bots there are fewer groups, so that bots times groups stay below this."""
_FEWEST_GROUPS = 100


def influences(blocks: BlockOutcomes, solution: Solution) -> tuple[list[list[float]], list[set[int]]]:
    """By bot, how far each group of blocks moves its mu, less the mean of all groups; and the groups that it sat in.

    mu is meant relative to the mean of the component; the moves of a bot sum to nothing. The solution is that of the
    counts of these very blocks.
    """
    size = len(solution.names)
    most = max(_FEWEST_GROUPS, min(MOST_GROUPS, _MOST_MOVES // size))
    if by_arrays(len(blocks)):
        from arena.ratings.sums import pulls_by_group  # noqa: PLC0415 - numpy is not always there

        pulls, seated = pulls_by_group(blocks, most, solution)
    else:
        pulls, seated = _pulls_by_group(blocks, most, solution)
    moves = [list(column) for column in zip(*differences(solution.rows, pulls), strict=True)]
    for column in moves:
        mean = sum(column) / len(column)
        column[:] = [move - mean for move in column]
    return moves, seated


def _pulls_by_group(blocks: BlockOutcomes, most: int, solution: Solution) -> tuple[list[list[float]], list[set[int]]]:
    """As ``arena.ratings.sums.pulls_by_group``."""
    size = len(solution.names)
    group_of = blocks.groups(most)
    pulls = [[0.0] * size for _ in range(min(most, len(group_of)))]
    seated: list[set[int]] = [set() for _ in range(size)]
    for outcomes, of_shape in solution.parts():
        seats = sum(outcomes.shape)
        # a list holds its numbers ready, an array makes each when it is asked for
        bot_of, pull_of = outcomes.bots.tolist(), of_shape.tolist()
        for (block, _), place in zip(blocks.shapes[outcomes.shape].rows(), outcomes.places, strict=True):
            if place >= 0:
                group = group_of[block]
                row = pulls[group]
                start, end = place * seats, (place + 1) * seats
                for bot, pull in zip(bot_of[start:end], pull_of[start:end]):  # noqa: B905 - hot; both as wide as the match
                    row[bot] += pull
                    seated[bot].add(group)
    return pulls, seated


def design_effect(blocks: BlockOutcomes, solutions: Iterable[Solution]) -> float | None:
    """The variance of the ratings by blocks, as a share of the variance if all matches were independent.

    Single matches means: each on a deal of its own, seats drawn by lot, so that none depends on another. Below 1,
    mirrored blocks save matches. None without a bot that sat in ``FEWEST_BLOCKS`` blocks.
    """
    of_blocks = of_matches = 0.0
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        told = [len(groups) >= FEWEST_BLOCKS for groups in sat]
        of_blocks += sum(sum(map(mul, column, column)) for column in compress(moves, told))
        of_matches += _of_matches(solution, told)
    return of_blocks / of_matches if of_matches else None


def _of_matches(solution: Solution, told: Sequence[bool]) -> float:
    """The sum over all matches of the squares of how far each moves the bots that are told."""
    size = len(told)
    # for each bot: how far a pull of 1 moves all others, less the mean move
    moves = list(differences(solution.rows, ([(at == bot) - 1 / size for at in range(size)] for bot in range(size))))
    moves = [list(compress(column, told)) for column in moves]
    products = [[sum(map(mul, one, other)) for other in moves] for one in moves]
    if by_arrays(len(solution.pulls)):
        from arena.ratings.sums import squared_moves  # noqa: PLC0415 - numpy is not always there

        return squared_moves(solution, products)
    total = 0.0
    for times, bots, pulls in solution.seats():
        squares = sum(
            [
                pull * sum(map(mul, pulls, map(products[bot].__getitem__, bots)))
                for bot, pull in zip(bots, pulls, strict=True)
            ]
        )
        total += times * squares
    return total
