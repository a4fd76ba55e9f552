"""Whether the places of a league are settled, and how many more nights of matches that will take."""

from math import ceil
from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.leagues.cup import is_due
from arena.leagues.league import League
from arena.tournament import MATCHES_PER_BOT, Contest, Standings, fit_to_field
from arena.words import plural

if TYPE_CHECKING:
    from arena.tournament import Differences, Settlement

MATCH = 0.02
"""Seconds of a core for a match of bots in Python that answer at once, as measured for long runs."""
_CORES, _SET_UP, _FREE = 2, 90, 2000
"""Of GitHub's runners: cores, seconds until a job can play, minutes a month that are free in a private repository."""
_OTHER_JOBS = (3, 5)
"""The jobs that plan, publish and put up pages, and their minutes: each begun minute counts."""
_NIGHTS = 30
_TWO = 2
"""Bots of which one is better."""


def are_settled(league: League, contest: Contest, board: Standings) -> bool:
    """Whether no bot of a table has more places that are not ruled out than the league lets a bot have."""
    return _find(league, contest, board).are_settled(_most_places(league))


def foresee_places(league: League, contest: Contest, board: Standings | None) -> "Settlement":
    """When the places of a table settle; None: the game has not begun."""
    from arena.tournament import assume_settlement, foresee_settlement  # noqa: PLC0415 - as in `_find`

    if board is not None and board.leaderboard.matches:
        return foresee_settlement(_find(league, contest, board), places=_most_places(league))
    seats, per_bot = contest.settings.seats[0], contest.settings.per_bot or MATCHES_PER_BOT
    bots = len({bot.name for bot in contest.bots} - league.host_bots)
    share, places = 1 / len(league.games), _most_places(league)
    return assume_settlement(bots, seats=seats, per_bot=per_bot, share=share, places=places)


def note_places(league: League, contest: Contest, board: Standings) -> str:
    """A sentence on when the places of a table settle; empty where nobody can tell yet, or all is played."""
    if board.leaderboard.provisional or len(board.leaderboard.leaderboard) < _TWO or is_due(league):
        return ""
    settlement = foresee_places(league, contest, board)
    if settlement.nights == 0:
        return "All places are settled."
    if league.spec.play_until is not None:
        return f"Places settle {settlement}, if bots differ as they seem to."
    return (
        "Places that are open stay open, for only bots that are new or have changed play: with `until` in arena.toml "
        f"they settle {settlement}."
    )


def count_season(contest: Contest) -> int:
    """The matches in which each bot of a contest plays as often as a season asks."""
    settings = replace(contest.settings, per_bot=contest.settings.per_bot or MATCHES_PER_BOT)
    return fit_to_field(settings, max(len(contest.bots), *settings.seats)).matches


def _most_places(league: League) -> int:
    return league.spec.ranks or 1


def _find(league: League, contest: Contest, board: Standings) -> "Differences":
    from arena.tournament import find_differences  # noqa: PLC0415 - only a season that is played, or foreseen, needs it

    return find_differences(board, season=count_season(contest), share=1 / len(league.games))


def describe_cost(seats: int, core_seconds: float) -> str:
    """What a night costs whose matches take one core so long; a job plays for each of the ``seats``."""
    jobs, minutes = _OTHER_JOBS
    minutes += seats * ceil((_SET_UP + core_seconds / seats / _CORES) / 60)
    return (
        f"{plural(minutes, 'minute')} of runners in {plural(seats + jobs, 'job')} on GitHub, {minutes * _NIGHTS:,} a "
        f"month; a private repository has {_FREE:,} free, a public one pays nothing"
    )
