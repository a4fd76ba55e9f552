"""Where a bot loses, as sections of statistics: tables of 80 columns with notes in sentences.

Knows the rows of ``arena.report.losses``; knows no record and no file.
"""

from arena.report.document import NONE, Section
from arena.report.losses import PARTS, Against, FaultOf, FromSeat, Losses, Phase, Worst
from arena.report.sections import section

_SURELY = {1: "better", 0: NONE, -1: "worse"}


def loss_sections(found: Losses) -> tuple[Section, ...]:
    """All sections of one bot."""
    return (_seats(found), _opponents(found), _phases(found), _worst(found), _faults(found))


def _seats(found: Losses) -> Section:
    lines = [
        {
            "seats": str(row.seats),
            "seat": str(row.seat),
            "matches": str(row.matches),
            "rank": f"{row.mean_rank:.3f}" + ("" if row.rank_margin is None else f" +- {row.rank_margin:.3f}"),
            "score": f"{row.mean_score:.2f}",
            "behind": f"{row.behind:.2f}",
            "first": f"{row.first:.3f}",
        }
        for row in found.seats
    ]
    note = "rank: 0 is always first, 1 always last. behind: points that the winner had more. first: matches won."
    notes = (note if lines else "No matches.",)
    return section(
        name="by_seat", heading=f"{found.bot} by seat", kind=FromSeat, rows=found.seats, lines=lines, notes=notes
    )


def _opponents(found: Losses) -> Section:
    lines = [
        {
            "opponent": row.opponent,
            "matches": str(row.matches),
            "ahead": f"{row.ahead:.3f}",
            "from": NONE if row.low is None else f"{row.low:.3f}",
            "to": NONE if row.high is None else f"{row.high:.3f}",
            "expected": f"{row.expected:.3f}",
            "surely": _SURELY[row.certain],
        }
        for row in found.opponents
    ]
    note = (
        f"ahead: the share of shared matches in which {found.bot} finished ahead, a tie half, with its 95 % interval. "
        "expected: by the ratings alone. surely: which of the two is the better bot."
    )
    return section(
        name="by_opponent",
        heading=f"{found.bot} by opponent",
        kind=Against,
        rows=found.opponents,
        lines=lines,
        notes=(note if lines else "No opponents.",),
        words=("surely",),
        wide=("opponent",),
    )


def _phases(found: Losses) -> Section:
    lines = [
        {
            "until": f"{row.part}/{PARTS}",
            "matches": str(row.matches),
            "score": f"{row.score:.2f}",
            "winner": f"{row.winner:.2f}",
            "behind": f"{row.behind:.2f}",
            "lost here": f"{row.lost:+.2f}",
            "leading": f"{row.leading:.3f}",
        }
        for row in found.phases
    ]
    notes: list[str] = []
    if lines:
        counted = found.phases[0].matches
        some = f"{counted} of the {found.lost} matches" if counted < found.lost else f"the {found.lost} matches"
        notes.append(
            f"Of {some} that {found.bot} lost: the mean scores of it and of the later winner, had the match ended "
            f"after so much of its decisions. leading: the share of them in which {found.bot} was first then."
        )
        most = max(found.phases, key=lambda row: row.lost)
        notes.append(f"Most is lost in part {most.part} of {PARTS}.")
    else:
        notes.append(
            "No match was lost." if not found.lost else "The matches cannot be replayed without the run's secret."
        )
    return section(
        name="by_phase", heading=f"{found.bot} over a match", kind=Phase, rows=found.phases, lines=lines, notes=notes
    )


def _worst(found: Losses) -> Section:
    lines = [
        {
            "match": f"#{row.match}",
            "id": row.id,
            "seat": str(row.seat),
            "place": f"{row.place} of {row.seats}",
            "score": str(row.score),
            "winner": row.winner,
            "its score": str(row.winner_score),
        }
        for row in found.worst
    ]
    return section(
        name="worst",
        heading=f"Worst matches of {found.bot}",
        kind=Worst,
        rows=found.worst,
        lines=lines,
        notes=[f"look at it: {row.command}" for row in found.worst] or ["No match was lost."],
        words=("match", "id", "place"),
        wide=("winner",),
    )


def _faults(found: Losses) -> Section:
    lines = [
        {
            "kind": row.kind,
            "faults": str(row.count),
            "matches": str(row.matches),
            "first": f"#{row.match}",
            "decision": NONE if row.decision < 0 else str(row.decision),
            "what was wrong": f"{row.rule} ({row.hint})" if row.hint else row.rule,
        }
        for row in found.faults
    ]
    notes = [] if lines else ["No faults."]
    if lines:
        more = f" {found.faults_more} of other sorts are not listed." if found.faults_more else ""
        log, last = found.faults[0].log, found.faults[0].stderr
        wrote = f"Its standard error is in {log}, and ends: {last}" if log else "It wrote nothing to standard error."
        shows = list(dict.fromkeys(row.command for row in found.faults))
        again = f"ask the bot again: {shows[0]} -- COMMAND LINE OF THE BOT"
        notes = [
            f"first: the first match with such a fault.{more}",
            wrote,
            *(f"look at it: {each}" for each in shows),
            again,
        ]
    words, wide = ("first", "kind"), ("what was wrong",)
    return section(
        name="own_faults",
        heading=f"Faults of {found.bot}",
        kind=FaultOf,
        rows=found.faults,
        lines=lines,
        notes=notes,
        words=words,
        wide=wide,
    )
