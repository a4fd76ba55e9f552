"""How many matches it takes until a bot that helps another one is named, as `arena stats --company` does it.

    python benchmarks/company.py [BOTS...]

Of leagues in mirrored blocks of four seats, in which one bot gives another one beta of its own strength wherever they
meet, and which have 50, 100, 200, ... matches a bot: in how many of 10 the pair is named. It ends where 8 are.
"""

import time
from collections.abc import Sequence
from itertools import count
from random import Random

from options import parser, positive

from arena.formats.schedule import draw_blocks, line_up
from arena.ratings import Outcomes, outcomes_of
from arena.ratings.collusion import collusion_tests

SEATS, LEAGUES, ENOUGH = 4, 10, 8
BETA = 25 / 6


def league(*, seed: int, bots: int, blocks: int) -> Outcomes:
    """A league in which b1 helps b0; the skills of the others are 0.3 beta apart."""
    random = Random(seed)  # noqa: S311 - a simulation
    skills = {f"b{number}": 25 + 0.3 * BETA * (number % 5 - 2) for number in range(bots)}
    played: list[tuple[int, Sequence[str], Sequence[int]]] = []
    for block in draw_blocks(sorted(skills), seats=SEATS, blocks=blocks, key=seed.to_bytes(8, "big")):
        hands = [random.gauss(0, 2) for _ in range(SEATS)]
        for turn in range(SEATS):
            seated = line_up(block, turn)
            seen = {bot: random.gauss(skills[bot] + hand, BETA) for bot, hand in zip(seated, hands, strict=True)}
            if {"b0", "b1"} <= seen.keys():
                seen["b0"] += BETA
                seen["b1"] -= BETA
            order = sorted(seen.values(), reverse=True)
            played.append((block.number, seated, [order.index(value) for value in seen.values()]))
    return outcomes_of(played)


def power(*, bots: int, matches: int) -> int:
    """In how many leagues of so many matches a bot the pair is named."""
    blocks = matches * bots // SEATS // SEATS
    tested = (collusion_tests(league(seed=seed, bots=bots, blocks=blocks)) for seed in range(LEAGUES))
    return sum(any((one.helper, one.helped, one.certain) == ("b1", "b0", True) for one in tests) for tests in tested)


def main() -> None:
    """Print a line for each number of bots and of matches."""
    asked = parser(__doc__)
    asked.add_argument("bots", nargs="*", type=positive, default=[8, 16, 40], metavar="BOTS")
    print(f"{'bots':>5}  {'matches a bot':>13}  {'matches':>8}  named")
    for bots in asked.parse_args().bots:
        for doubled in count():
            matches, begun = 50 << doubled, time.monotonic()
            named = power(bots=bots, matches=matches)
            told = f"{named} of {LEAGUES}  ({time.monotonic() - begun:.0f} s)"
            print(f"{bots:>5}  {matches:>13,}  {matches * bots // SEATS:>8,}  {told}", flush=True)
            if named >= ENOUGH:
                break


if __name__ == "__main__":
    main()
