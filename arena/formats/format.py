"""The interface of a format: what it is given, what it asks to be played, and which results it gets.

Knows no format in particular.
"""

from collections.abc import Generator, Iterator, Sequence
from hashlib import blake2b
from typing import Protocol, TypeAlias

from msgspec import Struct

LineUp: TypeAlias = tuple[str, ...]
"""The entrant in each seat of rotation 0: a block, whose other rotations follow."""


ALPHA = 0.05
"""How often a claim may be wrong, if nothing else is asked for."""
PAIRING = 2
"""By which rules rounds follow from results. By 1 a Swiss linked no tables, a race did not test the last bot, ``until``
played on although no bot was ahead of all others, and each table of a knockout and each stage had its own alpha."""


class Terms(Struct, frozen=True, kw_only=True):
    """The data that a format gets before the first round."""

    entrants: tuple[str, ...]
    """Distinct, the first seed first; at least as many as seats."""
    seats: int
    """How many sit at a table, 2 or more."""
    blocks: int
    """How many blocks were asked for: what is played, or for a format that may end early the most."""
    key: bytes
    """Of all chance; up to 64 bytes."""
    alpha: float = ALPHA
    """How often a claim may be wrong."""
    before: "tuple[Played, ...]" = ()
    """What was played earlier in this run, if a finished one is extended; ``blocks`` are those beyond."""
    pairing: int = PAIRING
    """The ``PAIRING`` under which the run was begun: it keeps to it."""


class Round(Struct, frozen=True, kw_only=True):
    """The line-ups that are to be played before the format decides anything else."""

    title: str
    """What it is called in this format, as ``round 3`` or ``final``."""
    line_ups: tuple[LineUp, ...]
    byes: tuple[str, ...] = ()
    """Those that are still in and sit out this round."""
    stage: str = ""
    """What this round and its neighbours are shown as together; empty: as ``title``."""


class Played(Struct, frozen=True, kw_only=True):
    """A line-up of a round and how its matches ended."""

    number: int
    """Its place in ``Round.line_ups``."""
    line_up: LineUp
    ranks: tuple[tuple[int, ...] | None, ...]
    """By rotation, the rank of each seat, 0 best; None where a match is void."""

    def matches(self) -> Iterator[tuple[LineUp, tuple[int, ...]]]:
        """The bot in each seat and its rank, of each match that is not void."""
        for rotation, ranks in enumerate(self.ranks):
            if ranks is not None:
                yield self.line_up[rotation:] + self.line_up[:rotation], ranks


class Place(Struct, frozen=True, kw_only=True):
    """Where a bot came in. Bots that share a place have the same."""

    place: int
    """1 is first."""
    bot: str


class Result(Struct, frozen=True, kw_only=True):
    """How it ended."""

    places: tuple[Place, ...]
    """Every entrant, best first."""
    through: tuple[str, ...]
    """Those that advance if another stage follows, the first seed first; without a rule, all in their places."""
    certain: bool = False
    """Whether what the format set out to find is certain, at ``Terms.alpha``."""
    notes: tuple[str, ...] = ()
    """What a reader must know beside the places, in sentences."""


Play: TypeAlias = Generator[Round, tuple[Played, ...], Result]


class Format(Protocol):
    """A format with its options.

    It may have two more methods. ``onward(bots, seats) -> int``: how many of ``bots`` advance, if not all.
    ``size(terms) -> int``: how many blocks it has, if that is known beforehand. ``fixed: ClassVar[bool] = True`` tells
    that neither its line-ups nor its length depend on results: so its table can say more.
    """

    def play(self, terms: Terms) -> Play:
        """Its rounds, one after the other."""
        ...


def places_of(groups: Sequence[Sequence[str]]) -> tuple[Place, ...]:
    """Bots in groups that share a place, best first: two that share the second are followed by the fourth."""
    found: list[Place] = []
    for group in groups:
        place = len(found) + 1
        found += [Place(place=place, bot=bot) for bot in group]
    return tuple(found)


def derived(key: bytes, purpose: str) -> bytes:
    """A key of its own for a part of a format: 32 bytes of BLAKE2b over the purpose."""
    return blake2b(purpose.encode(), key=key, digest_size=32).digest()
