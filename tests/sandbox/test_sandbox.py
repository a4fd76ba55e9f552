"""The sandbox around one process, at each level that this machine has."""

import json
import os
import resource
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.errors import HostError
from arena.fault import Fault
from arena.players.ending import end
from arena.players.process import Process
from arena.players.spawn import CannotStart, started
from arena.sandbox import LEVELS, Level, enclosure, users
from arena.sandbox.enclosure import Started, reclaim
from arena.sandbox.paths import folders
from arena.sandbox.sandbox import Bounds, Sandbox
from tests.levels import unavailable

ENV = {"PATH": "/usr/bin:/bin", "GREETING": "hello", "LD_DEBUG": "files"}
PYTHON = (sys.executable, "-I", "-S")
LONG = 300
LIMITED = ("cpu", "data", "fsize", "nofile", "core")


def run(
    sandbox: Sandbox, argv: Sequence[str], folder: Path, scratch: Path, env: dict[str, str] | None = None
) -> tuple[str, int]:
    """What a command in a sandbox writes, and its exit status."""
    how = started(sandbox, argv, ENV if env is None else env, folder=str(folder), scratch=str(scratch))
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with how.begin(**streams) as process:
        said, _ = process.communicate(timeout=LONG)
    how.leave()
    return said.decode(), process.returncode


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest) -> Level:
    """Each level that is here."""
    name: Level = request.param
    if why := unavailable(name):
        pytest.skip(why)
    return name


@pytest.fixture(params=[name for name in LEVELS if name != "none"])
def walled(request: pytest.FixtureRequest) -> Level:
    """Each level with sandbox that is here."""
    name: Level = request.param
    if why := unavailable(name):
        pytest.skip(why)
    return name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder beside things that are none of its business."""
    for name in ("bot/lib", "bot/results", "other", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("bot/own", "bot/lib/deep", "bot/results/secret", "bot/rival", "other/code"):
        (tmp_path / name).write_text(f"{name}\n", "ascii")
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return tmp_path / "bot"


def box_of(level: Level, folder: Path, **more: Any) -> Sandbox:
    """A sandbox with a bot's folder and the interpreter of these tests in it."""
    return Sandbox(level, readable=folders([sys.executable], os.defpath), private=(str(folder),), **more)


def report(sandbox: Sandbox, folder: Path, code: str) -> Any:
    """What a piece of Python in a sandbox prints as JSON."""
    env = {name: value for name, value in ENV.items() if name != "LD_DEBUG"}
    said, status = run(sandbox, [*PYTHON, "-c", code], folder, folder.parent / "scratch", env)
    assert status == 0, said
    return json.loads(said)


READS = """
import json
def read(path):
    try:
        return open(path).read().strip()
    except OSError as error:
        return type(error).__name__
print(json.dumps([read(path) for path in %r]))
"""


def test_a_bot_reads_its_folder_and_nothing_beside_it(folder: Path, walled: Level) -> None:
    """In a sandbox a bot reads its own folder at its own path, and neither other ones nor what is hidden in its own."""
    hidden = (str(folder / "results"), str(folder / "rival"), str(folder.parent / "other"))
    paths = ["own", "lib/deep", "results/secret", "rival", str(folder / "own"), str(folder.parent / "other/code")]
    own, deep, secret, rival, by_path, other = report(box_of(walled, folder, hidden=hidden), folder, READS % paths)
    # where nothing can be shown elsewhere than it is, words that name the folder are changed, and no others
    assert (own, deep, by_path) == ("bot/own", "bot/lib/deep", "bot/own" if walled == "bwrap" else "PermissionError")
    assert secret in ("FileNotFoundError", "PermissionError")
    assert rival in ("FileNotFoundError", "PermissionError")
    assert other in ("FileNotFoundError", "PermissionError")


def test_settings_of_the_system_are_never_forbidden(folder: Path, walled: Level) -> None:
    """What programs do without where it is missing can be read or is missing: node ends where it may not read it."""
    paths = ["/etc/ssl/openssl.cnf", "/etc/mime.types", "/etc/timezone"]
    assert "PermissionError" not in report(box_of(walled, folder), folder, READS % paths)


def test_what_is_hidden_beats_what_is_shown(folder: Path, walled: Level) -> None:
    """What is hidden is not seen by any path: not where it is shown itself, or around it, or by way of a link."""
    here = folder.parent
    for link, target in (("link", "other"), ("bot/to-other", "../other"), ("shown", "other")):
        (here / link).symlink_to(target)
    hidden = (str(here / "link"), str(folder / "results"))
    for readable in ((here,), (folder, here / "other"), (folder, here / "shown"), (here / "other/code", folder, here)):
        sandbox = Sandbox(walled, readable=(*map(str, readable), *folders([sys.executable], os.defpath)), hidden=hidden)
        places = ("other/code", "link/code", "bot/to-other/code", "bot/results/secret", "shown/code")
        own, *others = report(sandbox, folder, READS % ["own", *(str(here / place) for place in places)])
        assert own == "bot/own"
        assert set(others) <= {"FileNotFoundError", "PermissionError", "NotADirectoryError"}


def test_what_is_shown_by_way_of_a_link(folder: Path, walled: Level) -> None:
    """A link that is shown leads where it leads, and what lies beside a hidden thing is still there."""
    (folder.parent / "link").symlink_to("other")
    (folder.parent / "other/more").write_text("more\n")
    sandbox = box_of(walled, folder.parent / "link", hidden=(str(folder.parent / "other/code"),))
    more, code = report(sandbox, folder.parent / "link", READS % ["more", "code"])
    assert more == "more"
    assert code in ("", "FileNotFoundError", "PermissionError")


WRITES = """
import json, os
def write(path):
    try:
        with open(path, "w") as file:
            file.write("x" * 1000)
        return "written"
    except OSError as error:
        return type(error).__name__
print(json.dumps([write(path) for path in %r + [os.environ["HOME"] + "/note", os.environ["TMPDIR"] + "/note"]]))
"""


def test_a_bot_writes_to_its_scratch_alone(folder: Path, walled: Level) -> None:
    """In a sandbox a bot can change its scratch, where HOME and TMPDIR point to, and nothing else."""
    paths = [str(folder / "own"), str(folder / "new"), "/usr/new", "/new", "/dev/new", "/etc/new", "/var/tmp/new"]  # noqa: S108 - it must not be
    *outside, home, tmpdir = report(box_of(walled, folder), folder, WRITES % paths)
    assert (home, tmpdir) == ("written", "written")
    assert "written" not in outside
    assert not {"own": (folder / "own").read_text("ascii")}["own"].startswith("x")


def test_a_build_writes_to_its_copy(folder: Path, level: Level) -> None:
    """A writable folder can be changed, and is the host's again afterwards, with all that was made in it."""
    sandbox = box_of(level, folder.parent / "other", writable=(str(folder),))
    said, status = run(
        sandbox,
        ["sh", "-c", "mkdir made && echo yes >made/file && cat made/file own"],
        folder,
        folder.parent / "scratch",
    )
    reclaim(sandbox)
    assert (said.split("\n")[-3:-1], status) == (["yes", "bot/own"], 0) or "yes\nbot/own" in said
    assert (folder / "made/file").read_text("ascii") == "yes\n"
    assert (folder / "made/file").stat().st_uid == (folder / "made").stat().st_uid == os.geteuid()


def test_the_environment_is_what_was_asked_for(folder: Path, level: Level) -> None:
    """A bot gets its own variables and nothing of the host's, but for what the sandbox itself says."""
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    found = report(box_of(level, folder), folder, code)
    home = {"HOME", "TMPDIR"}
    assert {name: value for name, value in found.items() if name in ENV} == {
        name: value for name, value in ENV.items() if name != "LD_DEBUG"
    }
    assert set(found) <= {*ENV, *home, "PWD", "LC_CTYPE"}
    assert home <= set(found)


def test_no_wrapper_sees_the_environment_of_a_bot(folder: Path, walled: Level) -> None:
    """A variable by which programs can be bent takes effect in a sandbox only."""
    said, status = run(box_of(walled, folder), ["true"], folder, folder.parent / "scratch")
    assert status == 0
    bent = {line.split(":")[0].strip() for line in said.split("\n") if "file=" in line}
    # the loader tells of each program under its number: of the bot, and of what sets its limits in a sandbox
    assert 1 <= len(bent) <= 2


LIMITS = """
import json, resource
print(json.dumps({name: resource.getrlimit(getattr(resource, "RLIMIT_" + name.upper()))[0] for name in %r}))
"""


def test_the_limits_are_set(folder: Path, walled: Level) -> None:
    """Data, file size, descriptors, processor time, core files and processes are limited."""
    bounds = Bounds(memory=256 << 20, processes=40, file=1 << 20, descriptors=64, cpu=30)
    wanted = bounds.rlimits()
    found = report(box_of(walled, folder, bounds=bounds), folder, LIMITS % list(wanted))
    if walled == "landlock" and os.geteuid() != 0:
        assert found.pop("nproc") >= wanted.pop("nproc")
    assert found == wanted


def test_limits_without_a_sandbox() -> None:
    """Without a sandbox the limits of a process are set once it runs, but not those that count all that a user runs."""
    bounds = Bounds(memory=256 << 20, file=1 << 20, descriptors=64, cpu=30)
    process = Process(started(Sandbox(bounds=bounds), ["sleep", "60"], ENV, folder="/", scratch=""), lambda _: None)
    try:
        found = {
            name: resource.prlimit(process.pid, getattr(resource, f"RLIMIT_{name.upper()}"))[0] for name in LIMITED
        }
    finally:
        end([process], 0)
    wanted = bounds.rlimits()
    assert found == {name: wanted[name] for name in LIMITED}


def test_the_scratch_is_bounded(folder: Path) -> None:
    """Where the scratch is a file system of its own, all of it is bounded, however many files there are."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    bounds = Bounds(file=1 << 20)
    script = (
        "for n in 1 2 3; do head -c 600000 /dev/zero >/tmp/$n 2>/dev/null || echo full; done; cat /tmp/[123] | wc -c"
    )
    env = {"PATH": ENV["PATH"]}
    said, _ = run(box_of("bwrap", folder, bounds=bounds), ["sh", "-c", script], folder, folder.parent / "scratch", env)
    assert "full" in said
    assert int(said.split()[-1]) <= 1 << 20


def test_programs_that_do_not_start(folder: Path, level: Level) -> None:
    """A program that is not there, or that none can be by its name, is told of in the same words at every level."""
    for argv, why in (
        (["no-such-program"], "No such file"),
        (["./own"], "Permission denied"),
        (["./" + "x" * 300], "File name too long"),
    ):
        with pytest.raises((CannotStart, OSError), match=why):
            run(box_of(level, folder), argv, folder, folder.parent / "scratch")


def test_an_end_by_a_signal_can_be_told(folder: Path, level: Level) -> None:
    """The exit status tells the signal, itself or by 128 and the number."""
    _, status = run(box_of(level, folder), ["sh", "-c", "kill -SEGV $$"], folder, folder.parent / "scratch")
    assert status in ((128 + 11,) if level == "bwrap" else (-11,))


@pytest.mark.parametrize("ids", ["all", "few"])
def test_no_two_processes_share_a_user(ids: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that run at the same time are different users, whom nobody is, also where a container has few ids."""
    listed = tmp_path / "uid_map"
    listed.write_text(f"0 0 {1 << 16 if ids == 'few' else (1 << 32) - 1}\n", "ascii")
    monkeypatch.setattr(users, "_MAP", listed)
    drawn = [users.draw() for _ in range(50)]
    assert len(set(drawn)) == len(drawn)
    assert all(61_000 <= user < 61_184 if ids == "few" else user >= 1_879_048_192 for user in drawn)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="expected root on Linux")
def test_no_bot_shares_its_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot never gets an id that something runs as, whoever started that."""
    monkeypatch.setattr(users, "_MAP", tmp_path / "none")
    monkeypatch.setattr(users, "_NARROW", range(61_000, 61_002))
    monkeypatch.setattr(users, "_recent", deque(maxlen=2))
    with subprocess.Popen(["/bin/sh", "-c", "exec sleep 1000"], user=61_001, group=61_001, extra_groups=[]) as other:
        try:
            assert users.draw() == 61_000
            with pytest.raises(OSError, match="no unused user id"):
                users.draw()
        finally:
            other.kill()


MANY = """
import json, os
made = 0
try:
    while made < 400:
        os.close(os.open(f"{os.environ['TMPDIR']}/{made}", os.O_WRONLY | os.O_CREAT))
        made += 1
except OSError as error:
    made = -made
print(json.dumps(made))
"""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="expected root on Linux")
def test_the_number_of_files_is_bounded(folder: Path) -> None:
    """Where the host makes the file system of the scratch, it holds so many files and no more."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    made = report(box_of("bwrap", folder, bounds=Bounds(files=100)), folder, MANY)
    # some are taken by the folders that are there from the start
    assert -100 < made < -80


def test_words_that_name_what_is_copied() -> None:
    """At landlock a word, or what stands after its equals sign, names the copy; other words stay as they are."""
    placed = {"/bots/own": "/tmp/1/private", "/shared/data": "/tmp/1/private-1/data"}  # noqa: S108 - names of nothing
    for word, wanted in (
        ("/bots/own/bot.py", "/tmp/1/private/bot.py"),  # noqa: S108 - likewise
        ("/bots/own", "/tmp/1/private"),  # noqa: S108 - likewise
        ("--data=/shared/data", "--data=/tmp/1/private-1/data"),
        ("../../shared/data", "/tmp/1/private-1/data"),  # noqa: S108 - likewise
        ("bot.py", "bot.py"),
        ("/bots/owner", "/bots/owner"),
        ("--depth=3", "--depth=3"),
        ("", ""),
    ):
        assert enclosure._moved(word, "/bots/own", placed) == wanted


@pytest.mark.skipif(os.geteuid() != 0, reason="expected root")
def test_where_a_bot_lies_and_what_it_may_read(folder: Path) -> None:
    """As root a bot has no capability, and lies where only root may go; what is shown must be readable by everybody."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    locked = folder.parent / "locked"
    (locked / "tools").mkdir(parents=True)
    (locked / "tools/tool").write_text("tool\n", "ascii")
    folder = folder.rename(locked / "bot")
    folder.chmod(0o700)
    (folder / "own").chmod(0o600)
    locked.chmod(0o700)
    scratch = locked / "scratch"
    scratch.mkdir()
    for umask, fails in ((0o755, False), (0o700, True)):
        (locked / "tools").chmod(umask)
        sandbox = Sandbox("bwrap", readable=(str(locked / "tools"),), private=(str(folder),))
        words = ["sh", "-c", f"cat own {locked}/tools/tool; grep CapEff /proc/self/status; mount -t tmpfs none /tmp"]
        if fails:
            with pytest.raises(CannotStart, match=r"expected what everybody may read .* got mode 700"):
                run(sandbox, words, folder, scratch)
        else:
            said, status = run(sandbox, words, folder, scratch, {"PATH": ENV["PATH"]})
            assert said.startswith("bot/own\ntool\nCapEff:\t0000000000000000\nmount: ")
            assert status != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="expected root")
def test_no_variable_bends_what_runs_as_root(folder: Path) -> None:
    """A library that a bot would preload is loaded by no program before the one that sets its variables."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    env = {"PATH": ENV["PATH"], "LD_PRELOAD": str(folder / "own")}
    said, _ = run(box_of("bwrap", folder), ["sh", "-c", "true"], folder, folder.parent / "scratch", env)
    assert said.count("LD_PRELOAD") == 1


BREAKS: dict[Level, Callable[[Started], Started]] = {
    "landlock": lambda how: how._replace(argv=(*how.argv[:3], "/nonexistent.py", *how.argv[4:])),
    "bwrap": lambda how: how._replace(argv=(how.argv[0], "--ro-bind", "/nonexistent", "/x", *how.argv[1:])),
}
"""How the set-up of a sandbox fails before the program is started."""


def test_what_ends_before_the_program_is_the_house(folder: Path, walled: Level) -> None:
    """A sandbox that cannot be set up is told from a program that was started and failed, whatever either writes."""
    words = ["sh", "-c", "echo bwrap: no room >&2; exit 1"]
    for trouble in (False, True):
        scratch = folder.parent / str(trouble) / "scratch"
        scratch.mkdir(parents=True)
        how = started(box_of(walled, folder), words, ENV, folder=str(folder), scratch=str(scratch))
        how = BREAKS[walled](how) if trouble else how
        process = Process(how, lambda _: None)
        try:
            if trouble:
                with pytest.raises(HostError, match="its sandbox cannot be set up: "):
                    process.ask(b"hello\n", 60)
            else:
                fault = process.ask(b"hello\n", 60)
                assert isinstance(fault, Fault)
                assert (fault.kind, how.begun()) == ("gone", True)
        finally:
            end([process])
            how.leave()
