"""When the places of a table settle: what is foreseen from differences, without any match."""

import pytest
from msgspec.structs import replace

from arena.ratings.pairwise import Gap
from arena.tournament.settlement import YEAR, Differences, Settlement, assume_differences, foresee_settlement


def differ(*mus: float, deviation: float = 1.0, seasons: int = 1) -> Differences:
    """Bots of these mu after so many seasons of 20 blocks."""
    bots = tuple([f"b{number}" for number in range(len(mus))])
    gaps = [
        Gap(
            bot=bots[one],
            other=bots[other],
            score=(mus[one] - mus[other]) / deviation,
            blocks=30.0 * seasons,
            fewest=20 * seasons,
            difference=mus[one] - mus[other],
            deviation=deviation,
        )
        for one in range(len(mus))
        for other in range(one)
    ]
    return Differences(bots=bots, gaps=gaps, seasons=seasons, length=float(seasons))


def test_who_is_far_apart_is_settled() -> None:
    """Bots that are certainly apart have settled places, and nothing more is to be played."""
    far = differ(0, 10, 20)
    assert far.count_open() == {"b0": 0, "b1": 0, "b2": 0}
    assert foresee_settlement(far, places=1).nights == 0


def test_who_is_the_same_is_settled() -> None:
    """Bots that are certainly the same within the margin have settled places, too."""
    assert differ(0, 0.1, deviation=0.05).are_settled(1)
    assert not differ(0, 0.1, deviation=0.5).are_settled(1)


def test_a_place_may_be_one_of_several() -> None:
    """Where a bot may have more places than one, fewer others have to be told from it."""
    near = differ(0, 0.1, 20)
    assert near.count_open() == {"b0": 1, "b1": 1, "b2": 0}
    assert (near.are_settled(1), near.are_settled(2)) == (False, True)


def test_nearer_bots_take_longer() -> None:
    """The nearer two bots are, the more nights it takes to tell them apart; where luck is great, more than a year."""
    nights = [foresee_settlement(differ(0, apart), places=1).nights for apart in (4.0, 2.5, 1.6)]
    assert None not in nights
    assert nights == sorted(nights, key=str)
    assert len({*nights}) == len(nights)
    never = foresee_settlement(differ(0, 0.5, deviation=10), places=1)
    assert never == Settlement(nights=None, month=2, assumed=False)
    assert str(never) == "after more than a year (after 30 more nights a bot has one of about 2 places)"


def test_it_is_as_if_it_had_been_played() -> None:
    """What is foreseen of so many more seasons is what holds after them, if the differences stay as they are."""
    now = differ(0, 3, 7)
    more = foresee_settlement(now, places=1).nights
    assert more is not None
    seen = now.without_luck()
    assert seen.after(more).are_settled(1)
    assert not seen.after(more - 1).are_settled(1)
    assert seen.after(more - 1).after(1).count_open() == seen.after(more).count_open()


def test_ten_nights_count_as_ten_blocks() -> None:
    """From ten nights on each counts as one block, as in the table, and not before."""
    assert {gap.fewest for gap in differ(0, 1).after(8).gaps} == {180}
    assert {gap.fewest for gap in differ(0, 1).after(9).gaps} == {10}


@pytest.mark.parametrize("seats", [2, 4])
def test_what_is_assumed_before_any_match(seats: int) -> None:
    """More bots take longer, more matches a night and more places for a bot less; it is the same each time."""

    def count(bots: int, per_bot: int, places: int = 1) -> int:
        settlement = foresee_settlement(assume_differences(bots, seats=seats, per_bot=per_bot), places=places)
        assert settlement.assumed
        return settlement.nights or YEAR + 1

    assert 1 < count(5, 60) < count(10, 60) < count(20, 60)
    assert count(10, 120) < count(10, 60) > count(10, 60, places=3)
    assert count(10, 60) == count(10, 60)


def test_a_lone_bot_is_settled() -> None:
    """A table of one bot, or of none, is settled."""
    for bots in ((), ("b",)):
        alone = replace(differ(), bots=bots)
        assert foresee_settlement(alone, places=1).nights == 0
