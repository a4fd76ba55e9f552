"""What a search may know about a game: how its players answer, how far to play on, and who is ahead there."""

from collections.abc import Callable, Sequence
from math import exp
from typing import Any, TypeAlias

from msgspec import Struct

from arena.game import Decision, Outcome, Seat, State

Policy: TypeAlias = Callable[[dict[str, Any]], Sequence[int]]
"""From a decoded ``decide`` message to legal picks."""

Quick: TypeAlias = Callable[[Any, Seat, Decision], tuple[int, ...] | None]
"""From a state, a seat and its question to the picks of the policy, or nearly these; None: ask the policy."""


class Guide(Struct, frozen=True, kw_only=True):
    """Each field may be left out. Without any, answers are random, and each imagined match is played to its end."""

    policy: Policy | None = None
    """How seats answer where the answer is not searched."""
    quick: Quick | None = None
    """The same from an imagined state, which is faster; ``policy`` is asked only where it gives None."""
    own: Quick | None = None
    """How the searching seat answers while the match is played on; by default as the other seats do."""
    first: Quick | None = None
    """The first answer to the question itself, which others must beat; by default that of ``own``."""
    sure: Callable[[Any, Decision], tuple[int, ...] | None] | None = None
    """From what the seat sees and is asked, an answer that needs no search; None: search."""
    doubt: float = 0.5
    """Another answer replaces the first one if it is so many standard errors ahead, added to the lead that the luckiest
    of equal answers has (1.2 of two)."""
    deepest: int = 4
    """Questions to each seat of an imagined match that are answered within the tree; 0: there is no tree."""
    phase: Callable[[Any], Any] | None = None
    """The phase of a match, such as the number of the round: a value that changes from one phase to the next."""
    phases: Callable[[Any], int] = lambda _observation: 1
    """From the observation to the number of changes of phase after which playing on ends; without ``phase``, none."""
    random_after: bool = False
    """Whether the match is then played to its end by random answers, instead of being judged there."""
    estimate: Callable[[Any], Sequence[float]] | None = None
    """By seat, how well it stands, in any unit; by default the scores of ``standing()``."""
    scale: float = 1.0
    """A seat that is this much ahead of another, in that unit, finishes before it with a chance of 73 %."""
    odds: Callable[[Any, Seat], float] | None = None
    """The expected share of the others that a seat finishes before; if it is given, there is no other estimate."""

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: one is none that a search can use.
        """
        if not self.scale > 0:
            raise ValueError(f"expected a scale above 0, got {self.scale}")
        if self.deepest < 0:
            raise ValueError(f"expected deepest of 0 or more, got {self.deepest}")

    def value(self, state: State, seat: Seat) -> float:
        """The share of the others that a seat finishes before, a tie counts half; before the end as expected."""
        outcome = state.pending()
        if isinstance(outcome, Outcome):
            mine = outcome.ranks[seat]
            beaten = sum([(mine < rank) + (mine == rank) / 2 for rank in outcome.ranks]) - 0.5
            return beaten / (len(outcome.ranks) - 1)
        if self.odds is not None:
            return self.odds(state, seat)
        values = state.standing().scores if self.estimate is None else self.estimate(state)
        scale, own = self.scale, values[seat]
        beaten = sum([1 / (1 + exp(max(min((value - own) / scale, 50.0), -50.0))) for value in values]) - 0.5
        return beaten / (len(values) - 1)
