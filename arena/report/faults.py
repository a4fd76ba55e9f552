"""The faults of each bot: how often, in how many matches, where first, and which rule.

Knows results; knows no run, file, rating or format.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import product
from typing import TypeVar

from msgspec import Struct

from arena.fault import FAULTS, Fault
from arena.results.columns import Match, Results

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
