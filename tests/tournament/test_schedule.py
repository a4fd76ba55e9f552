"""Who plays whom: fair in seats, even in meetings, no process that sees a deal twice, and what newcomers are owed."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, islice
from math import comb
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import ValidationError, convert

from arena.chance import Chance
from arena.formats import schedule
from arena.formats.schedule import (
    CHUNK_BOTS,
    Block,
    Fixture,
    audit,
    chunks,
    cut_units,
    line_up,
    line_ups,
    remaining_matches,
    units_of,
)
from arena.record import MatchId, match_key
from arena.tournament.plan import pad_entrants

KEY = bytes(range(32))


def draw(entrants: Sequence[str], **terms: Any) -> list[Block]:
    """A schedule, drawn whole."""
    return list(schedule.draw_blocks(entrants, **terms))


NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x250, exclude_characters="#@"), min_size=1, max_size=5)


@st.composite
def drawn(draw_: st.DrawFn) -> tuple[list[str], int, Sequence[Block]]:
    """Entrants, seats, and the schedule drawn for them."""
    entrants = draw_(st.lists(NAMES, min_size=2, max_size=24, unique=True))
    seats = draw_(st.integers(2, min(8, len(entrants))))
    blocks = draw_(st.integers(0, 80))
    key = draw_(st.binary(min_size=32, max_size=32))
    return entrants, seats, draw(entrants, seats=seats, blocks=blocks, key=key, epoch=draw_(st.integers(0, 3)))


def field(bots: int) -> list[str]:
    """So many entrants."""
    return [f"bot{n}" for n in range(bots)]


@settings(max_examples=60)
@given(drawn())
def test_a_schedule_is_even(example: tuple[list[str], int, Sequence[Block]]) -> None:
    """Each block, numbered from 0, seats as many different entrants as there are seats, each in each equally often.

    The numbers of blocks of any two entrants differ by at most one. Those that two share are within 5 of the average,
    for up to 24 entrants and 80 blocks.
    """
    entrants, seats, blocks = example
    assert [block.number for block in blocks] == list(range(len(blocks)))
    for block in blocks:
        assert len(block.seating) == len(set(block.seating)) == seats
        assert set(block.seating) <= set(entrants)
    counts = audit(blocks, entrants).seats
    assert set(counts) == set(entrants)
    for of_bot in counts.values():
        assert len(set(of_bot)) <= 1
        assert len(of_bot) == (seats if blocks else 0)
    played = Counter(bot for block in blocks for bot in block.seating)
    assert max(played[bot] for bot in entrants) - min(played[bot] for bot in entrants) <= 1
    met = Counter(pair for block in blocks for pair in combinations(sorted(block.seating), 2))
    average = len(blocks) * comb(seats, 2) / comb(len(entrants), 2)
    assert all(abs(met[pair] - average) <= 5 for pair in combinations(sorted(entrants), 2))


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 8), st.integers(0, 40), st.binary(min_size=1, max_size=8))
def test_line_ups_come_in_whole_cycles_where_they_fit(bots: int, seats: int, more: int, key: bytes) -> None:
    """If all line-ups fit into the blocks, each comes as often as whole cycles fit before any comes again."""
    seats = min(seats, bots)
    kinds = comb(bots, seats)
    blocks = draw(field(bots), seats=seats, blocks=min(3 * kinds, 60) + more, key=key)
    for cycle in range(len(blocks) // kinds):
        of_cycle = {frozenset(block.seating) for block in blocks[cycle * kinds : (cycle + 1) * kinds]}
        assert len(of_cycle) == kinds


@pytest.mark.parametrize(
    ("bots", "seats", "blocks", "meetings", "neighbours"),
    [
        (8, 4, 250, (53, 54), (17, 19)),
        (16, 4, 250, (11, 14), (2, 6)),
        (20, 5, 100, (4, 7), (0, 4)),
        (8, 8, 60, (60, 60), (8, 9)),
    ],
)
def test_how_even_schedules_are(
    bots: int, seats: int, blocks: int, meetings: tuple[int, int], neighbours: tuple[int, int]
) -> None:
    """Meetings and ordered neighbours of these schedules stay within the figures that are promised, in blocks."""
    counted = audit(draw(field(bots), seats=seats, blocks=blocks, key=KEY))
    assert counted.fewest_meetings >= meetings[0] * seats
    assert counted.most_meetings <= meetings[1] * seats
    assert counted.fewest_neighbours >= neighbours[0] * seats
    assert counted.most_neighbours <= neighbours[1] * seats


@pytest.mark.parametrize(("seats", "orders"), [(3, 2), (4, 6)])
def test_all_seating_orders_take_turns(seats: int, orders: int) -> None:
    """Where the same bots always meet, every ordered pair is neighbours equally often once all orders fit."""
    counted = audit(draw(field(seats), seats=seats, blocks=4 * orders, key=KEY))
    assert counted.most_neighbours - counted.fewest_neighbours <= seats


@settings(max_examples=60)
@given(drawn(), st.randoms(use_true_random=False))
def test_a_schedule_depends_on_nothing_else(example: tuple[list[str], int, Sequence[Block]], random: Random) -> None:
    """The order in which entrants are listed changes nothing, and drawing again gives the same."""
    entrants, seats, _ = example
    shuffled = entrants.copy()
    random.shuffle(shuffled)
    assert draw(shuffled, seats=seats, blocks=30, key=KEY) == draw(entrants, seats=seats, blocks=30, key=KEY)


def test_names_do_not_matter() -> None:
    """Other names in the same alphabetical order get the same schedule."""
    renamed = {f"bot{n}": f"z{n}" for n in range(9)}
    blocks = draw(list(renamed), seats=4, blocks=50, key=KEY)
    assert draw(list(renamed.values()), seats=4, blocks=50, key=KEY) == [
        Block(block.epoch, block.number, tuple(renamed[bot] for bot in block.seating)) for block in blocks
    ]


def test_a_drawn_schedule_is_always_the_same() -> None:
    """This key has drawn these seating orders since the first version: a run goes on where it stopped."""
    cycles = draw(field(4), seats=3, blocks=5, key=KEY)
    assert [" ".join(block.seating).replace("bot", "") for block in cycles] == [
        "3 1 0",
        "1 3 2",
        "1 2 0",
        "2 3 0",
        "0 2 1",
    ]
    balanced = draw(field(8), seats=3, blocks=14, key=KEY)
    assert ", ".join(" ".join(block.seating).replace("bot", "") for block in balanced) == (
        "6 5 1, 4 0 3, 2 7 3, 7 5 4, 0 2 6, 0 1 7, 4 5 2, 3 6 1, 1 4 2, 0 5 3, 4 6 7, 0 2 5, 7 1 3, 6 2 3"
    )


def test_epoch_and_first_number_go_into_the_ids() -> None:
    """A later epoch, or blocks behind others of the same epoch, have ids of their own."""
    blocks = draw(field(4), seats=2, blocks=3, key=KEY, epoch=2, first=7)
    assert [Fixture(block, 1).id for block in blocks] == ["e2b7r1", "e2b8r1", "e2b9r1"]


@pytest.mark.parametrize(
    ("entrants", "seats", "words"),
    [
        (["a", "b"], 3, "expected 2 to 2 seats for 2 entrants, got 3"),
        (["a", "b"], 1, "expected 2 to 2 seats for 2 entrants, got 1"),
        (["a", "b", "a"], 2, "expected distinct entrants, got 'a' twice"),
    ],
)
def test_what_cannot_be_seated_is_refused(entrants: list[str], seats: int, words: str) -> None:
    """Too few entrants for the seats, or two of one name, are refused in words."""
    with pytest.raises(ValueError, match=words):
        draw(entrants, seats=seats, blocks=4, key=KEY)


def test_rotation_moves_everyone_one_seat_back() -> None:
    """In rotation r the bot of seat r has seat 0, and the others follow in the same order."""
    block = Block(0, 0, ("a", "b", "c"))
    assert [line_up(block, r) for r in range(3)] == [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    assert Fixture(block, 2).bots == ("c", "a", "b")


@given(st.tuples(*[st.integers(0, 10**6)] * 3))
def test_a_match_id_is_read_back(place: tuple[int, int, int]) -> None:
    """A match id tells epoch, block and rotation."""
    epoch, block, rotation = place
    assert match_key(Fixture(Block(epoch, block, ()), rotation).id) == place


def test_canonical_order_counts_and_does_not_spell() -> None:
    """Matches are in order of epoch, then block, then rotation, as numbers."""
    ids = ["e10b0r0", "e0b10r3", "e1b0r0", "e0b10r0", "e0b2r0"]
    assert sorted(ids, key=match_key) == ["e0b2r0", "e0b10r0", "e0b10r3", "e1b0r0", "e10b0r0"]


NO_IDS = ["", "x", "e0b1", "e0b1r", "e0b1r0x", "e00b0r0", "e0b01r0", "e0b1r2\n", "E0b1r2", "e-1b0r0", "e0b1r\u0662"]


@pytest.mark.parametrize("text", [*NO_IDS, "e0b" + "9" * 6000 + "r0"], ids=lambda text: ascii(text[:8]))
def test_what_is_no_match_id_is_refused(text: str) -> None:
    """A match id is ``e<epoch>b<block>r<rotation>`` in plain decimal of at most 20 digits, in records too."""
    with pytest.raises(ValueError, match="expected a match id such as"):
        match_key(text)
    with pytest.raises(ValidationError):
        convert(text, MatchId)


@settings(max_examples=60)
@given(drawn(), st.sampled_from([8, 64]))
def test_units_hold_every_match_once(example: tuple[list[str], int, Sequence[Block]], most: int) -> None:
    """All units together hold each match of the schedule exactly once, and all chunks its blocks: in order if few."""
    names, seats, blocks = example
    gathered = [block for chunk in chunks(blocks, most) for block in chunk]
    assert sorted(gathered, key=lambda block: block.number) == list(blocks)
    assert gathered == list(blocks) or len(names) > CHUNK_BOTS
    # each begins with the first block that is left, so that nobody waits
    left = list(blocks)
    for chunk in chunks(blocks, most):
        assert chunk[0] == left[0]
        left = [block for block in left if block not in chunk]
    cut = list(units_of(chunks(blocks, most), unit=7, chunk=3))
    assert [unit.number for unit in cut] == list(range(7, 7 + len(cut)))
    assert [unit.chunk - 3 for unit in cut] == [at for at, _ in enumerate(chunks(blocks, most)) for _ in range(seats)]
    ids = [fixture.id for unit in cut for fixture in remaining_matches(unit)]
    assert len(ids) == len(set(ids)) == len(blocks) * seats


@settings(max_examples=60)
@given(drawn(), st.sampled_from([8, 64]))
def test_chunks_keep_within_their_bounds(example: tuple[list[str], int, Sequence[Block]], most: int) -> None:
    """A chunk has 1 to 64 blocks and at most 16 bots, and is cut short only where a block more would pass them."""
    _, _, blocks = example
    cut = list(chunks(blocks, most))
    size = max(map(len, cut), default=0)
    for number, chunk in enumerate(cut):
        bots = {bot for block in chunk for bot in block.seating}
        assert 1 <= len(chunk) <= most
        assert len(bots) <= CHUNK_BOTS
        if number + 1 < len(cut) and len(chunk) < size:
            assert len(bots.union(cut[number + 1][0].seating)) > CHUNK_BOTS


def test_a_chunk_goes_on_with_the_block_that_brings_fewest_new_bots() -> None:
    """Of the next 128 blocks the first of those is taken that add fewest bots to the chunk, of any table size."""
    bots = field(60)
    drawn = [draw(bots, seats=seats, blocks=120, key=KEY, first=first) for seats, first in ((2, 0), (5, 120), (8, 240))]
    blocks = [block for three in zip(*drawn, strict=True) for block in three]
    left = list(blocks)
    for chunk in chunks(blocks):
        ahead = left[:128]
        sat: set[str] = set()
        for block in chunk:
            new = [len(set(other.seating) - sat) for other in ahead]
            assert block == ahead[new.index(min(new)) if sat else 0]
            ahead.remove(block)
            left.remove(block)
            sat.update(block.seating)
    assert not left


@pytest.mark.parametrize(
    ("bots", "blocks", "starts"), [(20, 500, 0.4), (32, 250, 1.4), (100, 250, 2.7), (16, 250, 0.3)]
)
def test_warm_bots_are_used_up(bots: int, blocks: int, starts: float) -> None:
    """However many enter, few processes are started a match: blocks that share bots stand in one chunk."""
    drawn = draw(field(bots), seats=4, blocks=blocks, key=KEY)
    lives = [len({name for block in unit.blocks for name in block.seating}) for unit in cut_units(drawn)]
    assert sum(lives) < starts * 4 * blocks


def test_a_chunk_may_have_exactly_sixteen_bots() -> None:
    """Blocks that share nobody fill a chunk up to 16 bots, and the next begins where a 17th would sit."""
    bots = field(128)
    blocks = [Block(0, number, tuple(bots[number * 4 : number * 4 + 4])) for number in range(32)]
    assert [len(chunk) for chunk in chunks(blocks)] == [4] * 8
    blocks[0] = Block(0, 0, (*bots[:4], "one-more"))
    assert [len(chunk) for chunk in chunks(blocks)][:2] == [3, 4]


@pytest.mark.parametrize(
    ("seats", "blocks", "count", "largest"),
    [
        (3, 0, 0, 0),
        (3, 1, 1, 1),
        (3, 5, 3, 2),
        (3, 32, 4, 8),
        (4, 60, 4, 15),
        (4, 250, 4, 63),
        (4, 2500, 40, 64),
        (2, 40, 5, 8),
        (2, 120, 8, 15),
        (2, 5000, 79, 64),
        (8, 30, 2, 15),
    ],
)
def test_units_are_many_and_lives_are_long(seats: int, blocks: int, count: int, largest: int) -> None:
    """So many blocks of few bots make so many chunks: 16 units, unless chunks would have fewer than 8 blocks."""
    drawn = draw(field(9), seats=seats, blocks=blocks, key=KEY)
    cut = list(chunks(drawn))
    assert (len(cut), max(map(len, cut), default=0)) == (count, largest)
    assert len(list(cut_units(drawn))) == count * seats


@pytest.mark.long
@settings(max_examples=60)
@given(drawn(), st.data())
def test_no_process_sees_a_deal_twice(example: tuple[list[str], int, Sequence[Block]], data: st.DataObject) -> None:
    """In one unit no bot meets a block twice, and rotations are not mixed, also after a stop."""
    _, _, blocks = example
    for unit in cut_units(blocks):
        ids = [fixture.id for fixture in remaining_matches(unit)]
        recorded = data.draw(st.sets(st.sampled_from(ids)))
        fixtures = remaining_matches(unit, recorded)
        assert {fixture.rotation for fixture in fixtures} <= {unit.rotation}
        lives = Counter((bot, fixture.block.number) for fixture in fixtures for bot in fixture.bots)
        assert all(count == 1 for count in lives.values())
        assert {fixture.id for fixture in fixtures} == set(ids) - recorded


def test_a_chunk_is_a_unit_in_each_rotation() -> None:
    """First rotation 0 of all its blocks, then rotation 1, and so on; what is recorded is left out."""
    cut = [unit for unit in cut_units(draw(field(2), seats=2, blocks=8, key=KEY)) if unit.chunk == 1]
    ids = [[fixture.id for fixture in remaining_matches(unit, {"e0b3r0"})] for unit in cut]
    assert ids == [["e0b2r0"], ["e0b2r1", "e0b3r1"]]


def test_an_audit_counts_by_hand() -> None:
    """Two blocks, a-b-c and a-c-d, of the entrants a to e: counted on paper."""
    counted = audit([Block(0, 0, ("a", "b", "c")), Block(0, 1, ("d", "a", "c"))], ["a", "b", "c", "d", "e"])
    assert (counted.blocks, counted.matches, counted.fewest, counted.most) == (2, 6, 0, 6)
    assert counted.bots == {"a": 6, "b": 3, "c": 6, "d": 3, "e": 0}
    assert counted.seats == {"a": (2, 2, 2), "b": (1, 1, 1), "c": (2, 2, 2), "d": (1, 1, 1), "e": (0, 0, 0)}
    assert (counted.fewest_meetings, counted.most_meetings) == (0, 6)
    assert (counted.fewest_neighbours, counted.most_neighbours) == (0, 3)
    assert counted.repeated_line_ups == 0
    assert counted.meetings is not None
    assert counted.meetings["a"] == {"b": 3, "c": 6, "d": 3, "e": 0}
    assert counted.meetings["c"] == {"a": 6, "b": 3, "d": 3, "e": 0}


def test_an_audit_tells_of_repeated_line_ups() -> None:
    """A block of the same bots as an earlier one is counted, in whatever order they sit."""
    counted = audit([Block(0, 0, ("a", "b", "c")), Block(0, 1, ("c", "b", "a")), Block(0, 2, ("a", "b", "d"))])
    assert counted.repeated_line_ups == 1


def test_an_audit_of_many_bots_leaves_the_matrix_out() -> None:
    """Beyond 32 bots only the least and the greatest number of meetings are told."""
    assert audit(draw(field(32), seats=4, blocks=16, key=KEY)).meetings is not None
    assert audit(draw(field(33), seats=4, blocks=16, key=KEY)).meetings is None


def test_an_empty_schedule_is_audited() -> None:
    """Nothing played is no error."""
    counted = audit([], ["a", "b"])
    assert (counted.blocks, counted.matches, counted.most, counted.fewest_meetings) == (0, 0, 0, 0)


@given(st.lists(NAMES, min_size=1, max_size=10, unique=True), st.integers(2, 8))
def test_copies_fill_the_seats(entrants: list[str], seats: int) -> None:
    """Fewer entrants than seats: the given ones stand first, then copies in turn; all names are distinct."""
    padded = pad_entrants(entrants, seats)
    assert padded[: len(entrants)] == entrants
    assert len(padded) == len(set(padded)) == max(len(entrants), seats)
    for place in range(len(entrants), len(padded)):
        turn, of = divmod(place, len(entrants))
        assert padded[place] == f"{entrants[of]}#{turn + 1}"


def test_copies_by_example() -> None:
    """One entrant in four seats, two in five, and a name that is taken already."""
    assert pad_entrants(["greedy"], 4) == ["greedy", "greedy#2", "greedy#3", "greedy#4"]
    assert pad_entrants(["greedy", "random"], 5) == ["greedy", "random", "greedy#2", "random#2", "greedy#3"]
    assert pad_entrants(["a", "a#2"], 4) == ["a", "a#2", "a#3", "a#4"]


@pytest.mark.parametrize(
    ("entrants", "words"), [([], "expected at least one entrant, got none"), (["a", "a"], "got 'a' twice")]
)
def test_nobody_cannot_be_copied(entrants: list[str], words: str) -> None:
    """No entrants, or two of one name, are refused in words."""
    with pytest.raises(ValueError, match=words):
        pad_entrants(entrants, 4)


@pytest.mark.long
def test_a_thousand_bots_are_scheduled_at_once() -> None:
    """Of 1,000 bots in 5,000 blocks of 8 no two meet more than 3 times; the work grows as the blocks do."""
    blocks = draw(field(1000), seats=8, blocks=5000, key=KEY)
    counted = audit(blocks)
    assert (counted.fewest, counted.most) == (40 * 8, 40 * 8)
    assert counted.most_meetings <= 3 * 8
    few, many = (lines_run(partial(draw, field(bots), seats=8, blocks=5 * bots, key=KEY)) for bots in (100, 400))
    # of four times as many bots and blocks, were each bot looked at for each block, it would be some sixteen times
    assert many < 6 * few


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a call executes."""
    count = 0

    def note(_frame: FrameType, event: str, _of: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@given(st.integers(2, 5), st.integers(0, 5), st.integers(1, 40), st.integers(0, 2))
def test_some_sit_in_every_block(seats: int, more: int, blocks: int, together: int) -> None:
    """Who is to sit together does so in every block; the others share the seats that are left, and by one at most."""
    names = [f"b{number}" for number in range(seats + more)]
    drawn = draw(names, seats=seats, blocks=blocks, key=b"together", together=names[:together])
    assert len(drawn) == blocks
    for block in drawn:
        assert len(set(block.seating)) == seats
        assert set(names[:together]) <= set(block.seating)
    others = Counter(bot for block in drawn for bot in block.seating if bot not in names[:together])
    counts = [others[name] for name in names[together:]]
    assert max(counts, default=0) - min(counts, default=0) <= 1
    if not together:
        assert drawn == draw(names, seats=seats, blocks=blocks, key=b"together")
    with pytest.raises(ValueError, match=f"expected at most {seats} entrants to sit together"):
        draw([*names, "x"], seats=seats, blocks=blocks, key=b"together", together=[*names[:seats], "x"])
    with pytest.raises(ValueError, match="entrants to sit together, got nobody"):
        draw(names, seats=seats, blocks=blocks, key=b"together", together=["nobody"])


def test_a_schedule_is_drawn_no_further_than_it_is_looked_at() -> None:
    """Of 25,000,000 blocks the first are there at once: who tells their number need not wait for all of them."""
    one, other = (schedule.draw_blocks(field(8), seats=4, blocks=25_000_000, key=KEY) for _ in range(2))
    assert next(cut_units(one, of=25_000_000, seats=4)).blocks == tuple(islice(other, 64))


@pytest.mark.parametrize("seats", [2, 4, 5])
def test_a_cycle_is_a_shuffle_of_all_line_ups(seats: int) -> None:
    """Each cycle is a shuffle of all line-ups in their plain order, by the chance of the key."""
    bots = 9
    every, lot = list(combinations(range(bots), seats)), Chance(KEY)
    expected: list[list[int]] = []
    for _ in range(2):
        lot.shuffle(every)
        expected += map(list, every)
    assert list(line_ups(bots=bots, seats=seats, blocks=len(expected), chance=Chance(KEY))) == expected


@settings(max_examples=60)
@given(st.integers(2, 20), st.integers(2, 8), st.data())
def test_everybody_gets_what_it_is_owed(bots: int, seats: int, data: st.DataObject) -> None:
    """Each entrant sits at least as often as it is owed, equally often in each seat, in no more blocks than that."""
    seats = min(seats, bots)
    names = field(bots)
    owed = data.draw(st.dictionaries(st.sampled_from(names), st.integers(0, 12)))
    blocks = list(draw(names, seats=seats, owed=owed, key=KEY, epoch=3, first=5))
    counted = audit(blocks, names)
    assert all(counted.bots[name] >= owed.get(name, 0) * seats for name in names)
    assert all(len(set(places)) <= 1 for places in counted.seats.values())
    assert [block.number for block in blocks] == list(range(5, 5 + len(blocks)))
    assert len(blocks) <= sum(owed.values())
    assert list(draw(names[::-1], seats=seats, owed=owed, key=KEY, epoch=3, first=5)) == blocks


def test_one_newcomer_sits_in_every_block() -> None:
    """One that is owed 40 blocks gets 40, and meets each of five others in 24 of them."""
    counted = audit(draw(field(6), seats=4, owed={"bot5": 40}, key=KEY))
    assert counted.blocks == 40
    assert counted.bots["bot5"] == 160
    assert counted.meetings
    assert set(counted.meetings["bot5"].values()) == {96}


def test_newcomers_do_not_stay_among_themselves() -> None:
    """Four newcomers among eight, in four seats, meet each of the old as often as each other, within two blocks."""
    names = field(8)
    counted = audit(draw(names, seats=4, owed=dict.fromkeys(names[:4], 40), key=KEY))
    assert counted.meetings
    for new in names[:4]:
        assert max(counted.meetings[new].values()) - min(counted.meetings[new].values()) <= 2 * 4


def test_who_is_owed_must_be_there() -> None:
    """Blocks owed to nobody that takes part are refused."""
    with pytest.raises(ValueError, match="expected blocks to be owed to entrants, got 'c'"):
        draw(["a", "b"], seats=2, owed={"c": 1}, key=KEY)
