"""The findings of a report: sentences that follow from its figures by rules. Knows values; knows no run and no page."""

from collections.abc import Sequence

from arena.report.ahead import Ahead
from arena.report.bracket import Bracket
from arena.report.faults import BotFaults
from arena.report.leaderboard import settled_places
from arena.report.render import Row
from arena.report.seats import EVEN, SeatRow
from arena.report.survey import Mark, Survey
from arena.report.times import BotTimes

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MANY = 10
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def word(number: int) -> str:
    """A number up to ten as a word."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else f"{number:,}"


def listed(names: Sequence[str]) -> str:
    """Names with commas and *and*; of very many the first."""
    if len(names) > _MANY:
        names = [*names[: _MANY - 2], f"{len(names) - _MANY + 2} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def plural(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A time as people say it: ``31.7 s``, ``12 min``, ``5.3 h``, ``2.1 days``."""
    for size, unit, digits in ((172_800, "days", 1), (7200, "h", 1), (120, "min", 0)):
        if seconds >= size:
            return f"{seconds / {'days': 86_400, 'h': 3600, 'min': 60}[unit]:.{digits}f} {unit}"
    return f"{seconds:.1f} s"


def bracket(played: Bracket) -> str:
    """Which bot came first in a format, and whether its question is answered with certainty."""
    first = [place.bot for place in played.places if place.place == 1]
    if not first:
        return "The format is not finished"
    came = f"{listed(first)} came first" if len(first) == 1 else f"{listed(first)} share the first place"
    return f"{came}, and it is certain what was asked for" if played.certain else came


def verdict(rows: Sequence[Row], *, provisional: bool) -> str:
    """Who won, and how sure that is."""
    if not rows or not any(row.matches for row in rows):
        return "No match has been played yet"
    first = rows[0].bot
    if provisional:
        return f"{first} leads so far; the run is not finished"
    best = [row.bot for row in rows if row.certain_high == 1]
    if best:
        return f"{best[0]} is first, for certain"
    if all(row.certain_high - row.certain_low == len(rows) - 1 for row in rows):
        return f"Too early to tell; {first} leads"
    able = [row.bot for row in rows if row.certain_low == 1]
    return f"{first} leads, but {word(len(able))} bots may be the best"


def so_far(rows: Sequence[Row], *, matches: int, total: int) -> str:
    """Who leads an unfinished run."""
    if not rows or not any(row.matches for row in rows):
        return f"No match of {total:,} has been played yet" if total else "No match has been played yet"
    first = [row.bot for row in rows if row.rank == 1]
    after = f"after {matches:,} of {plural(total, 'match', 'matches')}"
    return f"{first[0]} leads {after}" if len(first) == 1 else f"{word(len(first)).capitalize()} bots lead {after}"


def places_in_words(rows: Sequence[Row], *, provisional: bool) -> list[str]:
    """Sentences on the places, as far as they are certain."""
    if not rows or not rows[0].matches:
        return []
    said = [f"{rows[0].bot} won {rows[0].wins:g} of its {plural(rows[0].matches, 'match', 'matches')}."]
    if provisional:
        return [*said, "Places are told when the run is finished."]
    groups: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.certain_low, row.certain_high), []).append(row)
    certain = [row for row in rows if row.settled and 1 < row.certain_low <= len(_PLACES)]
    for (low, high), group in sorted(groups.items()):
        names = [row.bot for row in group]
        if low == high:
            # all certain places are told in one sentence, at the place of the first
            if group[0] in certain[:1]:
                named = listed([f"{row.bot} is {_PLACES[row.certain_low - 1]}" for row in certain])
                said.append(f"{named}, for certain.")
        elif len(names) > 1:
            said.append(f"Places {low} to {high} are open between {listed(names)}.")
        else:
            said.append(f"{names[0]} has one of the places {low} to {high}.")
    return said


def board(rows: Sequence[Row], *, provisional: bool) -> str:
    """How much the leaderboard settles."""
    settled = sum(row.settled for row in rows)
    if provisional:
        by = rows[0].rating - rows[1].rating if len(rows) > 1 else 0.0
        begun = f"{rows[0].bot} is {by:.1f} ahead of {rows[1].bot}; no" if by >= 0.05 else "No"  # noqa: PLR2004 - the least that is shown
        return f"{begun} place is settled before the run is finished"
    if settled == len(rows):
        return f"All {word(len(rows))} places are settled"
    if not settled:
        return "No place is settled yet"
    places = settled_places(rows)
    left = f"{word(len(rows) - settled)} bots share what is left"
    return f"{places[0].upper()}{places[1:]} {'is' if settled == 1 else 'are'} settled; {left}"


def duels(ahead: Ahead | None, *, provisional: bool) -> str:
    """How many pairs are told apart."""
    if ahead is None or not ahead.pairs:
        return "No two bots have met yet"
    if provisional:
        return "No two bots are told apart before the run is finished"
    certain = sum(pair.certain != 0 for pair in ahead.pairs)
    if not certain:
        return f"None of {plural(len(ahead.pairs), 'pair')} is told apart yet"
    if certain == len(ahead.pairs):
        return f"All {plural(certain, 'pair')} are told apart" if certain > 1 else "The one pair is told apart"
    return f"{certain} of {len(ahead.pairs)} pairs are told apart"


def growth(history: Sequence[Mark], ahead: Ahead | None, *, provisional: bool) -> str:
    """Since when the bots that differ at the end have been in this order."""
    if not history or ahead is None:
        return "No ratings yet"
    if provisional:
        return "The order may still change"
    last = history[-1]
    ordered = [pair if pair.certain > 0 else pair.turned for pair in ahead.pairs if pair.certain]
    apart = [(pair.bot, pair.other) for pair in ordered]
    if not apart:
        return "No two bots are told apart yet"
    since = last.matches
    for mark in reversed(history):
        if not all(mark.bots[better].mu > mark.bots[worse].mu for better, worse in apart):
            break
        since = mark.matches
    return f"The certain part of the order has stood since match {since} of {last.matches}"


def pace(times: Sequence[BotTimes]) -> str:
    """How near the limit the bots came."""
    late = [bot for bot in times if bot.late]
    within = [bot.closest for bot in times if not bot.late and bot.closest is not None]
    longest = max(within, default=0.0)
    most = f"{100 * longest:.0f} % of the limit" + (", which the grace allows" if longest > 1 else "")
    if not late:
        return f"Nobody was late: the longest answer took {most}" if within else "Nobody was asked yet"
    said = f"{listed([times.bot for times in late])} answered late {plural(sum(times.late for times in late), 'time')}"
    return f"{said}; all others within {most}" if within else said


def seating(seats: Sequence[SeatRow], *, provisional: bool) -> str:
    """Whether any seat is better than another."""
    if not seats:
        return "No block is whole yet"
    if provisional:
        return "Whether a seat is better is told at the end"
    better, worse = (
        [f"seat {seat.seat}" for seat in seats if seat.uneven and (seat.mean_rank < EVEN) is ahead]
        for ahead in (True, False)
    )
    if not better and not worse:
        return "No seat is certainly better than another"
    parts = ([f"{listed(better)} did better"] if better else []) + ([f"{listed(worse)} did worse"] if worse else [])
    said = " and ".join(parts)
    return f"{said[0].upper()}{said[1:]} than even, for certain"


def faults(rows: Sequence[BotFaults]) -> str:
    """How many faults there were, and of which bots."""
    if not rows:
        return "No faults"
    bots = list(dict.fromkeys(row.bot for row in rows))
    total = sum(row.count for row in rows)
    return f"{plural(total, 'fault')}, {'all ' if len(bots) == 1 and total > 1 else ''}of {listed(bots)}"


def matches(survey: Survey, replays: int) -> str:
    """Which matches can be watched and searched."""
    played = survey.matches - survey.void
    watched = f"{word(replays)} {'match' if replays == 1 else 'matches'} to watch"
    if len(survey.listed) < played:
        return f"{watched[0].upper()}{watched[1:]}, and a sample of {len(survey.listed):,} from {played:,} to search"
    return f"{watched[0].upper()}{watched[1:]}, and all {played:,} to search"
