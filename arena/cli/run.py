"""``arena run``: play a tournament and print its leaderboard."""

from collections.abc import Sequence
from typing import Annotated

import typer

from arena.cli.ci import tell, write_cases
from arena.cli.config import ANCHORS
from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.gates import RunGates, StopOptions
from arena.cli.groups import grouped, spec_from
from arena.cli.options import PlayOptions, ScheduleOptions, SharingOptions, StartOptions, all_games
from arena.cli.output import OutputOptions, Verbose
from arena.cli.playing import play_all, say_lanes
from arena.errors import EACH, NotReadyError, UsageError
from arena.library.estimates import estimates
from arena.library.session import Session
from arena.library.standings import Standings, render_boards
from arena.library.steps import of_run
from arena.terminal.debug import shown
from arena.terminal.remarks import remark
from arena.tournament.planning import contests_of, see_plannable, write_plan
from arena.tournament.spec import seconds_within

_PLANNED = (
    *("games", "variants", "seats", "schedule", "until", "margin", "alpha", "matches", "seed"),
    *("move_time", "start_time", "bank", "budget", "limits", "max_faults", "dry_run"),
)
"""What a plan has settled."""

Bots = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[BOT]...",
        envvar="ARENA_BOTS",
        help="Shipped bot, folder with a bot.toml, or NAME=COMMAND LINE; NAME=BOT renames a bot, BOT*3 enters three "
        "copies. None: the shipped bots. One: this bot and the shipped ones.",
        show_default=False,
    ),
]


@grouped
def run(
    context: typer.Context,
    played: PlayOptions,
    paired: ScheduleOptions,
    starting: StartOptions,
    sharing: SharingOptions,
    stopping: StopOptions,
    gates: RunGates,
    output: OutputOptions,
    bots: Bots = None,
    verbose: Verbose = False,
) -> None:
    """Play a tournament and print its leaderboard.

    Example: arena run --game cash-a-catch greedy "mine=python3 mine.py" -n 60
    """
    spec = spec_from(played, paired, starting, sharing, stopping, **played.texts, executor=sharing.workers)
    if spec.plan is not None:
        _alone(context)
    if "all" in spec.games:
        all_games(quiet=output.quiet)
    entered = bots if bots and (spec.plan is None or _typed(context, "bots")) else []
    root, contests = contests_of(
        spec, entered, output.say, known=lambda: _known(context, bots), planning=sharing.dry_run
    )
    keeps = not sharing.dry_run or _typed(context, "out")
    see_plannable(contests if sharing.dry_run and keeps else [])
    with sharing.own_words(), Session(spec, contests, root, output.say) as session:
        if keeps:
            # every mistake is found before the first match of the first game
            session.resume()
        _start(session)
        if sharing.dry_run:
            _estimate(session, output, seconds_within(stopping.within), keeps=keeps)
            return
        _show(session)
        boards = play_all(session, quiet=output.quiet)
        say_lanes(session, quiet=output.quiet, verbose=verbose)
    typer.echo(render_boards(boards, output.form.value), nl=False)
    _leave(session, boards, gates)


def _start(session: Session) -> None:
    """Start the bots; if some cannot start, and enough others may, say how to play without them."""
    try:
        session.start()
    except NotReadyError as error:
        left = min(len(contest.bots) - len(error.bots) - max(contest.settings.seats) for contest in session.contests)
        if session.spec.keep_going or left < 0:
            raise
        raise NotReadyError(f"{error}{EACH}--keep-going plays without bots that cannot start", error.bots) from error


def _show(session: Session) -> None:
    """Have all of the debugged bot shown; unless a level was asked for by name, it plays outside of any sandbox."""
    debug = session.spec.debug
    for contest in session.contests if debug else ():
        contest.launches = shown(contest.launches, str(debug), free=session.spec.isolation == "auto")


def _estimate(session: Session, output: OutputOptions, within: float | None, *, keeps: bool) -> None:
    """Print what is to be played; with ``keeps`` write the plan down, else tell of other formats too."""
    typer.echo(estimates(session, output.form.value, output.say, within=within, formats=not keeps), nl=False)
    for contest in session.contests if keeps else []:
        remark(write_plan(contest), quiet=output.quiet)


def _leave(session: Session, boards: Sequence[Standings], gates: RunGates) -> None:
    """Tell CI of a finished run, and leave with its exit code."""
    voids = session.voids
    if gates.junit_xml is not None:
        cases = [case for board in boards for case in board.cases()]
        write_cases(gates.junit_xml, "arena run", cases, sum(board.leaderboard.seconds for board in boards))
    if gates.github:
        tell(of_run(boards, session.root, voids, strict=gates.strict))
    if gates.strict and (voids or any(board.blamed() for board in boards)):
        raise typer.Exit(1)
    if voids:
        raise typer.Exit(TROUBLE)
    if open_still := [board.leaderboard.game for board in boards if board.undecided]:
        remark(f"arena: not decided: {', '.join(open_still)}; the same command with a greater -n plays more")
        raise typer.Exit(UNDECIDED)


def _known(context: typer.Context, bots: Sequence[str] | None) -> list[str]:
    """The bots and anchors of the settings."""
    return [*(bots or []), *context.meta.get(ANCHORS, list)()]


def _alone(context: typer.Context) -> None:
    """Refuse options whose values the plan has settled."""
    for name in _PLANNED:
        if _typed(context, name):
            raise UsageError("expected it from the plan, got it beside --plan", option=name)


def _typed(context: typer.Context, name: str) -> bool:
    """Whether a parameter was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
