"""The repository of one bot in ``examples``: its workflow is run step by step for pull requests of every kind."""

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.ci.workflow import ROOT, Runner, git, pull_request
from tests.toolchains import leave_out

EXAMPLE = ROOT / "examples" / "bot-repository"
WORKFLOW = ".github/workflows/bot.yml"
# the choice of the bot as it is, and what to put in its place
ANY = "    return dice.sample(range(len(options)), size)\n"
FIRST = "    return list(range(question['least']))\n"
WRONG = "    return [99]\n"
BROKEN = "    return\n  )\n"


def pulled(desk: Path, before: str, after: str, **env: str) -> Runner:
    """The job of the workflow, run for a pull request that makes one choice of the other."""
    origin = desk / "origin"
    shutil.copytree(EXAMPLE, origin, ignore=shutil.ignore_patterns("__pycache__", "results"))
    bot = origin / "bot" / "bot.py"
    text = bot.read_text(encoding="utf-8")
    assert ANY in text
    git(origin, "init", "--quiet", "--initial-branch=main")
    bot.write_text(text.replace(ANY, before), encoding="utf-8")
    git(origin, "add", "--all")
    git(origin, "commit", "--quiet", "-m", "the bot")
    github = pull_request(origin, lambda _folder: bot.write_text(text.replace(ANY, after), encoding="utf-8"))
    few = {"ARENA_MATCHES": "120", "ARENA_SEED": "pull request"}
    runner = Runner(desk / "job", origin, {"github": github}, few | env)
    runner.play(EXAMPLE / WORKFLOW, "bot")
    return runner


def codes(runner: Runner) -> list[int]:
    """The exit codes of check and compare, in this order."""
    return [step.code for step in runner.ran if step.name == "arena"]


@pytest.mark.long
def test_a_better_bot(tmp_path: Path) -> None:
    """A change for the better passes; the verdict is in the summary, an annotation, and a file for a comment."""
    runner = pulled(tmp_path, FIRST, ANY, ARENA_ISOLATION="none")
    assert codes(runner) == [0, 0], runner.ran
    assert runner.status == "success"
    check, compare = (step for step in runner.ran if step.name == "arena")
    assert check.outputs["verdict"] == "holds"
    assert compare.outputs["verdict"] == "better"
    assert 0 <= float(compare.outputs["score_low"]) < float(compare.outputs["score"])
    assert "### Better: angler, dockfight" in compare.summary
    assert (
        "angler is better than angler-before at 3 seats, against greedy and random, after 120 matches. Score +"
        in compare.summary
    )
    assert "::notice title=angler at dockfight%3A better::" in compare.said
    verdict = (runner.artifacts / "verdict" / "verdict.md").read_text(encoding="utf-8")
    assert verdict in compare.summary
    cases = ET.parse(runner.artifacts / "verdict" / "junit.xml").getroot()  # noqa: S314 - our own
    assert (cases.get("tests"), cases.get("failures")) == ("16", "0")
    # an environment of its own, filled from the locked requirements and this checkout, and once only
    assert sum("--require-hashes" in line for line in runner.noted) == 1
    assert any(line.endswith(f"--no-deps {ROOT}") for line in runner.noted)
    assert any("apparmor_restrict_unprivileged_userns=0" in line for line in runner.noted)


@pytest.mark.proof
def test_a_worse_bot(tmp_path: Path) -> None:
    """A change for the worse, though sound, fails the job, and the reason is told."""
    runner = pulled(tmp_path, ANY, FIRST, ARENA_ISOLATION="none")
    assert codes(runner) == [0, 1]
    assert runner.status == "failure"
    assert runner.ran[-1].outputs["verdict"] == "worse"
    assert "### Worse: angler, dockfight" in runner.summary
    assert "::error title=angler at dockfight%3A worse::" in runner.ran[-1].said
    assert (runner.artifacts / "verdict" / "verdict.md").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "after", [pytest.param(WRONG, marks=pytest.mark.proof), BROKEN], ids=["faults", "is no program"]
)
def test_a_broken_bot(tmp_path: Path, after: str) -> None:
    """A change that breaks the bot fails both steps, whether it still starts or not; both say why."""
    runner = pulled(tmp_path, ANY, after, ARENA_ISOLATION="none", ARENA_MATCHES="16")
    check, compare = (step for step in runner.ran if step.name == "arena")
    assert [check.code, compare.code] == [1, 1], runner.ran
    assert "::error title=angler%2C sentence " in check.said
    assert "file=bot/bot.toml" in check.said
    assert "FAIL" in check.summary
    assert compare.outputs["verdict"] == "worse"
    assert ("faulted" if after == WRONG else "cannot start") in compare.summary
    assert "### Worse" in (runner.artifacts / "verdict" / "verdict.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_nothing_changed(tmp_path: Path) -> None:
    """A change that leaves the bot alone is told so, and nothing is played."""
    runner = pulled(tmp_path, ANY, ANY, ARENA_ISOLATION="none")
    assert codes(runner) == [0, 0]
    assert runner.ran[-1].outputs["verdict"] == "equal"


@pytest.mark.proof
def test_in_a_sandbox(tmp_path: Path) -> None:
    """As it is written, without any setting of the test's: bots play within bubblewrap."""
    if shutil.which("bwrap") is None:
        leave_out("expected bubblewrap, got none")
    runner = pulled(tmp_path, FIRST, ANY)
    assert codes(runner) == [0, 0], runner.ran
