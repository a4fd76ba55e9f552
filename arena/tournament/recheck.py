"""Recorded matches asked again of bots: which bots can be tried, what they answer now, and where that differs."""

import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.errors import BotError, HostError, UsageError
from arena.identity import bot_of
from arena.players.botfile import BotFile, fault_in, missing
from arena.players.content import digest
from arena.players.entrants import entrant, entry, said_again
from arena.players.sandboxed import for_build
from arena.record import Record, match_key
from arena.tournament import cores, roster
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.isolation import host_policy
from arena.tournament.lane_messages import Done, Recall, Shown
from arena.tournament.lanes import Lanes
from arena.tournament.recall import Compared, Difference
from arena.tournament.remaining import dealt_match, limits_of
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import find_game


class Tried(Struct):
    """How one bot answered in all matches it was tried in."""

    matches: int = 0
    decisions: int = 0
    differing: int = 0
    first: tuple[tuple[int, int, int], int, str] | None = None
    """Of the first difference in canonical order: key of the match, decision, id of the match."""


def drawn(ids: Iterable[str], sample: int | None) -> set[str]:
    """The ``sample`` match ids whose SHA-256 is smallest, always the same ones."""
    if sample is None:
        return set(ids)
    return set(nsmallest(sample, ids, key=lambda match: sha256(match.encode()).digest()))


# --- one seat of one match


def given(words: Sequence[str], name: str) -> BotFile:
    """The bot after ``--``: a word that is no BOT is a command line, and so are several.

    Raises:
        BotError, UsageError: there is no such bot, or this machine cannot run it.
    """
    line = words if len(words) > 1 else _line(words[0])
    if line:
        bot = BotFile(bot_of(name), tuple(line), folder=str(Path.cwd()), bare=True)
        if reason := fault_in(bot):
            raise BotError(reason)
    else:
        bot = entrant(words[0])
    if lack := missing(bot):
        raise UsageError(f"expected a bot this machine can run, got: {lack}")
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
    folder: RunFolder,
    manifest: Manifest,
    record: Record,
    seat: int,
    bot: BotFile,
    *,
    isolation: IsolationChoice = "auto",
    whole: bool = False,
    on_stderr: Callable[[bytes], None] = lambda _: None,
) -> tuple[Sequence[Difference], int]:
    """Where a bot answers otherwise than this seat did, and how many answers were compared.

    ``on_stderr`` gets its stderr as it comes. Unless ``whole``, all ends at the first difference.

    Raises:
        BotError: it cannot be built.
        HostError: this machine fails, or is too busy to tell.
    """
    limits = limits_of(manifest)
    with Lanes(1) as crew:
        sandbox = host_policy(isolation, crew, lambda _: None, least=manifest.isolation, secret=[folder.path])
        built = roster.build(crew, bot, for_build(bot, sandbox))
        launch = roster.launched(bot, built, sandbox, limits[record.bots[seat]])
        launch = msgspec.structs.replace(launch, shown=True)
        told = dealt_match(manifest, limits, folder.secrets_of(manifest), record)
        for _, message in crew.messages([Recall(told, record, {seat: launch}, stop=not whole)]):
            match message:
                case Shown(mark=""):
                    on_stderr(message.text)
                case Done():
                    compared = _compared(record, message)
    return compared.differences, compared.decisions[seat]


def _compared(record: Record, done: Done) -> Compared:
    if done.failed:
        raise HostError(f"match {record.id} cannot be replayed: {done.failed}")
    return done.value(Compared)


# --- all bots of a run


def found_again(manifest: Manifest, texts: Sequence[str]) -> tuple[dict[str, BotFile], dict[str, str]]:
    """The bots of a run: those given, else those that ship with arena; and why others cannot be tried.

    Raises:
        UsageError: known that is given was not in the run.
        BotError: known that is given is no bot.
    """
    offered = {bot.bot.name: bot.bot for bot in map(entry, texts)}
    playing = {known.name: known for known in manifest.entrants if not known.withdrawn}
    known = {bot_of(name) for name in playing}
    if strange := [name for name in offered if name not in known]:
        raise UsageError(f"expected bots of the run ({', '.join(playing)}), got {strange[0]!r}")
    again: dict[str, BotFile] = {}
    lacking: dict[str, str] = {}
    for name, known_as in playing.items():
        bot = said_again(known_as.entered, name=bot_of(name), said=offered)
        if bot is None:
            entered = shlex.quote(known_as.entered or name)
            lacking[name] = f"expected the bot on the command line, got none; it was entered as {entered}"
        elif digest(bot) != known_as.digest:
            lacking[name] = "expected the bot as it was entered, got other files or another command"
        elif lack := missing(bot):
            lacking[name] = lack
        else:
            again[name] = bot
    return again, lacking


def tried(
    folder: RunFolder, manifest: Manifest, bots: Mapping[str, BotFile], chosen: set[str], choice: IsolationChoice
) -> tuple[dict[str, Tried], dict[str, str]]:
    """How each bot answers the recorded questions now; and which bots cannot start, and why.

    Raises:
        HostError: this machine fails, or is too busy to tell.
    """
    limits, secrets = limits_of(manifest), folder.secrets_of(manifest)
    results: dict[str, Tried] = {}

    with Lanes(cores.lanes()) as crew:
        sandbox = host_policy(choice, crew, lambda _: None, least=manifest.isolation, secret=[folder.path])
        rules = manifest
        originals = {bot.name: bot for bot in bots.values()}
        launches, failures = roster.start(crew, rules, find_game(manifest.game), list(originals.values()), sandbox)
        start = {name: launches[bot.name] for name, bot in bots.items() if bot.name not in failures}
        results.update((name, Tried()) for name in start)
        jobs = (
            Recall(dealt_match(manifest, limits, secrets, record), record, here)
            for record in folder.records()
            if record.id in chosen and (here := {index: start[n] for index, n in enumerate(record.bots) if n in start})
        )
        for job, message in crew.messages(jobs):
            assert isinstance(job, Recall)  # noqa: S101 - only these jobs were given
            if not isinstance(message, Done):
                continue
            compared = _compared(job.record, message)
            names, key = job.record.bots, match_key(job.record.id)
            for difference in compared.differences:
                place = (key, difference.decision, job.record.id)
                result = results[names[difference.seat]]
                result.differing += 1
                result.first = place if result.first is None else min(result.first, place)
            for seat, decisions in compared.decisions.items():
                results[names[seat]].matches += 1
                results[names[seat]].decisions += decisions
    return results, {name: failures[bot.name].why for name, bot in bots.items() if bot.name in failures}
