"""The time for which the asked bot was ready to run but did not get the core, through no fault of its own.

Standard library only; knows one process tree and the scheduler's figures, no messages, rules or records. For each span
between two looks it finds a lower bound: the run and wait time of the thread that wanted the core most, less the run
time of the whole tree. So other programs' use of the core is found without looking at them, and a bot whose own
processes block each other gets nothing back for that.
"""

from time import monotonic

from arena.players.cpu_time import Thread, Tree

_KEPT = 0.005
"""Seconds that the house may be kept from the core between two looks, and nobody loses anything by it."""


class RunQueue:
    """Of one question, or a part of it."""

    __slots__ = ("_at", "_family", "_first", "_threads", "_tree", "_used", "_wants", "seconds", "steady", "wanted")

    def __init__(self, tree: Tree, family: frozenset[int]) -> None:
        """Measure from here; ``family`` are the tree's processes as they were before the question."""
        self._tree = tree
        self.seconds = 0.0
        """What it went without, at least."""
        self.wanted = 0.0
        """How long it ran or was ready to, at most."""
        # threads are read first each time: time used between the two readings is the bot's own
        self._at, self._threads = monotonic(), tree.threads()
        self._first = self._threads
        self._wants: dict[int, float] = {}
        self._used = tree.seconds()
        self._family = tree.family
        self.steady = self._family == family
        """Whether its processes are the same all along. What children use that nobody waits for leaves no trace, so
        that time which they took from their own parent cannot be told from time that it went without."""

    def look(self, *, orphans: float, kept: float) -> None:
        """Take in what came since the last look.

        Args:
            orphans: seconds of it that orphans of nobody known have used.
            kept: seconds of it that the house was kept from the core, and so from whatever the bot wanted of it.
        """
        at, threads = monotonic(), self._tree.threads()
        used = self._tree.seconds()
        self.steady &= self._tree.family == self._family
        most = max([self._more(number, thread, at) for number, thread in threads.items()], default=0.0)
        own = used - self._used + orphans
        lost = max(0.0, most - own) + (max(0.0, kept - own) if kept > _KEPT else 0.0)
        self.seconds += max(0.0, min(lost, at - self._at - own))
        self.wanted += at - self._at if most > 0 or any(thread.ready for thread in threads.values()) else 0.0
        self._at, self._threads, self._used = at, threads, used

    def _more(self, number: int, thread: Thread, at: float) -> float:
        """Seconds since the last look that a thread ran or was ready to, at least."""
        before, known = self._threads.get(number), self._wants.get(number, 0.0)
        if before is not None and before.ready and thread.ready and before.slept == thread.slept:
            # a wait is reported only at its end; but a thread that has not slept has wanted the core all the time
            total = known + at - self._at
        else:
            first = self._first.get(number)
            total = max(known, thread.wanted - (first.wanted if first else 0.0))
        self._wants[number] = total
        return total - known
