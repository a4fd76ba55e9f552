"""From a run folder to its results and its leaderboard. Prints nothing.

The journal is read once, in pieces of many lines.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError, nearest
from arena.fault import FAULTS
from arena.files import opened
from arena.identity import Identity, bot_of
from arena.ratings import Fit, Looks, fit_outcomes
from arena.record import Record, decode
from arena.report.bracket import Bracket
from arena.report.document import Document, OutputFormat, Section
from arena.report.headline import headline_of_tables
from arena.report.leaderboard import make_leaderboard
from arena.report.render import Leaderboard, Standing, combine, combined_section, leaderboard_sections, render, shares
from arena.results.columns import Results
from arena.results.tally import silenced
from arena.tournament import journal
from arena.tournament.folder import BALANCED, BrokenRun, Entrant, Manifest, RunFolder
from arena.tournament.plan import count_matches, measure_of_run
from arena.words import plural


def empty_results(manifest: Manifest, without: Collection[str] = (), void: Collection[str] = ()) -> Results:
    """Results of a run before its first match; matches of bots ``without``, and those ``void``, are only counted."""
    names = [entrant.name for entrant in manifest.entrants]
    return Results(names, without=[name for name in names if bot_of(name) in without], void=void)


def results_of(folder: RunFolder, without: Collection[str] = (), void: Collection[str] = ()) -> Results:
    """The results of a run so far; of bots ``without``, and of matches ``void`` by a ruling, only how many there are.

    Raises:
        arena.tournament.folder.BrokenRun, arena.tournament.journal.Corrupt: the folder is damaged.
        OSError: the journal cannot be read.
    """
    results, sealed = empty_results(folder.manifest(), without, void), folder.sealed()
    if not folder.journal.exists():
        return results
    try:
        for lines in journal.pieces(folder.journal, sealed):
            results.take(lines)
    except msgspec.DecodeError:
        # which record it is, and where, is told by who reads one after the other
        for _ in folder.records():
            pass
        raise
    except ValueError as error:
        raise BrokenRun(f"{folder.journal}: {error}; see `arena verify`") from error
    return results


def records_at(folder: RunFolder, results: Results, rows: Iterable[int]) -> Iterator[Record]:
    """The records of these rows of the results.

    Raises:
        arena.tournament.folder.BrokenRun: the journal was changed since.
        OSError: it cannot be read.
    """
    columns = results.columns
    if not (rows := tuple(rows)):
        # before the first match there is no journal
        return
    fd = opened(folder.journal.parent, folder.journal.name, os.O_RDONLY)
    try:
        for row in rows:
            line = os.pread(fd, int(columns.size[row]) - 1, int(columns.start[row]))
            match = results.match(row)
            record = decode(line) if journal.is_whole(line) else None
            if record is None or (record.id, record.ranks, record.seconds) != (match.id, match.ranks, match.seconds):
                where = f"{folder.journal}: expected match {match.id} at byte {columns.start[row]}"
                raise BrokenRun(f"{where}, got other bytes; the journal was changed meanwhile")
            yield record
    finally:
        os.close(fd)


class Standings(Struct, frozen=True, eq=False):
    """The leaderboard of one run, and where it came from."""

    leaderboard: Leaderboard
    folder: Path
    results: Results
    fit: Fit
    entrants: tuple[Entrant, ...] = ()
    """Those that take part."""

    @property
    def undecided(self) -> bool:
        """Whether the run was to answer a question (``until``) and has not answered it."""
        bracket = self.leaderboard.bracket
        return bracket is not msgspec.UNSET and bool(bracket.question) and not bracket.certain

    def order(self) -> list[list[str]]:
        """The bots in their places, those together whose order is open.

        A format that ends by a rule of its own has decided all of it, and a question that ends a run what it asked.
        Otherwise what is certain counts.
        """
        bracket, rows = self.leaderboard.bracket, self.leaderboard.leaderboard
        if bracket is not msgspec.UNSET and (question := bracket.question) is not None:
            places = [[place.bot for place in group] for _, group in groupby(bracket.places, lambda entry: entry.place)]
            every = [bot for group in places for bot in group]
            if question and (not bracket.certain or len(places[0]) > 1):
                return [every] if every else []
            return [places[0], every[1:]] if question == "best" else places
        cuts = [end for end in range(1, len(rows)) if all(row.rank_high <= end for row in rows[:end])]
        return [[row.bot for row in rows[start:end]] for start, end in pairwise([0, *cuts, len(rows)])]

    def reasons(self) -> dict[str, str]:
        """For each bot whose place in ``order`` is its own, why it has it."""
        bracket = self.leaderboard.bracket
        reasons = {row.bot: "certain for the whole table" for row in self.leaderboard.leaderboard}
        if bracket is msgspec.UNSET or bracket.question is None:
            return reasons
        reasons = dict.fromkeys(reasons, "by the rule of the format")
        for stage in bracket.stages:
            for table in stage.groups or stage.tables:
                reasons |= {entry.bot: f"{stage.title}: {entry.onward}" for entry in table.bots if entry.onward}
        return reasons

    def blamed(self) -> dict[str, str]:
        """For each bot that faulted or was withdrawn: its faults, or why it was withdrawn."""
        withdrawn = {entrant.name: entrant.withdrawn for entrant in self.entrants if entrant.withdrawn}
        blame = {}
        for row in self.leaderboard.leaderboard:
            if kinds := [f"{count} {kind}" for kind, count in row.faults.items() if FAULTS[kind].blamed]:
                blame[row.bot] = f"faults: {', '.join(kinds)}"
        return blame | {bot: f"withdrawn: {why}" for bot, why in withdrawn.items()}

    def markdown(self) -> str:
        """As it is written beside the journal."""
        return render(self.leaderboard, "markdown")

    def shares(self) -> dict[str, float]:
        """Each bot's share for the combined table."""
        names = {row.bot for row in self.leaderboard.leaderboard}
        return {bot: share for bot, share in shares(self.results).items() if bot in names}


def combined(boards: Sequence[Standings], names: Sequence[str] = ()) -> list[Standing]:
    """One table over several runs under these names; by default their games, or their own where a game comes twice."""
    games = [board.leaderboard.game for board in boards]
    names = names or [
        game if games.count(game) == 1 else board.leaderboard.run for game, board in zip(games, boards, strict=True)
    ]
    entrants = list(dict.fromkeys(row.bot for board in boards for row in board.leaderboard.leaderboard))
    return combine({name: board.shares() for name, board in zip(names, boards, strict=True)}, entrants)


def render_boards(
    boards: Sequence[Standings], form: OutputFormat, *, verbose: bool = False, rounds: bool = False
) -> str:
    """A leaderboard; of several, each and then the combined table over their games; options as of ``render``."""
    if len(boards) == 1:
        return render(boards[0].leaderboard, form, verbose=verbose, rounds=rounds)
    tables, together = [board.leaderboard for board in boards], combined(boards)
    sections = [section for table in tables for section in leaderboard_sections(table, verbose=verbose, rounds=rounds)]
    if form == "csv" and len({table.game for table in tables}) == len(tables):
        # one table, in which the column `game` tells them apart
        sections = [replace(sections[-1], rows=[row for section in sections for row in section.rows])]
    headline = Section(lead=[f"{headline_of_tables(tables)}."])
    return Document(
        sections=[headline, *sections, combined_section(together, boards=tables)],
        data={"runs": tables, "combined": together},
    ).written(form)


def check_entrants(folders: Sequence[RunFolder], bots: Collection[str]) -> None:
    """Check that each of these bots, whose matches are not to be counted, has entered one of the runs.

    Raises:
        UsageError: one has not.
    """
    names = {bot_of(entrant.name) for folder in folders for entrant in folder.manifest().entrants}
    for name in bots:
        if name not in names:
            runs = ", ".join(str(folder.path) for folder in folders)
            raise UsageError(f"expected a bot of {runs}, got {name!r}{nearest(name, sorted(names))}", option="without")


def compute_standings(
    folder: RunFolder,
    *,
    manifest: Manifest | None = None,
    results: Results | None = None,
    with_past: bool = False,
    anchors: Collection[str] = (),
    house: Collection[str] = (),
    title: str | None = None,
    without: Collection[str] = (),
    void: Collection[str] = (),
    goes_on: bool = False,
    tables: int = 1,
) -> Standings:
    """The leaderboard of the matches recorded so far; entrants that take part no longer are shown only if asked for.

    Args:
        folder: of the run.
        manifest: of the run, if it was read already.
        results: of the run, if its journal was read already.
        with_past: whether to show those that take part no longer.
        anchors: bots whose mean rating is to stand still; each counts as it takes part now.
        house: bots, in all their versions and copies, that are shown without a rank.
        title: what the run is called, if not as its folder.
        without: bots whose matches are not counted, in all their versions and copies.
        void: ids of matches that are not counted.
        goes_on: whether more matches are to follow though the run is finished, as in a league.
        tables: how many tables stand on the page: they share what may be wrong on it.

    Raises:
        arena.tournament.folder.BrokenRun, arena.tournament.journal.Corrupt: the folder is damaged.
    """
    manifest = manifest or folder.manifest()
    results = results or results_of(folder, without, void)
    entrants = [name for name in list_rated(manifest) if bot_of(name) not in without]
    current = set(manifest.field or [entrant.name for entrant in manifest.entrants])
    members = [entrant for entrant in manifest.entrants if bot_of(entrant.name) not in without]
    past = [name for name in past_of(manifest) if bot_of(name) not in without]
    looks = looks_at(manifest)
    fixed = [name for name in entrants if name in current and Identity.of(name).entered in anchors]
    fit = fit_outcomes(results.outcomes(nights=goes_on), entrants)
    bracket = _find_bracket(folder, manifest, void)
    board = make_leaderboard(
        results,
        fit,
        run=str(folder.path) if title is None else title,
        game=manifest.game,
        seats=_seats(manifest),
        seed=manifest.epochs[0].seed,
        seconds=manifest.seconds,
        provisional=not manifest.finished,
        past=() if with_past else past,
        anchors=fixed or anchors,
        house=[name for name in entrants if bot_of(name) in house],
        looks="every" if goes_on and looks == "one" else looks,
        measure=measure_of_run(manifest),
        bracket=bracket,
        planned=count_matches(manifest),
        season=goes_on,
        share=1 / tables,
    )
    notes = [
        f"{name} was withdrawn for its faults from {plural(count, 'match')}: there arena picked its first options."
        for name, count in silenced(results).items()
    ]
    notes += [
        f"{entrant.name} was withdrawn: {entrant.withdrawn}."
        for entrant in members
        if entrant.withdrawn and entrant.name in current
    ]
    if permitted := set(manifest.network).intersection(bot_of(entrant.name) for entrant in members):
        notes.append(f"Could reach the network: {', '.join(sorted(permitted))}.")
    if notes:
        # graver than what any table says of its figures: a bot that was entered did not play, or could ask anybody
        board = msgspec.structs.replace(board, caution=notes[0])
    if past and not with_past:
        notes.append(f"No longer in the run, rated but not shown (--past shows them): {', '.join(past)}.")
    if results.left_out:
        bots = ", ".join(sorted(without))
        notes.append(f"Not counted, because of who sat there: {plural(results.left_out, 'match')} of {bots}.")
    if results.ruled_out:
        number = results.ruled_out
        notes.append(f"Void by a ruling, and not counted: {plural(number, 'match')}.")
    if manifest.isolation == "none" and (
        strangers := _strangers(entrant for entrant in members if entrant.name in entrants)
    ):
        unsafe = f"Played without a sandbox, with the rights of who started the run: {', '.join(strangers)}."
        notes.append(unsafe)
        board = msgspec.structs.replace(board, caution=unsafe)
    if manifest.debug:
        # the gravest: a bot that is debugged often plays without a sandbox, and its table tells nothing of strength
        unfair = f"{manifest.debug} was debugged with its clock off: this is not a fair run."
        notes.append(unfair)
        board = msgspec.structs.replace(board, caution=unfair)
    names = {row.bot for row in board.table_rows}
    board = msgspec.structs.replace(
        board,
        notes=(*board.notes, *notes),
        owners={
            entrant.name: entrant.owner for entrant in manifest.entrants if entrant.owner and entrant.name in names
        },
    )
    taking_part = tuple(entrant for entrant in members if entrant.name in current)
    return Standings(board, folder.path, results, fit, taking_part)


def _find_bracket(folder: RunFolder, manifest: Manifest, void: Collection[str]) -> Bracket | msgspec.UnsetType:
    if manifest.drawn_whole:
        return msgspec.UNSET
    from arena.tournament.brackets import bracket_of  # noqa: PLC0415 - most runs draw one round

    return bracket_of(folder, manifest, void)


def _strangers(entrants: Iterable[Entrant]) -> list[str]:
    from arena.players.entrants import read_shipped_bots  # noqa: PLC0415 - only a run without a sandbox names strangers

    ours = {bot.name for bot in read_shipped_bots()}
    return [entrant.name for entrant in entrants if entrant.entered.rpartition("=")[2] not in {*ours, ""}]


def write_standings(folder: RunFolder) -> Standings:
    """``compute_standings``, after they were written beside the journal.

    Raises:
        arena.tournament.folder.BrokenRun, arena.tournament.journal.Corrupt: the folder is damaged.
        OSError: they cannot be written.
    """
    board = compute_standings(folder)
    folder.write_page(board.markdown())
    return board


def list_rated(manifest: Manifest) -> list[str]:
    """The entrants on a leaderboard of the run: all except those that were withdrawn and never had a seat."""
    seated = {name for epoch in manifest.epochs for name in epoch.entrants}
    return [entrant.name for entrant in manifest.entrants if not entrant.withdrawn or entrant.name in seated]


def past_of(manifest: Manifest) -> list[str]:
    """The rated bots that take part no longer: they are not shown. One that was withdrawn after it played is such."""
    current = set(manifest.field or [entrant.name for entrant in manifest.entrants])
    gone = {entrant.name for entrant in manifest.entrants if entrant.withdrawn}
    return [name for name in list_rated(manifest) if name not in current or name in gone]


def looks_at(manifest: Manifest) -> Looks:
    """What may be said of a run: one look at its end if it has a fixed length and fixed line-ups, else every look."""
    schedules = {epoch.schedule or manifest.schedule for epoch in manifest.epochs}
    kinds: set[Looks] = {"one"}
    if schedules != {BALANCED}:
        from arena.formats.registry import looks_of  # noqa: PLC0415 - most runs draw one round

        kinds = {looks_of(schedule) for schedule in schedules}
    for strictest in ("answer", "pairs", "paired"):
        if strictest in kinds:
            return strictest
    once = manifest.finished and len(manifest.epochs) == 1 and not manifest.given_up
    return "one" if once and kinds == {"one"} else "every"


def _seats(manifest: Manifest) -> int | str:
    first, last = manifest.seats[0], manifest.seats[-1]
    return first if first == last else f"{first}-{last}"
