"""What the rules of a game cost the processor: microseconds of a decision, an observation, a copy, an imagined state.

``python benchmarks/rules_cpu.py TREE GAME`` measures the arena in the checkout TREE and prints the four figures: each
the least of a few parts, for whatever else the machine does only adds to it.
"""

import sys

if __name__ == "__main__" and len(sys.argv) != len(["", "TREE", "GAME"]):
    sys.exit(__doc__)

# before anything of arena is imported: the checkout to be measured need not be the installed one
sys.path.insert(0, *sys.argv[1:2] or [""])

import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

from arena import games
from arena.chance import Chance
from arena.game import Game, Pending

PARTS = 5
SECONDS = 0.1
"""Of the processor, that a part takes."""
POSITIONS = 60
"""So many are observed, copied and imagined."""
IMAGINED = 8
"""So often each in a row: a search makes up many states from one observation."""
_deals = count()
_dice = Chance(b"driver")
"""Each goes on from call to call: no deal and no draw comes twice, so that nothing is kept from the last time."""


def matches(game: Game, number: int) -> Iterator[Any]:
    """Random play of so many matches, seat by seat: the state before each decision that is none of chance."""
    chance = _dice
    variants = game.resolve_variants({})
    for match in islice(_deals, number):
        state = game.deal(game.usual_seats, match.to_bytes(32, "big"), variants)
        while isinstance(pending := state.pending(), Pending):
            chosen = {}
            for seat, decision in pending.decisions.items():
                if decision.forced:
                    chosen[seat] = decision.silence
                    continue
                options = decision.options
                if decision.least == decision.most == 1:
                    chosen[seat] = (options[chance.below(len(options))],)
                else:
                    wanted = decision.least + chance.below(decision.most - decision.least + 1)
                    left = list(options)
                    chosen[seat] = tuple([left.pop(chance.below(len(left))) for _ in range(wanted)])
                yield seat, state
            state.apply(chosen)


def decisions(game: Game, number: int) -> int:
    """Play so many matches; how many decisions there were."""
    return sum(1 for _ in matches(game, number))


def least(work: Callable[[], int]) -> float:
    """Microseconds of the processor for each thing done by ``work``, which returns how many it did."""
    figures = []
    for _ in range(PARTS):
        done, began = 0, time.process_time()
        while (used := time.process_time() - began) < SECONDS:
            done += work()
        figures.append(used / done * 1e6)
    return min(figures)


def main() -> None:
    """Print the figures."""
    game = games.find(sys.argv[2])
    positions: list[tuple[int, Any, Any]] = []
    for at, (seat, state) in enumerate(matches(game, 4)):
        if at % 7 == 0 and len(positions) < POSITIONS:
            positions.append((seat, state.copy(), state.observe(seat)))
    chance = Chance(b"imagine")

    def each(work: Callable[[Any, Any, Any], object], times: int = 1) -> Callable[[], int]:
        def whole() -> int:
            for position in positions:
                for _ in range(times):
                    work(*position)
            return len(positions) * times

        return whole

    print(
        least(lambda: decisions(game, 4)),
        least(each(lambda seat, state, _: state.observe(seat))),
        least(each(lambda _seat, state, _seen: state.copy())),
        least(each(lambda _seat, _state, seen: game.imagine(seen, chance), IMAGINED)),
    )


if __name__ == "__main__":
    main()
