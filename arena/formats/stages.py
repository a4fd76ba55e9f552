"""Formats one after the other: who goes on from one plays the next."""

from typing import Any

import msgspec
from msgspec import Struct

from arena.formats.format import Place, Play, Result, Terms, derived
from arena.formats.shelf import made


class Stage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of them."""

    format: str
    options: dict[str, Any] = {}
    share: float = 1.0
    """Of the blocks, in proportion to those of the other stages."""
    first: int = 0
    """How many of those that go on from the stage before play; 0: all."""


class Stages(Struct, frozen=True, kw_only=True):
    """A chain, as groups and then a knockout."""

    stages: tuple[Stage, ...] = ()

    def play(self, terms: Terms) -> Play:
        """The rounds of each stage, then of the next; seeds are the places of the stage before.

        Raises:
            ValueError: there is no stage, or one cannot be played.
            LookupError: a stage is of a format that is not there.
        """
        if not self.stages or any(stage.share <= 0 for stage in self.stages):
            raise ValueError("stages: expected one stage or more, each with a share above 0")
        whole = sum(stage.share for stage in self.stages)
        entrants = terms.entrants
        places: tuple[Place, ...] = ()
        certain, notes = True, []
        for number, stage in enumerate(self.stages, 1):
            entrants = entrants[: stage.first or None]
            if len(entrants) < terms.seats:
                got = f"{len(entrants)} for {terms.seats} seats"
                raise ValueError(f"stages: expected {stage.format} to have bots for a table, got {got}")
            own = msgspec.structs.replace(
                terms,
                entrants=entrants,
                blocks=max(round(terms.blocks * stage.share / whole), 1),
                key=derived(terms.key, f"stage {number}"),
            )
            result = yield from _titled(made(stage.format, stage.options).play(own), f"{number}. {stage.format}: ")
            # who is out keeps the place behind those that go on
            places = (*result.places, *[place for place in places if place.bot not in entrants])
            entrants = result.through
            certain = certain and result.certain
            notes += [f"{number}. {stage.format}: {note}" for note in result.notes]
        return Result(places=places, through=entrants, certain=certain, notes=tuple(notes))


def _titled(play: Play, before: str) -> Play:
    """The same rounds, their titles behind these words."""
    try:
        taken = next(play)
        while True:
            stage = before + taken.stage if taken.stage else ""
            played = yield msgspec.structs.replace(taken, title=before + taken.title, stage=stage)
            taken = play.send(played)
    except StopIteration as stop:
        result: Result = stop.value
        return result
