"""Whether a run follows from its secret and its picks. Starts no bot and prints nothing."""

from collections.abc import Mapping
from itertools import zip_longest

from msgspec import Struct

from arena.escape import INVISIBLE
from arena.formats.schedule import Fixture
from arena.record import Record, match_key, shaped
from arena.record import verify as verify_record
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.recall import retold
from arena.tournament.remaining import Remaining, dealt_match, limits_of
from arena.tournament.secrets import Secret
from arena.tournament.standings import standings
from arena.wire import Limits


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
    secrets = folder.secrets_of(manifest)
    jobs = Remaining(manifest, secrets, {}, ())
    if jobs.rounds is not None:
        again = folder.unsettled(manifest)
        for outcome in folder.outcomes():
            if outcome.id not in again:
                jobs.rounds.take(outcome)
        jobs.advance()
    fixtures = (Fixture(block, rotation) for block in jobs.blocks for rotation in range(len(block.seating)))
    due = {fixture.id: fixture for fixture in fixtures if fixture.id not in manifest.given_up}
    if wrong := _fault_in_manifest(manifest, len(due), decided=jobs.rounds is None or manifest.finished):
        return Verification(fault=f"run.json: {wrong}")
    limits = limits_of(manifest)
    seen: set[str] = set()
    voids: set[str] = set()
    for record in folder.records(whole=False):
        wrong = _fault_in(record, manifest, due)
        if wrong is None and record.id in seen:
            wrong = "expected each match once, got it twice"
        if wrong is None:
            wrong = _fault_in_play(record, manifest, limits, secrets)
        if wrong:
            return Verification(fault=f"match {record.id}: {wrong}")
        seen.add(record.id)
        if record.reason == "void":
            voids.add(record.id)
    unplayed = len(due) - len(seen)
    if manifest.finished and unplayed:
        told = f"expected every match in a finished run, got {unplayed} of {len(due)} missing"
        return Verification(fault=f"match {next(match for match in due if match not in seen)}: {told}")
    folder.check_whole()
    if wrong := _fault_in_leaderboard(folder, manifest):
        return Verification(fault=wrong)
    matches = tuple(sorted(seen, key=match_key))
    return Verification(matches=matches, voids=frozenset(voids), unplayed=unplayed)


def _fault_in_play(
    record: Record, manifest: Manifest, limits: Mapping[str, Limits], secrets: dict[int, Secret]
) -> str | None:
    """Where a record does not follow from its deal and its answers."""
    wrong = verify_record(record, deal(secrets, record)[1])
    if wrong or not (record.faults or record.retired or min(record.micros, default=0) < 0):
        # where nobody faulted and all were asked, nothing else can be wrong
        return wrong
    return retold(dealt_match(manifest, limits, secrets, record), record)


def _fault_in_leaderboard(folder: RunFolder, manifest: Manifest) -> str | None:
    """Where ``leaderboard.md`` differs from the journal; in an unfinished run it may be older."""
    text = folder.read_page() if manifest.finished else None
    if text is None:
        return None
    written, now = _lines(text, manifest), _lines(standings(folder).markdown(), manifest)
    return next((_difference(due, got, now) for due, got in zip_longest(now, written) if due != got), None)


def _lines(board: str, manifest: Manifest) -> list[tuple[str, ...]]:
    """A leaderboard line by line, without the folder at its beginning: that is as it was typed then.

    Pages of older versions of arena lack what is invisible.
    """
    first, newline, rest = board.replace(INVISIBLE, "").partition("\n")
    named = first.rpartition(f": {manifest.game}, ")
    return [_cells(line) for line in (named[1] + named[2] + newline + rest).splitlines()]


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
        expected, shown = (" | ".join(line) if line is not None else "the end" for line in (due, got))
        return f"leaderboard.md: expected {expected!r}, got {shown!r}"
    names = next(line for line in board if len(line) > 1)
    index = next(position for position, cell in enumerate(due) if cell != got[position])
    return (
        f"leaderboard.md, row {due[names.index('bot')]}, column {names[index]}: expected {due[index]}, got {got[index]}"
    )


def _fault_in_manifest(manifest: Manifest, matches: int, *, decided: bool) -> str | None:
    """Where the run manifest does not agree with the schedule of so many matches; ``decided``: that is all of it."""
    if decided and matches != manifest.matches:
        return f"expected a schedule of {manifest.matches} matches, got {matches}"
    known = {entrant.name for entrant in manifest.entrants}
    strange = {bot for epoch in manifest.epochs for bot in epoch.entrants} - known
    return f"expected entrant {min(strange)}, got none of that name" if strange else None


def _fault_in(record: Record, manifest: Manifest, due: Mapping[str, Fixture]) -> str | None:
    """Where a record differs from the schedule."""
    if record.id not in due:
        return "expected a match of the schedule, got another id"
    if (seats := due[record.id].bots) != record.bots:
        return f"bots: expected {', '.join(seats)}, got {', '.join(record.bots)}"
    for what, wanted, got in (
        ("game", manifest.game, record.game),
        ("version", manifest.game_version, record.version),
        ("variants", manifest.variants, record.variants),
    ):
        if wanted != got:
            return f"{what}: expected {wanted}, got {got}"
    for what, values in (("ranks", record.ranks), ("scores", record.scores)):
        if len(values) != len(record.bots):
            return f"{what}: expected {len(record.bots)}, got {len(values)}"
    if record.reason != "void" and len(record.seats_asked) != len(record.picks):
        return f"seats asked: expected {len(record.picks)}, got {len(record.seats_asked)}"
    try:
        shaped(record)
    except ValueError as error:
        return str(error).removeprefix(f"{record.id}: ")
    return None
