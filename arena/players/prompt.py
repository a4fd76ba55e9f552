"""The questions and news of a seat, in the types of its game: for a person. Knows messages."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from arena import wire
from arena.game import Decision, Game


class Left(Exception):
    """The person has left the table."""


class Prompt(Struct, frozen=True, kw_only=True):
    """A question and its news, as a person is shown them."""

    id: str
    seen: Any
    """The observation."""
    decision: Decision
    news: tuple[str, ...]
    """What happened since the last one, a sentence an event."""


def prompt_of(game: Game, decide: wire.Decide) -> Prompt:
    """The prompt of a message."""
    options = msgspec.convert(decide.options, tuple[game.option, ...])  # type: ignore[name-defined]  # a type made at run time
    return Prompt(
        id=decide.id,
        seen=msgspec.convert(decide.observation, game.observation),
        decision=Decision(options, least=decide.least, most=decide.most),
        news=tuple(sentences(game, decide.events)),
    )


def sentences(game: Game, events: Sequence[Any]) -> Iterator[str]:
    """A sentence an event."""
    return map(str, msgspec.convert(events, list[game.event]))  # type: ignore[name-defined]  # likewise
