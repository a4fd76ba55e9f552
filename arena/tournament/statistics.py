"""The statistics of a run, and where a bot of it loses. Prints nothing."""

import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct, to_builtins

from arena.errors import UsageError, nearest
from arena.game import State
from arena.record import Record
from arena.report.ahead import Ahead, ahead_section, company_section, finished_ahead
from arena.report.ahead import rows as pairs_of
from arena.report.document import Document, OutputFormat, Section
from arena.report.losses import Losses, against, fault_sorts, from_seats, lost, phases, worst
from arena.report.seats import seat_rows
from arena.report.sections import faults_section, loss_sections, seats_section, times_section
from arena.report.times import BotTimes, fault_rows, times_of
from arena.results.columns import Results
from arena.results.tally import find_matches_of, silenced
from arena.tournament.folder import BrokenRun, Manifest, RunFolder, deal_again
from arena.tournament.standings import compute_standings, looks_at, records_at, results_of
from arena.words import plural

if TYPE_CHECKING:
    from arena.report.payoff import Payoffs

KINDS = ("ahead", "time", "faults", "seats", "company", "notes", "payoff")
"""What can be asked for; by default the first four."""
Form: TypeAlias = Literal[OutputFormat, "npz"]
_RETOLD = 200
"""At most this many lost matches are replayed, evenly spread: each takes some milliseconds."""


class Statistics(Struct, frozen=True, kw_only=True):
    """The statistics of a run that were asked for."""

    game: str
    matches: int
    voids: int
    move_time: int
    """Milliseconds for a decision."""
    provisional: bool
    """Whether the run is not finished."""
    sections: tuple[Section, ...] = ()
    """Times, faults, seats, company and notes, as far as they were asked for; and those of the bot."""
    ahead: tuple[Ahead, ...] = ()
    """Who finishes ahead of whom, for each number of seats."""
    closest: BotTimes | None = None
    """The bot that came closest to its limit."""
    losses: Losses | None = None
    """Where the named bot loses."""
    payoffs: "Payoffs | None" = None

    def written(self, run: str, form: Form) -> str | bytes:
        """All of it in a format, or the payoffs alone as ``npz``; ``UsageError``: these were not asked for."""
        if form != "npz":
            return self.document(run).written(form)
        if self.payoffs is None:
            raise UsageError("expected --payoff with --format npz, got it alone")
        return self.payoffs.npz()

    def closest_call(self, run: str) -> str:
        """Where a bot came closest to its limit, and what shows it; empty if none did."""
        row = self.closest
        if row is None or row.closest_match is None:
            return ""
        where = f"arena replay {shlex.quote(run)} '#{row.closest_match}' --decision {row.closest_decision}"
        return f"the closest call, of {row.bot}: {where}"

    def document(self, run: str) -> Document:
        """All of it; ``run`` is the name of the run."""
        void = f", {self.voids} void and left out" if self.voids else ""
        facts = [f"{run}: {self.game}, {plural(self.matches, 'match')}{void}."]
        if self.losses is not None:
            facts.append(f"{self.losses.bot} lost {self.losses.lost} of its {plural(self.losses.matches, 'match')}.")
        if self.provisional:
            facts.append("Provisional: the run is not finished.")
        ahead = (
            {"ahead": [to_builtins(ahead) | {"pairs": pairs_of(ahead)} for ahead in self.ahead]} if self.ahead else {}
        )
        data = {
            "run": run,
            "game": self.game,
            "matches": self.matches,
            "void": self.voids,
            "move_time": self.move_time,
            "provisional": self.provisional,
            **ahead,
            **({} if self.losses is None else {"bot": self.losses.bot, "lost": self.losses.lost}),
            **{section.name: section.rows for section in self.sections},
            **({} if self.payoffs is None else {"payoff": self.payoffs.data()}),
            "notes": [note for section in self.sections for note in section.notes],
        }
        return Document(
            sections=[Section(lead=facts, width=78), *self.sections, *map(ahead_section, self.ahead)], data=data
        )


def statistics(folder: RunFolder, kinds: Collection[str] = (), bot: str | None = None) -> Statistics:
    """Statistics of these ``KINDS``, and where a ``bot`` loses, or what it alone noted; the run may be unfinished.

    Without kinds, the first four, or of a bot only where it loses.

    Raises:
        UsageError, DamagedError: there is no run or no such bot, or a record is not of it.
    """
    manifest = folder.manifest()
    topics = set(kinds) or (set(KINDS[:4]) if bot is None else set())
    bots = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    if bot is not None and bot not in bots:
        raise UsageError(f"expected a bot of {', '.join(bots)}, got {bot!r}{nearest(bot, bots)}", option="bot")
    results, looks = results_of(folder), looks_at(manifest)
    met: list[Ahead] = []
    if "ahead" in topics or bot is not None:
        board = compute_standings(folder, manifest=manifest, results=results)
        met = finished_ahead(results, board.fit, board.leaderboard)
    times = times_of(results, bots, manifest.limits.move) if "time" in topics else []
    losses = None if bot is None else _losses(folder, manifest, results, bot, met)
    sections: list[Section] = []
    if "time" in topics:
        sections.append(times_section(times, manifest.limits.move))
    if "faults" in topics:
        sections.append(faults_section(fault_rows(results, bots), silenced(results)))
    if "seats" in topics:
        sections.append(seats_section(*seat_rows(results, manifest.game, looks)))
    if "company" in topics:
        sections.append(company_section(results.outcomes()))
    if "notes" in topics:
        from arena.tournament.notes import notes_section  # noqa: PLC0415 - few ask for notes

        sections.append(notes_section(folder, bots if bot is None else [bot]))
    payoffs = None
    if "payoff" in topics:
        from arena.report.payoff import payoffs_of  # noqa: PLC0415 - few ask for payoffs

        payoffs = payoffs_of(results, by_score=manifest.objective != "place")
        sections.append(payoffs.section())
    if losses is not None:
        sections += loss_sections(losses)
    return Statistics(
        game=manifest.game,
        matches=int(results.played.sum()),
        voids=results.voids,
        move_time=manifest.limits.move,
        provisional=not manifest.finished,
        sections=tuple(sections),
        ahead=tuple(met) if "ahead" in topics else (),
        closest=max(times, key=lambda row: row.closest or 0, default=None),
        losses=losses,
        payoffs=payoffs,
    )


def _losses(folder: RunFolder, manifest: Manifest, results: Results, bot: str, met: Sequence[Ahead]) -> Losses:
    """Where a bot loses; its lost matches are replayed as far as the run's secret is known here."""
    shows = f"arena replay {shlex.quote(str(folder.path))} '#{{match}}' --seat {{seat}}"
    errors = folder.read_log(bot).decode("utf-8", "backslashreplace").splitlines()
    last = next((line for line in reversed(errors) if line.strip()), "")
    log = str(folder.logs / f"{bot}.log") if last else ""
    rows = lost(results, bot).tolist()
    sorts, more = fault_sorts(results, bot, command=shows, log=log, stderr=last)
    return Losses(
        bot=bot,
        matches=len(find_matches_of(results, bot)[0]),
        lost=len(rows),
        seats=tuple(from_seats(results, bot)),
        opponents=tuple(against(bot, met[0].pairs)),
        phases=tuple(phases(bot, _replayed(folder, manifest, results, rows))),
        worst=tuple(worst(results, bot=bot, command=shows)),
        faults=sorts,
        faults_more=more,
    )


def _replayed(
    folder: RunFolder, manifest: Manifest, results: Results, rows: Sequence[int]
) -> Iterator[tuple[Record, State]]:
    """Lost matches, each with its fresh deal; none where the secret of an epoch is not told here."""
    try:
        secrets = folder.secrets_of(manifest)
    except BrokenRun:
        return
    for record in records_at(folder, results, rows[:: -(-len(rows) // _RETOLD) or 1]):
        yield record, deal_again(secrets, record)[1]
