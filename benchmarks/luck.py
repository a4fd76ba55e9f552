"""How many matches `arena compare` saves where a game tells its luck: ``python benchmarks/luck.py [GAME] [MATCHES]``.

Plays ``greedy`` against one that now and then picks by chance, and looks at every two bots that sat together in all
blocks. Prints for each game by how much the variance of block scores falls when luck is taken off. That is the saving
of a narrow interval. For a verdict it draws the blocks again, either way round and with a small difference added, and
prints how soon that is found.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean, pstdev, pvariance
from tempfile import TemporaryDirectory
from typing import Any

from options import parser, positive

import arena
from arena import games
from arena.bot import Bot, Decision, Hello
from arena.ratings import outcomes_of
from arena.ratings.evidence import Evidence, scores_of
from arena.results.columns import block_number_of
from arena.selfplay.players import make_policy
from arena.tournament.comparison import Lucks
from arena.tournament.folder import RunFolder

SLIPS = 0.02
"""Of its answers."""
MATCHES = 800
DIFFERENCE = 0.1
"""Of the deviation of block scores."""
RUNS = 60
MOST = 6000
"""Blocks of a run."""


class Greedy(Bot[Any]):
    """As ``bots/greedy``, in this process."""

    slips = 0.0
    _held: Bot[Any]

    def begin(self, hello: Hello, /) -> None:
        """Open the page of the game."""
        self._held = make_policy("greedy").make()
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


def blocks_of(folder: Path) -> list[tuple[float, float]]:
    """Of each block and every two bots of all blocks the score of the one, less its mean, and its luck."""
    run = RunFolder(folder)
    records = list(run.records())
    every = outcomes_of((block_number_of(record.id), record.bots, record.ranks) for record in records)
    found = []
    always = frozenset(records[0].bots).intersection(*[record.bots for record in records])
    for one, other in combinations(sorted(always), 2):
        lucks = Lucks(run, new=one, old=other, memo={})
        of_block: dict[int, list[float]] = {}
        for record in records:
            of_block.setdefault(block_number_of(record.id), []).append(lucks.of(record))
        scores = scores_of(every, one, other=other)
        mean = fmean(scores.values())
        found += [(score - mean, fmean(of_block[block])) for block, score in scores.items()]
    return found


def blocks_until_found(blocks: Sequence[tuple[float, float]], more: float, *, without: bool, seed: int) -> int:
    """How many blocks it takes until a bot that scores so much more is called better."""
    random, evidence = Random(seed), Evidence()  # noqa: S311 - a simulation
    while evidence.finding == "undecided" and evidence.blocks < MOST:
        (score, luck), way = random.choice(blocks), random.choice((1, -1))
        evidence.add(max(-1.0, min(way * score + more, 1.0)), luck=way * luck if without else 0.0)
    return evidence.blocks


def savings(name: str, folder: Path) -> str:
    """What taking luck off saves in the blocks of a run, in words."""
    blocks = blocks_of(folder)
    steepness = sum(score * luck for score, luck in blocks) / sum(luck * luck for _, luck in blocks)
    saved = pvariance([score for score, _ in blocks]) / pvariance([score - steepness * luck for score, luck in blocks])
    more = DIFFERENCE * pstdev([score for score, _ in blocks])
    played, without = (
        fmean(blocks_until_found(blocks, more, without=without, seed=seed) for seed in range(RUNS))
        for without in (False, True)
    )
    return (
        f"{name}: of {len(blocks)} block scores luck taken off divides the variance by {saved:.2f}. "
        f"A mean of {more:.3f} is found after {without:.0f} blocks in place of {played:.0f}: {played / without:.2f}."
    )


def main() -> None:
    """Print a line a game."""
    words = parser(__doc__)
    words.add_argument("game", nargs="?", choices=games.names(), metavar="GAME")
    words.add_argument("matches", nargs="?", type=positive, default=MATCHES, metavar="MATCHES")
    asked = words.parse_args()
    names, matches = [asked.game] if asked.game else games.names(), asked.matches
    for name in names:
        if games.find(name).luck is None:
            print(f"{name}: tells no luck")
            continue
        new, old = arena.local_bot(Slipping, "slipping"), arena.local_bot(Greedy, "as-it-is")
        field = [arena.local_bot(Greedy, f"other-{at}") for at in range(max(2, games.find(name).usual_seats - 2))]
        with TemporaryDirectory() as place:
            settings: dict[str, Any] = {"matches": matches, "out": place, "seed": "luck", "isolation": "none"}
            arena.compare(new, old, name, field, **settings)
            print(savings(name, Path(place)), flush=True)


if __name__ == "__main__":
    main()
