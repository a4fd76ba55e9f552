"""What a hidden world and a seat's observation have in common: rows of values, and how many of them are shared.

A *row* is named by its way through plain data: fields by name, entries of a list by seat by how many seats they are
after the one that looks, as ``[+1]``, all others alike. A row of structs is also one of each field. The last entry of
each seat in a history is a row of its own. Knows no game.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from arena.game import Seat, State
from arena.laws.secrets import without_chance
from arena.laws.table import GameSetup, encode

Figures: TypeAlias = Callable[[Any, Any], Mapping[str, int]]
_LONG = 100
"""A row of more different values is shared with by anything."""


def compare_worlds(setup: GameSetup, worlds: Sequence[State], seat: Seat) -> dict[str, tuple[float, ...]]:
    """All counts in which worlds that look the same to a seat differ, each for all of the worlds.

    How often each card lies where, and which lies first and last; how many values of each hidden row are in each row of
    the observation; figures of the book.
    """
    hidden, observation = getattr(setup.book, "hidden", None), worlds[0].observe(seat)
    figures: Figures = getattr(setup.book, "figures", lambda _observation, _world: {})
    trees = [without_chance(msgspec.to_builtins(hidden(world) if hidden else world, str_keys=True)) for world in worlds]
    counts: list[Counter[str]] = [Counter() for _ in worlds]
    for world, tree, tally in zip(worlds, trees, counts, strict=True):
        _count(tree, "", tally, setup.seats, seat)
        tally.update(figures(observation, world))
    every = [_rows(tree, seat, setup.seats) for tree in trees]
    varied = [
        where for where in every[0].keys() | set().union(*every) if any(row[where] != every[0][where] for row in every)
    ]
    observed: defaultdict[frozenset[Any], list[str]] = defaultdict(list)
    for where, row in _rows(msgspec.to_builtins(observation, str_keys=True), seat, setup.seats).items():
        if len(row) <= _LONG:
            observed[frozenset(row)].append(where)
    for where in varied:
        present = set().union(*(rows[where] for rows in every))
        for values, names in observed.items():
            if common := present & values:
                shares = [sum([rows[where][value] for value in common]) for rows in every]
                for name in names if min(shares) < max(shares) else ():
                    for tally, share in zip(counts, shares, strict=True):
                        tally[f"values of {where} that are in {name}"] = share
    parts = {part: tuple([tally[part] for tally in counts]) for part in set().union(*counts)}
    return {part: drawn for part, drawn in parts.items() if min(drawn) < max(drawn)}


def _rows(tree: Any, seat: Seat, seats: int) -> defaultdict[str, Counter[Any]]:
    """All rows of some plain data, with how often each has each value."""
    table: defaultdict[str, Counter[Any]] = defaultdict(Counter)

    def walk(part: Any, where: str) -> None:
        if isinstance(part, dict):
            if where:
                table[where][encode(part)] += 1
            for name, value in part.items():
                walk(value, f"{where}.{name}" if where else name)
        elif isinstance(part, list | tuple):
            by_seat, last = len(part) == seats, {}
            for number, entry in enumerate(part):
                if by_seat:
                    walk(entry, f"{where}[+{(number - seat) % seats}]")
                if not by_seat or not isinstance(entry, list | tuple):
                    walk(entry, where)  # it may be as long as a row by seat by chance
                if isinstance(entry, dict) and isinstance(who := entry.get("seat"), int):
                    last[f"{where}[last of +{(who - seat) % seats}]"] = entry
            for place, entry in last.items():
                walk(entry, place)
        elif part is not None and not isinstance(part, bool):
            table[where][part] += 1

    walk(tree, "")
    return table


def _count(tree: Any, where: str, counts: Counter[str], seats: int, seat: Seat) -> None:
    if isinstance(tree, Mapping):
        for name, part in tree.items():
            _count(part, f"{where}.{name}" if where else name, counts, seats, seat)
        return
    if not isinstance(tree, Sequence) or isinstance(tree, str):
        counts[f"{where}: {tree}"] += 1
        return
    by_seat = len(tree) == seats
    if by_seat or any(isinstance(part, list | tuple) for part in tree):
        for number, part in enumerate(tree):
            place = f"+{(number - seat) % seats}" if by_seat else str(number)
            _count(part, f"{where}[{place}]", counts, seats, seat)
    if not any(isinstance(part, list | tuple) for part in tree):
        cards = [part if isinstance(part, str) else encode(part).decode() for part in tree]
        counts.update([f"{where}: {card}" for card in cards])
        counts.update(
            [
                f"{where}, {which}: {card}"
                for which, card in zip(("first", "last"), (*cards[:1], *cards[-1:]), strict=False)
            ]
        )
