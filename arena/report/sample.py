"""The matches that a report lists and recommends, from one pass over the records. Memory has a bound.

Knows records; knows no rating, run and page.
"""

from collections.abc import Sequence
from heapq import heappush, heappushpop

from msgspec import Struct

from arena.record import Record, from_first
from arena.report.faults import BotFaults
from arena.report.times import BotTimes

LISTED = 1500
"""Of more matches than this a report lists a sample."""


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
        return from_first(self.ranks)


class Highlight(Struct, frozen=True, kw_only=True):
    """A match worth a look."""

    number: int
    why: str
    said: str
    decision: int = -1
    """Where to begin; -1: at the start."""


def match_row(number: int, record: Record) -> MatchRow:
    """The row of a match in the list."""
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


class _Best:
    """The match with the greatest key so far; of equal ones the first."""

    def __init__(self) -> None:
        self.key: tuple[int, ...] | None = None
        self.match: MatchRow | None = None

    def add(self, key: tuple[int, ...], match: MatchRow) -> None:
        if self.key is None or key > self.key:
            self.key, self.match = key, match


class Sample:
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
        """Consider a match for the list and for each thing that a reader would look for."""
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
        """All matches; if there are too many, those with faults, the closest, the longest and every n-th."""
        found = dict(self._every)
        if sum(count for count, _ in self._margins.values()) > LISTED:
            notable = [*self._faulty.values(), *(each[2] for each in (*self._close, *self._longest))]
            found = {match.number: match for match in notable}
            room = LISTED - len(found)
            rest = [match for number, match in sorted(self._every.items()) if number not in found]
            found |= {match.number: match for match in rest[:: max(1, -(-len(rest) // max(1, room)))]}
        return tuple(found[number] for number in sorted(found))

    def chosen(self, faults: Sequence[BotFaults], times: Sequence[BotTimes]) -> tuple[Highlight, ...]:
        """One match for each thing that a reader would look for; no match twice."""
        found: dict[int, Highlight] = {}

        def choose(match: MatchRow | None, why: str, said: str) -> None:
            if match is not None:
                found.setdefault(match.number, Highlight(number=match.number, why=why, said=said))

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
                chosen = Highlight(
                    number=each.first_match,
                    why=f"The first fault: {each.kind}",
                    said=f"{each.bot}: {each.first_rule}",
                    decision=each.first_decision,
                )
                found.setdefault(each.first_match, chosen)
        closest = max((each for each in times if each.closest), key=lambda each: each.closest or 0, default=None)
        if closest and closest.closest_match is not None:
            said = f"{closest.bot} takes {closest.ms_max:.0f} ms, {100 * (closest.closest or 0):.0f} % of the limit"
            call = Highlight(
                number=closest.closest_match,
                why="The closest call",
                said=said,
                decision=-1 if closest.closest_decision is None else closest.closest_decision,
            )
            found.setdefault(call.number, call)
        if match := self._long.match:
            choose(match, "The longest match", f"{match.decisions} decisions; {match.bots[match.order[0]]} wins")
        margin, number = self._median()
        found.setdefault(number, Highlight(number=number, why="A match like most", said=f"the median margin, {margin}"))
        return tuple(found.values())

    def _median(self) -> tuple[int, int]:
        """The median margin, and the first match that had it."""
        left = sum(count for count, _ in self._margins.values()) // 2
        for margin, (count, first) in sorted(self._margins.items()):
            if left < count:
                return margin, first
            left -= count
        raise AssertionError("expected a match")
