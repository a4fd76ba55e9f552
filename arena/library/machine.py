"""The abilities of this machine: cores, languages of the shipped bots, proved sandboxes. Prints nothing."""

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from textwrap import fill
from typing import Any

from msgspec import Struct

from arena.players.botfile import missing
from arena.players.entrants import shipped
from arena.players.memory import INTERVAL
from arena.report.document import in_lines, table
from arena.sandbox import landlock
from arena.sandbox.sandbox import LEVELS, Level
from arena.tournament import cores
from arena.tournament.isolation import prove
from arena.tournament.lane_messages import Proved
from arena.tournament.lanes import Lanes

_WIDTH = 80
_COULD = "what a bot could do"
_MARKS = {"refused": "-", "absent": "-", "possible": "YES", "unclear": "?"}


class Machine(Struct, frozen=True, kw_only=True):
    """The abilities of this machine."""

    facts: list[dict[str, object]]
    """Rows of ``what`` was looked at and what was ``found``."""
    proofs: dict[Level, Proved]
    """For each level of isolation, what a bot could do there."""

    @property
    def picked(self) -> Level:
        """The level that ``auto`` is here."""
        return next(level for level in reversed(LEVELS) if level == "none" or self.proofs[level].holds)

    def as_data(self) -> dict[str, Any]:
        """The same as an object of JSON."""
        levels = {
            level: {"holds": proof.holds, "why": proof.why, "attacks": proof.attacks}
            for level, proof in self.proofs.items()
        }
        return {"machine": self._rows(), "levels": levels, "auto": self.picked}

    def as_text(self, form: str) -> str:
        """The same as tables in a format of ``arena.report.document``, without a newline at the end."""
        if form == "csv":
            return table([*self._rows(), *_tidy(self.proofs)], form)
        narrow = form == "table"
        parts = [
            table(_folded(self._rows()) if narrow else self._rows(), form),
            table(_matrix(self.proofs), form, [_COULD, *LEVELS]),
            "YES: possible; -: refused; ?: unclear; blank: the level does not start here",
        ]
        for level, proof in self.proofs.items():
            if not proof.holds:
                parts.append(fill(f"{level}: {proof.why}", _WIDTH) if narrow else f"{level}: {proof.why}")
        return "\n\n".join(parts)

    def _rows(self) -> list[dict[str, object]]:
        return [*self.facts, {"what": "isolation: auto picks", "found": self.picked}]


def examined(version: str) -> Machine:
    """Examine this machine, and try with a probe what bots could do at each level of isolation.

    Args:
        version: of arena, which is the first fact.
    """
    with Lanes(1) as lanes:
        proofs = {level: prove(lanes, level, whole=True) for level in LEVELS}
        bounded = lanes.grove is not None and "memory" in lanes.grove.offers
    return Machine(facts=[{"what": "arena", "found": version}, *_facts(bounded=bounded)], proofs=proofs)


def _landlock() -> str:
    version = landlock.abi()
    return f"version {version}" if version else "not in this kernel, or switched off"


def _memory(*, bounded: bool) -> str:
    """How the memory of a bot that is no data of one process is held to its limit."""
    if bounded:
        return "bounded by control groups"
    if sys.platform != "linux":
        return "Linux only"
    return (
        f"looked at {1 / INTERVAL:.0f} times a second: what a bot takes between two looks is not bounded; "
        "a control group for memory bounds all of it"
    )


def _facts(*, bounded: bool) -> list[dict[str, object]]:
    linux = sys.platform == "linux"
    pinning = "yes" if hasattr(os, "sched_setaffinity") else f"no, not on {platform.system()}"
    orphans = "swept up" if linux else f"only process groups are ended on {platform.system()}"
    rows: list[dict[str, object]] = [
        {"what": "python", "found": f"{platform.python_version()} at {sys.executable}"},
        {"what": "system", "found": f"{platform.system()} {platform.release()} on {platform.machine()}"},
        {"what": "lanes by default", "found": cores.lanes()},
        {"what": "pinning lanes to cores", "found": pinning},
        {"what": "orphans of bots", "found": orphans},
        {"what": "memory beside data", "found": _memory(bounded=bounded)},
    ]
    rows += [{"what": f"bot {bot.name}", "found": missing(bot) or "runs here"} for bot in shipped()]
    rows += [
        {"what": f"isolation: {tool}", "found": shutil.which(tool) or "not found"} for tool in ("bwrap", "isolate")
    ]
    rows.append({"what": "isolation: landlock", "found": _landlock() if linux else "Linux only"})
    return rows


def _folded(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    room = _WIDTH - 2 - max(len(str(row["what"])) for row in rows)
    return [line for row in rows for line in in_lines(row, {"found": room})]


def _matrix(proofs: Mapping[Level, Proved]) -> list[dict[str, object]]:
    names = dict.fromkeys(name for proof in proofs.values() for name in proof.attacks)
    rows: list[dict[str, object]] = []
    for name in names:
        row: dict[str, object] = {_COULD: name}
        for level, proof in proofs.items():
            row[level] = _MARKS[proof.attacks[name]] if name in proof.attacks else ""
        rows.append(row)
    return rows


def _tidy(proofs: Mapping[Level, Proved]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for level, proof in proofs.items():
        rows.append({"what": f"isolation: {level}", "found": proof.why or "proved"})
        rows += [{"what": f"{level}: {name}", "found": verdict} for name, verdict in proof.attacks.items()]
    return rows
