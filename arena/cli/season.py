"""``arena season``: plays the missing matches of a league, and writes its tables, badges and history."""

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec.structs import replace

from arena.cli.failure import TROUBLE
from arena.cli.options import OptionGroup, OutputOptions, Takes, grouped, of_setting, option
from arena.errors import UsageError, nearest
from arena.escape import harmless
from arena.leagues.appeal import hear_appeal
from arena.leagues.cup import finals_to_play
from arena.leagues.league import League, contest_of, league_at
from arena.leagues.publish import publish, rulings
from arena.leagues.season import give_up_rest, lacks, stages, to_play
from arena.players.botfile import BOT_FILE, on_one_line
from arena.report.document import table
from arena.report.season import Season, render_season
from arena.terminal import remark
from arena.terminal.playing import play_out, say_voids
from arena.tournament.config import errors_in_words_of, no_bots
from arena.tournament.contest import Contest, StartedRun
from arena.tournament.open_run import OpenRun
from arena.tournament.settings import SETTINGS_FILE, LeagueSettings, RunSpec
from arena.words import plural


@dataclass(frozen=True, kw_only=True)
class SeasonOptions(OptionGroup):
    """Which parts of a season to do."""

    title = "Season"
    retry: Annotated[list[str] | None, option("--retry BOT: Try a bot on probation again; may be repeated.")] = None
    give_up: Annotated[
        bool,
        option(
            "--give-up: Give up the remaining matches of a season whose bots have changed; with --tables-only, of any "
            "season."
        ),
    ] = False
    plan_only: Annotated[
        bool, option("--plan-only: Set up the missing matches and play none; `arena run --plan` plays them.")
    ] = False
    final_only: Annotated[
        bool,
        option("--final-only: Play the final alone, if its date is over and no match is missing; write no tables."),
    ] = False
    tables_only: Annotated[
        bool, option("--tables-only: Start no bot; only write the tables again from the results.")
    ] = False
    entry: Annotated[
        str | None,
        option("--entry ACCOUNT=CHECKOUT: Play no season; say whether this merge of a pull request may be accepted."),
    ] = None
    course: Annotated[
        str | None, option("--course CSV: Play nothing; enter the students of a list, and print how each stands.")
    ] = None
    pull: Annotated[bool, option("--pull: Play nothing; pull the bots that lie in repositories of their own.")] = False
    dry_run: Annotated[
        bool,
        option(
            "--dry-run: Play nothing; print the missing matches, their time and cost, new bots, and when places settle."
        ),
    ] = False
    forget: Annotated[
        str | None, option("--forget NAME: Play nothing; remove all data of a bot, or of an owner and its bots.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class AppealOptions(OptionGroup):
    """An appeal against a match, and what the host rules."""

    title = "An appeal"
    appeal: Annotated[
        str | None,
        option("--appeal MATCH: Play nothing; write a page of this match of a finished run. Of several: RUN/MATCH."),
    ] = None
    ask: Annotated[list[str] | None, option("--ask BOT: Ask this bot again, too; may be repeated.")] = None
    ruling: Annotated[Literal["void", "stands"] | None, option("--ruling: Whether the match counts.")] = None
    reason: Annotated[str, option("--reason TEXT: Why; it is published.", show_default=False)] = ""


# settings that a league has too, and that options say here
_TAKES = "isolation build_network readable"


@grouped
def season(
    what: SeasonOptions,
    against: AppealOptions,
    overrides: Annotated[RunSpec, Takes(_TAKES)],
    output: OutputOptions,
    lanes: Annotated[int | None, of_setting("lanes")] = None,
) -> None:
    """Play the missing matches of a league's new or changed bots, and write its leaderboard.

    A bot that cannot start is on probation, and does not stop the others.

    Example: arena season --retry minnow
    """
    but = _TAKES.split()
    given = what.tables_only or what.final_only or what.pull or against.appeal or what.forget is not None
    read = partial(league_at, output.config, output.say, trust=output.trust, but=but, decides=not given)
    if what.forget is not None:
        _forget(what.forget, read, what)
        return
    league = read(retry=what.retry or [])
    spec = replace(league.spec, lanes=lanes, no_notes=True, **{name: getattr(overrides, name) for name in but})
    if _do_chore(what, league, read, spec, output):
        return
    contests = _plan_contests(league, what.retry or [], quiet=output.quiet, file=Path(output.config or SETTINGS_FILE))
    if against.appeal or against.ask or against.ruling or against.reason:
        hear = partial(hear_appeal, league, contests, against.appeal or "", ask=against.ask or (), say=_say)
        page = hear(ruling=against.ruling, reason=against.reason, isolation=overrides.isolation)
        typer.echo(os.path.relpath(league.folder / page))
        return
    (session := OpenRun(spec, contests, league.root, output.say)).resolve_isolation()
    if what.dry_run:
        from arena.leagues.forecast import foresee_season  # noqa: PLC0415 - few seasons are foreseen

        typer.echo(foresee_season(session, league, output.say).written(output.form), nl=False)
        return
    if what.tables_only:
        _write_tables(league, contests, what, output)
    else:
        _play(session, league, what, output)


def _write_tables(league: League, contests: Sequence[Contest], what: SeasonOptions, output: OutputOptions) -> None:
    if lacking := [contest for contest in contests if not contest.folder.begun()]:
        text = "expected the results of a season, got none; `arena season --plan-only` sets them up and plays nothing"
        raise UsageError(f"{lacking[0].folder.path}: {text}")
    for line in give_up_rest(contests) if what.give_up else []:
        remark(f"arena: {line}", quiet=output.quiet)
    _print(league, publish(league, contests, _say), output)


def _forget(name: str, read: Callable[..., League], what: SeasonOptions) -> None:
    from arena.leagues.removal import remove_person  # noqa: PLC0415 - few hosts remove anybody

    typer.echo(harmless(remove_person(name, read, give_up=what.give_up, say=_say)), nl=False)


def _do_chore(
    what: SeasonOptions, league: League, read: Callable[..., League], spec: LeagueSettings, output: OutputOptions
) -> bool:
    """Do what is asked for in the place of a season; whether anything is. Each is seldom done, and loads much."""
    if what.entry is not None:
        from arena.leagues.verdict import judge  # noqa: PLC0415

        verdict = judge(what.entry, partial(read, retry=[]), spec, output.say)
        typer.echo(harmless("\n".join(verdict.lines)))
        raise typer.Exit(0 if verdict.accepted else 1)
    if what.pull:
        from arena.leagues.private import pull_bots  # noqa: PLC0415

        pull_bots(league, read, output.say)
    elif what.course is not None:
        from arena.leagues.course import hold_course  # noqa: PLC0415

        typer.echo(hold_course(Path(what.course), read, spec, output.say).written(output.form), nl=False)
    return what.pull or what.course is not None


def _play(session: OpenRun, league: League, what: SeasonOptions, output: OutputOptions) -> None:
    voids = 0
    with session:
        # every mistake is found before the first match of the first game
        due = stages(session, output.say, give_up=what.give_up)
        for run in () if what.final_only else to_play(session, league, due, plan_only=what.plan_only):
            voids += _play_run(session, run, output)
        if what.plan_only:
            columns = ("game", "run", "seats", "matches")
            typer.echo(table(lacks(session.contests), output.form, columns, columns[2:]))
            return
        session.lanes.dismiss()
        # the journals are still held: no other season plays while this one is printed
        season = None if what.final_only else publish(league, session.contests, _say)
        finals = [_play_run(session, run, output) for run in finals_to_play(session, league, rulings(league))]
        voids += sum(finals)
        if season is not None:
            _print(league, publish(league, session.contests, _say) if finals else season, output)
    if voids:
        raise typer.Exit(TROUBLE)


def _say(why: str) -> None:
    remark(f"arena: {why}")


def _play_run(session: OpenRun, run: StartedRun, output: OutputOptions) -> int:
    """Play a run; how many of its matches are void."""
    play_out(session, run, root=None, quiet=output.quiet)
    say_voids(run.folder, run.voids)
    return run.voids


def _print(league: League, season: Season, output: OutputOptions) -> None:
    typer.echo(render_season(season, output.form), nl=False)
    tables, pages = (
        shlex.quote(os.path.relpath(league.folder / name)) for name in ("leaderboard.md", "site/index.html")
    )
    remark(f"tables: {tables}\npages: {pages}", quiet=output.quiet)


def _plan_contests(league: League, retry: list[str], *, quiet: bool, file: Path) -> list[Contest]:
    names = [*[bot.name for bot in league.bots], *[excluded.bot for excluded in league.excluded]]
    for name in retry:
        if name not in names:
            raise UsageError(f"expected a bot of the league, got {name!r}{nearest(name, names)}", option="retry")
    for path in no_bots(league.spec.bots, league.folder):
        remark(f"arena: no bot: {on_one_line(path)}: expected a {BOT_FILE}, got none", quiet=quiet)
    for excluded in league.excluded:
        remark(f"arena: on probation: {excluded.bot}: {excluded.why}", quiet=quiet)
    with errors_in_words_of(file):
        contests = [contest_of(league, game, retry) for game in league.games]
    for contest in contests:
        matches, field = contest.settings.matches, len(contest.bots)
        if matches < field:
            few = f"expected at least {plural(field, 'match')}, one for each bot, got {matches}: not all bots will play"
            remark(f"arena: {contest.game.name}: {few}", quiet=quiet)
    return contests
