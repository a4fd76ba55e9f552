"""Measures a player at a task: the same deals at every line-up of opponents, and from every seat."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, permutations
from math import factorial, inf, prod, sqrt
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct

from arena import games
from arena.environments.single_picks import reward_range, rewards
from arena.game import Outcome
from arena.interpreter import __version__
from arena.ratings import FEWEST_BLOCKS, SIDE, student
from arena.record import Record, match_key
from arena.selfplay import Policy, play_many
from arena.words import plural

Verdict = Literal["better", "worse", "open"]


class Estimate(Struct, frozen=True, kw_only=True):
    """A mean over deals, with where it lies with 95 % confidence; fewer than ten deals have no interval."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        ends = "" if self.low is None else f" ({self.low:+.2f} to {self.high:+.2f})"
        return f"{self.mean:+.2f}{ends}"


class Lineup(Estimate, frozen=True, kw_only=True):
    """The mean reward against these opponents, one a seat, in any order."""

    opponents: tuple[str, ...]
    chance: float
    """Of this line-up in an environment of the task, which draws an opponent for each seat."""


class Difference(Estimate, frozen=True, kw_only=True):
    """By how much the mean reward is above that of another player, in the same seats of the same deals."""

    player: str


class Measurement(Estimate, frozen=True, kw_only=True):
    """How a player does at a task: its mean reward, as environments give it, over line-ups by their chance."""

    task: str
    fingerprint: str
    encoding: str
    """The fingerprint of rows and actions."""
    game: str
    version: str
    seats: int
    variants: dict[str, str]
    opponents: tuple[str, ...]
    player: str
    deals: int
    seed: str
    matches: int
    """Of the player: each deal is played against each line-up, and from each seat."""
    verdict: Verdict
    """Whether it is certain, in each line-up, that the player is better or worse than each opponent."""
    lineups: tuple[Lineup, ...]
    differences: tuple[Difference, ...] = ()
    arena: str = __version__
    python: str = platform.python_version()
    numpy: str = np.__version__

    @property
    def payoff(self) -> Any:
        """The mean rewards as an array of NumPy with an axis a seat of others, each along ``opponents``."""
        tensor = np.zeros((len(self.opponents),) * (self.seats - 1))
        for lineup in self.lineups:
            for places in permutations([self.opponents.index(name) for name in lineup.opponents]):
                tensor[places] = lineup.mean
        return tensor

    def to_json(self) -> str:
        """All of it as JSON, the payoffs by line-up."""
        return msgspec.json.format(msgspec.json.encode(self)).decode()

    def save(self, path: str | Path) -> None:
        """Write ``to_json`` to a file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    def __str__(self) -> str:
        lines = [f"{self.player} at {self.task}: {super().__str__()}, {self.verdict}, {plural(self.matches, 'match')}"]
        lines += [
            f"  against {', '.join(estimate.opponents)}: {Estimate.__str__(estimate)}" for estimate in self.lineups
        ]
        lines += [f"  minus {estimate.player}: {Estimate.__str__(estimate)}" for estimate in self.differences]
        return "\n".join(lines)


class Values(Struct, frozen=True, kw_only=True):
    """The rewards of one player: by line-up and deal, the mean over its seats."""

    table: Any
    verdicts: tuple[Verdict, ...]


def lineups_of(opponents: Sequence[str], seats: int) -> list[tuple[tuple[str, ...], float]]:
    """Every line-up of the other seats, with its chance if an opponent is drawn for each."""
    ways = len(opponents) ** (seats - 1)
    return [
        (lineup, factorial(seats - 1) / prod(map(factorial, Counter(lineup).values())) / ways)
        for lineup in combinations_with_replacement(opponents, seats - 1)
    ]


def play_lineups(
    player: Policy,
    opponents: Sequence[Policy],
    *,
    game: str,
    seats: int,
    variants: Mapping[str, str],
    deals: int,
    seed: str,
    processes: int | None,
) -> Values:
    """Play a player against every line-up: the matches are those of ``arena run`` with the same bots and seed."""
    by_name = {opponent.name: opponent for opponent in opponents}
    rules, table = games.find(game), list[Any]()
    verdicts: list[Verdict] = []
    for lineup, _ in lineups_of([*by_name], seats):
        entrants = [msgspec.structs.replace(by_name[name], copies=count) for name, count in Counter(lineup).items()]
        by_deal = np.zeros((deals, seats))

        def note(record: Record, _: int, by_deal: Any = by_deal) -> None:
            _, deal, rotation = match_key(record.id)
            earned = rewards(rules, Outcome(ranks=record.ranks, scores=record.scores))
            by_deal[deal, rotation] = earned[record.bots.index(player.name)]

        board = play_many(
            game,
            [player, *entrants],
            matches=deals * seats,
            seed=seed,
            seats=seats,
            variants=variants,
            processes=processes,
            progress=note,
        )
        others = {row.bot for row in board.leaderboard} - {player.name}
        better = {(player.name, other) for other in others} <= {*board.better}
        worse = {(other, player.name) for other in others} <= {*board.better}
        verdicts.append("better" if better else "worse" if worse else "open")
        table.append(by_deal.mean(axis=1))
    return Values(table=np.array(table), verdicts=tuple(verdicts))


def estimate(values: Any, *, bounds: tuple[float, float]) -> dict[str, Any]:
    """The fields of an ``Estimate`` of these values, one a deal, by Student's t.

    The mean deviates at least as if one deal more had ended at the other bound: a rare prize may not have come yet.
    """
    number, mean = len(values), float(values.mean())
    if number < FEWEST_BLOCKS:
        return {"mean": mean, "low": None, "high": None}
    span = max(bounds[1] - bounds[0] if bounds[1] < inf else 0.0, float(np.ptp(values)))
    half = student(SIDE, number - 1) * max(float(values.std(ddof=1)) / sqrt(number), span / number)
    return {"mean": mean, "low": max(mean - half, bounds[0]), "high": min(mean + half, bounds[1])}


def bounds_of(game: str, seats: int, variants: Mapping[str, str]) -> tuple[float, float]:
    """The least and the greatest reward; infinite where they are not known."""
    return reward_range(games.find(game), seats, variants) or (-inf, inf)
