"""``arena compare``: whether a new version of a bot plays better than the old one, held against a field."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated

import typer

from arena.cli.ci import GitHub
from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.options import SANDBOX, OneGame, OutputOptions, Takes, grouped, of_setting, option, verbose_option
from arena.leagues.regression import compare_versions
from arena.report.verdict import Comparison, Question, of_comparison, render_comparison
from arena.terminal import print_result
from arena.terminal.playing import say_lanes, say_voids, say_where, watched
from arena.terminal.progress import Silent
from arena.tournament.open_run import OpenRun
from arena.tournament.settings import RunSpec
from arena.tournament.spec import chosen_games
from arena.tournament.steps import tell

_TAKES = f"games variants seats matches move_time start_time bank budget limits max_faults {SANDBOX} out seed lanes"
_UNTIL = option(
    "--until WHAT: decided: is NEW better or worse? equal=M: or equal within a score of M? sprt=A,B: a gate, is its "
    "score above A (exit 0) or below B (exit 1)? These play until it is found, at most -n matches (4000), then exit 6. "
    "never: play all -n matches. Behind it ,alpha=0.01: how often the answer may be wrong (0.05).",
    rich_help_panel="What is asked",
)
More = Annotated[bool, verbose_option("Also tell mu and who was ahead; say more on stderr.")]


@grouped
def compare(
    new: Annotated[str, option("NEW: The new version of the bot.")],
    old: Annotated[str, option("OLD: The old version; @COMMIT: NEW as git has it there.")],
    spec: Annotated[RunSpec, Takes(_TAKES)],
    output: OutputOptions,
    bots: Annotated[
        list[str] | None,
        of_setting(
            "bots",
            "[BOT]...: The opponents; BOT*3 enters three copies. None: copies of OLD and the best shipped bots. One: "
            "this bot and those.",
        ),
    ] = None,
    until: Annotated[str, _UNTIL] = "never",
    games: OneGame = None,
    github: GitHub = False,
    verbose: More = False,
) -> None:
    """Say whether a new version of a bot plays better: both versions play matches against other bots.

    Exit 1 if it is certainly worse, certainly faults more often, cannot start where the old one could, or fails a gate.

    Example: arena compare "mine=python3 mine.py" random -g dockfight -n 12
    """
    question = Question.read(until)
    compared = compare_versions(
        new,
        old=old,
        game=chosen_games(games or [], [new], single=True)[0],
        bots=bots or [],
        spec=spec,
        question=question,
        say=output.say,
        playing=partial(_followed, quiet=output.quiet, verbose=verbose),
    )
    print_result(render_comparison(compared, output.form, verbose=verbose), form=output.form)
    if github:
        tell(of_comparison(compared))
    _exit_by_verdict(compared, decide=question.until)


@contextmanager
def _followed(session: OpenRun, *, quiet: bool, verbose: bool) -> Iterator[Silent]:
    (run,) = session.ready
    with watched(run.contest, session.root, quiet=quiet) as progress:
        yield progress
    say_where(run.folder, quiet=quiet)
    say_voids(run.folder, run.voids)
    say_lanes(session, quiet=quiet, verbose=verbose)


def _exit_by_verdict(compared: Comparison, *, decide: bool) -> None:
    if compared.verdict == "worse" or compared.passed is False:
        raise typer.Exit(1)
    if compared.void:
        raise typer.Exit(TROUBLE)
    if decide and compared.open:
        raise typer.Exit(UNDECIDED)
