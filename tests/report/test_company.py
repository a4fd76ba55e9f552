"""Who plays better in whose company, in words and as rows."""

from msgspec import to_builtins

from arena.ratings import outcomes_of
from arena.report.ahead import company_section, matches_needed, note_company
from arena.report.document import Document
from tests.ratings.test_collusion import league


def test_a_pair_that_is_certain_is_named() -> None:
    """The table holds the most telling pairs, the note those that are certain, in words that accuse nobody."""
    section = company_section(league(1, helps=1.0))
    text = Document(sections=[section]).written("table")
    assert "Certain among all pairs, whichever third bot is left out: b0 plays better where" in " ".join(text.split())
    assert "it proves nothing" in " ".join(text.split())
    assert text.count("yes") == 1
    (table,) = section.tables
    assert len(table.rows) == 5
    assert len(section.rows) == 8 * 7
    first = to_builtins(section.rows[0])
    assert (first["helper"], first["bot"], first["certain"]) == ("b1", "b0", True)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert Document(sections=[section]).written("csv").startswith("helper,bot,gain,margin,blocks,p,certain\nb1,b0,")


def test_a_clean_league_says_so() -> None:
    """Without a pair that is certain that is said; without matches enough nothing can be told."""
    assert company_section(league(2)).notes[1] == (
        "No bot certainly plays better in another's company (in 1 of 100 runs without any help a pair would be)."
    )
    nothing = company_section(outcomes_of([]))
    assert (nothing.rows, nothing.tables[0].rows) == ([], [])
    assert nothing.notes[0].startswith("Nothing can be told")


def test_the_note_of_a_page() -> None:
    """A page names the pairs that are certain among the bots it shows, and says nothing if there is none."""
    planted, every = league(1, helps=1.0), {f"b{number}" for number in range(8)}
    told = "Certain among all pairs: b0 plays better where b1 sits."
    others = "so do bots that attack the same rivals, and whoever sits beside a bot that crashes"
    assert note_company(planted, every) == f"{told} Friends look so; {others}."
    assert note_company(planted, every - {"b1"}) == ""
    assert note_company(league(2), every) == ""


def test_how_many_matches_it_takes() -> None:
    """Where matches are too few to find a bot that helps another it is told how many it takes; not at tables of two."""
    told = "To tell whether one of 16 bots helps another takes some 3,200 matches (at tables of four)."
    few = league(1, bots=16, blocks=100)
    assert note_company(few, {f"b{number}" for number in range(16)}) == told
    assert company_section(few).notes[-1] == told
    assert [matches_needed(bots) for bots in (3, 8, 16, 40)] == [400, 400, 3_200, 32_000]
    assert [matches_needed(bots) for bots in range(8, 60)] == sorted(matches_needed(bots) for bots in range(8, 60))
    assert note_company(league(1, bots=16, seats=2, blocks=100), {f"b{number}" for number in range(16)}) == ""
