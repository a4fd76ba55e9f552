"""The leaderboard as text, to the byte."""

import csv
import json
from io import StringIO
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.report.document import Document, OutputFormat, table
from arena.report.render import Leaderboard, LeaderboardRow, Standing, render
from arena.report.season import Probation, Season, render_season
from arena.report.sections import seats_section
from tests.report.records import combined

FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)

ROWS = """
[1, 1, 1, "lookahead", 28.3112, 30.1234, 29.012, 31.2, 0.6041, 10000, 5123.3333, 1.6612, 31.2, {}, 0.121, 1.204]
[2, 2, 3, "greedy", 25, 26.5, 26.125, 26.875, 0.5, 10000, 2876, 2.25, 24, {"late": 2}, 0.009, 12.34]
[2, 2, 3, "random-js", 25, 26.5, 26, 27, 0.5, 10000, 2000.6667, 2.9, -3.25, {"late": 3, "gone": 12}, 4, 1016]
[4, 1, 4, "idle", 0, 25, null, null, 8.3333, 0, 0, null, null, {}, null, null]
"""
"""The fields of each row, in their order, but for the interval of scores, which this game has not."""

BOARD = Leaderboard(
    run="friday",
    game="cash-a-catch",
    seats=4,
    seed="7",
    matches=10_000,
    decisions=812_345,
    seconds=61.25,
    leaderboard=tuple(
        msgspec.convert(
            dict(zip(LeaderboardRow.__struct_fields__, [*json.loads(row), None, None], strict=True)), LeaderboardRow
        )
        for row in ROWS.strip().splitlines()
    ),
    provisional=True,
    draw_probability=0.0499,
    notes=("Not played yet: idle.", "Void and not rated: 1 match."),
    certain="Certain, 5 % for all of it: place 1.",
    caution="Void and not rated: 1 match.",
    headline="lookahead leads after 10,000 of 12,000 matches",
)

TABLE = """\
lookahead leads after 10,000 of 12,000 matches.
friday: cash-a-catch, 4 seats, 10,000 matches, 812,345 decisions, 61.2 s.
Provisional: the run is not finished.

  # bot       rating    mu   +- matches    wins place score   ms  p99 faults
  1 lookahead  28.31 30.12 1.09  10,000 5,123.3  1.66 31.20 0.12 1.20 -
2-3 greedy     25.00 26.50 0.38  10,000 2,876.0  2.25 24.00 0.01 12.3 2 late
2-3 random-js  25.00 26.50 0.50  10,000 2,000.7  2.90 -3.25 4.00 1016 3 late
                                                                      12 gone
1-4 idle        0.00 25.00    -       0     0.0     -     -    -    - -

Certain, 5 % for all of it: place 1.
# is the places not ruled out, rating mu - 3 sigma, +- half of mu's 95 %.
Void and not rated: 1 match.
"""

VERBOSE = """\
lookahead leads after 10,000 of 12,000 matches.
friday: cash-a-catch, 4 seats, 10,000 matches, 812,345 decisions, 61.2 s.
Provisional: the run is not finished.

  # bot       rating    mu   +- matches    wins place score   ms  p99 faults
  1 lookahead  28.31 30.12 1.09  10,000 5,123.3  1.66 31.20 0.12 1.20 -
2-3 greedy     25.00 26.50 0.38  10,000 2,876.0  2.25 24.00 0.01 12.3 2 late
2-3 random-js  25.00 26.50 0.50  10,000 2,000.7  2.90 -3.25 4.00 1016 3 late
                                                                      12 gone
1-4 idle        0.00 25.00    -       0     0.0     -     -    -    - -

Certain, 5 % for all of it: place 1.
# is the places not ruled out, rating mu - 3 sigma, +- half of mu's 95 %.
Void and not rated: 1 match.
Draw probability 0.0499.
Not played yet: idle.
Seed 7.
"""

MARKDOWN = r"""lookahead leads after 10,000 of 12,000 matches.
friday: cash-a-catch, 4 seats, 10,000 matches, 812,345 decisions, 61.2 s.
Provisional: the run is not finished.

|   \# | bot       |   rating |    mu |   \+- |   matches |    wins |   place |   score |   ms |   p99 | faults          |
|-----:|:----------|---------:|------:|------:|----------:|--------:|--------:|--------:|-----:|------:|:----------------|
|    1 | lookahead |    28.31 | 30.12 |  1.09 |    10,000 | 5,123.3 |    1.66 |   31.20 | 0.12 |  1.20 | -               |
|  2-3 | greedy    |    25.00 | 26.50 |  0.38 |    10,000 | 2,876.0 |    2.25 |   24.00 | 0.01 |  12.3 | 2 late          |
|  2-3 | random-js |    25.00 | 26.50 |  0.50 |    10,000 | 2,000.7 |    2.90 |   -3.25 | 4.00 |  1016 | 3 late, 12 gone |
|  1-4 | idle      |     0.00 | 25.00 |     - |         0 |     0.0 |       - |       - |    - |     - | -               |

- Certain, 5 % for all of it: place 1.
- \# is the places not ruled out, rating mu - 3 sigma, +- half of mu's 95 %.
- Void and not rated: 1 match.
"""  # noqa: E501 - a page as wide as it comes

CSV = """\
game,rank,rank_low,rank_high,bot,rating,mu,low,high,sigma,matches,wins,mean_rank,mean_score,faults,ms_median,ms_p99,score_low,score_high,owner
cash-a-catch,1,1,1,lookahead,28.3112,30.1234,29.0120,31.2000,0.6041,10000,5123.3333,1.6612,31.2000,,0.1210,1.2040,,,
cash-a-catch,2,2,3,greedy,25.0000,26.5000,26.1250,26.8750,0.5000,10000,2876.0000,2.2500,24.0000,2 late,0.0090,12.3400,,,
cash-a-catch,2,2,3,random-js,25.0000,26.5000,26.0000,27.0000,0.5000,10000,2000.6667,2.9000,-3.2500,3 late; 12 gone,4.0000,1016.0000,,,
cash-a-catch,4,1,4,idle,0.0000,25.0000,,,8.3333,0,0.0000,,,,,,,,
"""  # noqa: E501 - a line as wide as it comes

STANDINGS = [
    Standing("lookahead", 0.7461, {"cash-a-catch": 0.7708, "catch-of-the-day": 0.7, "dockfight": 0.7675}),
    Standing("random-js", 0.25, {"cash-a-catch": 0.25}),
    Standing("idle", None, {}),
]

COMBINED = """\
                cash-a- catch-of-
bot       share   catch   the-day dockfight
lookahead 0.746   0.771     0.700     0.767
random-js 0.250   0.250         -         -
idle          -       -         -         -

Ordered by share. Who is better over all is not tested: each table says what
is certain in it.
"""

COMBINED_CSV = """\
bot,share,cash-a-catch,catch-of-the-day,dockfight
lookahead,0.7461,0.7708,0.7000,0.7675
random-js,0.2500,0.2500,,
idle,,,,
"""


def test_owners() -> None:
    """Who entered a bot stands beside it in Markdown, CSV and JSON, and below the table; as text, whatever it says."""
    board = replace(BOARD, owners={"greedy": "Ada", "idle": "=1|<b>\n::error::x"})
    header, _, first, second, *_ = render(board, "markdown").splitlines()[4:]
    assert [line.split("|")[3].strip() for line in (header, first, second)] == ["owner", "-", "Ada"]
    assert "<b>" not in render(board, "markdown")
    assert [row["owner"] for row in csv.DictReader(StringIO(render(board, "csv")))][:2] == ["", "Ada"]
    assert json.loads(render(board, "json"))["owners"] == board.owners
    shown = render(board, "table")
    assert "Owners: Ada: greedy; =1|<b>" in shown
    assert not [line for form in FORMATS for line in render(board, form).splitlines() if line.startswith("::")]
    header, _, *rows = combined(STANDINGS, {"idle": "Ada"}).written("markdown").splitlines()[:5]
    assert [line.split("|")[2].strip() for line in (header, *rows)] == ["owner", "-", "-", "Ada"]


def test_nobody_is_mentioned() -> None:
    """An owner, a reason, the name of a column or of a section links nowhere and calls nobody, in any Markdown."""
    said = "@name https://evil.com #12"
    safe = "@&#8203;name https:&#8203;/&#8203;/evil.&#8203;com \\#&#8203;12"
    board = replace(BOARD, owners={"greedy": said}, notes=(said,))
    season = Season(1, "2026-01-01", {said: board}, (Probation("idle", said),))
    section = seats_section([], unfinished=0)
    headed = Document(sections=[replace(section, headline=said, lead=[said], notes=(said,))]).written("markdown")
    for page in (render_season(season, "markdown"), combined(STANDINGS, {"idle": said}).written("markdown"), headed):
        assert safe in page
        assert "@name" not in page
        assert "://" not in page
        assert "#12" not in page
    assert safe in table([{said: "-"}], "markdown")


def test_each_form_to_the_byte() -> None:
    """The table stands in 80 columns, further kinds of fault below the first, ranks of who is not told apart.

    Markdown has the same numbers and the interval of mu, kinds of fault in one cell, and the notes as a list; CSV has
    every field with four decimals under the names of the JSON, and what there is not is empty.
    """
    assert [render(BOARD, form) for form in ("table", "markdown", "csv")] == [TABLE, MARKDOWN, CSV]
    assert render(BOARD, "table", verbose=True) == VERBOSE
    assert max(map(len, [*TABLE.splitlines(), *VERBOSE.splitlines()])) <= 80
    assert next(csv.reader(StringIO(CSV))) == ["game", *LeaderboardRow.__struct_fields__, "owner"]


def test_a_long_name_goes_on_below() -> None:
    """A name that has no room in 80 columns goes on in the next lines, and nothing of it is lost."""
    name = "y" + "x" * 63
    rows = [replace(row, bot=name) if row.rank == 1 else row for row in BOARD.leaderboard]
    places = [replace(standing, bot=name) if at == 0 else standing for at, standing in enumerate(STANDINGS)]
    for shown in (render(replace(BOARD, leaderboard=rows), "table"), combined(places).written("table")):
        assert max(map(len, shown.splitlines())) <= 80
        assert sum(line.count("x") for line in shown.splitlines() if "xxx" in line) == 63


def test_who_uses_the_core_on_others_time_is_told() -> None:
    """A sentence below the table names such bots with their share, in JSON a field does; it comes from a clock."""
    board = replace(BOARD, notes=(), seed=None, burnt={"random-js": 0.9249, "greedy": 0.0601})
    sentence = (
        "Used the processor while others were asked, by more than 5 % of that time: random-js (92 %), greedy (6 %)."
    )
    assert " ".join(render(board, "table", verbose=True).split()).endswith(f" {sentence}")
    assert sentence not in " ".join(render(board, "table").split())
    markdown = render(board, "markdown", verbose=True)
    assert markdown.endswith(f"\n- {sentence}\n")
    assert json.loads(render(board, "json"))["burnt"] == {"random-js": 0.9249, "greedy": 0.0601}


def test_json_is_the_leaderboard() -> None:
    """The fields stand in the order of the struct, and nothing is shortened."""
    found = json.loads(render(BOARD, "json"))
    assert list(found)[:8] == ["run", "game", "seats", "seed", "matches", "decisions", "seconds", "leaderboard"]
    fields = "rank rank_low rank_high bot rating mu low high sigma matches wins mean_rank mean_score faults ms_median"
    assert [*found["leaderboard"][2]] == [*fields.split(), "ms_p99", "score_low", "score_high"]
    rows = [[*json.loads(row), None, None] for row in ROWS.strip().splitlines()]
    assert [[*row.values()] for row in found["leaderboard"]] == rows


def test_the_combined_table_in_each_form() -> None:
    """Long names of games break at their hyphens, so that five fit; CSV and JSON hold four decimals, Markdown three."""
    assert combined(STANDINGS).written("table") == COMBINED
    assert combined(STANDINGS).written("csv") == COMBINED_CSV
    found = json.loads(combined(STANDINGS).written("json"))
    assert found["leaderboard"][1] == {"bot": "random-js", "share": 0.25, "games": {"cash-a-catch": 0.25}}
    assert "| random-js |   0.250 |          0.250 |" in combined(STANDINGS).written("markdown")


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["\n::error::x", "a\u2028::b", "##[error]\x7f", "|`<b>\x1b[0m"])
)
def test_no_name_or_note_breaks_out(form: OutputFormat, text: str) -> None:
    """Whatever a bot is called: printable ASCII, as many lines as ever, no command to a CI runner, no formula."""
    row = BOARD.leaderboard[0]
    named = replace(row, bot=text)
    board = Leaderboard(text, text, 4, text, 1, 1, 1.0, (named,), False, 0.5, (f"{text} ::x", f"Gone: {text}."))  # noqa: FBT003 - in the struct's order
    for page in (render(board, form), combined([Standing(text, 0.5, {"lure": 0.5, text: 0.4})]).written(form)):
        assert all(char == "\n" or " " <= char <= "~" for char in page)
        assert not any(line.lstrip().startswith("::") for line in page.split("\n"))
        assert "##[" not in page
        if form == "markdown":
            tables = [line for line in page.split("\n") if line.startswith("|")]
            assert len({line.count("|") for line in tables}) == 1
            assert "<" not in page
            assert "`" not in page
        if form == "csv":
            cells = [one for line in csv.reader(StringIO(page)) for one in line]
            assert not any(one.startswith(("=", "+", "@")) for one in cells)
        if form == "json":
            assert json.loads(page)["leaderboard"][0]["bot"] == text
