"""Chunks played elsewhere: whatever executor it is, the same matches, each lost one noticed, and nobody unfit plays."""

import errno
import os
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena import __version__, games
from arena.errors import Interrupted, cure_of
from arena.players.launch import Launch
from arena.players.process_tree import children
from arena.record import Record
from arena.sandbox.proof import Proof
from arena.sandbox.sandbox import Sandbox
from arena.tournament import executors
from arena.tournament.executors import AHEAD, Remote, Unreachable, connected
from arena.tournament.lane_messages import Done, Job, MatchOver, Message, PlayUnit, Prove, Up, decode_message, encode
from arena.tournament.lanes import Lanes, LanesFailed
from arena.tournament.worker import Task, Worker, likeness, play_task
from tests.cli.command import arena
from tests.documents import blocks
from tests.shelf import toy
from tests.tournament import playing
from tests.tournament.playing import Run, bot

ROOT = Path(__file__).parents[2]
shelf = playing.shelf


class Gone(Exception):
    """A worker was lost, in the words of an executor of the tests."""


class Pool(ThreadPoolExecutor):
    """Workers that are threads; ``fate`` sees each task before it is done and may raise."""

    losses = (Gone,)

    def __init__(self, fate: Callable[[Task], None] = lambda _: None, count: int = 2) -> None:
        super().__init__(count)
        self.fate, self.count = fate, count
        self.sent = 0

    def slots(self) -> int:
        return self.count

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as it is declared
        # what a thread leaves behind would be met by the next test
        super().shutdown(wait=True, cancel_futures=cancel_futures)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        def fated(told: bytes) -> bytes:
            self.fate(msgspec.json.decode(told, type=Task))
            answer: bytes = fn(told, **kwargs)
            return answer

        self.sent += 1
        return super().submit(fated, *args)


def timeless(records: list[Record]) -> list[Record]:
    """Records without what may differ between two runs of equal matches."""
    return [msgspec.structs.replace(record, micros=(), burnt=(), seconds=0.0) for record in records]


@pytest.fixture
def pair(tmp_path: Path) -> dict[str, Launch]:
    """Two honest bots."""
    return {"ann": bot(tmp_path), "bob": bot(tmp_path)}


def is_helper(pid: int) -> bool:
    """Whether a child of ours is a worker's; the guard, which each runner has, is none."""
    try:
        return b"guard.py" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.long
def test_the_same_matches_as_in_lanes(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """What an executor's workers play is what lanes play; each of them keeps one helper for all of its units."""
    helpers: set[int] = set()
    before = children()
    pool = Pool(count=1)
    run = Run(tmp_path, pair, 24, ticked=lambda: helpers.update(filter(is_helper, set(children()).difference(before))))
    away = run.play(pool)
    assert len(helpers) == 1
    assert pool.sent == len(run.units()) > 1
    assert timeless(away) == timeless(Run(tmp_path / "here", pair, 24).play())


@pytest.mark.long
def test_a_worker_lost_once(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """A unit lost with its worker is played again, match by match, and none of them is void."""
    lost: list[int] = []

    def fate(told: Task) -> None:
        if not lost:
            lost.append(len(told.job.matches))
            raise Gone

    run, pool = Run(tmp_path, pair), Pool(fate)
    assert {record.reason for record in run.play(pool)} == {"finished"}
    assert pool.sent == len(run.units()) + lost[0]


@pytest.mark.long
def test_a_match_that_takes_its_workers_along(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """A match with which workers are lost again and again is recorded void, alone in its unit, and the run goes on."""
    sent: Counter[str] = Counter()

    def fate(told: Task) -> None:
        ids = [match.id for match in told.job.matches]
        sent.update(ids)
        if poison in ids:
            raise Gone

    run = Run(tmp_path, pair)
    poison = run.units()[0].matches[0].id
    voids = [record.id for record in run.play(Pool(fate)) if record.reason == "void"]
    assert voids == [poison]
    assert sent[poison] == 3
    assert max(sent.values()) <= 3


@pytest.mark.long
def test_a_lane_lost_on_a_worker(tmp_path: Path) -> None:
    """A match whose lane is killed on a worker is played again, once; what was played before it is kept."""
    killer = bot(tmp_path, f"--sin kill-house --at 3 --once {tmp_path / 'done'}")
    pool = Pool()
    records = Run(tmp_path, {"killer": killer, "ann": bot(tmp_path)}).play(pool)
    assert (tmp_path / "done").exists()
    assert {record.reason for record in records} == {"finished"}
    assert not any(record.faults for record in records)


def test_a_failing_executor_blames_no_match(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """Any other exception, as of workers without arena, ends the run in words; no match is void for it."""

    def fate(_told: Task) -> None:
        raise ModuleNotFoundError("No module named 'arena'")

    run = Run(tmp_path, pair)
    with pytest.raises(LanesFailed, match="to play a unit, got ModuleNotFoundError: No module named 'arena'"):
        run.play(Pool(fate))
    assert run.records == []


def test_an_executor_that_has_ended(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """An executor that takes no unit any more ends the run in words."""
    pool = Pool()
    pool.shutdown()
    with pytest.raises(LanesFailed, match="to take a unit, got RuntimeError"):
        Run(tmp_path, pair).play(pool)


@pytest.mark.long
def test_an_executor_that_is_slow_to_say_its_slots(
    tmp_path: Path, pair: dict[str, Launch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until an executor says again how many slots it has, what it said before counts; one that fails ends the run."""
    monkeypatch.setattr(executors, "_ASK_AGAIN", 0.0)
    run = Run(tmp_path, pair)
    said: list[type[OSError] | None] = [TimeoutError, None, TimeoutError]

    class Slow(Pool):
        def slots(self) -> int:
            error = said.pop(0) if said else None
            if error is not None:
                raise error("no word")
            return self.count

    assert len(run.play(Slow())) == run.matches
    assert said == []
    said.append(ConnectionResetError)
    with pytest.raises(LanesFailed, match=r"expected the executor to say .*, got ConnectionResetError: no word"):
        Run(tmp_path, pair, matches=32).play(Slow())


@pytest.mark.long
def test_a_signal_ends_it(tmp_path: Path, pair: dict[str, Launch]) -> None:
    """A signal to the runner ends the run though its units are elsewhere."""
    run = Run(tmp_path, pair, 160, ticked=lambda: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(Interrupted):
        run.play(Pool())


@pytest.mark.parametrize("most", [None, 3])
def test_few_units_are_in_flight(tmp_path: Path, pair: dict[str, Launch], most: int | None) -> None:
    """Of a long schedule only as many units are made as may be in flight: two a slot, or what is asked for."""
    units = Run(tmp_path, pair, 160).units()
    made = 0

    def jobs() -> Iterator[PlayUnit]:
        nonlocal made
        for job in units:
            made += 1
            yield job

    def fate(_told: Task) -> None:
        assert made <= (most or 2 * AHEAD)
        raise LookupError("enough")

    with Lanes(1) as lanes, Remote(Pool(fate), lanes, most) as away, pytest.raises(LanesFailed, match="enough"):
        for _ in away.messages(jobs()):
            pass
    assert made == (most or 2 * AHEAD) < len(units)


# --- a worker that is not as the runner is


@pytest.fixture
def told(tmp_path: Path, pair: dict[str, Launch]) -> Task:
    """One match for a worker."""
    job = Run(tmp_path, pair).units()[0]
    job = msgspec.structs.replace(job, matches=job.matches[:1])
    return Task(__version__, {name: likeness(launch) for name, launch in pair.items()}, job)


def answered(told: Task) -> list[Any]:
    """What a worker, a thread of its own, says to this."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(play_task, encode(told)).result()
    return [decode_message(line) for line in answer.split(b"\n") if line]


@pytest.mark.long
def test_a_worker_plays(told: Task) -> None:
    """A worker that is as the runner is plays what it is sent, and says so last."""
    messages = answered(told)
    assert [type(message).__name__ for message in messages if not isinstance(message, MatchOver)] == ["Done"]
    assert len(messages) == 2


def refused(told: Task) -> str:
    """Why a worker would not play: one message that names its machine, and nothing is played."""
    (done,) = answered(told)
    where, _, why = str(done.failed).partition(": ")
    assert where.startswith(f"worker on {os.uname().nodename}, process ")
    return why


def with_bot(told: Task, **fields: Any) -> Task:
    """The same, but for how bob is started."""
    bob = msgspec.structs.replace(told.job.bots["bob"], **fields)
    return msgspec.structs.replace(told, job=msgspec.structs.replace(told.job, bots={**told.job.bots, "bob": bob}))


def test_a_host_ends_by_its_signal() -> None:
    """The host that plays for a worker ends when that does, also with nothing to do and while others hold its pipe."""
    words = [sys.executable, "-m", "arena.tournament.worker", str(os.getpid())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        try:
            assert host.stdout
            assert isinstance(decode_message(host.stdout.readline().rstrip(b"\n")), Up)
            host.terminate()
            assert host.wait(300) == 0
        finally:
            host.kill()


def test_another_arena(told: Task) -> None:
    """A worker with another version of arena does not play."""
    assert refused(msgspec.structs.replace(told, arena="0.0.1")) == f"expected arena 0.0.1, got {__version__}"


@pytest.mark.long
def test_another_game(told: Task) -> None:
    """A worker with another version of the game, or without it, does not play."""
    (match,) = told.job.matches
    known, cure = ", ".join(games.names()), "install the package that has it"
    for fields, why in (
        ({"version": "0"}, f"expected toy version 0, got {toy.GAME.version}"),
        ({"game": "boy"}, f"expected a game of {known}, flawed, speechless, toy, got 'boy'; {cure}"),
    ):
        other = msgspec.structs.replace(match, **fields)
        job = msgspec.structs.replace(told.job, matches=(other,))
        assert refused(msgspec.structs.replace(told, job=job)) == why


@pytest.mark.long
def test_other_files(told: Task, tmp_path: Path) -> None:
    """A worker on which a bot's folder is not there, or holds other files, does not play, and names the bot."""
    away = with_bot(told, folder=str(tmp_path / "nowhere"))
    assert refused(away).startswith(f"bot bob: {tmp_path}/nowhere: expected to read it, got: No such")
    changed = msgspec.structs.replace(told, digests={**told.digests, "bob": "0" * 64})
    assert refused(changed) == f"bot bob: expected the files that the runner has in {tmp_path}/home, got others"


def test_a_bot_that_does_not_start_there(told: Task) -> None:
    """A bot that cannot start on a worker is not blamed for it: the worker does not play, and names the bot."""
    other = with_bot(told, argv=("no-such-interpreter", "bot.py"))
    digests = {name: likeness(launch) for name, launch in other.job.bots.items()}
    why = refused(msgspec.structs.replace(other, digests=digests))
    assert why.startswith("bot bob cannot start: expected the bot to start, got: ")


class Plain(Lanes):
    """Lanes on a machine where a sandbox does not stand, and where nothing else is tried."""

    proof: Proof

    def messages(self, jobs: Iterable[Job | None], *_: Any, **__: Any) -> Iterator[tuple[Job, Message]]:
        for job in jobs:
            if isinstance(job, Prove):
                yield job, Done.of(self.proof)


@pytest.mark.parametrize(
    ("proof", "why"),
    [
        (Proof("bwrap", {}, "no bwrap here", "program"), ": expected isolation bwrap, got: no bwrap here"),
        (
            Proof("bwrap", {}, "expected to try bwrap, got no space", errno=errno.ENOSPC),
            f": isolation bwrap: expected to try bwrap, got no space; {cure_of(errno.ENOSPC)}",
        ),
    ],
    ids=["lacks it", "in trouble"],
)
def test_a_sandbox_that_does_not_stand_there(
    proof: Proof, why: str, told: Task, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A worker that does not prove the isolation of the run does not play, and names the level and what it lacks."""
    monkeypatch.setattr("arena.tournament.worker.find", lambda _name: toy.GAME)
    lanes = Plain(1)
    lanes.proof = proof
    Worker(lanes).do(with_bot(told, sandbox=Sandbox("bwrap")))
    done = decode_message(capfdbinary.readouterr().out.rstrip(b"\n"))
    assert isinstance(done, Done)
    assert done.failed.endswith(why)


# --- who they are


def test_executors_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """An executor of another package is found by its entry point; what goes wrong is said in one line."""
    here = f"{__name__}:"
    names = {"pool": "Pool", "shut": "shut", "text": "os.fspath"}
    entries = [EntryPoint(name, here + value, executors.GROUP) for name, value in names.items()]
    monkeypatch.setattr(executors, "entry_points", lambda group: EntryPoints(entries).select(group=group))
    with connected("pool=anywhere") as found:
        assert isinstance(found, Pool)
    for name, why in (
        ("poool", "expected an executor of pool, shut, text, got 'poool'; did you mean 'pool'?"),
        ("shut", "expected shut at anywhere, got: it rains"),
        ("text", "expected text to be a concurrent.futures.Executor, got str"),
    ):
        with pytest.raises(Unreachable) as raised:
            connected(f"{name}=anywhere")
        assert raised.value.text == why


def shut(_address: str) -> Executor:
    """An executor nobody reaches."""
    raise ConnectionRefusedError("it rains")


@pytest.mark.long
def test_the_executor_of_the_page(tmp_path: Path) -> None:
    """The executor of `docs/machines.md`, named by the entry point shown there, plays a run."""
    page = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    (script,), (table,) = blocks(page, "python"), blocks(page, "toml")
    ((name, where),) = tomllib.loads(table)["project"]["entry-points"][executors.GROUP].items()
    shelf = tmp_path / "shelf"
    (shelf / f"{where.partition(':')[0]}.py").write_text(script, encoding="utf-8")
    (shelf / "toys-1.dist-info" / "entry_points.txt").write_text(f"[{executors.GROUP}]\n{name} = {where}\n", "ascii")
    bots = [f"{each}={sys.executable} -S {ROOT / 'bots' / 'random' / 'bot.py'}" for each in ("ann", "bob")]
    words = ("run", *bots, "-g", "dockfight", "--seats", "2", "-n", "2", "-q", "--json")
    assert '"matches":2' in arena(tmp_path, *words, "--executor", f"{name}=1").out.replace(" ", "")
