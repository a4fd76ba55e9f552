"""The faults of each bot: how often, in how many matches, where first, and which rule.

Knows records; knows no run, file, rating or format.
"""

import re
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from arena.fault import FAULTS
from arena.record import Record

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


class _Kind(Struct):
    match: int
    decision: int
    rule: str
    count: int = 0
    matches: int = 0
    last: int = -1
    """The match it was last seen in."""
    retired: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    """By the first text of those that differ in figures alone."""
    texts: dict[str, str] = field(default_factory=dict)
    """Those first texts, by the text without its figures."""


class Faults:
    """The faults of these bots."""

    def __init__(self, bots: Iterable[str]) -> None:
        self._kinds: dict[str, dict[str, _Kind]] = {bot: {} for bot in bots}
        self._silenced: Counter[str] = Counter()

    def add(self, number: int, record: Record) -> None:
        """Count a match that is not void. ``number`` is its place among all records."""
        last: dict[int, _Kind] = {}
        for fault in record.faults:
            kinds = self._kinds[record.bots[fault.seat]]
            rule = fault.rule[:_LONGEST]
            kind = kinds.setdefault(fault.kind, _Kind(match=number, decision=fault.decision, rule=rule))
            kind.count += 1
            kind.matches += kind.last != number
            kind.last = number
            alike = without_figures(rule)
            if alike in kind.texts or len(kind.texts) < _TEXTS:
                kind.rules[kind.texts.setdefault(alike, rule)] += 1
            last[fault.seat] = kind
        for seat in record.retired:
            if seat in last:
                last[seat].retired += 1
            else:
                self._silenced[record.bots[seat]] += 1

    def rows(self) -> list[BotFaults]:
        """The kinds of fault that there were, by bot in the order they were named in, then as in ``FAULTS``."""
        return [
            BotFaults(
                bot=bot,
                kind=name,
                count=kind.count,
                matches=kind.matches,
                retired=kind.retired,
                first_match=kind.match,
                first_decision=kind.decision,
                first_rule=kind.rule,
                rules=tuple(
                    Rule(count, rule)
                    for rule, count in sorted(kind.rules.items(), key=lambda found: (-found[1], found[0]))
                )[:_MOST_FREQUENT],
            )
            for bot, kinds in self._kinds.items()
            for name in FAULTS
            if (kind := kinds.get(name))
        ]

    @property
    def silenced(self) -> dict[str, int]:
        """By bot that was withdrawn during the run, the matches that silence played for it."""
        return dict(sorted(self._silenced.items()))
