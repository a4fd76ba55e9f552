"""Many matches at once as a vector environment of Gymnasium, in several processes that share one block of memory.

A process plays its share of the environments: it reads their actions from the block, and writes rows, rewards and ends
into it; a step sends one short message to each process, and gets one back. The first share is played by this process.
"""

import pickle
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from mmap import mmap
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, SupportsIndex

import numpy as np

from arena.environments.environment import read_integer, read_seed
from arena.environments.gymnasium import GymEnv
from arena.environments.policies import Play, play_together
from arena.errors import ArenaError, UsageError, raised
from arena.extras import install
from arena.game import Seat
from arena.python_bots import AnyBot, several
from arena.selfplay import DoJob, Worker, ask_worker, begin_worker, read_answer, start_fresh

try:
    import cloudpickle  # type: ignore[import-untyped]
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise UsageError(f"expected Gymnasium to be installed ({install('pettingzoo')}), got no {error.name}") from None

_STEP = b""
_CLOSED = "expected an open environment, got one that is closed"
_MEMORY = Path("/dev/shm")  # noqa: S108 - no file stays there: its name goes once all processes have it open


class VectorGym(VectorEnv[Any, Any, Any]):
    """``n`` environments as ``gym`` gives them, which end and begin again on their own.

    Seeds, ``infos`` and the modes of autoreset are as in Gymnasium's ``SyncVectorEnv``; ``infos["action_mask"]`` has a
    mask for each environment, and so has ``action_masks()``. The same seed gives the same matches in any number of
    processes. A process that is lost, and an opponent that raises an error, close the environment.
    """

    def __init__(
        self,
        game: str,
        opponents: AnyBot | Iterable[AnyBot] = "random",
        *,
        n: int = 16,
        processes: int = 1,
        seat: Seat | str = "random",
        seats: int | None = None,
        variants: Mapping[str, str] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        """As ``gym``, ``n`` times. One of ``processes`` is this one; opponents are copied to the others by cloudpickle.

        ``UsageError``, ``BotError``: as of ``gym``, or ``n`` and ``processes`` are no numbers from 1, or an opponent
        cannot be copied.
        """
        self._workers: dict[Connection, Worker] = {}
        for name, number in (("n", n), ("processes", processes)):
            if (read_integer(number) or 0) < 1:
                raise UsageError(f"expected {name} to be a whole number from 1, got {number!r}")
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise UsageError(f"expected autoreset_mode to be one of {modes}, got {autoreset_mode!r}") from None
        rivals = [*several(opponents)]
        make = partial(GymEnv, game, rivals, seat=seat, seats=seats, variants=variants)
        prototype = make()  # says what is wrong before a process starts
        self.num_envs, self.encoding, self.seats = n, prototype.encoding, prototype.seats
        self.single_observation_space, self.single_action_space = prototype.observation_space, prototype.action_space
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self.metadata = {"autoreset_mode": mode}
        self._mode = mode
        columns, shares = (len(self.encoding.names),), min(processes, n)
        kinds = [("action", "i8"), ("reward", "f8"), ("ended", "?"), ("capped", "?"), ("ranks", "i8", (self.seats,))]
        kind = np.dtype([*kinds, ("row", "f4", columns), ("final", "f4", columns)], align=True)
        self._bounds = [n * share // shares for share in range(shares + 1)]
        with NamedTemporaryFile(prefix="arena-", dir=_MEMORY if _MEMORY.is_dir() else None) as file:
            file.write(bytes(n * kind.itemsize))
            file.flush()
            try:
                self._local_share = _Share(make, file.name, kind, range(self._bounds[1]), mode)
                for first, after in pairwise(self._bounds[1:]):
                    packed = _packed((make, file.name, kind, range(first, after), mode))
                    here = begin_worker(start_fresh(partial(_begun, packed)), self._workers)
                    ask_worker(here, _packed(("call", [])))
                self._gathered()  # all have the file open, so that its name can go: the memory goes with who uses it
            except BaseException:
                self.close()
                raise
        self._block = self._local_share.block

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Deal all matches, of which the one with index i follows from ``seed + i``; or from its own of a sequence.

        With ``options={"reset_mask": mask}`` only those that the mask names are dealt.
        """
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_))
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise UsageError(f"expected a reset_mask of {self.num_envs} truth values of NumPy, got {mask!r}")
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
            seeds = [None if number is None else read_seed(number) for number in seed]
        else:
            seeds = [read_seed(seed) + place for place in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise UsageError(f"expected {self.num_envs} seeds, got {len(seeds)}")
        self._ask_worlds("deal", [(number, bool(here)) for number, here in zip(seeds, mask, strict=True)])
        return self._block["row"].copy(), self._masks(mask)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take an action in each environment."""
        block = self._block
        if np.shape(actions) != (self.num_envs,):
            raise UsageError(f"expected {self.num_envs} actions, got {actions!r}")
        if self.closed:
            raise UsageError(_CLOSED)
        block["action"][:] = self._read_actions(actions)
        self._all(_STEP)
        rows, ended, capped = block["row"].copy(), block["ended"].copy(), block["capped"].copy()
        infos, over = self._masks(np.ones(self.num_envs, np.bool_)), ended | capped
        if over.any():
            ended_infos = infos
            if self._mode == AutoresetMode.SAME_STEP:
                finals = block["final"][over]
                infos |= {"final_obs": _spread(finals, over), "_final_obs": over.copy(), "_final_info": over.copy()}
                masks = np.zeros_like(infos["action_mask"])
                masks[over] = finals[:, self.encoding.offered]
                ended_infos = infos["final_info"] = {"action_mask": masks, "_action_mask": over.copy()}
            ranked = over & (block["ranks"][:, 0] >= 0)
            if ranked.any():
                ended_infos |= {"ranks": _spread(map(tuple, block["ranks"][ranked].tolist()), ranked), "_ranks": ranked}
        return rows, block["reward"].copy(), ended, capped, infos

    def _read_actions(self, actions: Any) -> Any:
        numbers, done = np.asarray(actions), self.encoding.done
        if numbers.dtype.kind in "iu" and numbers.min() >= 0 and numbers.max() <= done:
            return numbers
        for action in actions:
            if read_integer(action) not in range(done + 1):
                raise UsageError(f"expected an action from 0 to {done}, got {action!r}")
        return [read_integer(action) for action in actions]

    def action_masks(self) -> Any:
        """A mask for each environment, as truth values."""
        return self._block["row"][:, self.encoding.offered] == 1

    def _masks(self, which: Any) -> dict[str, Any]:
        return {"action_mask": (self.action_masks() & which[:, None]).astype(np.int8), "_action_mask": which}

    def add(self, opponent: AnyBot) -> None:
        """One more opponent everywhere, from the next match on."""
        self.call("add", opponent)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method of each environment gives, or what is under this name."""
        self._local_share.check_attribute(name)
        return self._ask_worlds("call", [(name, args, kwargs)] * self.num_envs)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """What each environment has under this name."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set something in each environment: a list or tuple has one value for each."""
        settings = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(settings) != self.num_envs:
            raise UsageError(f"expected {self.num_envs} values of {name}, got {len(settings)}")
        self._ask_worlds("call", [("set_wrapper_attr", (name, value), {}) for value in settings])

    def close_extras(self, **_kwargs: Any) -> None:
        """End all processes, which frees what they share."""
        for here, (kill, _) in self._workers.items():
            kill()
            here.close()
        for _, wait_for in self._workers.values():
            wait_for()
        self._workers.clear()

    def _ask_worlds(self, name: str, arguments: list[Any]) -> tuple[Any, ...]:
        """What each environment answers to a question with something of its own."""
        jobs = [_packed((name, arguments[first:last])) for first, last in pairwise(self._bounds)]
        return tuple(reply for answer in self._all(*jobs) for reply in pickle.loads(answer))  # noqa: S301 - of our own processes

    def _all(self, *jobs: bytes) -> list[bytes]:
        """Have each process do its job, or all the same one; if anything goes wrong, all end."""
        if self.closed:
            raise UsageError(_CLOSED)
        jobs = jobs * len(self._bounds[1:]) if len(jobs) == 1 else jobs
        try:
            for here, job in zip(self._workers, jobs[1:], strict=True):
                self._tell(here, job)
            return [self._local_share.do(jobs[0]), *self._gathered()]
        except BaseException as error:  # Ctrl-C, too, leaves answers that nobody has read
            self.close()
            if isinstance(error, ArenaError) or not isinstance(error, Exception):
                raise
            raise UsageError(f"expected opponents that play, got {raised(error)}") from error

    def _tell(self, here: Connection, job: bytes) -> None:
        try:
            ask_worker(here, job)
        except ConnectionError:
            raise self._lost(here) from None

    def _gathered(self) -> list[bytes]:
        answers = []
        for here in self._workers:
            try:
                answers.append(read_answer(here))
            except (EOFError, ConnectionError):
                raise self._lost(here) from None
        return answers

    def _lost(self, here: Connection) -> UsageError:
        number = [*self._workers].index(here) + 1
        first, last = self._bounds[number], self._bounds[number + 1] - 1
        return UsageError(f"expected the process of environments {first} to {last} to play, got one that ended")


class _Share:
    """The environments that one process plays."""

    def __init__(self, make: Any, name: str, kind: Any, places: range, mode: AutoresetMode) -> None:
        """``name``: of the file that all processes share; ``kind``: of what it has of each environment."""
        with Path(name).open("r+b") as file:
            self.block: Any = np.frombuffer(mmap(file.fileno(), 0), kind)
        self._mode, self._worlds = mode, [(place, make()) for place in places]
        self._over = dict.fromkeys(places, False)

    def check_attribute(self, name: str) -> None:
        """Check that an environment has something under this name; else a ``UsageError``."""
        if not self._worlds[0][1].has_wrapper_attr(name):
            raise UsageError(f"expected the name of a method or an attribute of an environment, got {name!r}")

    def do(self, job: bytes) -> bytes:
        """Step if there is no word; else answer a question for each environment."""
        if job == _STEP:
            actions = self.block["action"]
            play_together([self._step(place, world, actions[place]) for place, world in self._worlds])
            return b""
        name, arguments = pickle.loads(job)  # noqa: S301 - of the process that started this one
        worlds = self._worlds if arguments else []
        pairs = zip(worlds, arguments, strict=True)
        if name == "deal":
            return _packed(play_together([self._deal(*world, *values) for world, values in pairs]))
        return _packed([self._call(*world, *values) for world, values in pairs])

    def _step(self, place: int, world: GymEnv, action: Any) -> Play[None]:
        block = self.block
        if self._over[place] and self._mode == AutoresetMode.NEXT_STEP:
            yield from self._deal(place, world, None, due=True)
            return
        reward, ended, capped = yield from world.take(action)
        block["reward"][place], block["ended"][place], block["capped"][place] = reward, ended, capped
        self._over[place] = over = ended or capped
        if over:
            block["ranks"][place] = world.ranks or -1
            if self._mode == AutoresetMode.SAME_STEP:
                block["final"][place] = world.row()
                yield from world.deal()
        block["row"][place] = world.row()

    def _deal(self, place: int, world: GymEnv, seed: int | None, due: bool) -> Play[None]:
        if due:
            yield from world.deal(seed=seed)
            self.block["reward"][place], self._over[place] = 0, False
            self.block["ended"][place] = self.block["capped"][place] = False
            self.block["row"][place] = world.row()

    @staticmethod
    def _call(_place: int, world: GymEnv, name: str, arguments: Any, keywords: Any) -> Any:
        value = world.get_wrapper_attr(name)
        return value(*arguments, **keywords) if callable(value) else value


def _begun(packed: bytes) -> DoJob:
    """Play a share in this process, which was started for it."""
    return _Share(*pickle.loads(packed)).do  # noqa: S301 - of the process that started this one


def _packed(value: Any) -> bytes:
    """Bytes from which another process makes this; a ``UsageError`` if none can be made."""
    try:
        packed: bytes = cloudpickle.dumps(value)
    except Exception as error:
        raise UsageError(f"expected what other processes can be sent, got {raised(error)}; take processes=1") from error
    return packed


def _spread(values: Iterable[Any], where: Any) -> Any:
    """Values as an array of objects, at the places where they are; None elsewhere."""
    spread = np.full(len(where), None, object)
    for place, value in zip(np.flatnonzero(where), values, strict=True):
        spread[place] = value
    return spread


def make_vector(num_envs: int = 1, **settings: Any) -> VectorGym:
    """What ``gymnasium.make_vec`` makes by its entry point: a ``VectorGym`` of ``num_envs`` environments."""
    return VectorGym(n=num_envs, **settings)
