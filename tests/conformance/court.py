"""Brings a bot to trial, in a real lane or in this process."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from arena.conformance import TrialTable
from arena.conformance.findings import Findings, tables
from arena.conformance.trial import Trial
from arena.games import find
from arena.players import process
from arena.players.launch import Launch
from arena.players.lifetime import adopt_orphans
from arena.tournament.lane_messages import Check, Done
from arena.tournament.lanes import Lanes
from arena.wire import Limits

HERE = Path(__file__).parent
LIMITS = Limits(start=5000, move=1000)
"""Generous: a loaded machine must not look like a slow bot."""
TABLES = (*tables(find("dockfight"), (2,)), *tables(find("cash-a-catch"), (3,)))


def sinner(sin: str, *words: str, fresh: bool = False) -> Launch:
    """How to start the bot with this sin."""
    argv = (sys.executable, "-S", str(HERE / "sinner.py"), sin, *words)
    return Launch(argv=argv, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, folder=str(HERE), fresh=fresh)


def tried(
    lanes: Lanes,
    bot: Launch,
    sat: tuple[TrialTable, ...] = TABLES,
    limits: Limits = LIMITS,
    *,
    exit_first: bool = False,
) -> Findings:
    """What a lane finds."""
    job = Check("sinner", bot, sat, limits, exit_first)
    (done,) = [message for _, message in lanes.messages([job]) if isinstance(message, Done)]
    assert not done.failed, done.failed
    return done.value(Findings)


def tried_here(
    bot: Launch,
    limits: Limits = LIMITS,
    sat: tuple[TrialTable, ...] = TABLES,
    heard: Callable[[str], None] = lambda _: None,
) -> Findings:
    """What is found in this process; ``heard`` is told what is tried.

    A busy machine is no reason to try anything again: how the host judges its own absence has tests of its own.
    """
    adopt_orphans()
    with patch.object(process, "STALL", 60.0), TemporaryDirectory() as scratch:
        return Trial(bot, limits, Path(scratch), heard).try_at(sat)
