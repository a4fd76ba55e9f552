"""The faults of each bot: how often, in how many matches, where first, and which rule.

Knows results; knows no run, file, rating or format.
"""

import re
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from arena.fault import FAULTS
from arena.results.columns import Results

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


def fault_rows(results: Results, bots: Iterable[str]) -> list[BotFaults]:
    """The kinds of fault that there were, by bot in the order they are named in, then as in ``FAULT_KINDS``."""
    kinds: dict[tuple[str, str], _Kind] = {}
    for _, match in results.rare_matches():
        number = match.number
        last: dict[int, _Kind] = {}
        for fault in match.faults:
            rule = fault.rule[:_LONGEST]
            named = match.bots[fault.seat], fault.kind
            of_kind = kinds.setdefault(named, _Kind(match=number, decision=fault.decision, rule=rule))
            of_kind.count += 1
            of_kind.matches += of_kind.last != number
            of_kind.last = number
            alike = without_figures(rule)
            if alike in of_kind.texts or len(of_kind.texts) < _TEXTS:
                of_kind.rules[of_kind.texts.setdefault(alike, rule)] += 1
            last[fault.seat] = of_kind
        for seat in match.retired:
            if seat in last:
                last[seat].retired += 1
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
                Rule(count, rule) for rule, count in sorted(kind.rules.items(), key=lambda each: (-each[1], each[0]))
            )[:_MOST_FREQUENT],
        )
        for bot in bots
        for name in FAULTS
        if (kind := kinds.get((bot, name))) is not None
    ]
