"""The action runs arena in a group that systemd delegates, where it delegates one."""

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.ci.workflow import ROOT

SCOPE = "--user --scope --quiet --property Delegate=yes -- "
# a stand-in that knows these options alone, and becomes what stands behind them
SYSTEMD = f"""#!/bin/sh
case "$*" in "{SCOPE}"*) shift 6 ;; *) exit 64 ;; esac
SCOPED=yes exec "$@"
"""
# in the place of Python: tells whether it is in a scope, and what it was given
TELLS = """#!/bin/sh
echo "${SCOPED-no} $*"
"""


@pytest.mark.parametrize(
    ("there", "told"), [(SYSTEMD, "yes"), ("#!/bin/sh\necho no bus >&2\nexit 1\n", "no"), ("", "no")]
)
@pytest.mark.parametrize("save", ["", "said"])
def test_a_delegated_scope(there: str, told: str, save: str, tmp_path: Path) -> None:
    """With a user's systemd arena runs in a scope that is delegated to it; else without one, and not a word is said."""
    for name, text in (("systemd-run", there), ("python", TELLS)):
        if text:
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o755)
    for name in ("sh", "true", "bash"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    step = next(step for step in steps if step.get("id") == "arena")
    env = {"PATH": str(tmp_path), "PYTHON": str(tmp_path / "python"), "ARGS": "run\n-g\nlure", "SAVE": save}
    line = [str(tmp_path / "bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    said = (tmp_path / save).read_text() if save else done.stdout
    assert (said, done.stderr) == (f"{told} -I -m arena run -g lure\n", "")
