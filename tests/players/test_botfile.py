"""Bot files: what is read and what refused, what a digest covers, what a bot is started with, how it is built."""

import os
import re
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BotError
from arena.players.botfile import BotFile, argv, environment, fault_in, is_bot_name, missing, read_bot_file
from arena.players.content import digest_bot, listing

PLAIN = 'name = "minnow"\ncommand = ["{python}", "bot.py"]\n'


def folder_with(folder: Path, text: str = PLAIN, **files: str) -> Path:
    """A bot's folder with this bot file and these further files, dots written as underscores."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(text, encoding="utf-8")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    return folder


# --- reading


def test_every_key(tmp_path: Path) -> None:
    """A bot file says all that it may say; the folder is where it lies, links resolved."""
    text = """
name = "a.b_c-1"
version = "2"
owner = "Ada"
language = "c"
games = ["cash-a-catch"]
command = ["./bot"]
build = [["cc", "bot.c"], ["strip", "bot"]]
needs = ["sh"]
restart = "match"
env = { BOOK = "x" }
threads = 2
[limits]
bank = "30s+100ms"
stray = 3
"""
    folder = folder_with(tmp_path / "real", text)
    (tmp_path / "link").symlink_to("real")
    wanted = BotFile(
        name="a.b_c-1",
        command=("./bot",),
        version="2",
        owner="Ada",
        language="c",
        games=("cash-a-catch",),
        build=(("cc", "bot.c"), ("strip", "bot")),
        needs=("sh",),
        restart="match",
        env={"BOOK": "x"},
        threads=2,
        limits={"bank": "30s+100ms", "stray": 3},
        folder=str(folder),
    )
    assert read_bot_file(tmp_path / "link") == read_bot_file(tmp_path / "link" / "bot.toml") == wanted
    assert msgspec.json.decode(msgspec.json.encode(wanted), type=BotFile) == wanted


def test_a_bot_file_of_windows(tmp_path: Path) -> None:
    """A byte order mark, which editors of Windows put first, is passed over."""
    (tmp_path / "bot.toml").write_bytes(b'\xef\xbb\xbfname = "x"\r\ncommand = ["a"]\r\n')
    assert read_bot_file(tmp_path).name == "x"


def test_only_name_and_command_are_required(tmp_path: Path) -> None:
    """What is left out has its usual value."""
    bot = read_bot_file(folder_with(tmp_path))
    assert bot == BotFile("minnow", ("{python}", "bot.py"), folder=str(tmp_path))
    assert (bot.games, bot.build, bot.restart, bot.threads, bot.limits) == ((), (), "never", 1, {})


WRONG_KEYS = (
    ('comand = ["x"]', "expected a known key, got 'comand'; did you mean 'command'?"),
    ("zzz = 1", "expected a known key, got 'zzz'"),
    ('folder = "/etc"', "expected a known key, got 'folder'"),
    ("bare = true", "expected a known key, got 'bare'"),
    (
        "build = ['cc', 'bot.c']",
        'build[0]: expected an array of strings, got a string; write build = [["cc", "bot.c"]]',
    ),
    ("build = [[]]", "build[0]: expected an array of strings that is not empty, got an empty one"),
    ("threads = 0", "threads: expected an integer from 1, got 0"),
    ("threads = true", "threads: expected an integer from 1, got a boolean"),
    ("threads = 1.0", "threads: expected an integer from 1, got a float"),
    ("restart = 'always'", "restart: expected one of 'deal', 'match', 'never', got 'always'"),
    ("env = { A = 1 }", 'env.A: expected a string, got an integer; write A = "1"'),
    ("env = { 'A=B' = 'x' }", "env: expected a name without '='"),
    ("env = { PATH = '.' }", "env: expected no PATH, which is that of whoever runs the bot, got one; `needs`"),
    ("needs = ['bin/tool']", "needs: expected names of programs on PATH, got 'bin/tool'"),
    ("needs = ['/opt/rival/tool']", "needs: expected names of programs on PATH, got '/opt/rival/tool'"),
    ("needs = ['..']", "needs: expected names of programs on PATH, got '..'"),
    ("version = 1979-05-27", "version: expected a string, got a date"),
    ("limits = 3", "limits: expected a table of strings or integers, got an integer"),
    ("limits = { memroy = '1GiB' }", "limits: expected a known key, got 'memroy'; did you mean 'memory'?"),
    ("limits = { faults = 1 }", "limits: expected a known key, got 'faults'"),
    ("limits = { move = 400 }", "limits.move: expected a time from 1ms to 24h such as 400ms, 1s or 10m, go"),
    ("limits = { line = '512' }", "limits.line: expected a size from 1KiB to 1MiB such as 64KiB, 512MiB or"),
    ("limits = { stray = true }", "limits.stray: expected a string or an integer, got a boolean"),
    ("build = 'cc -o bot bot.c'", "build: expected an array of arrays of strings, got a string; write build = [["),
    ("build = ['cc bot.c', 'strip bot']", "build[0]: expected an array of strings, got a string; write build ="),
    ("games = 'lure'", 'games: expected an array of strings, got a string; write games = ["lure"]'),
    ("version = 1.0", 'version: expected a string, got a float; write version = "1.0"'),
    ("owner = true", "owner: expected a string, got a boolean"),
    ("threads = '2'", "threads: expected an integer from 1, got a string; write threads = 2"),
    ("threads = []", "threads: expected an integer from 1, got an array"),
    ("env = ['A=1']", "env: expected a table of strings, got an array"),
    ("env = { 'Ä' = 1 }", "env.Ä: expected a string, got an integer"),
)
"""What follows a bot file that is right, and what is said of it."""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((PLAIN + text, reason) for text, reason in WRONG_KEYS),
        ('command = ["x"]', "name: expected a value, got none"),
        ('name = "x"', "command: expected a value, got none"),
        (
            'name = "x"\ncommand = "./bot"',
            'command: expected an array of strings, got a string; write command = ["./bot"]',
        ),
        ('name = "x"\ncommand = ["a", 1]', 'command[1]: expected a string, got an integer; write command = ["a", "1"]'),
        ('name = "x"\ncommand = []', "command: expected an array of strings that is not empty, got an empty one"),
        ('name = "x"\ncommand = [""]', "command: expected a program and arguments without NUL, got ['']"),
        ('name = "x"\ncommand = ["a\\u0000"]', "command: expected a program and arguments without NUL"),
        ("name = 3\ncommand = ['x']", 'name: expected a string, got an integer; write name = "3"'),
        ('name = "a/b"\ncommand = ["x"]', "name: expected 1 to 64 letters, digits, '.', '_' or '-', got 'a/b'"),
        ("name = ", "expected TOML, got something else"),
        ("a = " + "[" * 5000, "expected TOML, got something else"),
        # its parts would be parsed for an hour
        ("a" + ".a" * 500_000 + " = 1", "expected at most 200 dots in a line, got 500000"),
    ],
)
def test_what_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    """A wrong bot file is refused in one line that names the file, the key and what was expected."""
    folder = folder_with(tmp_path, text)
    with pytest.raises(BotError) as caught:
        read_bot_file(folder)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'bot.toml'}: {reason}")
    assert "\n" not in message


@pytest.mark.parametrize("where", ["../theirs.toml", "/proc/kmsg", "/proc/self/maps", "inside.toml"])
def test_a_bot_file_that_is_a_link(tmp_path: Path, where: str) -> None:
    """A bot file that is elsewhere is refused before it is read, so nothing of it is told and nobody waits for it."""
    (tmp_path / "theirs.toml").write_text("token = 'private'\n")
    (tmp_path / "own").mkdir()
    folder = folder_with(tmp_path / "own", PLAIN)
    (folder / "bot.toml").rename(folder / "inside.toml")
    (folder / "bot.toml").symlink_to(where)
    if where == "inside.toml":
        assert read_bot_file(folder).name
        return
    with pytest.raises(BotError, match="expected a link within the bot's folder, got one out of it"):
        read_bot_file(folder)


def test_no_bot_file(tmp_path: Path) -> None:
    """No folder, none with a bot file, bytes that are not UTF-8 and a FIFO: each is refused, and none waited for."""
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "bot.toml").write_bytes(b'name = "\xe9"')
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo" / "bot.toml")
    for name, reason in {
        ".": "expected a folder with a bot.toml, got none",
        "nothing": "expected a folder with a bot.toml, got none",
        "latin": "expected TOML, got something else",
        "fifo": "bot.toml: expected a file, got a pipe",
    }.items():
        with pytest.raises(BotError, match=reason):
            read_bot_file(tmp_path / name)


@given(st.text(st.sampled_from("aZ9._-/ \n\0\u00e9"), max_size=70))
@settings(max_examples=100)
def test_names(text: str) -> None:
    """A name is 1 to 64 ASCII letters, digits, dots, underscores and hyphens, and nothing else."""
    plain = all(c.isascii() and (c.isalnum() or c in "._-") for c in text)
    assert is_bot_name(text) == (plain and 1 <= len(text) <= 64)


# --- what it is started with


def test_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot's environment is made from nothing: the caller's PATH, the bot's own variables, its scratch folder."""
    for name in ("GITHUB_TOKEN", "ARENA_SECRET", "PYTHONPATH", "HOME", "LANG"):
        monkeypatch.setenv(name, "leak")
    monkeypatch.setenv("PATH", "/bin")
    bot = BotFile("a", ("x",), env={"BOOK": "y", "TMPDIR": "/elsewhere"})
    assert environment(bot, str(tmp_path)) == {
        "PATH": "/bin",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "BOOK": "y",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }


def test_argv() -> None:
    """A program with a slash is taken from the prepared folder; other words stay, but for the interpreter."""
    assert argv(BotFile("a", ("./bot", "./x", "-p{python}")), "/cache/b") == (
        "/cache/b/./bot",
        "./x",
        f"-p{sys.executable}",
    )
    assert argv(BotFile("a", ("/bin/sh",)), "/cache/b") == ("/bin/sh",)
    assert argv(BotFile("a", ("sh",)), "/cache/b") == ("sh",)


def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine lacks is said in plain words: programs of command, build and needs, and the bot's own program."""
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\n")

    def lack(*command: str, **more: object) -> str | None:
        return missing(msgspec.convert({"name": "a", "command": command, "folder": str(tmp_path), **more}, BotFile))

    assert lack("{python}") is None
    assert lack("sh") is None
    assert lack("no-such-program") == "a needs no-such-program, which is not on PATH; install it"
    assert lack("sh", needs=["no-such-program"]) == "a needs no-such-program, which is not on PATH; install it"
    assert lack("./out", build=[["no-such-cc"]]) == "a needs no-such-cc, which is not on PATH; install it"
    assert lack("./out", build=[["sh"]]) is None
    assert lack("./bot") == "a needs ./bot, which may not be executed; `chmod +x ./bot` allows it"
    assert lack("./not-here") == (
        "a needs ./not-here, which is not there; `build` makes it, or `command` names another"
    )
    assert lack("./no/bot") == "a needs ./no/bot, which is not there; `build` makes it, or `command` names another"
    assert lack("./bto") == "a needs ./bto, which is not there; did you mean 'bot'?"
    assert lack("./not-here", bare=True) == "a needs ./not-here, which is not there"
    script.chmod(0o755)
    assert lack("./bot") is None
    # a folder that is there or not, as the current one is chosen, is no place for programs
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::{Path()}")
    assert lack("bot") == "a needs bot, which is not on PATH; install it"
    # the source of a program was typed without its interpreter
    (tmp_path / "mine.py").touch()
    assert lack("mine.py", bare=True) == 'a needs mine.py, which is not on PATH; enter it as "a=python3 mine.py"'
    # a line for a shell, as it is or with its first word taken for the bot's name
    shell = "; no shell reads a command line: NAME=\"sh -c '...'\" starts one"
    assert lack("N=1", "sh", bare=True) == f"a needs N=1, which is not on PATH{shell}"
    assert lack("cd", "bots", "&&", "sh", bare=True) == f"a needs cd, which is not on PATH{shell}"
    assert lack("1", "sh", name="N", bare=True) == f"N needs 1, which is not on PATH{shell}"
    assert lack("pyhton3", "mine.py", bare=True) == "a needs pyhton3, which is not on PATH; did you mean 'python3'?"
    assert (lack("./mine.py", bare=True) or "").endswith('may not be executed; enter it as "a=python3 ./mine.py"')


def test_how_much_a_bot_file_may_say(tmp_path: Path) -> None:
    """Words, programs and variables are bounded: none of them costs whoever runs the bot more than a moment."""

    def wrong(**more: object) -> str | None:
        table = {"name": "a", "command": ["sh"], "folder": str(tmp_path), **more}
        return fault_in(msgspec.convert(table, BotFile))

    assert wrong(needs=["sh"] * 64) is None
    assert wrong(needs=["sh"] * 65) == "needs: expected at most 64 programs, got 65"
    assert wrong(env={f"V{number}": "" for number in range(257)}) == "env: expected at most 256 variables, got 257"
    told = "expected at most 1000 words and 100000 characters, got more"
    assert wrong(command=["sh", *["x"] * 1000]) == f"command: {told}"
    assert wrong(command=["sh", "x" * 100_000]) == f"command: {told}"
    assert wrong(build=[["sh", "x" * 100_000]]) == f"build: {told}"


# --- the digest


def test_digest_is_of_content_alone(tmp_path: Path) -> None:
    """Copies have equal digests wherever they lie; caches, version control and empty folders do not count."""
    here = folder_with(tmp_path / "here", bot_py="x")
    there = tmp_path / "there"
    shutil.copytree(here, there)
    for skipped in ("__pycache__", ".git", "empty"):
        (there / skipped).mkdir()
    for skipped in ("__pycache__", ".git"):
        (there / skipped / "x").write_text("x")
    assert digest_bot(read_bot_file(here)) == digest_bot(read_bot_file(there))
    assert [item.name for item in listing(there).items] == ["bot.py", "bot.toml"]


def test_digest_sees_every_change(tmp_path: Path) -> None:
    """Another content, name, mode, link, folder, command, environment or build gives another digest."""
    folder = folder_with(tmp_path / "bot", bot_py="x")
    bot = read_bot_file(folder)
    seen = [digest_bot(bot)]
    (folder / "bot.py").write_text("y")
    seen.append(digest_bot(bot))
    (folder / "bot.py").chmod(0o755)
    seen.append(digest_bot(bot))
    (folder / "bot.py").rename(folder / "bot2.py")
    seen.append(digest_bot(bot))
    (folder / "link").symlink_to("bot2.py")
    seen.append(digest_bot(bot))
    (folder / "sub").mkdir()
    (folder / "bot2.py").rename(folder / "sub" / "bot2.py")
    seen.append(digest_bot(bot))
    changes: list[dict[str, object]] = [{"command": ("a",)}, {"env": {"A": "1"}}, {"build": (("a",),)}]
    seen += [digest_bot(msgspec.structs.replace(bot, **change)) for change in changes]
    assert len(set(seen)) == len(seen)


@given(st.lists(st.lists(st.text("ab", max_size=2), min_size=1, max_size=3), min_size=2, max_size=4, unique_by=tuple))
@settings(max_examples=50)
def test_digest_keeps_words_apart(commands: list[list[str]]) -> None:
    """Different words never run together into one digest: not by where one ends, nor between command and build."""
    bots = [BotFile("a", tuple(words), bare=True, folder="/no/such") for words in commands]
    bots += [BotFile("a", ("c",), build=(tuple(words),), bare=True, folder="/no/such") for words in commands]
    assert len({digest_bot(bot) for bot in bots}) == len(bots)


def test_digest_of_a_command_line(tmp_path: Path) -> None:
    """The digest of a bare command covers its words and the files among them, not the folder it was typed in."""
    (tmp_path / "bot.py").write_text("x")
    bot = BotFile("a", ("python3", "bot.py", "/dev/null"), folder=str(tmp_path), bare=True)
    first = digest_bot(bot)
    (tmp_path / "other").write_text("x")
    os.mkfifo(tmp_path / "fifo")
    assert digest_bot(bot) == first
    (tmp_path / "bot.py").write_text("y")
    assert digest_bot(bot) != first


@pytest.mark.parametrize(
    ("command", "link", "target"),
    [
        ('["python3", "bot.py"]', "bot.py", "/etc/passwd"),
        ('["./run", "bot.py"]', "run", "../outside"),
        ('["python3", "sub/../sub/bot.py"]', "sub/bot.py", "../../outside/bot.py"),
        ('["python3", "lib/bot.py"]', "lib", "../outside"),
    ],
)
def test_a_command_that_leads_out(command: str, link: str, target: str, tmp_path: Path) -> None:
    """A file that the command names and that is a link out of the folder is none of the bot's: the cure is told."""
    folder = folder_with(tmp_path / "bot")
    (folder / "bot.toml").write_text(f'name = "a"\ncommand = {command}\n')
    (folder / "sub").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "bot.py").touch()
    (folder / link).unlink(missing_ok=True)
    (folder / link).symlink_to(target)
    why = missing(read_bot_file(folder)) or ""
    assert re.fullmatch(r"a needs \S+, a link out of its folder, to /\S+; put a copy of the file there", why)


def test_links_within_the_folder(tmp_path: Path) -> None:
    """Links within the folder are kept as links, also to folders, and not walked into."""
    folder = folder_with(tmp_path / "bot")
    (folder / "loop").symlink_to(".")
    (folder / "book").symlink_to("bot.toml")
    assert [(item.name, item.target) for item in listing(folder).items] == [
        ("book", "bot.toml"),
        ("bot.toml", None),
        ("loop", "."),
    ]


def test_no_regular_file(tmp_path: Path) -> None:
    """A FIFO among a bot's files is refused, not opened."""
    folder = folder_with(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(BotError, match="pipe: expected a regular file, got a FIFO"):
        digest_bot(read_bot_file(folder))
