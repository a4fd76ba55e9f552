"""Statistics of a run: finished-ahead matrix, times, faults, seats, company, losses of a bot. Prints nothing."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from arena import report
from arena.errors import UsageError
from arena.game import State
from arena.library.standings import looks_at, past_of, rated
from arena.players.botfile import nearest
from arena.ratings import outcomes_of
from arena.record import Record, shaped
from arena.report.ahead import Ahead, Met, ahead_section
from arena.report.ahead import rows as pairs_of
from arena.report.company import company_section
from arena.report.document import Section, written
from arena.report.faults import Faults
from arena.report.loss_sections import loss_sections
from arena.report.losses import Alike, FaultOf, Losses, LossTally, against, phases
from arena.report.seats import SeatTally
from arena.report.sections import faults_section, seats_section, times_section
from arena.report.tally import block_of
from arena.report.times import BotTimes, Times
from arena.tournament.folder import Broken, Manifest, RunFolder, deal

KINDS = ("ahead", "time", "faults", "seats", "company")
"""What can be asked for; by default all but the last."""
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
    """Times, faults, seats and company, as far as they were asked for; and those of the bot."""
    ahead: tuple[Ahead, ...] = ()
    """Who finishes ahead of whom, for each number of seats."""
    closest: BotTimes | None = None
    """The bot that came closest to its limit."""
    losses: Losses | None = None
    """Where the named bot loses."""

    def as_data(self, run: str) -> dict[str, Any]:
        """For programs; ``run`` is the name of the run."""
        ahead = {"ahead": [to_builtins(each) | {"pairs": pairs_of(each)} for each in self.ahead]} if self.ahead else {}
        return {
            "run": run,
            "game": self.game,
            "matches": self.matches,
            "void": self.voids,
            "move_time": self.move_time,
            "provisional": self.provisional,
            **ahead,
            **({} if self.losses is None else {"bot": self.losses.bot, "lost": self.losses.lost}),
            **{section.name: to_builtins(section.rows) for section in self.sections},
            "notes": [note for section in self.sections for note in section.notes],
        }

    def as_text(self, run: str, form: report.OutputFormat) -> str:
        """For people, in any format except JSON; ``run`` is the name of the run."""
        void = f", {self.voids} void and left out" if self.voids else ""
        facts = [f"{run}: {self.game}, {self.matches} {'match' if self.matches == 1 else 'matches'}{void}."]
        if self.losses is not None:
            facts.append(f"{self.losses.bot} lost {self.losses.lost} of its {self.losses.matches} matches.")
        if self.provisional:
            facts.append("Provisional: the run is not finished.")
        return written([Section(lead=facts, width=78), *self.sections, *map(ahead_section, self.ahead)], form)


def statistics(folder: RunFolder, kinds: Collection[str] = (), bot: str | None = None) -> Statistics:
    """Statistics of these ``KINDS``, and where a ``bot`` loses; the run may be unfinished.

    Without kinds, all but the last, or of a bot only where it loses.

    Raises:
        UsageError, DamagedError: there is no run or no such bot, or a record is not of it.
    """
    manifest = folder.manifest()
    asked = set(kinds) or (set(KINDS[:-1]) if bot is None else set())
    bots = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    if bot is not None and bot not in bots:
        raise UsageError(f"expected a bot of {', '.join(bots)}, got {bot!r}{nearest(bot, bots)}", option="bot")
    lost = None if bot is None else LossTally(bot)
    timed = Times(bots, manifest.limits.move) if "time" in asked else None
    blamed = Faults(bots) if "faults" in asked else None
    seated = SeatTally() if "seats" in asked else None
    ahead = Met() if "ahead" in asked or lost else None
    played: list[tuple[int, tuple[str, ...], tuple[int, ...]]] = []
    matches = voids = 0
    try:
        for number, record in enumerate(_checked(folder.records(), bots)):
            if record.reason == "void":
                voids += 1
                continue
            matches += 1
            for counted in (timed, blamed, lost):
                if counted is not None:
                    counted.add(number, record)
            for each in (seated, ahead):
                if each is not None:
                    each.add(record)
            if "company" in asked:
                played.append((block_of(record), record.bots, record.ranks))
        looks = looks_at(manifest)
        met = ahead.found(rated(manifest), past_of(manifest), looks) if ahead is not None else []
        losses = _losses(folder, manifest, lost, met) if lost is not None else None
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    sections = [
        None if timed is None else times_section(timed.rows(), manifest.limits.move),
        None if blamed is None else faults_section(blamed.rows(), blamed.silenced),
        None if seated is None else seats_section(seated.rows(looks), seated.unfinished),
        company_section(outcomes_of(played)) if "company" in asked else None,
    ]
    return Statistics(
        game=manifest.game,
        matches=matches,
        voids=voids,
        move_time=manifest.limits.move,
        provisional=not manifest.finished,
        sections=(
            *[section for section in sections if section is not None],
            *(loss_sections(losses) if losses is not None else ()),
        ),
        ahead=tuple(met) if "ahead" in asked else (),
        closest=max(timed.rows(), key=lambda row: row.closest or 0, default=None) if timed else None,
        losses=losses,
    )


def _losses(folder: RunFolder, manifest: Manifest, tally: LossTally, met: Sequence[Ahead]) -> Losses:
    """Where a bot loses; its lost matches are replayed as far as the run's secret is known here."""
    shows = f"arena replay {shlex.quote(str(folder.path))} '#{{match}}' --seat {{seat}}"
    bot, errors = tally.bot, folder.read_log(tally.bot).decode("utf-8", "backslashreplace").splitlines()
    last = next((line for line in reversed(errors) if line.strip()), "")
    log = str(folder.logs / f"{bot}.log") if last else ""
    return Losses(
        bot=bot,
        matches=tally.matches,
        lost=len(tally.lost),
        seats=tuple(tally.seats()),
        opponents=tuple(against(bot, met[0].pairs)),
        phases=tuple(phases(bot, _retold(folder, manifest, tally.lost))),
        worst=tuple(tally.worst(shows)),
        faults=tuple([_fault(alike, shows, log=log, stderr=last) for alike in tally.faults()]),
        faults_more=tally.faults_more,
    )


def _fault(alike: Alike, shows: str, *, log: str, stderr: str) -> FaultOf:
    fault = alike.record.faults[alike.at]
    return FaultOf(
        count=alike.count,
        matches=alike.matches,
        match=alike.number,
        id=alike.record.id,
        decision=fault.decision,
        kind=fault.kind,
        rule=fault.rule,
        hint=fault.hint,
        log=log,
        stderr=stderr,
        command=shows.format(match=alike.number, seat=fault.seat),
    )


def _retold(folder: RunFolder, manifest: Manifest, lost: Sequence[int]) -> Iterator[tuple[Record, State]]:
    """Lost matches, each with its fresh deal; none where the secret of an epoch is not told here."""
    try:
        secrets = folder.secrets_of(manifest)
    except Broken:
        return
    chosen = set(lost[:: -(-len(lost) // _RETOLD) or 1])
    for number, record in enumerate(folder.records()):
        if number in chosen:
            yield record, deal(secrets, record)[1]


def _checked(records: Iterable[Record], bots: Collection[str]) -> Iterator[Record]:
    """The records, each checked."""
    known = set(bots)
    for record in records:
        if not known.issuperset(record.bots):
            strangers = ", ".join(sorted(set(record.bots) - known))
            raise ValueError(f"{record.id}: expected bots of {', '.join(bots)}, got {strangers}")
        yield shaped(record)
