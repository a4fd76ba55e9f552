"""How many blocks a format will take: the format says it, or it is played with simulated bots.

Simulated skills have a deviation of one beta, as in a field with some good bots. Knows no format in particular, but for
what each is good for.
"""

from collections.abc import Iterator
from math import ceil, sqrt
from statistics import NormalDist

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import Format, LineUp, Played, Round, Terms, derived
from arena.formats.progress import Progress
from arena.formats.shelf import made
from arena.ratings.factor import BETA2

_NORMAL = NormalDist()
_BETA = sqrt(BETA2)
_MOST_BOTS = 24
"""At most this many bots are simulated; for more, the blocks grow with the bots."""
_A_BOT = {"balanced": 20, "groups": 10, "race": 60}
"""Blocks a bot; of a race at most.

These figures, and those below, are enough for what ``TELLS`` says: ``test_what_is_told_is_enough`` in
``tests/formats/test_forecast.py`` measures it. Of 16 simulated bots one beta wide, four at a table, it found in 40 runs
of each: the order of a balanced run goes with the true one at 0.99 (rank correlation), that of a Swiss at 0.97; the
best was always through in its group, and first in a knockout and a race; the share of opponents that the challenger of
a gauntlet finished ahead of had a deviation of 0.02.
"""
_GAUNTLET = 40
"""Blocks of a challenger."""
_A_TABLE = 24
"""Blocks of a table of a knockout, at most."""
TELLS = {
    "balanced": "a rating of every bot, alike sure",
    "swiss": "the order, surest among neighbours",
    "groups": "who advances from each group",
    "knockout": "a winner; half a table is out at once",
    "race": "the best bot, for certain",
    "gauntlet": "what the bot named first is worth",
}
"""What each format is played for."""


_FEWEST = {"knockout": 1, "groups": 4}
"""Many bots: more than this many times the seats."""
_RACED = 5
"""Matches a bot after which a race of 100 had the best one first in 59 of 60 runs, though not for certain."""


class Forecast(Struct, frozen=True, kw_only=True):
    """How many blocks a format will take."""

    schedule: str
    blocks: int
    """About this many."""
    tells: str = ""


def forecasts(bots: int, *, seats: int) -> Iterator[Forecast]:
    """What each format takes that this number of bots can play, for a reliable answer."""
    for name, tells in TELLS.items():
        # a knockout needs more than one table; one group alone is a balanced run
        if bots < _FEWEST.get(name, 0) * seats + 1:
            continue
        blocks = blocks_of(made(name, {}), bots=bots, seats=seats, blocks=sound(name, bots=bots, seats=seats))
        yield Forecast(schedule=name, blocks=blocks, tells=tells)


class Recommended(Struct, frozen=True, kw_only=True):
    """The format and matches for a given time."""

    schedule: str = ""
    """None if the time is too short for any."""
    matches: int
    """As many whole blocks as there is time for; if there is none to recommend, how many it would take."""


def recommended(bots: int, *, seats: int, matches: int) -> Recommended:
    """The format that answers most in this number of matches: a whole table, else an order, else the best bot alone."""
    found = {each.schedule: each.blocks * seats for each in forecasts(bots, seats=seats)}
    found["race"] = min(found["race"], _RACED * bots)
    for name in ("balanced", "swiss", "race"):
        if found[name] <= matches:
            return Recommended(schedule=name, matches=matches // seats * seats)
    return Recommended(matches=found["race"])


def sound(name: str, *, bots: int, seats: int) -> int:
    """The blocks that are asked for, for an answer that can be relied on; of a knockout and a race the most."""
    if name in _A_BOT:
        return ceil(_A_BOT[name] * bots / seats)
    if name == "swiss":
        # twice the rounds after which one bot is left without a loss
        return 2 * max((bots - 1).bit_length(), 1) * (bots // seats)
    if name == "knockout":
        return _A_TABLE * bots
    return _GAUNTLET


def blocks_of(held: Format, *, bots: int, seats: int, blocks: int) -> int:
    """About how many of the given blocks a format takes.

    Raises:
        ValueError: it cannot be played so.
    """
    names = tuple([f"b{number}" for number in range(bots)])
    terms = Terms(entrants=names, seats=seats, blocks=blocks, key=bytes(32))
    size = getattr(held, "size", None)
    if size is not None:
        Progress(held, terms)
        found: int = size(terms)
        return found
    few = max(min(bots, _MOST_BOTS), seats)
    scaled = msgspec.structs.replace(terms, entrants=names[:few], blocks=max(blocks * few // bots, 1))
    return round(_simulated(held, scaled) * bots / few)


def _simulated(held: Format, terms: Terms) -> int:
    """How many blocks a simulated format had played at its end."""
    chance = Chance(derived(terms.key, "forecast"))
    places = list(range(len(terms.entrants)))
    chance.shuffle(places)
    skills = {
        bot: _BETA * _NORMAL.inv_cdf((place + 0.5) / len(places))
        for bot, place in zip(terms.entrants, places, strict=True)
    }
    progress = Progress(held, terms)
    while progress.round is not None:
        progress.finish(_played(progress.round, skills, chance))
    return progress.first_block


def _played(asked: Round, skills: dict[str, float], chance: Chance) -> Iterator[Played]:
    for number, line_up in enumerate(asked.line_ups):
        ranks = [_ranks(line_up[turn:] + line_up[:turn], skills, chance) for turn in range(len(line_up))]
        yield Played(number=number, line_up=line_up, ranks=tuple(ranks))


def _ranks(bots: LineUp, skills: dict[str, float], chance: Chance) -> tuple[int, ...]:
    shown = [skills[bot] + _BETA * _NORMAL.inv_cdf((chance.below(1 << 53) + 0.5) / (1 << 53)) for bot in bots]
    return tuple([sum(other > each for other in shown) for each in shown])
