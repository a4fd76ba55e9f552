"""Where a bot loses: from which seat, against whom, in which part of a match; its worst matches and its faults.

Knows records, states of games and pairs of ratings; knows no run, file or format.
"""

from collections.abc import Iterable, Iterator
from heapq import heappush, heappushpop
from math import sqrt
from statistics import fmean

from msgspec import Struct

from arena.fault import FaultKind
from arena.game import State
from arena.ratings import Pair
from arena.record import Record, match_key, retell
from arena.report.faults import without_figures
from arena.report.seats import quantile

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
    score: int
    winner: str
    winner_score: int
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
    """Shows the match as the bot's seat saw it."""


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


class _Seat(Struct):
    matches: int = 0
    ranks: float = 0.0
    squares: float = 0.0
    scores: int = 0
    behind: int = 0
    first: float = 0.0


class Alike(Struct):
    """Faults of one sort."""

    number: int
    """Of the match that had the first of them."""
    record: Record
    at: int
    """The place of that fault among those of the record."""
    count: int = 0
    matches: int = 0
    last: int = -1
    """The match it was last seen in."""


class LossTally:
    """Counts the matches of one bot. Memory does not grow with them, but for one number for each lost match."""

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.matches = 0
        self.lost: list[int] = []
        """The numbers of the matches that it lost."""
        self._faults: dict[tuple[FaultKind, str], Alike] = {}
        self.faults_more = 0
        self._seats: dict[tuple[int, int], _Seat] = {}
        self._worst: list[tuple[float, int, tuple[int, ...], int, Record]] = []

    def add(self, number: int, record: Record) -> None:
        """Count a match that is not void; one in which the bot does not sit is passed over."""
        if self.bot not in record.bots:
            return
        seat, seats = record.bots.index(self.bot), len(record.bots)
        rank, score, winner = record.ranks[seat], record.scores[seat], _winner(record)
        self.matches += 1
        sums = self._seats.setdefault((seats, seat), _Seat())
        better, equal = sum(other < rank for other in record.ranks), record.ranks.count(rank)
        place = (better + (equal - 1) / 2) / (seats - 1)
        sums.matches += 1
        sums.ranks += place
        sums.squares += place * place
        sums.scores += score
        if better:
            behind = record.scores[winner] - score
            sums.behind += behind
            self.lost.append(number)
            # of equal matches the first of the schedule: that does not depend on which match ended first
            worst = (
                better / (seats - 1),
                behind,
                tuple([-int(part) for part in match_key(record.id)]),
                number,
                record,
            )
            (heappush if len(self._worst) < WORST else heappushpop)(self._worst, worst)
        else:
            sums.first += 1 / equal
        for at, fault in enumerate(record.faults):
            if fault.seat == seat:
                self._add_fault(number, record, at)

    def _add_fault(self, number: int, record: Record, at: int) -> None:
        fault = record.faults[at]
        sort = fault.kind, without_figures(fault.rule)
        if sort not in self._faults and len(self._faults) == FAULTS:
            self.faults_more += 1
            return
        alike = self._faults.setdefault(sort, Alike(number=number, record=record, at=at))
        alike.count += 1
        alike.matches += alike.last != number
        alike.last = number

    def faults(self) -> list[Alike]:
        """Its faults by sort, the most frequent first."""
        return sorted(self._faults.values(), key=lambda alike: (-alike.count, alike.number, alike.at))

    def seats(self) -> Iterator[FromSeat]:
        """How it did from each seat, by the number of seats."""
        for (seats, seat), sums in sorted(self._seats.items()):
            count = sums.matches
            spread = max(0.0, sums.squares / count - (sums.ranks / count) ** 2)
            margin = quantile(count - 1) * sqrt(spread / (count - 1)) if count >= _FEWEST else None
            yield FromSeat(
                seats=seats,
                seat=seat,
                matches=count,
                mean_rank=round(sums.ranks / count, _DIGITS),
                rank_margin=None if margin is None else round(margin, _DIGITS),
                mean_score=round(sums.scores / count, _DIGITS),
                behind=round(sums.behind / count, _DIGITS),
                first=round(sums.first / count, _DIGITS),
            )

    def worst(self, command: str) -> Iterator[Worst]:
        """The worst matches; ``command`` shows one, with ``{match}`` and ``{seat}`` in it."""
        for *_, number, record in sorted(self._worst, key=lambda each: each[:3], reverse=True):
            seat, winner = record.bots.index(self.bot), _winner(record)
            yield Worst(
                match=number,
                id=record.id,
                seat=seat,
                place=1 + sum(other < record.ranks[seat] for other in record.ranks),
                seats=len(record.bots),
                score=record.scores[seat],
                winner=record.bots[winner],
                winner_score=record.scores[winner],
                command=command.format(match=number, seat=seat),
            )


def against(bot: str, pairs: Iterable[Pair]) -> list[Against]:
    """How a bot does against each that it met, the hardest first."""
    own = (pair if pair.bot == bot else pair.turned for pair in pairs if bot in (pair.bot, pair.other))
    found = [
        Against(
            opponent=pair.other,
            matches=pair.matches,
            ahead=round(pair.share, _DIGITS),
            low=None if pair.low is None else round(pair.low, _DIGITS),
            high=None if pair.high is None else round(pair.high, _DIGITS),
            expected=round(pair.expected, _DIGITS),
            certain=pair.certain,
        )
        for pair in own
    ]
    return sorted(found, key=lambda each: (each.ahead, each.opponent))


def phases(bot: str, lost: Iterable[tuple[Record, State]]) -> list[Phase]:
    """How a bot stood in matches that it lost, by part; each with the fresh deal that it began with.

    Raises:
        arena.record.Differs: the picks of one do not fit its deal.
    """
    parts: list[list[tuple[int, int, bool]]] = [[] for _ in range(PARTS)]
    for record, state in lost:
        seat, winner = record.bots.index(bot), _winner(record)
        for part, (scores, leads) in zip(parts, _stands(record, state, seat), strict=True):
            part.append((scores[seat], scores[winner], leads))
    found: list[Phase] = []
    before = 0.0
    for number, part in enumerate(parts, 1):
        if part:
            score, winner_score = fmean(own for own, _, _ in part), fmean(best for _, best, _ in part)
            behind = winner_score - score
            found.append(
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
    return found


def _stands(record: Record, state: State, seat: int) -> Iterator[tuple[tuple[int, ...], bool]]:
    """At the end of each part the scores, and whether the seat was first."""
    ends = [-(-len(record.picks) * part // PARTS) for part in range(1, PARTS)]
    for step in retell(record, state):
        done = step.first + len(step.pending.asked)
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
