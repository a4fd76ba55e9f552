"""Games as games of OpenSpiel: after ``register()``, ``pyspiel.load_game("arena_dockfight(players=3)")`` gives one.

Actions are those of ``SinglePicks``. Seats that are asked at once act one after the other, and nobody hears anything in
between. Chance is explicit. A game with ``ExplicitChance`` has its own nodes of chance. In all others chance comes
first: four moves draw the four bytes of a number, and the match is the one that ``Environment.reset`` deals from it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from typing import Any

import msgspec
from msgspec.structs import replace

from arena import games
from arena.chance import Chance
from arena.environments.encoding import encoding_of
from arena.environments.environment import Environment
from arena.environments.single_picks import SinglePicks, rank_utility
from arena.errors import UsageError
from arena.extras import install
from arena.game import DECISION_CAP, LARGEST, ChanceNode, Chosen, ExplicitChance, Game, Outcome, Pending, Seat

try:
    import numpy as np
    import pyspiel
except ImportError as error:
    raise UsageError(f"expected OpenSpiel to be installed ({install('openspiel')}), got no {error.name}") from None

_CHANCE_MOVES, _BYTE = 4, 256
_FEW_NODES = 20_000
"""Of so small a tree the longest match is looked for: of Leduc poker, not of Love Letter."""
_encode = msgspec.json.Encoder().encode


def register() -> list[str]:
    """Make every game known to OpenSpiel, by names that begin with ``arena_``; a second call does no harm.

    Parameters of each game are ``players``, ``returns`` (``rank``: the share of opponents finished ahead of, minus the
    share that finished ahead; or ``score``: the game's own; by default what counts in it) and its variants by
    name; where only some values of one look like numbers, these stand in quotes, as in ``goal='5'``.
    """
    return [_register(games.find(name)) for name in games.names()]


def _loaded(text: str) -> Any:
    register()
    return pyspiel.load_game(text)


def _restored(text: str) -> Any:
    register()
    return pyspiel.deserialize_game_and_state(text)[1]


def _register(game: Game) -> str:
    name = f"arena_{game.name.replace('-', '_')}"
    # a class and no function: OpenSpiel frees it after Python has ended, and freeing a function then aborts the process
    pyspiel.register_game(_game_type(game, name), type(name, (ArenaGame,), {"game": game}))
    return name


def _game_type(game: Game, name: str, returns: str = "") -> Any:
    default = "rank" if game.objective == "place" else "score"
    zero_sum = game.zero_sum or (returns or default) == "rank"
    utility = "IDENTICAL" if game.objective == "shared" else "GENERAL_SUM"
    return pyspiel.GameType(
        short_name=name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=getattr(pyspiel.GameType.Utility, "ZERO_SUM" if zero_sum else utility),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.seats[-1],
        min_num_players=game.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{variant: _parameter(values[0], values) for variant, values in game.variants.items()},
            "players": game.usual_seats,
            "returns": default,
        },
    )


def _parameter(value: str, values: Sequence[str]) -> str | int | bool:
    """A value of a variant, which has these values, as OpenSpiel reads it: a parameter is always of one type.

    Where only some look like numbers, these stand in quotes.
    """
    if all(word in {"True", "False"} for word in values):
        return value == "True"
    if all(word.isdecimal() and str(int(word)) == word for word in values):
        return int(value)
    return value if value[:1].isalpha() and value not in {"True", "False"} else f"'{value}'"


class ArenaGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel carries no types
    """A game of arena with its parameters; ``register`` makes a class of it for each game."""

    game: Game

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """As OpenSpiel asks for it; a ``UsageError`` if a parameter is wrong."""
        game, name, variants = self.game, type(self).__name__, dict(parameters)
        seats, returns = variants.pop("players"), variants.pop("returns")
        variants = {variant: str(value).strip("'") for variant, value in variants.items()}
        if returns not in {"rank", "score"}:
            raise UsageError(f"{name}: expected returns=rank or returns=score, got returns={returns}")
        self.explicit = issubclass(game.state, ExplicitChance)
        """Whether its chance is that of the rules, and not the bytes of a deal."""
        self.table = Environment(_undrawn(game) if self.explicit else game, seats, variants)
        """A table of this game that is never dealt."""
        self.encoding = encoding_of(game.name, seats, self.table.variants)
        self.by_rank = returns == "rank"
        zero_sum = self.by_rank or game.zero_sum
        least, most = (-LARGEST, LARGEST) if game.bounds is None else game.bounds(seats, self.table.variants)
        if self.by_rank:
            least, most = -1, 1
        super().__init__(
            _game_type(game, name, returns),
            pyspiel.GameInfo(
                num_distinct_actions=self.encoding.done + 1,
                max_chance_outcomes=game.state.MOST_OUTCOMES if self.explicit else _BYTE,
                num_players=seats,
                min_utility=float(least),
                max_utility=float(most),
                utility_sum=0.0 if zero_sum else None,
                max_game_length=_longest(game.name, seats, tuple(self.table.variants.items())),
            ),
            {
                **parameters,
                **{variant: _parameter(value, game.variants[variant]) for variant, value in variants.items()},
            },
        )

    def new_initial_state(self, _text: str | None = None) -> "ArenaState":
        """A match of which nothing is dealt yet."""
        return ArenaState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Those of the rules; else the moves that draw the deal, from which all other chance follows."""
        return int(self.game.state.MOST_NODES) if self.explicit else _CHANCE_MOVES

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer | None":
        """What one player knows; None for what is public alone or private alone, which arena does not tell apart."""
        if params:
            raise UsageError(f"expected no parameters of an observer, got {dict(params)}")
        single_player = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind is not None and not (kind.public_info and kind.private_info == single_player):
            return None
        return Observer(self, recall=kind is not None and kind.perfect_recall)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name and parameters, so that another process need not have registered the games."""
        return _loaded, (str(self),)

    def describe(self) -> list[str]:
        """What each number of a tensor is, with its bounds, and each action, a line each."""
        return self.encoding.describe()


@cache
def _longest(name: str, seats: int, variants: tuple[tuple[str, str], ...]) -> int:
    """The actions of the longest match: exact where the tree has explicit chance and few nodes, else a bound."""
    game, encoding, longest = games.find(name), encoding_of(name, seats, dict(variants)), 0
    bound = DECISION_CAP * (encoding.done + 1)
    if not issubclass(game.state, ExplicitChance):
        return bound
    first = SinglePicks(Environment(_undrawn(game), seats, dict(variants)), encoding)
    first.reset(0)
    ahead = [(0, first)]
    for _ in range(_FEW_NODES):
        if not ahead:
            return longest
        steps, match = ahead.pop()
        longest, node = max(longest, steps), match.table.node
        for choice in range(len(node.outcomes)) if node else match.legal():
            after = match.copy()
            if node:
                after.table.draw(choice)
            else:
                after.act(choice)
            ahead.append((steps + (not node), after))
    return bound


class ArenaState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel carries no types
    """A match in play; callers in Python need not go through OpenSpiel to ask for ``legal_actions``."""

    def __init__(self, game: ArenaGame) -> None:
        """As OpenSpiel asks for it."""
        super().__init__(game)
        self._match = OpenSpielMatch(game)

    @property
    def table(self) -> Environment | None:
        """The table itself; None before the deal. Only to be looked at."""
        turns = self._match.turns
        return None if turns is None else turns.table

    def current_player(self) -> int:
        """The player to act: a seat, or one of OpenSpiel's numbers for chance and the end."""
        return self._match.player

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self._match.player == _OVER

    def is_chance_node(self) -> bool:
        """Whether chance is to choose."""
        return self._match.player == _CHANCE

    def is_simultaneous_node(self) -> bool:
        """Never: seats that are asked at once act one after the other."""
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of a player, rising; by default of the one who is to act."""
        match = self._match
        return match.legal() if player is None or player == match.player else []

    def _legal_actions(self, _player: int) -> list[int]:
        return self._match.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes that chance chooses of, by index, with their odds; of a byte all values are equally likely."""
        node = self._match.node
        return list(enumerate(node.odds)) if node else _OUTCOMES

    def _apply_action(self, action: int) -> None:
        self._match.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            node = self._match.node
            return str(node.outcomes[action]) if node else f"byte {action}"
        turns = self._match.turns
        pick = None if turns is None or player != turns.table.seat else turns.pick_of(action)
        if turns is None or pick is None:
            return f"{action} {self.get_game().encoding.actions[action]}"
        option = turns.table.options[pick]
        return f"{action} {option if isinstance(option, str) else _encode(option).decode()}"

    def returns(self) -> list[float]:
        """The return of each seat; 0 before the end of the match."""
        table, game = self.table, self.get_game()
        if table is None or table.result is None:
            return [0.0] * self.num_players()
        return rank_utility(table.result.ranks) if game.by_rank else [float(score) for score in table.result.scores]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "ArenaState":
        """The match as a player may take it to be, by the game's ``imagine``; its history is still that of this match.

        ``sampler`` gives numbers from 0 up to 1. Algorithms of OpenSpiel in Python call this, those in C++ cannot.
        """
        # asked for here, so that the next sample need not play the match again
        self._match.past(player)
        other: ArenaState = self.clone()
        turns = self._match.turns
        if turns is not None and turns.table.seat is not None:
            key = b"".join(int(sampler() * 2**32).to_bytes(4, "little") for _ in range(8))
            other._match.imagine(player, Chance(key))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """As OpenSpiel serializes it, with its game."""
        return _restored, (pyspiel.serialize_game_and_state(self.get_game(), self),)

    def __str__(self) -> str:
        """All there is, what is hidden too: for debugging."""
        match = self._match
        if match.turns is None:
            return f"bytes of the deal: {list(match.drawn)}"
        table = match.turns.table
        answers = {seat: decision for seat in range(table.seats) if (decision := match.question(seat))}
        state = table.state.state if isinstance(table.state, _Undrawn) else table.state
        return _encode({"state": state, "asked": table.seat, "questions": answers}).decode()


class OpenSpielMatch:
    """What a state holds: the bytes of the deal as they are drawn, then the turns."""

    def __init__(self, game: ArenaGame) -> None:
        """Nothing is drawn yet."""
        self._table, self._encoding = game.table, game.encoding
        self.drawn = b""
        self.turns: SinglePicks | None = None
        self._pasts = [b""] * game.table.seats
        self._known: SinglePicks | None = None
        """The turns of which ``_pasts`` tell, which nobody moves on; what was done after them is in ``_since``."""
        self._since: list[int] = []
        self.player: int = _CHANCE
        if game.explicit:
            self.turns = self._dealt()
            self._look()

    def _dealt(self) -> SinglePicks:
        turns = SinglePicks(self._table.again(), self._encoding)
        turns.reset(int.from_bytes(self.drawn, "big"))
        return turns

    def _look(self) -> None:
        assert self.turns is not None  # noqa: S101 - called once it is dealt
        table = self.turns.table
        self.player = _CHANCE if table.node else _OVER if table.seat is None else table.seat

    @property
    def node(self) -> ChanceNode | None:
        """What chance is to choose of, by the rules of the game."""
        return self.turns.table.node if self.turns else None

    def legal(self) -> list[int]:
        """The legal actions, of chance too."""
        if self.player == _CHANCE:
            return list(range(len(self.node.outcomes) if self.node else _BYTE))
        return self.turns.legal() if self.turns else []

    def act(self, action: int) -> None:
        """A byte of the deal, an outcome of chance, or an action of who is asked."""
        if self.turns is None:
            if action not in range(_BYTE):
                raise UsageError(f"expected a byte of the deal from 0 to {_BYTE - 1}, got {action}")
            self.drawn += bytes([action])
            if len(self.drawn) == _CHANCE_MOVES:
                self.turns = self._dealt()
                self._look()
            return
        if self.node:
            self.turns.table.draw(action)
        else:
            self.turns.act(action)
        self._since.append(action)
        self._look()

    def past(self, seat: Seat) -> bytes:
        """The hash of what a seat did and knew then, which makes the recall of its information state perfect.

        What was done since it was asked for last is played again: most algorithms never ask.
        """
        if self._since:
            turns = self._dealt() if self._known is None else self._known.copy()
            for action in self._since:
                table = turns.table
                if table.node:
                    table.draw(action)
                elif (acting := table.seat) is not None:
                    entry = _encode((table.observation(acting), action))
                    self._pasts[acting] = sha256(self._pasts[acting] + entry).digest()
                    turns.act(action)
            self._known, self._since = turns, []
        return self._pasts[seat]

    def imagine(self, seat: Seat, chance: Chance) -> None:
        """Become what a seat may take the match to be. What the others did and knew is forgotten, for it is secret."""
        if self.turns is not None:
            past = self.past(seat)
            self._pasts = [past if number == seat else b"" for number in range(len(self._pasts))]
            self.turns = self.turns.imagine(seat, chance)
            self._known = self.turns.copy()

    def question(self, seat: Seat) -> dict[str, Any] | None:
        """A seat's open question and its picks so far; None if it is not asked."""
        if self.turns is None or self.turns.table.question(seat) is None:
            return None
        options, picks = self.turns.question(seat)
        return {"options": options, "picks": picks}

    def __deepcopy__(self, _memo: Any) -> "OpenSpielMatch":
        other: OpenSpielMatch = OpenSpielMatch.__new__(OpenSpielMatch)
        other._table, other._encoding = self._table, self._encoding
        other.drawn, other.player = self.drawn, self.player
        other._pasts, other._known, other._since = self._pasts.copy(), self._known, self._since.copy()
        other.turns = self.turns and self.turns.copy()
        return other


class _Undrawn:
    """A state that stops at its nodes of chance."""

    def __init__(self, state: ExplicitChance) -> None:
        self.state: Any = state

    def pending(self) -> Pending | Outcome:
        turn: Pending | Outcome = self.state.turn()
        return turn

    def apply(self, chosen: Chosen) -> list[Any]:
        events: list[Any] = self.state.move(chosen)
        return events

    def observe(self, seat: Seat) -> Any:
        return self.state.observe(seat)

    def standing(self) -> Outcome:
        outcome: Outcome = self.state.standing()
        return outcome

    def copy(self) -> "_Undrawn":
        return _Undrawn(self.state.copy())


def _undrawn(game: Game) -> Game:
    """The game whose states stop at their nodes of chance."""
    return replace(game, deal=partial(_stopping, game.deal), imagine=partial(_stopping, game.imagine))


def _stopping(make: Callable[..., Any], *arguments: Any) -> Any:
    return _Undrawn(make(*arguments))


class Observer:
    """What one player knows, as text and numbers: its observation, and its open question with its picks so far.

    An information state has the player's past as well, as a hash; it has a text alone, for no row of numbers holds a
    past of any length.
    """

    def __init__(self, game: ArenaGame, *, recall: bool) -> None:
        """``recall``: of information states."""
        self._recall = recall
        self.tensor = np.zeros(0 if recall else len(game.encoding.names), np.float32)
        self.dict = {} if recall else {"observation": self.tensor}

    def set_from(self, state: ArenaState, player: int) -> None:
        """Write the tensor: zeros before the deal."""
        turns = state._match.turns  # noqa: SLF001 - both are of this file
        if not self._recall:
            self.tensor[:] = 0 if turns is None else turns.row(player)

    def string_from(self, state: ArenaState, player: int) -> str:
        """The observation and the question as JSON; no text before the deal."""
        match = state._match  # noqa: SLF001 - both are of this file
        if match.turns is None:
            return ""
        knowledge = {"seat": player, "observation": match.turns.table.observation(player)}
        knowledge["question"] = match.question(player)
        if self._recall:
            knowledge["past"] = match.past(player).hex()
        return _encode(knowledge).decode()


_CHANCE, _OVER = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
_OUTCOMES = [(byte, 1 / _BYTE) for byte in range(_BYTE)]
