"""The game Love Letter: what is printed on the box, and no rule of play."""

from collections.abc import Mapping

from arena.chance import Chance
from arena.game import Game
from love_letter.greedy import decide
from love_letter.guide import guide
from love_letter.imagine import imagine
from love_letter.rules import Discarded, Drew, FaceUp, LoveLetter, Observation, Option, Played, Saw


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> LoveLetter:  # noqa: ARG001 - as the contract has it
    """Nothing is dealt yet: chance does that."""
    return LoveLetter(Chance(seed), seats)


def question(_seen: Observation) -> str:
    """What the seat in turn is asked."""
    return "Which card do you play?"


def bounds(_seats: int, _variants: Mapping[str, str]) -> tuple[int, int]:
    """The round is won, or it is not."""
    return 0, 1


GAME = Game(
    name="love-letter",
    title="Love Letter",
    version="1",
    seats=range(2, 5),
    usual_seats=4,
    deal=deal,
    imagine=imagine,
    state=LoveLetter,
    observation=Observation,
    option=Option,
    event=FaceUp | Drew | Played | Saw | Discarded,
    question=question,
    bounds=bounds,
    greedy=decide,
    guide=guide,
)
