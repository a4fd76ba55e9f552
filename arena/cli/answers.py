"""Bots tried again on recorded matches: who can be, how they answer what was asked then, and where that differs."""

import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.cli import field as fields
from arena.cli.debug import pass_on
from arena.cli.failure import Usage
from arena.cli.isolation import Asked, settled
from arena.cli.options import find_game
from arena.players.botfile import BotError, BotFile, fault_in, missing
from arena.players.build import prepare
from arena.players.content import digest
from arena.players.entrants import entrant
from arena.players.process import HouseTrouble
from arena.players.walls import for_build
from arena.record import Record
from arena.tournament import cores
from arena.tournament.folder import Entrant, Manifest, RunFolder
from arena.tournament.jobs import Compared, Differed, Job, Message, Recall, Shown, Sitting
from arena.tournament.lanes import Lanes
from arena.tournament.outstanding import limits_of, sitting
from arena.tournament.plan import Settings
from arena.tournament.schedule import match_key
from arena.tournament.secrets import Secret
from arena.tournament.supervised import supervised
from arena.wire import Limits


class Tried(Struct):
    """How one bot answered in all matches it was tried in."""

    matches: int = 0
    decisions: int = 0
    differing: int = 0
    first: tuple[tuple[int, int, int], int, str] | None = None
    """Of the first difference in canonical order: key of the match, decision, id of the match."""


def at_run_level(asked: Asked, manifest: Manifest) -> Asked:
    """For ``auto`` the level that the run was played at."""
    return Asked(manifest.isolation) if asked is Asked.auto else asked


def drawn(ids: Iterable[str], sample: int | None) -> set[str]:
    """As many of these match ids as asked for: those whose SHA-256 is smallest, always the same ones."""
    if sample is None:
        return set(ids)
    return set(nsmallest(sample, ids, key=lambda match: sha256(match.encode()).digest()))


# --- one seat of one match


def given(words: Sequence[str], name: str) -> BotFile:
    """The bot after ``--``: a word that is no BOT is a command line, and so are several.

    Raises:
        BotError, Usage: there is no such bot, or this machine cannot run it.
    """
    line = words if len(words) > 1 else _line(words[0])
    if line:
        bot = BotFile(name.partition("#")[0], tuple(line), folder=str(Path.cwd()), bare=True)
        if reason := fault_in(bot):
            raise BotError(reason)
    else:
        bot = entrant(words[0])
    if lack := missing(bot):
        raise Usage(f"expected a bot this machine can run, got: {lack}")
    return bot


def _line(word: str) -> list[str]:
    """The words of a command line in one word; none if it is a BOT, or nothing that could be started."""
    try:
        entrant(word)
    except BotError:
        with suppress(ValueError):
            line = shlex.split(word)
            if line and "=" not in line[0] and (shutil.which(line[0]) or ("/" in line[0] and Path(line[0]).is_file())):
                return line
    return []


def answers(
    folder: RunFolder, manifest: Manifest, record: Record, seat: int, bot: BotFile, asked: Asked, *, whole: bool
) -> tuple[list[Differed], int]:
    """Where a bot answers otherwise than this seat did, and how many answers were compared.

    Its stderr is shown as it comes. Unless ``whole``, all ends at the first difference.

    Raises:
        BotError: it cannot be built.
        HouseTrouble: this machine fails, or is too busy to tell.
    """
    limits = limits_of(manifest)
    differed: list[Differed] = []
    compared: list[Compared] = []

    def heard(_job: Job, message: Message) -> None:
        match message:
            case Differed():
                differed.append(message)
            case Compared():
                compared.append(message)
            case Shown(mark=""):
                pass_on(message.text)

    with Lanes(1) as crew:
        walls = settled(at_run_level(asked, manifest), crew, secret=[folder.path], quiet=True)
        built = prepare(bot, run=supervised(crew, for_build(bot, walls)))
        launch = fields.launched(bot, built, walls, limits[record.bots[seat]])
        launch = msgspec.structs.replace(launch, shown=True)
        told = told_again(manifest, limits, folder.secrets_of(manifest), record)
        crew.run([Recall(told, record, {seat: launch}, stop=not whole)], heard)
    if compared[0].why:
        raise HouseTrouble(f"match {record.id} cannot be told again: {compared[0].why}")
    return differed, compared[0].decisions[seat]


def told_again(
    manifest: Manifest, limits: Mapping[str, Limits], secrets: Mapping[int, Secret], record: Record
) -> Sitting:
    """What the referee was told of a recorded match."""
    return sitting(manifest, limits, secrets[match_key(record.id)[0]], record.id, record.bots)


# --- all bots of a run


def found_again(manifest: Manifest, texts: Sequence[str]) -> tuple[dict[str, BotFile], dict[str, str]]:
    """The bots of a run: those given, else as they were entered; and why others cannot be tried.

    Raises:
        Usage: one that is given was not in the run.
        BotError: one that is given is none.
    """
    offered = {bot.name: bot for bot in map(entrant, texts)}
    entered = {each.name: each for each in manifest.entrants if not each.withdrawn}
    known = {name.partition("@")[0].partition("#")[0] for name in entered}
    if strange := [name for name in offered if name not in known]:
        raise Usage(f"expected bots of the run ({', '.join(entered)}), got {strange[0]!r}")
    found: dict[str, BotFile] = {}
    lacking: dict[str, str] = {}
    for name, each in entered.items():
        bot = offered.get(name.partition("@")[0].partition("#")[0]) or _there(each)
        if bot is None:
            lacking[name] = "expected it on the command line, as a folder or NAME=COMMAND LINE, got none"
        elif digest(bot) != each.digest:
            lacking[name] = "expected it as it was entered, got other files or another command"
        elif lack := missing(bot):
            lacking[name] = lack
        else:
            found[name] = bot
    return found, lacking


def _there(each: Entrant) -> BotFile | None:
    """The bot where the run found it, if there still is one."""
    try:
        return entrant(each.entered or each.name.partition("#")[0])
    except BotError:
        return None


def tried(
    folder: RunFolder, manifest: Manifest, bots: Mapping[str, BotFile], chosen: set[str], asked: Asked
) -> tuple[dict[str, Tried], dict[str, str]]:
    """How each bot answers now in these matches, each fed the recorded conversation; and which cannot start, and why.

    Raises:
        HouseTrouble: this machine fails, or is too busy to tell.
    """
    limits, secrets = limits_of(manifest), folder.secrets_of(manifest)
    results: dict[str, Tried] = {}

    def heard(job: Job, message: Message) -> None:
        if not isinstance(job, Recall):
            return
        names = job.record.bots
        if isinstance(message, Differed):
            here = (match_key(job.record.id), message.decision, job.record.id)
            result = results[names[message.seat]]
            result.first = here if result.first is None else min(result.first, here)
        elif isinstance(message, Compared):
            if message.why:
                raise HouseTrouble(f"match {job.record.id} cannot be told again: {message.why}")
            for seat, decisions in message.decisions.items():
                result = results[names[seat]]
                result.matches += 1
                result.decisions += decisions
                result.differing += message.differing[seat]

    with Lanes(cores.lanes()) as crew:
        walls = settled(at_run_level(asked, manifest), crew, secret=[folder.path], quiet=True)
        settings = Settings(
            game=manifest.game, seats=manifest.seats, variants=manifest.variants, limits=manifest.limits
        )
        originals = {bot.name: bot for bot in bots.values()}
        launches, cannot = fields.start(crew, settings, find_game(manifest.game), list(originals.values()), walls)
        start = {name: launches[bot.name] for name, bot in bots.items() if bot.name not in cannot}
        results.update((name, Tried()) for name in start)
        jobs = (
            Recall(told_again(manifest, limits, secrets, record), record, here)
            for record in folder.records()
            if record.id in chosen and (here := {at: start[n] for at, n in enumerate(record.bots) if n in start})
        )
        crew.run(jobs, heard)
    return results, {name: cannot[bot.name].why for name, bot in bots.items() if bot.name in cannot}
