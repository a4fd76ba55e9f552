"""Workflows of the examples, run step by step for pull requests: the right verdict, and the bot's folder alone."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.ci.workflow import ROOT, Runner, git, pull_request
from tests.toolchains import leave_out

FEW = {"ARENA_ISOLATION": "none", "ARENA_LANES": "1"}
TODAY = "# a rule of today"
MODULE = "raise SystemExit('a module of the pull request')\n"
# the choice of the bot as it is, and what to put in its place
ANY = "    return dice.sample(range(len(options)), size)\n"
FIRST = "    return list(range(question['least']))\n"
WRONG = "    return [99]\n"
BROKEN = "    return\n  )\n"


def pulled(
    desk: Path,
    example: str,
    workflow: str,
    job: str,
    change: Callable[[Path], object],
    *,
    since: Callable[[Path], object] = lambda _folder: None,
    before: Callable[[Path], object] = lambda _folder: None,
    env: Mapping[str, str] = FEW,
    account: str = "eve",
) -> Runner:
    """The job of an example's workflow for a pull request that makes a change; others made theirs before and since."""
    origin = desk / "origin"
    shutil.copytree(ROOT / "examples" / example, origin, ignore=shutil.ignore_patterns("__pycache__", "results"))
    settings = origin / "arena.toml"
    settings.write_text(settings.read_text("utf-8").replace("matches = 240", "matches = 9"), "utf-8")
    before(origin)
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "add", "--all", "--force")
    git(origin, "commit", "--quiet", "-m", "as it was")
    told = {"github": pull_request(origin, change, since, account)}
    runner = Runner(desk / "job", origin, told, {**env, "REMOTE": str(origin)})
    runner.play(ROOT / "examples" / example / ".github" / "workflows" / workflow, job)
    return runner


def choose(old: str, new: str) -> Callable[[Path], object]:
    """Make one choice of the bot another."""

    def write(folder: Path) -> None:
        bot = folder / "bot" / "bot.py"
        text = bot.read_text("utf-8")
        assert old in text
        bot.write_text(text.replace(old, new), "utf-8")

    return write


def changed(desk: Path, before: str, after: str, **env: str) -> Runner:
    """The job of the bot's own workflow, run for a pull request that makes one choice of the other."""
    few = {"ARENA_MATCHES": "120", "ARENA_SEED": "pull request"} | env
    return pulled(desk, "bot-repository", "bot.yml", "bot", choose(before, after), before=choose(ANY, before), env=few)


def codes(runner: Runner) -> list[int]:
    """The exit codes of check and compare, in this order."""
    return [step.code for step in runner.ran if step.name == "arena"]


@pytest.mark.long
def test_a_better_bot(tmp_path: Path) -> None:
    """A change for the better passes; the verdict is in the summary, an annotation, and a file for a comment."""
    runner = changed(tmp_path, FIRST, ANY, ARENA_ISOLATION="none")
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
    assert (cases.get("tests"), cases.get("failures")) == ("17", "0")
    # an environment of its own, filled from the locked requirements and this checkout, and once only
    fetches = [line.split() for line in runner.noted if line.startswith("pip ")]
    assert ["install" in words or "--no-build-isolation" in words for words in fetches] == [True] * 3
    # what is fetched has its known hash, also what builds; the rest is made of that alone
    assert [("--require-hashes" in words, "--no-index" in words) for words in fetches] == [(True, False)] * 2 + [
        (False, True)
    ]
    assert sum(line.startswith("hatchling ") for line in runner.noted) == 1
    assert any("apparmor_restrict_unprivileged_userns=0" in line for line in runner.noted)


@pytest.mark.proof
def test_a_worse_bot(tmp_path: Path) -> None:
    """A change for the worse, though sound, fails the job, and the reason is told."""
    runner = changed(tmp_path, ANY, FIRST, ARENA_ISOLATION="none")
    assert codes(runner) == [0, 1]
    assert runner.status == "failure"
    compare = [step for step in runner.ran if step.name == "arena"][-1]
    assert compare.outputs["verdict"] == "worse"
    assert "### Worse: angler, dockfight" in runner.summary
    assert "::error title=angler at dockfight%3A worse::" in compare.said
    assert (runner.artifacts / "verdict" / "verdict.md").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "after", [pytest.param(WRONG, marks=pytest.mark.proof), BROKEN], ids=["faults", "is no program"]
)
def test_a_broken_bot(tmp_path: Path, after: str) -> None:
    """A change that breaks the bot fails both steps, whether it still starts or not; both say why."""
    runner = changed(tmp_path, ANY, after, ARENA_ISOLATION="none", ARENA_MATCHES="30")
    check, compare = (step for step in runner.ran if step.name == "arena")
    assert [check.code, compare.code] == [1, 1], runner.ran
    assert "::error title=angler%2C rule " in check.said
    assert "file=bot/bot.toml" in check.said
    assert "FAIL" in check.summary
    assert compare.outputs["verdict"] == "worse"
    assert ("faulted" if after == WRONG else "cannot start") in compare.summary
    assert "### Worse" in (runner.artifacts / "verdict" / "verdict.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_nothing_changed(tmp_path: Path) -> None:
    """A change that leaves the bot alone is told so, and nothing is played."""
    runner = changed(tmp_path, ANY, ANY, ARENA_ISOLATION="none")
    assert codes(runner) == [0, 0]
    assert [step.outputs["verdict"] for step in runner.ran if step.name == "arena"][-1] == "equal"


@pytest.mark.proof
def test_in_a_sandbox(tmp_path: Path) -> None:
    """As it is written, without any setting of the test's: bots play within bubblewrap."""
    if shutil.which("bwrap") is None:
        leave_out("expected bubblewrap, got none")
    runner = changed(tmp_path, FIRST, ANY)
    assert codes(runner) == [0, 0], runner.ran


# --- settings, modules and links along with a bot


def of_today(folder: Path) -> None:
    """What the maintainers changed after the pull request was opened: a rule, and another's bot."""
    with (folder / "arena.toml").open("a") as file:
        file.write(f"{TODAY}\n")
    if (folder / "bots").exists():
        (folder / "bots" / "perch" / "more").write_text("more")


def settings_of_its_own(folder: Path) -> None:
    """Another game, a sandbox that shows a secret, a network to build with; a module; links where the job writes."""
    (folder / "arena.toml").write_text(
        'games = ["lure"]\nmatches = 2\nseed = "known"\nreadable = ["/"]\nbuild-network = true\nisolation = "none"\n'
    )
    for name in ("platform.py", "random.py", "msgspec.py", "sitecustomize.py"):
        (folder / name).write_text(MODULE)
    for name in ("verdict.md", "junit.xml", "before", "results"):
        (folder / name).symlink_to("/dev/full")


@pytest.mark.long
def test_a_pull_request_sets_nothing(tmp_path: Path) -> None:
    """What the bot is measured by, and where the verdict is written, is of the base commit; the bot is the new one."""

    def change(folder: Path) -> None:
        settings_of_its_own(folder)
        choose(ANY, FIRST)(folder)

    runner = pulled(tmp_path, "bot-repository", "bot.yml", "bot", change)
    check, compare = (step for step in runner.ran if step.name == "arena")
    assert check.outputs["verdict"] == "holds", runner.ran
    assert compare.outputs["verdict"] in {"worse", "undecided", "better"}, compare
    assert "angler, dockfight" in compare.summary
    assert int(compare.outputs["matches"]) == 9
    assert (runner.artifacts / "verdict" / "verdict.md").read_text("utf-8") in compare.summary
    text = (runner.workspace / "arena.toml").read_text("utf-8")
    assert "dockfight" in text
    assert "lure" not in text
    assert not (runner.workspace / "random.py").exists()
    assert FIRST in (runner.workspace / "bot" / "bot.py").read_text("utf-8")
    assert ANY in (runner.workspace / "before" / "bot" / "bot.py").read_text("utf-8")


def test_a_bot_that_is_a_link(tmp_path: Path) -> None:
    """Where the bot's folder is a link, no bot is started; settings are those of today, not those of its day."""

    def change(folder: Path) -> None:
        shutil.rmtree(folder / "bot")
        (folder / "bot").symlink_to("/")

    runner = pulled(tmp_path, "bot-repository", "bot.yml", "bot", change, since=of_today)
    assert runner.status == "failure"
    assert TODAY in (runner.workspace / "arena.toml").read_text("utf-8")
    assert any("::error::expected a folder bot in the pull request, got none" in step.said for step in runner.ran)
    assert not any(step.outputs.get("verdict") == "holds" for step in runner.ran)


def verdict(runner: Runner) -> str:
    """What is kept to be posted."""
    return (runner.artifacts / "verdict" / "verdict.txt").read_text("utf-8")


def entered(folder: Path) -> None:
    """A new bot, pike."""
    shutil.copytree(folder / "bots" / "minnow", folder / "bots" / "pike")
    text = (folder / "bots" / "pike" / "bot.toml").read_text("utf-8")
    (folder / "bots" / "pike" / "bot.toml").write_text(text.replace("minnow", "pike"), "utf-8")


def with_owners(text: str) -> Callable[[Path], object]:
    """The league with these owners."""
    return lambda league: (league / "owners.toml").write_text(text, "utf-8")


@pytest.mark.long
def test_a_bot_enters_a_league(tmp_path: Path) -> None:
    """A pull request with a new bot has it checked, in the league as it is, and says which line makes it whose."""
    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", entered)
    assert runner.status == "success", runner.ran
    (season,) = (step for step in runner.ran if step.name == "arena")
    assert season.code == 0
    first, _, owner, *rest = verdict(runner).splitlines()
    assert first == "accepted: 17 rules pass"
    assert owner == 'pike is new: whoever merges it adds to owners.toml: pike = "eve"'
    assert any(line.startswith("pike: 17 of 17 rules pass") for line in rest)


def test_a_check_that_this_machine_fails(tmp_path: Path) -> None:
    """Where the command itself fails, the job does, and what is posted says that nothing was found out."""
    env = {**FEW, "ARENA_ISOLATION": "none of these"}
    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", entered, env=env)
    assert runner.status == "failure"
    assert verdict(runner) == "not checked: see the log of the check, which a maintainer may run again\n"


def _removed(league: Path) -> None:
    shutil.rmtree(league / "bots" / "perch")


def _changed(league: Path) -> None:
    (league / "bots" / "perch" / "more").write_text("more")


def _with_its_owners(league: Path) -> None:
    _changed(league)
    (league / "owners.toml").write_text('perch = "mallory"\n')


@pytest.mark.parametrize(
    ("change", "account", "why"),
    [
        (_changed, "mallory", "expected a change of perch by Anna or ben, whose bot it is, got one by mallory"),
        (_removed, "mallory", "expected a change of perch by Anna or ben, whose bot it is, got one by mallory"),
        (
            _changed,
            "$(touch here)",
            "expected a change of perch by Anna or ben, whose bot it is, got one by $(touch here)",
        ),
        (_with_its_owners, "mallory", "owners.toml: expected changes in one folder bots/NAME, got another file"),
        (_removed, "anna", ""),
        (_removed, "ben", ""),
    ],
)
def test_a_bot_of_somebody_else(tmp_path: Path, change: Callable[[Path], None], account: str, why: str) -> None:
    """Nobody changes or removes a bot of somebody else, nor the file that says whose it is; a team may change its own.

    One line says why. Nothing of the pull request was started, and the account is read by no shell.
    """
    owners = with_owners('perch = ["Anna", "ben"]\n')
    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", change, before=owners, account=account)
    assert runner.status == ("failure" if why else "success"), runner.ran
    if why:
        assert runner.ran[-1].said.startswith(f"::error::refused: {why}; ")
        assert [f"::error::{line}" for line in verdict(runner).splitlines()] == runner.ran[-1].said.splitlines()
    else:
        gone = "accepted: perch leaves the league; its matches stay, and count for the others"
        assert verdict(runner) == f"{gone}\n\nperch belongs to Anna and ben\n"
    assert not list(tmp_path.rglob("here"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("folder", "off", "holder"),
    [("pike", "pike", "minnow-bot"), pytest.param("minnow", "minnow-bot", "minnow", marks=pytest.mark.proof)],
)
def test_a_name_of_another(tmp_path: Path, folder: str, off: str, holder: str) -> None:
    """Without owners: a sound bot with another's name is refused, also if it would take the name from the other."""

    def change(league: Path) -> None:
        shutil.copytree(league / "bots" / "minnow-bot", league / "bots" / folder)

    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", change, before=_renamed)
    assert runner.status == "failure"
    told = f"expected a name of its own, got 'minnow', which bots/{holder} has"
    other = f"bots/{off} would be on probation: " * (off != folder)
    assert runner.ran[-1].said == f"::error::refused: {other}{told}\n"


@pytest.mark.long
def test_a_name_that_is_not_its_folders(tmp_path: Path) -> None:
    """With owners no folder brings a bot of another name: so nobody takes the name of a bot that has left."""

    def change(league: Path) -> None:
        shutil.copytree(league / "bots" / "minnow", league / "bots" / "pike")

    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", change)
    assert runner.status == "failure"
    why = "expected the name of its folder, because the league has an owners.toml, got 'minnow'"
    assert runner.ran[-1].said == f"::error::refused: {why}\n"


def _renamed(league: Path) -> None:
    (league / "owners.toml").unlink()
    (league / "bots" / "minnow").rename(league / "bots" / "minnow-bot")


def _of_another(folder: Path) -> None:
    for name in ("minnow", "perch"):
        (folder / "bots" / name / "more").write_text("more")


def _a_link(folder: Path) -> None:
    (folder / "bots" / "pike").symlink_to("/")


def _bots_is_a_link(folder: Path) -> None:
    shutil.rmtree(folder / "bots")
    (folder / "bots").symlink_to("/")


def _a_strange_name(folder: Path) -> None:
    (folder / "bots" / "a b\n").mkdir()
    (folder / "bots" / "a b\n" / "bot.toml").write_text('name = "x"')


@pytest.mark.parametrize(
    ("change", "got"),
    [
        (settings_of_its_own, "arena.toml: expected changes in one folder bots/NAME, got another file; settings are"),
        (_of_another, "expected changes in one folder bots/NAME, got bots/minnow and bots/perch; make a pull request"),
        (_a_link, "bots/pike: expected a folder, got a link; put the bot's own files into it"),
        (_bots_is_a_link, "bots: expected changes in one folder bots/NAME, got another file; settings are"),
        (_a_strange_name, "bots/a b\\n/bot.toml: expected changes in one folder bots/NAME, got another file; settings"),
    ],
)
def test_a_pull_request_that_changes_more(tmp_path: Path, change: Callable[[Path], None], got: str) -> None:
    """Settings, another's bot, links and strange names are refused before anything of the pull request is started."""
    runner = pulled(tmp_path, "nightly-league", "check.yml", "check", change)
    assert runner.status == "failure"
    assert runner.ran[-1].said.startswith(f"::error::refused: {got}")
    assert not (runner.desk / "home" / ".cache" / "arena").exists()


def test_a_bot_that_leaves(tmp_path: Path) -> None:
    """A pull request that takes its bot away passes, also if others were changed since; the rules are today's."""

    def change(folder: Path) -> None:
        shutil.rmtree(folder / "bots" / "eel")

    runner = pulled(
        tmp_path, "nightly-league", "check.yml", "check", change, since=of_today, before=with_owners('eel = "eve"')
    )
    assert runner.status == "success", runner.ran
    assert verdict(runner).startswith("accepted: eel leaves the league; its matches stay, and count for the others\n")
    assert TODAY in (runner.workspace / "arena.toml").read_text("utf-8")
