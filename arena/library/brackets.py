"""From a run folder to the bracket of its format, derived from the journal. Prints nothing."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from msgspec import UNSET, UnsetType

from arena.report.bracket import Bracket, BracketPlace, BracketStage, SatTogether, Seated, points_of
from arena.tournament.folder import BALANCED, Broken, Manifest, RunFolder
from arena.tournament.rounds import Finished, derived

_DIGITS = 4


def bracket_of(folder: RunFolder, manifest: Manifest) -> Bracket | UnsetType:
    """The bracket, or ``UNSET`` if the run has none, or is not finished and its secret is not here.

    Raises:
        Broken, arena.tournament.journal.Corrupt: the folder is damaged.
    """
    if manifest.schedule == BALANCED:
        return UNSET
    try:
        secrets = folder.secrets_of(manifest)
    except Broken:
        if manifest.finished:
            raise
        return UNSET
    again = folder.unsettled(manifest)
    rounds = derived(manifest, secrets, (each for each in folder.outcomes() if each.id not in again))
    result = rounds.result
    return Bracket(
        schedule=manifest.schedule,
        places=()
        if result is None
        else tuple([BracketPlace(place=each.place, bot=each.bot) for each in result.places]),
        stages=tuple(
            [
                _stage(title, list(finished))
                for title, finished in groupby(rounds.finished, lambda each: each.round.stage or each.round.title)
            ]
        ),
        certain=result is not None and result.certain,
        notes=() if result is None else result.notes,
    )


def _stage(title: str, finished: Iterable[Finished]) -> BracketStage:
    blocks: Counter[frozenset[str]] = Counter()
    points: dict[tuple[frozenset[str], str], list[float]] = {}
    byes: list[str] = []
    for each in finished:
        byes += each.round.byes
        for played in each.played:
            bots = frozenset(played.line_up)
            blocks[bots] += 1
            for line_up, ranks in played.matches():
                for bot, share in zip(line_up, points_of(ranks), strict=True):
                    points.setdefault((bots, bot), []).append(share)
    tables = [
        SatTogether(
            bots=tuple(
                sorted(
                    [Seated(bot=bot, points=_mean(points.get((bots, bot), []))) for bot in bots],
                    key=lambda seated: (-(seated.points or 0.0), seated.bot),
                )
            ),
            blocks=count,
        )
        for bots, count in blocks.items()
    ]
    # a stage may have many rounds: a bot that sat in one of them did not sit out
    sat = frozenset[str]().union(*blocks)
    return BracketStage(
        title=title, tables=tuple(tables), byes=tuple([bot for bot in dict.fromkeys(byes) if bot not in sat])
    )


def _mean(shares: list[float]) -> float | None:
    return round(sum(shares) / len(shares), _DIGITS) if shares else None
