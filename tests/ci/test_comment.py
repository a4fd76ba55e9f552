"""The workflow that posts what a check said: as text of a stranger, on the pull request of that commit alone."""

import json
import sys
from pathlib import Path

import pytest

from tests.ci.nights import EXAMPLE
from tests.ci.workflow import Runner

GH = """#!{python}
import json, os, pathlib, subprocess, sys
desk, words = pathlib.Path({desk!r}), sys.argv[1:]
open(desk / "asked", "a").write(" ".join(words) + "\\n")
def jq(data):
    how = ["jq", "--raw-output", words[words.index("--jq") + 1]]
    subprocess.run(how, input=json.dumps(data), text=True, check=True)
if words[:2] == ["pr", "list"]:
    jq([{{"number": 7, "headRefOid": "a" * 40}}, {{"number": 8, "headRefOid": "b" * 40}}])
elif words[:2] == ["run", "download"]:
    folder = pathlib.Path(words[words.index("--dir") + 1])
    if not (desk / "verdict.txt").exists() and not (desk / "link").exists():
        sys.exit("no artifact matches any of the names or patterns provided")
    folder.mkdir()
    if (desk / "link").exists():
        (folder / "verdict.txt").symlink_to("/etc/passwd")
    else:
        (folder / "verdict.txt").write_bytes((desk / "verdict.txt").read_bytes())
elif words[:1] == ["api"] and words[2].endswith("/pulls/7/files?per_page=100"):
    jq(json.loads((desk / "files").read_text()))
elif words[:2] == ["pr", "comment"]:
    (desk / "comment").write_bytes(pathlib.Path(words[words.index("--body-file") + 1]).read_bytes())
else:
    sys.exit(1)
"""
SAID = b"accepted: 16 rules pass\r# [x](http://y) @all\x1b[31m\n\n```\n<!--<script>\n" + b"\xff" * 30_000


def comment_on(desk: Path, files: list[dict[str, str]] | None = None) -> Runner:
    """Run the job where these programs of GitHub's are on the machine, for a pull request that changes files."""
    (desk / "files").write_text(json.dumps(files or [{"filename": "bots/pike/bot.py"}]))
    followed = {"id": 123, "head_sha": "a" * 40, "event": "pull_request"}
    contexts = {"github": {"token": "?", "repository": "o/r", "event": {"workflow_run": followed}}}
    runner = Runner(desk / "job", desk, contexts, stand_ins={"gh": GH.format(python=sys.executable, desk=str(desk))})
    runner.play(EXAMPLE / ".github" / "workflows" / "comment.yml", "comment")
    return runner


def test_a_comment(tmp_path: Path) -> None:
    """The text is posted on the pull request of its commit, as code that nothing in it ends, its first line first.

    Above it stands what no reader sees, so that no forge that trims a comment makes a stranger's words Markdown.
    """
    (tmp_path / "verdict.txt").write_bytes(SAID)
    assert comment_on(tmp_path).status == "success"
    first, *lines, last = (tmp_path / "comment").read_bytes().splitlines()
    assert (first, last) == (b"<!-- check 123 -->", b"The check of " + b"a" * 40 + b".")
    assert next(line for line in lines if line) == b"    accepted: 16 rules pass# [x](http://y) @all[31m"
    assert all(line.startswith(b"    ") for line in lines if line)
    (tmp_path / "comment").read_text("utf-8")
    assert len(b"".join(lines)) < 21_000
    asked = (tmp_path / "asked").read_text()
    assert asked.count("pr comment 7 --body-file") == 1
    assert "pr comment 8" not in asked


@pytest.mark.parametrize(
    "file",
    [
        {"filename": ".github/workflows/check.yml"},
        {"filename": "bots/pike/check.yml", "previous_filename": ".github/workflows/check.yml"},
    ],
)
def test_a_check_that_was_changed(tmp_path: Path, file: dict[str, str]) -> None:
    """What the check says of a pull request that changes workflows is not posted: it may have written it itself."""
    (tmp_path / "verdict.txt").write_bytes(SAID)
    assert comment_on(tmp_path, [file, {"filename": "bots/pike/bot.py"}]).status == "success"
    said = (tmp_path / "comment").read_text("utf-8").splitlines()[2:]
    assert len(said) == 1
    assert said[0].startswith(
        "refused: this pull request changes the folder .github, and with it perhaps its own check"
    )


@pytest.mark.parametrize("what", ["link", "nothing"])
def test_no_text(tmp_path: Path, what: str) -> None:
    """A link is not followed, and where a check has kept nothing, nothing is posted."""
    (tmp_path / what).touch()
    assert comment_on(tmp_path).status == "success"
    assert not (tmp_path / "comment").exists()
