"""Games as environments of PettingZoo: ``env("dockfight")`` is an ``AECEnv``. Needs the extra ``pettingzoo``.

Agents are ``seat_0``, ``seat_1`` and so on. Actions are those of ``SinglePicks``. Seats that are asked at once act one
after the other, and nobody hears anything in between.
"""

from collections.abc import Mapping
from copy import copy, deepcopy
from random import Random
from typing import Any, SupportsIndex

from arena.environments.encoding import encoding_of
from arena.environments.environment import Environment, read_seed
from arena.environments.single_picks import DEALS, SinglePicks, read_render_mode, render_text, reward_range, rewards
from arena.errors import UsageError
from arena.extras import install
from arena.game import Seat

try:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
except ImportError as error:
    raise UsageError(f"expected PettingZoo to be installed ({install('pettingzoo')}), got no {error.name}") from None


class ArenaEnv(AECEnv):  # type: ignore[misc]  # PettingZoo carries no types
    """One table as an environment; ``reset`` is due first.

    An observation has ``observation``, a row of numbers that ``describe()`` names, and ``action_mask``: 1 for what may
    be done. ``details`` gives it in the game's own types; ``infos`` are empty, as wrappers of learners want them.
    At the end each seat gets the share of its opponents that it finished ahead of, minus the share that finished ahead
    of it: from -1 to 1, and 0 in all. Where the score counts, it gets its score.
    """

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        *,
        variants: Mapping[str, str] | None = None,
        seed: SupportsIndex | None = None,
        render_mode: str | None = None,
    ) -> None:
        """A game by its name as an environment of PettingZoo, by default at its usual table.

        From ``seed`` follow the deals of resets without a seed; by default they differ each time. ``render_mode`` is
        ``ansi``, as by default: ``render`` gives the table as text; or ``human``: it prints the text, and so does each
        step. ``UsageError``: no such game, variant, seats or mode, or a seed that is no number.
        """
        super().__init__()
        self._table = Environment(game, seats, variants)
        self._dice = Random(None if seed is None else read_seed(seed))  # noqa: S311 - deals of training need no secrecy
        self.encoding = encoding_of(self._table.game.name, self._table.seats, self._table.variants)
        self.metadata = {
            "name": self.encoding.name,
            "render_modes": ["ansi", "human"],
            "is_parallelizable": False,
        }
        self.render_mode = read_render_mode(render_mode)
        self.reward_range = reward_range(self._table.game, self._table.seats, self._table.variants)
        """The least and the greatest reward; None where they are not known."""
        self.possible_agents = [f"seat_{seat}" for seat in range(self._table.seats)]
        self._seats: dict[str, Seat] = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._match = SinglePicks(self._table, self.encoding)
        self.done = self._match.done
        """The action that ends a row of picks."""
        low, high = (np.array(ends, np.float32) for ends in (self.encoding.low, self.encoding.high))
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(low, high, dtype=np.float32),
                    "action_mask": Box(0, 1, (self.done + 1,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(self.done + 1) for agent in self.possible_agents}
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._dealt = False

    def describe(self) -> list[str]:
        """What each number of an observation is, with its bounds, and each action, a line each."""
        return self.encoding.describe()

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations, the same each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions, the same each time."""
        return self.action_spaces[agent]

    def reset(self, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - theirs
        """Deal again: the same seed gives the same deal, and the same deals of all resets without a seed after it."""
        if seed is not None:
            seed = read_seed(seed)
            self._dice = Random(seed)  # noqa: S311 - deals of training need no secrecy
        for _ in range(DEALS):
            self._match.reset(self._dice.getrandbits(64) if seed is None else seed)
            if self._match.seat is not None:
                break
            seed = None
        else:
            raise UsageError(f"expected a match in which somebody is asked, got none in {DEALS} deals")
        self._dealt = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn()

    def step(self, action: SupportsIndex | None) -> None:
        """Pick an option, or be done; None from an agent for which the match is over.

        An action that the mask forbids ends the match: 0 for the others, and for the agent that took it the least of
        all rewards, or -1 where that is not known. ``UsageError``: it is no action at all, or ``reset`` is due.
        """
        if not self.agents:
            raise UsageError("expected a reset before the first step and after the last, got none")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if self._match.take(self._match.read_action(action)):
            self._turn()
        else:
            self._match.forfeited = True
            self.rewards[agent] = float(self.reward_range[0]) if self.reward_range else -1.0
            self.terminations = dict.fromkeys(self.agents, True)
            self._end()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows, with a mask only for the one that acts; a ``UsageError`` if ``reset`` is due."""
        if not self._dealt:
            raise UsageError("expected a reset before the first observation, got none")
        row = np.frombuffer(self._match.row(self._seats[agent]), np.float32)
        return {"observation": row, "action_mask": row[self.encoding.offered].astype(np.int8)}

    def render(self) -> str | None:
        """The table as the seat that acts sees it, in words; printed, and nothing given back, in the mode ``human``."""
        return render_text(str(self._table.observation(self._seats[self.agent_selection])), mode=self.render_mode)

    def state(self) -> Any:
        """The rows of all agents one after the other: for a critic that may know what every seat knows."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def details(self, agent: str) -> dict[str, Any]:
        """What an agent knows and is asked, in the game's own types.

        ``observation``; ``options``, none if it is not asked; and ``events``: what it saw since it last answered.
        """
        seat = self._seats[agent]
        options = self._table.options if seat == self._match.seat else ()
        return {"observation": self._table.observation(seat), "options": options, "events": self._table.events(seat)}

    def close(self) -> None:
        """Nothing is open."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "ArenaEnv":
        """An independent environment that continues in the same way; what never changes is shared."""
        match = self._match.copy() if self._dealt else SinglePicks(self._table.again(), self.encoding)
        other = copy(self)
        changing = ("_dice", "agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
        other.__dict__.update(
            {name: copy(value) for name, value in self.__dict__.items() if name in changing},
            _match=match,
            _table=match.table,
            # spaces draw samples by dice of their own
            action_spaces=deepcopy(self.action_spaces, memo),
            observation_spaces=deepcopy(self.observation_spaces, memo),
        )
        return other

    def _turn(self) -> None:
        table = self._table
        if table.seat is not None:
            self.agent_selection = self.possible_agents[table.seat]
            return
        utility = rewards(table.game, table.standing())
        for agent, seat in self._seats.items():
            self.rewards[agent] = utility[seat]
            self.terminations[agent] = not table.capped
            self.truncations[agent] = table.capped
        self._end()

    def _end(self) -> None:
        """All rewards come at the end: before it there is nothing to clear or to add up."""
        self.agent_selection = self.possible_agents[0]
        self._accumulate_rewards()


env = ArenaEnv
"""It does by itself what PettingZoo's usual wrappers would do, at a third of the cost: see ``ArenaEnv.step``."""
