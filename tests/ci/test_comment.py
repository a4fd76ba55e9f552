"""The workflow that posts what a check said: as text of a stranger, once, and on the pull request of that commit."""

import json
import sys
from pathlib import Path

import pytest

from tests.ci.nights import EXAMPLE
from tests.ci.workflow import Runner

GH = """#!{python}
import json, pathlib, subprocess, sys
desk, words = pathlib.Path({desk!r}), sys.argv[1:]
open(desk / "asked", "a").write(" ".join(words) + "\\n")
if words[:2] == ["pr", "list"]:
    print("7 " + "a" * 40)
    print("8 " + "b" * 40)
elif words[:2] == ["run", "list"]:
    if words[words.index("--commit") + 1][0] == "a":
        print("123")
elif words[:2] == ["pr", "view"]:
    comments = json.loads((desk / "theirs").read_text()) if (desk / "theirs").exists() else []
    if (desk / "comment").exists():
        comments.append({{"body": (desk / "comment").read_text(), "viewerDidAuthor": True}})
    how = ["jq", "--raw-output", words[words.index("--jq") + 1]]
    subprocess.run(how, input=json.dumps({{"comments": comments}}), text=True, check=True)
elif words[:2] == ["run", "download"]:
    folder = pathlib.Path(words[words.index("--dir") + 1])
    folder.mkdir()
    if (desk / "link").exists():
        (folder / "verdict.txt").symlink_to("/etc/passwd")
    elif (desk / "verdict.txt").exists():
        (folder / "verdict.txt").write_bytes((desk / "verdict.txt").read_bytes())
elif words[:2] == ["pr", "comment"]:
    (desk / "comment").write_bytes(pathlib.Path(words[words.index("--body-file") + 1]).read_bytes())
else:
    sys.exit(1)
"""
SAID = b"pike is new\r# [x](http://y) @all\x1b[31m\n\n```\n<script>\n" + b"\xff" * 30_000


def commented(desk: Path, job: str) -> Runner:
    """Run the job where these programs of GitHub's are on the machine."""
    contexts = {"github": {"token": "?", "repository": "o/r"}}
    runner = Runner(desk / job, desk, contexts, stand_ins={"gh": GH.format(python=sys.executable, desk=str(desk))})
    runner.play(EXAMPLE / ".github" / "workflows" / "comment.yml", "comment")
    return runner


def test_a_comment(tmp_path: Path) -> None:
    """The text is posted once, on the pull request of its commit, as code that nothing in it ends."""
    (tmp_path / "verdict.txt").write_bytes(SAID)
    assert commented(tmp_path, "one").status == "success"
    lines = (tmp_path / "comment").read_bytes().splitlines()
    assert lines[:3] == [b"<!-- check 123 -->", b"What the check of " + b"a" * 40 + b" says:", b""]
    assert all(line.startswith(b"    ") for line in lines[3:])
    (tmp_path / "comment").read_text("utf-8")
    assert lines[3] == b"    pike is new# [x](http://y) @all[31m"
    assert len(b"".join(lines)) < 21_000
    before = (tmp_path / "asked").read_text()
    assert "pr comment 7 --body-file" in before
    assert "pr comment 8" not in before
    assert commented(tmp_path, "two").status == "success"
    assert "pr comment" not in (tmp_path / "asked").read_text().removeprefix(before)


def test_only_its_mark_counts(tmp_path: Path) -> None:
    """The mark of a comment that is posted keeps no other from being posted: neither a stranger's, nor in a text."""
    mark = "<!-- check 123 -->"
    posted = {"body": f"<!-- check 122 -->\nWhat the check says:\n\n    {mark}\n{mark}", "viewerDidAuthor": True}
    (tmp_path / "theirs").write_text(json.dumps([{"body": f"{mark}\n", "viewerDidAuthor": False}, posted]))
    (tmp_path / "verdict.txt").write_bytes(SAID)
    assert commented(tmp_path, "one").status == "success"
    assert (tmp_path / "comment").read_text("utf-8").startswith(f"{mark}\n")


@pytest.mark.parametrize("what", ["link", "nothing"])
def test_no_text(tmp_path: Path, what: str) -> None:
    """A link is not followed, and where a check has kept nothing, nothing is posted."""
    (tmp_path / what).touch()
    assert commented(tmp_path, "one").status == "success"
    assert not (tmp_path / "comment").exists()
