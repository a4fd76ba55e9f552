"""The race: the best is found, surely and soon, and nobody is named where all are equal."""

from statistics import NormalDist, median

import pytest

from arena.formats import Terms, made
from tests.formats.played import BETA, by_skill, terms_of, whole
from tests.ratings.matches import Recorder


def normal(bots: int, spread: float = 1.0) -> dict[str, float]:
    """Skills at the quantiles of a normal distribution, so many beta wide."""
    quantile = NormalDist().inv_cdf
    return {f"b{number:02}": 25 + BETA * spread * quantile((number + 0.5) / bots) for number in range(bots)}


def race(
    skills: dict[str, float], seed: int, blocks: int, *, seats: int = 4, top: int = 1
) -> tuple[int, list[str], bool]:
    """Matches of a race among these, the first so many, and whether that is certain."""
    terms = Terms(entrants=tuple(skills), seats=seats, blocks=blocks, key=seed.to_bytes(8, "big"))
    rounds, result = whole(made("race", {"top": top}), terms, by_skill(skills, seed, deal=2))
    return seats * sum(len(each.line_ups) for each in rounds), list(result.through), result.certain


def test_the_best_is_found_in_brief() -> None:
    """The best of eight bots, and the best two of six, are certain after a few hundred matches."""
    matches, first, certain = race(normal(8, 2.0), 1, 1000)
    assert (first, certain) == (["b07"], True)
    assert matches < 500
    matches, first, certain = race(normal(6, 3.0), 1, 1000, top=2)
    assert (sorted(first), certain) == (["b04", "b05"], True)
    assert matches < 500


def test_a_race_that_is_not_decided_says_so() -> None:
    """With the last block it ends; whoever leads by rating stands first, and a note says how many are still in."""
    terms = terms_of(6, 2, 12)
    _, result = whole(made("race", {}), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 1))
    assert not result.certain
    every = ", ".join(terms.entrants)
    assert result.notes == (f"Not certain after 12 blocks: each of these may be the best: {every}.",)
    assert len(result.places) == 6


def test_the_fallen_fill_the_table() -> None:
    """Where fewer are in than there are seats, line-ups are whole all the same, and those still in sit in each."""
    terms = terms_of(6, 4, 400, 3)
    skills = {bot: 25 - 9.0 * (number > 1) - 2.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made("race", {}), terms, by_skill(skills, 3))
    last = [each for each in rounds if each.title in {"2 are in", "3 are in"}]
    assert last
    for each in last:
        assert not each.byes
        assert all({"b00", "b01"} <= set(line_up) for line_up in each.line_ups)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_the_best_of_a_hundred(record_property: Recorder) -> None:
    """The best of 100 bots, 0.41 beta before the next, is certain in 3,000 matches in the median."""
    found = [race(normal(100), seed, 1500) for seed in range(21)]
    wrong = sum(certain and first != ["b99"] for _, first, certain in found)
    record_property("median matches", median(matches for matches, _, _ in found))
    record_property("wrong", f"{wrong} of {len(found)}")
    record_property("certain", f"{sum(certain for *_, certain in found)} of {len(found)}")
    assert median(matches for matches, _, _ in found) <= 3000
    assert wrong <= 1


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_race_of_few(record_property: Recorder) -> None:
    """The best of eight bots half a beta apart is certain in 100 blocks in the median, and hardly ever another."""
    skills = {f"b{number:02}": 25 + 0.5 * BETA * number for number in range(8)}
    found = [race(skills, seed, 1500) for seed in range(100)]
    wrong = sum(certain and first != ["b07"] for _, first, certain in found)
    record_property("median blocks", median(matches for matches, _, _ in found) / 4)
    record_property("wrong", f"{wrong} of 100")
    assert median(matches for matches, _, _ in found) <= 400
    assert wrong <= 5


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_of_equals_none_is_the_best(record_property: Recorder) -> None:
    """Of eight equal bots in 200 blocks, hardly ever one is certainly the best."""
    named = sum(race(dict.fromkeys("abcdefgh", 25.0), seed, 200)[2] for seed in range(40))
    record_property("named", f"{named} of 40")
    assert named <= 2


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_short_race(record_property: Recorder) -> None:
    """Of 100 bots a race of five matches a bot puts the best first in about 95 of 100 runs, certain or not."""
    found = [race(normal(100), seed, 125) for seed in range(60)]
    first = sum(best == ["b99"] for _, best, _ in found)
    record_property("the best first", f"{first} of {len(found)}")
    record_property("certain", f"{sum(certain for *_, certain in found)} of {len(found)}")
    assert first >= 54
