"""An unbeaten newcomer: what few matches make of it, as docs/decisions/ratings.md tells."""

from pathlib import Path
from random import Random

import pytest

from arena.formats.schedule import draw_blocks, line_up
from arena.ratings import Interval, Rating, fit_outcomes, intervals_of
from tests.ratings.matches import Match, counted, ranks_of

BETA = 25 / 6
SKILLS = {f"b{number}": 25 + gap * BETA for number, gap in enumerate((-0.5, -0.2, 0.0, 0.2, 0.5))}
DOCS = (Path(__file__).parents[2] / "docs" / "decisions" / "ratings.md").read_text("utf-8")


def ratings(wins: int) -> tuple[Rating, Rating, Interval]:
    """The newcomer after so many matches, all won, beside five bots that had 240 each; the best of these; its ranks."""
    random, names = Random(1), list(SKILLS)

    def ended(seats: tuple[str, ...]) -> Match:
        return seats, ranks_of([random.gauss(SKILLS[bot], BETA) if bot in SKILLS else 99.0 for bot in seats])

    matches = [
        (f"e0b{block.number}", ended(line_up(block, turn)))
        for block in draw_blocks(names, seats=4, blocks=75, key=bytes(8))
        for turn in range(4)
    ]
    for block in range(wins // 4):
        others = random.sample(names, 3)
        matches += [(f"e1b{block}", ended((*others[:turn], "new", *others[turn:]))) for turn in range(4)]
    blocks = counted(matches)
    table = fit_outcomes(blocks)
    leader = max((table.ratings[bot] for bot in names), key=lambda each: each.rating)
    return table.ratings["new"], leader, intervals_of(table).bots["new"]


def shown(rating: Rating) -> str:
    """As the page has it."""
    return f"mu {rating.mu:.1f}, sigma {rating.sigma:.1f}"


def test_an_unbeaten_newcomer() -> None:
    """After four wins it leads the table, but by its ranks nothing is settled before ten blocks."""
    told = " ".join(DOCS.split())
    new, leader, _ = ratings(4)
    assert new.rating > leader.rating
    after_four = f"got {shown(new)} and so the rating {new.rating:.1f}, above the leader's {leader.rating:.1f}"
    assert f"{after_four} ({shown(leader)})" in told
    _, _, ranks = ratings(12)
    assert (ranks.rank_low, ranks.rank_high) == (1, 6)
    assert "`1-6` after 12 matches" in told
    new, _, ranks = ratings(40)
    assert (ranks.rank_low, ranks.rank_high) == (1, 1)
    assert f"after 40 wins {new.rating:.1f}" in told


def test_fewer_matches_make_a_lower_rating() -> None:
    """Of two bots that win half of their matches, the one that played fewer has the lower rating, and the same mu."""
    matches: list[Match] = [((bot, "x"), ranks) for bot in "ab" for ranks in ((0, 1), (1, 0))]
    many = matches * 3 + [match for match in matches if "a" in match[0]] * 20
    table = fit_outcomes(counted([(f"e0b{at}", match) for at, match in enumerate(many)]))
    often, seldom = table.ratings["a"], table.ratings["b"]
    assert often.mu == pytest.approx(seldom.mu, abs=0.01)
    assert often.rating > seldom.rating + 1
