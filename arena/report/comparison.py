"""The comparison of two versions of a bot: from results to a verdict.

Knows results, ratings and leaderboards; knows no run, file or process.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from math import ceil, floor
from statistics import fmean

from msgspec.structs import replace

from arena.errors import HostError
from arena.game import MOST_DECIMALS, BoundsBySeats
from arena.identity import bot_of
from arena.numeric import np
from arena.ratings import Fit
from arena.ratings.ahead import Pair, pairs
from arena.ratings.evidence import Evidence, more_blocks, scores_of
from arena.ratings.uncertainty import difference_of
from arena.record import MatchResult
from arena.report.render import Leaderboard
from arena.report.verdict import Comparison, Question, sentences_of
from arena.results.columns import Results, block_number_of
from arena.results.measure import DIGITS
from arena.results.tally import repeats

SATURATED = 0.95
"""A bot that finishes ahead of the others this often learns nothing from them."""
_TELLING = 20
"""Fewer blocks tell too little of what luck saves."""


def compared(
    results: Results,
    fit: Fit,
    board: Leaderboard,
    *,
    new: str,
    old: str,
    question: Question | None = None,
    luck: Callable[[int], float] | None = None,
    bounds: BoundsBySeats | None = None,
) -> Comparison:
    """The verdict on two bots of a leaderboard, from the results of its run and the ratings fitted to them.

    ``luck`` tells what luck gave the new one more in a match, by its row, if the game tells it
    (``arena.ratings.bets.luck_of_match``). ``bounds`` are those of scores where these count; None: places do.

    It makes no difference whether the number of matches was fixed or play ended with the answer, if all
    blocks before the last one are among them: see ``arena.ratings.evidence``.
    """
    question = question or Question()
    outcomes, columns = fit.outcomes, results.columns
    faults: Counter[int] = Counter()
    for row, match in results.rare_matches():
        faults[int(columns.block[row])] += faults_of(match, new, other=old)
    lucks: defaultdict[int, list[float]] = defaultdict(list)
    both = [(columns.bots == results.bots.index(bot)).any(axis=1) for bot in (new, old)]
    shared = np.flatnonzero(both[0] & both[1] & results.played)
    if luck is not None:
        for row in shared.tolist():
            lucks[int(columns.block[row])].append(luck(row))
    apart = difference_of(fit, new, other=old)
    low, high = apart.interval(every_look=True) or (None, None)
    evidence = evidence_for(question)
    scores = scores_of(outcomes, new, other=old)
    if bounds is not None:
        scores = points_of(results.matches(shared), new, other=old, bounds=bounds)
    seats = sorted({sum(alike.shape) for alike in outcomes.shapes})
    for block, score in scores.items():
        evidence.add(score, luck=fmean(lucks[block]) if luck is not None else 0.0, faults=faults[block])
    ends = evidence.interval() if evidence.blocks else (None, None)
    deciding = list(scores)[: evidence.found_after or 0]
    sizes = Counter(columns.block[results.played].tolist())
    rows = {row.bot: row for row in board.leaderboard}
    met = pairs(fit)
    duel = next((pair for pair in met if {pair.bot, pair.other} == {new, old}), None)
    comparison = Comparison(
        verdict="worse" if evidence.faulty else "equal" if evidence.finding == "same" else evidence.finding,
        why="",
        new=new,
        old=old,
        game=board.game,
        run=board.run,
        seats=tuple(seats),
        field=dict(sorted(Counter(bot_of(bot) for bot in outcomes.names if bot not in {new, old}).items())),
        matches=board.matches,
        void=results.voids,
        blocks=evidence.blocks,
        decided_after=None if evidence.faulty else evidence.found_after,
        decided_after_matches=None if evidence.faulty else sum(sizes[block] for block in deciding) or None,
        more_matches=_more_matches(evidence, board.matches),
        score=_rounded(evidence.mean) if evidence.blocks else None,
        score_low=_outward(ends[0], floor),
        score_high=_outward(ends[1], ceil),
        confidence=round(1 - (1 if question.gate is None else 2) * question.alpha, DIGITS),
        luck=_rounded(evidence.luck) if luck is not None and evidence.blocks else None,
        saving=_rounded(evidence.saving) if evidence.blocks >= _TELLING else None,
        margin=question.margin,
        alpha=question.alpha,
        gate=question.gate,
        passed=evidence.passed,
        difference=round(apart.mu, DIGITS),
        low=_rounded(low),
        high=_rounded(high),
        met=duel.matches if duel is not None else 0,
        ahead=None if duel is None else _rounded(duel.share if duel.bot == new else duel.turned.share),
        faults_new=rows[new].faults,
        faults_old=rows[old].faults,
        faulted_more_new=evidence.faulted_more,
        faulted_more_old=evidence.faulted_less,
        faulty=evidence.faulty,
        notes=(*(_saturated(met, new, old) if bounds is None else ()), *repeats(results)),
        rows=(rows[new], rows[old]),
        objective="place" if bounds is None else "score",
        span=None if bounds is None or len(seats) != 1 else score_span(bounds, seats[0]),
    )
    return replace(comparison, why=" ".join(sentences_of(comparison)))


def points_of(matches: Iterable[MatchResult], first: str, *, other: str, bounds: BoundsBySeats) -> dict[int, float]:
    """The score of each block of matches in which both sat, in canonical order, where the scores of matches count.

    It is the mean, over its matches, of what the one scored more than the other, as a part of all between the bounds.

    Raises:
        HostError: a score is not within the bounds that its game has declared.
    """
    gains: defaultdict[int, list[float]] = defaultdict(list)
    for match in matches:
        if not {first, other} <= set(match.bots):
            continue
        (least, most), scores = bounds(len(match.bots)), dict(zip(match.bots, match.scores, strict=True))
        if not all(least <= scores[bot] <= most for bot in (first, other)):
            got = f"{scores[first]} and {scores[other]}"
            raise HostError(f"match {match.id}: expected scores in the game's bounds of {least} and {most}, got {got}")
        gains[block_number_of(match.id)].append((scores[first] - scores[other]) / (most - least))
    return {block: fmean(gains[block]) for block in sorted(gains)}


def score_span(bounds: BoundsBySeats, seats: int) -> float:
    """All that lies between the bounds of scores."""
    least, most = bounds(seats)
    return round(most - least, MOST_DECIMALS)


def evidence_for(question: Question) -> Evidence:
    """The evidence that answers it, before the first block."""
    return Evidence(alpha=question.alpha, margin=question.margin, gate=question.gate)


def faults_of(match: MatchResult, bot: str, *, other: str) -> int:
    """How many faults a bot had in a match, minus those of another."""
    bots = [match.bots[seat] for seat in match.blamed]
    return bots.count(bot) - bots.count(other)


def _more_matches(evidence: Evidence, matches: int) -> tuple[int, int] | None:
    more = more_blocks(evidence)
    if more is None:
        return None
    fewest, most = (blocks * matches / evidence.blocks for blocks in more)
    return _about(fewest, floor), _about(most, ceil)


def _about(number: float, rounding: Callable[[float], int]) -> int:
    digit: int = 10 ** max(len(str(int(number))) - 2, 0)
    return rounding(number / digit) * digit


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0


def _outward(value: float | None, rounding: Callable[[float], int]) -> float | None:
    """An end of an interval; no rounding may move it across what it tells."""
    if value is None:
        return None
    scale: int = 10**DIGITS
    # rounded first: a number that was asked for stays as it is
    return rounding(round(value * scale, DIGITS)) / scale + 0.0


def _saturated(met: Iterable[Pair], new: str, old: str) -> Iterable[str]:
    """A warning if the others say nothing about the two: both are ahead of them nearly always, or hardly ever."""
    points = {new: 0.0, old: 0.0}
    matches = {new: 0, old: 0}
    for pair in met:
        for side in (pair, pair.turned):
            if side.bot in points and side.other not in points:
                points[side.bot] += side.ahead + side.tied / 2
                matches[side.bot] += side.matches
    if not all(matches.values()):
        return
    shares = [points[bot] / matches[bot] for bot in points]
    seen_in = f"the others in at least {100 * SATURATED:.0f} % of their matches"
    if min(shares) >= SATURATED:
        weak = f"The field is too weak to tell: both {new} and {old} finished ahead of {seen_in}."
        yield f"{weak} Name stronger bots, or none: then copies of {old} play."
    elif max(shares) <= 1 - SATURATED:
        strong = f"The field is too strong to tell: both {new} and {old} finished behind {seen_in}."
        yield f"{strong} Name weaker bots, or none: then copies of {old} play."
