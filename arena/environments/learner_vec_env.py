"""Many matches at once as a ``VecEnv`` of Stable-Baselines3, for its learners. Knows no rules."""

from typing import Any

from arena.environments.vectorized import VectorGym
from arena.errors import UsageError
from arena.python_bots import AnyBot

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise UsageError(f"expected Stable-Baselines3 to be installed, got no {error.name}") from None


class LearnerVecEnv(VecEnv):  # type: ignore[misc]
    """The matches of a vector environment that deals again in the step that ends a match.

    ``infos`` have ``terminal_observation`` and ``TimeLimit.truncated`` where a match ended; ``env_method`` asks for
    masks as MaskablePPO does. All methods are for all matches: a ``UsageError`` names ``indices``.
    """

    def __init__(self, vector: VectorGym) -> None:
        """``vector``: with ``autoreset_mode="SameStep"``."""
        self._vector, self._actions = vector, None
        super().__init__(vector.num_envs, vector.single_observation_space, vector.single_action_space)

    def reset(self) -> Any:
        """Deal all matches; the rows."""
        rows, _ = self._vector.reset(seed=self._seeds)
        self._reset_seeds()
        self._reset_options()
        return rows

    def step_async(self, actions: Any) -> None:
        """Take actions, which ``step_wait`` plays."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Rows, rewards and ends after the actions."""
        rows, rewards, ended, capped, ends = self._vector.step(self._actions)
        over, infos = ended | capped, [dict[str, Any]() for _ in range(self.num_envs)]
        for place in over.nonzero()[0].tolist():
            infos[place] = {
                "terminal_observation": ends["final_obs"][place],
                "TimeLimit.truncated": bool(capped[place] and not ended[place]),
            }
        return rows, rewards.astype("float32"), over, infos

    def add(self, opponent: AnyBot) -> None:
        """One more opponent everywhere, from the next match on."""
        self._vector.add(opponent)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """What a method of each match gives."""
        self._check_indices(indices)
        if method_name == "action_masks":
            return [*self._vector.action_masks()]
        return [*self._vector.call(method_name, *args, **kwargs)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """What each match has under this name; ``AttributeError``: nothing."""
        self._check_indices(indices)
        try:
            return [*self._vector.get_attr(attr_name)]
        except UsageError as error:
            raise AttributeError(str(error)) from None

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set something in each match."""
        self._check_indices(indices)
        self._vector.set_attr(attr_name, [value] * self.num_envs)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002 - as of VecEnv
        """No match is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """End all processes."""
        self._vector.close()

    def _check_indices(self, indices: Any) -> None:
        if indices is not None and [*self._get_indices(indices)] != [*range(self.num_envs)]:
            raise UsageError(f"expected indices of all matches, got {indices!r}")
