"""``arena merge``: joins shards of a run that were played in different places."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from arena.cli.options import PlainOutputOptions, grouped, option
from arena.errors import DamagedError, UsageError, words_of
from arena.files import kind
from arena.terminal import print_result, remark
from arena.tournament.folder import RunFolder
from arena.tournament.merge import NEW, check_sound
from arena.tournament.merge import merge as join
from arena.tournament.run import find_runs
from arena.tournament.standings import render_boards, write_standings

_DAMAGE = (UsageError, DamagedError, OSError)
"""What goes wrong with files that are missing, damaged or cannot be read."""


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
    by_game = _by_game(_sound(runs) if keep_going else _all(runs))
    with ExitStack() as stack:
        joined = [
            (out / name, stack.enter_context(join(parts, RunFolder(out / name)))) for name, parts in by_game.items()
        ]
        # all games were accepted: now they are written
        written = [(path, write()) for path, write in joined]
    boards = []
    for path, merged in written:
        boards.append(write_standings(RunFolder(path)))
        remark(f"arena: {path}: {merged}", quiet=output.quiet)
    print_result(render_boards(boards, output.form), output.form)


def _by_game(runs: Iterable[tuple[str, RunFolder]]) -> Mapping[str, list[RunFolder]]:
    """The runs to join, by name: where folders hold runs of several games, the name is that of the game."""
    by_game: dict[str, list[RunFolder]] = {}
    for name, folder in runs:
        by_game.setdefault(name, []).append(folder)
    if "" in by_game and len(by_game) > 1:
        others = ", ".join(name for name in by_game if name)
        raise UsageError(f"expected runs, or folders of runs, got {by_game[''][0].path} beside folders with {others}")
    return by_game


def _all(runs: Iterable[Path]) -> Iterator[tuple[str, RunFolder]]:
    for run in runs:
        yield from find_runs(run).items()


def _sound(runs: Sequence[Path]) -> Iterator[tuple[str, RunFolder]]:
    """Each run that can be read from end to end, and its name; of the others it is said why they are left out.

    All of the first folder has to be sound: it is the plan, which has the secret, or the results so far.

    Raises:
        UsageError, DamagedError, OSError: a folder is not there, or the first one is damaged.
    """
    plan, *shards = runs
    yield from _all([plan])
    for shard in shards:
        try:
            inside = find_runs(shard)
        except _DAMAGE as error:
            if not shard.is_dir():
                raise
            _tell_left_out(shard, error)
            continue
        for name, folder in inside.items():
            try:
                check_sound(folder)
            except _DAMAGE as error:
                _tell_left_out(folder.path, error)
            else:
                yield name, folder


def _tell_left_out(path: Path, error: Exception) -> None:
    """Say what is not merged, also where it is to be quiet: matches are missing."""
    words = words_of(error)
    remark(f"arena: left out: {words if words.startswith(str(path)) else f'{path}: {words}'}")
