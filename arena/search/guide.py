"""What a search is told: how players answer and who is ahead in a game, and how long it may think by its clock."""

from collections.abc import Callable, Sequence
from math import exp
from typing import Any, TypeAlias

from msgspec import Struct

from arena.game import Decision, Objective, Outcome, Seat, State
from arena.wire import Limits

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
    rollout: Quick | None = None
    """How the searching seat answers while the match is played on; by default as the other seats do."""
    first: Quick | None = None
    """The first answer to the question itself, which others must beat; by default that of ``rollout``."""
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
    """By seat, how well it stands, in any unit, or its expected score; by default the scores of ``standing()``."""
    scale: float = 1.0
    """A seat that is this much ahead of another, in that unit, finishes before it with a chance of 73 %."""
    odds: Callable[[Any, Seat], float] | None = None
    """The expected share of the others that a seat finishes before, or its expected score if that counts; if it is
    given, there is no other estimate."""

    def __post_init__(self) -> None:
        """Check the numbers; a ``ValueError`` if a search can use one of them for nothing."""
        if not self.scale > 0:
            raise ValueError(f"expected a scale above 0, got {self.scale}")
        if self.deepest < 0:
            raise ValueError(f"expected deepest of 0 or more, got {self.deepest}")

    def value(self, state: State, seat: Seat, objective: Objective = "place") -> float:
        """The share of the others that a seat finishes before, a tie counts half; before the end as expected.

        Where the score counts, it is the score.
        """
        outcome = state.pending()
        if isinstance(outcome, Outcome):
            if objective != "place":
                return float(outcome.scores[seat])
            mine = outcome.ranks[seat]
            beaten = sum([(mine < rank) + (mine == rank) / 2 for rank in outcome.ranks]) - 0.5
            return beaten / (len(outcome.ranks) - 1)
        if self.odds is not None:
            return self.odds(state, seat)
        values = state.standing().scores if self.estimate is None else self.estimate(state)
        if objective != "place":
            return float(values[seat])
        scale, score = self.scale, values[seat]
        beaten = sum([1 / (1 + exp(max(min((value - score) / scale, 50.0), -50.0))) for value in values]) - 0.5
        return beaten / (len(values) - 1)


MARGIN = 12.0
"""Milliseconds kept for messages, and for waiting until the bot has the processor again."""
PART = 0.15
"""The share of a question's time that is kept as well."""
QUESTIONS = 40
"""The rest of the bank and of the match's total is spread over this many questions."""

RESERVE = 150.0
"""Milliseconds of the bank and of the total that are kept for answers without a search."""


class Timing:
    """The time of one match, in milliseconds."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bank = float(limits.bank)
        self._total = float(limits.total)
        self._stall = 0.0
        self._pause = 0.0

    def allot(self, time: int) -> float:
        """How long to think about a question of ``time``; 0 if there is only just time to answer."""
        limits = self._limits
        if limits.bank:
            self._bank += limits.increment
            if time < limits.move:
                self._bank = min(self._bank, float(time))
        share = (self._total - RESERVE) / QUESTIONS
        if limits.bank:
            share = min(share, limits.increment + (self._bank - RESERVE) / QUESTIONS)
        reserve = MARGIN + max(PART * time + 2 * self._stall, 2 * self._pause)
        return max(min(time - reserve, share), 0.0)

    def charge(self, used: float, *, overrun: float, pause: float = 0.0) -> None:
        """Subtract the time that an answer took; on a busy machine, keep more of the time of later questions.

        It went ``overrun`` beyond what was allotted. ``pause`` is the longest time between two looks at the clock; such
        a pause may come at the end of the next answer.
        """
        self._bank = max(self._bank - used - 1, 0.0)
        self._total = max(self._total - used - 1, 0.0)
        self._stall = max(overrun, 0.9 * self._stall)
        self._pause = max(pause, 0.9 * self._pause)
