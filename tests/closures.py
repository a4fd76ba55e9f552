"""What each door of arena loads: the modules of arena that are there once it is imported, and their lines.

``python -m tests.closures`` prints them beside their budgets. A budget falls when a door loads less, and never rises.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUDGETS = {
    "arena.cli.leaderboard": 11_400,
    "arena.cli.stats": 13_200,
    "arena.cli.report": 11_400,
    "arena.cli.run": 20_800,
    "arena.tournament.lane": 7_450,
    "arena.web.live": 14_950,
    "arena.leagues.season": 24_100,
    "arena.cli.season": 25_900,
}
"""The most lines that each door may load."""
_LOADED = """
import sys
__import__(sys.argv[1])
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("arena.")), sep="\\n")
"""


def find_files(door: str) -> list[Path]:
    """The files of arena that importing a module loads."""
    command = [sys.executable, "-c", _LOADED, door]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(line).relative_to(ROOT) for line in done.stdout.splitlines()]


def count_lines(files: list[Path]) -> int:
    """The lines of these files together."""
    return sum((ROOT / file).read_bytes().count(b"\n") for file in files)


def format_closures() -> Iterator[str]:
    """A line for each door: its lines, its budget, its modules, and the rooms that weigh most."""
    for door, budget in BUDGETS.items():
        files = find_files(door)
        rooms: dict[str, list[Path]] = {}
        for file in files:
            rooms.setdefault(file.parts[1] if len(file.parts) > 2 else "top", []).append(file)
        weights = sorted(((count_lines(paths), room) for room, paths in rooms.items()), reverse=True)
        most = ", ".join(f"{room} {lines}" for lines, room in weights[:6])
        yield (f"{door:22} {count_lines(files):6} of {budget:6} lines, {len(files):3} modules: {most}")


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in format_closures())
