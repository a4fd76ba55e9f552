"""A night of a private league, as GitHub would run it: no source and no token leaves the steps that need them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from arena.leagues.new import write
from tests.ci.nights import WORKFLOW, Nights
from tests.ci.workflow import git
from tests.leagues.forge import MARK, TOKEN, Source, forge
from tests.leagues.test_private import begin


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    """Two bots at a forge, and a third that is not there; the league's own repository is empty so far."""
    nights = Nights(tmp_path / "desk")
    for path in nights.work.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in ("anna", "ben"):
        Source(tmp_path / "forge", name, f"{name}-bot").push("one", 1)
    nights.secrets["ARENA_BOTS_TOKEN"] = TOKEN
    with forge(tmp_path / "forge") as address:
        begin(nights.work, address, 'anna-bot = "anna"\nben-bot = "ben"\neve-bot = "eve"\n', ci="github")
        nights.settle("seats = 3", "seats = 2")
        yield nights


def leaks(nights: Nights, secret: str) -> list[str]:
    """What everybody can read of a night and has these words: steps, files of artifacts and pages, the branch."""
    night = nights.desk / f"night-{nights.night}"
    files = [*(night / "artifacts").rglob("*"), *(night / "pages").rglob("*")]
    assert len(files) > 20
    found = [str(path) for path in files if path.is_file() and secret.encode() in path.read_bytes()]
    found += [step.name for runner in nights.ran.values() for step in runner.ran if secret in step.said]
    return found + [secret for _ in range(git(nights.origin, "archive", "results").count(secret))]


@pytest.mark.long
def test_a_private_night(nights: Nights) -> None:
    """The bots play, and neither what is published or passed on nor any log has a line of theirs, or the token."""
    nights.push()
    assert nights.play() == ["plan", "play 1", "play 2", "publish", "site"]
    assert nights.shown() == {"anna-bot", "ben-bot", "random", "greedy"}
    assert "- eve-bot: expected a repository that can be read, got none" in nights.told
    assert {bot for match in nights.records() for bot in match["bots"]} == nights.shown()
    assert leaks(nights, TOKEN) == leaks(nights, MARK) == []


@pytest.mark.long
def test_a_night_with_sources(nights: Nights) -> None:
    """From the day that the settings name on, the sources of all that play stand on the branch of results."""
    with (nights.work / "arena.toml").open("a") as file:
        file.write('sources = "2020-01-01"\n')
    nights.settle("matches-per-bot = 3", "matches-per-bot = 1")
    nights.push()
    nights.play()
    files = git(nights.origin, "ls-tree", "-r", "--name-only", "results", "sources").split()
    assert {name for name in files if name.endswith("bot.pl")} == {
        f"sources/{name}-bot/bot.pl" for name in ("anna", "ben")
    }
    assert leaks(nights, TOKEN) == []
    assert leaks(nights, MARK)


def test_who_gets_the_token(tmp_path: Path) -> None:
    """The steps that pull have the token and start no bot; no other step has it."""
    write(tmp_path / "league", [], ci="github", private=True)
    jobs = yaml.safe_load((tmp_path / "league" / WORKFLOW).read_text("utf-8"))["jobs"]
    steps = [(name, step) for name, job in jobs.items() for step in job["steps"] if "secrets" in str(step)]
    assert [name for name, _ in steps] == ["plan", "play"]
    for _, step in steps:
        assert step["with"]["args"].split() == ["season", "--pull", "--trust"]
    assert "secrets" not in str([{key: job[key] for key in job if key != "steps"} for job in jobs.values()])
