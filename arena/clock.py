"""The clock of one seat in one match: how long it may think now, and what that leaves. It measures no time itself.

The bank is that of Fischer's clock (US patent 4,884,255): an increment for each decision, added before it.
"""

from math import inf

from arena.wire import Limits


class Clock:
    """Counts in milliseconds."""

    __slots__ = ("_increment", "_move", "bank", "left")

    def __init__(self, limits: Limits) -> None:
        """``bank`` is what the bank holds, infinite without one; ``left`` what is left of the match total."""
        self._move = limits.move
        self._increment = limits.increment
        self.bank = float(limits.bank) if limits.bank else inf
        self.left = float(limits.total)

    def begin(self) -> int:
        """Add the increment for a decision; the whole milliseconds that it may take, 0 if there is not one left."""
        move = self._move
        bank = self.bank = self.bank + self._increment
        if bank >= move <= self.left:
            return move
        return max(int(min(bank, self.left)), 0)

    def charge(self, seconds: float) -> None:
        """Take off what the answer took. The bank is never overdrawn; the total may be, by the last answer."""
        used = seconds * 1000
        self.left -= used
        self.bank = self.bank - used if self.bank > used else 0.0

    @property
    def counts(self) -> bool:
        """Whether it may ever have told less than the limit of a move."""
        return self.bank < inf or self.left < self._move

    @property
    def spent(self) -> bool:
        """Whether less than a millisecond is left of the match total."""
        return self.left < 1
