"""What ``arena report`` does: reads runs, has the values of a report made of them, and writes the page."""

import shlex
from pathlib import Path
from typing import Any

from arena import games
from arena.cli.pictured import told, write_page
from arena.cli.replay import find_match
from arena.cli.standings import Board, standings
from arena.page.report import overall_page, report_page
from arena.record import Record
from arena.report import combine
from arena.report.dossier import Bot, Provenance, Report
from arena.report.plain import cleaned
from arena.report.story import Story
from arena.report.survey import survey
from arena.tournament.folder import Broken, Manifest, RunFolder


def write_report(run: Path, out: str | None, wanted: list[str], replays: int) -> None:
    """Write the page of a run with replays of the wanted matches, and of so many others, at most.

    Raises:
        arena.cli.failure.Usage: a match is not there, or the page cannot be written.
        Broken: a record is not of this run.
    """
    folder = RunFolder(run)
    records = [find_match(folder, each) for each in wanted]
    report = _report(standings(folder))
    page = report_page(report, _stories(folder, report, records, replays))
    write_page(out or str(folder.path / "report.html"), page)


def write_overall(runs: list[Path], out: str) -> None:
    """Write the page over several runs.

    Raises:
        arena.cli.failure.Usage: the page cannot be written.
        Broken: a record is not of its run.
    """
    boards = [standings(RunFolder(run)) for run in runs]
    write_page(out, overall_page([_report(board) for board in boards], _combined(boards)))


def _combined(boards: list[Board]) -> list[Any]:
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
