"""Who has risen and who has fallen, for a table that is drawn while matches are played."""

from collections import deque
from collections.abc import Sequence

_BACK = 12


class Trend:
    """By how many places bots have risen since a dozen matches ago or more, which it notes at each look."""

    def __init__(self) -> None:
        self._orders: deque[tuple[int, Sequence[str]]] = deque(maxlen=50)

    def moved(self, matches: int, order: Sequence[str]) -> dict[str, int]:
        """The bots that have moved; ``order`` has all of them from first to last after so many matches."""
        self._orders.append((matches, order))
        before = [then for count, then in self._orders if count <= matches - _BACK]
        places = {bot: place for place, bot in enumerate(before[-1] if before else [])}
        return {bot: places[bot] - place for place, bot in enumerate(order) if places.get(bot, place) != place}
