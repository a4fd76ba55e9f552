"""Classes of bots that never swapped places: between them no rating fits best. Knows names and ranks."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice, pairwise

from arena.ratings.outcomes import Outcome

_AT_ONCE = 2000
"""After so many outcomes it is looked whether all are one class already; more outcomes part nobody."""


def classes_of(outcomes: Iterable[Outcome], names: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Classes of bots that met, each ahead of all later ones in every match that they shared.

    ``names`` are all bots of these outcomes.

    If there is more than one, no ratings fit the outcomes best (Ford 1957): the gaps between them are the prior's.
    """
    behind: dict[str, set[str]] = {}
    ahead: dict[str, set[str]] = {}
    left = iter(outcomes)
    found: list[tuple[str, ...]] = []
    while some := list(islice(left, _AT_ONCE)):
        for one, other in set(chain.from_iterable(map(_not_behind, some))):
            behind.setdefault(one, set()).add(other)
            ahead.setdefault(other, set()).add(one)
        found = _parted(behind, ahead)
        if len(found) == 1 and len(found[0]) == len(names):
            break
    return tuple(found)


def _parted(behind: Mapping[str, set[str]], ahead: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    left = sorted(behind.keys() | ahead.keys())
    found = []
    while left:
        reached = _reached(left[0], behind)
        members = reached & _reached(left[0], ahead)
        found.append((-len(reached), tuple(sorted(members))))
        left = [name for name in left if name not in members]
    return [members for _, members in sorted(found)]


def _not_behind(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Pairs of which the first did not finish behind the second; all others follow from these."""
    for group in outcome:
        yield from zip(group, (*group[1:], group[0]), strict=True)
    yield from ((above[0], below[0]) for above, below in pairwise(outcome))


def _reached(start: str, steps: Mapping[str, set[str]]) -> set[str]:
    found = {start}
    edge = [start]
    while edge:
        fresh = steps.get(edge.pop(), set()) - found
        found |= fresh
        edge += fresh
    return found
