"""Many matches at once, held against Gymnasium's own vector environment, with real processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from select import select
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

from arena import Bot, Decision, games
from arena.environments import PolicyBot
from arena.environments.gymnasium import GymEnv
from arena.environments.vectorized import VectorGym
from arena.errors import BotError, UsageError
from arena.players.lifetime import LINUX


def last(decision: Decision[Any]) -> range:
    """Pick the last options."""
    return range(len(decision.options) - decision.least, len(decision.options))


class Net:
    """Weighs actions by whole numbers, so that sums of many rows are those of one; ``draws``: by dice of the row."""

    def __init__(self, game: str, seed: int, *, draws: bool = False) -> None:
        encoding = GymEnv(game).encoding
        shape = len(encoding.names), len(encoding.actions)
        self.weights = np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float32)
        self.draws, self.sizes = draws, list[int]()

    def __call__(self, rows: Any, masks: Any) -> Any:
        self.sizes.append(len(rows) if rows.ndim > 1 else 0)
        values = np.floor(rows * 64) @ self.weights
        if self.draws:
            seeds = [crc32(row.tobytes()) for row in np.atleast_2d(rows)]
            values = np.reshape([np.random.default_rng(seed).random(values.shape[-1]) for seed in seeds], values.shape)
        return np.where(masks, values, -np.inf).argmax(-1)


class Failing(Bot[Any]):
    """Raises an error at its third question."""

    asked = 0

    def decide(self, _decision: Decision[Any], /) -> range:
        self.asked += 1
        if self.asked == 3:
            raise ValueError("the net tore")
        return range(_decision.least)


def shown(value: Any) -> Any:
    """What is compared of an info."""
    if isinstance(value, dict):
        return {name: shown(inside) for name, inside in sorted(value.items())}
    return (
        value.tolist()
        if value.dtype != object
        else [None if one is None else np.asarray(one).tolist() for one in value]
    )


def played(whole: Any, steps: int) -> list[Any]:
    """All that is seen in so many steps of actions that the masks allow, drawn with one seed."""
    dice = np.random.default_rng(1)
    turns: list[Any] = []
    seen, infos = whole.reset(seed=7)
    turns.append((seen.tobytes(), shown(infos)))
    for _ in range(steps):
        taken = [dice.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in infos["action_mask"]]
        seen, rewards, ended, capped, infos = whole.step(np.array(taken))
        assert whole.observation_space.contains(seen)
        turns.append((seen.tobytes(), rewards.tolist(), ended.tolist(), capped.tolist(), shown(infos)))
    return turns


@pytest.mark.parametrize(("mode", "processes"), [(AutoresetMode.NEXT_STEP, 1), (AutoresetMode.SAME_STEP, 3)])
def test_it_is_as_gymnasium_s_own(mode: AutoresetMode, processes: int) -> None:
    """In any number of processes all is as in ``SyncVectorEnv``: rows, rewards, ends, infos, seeds and autoreset."""
    net = Net("dockfight", 1)
    theirs = SyncVectorEnv([lambda: GymEnv("dockfight", ["greedy", last, PolicyBot(net)])] * 5, autoreset_mode=mode)
    expected = played(theirs, 60)
    assert any(any(turn[2]) for turn in expected[1:])
    opponents: list[Any] = ["greedy", last, PolicyBot(net, batches=True)]
    with closing(VectorGym("dockfight", opponents, n=5, processes=processes, autoreset_mode=mode.value)) as whole:
        assert whole.metadata["autoreset_mode"] is mode
        assert whole.observation_space == batch_space(whole.single_observation_space, 5)
        assert played(whole, 60) == expected


@pytest.mark.parametrize("game", games.names())
def test_past_selves_are_asked_together(game: str) -> None:
    """Tables that wait for one policy share a call of it; all is as if each were asked alone, draws of a row too."""
    nets = [Net(game, 1), Net(game, 2, draws=True)]
    alone, together = ([PolicyBot(net, batches=batches) for net in nets] for batches in (False, True))
    expected = played(SyncVectorEnv([lambda: GymEnv(game, ["random", *alone])] * 8), 20)
    asked = [len(net.sizes) for net in nets]
    for net in nets:
        net.sizes.clear()
    with closing(VectorGym(game, ["random", *together], n=8)) as whole:
        assert played(whole, 20) == expected
    assert [sum(net.sizes) for net in nets] == asked
    assert all(len(net.sizes) < number for net, number in zip(nets, asked, strict=True))


def test_without_autoreset() -> None:
    """With autoreset disabled a mask names the matches that are dealt again; the others stay as they are."""
    with closing(VectorGym("dockfight", n=3, processes=2, autoreset_mode=AutoresetMode.DISABLED)) as whole:
        before, _ = whole.reset(seed=[1, 2, 3])
        wrong = np.full(3, whole.encoding.done)
        for chosen in ([False, True, False], [True, False, True]):
            mask = np.array(chosen)
            seen, infos = whole.reset(seed=[9, 9, 9], options={"reset_mask": mask})
            assert (infos["_action_mask"] == mask).all()
            assert (infos["action_mask"].any(axis=1) == mask).all()
            if not chosen[0]:
                assert [(old == new).all() for old, new in zip(before, seen, strict=True)] == [True, False, True]
        assert (seen[0] == seen[1]).all()
        _, rewards, ended, _, infos = whole.step(wrong)
        assert rewards.tolist() == [-1, -1, -1]
        assert ended.all()
        assert "ranks" not in infos
        with pytest.raises(UsageError, match="a reset_mask of 3 truth values"):
            whole.reset(options={"reset_mask": [True]})


def test_what_each_environment_has() -> None:
    """Methods and attributes of all environments are called, read and set in all processes; opponents are added."""
    with closing(VectorGym("lure", n=4, processes=2, seat=1, seats=3)) as whole:
        whole.reset(seed=1)
        assert whole.get_attr("seat") == (1, 1, 1, 1)
        assert (np.stack(whole.call("action_masks")) == whole.action_masks()).all()
        whole.add(last)
        assert [len(each) for each in whole.get_attr("opponents")] == [2, 2, 2, 2]
        whole.set_attr("seat", [0, 1, 2, 0])
        assert whole.get_attr("seat") == (0, 1, 2, 0)
        assert whole.encoding is GymEnv("lure", seats=3).encoding


pytestmark = pytest.mark.skipif(not LINUX, reason="the processes of this one are read in /proc")


@contextmanager
def opened(**settings: Any) -> Iterator[tuple[Any, list[int]]]:
    """A vector environment with the processes that it started."""
    before = children()
    with closing(VectorGym("dockfight", **settings)) as whole:
        whole.reset(seed=1)
        yield whole, sorted(children() - before)


def children() -> set[int]:
    """The processes that this one started."""
    return {int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def gone(process: int) -> bool:
    """Whether a process has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_lost_process() -> None:
    """Where a process is killed, the next step says whose environments are lost; all others end, and nothing hangs."""
    with opened(n=6, processes=3) as (whole, processes):
        assert len(processes) == 2
        os.kill(processes[-1], signal.SIGKILL)
        with pytest.raises(UsageError, match="expected the process of environments 4 to 5 to play, got one that ended"):
            whole.step(np.argmax(whole.action_masks(), axis=1))
        assert all(map(gone, processes))
        with pytest.raises(UsageError, match="expected an open environment, got one that is closed"):
            whole.reset()


@pytest.mark.parametrize("processes", [1, 2])
def test_an_opponent_that_fails(processes: int) -> None:
    """What an opponent raises is told in one line, in whichever process it sits, and closes the environment."""
    with opened(opponents=Failing, n=2, processes=processes) as (whole, started):
        with pytest.raises(UsageError, match="expected opponents that play, got ValueError: the net tore"):
            played(whole, 99)
        assert all(map(gone, started))


def test_mistakes() -> None:
    """Wrong settings are told before a process starts."""
    lock = Lock()

    def held(decision: Decision[Any]) -> range:
        with lock:
            return range(decision.least)

    for settings, error, said in (
        ({"n": 0}, UsageError, "expected n to be a whole number from 1, got 0"),
        ({"processes": "2"}, UsageError, "expected processes to be a whole number from 1, got '2'"),
        ({"opponents": "grandmaster"}, BotError, "got 'grandmaster'"),
        ({"seat": 9}, UsageError, "expected seat='random' or a seat"),
        (
            {"opponents": held, "n": 2, "processes": 2},
            UsageError,
            "expected what other processes can be sent, got .*processes=1",
        ),
        ({"autoreset_mode": "never"}, UsageError, "expected autoreset_mode to be one of NextStep, SameStep, Disabled"),
    ):
        with pytest.raises(error, match=said):
            VectorGym("dockfight", **settings)
    with closing(VectorGym("dockfight", n=2)) as whole, pytest.raises(UsageError, match="expected 2 seeds, got 1"):
        whole.reset(seed=[1])
    with closing(VectorGym("dockfight", n=2)) as whole:
        whole.reset(seed=1)
        for actions, said in (
            (3, "expected 2 actions, got 3"),
            ([0.7, 1.9], r"expected an action from 0 to \d+, got 0\.7"),
            ([0, 2**70], r"expected an action from 0 to \d+, got 1180591620717411303424"),
            ([0, -1], r"expected an action from 0 to \d+, got -1"),
        ):
            with pytest.raises(UsageError, match=said):
                whole.step(actions)
        seeds: list[tuple[Any, str]] = [(-1, "got -1"), ("ab", "got 'ab'"), ([0, 1.5], r"got 1\.5")]
        for seed, said in seeds:
            with pytest.raises(UsageError, match=f"expected a seed that is a whole number from 0, {said}"):
                whole.reset(seed=seed)
        with pytest.raises(UsageError, match=r"expected the name of a method or an attribute .*, got 'nope'"):
            whole.get_attr("nope")
        # none of these mistakes has closed it
        rows = [whole.reset(seed=seed)[0] for seed in (5, np.int64(5), (5, 6), range(5, 7), np.array([5, 6]))]
        assert all((each == rows[0]).all() for each in rows)


def test_nothing_is_left() -> None:
    """The file of the shared memory has no name any more; all processes end on closing, and if this one is killed."""
    with opened(n=4, processes=2) as (whole, processes):
        shared = [line for line in Path(f"/proc/{processes[0]}/maps").read_text().splitlines() if "/arena-" in line]
        assert shared
        assert all(line.endswith("(deleted)") for line in shared)
        whole.close()
        whole.close()
        assert all(map(gone, processes))
    code = (
        "import os, signal\nfrom arena.environments.vectorized import VectorGym\n"
        "whole = VectorGym('dockfight', n=4, processes=3)\nwhole.reset(seed=1)\n"
        "print(open(f'/proc/self/task/{os.getpid()}/children').read(), flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        ends = [os.pidfd_open(int(process)) for process in parent.stdout.readline().split()]
        assert len(ends) == 2
        parent.kill()
        for end in ends:  # it can be read once its process has ended
            assert select([end], [], [], 300)[0]
            os.close(end)
