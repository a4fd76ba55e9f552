"""What a table says for certain: together right, closed under what follows, and the same for every output."""

from itertools import pairwise
from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.collusion import ALPHA as COMPANY
from arena.ratings.evidence import ALPHA
from arena.ratings.pairwise import (
    CIRCLES,
    PLACES,
    SEATS,
    Gap,
    better_of,
    by_bets,
    closed,
    in_a_longer_run,
    settled,
    told,
)
from arena.ratings.quantiles import at_every_look, chance, holm, normal_score, student
from tests.ratings.matches import Match, counted, ends_of, in_blocks, judged


def gaps(scores: dict[tuple[str, str], float], blocks: float = 100, fewest: int = 50) -> list[Gap]:
    """Differences of pairs in normal deviates."""
    return [
        Gap(one=one, other=other, score=score, blocks=blocks, fewest=fewest) for (one, other), score in scores.items()
    ]


def test_the_parts_of_a_page_add_up() -> None:
    """Places, circles, seats and company are together wrong as often as a page may be."""
    assert pytest.approx(ALPHA) == PLACES + CIRCLES + SEATS + COMPANY


@pytest.mark.parametrize(("score", "freedom"), [(0.3, 4), (-2.5, 9), (4.0, 30), (7.0, 200)])
def test_a_normal_score_undoes_students_quantile(score: float, freedom: int) -> None:
    """What is as improbable under Student's distribution is what its quantile came from; the sign stays."""
    value = student(abs(score), freedom) * (1 if score > 0 else -1)
    assert normal_score(value, freedom=freedom) == pytest.approx(score)


@pytest.mark.parametrize("blocks", [10, 60, 1000, 10**6])
def test_every_look_has_the_bound_of_the_mixture(blocks: int) -> None:
    """A chance for every look is 5 % just at the bound of the interval for every look; one look needs less."""
    bound = at_every_look(blocks)
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
    short = told(found)
    assert closed(short) == found
    assert all(closed(set(short) - {pair}) != found for pair in short)


def test_a_place_is_settled_if_all_others_are_above_or_below() -> None:
    """A chain of neighbours settles all places, for the rest follows; one open pair leaves two of them open."""
    chain = list(pairwise("abcd"))
    assert settled(closed(chain), "abcd") == 4
    assert settled(closed([*chain[:2], ("b", "d")]), "abcd") == 2
    assert settled(closed([]), "abcd") == 0


def test_every_look_needs_more_and_pairings_by_results_more_blocks() -> None:
    """At one look 2.8 deviations tell two of three apart; at every look 4.5 do; after pairings, from 20 blocks on."""
    clear = gaps({("a", "b"): 2.8, ("c", "a"): -4.5, ("b", "c"): 0.2})
    assert better_of(clear, bots=3, looks="one") == {("a", "b"), ("a", "c")}
    assert better_of(clear, bots=3, looks="every") == {("a", "c")}
    assert better_of(clear, bots=3, looks="paired") == {("a", "c")}
    few = gaps({("c", "a"): -9}, fewest=19)
    assert better_of(few, bots=3, looks="every") == {("a", "c")}
    assert not better_of(few, bots=3, looks="paired")


def test_more_bots_make_each_claim_dearer() -> None:
    """The same difference that is certain between three bots is not among forty."""
    clear = gaps({("a", "b"): 2.8})
    assert better_of(clear, bots=3, looks="one")
    assert not better_of(clear, bots=40, looks="one")


def test_a_longer_run_is_told_as_a_range() -> None:
    """Clear differences are settled in any case, equal bots hardly; without a difference nothing is said."""
    apart = gaps({("a", "b"): 9.0, ("b", "c"): 9.0, ("a", "c"): 18.0})
    assert in_a_longer_run(apart, "abc") == (3, 3)
    low, _ = in_a_longer_run(gaps({("a", "b"): 0.1, ("b", "c"): 0.1, ("a", "c"): 0.2}), "abc") or (9, 9)
    assert low == 0
    low, high = in_a_longer_run(gaps({("a", "b"): 1.6, ("b", "c"): 1.6, ("a", "c"): 3.2}), "abc") or (9, 9)
    assert low < high
    assert in_a_longer_run([], "abc") is None


@pytest.mark.parametrize("seed", range(8))
def test_what_is_certain_is_within_the_ranges(seed: int) -> None:
    """A range of ranks leaves no more open than what is certain; where every look counts, both are the same."""
    matches = in_blocks({f"b{at}": 25 + at / 2 for at in range(8)}, 60, 4, seed, deal=2)
    (_, once), (_, always) = judged(matches), judged(matches, looks="every")
    assert always.better <= once.better
    for name, found in once.bots.items():
        assert found.certain_low <= found.rank_low <= found.rank_high <= found.certain_high
        same = always.bots[name]
        assert (same.rank_low, same.rank_high) == (same.certain_low, same.certain_high)
        assert (same.low, same.high) == (found.low, found.high)


def test_no_second_place_is_settled_beside_one_that_may_be_second() -> None:
    """If a bot is second for certain, no other may still be: that would deny it."""
    found = judged(in_blocks({"a": 33.0, "b": 28.5, "c": 25.0, "d": 24.5, "e": 24.0}, 60, 4, seed=3))[1].bots
    for name, each in found.items():
        if each.certain_low == each.certain_high:
            others = [other for key, other in found.items() if key != name]
            assert not any(other.certain_low <= each.certain_low <= other.certain_high for other in others)
    assert found["a"].certain_high == 1


def test_bets_find_part_of_it_whatever_the_luck() -> None:
    """Where every look counts, few bots have bets beside; one that wins every shared block is found, equals are not."""
    matches = in_blocks({"a": 45.0, "b": 25.0, "c": 25.0, "d": 25.0}, 40, 4, seed=2)
    _, found = judged(matches, looks="every")
    assert found.bets == found.better == {("a", "b"), ("a", "c"), ("a", "d")}
    assert judged(matches)[1].bets == frozenset()
    assert by_bets(counted(matches), [*"abcd", "e", "f", "g", "h", "i"]) == frozenset()


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
