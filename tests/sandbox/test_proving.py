"""The probe and the proofs: each level refuses what it promises, and no hole in one stays unseen."""

import errno
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from arena.players.process_tree import children
from arena.sandbox import LEVELS, Level, bwrap, missing, namespaces, planting, proving, seccomp, users
from arena.sandbox.attacks import ATTACKS
from arena.sandbox.enclosure import Started, enclosed
from arena.sandbox.missing import Missing, missing_for_bwrap, missing_landlock, missing_program
from arena.sandbox.probe import ABSENT, POSSIBLE, REFUSED, UNCLEAR
from arena.sandbox.proof import Proof
from arena.sandbox.proving import PROMISES, QUICK, proven
from arena.sandbox.sandbox import Bounds, Sandbox
from tests import levels
from tests.levels import unavailable
from tests.sandbox.probes.planting import planted_more
from tests.sandbox.probes.trial import (
    BY_EVERY_LEVEL,
    EVERY,
    NOT_BY_LANDLOCK,
    REFUSED_AT,
    STARVE,
    STARVING,
    WITH_MORE,
    starved,
    verdicts,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are of Linux")

WALLED: tuple[Level, ...] = ("landlock", "bwrap")
WITHOUT_WALLS = {
    "open a file by its handle": "root only",
    "read the environment of process 1": "root only, and not every root",
    "leave a hint at a shared file (fcntl)": "the owner only, from Linux 6.9 on",
    "raise its own priority": "root only",
    "mount a file system": "root only",
    "say what runs at a crash (core_pattern)": "root only, and read-only in containers",
    "read the host's memory": "Yama lets only ancestors",
    "trace the host (ptrace)": "Yama lets only ancestors",
    "take a descriptor of the host": "Yama lets only ancestors",
    "set up io_uring": "kernel.io_uring_disabled; containers",
    "load into the kernel (bpf)": "kernel.unprivileged_bpf_disabled",
    "count events (perf_event_open)": "kernel.perf_event_paranoid",
    "handle page faults (userfaultfd)": "containers",
    "put a key into the kernel's keyring": "containers",
    "make a user namespace (unshare)": "user.max_user_namespaces, AppArmor, containers",
    "make a user namespace (clone)": "user.max_user_namespaces, AppArmor, containers",
    "get rights from setuid programs": "a runner may have given them up for all it starts",
    "start more processes than allowed": "the user may have come to an end of his own",
    **dict.fromkeys(STARVING, "root may have any number, and others of a user give back what they have"),
}
"""What a machine may refuse even without a sandbox, and by what."""


@cache
def whole(level: Level) -> dict[str, str]:
    """The verdicts on all attacks at a level, found once."""
    return verdicts(level)


def needed(level: Level) -> None:
    """Skip where the machine cannot have a level."""
    if why := unavailable(level):
        pytest.skip(why)


@pytest.mark.proof
@pytest.mark.parametrize("level", LEVELS)
def test_levels_refuse_what_they_promise(level: Level) -> None:
    """Each level this machine has refuses every attack that it promises to refuse, and leaves none unclear."""
    needed(level)
    possible = {name for name, verdict in whole(level).items() if verdict == POSSIBLE}
    assert not possible & REFUSED_AT[level]
    assert UNCLEAR not in whole(level).values()


@pytest.mark.parametrize("level", LEVELS)
def test_a_proof(level: Level) -> None:
    """A proof tries what a run needs, and holds at each level that this machine has."""
    needed(level)
    proof = proven(level, full=True)
    assert proof.why == ""
    assert proof.holds
    assert tuple(proof.attacks) == tuple(ATTACKS)


@pytest.mark.proof
def test_the_probe_can_do_it() -> None:
    """Without a sandbox each attack succeeds, but what every level refuses and what the machine itself is closed to."""
    for name, verdict in whole("none").items():
        if name in BY_EVERY_LEVEL:
            assert verdict == REFUSED, name
        elif name not in WITHOUT_WALLS:
            assert verdict in {POSSIBLE, ABSENT}, name


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="expected root on Linux, who has users for bots"
)
def test_a_user_that_bots_share_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were all bots one user, a hoarder of signals would leave none to its rival, and the probe says so."""
    if why := unavailable("landlock"):
        pytest.skip(why)
    shared = users.draw()
    monkeypatch.setattr(users, "draw", lambda: shared)
    name = f"{STARVE}queued signals"
    assert starved("landlock", (name,)) == {name: POSSIBLE}


def test_names() -> None:
    """What is promised, left out of the quick proof, or excused is an attack; a stronger level promises more."""
    assert NOT_BY_LANDLOCK | WITHOUT_WALLS.keys() <= set(EVERY)
    assert REFUSED_AT["none"] < REFUSED_AT["landlock"] < REFUSED_AT["bwrap"] <= set(EVERY)
    assert set(ATTACKS) - set(QUICK) == proving._OF_LIMITS
    assert all(PROMISES[level] <= REFUSED_AT[level] for level in LEVELS)


Hole = Callable[[Sandbox, Path], Sandbox]
HOLES: dict[str, tuple[Hole, str]] = {
    "readable": (
        lambda sandbox, root: replace(sandbox, readable=(str(root), *sandbox.readable)),
        "read another bot's code",
    ),
    "writable": (lambda sandbox, root: replace(sandbox, writable=(str(root / "results"),)), "write to the results"),
    "code": (lambda sandbox, root: replace(sandbox, private=(), writable=(str(root / "own"),)), "write its own code"),
    "network": (lambda sandbox, _: replace(sandbox, network=True), "connect by TCP to this machine"),
    "locks": (lambda sandbox, _: replace(sandbox, locks=True), "lock a file that others read (flock)"),
    "processes": (lambda sandbox, _: _roomier(sandbox, processes=999), "start more processes than allowed"),
    "memory": (lambda sandbox, _: _roomier(sandbox, memory=1 << 30), "take more memory than allowed"),
    "files": (lambda sandbox, _: _roomier(sandbox, descriptors=999), "open more files than allowed"),
}


def _roomier(sandbox: Sandbox, **wider: int) -> Sandbox:
    bounds: Bounds = replace(sandbox.bounds, **wider)
    return replace(sandbox, bounds=bounds)


@pytest.mark.parametrize("level", WALLED)
@pytest.mark.parametrize("hole", HOLES)
def test_holes_are_found(hole: str, level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox with a hole in it is not proven, and what went through the hole is named."""
    needed(level)
    bored, attack = HOLES[hole]

    def with_hole(sandbox: Sandbox, argv: Any, env: Any, folder: str, scratch: str) -> Started:
        return enclosed(bored(sandbox, Path(folder).parent), argv, env, folder=folder, scratch=scratch)

    monkeypatch.setattr(proving, "enclosed", with_hole)
    monkeypatch.setattr(proving, "QUICK", (attack,))
    proof = proven(level)
    assert proof.attacks == {attack: POSSIBLE}
    assert not proof.holds
    assert attack in proof.why


@pytest.mark.parametrize("level", WALLED)
def test_a_missing_filter_is_found(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the filter of system calls a level is not proven."""
    needed(level)
    allow = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF_0000)
    monkeypatch.setattr(seccomp, "program", lambda **_how: allow)
    proof = proven(level)
    assert proof.attacks["lock a file that others read (flock)"] == POSSIBLE
    assert not proof.holds


def run_probe(words: list[str], attack: str, **how: Any) -> str:
    """The verdict on one attack of a probe that is started plainly, after these words."""
    with planted_more() as (more, _), planting.planted((attack,), WITH_MORE, more) as (canaries, _):
        line = [*words, sys.executable, "-I", "-S", str(Path(canaries.code).parent), json.dumps(canaries._asdict())]
        ended = subprocess.run(line, stdout=subprocess.PIPE, timeout=300, check=True, start_new_session=True, **how)
    found: dict[str, str] = json.loads(ended.stdout)
    return found[attack]


PLAIN = {"PATH": os.defpath, "LANG": "C.UTF-8"}


def test_what_it_was_started_with() -> None:
    """The probe finds a descriptor, a variable and a terminal that it should not have been given."""
    assert run_probe([], "use descriptors it was not given", env=PLAIN) == REFUSED
    reading, writing = os.pipe()
    assert run_probe([], "use descriptors it was not given", env=PLAIN, pass_fds=[writing]) == POSSIBLE
    os.close(reading)
    os.close(writing)
    assert run_probe([], "see the host's variables", env=PLAIN) == REFUSED
    assert run_probe([], "see the host's variables", env=PLAIN | {"GITHUB_TOKEN": "x"}) == POSSIBLE
    assert run_probe([], "open the terminal", env=PLAIN) == REFUSED
    # the first terminal that the leader of a session opens becomes that of the session
    opening = "import os, sys; os.open(os.ttyname(0), os.O_RDWR); os.execv(sys.argv[1], sys.argv[1:])"
    master, slave = pty.openpty()
    assert run_probe([sys.executable, "-c", opening], "open the terminal", env=PLAIN, stdin=slave) == POSSIBLE
    os.close(master)
    os.close(slave)


@pytest.mark.long
def test_an_attack_that_breaks() -> None:
    """An attack that hangs, crashes or fails unforeseen is unclear and costs the others nothing; SIGSYS refuses."""
    script = """
import json, os, signal, sys, time
from arena.sandbox import canaries, probe
from tests import levels
from tests.levels import unavailable
def fails(_): raise ValueError
probe.PATIENCE = 1
probe.ATTACKS.update({
    "hangs": lambda _: time.sleep(60),
    "crashes": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "fails": fails,
    "forbidden": lambda _: os.kill(os.getpid(), signal.SIGSYS),
    "done": lambda _: None,
    "refused": lambda _: False,
})
print(json.dumps(probe.tried(canaries.Canaries(**json.loads(sys.argv[1])))))
"""
    names = ("hangs", "refused", "crashes", "fails", "forbidden", "done")
    with planting.planted(names) as (canaries, _):
        line = [sys.executable, "-c", script, json.dumps(canaries._asdict())]
        ended = subprocess.run(line, capture_output=True, timeout=300, check=True)
    assert list(json.loads(ended.stdout).items()) == list(
        zip(names, (UNCLEAR, REFUSED, UNCLEAR, UNCLEAR, REFUSED, POSSIBLE), strict=True)
    )


def test_what_is_unclear_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level at which an attack that it should refuse is unclear does not hold, and is not said to be lacking."""
    monkeypatch.setattr(proving, "missing", lambda _level: None)
    name = "read the host's memory"
    monkeypatch.setattr(proving, "tried", lambda *_how, **_within: {name: UNCLEAR})
    assert not proven("bwrap").holds
    assert proven("bwrap").lack is None
    monkeypatch.setattr(proving, "tried", lambda *_how, **_within: {name: ABSENT})
    assert proven("bwrap").holds


def test_a_probe_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe that comes to no end is ended with all it started, and proves nothing."""
    monkeypatch.setattr(proving, "_SECONDS", 0.2)
    line = ("/bin/sh", "-c", "sleep 60 & sleep 60")
    monkeypatch.setattr(proving, "enclosed", lambda *_how, **_where: Started(line, dict(PLAIN), "/"))
    proof = proven("none")
    assert not proof.holds
    assert "no end within" in proof.why


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a read-only system files are left only where the host can write; the others are no place for a bot either."""
    monkeypatch.setattr(os, "access", lambda folder, _mode: folder == planting.PUBLIC[0])
    with planting.planted(()) as (canaries, _):
        assert [Path(path).parent for path in canaries.drops] == [Path(planting.PUBLIC[0])]


@pytest.mark.parametrize("struck", ["_file", "_process", "shutil.rmtree"])
def test_nothing_is_left_by_a_proof_that_is_stopped(struck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that ends the lane comes once all canaries are planted, or all removed."""
    made: list[Path] = []

    def make(*, new: Callable[..., str] = tempfile.mkdtemp, **where: str) -> str:
        made.append(Path(new(**where)))
        return str(made[-1])

    monkeypatch.setattr(tempfile, "mkdtemp", make)

    def stop(_number: int, _frame: object) -> None:
        raise SystemExit

    whole = attrgetter(struck)(planting)

    def interrupted(*words: Any, **more: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return whole(*words, **more)

    monkeypatch.setattr(f"{planting.__name__}.{struck}", interrupted)
    before, running = signal.signal(signal.SIGTERM, stop), children()
    try:
        with pytest.raises(SystemExit), planting.planted(QUICK):
            pass
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert made
    assert not [folder for folder in made if folder.exists()]
    assert children() == running


def test_nothing_is_left() -> None:
    """The canaries are gone after a proof: files and process."""
    with planting.planted(QUICK) as (canaries, process):
        assert Path(canaries.private).exists()
        for path in canaries.drops:
            Path(path).touch()
        assert process.poll() is None
    assert not Path(canaries.code).parents[1].exists()
    assert not any(Path(path).exists() for path in canaries.drops)
    assert process.poll() is not None


def kernel(folder: Path, settings: dict[str, str]) -> Path:
    """Settings as they stand in ``/proc/sys`` of another machine."""
    for name, value in settings.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{value}\n")
    return folder


UBUNTU = {"kernel/apparmor_restrict_unprivileged_userns": "1", "user/max_user_namespaces": "63454"}
REFUSAL = "bwrap: setting up uid map: Permission denied"


@pytest.mark.parametrize(
    ("settings", "said", "advice"),
    [
        (UBUNTU, REFUSAL, "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        (UBUNTU, "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "bwrap-userns-restrict"),
        (UBUNTU | {"user/max_user_namespaces": "0"}, REFUSAL, "sudo sysctl -w user.max_user_namespaces="),
        ({"kernel/unprivileged_userns_clone": "0"}, REFUSAL, "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ({"user/max_user_namespaces": "63454"}, REFUSAL, "containers refuse namespaces"),
        ({}, "unshare: Operation not permitted", "containers refuse namespaces"),
    ],
)
def test_why_bwrap_does_not_start(settings: dict[str, str], said: str, advice: str, tmp_path: Path) -> None:
    """From what bwrap said and how the kernel is set follows what to do, on Ubuntu 24.04 about AppArmor."""
    told = missing.refused_bwrap(said, kernel(tmp_path, settings))
    assert told.startswith(f"expected bwrap to start, got {said}")
    assert advice in told


@pytest.mark.parametrize(
    ("status", "lack"),
    [
        (namespaces.REFUSED, "permission"),
        (namespaces.UNKNOWN, "kernel"),
        (namespaces.TROUBLE, None),
        (namespaces.GRANTED, None),
    ],
)
def test_the_kernel_says_what_a_machine_lacks(status: int, lack: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bwrap does not start, only what the kernel refuses, asked for the same, is a lack of the machine."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    monkeypatch.setattr(missing, "_probe_kernel", lambda: status)
    lacking = missing_for_bwrap("bwrap: setting up uid map: Permission denied")
    assert (lacking and lacking.lack) == lack


def test_an_old_bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap without the options that are needed is a program that is missing."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bubblewrap 0.6.2\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setattr(bwrap, "program", lambda name: str(tmp_path / name))
    assert missing_for_bwrap("bwrap: Unknown option --disable-userns") == Missing(
        "program", "expected bubblewrap 0.8 or later, got bubblewrap 0.6.2"
    )


def test_the_kernel_is_asked_for_namespaces() -> None:
    """Where bwrap starts, the kernel grants what it needs; without the right to it, it says so."""
    if why := unavailable("bwrap"):
        pytest.skip(why)
    assert missing._probe_kernel() == namespaces.GRANTED
    without = ["bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/"]
    if os.geteuid() == 0:
        without = ["setpriv", "--bounding-set=-sys_admin"]
    words = [*without, sys.executable, "-I", "-S", namespaces.__file__]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == namespaces.REFUSED, ended.stderr


@pytest.mark.parametrize("level", WALLED)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EAGAIN, errno.EMFILE, errno.ENOMEM, errno.EINTR])
def test_trouble_is_no_lack(number: int, level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the system while a level is tried leaves open whether the machine has it, and is told."""
    monkeypatch.setattr(proving, "missing", lambda _level: None)

    def fail(*_how: object, **_within: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(proving, "planted", fail)
    monkeypatch.setattr(missing, "_probe_kernel", lambda: namespaces.GRANTED)
    proof = proven(level)
    assert (proof.holds, proof.lack, proof.errno) == (False, None, number)
    assert os.strerror(number) in proof.why


def test_words_that_are_cut_are_no_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe that could not write all it had to say leaves open whether the level holds."""
    line = ("/bin/sh", "-c", "printf '{\"kill'")
    monkeypatch.setattr(proving, "enclosed", lambda *_how, **_where: Started(line, dict(PLAIN), "/"))
    proof = proven("none")
    assert (proof.holds, proof.lack) == (False, None)


@pytest.mark.parametrize(
    ("version", "error", "modules", "advice"),
    [
        (4, 0, "landlock", "got version 4 of Linux 6.8.0: a newer kernel"),
        (0, errno.EOPNOTSUPP, "lockdown,yama", "boot with `lsm=landlock,lockdown,yama`"),
        (0, errno.EOPNOTSUPP, None, "not switched on"),
        (0, errno.ENOSYS, None, "not built in"),
        (0, errno.EPERM, "landlock", "container"),
    ],
)
def test_why_there_is_no_landlock(version: int, error: int, modules: str | None, advice: str, tmp_path: Path) -> None:
    """An old kernel, one without Landlock, one that does not use it and a container are told apart."""
    if modules is not None:
        (tmp_path / "lsm").write_text(modules)
    lacking = missing_landlock(version, error=error, release="6.8.0", lsm=tmp_path / "lsm")
    assert lacking is not None
    assert advice in lacking.why
    assert lacking.lack == ("permission" if error == errno.EPERM else "kernel")


def test_enough_landlock() -> None:
    """From version 6 on nothing is missing."""
    assert missing_landlock(6, error=0, release="6.12.0") is None


def test_a_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bwrap or setpriv is not installed, the packages that have them are named."""
    monkeypatch.setattr(seccomp, "supported", lambda: True)

    def program(name: str) -> str:
        raise FileNotFoundError(2, f"{name}: not found", name)

    monkeypatch.setattr(bwrap, "program", program)
    assert proven("bwrap") == Proof("bwrap", {}, missing_program("bwrap"), "program")
    assert "apt install bubblewrap" in missing_program("bwrap")
    assert "dnf install util-linux" in missing_program("setpriv")


def test_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """On another processor, or another system than Linux, only `none` is there, and it is said why."""
    monkeypatch.setattr(seccomp, "supported", lambda: False)
    assert "expected x86_64 or aarch64" in proven("landlock").why
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "expected Linux, got darwin" in proven("bwrap").why
    assert proven("none").holds


def test_a_level_that_only_arena_lacks_is_no_reason_to_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine can have a level and arena does not prove it, tests that need it fail."""
    monkeypatch.setattr(levels, "unavailable", lambda _level: "")
    monkeypatch.setattr(levels, "proven", lambda level: Proof(level, {}, "a flaw of arena"))
    with pytest.raises(pytest.fail.Exception, match="a flaw of arena"):
        levels.needed("bwrap")
    monkeypatch.setattr(levels, "unavailable", lambda _level: "an old kernel")
    with pytest.raises(pytest.skip.Exception, match="an old kernel"):
        levels.needed("bwrap")


@pytest.mark.parametrize("level", WALLED)
def test_a_private_temporary_folder(level: Level, tmp_path: Path) -> None:
    """A level that holds here holds as well where nobody else may walk to the temporary folder."""
    needed(level)
    private = tmp_path / "private/tmp"
    private.mkdir(parents=True)
    private.parent.chmod(0o700)
    code = f"from arena.sandbox.proving import proven; print(proven({level!r}).why)"
    said = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TMPDIR": str(private)},
        capture_output=True,
        timeout=300,
        check=True,
    )
    assert said.stdout == b"\n"
    assert list(private.iterdir()) == []
