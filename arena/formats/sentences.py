"""Phrases that several formats use in their results. Knows names and numbers, and no format."""

from collections.abc import Collection, Sequence

_LISTED = 12
"""More are only counted."""


def some(texts: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(texts) - _LISTED} more" if len(texts) > _LISTED else ""
    return (", ".join(texts[:_LISTED]) + more) or "none"


def doubt(bots: Collection[str], places: int) -> str:
    """That all of these bots may be among the first so many."""
    which = "the best" if places == 1 else f"among the first {places}"
    return f"each of these may be {which}: {some(sorted(bots))}"


def round_of(circle: Sequence[str]) -> str:
    """That each of these is ahead of the next, and the last of the first."""
    return " > ".join((*circle, circle[0]))


def counted(number: int, what: str = "block") -> str:
    """So many of them."""
    return f"{number} {what}{'' if number == 1 else 's'}"
