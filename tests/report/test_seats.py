"""Whether seats are even: means over whole blocks, and how sure they are."""

from random import Random
from statistics import mean, stdev

import pytest
from msgspec.structs import replace

from arena.ratings import Looks
from arena.record import Record
from arena.report.seats import SeatRow, seat_rows
from tests.report.records import record, results_of


def block(number: int, *matches: tuple[dict[str, int], tuple[int, ...]]) -> list[Record]:
    """A block of these matches, each ranks by bot and scores."""
    return [
        replace(record(ranks, scores), id=f"e0b{number}r{rotation}") for rotation, (ranks, scores) in enumerate(matches)
    ]


def seats_of(records: list[Record], looks: Looks = "one") -> list[SeatRow]:
    """The seats in these records."""
    return seat_rows(results_of(records, "abc"), "lure", looks)[0]


def drawn(blocks: int) -> list[Record]:
    """Blocks of three seats with any ranks and scores."""
    random = Random(3)
    return [
        each
        for number in range(blocks)
        for each in block(
            number,
            *(
                ({bot: random.randrange(3) for bot in "abc"}, tuple(random.randrange(-5, 50) for _ in "abc"))
                for _ in "abc"
            ),
        )
    ]


def test_means_counted_by_hand() -> None:
    """Who tie share the mean of their places, from 0 to 1, and the first place; scores are averaged."""
    found = seats_of(
        block(
            7,
            ({"a": 0, "b": 1, "c": 2}, (9, 5, 1)),
            ({"b": 0, "c": 0, "a": 2}, (7, 7, 2)),
            ({"c": 0, "a": 1, "b": 1}, (8, 4, 4)),
        )
    )
    assert [(row.game, row.seats, row.seat, row.blocks) for row in found] == [("lure", 3, seat, 1) for seat in range(3)]
    assert [row.mean_rank for row in found] == pytest.approx([0.25 / 3, 1.5 / 3, 2.75 / 3], abs=1e-4)
    assert [row.mean_score for row in found] == pytest.approx([24 / 3, 16 / 3, 7 / 3], abs=1e-4)
    assert [row.first for row in found] == pytest.approx([2.5 / 3, 0.5 / 3, 0], abs=1e-4)
    assert {row.rank_margin for row in found} == {None}


def test_all_seats_together_are_even() -> None:
    """The mean ranks of the seats average 0.5, their shares of first places add up to 1."""
    found = seats_of(drawn(40))
    assert sum(row.mean_rank for row in found) / 3 == pytest.approx(0.5, abs=1e-4)
    assert sum(row.first for row in found) == pytest.approx(1, abs=2e-4)


def test_the_interval_is_that_of_block_means() -> None:
    """A margin is Student's t times the standard error of the means of whole blocks."""
    records = drawn(10)
    found = seats_of(records)
    for seat in range(3):
        means = [mean(each.scores[seat] for each in records[at : at + 3]) for at in range(0, 30, 3)]
        assert found[seat].mean_score == pytest.approx(mean(means), abs=1e-4)
        assert found[seat].score_margin == pytest.approx(2.262157 * stdev(means) / 10**0.5, rel=1e-3)


def decided_by_seat(blocks: int) -> list[Record]:
    """Blocks in which the bot in seat 0 always wins and the one in seat 2 is always last."""
    shown = [dict(zip(order, (0, 1, 2), strict=True)) for order in ("abc", "bca", "cab")]
    return [each for number in range(blocks) for each in block(number, *((ranks, (9, 5, 1)) for ranks in shown))]


def test_a_seat_that_always_wins_is_uneven_with_a_margin() -> None:
    """Blocks that are all alike leave the doubt of one match, and name the seats; fewer than ten name none."""
    first, middle, last = seats_of(decided_by_seat(12))
    assert (first.uneven, middle.uneven, last.uneven) == (True, False, True)
    assert first.rank_margin == pytest.approx(2.201 / 36, abs=1e-3)
    assert [row.uneven for row in seats_of(decided_by_seat(9))] == [False] * 3


def test_even_seats_are_hardly_ever_named() -> None:
    """Of 150 reports of even seats at most 3 name one, where single intervals would in some 20; at every look, none."""
    named = alone = often = 0
    for seed in range(150):
        random = Random(seed)
        records = [
            each
            for number in range(15)
            for each in block(number, *((dict(zip("abc", random.sample(range(3), 3), strict=True)), (0, 0, 0)),) * 3)
        ]
        found = seats_of(records)
        named += any(row.uneven for row in found)
        alone += any(abs(row.mean_rank - 0.5) > (row.rank_margin or 1) for row in found)
        often += any(row.uneven for row in seats_of(records, "every"))
    assert named <= 3 < alone
    assert often == 0


def test_unfinished_blocks_are_left_out() -> None:
    """A block of which a match is missing changes nothing but their number."""
    records = drawn(6)
    assert seat_rows(results_of(records[:-1], "abc"), "lure") == (seats_of(records[:15]), 1)


def test_no_order_of_the_records_changes_the_rows() -> None:
    """Shuffled records give equal rows, to the last bit."""
    records = drawn(8)
    assert seats_of(Random(1).sample(records, len(records))) == seats_of(records)


def test_seat_counts_are_told_apart() -> None:
    """Tables of other sizes have rows of their own."""
    two = block(50, ({"a": 0, "b": 1}, (1, 0)), ({"b": 1, "a": 0}, (0, 1)))
    assert [(row.seats, row.seat) for row in seats_of(drawn(1) + two)] == [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_a_damaged_record_is_refused() -> None:
    """A record without a place in the schedule, or with a rank too few, is an error that says so."""
    match = record({"a": 0, "b": 1})
    with pytest.raises(ValueError, match="regex"):
        seats_of([replace(match, id="x")])
    with pytest.raises(ValueError, match="e0b0r0: expected a rank and a score a seat"):
        seats_of([replace(match, ranks=(0,))])
