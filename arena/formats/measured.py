"""How well each format answers at its cost: simulated beforehand, since a dry run has no time for it.

Of bots whose skills are the quantiles of a normal distribution, one beta wide: how often the best one came first, how
the order went with the true one (rank correlation), and of formats that may end early how many matches they took. Each
format had the blocks that ``arena.formats.forecast.sound`` asks for. ``tests/formats/test_forecast.py`` measures again.
"""

from collections.abc import Sequence
from math import log

from msgspec import Struct


class Answer(Struct, frozen=True):
    """What simulated runs of a format came to."""

    bots: int
    best: float
    """The share of runs in which the best bot came first."""
    order: float
    """The mean rank correlation with the true order."""
    fewest: float = 0.0
    """Matches a bot that nine of ten runs took at least, if it may end early."""
    most: float = 0.0
    """Matches a bot that nine of ten runs took at most."""


_OF_TWO: dict[str, tuple[Answer, ...]] = {
    "balanced": (
        Answer(bots=4, best=0.94, order=0.98),
        Answer(bots=8, best=0.97, order=0.96),
        Answer(bots=16, best=0.80, order=0.96),
    ),
    "swiss": (
        Answer(bots=4, best=0.75, order=0.78),
        Answer(bots=8, best=0.72, order=0.87),
        Answer(bots=16, best=0.65, order=0.89),
    ),
    "knockout": (
        Answer(bots=4, best=1.00, order=0.80, fewest=28.0, most=32.0),
        Answer(bots=8, best=0.91, order=0.69, fewest=36.2, most=40.8),
        Answer(bots=16, best=1.00, order=0.66, fewest=40.1, most=43.4),
    ),
    "race": (
        Answer(bots=4, best=1.00, order=0.98, fewest=54.2, most=96.2),
        Answer(bots=8, best=1.00, order=0.97, fewest=71.2, most=100.8),
        Answer(bots=16, best=1.00, order=0.95, fewest=77.8, most=93.3),
    ),
}
_OF_FOUR: dict[str, tuple[Answer, ...]] = {
    "balanced": (
        Answer(bots=8, best=1.00, order=0.99),
        Answer(bots=16, best=0.95, order=0.99),
        Answer(bots=32, best=1.00, order=0.99),
    ),
    "swiss": (
        Answer(bots=8, best=0.91, order=0.97),
        Answer(bots=16, best=0.90, order=0.97),
        Answer(bots=32, best=0.88, order=0.97),
    ),
    "knockout": (
        Answer(bots=8, best=1.00, order=0.86, fewest=34.0, most=36.0),
        Answer(bots=16, best=1.00, order=0.77, fewest=40.1, most=42.0),
        Answer(bots=32, best=1.00, order=0.71, fewest=43.9, most=45.0),
    ),
    "race": (
        Answer(bots=8, best=1.00, order=1.00, fewest=41.4, most=56.6),
        Answer(bots=16, best=1.00, order=0.99, fewest=41.4, most=50.8),
        Answer(bots=32, best=1.00, order=0.98, fewest=21.5, most=27.5),
    ),
}


def answer(name: str, *, bots: int, seats: int) -> Answer | None:
    """The measured ones next to this number of bots, in proportion; None for a format that was not measured.

    Tables of two have their own figures, all others those of four. Beyond the most bots these figures stay as they are.
    """
    rows = (_OF_TWO if seats == 2 else _OF_FOUR).get(name)  # noqa: PLR2004 - tables of two
    return None if rows is None else _between(rows, bots)


def _between(rows: Sequence[Answer], bots: int) -> Answer:
    below = max((row for row in rows if row.bots <= bots), key=lambda row: row.bots, default=rows[0])
    above = min((row for row in rows if row.bots >= bots), key=lambda row: row.bots, default=rows[-1])
    part = log(bots / below.bots) / log(above.bots / below.bots) if above.bots > below.bots else 0.0

    def mixed(one: float, other: float) -> float:
        return one + part * (other - one)

    return Answer(
        bots=bots,
        best=mixed(below.best, above.best),
        order=mixed(below.order, above.order),
        fewest=mixed(below.fewest, above.fewest),
        most=mixed(below.most, above.most),
    )
