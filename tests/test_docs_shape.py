"""The documents as a whole: each can be found, no link is dead, and the pages on games are true of the games."""

import os
import re
import tomllib
from pathlib import Path
from textwrap import indent

import pytest

from arena import __version__, games
from arena.extras import install
from arena.games import folder_of
from tests.documents import ROOT, anchors, blocks, links

DOCS = ROOT / "docs"
EXAMPLE = ROOT / "examples" / "night-nets"
POKER = ROOT / "examples" / "poker"
LOVE_LETTER = ROOT / "examples" / "love-letter"
HILL = ROOT / "examples" / "king-of-the-hill"
RESULTS = (ROOT / "results" / "README.md").read_text("utf-8")
GAMES = (DOCS / "games.md").read_text("utf-8")
OURS = [games.find(folder.name.replace("_", "-")) for folder in sorted((ROOT / "arena" / "games").glob("[a-z]*/"))]


def every_page() -> list[Path]:
    """All Markdown of the repository, but for what runs have written and what is set up here."""
    found = []
    for here, folders, files in os.walk(ROOT):
        inside = Path(here).relative_to(ROOT)
        folders[:] = [
            name
            for name in folders
            if name[0] != "." and name != "node_modules" and (inside / name).parts[0] != "results"
        ]
        found += [Path(here, name) for name in files if name.endswith(".md")]
    return [*sorted(found), ROOT / "results" / "README.md"]


def cells(row: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


@pytest.mark.parametrize("folder", ["docs", "docs/decisions"])
def test_every_page_is_listed(folder: str) -> None:
    """The table of contents of a folder links to every page in it."""
    listed = set(links((ROOT / folder / "README.md").read_text("utf-8")))
    assert {path.name for path in (ROOT / folder).glob("*.md")} - {"README.md"} <= listed


def test_no_link_is_dead() -> None:
    """Each link of each page in the repository leads to a file that is there, and to a heading in it."""
    pages = every_page()
    assert {DOCS / "README.md", EXAMPLE / "README.md", ROOT / "README.md"} <= set(pages)
    for page in pages:
        for link in links(page.read_text("utf-8")):
            target, _, anchor = link.partition("#")
            path = page.parent / target if target else page
            assert path.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(path.read_text("utf-8")), f"{page}: {link}"


def test_a_host_can_decide() -> None:
    """SECURITY.md says first what to do for whom, and is short: no test and no more than 120 lines."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    advice = text.partition("## ")[0]
    assert [word for word in re.findall(r"\*\*([^*]+)\*\*", advice) if word[0].isupper()] == [
        "Friends",
        "Strangers, no prize",
        "A prize",
    ]
    assert len(text.splitlines()) <= 120
    assert "tests/" not in text


def test_pictures() -> None:
    """README and documents show each picture that ``make pictures`` makes for them, with words; none is large."""
    shown = re.compile(r"!\[([^\]]{10,})\]\(([^)]+)\)")
    found = {
        page: {(page.parent / where).resolve() for _, where in shown.findall(page.read_text("utf-8"))}
        for page in every_page()
    }
    kept = set((DOCS / "pictures").iterdir())
    assert {path.name for path in kept} == {"report.webp", "replay.webp", "board.webp"}
    assert found[ROOT / "README.md"] == found[DOCS / "watching.md"] == kept
    for path in kept:
        data = path.read_bytes()
        assert (data[:4], data[8:12]) == (b"RIFF", b"WEBP"), path.name
        assert len(data) < 150_000, path.name


def test_the_table_of_games() -> None:
    """It has a row for each game of arena, with the seats, variants and version of its box."""
    rows = [cells(row) for row in GAMES.splitlines() if row.startswith("| `")]
    boxes = [
        [
            f"`{game.name}`",
            f"{game.seats.start}-{game.seats.stop - 1}",
            str(game.usual_seats),
            ", ".join(f"`{name}={'|'.join(values)}`" for name, values in game.variants.items()) or "none",
            game.version,
        ]
        for game in OURS
    ]
    assert [row[:5] for row in rows] == boxes


def test_the_figures_of_the_games() -> None:
    """Questions a match and the share of greedy are those of the reference leaderboards."""
    rows = {cells(row)[0].strip("`"): cells(row)[5:] for row in GAMES.splitlines() if row.startswith("| `")}
    combined = next(row for row in RESULTS.splitlines() if row.startswith("|   \\# ") and "share" in row)
    greedy = next(row for row in RESULTS.partition(combined)[2].splitlines() if "| greedy" in row)
    shares = dict(zip(cells(combined), cells(greedy), strict=True))
    for name, figures in rows.items():
        (played,) = re.findall(rf"/reference/{name}: {name}, \d+ seats, ([\d,]+) matches, ([\d,]+) decisions", RESULTS)
        matches, decisions = (int(count.replace(",", "")) for count in played)
        assert figures == [str(round(decisions / matches)), shares[name]]


def test_each_game_has_its_part() -> None:
    """Each game has a part under its title, with its rules and rulings, what is hidden and what is simultaneous."""
    for game in OURS:
        title = game.title.rpartition(": ")[2]
        part = GAMES.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        place = f"../{folder_of(game).replace('.', '/')}"
        assert {f"{place}/rules.md", f"{place}/RULINGS.md"} <= set(links(part))
        assert all(f"- **{word}**: " in part for word in ("Hidden", "Simultaneous"))
        assert "- **Greedy** " in part
        named = set(re.findall(r"`(\w+)(?:=\w+)?`", part)) & {name for each in OURS for name in each.variants}
        assert named <= game.variants.keys()


def test_the_page_on_adding_a_game_shows_the_example() -> None:
    """Each block of code on the page stands in an example, and the folder it shows has every file of it."""
    page = (DOCS / "adding-a-game.md").read_text("utf-8")
    code = [path.read_text("utf-8") for folder in (EXAMPLE, POKER, LOVE_LETTER) for path in folder.rglob("*.py")]
    for block in blocks(page, "python"):
        method = indent(block, "    ")
        assert any(block in text or method in text for text in code), block
    assert blocks(page, "toml") == [(EXAMPLE / "pyproject.toml").read_text("utf-8")]
    assert (EXAMPLE / "night_nets" / "__init__.py").read_text("utf-8") in blocks(page, "python")
    for path in (EXAMPLE, *EXAMPLE.glob("[a-z]*"), *EXAMPLE.glob("*/[a-z]*.*")):
        if path.name not in {"README.md", "dist"}:
            assert path.name in blocks(page, "text")[0]


def test_the_page_on_formats_names_what_an_example_uses() -> None:
    """What it tells a format's author stands in the format that ``arena new format`` begins with."""
    part = (DOCS / "formats.md").read_text("utf-8").partition("\n## Formats of other packages\n")[2]
    code = (HILL / "king_of_the_hill" / "__init__.py").read_text("utf-8")
    assert [name for name in ("play", "Round", "Result", "terms", "points") if f"`{name}`" not in part] == []
    assert [name for name in ("def play", "Round(", "Result(", "terms.", "points(") if name not in code] == []
    assert blocks(part, "toml")[0].strip() in (HILL / "pyproject.toml").read_text("utf-8")


def test_the_page_on_containers_names_this_version() -> None:
    """The image is named by the version of arena."""
    tags = re.findall(r"arena:([\d.]+)", (DOCS / "container.md").read_text("utf-8"))
    assert len(tags) == 3
    assert set(tags) == {__version__}


def test_what_a_new_game_needs() -> None:
    """CONTRIBUTING names the files that a game comes with; each game has them, and no code of arena lists the games."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## A new game\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w/]+/<name>[\w/.]*)`", section))
    assert {"arena/games/<name>/", "bots/greedy/<name>.py", "tests/shelf/games/<name>.py"} == named
    in_folder = [file for file in re.findall(r"`(\w+\.(?:py|md))`", section) if file[0] != "`"]
    for game in OURS:
        snake = game.name.replace("-", "_")
        folder = ROOT / "arena" / "games" / snake
        assert [path for path in named if not (ROOT / path.replace("<name>", snake)).exists()] == []
        assert [file for file in in_folder if not (folder / file).exists()] == []
        assert list((ROOT / "tests/shelf/goldens").glob(f"{game.name}-*.txt"))
    texts = {path: path.read_text("utf-8") for path in (ROOT / "arena").rglob("*.py")}
    assert [path for path, text in texts.items() if all(f'"{game.name}"' in text for game in OURS)] == []


WORDS = re.compile(
    r"\b(anew|befall\w*|chatter|errand\w*|forthwith|gone on with|hereof|lest|oftener|of late|thereof"
    r"|go(es)? on with (a|the|this) (run|journal|season|tournament)|goes on with the same command"
    r"|mend(s|ed|ing)?|sentences? (holds?|of the protocol)|silence (answers|plays|played)"
    r"|do(es)? not come to rest|by its like|and its like|each with its like|that are none of its"
    r"|as it is to go on)\b",
    re.IGNORECASE,
)
"""Words and turns that a reader has to look up, or to read twice; another one says the same."""


def test_plain_words() -> None:
    """Neither code nor documents use rare words and inversions that have a plain form."""
    paths = [*(ROOT / "arena").rglob("*.py"), *(path for path in every_page() if path.name != "CHANGELOG.md")]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word[0]}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (word := WORDS.search(line))
    ]
    assert found == []


def test_documents_are_short() -> None:
    """An author reads at most 12,000 words, the README has at most 150 lines, and all pages at most 45,000 words.

    What is only a reason or a measurement stands in docs/decisions, and is not counted.
    """
    words = {path.name: len(path.read_text("utf-8").split()) for path in [*DOCS.glob("*.md"), ROOT / "protocol.md"]}
    words["README.md"] += len((ROOT / "README.md").read_text("utf-8").split())
    path = ("tutorial", "protocol", "better", "debugging", "languages", "certain", "check")
    front = (ROOT / "README.md").read_text("utf-8")
    assert len(front.split()) + sum(words[f"{name}.md"] for name in path) <= 12_000
    assert len(front.splitlines()) <= 150
    assert sum(words.values()) <= 45_000, sorted(words.items(), key=lambda each: -each[1])


def test_nobody_is_sent_to_a_registry() -> None:
    """No page, error or docstring installs arena by its name, which is on no registry: all install a checkout."""
    texts = [path for folder in ("arena", "benchmarks", "bots") for path in (ROOT / folder).rglob("*.py")]
    by_name = re.compile(r"(pip|uv|pipx|uvx)\b.*\bfish-arena")
    assert [path for path in [*texts, *every_page()] if by_name.search(path.read_text("utf-8"))] == []
    assert install("dask") == "pip install '.[dask]' in a checkout of arena"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.findall(r"install\('(\w+)'\)", "".join(path.read_text("utf-8") for path in texts))
    assert {"cards", "dask", "openspiel", "pettingzoo"} == set(named) <= extras.keys()
