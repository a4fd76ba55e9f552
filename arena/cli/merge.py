"""``arena merge``: joins shards of a run that were played in different places."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from arena.cli.options import PlainOutputOptions, grouped, option
from arena.errors import UsageError
from arena.files import kind
from arena.terminal import print_result, remark
from arena.tournament.folder import RunFolder
from arena.tournament.merge import NEW, find_all, find_sound, group_by_game
from arena.tournament.merge import merge as join
from arena.tournament.standings import render_boards, write_standings


@grouped
def merge(
    runs: Annotated[
        list[Path], option("RUN...: Shards of one run, and its plan: without the plan the run cannot be verified.")
    ],
    out: Annotated[Path, option("-o --out DIR: A new folder for the whole run.")],
    output: PlainOutputOptions,
    keep_going: Annotated[
        bool, option("--keep-going: Leave out damaged runs, but never the first one, instead of giving up.")
    ] = False,
) -> None:
    """Join the parts of a run, and print its leaderboard.

    A match that several hold counts once; two that contradict each other are named (exit 4), and nothing is written.

    Example: arena merge plan part-1 part-2 --out results/whole
    """
    if (file_kind := kind(out)) not in {"none", "a folder"}:
        raise UsageError(f"expected a new folder, got {out}, which is {file_kind}", option="out")
    if any(path.name != NEW for path in out.rglob("*") if not path.is_dir()):
        raise UsageError(f"expected a new folder, got {out}, which holds something", option="out")
    by_name = group_by_game(find_sound(runs, remark) if keep_going else find_all(runs))
    with ExitStack() as stack:
        joined = [
            (out / name, stack.enter_context(join(parts, RunFolder(out / name)))) for name, parts in by_name.items()
        ]
        # all games were accepted: now they are written
        written = [(path, write()) for path, write in joined]
    boards = []
    for path, merged in written:
        boards.append(write_standings(RunFolder(path)))
        remark(f"arena: {path}: {merged}", quiet=output.quiet)
    print_result(render_boards(boards, output.form), form=output.form)
