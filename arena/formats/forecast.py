"""How many blocks a format takes, and how well it answers: it says so, or was measured, or simulated bots play it.

Simulated skills have a deviation of one beta, as in a field with some good bots. Knows no format in particular.

What formats say of themselves is held to in ``tests/formats/test_forecast.py``, which measures it. Of 16 simulated bots
one beta wide, four at a table, it found in 40 runs of each: the order of a balanced run goes with the true one at 0.99
(rank correlation), that of a Swiss at 0.97; the best was always through in its group, and first in a knockout and a
race; the share of opponents that the challenger of a gauntlet finished ahead of had a deviation of 0.02.
"""

from collections.abc import Iterator, Sequence
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import Answer, Format, LineUp, Played, Progress, Round, Terms, derived
from arena.formats.registry import OURS, find, made
from arena.ratings.factors import BETA2

_NORMAL = NormalDist()
_BETA = sqrt(BETA2)
_MOST_BOTS = 24
"""At most this many bots are simulated; for more, the blocks grow with the bots."""
SPREAD = "skills that spread as the luck of a match does (one beta)"
"""What is assumed of the simulated bots."""
_SIMULATED = 3
"""Runs of a format that may end early."""
_RACED = 5
"""Matches a bot after which a race of 100 had the best one first in 59 of 60 runs, though not for certain."""


class Forecast(Struct, frozen=True, kw_only=True):
    """How many blocks a format will take, and how well it answers, of bots whose skills spread as ``SPREAD`` says."""

    schedule: str
    fewest: int
    blocks: int
    """It takes from ``fewest`` to this many in 8 of 10 runs."""
    tells: str = ""
    best: float | None = None
    """The share of runs in which the best bot comes first; None: not known."""
    order: float | None = None
    """The rank correlation of its order with the true one, in the mean."""


def forecasts(bots: int, *, seats: int) -> Iterator[Forecast]:
    """What each format takes that this number of bots can play, for a reliable answer."""
    for name in OURS:
        kind: Any = find(name)
        if not hasattr(kind, "tells") or bots <= getattr(kind, "tables", 0) * seats:
            continue
        measured = answer(name, bots=bots, seats=seats)
        if measured is not None and measured.most:
            fewest, most = (max(round(matches * bots / seats), 1) for matches in (measured.fewest, measured.most))
        else:
            fewest, most = blocks_of(made(name, {}), bots=bots, seats=seats, blocks=kind.sound(bots=bots, seats=seats))
        reliability = {} if measured is None else {"best": measured.best, "order": measured.order}
        yield Forecast(schedule=name, fewest=fewest, blocks=most, tells=kind.tells, **reliability)


def answer(name: str, *, bots: int, seats: int) -> Answer | None:
    """How well a format answers: between what was measured of fewer and of more bots, in proportion; None: not known.

    Tables of two have their own figures, all others those of four. Beyond the most bots these figures stay as they are.
    """
    measured: dict[int, Sequence[Answer]] = getattr(find(name), "measured", {})
    if not measured:
        return None
    rows = measured[2 if seats == 2 else 4]  # noqa: PLR2004 - tables of two
    below = max((row for row in rows if row.bots <= bots), key=lambda row: row.bots, default=rows[0])
    above = min((row for row in rows if row.bots >= bots), key=lambda row: row.bots, default=rows[-1])
    part = log(bots / below.bots) / log(above.bots / below.bots) if above.bots > below.bots else 0.0
    mixed = {
        figure: getattr(below, figure) + part * (getattr(above, figure) - getattr(below, figure))
        for figure in ("best", "order", "fewest", "most")
    }
    return Answer(bots=bots, **mixed)


class Recommended(Struct, frozen=True, kw_only=True):
    """The format and matches for a given time."""

    schedule: str = ""
    """None if the time is too short for any."""
    matches: int
    """As many whole blocks as there is time for; if there is none to recommend, how many it would take."""


def recommended(bots: int, *, seats: int, matches: int) -> Recommended:
    """The format that answers most in this number of matches: a whole table, or the best bot alone.

    A balanced run orders bots as well as a Swiss of the same length, and its table may say more.
    """
    lengths = {forecast.schedule: forecast.blocks * seats for forecast in forecasts(bots, seats=seats)}
    lengths["race"] = min(lengths["race"], _RACED * bots)
    for name, least in (("balanced", lengths["swiss"]), ("race", lengths["race"])):
        if least <= matches:
            return Recommended(schedule=name, matches=matches // seats * seats)
    return Recommended(matches=lengths["race"])


def blocks_of(schedule: Format, *, bots: int, seats: int, blocks: int) -> tuple[int, int]:
    """How many of the given blocks a format takes: from so many to so many, as a few simulated runs took.

    Raises:
        ValueError: it cannot be played so.
    """
    names = tuple([f"b{number}" for number in range(bots)])
    terms = Terms(entrants=names, seats=seats, blocks=blocks, key=bytes(32))
    size = getattr(schedule, "size", None)
    if size is not None and (most := size(terms)) is not None:
        Progress(schedule, terms)
        return most, most
    few = max(min(bots, _MOST_BOTS), seats)
    scaled = msgspec.structs.replace(terms, entrants=names[:few], blocks=max(blocks * few // bots, 1))
    took = [
        _simulated(schedule, msgspec.structs.replace(scaled, key=bytes([run] * 32))) * bots / few
        for run in range(_SIMULATED)
    ]
    return round(min(took)), round(max(took))


def _simulated(schedule: Format, terms: Terms) -> int:
    chance = Chance(derived(terms.key, "forecast"))
    skills = skills_of(terms.entrants, chance)
    progress = Progress(schedule, terms)
    while progress.round is not None:
        progress.finish(_played(progress.round, skills, chance))
    return progress.first_block


def skills_of(bots: Sequence[str], chance: Chance) -> dict[str, float]:
    """Skills that spread as ``SPREAD`` says, by lot."""
    places = list(range(len(bots)))
    chance.shuffle(places)
    return {bot: _BETA * _NORMAL.inv_cdf((place + 0.5) / len(bots)) for bot, place in zip(bots, places, strict=True)}


def _played(fixtures: Round, skills: dict[str, float], chance: Chance) -> Iterator[Played]:
    for number, line_up in enumerate(fixtures.line_ups):
        ranks = [draw_ranks(line_up[turn:] + line_up[:turn], skills, chance) for turn in range(len(line_up))]
        yield Played(number=number, line_up=line_up, ranks=tuple(ranks))


def draw_ranks(bots: LineUp, skills: dict[str, float], chance: Chance) -> tuple[int, ...]:
    """How a match of these bots ends, by seat."""
    performances = [skills[bot] + _BETA * _NORMAL.inv_cdf((chance.below(1 << 53) + 0.5) / (1 << 53)) for bot in bots]
    return tuple([sum(other > performance for other in performances) for performance in performances])
