"""Results to the rows of a leaderboard.

Knows results and ratings; knows no run, file or format.
"""

from collections.abc import Collection, Mapping, Sequence
from math import inf

from msgspec.structs import replace

from arena.fault import FAULTS
from arena.game import Objective
from arena.ratings import FEWEST_BLOCKS, MU, Fit, Intervals, Looks, MeanScores, Rating, intervals_of
from arena.ratings.pairwise import LONGER, told
from arena.report.render import DIGITS, Leaderboard, Row
from arena.results.columns import Results
from arena.results.tally import Tally, repeats, tallies

RESTLESS = 0.05
"""The share of the core on others' time over which a bot is named."""
_NAMED = 10
"""Of more bots than this a note says how many they are."""


def leaderboard(
    results: Results,
    fit: Fit,
    *,
    run: str,
    game: str,
    seats: int | str,
    seed: str | None,
    seconds: float,
    provisional: bool = False,
    past: Collection[str] = (),
    anchors: Collection[str] = (),
    house: Collection[str] = (),
    looks: Looks = "one",
    objective: Objective = "place",
) -> Leaderboard:
    """The leaderboard of one game, from its results and the ratings that were fitted to them.

    Entrants of the ``past`` are rated with the others, for they have played, and then left out. Of those that met an
    anchor all ratings are shifted alike, so that the mean mu of the ``anchors`` that played is ``MU``.
    Bots of the ``house`` are shown without a rank, and nobody is above or below them.
    ``looks`` tells what may be said of such a run: of one that is not finished, only what holds at every look.
    ``objective`` tells whether ranks go by ratings or by mean scores.
    """
    looks = "every" if provisional and looks == "one" else looks
    unranked = {*past, *house}
    scores = results.mean_scores() if objective != "place" else None
    sure = intervals_of(fit, unranked, anchors, looks, scores=scores)
    every = tallies(results)
    of_bot = {bot: every[bot] for bot in fit.ratings}
    matches = len(fit.outcomes)
    pinned = sorted(bot for bot in anchors if bot in of_bot and of_bot[bot].matches)
    fit, sure = _pinned(fit, sure, pinned)
    rows = _rows(fit.ratings, sure, of_bot, unranked, scores)
    present = {bot: rating for bot, rating in fit.ratings.items() if bot in house and bot not in past}
    unplaced = dict.fromkeys(("rank", "rank_low", "rank_high", "certain_low", "certain_high"), 0)
    return Leaderboard(
        run=run,
        game=game,
        seats=seats,
        seed=seed,
        matches=matches,
        decisions=results.asked,
        seconds=seconds,
        leaderboard=tuple(rows),
        provisional=provisional,
        draw_probability=round(fit.draw_probability, DIGITS + 2),
        notes=(
            *_claims(rows, sure, looks=looks, matches=matches, scores=scores),
            *_notes(fit.ratings, sure, of_bot, past),
            *repeats(results),
            *_void(results.voids),
            *([] if provisional else _unequal(of_bot, past)),
            *_anchored(anchors, pinned),
        ),
        burnt={bot: _rounded(tally.restless) for bot, tally in sorted(of_bot.items()) if tally.restless > RESTLESS},
        looks=looks,
        better=told(sure.better),
        house=tuple([replace(row, **unplaced) for row in _rows(present, sure, of_bot, (), scores)]),
        objective=objective,
    )


def _rows(
    table: Mapping[str, Rating],
    sure: Intervals,
    tallied: Mapping[str, Tally],
    past: Collection[str],
    scores: MeanScores | None,
) -> list[Row]:
    present = {bot: tallied[bot].mean_score for bot in table if bot not in past}
    worths = {bot: _rounded(table[bot].rating) for bot in present}
    if scores is not None:
        worths = {bot: -inf if mean is None else _rounded(mean) for bot, mean in present.items()}
    rows = []
    for bot in sorted(worths, key=lambda bot: (-worths[bot], bot)):
        tally = tallied[bot]
        rank = 1 + sum(other > worths[bot] for other in worths.values())
        interval = sure.bots[bot]
        low, high = (scores and scores.interval(bot)) or (None, None)
        rows.append(
            Row(
                rank=rank,
                # the less is known of a bot, the further its rating is below mu
                rank_low=min(rank, interval.rank_low),
                rank_high=max(rank, interval.rank_high),
                bot=bot,
                rating=_rounded(table[bot].rating),
                mu=_rounded(table[bot].mu),
                low=None if interval.low is None else _rounded(interval.low),
                high=None if interval.high is None else _rounded(interval.high),
                sigma=_rounded(table[bot].sigma),
                matches=tally.matches,
                wins=_rounded(tally.wins),
                mean_rank=None if tally.mean_rank is None else _rounded(tally.mean_rank),
                mean_score=None if tally.mean_score is None else _rounded(tally.mean_score),
                faults={kind: tally.faults[kind] for kind in FAULTS if tally.faults[kind]},
                ms_median=tally.wait(50),
                ms_p99=tally.wait(99),
                certain_low=min(rank, interval.certain_low),
                certain_high=max(rank, interval.certain_high),
                score_low=None if low is None else _rounded(low),
                score_high=None if high is None else _rounded(high),
            )
        )
    return rows


def settled_places(rows: Sequence[Row]) -> str:
    """The places that are certain, in words."""
    runs: list[list[int]] = []
    for place in sorted(row.certain_low for row in rows if row.settled):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    if not runs:
        return "no place"
    if [len(run) for run in runs] == [len(rows)]:
        return f"all {len(rows)} places"
    spans = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]  # noqa: PLR2004 - two are listed
    many = f"{', '.join(spans[:-1])} and {spans[-1]}" if spans[1:] else spans[0]
    return f"{'place' if spans == [str(runs[0][0])] else 'places'} {many}"


_HOLDS = {
    "one": "Ranks are ranges of 95 % for one bot at one look.",
    "every": "Extended, stopped early or not finished: ranks hold at every look, in the limit of many blocks.",
    "paired": "Paired by results: ranks hold at every look, in the limit of many blocks.",
}


def _claims(
    rows: Sequence[Row], sure: Intervals, *, looks: Looks, matches: int, scores: MeanScores | None
) -> list[str]:
    if sum(bool(row.matches) and row.bot not in sure.few for row in rows) < 2:  # noqa: PLR2004 - nobody is better than nobody
        return []
    if scores is not None and looks == "paired":
        return ["The format holds bots against each other at each table; mean scores of its line-ups settle nothing."]
    by = "" if scores is None else " by mean score"
    said = f"{_HOLDS[looks]} Certain for the whole table{by}, at 5 %: {settled_places(rows)}."
    claims = [said]
    played = [scores.names.index(row.bot) for row in rows if row.matches] if scores is not None else []
    if scores is not None and not scores.alike[played][:, played].all():
        claims.append("Mean scores of bots that met other opponents, or at another time, are not compared.")
    if sure.bets:
        pairs = ", ".join(f"{one} > {other}" for one, other in told(sure.bets))
        claims.append(f"Certain by bets too, which need no limit and no model: {pairs}.")
    if sure.longer is not None and not all(row.settled for row in rows):
        low, high = sure.longer
        kind = "balanced run" if looks == "paired" else "run"
        places = f"at least {low} and at most {high} of {len(rows)} places" if high else "no place"
        longer = f"A new {kind} of {LONGER * matches:,} matches"
        claims.append(f"{longer}, looked at only at its end, would settle {places}.")
    return claims


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0  # adding makes 0.0 of -0.0


def _pinned(fit: Fit, sure: Intervals, anchors: Sequence[str]) -> tuple[Fit, Intervals]:
    """The ratings of each component shifted so that the mean mu of its anchors is ``MU``; without one as they are."""
    shifts_of: dict[int, list[float]] = {}
    for bot in anchors:
        shifts_of.setdefault(fit.ratings[bot].component, []).append(fit.ratings[bot].mu)
    by = {component: MU - sum(means) / len(means) for component, means in shifts_of.items()}
    shifts = {bot: by.get(rating.component, 0.0) for bot, rating in fit.ratings.items()}
    ratings = {bot: replace(rating, mu=rating.mu + shifts[bot]) for bot, rating in fit.ratings.items()}
    ends = {
        bot: interval
        if interval.low is None or interval.high is None
        else replace(interval, low=interval.low + shifts[bot], high=interval.high + shifts[bot])
        for bot, interval in sure.bots.items()
    }
    return replace(fit, ratings=ratings), replace(sure, bots=ends)


def _anchored(anchors: Collection[str], pinned: Sequence[str]) -> list[str]:
    if not anchors:
        return []
    if not pinned:
        listed = ", ".join(sorted(anchors))
        return [f"Not anchored, because none of {listed} has played: compare no rating with other tables."]
    mean = f"the mean mu of {', '.join(pinned)}" if len(pinned) > 1 else f"the mu of {pinned[0]}"
    return [f"Anchored: all ratings are shifted alike, so that {mean} is {MU:.0f}."]


def _unequal(tallied: Mapping[str, Tally], past: Collection[str]) -> list[str]:
    played = {bot: tally.matches for bot, tally in sorted(tallied.items()) if tally.matches and bot not in past}
    seldom = [bot for bot, matches in played.items() if 2 * matches < max(played.values())]
    if not seldom:
        return []
    listed = ", ".join(seldom) if len(seldom) <= _NAMED else f"{len(seldom)} bots"
    return [f"In fewer than half as many matches as another bot: {listed}. Few matches lower mu - 3 sigma: compare mu."]


def _notes(
    table: Mapping[str, Rating], sure: Intervals, tallied: Mapping[str, Tally], past: Collection[str]
) -> list[str]:
    notes: list[str] = []
    idle = [bot for bot in sorted(tallied) if not tallied[bot].matches]
    if (lacking := [bot for bot in idle if bot not in past]) and len(idle) < len(tallied):
        notes.append(f"Not played yet: {', '.join(lacking)}.")
    groups: dict[int, list[str]] = {}
    for bot, rating in table.items():
        if bot not in idle:
            groups.setdefault(rating.component, []).append(bot)
    if len(groups) > 1:
        listed = "; ".join(", ".join(group) for group in groups.values())
        notes.append(f"These groups never met, so ratings compare only within each: {listed}.")
    for classes in sure.parted:
        listed = " > ".join(", ".join(members) for members in classes)
        notes.append(f"Ahead in every match they shared: {listed}. How far ahead, these matches cannot tell.")
    if seldom := [bot for bot in sure.few if bot not in past]:
        few = ", ".join(seldom) if len(seldom) <= _NAMED else f"{len(seldom)} bots"
        notes.append(f"Too few deals to tell how sure their places are (expected {FEWEST_BLOCKS} blocks each): {few}.")
    return notes


def _void(voids: int) -> list[str]:
    return [f"Void and not rated: {voids} {'match' if voids == 1 else 'matches'}."] * (voids > 0)
