"""How long a bot may think about a question, by its clock."""

from arena.wire import Limits

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
        kept = MARGIN + max(PART * time + 2 * self._stall, 2 * self._pause)
        return max(min(time - kept, share), 0.0)

    def charge(self, used: float, *, overrun: float, pause: float = 0.0) -> None:
        """Subtract the time that an answer took; on a busy machine, keep more of the time of later questions.

        Args:
            used: what it took.
            overrun: by how much it went beyond what was allotted.
            pause: the longest time between two looks at the clock; such a pause may come at the end of the next answer.
        """
        self._bank = max(self._bank - used - 1, 0.0)
        self._total = max(self._total - used - 1, 0.0)
        self._stall = max(overrun, 0.9 * self._stall)
        self._pause = max(pause, 0.9 * self._pause)
