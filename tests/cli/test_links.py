"""Links in a run folder or a league's, put there by a stranger: nothing is read, written or removed through them."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.command import MINE, SLIP, Said, arena, unfinish

PRIVATE = "a private text"
RUN = ("-g", "dockfight", "--seats", "2", "-n", "2", "-q", "-o")


@pytest.fixture
def private(place: Path) -> Path:
    """A folder beside the one that a stranger has filled, with a file."""
    folder = place.parent / "private"
    folder.mkdir()
    (folder / "mine.log").write_text(PRIVATE)
    (folder / "mine.json").write_text(PRIVATE)
    return folder


def untouched(private: Path) -> bool:
    """Whether the private folder is as it was."""
    files = {path.name: path.read_text() for path in private.iterdir()}
    return files == {"mine.log": PRIVATE, "mine.json": PRIVATE}


def refused(said: Said, what: Path | str) -> bool:
    """Whether the command ended with one line that names the link."""
    return said.err.startswith("arena: ") and f"{what}: expected" in said.err and "of its own, got a link" in said.err


@pytest.mark.long
def test_a_file_is_replaced_and_never_written_through(place: Path, private: Path) -> None:
    """Where a file of a run, or the new one before it takes its place, is a link, the link goes and its end stays."""
    run = place / "r"
    run.mkdir()
    for name in (".run.json.new", ".secret.json.new", ".leaderboard.md.new", "leaderboard.md"):
        (run / name).symlink_to(private / "mine.json")
    arena(place, "run", "greedy", "random", *RUN, "r")
    assert untouched(private)
    assert not list(run.glob(".*.new"))
    assert not [path for path in run.iterdir() if path.is_symlink()]


@pytest.mark.long
@pytest.mark.parametrize("name", ["matches.jsonl", "logs", "logs/mine.log"])
def test_a_file_that_grows_is_no_link(place: Path, private: Path, name: str) -> None:
    """A journal, a log or the folder of logs that is a link is refused by name (exit 4); its end stays as it was."""
    run = place / "r"
    link = run / name
    link.parent.mkdir(parents=True)
    link.symlink_to(private / {"logs": ".", "logs/mine.log": "mine.log", "matches.jsonl": "new"}[name])
    noisy = place / "noisy.py"
    noisy.write_text("import sys\nprint('noise', file=sys.stderr)\n" + (place / "mine.py").read_text())
    said = arena(place, "run", MINE.replace("mine.py", "noisy.py"), "greedy", *RUN, "r", code=4)
    assert refused(said, Path("r", name))
    assert untouched(private)


def test_a_torn_end_is_not_set_aside_through_a_link(place: Path, demo: Path, private: Path) -> None:
    """What an interrupted write left is kept beside the journal, and not in somebody else's file."""
    unfinish(demo, 4)
    with (demo / "matches.jsonl").open("ab") as journal:
        journal.write(b'{"seq":4,"torn')
    (demo / "matches.torn").symlink_to(private / "mine.log")
    said = arena(place, "run", *("greedy", "random", MINE, SLIP), "-g", "cash-a-catch", "-n", "16", "-o", demo, code=4)
    assert refused(said, demo / "matches.torn")
    assert untouched(private)


@pytest.mark.parametrize("name", ["run.json", "secret.json", "matches.jsonl"])
def test_no_file_of_a_run_is_read_through_a_link(place: Path, demo: Path, name: str) -> None:
    """Whoever reads a run reads its own files alone; a pipe in the place of one holds nobody up either."""
    unfinish(demo, 16)
    kept = place / "kept"
    (demo / name).rename(kept)
    (demo / name).symlink_to(kept)
    assert refused(arena(place, "verify", "results/demo", code=4), Path("results/demo", name))
    (demo / name).unlink()
    os.mkfifo(demo / name)
    said = arena(place, "verify", "results/demo", code=4)
    assert said.err == f"arena: results/demo/{name}: expected a file of its own, got a pipe or a device\n"


def test_a_part_of_several_games_is_no_link(place: Path, demo: Path) -> None:
    """Of a folder with a run of each game none may be somewhere else."""
    both = place / "both"
    both.mkdir()
    (both / "cash-a-catch").symlink_to(demo)
    before = {path.name: path.read_bytes() for path in demo.iterdir() if path.is_file()}
    words = ("run", "greedy", "random", "-g", "cash-a-catch", "-g", "dockfight", "-n", "2", "-q", "-o", "both")
    assert "expected a folder of its own, got a link" in arena(place, *words, code=4).err
    assert "expected a folder of its own, got a link" in arena(place, "merge", "both", "-o", "x", code=4).err
    assert before == {path.name: path.read_bytes() for path in demo.iterdir() if path.is_file()}


def test_merge_copies_no_private_file(place: Path, demo: Path, private: Path) -> None:
    """A log of a part that is a link to a file of whoever merges, or a folder of logs that is one, is refused."""
    part = Path(shutil.copytree(demo, place / "part"))
    shutil.rmtree(part / "logs", ignore_errors=True)
    (part / "logs").mkdir()
    (part / "logs" / "x.log").symlink_to(private / "mine.log")
    assert refused(arena(place, "merge", "results/demo", "part", "-o", "one", code=4), "part/logs/x.log")
    shutil.rmtree(part / "logs")
    (part / "logs").symlink_to(private)
    assert refused(arena(place, "merge", "results/demo", "part", "-o", "two", code=4), "part/logs")
    assert PRIVATE not in "".join(path.read_text() for path in place.rglob("*.log"))


@pytest.fixture
def league(place: Path) -> Path:
    """A league of one game, of which nothing was played yet."""
    (place / "arena.toml").write_text('games = ["dockfight"]\nmatches = 2\nseats = 2\nanchors = ["greedy", "random"]\n')
    return place


@pytest.mark.parametrize("name", ["badges", "results", "site"])
@pytest.mark.long_cases("badges", "site")
def test_a_league_writes_and_removes_in_its_own_folders(league: Path, private: Path, name: str) -> None:
    """Where badges, results or the site lead elsewhere, the season is refused; nothing there is written or removed."""
    shutil.rmtree(league / "results")
    (league / name).symlink_to(private)
    said = arena(league, "season", code=4)
    assert "of its own, got a link" in said.err
    assert untouched(private)


@pytest.mark.long
def test_a_league_replaces_its_own_files(league: Path, private: Path) -> None:
    """Tables and badges that are links are replaced, one of a bot that is gone is removed; their ends stay."""
    (league / "badges").mkdir()
    names = ("leaderboard.md", ".leaderboard.json.new", ".history.jsonl.new", "badges/greedy.json", "badges/gone.json")
    for name in names:
        (league / name).symlink_to(private / "mine.json")
    arena(league, "season")
    assert untouched(private)
    assert not [path for path in league.rglob("*") if path.is_symlink()]
    assert not (league / "badges" / "gone.json").exists()


@pytest.mark.long
def test_a_history_is_no_link(league: Path, private: Path) -> None:
    """The history, which goes on from what is there, is refused."""
    (league / "history.jsonl").symlink_to(private / "mine.json")
    assert refused(arena(league, "season", code=4), "history.jsonl")
    assert untouched(private)
