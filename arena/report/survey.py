"""All figures of a report on a run, from one pass over its records. Knows records and ratings; no run and no page."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush, heappushpop
from math import sqrt
from operator import itemgetter
from statistics import NormalDist

from msgspec import Struct

from arena.ratings import FEWEST_BLOCKS, BlockOutcomes, fit_counts
from arena.ratings.influences import influences
from arena.ratings.table import Solution
from arena.record import Record, match_key
from arena.report.ahead import Ahead, finished_ahead_of
from arena.report.faults import BotFaults, Faults
from arena.report.seats import Seat, Seats
from arena.report.times import BotTimes, Times

LISTED = 1500
"""Of more matches than this a report lists a sample."""
MARKS = 8
"""Points of the curves of ratings."""
_PAGE = 1 << 12
"""Blocks that are put in order together."""
_SIDE = NormalDist().inv_cdf(0.975)


class MatchRow(Struct, frozen=True, kw_only=True):
    """A match in the list. Sequences by seat run over all seats."""

    number: int
    id: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    decisions: int
    seconds: float
    faults: tuple[tuple[int, str], ...] = ()
    """Seat and kind of each, at most four."""
    retired: tuple[int, ...] = ()

    @property
    def margin(self) -> int:
        """By how many points the first is ahead of the second; 0 if they share the first place."""
        first, second = self.order[:2]
        return 0 if self.ranks[first] == self.ranks[second] else abs(self.scores[first] - self.scores[second])

    @property
    def order(self) -> list[int]:
        """The seats from first to last."""
        return sorted(range(len(self.bots)), key=lambda seat: (self.ranks[seat], seat))


class Chosen(Struct, frozen=True, kw_only=True):
    """A match worth a look."""

    number: int
    why: str
    said: str
    decision: int = -1
    """Where to begin; -1: at the start."""


class RatingPoint(Struct, frozen=True, kw_only=True):
    """A bot after a number of matches."""

    mu: float
    low: float | None
    """Of mu, with 95 % confidence; None if it had sat in too few blocks."""
    high: float | None


class Mark(Struct, frozen=True, kw_only=True):
    """The ratings after a number of matches, in the order of the schedule and in whole blocks."""

    matches: int
    bots: dict[str, RatingPoint]


class Survey(Struct, frozen=True, kw_only=True):
    """What a report tells beside the leaderboard."""

    matches: int
    """Recorded, the void ones among them."""
    void: int
    blocks: int
    ahead: Ahead | None
    """Who finishes ahead of whom; None before the first match."""
    history: tuple[Mark, ...]
    times: tuple[BotTimes, ...]
    seats: tuple[Seat, ...]
    faults: tuple[BotFaults, ...]
    listed: tuple[MatchRow, ...]
    """Matches in the order in which they were finished: all, or a sample."""
    chosen: tuple[Chosen, ...]


def survey(records: Iterable[Record], entrants: Sequence[str], *, ranking: Sequence[str], limit: int) -> Survey:
    """Read the records once, in the order in which they were finished.

    Args:
        records: of a run, void ones among them.
        entrants: all bots that may sit in them.
        ranking: the bots from first to last.
        limit: milliseconds for a decision.

    Raises:
        ValueError: a record is not whole, or names another bot.
        arena.ratings.Unsettled: the ratings do not converge.
    """
    surveyor = Surveyor(entrants, ranking=ranking, limit=limit)
    for number, record in enumerate(records):
        surveyor.add(number, record)
    return surveyor.found()


class Surveyor:
    """What is known so far of the matches of a run; the arguments are those of ``survey``.

    Without a ranking no matches are listed or chosen.
    """

    def __init__(self, entrants: Sequence[str], *, ranking: Sequence[str] | None = None, limit: int) -> None:
        self._entrants = entrants
        self._times, self._faults, self._seats = Times(entrants, limit), Faults(entrants), Seats()
        self._sample = None if ranking is None else _Sample(ranking)
        self._played = _Played()
        self._matches = self._void = 0

    def add(self, number: int, record: Record) -> None:
        """Count a match; ``number`` is its place among all.

        Raises:
            ValueError: it is not whole, or names another bot.
        """
        self._matches += 1
        if record.reason == "void":
            self._void += 1
            return
        self._times.add(number, record)
        self._faults.add(number, record)
        self._seats.add(record)
        if self._sample is not None:
            self._sample.add(listed(number, record))
        self._played.add(record)

    def found(self) -> Survey:
        """The survey of the matches so far.

        Raises:
            arena.ratings.Unsettled: the ratings do not converge.
        """
        played, sample = self._played, self._sample
        blocks = BlockOutcomes()
        history = tuple(_history(played, blocks, self._entrants))
        times, faults = tuple(self._times.rows()), tuple(self._faults.rows())
        return Survey(
            matches=self._matches,
            void=self._void,
            blocks=len(blocks.names),
            ahead=finished_ahead_of(blocks) if len(played) else None,
            history=history,
            times=times,
            seats=tuple(self._seats.rows()),
            faults=faults,
            listed=() if sample is None else sample.listed(),
            chosen=sample.chosen(faults, times) if sample is not None and len(played) else (),
        )


def listed(number: int, record: Record) -> MatchRow:
    """A match as it stands in the list."""
    return MatchRow(
        number=number,
        id=record.id,
        bots=record.bots,
        ranks=record.ranks,
        scores=record.scores,
        decisions=len(record.picks),
        seconds=round(record.seconds, 3),
        faults=tuple((fault.seat, fault.kind) for fault in record.faults[:4]),
        retired=record.retired,
    )


class _Played:
    """How matches ended, to be read in the order of the schedule: some 12 bytes a match."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[tuple[str, ...], tuple[int, ...]], int] = {}
        """Who sat where and came where: every way that there was, by the order in which they were first seen."""
        self._pages: dict[tuple[int, int], tuple[array[int], array[int]]] = {}
        """By epoch and page of blocks: of each match its place in the page, and its outcome."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, record: Record) -> None:
        """Take in a match that is not void."""
        epoch, block, rotation = match_key(record.id)
        page, at = divmod(block, _PAGE)
        places, outcomes = self._pages.setdefault((epoch, page), (array("L"), array("L")))
        places.append(at * _PAGE + min(rotation, _PAGE - 1))
        outcomes.append(self._outcomes.setdefault((record.bots, record.ranks), len(self._outcomes)))
        self._count += 1

    def __iter__(self) -> Iterator[tuple[str, tuple[str, ...], tuple[int, ...]]]:
        """Block, bots and ranks of each match."""
        ways = list(self._outcomes)
        for (epoch, page), (places, outcomes) in sorted(self._pages.items(), key=itemgetter(0)):
            for place, bots, ranks in sorted(
                (place, *ways[outcome]) for place, outcome in zip(places, outcomes, strict=True)
            ):
                yield f"e{epoch}b{page * _PAGE + place // _PAGE}", bots, ranks


def _history(played: _Played, blocks: BlockOutcomes, entrants: Sequence[str]) -> Iterable[Mark]:
    """Fill the blocks in the order of the schedule; a mark after each eighth of them."""
    ends: array[int] = array("L")
    """After how many matches each block is over."""
    before = ""
    for count, (block, _, _) in enumerate(played):
        if count and block != before:
            ends.append(count)
        before = block
    if len(played):
        ends.append(len(played))
    marks = {ends[-(-(len(ends) * part) // MARKS) - 1] for part in range(1, MARKS + 1)} if ends else set()
    for count, (block, bots, ranks) in enumerate(played, 1):
        blocks.add(block, bots, ranks)
        if count in marks:
            # outcomes are counted, not read again: a fit takes as long as there are different ones
            table, solutions = fit_counts(blocks.counts(), entrants)
            spread = _spread(blocks, solutions)
            standings = {}
            for bot in entrants:
                mu, by = table.ratings[bot].mu, spread.get(bot)
                low, high = (None, None) if by is None else (mu - by, mu + by)
                standings[bot] = RatingPoint(mu=mu, low=low, high=high)
            yield Mark(matches=count, bots=standings)


def _spread(blocks: BlockOutcomes, solutions: Iterable[Solution]) -> dict[str, float]:
    """Half of a 95 % interval of mu, for bots that sat in enough blocks.

    The infinitesimal jackknife over whole blocks, as ``arena.ratings.intervals`` has it, but without resampling: the
    band of a curve needs no skewness.
    """
    found = {}
    for solution in solutions:
        moves, sat = influences(blocks, solution)
        for bot, of_bot, groups in zip(solution.names, moves, sat, strict=True):
            if len(groups) >= FEWEST_BLOCKS:
                found[bot] = _SIDE * sqrt(sum(move * move for move in of_bot))
    return found


class _Best:
    """The match with the greatest key so far; of equal ones the first."""

    def __init__(self) -> None:
        self.key: tuple[int, ...] | None = None
        self.match: MatchRow | None = None

    def add(self, key: tuple[int, ...], match: MatchRow) -> None:
        if self.key is None or key > self.key:
            self.key, self.match = key, match


class _Sample:
    """Matches for the list and matches worth a look; memory does not grow with the matches."""

    def __init__(self, ranking: Sequence[str]) -> None:
        self._place = {bot: place for place, bot in enumerate(ranking)}
        self._leader = ranking[0] if ranking else ""
        self._narrow, self._lost, self._upset, self._long = _Best(), _Best(), _Best(), _Best()
        self._margins: dict[int, tuple[int, int]] = {}
        """By margin how many matches had it, and the first of them."""
        self._every, self._stride = dict[int, MatchRow](), 1
        self._faulty: dict[int, MatchRow] = {}
        self._close: list[tuple[int, int, MatchRow]] = []
        self._longest: list[tuple[int, int, MatchRow]] = []

    def add(self, match: MatchRow) -> None:
        margin, number = match.margin, match.number
        count, first = self._margins.get(margin, (0, number))
        self._margins[margin] = count + 1, first
        self._keep(match, margin)
        places = [self._place.get(bot, len(self._place)) for bot in match.bots]
        winner = places[match.order[0]]
        if margin:
            self._narrow.add((-margin,), match)
        if self._leader in match.bots and (rank := match.ranks[match.bots.index(self._leader)]):
            self._lost.add((rank, winner), match)
        if winner > min(places):
            self._upset.add((winner - min(places),), match)
        self._long.add((match.decisions,), match)

    def _keep(self, match: MatchRow, margin: int) -> None:
        quarter = LISTED // 4
        if match.number % self._stride == 0:
            self._every[match.number] = match
            if len(self._every) > LISTED:
                self._stride *= 2
                self._every = {at: each for at, each in self._every.items() if at % self._stride == 0}
        if match.faults and len(self._faulty) < quarter:
            self._faulty[match.number] = match
        for heap, key, room in ((self._close, -margin, quarter), (self._longest, match.decisions, quarter // 2)):
            (heappush if len(heap) < room else heappushpop)(heap, (key, -match.number, match))

    def listed(self) -> tuple[MatchRow, ...]:
        """All matches, or of very many those with faults, the closest, the longest and every n-th."""
        found = dict(self._every)
        if sum(count for count, _ in self._margins.values()) > LISTED:
            notable = [*self._faulty.values(), *(each[2] for each in (*self._close, *self._longest))]
            found = {match.number: match for match in notable}
            room = LISTED - len(found)
            rest = [match for number, match in sorted(self._every.items()) if number not in found]
            found |= {match.number: match for match in rest[:: max(1, -(-len(rest) // max(1, room)))]}
        return tuple(found[number] for number in sorted(found))

    def chosen(self, faults: Sequence[BotFaults], times: Sequence[BotTimes]) -> tuple[Chosen, ...]:
        """One match for each thing that a reader would look for; no match twice."""
        found: dict[int, Chosen] = {}

        def choose(match: MatchRow | None, why: str, said: str) -> None:
            if match is not None:
                found.setdefault(match.number, Chosen(number=match.number, why=why, said=said))

        if match := self._narrow.match:
            first, second = (match.bots[seat] for seat in match.order[:2])
            choose(match, "Won by the least", f"{first} is ahead of {second} by {match.margin}")
        if match := self._lost.match:
            place = match.ranks[match.bots.index(self._leader)] + 1
            choose(match, "The leader beaten", f"{match.bots[match.order[0]]} wins, {self._leader} is number {place}")
        if match := self._upset.match:
            others = ", ".join(match.bots[seat] for seat in match.order[1:])
            choose(match, "The greatest upset", f"{match.bots[match.order[0]]} wins against {others}")
        kinds: set[str] = set()
        for each in sorted(faults, key=lambda fault: (fault.first_match, fault.first_decision)):
            if each.kind not in kinds:
                kinds.add(each.kind)
                chosen = Chosen(
                    number=each.first_match,
                    why=f"The first fault: {each.kind}",
                    said=f"{each.bot}: {each.first_rule}",
                    decision=each.first_decision,
                )
                found.setdefault(each.first_match, chosen)
        closest = max((each for each in times if each.closest), key=lambda each: each.closest or 0, default=None)
        if closest and closest.closest_match is not None:
            said = f"{closest.bot} takes {closest.ms_max:.0f} ms, {100 * (closest.closest or 0):.0f} % of the limit"
            call = Chosen(
                number=closest.closest_match,
                why="The closest call",
                said=said,
                decision=-1 if closest.closest_decision is None else closest.closest_decision,
            )
            found.setdefault(call.number, call)
        if match := self._long.match:
            choose(match, "The longest match", f"{match.decisions} decisions; {match.bots[match.order[0]]} wins")
        margin, number = self._median()
        found.setdefault(number, Chosen(number=number, why="A match like most", said=f"the median margin, {margin}"))
        return tuple(found.values())

    def _median(self) -> tuple[int, int]:
        """The median margin, and the first match that had it."""
        left = sum(count for count, _ in self._margins.values()) // 2
        for margin, (count, first) in sorted(self._margins.items()):
            if left < count:
                return margin, first
            left -= count
        raise AssertionError("expected a match")
