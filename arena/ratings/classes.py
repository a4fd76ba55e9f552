"""Classes of bots that never swapped places: between them no rating fits best. Knows names and ranks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from arena.ratings.outcomes import Outcomes, by_arrays


def classes_of(outcomes: Iterable[Outcomes], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Classes of bots that met, each ahead of all later ones in every match that they shared.

    ``names`` are all bots of these outcomes, which are of one component.

    If there is more than one, no ratings fit the outcomes best (Ford 1957): the gaps between them are the prior's.
    """
    behind: dict[int, set[int]] = {}
    ahead: dict[int, set[int]] = {}
    found: list[tuple[int, ...]] = []
    for each in outcomes:
        for one, other in _not_behind(each):
            behind.setdefault(one, set()).add(other)
            ahead.setdefault(other, set()).add(one)
        found = _parted(behind, ahead)
        if len(found) == 1 and len(found[0]) == len(names):
            # more outcomes part nobody
            break
    return tuple([tuple([names[bot] for bot in members]) for members in found])


def _parted(behind: Mapping[int, set[int]], ahead: Mapping[int, set[int]]) -> list[tuple[int, ...]]:
    left = sorted(behind.keys() | ahead.keys())
    found = []
    while left:
        reached = _reached(left[0], behind)
        members = reached & _reached(left[0], ahead)
        found.append((-len(reached), tuple(sorted(members))))
        left = [bot for bot in left if bot not in members]
    return [members for _, members in sorted(found)]


def _not_behind(outcomes: Outcomes) -> Iterator[tuple[int, int]]:
    """Pairs of which the first did not finish behind the second; all others follow from these."""
    seats = sum(outcomes.shape)
    many = by_arrays(len(outcomes.counts))
    starts = list(accumulate(outcomes.shape, initial=0))
    steps = [(start, start + 1) for start in range(seats - 1)]
    steps += [(end - 1, start) for start, end in pairwise(starts) if end - start > 1]
    for one, other in steps:
        if many:
            from arena.ratings.sums import pairs_at  # noqa: PLC0415 - numpy is not always there

            yield from pairs_at(outcomes, one, other=other)
        else:
            yield from set(zip(outcomes.bots[one::seats], outcomes.bots[other::seats], strict=True))


def _reached(start: int, steps: Mapping[int, set[int]]) -> set[int]:
    found = {start}
    edge = [start]
    while edge:
        fresh = steps.get(edge.pop(), set()) - found
        found |= fresh
        edge += fresh
    return found
