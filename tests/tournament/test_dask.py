"""The executor ``dask`` with the real thing: a scheduler and two workers on loopback, the real command, real bots."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from dask.config import collect_env, get
from distributed import Security

from arena.extras import install
from arena.players.lifetime import sweep
from arena.players.process_tree import children
from arena.tournament import dask
from arena.tournament.executors import Unreachable
from tests.cli.command import arena, refusal, started
from tests.hostile.house import survivors

GAME = ("-g", "dockfight", "--seats", "2", "--seed", "far away", "-q")
ROOT = Path(__file__).parents[2]
PATIENCE = 300.0
"""Seconds that nothing here takes, however busy the machine is."""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        told = folder / "scheduler.json"
        quiet = ("--no-dashboard", "--scheduler-file", str(told))
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", *quiet)
        self.workers = [
            self.start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder), *quiet)
            for _ in range(2)
        ]
        until = monotonic() + PATIENCE
        while not told.exists() or not told.read_bytes().endswith(b"}"):
            assert monotonic() < until
            sleep(0.01)
        self.address: str = json.loads(told.read_bytes())["address"]

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start one of them in a session of its own; what it logs goes to a file."""
        with (self.folder / "log").open("ab") as log:
            line = [sys.executable, "-m", "dask", *words]
            # inherited by helpers and lanes, but by no bot: those are known by their paths
            env = os.environ | {"DASK_TESTS_MARK": str(self.folder)}
            return subprocess.Popen(line, cwd=self.folder, env=env, stdout=log, stderr=log, start_new_session=True)

    def end(self) -> None:
        """End them all."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster, at whose end no helper, lane or bot of its workers is left."""
    # by now the server that other tests start commands with is there, and stays
    arena(tmp_path, "--version")
    before = set(children())
    made = Cluster(tmp_path)
    yield made
    made.end()
    # what deals follow from is in no log
    assert b'"deal"' not in (tmp_path / "log").read_bytes()
    until = monotonic() + PATIENCE
    while left := survivors(str(tmp_path)):
        assert monotonic() < until, left
        sleep(0.01)
    # orphans may have become children of this process: other tests of it must not meet them
    sweep(before)


@pytest.mark.long
@pytest.mark.parametrize(
    ("matches", "killing"), [(4, False), pytest.param(64, True, marks=[pytest.mark.proof, pytest.mark.timeout(300)])]
)
def test_workers(tmp_path: Path, cluster: Cluster, matches: int, *, killing: bool) -> None:
    """Workers export what lanes here do, also if one of two is killed on the way, whose bots end with it."""
    bots = [f"{name}={sys.executable} -S {tmp_path / name / 'bot.py'}" for name in ("ann", "bob")]
    for name in ("ann", "bob"):
        shutil.copytree(ROOT / "bots" / "random", tmp_path / name)
    words = [*GAME, *bots, "-n", str(matches)]
    line = [sys.executable, "-m", "arena", "run", *words, "-o", "far", "--dask", cluster.address]
    env = os.environ | {"ARENA_ISOLATION": "none"}
    with subprocess.Popen(line, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as runner:
        if killing:
            assert kill_one(cluster, runner, tmp_path / "far" / "matches.jsonl") < matches
        _, errors = runner.communicate(timeout=PATIENCE)
    assert (runner.returncode, errors) == (0, b"")
    arena(tmp_path, "run", *words, "-o", "here")
    assert arena(tmp_path, "export", "far").out == arena(tmp_path, "export", "here").out


@pytest.mark.long
def test_a_scheduler_that_hangs(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that says nothing is not waited for for ever."""
    found = dask.executor(cluster.address)
    try:
        monkeypatch.setattr(dask, "_SECONDS", 0.2)
        cluster.scheduler.send_signal(signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            found.slots()
    finally:
        cluster.scheduler.send_signal(signal.SIGCONT)
        found.shutdown(wait=False)


def kill_one(cluster: Cluster, runner: "subprocess.Popen[bytes]", journal: Path) -> int:
    """SIGKILL a worker that plays once there are recorded matches; how many there were."""
    until = monotonic() + PATIENCE
    while not journal.exists() or not journal.stat().st_size:
        assert monotonic() < until
        assert runner.poll() is None
        sleep(0.002)
    victim = next(worker for worker in cluster.workers if children(worker.pid))
    (helper,) = children(victim.pid)
    victim.send_signal(signal.SIGKILL)
    recorded = journal.read_bytes().count(b"\n")
    until = monotonic() + PATIENCE
    # it ends when its lane and all bots have
    while helper in survivors(str(cluster.folder)):
        assert monotonic() < until
        sleep(0.005)
    return recorded


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where no scheduler is costs seconds and one line."""
    assert dask._SECONDS < 10
    monkeypatch.setattr(dask, "_SECONDS", 0.2)
    for address in ("127.0.0.1:1", "carrier-pigeon://here", "nothing"):
        with pytest.raises(Unreachable, match=f"expected a dask scheduler at {address}, got none: .+"):
            dask.executor(address)


def test_certificates(tmp_path: Path) -> None:
    """For TLS a key of dask's configuration that is not set, or names no file, is named; texts do, too."""
    ca, text = tmp_path / "ca.pem", "-----BEGIN CERTIFICATE-----\n"
    ca.touch()
    where = "expected a file by distributed.comm.tls."
    for ca_file, cert, key, wrong in (
        (None, None, None, "ca-file of dask's configuration, got none"),
        (str(ca), None, None, "client.cert of dask's configuration, got none"),
        (str(ca), text, str(tmp_path / "me.key"), "client.key of dask's configuration, got '.*me.key'"),
    ):
        security = Security(tls_ca_file=ca_file, tls_client_cert=cert, tls_client_key=key)
        with pytest.raises(Unreachable, match=where + wrong):
            dask._certificates(security)
    dask._certificates(Security(tls_ca_file=str(ca), tls_client_cert=text))


def test_the_settings_of_the_page_are_dasks() -> None:
    """The settings that `docs/machines.md` gives a cluster are known to dask, and differ from what it comes with."""
    page = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^export (DASK_DISTRIBUTED__(?:WORKER|ADMIN)__\w+)=(\S+)$", page, re.MULTILINE))
    assert len(shown) == 2
    for name, value in shown.items():
        key = name.removeprefix("DASK_").lower().replace("__", ".")
        assert get(key) != get(key, config=collect_env({name: value}))


@pytest.mark.long
def test_without_the_extra(tmp_path: Path) -> None:
    """Without the package the command says how to get it."""
    code = "import sys; sys.modules['distributed'] = None; from arena.cli import main; main()"
    words = ["run", "-g", "lure", "random", "--dask", "here:8786"]
    said = started(tmp_path, sys.executable, "-P", "-c", code, *words, code=2)
    assert said.err == f"arena: --dask: expected the package distributed, got none; {install('dask')}\n"


@pytest.mark.parametrize(
    ("executor", "dask", "why"),
    [
        ("dusk=here", None, r"--executor: expected an executor of .*dask.*, got 'dusk'; did you mean 'dask'\?"),
        ("dask", None, "--executor: expected NAME=ADDRESS, got 'dask'"),
        ("=here", None, "--executor: expected NAME=ADDRESS, got '=here'"),
        (None, "", "--dask: expected ADDRESS, got ''"),
        ("b=c", "a", "expected --executor or --dask, got both: 'b=c' and 'a'"),
    ],
)
def test_what_is_no_executor(tmp_path: Path, executor: str | None, dask: str | None, why: str) -> None:
    """What cannot be an executor is refused with what was given, and the nearest name if there is one."""
    words = [*([] if executor is None else ["--executor", executor]), *([] if dask is None else ["--dask", dask])]
    assert re.fullmatch(why, refusal(tmp_path, "run", "-g", "dockfight", "random", *words))
