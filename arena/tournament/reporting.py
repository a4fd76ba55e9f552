"""The report of a run: its matches as replays, its figures and its provenance. Makes no page."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena import games
from arena.errors import UsageError
from arena.escape import cleaned, plain
from arena.game import Seat
from arena.numeric import np
from arena.record import Record, match_key
from arena.report.findings import BotFacts, Provenance, Report, Survey, survey_results
from arena.report.replay import NO_NOTES, NOBODY, Notes, OtherBot, Replay
from arena.results.columns import block_number_of
from arena.retelling import Differs
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.standings import Standings, combined, records_at
from arena.words import plural

_NUMBER = re.compile(r"#?([0-9]{1,18})")
_NO_OTHERS: Mapping[str, OtherBot] = MappingProxyType({})


def find_match(folder: RunFolder, text: str) -> tuple[int, Record]:
    """The match with this number in the journal (``#n`` or ``n``) or this beginning of its id, and its number.

    An exact id goes first.

    Raises:
        UsageError: none, or several.
        arena.tournament.journal.Corrupt: the journal is damaged, or not what the run was finished with.
    """
    number = _NUMBER.fullmatch(text)
    folder.check_whole()
    candidates: list[tuple[int, Record]] = []
    count = 0
    for count, record in enumerate(folder.records(), 1):
        if (number and count - 1 == int(number[1])) or record.id == text:
            return count - 1, record
        if text and record.id.startswith(text):
            candidates.append((count - 1, record))
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        scope = f"#0 to #{count - 1} or the beginning of an id" if count else "the run, which has none yet"
        raise UsageError(f"expected a match of {folder.path} ({scope}), got {text!r}; see `arena matches`")
    some = ", ".join(record.id for _, record in candidates[:5]) + (", ..." if len(candidates) > 5 else "")  # noqa: PLR2004 - as many as fit
    raise UsageError(f"expected the id of one match, got {text!r}, with which {len(candidates)} ids begin: {some}")


def replay_of(
    folder: RunFolder, manifest: Manifest, record: Record, *, number: int, seat: Seat | None = None,
    data: bool = False, other: OtherBot = NOBODY, notes: Notes = NO_NOTES,
) -> Replay:  # fmt: skip
    """The replay of a match of a run, with the picks of the ``other`` bot.

    Raises:
        UsageError: the match is void.
        Differs: the picks do not fit the deal.
    """
    if record.reason == "void":
        raise UsageError(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    from arena.report.telling import tell  # noqa: PLC0415 - only who replays a match needs it

    game, state = deal_again(folder.secrets_of(manifest), record)
    try:
        limit = manifest.limits.move
        return tell(record, game, state, number=number, seat=seat, limit=limit, data=data, other=other, notes=notes)
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None


def read_rules(manifest: Manifest) -> str:
    """The rules of the game of a run, in Markdown; nothing where the game is not installed or does not tell them."""
    try:
        return games.rules_of(games.find(manifest.game)) or ""
    except LookupError:
        return ""


def over_runs(boards: list[Standings]) -> list[Any]:
    """The combined table over runs, its names in printable ASCII."""
    names = [_folder_name(board.folder) for board in boards]
    distinct = [
        name if names.count(name) == 1 else str(board.folder) for name, board in zip(names, boards, strict=True)
    ]
    return [cleaned(row) for row in combined(boards, distinct)]


def _folder_name(folder: Path) -> str:
    return folder.name or str(folder)


def report_of(board: Standings, path: Path | None = None) -> Report:
    """The report of a run, its texts in printable ASCII; ``path`` is the path to print for its folder."""
    folder = RunFolder(board.folder)
    manifest = folder.manifest()
    figures = survey_results(board.results, board.fit, board.leaderboard, limit=manifest.limits.move)
    return report_on(board, figures, manifest, path)


def report_on(board: Standings, figures: Survey, manifest: Manifest, path: Path | None = None) -> Report:
    """A leaderboard and a survey of the same run with where they come from, as ``report_of``."""
    provenance = _provenance(board.folder if path is None else path, manifest)
    return cleaned(Report(leaderboard=board.leaderboard, survey=figures, provenance=provenance), 4000)


def replays_of(
    board: Standings, report: Report, records: list[Record], most: int, others: Mapping[str, OtherBot] = _NO_OTHERS
) -> list[Replay]:
    """The matches to be watched: those asked for, and ``most`` others: those worth a look, then the closest.

    ``others`` are bots that were asked, too, by the id of the match.
    """
    columns = board.results.columns
    worth = [highlight.number for highlight in report.survey.highlights]
    closest = sorted(report.survey.listed, key=lambda match: match.margin)
    numbers = [*dict.fromkeys([*worth, *(match.number for match in closest)])][:most]
    rows = np.searchsorted(columns.number, numbers).tolist()
    for record in records:
        _, _, rotation = match_key(record.id)
        same = (columns.block == block_number_of(record.id)) & (columns.rotation == rotation)
        rows = [*np.flatnonzero(same).tolist(), *rows]
    return list(replays_at(board, list(dict.fromkeys(rows)), others))


def replays_at(board: Standings, rows: Sequence[int], others: Mapping[str, OtherBot] = _NO_OTHERS) -> Iterator[Replay]:
    """The matches in these rows of the results, to be watched; ``others`` as for ``replays_of``."""
    folder, results = RunFolder(board.folder), board.results
    manifest = folder.manifest()
    for row, record in zip(rows, records_at(folder, results, rows), strict=True):
        number = int(results.columns.number[row])
        yield replay_of(folder, manifest, record, number=number, other=others.get(record.id, NOBODY))


def _provenance(path: Path, manifest: Manifest) -> Provenance:
    quoted, limits = shlex.quote(str(path)), manifest.limits
    audit = next(iter(manifest.audits.values()), None)
    variants = "".join(f", {name}={value}" for name, value in manifest.variants.items())
    facts = {
        "played by": f"arena {manifest.arena}, {manifest.game} version {manifest.game_version}{variants}",
        "begun": manifest.created.replace("T", " ").replace("Z", " UTC"),
        "schedule": ""
        if audit is None
        else f"{audit.fewest} to {plural(audit.most, 'match')} a bot, "
        f"{audit.fewest_meetings} to {audit.most_meetings} a pair; "
        "each bot in each seat of each deal that it met",
        "limits": f"{limits.move} ms for a decision, {limits.total / 1000:g} s for a match, {limits.memory >> 20} MiB, "
        f"{plural(limits.faults, 'fault')}",
        "sandbox": "none: bots had the rights of who started the run"
        if manifest.isolation == "none"
        else f"{manifest.isolation}, see arena docs isolation",
        "seed text": "given by the host" if manifest.seed_given else "drawn by arena",
    }
    strangers = [entrant.entered for entrant in manifest.entrants if entrant.entered not in {"", entrant.name}]
    again = shlex.join(["--bots", "--sample", "20", *strangers])
    return Provenance(
        name=_folder_name(path),
        path=quoted,
        game=manifest.game,
        title=games.find(manifest.game).title,
        seats="-".join(map(str, sorted({manifest.seats[0], manifest.seats[-1]}))),
        created=facts["begun"],
        seconds=manifest.seconds,
        limit=limits.move,
        facts={name: words for name, words in facts.items() if words},
        commitments=tuple((epoch.commitment, epoch.seed or "") for epoch in manifest.epochs),
        bots=tuple(
            BotFacts(
                name=entrant.name,
                language=entrant.language,
                version=entrant.version,
                digest=entrant.digest,
                command=shlex.join(entrant.command),
            )
            for entrant in manifest.entrants
        ),
        verify=(f"arena verify {quoted}", f"arena verify {quoted} {again}", f"arena export {quoted} | sha256sum"),
    )
