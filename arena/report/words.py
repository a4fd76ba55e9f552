"""Numbers, names and times as people say them. Knows nothing of arena."""

from collections import deque
from collections.abc import Sequence

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FEW, _MANY = 4, 10


def word(number: int) -> str:
    """A number up to ten as a word."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else f"{number:,}"


def listed(names: Sequence[str]) -> str:
    """Names with commas and *and*; of very many the first."""
    if len(names) > _MANY:
        names = [*names[: _MANY - 2], f"{len(names) - _MANY + 2} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def named_or_counted(names: Sequence[str], *, begins: bool = False) -> str:
    """The names of bots for a heading, or how many there are; a name keeps its first letter where it ``begins`` one."""
    count = word(len(names))
    return listed(names) if len(names) <= _FEW else f"{count.capitalize() if begins else count} bots"


def plural(number: int, singular: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def percent(part: float, *, total: float) -> str:
    """A share in whole per cent; what rounds to all or to nothing is not called so."""
    share = 100 * part / total
    if 99.5 <= share < 100:  # noqa: PLR2004 - it would round to 100
        return "over 99 %"
    return "under 1 %" if 0 < share < 0.5 else f"{share:.0f} %"  # noqa: PLR2004 - likewise to 0


def format_duration(seconds: float) -> str:
    """A time as people say it: ``31.7 s``, ``12 min``, ``5.3 h``, ``2.1 days``."""
    for size, unit, digits in ((172_800, "days", 1), (7200, "h", 1), (120, "min", 0)):
        if seconds >= size:
            return f"{seconds / {'days': 86_400, 'h': 3600, 'min': 60}[unit]:.{digits}f} {unit}"
    return f"{seconds:.1f} s"


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
