"""What a report tells of a run: the list, matches worth a look, the history of ratings, and findings in words."""

from collections.abc import Sequence

import msgspec
import pytest
from msgspec.structs import replace

from arena.escape import cleaned
from arena.fault import FaultKind
from arena.ratings import fit_outcomes
from arena.record import Record
from arena.report import findings
from arena.report.findings import Survey, survey_results
from arena.report.highlights import LISTED, pick_highlights
from arena.report.render import LeaderboardRow, counted
from arena.results.measure import RATING
from arena.words import percent
from tests.report.records import board_of, record, results_of, rows

BOTS = ("ace", "bee", "cat")


def _records(blocks: int, *, faulty: dict[int, FaultKind] | None = None) -> list[Record]:
    """Whole blocks of three: ace wins all matches but every 17th, in which cat does."""
    found: list[Record] = []
    for block in range(blocks):
        for rotation in range(3):
            number = len(found)
            order = ("cat", "ace", "bee") if number % 17 == 16 else BOTS
            ranks = {bot: order.index(bot) for bot in BOTS[rotation:] + BOTS[:rotation]}
            scores = tuple(30 - 10 * rank + number % 7 * (rank == 0) for rank in ranks.values())
            waits = tuple((seat, 1000 * (1 + number % 5)) for seat in range(3) for _ in range(1 + number % 4))
            seat = list(ranks).index("bee")
            fault = ((seat, faulty[number]),) if faulty and number in faulty else ()
            made = record(ranks, scores, fault, waits)
            found.append(replace(made, id=f"e0b{block}r{rotation}", picks=((0,),) * len(waits)))
    return found


def _survey(records: list[Record]) -> Survey:
    return surveyed(records, BOTS)


def surveyed(records: list[Record], bots: Sequence[str]) -> Survey:
    """The survey of these matches."""
    results = results_of(records, bots)
    return survey_results(results, fit_outcomes(results.outcomes(), bots), board_of(records, bots), limit=1000)


def test_a_short_run_is_listed_whole() -> None:
    """Every match that is not void is in the list, with its number in the journal and its margin."""
    records = _records(10)
    records.insert(3, record({"ace": 0, "bee": 0, "cat": 0}, void=True))
    found = _survey(records)
    assert (found.matches, found.void, found.blocks) == (31, 1, 10)
    assert [each.number for each in found.listed] == [0, 1, 2, *range(4, 31)]
    assert found.listed[0].margin == 10
    assert found.listed[0].order == [0, 1, 2]


def test_a_long_run_is_sampled() -> None:
    """Of very many matches the list has those with faults, the closest and the longest, and no more than it may."""
    records = _records(1000, faulty={1234: "late", 2345: "illegal"})
    records[777] = replace(records[777], scores=tuple(30 - (rank > 0) - rank for rank in records[777].ranks))
    records[555] = replace(records[555], picks=((0,),) * 99, seats_asked=(0,) * 99, micros=(5,) * 99)
    found = _survey(records)
    numbers = [each.number for each in found.listed]
    assert LISTED / 2 < len(numbers) <= LISTED
    assert numbers == sorted(set(numbers))
    assert {1234, 2345, 777, 555} <= set(numbers)
    assert found == _survey(records)


def test_matches_worth_a_look() -> None:
    """One match for each thing a reader would look for, none twice, each with a reason in words."""
    found = {each.why: each for each in _survey(_records(20, faulty={7: "late", 9: "late", 30: "gone"})).highlights}
    assert found["A match of the leader"].number == 16
    assert found["A match of the leader"].outcome == "The leader beaten: cat wins, ace is number 2"
    assert (found["The first fault: late"].number, found["The first fault: late"].decision) == (7, 0)
    assert found["The first fault: gone"].number == 30
    assert found["A close match"].outcome == "ace is ahead of bee by 10"
    assert {"The closest call", "The longest match"} & found.keys()
    numbers = [each.number for each in found.values()]
    assert len(set(numbers)) == len(numbers)
    told = " ".join(f"{each.why} {each.summary}" for each in found.values())
    assert not [word for word in ("wins", "ahead", "beaten", "margin") if word in told]


def test_a_final_is_worth_the_first_look() -> None:
    """Of a cup the first match to watch is one of its last table."""
    records = _records(20)
    final = pick_highlights(results_of(records, BOTS), BOTS, (), (), records[0].bots)[0]
    assert final.why == "The final"
    assert {*records[final.number].bots} == {*records[0].bots}


def test_history_is_of_whole_blocks_in_the_order_of_the_schedule() -> None:
    """Whatever order matches were finished in, the marks are the same; the last one is the table of the run."""
    records = _records(24)
    found = _survey(records)
    assert [mark.matches for mark in found.history] == [9, 18, 27, 36, 45, 54, 63, 72]
    assert _survey(records[::-1]).history == found.history
    last = found.history[-1].bots
    for row in rows(records, BOTS):
        assert last[row.bot].mean == pytest.approx(row.mu, abs=1e-4)
    for row in rows(records[:36], BOTS):
        assert found.history[3].bots[row.bot].mean == pytest.approx(row.mu, abs=1e-2)


def test_no_band_is_empty() -> None:
    """A bot that wins all matches, in blocks that are all alike, has a band: how strong it is is open."""
    found = _survey([replace(each, ranks=tuple(BOTS.index(bot) for bot in each.bots)) for each in _records(24)])
    for point in found.history[-1].bots.values():
        assert point.low is not None
        assert point.high is not None
        assert point.high - point.low > 2


def test_before_the_first_match() -> None:
    """A run without matches has nothing to list and no history, and is no error."""
    found = surveyed([], BOTS)
    assert (found.listed, found.highlights, found.history, found.ahead) == ((), (), (), None)
    assert findings.growth(found.history, found.ahead, provisional=False, measure=RATING) == "No ratings yet"
    assert findings.duels(found.ahead, provisional=False) == "No two bots have met yet"


def _row(bot: str, rank: int, low: int, high: int) -> LeaderboardRow:
    (row, *_) = rows(_records(1), BOTS)
    return replace(row, bot=bot, rank=rank, rank_low=low, rank_high=high)


SETTLED = [_row("ace", 1, 1, 1), _row("bee", 2, 2, 2), _row("cat", 3, 3, 4), _row("dog", 4, 3, 4)]
OPEN = [_row("ace", 1, 1, 3), _row("bee", 2, 1, 3), _row("cat", 3, 1, 3)]
LEADS = [_row("ace", 1, 1, 2), _row("bee", 2, 1, 2), _row("cat", 3, 3, 3)]


@pytest.mark.parametrize(
    ("table", "board"),
    [(SETTLED, "Certain: places 1 and 2"), (OPEN, "Certain: no place"), (LEADS, "Certain: place 3")],
)
def test_which_places_are_certain(table: list[LeaderboardRow], board: str) -> None:
    """The heading of a table names the places that are certain, and no other."""
    assert findings.board(table) == board


def test_findings_of_a_run() -> None:
    """Times, seats, faults and matches become sentences that follow from the figures."""
    found = _survey(_records(20, faulty={7: "late"}))
    assert findings.pace(found.times) == "bee answered late 1 time; all others within 0 % of the limit"
    assert findings.seating(found.seats, provisional=False) == "No seat is certainly better than another"
    assert findings.faults(found.faults) == "1 fault, of bee"
    (slow, *_) = found.times
    within = findings.pace([replace(slow, closest=1.02)])
    assert within == "Nobody was late: the longest answer took 102 % of the limit, which the grace allows"
    assert findings.matches(found, 4) == "Four matches to watch, and all 60 to search"


def test_texts_are_cleaned_everywhere() -> None:
    """Names that come from strangers are printable ASCII in every part of the values, keys too."""
    evil = "b\u202eee\x1b"
    records = [replace(each, bots=tuple(evil if bot == "bee" else bot for bot in each.bots)) for each in _records(12)]
    found = cleaned(surveyed(records, ("ace", evil, "cat")))
    assert r"b\u202eee\x1b" in found.history[-1].bots
    shown = msgspec.json.encode(found).decode()
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_shares_are_said_as_people_say_them() -> None:
    """A share is in whole per cent, and what rounds to all or to nothing is not called so."""
    said = [percent(part, total=1000) for part in (0, 4, 333.3333, 994, 996, 1000)]
    assert said == ["0 %", "under 1 %", "33 %", "99 %", "over 99 %", "100 %"]
    assert [counted(value) for value in (90906.0, 16.3333, 2.0, 0.5)] == ["90,906", "16.3", "2", "0.5"]


def test_many_places_and_bots_are_counted() -> None:
    """Where a heading would be long, it counts places and bots."""
    many = [replace(LEADS[0], bot=f"bot-{place}", rank_low=place, rank_high=place + 1) for place in range(1, 61)]
    assert findings.board(many) == "Certain: no place"
    odd = [replace(row, rank_high=row.rank_low + place % 3) for place, row in enumerate(many)]
    assert findings.board(odd) == "Certain: 20 of 60 places"
    found = _survey(_records(20, faulty={7: "late", 8: "late"}))
    five = [replace(found.faults[0], bot=f"bot-{number}") for number in range(5)]
    assert findings.faults(five).endswith(", of five bots")
    late = [replace(row, bot=f"bot-{number}", late=1) for number, row in enumerate(found.times[:1] * 5)]
    assert findings.pace(late) == "Five bots answered late 5 times"
