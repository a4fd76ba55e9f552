"""Laws of what learners and tools of game theory get: rows and actions, and how much chance there is."""

from typing import Any, get_args, get_type_hints

from arena import values
from arena.chance import Chance
from arena.errors import UsageError
from arena.game import CHANCE, ChanceNode, ExplicitChance, Outcome
from arena.laws.table import GameSetup, LawBroken, answers, hold, play

_DECLARATIONS = (values.Upto, values.Unbounded, values.Among, values.Copies, values.Stack, values.InOrder, values.Row)


def rows_and_actions_are_as_declared(setup: GameSetup) -> None:
    """A game that declares values for learners declares all of them, and every row and option is within them."""
    from arena.environments.encoding import Encoding, Undeclared  # noqa: PLC0415 - a room above, for this law alone

    try:
        encoding = Encoding(setup.game, setup.seats)
        for number in setup.numbers(1):
            state = setup.deal(number)
            for pending in play(state, Chance(b"rows", number * 1_000_000)):
                for seat in range(setup.seats):
                    encoding.encode_observation(state.observe(seat), seat)
                for seat, decision in pending.decisions.items():
                    encoding.actions_of(decision.options, seat)
    except Undeclared as error:
        if _declares(get_type_hints(setup.game.observation, include_extras=True).values()):
            raise LawBroken(f"{error}; or a game without any declaration") from None
    except UsageError as error:
        raise LawBroken(str(error)) from None


def _declares(hints: Any) -> bool:
    return any(isinstance(hint, _DECLARATIONS) or _declares(_parts(hint)) for hint in hints)


def _parts(hint: Any) -> tuple[Any, ...]:
    return (*get_args(hint), *getattr(hint, "__metadata__", ()))


def chance_is_as_declared(setup: GameSetup) -> None:
    """A game of explicit chance has at most MOST_NODES of chance, each with at most MOST_OUTCOMES."""
    if not issubclass(setup.game.state, ExplicitChance):
        return
    most, outcomes = setup.game.state.MOST_NODES, setup.game.state.MOST_OUTCOMES
    for number in setup.numbers(20):
        state: Any = setup.deal(number)
        dice, nodes = Chance(b"nodes", number * 1_000_000), 0
        while not isinstance(turn := state.turn(), Outcome):
            if isinstance(turn, ChanceNode):
                nodes += 1
                hold(nodes <= most, f"at most MOST_NODES = {most} nodes of chance", nodes)
                count = len(turn.outcomes)
                hold(0 < count <= outcomes, f"from 1 to MOST_OUTCOMES = {outcomes} outcomes of chance", count)
                hold(len(turn.weights) in {0, count}, f"no weights, or {count}", len(turn.weights))
                state.move({CHANCE: (turn.draw(state.chance),)})
            else:
                state.move(answers(turn, dice))
