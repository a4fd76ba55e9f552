"""How far each block moves the ratings, and how many single matches a block is worth.

At the fixed point the pulls of all blocks and of the prior balance. Blocks more or less move the ratings, to first
order, by the inverse of the joint precision times their pulls (one Newton step; the infinitesimal jackknife of Jaeckel
1972). Knows names and blocks; knows no records, games or files.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import mul

from arena.ratings.blocks import BlockOutcomes
from arena.ratings.joint import differences
from arena.ratings.outcomes import Outcome
from arena.ratings.quantiles import FEWEST_BLOCKS
from arena.ratings.table import Solution

MOST_GROUPS = 1000
"""More blocks than these are put together into this many groups by lot; deviations are then good to a 45th."""
_MOST_MOVES = 100_000
"""With many bots there are fewer groups, so that bots times groups stay below this."""
_FEWEST_GROUPS = 100


def influences(blocks: BlockOutcomes, solution: Solution) -> tuple[list[list[float]], list[set[int]]]:
    """By bot, how far each group of blocks moves its mu, less the mean of all groups; and the groups that it sat in.

    mu is meant relative to the mean of the component; the moves of a bot sum to nothing.
    """
    size = len(solution.names)
    group_of = blocks.groups(max(_FEWEST_GROUPS, min(MOST_GROUPS, _MOST_MOVES // size)))
    pulls = [[0.0] * size for _ in range(max(group_of) + 1)]
    present: list[set[int]] = [set() for _ in pulls]
    place_of = solution.places.get
    places = [place_of(outcome, -1) for outcome in blocks.outcomes]
    # a list holds its numbers ready, an array makes each when it is asked for
    starts, bot_of, pull_of = solution.starts.tolist(), solution.bots.tolist(), solution.pulls.tolist()
    for block, number in zip(blocks.owners, blocks.seen, strict=True):
        place = places[number]
        if place >= 0:
            group = group_of[block]
            row = pulls[group]
            start, end = starts[place], starts[place + 1]
            bots = bot_of[start:end]
            present[group].update(bots)
            for bot, pull in zip(bots, pull_of[start:end]):  # noqa: B905 - hot; both as wide as the match
                row[bot] += pull
    seated = [{group for group, bots in enumerate(present) if bot in bots} for bot in range(size)]
    moves = [list(column) for column in zip(*differences(solution.rows, pulls), strict=True)]
    for column in moves:
        mean = sum(column) / len(column)
        column[:] = [move - mean for move in column]
    return moves, seated


def design_effect(blocks: BlockOutcomes, solutions: Iterable[Solution]) -> float | None:
    """The variance of the ratings, as blocks have it, as a share of what as many single matches would have.

    Single matches means: each on a deal of its own, seats drawn by lot, so that none depends on another. Below 1,
    mirrored blocks save matches. None without a bot that sat in ``FEWEST_BLOCKS`` blocks.
    """
    of_blocks = of_matches = 0.0
    counts = blocks.counts()
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        told = [len(groups) >= FEWEST_BLOCKS for groups in sat]
        of_blocks += sum(sum(map(mul, column, column)) for column in compress(moves, told))
        of_matches += _of_matches(solution, told, counts)
    return of_blocks / of_matches if of_matches else None


def _of_matches(solution: Solution, told: Sequence[bool], counts: Mapping[Outcome, int]) -> float:
    """The sum over all matches of the squares of how far each moves the bots that are told."""
    size = len(told)
    # of each bot, how far a pull of 1 moves all the others, less the mean move
    moves = list(differences(solution.rows, ([(at == bot) - 1 / size for at in range(size)] for bot in range(size))))
    moves = [list(compress(column, told)) for column in moves]
    products = [[sum(map(mul, one, other)) for other in moves] for one in moves]
    total = 0.0
    for (bots, pulls), outcome in zip(solution.seats(), solution.places, strict=True):
        squares = sum(
            [
                pull * sum(map(mul, pulls, map(products[bot].__getitem__, bots)))
                for bot, pull in zip(bots, pulls, strict=True)
            ]
        )
        total += counts[outcome] * squares
    return total
