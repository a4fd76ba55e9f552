"""The audit of a schedule: how often each bot plays, sits in each seat and meets each other bot.

Pure; knows blocks, and not how they are drawn.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

from msgspec import Struct

from arena.formats.schedule import Block

MATRIX_BOTS = 32
"""Up to this many bots an audit tells how often each met each."""


class Audit(Struct, frozen=True):
    """What a schedule promises, counted afterwards. Everything is in matches unless it says otherwise."""

    blocks: int
    matches: int
    fewest: int
    """Matches of the bot that plays least."""
    most: int
    bots: dict[str, int]
    """Matches of each bot."""
    seats: dict[str, tuple[int, ...]]
    """How often each bot sits in each seat."""
    fewest_meetings: int
    """Matches of the pair that meets least; 0 if there is no pair."""
    most_meetings: int
    fewest_neighbours: int
    """How often the rarest ordered pair sits one directly before the other, around the table; 0 if there is no pair."""
    most_neighbours: int
    repeated_line_ups: int
    """Blocks whose bots, in any order, have made up an earlier block."""
    meetings: dict[str, dict[str, int]] | None = None
    """How often each bot meets each; None for more than ``MATRIX_BOTS`` bots."""


def audit(blocks: Iterable[Block], entrants: Iterable[str] = ()) -> Audit:
    """Count what the schedule gives to each bot. ``entrants`` may also name bots that do not play at all."""
    number: dict[str, int] = {}
    played: list[dict[int, int]] = []
    """Of each bot its blocks, by how many sit in them."""
    met: list[dict[int, int]] = []
    """Of each bot its matches with each that was numbered before it."""
    neighbours: list[dict[int, int]] = []
    seen: set[tuple[int, ...]] = set()
    count = matches = most_seats = 0
    for name in entrants:
        number.setdefault(name, len(number))
    for block in blocks:
        rotations = len(block.seating)
        count += 1
        matches += rotations
        most_seats = max(most_seats, rotations)
        sat = [number.setdefault(name, len(number)) for name in block.seating]
        while len(met) < len(number):
            played.append({})
            met.append({})
            neighbours.append({})
        last = sat[-1]
        for bot in sat:
            of_bot = neighbours[last]
            of_bot[bot] = of_bot.get(bot, 0) + rotations
            of_bot = played[bot]
            of_bot[rotations] = of_bot.get(rotations, 0) + 1
            last = bot
        sat.sort()
        for one, other in combinations(sat, 2):
            of_bot = met[other]
            of_bot[one] = of_bot.get(one, 0) + rotations
        seen.add(tuple(sat))
    names = sorted(number)
    places = [number[name] for name in names]
    played += [{} for _ in range(len(number) - len(played))]
    met += [{} for _ in range(len(number) - len(met))]
    seats = {
        name: tuple([sum(times for size, times in played[index].items() if seat < size) for seat in range(most_seats)])
        for name, index in zip(names, places, strict=True)
    }
    plays = {name: sum(counts) for name, counts in seats.items()}
    meetings = None
    if len(names) <= MATRIX_BOTS:
        meetings = {
            a: {b: met[max(number[a], number[b])].get(min(number[a], number[b]), 0) for b in names if b != a}
            for a in names
        }
    pairs = comb(len(names), 2)
    all_met = [times for of_bot in met for times in of_bot.values()]
    beside = [times for of_bot in neighbours for times in of_bot.values()]
    return Audit(
        blocks=count,
        matches=matches,
        fewest=min(plays.values(), default=0),
        most=max(plays.values(), default=0),
        bots=plays,
        seats=seats,
        fewest_meetings=_fewest(all_met, pairs),
        most_meetings=max(all_met, default=0),
        fewest_neighbours=_fewest(beside, 2 * pairs),
        most_neighbours=max(beside, default=0),
        repeated_line_ups=count - len(seen),
        meetings=meetings,
    )


def _fewest(counts: Sequence[int], kinds: int) -> int:
    """The least of the counts of so many kinds, most of which may never have come up."""
    return min(counts, default=0) if len(counts) == kinds else 0
