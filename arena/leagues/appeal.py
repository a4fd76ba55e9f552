"""An appeal: a match of a league replayed with its recorded answers, and with bots themselves if they are asked again.

Prints nothing; knows no option of a command.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Literal

from arena.errors import UsageError
from arena.escape import plain
from arena.files import files, write
from arena.leagues.archive import make_public
from arena.leagues.league import League
from arena.leagues.publish import publish, rulings
from arena.players import BotFile, conceal, digest_bot
from arena.record import Record
from arena.report import Ruling, strip_version
from arena.tournament import Contest, IsolationChoice, RunFolder, find_match, find_runs, replay_of
from arena.words import plural

APPEALS = "site/appeals"


def hear_appeal(
    league: League,
    contests: Sequence[Contest],
    match: str,
    *,
    ask: Collection[str],
    ruling: Literal["void", "stands"] | None,
    reason: str,
    isolation: IsolationChoice,
    say: Callable[[str], None],
) -> str:
    """Write the page of an appeal and, if there is a ruling, all tables by it; the page's path in the league's folder.

    Args:
        league: whose match it is.
        contests: of its season.
        match: as ``appealed`` takes it.
        ask: as ``write_appeal`` takes it.
        ruling: whether the match counts; None if the host rules nothing now.
        reason: why.
        isolation: how bots are started.
        say: gets remarks.

    Raises:
        UsageError, BotError, HostError: as ``appealed`` and ``write_appeal``; or a ruling lacks its reason or match.
    """
    if not match:
        raise UsageError("expected --appeal MATCH beside --ask, --ruling and --reason, got none")
    if (ruling is None) != (not reason.strip()):
        raise UsageError("expected --ruling and --reason together, got one of them")
    folder, number, record = appealed(league, match)
    run, new = folder.path.name, None
    if ruling is not None:
        begun = folder.manifest().created
        new = Ruling(run=run, begun=begun, match=record.id, ruling=ruling, reason=plain(reason, 400))
    last = {(made.run, made.match): made for made in rulings(league, new)}.get((run, record.id))
    page = write_appeal(league, folder, number, record, ruling=last, ask=ask, isolation=isolation)
    if new is not None:
        publish(league, contests, say, ruling=new)
    return page


def appealed(league: League, text: str) -> tuple[RunFolder, int, Record]:
    """The run, the number and the record of the match that ``MATCH`` names, or ``RUN/MATCH`` of several runs.

    Raises:
        UsageError: there is none, its run is not finished, or it was void from the start.
    """
    run, _, match = text.rpartition("/")
    runs = sorted(find_runs(league.root))
    run = run or (runs[0] if len(runs) == 1 else "")
    if run not in runs:
        raise UsageError(f"expected RUN/MATCH with a run of {', '.join(runs)}, got {text!r}", option="appeal")
    folder = RunFolder(league.root / run, within=league.within)
    if not folder.manifest().finished:
        raise UsageError(f"expected a match of a finished run, for its deal is told, got one of {run}", option="appeal")
    return folder, *find_match(folder, match)


def write_appeal(
    league: League,
    folder: RunFolder,
    number: int,
    record: Record,
    *,
    ruling: Ruling | None,
    ask: Collection[str] = (),
    isolation: IsolationChoice = "auto",
) -> str:
    """Write the page of an appeal; its path in the league's folder.

    Args:
        league: whose match it is.
        folder: of its run.
        number: of the match in the journal.
        record: the match.
        ruling: the last one on it, if there is one.
        ask: bots that sat there and are asked again, by their own names.
        isolation: how they are started.

    Raises:
        UsageError: a bot that is to be asked did not sit there, or is not in the league.
        BotError, HostError: it cannot be built, or this machine fails.
    """
    from arena.page import appeal_page  # noqa: PLC0415 - markup takes long to load

    manifest = folder.manifest()
    replay = make_public(replay_of(folder, manifest, record, number=number))
    bots = {bot.name: bot for bot in league.bots}
    seats = {strip_version(bot): seat for seat, bot in enumerate(record.bots)}
    entered = {entrant.name: entrant.digest for entrant in manifest.entrants}
    again: dict[int, dict[int, tuple[int, ...] | str]] = {}
    notes = []
    for name in ask:
        if name not in seats or name not in bots:
            raise UsageError(
                f"expected a bot of the league that sat there ({', '.join(seats)}), got {name!r}", option="ask"
            )
        seat = seats[name]
        again[seat], compared = _compare_answers(folder, record, seat, bots[name], isolation)
        same = digest_bot(bots[name]) == entered[record.bots[seat]]
        notes.append(
            f"{name} was asked again: {len(again[seat])} of {plural(compared, 'answer')} differ. "
            f"Its files are {'those that played' if same else 'no longer those that played'}."
        )
    games = [game.name for game in league.games]
    page = appeal_page(
        replay,
        run=folder.path.name,
        again=again,
        notes=notes,
        ruling="" if ruling is None else plain(ruling.sentence, 1000),
        rules=f"../games/{manifest.game}.html#rules" if manifest.game in games else "",
    )
    name = f"{APPEALS}/{folder.path.name}-{record.id}.html"
    write(league.folder, name, page.encode())
    return name


def _compare_answers(
    folder: RunFolder, record: Record, seat: int, bot: BotFile, isolation: IsolationChoice
) -> tuple[dict[int, tuple[int, ...] | str], int]:
    """By decision the picks or the fault of a bot that answers otherwise than its seat did; how many were compared."""
    from arena.tournament import compare_answers  # noqa: PLC0415 - few seasons are appealed against

    differed, compared = compare_answers(folder, folder.manifest(), record, seat, bot, isolation=isolation, full=True)
    replies: dict[int, tuple[int, ...] | str] = {}
    for difference in differed:
        replies[difference.decision] = (
            difference.picks
            if difference.fault is None
            else plain(f"{difference.fault.kind}: {conceal(difference.fault.rule)}", 200)
        )
    return replies, compared


def write_missing(league: League, rulings: Sequence[Ruling]) -> None:
    """Write the pages of matches that were ruled on and have none: pages are seldom kept."""
    pages = {*files(league.folder, APPEALS)}
    for ruling in rulings:
        folder = RunFolder(league.root / ruling.run, within=league.within)
        if f"{APPEALS}/{ruling.run}-{ruling.match}.html" not in pages:
            write_appeal(league, folder, *find_match(folder, ruling.match), ruling=ruling)
