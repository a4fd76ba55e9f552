"""What ranks the bots of a run: their ratings, or their mean scores. Knows no bots, matches or tables."""

from collections.abc import Iterable, Mapping
from math import inf

from msgspec import Struct

from arena.game import MOST_DECIMALS, Game, Objective

DIGITS = 4
"""Decimals by which the values of bots are told apart."""


class Measure(Struct, frozen=True, kw_only=True):
    """What ranks bots, the greatest value first, and how it is written. By default it is the rating."""

    objective: Objective = "place"
    name: str = "rating"
    column: str = "rating"
    """The heading of its column."""
    rest: str = "score"
    """The heading of the column that does not rank."""
    unit: str = "mu"
    """What charts draw, with its interval."""
    digits: int = 1
    """Decimals of the unit."""
    bounds: tuple[float, float] = (-inf, inf)
    """The least and the greatest score, as far as they are known."""
    span: float | None = None
    """All between the bounds of a score; None where places count, and if the game has no bounds."""

    @property
    def by_score(self) -> bool:
        """Whether mean scores rank."""
        return self.objective != "place"

    @property
    def duels(self) -> float | None:
        """The span as formats take it: see ``arena.formats.format.Terms``."""
        if not self.by_score:
            return None
        return (self.span or 0) if self.objective == "score" else 0

    def value(self, *, rating: float, score: float | None) -> float:
        """What ranks a bot of this rating and mean score; a bot that has none is last."""
        if not self.by_score:
            return rating
        return -inf if score is None else score


RATING = Measure()


def measure_of(objective: Objective, *, least: float | None = None, span: float | None = None) -> Measure:
    """The measure of a run with this objective, and with these bounds of scores if it has both."""
    if objective == "place":
        return RATING
    words = {"name": "mean score", "column": "score", "rest": "rating", "unit": "mean score"}
    bounds = (-inf, inf) if least is None or span is None else (least, round(least + span, MOST_DECIMALS))
    return Measure(objective=objective, **words, digits=3, bounds=bounds, span=span)


def measure_of_game(game: Game, seats: Iterable[int], variants: Mapping[str, str]) -> Measure:
    """The measure of a game at these numbers of seats, with a value for every variant."""
    if game.bounds is None:
        return measure_of(game.objective)
    bounds = [game.bounds(count, variants) for count in seats]
    least = min(low for low, _ in bounds)
    return measure_of(game.objective, least=least, span=max(high for _, high in bounds) - least)


def best_first(values: Mapping[str, float]) -> list[str]:
    """The bots by their values, the greatest first; bots that are level by name."""
    return sorted(values, key=lambda bot: (-round(values[bot], DIGITS), bot))
