"""Whether the places of a league are settled, and how many more nights of matches that will take."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.leagues.cup import is_due
from arena.leagues.league import League
from arena.tournament import MATCHES_PER_BOT, Contest, Standings, fit_to_field

if TYPE_CHECKING:
    from arena.tournament import Differences, Settlement

_TWO = 2
"""Bots of which one is better."""


def are_settled(league: League, contest: Contest, board: Standings) -> bool:
    """Whether no bot of a table has more places that are not ruled out than the league lets a bot have."""
    return _find(league, contest, board).are_settled(_most_places(league))


def foresee_places(league: League, contest: Contest, board: Standings | None) -> "Settlement":
    """When the places of a table settle; None: the game has not begun."""
    from arena.tournament import assume_differences, foresee_settlement  # noqa: PLC0415 - as in `_find`

    if board is not None and board.leaderboard.matches:
        return foresee_settlement(_find(league, contest, board), places=_most_places(league))
    seats, per_bot = contest.settings.seats[0], contest.settings.per_bot or MATCHES_PER_BOT
    bots = len([bot for bot in contest.bots if bot.name not in league.host_bots])
    assumed = assume_differences(bots, seats=seats, per_bot=per_bot, share=1 / len(league.games))
    return foresee_settlement(assumed, places=_most_places(league))


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
