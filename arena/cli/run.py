"""``arena run``: play a tournament and print its leaderboard."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli.ci import GateOptions
from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.options import ALL, ANCHORS, OutputOptions, Rounds, Takes, Verbose, all_games, grouped, option
from arena.errors import BOT_SEPARATOR, NotReadyError, UsageError
from arena.players.launch import Launch
from arena.terminal import print_result, remark
from arena.terminal.playing import play_all, say_lanes
from arena.tournament.decision import Decision
from arena.tournament.open_run import OpenRun
from arena.tournament.planning import check_not_extended, check_plannable, contests_of, write_plan
from arena.tournament.settings import RunSpec, collect_settings, seconds_within
from arena.tournament.standings import Standings, render_boards
from arena.tournament.steps import cases_of, of_run, tell, write_cases

_DRY_RUN = option(
    "--dry-run: Only print how many matches, how long, how even, and the time of each format; with --out, also write "
    "the plan.",
    rich_help_panel="Sharing",
)
_DASK = option("--dask ADDRESS: Short for --executor dask=ADDRESS.", rich_help_panel="Sharing")


@dataclass(frozen=True, kw_only=True)
class RunGates(GateOptions):
    """A gate for all that may go wrong in a run."""

    strict: Annotated[bool, option("--strict: Exit 1 if a bot faulted or was withdrawn, or a match is void.")] = False


@grouped
def run(
    context: typer.Context,
    spec: Annotated[RunSpec, Takes(ALL.replace("plan", "dry_run plan").replace("executor", "executor dask"))],
    gates: RunGates,
    output: OutputOptions,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    dask: Annotated[str | None, _DASK] = None,
    rounds: Rounds = False,
    verbose: Verbose = False,
) -> None:
    """Play a tournament and print its leaderboard.

    Example: arena run --game cash-a-catch greedy "mine=python3 mine.py" -n 60
    """
    if spec.plan is not None:
        _alone(context)
    if "all" in spec.games:
        all_games(quiet=output.quiet)
    bots = spec.bots if spec.plan is None or _typed(context, "bots") else ()
    anchors = context.meta.get(ANCHORS, list)
    with _with_dask(spec, dask) as settings:
        root, contests = contests_of(
            settings, bots, output.say, defaults=lambda: [*settings.bots, *anchors()], planning=dry_run
        )
        keeps = not dry_run or _typed(context, "out")
        check_plannable(contests if dry_run and keeps else [])
        with OpenRun(settings, contests, root, output.say) as session:
            # every mistake is found before the first match of the first game
            decisions = session.resume() if keeps else [contest.decide() for contest in contests]
            if dry_run and keeps:
                check_not_extended(contests, decisions)
            _start(session, decisions)
            if dry_run:
                _estimate(session, output, keeps=keeps)
                return
            boards = play_all(session, quiet=output.quiet)
            say_lanes(session, quiet=output.quiet, verbose=verbose)
    print_result(render_boards(boards, output.form, verbose=verbose, rounds=rounds), form=output.form)
    _exit_by_gates(session, boards, gates)


@contextmanager
def _with_dask(spec: RunSpec, dask: str | None) -> Iterator[RunSpec]:
    """The spec with --dask as its executor, if that is given; complaints about the executor then name --dask."""
    if dask is None:
        yield spec
        return
    if spec.executor is not None:
        raise UsageError(f"expected --executor or --dask, got both: {spec.executor!r} and {dask!r}")
    if not dask:
        raise UsageError(f"expected ADDRESS, got {dask!r}", option="dask")
    try:
        yield replace(spec, executor=f"dask={dask}")
    except UsageError as error:
        if error.option != "executor":
            raise
        raise UsageError(error.text, option="dask") from None


def _debugging(bot: str, *, free: bool) -> Callable[[Mapping[str, Launch]], dict[str, Launch]]:
    from arena.terminal.debugging import debug_launches  # noqa: PLC0415 - few runs debug a bot

    return partial(debug_launches, debug=bot, free=free)


def _start(session: OpenRun, decisions: Sequence[Decision]) -> None:
    """Start the bots; if some cannot start, and enough others may, say how to play without them."""
    debug = session.spec.debug
    try:
        # unless a level was asked for by name, the bot that is shown plays outside of any sandbox
        session.start(decisions, dict if debug is None else _debugging(debug, free=session.spec.isolation == "auto"))
    except NotReadyError as error:
        able = min(len(contest.bots) for contest in session.contests) - len(error.bots)
        words = [] if session.spec.keep_going else ["--keep-going"]
        words += [f"--seats {able}"] if able < max(max(contest.settings.seats) for contest in session.contests) else []
        cure = f"{' '.join(words)} plays without bots that cannot start"
        if able < max(contest.game.seats.start for contest in session.contests):
            cure = "more bots are needed, or copies such as greedy*2" if session.spec.keep_going else ""
        if not cure:
            raise
        between = "; " if session.spec.keep_going else BOT_SEPARATOR
        raise NotReadyError(f"{error}{between}{cure}", error.bots) from error


def _estimate(session: OpenRun, output: OutputOptions, *, keeps: bool) -> None:
    """Print what is to be played; with ``keeps`` write the plan down, else tell of other formats too."""
    from arena.tournament.estimate import estimates  # noqa: PLC0415 - few runs ask for it

    within = seconds_within(session.spec.within) if session.spec.within is not None else None
    plan = estimates(session, output.say, within=within, formats=not keeps)
    typer.echo(plan.written(output.form), nl=False)
    for run in session.ready if keeps else []:
        remark(write_plan(run), quiet=output.quiet)


def _exit_by_gates(session: OpenRun, boards: Sequence[Standings], gates: RunGates) -> None:
    voids = session.voids
    if gates.junit_xml is not None:
        cases = [case for board in boards for case in cases_of(board)]
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


def _alone(context: typer.Context) -> None:
    """Refuse options whose values the plan has settled."""
    for name in [*(name for name, setting in collect_settings().items() if setting.planned), "dry_run"]:
        if _typed(context, name):
            raise UsageError("expected it from the plan, got it beside --plan", option=name)


def _typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
