"""A lab at a terminal: a line for each version, and below them one for what is being done."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from math import ceil, floor

from arena.errors import Interrupted
from arena.escape import cause_and_cure, plain
from arena.report.document import WIDTH
from arena.report.render import LeaderboardRow
from arena.report.verdict import Question, clip_score
from arena.terminal import remark
from arena.tournament.folder import RunFolder
from arena.tournament.lab import Lab, LabSpec, LabWatcher
from arena.tournament.ladder import Ladder, list_folders
from arena.tournament.settings import UNTIL_MATCHES
from arena.tournament.versions import Version
from arena.words import plural


def follow(
    request: LabSpec, say: Callable[[str], None], begin_run: Callable[[RunFolder], None], *, quiet: bool
) -> None:
    """Judge versions as they are saved, of several bots in a ladder, until Ctrl-C, which is how a lab ends."""
    lines = _Lines(request, begin_run, quiet=quiet)
    alone = [list_folders(text) for text in request.texts] == [[*request.texts]]
    lab = (Lab if alone else Ladder)(request, lines, lines.once(say))
    remark(f"lab of {', '.join(request.texts)} at {request.game.name}: {request.root}", quiet=quiet)
    try:
        lab.follow()
    except KeyboardInterrupt:
        pass
    except Interrupted as error:
        if error.number != signal.SIGINT:
            raise
    finally:
        lines.clear()
    remark("the same command goes on", quiet=quiet)


class _Lines(LabWatcher):
    def __init__(self, request: LabSpec, begin_run: Callable[[RunFolder], None], *, quiet: bool) -> None:
        self._request = request
        self._begin_run = begin_run
        self._shows = not quiet and sys.stderr.isatty()

    def begin_run(self, folder: RunFolder) -> None:
        self._begin_run(folder)

    def show(self, version: Version, doing: str) -> None:
        most = self._request.spec.matches or UNTIL_MATCHES
        score = (
            f":{_score(version)} after {version.matches} of at most {plural(most, 'match')}" if version.matches else ""
        )
        self._draw(f"v{version.number} {doing}{score}")

    def count(self, matches: int) -> None:
        self._draw(f"{plural(matches, 'match')}")

    def rank(self, rows: Sequence[LeaderboardRow], *, matches: int) -> None:
        ranks = ", ".join(f"{row.ranks} {row.bot}" for row in rows)
        self.trouble(f"after {plural(matches, 'match')}: {ranks}")

    def _draw(self, text: str) -> None:
        if self._shows:
            room = min(WIDTH, os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH)
            sys.stderr.write(f"\r\x1b[K{plain(text, max(room - 1, 4))}")
            sys.stderr.flush()

    def once(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Says each remark once, for every comparison begins with the same ones."""
        texts: set[str] = set()

        def say_new(text: str) -> None:
            if text not in texts:
                texts.add(text)
                self.clear()
                say(text)

        return say_new

    def clear(self) -> None:
        """Take the line away that is overwritten."""
        if self._shows:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, version: Version, *, again: bool) -> None:
        now = " again" if again else ""
        self.trouble(f"v{version.number}{now}: {_words(version, self._request.question)}")

    def trouble(self, text: str) -> None:
        self.clear()
        cause, semicolon, cure = text.rpartition("; ")
        cause, cure = (cause, cure) if semicolon else (text, "")
        lines = cause_and_cure(
            plain(f"{datetime.now():%H:%M} {cause}", 1000),  # noqa: DTZ005 - local time, for people
            cure=plain(cure, 1000),
            width=WIDTH,
            label="",
            indent=" " * len("00:00 "),
        )
        sys.stdout.write("\n".join([lines[0].strip(), *lines[1:]]) + "\n")
        sys.stdout.flush()


def _score(version: Version) -> str:
    """The score with its interval, outward, so that no rounding moves an end across 0; empty before the first block."""
    if version.score is None or version.low is None or version.high is None:
        return ""
    low, high = floor(100 * version.low) / 100 + 0.0, ceil(100 * version.high) / 100 + 0.0
    # an interval below 0 ends below it
    high = high or (-0.0 if version.fate == "worse" else 0.0)
    return f" {round(clip_score(version.score), 2) + 0.0:+.2f} ({low:+.2f} to {high:+.2f})"


def _words(version: Version, question: Question) -> str:
    """What became of a version, in one line."""
    score = f"{_score(version)} after {plural(version.matches, 'match')}"
    match version.fate:
        case "better" | "worse":
            return f"{version.fate} than v{version.against},{score}"
        case "equal":
            return f"no difference worth {question.margin or 0:g},{score}"
        case "open":
            return f"no difference found,{score}"
        case "left":
            return f"left for a newer one,{score}"
        case "broken":
            return f"broken: {version.why}"
        case "first":
            return "the first: later versions are compared with it"
        case _:
            return "not judged yet"
