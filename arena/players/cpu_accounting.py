"""How much of the core a lane's bots use while another bot is asked. One of them is asked at a time.

Around a question that is not answered at once the times of all bots are read, so their use during it is exact. Quick
questions are not measured. What a bot uses beside them is a lower bound, because all the time for which it was asked
itself is subtracted. ``arena.players.process_tree`` finds the time that anything else takes from the asked bot.
"""

import os
from collections import defaultdict
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from arena.players.lifetime import has_environment, kill, token_of
from arena.players.process import QUICK, STALL
from arena.players.process_tree import RunQueue, StolenTime, Tree, children, of_this_process
from arena.sandbox.cgroup import Group

RESTLESS = 0.05
"""The share of the core on others' time over which a bot is named."""
RESTLESS_SECONDS = 0.1
"""Seconds it must have burnt before it is frozen between its turns."""
EXCESS = 0.25
"""The share over which it is at fault."""
EXCESS_SECONDS = 0.25
"""Seconds it must have burnt for that."""
EXCESS_OF = 1.0
"""Seconds of others' time that this is judged over."""
_LEAST = 0.001
"""Seconds that count as burnt: less is the way from an answer back to the read for the next question."""
FRESH = 0.02
"""Seconds that a glance at everybody is good for: what a question that turns out slow is measured from."""
_SPAN = 0.25
"""Seconds after which accounts are settled at the end of a question that was not quick."""
_SPAN_OF_MATCHES = 0.05
"""Seconds after which they are settled at the end of a match; the readings cost some thousandths of that."""


@dataclass(slots=True, eq=False, kw_only=True)
class Account:
    """One process of a bot, and the processor time that it uses while other bots are asked."""

    _accounting: "CpuAccounting"
    name: str
    tree: Tree
    token: str
    group: Group | None = None
    frozen: bool = False
    """Whether they stand still until ``thaw``."""
    family: frozenset[int] = frozenset()
    _glanced: float = 0.0
    _marked: frozenset[int] = frozenset()
    restless: bool = False
    """Whether it has burnt more than ``RESTLESS`` of the core on others' time."""
    excess: float = 0.0
    """The share of the core it is at fault for, until that is told."""
    quick: float = 0.0
    """Seconds it was waited for since the last settling without anything being measured."""
    slow: float = 0.0
    """Seconds it was waited for otherwise."""
    work: float = 0.0
    """What it used of the slow ones."""
    used: float = 0.0
    """What it has used since the question at hand is measured."""
    crowd: float = 0.0
    """Seconds that other bots burnt on others' time: no bot could have used them."""
    _start: float = 0.0
    _last_reading: float = 0.0
    _since: float | None = None
    _match_end: float | None = None
    _burnt: float = 0.0
    _idle: float = 0.0

    @property
    def starting(self) -> bool:
        """Whether it has not been ready for any match: the time that it uses is its own."""
        return self._since is None

    def ready(self, now: float) -> None:
        """The bot is ready for a match. Time that it used since its start, or since the last match, is its own."""
        if self._since is None:
            self._since, self._last_reading = now, self.tree.seconds()
        self.rest(now)

    def note_end(self, now: float) -> None:
        """The bot is told how the match ended."""
        self._match_end = now

    def rest(self, now: float) -> None:
        """The bot's time to hear how the match ended is over."""
        if self._match_end is not None:
            self.quick += now - self._match_end
            self._match_end = None

    def begin(self, first: float) -> None:
        """Begin to measure, ``first`` seconds after the question."""
        self._accounting.begin(self, first)

    def look(self) -> None:
        """Look at the bot and at orphans: time of processes that were not seen is not given back."""
        self._accounting.look()

    def stolen(self, away: float) -> StolenTime:
        """Tell the time of this question that the bot did not get; the host was ``away`` for so many seconds of it."""
        return self._accounting.stolen(self, away)

    def over(self, *, began: float, ended: float, away: float) -> float:
        """The question is over; returns the seconds of it that the bot did not get."""
        self.slow += ended - began
        return min(sum(self._accounting.over(self, ended=ended, away=away)), ended - began)

    def freeze(self, patience: float | None = None) -> None:
        """Stop its processes, if the system can do that; for ``patience`` see ``Group.freeze``."""
        if self.group is not None and not self.frozen:
            self.frozen = True
            with suppress(OSError):  # a group that is gone holds no process
                self.group.freeze() if patience is None else self.group.freeze(patience)

    def thaw(self) -> None:
        """Let them run again."""
        if self.group is not None and self.frozen:
            with suppress(OSError):  # likewise
                self.group.thaw()
        self.frozen = False

    def glance(self) -> None:
        """Note the time that it has used, without its own time in quick questions."""
        self._glanced = self._beside_quick()
        self.family = self.tree.family

    def find_processes(self) -> None:
        """Find its processes before its first question, and glance at them."""
        self.mark()
        self.glance()

    def since_glance(self) -> float:
        """At least how many seconds its processes have used since the last glance."""
        return max(0.0, self._beside_quick() - self._glanced)

    def _beside_quick(self) -> float:
        return self.tree.glance() - self.quick * self._accounting.cores

    def mark(self) -> None:
        """Begin to measure."""
        self._start = self.tree.seconds()
        self._marked = self.tree.family

    @property
    def steady(self) -> bool:
        """Whether its processes are those at the mark."""
        return self.tree.family == self._marked

    def measure(self) -> None:
        """Find the time that was used since ``mark``."""
        self.used = self.tree.seconds() - self._start

    def record(self, now: float) -> float:
        """Record and judge the time used since the last call; returns how many seconds it was."""
        if self._since is None:
            return 0.0
        if self._match_end is not None:
            self.rest(now)
            self._match_end = now
        reading = self.tree.seconds()
        work = self.work + self.quick * self._accounting.cores
        burnt = reading - self._last_reading - work - self.tree.rounding
        if burnt < _LEAST:
            burnt = 0.0
        self._burnt += burnt
        self._idle += now - self._since - self.quick - self.slow
        self._since, self._last_reading = now, reading
        self.quick = self.slow = self.work = 0.0
        # idle time that other bots used was not there to be used: each bot is judged by the rest
        share = self._burnt / max(self._idle - self.crowd, self._burnt, 1e-9)
        self.restless |= self._burnt >= RESTLESS_SECONDS and share > RESTLESS
        if self._idle >= EXCESS_OF and self._burnt >= EXCESS_SECONDS and share > EXCESS:
            self.excess = share
            # for another fault, as much has to be found again
            self._burnt = self._idle = self.crowd = 0.0
        return burnt


class CpuAccounting:
    """The accounts of all bots of one lane."""

    def __init__(self, *, alone: bool = False) -> None:
        """``alone``: whether this process will have no further children but those of these bots."""
        self._alone = alone
        self._bystanders = frozenset(children())
        self.cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        """How many cores a bot may use at once: one where the lane is pinned."""
        self._accounts: list[Account] = []
        self._strays: dict[int, Tree | None] = {}
        self._strays_gone = self._strays_seen = self._strays_glanced = 0.0
        self._first = self._from = self._others_seconds = 0.0
        self.glanced = float("-inf")
        self._house: tuple[float, float] | None = None
        self._last_delay = 0.0
        self._queue: RunQueue | None = None
        self._burnt: defaultdict[str, float] = defaultdict(float)
        self._settled = monotonic()

    def enter(self, name: str, pid: int, *, token: str) -> Account:
        """A bot has started a process."""
        account = Account(_accounting=self, name=name, tree=Tree(pid), token=token)
        self._accounts.append(account)
        return account

    def leave(self, account: Account) -> None:
        """A bot's process was ended."""
        self._accounts.remove(account)

    def begin_match(self, bots: Container[str]) -> None:
        """A match of these bots begins; the other bots do not play."""
        self._burnt.clear()
        now = monotonic()
        for account in self._accounts:
            if account.name not in bots:
                account.rest(now)

    def end_match(self) -> dict[str, float]:
        """The match is over; returns by bot the seconds that it used on other bots' time, if any."""
        self._record(monotonic(), _SPAN_OF_MATCHES)
        return self._burnt

    def glance(self, now: float) -> None:
        """Read the times of all bots before a question, unless the last reading is recent."""
        if now - self.glanced < FRESH:
            return
        self.glanced = now
        self._house = of_this_process()
        self._strays_glanced = self._strays_used()
        for account in self._accounts:
            account.glance()

    def begin(self, mover: Account, first: float) -> None:
        """Begin to measure all bots, ``first`` seconds after the question.

        Others are frozen, if possible, but for those that start: whatever they wait for, they wait for it side by side.
        """
        self._first, self._from = first, monotonic()
        self._find_strays()
        self._strays_seen = self._strays_used()
        for account in self._accounts:
            account.mark()
            if account is not mover and not account.starting:
                account.freeze(0.0)
        self._queue = RunQueue(mover.tree, mover.family)
        # of the time before, only two things are known: how long the lane waited for the core, and what the bot used
        delay = self._kept_since_glance()
        self._last_delay = delay
        orphans = self._strays_seen - self._strays_glanced
        self._queue.seconds = max(0.0, min(delay, first - QUICK) - mover.since_glance() - orphans)

    def look(self) -> None:
        """Look at the asked bot and at orphans, at a random moment."""
        self._find_strays()
        if self._queue is not None:
            orphans, delay = self._strays_used(), self._kept_since_glance()
            self._queue.look(orphans=orphans - self._strays_seen, delay=delay - self._last_delay)
            self._strays_seen, self._last_delay = orphans, delay

    def stolen(self, mover: Account, away: float) -> StolenTime:
        """Tell the time that ``mover`` did not get because others had it; its own processes do not count.

        Of the time that other bots burnt, only what ``mover`` can have wanted counts. Other time counts if the
        scheduler says that ``mover`` or the host waited for it, minus what its own processes used meanwhile. ``away``
        is how long the host failed to look in time. From now on others that start are frozen, too: so ``mover`` has
        what is given back for itself.
        """
        for account in self._accounts:
            if account is not mover:
                account.freeze(0.0)
        self.look()
        burnt = self._burnt_beside(mover)
        stopped = self._stopped(away)
        if self._queue is None or not self._queue.steady:
            return StolenTime(bots=burnt, outside=stopped)
        waited = self._queue.seconds if self._queue.seconds >= _LEAST else 0.0
        demand = self._queue.wanted + min(self._first, QUICK) if self._queue.wanted else 0.0
        burnt = min(burnt, max(waited, demand - mover.used))
        if not all(account.steady for account in self._accounts):
            return StolenTime(bots=max(burnt, waited), outside=stopped)
        return StolenTime(bots=burnt, outside=max(0.0, waited - burnt) + stopped)

    def _kept_since_glance(self) -> float:
        now = of_this_process()
        return 0.0 if self._house is None or now is None else now[1] - self._house[1]

    def _stopped(self, away: float) -> float:
        """Seconds of absence in which the lane neither ran nor waited for the core: no bot can do that to it."""
        now = of_this_process()
        if self._house is None or now is None:
            return 0.0
        stopped = away - (now[0] - self._house[0]) - (now[1] - self._house[1])
        return stopped if stopped > STALL else 0.0

    def _burnt_beside(self, mover: Account) -> float:
        """Seconds of the question that others have burnt and ``mover`` went without; the first ones too if any."""
        used = 0.0
        for account in self._accounts:
            account.measure()
            if account is not mover:
                used += account.used
        # a bot with a core of its own loses nothing to others
        self._others_seconds = max(0.0, min(used, monotonic() - self._from - mover.used))
        return self._others_seconds + min(self._first, QUICK) if self._others_seconds >= _LEAST else 0.0

    def over(self, mover: Account, *, ended: float, away: float) -> StolenTime:
        """The question is over; returns the same as ``stolen``."""
        stolen = self.stolen(mover, away)
        self._queue = None
        mover.work += self._first * self.cores + mover.used
        for account in self._accounts:
            if account is not mover:
                account.crowd += max(0.0, self._others_seconds - account.used)
                if not account.restless:
                    account.thaw()
        self._record(ended, _SPAN)
        return stolen

    def _record(self, now: float, least: float) -> None:
        if now - self._settled < least:
            return
        self._settled = now
        for account in self._accounts:
            if burnt := account.record(now):
                self._burnt[account.name] += burnt

    def _find_strays(self) -> None:
        """Find orphans, which are children of the host now, and whose they are; nobody's are killed in a lane."""
        living = set(children()).difference(self._bystanders, [account.tree.pid for account in self._accounts])
        for pid in self._strays.keys() - living:
            tree = self._strays.pop(pid)
            self._strays_gone += tree.seconds() if tree else 0.0
        owners = {account.token: account for account in self._accounts}
        for pid in living:
            stray = pid in self._strays
            if stray and self._strays[pid] is None:
                continue
            if owner := owners.get(token_of(pid)):
                owner.tree.adopt(pid)
                self._strays[pid] = None
                continue
            if not stray:
                self._strays[pid] = Tree(pid)
            # a process that is becoming another program has no environment for a moment: look at it once more
            if self._alone and (stray or has_environment(pid)):
                kill(pid)

    def _strays_used(self) -> float:
        return self._strays_gone + sum([tree.seconds() for tree in self._strays.values() if tree])
