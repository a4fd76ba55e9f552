"""How many matches `arena compare` saves where a game tells its luck: ``python benchmarks/luck.py [GAME] [MATCHES]``.

Plays ``greedy`` against one that now and then picks by chance, and prints for each game how much of the spread of block
scores is luck. That is the saving in the limit of small differences; ``arena compare`` prints the same of its own runs.
"""

import sys
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

import arena
from arena import games
from arena.bot import Bot, Decision, Hello
from arena.library.policies import Player, policy

SLIPS = 0.02
"""Of its answers."""
MATCHES = 400


class Greedy(Bot[Any]):
    """As ``bots/greedy``, in this process."""

    slips = 0.0
    _held: Player

    def begin(self, hello: Hello, /) -> None:
        """Open the page of the game."""
        self._held = policy("greedy").make()
        self._held.begin(hello)

    def decide(self, decision: Decision[Any], /) -> Sequence[int]:
        """What greedy picks, but for a slip."""
        dice = decision.rng
        if dice.random() < self.slips:
            return dice.sample(range(len(decision.options)), dice.randint(decision.least, decision.most))
        return self._held.decide(decision)


class Slipping(Greedy):
    """Picks by chance now and then."""

    slips = SLIPS


def main(words: Sequence[str]) -> None:
    """Print a line a game."""
    names = [words[0]] if words else games.names()
    matches = int(words[1]) if len(words) > 1 else MATCHES
    for name in names:
        if games.find(name).luck is None:
            print(f"{name}: tells no luck")
            continue
        new, old = arena.local_bot(Slipping, "slipping"), arena.local_bot(Greedy, "as-it-is")
        field = [arena.local_bot(Greedy, f"other-{at}") for at in range(games.find(name).usual_seats - 2)]
        with TemporaryDirectory() as place:
            settings: dict[str, Any] = {"matches": matches, "out": place, "seed": "luck", "isolation": "none"}
            found = arena.compare(new, old, name, field, **settings)
        print(f"{name}: {found.blocks} blocks, luck taken off saves {found.saving or 1:.2f} times. {found.why}")


if __name__ == "__main__":
    main(sys.argv[1:])
