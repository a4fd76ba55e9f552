"""Fields that are hard for a table: what it says for certain of bots that are equal, though something parts them.

Each row of ``HARD`` simulates a table from a seed and tells whether anything that is certain on it is false; each of
``POWER`` whether the best of a graded field is certain. Played in process, with arena's own formats and rules.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from random import Random
from statistics import NormalDist
from types import MappingProxyType

import numpy as np

from arena.formats import LineUp, Progress, Result, Terms
from arena.formats.registry import looks_of, read_schedule
from arena.numeric import Array
from arena.ratings import Looks, fit_outcomes, mean_scores
from arena.ratings.outcomes import Outcomes, block_number, from_columns, outcomes_of
from arena.ratings.pairwise import Better
from tests.formats.played import BETA, Ender, outcome
from tests.ratings.matches import better_in, ranks_of

Row = Callable[[int], bool]
"""From a seed to whether what is asked of its table is so."""
Effects = Mapping[tuple[str, str], float]
"""By bot and another at its table how much better it plays beside that one."""
_DEAL = 2.0
"""The deviation of the luck that a seat has in a deal: half a beta, about."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that was played."""

    result: Result
    line_ups: list[LineUp]
    """Of every match that is not void, the bot in each seat."""
    outcomes: Outcomes


def names_of(bots: int) -> tuple[str, ...]:
    """So many names, in order."""
    return tuple(f"b{number:03}" for number in range(bots))


def graded(bots: int) -> dict[str, float]:
    """The quantiles of a normal distribution, one beta wide; the last is the best."""
    quantile = NormalDist().inv_cdf
    return {name: 25 + BETA * quantile((at + 0.5) / bots) for at, name in enumerate(names_of(bots))}


def in_company(skills: Mapping[str, float], seed: int, effects: Effects = MappingProxyType({})) -> Ender:
    """Matches of TrueSkill's model with luck of deals, where bots play better or worse beside others."""
    random = Random(seed)
    hands: dict[str, list[float]] = {}

    def ranks(match: str, bots: LineUp) -> tuple[int, ...]:
        block = match.rpartition("r")[0]
        dealt = hands.setdefault(block, [random.gauss(0, _DEAL) for _ in bots])
        return ranks_of(
            [
                random.gauss(skills[bot] + sum(effects.get((bot, other), 0.0) for other in bots) + hand, BETA)
                for bot, hand in zip(bots, dealt, strict=True)
            ]
        )

    return ranks


def without_last_places(end: Ender, bot: str, seed: int, share: float) -> Ender:
    """The same, but so great a share of the matches in which this bot would be last is void."""
    random = Random(f"void {seed}")

    def ranks(match: str, bots: LineUp) -> tuple[int, ...] | None:
        found = end(match, bots)
        last = found is not None and bot in bots and found[bots.index(bot)] == max(found)
        return None if last and random.random() < share else found

    return ranks


def play(schedule: str, names: Sequence[str], *, seats: int, blocks: int, seed: int, end: Ender) -> Run:
    """Play a run to its result."""
    terms = Terms(entrants=tuple(names), seats=seats, blocks=blocks, key=seed.to_bytes(8))
    progress = Progress(read_schedule(schedule), terms)
    rows: list[tuple[int, LineUp, Sequence[int]]] = []
    voids: list[LineUp] = []
    while progress.round is not None:
        first = progress.first_block
        played = outcome(progress.round, first, end)
        for block in played:
            number = block_number(epoch=0, block=first + block.number)
            for turn, ranks in enumerate(block.ranks):
                bots = block.turned(turn)
                if ranks is None:
                    voids.append(bots)
                else:
                    rows.append((number, bots, ranks))
        progress.finish(played)
    assert progress.result is not None
    counted = outcomes_of(rows)
    return Run(
        result=progress.result,
        line_ups=[bots for _, bots, _ in rows],
        outcomes=Outcomes(counted.names, counted.shapes, voids=tuple(voids)),
    )


def said_of(run: Run, names: Iterable[str], looks: Looks, share: float = 1.0) -> Better:
    """What the table of a run says for certain."""
    result = run.result
    best = result.places[0].bot if result.certain and len(result.still) == 1 else ""
    return better_in(fit_outcomes(run.outcomes, names), looks=looks, best=best, share=share)


def found_by_format(run: Run) -> bool:
    """Whether the format itself calls any bot certainly better than another."""
    result = run.result
    return (result.certain and bool(result.still)) or any("certainly" in one.why for one in result.onward)


def of_equals(
    schedule: str, bots: int, seats: int, blocks: int, seed: int, *, share: float = 1.0, tables: int = 1
) -> bool:
    """Whether anything is certain on any of so many tables of equal bots."""
    names = names_of(bots)
    for table in range(tables):
        number = seed * tables + table
        end = in_company(dict.fromkeys(names, 25.0), number)
        run = play(schedule, names, seats=seats, blocks=blocks, seed=number, end=end)
        if said_of(run, names, looks_of(schedule), share) or found_by_format(run):
            return True
    return False


def ring(names: Sequence[str], by: float) -> dict[tuple[str, str], float]:
    """Each bot is helped by the next one and hurt by the one after: they are alike, and none is the best."""
    after = [*names[1:], names[0]], [*names[2:], *names[:2]]
    return {
        **dict.fromkeys(zip(names, after[0], strict=True), by),
        **dict.fromkeys(zip(names, after[1], strict=True), -by),
    }


def drawn_effects(names: Sequence[str], by: float, seed: int) -> dict[tuple[str, str], float]:
    """Each bot is helped or hurt by each other, drawn; in the mean over all others by nothing."""
    random = Random(f"company {seed}")
    effects = {pair: random.gauss(0, by) for pair in permutations(names, 2)}
    for bot in names:
        mean = sum(effects[bot, other] for other in names if other != bot) / (len(names) - 1)
        effects |= {(bot, other): effects[bot, other] - mean for other in names if other != bot}
    return effects


def of_company(schedule: str, by: float, seed: int, *, bots: int = 8, seats: int = 4, drawn: bool = False) -> bool:
    """Whether anything certain is false of bots that are equal in the mean and differ by company of ``by`` betas.

    In a race nobody is the best. Elsewhere a bot is better than another if it is ahead in the mean of the matches that
    both sat in, which is known.
    """
    names = names_of(bots)
    skills = dict.fromkeys(names, 25.0)
    effects = drawn_effects(names, by * BETA, seed) if drawn else ring(names, by * BETA)
    run = play(schedule, names, seats=seats, blocks=100, seed=seed, end=in_company(skills, seed, effects))
    better = said_of(run, names, looks_of(schedule))
    if looks_of(schedule) == "answer":
        return bool(better)
    return any(_lead(run, effects, one, other) <= 0 for one, other in better)


def _lead(run: Run, effects: Effects, one: str, other: str) -> float:
    """How far a bot is ahead of another in the mean of the matches that both sat in, added up."""
    total = 0.0
    width = (2 * (BETA**2 + _DEAL**2)) ** 0.5
    for bots in run.line_ups:
        if one in bots and other in bots:
            gap = sum(effects.get((one, beside), 0.0) - effects.get((other, beside), 0.0) for beside in bots)
            total += 2 * NormalDist().cdf(gap / width) - 1
    return total


def of_circles(seed: int) -> bool:
    """Whether a race of three rocks, papers and scissors each at tables of three finds a best one."""
    names = tuple(f"{kind}{copy}" for kind in ("rock", "paper", "scissors") for copy in range(3))
    end = partial(_circle_ranks, seed=seed)
    run = play("race", names, seats=3, blocks=300, seed=seed, end=end)
    return run.result.certain


_BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def _circle_ranks(match: str, bots: LineUp, seed: int) -> tuple[int, ...]:
    random = Random(f"{seed} {match}")
    ahead = [
        sum((1.0 if (one[:-1], other[:-1]) in _BEATS else 0.0) for other in bots) + random.random() / 2 for one in bots
    ]
    return ranks_of(ahead)


def of_rare_prizes(chance: float, seed: int, *, whole_blocks: bool) -> bool:
    """Whether one of two is certainly better: it always scores 1, or 1 / ``chance`` that seldom; 60 blocks of two.

    ``whole_blocks``: a prize is in the deal, so both matches of a block have it.
    """
    dice = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(60), 2)
    won = np.repeat(dice.random(60) < chance, 2) if whole_blocks else dice.random(120) < chance
    bots = np.tile([[0, 1], [1, 0]], (60, 1))
    prizes = np.where(won, 1 / chance, 0.0)
    scores = np.where(bots == 0, 1.0, prizes[:, None])
    ranks = (scores < scores[:, ::-1]).astype(int)
    outcomes = from_columns(("constant", "rare"), bots=bots, ranks=ranks, blocks=blocks)
    mean = mean_scores(outcomes, bots=bots, scores=scores, blocks=blocks, span=1 / chance)
    return bool(better_in(fit_outcomes(outcomes), looks="one", scores=mean))


def of_nights(by: float, seed: int, *, bots: int = 4, nights: int = 12, blocks: int = 20) -> bool:
    """Whether anything is certain of equal bots of a league, better on some nights than on others by ``by`` betas."""
    dice = np.random.default_rng(seed)
    columns = []
    for night in range(nights):
        of_night = dice.normal(0, by * BETA, bots)
        for block in range(blocks):
            seating = dice.permutation(bots)
            hands = dice.normal(0, _DEAL, bots)
            for turn in range(bots):
                seated = np.roll(seating, -turn)
                columns.append((block_number(epoch=night, block=block), seated, of_night[seated] + hands))
    where = np.array([row[0] for row in columns])
    seated = np.array([row[1] for row in columns])
    performed = np.array([row[2] for row in columns]) + dice.normal(0, BETA, seated.shape)
    return any(
        bool(better_in(fit_outcomes(_nights(bots, seated[rows], performed[rows], where[rows])), looks="every"))
        for last in (nights - 2, nights - 1, nights)
        for rows in [slice(0, last * blocks * bots)]
    )


def _nights(bots: int, seated: Array, performed: Array, where: Array) -> Outcomes:
    ranks = (-performed).argsort(axis=1).argsort(axis=1)
    found = from_columns(names_of(bots), bots=seated, ranks=ranks, blocks=where)
    return Outcomes(found.names, found.shapes, nights=True)


def of_voids(schedule: str, seed: int, *, bots: int = 4, seats: int = 4, blocks: int = 100) -> bool:
    """Whether anything is certain of equal bots, where 30 % of the last places of one are void."""
    names = names_of(bots)
    end = without_last_places(in_company(dict.fromkeys(names, 25.0), seed), names[0], seed, 0.3)
    run = play(schedule, names, seats=seats, blocks=blocks, seed=seed, end=end)
    return bool(said_of(run, names, looks_of(schedule))) or found_by_format(run)


def of_answer(bots: int, spread: bool, seed: int) -> bool:
    """Whether a run until the best is certain says what its table does not, or the other way round."""
    names = names_of(bots)
    skills = graded(bots) if spread else dict.fromkeys(names, 25.0)
    schedule = "balanced,until=best"
    run = play(schedule, names, seats=4, blocks=120, seed=seed, end=in_company(skills, seed))
    better = said_of(run, names, looks_of(schedule))
    best = run.result.places[0].bot
    return run.result.certain != all((best, other) in better for other in names if other != best)


def draw_fast(skills: Sequence[float], *, seats: int, blocks: int, seed: int, deal: float = _DEAL) -> Outcomes:
    """The outcomes of a balanced run, in columns: everybody sits equally often, give or take one."""
    dice = np.random.default_rng(seed)
    bots = len(skills)
    rounds = -(-blocks * seats // bots)
    line = np.concatenate([dice.permutation(bots) for _ in range(rounds + 1)])
    seating = _distinct(line[: blocks * seats].reshape(blocks, seats), dice, bots)
    hands = dice.normal(0, deal, (blocks, seats))
    seated = np.concatenate([np.roll(seating, -turn, axis=1) for turn in range(seats)])
    performed = np.asarray(skills)[seated] + np.tile(hands, (seats, 1)) + dice.normal(0, BETA, seated.shape)
    ranks = (-performed).argsort(axis=1).argsort(axis=1)
    return from_columns(names_of(bots), bots=seated, ranks=ranks, blocks=np.tile(np.arange(blocks), seats))


def _distinct(seating: Array, dice: np.random.Generator, bots: int) -> Array:
    """The line-ups; where a bot would sit twice, another by lot sits."""
    for row in seating:
        while len(set(row.tolist())) < len(row):
            row[:] = dice.choice(bots, len(row), replace=False)
    return seating


def finds_best(skills: Sequence[float], matches: int, seed: int, *, seats: int = 4) -> bool:
    """Whether the best bot of a balanced run is certain."""
    outcomes = draw_fast(skills, seats=seats, blocks=matches // seats, seed=seed)
    names = names_of(len(skills))
    best = names[int(np.argmax(skills))]
    better = better_in(fit_outcomes(outcomes, names), looks="one")
    return all((best, other) in better for other in names if other != best)


def names_best(skills: Sequence[float], matches: int, seed: int) -> bool:
    """Whether any bot is certainly the best, where none is."""
    seats = min(len(skills), 4)
    outcomes = draw_fast(skills, seats=seats, blocks=matches // seats, seed=seed)
    names = names_of(len(skills))
    better = better_in(fit_outcomes(outcomes, names), looks="one")
    return any(all((one, other) in better for other in names if other != one) for one in names)


HARD: dict[str, Row] = {
    **{
        f"{schedule}, {how} of {by:g} beta": partial(of_company, schedule, by, drawn=how == "company by lot")
        for schedule in ("balanced", "race", "gauntlet", "groups")
        for by in (0.5, 1, 2)
        for how in ("company in a ring", "company by lot")
    },
    "race, three rocks, papers and scissors": of_circles,
    "five tables of four equal bots": partial(of_equals, "balanced", 4, 4, 40, share=1 / 5, tables=5),
    **{
        f"scores, 1 or {1 / chance:g} in one {where} of {1 / chance:g}": partial(
            of_rare_prizes, chance, whole_blocks=where == "deal"
        )
        for chance, where in ((0.05, "match"), *((chance, "deal") for chance in (0.1, 0.05, 0.04, 0.02, 0.01)))
    },
    **{f"12 nights, apart by {by:g} beta": partial(of_nights, by) for by in (0.3, 0.6, 1)},
    "balanced, voids": partial(of_voids, "balanced"),
    "groups, voids": partial(of_voids, "groups", bots=8),
    "race, voids": partial(of_voids, "race"),
    "knockout, voids": partial(of_voids, "knockout", bots=8, seats=2),
    **{
        f"until the best of {bots} {field} bots is certain, the answer is not the table's": partial(
            of_answer, bots, field == "graded"
        )
        for bots, field in ((4, "equal"), (8, "graded"))
    },
    "until the best of four equal bots is certain": partial(of_equals, "balanced,until=best", 4, 4, 120),
    **{
        f"one best of {len(skills)}, {which}, in {matches} matches": partial(names_best, skills, matches)
        for which, skills, matches in (
            ("all equal", [25.0] * 2, 120),
            ("all equal", [25.0] * 4, 160),
            ("all equal", [25.0] * 8, 160),
            ("two of them equal on top", [25.0 - 2 * BETA] * 6 + [25.0] * 2, 160),
        )
    },
}
"""Tables on which anything certain is false, or is told otherwise than the table does."""
POWER: dict[str, Row] = {
    f"the best of {bots}, {matches} matches": partial(finds_best, [*graded(bots).values()], matches)
    for bots, matches in ((8, 144), (8, 192), (30, 1440), (100, 4000))
}
"""Tables on which the best of graded bots, four at a table, is certain."""
