"""A person at a table: what the protocol says, as it is shown, and the answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arena import wire
from arena.game import Decision, Game, Seat

Wish: TypeAlias = Literal["again", "other seat"]
"""What a person wants once a match is over: another deal, or the same deal from the next seat."""


class Departure(Exception):
    """The person has left the table."""


class Prompt(Struct, frozen=True, kw_only=True):
    """A question and its news, as a person is shown them."""

    id: str
    observation: Any
    decision: Decision
    news: list[str]
    """What happened since the last one, a sentence an event."""


def describe_observation(observation: Struct) -> str:
    """The observation as its game tells it; of a game that does not, every field."""
    return list_fields(observation) if type(observation).__str__ is Struct.__str__ else str(observation)


def list_fields(observation: Struct) -> str:
    """Every field of an observation by its name, a line each."""
    return "\n".join(f"{name.replace('_', ' ')}: {_format_value(value)}" for name, value in asdict(observation).items())


def _format_value(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{count} {name}" for name, count in value.items()) or "-"
        case list() | tuple():
            inside = [
                f"[{_format_value(part)}]" if isinstance(part, list | tuple) else _format_value(part) for part in value
            ]
            return ", ".join(inside) or "-"
    return str(value)


class PersonSeat(ABC):
    """The seat of a person, from what its wire says to what the person is shown."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def hear(self, line: bytes) -> wire.Choose | None:
        """Take in a message of the host; the answer if it is a question, and ``Departure`` if the person leaves."""
        message = wire.decode_from_host(line)
        match message:
            case wire.Hello():
                self._sit(message.seat, message.seats)
            case wire.Decide():
                options = msgspec.convert(message.options, tuple[self._game.option, ...])  # type: ignore[name-defined]  # a type made at run time
                prompt = Prompt(
                    id=message.id,
                    observation=msgspec.convert(message.observation, self._game.observation),
                    decision=Decision(options, least=message.least, most=message.most),
                    news=self._sentences(message.events),
                )
                return wire.Choose(message.id, self._answer(prompt))
            case wire.Over():
                self._hear_news(self._sentences(message.events))
        return None

    def _sentences(self, events: Sequence[Any]) -> list[str]:
        return [str(event) for event in msgspec.convert(events, list[self._game.event])]  # type: ignore[name-defined]  # likewise

    @abstractmethod
    def _sit(self, seat: Seat, seats: int) -> None: ...

    @abstractmethod
    def _answer(self, prompt: Prompt) -> tuple[int, ...]: ...

    @abstractmethod
    def _hear_news(self, news: list[str]) -> None: ...
