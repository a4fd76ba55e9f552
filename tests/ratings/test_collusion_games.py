"""Whether company accuses the innocent in the games on the shelf: in leagues of shipped bots that help nobody."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

import arena
from arena import games
from arena.bot import Bot, Decision, Hello
from arena.ratings import outcomes_of
from arena.ratings.collusion import collusion_tests
from arena.record import Record
from arena.results.columns import block_number_of
from arena.selfplay.players import make_policy
from tests.ratings.matches import Recorder

POOL = 2400
"""Matches of a game that are played."""
LEAGUES = 100
BLOCKS = 250
"""Of a league: drawn from those of the pool, its equal bots exchanged by lot."""
KINDS = ("greedy", "slipping", "careless", "random")


class Slipping(Bot[Any]):
    """As greedy, but in a tenth of its answers by chance."""

    slips = 0.1
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


class Careless(Slipping):
    """Half of its answers are by chance."""

    slips = 0.5


def pool(game: str) -> list[list[Record]]:
    """Whole blocks of a game, played by two bots of each kind."""
    of_block: dict[int, list[Record]] = {}

    def count(record: Record, *_: object) -> None:
        of_block.setdefault(block_number_of(record.id), []).append(record)

    own = [arena.local_bot(kind, name) for kind, name in ((Slipping, "slipping"), (Careless, "careless"))]
    twice = [arena.local_bot(kind, f"{name}-2") for kind, name in ((Slipping, "slipping"), (Careless, "careless"))]
    field: list[Any] = ["greedy", "greedy-2=greedy", "random", "random-2=random", *own, *twice]
    arena.play_many(game, field, matches=POOL, seats=4, seed="company", processes=1, progress=count)
    return list(of_block.values())


def accused(blocks: Sequence[Sequence[Record]], seed: int) -> bool:
    """Whether anybody is named in a league of these blocks."""
    random = Random(seed)
    played: list[tuple[int, list[str], tuple[int, ...]]] = []
    for number, block in enumerate(random.sample(blocks, min(BLOCKS, len(blocks)))):
        turned = {kind for kind in KINDS if random.random() < 0.5}
        names = {bot: bot for kind in KINDS for bot in (kind, f"{kind}-2")}
        names |= {kind: f"{kind}-2" for kind in turned} | {f"{kind}-2": kind for kind in turned}
        played += [(number, [names[bot] for bot in record.bots], record.ranks) for record in block]
    return any(test.certain for test in collusion_tests(outcomes_of(played)))


@pytest.mark.proof
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("game", games.names())
def test_the_innocent_of_a_game_are_not_named(game: str, record_property: Recorder) -> None:
    """Of 100 leagues of a game in which nobody helps anybody, somebody is named in one at most."""
    blocks = pool(game)
    wrong = sum(accused(blocks, seed) for seed in range(LEAGUES))
    record_property(f"{game}: accused", f"{wrong} of {LEAGUES}")
    assert wrong <= 1
