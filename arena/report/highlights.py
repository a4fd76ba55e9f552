"""The matches of a report: the list, and those worth a look. Knows results; knows no run, file or format."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from arena.game import MOST_DECIMALS
from arena.numeric import Array, np
from arena.record import Record, from_first
from arena.report.times import BotFaults, BotTimes
from arena.results.columns import Match, Results
from arena.words import listed, plural

LISTED = 800
"""Of more matches than this a report lists a sample."""


class MatchRow(Struct, frozen=True, kw_only=True):
    """A match in the list. Sequences by seat run over all seats."""

    number: int
    id: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int | float, ...]
    decisions: int
    seconds: float
    faults: tuple[tuple[int, str], ...] = ()
    """Seat and kind of each, at most four."""
    retired: tuple[int, ...] = ()

    @property
    def margin(self) -> float:
        """By how many points the first is ahead of the second; 0 if they share the first place."""
        first, second = self.order[:2]
        tied = self.ranks[first] == self.ranks[second]
        return 0 if tied else round(abs(self.scores[first] - self.scores[second]), MOST_DECIMALS)

    @property
    def order(self) -> list[int]:
        """The seats from first to last."""
        return from_first(self.ranks)


class Highlight(Struct, frozen=True, kw_only=True):
    """A match worth a look."""

    number: int
    why: str
    """It tells no result, and so does the summary."""
    summary: str
    outcome: str = ""
    """What the match would show at its end."""
    decision: int = -1
    """Where to begin; -1: at the start."""


def make_match_row(match: Match | Record, *, number: int, decisions: int) -> MatchRow:
    """The row of a match in the list."""
    return MatchRow(
        number=number,
        id=match.id,
        bots=match.bots,
        ranks=match.ranks,
        scores=match.scores,
        decisions=decisions,
        seconds=round(match.seconds, 3),
        faults=tuple((fault.seat, fault.kind) for fault in match.faults[:4]),
        retired=match.retired,
    )


def _row(match: Match) -> MatchRow:
    return make_match_row(match, number=match.number, decisions=match.decisions)


class _Played(Struct, frozen=True, eq=False):
    """The matches that were played, as what is looked for in them."""

    rows: Array
    places: Array
    """By seat the place of the bot in the ranking; beyond the last seat that after all."""
    ranks: Array
    """Beyond the last seat greater than all."""
    winner: Array
    """The seat of the first; of several the first seat."""
    margins: Array
    """By how many points the first is ahead of the second; 0 if they share the first place."""


def _played(results: Results, ranking: Sequence[str]) -> _Played:
    columns, rows = results.columns, np.flatnonzero(results.played)
    here = np.arange(len(rows))
    place = {bot: index for index, bot in enumerate(ranking)}
    of_bot = np.array([*[place.get(bot, len(ranking)) for bot in results.bots], len(ranking)])
    ranks = columns.ranks[rows].astype(np.int64)
    ranks[ranks < 0] = np.iinfo(np.int64).max
    scores = columns.scores[rows].astype(float)
    first = np.argmin(ranks, axis=1)
    rest = ranks.copy()
    rest[here, first] = np.iinfo(np.int64).max
    second = np.argmin(rest, axis=1)
    apart = np.abs(scores[here, first] - scores[here, second])
    margins = np.where(ranks[here, first] == ranks[here, second], 0, apart)
    return _Played(rows=rows, places=of_bot[columns.bots[rows]], ranks=ranks, winner=first, margins=margins)


def match_rows(results: Results) -> tuple[MatchRow, ...]:
    """All matches; if there are too many, those with faults, the closest, the longest and every n-th."""
    played, columns = _played(results, ()), results.columns
    numbers = columns.number[played.rows]
    stride = 1
    while (numbers % stride == 0).sum() > LISTED:
        stride *= 2
    sample = np.flatnonzero(numbers % stride == 0)
    if len(numbers) > LISTED:
        faulty = np.array([row for row, match in results.rare_matches() if match.faults][: LISTED // 4], np.int64)
        closest = np.argsort(played.margins, kind="stable")[: LISTED // 4]
        longest = np.argsort(-columns.decisions[played.rows].astype(np.int64), kind="stable")[: LISTED // 8]
        notable = np.unique(np.concatenate([np.searchsorted(played.rows, faulty), closest, longest]))
        rest = np.setdiff1d(sample, notable)
        room = max(1, LISTED - len(notable))
        sample = np.union1d(notable, rest[:: max(1, -(-len(rest) // room))])
    return tuple(map(_row, results.matches(played.rows[sample])))


def pick_highlights(
    results: Results,
    ranking: Sequence[str],
    faults: Sequence[BotFaults],
    times: Sequence[BotTimes],
    final: Collection[str] = (),
) -> tuple[Highlight, ...]:
    """One match for each thing that a reader would look for, first of the bots of a ``final``; no match twice."""
    played = _played(results, ranking)
    if not len(played.rows):
        return ()
    here = np.arange(len(played.rows))
    decisions = results.columns.decisions[played.rows].astype(np.int64)
    of_winner = played.places[here, played.winner]
    best = played.places.min(axis=1)
    of_leader = np.where(played.places == 0, played.ranks, 0).max(axis=1)
    by_row: dict[int, Highlight] = {}

    def first(key: Array) -> MatchRow | None:
        """The first match with the greatest key, if that is above 0."""
        index = int(np.argmax(key))
        return _row(results.match(int(played.rows[index]))) if key[index] > 0 else None

    def choose(number: int, why: str, summary: str, *, outcome: str = "", decision: int | None = None) -> None:
        decision = -1 if decision is None else decision
        found = Highlight(number=number, why=why, summary=summary, outcome=outcome, decision=decision)
        by_row.setdefault(number, found)

    near = np.where(played.margins > 0, 1 / np.maximum(played.margins, 1), 0)
    finalists = [index for index, bot in enumerate(results.bots) if bot in final]
    together = np.isin(results.columns.bots[played.rows], finalists).sum(axis=1) == max(len(finalists), 1)
    for why, key in (("The final", together * (1 + near)), ("A close match", near)):
        if match := first(key):
            winner, second = (match.bots[seat] for seat in match.order[:2])
            level = f"{winner} and {second} share the first place"
            outcome = f"{winner} is ahead of {second} by {match.margin}" if match.margin else level
            choose(match.number, why, listed(match.bots), outcome=outcome)
    if match := first(of_leader * (len(ranking) + 1) + np.where(of_leader > 0, of_winner, 0)):
        place = match.ranks[match.bots.index(ranking[0])] + 1
        outcome = f"The leader beaten: {match.bots[match.order[0]]} wins, {ranking[0]} is number {place}"
        choose(match.number, "A match of the leader", listed(match.bots), outcome=outcome)
    if match := first(of_winner - best):
        others = ", ".join(match.bots[seat] for seat in match.order[1:])
        outcome = f"The greatest upset: {match.bots[match.order[0]]} wins against {others}"
        choose(match.number, "Strong and weak together", listed(match.bots), outcome=outcome)
    kinds: set[str] = set()
    for bot in sorted(faults, key=lambda fault: (fault.first_match, fault.first_decision)):
        if bot.kind not in kinds:
            kinds.add(bot.kind)
            summary = f"{bot.bot}: {bot.first_rule}"
            choose(bot.first_match, f"The first fault: {bot.kind}", summary, decision=bot.first_decision)
    closest = max((entry for entry in times if entry.closest), key=lambda clock: clock.closest or 0, default=None)
    if closest and closest.closest_match is not None:
        summary = f"{closest.bot} takes {closest.ms_max:.0f} ms, {100 * (closest.closest or 0):.0f} % of the limit"
        choose(closest.closest_match, "The closest call", summary, decision=closest.closest_decision)
    if match := first(decisions + 1):
        summary = f"{listed(match.bots)}: {plural(match.decisions, 'decision')}"
        choose(match.number, "The longest match", summary, outcome=f"{match.bots[match.order[0]]} wins")
    median = int(np.sort(played.margins)[len(here) // 2])
    match = first(played.margins == median)
    if match is not None:
        choose(match.number, "A match like most", listed(match.bots), outcome=f"the median margin, {median}")
    return tuple(by_row.values())
