"""The race: the best is found, surely and soon, and nobody is named where all are equal."""

from statistics import NormalDist, median

import pytest

from arena.formats import Result, Terms, made
from tests.formats.played import BETA, CIRCLE, by_skill, in_a_circle, terms_of, whole
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
    *others, last = terms.entrants
    every = f"{', '.join(others)} and {last}"
    assert result.notes == (f"Not certain after 12 blocks: each of these may be the best: {every}.",)
    assert len(result.places) == 6


def circle_race(seed: int, *, advantage: float, seats: int, others: int = 0) -> Result:
    """How a race ends in which rock, paper and scissors beat each other, and all three beat so many others."""
    names = (*CIRCLE, *(f"b{number}" for number in range(others)))
    terms = Terms(entrants=names, seats=seats, blocks=2000, key=seed.to_bytes(8, "big"))
    _, result = whole(made("race", {}), terms, in_a_circle(seed, advantage))
    return result


@pytest.mark.parametrize(("seats", "others"), [(2, 0), (3, 3)])
@pytest.mark.long_cases("3-3")
def test_of_rock_paper_and_scissors_none_is_the_best(seats: int, others: int) -> None:
    """A circle is named, its bots share the first place, and nobody is the best."""
    result = circle_race(1, advantage=0.9, seats=seats, others=others)
    assert not result.certain
    assert result.notes == (
        "No bot is ahead of all others. A circle, all of it certain: paper > rock > scissors > paper.",
    )
    assert {place.bot for place in result.places if place.place == 1} == set(CIRCLE)


def test_the_last_one_is_tested_against_each_other() -> None:
    """Who is left is the best if it is certainly ahead of each in blocks after that; of many bots that is not said."""
    terms = terms_of(6, 2, 800, 1)
    skills = {bot: 25 - 4.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, result = whole(made("race", {}), terms, by_skill(skills, 1))
    tested = [line_up for each in rounds if each.title == "b00 is tested" for line_up in each.line_ups]
    assert set().union(*tested) == set(terms.entrants)
    assert all("b00" in line_up for line_up in tested)
    assert (result.certain, result.notes) == (True, ("b00 is certainly ahead of each of the other 5 bots.",))
    _, result = whole(made("race", {"tested": 5}), terms, by_skill(skills, 1))
    assert (result.certain, result.places[0].bot) == (False, "b00")
    assert result.notes[0].startswith("Every other bot is certainly behind somebody. b00 was tested against ")


def test_by_trueskills_model_the_best_is_found_sooner() -> None:
    """With model=trueskill the race ends sooner, the assumption is told, and nothing is called certain."""
    terms = terms_of(8, 4, 800, 1)
    skills = {bot: 25 - 3.0 * number for number, bot in enumerate(terms.entrants)}
    plain, _ = whole(made("race", {}), terms, by_skill(skills, 1))
    modelled, result = whole(made("race", {"model": "trueskill"}), terms, by_skill(skills, 1))
    assert sum(len(each.line_ups) for each in modelled) < sum(len(each.line_ups) for each in plain) / 2
    assert (result.places[0].bot, result.through, result.certain) == ("b00", ("b00",), False)
    assert result.notes[0].startswith("b00 is the best, by TrueSkill's model. The model is assumed, not tested: ")
    _, cut = whole(made("race", {"model": "trueskill"}), terms_of(8, 4, 6, 1), by_skill(dict.fromkeys(skills, 25.0), 1))
    assert cut.notes[0].startswith("Not found after 6 blocks. The model is assumed")


def test_a_model_looks_for_one_bot() -> None:
    """Of more than one a race by the model knows nothing, and there is no other model."""
    with pytest.raises(ValueError, match="expected top=1 with model=trueskill, got top=2"):
        whole(made("race", {"model": "trueskill", "top": 2}), terms_of(4, 2, 8), lambda *_: (0, 1))
    with pytest.raises(ValueError, match="format race: invalid enum value 'elo'"):
        made("race", {"model": "elo"})


@pytest.mark.proof
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(("seats", "others"), [(2, 0), (4, 5)])
def test_a_circle_is_never_crowned(seats: int, others: int, record_property: Recorder) -> None:
    """Rock, paper and scissors, each ahead of the next in 70 of 100 duels: none of 60 races says which is the best."""
    found = [circle_race(seed, advantage=0.4, seats=seats, others=others) for seed in range(60)]
    record_property("crowned", f"{sum(result.certain for result in found)} of 60")
    record_property("the circle named", f"{sum('A circle' in result.notes[0] for result in found)} of 60")
    assert not any(result.certain for result in found)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_the_best_of_a_hundred_by_the_model(record_property: Recorder) -> None:
    """If the model holds, the best of 100 bots is found in 1,030 matches in the median, and no other is named."""
    blocks, right = [], 0
    for seed in range(30):
        skills = normal(100)
        terms = Terms(entrants=tuple(skills), seats=4, blocks=1500, key=seed.to_bytes(8, "big"))
        rounds, result = whole(made("race", {"model": "trueskill"}), terms, by_skill(skills, seed, deal=2))
        blocks.append(sum(len(each.line_ups) for each in rounds))
        right += result.places[0].bot == "b99"
    record_property("median matches", 4 * median(blocks))
    record_property("right", f"{right} of 30")
    assert 4 * median(blocks) <= 1030
    assert right >= 29


def test_the_fallen_fill_the_table() -> None:
    """Where fewer are in than there are seats, line-ups are whole all the same, and those still in sit in each."""
    terms = terms_of(6, 4, 400, 3)
    skills = {bot: 25 - 9.0 * (number > 1) - 2.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made("race", {"tested": 1}), terms, by_skill(skills, 3))
    last = [each for each in rounds if each.title in {"2 are in", "3 are in"}]
    assert last
    for each in last:
        assert not each.byes
        assert all({"b00", "b01"} <= set(line_up) for line_up in each.line_ups)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_the_best_of_a_hundred(record_property: Recorder) -> None:
    """Of 100 bots the best, 0.41 beta before the next, is the last one after 3,000 matches in the median."""
    found = [race(normal(100), seed, 1500) for seed in range(21)]
    wrong = sum(matches < 6000 and first != ["b99"] for matches, first, _ in found)
    record_property("median matches", median(matches for matches, _, _ in found))
    record_property("wrong", f"{wrong} of {len(found)}")
    assert not any(certain for *_, certain in found)
    assert median(matches for matches, _, _ in found) <= 3000
    assert wrong <= 1


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_race_of_few(record_property: Recorder) -> None:
    """Of eight bots half a beta apart it is certain in 110 blocks in the median which is the best, and it is true."""
    skills = {f"b{number:02}": 25 + 0.5 * BETA * number for number in range(8)}
    found = [race(skills, seed, 1500) for seed in range(100)]
    wrong = sum(certain and first != ["b07"] for _, first, certain in found)
    record_property("median blocks", median(matches for matches, _, _ in found) / 4)
    record_property("wrong", f"{wrong} of 100")
    assert median(matches for matches, _, _ in found) <= 440
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
    assert first >= 54
