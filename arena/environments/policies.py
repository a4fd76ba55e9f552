"""Policies that map a row of numbers to an action, as bots; and learners as policies, frozen as bytes.

A learner is what Stable-Baselines3 calls a model: it has ``predict``, ``save`` and ``load``. Its network and its
optimizer cannot always be copied, but always saved.
"""

import pickle
import platform
import sys
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from hashlib import sha256
from inspect import signature
from io import BytesIO
from pathlib import Path
from sysconfig import get_paths
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from arena.bot import Bot, Decision, Hello
from arena.environments.encoding import encoding_of
from arena.errors import UsageError, raised
from arena.extras import install
from arena.interpreter import __version__

Policy: TypeAlias = Callable[[Any, Any], Any]
"""From a row of numbers and a mask of the actions, both of NumPy, to an action that the mask allows.

One that is asked in batches takes a row and a mask for each question, and gives an action for each.
"""


class PolicyBot(Bot[Any]):
    """A bot that plays by a policy: for past selves as opponents, for measurements and for runs."""

    def __init__(self, policy: Policy, *, batches: bool = False, fingerprint: str | None = None) -> None:
        """``policy`` is shared with all copies of the bot; ``batches``: it takes many rows at once.

        ``fingerprint``: of the encoding that it was trained with; a match of another one is refused at its beginning.
        """
        self.policy, self.batches, self.fingerprint = policy, batches, fingerprint

    def __deepcopy__(self, _memo: Any) -> "PolicyBot":
        other = PolicyBot(self.policy, batches=self.batches, fingerprint=self.fingerprint)
        other.name = self.name
        return other

    def begin(self, hello: Hello, /) -> None:
        """``UsageError``: the policy was trained at another table."""
        encoding_of(hello.game, hello.seats, hello.variants, fingerprint=self.fingerprint)

    def decide(self, decision: Decision[Any], /) -> list[int]:
        """One pick after the other; a ``UsageError`` if the policy takes an action that the mask forbids."""
        encoding = encoding_of(decision.game, decision.seats)

        def choose(row: "array[float]", _legal: list[int]) -> int:
            return _answer([Question(self, row, encoding.offered)])[0]

        return encoding.picks(decision, decision.observation, seat=decision.seat, choose=choose)

    def act(self, rows: Any, masks: Any) -> list[int]:
        """An action for each row and its mask: of a policy that takes ``batches`` in one call."""
        if not self.batches:
            return [int(self.policy(row, mask)) for row, mask in zip(rows, masks, strict=True)]
        actions = [int(action) for action in self.policy(rows, masks)]
        if len(actions) != len(rows):
            raise UsageError(f"expected {len(rows)} actions of a policy that takes batches, got {len(actions)}")
        return actions


class Question(NamedTuple):
    """What a policy is asked: a row, with the place of its mask."""

    bot: PolicyBot
    row: "array[float]"
    offered: slice


Result = TypeVar("Result")
Play: TypeAlias = Generator[Question, int, Result]
"""Is played on to its end, and sent an action for each question."""


def play_together(plays: Sequence[Play[Result]]) -> list[Result]:
    """What each play returns. Those that wait for the same policy are answered by one call of it."""
    results = dict[int, Result]()
    answers: list[tuple[int, Any]] = [(place, None) for place in range(len(plays))]
    while answers:
        waiting: dict[int, list[tuple[int, Question]]] = {}
        for place, action in answers:
            try:
                question = plays[place].send(action)
            except StopIteration as end:
                results[place] = end.value
            else:
                waiting.setdefault(id(question.bot.policy), []).append((place, question))
        answers = []
        for group in waiting.values():
            actions = _answer([question for _, question in group])
            answers += [(place, action) for (place, _), action in zip(group, actions, strict=True)]
    return [results[place] for place in range(len(plays))]


def _answer(questions: Sequence[Question]) -> list[int]:
    bot, _, offered = questions[0]
    rows = np.frombuffer(bytearray().join([question.row for question in questions]), np.float32)
    rows = rows.reshape(len(questions), -1)
    return bot.act(rows, rows[:, offered].astype(np.int8))


class FrozenPolicy:
    """A policy as it is now, as bytes: what it learns later does not change it. A process makes it when it is asked."""

    def __init__(self, packed: bytes) -> None:
        """``packed``: a pickle, as ``freeze`` writes it."""
        self.packed = packed

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenPolicy, (self.packed,)

    @property
    def digest(self) -> str:
        """16 digits that tell these bytes from others."""
        return sha256(self.packed).hexdigest()[:16]

    @cached_property
    def policy(self) -> Policy:
        """The policy, made in this process; ``UsageError``: it cannot be."""
        try:
            policy: Policy = pickle.loads(self.packed)  # noqa: S301 - of who trained it
        except Exception as error:
            raise UsageError(f"expected a policy that this Python reads, got {raised(error)}") from error
        return policy

    def __call__(self, row: Any, mask: Any) -> Any:
        """An action, or one for each of many rows."""
        return self.policy(row, mask)


class _SavedLearner:
    """Is pickled as a call that loads the learner: whoever reads the bytes has its policy."""

    def __init__(self, kind: Any, saved: bytes, *, greedy: bool) -> None:
        self._loads = partial(_load_learner, kind, saved, greedy=greedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._loads, ()


def _load_learner(kind: Any, saved: bytes, *, greedy: bool) -> Policy:
    return predictor_of(kind.load(BytesIO(saved), device="cpu"), greedy=greedy)


def is_learner(player: Any) -> bool:
    """Whether it is a model as Stable-Baselines3 has them."""
    return all(callable(getattr(player, name, None)) for name in ("predict", "save", "load"))


def predictor_of(learner: Any, *, greedy: bool) -> Policy:
    """A learner as a policy that takes batches, too; ``UsageError``: it knows no masks."""
    if "action_masks" not in signature(learner.predict).parameters:
        raise UsageError(
            f"expected a learner whose predict takes action_masks, as MaskablePPO, got {type(learner).__name__}"
        )
    return lambda row, mask: learner.predict(row, action_masks=mask, deterministic=greedy)[0]


def freeze(player: Any, *, greedy: bool = True) -> FrozenPolicy:
    """A learner by its own ``save``, or any policy with the values that it holds, by cloudpickle.

    ``greedy``: a learner takes its best action, and draws none. ``UsageError``: it is neither, or cannot be written.
    """
    if isinstance(player, FrozenPolicy):
        return player
    if not callable(player) and not is_learner(player):
        raise UsageError(f"expected a policy or a learner, got {type(player).__name__}")
    try:
        import cloudpickle  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra, for this alone
    except ImportError as error:
        raise UsageError(f"expected cloudpickle to be installed ({install('pettingzoo')}), got none") from error
    try:
        if is_learner(player):
            predictor_of(player, greedy=greedy)
            player.save(saved := BytesIO())
            player = _SavedLearner(type(player), saved.getvalue(), greedy=greedy)
        with _modules_by_value(cloudpickle):
            return FrozenPolicy(cloudpickle.dumps(player))
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"expected a policy that can be written as bytes, got {raised(error)}") from error


class Exported(Struct, frozen=True, kw_only=True):
    """What stands beside the bytes of an exported policy."""

    task: str
    encoding: str
    batches: bool
    python: str = ".".join(platform.python_version_tuple()[:2])
    arena: str = __version__


def load_bot(folder: Path) -> PolicyBot:
    """The bot of a folder that ``Task.export`` wrote; ``UsageError``: it was written by another Python."""
    facts = msgspec.json.decode((folder / "policy.json").read_bytes(), type=Exported)
    here = Exported.__struct_defaults__[0]
    if facts.python != here:
        raise UsageError(f"expected Python {facts.python}, which wrote the policy, got {here}: export it again")
    frozen = FrozenPolicy((folder / "policy.bin").read_bytes())
    bot = PolicyBot(frozen.policy, batches=facts.batches, fingerprint=facts.encoding)
    bot.name = folder.name
    return bot


@contextmanager
def _modules_by_value(cloudpickle: Any) -> Iterator[None]:
    """Modules that are not installed are written too, for who reads the bytes may stand in another folder."""
    places = [Path(path) for path in {*get_paths().values()}] + [Path(__file__).parents[1]]
    mine = []
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if (
            module is sys.modules.get(module.__name__)
            and name != "__main__"
            and file
            and not any(Path(file).is_relative_to(place) for place in places)
        ):
            mine.append(module)
    for module in mine:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in mine:
            cloudpickle.unregister_pickle_by_value(module)
