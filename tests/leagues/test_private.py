"""Bots in private repositories: what plays, since when, whatever dates they have; and who gets the token."""

import os
import shutil
from pathlib import Path

import pytest

from arena import games
from arena.errors import UsageError
from arena.leagues.new import CIS, renew, write
from arena.tournament import LeagueSettings
from tests.cli.command import arena, inside, refusal
from tests.leagues.forge import MARK, TOKEN, Source, forge
from tests.leagues.test_entries import Plan, git, plan
from tests.leagues.test_season import season, shown

__all__ = ["plan"]
LEAGUE = CIS["github"]["league.yml"]
UNREAD = "expected a repository that can be read, got none"
UNTIL = 'until = "2026-01-31T18:00:00+00:00"\n'


def begin(league: Path, address: str, owners: str, *, ci: str | None = None) -> None:
    """A private league of one game whose bots are at this address."""
    write(league, [games.find("dockfight")], ci=ci, private=True)
    text = (league / "arena.toml").read_text()
    for old, new in (
        ("https://github.com/{owner}/{bot}", address),
        ("matches-per-bot = 60\n", "matches-per-bot = 3\n"),
        ('until = "settled"\n', "seats = 3\n"),
    ):
        assert old in text
        text = text.replace(old, new)
    (league / "arena.toml").write_text(text)
    (league / "owners.toml").write_text(owners)


@pytest.mark.long
def test_a_private_deadline_holds(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first season after the end sees plays: no date of a commit counts, and no history that is rewritten."""
    league = tmp_path / "league"
    anna, ben = (Source(tmp_path / "forge", name, name) for name in ("anna", "ben"))
    begin(league, f"file://{tmp_path}/forge/{{owner}}/{{bot}}.git", 'anna = "anna"\nben = "ben"\neve = "eve"\n')
    with (league / "arena.toml").open("a") as file:
        file.write(UNTIL)
    first = {bot: bot.push("the first", 1) for bot in (anna, ben)}

    def pull() -> None:
        assert inside(monkeypatch, league, "season", "--pull", "-q", "--trust") == 0

    def night(hour: float) -> dict[Source, tuple[str, str, str | None]]:
        pull()
        entries = plan(hour)
        assert set(entries) == {"anna", "ben", "eve"}
        assert entries["eve"]["out"] == UNREAD
        return {
            bot: (entries[name]["plays"]["commit"], entries[name]["plays"]["entered"][11:16], entries[name].get("why"))
            for name, bot in (("anna", anna), ("ben", ben))
        }

    assert night(2) == {bot: (first[bot], "02:00", None) for bot in (anna, ben)}
    # whatever date it has, it enters when it is seen
    old = anna.push("of long ago", -100)
    assert night(3) == {anna: (old, "03:00", None), ben: (first[ben], "02:00", None)}
    second = {anna: anna.push("of tomorrow", 40), ben: ben.push("on the last day", 17.99)}
    assert night(18.1) == {bot: (second[bot], "18:00", None) for bot in (anna, ben)}
    # late, with the date of the last day; and back to the first version, as if nothing had been pushed since
    anna.push("forged", 17.9)
    git(ben.work, "reset", "-q", "--hard", first[ben])
    ben.send("--force")
    late = "entries ended at 2026-01-31 18:00 UTC: expected the bot as it was entered, got another"
    for hour in (19, 20):
        assert night(hour) == {bot: (second[bot], "18:00", late) for bot in (anna, ben)}
    # also on a machine that has nothing but the roster: what is in no branch any more is pulled by its commit
    lose(league)
    assert not [path for path in league.rglob("*") if path.is_file() and MARK.encode() in path.read_bytes()]
    pull()
    assert {path.parent.name for path in (league / "entries").glob("*/*/bot.pl")} == {"anna", "ben"}
    # one that is gone plays on from what was kept, and is out where nothing is, until it is there again
    git(anna.work, "reset", "-q", "--hard", second[anna])
    anna.send("--force")
    assert night(20.5) == {anna: (second[anna], "18:00", None), ben: (second[ben], "18:00", late)}
    anna.bare.rename(tmp_path / "away")
    assert night(21) == {anna: (second[anna], "18:00", UNREAD), ben: (second[ben], "18:00", late)}
    for hour in (22, 23):
        lose(league)
        pull()
        assert (plan(hour)["anna"]["out"], plan(hour)["anna"]["plays"]["commit"]) == (UNREAD, second[anna])
    (tmp_path / "away").rename(anna.bare)
    assert night(23.5) == {anna: (second[anna], "18:00", None), ben: (second[ben], "18:00", late)}
    # who has no line any more has no sources here
    (league / "owners.toml").write_text('ben = "ben"\n')
    pull()
    assert set(plan(23.6)) == {"ben"}
    assert {path.name for path in (league / "entries").glob("*/*")} == {"ben"}
    assert [path.name for path in (league / "mirrors").iterdir()] == ["ben.git"]


def lose(league: Path) -> None:
    """Take away what a machine of the host's own keeps of private bots."""
    for name in ("entries", "mirrors"):
        shutil.rmtree(league / name)


def write_tracing_git(folder: Path) -> Path:
    """Make a folder with a git that notes its words, and those of whatever it starts, in a file beside it."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(f'#!/bin/sh\nexport GIT_TRACE="{folder}/traced"\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.mark.long
def test_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git alone gets it, and only for the host of the address; no file, no helper of the user and no line has it."""
    league, home = tmp_path / "league", tmp_path / "home"
    Source(tmp_path / "forge", "anna", "pike").push("one", 1)
    home.mkdir()
    (home / ".gitconfig").write_text("[credential]\n\thelper = store\n")
    monkeypatch.setenv("HOME", str(home))
    with forge(tmp_path / "forge") as address:
        begin(league, address, 'pike = ["anna", "ben"]\n')
        failed = arena(league, "season", "--pull", "--trust", code=2).err
        assert "pike: expected a repository with a commit at http://127.0.0.1:" in failed
        assert "--pull: expected a repository that can be read, got none; see the token in ARENA_BOTS_TOKEN" in failed
        words = {"ARENA_BOTS_TOKEN": TOKEN, "HOME": str(home)}
        words["PATH"] = f"{write_tracing_git(tmp_path / 'bin')}:{os.environ['PATH']}"
        said = arena(league, "season", "--pull", "--trust", env=words)
    assert (TOKEN in said.err + said.out, "expected" in said.err) == (False, False)
    # the words of any process can be read by all users of a machine: this has those of git and of all that it starts
    traced = (tmp_path / "bin/traced").read_text()
    assert 'run_command: \'test "$1" = get' in traced or "password=$ARENA_BOTS_TOKEN" in traced
    assert "index-pack" in traced
    # from here on nobody needs the forge
    assert shown(season(league)) >= {"pike"}
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
    assert not (home / ".git-credentials").exists()


@pytest.mark.long
def test_hostile_repositories(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is huge, or leads out, or would run something, is refused or left out, and stops nobody else."""
    league, rest = tmp_path / "league", {}
    names = ("bomb", "climb", "hook", "large", "link", "module", "sound")
    begin(league, f"file://{tmp_path}/forge/{{owner}}/{{bot}}.git", "".join(f'{name} = "eve"\n' for name in names))
    monkeypatch.setattr("arena.leagues.repository._PACK", 1 << 20)
    for name in names:
        source = rest[name] = Source(tmp_path / "forge", "eve", name)
        source.push("sound", 1)

    def put(name: str, *rows: str) -> None:
        """Have the main branch be the bot's own files and these rows of a tree."""
        source = rest[name]
        data = "\n".join([git(source.work, "ls-tree", "HEAD"), *rows, ""]).encode()
        tree = git(source.work, "mktree", "--missing", data=data)
        git(source.work, "reset", "-q", "--soft", git(source.work, "commit-tree", "-m", "evil", tree))
        source.send("--force")

    # a few objects, a hundred million files
    tree = ""
    for _ in range(8):
        rows = git(rest["bomb"].work, "ls-tree", "HEAD", "bot.toml") if not tree else f"040000 tree {tree}\tx"
        copies = "".join(f"{rows.rpartition(chr(9))[0]}\t{number}\n" for number in range(10))
        tree = git(rest["bomb"].work, "mktree", data=copies.encode())
    put("bomb", f"040000 tree {tree}\tdeep")
    blob = git(rest["climb"].work, "hash-object", "-w", "--stdin", data=b"evil")
    inner = b"100644 ..\0" + bytes.fromhex(blob)
    climbing = git(rest["climb"].work, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", data=inner)
    put("climb", f"040000 tree {climbing}\tdeep")
    (rest["large"].work / "large").write_bytes(os.urandom(2 << 20))
    rest["large"].push("large", 1)
    (rest["link"].work / "away").symlink_to("../../../owners.toml")
    rest["link"].push("a link", 1)
    # what would run or load something: modules, filters, hooks, settings, refs of other names
    ran = tmp_path / "ran"
    (rest["module"].work / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {ran}\n')
    (rest["module"].work / ".gitattributes").write_text("* filter=lfs\n")
    rest["module"].push("a module", 1)
    put("module", f"160000 commit {'1' * 40}\tx")
    hook = rest["hook"]
    git(
        hook.work, "push", "-q", hook.bare, "HEAD:refs/replace/" + "1" * 40, "HEAD:refs/heads/main", "HEAD:refs/tags/v1"
    )
    (hook.bare / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = touch {ran}\n"
        f'[uploadpack]\n\tpackObjectsHook = touch {ran}; false\n[alias]\n\tlog = "!touch {ran}"\n'
    )
    assert inside(monkeypatch, league, "season", "--pull", "--trust") == 0
    told = capsys.readouterr().err
    assert "climb: expected a repository with a commit at file:///" in told
    assert "hasDotdot: contains '..'" in told
    assert "large.git, got: expected at most 1 MiB from git, got more" in told
    entries = plan(2)
    assert {name: entry["why"] for name, entry in entries.items() if "plays" not in entry} == {
        "bomb": "expected at most 64 MiB from git, got more",
        "climb": UNREAD,
        "large": UNREAD,
    }
    assert not ran.exists()
    assert git(league / "mirrors/hook.git", "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    (kept,) = (league / "entries").glob("*/module")
    assert {path.name for path in kept.iterdir()} >= {".gitmodules", ".gitattributes", "bot.pl"} - {"x", ".git"}


@pytest.mark.long
@pytest.mark.parametrize("day", ["", "2999-01-01", "2020-01-01"])
def test_when_sources_appear(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch, day: str) -> None:
    """They are never published, or from a day on, in the version that plays, whatever came later."""
    league = tmp_path / "league"
    bot = Source(tmp_path / "forge", "anna", "pike")
    begin(league, f"file://{tmp_path}/forge/{{owner}}/{{bot}}.git", 'pike = "anna"\n')
    with (league / "arena.toml").open("a") as file:
        file.write(f'until = "2020-01-01"\nsources = "{day}"\n' if day else "")
    bot.push("one", 1)
    for text in ("two", "three"):
        assert inside(monkeypatch, league, "season", "--pull", "-q", "--trust") == 0
        plan(2)
        bot.push(text, 2)
    found = {path.relative_to(league).as_posix() for path in (league / "sources").rglob("bot.*")}
    assert found == ({"sources/pike/bot.pl", "sources/pike/bot.toml"} if day == "2020-01-01" else set())
    if found:
        assert f"{MARK}: one" in (league / "sources/pike/bot.pl").read_text()
        (league / "owners.toml").write_text("")
        assert inside(monkeypatch, league, "season", "--pull", "-q", "--trust") == 0
        assert [*(league / "sources").iterdir()] == [*(league / "mirrors").iterdir()] == []
        text = (league / "arena.toml").read_text()
        (league / "arena.toml").write_text(text.replace('sources = "2020', 'sources = "2019'))
        assert refusal(league, "season", "--pull", "-q", "--trust") == (
            "arena.toml: entries.sources: expected a day when entries are over, got '2019-01-01'"
        )


def test_what_a_pull_needs(tmp_path: Path) -> None:
    """A league that names no repositories, or no owners, and a name that no folder may have are refused."""
    (tmp_path / "arena.toml").write_text('games = ["dockfight"]\nbots = ["bots/*"]\n')
    assert refusal(tmp_path, "season", "--pull", "-q") == (
        "--pull: expected repositories in the table [entries] of arena.toml, got none"
    )
    league = tmp_path / "league"
    begin(league, f"file://{tmp_path}/{{bot}}", '".." = "anna"\n')
    assert refusal(league, "season", "--pull", "-q", "--trust") == (
        "owners.toml: expected a name that a bot may have, got '..'"
    )
    (league / "owners.toml").unlink()
    assert refusal(league, "season", "--pull", "-q", "--trust") == "--pull: expected an owners.toml, got none"


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/o/r",
        "ext::sh -c {bot}",
        "https://e.org/{bot}/{bot}",
        "file:///{bot}{name}",
        "ssh://e.org/{bot}",
        "/x/{bot}",
    ],
)
def test_an_address_of_repositories(address: str) -> None:
    """An address names the bot, and a protocol that runs nothing."""
    with pytest.raises(UsageError, match="expected an address such as"):
        LeagueSettings(repositories=address)


def test_a_private_league(tmp_path: Path) -> None:
    """A private league has no bot in it and no check of pull requests, and its night pulls where bots are started."""
    write(tmp_path / "new", [games.find("dockfight")], ci="github", private=True)
    files = {path.relative_to(tmp_path / "new").as_posix() for path in (tmp_path / "new").rglob("*") if path.is_file()}
    assert files == {
        ".github/workflows/league.yml",
        ".github/actions/arena/action.yml",
        ".gitignore",
        "README.md",
        "arena.toml",
        "owners.toml",
    }
    readme = (tmp_path / "new/README.md").read_text()
    assert "bots/" not in readme
    assert "- To leave: the host takes its line out of owners.toml." in readme
    nightly = (tmp_path / "new" / LEAGUE).read_text()
    assert nightly.count("            --pull\n") == 2
    # neither the plan nor what is merged has kept versions; sources are in both, from their day on
    assert "entries" not in nightly
    assert nightly.count("            sources\n") == 1
    assert nightly.count("roster.json sources anchors") == 2
    assert nightly.count("-- sources; fi") == 1
    # what is renewed stays private
    assert renew(tmp_path / "new", overwrite=True).endswith("its workflows are those of this arena")


def test_whose_addresses_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody gets the host's token by settings alone: in a league that is not the user's own an address needs trust."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    arena(tmp_path, "new", "league", "mine", "--private", "-g", "dockfight")
    assert "0 of 0 repositories read" in arena(tmp_path / "mine", "season", "--pull").err
    shutil.copytree(tmp_path / "mine", tmp_path / "cloned")
    assert refusal(tmp_path / "cloned", "season", "--pull", "-q").endswith(
        'got entries.repositories = "https://github.com/{owner}/{bot}": read the file; if you trust it, add --trust'
    )
