"""A tournament runner and bot arena for card and dice games; its public library.

>>> import arena
>>> with arena.open_run("dockfight", ["greedy", "random"], matches=12, out="results/x") as run:
...     for match in run.play():
...         print(match.id, match.bots, match.ranks)

``arena docs library`` tells of each name. Importing this costs next to nothing: what a name needs is imported when the
name is first used.
"""

from importlib import import_module

# not from typing: with `python -m arena` this is read while the current folder is still searched for modules
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from arena.bot import Bot, Decision
    from arena.conformance.findings import Findings
    from arena.environments.task import Task, task
    from arena.errors import (
        ArenaError,
        BotError,
        DamagedError,
        HostError,
        Interrupted,
        LockedError,
        NotReadyError,
        UsageError,
    )
    from arena.fault import Fault
    from arena.interpreter import __version__
    from arena.leagues.season import play_season
    from arena.python_bots import LocalBot, local_bot
    from arena.record import Record
    from arena.report.losses import Losses
    from arena.report.render import Leaderboard
    from arena.report.season import Season
    from arena.report.verdict import Comparison
    from arena.selfplay.play import play_many
    from arena.tournament.calls import check, compare, open_run, read_runs, sit_down
    from arena.tournament.open_run import OpenRun
    from arena.tournament.run import Run
    from arena.tournament.settings import RunSpec
    from arena.tournament.verification import Verification

_HOMES = {
    "arena.bot": ("Bot", "Decision"),
    "arena.conformance.findings": ("Findings",),
    "arena.environments.task": ("Task", "task"),
    "arena.errors": (
        *("ArenaError", "BotError", "DamagedError", "HostError", "Interrupted", "LockedError", "NotReadyError"),
        "UsageError",
    ),
    "arena.leagues.season": ("play_season",),
    "arena.python_bots": ("LocalBot", "local_bot"),
    "arena.tournament.calls": ("check", "compare", "open_run", "read_runs", "sit_down"),
    "arena.tournament.open_run": ("OpenRun",),
    "arena.tournament.run": ("Run",),
    "arena.selfplay.play": ("play_many",),
    "arena.tournament.verification": ("Verification",),
    "arena.fault": ("Fault",),
    "arena.interpreter": ("__version__",),
    "arena.record": ("Record",),
    "arena.report.render": ("Leaderboard",),
    "arena.report.losses": ("Losses",),
    "arena.report.season": ("Season",),
    "arena.report.verdict": ("Comparison",),
    "arena.tournament.settings": ("RunSpec",),
}
"""Module -> the public names that it holds."""
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ArenaError",
    "Bot",
    "BotError",
    "Comparison",
    "DamagedError",
    "Decision",
    "Fault",
    "Findings",
    "HostError",
    "Interrupted",
    "Leaderboard",
    "LocalBot",
    "LockedError",
    "Losses",
    "NotReadyError",
    "OpenRun",
    "Record",
    "Run",
    "RunSpec",
    "Season",
    "Task",
    "UsageError",
    "Verification",
    "__version__",
    "check",
    "compare",
    "local_bot",
    "open_run",
    "play_many",
    "play_season",
    "read_runs",
    "sit_down",
    "task",
]


def __getattr__(name: str) -> "Any":
    """A public name, from its module."""
    if name not in _HOME:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
