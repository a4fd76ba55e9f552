"""What was found when the laws of games were held on a game, for people. Knows no game."""

from collections.abc import Sequence

from msgspec.structs import asdict

from arena.laws import Breach, Dug
from arena.report.document import Document, Section
from arena.words import format_duration, listed, plural

_ALSO = {"options": "options never chosen", "events": "events never seen", "fields": "fields that never changed"}
_MUCH = 0.5
"""A part of the time that is told."""


def digging(outcome: Dug, game: str) -> Document:
    """The laws that do not hold, those of one cause together, and what the matches never came to: nothing is known."""
    rows = [asdict(breach) for breach in outcome.breaches]
    broken = plural(len(rows), "law does", "laws do")
    tried = f"{plural(outcome.laws, 'law was', 'laws were')} tried, in {plural(outcome.tried, 'try')}"
    matches = f"{plural(outcome.matches, 'match was', 'matches were')} looked at for something new"
    untried = f"{plural(len(outcome.untried), 'law was', 'laws were')} not tried on every setup"
    verdict = f"no law was broken in what was tried, but {untried}" if outcome.untried else "no law was broken"
    lead = [
        f"{game}: {f'{broken} not hold' if rows else verdict}.",
        f"In {format_duration(outcome.seconds)} {tried}; {matches}.",
    ]
    never = [f"{_ALSO[what].capitalize()}: {listed(kinds)}." for what, kinds in outcome.never.items() if kinds]
    # of matches that were not looked at nothing is known
    never *= outcome.matches > 0
    for names in dict.fromkeys(outcome.untried.values()):
        laws = [law for law, where in outcome.untried.items() if where == names]
        never.append(f"Not tried on {listed(names)}: {listed(laws)}.")
    if outcome.imagining > _MUCH:
        cure = "once_per_observation keeps what many worlds have in common, and --for gives more time"
        never.append(f"imagine took {outcome.imagining:.0%} of the time: {cure}.")
    section = Section(
        lead=lead,
        notes=[*_tell_breaches(outcome.breaches), *never],
        rows=rows,
        columns=("law", "setup", "first", "why"),
    )
    return Document(sections=[section], data=outcome)


def _tell_breaches(breaches: Sequence[Breach]) -> list[str]:
    causes: dict[str, list[Breach]] = {}
    for breach in breaches:
        causes.setdefault(breach.why.partition("; match ")[0], []).append(breach)
    return [
        f"{listed([breach.law for breach in same])}: {same[0].why.rstrip('.')} ({same[0].setup})."
        for same in causes.values()
    ]
