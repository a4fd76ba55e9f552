"""What each bot has done in numbers: whole numbers until the last step, so the order of the matches does not matter."""

from collections import Counter

from msgspec import Struct

from arena.numeric import Array, np
from arena.results import waits
from arena.results.columns import Clock, Results
from arena.words import agreeing, plural


class Tally(Struct, frozen=True, kw_only=True):
    """One bot's matches in numbers."""

    matches: int
    wins: float
    """A first place that ``k`` share counts 1/k."""
    mean_rank: float | None
    """1 is first; bots that tie share the mean of their places."""
    mean_score: float | None
    share: float | None
    """The mean over its matches of the share of opponents it finished ahead of, ties counting half."""
    faults: Counter[str]
    clock: Clock
    idle: int
    """Microseconds of its matches in which it was not waited for."""

    def wait(self, percent: int) -> float | None:
        """The time in milliseconds that this much of the waits did not exceed, or None if it was never waited for."""
        micros = waits.share(self.clock.waits, 10 * percent)
        return None if micros is None else micros / 1000

    @property
    def restless(self) -> float:
        """How much of the core it has used on others' time."""
        return self.clock.burnt / self.idle if self.idle > 0 else 0.0


def count_places(ranks: Array) -> tuple[Array, Array]:
    """By match and seat how many finished ahead of it, and how many share its rank, itself among them."""
    ahead, level = np.zeros(ranks.shape, np.int16), np.zeros(ranks.shape, np.int16)
    for column in ranks.T:
        other = column[:, None]
        ahead += (other >= 0) & (other < ranks)
        level += (other >= 0) & (other == ranks)
    return ahead, level


def tallies(results: Results) -> dict[str, Tally]:
    """By name what each bot has done."""
    columns, size = results.columns, len(results.bots)
    here = (columns.bots >= 0) & results.played[:, None]
    bots = columns.bots[here].astype(np.intp)
    ahead, level = (place[here].astype(np.int64) for place in count_places(columns.ranks))
    opponents = np.broadcast_to((columns.seats - 1)[:, None], here.shape)[here].astype(np.int64)
    length = np.broadcast_to(np.rint(columns.seconds * 1e6)[:, None], here.shape)[here]
    most = int(opponents.max(initial=1)) + 2
    first = ahead == 0
    matches = np.bincount(bots, minlength=size).tolist()
    firsts = np.bincount(bots[first] * most + level[first], minlength=size * most).reshape(size, most)
    # opponents finished behind it, twice, and those tied with it, by the number of opponents
    beaten = np.bincount(bots * most + opponents, 2 * (opponents - ahead) - (level - 1), size * most)
    doubled = np.bincount(bots, 2 * ahead + level + 1, size).tolist()
    scores = np.bincount(bots, columns.scores[here], size).tolist()
    lengths = np.bincount(bots, length, size).tolist()
    faults: list[Counter[str]] = [Counter() for _ in results.bots]
    for row, match in results.rare_matches():
        for fault in match.faults:
            faults[int(columns.bots[row, fault.seat])][fault.kind] += 1
    by_opponents = beaten.reshape(size, most).tolist()
    return {
        name: Tally(
            matches=matches[index],
            wins=sum(times / sharers for sharers, times in enumerate(firsts[index].tolist()) if times),
            mean_rank=doubled[index] / 2 / matches[index] if matches[index] else None,
            mean_score=scores[index] / matches[index] if matches[index] else None,
            share=sum(twice / 2 / others for others, twice in enumerate(by_opponents[index]) if twice) / matches[index]
            if matches[index]
            else None,
            faults=faults[index],
            clock=results.clocks[index],
            idle=int(lengths[index]) - results.clocks[index].waited,
        )
        for index, name in enumerate(results.bots)
    }


def silenced(results: Results) -> dict[str, int]:
    """By bot that was withdrawn during the run, the matches without it: retired without a fault."""
    counts: Counter[str] = Counter()
    for _, match in results.rare_matches():
        counts.update(match.bots[seat] for seat in match.withdrawn)
    return dict(sorted(counts.items()))


def repeats(results: Results) -> list[str]:
    """A note on matches that are another one move for move, if there are some."""
    moves = results.columns.moves[results.played & (results.columns.decisions > 0)]
    count = int((np.diff(np.sort(moves)) == 0).sum())
    matches = int(results.played.sum())
    repeat = agreeing(count, "repeats", "repeat")
    return [f"{count:,} of {plural(matches, 'match')} {repeat} another one move for move."] * (count > 0)


def find_matches_of(results: Results, bot: str) -> tuple[Array, Array]:
    """The rows of the matches that a bot played, and its seat in each."""
    columns = results.columns
    here = (columns.bots == results.bots.index(bot)) & results.played[:, None]
    rows: Array = np.flatnonzero(here.any(axis=1))
    return rows, here[rows].argmax(axis=1)
