"""From a run spec to the contests of a run, whether it begins here or is planned here and played elsewhere.

Prints nothing and knows no option of a command.
"""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.errors import BotError, UsageError, nearest
from arena.identity import Identity, bot_of
from arena.players.botfile import BotFile
from arena.players.content import digest_bot
from arena.players.entrants import BotArgument, read_shipped_bots, said_again
from arena.players.local import Conversation
from arena.tournament import roster
from arena.tournament.contest import Contest, Say, StartedRun, set_up
from arena.tournament.decision import Decision, check_same_bots
from arena.tournament.folder import BALANCED, Entrant, Manifest, RunFolder
from arena.tournament.parts import SettingsMismatch, shard_manifest
from arena.tournament.plan import Settings, pad_entrants, settings_of
from arena.tournament.rounds import check_playable
from arena.tournament.run import find_runs
from arena.tournament.settings import SETTINGS_FILE as SETTINGS
from arena.tournament.settings import RunSpec
from arena.tournament.shard import WHOLE_RUN, Shard
from arena.tournament.spec import (
    chosen_games,
    find_game,
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
        return _planned(spec, spec.plan, bots or defaults(), say, local_bots, strict=bool(bots))
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


def _planned(
    spec: RunSpec,
    where: Path,
    bots: Sequence[str | BotFile],
    say: Say,
    local_bots: Mapping[str, Callable[[], Conversation]] | None,
    *,
    strict: bool,
) -> tuple[Path, list[Contest]]:
    """The results folder, and the contests of a plan.

    A plan may be anybody's: the commands in it are never run. Its bots are among ``bots``, or ship
    with arena. With ``strict`` all ``bots`` have to be right and in it.
    """
    shard, seed = Shard.read(spec.shard) if spec.shard else WHOLE_RUN, seed_text(spec.seed, spec.secret_file)
    runs = find_runs(where)
    root = results_root(spec.out, [folder.manifest().game for folder in runs.values()])
    if any(os.path.realpath(root) == os.path.realpath(folder.path) for folder in runs.values()):
        raise UsageError(f"expected a folder beside the plan's, got {root}", option="out")
    contests = []
    bot_files, unfit = _read_fit(bots, say) if not strict else ([bot.bot for bot in roster.parse_bots(bots)], {})
    strange = {bot.name for bot in bot_files if strict}.difference(
        *[_entered(folder.manifest()) for folder in runs.values()]
    )
    for name, folder in runs.items():
        manifest = folder.manifest()
        if manifest.finished:
            continue
        # a plan may be anybody's, and gives no permission
        if {*manifest.network} != {text.partition("=")[0] for text in spec.network}:
            text = f"expected the bots that the plan names, {', '.join(manifest.network) or 'none'}; got "
            raise UsageError(text + (", ".join(spec.network) or "none"), option="network")
        shard_manifest(manifest, shard, spec.beacon)
        game = find_game(manifest.game)
        if game.version != manifest.game_version:
            raise SettingsMismatch(
                f"{folder.path}: expected {game.name} version {manifest.game_version}, got {game.version}"
            )
        matches = manifest.epochs[-1].asked
        as_planned = settings_of(manifest, matches=matches, seed=seed, beacon=spec.beacon)
        planned = [entrant for entrant in manifest.entrants if entrant.name in manifest.epochs[-1].entrants]
        by_name = _of_plan(bot_files, planned)
        field = [*_bots_of(folder, manifest, by_name, unfit), *[by_name[bot] for bot in sorted(strange)]]
        contest = Contest(
            folder=RunFolder(root / name, within=root),
            game=game,
            settings=replace(as_planned, shard="" if shard == WHOLE_RUN else str(shard)),
            bots=field,
            padded=_padded(manifest, [bot.name for bot in field]),
            plan=folder,
            local_bots=local_bots or {},
        )
        check_same_bots(manifest, contest.enter_bots())
        contests.append(contest)
    if not contests:
        raise SettingsMismatch(f"{where}: expected a plan that is not played yet, got a finished run")
    return root, contests


def _of_plan(bots: Sequence[BotFile], planned: Sequence[Entrant]) -> dict[str, BotFile]:
    """The bots by name; of several versions the one of the plan, also where a league has kept it by another name."""
    by_content = {digest_bot(bot): bot for bot in bots}
    by_name = {bot.name: bot for bot in bots}
    by_name |= {
        name: replace(bot, name=name, alias=bot.alias or bot.name != name)
        for name, bot in [(bot_of(entrant.name), by_content.get(entrant.digest)) for entrant in planned]
        if bot is not None
    }
    return by_name


def _read_fit(bots: Sequence[str | BotFile], say: Say) -> tuple[list[BotFile], dict[str, str]]:
    """The bots that can be read, and by the names of their folders why others cannot, which ``say`` is told."""
    fit: list[BotFile] = []
    unfit: dict[str, str] = {}
    for text in bots:
        try:
            (argument,) = roster.parse_bots([text])
            digest_bot(argument.bot)
            fit.append(argument.bot)
        except BotError as error:
            unfit[Path(str(text)).name] = str(error)
            say(f"left out: {error}")
    return fit, unfit


def _padded(manifest: Manifest, bots: Sequence[str]) -> list[str]:
    """The names of those that play in the last epoch, copies included; if others are named, these."""
    names = [Identity.of(name).entered for name in manifest.epochs[-1].entrants]
    equal = {roster.original(name, bots) for name in names} == set(bots)
    return names if equal else pad_entrants(list(bots), max(manifest.seats))


def _entered(manifest: Manifest) -> dict[str, str]:
    """The bots that play in the last epoch, copies left out: what was typed for each."""
    names = manifest.epochs[-1].entrants
    return {bot_of(entrant.name): entrant.entered for entrant in manifest.entrants if entrant.name in names}


def _bots_of(
    folder: RunFolder, manifest: Manifest, by_name: Mapping[str, BotFile], unfit: Mapping[str, str]
) -> list[BotFile]:
    """The bots of a plan, from those that were named again; an error tells why one is not among them."""
    bots = {name: said_again(entered, name=name, bots=by_name) for name, entered in _entered(manifest).items()}
    if lacking := [shlex.quote(_entered(manifest)[name] or name) for name, bot in bots.items() if bot is None]:
        places = {Path(_entered(manifest)[name]).name for name, bot in bots.items() if bot is None}
        why = [unfit[place] for place in places if place in unfit]
        raise UsageError(
            f"{folder.path}: expected all BOTs of the plan that do not ship with arena on the command line or in "
            f"{SETTINGS}, got all but these: {'; '.join([' '.join(lacking), *why])}"
        )
    return [bot for bot in bots.values() if bot is not None]


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
    run.folder.make()
    manifest, _ = set_up(run.decision, run.folder)
    where = shlex.quote(str(run.folder.path))
    epoch = manifest.epochs[-1]
    beacon = " --beacon TEXT" if epoch.awaits else ""
    ours = {bot.name for bot in read_shipped_bots()}
    again = "".join(f" {shlex.quote(text)}" for text in _entered(manifest).values() if text not in ours)
    if manifest.finished:
        return f"arena: {where}: nothing is lacking"
    return (
        f"plan: {where}, {plural(epoch.matches, 'match')} to play\ncommitment: {epoch.commitment}\n"
        f"play a part: arena run --plan {where}{beacon} --shard 1/4 -o part-1{again}\n"
        f"until all is played, keep {where}/secret.json from everyone who enters a bot"
    )
