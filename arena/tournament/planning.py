"""From a run spec to the contests of a run, whether it begins here or is planned here and played elsewhere.

Prints nothing and knows no option of a command.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.errors import UsageError, nearest
from arena.players.botfile import BotFile
from arena.players.entrants import BotArgument, read_shipped_bots
from arena.players.local import Conversation
from arena.tournament import roster
from arena.tournament.contest import Contest, Say, StartedRun, set_up
from arena.tournament.decision import Decision
from arena.tournament.folder import BALANCED, RunFolder
from arena.tournament.plan import Settings, pad_entrants
from arena.tournament.rounds import check_playable
from arena.tournament.settings import RunSpec
from arena.tournament.spec import (
    chosen_games,
    make_settings,
    results_root,
    seed_text,
)
from arena.words import plural


def contests_of(
    spec: RunSpec,
    bots: Sequence[str | BotFile],
    say: Say,
    *,
    defaults: Callable[[], Sequence[str]] = tuple,
    planning: bool = False,
    local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
) -> tuple[Path, list[Contest]]:
    """The results folder, and a contest for each game of the run spec.

    Args:
        spec: what is asked for.
        bots: who is to play, texts or bots.
        say: is told who is left out.
        defaults: gives the bots of the settings, in which those of a plan may be found if none is named.
        planning: whether the run is only to be planned.
        local_bots: for each bot that plays in this process, the function that makes it.

    Raises:
        UsageError, BotError: a value is not right, or a bot is not there.
    """
    if spec.plan is not None:
        from arena.tournament.plan_contests import contests_of_plan  # noqa: PLC0415 - few runs play a plan

        return contests_of_plan(spec, spec.plan, bots or defaults(), say, local_bots, strict=bool(bots))
    if spec.shard is not None and spec.seed is None:
        raise UsageError("expected a --plan or a --seed that all parts share, got neither", option="shard")
    games = chosen_games(spec.games, bots)
    seed = seed_text(spec.seed, spec.secret_file)
    root = results_root(spec.out, [game.name for game in games])
    contests = []
    for game in games:
        entries = roster.enter(bots, game, say)
        field = [entry.bot for entry in entries]
        if spec.debug is not None:
            _debuggable(spec.debug, field, planning=planning)
        names = roster.names_of(entries)
        config = make_settings(spec, game, games, seed=seed, entrants=len(names), planning=planning)
        padded = pad_entrants(names, max(config.seats))
        config = _seated(config, entries[: len(bots)], padded, say)
        check_playable(config, game, padded)
        contests.append(
            Contest(
                folder=RunFolder(root / game.name if len(games) > 1 else root, within=root),
                game=game,
                settings=config,
                bots=field,
                padded=padded,
                local_bots=local_bots or {},
            )
        )
    names = sorted({bot.name for contest in contests for bot in contest.bots})
    for name in sorted({text.partition("=")[0] for text in spec.network}.difference(names)):
        text = f"expected a bot of {', '.join(names)}, got {name!r}{nearest(name, names)}"
        raise UsageError(text, option="network")
    return root, contests


def _seated(settings: Settings, entries: Sequence[BotArgument], padded: Sequence[str], say: Say) -> Settings:
    """Make sure that the debugged bot plays, or else all that are named, however few the matches are.

    Where all of them have room at a table they sit in every block; otherwise there are matches enough for everyone.
    """
    if not settings.drawn_whole or settings.matches >= len(padded):
        return settings
    names = (settings.debug,) if settings.debug else tuple(roster.names_of(entries))
    if len(names) <= min(settings.seats):
        return replace(settings, together=names)
    say(f"-n {settings.matches} rounded up to {plural(len(padded), 'match')}: enough for every bot to play")
    return replace(settings, matches=len(padded))


def _debuggable(name: str, bots: Sequence[BotFile], *, planning: bool) -> None:
    """Check that this bot can be debugged."""
    names = [bot.name for bot in bots]
    if name not in names:
        raise UsageError(f"expected a bot of {', '.join(names)}, got {name!r}{nearest(name, names)}", option="debug")
    if planning:
        raise UsageError("expected --debug or --dry-run, got both")


def check_plannable(contests: Sequence[Contest]) -> None:
    """Check that these can be planned in one place and played in others.

    Raises:
        UsageError: the rounds of one depend on results.
    """
    for contest in contests:
        if not contest.settings.drawn_whole:
            schedule = contest.settings.schedule
            expected = f"--schedule {BALANCED} for a plan"
            raise UsageError(
                f"expected {expected}, because the rounds of {schedule} depend on results; got --out", option="dry_run"
            )


def check_not_extended(contests: Sequence[Contest], decisions: Sequence[Decision]) -> None:
    """Check that no plan would play on a finished run, by what was decided for each contest.

    Raises:
        UsageError: one would.
    """
    for contest, decision in zip(contests, decisions, strict=True):
        if contest.folder.begun() and decision.manifest != contest.folder.manifest():
            got = f"the finished run {contest.folder.path}, which it would extend; without --out nothing is written"
            raise UsageError(f"expected a folder without a run for a plan, got {got}", option="dry_run")


def write_plan(run: StartedRun) -> str:
    """Set the run up without playing it; returns a remark on it and on how to play it."""
    from arena.tournament.plan_contests import entered_texts  # noqa: PLC0415 - few runs are planned

    run.folder.make()
    manifest, _ = set_up(run.decision, run.folder)
    where = shlex.quote(str(run.folder.path))
    epoch = manifest.epochs[-1]
    beacon = " --beacon TEXT" if epoch.awaits else ""
    ours = {bot.name for bot in read_shipped_bots()}
    again = "".join(f" {shlex.quote(text)}" for text in entered_texts(manifest).values() if text not in ours)
    if manifest.finished:
        return f"arena: {where}: nothing is lacking"
    return (
        f"plan: {where}, {plural(epoch.matches, 'match')} to play\ncommitment: {epoch.commitment}\n"
        f"play a part: arena run --plan {where}{beacon} --shard 1/4 -o part-1{again}\n"
        f"until all is played, keep {where}/secret.json from everyone who enters a bot"
    )
