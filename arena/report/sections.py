"""Statistics of a run, and where a bot loses, as sections of a document: each with a heading and an explanation."""

from collections.abc import Iterable, Mapping, Sequence

from arena.report.ahead import make_section
from arena.report.document import NONE, Section, Table
from arena.report.losses import PARTS, Against, FaultOf, FromSeat, Losses, Phase, Worst
from arena.report.render import milliseconds, number
from arena.report.seats import EVEN, SeatRow
from arena.report.times import BotFaults, BotTimes
from arena.words import plural

_SURELY = {1: "better", 0: NONE, -1: "worse"}


def times_section(rows: Sequence[BotTimes], move_time: int) -> Section:
    """The answering times; ``move_time`` is the limit that the run was played with, in milliseconds."""
    lines = [
        {
            "bot": row.bot,
            "asked": row.asked,
            "p50": milliseconds(row.ms_median),
            "p99": milliseconds(row.ms_p99),
            "max": milliseconds(row.ms_max),
            "closest call": NONE if row.closest is None else f"{100 * row.closest:.1f} % #{row.closest_match}",
            "late": row.late,
            "suggest": NONE if row.suggested_ms is None else _limit(row.suggested_ms) + "+" * row.at_least,
        }
        for row in rows
    ]
    notes = []
    if suggestions := [row for row in rows if row.suggested_ms is not None]:
        most = max(row.suggested_ms or 0 for row in suggestions)
        late = [row.bot for row in suggestions if row.at_least]
        notes.append(f"Move time: {_limit(move_time)}; with a margin for busier machines: {_limit(most)}.")
        if late:
            notes[0] = notes[0].removesuffix(".") + " or more."
            notes.append(f"How much more time these would have taken is not known: {', '.join(late)}.")
    return make_section("time", BotTimes, rows, lines, notes, heading="Answering times in ms", wide=("bot",))


def faults_section(rows: Sequence[BotFaults], silenced: Mapping[str, int]) -> Section:
    """The faults. ``silenced``: by withdrawn bot, the matches without it."""
    counted = [
        {
            "bot": row.bot,
            "kind": row.kind,
            "faults": row.count,
            "matches": row.matches,
            "retired": row.retired,
            "first": f"#{row.first_match}, "
            + (f"decision {row.first_decision}" if row.first_decision >= 0 else "at the start"),
        }
        for row in rows
    ]
    texts = [
        {"bot": row.bot, "kind": row.kind, "times": times, "what was wrong": rule}
        for row in rows
        for times, rule in _broken_rules(row)
    ]
    broken = Table(rows=texts, left_columns=("kind",), wide=("bot", "what was wrong"))
    notes = [] if rows else ["No faults."]
    notes += [
        f"{name} was withdrawn for its faults from {plural(count, 'match')}: there arena picked its first options."
        for name, count in silenced.items()
    ]
    words, wide = ("kind", "first"), ("bot",)
    return make_section(
        "faults", BotFaults, rows, counted, notes, heading="Faults", words=words, wide=wide, more=(broken,)
    )


def _broken_rules(row: BotFaults) -> Iterable[tuple[str, str]]:
    """How often each rule was broken; the first one too, if it is none of the frequent ones."""
    if all(rule.rule != row.first_rule for rule in row.rules):
        yield "first", row.first_rule
    for rule in row.rules:
        yield str(rule.count), rule.rule


def seats_section(rows: Sequence[SeatRow], unfinished: int) -> Section:
    """How even the seats are. ``unfinished``: blocks that were left out."""
    lines = [
        {
            "seats": row.seats,
            "seat": row.seat,
            "blocks": row.blocks,
            "rank": _between(row.mean_rank, row.rank_margin, 3),
            "score": _between(row.mean_score, row.score_margin, 2),
            "first": _between(row.first, row.first_margin, 3),
        }
        for row in rows
    ]
    notes = []
    if rows:
        notes.append(
            "rank: 0 is always first, 1 always last, 0.5 even. first: the share of matches won, 1/seats even. "
            "+- is half of a 95 % interval of one seat over whole blocks."
        )
        odd = [
            f"seat {row.seat} of {row.seats} ({'ahead' if row.mean_rank < EVEN else 'behind'})"
            for row in rows
            if row.uneven
        ]
        notes.append(f"Certainly not even in rank: {', '.join(odd) or 'no seat'}.")
    else:
        notes.append("No block is whole yet.")
    if unfinished:
        notes.append(f"Left out, because some of the matches are not rated: {plural(unfinished, 'block')}.")
    return make_section("seats", SeatRow, rows, lines, notes, heading="Seats")


def loss_sections(losses: Losses) -> tuple[Section, ...]:
    """Where a bot loses: from which seats, to whom, when, in which matches, by which faults."""
    return (
        _compare_seats(losses),
        _list_opponents(losses),
        _compare_phases(losses),
        _list_worst_matches(losses),
        _list_own_faults(losses),
    )


def _compare_seats(losses: Losses) -> Section:
    lines = [
        {
            "seats": row.seats,
            "seat": row.seat,
            "matches": row.matches,
            "rank": _between(row.mean_rank, row.rank_margin, 3),
            "score": f"{row.mean_score:.2f}",
            "behind": f"{row.behind:.2f}",
            "first": f"{row.first:.3f}",
        }
        for row in losses.seats
    ]
    note = "rank: 0 is always first, 1 always last. behind: points that the winner had more. first: matches won."
    notes = (note if lines else "No matches.",)
    return make_section("by_seat", FromSeat, losses.seats, lines, notes, heading=f"{losses.bot} by seat")


def _list_opponents(losses: Losses) -> Section:
    lines = [
        {
            "opponent": row.opponent,
            "matches": row.matches,
            "ahead": f"{row.ahead:.3f}",
            "from": number(row.low, 3),
            "to": number(row.high, 3),
            "expected": f"{row.expected:.3f}",
            "surely": _SURELY[row.certain],
        }
        for row in losses.opponents
    ]
    note = (
        f"ahead: the share of shared matches in which {losses.bot} finished ahead, a tie half, with its 95 % interval. "
        "expected: by the ratings alone. surely: which of the two is the better bot."
    )
    notes = (note if lines else "No opponents.",)
    heading, words, wide = f"{losses.bot} by opponent", ("surely",), ("opponent",)
    return make_section("by_opponent", Against, losses.opponents, lines, notes, heading=heading, words=words, wide=wide)


def _compare_phases(losses: Losses) -> Section:
    lines = [
        {
            "until": f"{row.part}/{PARTS}",
            "matches": row.matches,
            "score": f"{row.score:.2f}",
            "winner": f"{row.winner:.2f}",
            "behind": f"{row.behind:.2f}",
            "lost here": f"{row.lost:+.2f}",
            "leading": f"{row.leading:.3f}",
        }
        for row in losses.phases
    ]
    if lines:
        counted, lost = losses.phases[0].matches, plural(losses.lost, "match")
        some = f"{counted:,} of the {lost}" if counted < losses.lost else f"the {lost}"
        most = max(losses.phases, key=lambda row: row.lost)
        legend = (
            f"Of {some} that {losses.bot} lost: the mean scores of it and of the later winner, had the match ended "
            f"after so much of its decisions. leading: the share of them in which {losses.bot} was first then."
        )
        notes = [legend, f"Most is lost in part {most.part} of {PARTS}."]
    else:
        notes = ["The matches cannot be replayed without the run's secret." if losses.lost else "No match was lost."]
    return make_section("by_phase", Phase, losses.phases, lines, notes, heading=f"{losses.bot} over a match")


def _list_worst_matches(losses: Losses) -> Section:
    lines = [
        {
            "match": f"#{row.match}",
            "id": row.id,
            "seat": row.seat,
            "place": f"{row.place} of {row.seats}",
            "score": row.score,
            "winner": row.winner,
            "its score": row.winner_score,
        }
        for row in losses.worst
    ]
    notes = [f"look at it: {row.command}" for row in losses.worst] or ["No match was lost."]
    heading, words, wide = f"Worst matches of {losses.bot}", ("match", "id", "place"), ("winner",)
    return make_section("worst", Worst, losses.worst, lines, notes, heading=heading, words=words, wide=wide)


def _list_own_faults(losses: Losses) -> Section:
    lines = [
        {
            "kind": row.kind,
            "faults": row.count,
            "matches": row.matches,
            "first": f"#{row.match}",
            "decision": NONE if row.decision < 0 else row.decision,
            "what was wrong": row.rule,
        }
        for row in losses.faults
    ]
    notes = [] if lines else ["No faults."]
    if lines:
        more = f" {losses.faults_more} of other sorts are not listed." if losses.faults_more else ""
        log, last = losses.faults[0].log, losses.faults[0].stderr
        wrote = f"Its standard error is in {log}, and ends: {last}" if log else "It wrote nothing to standard error."
        shows = list(dict.fromkeys(row.command for row in losses.faults))
        again = f"ask the bot again: {shows[0]} -- COMMAND LINE OF THE BOT"
        notes = [
            f"first: the first match with such a fault.{more}",
            *(f"fix: {hint}" for hint in dict.fromkeys(row.hint for row in losses.faults) if hint),
            wrote,
            *(f"look at it: {show}" for show in shows),
            again,
        ]
    heading, words, wide = f"Faults of {losses.bot}", ("first", "kind"), ("what was wrong",)
    return make_section("own_faults", FaultOf, losses.faults, lines, notes, heading=heading, words=words, wide=wide)


def _between(value: float, margin: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if margin is None else f" +- {margin:.{digits}f}")


def _limit(ms: int) -> str:
    """As the command line takes it."""
    return f"{ms // 1000}s" if ms % 1000 == 0 else f"{ms}ms"
