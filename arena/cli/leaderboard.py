"""``arena leaderboard``: the table of one run or several, derived from the journals."""

from pathlib import Path
from typing import Annotated

from arena.cli.options import PlainOutputOptions, Rounds, grouped, option, verbose_option
from arena.terminal import print_result
from arena.tournament.folder import RunFolder
from arena.tournament.standings import check_entrants, compute_standings, render_boards


@grouped
def leaderboard(
    runs: Annotated[list[Path], option("[RUN]...: Results folders. Default: the newest.")],
    output: PlainOutputOptions,
    past: Annotated[bool, option("--past: Also show entrants that no longer take part.")] = False,
    without: Annotated[
        list[str] | None,
        option("--without NAME: Do not count the matches of this bot, such as one that cheated; may be repeated."),
    ] = None,
    rounds: Rounds = False,
    verbose: Annotated[bool, verbose_option("Also print sigma, and all notes of the table.")] = False,
) -> None:
    """Print the leaderboard of a run; of several runs, also a combined table.

    The run may be unfinished: then the table is provisional.

    Example: arena leaderboard results/demo --format markdown
    """
    folders, without = [RunFolder(run) for run in runs], without or []
    check_entrants(folders, without)
    boards = [compute_standings(folder, with_past=past, without=without, tables=len(folders)) for folder in folders]
    print_result(render_boards(boards, output.form, verbose=verbose, rounds=rounds), form=output.form)
