"""``arena replay``: one match replayed, decision by decision for a person, or to a bot, as its seat was asked."""

import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli.options import AsRun, OptionGroup, QuietOptions, Run, Within, grouped, option, seconds, verbose_option
from arena.errors import UsageError
from arena.escape import harmless
from arena.record import Record
from arena.report.replay import NOBODY, OtherBot
from arena.report.telling import sentences
from arena.retelling import Differs
from arena.terminal.debugging import debug_launch, pass_on
from arena.terminal.streams import write_page
from arena.tournament.asking import check_asked, compare_answers, in_words, parse_bot
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.notes import read_notes
from arena.tournament.recall import EVERY, Span
from arena.tournament.reporting import find_match, read_rules, replay_of
from arena.tournament.transcribing import transcript_of
from arena.wire import encode


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(OptionGroup):
    """How the match is told."""

    title = "How to show it"
    seat: Annotated[int | None, option("--seat N: Show only what this seat saw.", min=0, max=7)] = None
    decision: Annotated[
        int,
        option(
            "--decision N: Begin there: the N-th decision of the match, from 0. In words it is shown alone, unless "
            "--until goes on.",
            show_default=False,
        ),
    ] = -1
    until: Annotated[int | None, option("--until N: End after that decision.", min=0)] = None
    board: Annotated[bool, option("--board: Show the table; at a terminal, move with keys.")] = False
    json: Annotated[bool, option("--json: Print the match as data; `arena schema --of replay` explains it.")] = False
    html: Annotated[str | None, option("--html FILE: Write a page to watch it; - is stdout.")] = None
    lines: Annotated[bool, option("--lines: Print the exact lines that this seat was sent.")] = False
    answers: Annotated[bool, option("--answers: Print its answer after each of them, for check --lines.")] = False
    verbose: Annotated[bool, verbose_option("Show all options, and lines at fault whole.")] = False
    stderr: Annotated[bool, option("--stderr: Show what bots wrote to standard error, too.")] = False
    by: Annotated[str, option("--by BOT: Show what this bot picks, too; as in review.")] = ""
    within: Within = "30s"

    def span(self, *, alone: bool = False) -> Span:
        """The decisions that are asked for; ``alone``: one, unless it is said how it goes on."""
        last = self.decision if alone and self.decision >= 0 and self.until is None else self.until
        return Span(first=max(self.decision, 0), last=last)


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
    debug: Annotated[
        bool, option("--debug: Its clock is off, and it has this terminal: see `arena docs debugging`.")
    ] = False
    play_on: Annotated[
        int | None,
        option("--play-on N: From --decision on play with this bot: once as the cards lay, N times afresh.", min=0),
    ] = None
    with_: Annotated[list[str] | None, option("--with BOT: A bot of the run that sits beside it; may be repeated.")] = (
        None
    )
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

    Example: arena replay results/demo '#0' --seat 2 --debug -- python3 mine.py
    """
    folder = RunFolder(Path(run))
    manifest = folder.manifest()
    number, record = find_match(folder, match)
    _check_options(record, how, respondent)
    if how.board or how.json or how.html is not None:
        _picture(folder, manifest, record, number, how)
        return
    if how.lines:
        seat = check_asked(record, how.seat)
        transcript = transcript_of(folder, manifest, record, seat, span=how.span())
        typer.echo(b"\n".join(transcript.lines(answers=how.answers)))
        return
    if respondent.command:
        _ask(folder, manifest, record, how, respondent)
        return
    state = None if record.reason == "void" else deal_again(folder.secrets_of(manifest), record)[1]
    try:
        span = how.span(alone=True)
        other = _other(folder, record, how, None if span == EVERY else span)
        notes = read_notes(folder, record, how.seat, stderr=how.stderr)
        tell = partial(sentences, record, state, seat=how.seat, notes=notes, other=other)
        for line in tell(begin=how.decision, last=span.last, full=how.verbose):
            typer.echo(harmless(line))
    except Differs as difference:
        raise Differs(f"match {record.id}: {difference}; see `arena verify`") from None
    if not manifest.finished:
        typer.echo("(provisional: the run is not finished)")


def _check_options(record: Record, how: ReplayOptions, respondent: AskedBotOptions) -> None:
    if how.seat is not None and how.seat >= len(record.bots):
        raise UsageError(f"expected a seat from 0 to {len(record.bots) - 1}, got {how.seat}", option="seat")
    if not -1 <= how.decision < len(record.picks):
        last = f"from 0 to {len(record.picks) - 1}" if record.picks else "of the match, which has none"
        raise UsageError(f"expected a decision {last}, got {how.decision}", option="decision")
    if how.until is not None and how.until < how.decision:
        raise UsageError(f"expected {how.decision} or more, got {how.until}", option="until")
    if how.board + how.json + (how.html is not None) + how.lines + bool(respondent.command) > 1:
        raise UsageError("expected one of --board, --json, --html, --lines and a bot, got several")
    if how.until is not None and how.html is not None:
        raise UsageError("expected none beside --html, which shows the whole match", option="until")
    if how.answers and not how.lines:
        raise UsageError("expected --lines beside it, got none", option="answers")
    if respondent.debug and not respondent.command:
        raise UsageError("expected a bot to debug, got none; such as --debug -- python3 mine.py", option="debug")
    if (respondent.play_on is not None or respondent.with_) and not respondent.command:
        raise UsageError("expected a bot to play on with, got none; such as -- python3 mine.py", option="play_on")
    if how.by and respondent.command:
        raise UsageError("expected --by or a bot to ask again, got both")


def _picture(folder: RunFolder, manifest: Manifest, record: Record, number: int, how: ReplayOptions) -> None:
    other, notes = _other(folder, record, how, None), read_notes(folder, record, how.seat)
    replayed = replay_of(
        folder, manifest, record, number=number, seat=how.seat, data=how.json, other=other, notes=notes
    )
    if how.json:
        typer.echo(encode(replayed.between(how.decision, until=how.until)))
    elif how.html is not None:
        from arena.page.board import replay_page  # noqa: PLC0415 - markup takes long to load, and few ask for it

        flags = [] if how.seat is None else ["--seat", str(how.seat)]
        words = shlex.join(["arena", "replay", str(folder.path), record.id, *flags])
        run = shlex.quote(str(folder.path))
        field = [entrant.name for entrant in manifest.entrants]
        rules = read_rules(manifest)
        page = replay_page(replayed, rules=rules, run=run, command=words, decision=how.decision, field=field)
        write_page(how.html, page=page)
    else:
        from arena.terminal.board import show  # noqa: PLC0415 - likewise rich

        last = how.span(alone=True).last
        show(replayed, seat=how.seat, begin=replayed.position(how.decision), end=replayed.position(last))


def _other(folder: RunFolder, record: Record, how: ReplayOptions, span: Span | None) -> OtherBot:
    """The bot that is asked, too."""
    if not how.by or record.reason == "void":
        return NOBODY
    from arena.selfplay.players import from_file, print_to_stderr  # noqa: PLC0415 - few ask for self-play
    from arena.selfplay.review import also_asked  # noqa: PLC0415 - likewise

    with print_to_stderr():
        ask = partial(also_asked, folder, record, from_file(how.by), seat=how.seat, within=seconds(how.within))
        return ask(wanted=None if span is None else span.__contains__, say=QuietOptions().say)


def _ask(
    folder: RunFolder, manifest: Manifest, record: Record, how: ReplayOptions, respondent: AskedBotOptions
) -> None:
    seat = check_asked(record, how.seat)
    bot = parse_bot(respondent.command or [], record.bots[seat])
    if respondent.play_on is not None:
        from arena.tournament.playing_on import play_on  # noqa: PLC0415 - few play on

        play = partial(play_on, folder, manifest, record, bot, decision=how.decision, seat=seat)
        ends = play(others=respondent.with_ or (), matches=respondent.play_on, isolation=respondent.isolation)
        typer.echo(harmless("\n".join(ends.lines())))
        return
    arm = partial(debug_launch, free=respondent.isolation == "auto") if respondent.debug else None
    differed, compared = compare_answers(
        folder,
        manifest,
        record,
        seat,
        bot,
        isolation=respondent.isolation,
        full=respondent.full or respondent.debug or how.decision > 0,
        # a bot may remember earlier questions; a person at a breakpoint wants to come to this one at once
        span=how.span() if respondent.debug else replace(how.span(), first=0),
        arm=arm,
        on_stderr=pass_on,
    )
    shown = partial(in_words, record, seat, differed, full=respondent.full, verbose=how.verbose)
    differs, text = shown(compared=compared, first=how.decision)
    typer.echo(text)
    if differs:
        raise typer.Exit(1)
