"""``arena compare``: whether a new version of a bot plays better than the old one, held against a field."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated

import typer

from arena.cli.ci import tell
from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.gates import CompareOptions
from arena.cli.groups import grouped, spec_from
from arena.cli.options import PlayOptions, all_games
from arena.cli.output import OutputOptions
from arena.cli.playing import say_lanes, say_voids, say_where, told_how_to_resume
from arena.errors import UsageError
from arena.game import Game
from arena.library.comparison import comparison
from arena.library.session import Session
from arena.library.steps import of_comparison
from arena.report.verdict import Comparison, render_comparison
from arena.terminal.progress import Silent, watcher
from arena.tournament.spec import RunSpec, find_game

More = Annotated[
    bool, typer.Option("-v", "--verbose", help="Also tell luck, mu and who was ahead; say more on stderr.")
]


@grouped
def compare(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version of the bot.", show_default=False)],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old version of the bot.", show_default=False)],
    played: PlayOptions,
    gates: CompareOptions,
    output: OutputOptions,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            envvar="ARENA_BOTS",
            help="The opponents; BOT*3 enters three copies. None: copies of OLD and the best shipped bots. One: this "
            "bot and those.",
            show_default=False,
        ),
    ] = None,
    verbose: More = False,
) -> None:
    """Say whether a new version of a bot plays better: both versions play matches against other bots.

    Exit 1 if it is certainly worse, certainly faults more often, cannot start where the old one could, or fails a gate.

    Example: arena compare "mine=python3 mine.py" random -g dockfight -n 12
    """
    spec = spec_from(played, **played.texts)
    question = gates.question
    found = comparison(
        new,
        old,
        _game(spec),
        bots or [],
        spec,
        question=question,
        say=output.say,
        playing=partial(_followed, quiet=output.quiet, verbose=verbose),
    )
    typer.echo(render_comparison(found, output.form.value, verbose=verbose), nl=False)
    if gates.github:
        tell(of_comparison(found))
    _leave(found, decide=question.until)


@contextmanager
def _followed(session: Session, *, quiet: bool, verbose: bool) -> Iterator[Silent]:
    """Show how the matches go, and then where the results are."""
    (contest,) = session.contests
    seen = watcher(quiet=quiet)
    with told_how_to_resume(contest.folder, session.root):
        try:
            yield seen
        finally:
            seen.end()
    say_where(contest.folder, contest.folder.manifest(), quiet=quiet)
    say_voids(contest.folder, contest.ended.voids if contest.ended is not None else 0)
    say_lanes(session, quiet=quiet, verbose=verbose)


def _leave(found: Comparison, *, decide: bool) -> None:
    """Leave with the exit code of what was found."""
    if found.verdict == "worse" or found.passed is False:
        raise typer.Exit(1)
    if found.void:
        raise typer.Exit(TROUBLE)
    if decide and found.open:
        raise typer.Exit(UNDECIDED)


def _game(spec: RunSpec) -> Game:
    if len(spec.games) != 1 or spec.games[0] == "all":
        known = "" if spec.games else f" of {', '.join(all_games())}"
        raise UsageError(f"expected one game{known}, got {', '.join(spec.games) or 'none'}", option="games")
    return find_game(spec.games[0])
