"""The format reads results rightly, whatever seat a bot sat in."""

import pytest
from king_of_the_hill import KingOfTheHill

from arena.formats import Played, Progress, Result, Round, Terms

BOTS = ("ant", "bee", "cod", "dab", "eel")


def ended(current: Round, *, best: str) -> list[Played]:
    """The blocks of a round in which the later bot of ``BOTS`` is ahead, but one bot ahead of all."""

    def ranks(seated: tuple[str, ...]) -> tuple[int, ...]:
        order = sorted(seated, key=lambda bot: (bot == best, BOTS.index(bot)), reverse=True)
        return tuple(map(order.index, seated))

    return [
        Played(
            number=number,
            line_up=line_up,
            # in rotation r the bot line_up[r] sits in seat 0
            ranks=tuple(ranks(line_up[rotation:] + line_up[:rotation]) for rotation in range(len(line_up))),
        )
        for number, line_up in enumerate(current.line_ups)
    ]


def result(best: str, seats: int) -> Result:
    """How it ends if this bot is the best, and of the others the last seeds."""
    progress = Progress(KingOfTheHill(), Terms(entrants=BOTS, seats=seats, blocks=8, key=bytes(32)))
    while progress.round is not None:
        progress.finish(ended(progress.round, best=best))
    assert progress.result is not None
    return progress.result


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("best", BOTS)
def test_the_best_bot_wins(best: str, seats: int) -> None:
    """Whoever is ahead in all matches is first, from each place in line; every bot has a place."""
    places = result(best, seats).places
    assert places[0].bot == best
    assert {place.bot for place in places} == set(BOTS)
