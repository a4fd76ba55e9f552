"""Results as the report of a step in CI: of a run, or a failure. Knows no file of the step."""

from collections.abc import Sequence
from pathlib import Path

from arena.errors import NotReadyError
from arena.escape import markdown, plain
from arena.report.ci import Annotation, Case, StepReport, fenced
from arena.report.document import Document
from arena.report.headline import headline_of_tables
from arena.report.render import combined_section
from arena.tournament.standings import Standings, combined

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
