"""What decides between bots that are level where a place or an advance hangs on it: blocks of their own, then the seed.

Knows no format in particular.
"""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from arena.formats.format import LineUp, Played, Round
from arena.formats.skills import Seating, points


class Level(Struct, frozen=True, kw_only=True):
    """Bots of a table that are level where only some of them advance."""

    bots: tuple[str, ...]
    """In the order of their seeds."""
    table: tuple[str, ...]
    """All who sat there, in their order: the first of the others fill the seats."""


def find_level(groups: Sequence[Sequence[str]], advance: int) -> tuple[str, ...]:
    """Of groups of level bots, best first, the one of which some are among the first ``advance`` and some are not."""
    start = 0
    for group in groups:
        if start < advance < start + len(group):
            return tuple(group)
        start += len(group)
    return ()


def group_level(shares: Mapping[str, float]) -> list[list[str]]:
    """The bots by their points, best first; those with as many together, in their order here."""
    order = sorted(shares, key=lambda bot: -shares[bot])
    return [list(group) for _, group in groupby(order, key=shares.__getitem__)]


def play_off(
    ties: Sequence[Level], *, seats: int, blocks: int, seating: Seating, title: str
) -> Generator[Round, tuple[Played, ...], list[dict[str, float]]]:
    """Play one round for all ties; of each tie the points of its bots in these blocks alone, best first."""
    if not ties or not blocks:
        return [dict.fromkeys(tie.bots, 0.0) for tie in ties]
    owners: list[int] = []
    line_ups: list[LineUp] = []
    for number, tie in enumerate(ties):
        for bots in _fill_tables(tie, seats=seats, blocks=blocks):
            line_ups.append(seating.seat(bots))
            owners.append(number)
    played = yield Round(title=title, line_ups=tuple(line_ups))
    shares = []
    for number, tie in enumerate(ties):
        outcomes = [block for owner, block in zip(owners, played, strict=True) if owner == number]
        share = points([*tie.bots, *(bot for bot in tie.table if bot not in tie.bots)], outcomes)
        shares.append({bot: value for bot, value in share.items() if bot in tie.bots})
    return shares


def _fill_tables(tie: Level, *, seats: int, blocks: int) -> Iterator[Collection[str]]:
    """Who sits in each block: level bots by turns; if too few, also others who played at their table before."""
    others = [bot for bot in tie.table if bot not in tie.bots]
    pool = [*tie.bots, *others[: max(seats - len(tie.bots), 0)]]
    for block in range(blocks):
        yield [pool[(block * seats + seat) % len(pool)] for seat in range(seats)]
