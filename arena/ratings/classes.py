"""Classes of bots that never swapped places: between them no rating fits best. Knows names and ranks."""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from arena.ratings.outcomes import Outcome


def classes_of(outcomes: Iterable[Outcome]) -> tuple[tuple[str, ...], ...]:
    """Classes of bots that met, each ahead of all later ones in every match that they shared.

    If there is more than one, no ratings fit the outcomes best (Ford 1957): the gaps between them are the prior's.
    """
    behind: dict[str, set[str]] = {}
    ahead: dict[str, set[str]] = {}
    for one, other in set(chain.from_iterable(map(_not_behind, outcomes))):
        behind.setdefault(one, set()).add(other)
        ahead.setdefault(other, set()).add(one)
    left = sorted(behind.keys() | ahead.keys())
    found = []
    while left:
        reached = _reached(left[0], behind)
        members = reached & _reached(left[0], ahead)
        found.append((-len(reached), tuple(sorted(members))))
        left = [name for name in left if name not in members]
    return tuple(members for _, members in sorted(found))


def _not_behind(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Pairs of which the first did not finish behind the second; all others follow from these."""
    for group in outcome:
        yield from zip(group, (*group[1:], group[0]), strict=True)
    yield from ((above[0], below[0]) for above, below in pairwise(outcome))


def _reached(start: str, steps: dict[str, set[str]]) -> set[str]:
    found = {start}
    edge = [start]
    while edge:
        fresh = steps.get(edge.pop(), set()) - found
        found |= fresh
        edge += fresh
    return found
