"""The bracket of a run whose format pairs by results: places, and the tables of each stage.

Knows no format, run or file.
"""

from collections.abc import Sequence

from msgspec import Struct

from arena.report.document import Section, Table
from arena.words import plural

MOST_SENTENCES = 100
"""More stages and tables than these are not listed: JSON has them all."""


class BracketPlace(Struct, frozen=True, kw_only=True):
    """Where a bot came in; bots that share a place have the same."""

    place: int
    bot: str


class Seated(Struct, frozen=True, kw_only=True):
    """A bot at a table."""

    bot: str
    points: float | None
    """The share of its opponents that it finished ahead of, a tie half; None if all matches are void."""
    matches: int = 0
    """Those that are not void."""
    onward: str = ""
    """Why it advanced, once the format has ended; empty if it did not."""


class SatTogether(Struct, frozen=True, kw_only=True):
    """The same bots in one block or several."""

    bots: tuple[Seated, ...]
    """By their points, best first."""
    blocks: int


class BracketStage(Struct, frozen=True, kw_only=True):
    """A round, or several that belong together."""

    title: str
    tables: tuple[SatTogether, ...]
    byes: tuple[str, ...] = ()
    """Those that were still in and sat out."""
    left: int = 0
    """Matches of its present round that are not over."""
    groups: tuple[SatTogether, ...] = ()
    """Where bots sat at several tables, and not all of them met: those that met, even through others."""

    @property
    def blocks(self) -> int:
        """How many were played."""
        return sum(table.blocks for table in self.tables)


class Bracket(Struct, frozen=True, kw_only=True):
    """The places and stages of a format."""

    schedule: str
    """The format and its options."""
    places: tuple[BracketPlace, ...]
    """Best first; none until it has ended."""
    stages: tuple[BracketStage, ...]
    """Those so far; the last one as far as it is played."""
    format: str = ""
    """The name of the format; of stages, that of the last."""
    question: str | None = None
    """What a run was to find, and ended by; empty: it ended by a rule of its own; None: by its length."""
    certain: bool = False
    """Whether what the format set out to find is certain."""
    still: tuple[str, ...] = ()
    """Of a race, those that may be what it is played for."""
    circle: tuple[str, ...] = ()
    """Bots of which each is certainly ahead of the next and the last of the first, if that is the answer."""
    notes: tuple[str, ...] = ()
    """What a reader must know, in sentences."""


def heading(bracket: Bracket) -> str:
    """The format and the number of its stages and blocks, in a sentence."""
    blocks = sum(stage.blocks for stage in bracket.stages)
    ended = "" if bracket.places else " so far"
    rest = sum(stage.left for stage in bracket.stages)
    more = f" {plural(rest, 'match')} of {bracket.stages[-1].title} left." if rest else ""
    counted = f"{plural(len(bracket.stages), 'stage')}, {plural(blocks, 'block')}{ended}"
    return f"Schedule {bracket.schedule}: {counted}.{more}"


def places_of(bracket: Bracket, most: int | None = None) -> Table:
    """The places as a table, at most so many as ``most``.

    None of a run that was to answer a question: they are those of the ratings, which are shown with how sure they are.
    """
    places = () if bracket.question else bracket.places[:most]
    return Table(rows=[{"place": place.place, "bot": place.bot} for place in places], left_columns=("bot",))


def bracket_sections(bracket: Bracket, *, rounds: bool) -> list[Section]:
    """The bracket below a leaderboard: its places, notes, and ``rounds``; without these text has but the final."""
    lines, final = _stages(bracket.stages), _stages([stage for stage in bracket.stages[-1:] if len(stage.tables) == 1])
    short = [*final, f"Rounds: {plural(len(lines) - len(final), 'line')}, with `arena leaderboard RUN --rounds`."]
    fold, places = not rounds and len(lines) > len(short), [places_of(bracket)]
    course = Section(
        lead=[heading(bracket)], tables=places, notes=lines, text_notes=short * fold, folded=fold, listed=True
    )
    return [course, Section(notes=bracket.notes, listed=True)]


def _stages(stages: Sequence[BracketStage]) -> list[str]:
    """For each stage its tables, if no bot sat at two of them; else the number of blocks."""
    parts: list[str] = []
    for stage in stages:
        if met_once(stage):
            parts += [
                f"{stage.title}, {plural(table.blocks, 'block')}: {', '.join(map(_pointed, table.bots))}."
                for table in stage.tables
            ]
        else:
            parts.append(f"{stage.title}: {plural(stage.blocks, 'block')}.")
        if stage.byes:
            parts.append(f"{stage.title}, without playing: {', '.join(stage.byes)}.")
    if len(parts) > MOST_SENTENCES:
        return [f"{plural(len(parts), 'line')} of stages and tables left out here: see --json."]
    return parts


def met_once(stage: BracketStage) -> bool:
    """Whether no bot sat at two tables of a stage, so that its tables show its course."""
    sat = [bot.bot for table in stage.tables for bot in table.bots]
    return len(set(sat)) == len(sat)


def _pointed(seated: Seated) -> str:
    return f"{seated.bot} {'-' if seated.points is None else f'{seated.points:.2f}'}"
