"""``arena doctor``: what this machine offers: cores, languages of the shipped bots, isolation tools."""

import os
import platform
import shutil
import sys
from pathlib import Path

import typer

from arena import __version__
from arena.cli.options import Format, Formatted, Json
from arena.players.botfile import missing
from arena.players.entrants import shipped
from arena.report.tables import table
from arena.tournament import cores


def _landlock() -> str:
    try:
        modules = Path("/sys/kernel/security/lsm").read_text("ascii").split(",")
    except OSError:
        return "unknown: the system does not tell"
    return "listed by the kernel" if "landlock" in modules else "not in this kernel"


def doctor(format_: Formatted = Format.table, json: Json = False) -> None:
    """Look at this machine and what it offers to bots.

    Example: arena doctor
    """
    linux = sys.platform == "linux"
    pinning = "yes" if hasattr(os, "sched_setaffinity") else f"no, not on {platform.system()}"
    orphans = "swept up" if linux else f"only process groups are ended on {platform.system()}"
    rows: list[dict[str, object]] = [
        {"what": "arena", "found": __version__},
        {"what": "python", "found": f"{platform.python_version()} at {sys.executable}"},
        {"what": "system", "found": f"{platform.system()} {platform.release()} on {platform.machine()}"},
        {"what": "lanes by default", "found": cores.lanes()},
        {"what": "pinning lanes to cores", "found": pinning},
        {"what": "orphans of bots", "found": orphans},
    ]
    rows += [{"what": f"bot {bot.name}", "found": missing(bot) or "runs here"} for bot in shipped()]
    rows += [
        {"what": f"isolation: {tool}", "found": shutil.which(tool) or "not found"} for tool in ("bwrap", "isolate")
    ]
    rows.append({"what": "isolation: landlock", "found": _landlock() if linux else "Linux only"})
    rows.append({"what": "isolation in use", "found": "none: bots have your rights"})
    typer.echo(table(rows, Format.json if json else format_))
