"""``arena compare``: whether a new version of a bot plays better than the old one, held against a field."""

from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli.ci import tell
from arena.cli.failure import TROUBLE, UNDECIDED
from arena.cli.gates import CompareGates
from arena.cli.groups import grouped, spec_from
from arena.cli.options import Format, Output, PlayOptions, Verbose, all_games
from arena.cli.playing import say_lanes, say_voids, say_where, told_how_to_resume
from arena.errors import UsageError
from arena.game import Game
from arena.library.comparison import (
    MOST,
    Versions,
    contest_between,
    nothing_new,
    pair_of,
    play,
    ready,
    verdict,
)
from arena.library.session import Session
from arena.library.standings import Standings
from arena.library.steps import of_comparison
from arena.report.comparison import Comparison, Question, render_comparison
from arena.terminal.progress import watcher
from arena.tournament.spec import RunSpec, find_game


@grouped
def compare(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version of the bot.", show_default=False)],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old version of the bot.", show_default=False)],
    played: PlayOptions,
    gates: CompareGates,
    output: Output,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BOT]...",
            envvar="ARENA_BOTS",
            help="The opponents. None: the shipped bots. One: this bot and the shipped ones.",
            show_default=False,
        ),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Say whether a new version of a bot plays better: both versions play matches against other bots.

    Exit 1 if it is certainly worse, certainly faults more often, cannot start where the old one could, or fails --sprt.

    Example: arena compare "mine=python3 mine.py" random -g dockfight -n 12
    """
    question = gates.question
    spec = _spec(played, question)
    game = _game(spec)
    pair = pair_of(new, old, game)
    if pair.same():
        _print(nothing_new(pair, game), output.form, github=gates.github)
        return
    contest = contest_between(pair, spec, game, bots or [], output.say)
    with Session(spec, [contest], contest.folder.path, output.say) as session:
        found = ready(session, pair, question, output.say)
        if found is None:
            board = _played(session, pair, question, quiet=output.quiet)
            say_lanes(session, quiet=output.quiet, verbose=verbose)
            found = verdict(contest, board, pair, question)
    _print(found, output.form, github=gates.github)
    _leave(found, session.voids, decide=gates.decide or question.sequential)


def _spec(played: PlayOptions, question: Question) -> RunSpec:
    """What is asked for; a question that ends by itself gets as many matches as it may need."""
    spec = spec_from(played, **played.texts)
    return replace(spec, matches=MOST) if question.sequential and spec.matches is None else spec


def _played(session: Session, pair: Versions, question: Question, *, quiet: bool) -> Standings:
    """Play to the last match, or until the question is answered."""
    (contest,) = session.contests
    seen = watcher(quiet=quiet)
    with told_how_to_resume(contest.folder, session.root):
        try:
            board = play(session, pair, question, seen)
        finally:
            seen.end()
    say_where(contest.folder, contest.folder.manifest(), quiet=quiet)
    return board


def _leave(found: Comparison, voids: int, *, decide: bool) -> None:
    """Leave with the exit code of what was found."""
    if found.verdict == "worse" or found.passed is False:
        raise typer.Exit(1)
    say_voids(voids)
    if voids:
        raise typer.Exit(TROUBLE)
    answered = found.passed is not None if found.sprt else found.verdict != "undecided"
    # what was not played needs no answer
    if decide and found.matches and not answered:
        raise typer.Exit(UNDECIDED)


def _game(spec: RunSpec) -> Game:
    if len(spec.games) != 1 or spec.games[0] == "all":
        known = "" if spec.games else f" of {', '.join(all_games())}"
        raise UsageError(f"expected one game{known}, got {', '.join(spec.games) or 'none'}", option="games")
    return find_game(spec.games[0])


def _print(found: Comparison, form: Format, *, github: bool) -> None:
    typer.echo(render_comparison(found, form.value), nl=False)
    if github:
        tell(of_comparison(found))
