"""Statistics of a run: who is ahead of whom, answering times, faults, seats, company. Prints nothing."""

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from arena.record import Record, shaped
from arena.report.ahead import Ahead, finished_ahead
from arena.report.company import Company, company_section
from arena.report.faults import Faults
from arena.report.seats import Seats
from arena.report.sections import Section, faults_section, seats_section, times_section
from arena.report.times import BotTimes, Times
from arena.tournament.folder import Broken, RunFolder

KINDS = ("ahead", "time", "faults", "seats", "company")
"""What can be asked for; without a choice all but the last."""


class Statistics(Struct, frozen=True, kw_only=True):
    """What was asked for of a run."""

    game: str
    matches: int
    voids: int
    move_time: int
    """Milliseconds for a decision."""
    provisional: bool
    """Whether the run is not finished."""
    sections: tuple[Section, ...] = ()
    """Times, faults, seats and company, as far as they were asked for."""
    ahead: tuple[Ahead, ...] = ()
    """Who finishes ahead of whom, for each number of seats."""
    closest: BotTimes | None = None
    """The bot that came closest to its limit."""


def statistics(folder: RunFolder, kinds: Collection[str] = ()) -> Statistics:
    """Statistics of these ``KINDS``; the run may still go on.

    Raises:
        UsageError, DamagedError: there is no run, or a record is not of it.
    """
    manifest = folder.manifest()
    asked = set(kinds) or set(KINDS[:-1])
    bots = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    timed = Times(bots, manifest.limits.move) if "time" in asked else None
    blamed = Faults(bots) if "faults" in asked else None
    seated = Seats() if "seats" in asked else None
    kept = Company() if "company" in asked else None
    matches = voids = 0
    try:
        for number, record in enumerate(_of(folder.records(), bots)):
            if record.reason == "void":
                voids += 1
                continue
            matches += 1
            for counted in (timed, blamed):
                if counted is not None:
                    counted.add(number, record)
            for each in (seated, kept):
                if each is not None:
                    each.add(record)
        met = finished_ahead(_of(folder.records(), bots), list(bots)) if "ahead" in asked else []
    except ValueError as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    sections = [
        None if timed is None else times_section(timed.rows(), manifest.limits.move),
        None if blamed is None else faults_section(blamed.rows(), blamed.silenced),
        None if seated is None else seats_section(seated.rows(), seated.unfinished),
        None if kept is None else company_section(kept.blocks),
    ]
    return Statistics(
        game=manifest.game,
        matches=matches,
        voids=voids,
        move_time=manifest.limits.move,
        provisional=not manifest.finished,
        sections=tuple([section for section in sections if section is not None]),
        ahead=tuple(met),
        closest=max(timed.rows(), key=lambda row: row.closest or 0, default=None) if timed else None,
    )


def _of(records: Iterable[Record], bots: Collection[str]) -> Iterator[Record]:
    """The records as they are.

    Raises:
        ValueError: a bot of one is none of these.
    """
    known = set(bots)
    for record in records:
        if not known.issuperset(record.bots):
            strangers = ", ".join(sorted(set(record.bots) - known))
            raise ValueError(f"{record.id}: expected bots of {', '.join(bots)}, got {strangers}")
        yield shaped(record)
