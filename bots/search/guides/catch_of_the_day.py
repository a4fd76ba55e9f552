"""What the search is told of Catch of the Day: everyone plays as greedy for the day, and at random after it."""

from operator import attrgetter
from types import ModuleType

from arena.search import Guide


def guide(greedy: ModuleType) -> Guide:
    """Played to the end of the match, because Requests count only there; after today answers are random."""
    return Guide(policy=greedy.decide, phase=attrgetter("day"), random_after=True)
