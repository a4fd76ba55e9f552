"""``arena replay``: one match replayed, decision by decision for a person, or to a bot, as its seat was asked."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import (
    AsRun,
    OptionGroup,
    QuietOptions,
    Run,
    Within,
    grouped,
    option,
    seconds,
    verbose_option,
    write_page,
)
from arena.errors import UsageError
from arena.escape import harmless, plain
from arena.record import Record
from arena.report.document import table
from arena.report.replay import NOBODY, OtherBot
from arena.report.telling import sentences
from arena.retelling import Differs
from arena.retelling import verify as verify_record
from arena.terminal.progress import pass_on
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.reporting import find_match, read_rules, replay_of
from arena.tournament.verification import compare_answers, parse_bot, row_of, words_of
from arena.wire import encode
from arena.words import plural


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(OptionGroup):
    """How the match is told."""

    title = "How to show it"
    seat: Annotated[int | None, option("--seat N: Show only what this seat saw.", min=0, max=7)] = None
    decision: Annotated[
        int, option("--decision N: Begin there: the N-th decision of the match, from 0.", show_default=False)
    ] = -1
    board: Annotated[bool, option("--board: Show the table; at a terminal, move with keys.")] = False
    json: Annotated[bool, option("--json: Print the match as data; `arena schema --of replay` explains it.")] = False
    html: Annotated[str | None, option("--html FILE: Write a page to watch it; - is stdout.")] = None
    verbose: Annotated[bool, verbose_option("Show all options, and lines at fault whole.")] = False
    by: Annotated[str, option("--by BOT: Show what this bot picks, too; as in review.")] = ""
    within: Within = "30s"


@dataclass(frozen=True, kw_only=True)
class AskedBotOptions(OptionGroup):
    """A bot that answers the questions of a recorded match again."""

    title = "A bot to ask again"
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- CMD...]",
            help="A bot that gets the questions of this seat: a BOT as in run, or a command line.",
            show_default=False,
        ),
    ] = None
    full: Annotated[bool, option("--all: Show every answer that differs, as a table; not only the first.")] = False
    isolation: AsRun = "auto"


@grouped
def replay(
    run: Run,
    match: Annotated[str, option("MATCH: #n, or the beginning of an id.")],
    how: ReplayOptions,
    respondent: AskedBotOptions,
) -> None:
    """Show a match decision by decision; or ask a bot the questions of a seat again.

    A bot comes last, as in --seat 2 -- python3 mine.py.

    Example: arena replay results/demo '#0' --seat 2
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    number, record = find_match(folder, match)
    if how.seat is not None and how.seat >= len(record.bots):
        raise UsageError(f"expected a seat from 0 to {len(record.bots) - 1}, got {how.seat}", option="seat")
    if not -1 <= how.decision < len(record.picks):
        last = f"from 0 to {len(record.picks) - 1}" if record.picks else "of the match, which has none"
        raise UsageError(f"expected a decision {last}, got {how.decision}", option="decision")
    if how.board + how.json + (how.html is not None) + bool(respondent.command) > 1:
        raise UsageError("expected one of --board, --json, --html and a bot, got several")
    if how.by and respondent.command:
        raise UsageError("expected --by or a bot to ask again, got both")
    if how.board or how.json or how.html is not None:
        _picture(folder, manifest, record, number, how)
        return
    if respondent.command:
        _ask(folder, manifest, record, how, respondent)
        return
    secrets = folder.secrets_of(manifest)
    state = None if record.reason == "void" else deal_again(secrets, record)[1]
    try:
        other = _other(folder, record, how)
        for line in sentences(record, state, seat=how.seat, begin=how.decision, full=how.verbose, other=other):
            typer.echo(harmless(line))
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None
    if not manifest.finished:
        typer.echo("(provisional: the run is not finished)")


def _picture(folder: RunFolder, manifest: Manifest, record: Record, number: int, how: ReplayOptions) -> None:
    other = _other(folder, record, how)
    replayed = replay_of(folder, manifest, record, number=number, seat=how.seat, data=how.json, other=other)
    if how.json:
        typer.echo(encode(replayed.begun(how.decision)))
    elif how.html is not None:
        from arena.page.board import replay_page  # noqa: PLC0415 - markup takes long to load, and few ask for it

        flags = [] if how.seat is None else ["--seat", str(how.seat)]
        words = shlex.join(["arena", "replay", str(folder.path), record.id, *flags])
        run = shlex.quote(str(folder.path))
        page = replay_page(replayed, rules=read_rules(manifest), run=run, command=words, decision=how.decision)
        write_page(how.html, page=page)
    else:
        from arena.terminal.board import show  # noqa: PLC0415 - likewise rich

        show(replayed, seat=how.seat, begin=replayed.position(how.decision))


def _other(folder: RunFolder, record: Record, how: ReplayOptions) -> OtherBot:
    """The bot that is asked, too."""
    if not how.by or record.reason == "void":
        return NOBODY
    from arena.selfplay.players import from_file  # noqa: PLC0415 - self-play takes long to load, and few ask for it
    from arena.selfplay.review import also_asked  # noqa: PLC0415 - likewise

    say = QuietOptions().say
    return also_asked(folder, record, from_file(how.by), seat=how.seat, within=seconds(how.within), say=say)


def _ask(
    folder: RunFolder, manifest: Manifest, record: Record, how: ReplayOptions, respondent: AskedBotOptions
) -> None:
    seat, here = _asked_seat(record, how.seat)
    if wrong := verify_record(record, deal_again(folder.secrets_of(manifest), record)[1]):
        raise Differs(f"match {record.id}: {wrong}; see `arena verify`")
    bot = parse_bot(respondent.command or [], record.bots[seat])
    full = respondent.full or how.decision > 0
    differed, compared = compare_answers(
        folder, manifest, record, seat, bot, isolation=respondent.isolation, full=full, on_stderr=pass_on
    )
    # faults are always told: a bot with too many is not asked again
    differed = [difference for difference in differed if difference.fault or difference.decision >= how.decision]
    every, of = plural(compared, "answer"), f"of {compared} "
    if how.decision > 0:
        every, of = f"answers from decision {how.decision}", ""
    spoilt = sum(fault.seat == seat for fault in record.faults)
    more = f"; {plural(spoilt, 'fault was', 'faults were')} recorded and not compared" if spoilt else ""
    if not differed:
        typer.echo(harmless(f"{here}: all {every} are as recorded{more}"))
        return
    if respondent.full:
        typer.echo(table([row_of(record, difference) for difference in differed], "table"))
        typer.echo(harmless(f"{here}: {len(differed)} {of}answers differ{more}"))
    else:
        text = "\n".join(words_of(record, differed[0], verbose=how.verbose))
        typer.echo(harmless(f"{here}: {text}"))
    raise typer.Exit(1)


def _asked_seat(record: Record, seat: int | None) -> tuple[int, str]:
    if seat is None:
        raise UsageError("expected the seat of the bot that is to be asked, got none; such as --seat 0", option="seat")
    if record.reason == "void":
        raise UsageError(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    here = f"match {record.id}, seat {seat} ({record.bots[seat]})"
    if seat in record.withdrawn:
        raise UsageError(f"expected a seat that was asked, got {here}: it was withdrawn, and arena picked for it")
    return seat, here
