"""What a format will take, told beforehand: as many blocks as it then has, or about so many."""

from collections.abc import Sequence
from random import Random
from statistics import fmean, pstdev
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats import Progress, find, made
from arena.formats.forecast import answer, blocks_of, forecasts, recommended
from arena.formats.registry import OURS
from tests.formats.played import BETA, by_skill, outcome, terms_of, whole
from tests.formats.test_race import normal
from tests.ratings.matches import Recorder

KNOWN: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name in OURS if hasattr(find(name), "size")),
    ("gauntlet", {"challengers": 2}),
    ("groups", {"groups": 3}),
    ("swiss", {"rounds": 4}),
]


@pytest.mark.parametrize(("name", "options"), KNOWN)
def test_what_is_known_beforehand_is_so(name: str, options: dict[str, object]) -> None:
    """A format that does not end early has as many blocks as are told of it."""
    terms = terms_of(14, 3, 37)
    rounds, _ = whole(made(name, options), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 1))
    were = sum(len(each.line_ups) for each in rounds)
    assert blocks_of(made(name, options), bots=14, seats=3, blocks=37) == (were, were)


@pytest.mark.parametrize("name", ["knockout", "race"])
def test_what_ends_early_is_simulated(name: str) -> None:
    """What is told of a format that may end early is within a factor of two of what bots of such skills play."""
    terms = terms_of(8, 4, 200)
    skills = {bot: 25 + BETA * (place - 3.5) / 2 for place, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made(name, {}), terms, by_skill(skills, 1))
    fewest, most = blocks_of(made(name, {}), bots=8, seats=4, blocks=200)
    were = sum(len(each.line_ups) for each in rounds)
    assert were / 2 <= fewest <= most <= were * 2


@pytest.mark.parametrize("name", [name for name in OURS if answer(name, bots=8, seats=4)])
@pytest.mark.parametrize("seats", [2, 4])
def test_figures_lie_between_those_that_were_measured(name: str, seats: int) -> None:
    """Of a number of bots that was measured they are its own, between two of them between; beyond they stay."""
    eight, twelve, sixteen = (answer(name, bots=bots, seats=seats) for bots in (8, 12, 16))
    assert eight is not None
    assert twelve is not None
    assert sixteen is not None
    for figure in ("best", "order", "fewest", "most"):
        ends = sorted(getattr(each, figure) for each in (eight, sixteen))
        assert ends[0] <= getattr(twelve, figure) <= ends[1]
    assert eight.bots == 8
    far = [answer(name, bots=bots, seats=seats) for bots in (1000, 100_000)]
    assert far[0] is not None
    assert far[1] is not None
    assert msgspec.structs.replace(far[0], bots=0) == msgspec.structs.replace(far[1], bots=0)
    assert answer("groups", bots=8, seats=seats) is None


@settings(max_examples=10)
@given(st.integers(3, 500), st.integers(2, 6))
def test_what_is_told_of_formats_is_possible(bots: int, seats: int) -> None:
    """Shares lie between 0 and 1, and no format takes more at least than at most."""
    for each in forecasts(max(bots, seats), seats=seats):
        assert 1 <= each.fewest <= each.blocks
        assert each.best is None or 0.3 <= each.best <= 1
        assert each.order is None or 0.3 <= each.order <= 1


def test_many_bots_are_told_of_by_a_part_of_them() -> None:
    """Of more bots than are simulated the blocks grow with their number; no format takes more than is asked for."""
    assert blocks_of(made("race", {}), bots=48, seats=4, blocks=40) == (40, 40)
    told = {each.schedule: each.blocks for each in forecasts(100, seats=4)}
    assert told["balanced"] == 500
    assert told["swiss"] == 350
    # a hundred bots, certain: 2,500 matches or so, as races of a hundred have shown
    assert 400 <= told["race"] <= 900


def test_formats_that_say_nothing_are_left_out() -> None:
    """One table knocks nobody out for another, and one group is a balanced run."""
    few, more = ({each.schedule for each in forecasts(bots, seats=seats)} for bots, seats in ((3, 3), (9, 2)))
    assert more - few == {"groups", "knockout"}
    assert few < more


@pytest.mark.parametrize(
    ("matches", "schedule", "expected"),
    [(5000, "balanced", 5000), (1999, "balanced", 1996), (1399, "race", 1396), (499, "", 500)],
)
def test_what_is_recommended(matches: int, schedule: str, expected: int) -> None:
    """The whole table if there is time for the order of a Swiss, else the best bot; and nothing if it is too short."""
    found = recommended(100, seats=4, matches=matches)
    assert (found.schedule, found.matches) == (schedule, expected)


RUNS = 40


def rank_correlation(order: Sequence[str], truth: Sequence[str]) -> float:
    """Of Spearman, between two orders of the same bots."""
    at = {bot: place for place, bot in enumerate(truth)}
    apart = sum((at[bot] - place) ** 2 for place, bot in enumerate(order))
    return 1 - 6 * apart / (len(truth) ** 3 - len(truth))


def answers(name: str, bots: int, blocks: int, runs: int) -> dict[str, float]:
    """What so many runs of a format make of bots at the quantiles of a normal distribution, one beta wide."""
    first, *others = sorted(normal(bots).values(), key=lambda skill: abs(skill - 25))
    orders, best, through, matches, shares = [], 0, 0, 0, []
    for seed in range(runs):
        terms = terms_of(bots, 4, blocks, seed)
        # seeds tell nothing of the skills
        skills = dict(zip(terms.entrants, [first, *Random(seed).sample(others, bots - 1)], strict=True))
        truth = sorted(skills, key=lambda bot: -skills[bot])
        progress, points = Progress(made(name, {}), terms), []
        while progress.round is not None:
            played = outcome(progress.round, progress.first_block, by_skill(skills, seed, deal=2))
            seen = [dict(zip(line_up, ranks, strict=True)) for block in played for line_up, ranks in block.matches()]
            points += [1 - ranks["b00"] / 3 for ranks in seen if "b00" in ranks]
            progress.finish(played)
        assert progress.result is not None
        orders.append(rank_correlation([each.bot for each in progress.result.places], truth))
        best += progress.result.places[0].bot == truth[0]
        through += truth[0] in progress.result.through
        matches += 4 * progress.first_block
        shares.append(fmean(points))
    return {
        "order": fmean(orders),
        "best first": best / runs,
        "best through": through / runs,
        "matches": matches / runs,
        "known to": 1 - pstdev(shares),
    }


@pytest.mark.proof
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("name", "figure", "least"),
    [
        ("balanced", "order", 0.97),
        ("swiss", "order", 0.93),
        ("groups", "best through", 0.95),
        ("knockout", "best first", 0.6),
        ("race", "best first", 0.95),
        ("gauntlet", "known to", 0.95),
    ],
)
def test_what_is_told_is_enough(name: str, figure: str, least: float, record_property: Recorder) -> None:
    """Of 16 bots, four at a table, each format answers what it is played for in the matches that are told of it."""
    kind: Any = find(name)
    found = answers(name, 16, kind.sound(bots=16, seats=4), RUNS)
    for what in found:
        record_property(f"{name}: {what}", round(found[what], 3))
    assert found[figure] >= least
    if (told := answer(name, bots=16, seats=4)) is not None:
        assert found["best first"] == pytest.approx(told.best, abs=0.15)
        assert found["order"] == pytest.approx(told.order, abs=0.05)
        assert not told.most or told.fewest / 1.2 <= found["matches"] / 16 <= told.most * 1.2
