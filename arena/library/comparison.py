"""Whether a new version of a bot plays better than the old one, by matches of both against a field. Prints nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import NotReadyError, UsageError
from arena.game import Game
from arena.library.session import Session
from arena.library.standings import Board
from arena.players.botfile import BotFile, missing
from arena.players.content import digest
from arena.players.entrants import entrant
from arena.report.comparison import Comparison, compared, unchanged, unready
from arena.tournament import roster
from arena.tournament.contest import Contest
from arena.tournament.folder import RunFolder
from arena.tournament.schedule import pad
from arena.tournament.spec import RunSpec, results_root, settings


class Pair(Struct, frozen=True, kw_only=True):
    """Both versions of a bot, under different names."""

    new: BotFile
    old: BotFile

    def same(self) -> bool:
        """Whether nothing was changed that a match could tell."""
        asked = [(bot.limits, bot.restart, bot.threads) for bot in (self.new, self.old)]
        return asked[0] == asked[1] and digest(self.new) == digest(self.old)


def pair_of(new: str | BotFile, old: str | BotFile, game: Game) -> Pair:
    """Both versions.

    Raises:
        UsageError, BotError: one of them is no bot that plays this game here.
    """
    now, before = (bot if isinstance(bot, BotFile) else entrant(bot) for bot in (new, old))
    if now.name.lower() == before.name.lower():
        before = replace(before, name=f"{before.name[:57]}-before")
    for bot in (now, before):
        if bot.games and game.name not in bot.games:
            raise UsageError(
                f"expected bots that play {game.name}, got {bot.name!r}, which plays {', '.join(bot.games)}"
            )
    inner, outer = sorted((Path(now.folder), Path(before.folder)), key=lambda path: -len(path.parts))
    if inner != outer and inner.is_relative_to(outer) and not (now.bare or before.bare):
        raise UsageError(f"expected folders of which neither lies in the other, got {inner} in {outer}")
    if lack := missing(before):
        raise UsageError(f"expected an old version that this machine can run, got: {lack}")
    return Pair(new=now, old=before)


def nothing_new(pair: Pair, game: Game) -> Comparison:
    """What is found where nothing was changed."""
    return unchanged(pair.new.name, pair.old.name, game.name)


def contest_between(
    pair: Pair, spec: RunSpec, game: Game, bots: Sequence[str | BotFile], say: Callable[[str], None]
) -> Contest:
    """The contest of both versions against these bots, by default the shipped ones.

    Raises:
        UsageError, BotError: a setting or a bot is not right.
    """
    # who has the name of one of the two would play itself
    taken = {pair.new.name.lower(), pair.old.name.lower()}
    others = [bot for bot in roster.enter(bots, game, say) if bot.name.lower() not in taken]
    field = [pair.new, pair.old, *others]
    chosen = settings(spec, game, [game], entrants=len(field))
    return Contest(
        game=game,
        settings=chosen,
        bots=field,
        padded=pad([bot.name for bot in field], max(chosen.seats)),
        folder=RunFolder(results_root(spec.out, [game.name])),
    )


def ready(session: Session, pair: Pair, say: Callable[[str], None]) -> Comparison | None:
    """Start all bots; what is found if the new version cannot start where the old one does.

    Raises:
        UsageError, BotError, HostError: another bot cannot start, or this machine fails.
    """
    (contest,) = session.contests
    session.resume()
    try:
        session.start()
    except NotReadyError as error:
        if pair.new.name not in error.bots or pair.old.name in error.bots:
            raise
        say(error.bots[pair.new.name])
        return unready(pair.new.name, pair.old.name, contest.game.name)
    return None


def verdict(contest: Contest, board: Board, pair: Pair) -> Comparison:
    """What the matches say of the two."""
    names = contest.resumption.names if contest.resumption is not None else {}
    new, old = (names.get(bot.name, bot.name) for bot in (pair.new, pair.old))
    return compared(RunFolder(board.folder).records(), board.leaderboard, new, old)
