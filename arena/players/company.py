"""Who burns the core while another is asked: the processes of a lane's bots, of which one is asked at a time.

Standard library only; knows process trees and seconds, no messages, rules or records. Around a question that is not
answered at once everybody is read, so what others burn of it is exact. Quick questions are not measured: what a bot
burns beside them is a lower bound, for all the time it is waited for counts as used by itself.
"""

import os
from collections import defaultdict
from collections.abc import Container
from time import monotonic

from arena.players.burnt import Tree
from arena.players.lifetime import children, token_of

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
_SPAN = 0.25
"""Seconds after which accounts are settled at the end of a question that was not quick."""
_SPAN_OF_MATCHES = 0.05
"""Seconds after which they are settled at the end of a match; the readings cost some thousandths of that."""


class Account:
    """One process of a bot, and what it burns on others' time. ``Process`` asks it what others burn on its own."""

    __slots__ = (
        "_before",
        "_burnt",
        "_called",
        "_company",
        "_idle",
        "_since",
        "_start",
        "crowd",
        "excess",
        "name",
        "own",
        "quick",
        "restless",
        "slow",
        "token",
        "tree",
        "used",
    )

    def __init__(self, company: "Company", name: str, pid: int, token: str) -> None:
        self._company = company
        self.name = name
        self.tree = Tree(pid)
        self.token = token
        self.restless = False
        """Whether it has burnt more than ``RESTLESS`` of the core on others' time."""
        self.excess = 0.0
        """The share of the core it is at fault for, until that is told."""
        self.quick = 0.0
        """Seconds it was waited for since the last settling without anything being measured."""
        self.slow = self.own = 0.0
        """Seconds it was waited for otherwise, and what it used of them."""
        self.used = 0.0
        """What it has used since the question at hand is measured."""
        self.crowd = 0.0
        """What idlers besides it have burnt on others' time: nobody could have had that."""
        self._start = self._before = 0.0
        self._since: float | None = None
        self._called: float | None = None
        self._burnt = self._idle = 0.0

    # --- its matches

    def ready(self, now: float) -> None:
        """It is ready for a match; what it has done since it was started, or the last match ended, is its own."""
        if self._since is None:
            self._since, self._before = now, self.tree.seconds()
        self.rest(now)

    def called(self, now: float) -> None:
        """It is told how the match ended."""
        self._called = now

    def rest(self, now: float) -> None:
        """It has had its time to hear how the match ended."""
        if self._called is not None:
            self.quick += now - self._called
            self._called = None

    # --- a question to it that is not answered at once

    def begin(self, first: float) -> None:
        """Measure from here, ``first`` seconds after the question."""
        self._company.begin(first)

    def burnt(self) -> float:
        """Seconds of the question that others have burnt, and it went without."""
        return self._company.burnt(self)

    def over(self, began: float, ended: float) -> float:
        """It is no longer waited for; seconds of the question that others have burnt."""
        self.slow += ended - began
        return min(self._company.over(self, ended), ended - began)

    # --- for its company

    def mark(self) -> None:
        """Measure from here."""
        self._start = self.tree.seconds()

    def measure(self) -> None:
        """Find what was used since ``mark``."""
        self.used = self.tree.seconds() - self._start

    def settle(self, now: float) -> float:
        """Book and judge what was burnt since the last settling; how many seconds it was."""
        if self._since is None:
            return 0.0
        if self._called is not None:
            self.rest(now)
            self._called = now
        reading = self.tree.seconds()
        own = self.own + self.quick * self._company.cores
        burnt = reading - self._before - own - self.tree.rounding
        if burnt < _LEAST:
            burnt = 0.0
        self._burnt += burnt
        self._idle += now - self._since - self.quick - self.slow
        self._since, self._before = now, reading
        self.quick = self.slow = self.own = 0.0
        # idlers share what they burn, so each is judged by what the others of them have left it
        share = self._burnt / max(self._idle - self.crowd, self._burnt, 1e-9)
        self.restless |= self._burnt >= RESTLESS_SECONDS and share > RESTLESS
        if self._idle >= EXCESS_OF and self._burnt >= EXCESS_SECONDS and share > EXCESS:
            self.excess = share
            # another fault takes as much evidence again
            self._burnt = self._idle = self.crowd = 0.0
        return burnt


class Company:
    """All bots that live in one lane."""

    def __init__(self) -> None:
        self.cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        """How many cores a bot may use at once: one where the lane is pinned."""
        self._accounts: list[Account] = []
        self._strays: dict[int, Tree | None] = {}
        self._strays_start = self._strays_gone = 0.0
        self._first = self._from = self._others = 0.0
        self._burnt: defaultdict[str, float] = defaultdict(float)
        self._settled = monotonic()

    def enter(self, name: str, pid: int, token: str) -> Account:
        """A bot has started a process."""
        account = Account(self, name, pid, token)
        self._accounts.append(account)
        return account

    def leave(self, account: Account) -> None:
        """A bot's process was ended."""
        self._accounts.remove(account)

    def begin_match(self, bots: Container[str]) -> None:
        """A match of these begins; the others sit by."""
        self._burnt.clear()
        now = monotonic()
        for account in self._accounts:
            if account.name not in bots:
                account.rest(now)

    def end_match(self) -> dict[str, float]:
        """The match is over: seconds burnt in it by bot, as far as known, of those that burnt any."""
        self._settle(monotonic(), _SPAN_OF_MATCHES)
        return self._burnt

    # --- a question that is not answered at once

    def begin(self, first: float) -> None:
        """Measure everybody from here, ``first`` seconds after the question."""
        self._first, self._from = first, monotonic()
        self._find_strays()
        self._strays_start = self._strays_used()
        for account in self._accounts:
            account.mark()

    def burnt(self, asked: Account | None) -> float:
        """Seconds of the question that others have burnt and ``asked`` went without; the first ones too if any."""
        self._find_strays()
        used = 0.0
        for account in self._accounts:
            account.measure()
            if account is not asked:
                used += account.used
        # on a core of its own nobody goes without
        without = monotonic() - self._from - (asked.used if asked is not None else 0.0)
        self._others = max(0.0, min(used + self._strays_used() - self._strays_start, without))
        return self._others + self._first if self._others >= _LEAST else 0.0

    def over(self, asked: Account, ended: float) -> float:
        """The question is over; what ``burnt`` says."""
        burnt = self.burnt(asked)
        asked.own += self._first * self.cores + asked.used
        for account in self._accounts:
            if account is not asked:
                account.crowd += max(0.0, self._others - account.used)
        self._settle(ended, _SPAN)
        return burnt

    def _settle(self, now: float, least: float) -> None:
        if now - self._settled < least:
            return
        self._settled = now
        for account in self._accounts:
            if burnt := account.settle(now):
                self._burnt[account.name] += burnt

    def _find_strays(self) -> None:
        """Find orphans, which are children of the house now, and whose they are."""
        living = set(children()).difference([account.tree.pid for account in self._accounts])
        if living == self._strays.keys():
            return
        for pid in self._strays.keys() - living:
            tree = self._strays.pop(pid)
            self._strays_gone += tree.seconds() if tree else 0.0
        owners = {account.token: account for account in self._accounts}
        for pid in living - self._strays.keys():
            owner = owners.get(token_of(pid))
            self._strays[pid] = None if owner else Tree(pid)
            if owner:
                owner.tree.adopt(pid)

    def _strays_used(self) -> float:
        """What orphans whose owner is not known have used."""
        return self._strays_gone + sum([tree.seconds() for tree in self._strays.values() if tree])
