"""Numbers, names and times as people say them."""

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
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0] if names else "none"


def named_or_counted(names: Sequence[str], *, begins: bool = False) -> str:
    """The names of bots for a heading, or how many there are; a name keeps its first letter where it ``begins`` one."""
    count = word(len(names))
    return listed(names) if len(names) <= _FEW else f"{count.capitalize() if begins else count} bots"


def plural(number: int, singular: str, many: str = "") -> str:
    """A number with what is counted: ``1 match``, ``2 matches``; ``many`` for what has a verb or an odd plural."""
    return f"{number:,} {agreeing(number, singular, many)}"


def agreeing(number: int, singular: str, many: str = "") -> str:
    """What is counted, without its number."""
    if number == 1:
        return singular
    if singular.endswith("y") and singular[-2] not in "aeo":
        return many or f"{singular[:-1]}ies"
    return many or f"{singular}{'es' if singular.endswith(('s', 'x', 'sh', 'ch')) else 's'}"


def every(number: int, singular: str, many: str = "") -> str:
    """All of so many things: ``the one pair``, ``both pairs``, ``all three pairs``."""
    what = agreeing(number, singular, many)
    return f"the one {what}" if number == 1 else f"both {what}" if number == 2 else f"all {word(number)} {what}"  # noqa: PLR2004


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
