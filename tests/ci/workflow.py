"""Runs the steps of a job as GitHub's runner would: every ``run`` as written, by the shell that it names."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct, field

ROOT = Path(__file__).parents[2]
_PATIENCE = 300
_OURS = ("/arena@", "./")
_SHELLS = {"": ("bash", "-e"), "bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail"), "sh": ("sh", "-e")}
_PYTHON = """#!/bin/sh
# a fresh environment without network: arena in it is the one that is tested, and packages are only noted down
case "$1 $2 $3" in
  "-I -m venv") mkdir -p "$4/bin" && ln -s "{here}/arena" "$4/bin/arena" && ln -s "{here}/python" "$4/bin/python" ;;
  "-I -m arena") shift 3 && exec "{here}/arena" "$@" ;;
  "-I -m pip" | "-I -m hatchling") echo "$3 $*" >> "{noted}" ;;
  *) exec "{python}" "$@" ;;
esac
"""
_ARENA = '#!/bin/sh\nexec "{python}" -I -m arena "$@"\n'
_INSIDE = re.compile(r"\$\{\{ *(.*?) *\}\}")
_CONDITION = re.compile(r"(!?)([\w.-]+)(\(\))?(?: (==|!=) '([^']*)')?")
_FROM_JSON = re.compile(r"fromJSON\(([\w.-]+)\)")
_NOTED = '#!/bin/sh\necho "{name} $*" >> "{noted}"\n'


class Ran(Struct, frozen=True):
    """A step that ran."""

    name: str
    code: int
    said: str
    """On both streams."""
    summary: str = ""
    outputs: dict[str, str] = {}


class Runner(Struct):
    """A machine for one job: its folders, and what has happened on it so far."""

    desk: Path
    """An empty folder for all that the job makes."""
    origin: Path
    """The repository that is checked out."""
    contexts: dict[str, Any] = field(default_factory=dict)
    """What expressions can name: ``github``, ``matrix``, ``needs`` and so on."""
    env: dict[str, str] = field(default_factory=dict)
    """Stands before all that the workflow sets."""
    limits: dict[str, Path] = field(default_factory=dict)
    """Once this file exists a step is out of time, by its name or that of the step that uses an action."""
    stand_ins: dict[str, str] = field(default_factory=dict)
    """Programs of the machine, by name: further ones, and others in the place of its own."""
    ran: list[Ran] = field(default_factory=list)
    repository: Path = ROOT
    """Where the workflow lies, and actions of the same commit."""
    status: str = "success"

    @property
    def workspace(self) -> Path:
        """Where the repository is checked out."""
        return self.desk / "work"

    @property
    def artifacts(self) -> Path:
        """What was uploaded, a folder each; jobs of one workflow share it."""
        return self.desk.parent / "artifacts"

    @property
    def noted(self) -> list[str]:
        """What would have needed rights or the network."""
        path = self.desk / "noted"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    @property
    def summary(self) -> str:
        """The summaries of all steps."""
        return "".join(step.summary for step in self.ran)

    def play(self, workflow: Path, job: str) -> dict[str, str]:
        """Run the steps of a job; its outputs. ``ran`` and ``status`` tell how it went."""
        for name in ("work", "temp", "home", "bin"):
            (self.desk / name).mkdir(parents=True)
        self._stand_ins()
        self.repository = workflow.parents[2]
        whole = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        asked = whole["jobs"][job]
        known = {"github": {}, "env": {}, "steps": {}, "runner": {"temp": str(self.desk / "temp"), "os": "Linux"}}
        contexts = known | self.contexts
        env = {**(whole.get("env") or {}), **(asked.get("env") or {})}
        assert not set(asked.get("defaults", whole.get("defaults", {})).get("run", {})) - {"shell"}
        self._steps(asked["steps"], contexts, {name: filled(str(v), self._now(contexts)) for name, v in env.items()})
        return {name: filled(str(v), self._now(contexts)) for name, v in (asked.get("outputs") or {}).items()}

    def _now(self, contexts: Mapping[str, Any]) -> dict[str, Any]:
        return {**contexts, "job": {"status": self.status}}

    def _steps(self, steps: list[dict[str, Any]], contexts: dict[str, Any], env: Mapping[str, str]) -> None:
        for step in steps:
            now = self._now(contexts) | {"env": env}
            if not holds(step.get("if"), now):
                continue
            before = len(self.ran)
            own = {**env, **{name: filled(str(value), now) for name, value in (step.get("env") or {}).items()}}
            if "uses" in step:
                given = {name: filled(str(value), now) for name, value in (step.get("with") or {}).items()}
                outputs = self._use(step, given, contexts, own)
            else:
                outputs = self._run(step, own, now)
            failed = any(ran.code for ran in self.ran[before:])
            ended = {"outputs": outputs, "outcome": "failure" if failed else "success"}
            contexts["steps"] = {**contexts["steps"], step.get("id", ""): ended}
            if failed and not step.get("continue-on-error"):
                self.status = "failure"

    def _run(self, step: dict[str, Any], env: Mapping[str, str], now: Mapping[str, Any]) -> dict[str, str]:
        desk = self.desk / f"step-{len(self.ran)}"
        desk.mkdir()
        files = {name: desk / name for name in ("OUTPUT", "STEP_SUMMARY", "ENV", "PATH")}
        for path in files.values():
            path.touch()
        script = desk / "script"
        script.write_text(filled(step["run"], now), encoding="utf-8")
        name, said = step.get("name", step["run"]), desk / "said"
        own = {f"GITHUB_{name}": str(path) for name, path in files.items()}
        with said.open("wb") as log:
            # a file, and no pipe: whoever outlives the step keeps nobody waiting
            done = subprocess.Popen(
                [*_SHELLS[step.get("shell", "")], script],
                cwd=self.workspace / filled(step.get("working-directory", "."), now),
                env=self._machine() | dict(env) | own | self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            code = ended(done, self.limits.get(env.get("STEP", name)))
        # later steps would have to see these
        assert not files["ENV"].read_text(encoding="utf-8")
        assert not files["PATH"].read_text(encoding="utf-8")
        outputs = set_in(files["OUTPUT"].read_text(encoding="utf-8"))
        summary = files["STEP_SUMMARY"].read_text(encoding="utf-8")
        self.ran.append(Ran(name, code, said.read_text(encoding="utf-8"), summary, outputs))
        return outputs

    def _machine(self) -> dict[str, str]:
        return {
            "PATH": f"{self.desk / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.desk / "home"),
            "LC_ALL": "C.UTF-8",
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_RUN_ID": str(self.contexts.get("github", {}).get("run_id", "1")),
            "RUNNER_TEMP": str(self.desk / "temp"),
        }

    def _use(
        self, step: dict[str, Any], given: dict[str, str], contexts: Mapping[str, Any], env: Mapping[str, str]
    ) -> dict[str, str]:
        action = step["uses"]
        if any(known in action for known in _OURS):
            # where the step has it: what is checked out there, and not what a pull request brings
            own = self.workspace / action / "action.yml"
            path = own if action.startswith("./") else ROOT / "action.yml"
            return self._composite(path, given, contexts, {"STEP": step.get("name", ""), **env})
        match action.partition("@")[0]:
            case "actions/checkout":
                folder = self.workspace / given.get("path", ".")
                folder.mkdir(exist_ok=True)
                git(folder, "init", "--quiet")
                # the last commits only, as the real one does, or with 0 all of them
                depth = given.get("fetch-depth", "1")
                ref = given.get("ref") or contexts["github"].get("sha", "HEAD")
                git(folder, "fetch", "--quiet", *[f"--depth={depth}"] * (depth != "0"), self.origin.as_uri(), ref)
                git(folder, "checkout", "--quiet", "--detach", "FETCH_HEAD")
            case "actions/upload-artifact":
                self._upload(given)
            case "actions/download-artifact":
                self._download(given)
            case "actions/upload-pages-artifact":
                self._upload({"name": "github-pages"} | given)
            case "actions/deploy-pages":
                shutil.copytree(self.artifacts / "github-pages", self.desk.parent / "pages")
            case "actions/setup-python":
                pass
            case name:
                raise AssertionError(f"expected an action that has a stand-in, got {name}")
        return {}

    def _composite(
        self, path: Path, given: dict[str, str], contexts: Mapping[str, Any], env: Mapping[str, str]
    ) -> dict[str, str]:
        """The steps of an action of this repository, or of the league's, with inputs and steps of its own."""
        action = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert set(given) <= set(action["inputs"])
        assert all(name in given for name, each in action["inputs"].items() if each.get("required"))
        inputs = {name: str(each.get("default", "")) for name, each in action["inputs"].items()} | given
        github = {**contexts["github"], "action_path": str(ROOT)}
        inside = {"github": github, "inputs": inputs, "steps": {}, "runner": contexts["runner"]}
        before, self.status = self.status, "success"
        self._steps(action["runs"]["steps"], inside, env)
        outputs = {name: filled(each["value"], self._now(inside)) for name, each in action.get("outputs", {}).items()}
        # whether the step that uses it has failed is told by what ran in it
        self.status = before
        return outputs

    def _upload(self, given: dict[str, str]) -> None:
        patterns = given["path"].split()
        found = [path for pattern in patterns for path in self.workspace.glob(pattern)]
        assert found or given.get("if-no-files-found") == "ignore", given
        for path in found:
            into = self.artifacts / given["name"] / (path.name if len(patterns) > 1 or path.is_file() else "")
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(path, into, dirs_exist_ok=True) if path.is_dir() else shutil.copy(path, into)

    def _download(self, given: dict[str, str]) -> None:
        into = self.workspace / given.get("path", ".")
        alone = given.get("name")
        # an earlier run's, by its number
        kept = self.desk.parents[1] / f"night-{given['run-id']}" / "artifacts" if "run-id" in given else self.artifacts
        for folder in sorted(kept.glob(alone or given.get("pattern", "*"))):
            flat = alone or given.get("merge-multiple") == "true"
            shutil.copytree(folder, into if flat else into / folder.name, dirs_exist_ok=True)

    def _stand_ins(self) -> None:
        here, noted = self.desk / "bin", self.desk / "noted"
        facts = {"here": here, "noted": noted, "python": sys.executable}
        texts = {"python": _PYTHON, "arena": _ARENA, "sudo": _NOTED}
        texts = {name: text.format(**facts, name=name) for name, text in texts.items()}
        for name, text in (texts | self.stand_ins).items():
            (here / name).write_text(text, encoding="utf-8")
            (here / name).chmod(0o755)


def ended(step: "subprocess.Popen[bytes]", over: Path | None) -> int:
    """The exit code of a step; once ``over`` exists, its one process is signalled as GitHub's runner does."""
    while over and not over.exists() and step.poll() is None:
        time.sleep(0.05)
    # the runner sends these with pauses of some seconds; a busy machine has longer
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL) if over else ():
        step.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            return step.wait(_PATIENCE)
    return step.wait(_PATIENCE)


def filled(text: str, contexts: Mapping[str, Any]) -> str:
    """A text with its ``${{ }}`` replaced by their values."""
    return _INSIDE.sub(lambda found: _as_text(_value(found[1], contexts)), text)


def holds(condition: object, contexts: Mapping[str, Any]) -> bool:
    """Whether an ``if`` of conditions joined by ``&&`` lets its step run; if none is of status, it asks for success."""
    text = _INSIDE.sub(lambda found: found[1], "success()" if condition is None else str(condition))
    conditions = [*([] if "()" in text else ["success()"]), *text.split(" && ")]
    return all(_value(each, contexts) for each in conditions)


def _value(text: str, contexts: Mapping[str, Any]) -> Any:
    """The value of an expression, of the few kinds that workflows here use."""
    if given := _FROM_JSON.fullmatch(text):
        return json.loads(_as_text(_value(given[1], contexts)))
    known = _CONDITION.fullmatch(text)
    assert known, f"expected an expression that is known here, got {text!r}"
    negated, path, called, operator, other = known.groups()
    root, *names = path.split(".")
    if called:
        assert path in {"success", "failure", "cancelled"}
        value: Any = contexts["job"]["status"] == path
    else:
        assert root in contexts, f"expected one of {', '.join(contexts)}, got {path!r}"
        value = contexts[root]
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
    if operator:
        value = (_as_text(value).lower() == other.lower()) == (operator == "==")
    return not value if negated else value


def _as_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def set_in(text: str) -> dict[str, str]:
    """What a file of outputs sets, as the runner reads it."""
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, block, end = line.partition("<<")
        if block and "=" not in name:
            found[name] = "\n".join(takewhile(end.__ne__, lines))
        else:
            name, _, value = line.partition("=")
            found[name] = value
    return found


def pull_request(
    origin: Path,
    change: Callable[[Path], object],
    since: Callable[[Path], object] = lambda _folder: None,
    account: str = "eve",
) -> dict[str, Any]:
    """The context ``github`` of a pull request that makes a change."""
    base = git(origin, "rev-parse", "HEAD")
    ours = git(origin, "branch", "--show-current")
    for branch, made in (("theirs", change), (ours, since)):
        git(origin, "checkout", "--quiet", *([] if branch == ours else ["-b"]), branch)
        made(origin)
        git(origin, "add", "--all", "--force")
        git(origin, "commit", "--quiet", "--allow-empty", "-m", "a change")
    git(origin, "checkout", "--quiet", "--detach")
    git(origin, "merge", "--quiet", "--no-ff", "-m", "merged", "theirs")
    sha = git(origin, "rev-parse", "HEAD")
    event = {"pull_request": {"number": 7, "base": {"sha": base}, "user": {"login": account}}}
    return {"event": event, "sha": sha, "token": "?", "repository": "o/r"}


def git(folder: Path, *words: str | Path, when: datetime | None = None) -> str:
    """Run git in a folder, with nobody's settings, now or by a clock that stands at ``when``; what it prints."""
    who = {f"GIT_{role}_{what}": "angler@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"} | who
    env |= {"GIT_COMMITTER_DATE": when.isoformat()} if when else {}
    done = subprocess.run(
        [shutil.which("git") or "git", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
