"""Results as the report of a step in CI: of a run, or a failure; and the files where CI looks for it."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

from arena.errors import NotReadyError, UsageError
from arena.escape import markdown, plain
from arena.players.botfile import BOT_FILE
from arena.report.ci import SUMMARY, Annotation, Case, StepReport, annotation, fenced, junit, output, summary
from arena.report.document import Document
from arena.report.headline import headline_of_tables
from arena.report.render import combined_section
from arena.tournament.standings import Standings, combined

STEP = _SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
"""The variables of a step of GitHub Actions that name its files."""
_MOST = 10
"""GitHub shows no more annotations of one kind from a step."""
_HEADLINE = 400


def cases_of(board: Standings) -> list[Case]:
    """Each bot as a test case: it has failed if it faulted or was withdrawn."""
    blamed, game = board.blamed(), board.leaderboard.game
    return [
        Case(group=game, name=bot, failed=why, kind=why.partition(":")[0])
        for bot in dict.fromkeys([*(row.bot for row in board.leaderboard.leaderboard), *blamed])
        for why in [blamed.get(bot, "")]
    ]


def of_run(boards: Sequence[Standings], root: Path, voids: int, *, strict: bool) -> StepReport:
    """The leaderboards of a run, the bots that faulted or were withdrawn, and the leader."""
    annotations = tuple(
        Annotation(
            level="error" if strict else "warning",
            title=f"{bot} at {board.leaderboard.game}",
            text=why,
            bot=next((entrant.entered for entrant in board.entrants if entrant.name == bot), ""),
        )
        for board in boards
        for bot, why in board.blamed().items()
    )
    tables = [board.leaderboard for board in boards]
    head = f"## {markdown(plain(headline_of_tables(tables), _HEADLINE))}\n"
    parts = [head, *[f"### {markdown(board.leaderboard.game)}\n\n{board.markdown()}" for board in boards]]
    leaders = [row.bot for row in boards[0].leaderboard.leaderboard if row.rank == 1]
    if len(boards) > 1:
        totals = combined(boards)
        leaders = [standing.bot for standing in totals if standing.share == totals[0].share]
        table = Document(sections=[combined_section(totals, boards=tables)])
        parts.append(f"### All games\n\n{table.written('markdown')}")
    outputs = {
        "verdict": "failed" if strict and (voids or annotations) else "played",
        "run": root,
        "leader": ", ".join(leaders),
        "matches": sum(board.leaderboard.matches for board in boards),
        "voids": voids,
    }
    return StepReport(summary="\n".join(parts), outputs=outputs, annotations=annotations)


def of_failure(*, command: str, error: Exception, text: str) -> StepReport:
    """A failure that ended a command, with its ``text``."""
    reasons = list(error.bots.values()) if isinstance(error, NotReadyError) else [text]
    return StepReport(
        summary=f"### {command} failed\n\n{fenced(text)}",
        outputs={"verdict": "failed"},
        annotations=tuple(Annotation(level="error", title=command, text=why) for why in reasons),
    )


def write_cases(path: Path, name: str, cases: Sequence[Case], seconds: float = 0.0) -> None:
    """Write test cases to a file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_bytes(junit(name, cases, seconds))
    except OSError as error:
        raise UsageError(
            f"expected a file that can be written, got {path}: {error.strerror}", option="junit_xml"
        ) from error


def tell(step: StepReport) -> None:
    """Tell the step that this command runs in.

    Annotations go to standard error, where GitHub looks for them as well: standard output is for data. The summary is
    cut where there is no more room.

    Raises:
        UsageError: a file of the step cannot be written.
    """
    for note in step.annotations[:_MOST]:
        line = annotation(note.level, note.text, title=note.title, file=place_of(note.bot) if note.bot else None)
        sys.stderr.write(f"{line}\n")
    path = Path(os.environ[_SUMMARY])
    used = path.stat().st_size if path.is_file() else 0
    _append(_SUMMARY, summary(f"{step.summary}\n", SUMMARY - used))
    outputs = (output(name, value=str(value), delimiter=f"end-{token_hex(16)}") for name, value in step.outputs.items())
    _append(_OUTPUT, "".join(outputs))


def _append(name: str, text: str) -> None:
    try:
        with Path(os.environ[name]).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            f"{name}: expected a file that can be written, got {os.environ[name]}: {error.strerror}"
        ) from error


def place_of(folder: str) -> str | None:
    """The bot file in a folder, as it is called in the repository that is worked on; None if it is not in there."""
    file = Path(folder, BOT_FILE).resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return str(file.relative_to(root)) if file.is_file() and file.is_relative_to(root) else None
