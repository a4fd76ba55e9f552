"""Records to rows, counted by hand."""

from random import Random

import pytest
from msgspec.structs import replace

from arena.ratings import fit
from arena.record import Record
from arena.report.leaderboard import settled_places
from tests.report.records import board_of, record, rows

RECORDS = [
    record({"a": 0, "b": 1, "c": 2}, (9, 5, 1), waits=((0, 40), (1, 10), (2, -1), (0, 50))),
    record(
        {"b": 0, "c": 0, "a": 2}, (7, 7, 2), faults=((1, "late"), (1, "late"), (2, "gone")), waits=((1, 5_000_000),)
    ),
    record({"c": 1, "a": 0, "b": 1}, (3, 4, 3), waits=((1, 60), (1, 3))),
    record({"a": 2, "b": 1, "c": 0}, (0, 1, 900), faults=((0, "late"),), waits=((0, 9), (1, 9), (2, 9)), void=True),
]


def test_rows_count_what_the_records_say() -> None:
    """Wins are shared, tied places averaged, faults and waits go to their seats; only void matches count not."""
    a, b, c = sorted(rows(iter(RECORDS), ["c", "b", "a"]), key=lambda row: row.bot)
    assert (a.matches, a.wins, a.mean_rank, a.mean_score) == (3, 2, 1.6667, 5)
    assert (b.matches, b.wins, b.mean_rank, b.mean_score) == (3, 0.5, 2, 5)
    assert (c.matches, c.wins, c.mean_rank, c.mean_score) == (3, 0.5, 2.3333, 3.6667)
    assert [a.faults, b.faults, c.faults] == [{"gone": 1}, {}, {"late": 2}]
    assert (a.ms_median, a.ms_p99) == (0.04, 0.06)
    assert (b.ms_median, b.ms_p99) == (0.01, 0.01)
    assert c.ms_median == pytest.approx(5000, rel=1 / 64)
    capped = Record("e0b0r0", "lure", "1", ("a", "b"), (0, 1), (1, 0), "capped")
    assert [row.matches for row in rows([capped], ["a", "b"])] == [1, 1]


def test_ratings_are_those_of_the_matches_that_were_not_void() -> None:
    """The rows hold the rounded fixed point, ordered by rating."""
    found = rows(RECORDS, ["a", "b", "c"])
    ratings = fit((r.bots, r.ranks) for r in RECORDS if r.reason != "void").ratings
    for row in found:
        rating = ratings[row.bot]
        assert (row.rating, row.mu, row.sigma) == (round(rating.rating, 4), round(rating.mu, 4), round(rating.sigma, 4))
    assert [row.rank for row in found] == [1, 2, 3]
    assert [row.rating for row in found] == sorted((row.rating for row in found), reverse=True)


def test_equal_ratings_share_the_rank() -> None:
    """Who cannot be told apart shares the better rank and stands in the order of names; the next rank is left out."""
    found = rows([record({"z": 1, "b": 0, "a": 0})], ["z", "b", "a"])
    assert [(row.rank, row.bot) for row in found] == [(1, "a"), (1, "b"), (3, "z")]


def test_an_entrant_that_never_played_has_the_prior() -> None:
    """Such a row has a rating of 0 and no places, scores or times; the notes name the bot."""
    found = board_of([record({"a": 0, "b": 1})], ["idle", "a", "b"])
    row = next(row for row in found.leaderboard if row.bot == "idle")
    assert (row.rating, row.mu, row.sigma, row.matches, row.wins) == (0, 25, 8.3333, 0, 0)
    assert (row.mean_rank, row.mean_score, row.ms_median, row.ms_p99) == (None, None, None, None)
    assert found.notes[0] == "Not played yet: idle."


def test_the_leaderboard_counts_rated_matches_and_questions_asked() -> None:
    """Void matches and decisions that nobody was asked are not counted; the draw probability is the ratings'."""
    found = board_of(RECORDS, ["a", "b", "c"])
    assert (found.matches, found.decisions) == (3, 6)
    assert found.draw_probability == 0.375
    assert found.notes[-1] == "Void and not rated: 1 match."


def test_notes_name_groups_that_never_met() -> None:
    """Which ratings do not compare is said in words."""
    found = board_of([record({"a": 0, "d": 1}), record({"b": 0, "c": 1})], ["a", "b", "c", "d"])
    assert found.notes[0] == "These groups never met, so ratings compare only within each: a, d; b, c."


def test_unequal_work_is_told() -> None:
    """Who played in fewer than half as many matches as another bot is named, and what that does to its rating."""
    often, seldom = record({"a": 0, "b": 1}), record({"a": 1, "c": 0})
    told = "In fewer than half as many matches as another bot: c. Few matches lower mu - 3 sigma: compare mu."
    assert told in board_of([often] * 2 + [seldom], ["a", "b", "c"]).notes
    assert told not in board_of([often] * 1 + [seldom], ["a", "b", "c"]).notes
    assert told not in board_of([often] * 2 + [seldom], "abc", provisional=True).notes


def test_ranks_are_told_apart_by_whole_blocks() -> None:
    """From ten blocks on there are intervals; before, every rank is possible and a note says so."""
    few = [replace(record({"a": 0, "b": 1}), id=f"e0b{block}r{turn}") for block in range(9) for turn in (0, 1)]
    found = board_of(few, ["b", "a"])
    shown = [(row.bot, row.rank, row.rank_low, row.rank_high, row.low) for row in found.leaderboard]
    assert shown == [("a", 1, 1, 2, None), ("b", 2, 1, 2, None)]
    few_deals = "Too few deals to tell how sure their places are (expected 10 blocks each): a and b."
    assert (found.certain, found.caution, found.notes) == ("", few_deals, (few_deals,))
    found = board_of([*few, replace(record({"a": 0, "b": 1}), id="e1b0r0")], ["b", "a"])
    assert [(row.rank, row.rank_low, row.rank_high) for row in found.leaderboard] == [(1, 1, 1), (2, 2, 2)]
    assert all((row.low or 99) < row.mu < (row.high or 0) for row in found.leaderboard)
    assert found.certain == "Certain, 5 % for all of it: both places."
    assert found.notes == ("Ahead in every match they shared: a > b. How far ahead, these matches cannot tell.",)
    assert board_of(few * 2, "ab", provisional=True).looks == "every"


def test_matches_that_repeat_another_are_counted() -> None:
    """The same bots in the same seats with the same picks and outcome, in another block, tell nothing new."""
    one = replace(record({"a": 0, "b": 1}), picks=((0,), (1,)))
    others = [one, replace(one, bots=("b", "a")), replace(one, picks=((0,), (2,))), replace(one, ranks=(1, 0))]
    notes = board_of([*others, one, one], ["a", "b"]).notes
    assert "2 of 6 matches repeat another one move for move." in notes
    assert not any("repeat" in note for note in board_of(others, ["a", "b"]).notes)


def test_no_order_of_the_records_changes_the_leaderboard() -> None:
    """Shuffled records and entrants give an equal leaderboard."""
    random = Random(5)
    names = ["a", "b", "c", "d"]
    records = [
        record(
            {bot: random.randrange(3) for bot in random.sample(names, 3)},
            waits=tuple((seat, random.randrange(10**6)) for seat in range(3)),
        )
        for _ in range(40)
    ]
    assert board_of(random.sample(records, 40), names[::-1]) == board_of(records, names)


def test_a_strangers_record_is_refused() -> None:
    """A record of a bot that is no entrant, or with times of unknown seats, is an error that says so."""
    with pytest.raises(ValueError, match="e0b0r0: expected bots of a, b, got x"):
        rows([record({"a": 0, "x": 1})], ["a", "b"])
    with pytest.raises(ValueError, match="e0b0r0: expected a rank and a score a seat, and picks and time a decision"):
        rows([Record("e0b0r0", "lure", "1", ("a", "b"), (0, 1), (1, 0), "finished", micros=(5,))], ["a", "b"])


def test_who_uses_the_core_on_others_time_is_named() -> None:
    """A bot is named for more than 5 % of the time it was not waited for, over all timed matches but void ones."""
    long = record({"a": 0, "b": 1, "c": 2}, waits=((0, 400_000), (1, 500_000)), seconds=1.0, burnt=(0, 40_000, 50_000))
    spoilt = record({"a": 0, "b": 1, "c": 2}, void=True, seconds=1.0, burnt=(900_000, 0, 0))
    found = board_of([long, spoilt], ["a", "b", "c"])
    assert found.burnt == {"b": 0.08}
    calm = record({"a": 0, "b": 1, "c": 2}, seconds=1.0)
    assert board_of([long, calm, spoilt], ["a", "b", "c"]).burnt == {}
    untimed = record({"a": 0, "b": 1}, burnt=(5, 0))
    assert board_of([untimed], ["a", "b"]).burnt == {}


def test_anchors_pin_the_scale() -> None:
    """With anchors all ratings of who met them are shifted alike, to a mean mu of 25; intervals are of that mu."""
    records = [replace(each, id=f"e0b{number}r0") for number in range(12) for each in RECORDS[:3]]
    free = board_of(records, ["a", "b", "c"])
    pinned = board_of(records, ["a", "b", "c"], anchors=("b", "c", "gone"))
    mu = {row.bot: row.mu for row in pinned.leaderboard}
    assert (mu["b"] + mu["c"]) / 2 == pytest.approx(25, abs=1e-4)
    for was, now in zip(free.leaderboard, pinned.leaderboard, strict=True):
        shift = now.mu - was.mu
        assert abs(shift) > 0.1
        assert now.rating - was.rating == pytest.approx(shift, abs=2e-4)
        assert None not in (was.low, was.high, now.low)
        # how wide it is depends on whom mu is held against
        assert (now.low or 0) < now.mu < (now.high or 0)
        assert replace(now, mu=0, rating=0, low=0, high=0) == replace(was, mu=0, rating=0, low=0, high=0)
    assert pinned.notes[-1] == "Anchored: all ratings are shifted alike, so that the mean mu of b, c is 25."
    lone = board_of(records, ["a", "b", "c"], anchors=("gone",))
    assert lone.leaderboard == free.leaderboard
    assert lone.notes[-1].startswith("Not anchored, because none of gone has played")


def test_a_line_tells_what_is_certain() -> None:
    """Places are listed; a note says where line-ups follow from results, and where the format alone tells."""
    records = [
        replace(record({"a": 0, "b": 1 + block % 2, "c": 2 - block % 2}), id=f"e0b{block}r{turn}")
        for block in range(40)
        for turn in range(3)
    ]
    once = board_of(records, "abc")
    assert once.certain == "Certain, 5 % for all of it: place 1."
    assert (once.looks, once.better) == ("one", (("a", "b"), ("a", "c")))
    assert once.headline == "a won, for certain"
    paired = board_of(records, "abc", looks="paired")
    assert (paired.certain, paired.better) == (once.certain, once.better)
    assert "Paired by results: what is certain holds at every look, with many blocks." in paired.notes
    answer = board_of(records, "abc", looks="answer")
    assert (answer.certain, answer.better) == ("Certain, 5 % for all of it: no place.", ())
    assert "Line-ups follow from results or keep bots apart: only what the format has found is certain." in answer.notes
    pairs = board_of(records, "abc", looks="pairs")
    assert (pairs.certain, pairs.better) == (once.certain, once.better)


def test_the_gravest_caution_comes_first() -> None:
    """Groups that never met count for more than too few deals, these more than void and unequal matches."""
    few = record({"a": 0, "b": 1})
    assert board_of([few, record({"c": 0, "d": 1})], "abcd").caution.startswith("These groups never met")
    assert board_of([few, record({"a": 0, "b": 1}, void=True)], "ab").caution.startswith("Too few deals")
    many = [replace(few, id=f"e0b{block}r0") for block in range(12)]
    assert board_of([*many, record({"a": 0, "b": 1}, void=True)], "ab").caution == "Void and not rated: 1 match."
    assert board_of(many, "ab").caution == ""


def test_a_void_match_counts_as_lost() -> None:
    """Who is ahead by less than its void matches could have cost it is not certainly better."""
    many = [
        replace(record({"a": int(block % 4 == 0), "b": int(block % 4 != 0)}), id=f"e0b{block}r0") for block in range(40)
    ]
    assert board_of(many, "ab").better == (("a", "b"),)
    spoilt = [replace(record({"a": 0, "b": 1}, void=True), id=f"e1b{block}r0") for block in range(12)]
    assert board_of([*many, *spoilt], "ab").better == ()


def test_nights_of_a_league_count_as_blocks_from_ten_on() -> None:
    """Where who is better depends on the night, blocks of a night are no evidence of their own."""

    def season(nights: int) -> list[Record]:
        return [
            replace(record({"a": int(night % 3 > 1), "b": int(night % 3 < 2)}), id=f"e{night}b{block}r0")
            for night in range(nights)
            for block in range(40)
        ]

    alike, apart = (board_of(season(nights), "ab", looks="every", season=True) for nights in (9, 12))
    assert (alike.better, apart.better) == ((("a", "b"),), ())
    assert "Nights count as alike: how much they differ is known from ten on." in alike.notes
    assert "Each of the 12 nights counts as one block, for nights differ." in apart.notes


@pytest.mark.parametrize(
    ("settled", "said"),
    [
        ([], "no place"),
        ([3], "place 3"),
        ([1, 2], "places 1 and 2"),
        ([1, 2, 3, 6], "places 1 to 3 and 6"),
        ([1, 3, 4, 5, 6], "places 1 and 3 to 6"),
        ([*range(1, 8)], "all seven places"),
    ],
)
def test_places_are_told_in_words(settled: list[int], said: str) -> None:
    """Neighbouring places are joined, two of them listed; all and none have words of their own."""
    (row, *_) = rows([record({"a": 0, "b": 1})], ["a", "b"])
    places = [replace(row, rank_low=at, rank_high=at if at in settled else 9) for at in range(1, 8)]
    assert settled_places(places) == said


def test_who_is_in_front_is_told_where_no_place_is() -> None:
    """Where two share the first places among them for certain, that is told in place of nothing."""
    (row, *_) = rows([record({"a": 0, "b": 1})], ["a", "b"])
    spans = [(1, 2), (1, 2), (3, 5), (3, 5), (3, 5)]
    assert (
        settled_places([replace(row, rank_low=low, rank_high=high) for low, high in spans]) == "who the first two are"
    )
