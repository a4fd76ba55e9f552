"""`--github`, `--junit-xml` and `--strict`: what CI is told of a run or a check, and what bots are not."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from arena.sandbox import Level
from tests.ci.workflow import set_in
from tests.cli.command import AS_STARTED, BOTS, PYTHON, Said, arena, refusal
from tests.cli.test_bots_words import LOUD
from tests.levels import needed

RUN = ("run", "-g", "dockfight", "--seats", "2", "-n", "4", "-j", "1", "-q", "--seed", "ci")
SLIP = f"slip={PYTHON} slip.py"
CRASH = f"crash={PYTHON} crash.py"
SECRET = "ghs_0123456789abcdef"  # noqa: S105 - nobody's
SPY = """
import json, os, sys
SECRET = "ghs_0123456789" + "abcdef"
def looked():
    yield repr(os.environ)
    near = os.getpid()
    for _ in range(12):
        try:
            with open(f"/proc/{near}/environ", "rb") as file:
                yield repr(file.read())
        except OSError:
            pass
        try:
            with open(f"/proc/{near}/stat", "rb") as file:
                near = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            near = os.getppid() if near == os.getpid() else 1
for name in ("summary", "output", "env"):
    for folder in (".", "..", TOLD):
        try:
            with open(os.path.join(folder, name), "a") as file:
                file.write("verdict=better\\n")
        except OSError:
            pass
found = any(SECRET in text for text in looked())
print("found" if found else "nothing", file=sys.stderr, flush=True)
"""


class Step:
    """The files of a step of GitHub Actions."""

    def __init__(self, folder: Path) -> None:
        self.summary, self.output, self.env_file = (folder / name for name in ("summary", "output", "env"))
        for path in (self.summary, self.output, self.env_file):
            path.touch()
        self.env = {
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_ENV": str(self.env_file),
            "GITHUB_WORKSPACE": str(folder),
        }

    def outputs(self) -> dict[str, str]:
        """What was set."""
        return set_in(self.output.read_text("utf-8"))


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """A step whose folder is that of the test, with the bots of these tests in it."""
    for name, text in BOTS.items():
        (tmp_path / name).write_text(text)
    return Step(tmp_path)


def annotations(said: Said) -> list[str]:
    """The workflow commands in what was said on either stream."""
    return [line for line in (said.out + said.err).splitlines() if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.long
def test_a_run(tmp_path: Path, step: Step) -> None:
    """A run is summed up by its leaderboard, sets outputs, and warns of bots that faulted."""
    said = arena(tmp_path, *RUN, "-o", "run", "greedy", SLIP, "--github", "--json", env=step.env)
    board = json.loads(said.out)
    assert "| greedy " in step.summary.read_text("utf-8")
    assert step.outputs() == {
        "verdict": "played",
        "run": "run",
        "leader": board["leaderboard"][0]["bot"],
        "matches": "4",
        "voids": "0",
    }
    assert annotations(said) == ["::warning title=slip at dockfight::faults: 4 illegal"]


@pytest.mark.long
def test_two_games(tmp_path: Path, step: Step) -> None:
    """Of several games each leaderboard is in the summary, and the leader is that of the table over all."""
    arena(tmp_path, *RUN, "-g", "lure", "-o", "run", "greedy", "random", "--github", env=step.env)
    text = step.summary.read_text("utf-8")
    assert text.index("### dockfight") < text.index("### lure") < text.index("### All games")
    assert step.outputs()["leader"] == "greedy"
    assert step.outputs()["matches"] == "8"


@pytest.mark.long
def test_strict(tmp_path: Path, step: Step) -> None:
    """`--strict` makes of a fault or a withdrawn bot exit 1, and of the warning an error; clean runs are exit 0."""
    said = arena(tmp_path, *RUN, "greedy", SLIP, "--strict", "--github", code=1, env=step.env)
    assert annotations(said) == ["::error title=slip at dockfight::faults: 4 illegal"]
    assert step.outputs()["verdict"] == "failed"
    arena(tmp_path, *RUN, "greedy", "random", "--strict")
    arena(tmp_path, *RUN, "greedy", "random", CRASH, "--keep-going", "--strict", code=1)


@pytest.mark.long
def test_where_the_bot_file_lies(tmp_path: Path, step: Step) -> None:
    """An annotation on a bot points at its bot file, if that is in the workspace."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/bot.toml").write_text('name = "slip"\ncommand = ["{python}", "-S", "../slip.py"]')
    said = arena(tmp_path, *RUN, "greedy", "./bots", "--github", env=step.env)
    assert annotations(said)[0].startswith("::warning title=slip at dockfight,file=bots/bot.toml::")


def test_failures_are_told(tmp_path: Path, step: Step) -> None:
    """What ends a run before its first match is told like a result: a bot that cannot start, each by itself."""
    junit = tmp_path / "junit.xml"
    said = arena(tmp_path, *RUN, "greedy", CRASH, "--github", "--junit-xml", junit, code=2, env=step.env)
    (line,) = annotations(said)
    assert line.startswith("::error title=arena run::bot crash cannot start")
    assert "boom%3A" not in line
    assert "boom: no model file" in line
    assert "```text\nbot crash cannot start" in step.summary.read_text("utf-8")
    assert step.outputs() == {"verdict": "failed"}
    (failure,) = ET.parse(junit).getroot().iter("failure")  # noqa: S314 - our own
    assert "boom: no model file" in (failure.text or "")


@pytest.mark.long
def test_junit(tmp_path: Path, step: Step) -> None:
    """Each bot is a test case of its game, failed if it faulted; of a check each sentence is one."""
    junit = tmp_path / "junit.xml"
    arena(tmp_path, *RUN, "greedy", SLIP, "--junit-xml", junit)
    (suite,) = ET.parse(junit).getroot()  # noqa: S314 - our own
    cases = {case.get("name"): case.find("failure") for case in suite}
    assert cases.keys() == {"greedy", "slip"}
    assert cases["greedy"] is None
    assert cases["slip"] is not None
    assert cases["slip"].get("message") == "faults: 4 illegal"
    words = ("check", SLIP, "-g", "dockfight", "--seats", "2", "-q")
    said = arena(tmp_path, *words, "--junit-xml", junit, "--github", code=1, env=step.env)
    (suite,) = ET.parse(junit).getroot()  # noqa: S314 - our own
    assert len(suite) == 17
    failed = [case for case in suite if case.find("failure") is not None]
    assert [str(case.get("name"))[:2] for case in failed] == ["7."]
    assert step.outputs() == {"verdict": "fails", "failed": "7"}
    assert annotations(said)[0].startswith("::error title=slip%2C rule 7::")


@pytest.mark.long
def test_a_summary_has_an_end(tmp_path: Path, step: Step) -> None:
    """What does not fit below 1 MiB beside what the step has said before is left out, and that is said."""
    step.summary.write_text("x" * ((1 << 20) - 150))
    arena(tmp_path, *RUN, "greedy", "random", "--github", env=step.env)
    assert step.summary.stat().st_size <= 1 << 20
    assert step.summary.read_text("utf-8").endswith(
        "This summary is cut here: GitHub takes at most 1 MiB from a step.\n"
    )


@pytest.mark.long
def test_bots_words_are_no_commands(tmp_path: Path, step: Step) -> None:
    """Whatever a bot says, the only commands in the log are arena's own, one line each; nothing else is set."""
    (tmp_path / "loud.py").write_text(LOUD, "utf-8")
    loud = f"loud={PYTHON} loud.py"
    for words in (
        (*RUN, "greedy", loud, "--max-faults", "5000", "--format", "markdown"),
        ("check", loud, "-g", "dockfight", "--seats", "2"),
        ("compare", loud, "greedy", "-g", "dockfight", "-n", "32", "--seats", "2"),
    ):
        said = arena(tmp_path, *words, "--github", code=0 if words[0] == "run" else 1, env=step.env)
        lines = annotations(said)
        assert lines
        assert all(line.startswith(("::warning title=loud", "::error title=loud")) for line in lines), lines
        assert all(line.isprintable() for line in lines)
    assert set(step.outputs()) <= {
        *("verdict", "run", "leader", "matches", "voids", "failed", "score", "score_low", "score_high")
    }


def test_elsewhere(tmp_path: Path) -> None:
    """Outside GitHub Actions `--github` is refused before anything is played; so is a file that cannot be."""
    env = {"GITHUB_STEP_SUMMARY": "", "GITHUB_OUTPUT": ""}
    said = arena(tmp_path, *RUN, "greedy", "random", "--github", code=2, env=env)
    expected = "a step of GitHub Actions, which sets GITHUB_STEP_SUMMARY and GITHUB_OUTPUT"
    assert said.err == f"arena: --github: expected {expected}, got none\n"
    assert "--junit-xml: expected a file" in refusal(tmp_path, *RUN, "greedy", "random", "--junit-xml", "no/such.xml")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("level", ["none", "landlock", "bwrap"])
@pytest.mark.long
def test_bots_see_no_secret(tmp_path: Path, level: Level) -> None:
    """No variable of the job is in a bot's environment; in a sandbox it finds none elsewhere, nor sets an output."""
    needed(level)
    told, home = tmp_path / "told", tmp_path / "home"
    told.mkdir()
    home.mkdir()
    step = Step(told)
    names = ("GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "MY_SECRET", "INPUT_TOKEN")
    body = BOTS["mine.py"]
    spied = SPY if level != "none" else "import os, sys\nprint(sorted(os.environ), file=sys.stderr, flush=True)\n"
    (home / "spy.py").write_text(f"TOLD = {str(told)!r}\n{spied}{body}")
    env = step.env | dict.fromkeys(names, SECRET) | AS_STARTED
    words = (*RUN, "-o", "run", "random", f"spy={PYTHON} spy.py", "--github", "--isolation", level)
    arena(home, *words, env=env)
    log = (home / "run/logs/spy.log").read_text("utf-8")
    if level == "none":
        assert "PATH" in log
        assert not any(name in log for name in (*names, "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"))
        return
    assert "nothing" in log
    assert "found" not in log
    assert step.outputs()["verdict"] == "played"
    assert step.env_file.read_bytes() == b""
    assert "verdict=better" not in step.summary.read_text("utf-8")


@pytest.mark.long
def test_the_spy_would_find_it(tmp_path: Path) -> None:
    """Without a sandbox the spy of these tests does read the job's environment, and does write its files."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("expected /proc, got none")
    step = Step(tmp_path)
    (tmp_path / "spy.py").write_text(f"TOLD = {str(tmp_path)!r}\n{SPY}{BOTS['mine.py']}")
    words = (*RUN, "-o", "run", "random", f"spy={PYTHON} spy.py", "--isolation", "none")
    arena(tmp_path, *words, env=step.env | {"GITHUB_TOKEN": SECRET} | AS_STARTED)
    assert "found" in (tmp_path / "run/logs/spy.log").read_text("utf-8")
    assert step.env_file.read_bytes()
    assert os.environ.get("GITHUB_TOKEN") != SECRET
