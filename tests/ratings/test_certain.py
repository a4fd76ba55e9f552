"""What a table says for certain: together right, closed under what follows, and the same for every output."""

from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.collusion import ALPHA as COMPANY
from arena.ratings.evidence import ALPHA
from arena.ratings.pairwise import BEST, CIRCLES, PLACES, SEATS, Gap, better_of, closed, reduce_pairs, same_within
from arena.ratings.quantiles import chance, holm, normal_score, quantile_at_every_look, student
from tests.ratings.matches import Match, ends_of, in_blocks, judged


def gaps(scores: dict[tuple[str, str], float], blocks: float = 100, fewest: int = 50) -> list[Gap]:
    """Differences of pairs in normal deviates."""
    return [
        Gap(bot=one, other=other, score=score, blocks=blocks, fewest=fewest) for (one, other), score in scores.items()
    ]


def test_the_parts_of_a_page_add_up() -> None:
    """The best, other places, circles, seats and company are together wrong as often as a page may be."""
    assert pytest.approx(ALPHA) == BEST + PLACES + CIRCLES + SEATS + COMPANY


@pytest.mark.parametrize(("score", "freedom"), [(0.3, 4), (-2.5, 9), (4.0, 30), (7.0, 200)])
def test_a_normal_score_undoes_students_quantile(score: float, freedom: int) -> None:
    """What is as improbable under Student's distribution is what its quantile came from; the sign stays."""
    value = student(abs(score), freedom) * (1 if score > 0 else -1)
    assert normal_score(value, freedom=freedom) == pytest.approx(score)


@pytest.mark.parametrize("blocks", [10, 60, 1000, 10**6])
def test_every_look_has_the_bound_of_the_mixture(blocks: int) -> None:
    """A chance for every look is 5 % just at the bound of the interval for every look; one look needs less."""
    bound = quantile_at_every_look(blocks)
    assert chance(bound, blocks=blocks, looks="every", error=0.05) == pytest.approx(0.05)
    assert chance(bound, blocks=blocks, looks="one", error=0.05) < 0.02
    assert chance(0.0, blocks=blocks, looks="paired", error=0.01) == 1


def test_holm_goes_on_while_the_next_is_clear() -> None:
    """The clearest is held against the error over all claims, the next against one claim less, until one fails."""
    chances = {"a": 0.009, "b": 0.0125, "c": 0.03, "d": 0.0001}
    assert holm(chances, error=0.05, claims=5) == ["d", "a", "b"]
    assert holm(chances, error=0.05, claims=6) == ["d", "a", "b"]
    assert holm(chances, error=0.05, claims=7) == ["d"]
    assert holm({}, error=0.05, claims=3) == []


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(0, 2**32))
def test_what_follows_is_claimed_and_can_be_told_shortly(size: int, seed: int) -> None:
    """The closure is transitive, never turns round, and is what follows from the few pairs that are told."""
    random = Random(seed)
    order = random.sample("abcdefghi", size)
    some = [(one, other) for at, one in enumerate(order) for other in order[at + 1 :] if random.random() < 0.4]
    found = closed(some)
    assert found >= set(some)
    assert all((a, d) in found for a, b in found for c, d in found if b == c)
    assert all(order.index(one) < order.index(other) for one, other in found)
    # so no sentence says that places are open between two bots of which one is certainly better
    above = {name: {one for one, other in found if other == name} for name in order}
    assert all(above[one] < above[other] for one, other in found)
    short = reduce_pairs(found)
    assert closed(short) == found
    assert all(closed(set(short) - {pair}) != found for pair in short)


def test_the_best_has_a_level_of_its_own() -> None:
    """A leader 2.4 deviations ahead of each other is the best, of however many bots; with 2.3 it is open."""
    for size in (2, 8, 40):
        others = [f"b{at}" for at in range(size - 1)]
        clear = gaps({("a", other): 2.4 for other in others})
        open_ = gaps({("a", other): 2.3 if at == 0 else 2.4 for at, other in enumerate(others)})
        assert better_of(clear, bots=size, looks="one") == {("a", other) for other in others}
        assert not better_of(open_, bots=size, looks="one")
    assert not better_of(gaps({("a", "b"): 2.4}), bots=3, looks="one")
    assert not better_of(gaps({("a", "b"): 2.4}), bots=2, looks="one", share=0.5)
    assert better_of(gaps({("a", "b"): 2.6}), bots=2, looks="one", share=0.5)


def test_once_the_best_is_known_the_others_are_tested_among_themselves() -> None:
    """Of three bots the two behind the best are one pair, which 2.5 deviations tell apart; three they do not."""
    clear = gaps({("a", "b"): 9, ("a", "c"): 9, ("b", "c"): 2.5})
    assert better_of(clear, bots=3, looks="one") == {("a", "b"), ("a", "c"), ("b", "c")}
    without = gaps({("a", "b"): 2.0, ("a", "c"): 2.0, ("b", "c"): 2.5})
    assert not better_of(without, bots=3, looks="one")


def test_pairs_claim_nothing_that_follows_and_nothing_in_a_circle() -> None:
    """By their own matches a may beat b and b beat c, and of a and c nothing is known; in a circle nothing is said."""
    chain = gaps({("a", "b"): 9, ("b", "c"): 9})
    assert better_of(chain, bots=4, looks="pairs") == {("a", "b"), ("b", "c")}
    circle = gaps({("a", "b"): 9, ("b", "c"): 9, ("c", "a"): 9, ("a", "d"): 9})
    assert better_of(circle, bots=5, looks="pairs") == {("a", "d")}


def test_two_bots_are_the_same_within_a_margin() -> None:
    """Both ends have to be far away for it, in deviations, and no less sure than that one bot is better."""
    near = [Gap(bot="b", other="a", score=0, blocks=400, fewest=200, difference=0.1, deviation=0.1)]
    assert same_within(near, 1.0, bots=2, looks="one") == {("a", "b")}
    assert not same_within(near, 0.3, bots=2, looks="one")
    assert not same_within(gaps({("a", "b"): 0.0}), 9.0, bots=2, looks="one")


def test_every_look_needs_more_and_pairings_by_results_more_blocks() -> None:
    """At one look 3 deviations tell two of three apart; at every look 4.5 do; after pairings, from 20 blocks on."""
    clear = gaps({("a", "b"): 3.0, ("c", "a"): -4.5, ("b", "c"): 0.2})
    assert better_of(clear, bots=3, looks="one") == {("a", "b"), ("a", "c")}
    assert better_of(clear, bots=3, looks="every") == {("a", "c")}
    assert better_of(clear, bots=3, looks="paired") == {("a", "c")}
    few = gaps({("c", "a"): -9}, fewest=19)
    assert better_of(few, bots=3, looks="every") == {("a", "c")}
    assert not better_of(few, bots=3, looks="paired")


def test_more_bots_make_each_claim_dearer() -> None:
    """The same difference that is certain between three bots is not among forty."""
    clear = gaps({("a", "b"): 3.0})
    assert better_of(clear, bots=3, looks="one")
    assert not better_of(clear, bots=40, looks="one")


def test_no_second_place_is_settled_beside_one_that_may_be_second() -> None:
    """If a bot is second for certain, no other may still be: that would deny it."""
    found = judged(in_blocks({"a": 33.0, "b": 28.5, "c": 25.0, "d": 24.5, "e": 24.0}, 60, 4, seed=3))[1].bots
    for name, each in found.items():
        if each.rank_low == each.rank_high:
            others = [other for key, other in found.items() if key != name]
            assert not any(other.rank_low <= each.rank_low <= other.rank_high for other in others)
    assert found["a"].rank_high == 1


def test_all_tied_is_no_certainty() -> None:
    """Where every match is a tie, an interval of mu has a width: one match that ends otherwise would move it."""
    ties: list[tuple[str, Match]] = [(f"e0b{b}", (("a", "b"), (0, 0))) for b in range(40) for _ in range(2)]
    for each in judged(ties)[1].bots.values():
        low, high = ends_of(each)
        assert low < 24.9
        assert high > 25.1


@pytest.mark.parametrize(("freedom", "quantile"), [(9, 2.2622), (19, 2.0930), (59, 2.0010), (999, 1.9623)])
def test_students_quantile(freedom: int, quantile: float) -> None:
    """The 97.5 % quantiles of the printed tables, to three digits."""
    assert student(1.959964, freedom) == pytest.approx(quantile, rel=1e-3)


def test_the_floor_of_two_sided_chances() -> None:
    """The tail of the normal distribution: 1.96 deviates are 5 %, and nothing is lost far out."""
    assert chance(1.959964, blocks=50, looks="one", error=0.05) == pytest.approx(0.05)
    assert log(chance(30.0, blocks=50, looks="one", error=0.05)) == pytest.approx(-454.1, abs=0.5)
