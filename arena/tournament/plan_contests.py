"""From a plan to the contests that play it, or a part of it. Prints nothing and knows no option of a command."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.errors import BotError, UsageError
from arena.identity import Identity, bot_of
from arena.players.botfile import BotFile
from arena.players.content import digest_bot
from arena.players.entrants import said_again
from arena.players.local import Conversation
from arena.tournament import roster
from arena.tournament.contest import Contest, Say
from arena.tournament.decision import check_same_bots
from arena.tournament.folder import Entrant, Manifest, RunFolder
from arena.tournament.parts import SettingsMismatch, shard_manifest
from arena.tournament.plan import pad_entrants, settings_of
from arena.tournament.run import find_runs
from arena.tournament.settings import SETTINGS_FILE as SETTINGS
from arena.tournament.settings import RunSpec
from arena.tournament.shard import WHOLE_RUN, Shard
from arena.tournament.spec import find_game, results_root, seed_text


def contests_of_plan(
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
        *[entered_texts(folder.manifest()) for folder in runs.values()]
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


def entered_texts(manifest: Manifest) -> dict[str, str]:
    """The bots that play in the last epoch, copies left out: what was typed for each."""
    names = manifest.epochs[-1].entrants
    return {bot_of(entrant.name): entrant.entered for entrant in manifest.entrants if entrant.name in names}


def _bots_of(
    folder: RunFolder, manifest: Manifest, by_name: Mapping[str, BotFile], unfit: Mapping[str, str]
) -> list[BotFile]:
    """The bots of a plan, from those that were named again; an error tells why one is not among them."""
    bots = {name: said_again(entered, name=name, bots=by_name) for name, entered in entered_texts(manifest).items()}
    if lacking := [shlex.quote(entered_texts(manifest)[name] or name) for name, bot in bots.items() if bot is None]:
        places = {Path(entered_texts(manifest)[name]).name for name, bot in bots.items() if bot is None}
        why = [unfit[place] for place in places if place in unfit]
        raise UsageError(
            f"{folder.path}: expected all BOTs of the plan that do not ship with arena on the command line or in "
            f"{SETTINGS}, got all but these: {'; '.join([' '.join(lacking), *why])}"
        )
    return [bot for bot in bots.values() if bot is not None]
