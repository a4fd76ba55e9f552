"""Toy games with a flaw: every other deal raises in the middle of a match. For lanes to find by an entry point."""

from collections.abc import Mapping

from msgspec import structs

from arena.game import Chosen
from tests.shelf import toy


class SpeechlessError(ArithmeticError):
    """An error that has no text."""

    def __str__(self) -> str:
        raise OSError


class FlawedState(toy.ToyState):
    def apply(self, chosen: Chosen) -> list[object]:
        if self.discards and self.chance.key[0] % 2:
            raise self.flaw()
        return super().apply(chosen)

    def flaw(self) -> ArithmeticError:
        """What is wrong with the deal."""
        return ArithmeticError("this deal cannot be played")


class SpeechlessState(FlawedState):
    def flaw(self) -> ArithmeticError:
        """What is wrong with the deal, which cannot be told."""
        return SpeechlessError()


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> FlawedState:
    """The toy's deal, flawed."""
    return FlawedState(**structs.asdict(toy.deal(seats, seed, variants)))


def deal_speechless(seats: int, seed: bytes, variants: Mapping[str, str]) -> SpeechlessState:
    """The toy's deal, flawed, with an error that has no text."""
    return SpeechlessState(**structs.asdict(toy.deal(seats, seed, variants)))


GAME = structs.replace(toy.GAME, name="flawed", deal=deal, state=FlawedState)
SPEECHLESS = structs.replace(toy.GAME, name="speechless", deal=deal_speechless, state=SpeechlessState)
WHYS = (
    (GAME, "ArithmeticError: this deal cannot be played"),
    (SPEECHLESS, "SpeechlessError: (no text, for that raised OSError)"),
)
"""What a lane tells of each."""
