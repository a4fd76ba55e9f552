"""Counts for each bot, made while the records pass: whole numbers, so the order of the records does not matter.

Knows records; knows no ratings, and stores no record but a hash of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress

from msgspec import Struct, field

from arena.ratings.outcomes import block_number
from arena.record import Record, match_key

_BITS = 6
_MOST = 2000
"""So many waits of a bot are kept as they are until they are rounded."""
_SHORT = 1 << 16
"""Most times in microseconds are below it."""


def block_of(record: Record) -> int:
    """The block of a match as one number, see ``arena.ratings.outcomes.block_number``.

    Raises:
        ValueError: its id is no match id.
    """
    epoch, block, _ = match_key(record.id)
    return block_number(epoch=epoch, block=block)


@lru_cache(maxsize=4096)
def places_of(ranks: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """By seat, how many finished ahead of it, and how many share its rank, itself among them."""
    in_order = sorted(ranks)
    return tuple([(in_order.index(rank), in_order.count(rank)) for rank in ranks])


@lru_cache(maxsize=4096)
def _gains(ranks: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """By seat, what these ranks add to ``Tally.places`` and to ``beaten``, and how many share the first place, or 0."""
    opponents = len(ranks) - 1
    return tuple(
        [
            (2 * better + equal + 1, 2 * (opponents - better) - (equal - 1), 0 if better else equal)
            for better, equal in places_of(ranks)
        ]
    )


def rounded(micros: int) -> int:
    """A time to six binary digits, the middle of those that share them: off by at most 1/64; exact below 64.

    Some 1,000 different values hold all times up to an hour.
    """
    shift = max(micros.bit_length() - _BITS, 0)
    return (micros >> shift << shift) + (1 << shift >> 1)


def _table() -> list[int]:
    """``rounded`` of every time that is short enough."""
    found = list(range(1 << _BITS))
    shift = 1
    while len(found) < _SHORT:
        for start in range(1 << _BITS - 1, 1 << _BITS):
            found += [(start << shift) + (1 << shift - 1)] * (1 << shift)
        shift += 1
    return found


def by_seat(values: Sequence[int], seats_asked: Sequence[int], seats: int) -> tuple[list[int], ...]:
    """The values of each seat from 0 to ``seats - 1``, in their order, not to be changed.

    Args:
        values: one for each decision.
        seats_asked: the seat of each decision.
        seats: how many there are.

    Raises:
        ValueError: another seat was asked.
    """
    global _split  # noqa: PLW0603 - the leaderboard and the survey of a run ask for the same match one after the other
    of_values, of_seats, last = _split  # read once: other threads may count other runs
    if of_values is values and of_seats is seats_asked and len(last) == seats:
        return last
    asked = bytes(seats_asked)
    # each seat selects its own numbers: faster than a step of Python for each value
    found = tuple([list(compress(values, asked.translate(_ONE[255 - seat : 511 - seat]))) for seat in range(seats)])
    if sum(map(len, found)) != len(values):
        raise ValueError(f"expected seats from 0 to {seats - 1}, got others")
    if isinstance(values, tuple) and isinstance(seats_asked, tuple):
        _split = values, seats_asked, found
    return found


_ROUNDED = _table()
_split: tuple[tuple[int, ...], tuple[int, ...], tuple[list[int], ...]] = (), (), ()
"""The values, the seats and the split of the last match."""
_ONE = bytes(255) + b"\1" + bytes(255)
"""A window of 256 bytes of it is a table that makes 1 of one number and 0 of all others."""


class Waits(Struct):
    """How often a bot was waited for how long, in rounded microseconds; those below 0 are none."""

    _counts: Counter[int] = field(default_factory=Counter)
    _exact: list[int] = field(default_factory=list)
    """Not rounded yet. The same times come again and again, and each different one is rounded once."""

    def add(self, micros: Iterable[int]) -> None:
        """Count a time that the bot was waited for."""
        self._exact += micros
        if len(self._exact) >= _MOST:
            self._settle()

    def _settle(self) -> None:
        counts, table = self._counts, _ROUNDED
        for micros, times in Counter(self._exact).items():
            if micros >= 0:
                counts[table[micros] if micros < _SHORT else rounded(micros)] += times
        self._exact.clear()

    def counts(self) -> Counter[int]:
        """Every rounded time and how often it came up."""
        self._settle()
        return self._counts


class Repeats(Struct):
    """Which matches are another one move for move."""

    _seen: list[int] = field(default_factory=list)
    """Of each match with picks a hash of who sat where, what was picked and how it ended."""

    def add(self, record: Record) -> None:
        """Take in a match."""
        if record.picks:
            self._seen.append(hash((record.bots, record.picks, record.ranks, record.scores)))

    @property
    def count(self) -> int:
        """Matches that were another one move for move."""
        return len(self._seen) - len(set(self._seen))

    def notes(self, matches: int) -> list[str]:
        """Notes on the figures of so many matches."""
        repeats = self.count
        return [f"{repeats} of {matches} matches repeat another one move for move: they add no information."] * (
            repeats > 0
        )


class Tally(Struct):
    """One bot's matches in numbers."""

    matches: int = 0
    firsts: Counter[int] = field(default_factory=Counter)
    """How often it came first, by how many shared that."""
    places: int = 0
    """Twice the sum of its places, 1 for the first; who tie share the mean of their places."""
    score: int = 0
    beaten: Counter[int] = field(default_factory=Counter)
    """Opponents finished behind it, twice, and those tied with it, by the number of opponents."""
    faults: Counter[str] = field(default_factory=Counter)
    waits: Waits = field(default_factory=Waits)
    idle: int = 0
    """Microseconds of its matches in which it was not waited for."""
    burnt: int = 0
    """Microseconds of the processor that it used of those, at least."""

    @property
    def wins(self) -> float:
        """Matches won; a first place that ``k`` share counts 1/k."""
        return sum(times / sharers for sharers, times in sorted(self.firsts.items()))

    @property
    def share(self) -> float:
        """The mean over its matches of the share of opponents it finished ahead of, ties counting half."""
        return sum(twice / 2 / opponents for opponents, twice in sorted(self.beaten.items())) / self.matches

    def wait(self, percent: int) -> float | None:
        """The time in milliseconds that this much of the waits did not exceed, or None if it was never waited for."""
        waits = self.waits.counts()
        left = percent * waits.total()
        for micros, times in sorted(waits.items()):
            left -= 100 * times
            if left <= 0:
                return micros / 1000
        return None


class Tallies(Struct):
    """The counts so far. Void matches are only counted as void."""

    bots: dict[str, Tally]
    matches: int = 0
    void: int = 0
    decisions: int = 0
    """Questions that were really asked."""
    repeats: Repeats = field(default_factory=Repeats)

    @property
    def notes(self) -> list[str]:
        """Notes on the figures."""
        return self.repeats.notes(self.matches)

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count each record as it passes, and yield the records that are to be rated.

        Raises:
            ValueError: a record names a bot that is not in ``bots``, or not one seat for each time.
        """
        for record in records:
            if self.add(record):
                yield record

    def add(self, record: Record) -> bool:
        """Count a record; returns whether it is to be rated.

        Raises:
            ValueError: as ``count``.
        """
        if record.reason == "void":
            self.void += 1
            return False
        try:
            seats = list(map(self.bots.__getitem__, record.bots))
        except KeyError:
            unknown = ", ".join(sorted(set(record.bots) - self.bots.keys()))
            raise ValueError(f"{record.id}: expected bots of {', '.join(self.bots)}, got {unknown}") from None
        self.matches += 1
        opponents = len(seats) - 1
        for tally, (places, beaten, sharers), score in zip(seats, _gains(record.ranks), record.scores, strict=True):
            tally.matches += 1
            tally.places += places
            tally.score += score
            tally.beaten[opponents] += beaten
            if sharers:
                tally.firsts[sharers] += 1
        self.repeats.add(record)
        for fault in record.faults:
            seats[fault.seat].faults[fault.kind] += 1
        if record.seconds:
            length = round(record.seconds * 1e6)
            for tally in seats:
                tally.idle += length
        if record.micros:
            if len(record.micros) != len(record.seats_asked):
                got = len(record.seats_asked)
                raise ValueError(f"{record.id}: expected {len(record.micros)} seats asked, got {got}")
            for tally, waits in zip(seats, by_seat(record.micros, record.seats_asked, len(seats)), strict=True):
                of_seat = waits if min(waits, default=0) >= 0 else [each for each in waits if each >= 0]
                self.decisions += len(of_seat)
                tally.idle -= sum(of_seat)
                tally.waits.add(of_seat)
        if record.burnt:
            for tally, micros in zip(seats, record.burnt, strict=True):
                tally.burnt += micros
        return True
