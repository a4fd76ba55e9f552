"""Who plays better in whose company, in words and as rows."""

from collections.abc import Iterator

from msgspec import to_builtins
from msgspec.structs import replace

from arena.ratings import BlockOutcomes
from arena.ratings.blocks import block_name
from arena.record import Record
from arena.report.company import Company, company_section, note
from arena.report.sections import sections_text
from tests.ratings.test_company import league
from tests.report.records import record


def test_a_pair_that_is_certain_is_named() -> None:
    """The table holds the most telling pairs, the note those that are certain, in words that accuse nobody."""
    section = company_section(league(1, helps=1.0))
    text = sections_text([section], "table")
    assert "Certain among all pairs, whichever third bot is left out: b0 plays better where" in " ".join(text.split())
    assert "it proves nothing" in " ".join(text.split())
    assert text.count("yes") == 1
    (grid,) = section.grids
    assert len(grid.rows) == 5
    assert len(section.rows) == 8 * 7
    first = to_builtins(section.rows[0])
    assert (first["helper"], first["bot"], first["certain"]) == ("b1", "b0", True)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert sections_text([section], "csv").startswith("helper,bot,gain,margin,blocks,p,certain\nb1,b0,")


def test_a_clean_league_says_so() -> None:
    """Without a pair that is certain that is said; without matches enough nothing can be told."""
    assert company_section(league(2)).notes[1] == (
        "No bot certainly plays better in another's company (in 1 of 100 runs without any help a pair would be)."
    )
    nothing = company_section(BlockOutcomes())
    assert (nothing.rows, nothing.grids) == ([], ())
    assert nothing.notes[0].startswith("Nothing can be told")


def test_records_are_counted_by_block() -> None:
    """Matches of a block are one."""
    company = Company()
    for turn in range(2):
        company.add(replace(record({"a": 0, "b": 1}), id=f"e0b3r{turn}"))
    company.add(replace(record({"a": 0, "b": 1}), id="e0b4r0"))
    assert [block for block, _ in company.blocks.matches()] == [3, 3, 4]


def matches(blocks: BlockOutcomes) -> Iterator[Record]:
    """The matches of these blocks as records."""
    for number, outcome in blocks.matches():
        ranks = {bot: sum(map(len, outcome[:at])) for at, group in enumerate(outcome) for bot in group}
        yield replace(record(ranks), id=f"{block_name(number)}r0")


def test_the_note_of_a_page() -> None:
    """A page names the pairs that are certain among the bots it shows, and says nothing if there is none."""
    planted, every = list(matches(league(1, helps=1.0))), {f"b{number}" for number in range(8)}
    told = "Certain among all pairs: b0 plays better where b1 sits."
    others = "so do bots that attack the same rivals, and whoever sits beside a bot that crashes"
    assert note(planted, every) == f"{told} Friends look so; {others}."
    assert note(planted, every - {"b1"}) == ""
    assert note([replace(each, reason="void") for each in planted], every) == ""
    assert note(matches(league(2)), every) == ""
