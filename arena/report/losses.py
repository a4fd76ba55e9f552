"""Where a bot loses: by seat, opponent and part of a match. Knows results, states of games and pairs of ratings."""

from collections.abc import Iterable, Iterator
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.fault import Fault, FaultKind
from arena.game import State
from arena.numeric import Array, np
from arena.ratings.quantiles import SIDE, student
from arena.record import Record
from arena.report.times import faults_by, without_figures
from arena.results.columns import Match, Results
from arena.results.tally import count_places, find_matches_of
from arena.retelling import retell

if TYPE_CHECKING:
    from arena.ratings.ahead import Pair

PARTS = 4
"""Parts of a match, each of as many decisions."""
WORST = 5
"""Matches that are named."""
FAULTS = 10
"""Sorts of faults that are told: those of a kind whose explanations differ in figures alone are of one sort."""
_FEWEST = 5
"""Of fewer matches there is no interval."""
_DIGITS = 4


class FromSeat(Struct, frozen=True, kw_only=True):
    """How the bot does from one seat at tables of ``seats``."""

    seats: int
    seat: int
    matches: int
    mean_rank: float
    """From 0, always first, to 1, always last; bots that tie share the mean of their places."""
    rank_margin: float | None
    """Half of its 95 % interval; None of fewer than 5 matches, each of a deal of its own."""
    mean_score: float
    """In the game's own unit."""
    behind: float
    """Points that the winner had more, in the mean of all matches; 0 where the bot won."""
    first: float
    """The share of matches won; a first place that ``k`` share counts 1/k."""


class Against(Struct, frozen=True, kw_only=True):
    """How the bot does against one opponent."""

    opponent: str
    matches: int
    ahead: float
    """The share of shared matches in which the bot finished ahead, a tie half."""
    low: float | None
    """Of ``ahead``, with 95 % confidence from whole blocks; None of too few."""
    high: float | None
    expected: float
    """The share that the ratings alone would give."""
    certain: int
    """1 if the bot is certainly the better one, -1 if the opponent is, else 0."""


class Phase(Struct, frozen=True, kw_only=True):
    """One part of the matches that the bot lost: how it would have stood if the match had ended with the part."""

    part: int
    """From 1 to ``PARTS``, each of as many decisions of all seats."""
    matches: int
    score: float
    """Mean score of the bot."""
    winner: float
    """Mean score of the seat that won in the end."""
    behind: float
    """Their difference."""
    lost: float
    """By how much that grew in this part."""
    leading: float
    """The share of these matches in which the bot was first, alone or with others."""


class Worst(Struct, frozen=True, kw_only=True):
    """A match that went badly."""

    match: int
    """Its number in the journal."""
    id: str
    seat: int
    place: int
    """From 1; bots that tie have the same."""
    seats: int
    score: float
    winner: str
    winner_score: float
    command: str
    """Shows it."""


class FaultOf(Struct, frozen=True, kw_only=True):
    """Faults of one sort: how many, and the first of them."""

    count: int
    matches: int
    """Matches in which there was one."""
    match: int
    id: str
    decision: int
    """Index into the record's ``picks``; -1 before the first."""
    kind: FaultKind
    rule: str
    """What was expected and what was got; of a late answer also whether the bot was computing or idle."""
    hint: str
    log: str
    """The file that holds what the bot wrote to stderr during the run; empty if it wrote nothing."""
    stderr: str
    """The last line of that file."""
    command: str
    """Shows the match as the bot's seat saw it, from that decision on."""


class Losses(Struct, frozen=True, kw_only=True):
    """Where a bot loses."""

    bot: str
    matches: int
    lost: int
    """Matches in which another bot finished ahead of it."""
    seats: tuple[FromSeat, ...]
    opponents: tuple[Against, ...]
    """The hardest first."""
    phases: tuple[Phase, ...]
    """None if no match was lost."""
    worst: tuple[Worst, ...]
    """The worst first: by place, then by how far behind the winner."""
    faults: tuple[FaultOf, ...]
    """By sort, the most frequent first; ``FAULTS`` sorts at most."""
    faults_more: int
    """Faults of other sorts."""


def lost(results: Results, bot: str) -> Array:
    """The rows of the matches in which another bot finished ahead."""
    rows, seats = find_matches_of(results, bot)
    ahead = count_places(results.columns.ranks[rows])[0][np.arange(len(rows)), seats]
    losses: Array = rows[ahead > 0]
    return losses


def from_seats(results: Results, bot: str) -> Iterator[FromSeat]:
    """How it did from each seat, by the number of seats."""
    columns, (rows, seats) = results.columns, find_matches_of(results, bot)
    here = np.arange(len(rows))
    better, level = (place[here, seats].astype(np.int64) for place in count_places(columns.ranks[rows]))
    sizes = columns.seats[rows].astype(np.int64)
    place = (better + (level - 1) / 2) / (sizes - 1)
    scores = columns.scores[rows].astype(float)
    bot_scores = scores[here, seats]
    behind = np.where(better > 0, scores[here, _winners(columns.ranks[rows])] - bot_scores, 0)
    first = np.where(better > 0, 0.0, 1 / level)
    for size, seat in np.unique(np.column_stack([sizes, seats]), axis=0).tolist():
        of_seat = (sizes == size) & (seats == seat)
        count = int(of_seat.sum())
        rank, square = float(place[of_seat].sum()), float((place[of_seat] ** 2).sum())
        spread = max(0.0, square / count - (rank / count) ** 2)
        margin = student(SIDE, count - 1) * sqrt(spread / (count - 1)) if count >= _FEWEST else None
        yield FromSeat(
            seats=size,
            seat=seat,
            matches=count,
            mean_rank=round(rank / count, _DIGITS),
            rank_margin=None if margin is None else round(margin, _DIGITS),
            mean_score=round(float(bot_scores[of_seat].sum()) / count, _DIGITS),
            behind=round(float(behind[of_seat].sum()) / count, _DIGITS),
            first=round(float(first[of_seat].sum()) / count, _DIGITS),
        )


def worst(results: Results, *, bot: str, command: str) -> list[Worst]:
    """The worst matches; ``command`` shows one, with ``{match}`` and ``{seat}`` in it."""
    columns, (rows, seats) = results.columns, find_matches_of(results, bot)
    here = np.arange(len(rows))
    better = count_places(columns.ranks[rows])[0][here, seats].astype(np.int64)
    winners = _winners(columns.ranks[rows])
    scores = columns.scores[rows].astype(float)
    behind = scores[here, winners] - scores[here, seats]
    # of equal matches the first of the schedule: that does not depend on which match ended first
    part = better / (columns.seats[rows] - 1)
    order = np.lexsort((columns.rotation[rows], columns.block[rows], -behind, -part))
    indices = order[better[order] > 0][:WORST]
    return [
        Worst(
            match=match.number,
            id=match.id,
            seat=seat,
            place=1 + sum(rank < match.ranks[seat] for rank in match.ranks),
            seats=len(match.bots),
            score=match.scores[seat],
            winner=match.bots[winner],
            winner_score=match.scores[winner],
            command=command.format(match=match.number, seat=seat),
        )
        for match, seat, winner in zip(
            results.matches(rows[indices]), seats[indices].tolist(), winners[indices].tolist(), strict=True
        )
    ]


def fault_sorts(results: Results, bot: str, *, command: str, log: str, stderr: str) -> tuple[tuple[FaultOf, ...], int]:
    """Its faults by sort, the most frequent first; and how many of other sorts there are.

    ``command`` is as of ``worst``; the ``log`` ends with the line ``stderr``.
    """

    def sort_of(match: Match, fault: Fault) -> tuple[FaultKind, str] | None:
        return (fault.kind, without_figures(fault.rule)) if match.bots[fault.seat] == bot else None

    sorts = list(faults_by(results, sort_of).values())
    # those of one match stand as they happened
    groups = sorted(sorts[:FAULTS], key=lambda faults: (-len(faults), faults[0][0].number))
    return tuple(
        FaultOf(
            count=len(faults),
            matches=len({match.number for match, _ in faults}),
            match=match.number,
            id=match.id,
            decision=fault.decision,
            kind=fault.kind,
            rule=fault.rule,
            hint=fault.hint,
            log=log,
            stderr=stderr,
            command=command.format(match=match.number, seat=fault.seat)
            + (f" --decision {fault.decision}" if fault.decision >= 0 else ""),
        )
        for faults in groups
        for match, fault in faults[:1]
    ), sum(map(len, sorts[FAULTS:]))


def _winners(ranks: Array) -> Array:
    """The first seat of the best rank of each match."""
    winners: Array = np.where(ranks < 0, np.iinfo(np.int64).max, ranks.astype(np.int64)).argmin(axis=1)
    return winners


def against(bot: str, pairs: "Iterable[Pair]") -> list[Against]:
    """How a bot does against each that it met, the hardest first."""
    duels = (pair if pair.bot == bot else pair.turned for pair in pairs if bot in (pair.bot, pair.other))
    againsts = [
        Against(
            opponent=pair.other,
            matches=pair.matches,
            ahead=round(pair.share, _DIGITS),
            low=None if pair.low is None else round(pair.low, _DIGITS),
            high=None if pair.high is None else round(pair.high, _DIGITS),
            expected=round(pair.expected, _DIGITS),
            certain=pair.certain,
        )
        for pair in duels
    ]
    return sorted(againsts, key=lambda entry: (entry.ahead, entry.opponent))


def phases(bot: str, matches: Iterable[tuple[Record, State]]) -> list[Phase]:
    """How a bot stood in matches that it lost, by part; each with the fresh deal that it began with.

    Raises:
        arena.retelling.Differs: the picks of one do not fit its deal.
    """
    parts: list[list[tuple[float, float, bool]]] = [[] for _ in range(PARTS)]
    for record, state in matches:
        seat, winner = record.bots.index(bot), _winner(record)
        for part, (scores, leads) in zip(parts, _stands(record, state, seat), strict=True):
            part.append((scores[seat], scores[winner], leads))
    rows: list[Phase] = []
    before = 0.0
    for number, part in enumerate(parts, 1):
        if part:
            score, winner_score = fmean(points for points, _, _ in part), fmean(best for _, best, _ in part)
            behind = winner_score - score
            rows.append(
                Phase(
                    part=number,
                    matches=len(part),
                    score=round(score, _DIGITS),
                    winner=round(winner_score, _DIGITS),
                    behind=round(behind, _DIGITS),
                    lost=round(behind - before, _DIGITS),
                    leading=round(fmean(leads for _, _, leads in part), _DIGITS),
                )
            )
            before = behind
    return rows


def _stands(record: Record, state: State, seat: int) -> Iterator[tuple[tuple[float, ...], bool]]:
    """At the end of each part the scores, and whether the seat was first."""
    ends = [-(-len(record.picks) * part // PARTS) for part in range(1, PARTS)]
    for step in retell(record, state):
        done = step.first + len(step.pending.seats)
        while ends and done >= ends[0]:
            ends.pop(0)
            standing = state.standing()
            yield standing.scores, standing.ranks[seat] == 0
    for _ in ends:
        # a match without decisions has only an end
        yield record.scores, record.ranks[seat] == 0
    yield record.scores, record.ranks[seat] == 0


def _winner(record: Record) -> int:
    return record.ranks.index(min(record.ranks))
