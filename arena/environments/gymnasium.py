"""Games as environments of Gymnasium: one seat learns, opponents have the others. Needs the extra ``pettingzoo``.

Importing this registers each game by name and version, as ``arena/dockfight-v2``. Actions are those of ``SinglePicks``.
"""

from array import array
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Literal

import numpy as np

from arena import games
from arena.bot import Bot, Decision, Hello
from arena.environments.encoding import encoding_of, name_of
from arena.environments.environment import Environment, read_integer, read_seed
from arena.environments.policies import Play, PolicyBot, Question, play_together
from arena.environments.single_picks import DEALS, SinglePicks, read_render_mode, render_text, reward_range, rewards
from arena.errors import BotError, UsageError
from arena.extras import install
from arena.game import Seat
from arena.python_bots import AnyBot, several
from arena.selfplay import Policy, hears_message, make_policy
from arena.wire import DEFAULT_LIMITS, PROTOCOL, Over

try:
    from gymnasium import Env, register, registry
    from gymnasium.spaces import Box, Discrete
except ImportError as error:
    raise UsageError(f"expected Gymnasium to be installed ({install('pettingzoo')}), got no {error.name}") from None


class GymEnv(Env[Any, Any]):
    """One seat of a game; the opponents answer within ``step``.

    An observation is a row of numbers that ``describe()`` names. ``action_masks()``, and ``info["action_mask"]``, are 1
    for what may be done; any other action ends the match at the least of ``reward_range``, or at -1 if that is unknown.
    The reward comes at the end: the share of opponents that the seat finished ahead of, minus the share that finished
    ahead of it; or its score, if the game goes by it.
    ``info["ranks"]`` then has all ranks.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium types it

    def __init__(
        self,
        game: str,
        opponents: AnyBot | Iterable[AnyBot] = "random",
        *,
        seat: Seat | str = "random",
        seats: int | None = None,
        variants: Mapping[str, str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """For each match and other seat one of ``opponents`` is drawn.

        They are ``random``, ``greedy`` or ``search``, a function from ``arena.Decision`` to picks, a ``Bot``, or a past
        self as a ``PolicyBot``. ``seat``: the learner's, by default another one in each match. ``render_mode``: as
        of ``read_render_mode``. ``UsageError``, ``BotError``: no such game, variant, seats, seat, opponent or mode.
        """
        self.render_mode = read_render_mode(render_mode)
        self._table = Environment(game, seats, variants)
        self.encoding = encoding_of(self._table.game.name, self._table.seats, self._table.variants)
        self.seats = self._table.seats
        self._match = SinglePicks(self._table, self.encoding)
        if seat != "random" and read_integer(seat) not in range(self._table.seats):
            raise UsageError(f"expected seat='random' or a seat from 0 to {self._table.seats - 1}, got {seat!r}")
        self._fixed = None if seat == "random" else read_integer(seat)
        self.opponents: list[Policy] = []
        for opponent in several(opponents):
            self.add(opponent)
        if not self.opponents:
            raise BotError("expected an opponent, got none")
        self._kept: dict[tuple[int, Seat], Bot[Any]] = {}
        self._players: dict[Seat, Bot[Any]] = {}
        self._hellos: dict[Seat, Hello] = {}
        self._dice: dict[Seat, Random] = {}
        self.reward_range = reward_range(self._table.game, self.seats, self._table.variants)
        """The least and the greatest reward; None where they are not known."""
        self.seat: Seat = 0
        """The learner's in this match."""
        low, high = (np.array(ends, np.float32) for ends in (self.encoding.low, self.encoding.high))
        self.observation_space = Box(low, high, dtype=np.float32)
        self.action_space = Discrete(self.encoding.done + 1)

    def add(self, opponent: AnyBot) -> None:
        """One more opponent, from the next match on: a league of past selves calls this now and then."""
        self.opponents.append(make_policy(opponent))

    def describe(self) -> list[str]:
        """What each number of an observation is, with its bounds, and each action, a line each."""
        return self.encoding.describe()

    def action_masks(self) -> Any:
        """Which actions may be taken, as truth values: what MaskablePPO of sb3-contrib asks for."""
        mask = np.zeros(self.encoding.done + 1, np.bool_)
        mask[self._match.legal()] = True
        return mask

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal again: the same seed gives the same match, and the same ones of all resets without a seed after it."""
        play_together([self.deal(seed=seed, options=options)])
        return self._observe()

    def deal(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Play[None]:
        """As ``reset``, without a row, for ``play_together``."""
        super().reset(seed=None if seed is None else read_seed(seed), options=options)
        for _ in range(DEALS):
            dice = Random(int(self.np_random.integers(2**63)))  # noqa: S311 - training needs no secrecy
            self.seat = dice.randrange(self._table.seats) if self._fixed is None else self._fixed
            self._match.reset(dice.getrandbits(64))
            self._greet(dice)
            yield from self._play_others()
            if self._table.seat is not None:
                return
        raise UsageError(f"expected a match in which the learner is asked, got none in {DEALS} deals")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action; ``UsageError`` if no match is in play, or it is no action at all."""
        [(reward, ended, capped)] = play_together([self.take(action)])
        if self.render_mode == "human":
            self.render()
        row, info = self._observe()
        if self.ranks:
            info["ranks"] = self.ranks
        return row, reward, ended, capped, info

    def take(self, action: Any) -> Play[tuple[float, bool, bool]]:
        """As ``step``, for ``play_together``: the reward, and whether the match ended or was capped."""
        if not self._match.take(self._match.read_action(action)):
            self._match.forfeited = True
            least, _ = self.reward_range or (-1, 1)
            return float(least), True, False
        yield from self._play_others()
        if self._table.result is None:
            return 0.0, False, False
        capped = self._table.capped
        return rewards(self._table.game, self._table.result)[self.seat], not capped, capped

    @property
    def ranks(self) -> tuple[int, ...]:
        """All ranks once the match is over; none before."""
        return self._table.result.ranks if self._table.result else ()

    def render(self) -> Any:
        """The table as the learner sees it, in words; printed, and nothing given back, in the mode ``human``."""
        return render_text(str(self._table.observation(self.seat)), mode=self.render_mode)

    def row(self) -> "array[float]":
        """The observation, as the encoding gives it."""
        return self._match.row(self.seat)

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        row = np.frombuffer(self.row(), np.float32)
        return row, {"action_mask": row[self.encoding.offered].astype(np.int8)}

    def _greet(self, dice: Random) -> None:
        """Seat an opponent at each other seat, and tell those that want to know."""
        table = self._table
        self._players = {}
        for seat in range(table.seats):
            if seat == self.seat:
                continue
            drawn = dice.randrange(len(self.opponents))
            if (drawn, seat) not in self._kept:
                self._kept[drawn, seat] = self.opponents[drawn].make()
            player = self._players[seat] = self._kept[drawn, seat]
            hello = Hello(
                protocol=PROTOCOL,
                match="training",
                game=table.game.name,
                version=table.game.version,
                variants=table.variants,
                seat=seat,
                seats=table.seats,
                seed=dice.getrandbits(53),
                limits=DEFAULT_LIMITS,
            )
            self._hellos[seat], self._dice[seat] = hello, Random(hello.seed)  # noqa: S311 - dice of a game
            if hears_message(player, "begin"):
                player.begin(hello)

    def _play_others(self) -> Play[None]:
        """Play on until the learner is asked or the match is over."""
        table = self._table
        while table.seat is not None and table.seat != self.seat:
            seat, decision = table.seat, table.decision
            player = self._players[seat]
            if type(player) is PolicyBot and player.batches:
                self._match.act((yield Question(player, self._match.row(seat), self.encoding.offered)))
                continue
            question: Decision[Any] = Decision(
                decision.options,
                decision.least,
                decision.most,
                observation=table.observation(),
                events=table.events(),
                time=DEFAULT_LIMITS.move,
                hello=self._hellos[seat],
                rng=self._dice[seat],
            )
            table.step([*player.decide(question)])
        if table.result is not None:
            ranks, scores = table.result.ranks, table.result.scores
            for seat, player in self._players.items():
                if hears_message(player, "over"):
                    events = list(table.events(seat))
                    reason: Literal["finished", "capped"] = "capped" if table.capped else "finished"
                    player.over(Over(ranks=ranks, scores=scores, reason=reason, events=events))


for _name in games.names():
    if (_id := name_of(games.find(_name))) not in registry:
        _vector = "arena.environments.vectorized:make_vector"
        register(id=_id, entry_point=f"{__name__}:GymEnv", vector_entry_point=_vector, kwargs={"game": _name})
