"""How long each bot takes to answer: percentiles, the closest call, and the move time that would leave it a margin.

Knows records; knows no run, file, rating or format. The answers are counted in the few classes of ``rounded``, so that
memory does not grow with the matches.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, log10

from msgspec import Struct, field

from arena.record import Record
from arena.report.tally import Waits, by_seat

_STEPS = (1, 2, 5)
_BINS = 10


class Bin(Struct, frozen=True):
    """A step of a histogram of times, ten steps to a decade."""

    ms: float
    """Milliseconds: the upper bound; the lower one is that of the step before."""
    count: int

    def __str__(self) -> str:
        return f"{self.count} x {self.ms}"


class BotTimes(Struct, frozen=True):
    """One bot. Times are of the picks that came in time, legal or not; None if none did."""

    bot: str
    asked: int
    """Decisions it was asked for; not those in which it was silent because it was retired."""
    late: int
    ms_median: float | None
    """This and the other percentiles are off by at most 1/64."""
    ms_p99: float | None
    ms_p999: float | None
    ms_max: float | None
    """Exact."""
    closest: float | None
    """The share of the move time that the longest answer took; a little over 1 in the grace that the house gives."""
    closest_match: int | None
    """In which match, by its place among all records."""
    closest_decision: int | None
    """Index into the record's ``picks``."""
    suggested_ms: int | None
    """Move time with a margin, see ``margin``; None if the bot was never waited for."""
    at_least: bool
    """Whether that is too little, maybe: how long the late answers would have taken is not known."""
    histogram: tuple[Bin, ...] = ()
    """The answers by the time they took; steps without any are left out."""


class AnswerTimes(Struct):
    """The answers of one bot so far, in microseconds; those below 0 were never waited for and do not count."""

    asked: int = 0
    late: int = 0
    longest: int = -1
    match: int = -1
    """Where the longest answer was first, and in which decision."""
    decision: int = -1
    waits: Waits = field(default_factory=Waits)

    def add(self, waits: list[int]) -> bool:
        """Count these answers; whether one took longer than all before."""
        self.waits.add(waits)
        longest = max(waits, default=-1)
        if longest <= self.longest:
            return False
        self.longest = longest
        return True

    @property
    def answers(self) -> int:
        """How many there are."""
        return self.waits.counts().total()

    def at(self, rank: int) -> int:
        """The answer of this rank, 1 for the shortest, off by at most 1/64; the longest if there are fewer."""
        for micros, times in sorted(self.waits.counts().items()):
            rank -= times
            if rank <= 0:
                return min(micros, self.longest)
        return self.longest

    def histogram(self) -> tuple[Bin, ...]:
        """How many answers fall into each step in which there are any."""
        found: Counter[int] = Counter()
        for micros, times in self.waits.counts().items():
            found[ceil(_BINS * log10(max(micros, 1)))] += times
        return tuple(Bin(round(10 ** (step / _BINS) / 1000, 6), found[step]) for step in sorted(found))

    def ms(self, per_mille: int) -> float | None:
        """The time that this share of the answers did not exceed (nearest rank), in ms; None if there are none."""
        return self.at(_rank(per_mille, self.answers)) / 1000 if self.answers else None


class Times:
    """The clocks of these bots. ``move_time``: the limit of each decision in milliseconds."""

    def __init__(self, bots: Iterable[str], move_time: int) -> None:
        self._clocks = {bot: AnswerTimes() for bot in bots}
        self._limit = move_time * 1000

    def add(self, number: int, record: Record) -> None:
        """Count a match that is not void. ``number`` is its place among all records.

        Raises:
            ValueError: the record has not one seat for each time, or a fault in a decision that it has not.
        """
        if not record.micros:
            return
        if len(record.micros) != len(record.seats_asked):
            raise ValueError(f"{record.id}: expected {len(record.micros)} seats asked, got {len(record.seats_asked)}")
        clocks = [self._clocks[bot] for bot in record.bots]
        micros: Sequence[int] = self._answered(record, clocks) if record.faults else record.micros
        waits = by_seat(micros, record.seats_asked, len(clocks))
        for seat, (clock, of_seat) in enumerate(zip(clocks, waits, strict=True)):
            clock.asked += len(of_seat) - of_seat.count(-1)
            if clock.add(of_seat):
                clock.match = number
                pairs = list(zip(record.seats_asked, micros, strict=True))
                clock.decision = pairs.index((seat, clock.longest))

    def _answered(self, record: Record, clocks: list[AnswerTimes]) -> list[int]:
        """The times without those of decisions in which no picks came in time, which are counted here."""
        micros = list(record.micros)
        for fault in record.faults:
            if fault.kind == "illegal" or fault.decision < 0:
                continue
            if fault.decision >= len(micros):
                raise ValueError(f"{record.id}: expected {len(micros)} decisions, got a fault in {fault.decision}")
            micros[fault.decision] = -1
            clocks[fault.seat].asked += 1
            clocks[fault.seat].late += fault.kind == "late"
        return micros

    def rows(self) -> list[BotTimes]:
        """The bots in the order they were named in."""
        found = []
        for bot, clock in self._clocks.items():
            some = clock.answers > 0
            found.append(
                BotTimes(
                    bot=bot,
                    asked=clock.asked,
                    late=clock.late,
                    ms_median=clock.ms(500),
                    ms_p99=clock.ms(990),
                    ms_p999=clock.ms(999),
                    ms_max=clock.longest / 1000 if some else None,
                    closest=round(clock.longest / self._limit, 4) if some else None,
                    closest_match=clock.match if some else None,
                    closest_decision=clock.decision if some else None,
                    suggested_ms=margin(clock, self._limit) if some or clock.late else None,
                    at_least=clock.late > 0,
                    histogram=clock.histogram(),
                )
            )
        return found


def margin(clock: AnswerTimes, limit: int) -> int:
    """The move time in milliseconds that leaves this bot room on a busier machine.

    The smallest of 1, 2, 5, 10, 20, 50, ... that is at least twice the time which 999 of 1,000 answers did not exceed,
    and 5/4 of the longest. An answer that came late counts as one that took all of the ``limit`` (microseconds).
    """
    rank = _rank(999, clock.answers + clock.late)
    most = clock.at(rank) if rank <= clock.answers else max(clock.longest, limit)
    longest = max(clock.longest, limit) if clock.late else clock.longest
    power = 1
    while True:
        for step in _STEPS:
            if step * power * 1000 >= max(2 * most, 1.25 * longest):
                return step * power
        power *= 10


def _rank(per_mille: int, count: int) -> int:
    return -(-per_mille * count // 1000)
