"""One task for learners: it trains, freezes, measures and enters a policy at one table."""

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from io import BytesIO
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arena
from arena.environments import Environment, PolicyBot
from arena.environments.encoding import encoding_of
from arena.environments.policies import FrozenPolicy, load_bot
from arena.environments.single_picks import rank_utility
from arena.errors import BotError, UsageError
from arena.sandbox import Level
from tests.environments.golden_rows import read_goldens
from tests.levels import needed


def first(_row: Any, mask: Any) -> Any:
    """The policy of the first action."""
    return np.flatnonzero(mask)[0]


class Net:
    """A network of one layer, with weights of its own, which is asked for one row or for many."""

    def __init__(self, task: arena.Task, seed: int) -> None:
        shape = len(task.encoding.names), task.encoding.done + 1
        self.weights = np.random.default_rng(seed).normal(size=shape)

    def __call__(self, row: Any, mask: Any) -> Any:
        return np.where(mask, row @ self.weights, -np.inf).argmax(-1)


class Learner:
    """What Stable-Baselines3 calls a model, as far as its documents tell: it saves itself, and cannot be copied."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def __deepcopy__(self, _memo: Any) -> None:
        raise RuntimeError("only tensors created explicitly by the user support the deepcopy protocol")

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle an environment")

    def predict(
        self, observation: Any, state: Any = None, *, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Any, Any]:
        """An action for each row, and the next state."""
        assert deterministic in {True, False}
        return self.net(observation, action_masks), state

    def save(self, path: Any) -> None:
        """Write to an open file."""
        np.save(path, self.net.weights)

    @classmethod
    def load(cls, path: Any, device: str = "auto") -> "Learner":
        """Read from an open file."""
        assert isinstance(path, BytesIO)
        assert device == "cpu"
        net = Net.__new__(Net)
        net.weights = np.load(path)
        return cls(net)


def test_a_name_says_it_all() -> None:
    """A task is made again from its name; a name of other rules or rows is refused, and so is more beside it."""
    usual = arena.task("arena/dockfight-v2 against greedy")
    assert (usual.game, usual.seats, [one.name for one in usual.rivals]) == ("dockfight", 3, ["greedy"])
    assert usual.name == arena.task("dockfight", "greedy").name == "arena/dockfight-v2 against greedy"
    game, value = "fish-food", next(Environment("fish-food").game.unusual())[2]
    other = arena.task(game, ["random", "greedy"], seats=3, variants=value)
    again = arena.task(other.name)
    assert (again.name, again.fingerprint, again.variants) == (other.name, other.fingerprint, other.variants)
    assert " seats=3 " in other.name
    mistakes: list[tuple[Callable[[], Any], str]] = [
        (lambda: arena.task("arena/dockfight-v1 against greedy"), "expected arena/dockfight-v2, .* got arena/dockf"),
        (lambda: arena.task("arena/dockfight-v2 against greedy", seats=2), "expected the name of a task alone"),
        (lambda: arena.task("dockfight", seats=9), "expected .* seats for dockfight, got 9"),
        (lambda: arena.task("chess"), "expected a game of"),
    ]
    for wrong, said in mistakes:
        with pytest.raises(UsageError, match=said):
            wrong()
    for opponents, told in (
        ([], "got none"),
        (["greedy", "greedy"], "different names"),
        ("grandmaster", "got 'grandm"),
    ):
        with pytest.raises(BotError, match=told):
            arena.task("lure", opponents)


def test_a_fingerprint_of_a_task() -> None:
    """It differs by table, variants, opponents, and by the weights of a past self."""
    task = arena.task("dockfight", "greedy")
    pasts = [arena.task("dockfight", task.snapshot(Net(task, seed))) for seed in (1, 2)]
    others = [task, arena.task("dockfight"), arena.task("dockfight", "greedy", seats=2), *pasts]
    assert len({other.fingerprint for other in others}) == 5
    assert task.encoding.fingerprint == read_goldens()["arena/dockfight-v2"]["fingerprint"]
    assert arena.task("dockfight", "greedy").fingerprint == task.fingerprint


def test_all_sit_at_one_table() -> None:
    """Environments and measurements have the seats, variants and opponents of the task."""
    seen = set()

    def asked(row: Any, mask: Any) -> Any:
        seen.add(len(row))
        return first(row, mask)

    task = arena.task("lure", ["random", "greedy"], seats=3)
    one = task.make_gym(seat=1)
    many = task.make_vector(2, seat=0)
    many.close()
    task.measure(asked, deals=1, beside={})
    spaces: list[Any] = [one.observation_space, many.single_observation_space]
    assert seen == {space.shape[0] for space in spaces}
    assert one.encoding is many.encoding is task.encoding


def test_a_measurement_is_of_the_arena_s_own_matches() -> None:
    """Its share and its interval are those of a run with the same bots, seats and text of deals."""
    task = arena.task("dockfight", "greedy")
    net, shares = Net(task, 3), np.zeros(12)

    def note(record: arena.Record, _: int) -> None:
        block = int(record.id.partition("b")[2].partition("r")[0])
        shares[block] += rank_utility(record.ranks)[record.bots.index("mine")] / 3

    arena.play_many(
        "dockfight", [arena.local_bot(PolicyBot(net), "mine"), "greedy*2"], matches=36, seed="x", progress=note
    )
    found = task.measure(net, deals=12, seed="x")
    assert found.mean == pytest.approx(shares.mean())
    assert (found.matches, found.opponents, len(found.lineups)) == (36, ("greedy",), 1)
    half = 2.201 * max(shares.std(ddof=1) / sqrt(12), 2 / 12)
    assert found.low == pytest.approx(max(found.mean - half, -1), abs=0.002)
    assert found.high == pytest.approx(found.mean + half, abs=0.002)
    [apart] = found.differences
    assert apart.player == "greedy"
    assert apart.mean == pytest.approx(found.mean)  # greedy among its equals is level
    assert found.verdict in {"worse", "open"}
    assert task.measure(net, deals=2, beside={}).low is None


def test_payoffs_by_line_up() -> None:
    """Each line-up of opponents, one of them twice too, has a payoff; the share weighs them as an environment draws."""
    task = arena.task("lure", ["random", "greedy"])
    found = task.measure(first, deals=2, seed="x", beside={"greedy": "greedy", "same": first})
    assert [(one.opponents.count("greedy"), one.chance) for one in found.lineups] == [
        (0, 1 / 8),
        (1, 3 / 8),
        (2, 3 / 8),
        (3, 1 / 8),
    ]
    assert found.payoff.shape == (2, 2, 2)
    assert (found.payoff == found.payoff.transpose(2, 0, 1)).all()
    assert found.payoff.mean() == pytest.approx(found.mean)
    assert {one.player: one.mean for one in found.differences}["same"] == 0
    read = json.loads(found.to_json())
    assert (read["task"], read["fingerprint"], read["arena"]) == (task.name, task.fingerprint, arena.__version__)
    assert read["lineups"][1]["opponents"] == ["random", "random", "greedy"]


def test_a_snapshot_stays_what_it_is(tmp_path: Path) -> None:
    """A learner that cannot be copied is frozen as bytes, plays in other processes, and does not learn on."""
    task = arena.task("dockfight")
    learner = Learner(Net(task, 1))
    with pytest.raises(RuntimeError):
        deepcopy(learner)
    past = task.snapshot(learner)
    same = task.snapshot(Net(task, 1), batches=True)
    before = task.measure(learner, deals=1, seed="x", beside={})
    learner.net.weights[:] = np.random.default_rng(2).normal(size=learner.net.weights.shape)
    assert [task.measure(bot, deals=1, seed="x", beside={}).mean for bot in (past, same)] == [before.mean] * 2
    many = task.make_vector(4, processes=2)
    many.add(past)
    many.reset(seed=1)
    for _ in range(6):
        many.step(np.where(many.action_masks().any(axis=1), many.action_masks().argmax(axis=1), 0))
    many.close()
    assert past.name != task.snapshot(learner).name
    with open(tmp_path / "notes", "w", encoding="utf-8") as file, pytest.raises(UsageError, match="written as bytes"):  # noqa: PTH123
        task.snapshot(lambda row, mask: file and first(row, mask))
    unmasked = SimpleNamespace(predict=lambda observation: observation, save=learner.save, load=learner.load)
    with pytest.raises(UsageError, match="whose predict takes action_masks, as MaskablePPO, got SimpleNamespace"):
        task.snapshot(unmasked)
    with pytest.raises(UsageError, match="expected a policy that this Python reads, got "):
        FrozenPolicy(b"no pickle")(None, None)


@pytest.mark.long
@pytest.mark.parametrize("level", ["none", "landlock", "bwrap"])
def test_an_export_plays(level: Level, tmp_path: Path) -> None:
    """What was learnt plays at every isolation as it was measured, without what lies beside it; it needs no folder."""
    needed(level)
    task = arena.task("dockfight", "greedy")
    model = Learner(Net(task, 3)) if level == "landlock" else Net(task, 3)
    bot = task.export(model, tmp_path / "mine")
    found = task.measure(model, deals=2, seed="x", beside={})
    with arena.open_run(
        "dockfight", [str(bot), "greedy*2"], matches=6, seed="x", out=tmp_path / "run", isolation=level
    ) as run:
        records = list(run.play())
    assert not [record.faults for record in records if record.faults]
    shares = [rank_utility(record.ranks)[record.bots.index("mine")] for record in records]
    assert np.mean(shares) == pytest.approx(found.mean)


def test_an_export_sits_at_its_table_alone(tmp_path: Path) -> None:
    """It refuses another number of seats; what is no export is not replaced; a mistake is told."""
    task = arena.task("dockfight", "greedy")
    bot = task.export(first, tmp_path / "mine")
    assert task.export(first, bot) == bot
    loaded, policy = (task.measure(one, deals=1, seed="x", beside={}) for one in (load_bot(bot), first))
    assert loaded.lineups == policy.lineups
    other = arena.open_run("dockfight", [str(bot), "greedy"], matches=2, out=tmp_path / "run", isolation="none")
    with pytest.raises(arena.NotReadyError, match=r"expected the encoding .* \(arena/dockfight-v2, 2 seats\)"), other:
        pass
    (bot / "policy.json").write_text((bot / "policy.json").read_text().replace('"python": "3.', '"python": "2.'))
    with pytest.raises(UsageError, match=r"expected Python 2\.\d+, which wrote the policy, got 3\."):
        load_bot(bot)
    (tmp_path / "notes").mkdir()
    for place, said in (("notes", "a new folder or an earlier export"), ("my bot", "a folder with the name of a bot")):
        with pytest.raises(UsageError, match=said):
            task.export(first, tmp_path / place)
    with pytest.raises(UsageError, match="expected a policy or a learner, got int"):
        task.export(5, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_batches() -> None:
    """A policy that takes many rows at once is asked so; one that gives another number of actions is told."""
    task = arena.task("dockfight")
    shapes = set()

    def batched(rows: Any, masks: Any) -> Any:
        shapes.add((rows.ndim, masks.ndim))
        return masks.argmax(axis=1)

    task.measure(batched, deals=1, batches=True, beside={})
    assert shapes == {(2, 2)}
    with pytest.raises(BotError, match="expected 1 actions of a policy that takes batches, got 2"):
        task.measure(lambda _rows, _masks: [0, 0], deals=1, batches=True, beside={})
    with pytest.raises(BotError, match=r"expected an action of \[.*\], got 10000"):
        task.measure(lambda _row, _mask: 10_000, deals=1, beside={})
    with pytest.raises(UsageError, match="expected deals from 1, got 0"):
        task.measure(first, deals=0)
    with pytest.raises(UsageError, match="expected a policy, a learner or a bot, got int"):
        task.measure(5)
    assert encoding_of("dockfight", 3).fingerprint == task.encoding.fingerprint


def test_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for a ``VecEnv`` without Stable-Baselines3 is told what is not there."""
    monkeypatch.delitem(sys.modules, "arena.environments.learner_vec_env", raising=False)
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env", None)
    with pytest.raises(UsageError, match="expected Stable-Baselines3 to be installed, got no stable_baselines3"):
        arena.task("dockfight").make_vec_env(2)


@pytest.mark.long
def test_a_learner_of_stable_baselines() -> None:
    """MaskablePPO learns on a ``VecEnv`` against its past self; its matches are those of the vector environment."""
    contrib = pytest.importorskip("sb3_contrib")
    task = arena.task("dockfight")
    sea = task.make_vec_env(4)
    model = contrib.MaskablePPO("MlpPolicy", sea, n_steps=16, batch_size=32, seed=1)
    model.learn(64)
    sea.add(task.snapshot(model))
    model.learn(64)
    plain, ends = task.make_vector(4, autoreset_mode="SameStep"), 0
    fresh = task.make_vec_env(4)
    fresh.seed(3)
    assert np.array_equal(fresh.reset(), plain.reset(seed=3)[0])
    for _ in range(60):
        masks = np.stack(fresh.env_method("action_masks"))
        rows, rewards, over, infos = fresh.step(masks.argmax(1))
        twin, gains, ended, capped, more = plain.step(masks.argmax(1))
        assert np.array_equal(rows, twin)
        assert np.array_equal(rewards, gains.astype("float32"))
        assert np.array_equal(over, ended | capped)
        for place in np.flatnonzero(over):
            ends += 1
            assert np.array_equal(infos[place]["terminal_observation"], more["final_obs"][place])
    assert ends
    assert not fresh.has_attr("nothing")
    with pytest.raises(UsageError, match="expected indices of all matches"):
        fresh.env_method("action_masks", indices=[1])
