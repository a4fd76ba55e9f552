"""Lanes and their runner among hostile bots: whatever is lost is played again or void, and the run goes on."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from unittest.mock import patch

import msgspec
import pytest

from arena.errors import HostError, Interrupted
from arena.formats import schedule
from arena.game import Game
from arena.players import lifetime
from arena.players.launch import Launch
from arena.players.lifetime import kill
from arena.players.process_tree import children
from arena.record import Record, match_key
from arena.sandbox import Level
from arena.sandbox.paths import folders
from arena.sandbox.sandbox import Sandbox
from arena.tournament import cores
from arena.tournament.lane import WITHDRAWN_AFTER
from arena.tournament.lanes import Lanes, LanesFailed
from arena.tournament.roster import preflight
from arena.tournament.secrets import Secret
from tests.hostile.house import BOT, survivors
from tests.levels import needed
from tests.shelf import toy
from tests.tournament import flawed, playing
from tests.tournament.playing import SEED, Run, bot

shelf = playing.shelf


def diary(path: Path) -> list[tuple[str, str]]:
    """Process and label of each greeting."""
    return [(pid, label) for pid, label in (line.split() for line in path.read_text("ascii").splitlines())]


def core_of(user: int) -> int:
    """The core that a process of this user takes for itself; -1: none."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.umask(0o077)
        if user != os.geteuid():
            os.setresuid(user, user, user)
        core = cores.take()
        os.write(writing, b"%d" % (-1 if core is None else core))
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return int(pipe.read())


@pytest.mark.skipif(not cores.available(), reason="this system has no pinning")
def test_a_core_is_of_every_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core is one lane's as long as that lives; then it is anybody's, whatever files its user may make."""
    one = cores.available()[0]
    monkeypatch.setattr(cores, "_NAME", f"\0of-a-test-{os.getpid()}-")
    monkeypatch.setattr(cores, "available", lambda: [one])
    me = os.geteuid()
    assert [core_of(user) for user in (me, me or 12345, me)] == [one] * 3
    with socket.socket(socket.AF_UNIX) as lane:
        lane.bind(f"{cores._NAME}{one}")
        assert core_of(me) == -1
    assert core_of(me) == one


@pytest.mark.long
def test_lane_killed_once(tmp_path: Path) -> None:
    """A match whose lane is killed is played again by a new lane with new processes; no bot is blamed."""
    killer = bot(tmp_path, f"--sin kill-house --at 3 --once {tmp_path / 'done'} --diary {tmp_path / 'diary'}")
    run = Run(tmp_path, {"killer": killer, "ann": bot(tmp_path)}, 8)
    run.play()
    assert (tmp_path / "done").exists()
    assert (run.voids, run.faults) == (0, Counter())
    greetings = diary(tmp_path / "diary")
    labels = Counter(label for _, label in greetings)
    assert sorted(labels.values()) == [1] * (len(run.records) - 1) + [2]
    twice = max(labels, key=labels.__getitem__)
    assert len({pid for pid, label in greetings if label == twice}) == 2


def test_lane_killed_before_the_first_match(tmp_path: Path) -> None:
    """A bot that kills every lane that starts it does not keep the runner busy for ever."""
    with Lanes(1) as lanes, pytest.raises(LanesFailed, match="ended during the same"):
        preflight(lanes, toy.GAME, {"killer": bot(tmp_path, "--sin kill-house-at-start")}, {}, seats=2)


@pytest.mark.parametrize("fresh", [False, True], ids=["", "fresh"])
def test_bots_start_side_by_side(tmp_path: Path, *, fresh: bool) -> None:
    """Processes that a match needs all start before one has to be ready: here none is ready until the other one starts.

    They do so however long each waits for something, at the first match of a unit and wherever a bot starts anew.
    """
    meeting = tmp_path / "meeting"
    os.mkfifo(meeting)

    def starting(way: str) -> Launch:
        launch = bot(tmp_path, fresh=fresh)
        # an end of a pipe opens when the other end does; at 5 ms who is not asked might have been frozen
        wait = f'sleep 0.05; exec 3{way}"$0"; exec 3<&-; exec "$@"'
        return msgspec.structs.replace(launch, argv=("sh", "-c", wait, str(meeting), *launch.argv))

    run = Run(tmp_path, {"ann": starting("<"), "bob": starting(">")}, 4)
    run.play()
    assert run.faults == Counter()
    assert [record.reason for record in run.records] == ["finished"] * 4


def test_a_process_plays_on(tmp_path: Path) -> None:
    """With ``restart = "deal"`` a process plays unit after unit until a deal would come again; others start again.

    A lane takes units of deals that its bots have not seen first.
    """
    bots = {name: bot(tmp_path, f"--diary {tmp_path / name}") for name in ("ann", "bob")}
    bots["ann"] = msgspec.structs.replace(bots["ann"], lasting=True)
    run = Run(tmp_path, bots, 16)
    run.play()
    assert (run.faults, run.voids, len(run.units())) == (Counter(), 0, 8)
    blocks = {Secret.of(SEED).label(record.id): match_key(record.id)[1] for record in run.records}
    lives = {name: defaultdict[str, list[int]](list) for name in bots}
    for name, seen in lives.items():
        for pid, label in diary(tmp_path / name):
            seen[pid].append(blocks[label])
    assert all(len({*life}) == len(life) for seen in lives.values() for life in seen.values())
    assert [len(seen) for seen in lives.values()] == [2, 8]


def test_lanes_started_ahead(tmp_path: Path) -> None:
    """Lanes that are started before there is a job do the jobs that come; no more are started than there may be."""
    with Lanes(2) as lanes:
        lanes.start(3)
        ahead = [lane.popen.pid for lane in lanes._lanes]
        bots = {name: bot(tmp_path) for name in ("ann", "bob", "cid")}
        assert preflight(lanes, toy.GAME, bots, {}, seats=2) == {}
        assert [lane.popen.pid for lane in lanes._lanes] == ahead
    assert len(ahead) == 2


@pytest.mark.long
@pytest.mark.parametrize(("game", "why"), flawed.WHYS, ids=["flawed", "speechless"])
def test_flawed_game(tmp_path: Path, game: Game, why: str) -> None:
    """A match in which the game itself raises is void with the flaw in words; the other matches count."""
    run = Run(tmp_path, {"ann": bot(tmp_path), "bob": bot(tmp_path)}, 12, game=game)
    run.play()
    whys = {record.why for record in run.records if record.reason == "void"}
    assert len(whys) == 1
    assert whys.pop().startswith(f"{why} (flawed.py:")
    assert 0 < run.voids < 12
    for record in run.records:
        epoch, block, _ = match_key(record.id)
        key = Secret.of(SEED).deal(epoch=epoch, block=block, rotation=0)
        assert (record.reason == "void") == (key[0] % 2 == 1)


@pytest.mark.long
def test_orphans_that_cannot_be_ended(tmp_path: Path) -> None:
    """What cannot be killed after a lane was lost is waited for once, and does not stop the run."""
    killer = bot(tmp_path, f"--sin kill-house --once {tmp_path / 'done'}")
    run = Run(tmp_path, {"killer": killer, "ann": bot(tmp_path)}, 4)
    real, stuck = lifetime.sweep, [HostError("processes [1] would not die")]

    def sweep(keep: set[int], *, spares: Callable[[int], bool]) -> None:
        real(keep, spares=spares)
        if stuck:
            raise stuck.pop()

    with patch("arena.tournament.lanes.sweep", sweep):
        run.play()
    assert (stuck, run.voids) == ([], 0)


@pytest.mark.long
@pytest.mark.parametrize("sin", ["", "--sin kill-house --at 12 --once"], ids=["", "a lost lane"])
def test_withdrawal(tmp_path: Path, sin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is retired in its last eight matches of a unit is started no more: silence plays, without a fault.

    The matches it was retired in count although another lane has played them.
    """
    other = bot(tmp_path, f"{sin} {tmp_path / 'done'}" if sin else "")
    bots = {"broken": bot(tmp_path, f"--sin exit-3 --diary {tmp_path / 'diary'}"), "other": other}
    monkeypatch.setattr(schedule, "SHORT_CHUNK", 10)
    monkeypatch.setattr(schedule, "FEWEST_CHUNKS", 2)
    run = Run(tmp_path, bots, 40)
    starts = []
    run.each = lambda record: starts.append(len(record.faults))
    run.play()
    assert (tmp_path / "done").exists() == bool(sin)
    assert all(record.retired == (record.bots.index("broken"),) for record in run.records)
    assert all(record.ranks[record.bots.index("broken")] == 1 for record in run.records)
    # 20 blocks make four units of 10 matches
    assert starts == ([1] * WITHDRAWN_AFTER + [0] * 2) * 4
    assert run.faults == Counter(unready=4 * WITHDRAWN_AFTER)
    if not sin:
        log = tmp_path / "run" / "logs" / "broken.log"
        assert log.read_bytes().count(b"last words") == 4 * WITHDRAWN_AFTER


@pytest.mark.long
def test_no_process_sees_a_deal_twice(tmp_path: Path) -> None:
    """A process serves several matches of one unit; none ever meets a deal again."""
    names = ("ann", "bob", "cid")
    bots = {name: bot(tmp_path, f"--diary {tmp_path / name}") for name in names}
    # one match is played again in the middle of it all
    bots["cid"] = bot(tmp_path, f"--diary {tmp_path / 'cid'} --sin kill-house --at 10 --once {tmp_path / 'done'}")
    run = Run(tmp_path, bots, 72, lanes=2)
    run.play()
    ids = {Secret.of(SEED).label(record.id): record.id for record in run.records}
    assert (tmp_path / "done").exists()
    assert run.faults == Counter()
    for name in names:
        served = defaultdict(list)
        for pid, label in diary(tmp_path / name):
            served[pid].append(match_key(ids[label]))
        assert max(map(len, served.values())) > 1
        for keys in served.values():
            assert len({rotation for _, _, rotation in keys}) == 1
            assert len({block for _, block, _ in keys}) == len(keys)


@pytest.mark.long
def test_no_hand_is_ever_seen_again(tmp_path: Path) -> None:
    """A bot that keeps all hands it saw anybody play meets none of them again; in one process it would."""
    bots = {name: bot(tmp_path, "--sin remember") for name in ("ann", "bob")}
    # nobody trades: whoever sees all bids has seen the hands
    run = Run(tmp_path, bots, 48, variants={"lowest": "waits"})
    run.play()
    assert list((tmp_path / "run").glob("logs/*")) == []
    # the first chunk with one process for both rotations, as must never be
    jobs = {job.unit: job for job in run.units()}
    one_life = msgspec.structs.replace(jobs[0], matches=jobs[0].matches + jobs[1].matches)
    with Lanes(1) as lanes:
        seen = [getattr(message, "text", b"") for _, message in lanes.messages([one_life])]
    assert b"".join(seen).count(b"seen") == 6 * len(bots)


@pytest.mark.parametrize("level", ["none", "landlock"])
def test_a_deal_on_two_tables(tmp_path: Path, level: Level) -> None:
    """In a sandbox no deal is on two tables at once, though a lane is free; without one nothing is gained by that."""
    needed(level)
    walled = Sandbox(level, readable=(str(BOT), *folders([sys.executable], os.defpath)))
    bots = {name: msgspec.structs.replace(bot(tmp_path), sandbox=walled) for name in ("ann", "bob")}
    at_once: set[int] = set()

    def look(_record: Record) -> None:
        assert run.crew is not None
        at_once.add(len(run.crew.doing))

    run = Run(tmp_path, bots, 2, lanes=2, each=look)
    run.play()
    assert max(at_once) == (1 if level == "landlock" else 2)


@pytest.mark.long
def test_the_fallen_leave_nothing(tmp_path: Path) -> None:
    """What a bot leaves behind in one match is gone before the next is over, though others of the lane live on."""
    bots = {"ann": bot(tmp_path), "sinner": bot(tmp_path, "--sin daemon-and-exit", mark="/sinner")}
    daemons: list[int] = []
    run = Run(tmp_path, bots, 40, each=lambda _: daemons.append(len(survivors(f"{tmp_path}/sinner"))))
    run.play()
    # the last match's own may be looked for before they are swept
    assert max(daemons) <= 1
    assert run.faults.keys() == {"gone"}


def _read_link(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:
        return ""


@pytest.mark.proof
def test_lane_stays_small(tmp_path: Path) -> None:
    """Match after match, with bots that exit and leave daemons, a lane keeps its descriptors, zombies and memory."""
    bots = {
        "ann": bot(tmp_path, "--sin daemon", fresh=True),
        "bob": bot(tmp_path, "--sin exit-at-over"),
        "cid": bot(tmp_path, "--sin exit-between"),
    }
    seen: list[tuple[int, int, int, str]] = []

    def look(_record: Record) -> None:
        (lane,) = [pid for pid in children() if b"tournament.lane" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        status = dict(line.split(":", 1) for line in Path(f"/proc/{lane}/status").read_text("ascii").splitlines())
        # of a bot that is just being started both ends of each pipe are open
        links = Counter(_read_link(path) for path in Path(f"/proc/{lane}/fd").iterdir())
        descriptors = sum(number == 1 for number in links.values())
        below = Path(f"/proc/{lane}/task/{lane}/children").read_text("ascii").split()
        seen.append((int(status["VmRSS"].split()[0]), descriptors, len(below), status["Threads"].strip()))

    run = Run(tmp_path, bots, 60, each=look)
    run.play()
    assert run.voids == 0
    assert run.faults.keys() == {"gone"}
    early, late = seen[12:24], seen[-12:]
    assert max(memory for memory, *_ in late) - max(memory for memory, *_ in early) < 2048
    # and one of a start that ends, one of a control group that ends
    assert max(count for _, count, _, _ in seen) <= 4 + 1 + 3 * len(bots) + 1 + 1
    assert max(count for _, _, count, _ in seen) <= 6 * len(bots) + 4
    assert {threads for *_, threads in seen} == {"1"}


@pytest.mark.long
def test_what_lanes_take_away(tmp_path: Path) -> None:
    """Bots get no core files, no new privileges, no ignored or blocked signals, no seed and no secret."""
    run = Run(tmp_path, {"ann": bot(tmp_path, "--sin confess"), "bob": bot(tmp_path)}, 4)
    run.play()
    text = (tmp_path / "run" / "logs" / "ann.log").read_text("ascii")
    assert SEED not in text
    for line in text.splitlines():
        facts = json.loads(line)
        assert sorted(facts["descriptors"]) == ["0", "1", "2"]
        assert facts["core"] == [0, 0]
        assert facts["status"]["NoNewPrivs"] == "1"
        assert int(facts["status"]["SigBlk"], 16) == 0
        ignored = int(facts["status"]["SigIgn"], 16)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD):
            assert not ignored >> (number - 1) & 1


@pytest.mark.proof
def test_what_is_burnt_is_recorded(tmp_path: Path) -> None:
    """What a bot burns while others are asked is in the records of its matches, at its seat; the others' is none."""
    run = Run(tmp_path, {"spinner": bot(tmp_path, "--sin spin-child"), "ann": bot(tmp_path, "--sin work")}, 4)
    run.play()
    burnt: Counter[str] = Counter()
    for record in run.records:
        burnt.update(dict(zip(record.bots, record.burnt, strict=False)))
        assert sum(record.burnt) <= record.seconds * 1e6
    assert burnt["ann"] == 0
    # where there are control groups it stands still between its turns as soon as a question takes long
    assert burnt["spinner"] > 10_000
    assert run.faults.keys() <= {"resource"}


@pytest.mark.parametrize(("often", "matches"), [(3, 16), pytest.param(40, 192, marks=pytest.mark.proof)])
@pytest.mark.long_cases("3-16")
def test_stalls_of_the_house(
    tmp_path: Path, often: int, matches: int, record_property: Callable[[str, object], None]
) -> None:
    """However often lanes are stopped for longer than a bot's time, no honest bot is late."""
    stopped: dict[int, float] = {}
    free: dict[int, float] = {}
    stops = 0

    def storm() -> None:
        nonlocal stops
        now = monotonic()
        for lane in children():
            if lane in stopped:
                if now - stopped[lane] >= 0.4:
                    os.kill(lane, signal.SIGCONT)
                    del stopped[lane]
                    free[lane] = now
            elif stops < often and now - free.setdefault(lane, now) >= 0.1:
                os.kill(lane, signal.SIGSTOP)
                stopped[lane] = now
                stops += 1

    bots = {name: bot(tmp_path, "--sin think") for name in ("ann", "bob")}
    run = Run(tmp_path, bots, matches, move=200, lanes=2, ticked=storm)
    try:
        run.play()
    finally:
        for lane in stopped:
            kill(lane)
    assert stops == often
    assert run.faults == Counter()
    record_property("late", f"0 in {stops} stops")
    assert all(record.why.startswith("the host was away") for record in run.records if record.reason == "void")


@pytest.mark.long
def test_a_crowd_voids_no_match(tmp_path: Path) -> None:
    """However many children a bot has that burn the core of its lane, its matches are played: the fault is its own."""
    run = Run(tmp_path, {"crowd": bot(tmp_path, "--sin crowd"), "ann": bot(tmp_path)}, 2, move=150)
    run.play()
    assert [record.reason for record in run.records] == ["finished"] * 2
    assert {(record.bots[fault.seat], fault.kind) for record in run.records for fault in record.faults} == {
        ("crowd", "late")
    }


@pytest.mark.long
def test_lanes_go_first(tmp_path: Path) -> None:
    """Where it may be, a lane is served before its bots, which run in the ordinary way, but for when it reaps one."""
    policies: dict[str, set[int]] = {"lane": set(), "bot": set()}

    def look(_record: Record) -> None:
        assert run.crew is not None
        for lane in [lane.popen.pid for lane in run.crew._lanes]:
            policies["lane"].add(os.sched_getscheduler(lane) & ~os.SCHED_RESET_ON_FORK)
            policies["bot"].update(os.sched_getscheduler(pid) for pid in children(lane))

    run = Run(tmp_path, {"ann": bot(tmp_path, "--sin think"), "bob": bot(tmp_path, "--sin think")}, 2)
    run.each = look
    run.play()
    ask = f"import os; os.sched_setscheduler(0, {os.SCHED_RR}, os.sched_param(1))"
    may = subprocess.run([sys.executable, "-c", ask], stderr=subprocess.DEVNULL, check=False).returncode == 0
    assert (os.SCHED_RR if may else os.SCHED_OTHER) in policies["lane"]
    assert policies["lane"] <= {os.SCHED_RR, os.SCHED_OTHER}
    assert policies["bot"] == {os.SCHED_OTHER}


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_signals(tmp_path: Path, number: signal.Signals) -> None:
    """A signal ends the run amid its matches, with all lanes and bots, and what is recorded stays whole."""
    bots = {"ann": bot(tmp_path, "--sin deaf-to-signals"), "bob": bot(tmp_path, "--sin bomb")}
    run = Run(tmp_path, bots, 1000, lanes=2)

    def send(_record: Record) -> None:
        if len(run.records) == 5:
            os.kill(os.getpid(), number)

    run.each = send
    with pytest.raises(Interrupted) as interrupted:
        run.play()
    assert interrupted.value.number == number
    assert 5 <= len(list(run.folder.records())) == len(run.records)


@pytest.mark.long
def test_end_of_the_runner(tmp_path: Path) -> None:
    """A lane whose input ends while SIGTERM comes, as happens when the runner dies, leaves no process behind."""
    bots = {"ann": bot(tmp_path, "--sin bomb"), "bob": bot(tmp_path, "--sin daemon-with-pipes")}
    before = set(children())
    for attempt in range(2):
        run = Run(tmp_path / str(attempt), bots, 8)
        run.desk.mkdir()

        def strike(_record: Record, attempt: int = attempt, run: Run = run) -> None:
            assert run.crew
            (lane,) = run.crew._lanes
            lane.stdin.close()
            if attempt % 2:
                lane.popen.terminate()
            lane.popen.terminate()
            lane.popen.wait()
            assert run.crew._guard
            assert set(children()) <= before | {run.crew._guard.pid}
            raise Interrupted(signal.SIGTERM)

        run.each = strike
        with pytest.raises(Interrupted):
            run.play()
