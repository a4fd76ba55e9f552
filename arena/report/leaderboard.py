"""Results to the rows of a leaderboard.

Knows results and ratings; knows no run, file or format.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.fault import FAULTS
from arena.identity import Identity
from arena.numeric import np
from arena.ratings import FEWEST_BLOCKS, MU, Fit, Intervals, Looks, MeanScores, Rating, intervals_of
from arena.ratings.outcomes import EPOCH, FEWEST_NIGHTS
from arena.ratings.pairwise import Lead, lead_of, reduce_pairs
from arena.report.bracket import Bracket
from arena.report.headline import Result, headline
from arena.report.render import Leaderboard, LeaderboardRow, counted, number
from arena.results.columns import Results
from arena.results.measure import DIGITS, RATING, Measure, best_first
from arena.results.tally import Tally, repeats, tallies
from arena.words import agreeing, every, listed, plural, word

RESTLESS = 0.05
"""The share of the core on others' time over which a bot is named."""


def make_leaderboard(
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
    measure: Measure = RATING,
    bracket: Bracket | UnsetType = UNSET,
    planned: tuple[int, bool] = (0, True),
    season: bool = False,
    share: float = 1.0,
) -> Leaderboard:
    """The leaderboard of one game, from its results and the ratings that were fitted to them.

    Entrants of the ``past`` are rated with the others, for they have played, and then left out. Of those that met an
    anchor all ratings are shifted alike, so that the mean mu of the ``anchors`` that played is ``MU``.
    Bots of the ``house`` are shown without a rank, and nobody is above or below them.
    ``looks`` tells what may be said of such a run: of one that is not finished, only what holds at every look.
    Ranks go by the ``measure``. A format has a ``bracket``. ``planned`` is how many matches the run has, and whether
    that is known; ``season`` tells whether more seasons follow. ``share`` is the part of what may be wrong on the page
    that this table has.
    """
    looks = "every" if provisional and looks == "one" else looks
    unranked = {*past, *house}
    scores = results.mean_scores(measure, nights=season)
    sure = intervals_of(fit, unranked, anchors, looks, scores=scores, best=best_found(bracket), share=share)
    every = tallies(results)
    of_bot = {bot: every[bot] for bot in fit.ratings}
    matches = len(fit.outcomes)
    pinned = sorted(bot for bot in anchors if bot in of_bot and of_bot[bot].matches)
    fit, sure = _pinned(fit, sure, pinned)
    rows = _rows(fit.ratings, sure, of_bot, unranked, measure, scores)
    present = {bot: rating for bot, rating in fit.ratings.items() if bot in house and bot not in past}
    unplaced = dict.fromkeys(("rank", "rank_low", "rank_high"), 0)
    lead = _lead(rows, sure, bracket)
    won = _won(rows, sure, lead, measure)
    if season and lead is not None:
        # a league knows bots by their own names, whatever version plays
        lead = replace(lead, first=own_names(lead.first), rivals=own_names(lead.rivals))
    total, exact = planned
    result = Result(
        lead=lead,
        won=won,
        matches=matches,
        planned=total,
        about=not exact,
        state="playing" if provisional else "season" if season else "finished",
        bracket=bracket if isinstance(bracket, Bracket) else None,
    )
    notes = [
        *_alike(scores, rows, looks),
        *_notes(fit.ratings, sure, of_bot, past),
        *repeats(results),
        *_void(results.voids),
        *([] if provisional else _unequal(of_bot, past)),
        *_anchored(anchors, pinned),
        *[_HOLDS[looks]] * bool(_HOLDS[looks]),
        *_nights(fit, season=season),
    ]
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
        notes=tuple(notes),
        certain=_certain(rows, sure, looks=looks, scores=scores, share=share),
        caution=next((note for kind in _CAUTIONS for note in notes if note.startswith(kind)), ""),
        burnt={bot: _rounded(tally.restless) for bot, tally in sorted(of_bot.items()) if tally.restless > RESTLESS},
        looks=looks,
        better=tuple(sorted(sure.better)) if looks == "pairs" else reduce_pairs(sure.better),
        house=tuple([replace(row, **unplaced) for row in _rows(present, sure, of_bot, (), measure, scores)]),
        objective=measure.objective,
        bounds=measure.bounds if isfinite(measure.bounds[0]) else UNSET,
        bracket=bracket,
        lead=lead,
        headline=headline(result),
    )


def best_found(bracket: Bracket | UnsetType) -> str:
    """The bot that a format has found to be the best for certain; empty if there is none."""
    return bracket.still[0] if isinstance(bracket, Bracket) and bracket.certain and len(bracket.still) == 1 else ""


def own_names(bots: Iterable[str]) -> tuple[str, ...]:
    """The bots without the numbers of their versions."""
    return tuple([Identity.of(bot).entered for bot in bots])


def _lead(rows: Sequence[LeaderboardRow], sure: Intervals, bracket: Bracket | UnsetType) -> Lead | None:
    """Who leads by the places of the format, or by those of the table, and how surely."""
    played = {row.bot: row for row in rows if row.matches}
    first = [row.bot for row in played.values() if row.rank == 1]
    if isinstance(bracket, Bracket) and bracket.question is None:
        first = [place.bot for place in bracket.places if place.place == 1 and place.bot in played] or first
    if not first:
        return None
    certain = len(first) == 1 < len(played) and played[first[0]].rank_high == 1
    return lead_of(first, [bot for bot in played if bot != first[0]], sure.gaps, certain=certain)


def _won(rows: Sequence[LeaderboardRow], sure: Intervals, lead: Lead | None, measure: Measure) -> str:
    """What the leader did in how many matches, where a bot sat in too few deals to tell more."""
    leader = next((row for row in rows if lead is not None and row.bot == lead.first[0]), None)
    if leader is None or not any(row.matches and row.bot in sure.few for row in rows):
        return ""
    matches = plural(leader.matches, "match")
    if measure.by_score:
        return f" with a mean score of {number(leader.mean_score, measure.digits)} in {matches}"
    return f" {counted(leader.wins)} of {matches}"


def _rows(
    table: Mapping[str, Rating],
    sure: Intervals,
    tallied: Mapping[str, Tally],
    past: Collection[str],
    measure: Measure,
    scores: MeanScores | None,
) -> list[LeaderboardRow]:
    values = {
        bot: _rounded(measure.value(rating=rating.rating, score=tallied[bot].mean_score))
        for bot, rating in table.items()
        if bot not in past
    }
    rows = []
    for bot in best_first(values):
        tally = tallied[bot]
        rank = 1 + sum(other > values[bot] for other in values.values())
        interval = sure.bots[bot]
        low, high = (scores and scores.interval(bot)) or (None, None)
        rows.append(
            LeaderboardRow(
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
                score_low=None if low is None else _rounded(low),
                score_high=None if high is None else _rounded(high),
            )
        )
    return rows


def settled_places(rows: Sequence[LeaderboardRow]) -> str:
    """The places that are certain, in words."""
    runs: list[list[int]] = []
    for place in sorted(row.rank_low for row in rows if row.settled):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    if not runs:
        cuts = [end for end in range(1, len(rows)) if all(row.rank_high <= end for row in rows[:end])]
        return f"who the first {word(cuts[0])} are" if cuts else "no place"
    if [len(run) for run in runs] == [len(rows)]:
        return every(len(rows), "place")
    spans = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]  # noqa: PLR2004 - two are listed
    many = f"{', '.join(spans[:-1])} and {spans[-1]}" if spans[1:] else spans[0]
    return f"{agreeing(sum(map(len, runs)), 'place')} {many}"


_GROUPS, _FEW, _IS_VOID, _SELDOM = "These groups never met", "Too few deals", "Void and not rated", "In fewer than half"
_CAUTIONS = (_GROUPS, _FEW, _IS_VOID, _SELDOM)
"""How the notes begin that are cautions, the gravest first."""
_HOLDS = {
    "one": "",
    "every": "Extended, stopped early or not finished: what is certain holds at every look, with many blocks.",
    "paired": "Paired by results: what is certain holds at every look, with many blocks.",
    "pairs": "Not all bots met alike, so only what two show in their own matches is certain, at every look.",
    "answer": "Line-ups follow from results or keep bots apart: only what the format has found is certain.",
}


def _certain(
    rows: Sequence[LeaderboardRow], sure: Intervals, *, looks: Looks, scores: MeanScores | None, share: float
) -> str:
    if sum(bool(row.matches) and row.bot not in sure.few for row in rows) < 2 and looks != "answer":  # noqa: PLR2004 - nobody is better than nobody
        return ""
    if scores is not None and not scores.bounded:
        return "Certain: nothing, for the game does not bound its scores."
    by = "" if scores is None else " by mean score"
    together = "all of it" if share == 1 else "all tables"
    return f"Certain{by}, 5 % for {together}: {settled_places(rows)}."


def _alike(scores: MeanScores | None, rows: Sequence[LeaderboardRow], looks: Looks) -> list[str]:
    """Why some mean scores are not held against each other."""
    if scores is None or looks == "answer":
        return []
    if looks == "paired":
        return ["The format holds bots against each other at each table; mean scores of its line-ups settle nothing."]
    played = [scores.names.index(row.bot) for row in rows if row.matches]
    if scores.alike[played][:, played].all():
        return []
    return ["Mean scores of bots that met other opponents, or at another time, are not compared."]


def _nights(fit: Fit, *, season: bool) -> list[str]:
    """How the nights of a league count, once there are several."""
    nights = len(np.unique(fit.outcomes.blocks() >> EPOCH)) if season else 0
    if nights >= FEWEST_NIGHTS:
        return [f"Each of the {nights} nights counts as one block, for nights differ."]
    return ["Nights count as alike: how much they differ is known from ten on."] if nights > 1 else []


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
        none = ", ".join(sorted(anchors))
        return [f"Not anchored, because none of {none} has played: compare no rating with other tables."]
    mean = f"the mean mu of {', '.join(pinned)}" if len(pinned) > 1 else f"the mu of {pinned[0]}"
    return [f"Anchored: all ratings are shifted alike, so that {mean} is {MU:.0f}."]


def _unequal(tallied: Mapping[str, Tally], past: Collection[str]) -> list[str]:
    played = {bot: tally.matches for bot, tally in sorted(tallied.items()) if tally.matches and bot not in past}
    seldom = [bot for bot, matches in played.items() if 2 * matches < max(played.values())]
    if not seldom:
        return []
    return [f"{_SELDOM} as many matches as another bot: {listed(seldom)}. Few matches lower mu - 3 sigma: compare mu."]


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
        parts = "; ".join(", ".join(group) for group in groups.values())
        notes.append(f"{_GROUPS}, so ratings compare only within each: {parts}.")
    for classes in sure.parted:
        order = " > ".join(", ".join(members) for members in classes)
        notes.append(f"Ahead in every match they shared: {order}. How far ahead, these matches cannot tell.")
    if seldom := [bot for bot in sure.few if bot not in past]:
        few = f"{_FEW} to tell how sure their places are (expected {FEWEST_BLOCKS} blocks each)"
        notes.append(f"{few}: {listed(seldom)}.")
    return notes


def _void(voids: int) -> list[str]:
    return [f"{_IS_VOID}: {plural(voids, 'match')}."] * (voids > 0)
