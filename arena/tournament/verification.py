"""Whether a run follows from its secret and its picks; and all its recorded matches asked again of its bots.

Without the second, no bot is started. Prints nothing.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import nsmallest
from itertools import takewhile, zip_longest

import msgspec
from msgspec import Struct

from arena.errors import HostError, UsageError
from arena.formats.format import PAIRING
from arena.formats.schedule import Fixture
from arena.identity import bot_of
from arena.players.botfile import BotFile, missing
from arena.players.content import digest_bot
from arena.players.entrants import entry, said_again
from arena.players.sandboxed import HostPolicy
from arena.record import Record, fault_in_shape, match_key
from arena.retelling import compare_fields
from arena.retelling import verify as verify_record
from arena.tournament import cores, roster
from arena.tournament.check_cost import too_long_to_check
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.isolation import host_policy
from arena.tournament.lane_messages import BotLine, Done, Recall
from arena.tournament.lanes import Lanes
from arena.tournament.one_round import schedule_of
from arena.tournament.recall import Compared, retold
from arena.tournament.remaining import dealt_match, limits_of
from arena.tournament.rounds import settled_outcomes
from arena.tournament.secrets import Secret
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import find_game
from arena.tournament.standings import compute_standings
from arena.wire import Limits
from arena.words import plural


class Verification(Struct, frozen=True, kw_only=True):
    """The result of verifying a run."""

    fault: str = ""
    """The first thing that does not hold, with the match or file that it is of; empty if all holds."""
    matches: tuple[str, ...] = ()
    """Ids of the matches that are recorded, and hold."""
    voids: frozenset[str] = frozenset()
    """Those of them that are void."""
    unplayed: int = 0
    """How many matches are not played yet."""

    @property
    def holds(self) -> bool:
        """Whether all holds."""
        return not self.fault

    @property
    def played(self) -> list[str]:
        """Ids of the matches that were played."""
        return [match for match in self.matches if match not in self.voids]


def verification(folder: RunFolder) -> Verification:
    """Play every match again from secret and picks, and derive the leaderboard again.

    Raises:
        UsageError, DamagedError: there is no run, or it cannot be read.
    """
    manifest = folder.manifest()
    if wrong := too_long_to_check(manifest, [folder]):
        if manifest.finished:
            return Verification(fault=f"run.json: {wrong}")
        raise UsageError(f"{folder.path}: {wrong}: play more of it first")
    secrets = folder.secrets_of(manifest)
    schedule = schedule_of(manifest, secrets)
    schedule.recall(settled_outcomes(folder, manifest))
    while schedule.advance():
        pass
    fixtures = (Fixture(block, rotation) for block in schedule.blocks for rotation in range(len(block.seating)))
    due = {fixture.id: fixture for fixture in fixtures if fixture.id not in manifest.given_up}
    # an unfinished run may have been ended between a round and the counting of the next one
    if wrong := _fault_in_manifest(manifest if manifest.finished else schedule.count(manifest), len(due)):
        return Verification(fault=f"run.json: {wrong}")
    limits = limits_of(manifest)
    ids: set[str] = set()
    voids: set[str] = set()
    for record in folder.records(strict=False):
        wrong = _fault_in(record, manifest, due)
        if wrong is None and record.id in ids:
            wrong = "expected each match once, got it twice"
        if wrong is None:
            wrong = _fault_in_play(record, manifest, limits, secrets)
        if wrong:
            return Verification(fault=f"match {record.id}: {wrong}")
        ids.add(record.id)
        if record.reason == "void":
            voids.add(record.id)
    unplayed = len(due) - len(ids)
    if manifest.finished and unplayed:
        fault = f"expected every match in a finished run, got {unplayed} of {len(due)} missing"
        return Verification(fault=f"match {next(match for match in due if match not in ids)}: {fault}")
    folder.check_whole()
    if wrong := _fault_in_leaderboard(folder, manifest):
        return Verification(fault=wrong)
    matches = tuple(sorted(ids, key=match_key))
    return Verification(matches=matches, voids=frozenset(voids), unplayed=unplayed)


def _fault_in_play(
    record: Record, manifest: Manifest, limits: Mapping[str, Limits], secrets: dict[int, Secret]
) -> str | None:
    """Where a record does not follow from its deal and its answers."""
    wrong = verify_record(record, deal_again(secrets, record)[1])
    if wrong or not (record.faults or record.retired or min(record.micros, default=0) < 0):
        # where nobody faulted and all were asked, nothing else can be wrong
        return wrong
    return retold(dealt_match(manifest, limits, secrets, record), record)


def _fault_in_leaderboard(folder: RunFolder, manifest: Manifest) -> str | None:
    """Where ``leaderboard.md`` differs from the journal; in an unfinished run it may be older."""
    text = folder.read_page() if manifest.finished else None
    if text is None:
        return None
    written, now = _lines(text, manifest), _lines(compute_standings(folder).markdown(), manifest)
    if manifest.pairing < PAIRING:
        # such a page has no headline, and other columns and notes
        written, now = _ratings(written), _ratings(now)
    return next((_difference(due, got, now) for due, got in zip_longest(now, written) if due != got), None)


def _lines(board: str, manifest: Manifest) -> list[tuple[str, ...]]:
    """A leaderboard line by line, without the folder below its headline: that is as it was typed then."""
    before, game, rest = board.partition(f": {manifest.game}, ")
    headline = before.rpartition("\n")[0]
    return [_cells(line) for line in f"{headline}\n{game}{rest}".splitlines()]


def _ratings(lines: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The name, rating and mu of each row of the first table with these columns."""
    begin = next((number for number, line in enumerate(lines) if line[1:4] == ("bot", "rating", "mu")), len(lines))
    rows = takewhile(lambda line: len(line) == len(lines[begin]), lines[begin + 2 :])
    return [line[1:4] for line in rows]


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a Markdown table without their padding; any other line as it is."""
    if not line.startswith("|"):
        return (line,)
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    # the rule below the heading has the width of its column
    return tuple(cells) if set(line) - set("|:- ") else ("-",) * len(cells)


def _difference(due: tuple[str, ...] | None, got: tuple[str, ...] | None, board: list[tuple[str, ...]]) -> str:
    """A line that differs in words: row and column, if it is of the table."""
    if due is None or got is None or len(due) != len(got) or len(due) == 1:
        expected, actual = (" | ".join(line) if line is not None else "the end" for line in (due, got))
        return f"leaderboard.md: expected {expected!r}, got {actual!r}"
    names = next(line for line in board if len(line) > 1)
    index = next(position for position, cell in enumerate(due) if cell != got[position])
    return (
        f"leaderboard.md, row {due[names.index('bot')]}, column {names[index]}: expected {due[index]}, got {got[index]}"
    )


def _fault_in_manifest(manifest: Manifest, matches: int) -> str | None:
    """Where the run manifest does not agree with the schedule of so many matches."""
    if matches != manifest.matches:
        return f"expected a schedule of {plural(manifest.matches, 'match')}, got {matches}"
    names = {entrant.name for entrant in manifest.entrants}
    strange = {bot for epoch in manifest.epochs for bot in epoch.entrants} - names
    return f"expected entrant {min(strange)}, got none of that name" if strange else None


def _fault_in(record: Record, manifest: Manifest, due: Mapping[str, Fixture]) -> str | None:
    """Where a record differs from the schedule."""
    if record.id not in due:
        return "expected a match of the schedule, got another id"
    reference = msgspec.structs.replace(
        record,
        bots=due[record.id].bots,
        game=manifest.game,
        version=manifest.game_version,
        variants=manifest.variants,
    )
    if wrong := compare_fields(reference, record, ("bots", "game", "version", "variants")):
        return str(wrong)
    return fault_in_shape(record) or None


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


# --- all bots of a run


def found_again(manifest: Manifest, texts: Sequence[str]) -> tuple[dict[str, BotFile], dict[str, str]]:
    """The bots of a run: those given, else those that ship with arena; and why others cannot be tried.

    Raises:
        UsageError: known that is given was not in the run.
        BotError: known that is given is no bot.
    """
    offered = {bot.bot.name: bot.bot for bot in map(entry, texts)}
    playing = {party.name: party for party in manifest.entrants if not party.withdrawn}
    party = {bot_of(name) for name in playing}
    if strange := [name for name in offered if name not in party]:
        raise UsageError(f"expected bots of the run ({', '.join(playing)}), got {strange[0]!r}")
    again: dict[str, BotFile] = {}
    lacking: dict[str, str] = {}
    for name, known_as in playing.items():
        bot = said_again(known_as.entered, name=bot_of(name), bots=offered)
        if bot is None:
            entered = shlex.quote(known_as.entered or name)
            lacking[name] = f"expected the bot on the command line, got none; it was entered as {entered}"
        elif digest_bot(bot) != known_as.digest:
            lacking[name] = "expected the bot as it was entered, got other files or another command"
        elif lack := missing(bot):
            lacking[name] = lack
        else:
            again[name] = bot
    return again, lacking


def tried(
    folder: RunFolder, manifest: Manifest, bots: Mapping[str, BotFile], sample: set[str], choice: IsolationChoice
) -> tuple[dict[str, Tried], dict[str, str]]:
    """How each bot answers the recorded questions now; and which bots cannot start, and why.

    Raises:
        HostError: this machine fails, or is too busy to tell.
    """
    limits, secrets = limits_of(manifest), folder.secrets_of(manifest)
    results: dict[str, Tried] = {}
    with Lanes(cores.count_lanes()) as lanes:
        policy = policy_of(folder, manifest, bots.values(), choice, lanes)
        originals = {bot.name: bot for bot in bots.values()}
        launches, failures = roster.start(lanes, manifest, find_game(manifest.game), list(originals.values()), policy)
        start = {name: launches[bot.name] for name, bot in bots.items() if bot.name not in failures}
        results.update((name, Tried()) for name in start)
        jobs = (
            Recall(dealt_match(manifest, limits, secrets, record), record, here)
            for record in folder.records()
            if record.id in sample and (here := {index: start[n] for index, n in enumerate(record.bots) if n in start})
        )
        for record, compared in recall(lanes, jobs):
            names, key = record.bots, match_key(record.id)
            for difference in compared.differences:
                place = (key, difference.decision, record.id)
                result = results[names[difference.seat]]
                result.differing += 1
                result.first = place if result.first is None else min(result.first, place)
            for seat, decisions in compared.decisions.items():
                results[names[seat]].matches += 1
                results[names[seat]].decisions += decisions
    return results, {name: failures[bot.name].why for name, bot in bots.items() if bot.name in failures}


def policy_of(
    folder: RunFolder, manifest: Manifest, bots: Iterable[BotFile], choice: IsolationChoice, lanes: Lanes
) -> HostPolicy:
    """The sandboxes of bots that play again what they played in this run."""
    most, least = manifest.limits, manifest.isolation
    return host_policy(choice, lanes, lambda _: None, limits=most, bots=bots, least=least, secret=[folder.path])


def recall(
    lanes: Lanes, jobs: Iterable[Recall], on_stderr: Callable[[bytes], None] = lambda _: None
) -> Iterator[tuple[Record, Compared]]:
    """What came of each job; ``on_stderr`` gets the stderr of bots as it comes."""
    for job, message in lanes.messages(jobs):
        assert isinstance(job, Recall)  # noqa: S101 - only these jobs were given
        match message:
            case BotLine(mark=""):
                on_stderr(message.text)
            case Done(failed=""):
                yield job.record, message.value(Compared)
            case Done():
                raise HostError(f"match {job.record.id} cannot be replayed: {message.failed}")
