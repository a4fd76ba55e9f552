"""How long each bot takes to answer, the move time that would leave it a margin, and its faults with their rules.

Knows results; knows no run, file, rating or format.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import product
from math import ceil, log10
from typing import TypeVar

from msgspec import Struct

from arena.fault import FAULTS, Fault
from arena.results import waits
from arena.results.columns import Match, Results

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
    """The share of the move time that the longest answer took; a little over 1 in the grace that the host gives."""
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


def times_of(results: Results, bots: Iterable[str], move_time: int) -> list[BotTimes]:
    """The times of these bots; ``move_time`` is the limit of each decision in milliseconds."""
    clocks = dict(zip(results.bots, results.clocks, strict=True))
    columns, limit = results.columns, move_time * 1000
    rows = []
    for bot in bots:
        clock = clocks[bot]
        counts = clock.waits - clock.spoilt
        answers = int(counts.sum())
        median, p99, p999 = (
            None if (micros := waits.share(counts, part)) is None else min(micros, clock.longest) / 1000
            for part in (500, 990, 999)
        )
        bins: Counter[int] = Counter()
        for micros, times in waits.times(counts):
            bins[ceil(_BINS * log10(max(micros, 1)))] += times
        rows.append(
            BotTimes(
                bot=bot,
                asked=answers + clock.faulted,
                late=clock.late,
                ms_median=median,
                ms_p99=p99,
                ms_p999=p999,
                ms_max=clock.longest / 1000 if answers else None,
                closest=round(clock.longest / limit, 4) if answers else None,
                closest_match=int(columns.number[columns.line.searchsorted(clock.line)]) if answers else None,
                closest_decision=clock.decision if answers else None,
                suggested_ms=margin(waits.times(counts), longest=clock.longest, late=clock.late, limit=limit)
                if answers or clock.late
                else None,
                at_least=clock.late > 0,
                histogram=tuple(Bin(round(10 ** (step / _BINS) / 1000, 6), bins[step]) for step in sorted(bins)),
            )
        )
    return rows


def margin(answers: list[tuple[int, int]], *, longest: int, late: int, limit: int) -> int:
    """The move time in milliseconds that leaves a bot room on a busier machine.

    The smallest of 1, 2, 5, 10, 20, 50, ... that is at least twice the time which 999 of 1,000 answers did not exceed,
    and 5/4 of the longest. An answer that came late counts as one that took all of the ``limit``.

    Args:
        answers: the times in microseconds, the shortest first, each with how often it came up.
        longest: of them.
        late: how many came late.
        limit: in microseconds.
    """
    count = sum(times for _, times in answers)
    rank = -(-999 * (count + late) // 1000)
    most = slowest = max(longest, limit) if late else longest
    for micros, times in answers:
        rank -= times
        if rank <= 0:
            most = min(micros, longest)
            break
    power = 1
    while True:
        for step in _STEPS:
            if step * power * 1000 >= max(2 * most, 1.25 * slowest):
                return step * power
        power *= 10


K = TypeVar("K", bound=Hashable)

_TEXTS = 1000
"""At most this many different rules are told apart for one bot and kind: bots can make up any number of them."""
_LONGEST = 400
_MOST_FREQUENT = 3
_FIGURES = re.compile(r"[0-9]+(\.[0-9]+)?")


def without_figures(rule: str) -> str:
    """The text of a broken rule, the same for faults that differ in figures alone, such as seconds."""
    return _FIGURES.sub("0", rule)


class Rule(Struct, frozen=True):
    """The text of a broken rule, with what was expected and got, and how often it was written but for its figures."""

    count: int
    rule: str

    def __str__(self) -> str:
        return f"{self.count} x {self.rule}"


class BotFaults(Struct, frozen=True):
    """One bot and one kind of fault."""

    bot: str
    kind: str
    count: int
    matches: int
    """Matches in which it did this."""
    retired: int
    """Matches in which this was the fault that retired it."""
    first_match: int
    """The first of these matches, by its place among all records."""
    first_decision: int
    """Index into that record's ``picks``; -1 before the first."""
    first_rule: str
    rules: tuple[Rule, ...]
    """The most frequent ones, at most three."""


def faults_by(results: Results, key: Callable[[Match, Fault], K | None]) -> dict[K, list[tuple[Match, Fault]]]:
    """The faults that have a key, each with its match, by it: in the order in which the first of each came."""
    groups: dict[K, list[tuple[Match, Fault]]] = {}
    for _, match in results.rare_matches():
        for fault in match.faults:
            if (group := key(match, fault)) is not None:
                groups.setdefault(group, []).append((match, fault))
    return groups


def fault_rows(results: Results, bots: Iterable[str]) -> list[BotFaults]:
    """The kinds of fault that there were, by bot in the order they are named in, then as in ``FAULT_KINDS``."""
    kinds = faults_by(results, _bot_and_kind)
    retired: Counter[tuple[str, str]] = Counter()
    for _, match in results.rare_matches():
        last = {fault.seat: _bot_and_kind(match, fault) for fault in match.faults}
        retired.update(last[seat] for seat in match.retired if seat in last)
    rows = []
    for bot, kind in product(bots, FAULTS):
        if faults := kinds.get((bot, kind)):
            match, first = faults[0]
            rows.append(
                BotFaults(
                    bot=bot,
                    kind=kind,
                    count=len(faults),
                    matches=len({match.number for match, _ in faults}),
                    retired=retired[bot, kind],
                    first_match=match.number,
                    first_decision=first.decision,
                    first_rule=first.rule[:_LONGEST],
                    rules=_most_frequent(fault.rule[:_LONGEST] for _, fault in faults),
                )
            )
    return rows


def _bot_and_kind(match: Match, fault: Fault) -> tuple[str, str]:
    return match.bots[fault.seat], fault.kind


def _most_frequent(rules: Iterable[str]) -> tuple[Rule, ...]:
    """Of rules that differ in figures alone the first stands for all."""
    counts: Counter[str] = Counter()
    texts: dict[str, str] = {}
    for rule in rules:
        alike = without_figures(rule)
        if alike in texts or len(texts) < _TEXTS:
            counts[texts.setdefault(alike, rule)] += 1
    frequent = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))[:_MOST_FREQUENT]
    return tuple(Rule(count, rule) for rule, count in frequent)
