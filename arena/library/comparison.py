"""Whether a new version of a bot plays better than the old one, by matches of both against a field. Prints nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from arena.errors import NotReadyError, UsageError
from arena.game import Game
from arena.library.looks import InterimAnalysis, Lucks
from arena.library.reading import records_at
from arena.library.standings import Standings, standings, write_standings
from arena.players.botfile import BotFile, missing
from arena.players.entrants import entrant
from arena.players.local import Conversation
from arena.report.comparison import compared
from arena.report.question import Question
from arena.report.verdict import Comparison, unchanged, unready
from arena.tournament import roster
from arena.tournament.contest import Contest, give_up
from arena.tournament.folder import RunFolder
from arena.tournament.opponents import Versions, contest_between
from arena.tournament.run import Watcher
from arena.tournament.session import Session
from arena.tournament.settings import UNTIL_MATCHES, RunSpec

Playing: TypeAlias = Callable[[Session], AbstractContextManager[Watcher]]
"""Makes a context around the matches; it gives who follows them."""


@contextmanager
def _unseen(_session: Session) -> Iterator[Watcher]:
    yield Watcher()


def comparison(
    new: str | BotFile,
    old: str | BotFile,
    game: Game,
    bots: Sequence[str | BotFile],
    spec: RunSpec,
    *,
    question: Question,
    say: Callable[[str], None],
    playing: Playing = _unseen,
    local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
) -> Comparison:
    """Whether the new version plays better, by matches as the run spec asks for.

    A question that ends by itself gets as many matches as it may need, unless the spec says how many. ``local_bots``
    make the bots that play in this process, by name.

    Raises:
        UsageError, BotError, HostError: a setting is not right, a bot cannot start, or this machine fails.
    """
    if question.until and spec.matches is None:
        spec = replace(spec, matches=UNTIL_MATCHES)
    pair = versions_of(new, old, game)
    if pair.same():
        return unchanged(new=pair.new.name, old=pair.old.name, game=game.name)
    contest = contest_between(pair, spec, game, bots, say)
    contest.local_bots = local_bots or {}
    with Session(spec, [contest], contest.folder.path, say) as session:
        found = _ready(session, pair, question, say)
        if found is not None:
            return found
        with playing(session) as watcher:
            board = _play(session, pair, question, watcher)
    return _verdict(contest, board, pair, question)


def versions_of(new: str | BotFile, old: str | BotFile, game: Game) -> Versions:
    """Look up both versions."""
    now, before = (bot if isinstance(bot, BotFile) else entrant(bot) for bot in (new, old))
    if now.name.lower() == before.name.lower():
        before = replace(before, name=f"{before.name[:57]}-before", alias=True)
    roster.check_plays([now, before], game)
    inner, outer = sorted((Path(now.folder), Path(before.folder)), key=lambda path: -len(path.parts))
    if inner != outer and inner.is_relative_to(outer) and not (now.bare or before.bare):
        raise UsageError(f"expected folders of which neither lies in the other, got {inner} in {outer}")
    if lack := missing(before):
        raise UsageError(f"expected an old version that this machine can run, got: {lack}")
    return Versions(new=now, old=before)


def _ready(session: Session, pair: Versions, question: Question, say: Callable[[str], None]) -> Comparison | None:
    """Start all bots.

    Returns a comparison where no match is needed: the new version cannot start and the old one can, or the run that is
    resumed has the answer already. Else None.
    """
    (contest,) = session.contests
    session.resume()
    if question.until and (found := _before(contest, pair, question)):
        return found
    try:
        session.start()
    except NotReadyError as error:
        if pair.new.name not in error.bots or pair.old.name in error.bots:
            raise
        say(error.bots[pair.new.name])
        return unready(new=pair.new.name, old=pair.old.name, game=contest.game.name)
    return None


def _play(session: Session, pair: Versions, question: Question, watcher: Watcher) -> Standings:
    """Play to the last match; or, if the question asks for it, until it is answered, and give up the rest.

    Looks are taken after each match, at the blocks before the first that is not finished.
    """
    (contest,) = session.contests
    playing = session.matches_of(contest, watcher)
    looks: InterimAnalysis | None = None
    lucks: Lucks | None = None
    for record in playing:
        # by now the manifest is written, and this match is recorded
        lucks = lucks or _lucks(contest, pair)
        lucks.of(record)
        if not question.until:
            continue
        if looks is None:
            new, old = _names(contest, pair)
            looks = InterimAnalysis(contest.folder, new=new, old=old, question=question, lucks=lucks)
        else:
            looks.add(record)
        if looks.found:
            playing.close()
            session.lanes.dismiss()
            if not contest.folder.manifest().finished:
                give_up(contest.folder)
            break
    return write_standings(contest.folder)


def _verdict(contest: Contest, board: Standings, pair: Versions, question: Question) -> Comparison:
    """The comparison that the matches give."""
    new, old = _names(contest, pair)
    lucks = _lucks(contest, pair)
    results, folder = board.results, RunFolder(board.folder)

    def luck(row: int) -> float:
        known = lucks.known.get(results.match(row).id)
        return lucks.of(next(records_at(folder, results, [row]))) if known is None else known

    told = luck if lucks.told else None
    return compared(results, board.fit, board.leaderboard, new=new, old=old, question=question, luck=told)


def _lucks(contest: Contest, pair: Versions) -> Lucks:
    new, old = _names(contest, pair)
    return Lucks(contest.folder, new=new, old=old, known=pair.luck)


def _names(contest: Contest, pair: Versions) -> tuple[str, str]:
    """The names of both in the run."""
    names = contest.resumption.names if contest.resumption is not None else {}
    return names.get(pair.new.name, pair.new.name), names.get(pair.old.name, pair.old.name)


def _before(contest: Contest, pair: Versions, question: Question) -> Comparison | None:
    """The verdict of a finished run in the folder, if it answers the question."""
    if not contest.folder.begun() or not contest.folder.manifest().finished:
        return None
    new, old = _names(contest, pair)
    known = {entrant.name for entrant in contest.folder.manifest().entrants}
    if not {new, old} <= known:
        return None
    lucks = _lucks(contest, pair)
    if not InterimAnalysis(contest.folder, new=new, old=old, question=question, lucks=lucks).found:
        return None
    return _verdict(contest, standings(contest.folder), pair, question)
