"""The plan of a run and the time that each format would take, as text and as data. Plays a few trial matches."""

from collections.abc import Sequence

from msgspec.structs import asdict

from arena.report import OutputFormat
from arena.report.document import table
from arena.report.findings import duration
from arena.tournament.contest import Say
from arena.tournament.estimate import Estimate, Outlook, outlook
from arena.tournament.folder import BALANCED
from arena.tournament.session import Session


def estimates(session: Session, form: OutputFormat, say: Say, *, within: float | None, formats: bool) -> str:
    """The plan of a session, in ``form``.

    Args:
        session: which is open, its bots started.
        form: of the answer.
        say: is told how trials go.
        within: seconds for which a format is to be recommended.
        formats: whether to tell what other formats would take.
    """
    found = [each for contest in session.contests if (each := outlook(contest, session.lanes, say)) is not None]
    if form == "json":
        return table([row for each in found for row in _values(each, within, whole=formats)], form) + "\n"
    # programs read one table of CSV, not several
    whole = found if formats and form != "csv" else []
    planned = [_row(estimate, each) for each in found for estimate in each.planned]
    rows = [row for each in whole for row in _format_rows(each)]
    parts = [table(part, form) for part in (*_alike(planned), rows) if part]
    parts += [_legend(whole[0])] if rows else []
    parts += [_recommended(each, within) for each in whole if within is not None]
    return "\n\n".join(parts) + "\n" * bool(parts)


def _alike(rows: Sequence[dict[str, object]]) -> list[list[dict[str, object]]]:
    """The rows, those of the same columns together."""
    found: dict[tuple[str, ...], list[dict[str, object]]] = {}
    for row in rows:
        found.setdefault(tuple(row), []).append(row)
    return list(found.values())


def _row(estimate: Estimate, each: Outlook) -> dict[str, object]:
    audit = estimate.audit
    row: dict[str, object] = {"game": each.game, "seats": estimate.seats}
    time = f"{'over ' if each.pace.at_least else ''}{duration(each.pace.of(estimate.matches))}"
    if audit is None:
        return row | {"schedule": each.schedule, "matches": _range(estimate.fewest, estimate.matches), "time": time}
    row |= {"blocks": audit.blocks, "matches": audit.matches, "time": time}
    by_bot, by_pair = f"{audit.fewest}-{audit.most}", f"{audit.fewest_meetings}-{audit.most_meetings}"
    return row | {"by bot": by_bot, "by pair": by_pair}


def _range(fewest: int, most: int) -> str:
    return str(most) if fewest == most else f"{fewest}-{most}"


def _format_rows(each: Outlook) -> list[dict[str, object]]:
    return [
        {
            "game": each.game,
            "format": one.schedule,
            "matches": _range(one.fewest * each.seats, one.blocks * each.seats),
            "time": duration(one.blocks * each.seats * each.pace.seconds),
            "best": "-" if one.best is None else f"{100 * one.best:.0f} %",
            "order": "-" if one.order is None else f"{one.order:.2f}",
            "tells": one.tells,
        }
        for one in each.formats
    ]


def _legend(each: Outlook) -> str:
    return (
        "best: how often the best of simulated bots came first; order: the rank\n"
        f"correlation of the order with the true one. Assumed are\n{each.assumed}.\n"
        "Of bots closer together each format finds less, and takes longer."
    )


def _recommended(each: Outlook, within: float) -> str:
    found = each.within(within)
    game, time = each.game, duration(within)
    if not found.schedule:
        least = duration(found.matches * each.pace.seconds)
        return f"{game}: {time} is too short for {each.bots} bots: the least takes {least}"
    options = "" if found.schedule == BALANCED else f"--schedule {found.schedule} "
    return f"{game}: for {each.bots} bots in {time}: {options}-n {found.matches}"


def _values(each: Outlook, within: float | None, *, whole: bool) -> list[dict[str, object]]:
    """As JSON has it, a value a number of seats; what other formats take is the same at each."""
    more: dict[str, object] = {}
    if whole:
        more["formats"] = [
            {"schedule": one.schedule, "least": one.fewest * each.seats, "matches": (most := one.blocks * each.seats)}
            | {"seconds": each.pace.of(most), "tells": one.tells, "best": one.best, "order": one.order}
            for one in each.formats
        ]
        more["assumed"] = each.assumed
        if within is not None:
            more["recommended"] = asdict(each.within(within))
    found = []
    for estimate in each.planned:
        row: dict[str, object] = {"game": each.game, "seats": estimate.seats, "schedule": each.schedule}
        row |= {"least": estimate.fewest, "matches": estimate.matches}
        row |= {"seconds": each.pace.of(estimate.matches), "at_least": each.pace.at_least}
        if (audit := estimate.audit) is not None:
            row |= {"blocks": audit.blocks, "fewest": audit.fewest, "most": audit.most}
            row |= {"fewest_meetings": audit.fewest_meetings, "most_meetings": audit.most_meetings}
        found.append(row | more)
    return found
