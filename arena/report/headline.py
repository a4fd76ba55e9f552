"""The headline of a table: the result, and how sure it is. Nothing else writes one.

Knows leaderboards; knows no run, format or page.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from arena.ratings.pairwise import Lead
from arena.report.bracket import Bracket
from arena.report.render import Leaderboard
from arena.words import agreeing, every, named_or_counted, plural, word

_FEW = 4
VERY_LIKELY, PROBABLY = 0.95, 0.75
"""From these chances on a leader is *very likely* and *probably* the best: docs/certain.md."""
_NOBODY = "No bot competes yet"
"""Matches there are, all of the host's bots or of some that are gone."""
_MOST = 99
"""Per cent: nothing is likelier than that without being certain."""


class Result(Struct, frozen=True, kw_only=True):
    """What a headline is about."""

    lead: Lead | None
    """None before the first match of a bot that competes."""
    won: str = ""
    """Of how many matches it won how many, where a bot sat in too few deals to tell more; else empty."""
    matches: int = 0
    planned: int = 0
    """How many matches the run has; 0: as many as there are."""
    about: bool = False
    """Whether that is not known exactly."""
    state: str = "finished"
    """``finished``, ``playing``, or ``season``: of a league, whose runs go on."""
    bracket: Bracket | None = None


def tail(lead: Lead) -> str:
    """How sure it is that the leader is the best, behind what it did: ``, probably the best (84 %)``."""
    if lead.certain:
        return ", for certain"
    share = min(int(100 * lead.chance), _MOST)
    if share >= 100 * VERY_LIKELY:
        return f", very likely the best ({share} %)"
    if share >= 100 * PROBABLY:
        return f", probably the best ({share} %)"
    rivals = lead.rivals
    if not rivals:
        return ""
    return f"; {' and '.join(rivals) if len(rivals) <= 2 else f'{word(len(rivals))} others'} may be better"  # noqa: PLR2004 - two are named


def headline(result: Result) -> str:
    """The sentence, without its full stop."""
    lead, bracket = result.lead, result.bracket
    if lead is None and result.matches:
        return _NOBODY
    if lead is None:
        after = f" of {'about ' * result.about}{result.planned:,}" if result.planned else ""
        return f"No match{after} has been played yet"
    first = lead.first
    if result.state == "playing":
        after = f"after {result.matches:,}{_of(result)}"
        if bracket is not None and bracket.format == "groups" and len(ahead := _of_groups(bracket)) > 1:
            return f"{named_or_counted(ahead, begins=True)} lead their groups {after}"
        return f"{named_or_counted(first, begins=True)} {agreeing(len(first), 'leads', 'lead')} {after}"
    if bracket is not None and (sentence := _of_format(bracket, lead)):
        return sentence
    if len(first) > 1:
        return f"{named_or_counted(first, begins=True)} are level"
    if not lead.others:
        return f"{first[0]} has no rival yet"
    verb = "leads" if result.state == "season" else f"won{result.won}"
    return f"{first[0]} {verb}{tail(lead)}"


def _of(result: Result) -> str:
    if result.planned < result.matches:
        return f" {agreeing(result.matches, 'match')}"
    return f" of {'about ' * result.about}{plural(result.planned, 'match')}"


def _of_groups(bracket: Bracket) -> list[str]:
    """Who leads each group so far."""
    return [part.bots[0].bot for stage in bracket.stages[-1:] for part in stage.groups or stage.tables]


def _of_format(bracket: Bracket, lead: Lead) -> str:
    """What a format has found; empty where its places are those of the ratings."""
    places = [[place.bot for place in group] for _, group in groupby(bracket.places, lambda entry: entry.place)]
    if not places:
        return ""
    first = places[0]
    if bracket.question:
        return _answer(bracket.question, places) if bracket.certain else ""
    match bracket.format:
        case "knockout" if len(first) > 1:
            return f"{named_or_counted(first, begins=True)} share the cup: level in the final"
        case "knockout":
            return f"{first[0]} won the cup{_final(bracket, first[0])}"
        case "swiss" if len(first) == 1:
            return f"{first[0]} won the Swiss{tail(lead)}"
        case "groups":
            return f"{named_or_counted(first, begins=True)} won {agreeing(len(first), 'its group', 'their groups')}"
        case "race":
            return _race(bracket, first)
    return ""


def _final(bracket: Bracket, winner: str) -> str:
    """How the last table of a cup ended: in matches won of two bots, of more in the points that it shows."""
    table = bracket.stages[-1].tables[0]
    pair = len(table.bots) == 2  # noqa: PLR2004 - points of two bots are matches
    points = {
        seat.bot: seat.points * seat.matches if pair else seat.points for seat in table.bots if seat.points is not None
    }
    second = next((place.bot for place in bracket.places if place.bot in points and place.bot != winner), None)
    if second is None or winner not in points:
        return ""
    won, lost = (f"{points[bot]:.1f}".removesuffix(".0") if pair else f"{points[bot]:.2f}" for bot in (winner, second))
    return f", {won} to {lost} in the final against {second}"


def _race(bracket: Bracket, first: list[str]) -> str:
    if bracket.certain:
        if len(first) == 1 and not bracket.still[1:]:
            return f"{first[0]} is the best, for certain"
        return f"{named_or_counted(bracket.still, begins=True)} are the first {word(len(bracket.still))}, for certain"
    if bracket.circle:
        beats = zip(bracket.circle, (*bracket.circle[1:], bracket.circle[0]), strict=True)
        return f"No best bot: {', '.join(f'{winner} beats {other}' for winner, other in beats)}"
    others = [bot for bot in bracket.still if bot != first[0]]
    if not others:
        return f"{first[0]} won the race; whether it beats all others is open"
    many = " and ".join(others) if len(others) <= 2 else f"{word(len(others))} others"  # noqa: PLR2004 - two are named
    return f"{first[0]} leads the race; {many} {agreeing(len(others), 'is', 'are')} still in"


def _answer(question: str, places: Sequence[Sequence[str]]) -> str:
    """The certain answer of a run that was to find it."""
    ordered = [bot for group in places for bot in group]
    if question in {"best", "top=1"}:
        return f"{ordered[0]} is the best, for certain"
    if question.startswith("top="):
        count = int(question.removeprefix("top="))
        return f"{named_or_counted(ordered[:count], begins=True)} are the first {word(count)}, for certain"
    if question == "order" and len(ordered) <= _FEW:
        return f"The order is {', '.join(ordered)}, for certain"
    pairs = len(ordered) * (len(ordered) - 1) // 2
    if question == "order":
        return f"{every(len(ordered), 'place is', 'places are').capitalize()} certain; {ordered[0]} is the best"
    return f"{every(pairs, 'pair is', 'pairs are').capitalize()} decided, for certain"


def headline_of_tables(tables: Sequence[Leaderboard]) -> str:
    """The headline of one table, or of several: who leads in most of them, and in how many for certain."""
    if len(tables) == 1:
        return tables[0].headline
    leads = [table.lead for table in tables if table.lead is not None]
    if not leads:
        return _NOBODY if any(table.matches for table in tables) else "No match has been played yet"
    led = Counter(bot for lead in leads for bot in lead.first)
    sure = Counter(lead.first[0] for lead in leads if lead.certain)
    most = max((count, sure[bot]) for bot, count in led.items())
    best = sorted(bot for bot, count in led.items() if (count, sure[bot]) == most)
    verb = agreeing(len(best), "leads", "each lead")
    certain = f", for certain in {most[1]}" if most[1] else ""
    return f"{named_or_counted(best, begins=True)} {verb} in {most[0]} of {plural(len(tables), 'game')}{certain}"


def headline_of_final(first: Sequence[str], game: str) -> str:
    """Who won a final, or shares its first place."""
    if not first:
        return f"The final of {game} is not decided yet"
    if len(first) == 1:
        return f"{first[0]} won the final of {game}"
    return f"{named_or_counted(first, begins=True)} share the first place in the final of {game}"
