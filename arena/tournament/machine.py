"""What this machine offers: cores, languages of the shipped bots, and the sandboxes that work here."""

import os
import platform
import shutil
import sys
from collections.abc import Callable

from arena.errors import HostError
from arena.interpreter import __version__
from arena.players.botfile import missing
from arena.players.entrants import read_shipped_bots
from arena.players.memory import INTERVAL
from arena.report.document import WIDTH, Document, Section, Table
from arena.sandbox import Level
from arena.tournament import cores
from arena.tournament.isolation import Proofs, best_of, landlock_here, proofs_here

_COULD = "what a bot could do"
_MARKS = {"refused": "-", "absent": "-", "possible": "YES", "unclear": "?"}


def examine(show: Callable[[Document], None]) -> None:
    """Try what bots could do at each level of isolation, and ``show`` it beside what this machine has.

    Raises:
        HostError: once that is shown, where nobody can tell now which level ``auto`` takes.
    """
    proofs, bounded = proofs_here()
    picked: Level | None = None
    trouble: HostError | None = None
    try:
        picked, _ = best_of(reversed(proofs.values()))
    except HostError as error:
        trouble = error
    pick = picked or "none of them now"
    facts: list[dict[str, object]] = [*_facts(bounded=bounded), {"what": "isolation: auto picks", "found": pick}]
    lacking = [f"{level}: {proof.why}" for level, proof in proofs.items() if not proof.holds]
    section = Section(
        tables=[
            Table(rows=facts, left_columns=("what",), wide=("found",)),
            Table(rows=_matrix(proofs), left_columns=(_COULD, *proofs)),
        ],
        notes=["YES: possible; -: refused; ?: unclear; blank: the level does not start here"],
        rows=[*facts, *_tidy(proofs)],
        columns=("what", "found"),
    )
    levels = {
        level: {"holds": proof.holds, "why": proof.why, "attacks": proof.attacks} for level, proof in proofs.items()
    }
    sections = [section, *(Section(notes=[why], width=WIDTH) for why in lacking)]
    show(Document(sections=sections, data={"machine": facts, "levels": levels, "auto": picked}))
    if trouble is not None:
        raise trouble


def _memory(*, bounded: bool) -> str:
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
        {"what": "arena", "found": __version__},
        {"what": "python", "found": f"{platform.python_version()} at {sys.executable}"},
        {"what": "system", "found": f"{platform.system()} {platform.release()} on {platform.machine()}"},
        {"what": "lanes by default", "found": cores.count_lanes()},
        {"what": "pinning lanes to cores", "found": pinning},
        {"what": "orphans of bots", "found": orphans},
        {"what": "memory beside data", "found": _memory(bounded=bounded)},
    ]
    friends = "fine among friends, not for prizes: see --block and --shard of `arena run`"
    rows.append({"what": "mirrored deals on one machine", "found": friends})
    rows += [{"what": f"bot {bot.name}", "found": missing(bot) or "runs here"} for bot in read_shipped_bots()]
    rows += [
        {"what": f"isolation: {tool}", "found": shutil.which(tool) or "not found"} for tool in ("bwrap", "isolate")
    ]
    rows.append({"what": "isolation: landlock", "found": landlock_here() if linux else "Linux only"})
    return rows


def _matrix(proofs: Proofs) -> list[dict[str, object]]:
    names = dict.fromkeys(name for proof in proofs.values() for name in proof.attacks)
    rows: list[dict[str, object]] = []
    for name in names:
        row: dict[str, object] = {_COULD: name}
        for level, proof in proofs.items():
            row[level] = _MARKS[proof.attacks[name]] if name in proof.attacks else ""
        rows.append(row)
    return rows


def _tidy(proofs: Proofs) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for level, proof in proofs.items():
        rows.append({"what": f"isolation: {level}", "found": proof.why or "proved"})
        rows += [{"what": f"{level}: {name}", "found": verdict} for name, verdict in proof.attacks.items()]
    return rows
