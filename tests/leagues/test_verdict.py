"""The verdict on a pull request: its first line, what to do about each refusal, and that the league stays as it is."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.leagues.verdict import _describe
from arena.report import Comparison
from tests.ci.workflow import git, pull_request
from tests.cli.command import arena, bot_folder, inside, refusal
from tests.leagues.test_season import SETTINGS, enter

RULES = "17 rules pass"
THEIRS = "; settings are changed by maintainers: take it out of the pull request, which may enter one bots/NAME"

TWO = "expected changes in one folder bots/NAME, got bots/mine and bots/other"
LINK = "bots/pike: expected a bot this machine can run, got: pike needs bot.py, a link out of its folder"
HERS = "expected a change of mine by anna, whose bot it is, got one by eve"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A league of one bot, anna's, in a repository."""
    folder = tmp_path / "league"
    folder.mkdir()
    (folder / "arena.toml").write_text(f'{SETTINGS}isolation = "none"\n[entries]\ncompare = "1ms"\n')
    (folder / "owners.toml").write_text('mine = "anna"\n')
    enter(folder, "mine")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "as it was")
    return folder


def ask(league: Path, change: Callable[[Path], object]) -> None:
    """Have git know a pull request with this change: the league as it is, and beside it the merge."""
    pull_request(league, change)
    git(league, "worktree", "add", "--quiet", "--detach", "pull-request", "HEAD")
    git(league, "checkout", "--quiet", "--force", "--detach", "HEAD^1")


def read_files(league: Path) -> dict[str, bytes]:
    """The files of the league's bots, and where links lead to."""
    return {
        str(path.relative_to(league)): str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        for path in (league / "bots").rglob("*")
        if path.is_symlink() or path.is_file()
    }


def _rename(league: Path) -> None:
    (league / "bots/mine").rename(league / "bots/other")


def _link(league: Path) -> None:
    (league / "bots/pike").symlink_to("mine")


def _link_within(league: Path) -> None:
    bot_folder(league / "bots/pike", name="pike")
    (league / "bots/pike/bot.py").unlink()
    (league / "bots/pike/bot.py").symlink_to("../mine/bot.py")


def _write(path: str, text: str) -> Callable[[Path], object]:
    def write(league: Path) -> None:
        (league / path).parent.mkdir(exist_ok=True)
        (league / path).write_text(text)

    return write


@pytest.mark.parametrize(
    ("change", "account", "why"),
    [
        (_write("x", "x"), "anna", f"x: expected changes in one folder bots/NAME, got another file{THEIRS}"),
        (
            _rename,
            "anna",
            f"{TWO}; to rename a bot, enter bots/other, and remove bots/mine by another pull request",
        ),
        (_link, "anna", "bots/pike: expected a folder, got a link; put the bot's own files into it"),
        (
            _link_within,
            "eve",
            f"{LINK}, to bots/mine/bot.py; put a copy of the file there",
        ),
        (
            _write("bots/mine/bot.py", "x"),
            "eve",
            f"{HERS}; a maintainer hands a bot over by its line in owners.toml",
        ),
        (_write("bots/pike/README", "x"), "eve", "bots/pike: expected a bot.toml; `arena new bot` begins one"),
        (
            _write("bots/pike/bot.toml", 'name = "pike\n'),
            "eve",
            r"bots/pike/bot.toml: line 1: expected TOML, got something else (Illegal character '\n' at column 13)",
        ),
        (
            _write("bots/pike/bot.toml", 'name = "pike"\ncommand = ["x"]\ngames = ["lure"]\n'),
            "eve",
            "expected a bot for dockfight, got one for lure",
        ),
        (
            _write("bots/pike/bot.toml", 'name = "mine"\ncommand = ["x"]\n'),
            "eve",
            "expected the name of its folder, because the league has an owners.toml, got 'mine'",
        ),
        (lambda _: None, "eve", "expected changes in one folder bots/NAME, got none; put your bot into one"),
    ],
)
def test_a_refusal(
    league: Path,
    change: Callable[[Path], object],
    account: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each refusal says in its first line what is not right, and what to do; the league's bots stay as they are."""
    before = read_files(league)
    ask(league, change)
    assert inside(monkeypatch, league, "season", "-q", "--entry", f"{account}=pull-request") == 1
    assert capsys.readouterr().out == f"refused: {why}\n"
    assert read_files(league) == before


def test_a_withdrawal(league: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Whose bot leaves is told what stays of it."""
    ask(league, lambda folder: shutil.rmtree(folder / "bots/mine"))
    assert inside(monkeypatch, league, "season", "-q", "--entry", "anna=pull-request") == 0
    first, *more = capsys.readouterr().out.splitlines()
    assert first == "accepted: mine leaves the league; its matches stay, and count for the others"
    assert more == ["", "mine belongs to anna"]
    assert (league / "bots/mine/bot.py").is_file()


@pytest.mark.long
def test_a_broken_rule(league: Path) -> None:
    """A bot that breaks a rule is refused by that rule and its fix; what it was asked and wrote is in the log alone."""

    def change(folder: Path) -> None:
        broken = "import sys\nsys.stderr.write('bycatch\\n')\nprint('no message', flush=True)\ninput()\n"
        bot_folder(folder / "bots/mine", broken, name="mine")

    ask(league, change)
    said = arena(league, "season", "--entry", "anna=pull-request", code=1)
    assert said.out.startswith("refused: 1 rule fails: dockfight, seat 0 of 3, hello: expected ")
    assert "FAIL" in said.out
    assert "bycatch" not in said.out
    assert "got  | no message" in said.err
    assert "stderr | bycatch" in said.err
    assert not (league / "comparison").exists()


@pytest.mark.long
def test_a_better_or_a_worse_one(league: Path) -> None:
    """A new version is held against the last one, within its time; kept, the same two go on from where they were."""
    ask(league, lambda folder: enter(folder, "mine", more="# another\n"))
    before = read_files(league)
    verdict = re.compile(
        rf"accepted: {RULES}; (?:not decided in (\d+) matches against|\w+ than) your last version: "
        r"[+-]\d\.\d\d \([+-]\d\.\d\d to [+-]\d\.\d\d\)(?: after (\d+) matches)?"
    )
    journals: list[bytes] = []
    firsts: list[str] = []
    for _ in range(2):
        said = arena(league, "season", "-q", "--entry", "anna=pull-request").out
        firsts.append(said.splitlines()[0])
        assert verdict.fullmatch(firsts[-1]), said
        assert read_files(league) == before
        (journal,) = league.glob("comparison/*/dockfight/matches.jsonl")
        journals.append(journal.read_bytes())
    assert journals[1].startswith(journals[0])
    # an answer is an answer
    assert (journals[1] != journals[0]) == ("not decided" in firsts[0])


@pytest.mark.parametrize(
    ("verdict", "score", "words"),
    [
        ("better", (0.1234, 0.0412, 0.1987), "better than your last version: +0.12 (+0.04 to +0.20) after 180 matches"),
        ("worse", (-0.08, -0.13, -0.03), "worse than your last version: -0.08 (-0.13 to -0.03) after 180 matches"),
        (
            "undecided",
            (0.02, -0.051, 0.089),
            "not decided in 180 matches against your last version: +0.02 (-0.06 to +0.09)",
        ),
        ("equal", None, "as your last version"),
    ],
)
def test_words_of_a_comparison(verdict: str, score: tuple[float, float, float] | None, words: str) -> None:
    """The interval is rounded outward, and an answer says after how many matches it came."""
    mean, low, high = score or (None, None, None)
    result = Comparison(
        verdict,  # type: ignore[arg-type]
        why="",
        new="mine",
        old="mine-before",
        game="dockfight",
        matches=180,
        score=mean,
        score_low=low,
        score_high=high,
    )
    assert _describe(result) == words


def test_who_asks(league: Path) -> None:
    """An account and a checkout are needed."""
    for words in ("anna", "=pull-request", "anna="):
        assert refusal(league, "season", "--entry", words, "-q") == (
            f"--entry: expected ACCOUNT=CHECKOUT such as anna=pull-request, got {words!r}"
        )
