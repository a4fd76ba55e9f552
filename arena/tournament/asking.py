"""One seat of one recorded match asked again: of which bot, how its answers differ, and that in words."""

import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from arena.errors import BotError, UsageError
from arena.escape import cause_and_cure, harmless, plain
from arena.game import Seat
from arena.identity import bot_of
from arena.players.botfile import BotFile, fault_in, missing
from arena.players.entrants import read_entrant
from arena.players.launch import Launch
from arena.record import Record
from arena.report.conformance import format_line
from arena.report.document import WIDTH, table
from arena.retelling import Differs, verify
from arena.tournament import roster
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.lane_messages import Recall
from arena.tournament.lanes import Lanes
from arena.tournament.recall import EVERY, Difference, Span
from arena.tournament.remaining import dealt_match, limits_of
from arena.tournament.settings import IsolationChoice
from arena.tournament.verification import policy_of, recall
from arena.wire import Decide, decode_from_host, encode
from arena.words import plural


def check_asked(record: Record, seat: Seat | None) -> Seat:
    """The seat, if it was asked in this match.

    Raises:
        UsageError: it was not, or there is none.
    """
    if seat is None:
        raise UsageError("expected the seat of the bot that is to be asked, got none; such as --seat 0", option="seat")
    if record.reason == "void":
        raise UsageError(f"expected a match that was played, got {record.id}, which is void: {plain(record.why, 400)}")
    if seat in record.withdrawn:
        raise UsageError(
            f"expected a seat that was asked, got {name_seat(record, seat)}: it was withdrawn, and arena picked for it"
        )
    return seat


def parse_bot(words: Sequence[str], name: str) -> BotFile:
    """The bot after ``--``: a word that is no BOT is a command line, and so are several.

    Raises:
        BotError, UsageError: there is no such bot, or this machine cannot run it.
    """
    line = words if len(words) > 1 else _line(words[0])
    if line:
        bot = BotFile(bot_of(name), tuple(line), folder=str(Path.cwd()), bare=True)
        if reason := fault_in(bot):
            raise BotError(reason)
    else:
        bot = read_entrant(words[0])
    if lack := missing(bot):
        raise UsageError(f"expected a bot this machine can run, got: {lack}")
    return bot


def _line(word: str) -> list[str]:
    """The words of a command line in one word; none if it is a BOT, or nothing that could be started."""
    try:
        read_entrant(word)
    except BotError:
        with suppress(ValueError):
            line = shlex.split(word)
            if line and "=" not in line[0] and (shutil.which(line[0]) or ("/" in line[0] and Path(line[0]).is_file())):
                return line
    return []


def compare_answers(
    folder: RunFolder,
    manifest: Manifest,
    record: Record,
    seat: int,
    bot: BotFile,
    *,
    isolation: IsolationChoice = "auto",
    full: bool = False,
    span: Span = EVERY,
    arm: Callable[[Launch], Launch] | None = None,
    on_stderr: Callable[[bytes], None] = lambda _: None,
) -> tuple[Sequence[Difference], int]:
    """Where a bot answers otherwise than this seat did, and how many answers were compared.

    It is asked the decisions of the ``span``. ``on_stderr`` gets its stderr as it comes. Unless ``full``, all ends at
    the first difference. ``arm`` changes how it is started.

    Raises:
        arena.retelling.Differs: the record is not what its deal and its answers lead to.
        BotError: it cannot be built.
        HostError: this machine fails, or is too busy to tell.
    """
    if wrong := verify(record, deal_again(folder.secrets_of(manifest), record)[1]):
        raise Differs(f"match {record.id}: {wrong}; see `arena verify`")
    limits = limits_of(manifest)
    with Lanes(1) as lanes:
        policy = policy_of(folder, manifest, [bot], isolation, lanes)
        launch = roster.build(lanes, bot, policy, limits[record.bots[seat]])
        fixture = dealt_match(manifest, limits, folder.secrets_of(manifest), record)
        launch = arm(launch) if arm else replace(launch, shown=True)
        job = Recall(fixture, record, {seat: launch}, stop=not full, first=span.first, last=span.last)
        ((_, compared),) = recall(lanes, [job], on_stderr)
    return compared.differences, compared.decisions[seat]


def name_seat(record: Record, seat: Seat) -> str:
    """The seat of a match in words, with its bot."""
    return f"match {record.id}, seat {seat} ({record.bots[seat]})"


def in_words(
    record: Record,
    seat: Seat,
    differences: Sequence[Difference],
    *,
    compared: int,
    first: int,
    full: bool,
    verbose: bool,
) -> tuple[bool, str]:
    """Whether answers from the decision ``first`` on differ, or there was a fault; and that in words.

    ``full``: as a table of all, else the first of them; ``verbose``: long lines whole.
    """
    # faults are always told: a bot with too many is not asked again
    differences = [difference for difference in differences if difference.fault or difference.decision >= first]
    every, of = plural(compared, "answer"), f"of {compared} "
    if first > 0:
        every, of = f"answers from decision {first}", ""
    spoilt = sum(fault.seat == seat for fault in record.faults)
    more = f"; {plural(spoilt, 'fault was', 'faults were')} recorded and not compared" if spoilt else ""
    here = name_seat(record, seat)
    if not differences:
        return False, harmless(f"{here}: all {every} are as recorded{more}")
    if full:
        rows = table([_row_of(record, difference) for difference in differences], "table")
        return True, f"{rows}\n" + harmless(f"{here}: {len(differences)} {of}answers differ{more}")
    return True, harmless(f"{here}: " + "\n".join(_words_of(record, differences[0], verbose=verbose)))


def _words_of(record: Record, difference: Difference, *, verbose: bool) -> Iterator[str]:
    """A difference in lines: where it is, what was sent, and both answers; ``verbose``: long lines whole."""
    what = f"fault {difference.fault.kind}" if difference.fault else "another answer than recorded"
    yield f"decision {difference.decision}: {what}" if difference.decision >= 0 else f"hello: {what}"
    fault = difference.fault
    if fault is not None:
        yield from cause_and_cure(plain(fault.rule, 400), cure=plain(fault.hint, 400), width=WIDTH, indent="  ")
        if not verbose:
            return
    yield f"sent     | {format_line(difference.sent, verbose=verbose)}"
    if difference.decision >= 0:
        yield f"recorded | {_picked(difference, record.picks[difference.decision])}"
    if fault is None:
        yield f"got      | {_picked(difference, difference.picks)}"
    elif fault.line:
        yield f"got      | {format_line(fault.line.encode(), verbose=verbose)}"


def _picked(difference: Difference, picks: tuple[int, ...]) -> str:
    """Indexes, and the options they name as the bot sees them."""
    question = decode_from_host(difference.sent)
    options = question.options if isinstance(question, Decide) else ()
    words = ", ".join(encode(options[pick]).decode() for pick in picks)
    return f"{list(picks)} {words}".rstrip()


def _row_of(record: Record, difference: Difference) -> dict[str, str]:
    """A difference as a row of a table."""
    recorded = _picked(difference, record.picks[difference.decision]) if difference.decision >= 0 else ""
    fault = difference.fault
    got = f"{fault.kind}: {fault.rule}" if fault else _picked(difference, difference.picks)
    return {"decision": str(difference.decision), "recorded": plain(recorded, 33), "got": plain(got, 33)}
