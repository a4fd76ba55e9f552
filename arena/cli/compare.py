"""``arena compare``: whether a new version of a bot plays better than the old one, held against a field."""

from typing import Annotated

import typer

from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.github import annotate, put, summarise
from arena.cli.groups import grouped, spec_from
from arena.cli.options import CompareGates, Format, Output, Played, Verbose, all_games
from arena.cli.playing import play_all, say_lanes, say_voids
from arena.errors import UsageError
from arena.game import Game
from arena.library.comparison import contest_between, nothing_new, pair_of, ready, verdict
from arena.library.session import Session
from arena.report.comparison import Comparison, render_comparison
from arena.tournament.spec import RunSpec, find_game


@grouped
def compare(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The bot as it is now.", show_default=False)],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot as it was.", show_default=False)],
    played: Played,
    gates: CompareGates,
    output: Output,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            envvar="ARENA_BOTS",
            help="Whom they play. None: the shipped bots. One: it and them.",
            show_default=False,
        ),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Say whether a new version of a bot plays better, by matches of it and the old one against a field.

    Exit 1 if it is certainly worse, certainly faults more often, or cannot start where the old one could.

    Example: arena compare "mine=python3 mine.py" random -g dockfight -n 12
    """
    spec = spec_from(played, **played.texts)
    game = _game(spec)
    pair = pair_of(new, old, game)
    if pair.same():
        _tell(nothing_new(pair, game), output.form, github=gates.github)
        return
    contest = contest_between(pair, spec, game, bots or [], output.say)
    with Session(spec, [contest], contest.folder.path, output.say) as session:
        found = ready(session, pair, output.say)
        if found is None:
            (board,) = play_all(session, quiet=output.quiet)
            say_lanes(session, quiet=output.quiet, verbose=verbose)
            found = verdict(contest, board, pair)
    _tell(found, output.form, github=gates.github)
    _leave(found, session.voids, decide=gates.decide)


def _leave(found: Comparison, voids: int, *, decide: bool) -> None:
    """Leave with the exit code of what was found."""
    if found.verdict == "worse":
        raise typer.Exit(1)
    say_voids(voids)
    if voids:
        raise typer.Exit(TROUBLE)
    if decide and found.verdict == "undecided":
        raise typer.Exit(UNDECIDED)


def _game(spec: RunSpec) -> Game:
    if len(spec.games) != 1 or spec.games[0] == "all":
        known = "" if spec.games else f" of {', '.join(all_games())}"
        raise UsageError(f"expected one game{known}, got {', '.join(spec.games) or 'none'}", option="games")
    return find_game(spec.games[0])


def _tell(found: Comparison, form: Format, *, github: bool) -> None:
    typer.echo(render_comparison(found, form.value), nl=False)
    if not github:
        return
    passed = found.verdict != "worse"
    annotate("notice" if passed else "error", found.why, title=f"{found.new} at {found.game}: {found.verdict}")
    summarise(render_comparison(found, "markdown"))
    numbers = {"difference": found.difference, "low": found.low, "high": found.high}
    put(
        {"verdict": found.verdict}
        | {name: "" if value is None else value for name, value in numbers.items()}
        | {"run": found.run, "matches": found.matches, "voids": found.void}
    )
