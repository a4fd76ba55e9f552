"""The game Hearts: what is printed on the box, and no rule of play."""

from collections.abc import Mapping

from arena.game import Game
from hearts.greedy import decide
from hearts.imagine import imagine
from hearts.rules import ALL, Card, Dealt, Hearts, Observation, Paid, Played, Received, Took, deal


def question(seen: Observation) -> str:
    """What a seat is asked."""
    passing = (seen.number + 1) % seen.seats and not seen.passed
    return "Which cards do you pass on?" if passing else "Which card do you play?"


def bounds(_seats: int, variants: Mapping[str, str]) -> tuple[int, int]:
    """All points of every hand, and none."""
    return -ALL * int(variants["hands"]), 0


GAME = Game(
    name="hearts",
    title="Hearts",
    version="1",
    seats=range(3, 5),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=Hearts,
    observation=Observation,
    option=Card,
    event=Dealt | Received | Played | Took | Paid,
    variants={"hands": ("1", "4")},
    question=question,
    objective="score",
    bounds=bounds,
    greedy=decide,
)
