"""An author's first evening, by script: how long it takes from an empty folder to a bot that is ahead of greedy.

Builds the wheel, installs it in an environment of its own, and then, in an empty folder, in three games and three
languages: (a) begins a bot that is legal, (b) puts the strategy into it and plays until the leaderboard has it ahead
of every greedy, (c) asks for its worst answers, ten at most. In Python the strategy is that of the bot search; those in
Go and TypeScript lie in benchmarks/evening. A table tells the commands of each step, the seconds they took on the wall,
and what they found. Exits with 1 if a step fails. Needs go, tsc and node; pip fetches what arena needs.

Run: python benchmarks/evening.py [--game GAME] [-n 120] [--within 60s]
"""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from options import parser, positive

ROOT = Path(__file__).parents[1]
STRATEGIES = Path(__file__).parent / "evening"


@dataclass(frozen=True)
class Evening:
    """One game in one language: how the bot begins, and the clock of its run."""

    game: str
    language: str
    begin: str
    clock: str = ""


EVENINGS = (
    Evening("cash-a-catch", "python", "--from search", clock=" --move-time 100ms"),
    Evening("fish-food", "go", "--lang go"),
    Evening("lure", "typescript", "--lang typescript"),
)


class Failed(Exception):
    """A step did not get where it should."""


@dataclass
class Desk:
    """The empty folder, and the commands that were given in it."""

    folder: Path
    commands: Path
    said: list[str] = field(default_factory=list)

    def do(self, line: str, *also: str) -> str:
        """Give a command of the author, as he would write it, and tell what it printed."""
        self.said.append(line)
        return call(self.folder, str(self.commands / "arena"), *shlex.split(line)[1:], *also)


def call(folder: Path, *words: str) -> str:
    """What a command prints; it is a failure if it ends with another status than 0."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{shlex.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def installed(folder: Path) -> Path:
    """The commands of an environment that holds nothing but the wheel of this checkout and what that needs."""
    call(ROOT, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist"))
    call(folder, sys.executable, "-m", "venv", "venv")
    commands = folder / "venv" / "bin"
    wheel = next((folder / "dist").glob("*.whl"))
    call(folder, str(commands / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    return commands


def legal(desk: Desk, evening: Evening) -> str:
    """A bot that keeps the protocol."""
    desk.do(f"arena new bot mine {evening.begin} -g {evening.game}")
    return desk.do("arena check ./mine -q").strip().splitlines()[-1]


def ahead(desk: Desk, evening: Evening, matches: int) -> str:
    """A bot that the leaderboard has ahead of every greedy."""
    for source in STRATEGIES.glob(f"{evening.game}.*"):
        shutil.copy(source, desk.folder / "mine" / f"bot{source.suffix}")
    line = f"arena run -g {evening.game} ./mine 'greedy*3' -n {matches} -o results -q --seed evening{evening.clock}"
    rows: list[dict[str, Any]] = json.loads(desk.do(line, "--json"))["leaderboard"]
    mine = next(row for row in rows if row["bot"] == "mine")
    best = next(row for row in rows if row["bot"] != "mine")
    if mine["faults"] or mine["rank"] > 1:
        raise Failed(f"expected mine in front and without faults, got {mine} and {best}")
    told = [f"{row['bot']} {row['mu']} ({row['low']} to {row['high']})" for row in (mine, best)]
    return f"place {mine['rank_low']}-{mine['rank_high']} of {len(rows)}, {', '.join(told)}"


def worst(desk: Desk, within: str) -> str:
    """A list of the answers that seem to cost most."""
    review = json.loads(desk.do(f"arena review results --bot mine --within {within} -q", "--json"))
    answers = [each for each in review["answers"] if each["cost"] > 0]  # which is what the table shows
    if not answers:
        raise Failed(f"expected an answer within {within}, got none of {review['looked']} looked at")
    return f"{len(answers)} answers, {sum(each['sure'] for each in answers)} of them sure"


def spent(evening: Evening, folder: Path, commands: Path, matches: int, within: str) -> bool:
    """Go through one evening, print each step, and tell whether all of them got there."""
    folder.mkdir()
    steps: dict[str, Callable[[Desk], str]] = {
        "(a) legal bot": lambda desk: legal(desk, evening),
        "(b) ahead of greedy": lambda desk: ahead(desk, evening, matches),
        "(c) worst answers": lambda desk: worst(desk, within),
    }
    for name, step in steps.items():
        desk, begun, done = Desk(folder, commands), monotonic(), True
        try:
            found = step(desk)
        except Failed as error:
            found, done = f"failed: {error}", False
        print(f"{evening.game:<14}{evening.language:<12}{name:<23}{monotonic() - begun:>8.1f}  {found}")
        print(*(f"{'':<26}$ {line}" for line in desk.said), sep="\n", flush=True)
        if not done:
            return False
    return True


def main() -> None:
    """Print the table."""
    words = parser(__doc__)
    words.add_argument("--game", choices=[evening.game for evening in EVENINGS], help="one of the three games alone")
    words.add_argument("-n", type=positive, default=120, dest="matches", help="matches of a run, 40 at least")
    words.add_argument("--within", default="60s", metavar="TIME", help="time of a review")
    asked = words.parse_args()
    with TemporaryDirectory() as name:
        commands = installed(Path(name))
        print(f"{'game':<14}{'language':<12}{'step':<23}{'seconds':>8}  found")
        chosen = [evening for evening in EVENINGS if asked.game in {None, evening.game}]
        done = [spent(each, Path(name) / each.game, commands, asked.matches, asked.within) for each in chosen]
    sys.exit(not all(done))


if __name__ == "__main__":
    main()
