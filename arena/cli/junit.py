"""``--junit-xml``: what a command has found, as test cases in a file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import NotReadyError, UsageError
from arena.library.standings import Board
from arena.report.junit import Case, junit


def _open(context: typer.Context, value: Path | None) -> Path | None:
    if value is not None and not context.resilient_parsing:
        if value.is_dir() or not value.absolute().parent.is_dir():
            raise UsageError(f"expected a file in a folder that is there, got {value}", option="junit_xml")
        context.with_resource(_also_unready(value, str(context.command_path)))
    return value


JUnitFile = Annotated[
    Path | None,
    typer.Option(
        "--junit-xml",
        metavar="FILE",
        help="Write the result as JUnit XML too, a test case a bot or a sentence.",
        callback=_open,
        show_default=False,
    ),
]


@contextmanager
def _also_unready(path: Path, name: str) -> Iterator[None]:
    """Bots that cannot start are failed cases as well."""
    try:
        yield
    except NotReadyError as error:
        write_cases(
            path,
            name,
            [
                Case(group="start", name=bot, failed="cannot start", kind="unready", more=why)
                for bot, why in error.bots.items()
            ],
        )
        raise


def cases(boards: Sequence[Board]) -> list[Case]:
    """Every bot of each game: it has failed if it faulted or was withdrawn."""
    found: list[Case] = []
    for board in boards:
        blamed = board.blamed()
        for bot in [*(row.bot for row in board.leaderboard.leaderboard), *blamed]:
            if not any((case.group, case.name) == (board.leaderboard.game, bot) for case in found):
                kind = blamed.get(bot, "").partition(":")[0]
                found.append(Case(group=board.leaderboard.game, name=bot, failed=blamed.get(bot, ""), kind=kind))
    return found


def write_cases(path: Path, name: str, found: Sequence[Case], seconds: float = 0.0) -> None:
    """Write the file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.write_bytes(junit(name, found, seconds))
    except OSError as error:
        raise UsageError(
            f"expected a file that can be written, got {path}: {error.strerror}", option="junit_xml"
        ) from error
