"""The law of odds: ``imagine`` draws what a seat does not know with its true odds. Knows no game in particular.

A *scenario* is a short way to play from a small position. It is played again and again with other hidden cards.
Wherever a seat has seen and heard the same, the law counts what was hidden. Worlds imagined from the seat's observation
must have each hidden card as often. So the law finds an ``imagine`` with wrong odds. It also finds an observation that
forgets what the seat has learnt: runs are told apart by all that the seat heard, but ``imagine`` gets only what the
seat observes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from math import sqrt
from random import Random
from typing import Any, NamedTuple

import msgspec

from arena.chance import Chance
from arena.game import Chosen, Game, Pending, Seat, State
from arena.laws.table import encode, heard, hold

RUNS = 1500
"""Times that a scenario is played."""
ALIKE_AT_LEAST = 60
"""Odds are compared only if a seat has seen and heard the same in at least this many runs."""
MOST_COMPARED = 4
"""For each seat the most frequent information sets are compared, at most this many."""
DEVIATIONS = 5
"""Two shares may differ by this many standard deviations; by chance they differ by more once in a million."""


class Scenario(NamedTuple):
    """A short way to play from a small position."""

    start: Callable[[Random], State]
    """Makes a position: hidden cards are drawn by the rules, all else is always the same."""
    answer: Callable[[Any, Random], Chosen]
    """The answers of all who are asked, made without regard to what their seats alone know."""
    steps: int
    """How often they are asked."""
    hidden: Callable[[Any], Any]
    """From a state, the cards that may be hidden from a seat, as plain data; each part is compared by itself."""
    seats: tuple[Seat, ...] = ()
    """The seats whose odds are compared, if the rules do not draw the start for all seats; by default all."""


class InformationSet(NamedTuple):
    """What a seat has seen and heard in several runs alike, and what was hidden in each of them."""

    seat: Seat
    observation: Any
    hidden: list[Any]


def imagined_worlds_have_the_true_odds(game: Game, scenario: Scenario, runs: int = RUNS) -> None:
    """Each hidden card lies where it does as often in imagined worlds as in play, by all that a seat has learnt."""
    compared = 0
    for found in information_sets(game, scenario, runs):
        number = len(found.hidden)
        worlds = [
            scenario.hidden(game.imagine(found.observation, Chance(b"odds", each * 1000))) for each in range(number)
        ]
        truly, imagined = _shares(found.hidden), _shares(worlds)
        for part in truly.keys() | imagined.keys():
            expected, got = truly[part] / number, imagined[part] / number
            both = (expected + got) / 2
            most = DEVIATIONS * sqrt(both * (1 - both) * 2 / number)
            hold(
                abs(expected - got) <= most,
                f"seat {found.seat} to imagine {part[0]} as {part[1]} in {expected:.3f} of {number} worlds",
                f"{got:.3f} from {found.observation}",
            )
        compared += 1
    hold(compared, f"a scenario of which {ALIKE_AT_LEAST} of {runs} runs look alike to a seat", "none")


def information_sets(game: Game, scenario: Scenario, runs: int = RUNS) -> Iterator[InformationSet]:
    """What each seat has seen and heard most often."""
    decode = msgspec.json.Decoder(game.observation).decode
    alike: defaultdict[tuple[Seat, bytes], list[Any]] = defaultdict(list)
    seen: dict[tuple[Seat, bytes], Any] = {}
    for run in range(runs):
        rng = Random(run)  # noqa: S311 - drawn tries need no secrecy
        state = scenario.start(rng)
        seats = range(len(state.standing().ranks))
        told: list[list[object]] = [[state.observe(seat)] for seat in seats]
        for _ in range(scenario.steps):
            if not isinstance(state.pending(), Pending):
                break
            chosen = scenario.answer(state, rng)
            events = state.apply(chosen)
            for seat in seats:
                told[seat] += [chosen.get(seat), heard(events, seat)]
        for seat in seats:
            key = (seat, encode(told[seat]))
            alike[key].append(scenario.hidden(state))
            seen[key] = state.observe(seat)
    for seat in scenario.seats or sorted({seat for seat, _ in alike}):
        often = sorted([key for key in alike if key[0] == seat], key=lambda key: (-len(alike[key]), key))
        for key in often[:MOST_COMPARED]:
            if len(alike[key]) >= ALIKE_AT_LEAST:
                yield InformationSet(seat, decode(encode(seen[key])), alike[key])


def _shares(worlds: list[Any]) -> Counter[tuple[str, str]]:
    """How often each part of the hidden cards is what."""
    return Counter(part for world in worlds for part in _parts(world, ""))


def _parts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from _parts(each, f"{where}[{at}]")
    else:
        yield where, str(value)
