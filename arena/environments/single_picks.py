"""Questions for environments whose agents act by one number: picks are made one after the other.

An action is the meaning of an option, as ``Encoding`` has it: several options that mean the same are one action, which
picks the first of them. One action more, ``done``, says that the picks made are all.
"""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from arena.chance import Chance
from arena.environments.encoding import Encoding
from arena.environments.environment import Environment, read_integer
from arena.errors import UsageError
from arena.game import Decision, Game, Outcome, Seat

DEALS = 200
"""An environment looks in so many deals for one in which somebody is asked: few games have any without."""


class SinglePicks:
    """A table that is answered by actions: a question of several picks takes several of them.

    ``done`` ends a question of which fewer picks would have been enough; the last pick that may be made ends it as
    well. An environment ends the match of who takes an action that is not legal: then it is ``forfeited``.
    """

    __slots__ = (
        "_decision_seat",
        "_encoded_observation",
        "_encoding",
        "_legal",
        "_offered",
        "done",
        "forfeited",
        "picks",
        "table",
    )

    def __init__(self, table: Environment, encoding: Encoding) -> None:
        """``reset`` is due, unless the table is dealt already."""
        self.table = table
        self._encoding = encoding
        self.done = encoding.done
        """The action that ends a row of picks: the greatest one."""
        self.picks: list[int] = []
        self.forfeited = False
        self._decision_seat: tuple[Decision | None, Seat | None] = None, None
        self._offered: list[int] = []
        self._legal: list[int] = []
        """The legal actions, none if they are to be found again."""
        self._encoded_observation: tuple[Any, Seat, bytes] = None, 0, b""

    def reset(self, seed: bytes | str | int) -> None:
        """Deal again: see ``Environment.reset``."""
        self.table.reset(seed)
        self.picks, self._legal, self.forfeited = [], [], False

    @property
    def seat(self) -> Seat | None:
        """The seat that is asked; None once the match is over, also if it was forfeited."""
        return None if self.forfeited else self.table.seat

    def read_action(self, action: Any) -> int:
        """An action as Python's own number; ``UsageError``: nobody is asked, or it is no action at all."""
        if self.seat is None:
            raise UsageError("expected a reset before the first step and after the last, got none")
        number = read_integer(action)
        if number is None or not 0 <= number <= self.done:
            raise UsageError(f"seat {self.seat}: expected an action from 0 to {self.done}, got {action!r}")
        return int(number)

    def _actions(self) -> list[int]:
        """The actions of the options of the open question, in their order."""
        decision, seat = self.table.decision, self.table.seat
        # seats that are asked at once may share one question, and a target is another action for each of them
        if seat is not None and (decision is not self._decision_seat[0] or seat != self._decision_seat[1]):
            self._decision_seat = decision, seat
            self._offered, self._legal = self._encoding.actions_of(decision.options, seat), []
        return self._offered

    def legal(self) -> list[int]:
        """The actions that the asked seat may take, rising; none once the match is over."""
        picks = self.picks
        if self.seat is None:
            return []
        actions = self._actions()
        if not self._legal:
            remainder = [action for place, action in enumerate(actions) if place not in picks] if picks else actions
            self._legal = sorted({*remainder})
            if self._may_end():
                self._legal.append(self.done)
        return self._legal.copy()

    def _may_end(self) -> bool:
        decision = self.table.decision
        return decision.least < decision.most and len(self.picks) >= decision.least

    def pick_of(self, action: int) -> int | None:
        """The index of the first option left that this action picks; None if there is none."""
        actions, first = [] if self.table.seat is None else self._actions(), 0
        while action in actions[first:] if first else action in actions:
            pick = actions.index(action, first)
            if pick not in self.picks:
                return pick
            first = pick + 1
        return None

    def take(self, action: int) -> bool:
        """Take one action for the asked seat; False, and nothing is done, if it is not legal."""
        table, picks, decision = self.table, self.picks, self.table.decision
        pick = self.pick_of(action)
        if pick is None and (action != self.done or table.seat is None or not self._may_end()):
            return False
        self._legal = []
        if pick is not None:
            picks.append(pick)
            if len(picks) < min(decision.most, len(decision.options)):
                return True
        table.step(picks)
        self.picks = []
        return True

    def act(self, action: int) -> None:
        """Take one action for the asked seat; a ``UsageError`` if it is not legal."""
        if not self.take(action):
            raise UsageError(f"seat {self.table.seat}: expected an action of {self.legal()}, got {action}")

    def question(self, seat: Seat) -> tuple[Sequence[Any], Sequence[int]]:
        """A seat's open question: its options and picks so far, none if it is not asked."""
        decision = self.table.question(seat)
        if decision is None:
            return (), ()
        if seat == self.table.seat:
            return decision.options, self.picks
        picks: list[int] = []
        for option in self.table.answer(seat):
            picks.append(
                next(pick for pick, other in enumerate(decision.options) if other == option and pick not in picks)
            )
        return decision.options, picks

    def row(self, seat: Seat) -> "array[float]":
        """What a seat knows as numbers: see ``Encoding``."""
        observation = self.table.observation(seat)
        if observation is not self._encoded_observation[0] or seat != self._encoded_observation[1]:
            self._encoded_observation = observation, seat, self._encoding.encode_observation(observation, seat)
        if seat == self.table.seat:
            offered, actions = self.legal(), self._offered
            picked = [actions[pick] for pick in self.picks]
        else:
            options, picks = self.question(seat)
            offered, picked = [], [self._encoding.action(options[pick], seat) for pick in picks]
        return self._encoding.row(self._encoded_observation[2], offered=offered, picked=picked)

    def copy(self) -> "SinglePicks":
        """An independent one that continues in the same way."""
        other = SinglePicks(self.table.copy(), self._encoding)
        other.picks, other.forfeited = self.picks.copy(), self.forfeited
        return other

    def imagine(self, seat: Seat, chance: Chance) -> "SinglePicks":
        """``Environment.imagine``; for another seat in the middle of its picks, as many are drawn."""
        other = SinglePicks(self.table.imagine(seat, chance), self._encoding)
        if seat == self.table.seat:
            other.picks = self.picks.copy()
        else:
            options = list(range(len(other.table.options)))
            chance.shuffle(options)
            other.picks = options[: min(len(self.picks), other.table.decision.most - 1)]
        return other


def read_render_mode(mode: str | None) -> str | None:
    """How an environment shows its table: ``ansi``, as by default, gives the text, ``human`` prints it at each step.

    ``UsageError``: it is none of these.
    """
    if mode not in {None, "ansi", "human"}:
        raise UsageError(f"expected render_mode='ansi' or render_mode='human', got {mode!r}")
    return mode


def render_text(text: str, *, mode: str | None) -> str | None:
    """The text of a table, unless the mode is to print it."""
    if mode != "human":
        return text
    print(text)  # noqa: T201 - it is what this mode is for
    return None


def rewards(game: Game, ended: Outcome) -> list[float]:
    """By seat what counts in the game: its score, or its ``rank_utility``."""
    return [float(score) for score in ended.scores] if game.objective != "place" else rank_utility(ended.ranks)


def reward_range(game: Game, seats: int, variants: Mapping[str, str]) -> tuple[float, float] | None:
    """The least and the greatest of ``rewards``; None where they are not known."""
    if game.objective == "place":
        return -1, 1
    return game.bounds(seats, variants) if game.bounds else None


def rank_utility(ranks: Sequence[int]) -> list[float]:
    """By seat the share of the others that it is ahead of, minus the share that is ahead of it: -1 to 1, 0 in all."""
    others = len(ranks) - 1
    return [(sum(rank > place for rank in ranks) - sum(rank < place for rank in ranks)) / others for place in ranks]
