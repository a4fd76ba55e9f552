"""``arena report``: a run as one page to publish; several runs as an overall page."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from arena import games
from arena.cli.failure import Usage
from arena.cli.pictured import told, write_page
from arena.cli.replay import find_match
from arena.cli.standings import Board, standings
from arena.record import Record
from arena.report import combine
from arena.report.dossier import Bot, Provenance, Report
from arena.report.plain import cleaned
from arena.report.story import Story
from arena.report.survey import survey
from arena.tournament.folder import Broken, Manifest, RunFolder

_REPLAYS = 8


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Results folders.", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="Default: report.html in the run; - is stdout."),
    ] = None,
    replay: Annotated[
        list[str] | None,
        typer.Option("--replay", metavar="MATCH", help="A match to watch in it, may be repeated.", show_default=False),
    ] = None,
    replays: Annotated[
        int, typer.Option("--replays", metavar="N", help="Matches to choose besides, at most.", min=0, max=100)
    ] = _REPLAYS,
) -> None:
    """Write a report of a run as one page to publish, with replays of matches worth a look.

    Of several runs: a page over all of them.

    Example: arena report results/demo -o demo.html
    """
    from arena.page.report import overall_page, report_page  # noqa: PLC0415 - markup takes long to load

    if len(runs) > 1:
        if out is None:
            raise Usage("--out: expected where to write the page of several runs, got none")
        if replay:
            raise Usage("--replay: expected one run with it, got several")
        boards = [standings(RunFolder(run)) for run in runs]
        write_page(out, overall_page([_report(board) for board in boards], cleaned_all(boards)))
        return
    folder = RunFolder(runs[0])
    wanted = [find_match(folder, each) for each in replay or []]
    told_of = _report(standings(folder))
    stories = _stories(folder, told_of, wanted, replays)
    write_page(out or str(folder.path / "report.html"), report_page(told_of, stories))


def cleaned_all(boards: list[Board]) -> list[Any]:
    """The combined table over runs, its names in printable ASCII."""
    names = [_named(board.folder) for board in boards]
    shares = {
        name if names.count(name) == 1 else str(board.folder): board.shares()
        for name, board in zip(names, boards, strict=True)
    }
    entrants = list(dict.fromkeys(row.bot for board in boards for row in board.leaderboard.leaderboard))
    return [cleaned(row) for row in combine(shares, entrants)]


def _named(folder: Path) -> str:
    return folder.name or str(folder)


def _report(board: Board) -> Report:
    """All that is told of a run, its texts in printable ASCII.

    Raises:
        Broken: a record is not of this run.
    """
    folder = RunFolder(board.folder)
    manifest = folder.manifest()
    ranking = [row.bot for row in board.leaderboard.leaderboard]
    entrants = [entrant.name for entrant in manifest.entrants]
    try:
        found = survey(folder.records(), entrants, ranking=ranking, limit=manifest.limits.move)
    except (ValueError, KeyError) as error:
        raise Broken(f"{folder.journal}: {error}; see `arena verify`") from error
    return cleaned(
        Report(leaderboard=board.leaderboard, survey=found, provenance=_provenance(board.folder, manifest)), 4000
    )


def _stories(folder: RunFolder, report: Report, wanted: list[Record], most: int) -> list[Story]:
    """The matches to be watched: those that were asked for, and those worth a look, as many as there is room for."""
    manifest = folder.manifest()
    numbers = [chosen.number for chosen in report.survey.chosen][:most]
    ids = {record.id for record in wanted}
    records = {
        number: record for number, record in enumerate(folder.records()) if number in numbers or record.id in ids
    }
    order = [*(number for number, record in records.items() if record.id in ids), *numbers]
    return [told(folder, manifest, records[number], number=number) for number in dict.fromkeys(order)]


def _provenance(path: Path, manifest: Manifest) -> Provenance:
    quoted, limits = shlex.quote(str(path)), manifest.limits
    audit = next(iter(manifest.audits.values()), None)
    variants = "".join(f", {name}={value}" for name, value in manifest.variants.items())
    facts = {
        "played by": f"arena {manifest.arena}, {manifest.game} version {manifest.game_version}{variants}",
        "begun": manifest.created.replace("T", " ").replace("Z", " UTC"),
        "schedule": ""
        if audit is None
        else f"{audit.fewest} to {audit.most} matches a bot, {audit.fewest_meetings} to {audit.most_meetings} a pair; "
        "each bot in each seat of each deal that it met",
        "limits": f"{limits.move} ms for a decision, {limits.total / 1000:g} s for a match, {limits.memory >> 20} MiB, "
        f"{limits.faults} faults",
        "walls": "none: bots had the rights of who started the run"
        if manifest.isolation == "none"
        else f"{manifest.isolation}, see docs/isolation.md",
        "seed text": "given by the host" if manifest.seed_given else "drawn by arena",
    }
    strangers = [each.entered for each in manifest.entrants if each.entered not in {"", each.name}]
    again = shlex.join(["--bots", "--sample", "20", *strangers])
    return Provenance(
        name=_named(path),
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
            Bot(
                name=each.name,
                language=each.language,
                version=each.version,
                digest=each.digest,
                command=shlex.join(each.command),
            )
            for each in manifest.entrants
        ),
        verify=(f"arena verify {quoted}", f"arena verify {quoted} {again}", f"arena export {quoted} | sha256sum"),
    )
