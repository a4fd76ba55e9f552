"""What a format will take, told beforehand: as many blocks as it then has, or about so many."""

import pytest

from arena.formats import made
from arena.formats.forecast import blocks_of, forecasts, recommended
from tests.formats.played import BETA, by_skill, terms_of, whole

KNOWN: list[tuple[str, dict[str, object]]] = [
    ("balanced", {}),
    ("gauntlet", {"challengers": 2}),
    ("groups", {}),
    ("groups", {"groups": 3}),
    ("swiss", {}),
    ("swiss", {"rounds": 4}),
]


@pytest.mark.parametrize(("name", "options"), KNOWN)
def test_what_is_known_beforehand_is_so(name: str, options: dict[str, object]) -> None:
    """A format that does not end early has as many blocks as are told of it."""
    terms = terms_of(14, 3, 37)
    rounds, _ = whole(made(name, options), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 1))
    assert blocks_of(made(name, options), bots=14, seats=3, blocks=37) == sum(len(each.line_ups) for each in rounds)


@pytest.mark.parametrize("name", ["knockout", "race"])
def test_what_ends_early_is_simulated(name: str) -> None:
    """What is told of a format that may end early is within a factor of two of what bots of such skills play."""
    terms = terms_of(8, 4, 400)
    skills = {bot: 25 + BETA * (place - 3.5) / 2 for place, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made(name, {}), terms, by_skill(skills, 1))
    told, were = blocks_of(made(name, {}), bots=8, seats=4, blocks=400), sum(len(each.line_ups) for each in rounds)
    assert were / 2 <= told <= were * 2


@pytest.mark.long
def test_many_bots_are_told_of_by_a_part_of_them() -> None:
    """Of more bots than are simulated the blocks grow with their number; no format takes more than is asked for."""
    assert blocks_of(made("race", {}), bots=48, seats=4, blocks=40) == 40
    told = {each.schedule: each.blocks for each in forecasts(100, seats=4)}
    assert told["balanced"] == 500
    assert told["swiss"] == 350
    # a hundred bots, certain: 2,500 matches or so, as races of a hundred have shown
    assert 400 <= told["race"] <= 900


def test_formats_that_say_nothing_are_left_out() -> None:
    """One table knocks nobody out for another, and one group is a balanced run."""
    assert [each.schedule for each in forecasts(3, seats=3)] == ["balanced", "swiss", "race", "gauntlet"]
    assert [each.schedule for each in forecasts(9, seats=2)][2:4] == ["groups", "knockout"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("matches", "schedule", "given"),
    [(5000, "balanced", 5000), (1999, "swiss", 1996), (1399, "race", 1396), (499, "", 500)],
)
def test_what_is_recommended(matches: int, schedule: str, given: int) -> None:
    """The whole table if there is time for it, else an order, else the best bot; and nothing if it is too short."""
    found = recommended(100, seats=4, matches=matches)
    assert (found.schedule, found.matches) == (schedule, given)
