"""One table for several games: how large a share of its opponents a bot finishes ahead of.

Ratings of different games have no common scale; this share has. Knows results; knows no ratings or formats.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from arena.results.columns import Results
from arena.results.tally import tallies

_DIGITS = 4


class Standing(Struct, frozen=True):
    """One bot. It has no place: whether a share is really greater than another is not tested."""

    bot: str
    share: float | None
    """The mean over the games it played; None if it played none."""
    games: dict[str, float]
    """By game, the mean over its matches: 1 is ahead of everybody, 0.5 as good as a copy of its opponents."""


def shares(results: Results) -> dict[str, float]:
    """For each bot that played, the mean over its matches of (opponents beaten + half of those tied) / opponents."""
    return {bot: tally.share for bot, tally in tallies(results).items() if tally.share is not None}


def combine(games: Mapping[str, Mapping[str, float]], entrants: Sequence[str]) -> list[Standing]:
    """The combined table from each game's ``shares``, the greatest first; bots that played no game come last."""
    found = {}
    means: dict[str, float | None] = {}
    for bot in entrants:
        found[bot] = {game: round(by_bot[bot], _DIGITS) for game, by_bot in games.items() if bot in by_bot}
        played = [by_bot[bot] for by_bot in games.values() if bot in by_bot]
        means[bot] = round(sum(played) / len(played), _DIGITS) if played else None

    def worth(bot: str) -> float:
        mean = means[bot]
        return -1.0 if mean is None else mean

    return [
        Standing(bot=bot, share=means[bot], games=found[bot])
        for bot in sorted(found, key=lambda bot: (-worth(bot), bot))
    ]
