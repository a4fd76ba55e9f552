"""Several formats one after the other: the bots that advance from one play the next."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, Struct

from arena.formats.fixed import Groups
from arena.formats.format import Count, Format, Onward, Place, Play, Result, Terms, claims_of, derived
from arena.formats.registry import made
from arena.ratings import Looks
from arena.words import plural


class Stage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of them."""

    format: str
    options: dict[str, Any] = {}
    share: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    """Of the blocks, in proportion to those of the other stages."""
    first: Count = 0
    """How many of those that advance from the stage before play; 0: all."""


class Stages(Struct, frozen=True, kw_only=True):
    """A chain, as groups and then a knockout."""

    ends: ClassVar[bool] = True
    stages: tuple[Stage, ...] = ()

    @property
    def claims(self) -> Looks:
        """Of a stage whose bots do not all meet, or only beside certain others, the table claims nothing of its own."""
        parts = {claims_of(made(stage.format, stage.options)) for stage in self.stages}
        return "answer" if parts & {"pairs", "answer"} else "paired"

    def play(self, terms: Terms) -> Play:
        """The rounds of each stage, then of the next; seeds are the places of the stage before.

        Raises:
            ValueError: there is no stage, or one cannot be played.
            LookupError: a stage is of a format that is not there.
        """
        if not self.stages:
            raise ValueError("stages: expected one stage or more, got none")
        schedules = self._make_schedules(terms)
        total = sum(stage.share for stage in self.stages)
        entrants = terms.entrants
        places: tuple[Place, ...] = ()
        # claims of all stages stand on one page: together they are wrong in alpha
        alpha = terms.alpha / len(self.stages)
        certain, notes = True, []
        onward: list[Onward] = []
        for number, (stage, schedule) in enumerate(zip(self.stages, schedules, strict=True), 1):
            entrants = entrants[: stage.first or None]
            stage_terms = msgspec.structs.replace(
                terms,
                entrants=entrants,
                blocks=max(round(terms.blocks * stage.share / total), 1),
                key=derived(terms.key, f"stage {number}"),
                alpha=alpha,
            )
            before = f"{number}. {stage.format}: "
            result = yield from _titled(schedule.play(stage_terms), before)
            onward += [msgspec.structs.replace(entry, stage=before + entry.stage) for entry in result.onward]
            # bots that are out keep their places, behind those that advance, also those that shared a place with one
            behind = len(result.places) + 1
            out = [place for place in places if place.bot not in entrants]
            places = (*result.places, *[Place(place=max(place.place, behind), bot=place.bot) for place in out])
            entrants = result.through
            certain = certain and result.certain
            notes += [f"{number}. {stage.format}: {note}" for note in result.notes]
        return msgspec.structs.replace(
            result, places=places, through=entrants, certain=certain, notes=tuple(notes), onward=tuple(onward)
        )

    def _make_schedules(self, terms: Terms) -> list[Format]:
        """The format of each stage; groups whose number is open are as many as fill a table of the next stage.

        Raises:
            ValueError: a stage has no bots for a table, or cannot be played by that number of bots.
            LookupError: a stage is of a format that is not there.
        """
        schedules: list[Format] = []
        before = names = terms.entrants
        for number, stage in enumerate(self.stages, 1):
            last, groups = schedules[-1] if schedules else None, 0
            if isinstance(last, Groups) and len(names[: stage.first or None]) < terms.seats:
                groups = last.fitting(len(before), seats=terms.seats, onward=terms.seats)
                if groups and not last.groups:
                    schedules[-1] = msgspec.structs.replace(last, groups=groups)
                    names = before[: groups * last.through]
            names = names[: stage.first or None]
            if len(names) < terms.seats:
                expected = f"enough bots for a table of stage {number}, {stage.format}"
                enough = f"; groups={groups} would be enough" if groups else ""
                got = f"{plural(len(names), 'bot')} for {terms.seats} seats{enough}"
                raise ValueError(f"stages: expected {expected}, got {got}")
            schedule = made(stage.format, stage.options)
            play = schedule.play(msgspec.structs.replace(terms, entrants=names))
            next(play)
            play.close()
            schedules.append(schedule)
            onward = getattr(schedule, "onward", None)
            before, names = names, names[: onward(len(names), terms.seats)] if onward is not None else names
        return schedules


def _titled(play: Play, before: str) -> Play:
    """The same rounds, their titles behind these words."""
    try:
        fixtures = next(play)
        while True:
            stage = before + fixtures.stage if fixtures.stage else ""
            played = yield msgspec.structs.replace(fixtures, title=before + fixtures.title, stage=stage)
            fixtures = play.send(played)
    except StopIteration as stop:
        result: Result = stop.value
        return result
