"""The numbered requirements on a bot, and the task and the findings of a check: plain data.

The numbers never change: a new requirement is added at the end. ``docs/check.md`` explains each.
"""

from enum import IntEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.conformance import TrialTable
from arena.game import Game


class Sentence(IntEnum):
    """A requirement of the protocol by its number; reports call it a rule, data a sentence."""

    READY = 1
    PROTOCOL = 2
    STDOUT = 3
    IN_TIME = 4
    RUNS = 5
    ID = 6
    PICKS = 7
    UNASKED = 8
    AGAIN = 9
    BROKEN_OFF = 10
    UNKNOWN = 11
    LONG = 12
    EXIT = 13
    NOTHING_LEFT = 14
    EQUAL = 15
    SPARE = 16
    LIGHT = 17
    OTHERWISE = 18


TEXT = {
    Sentence.READY: "starts, and says `ready` in time",
    Sentence.PROTOCOL: "speaks protocol 1",
    Sentence.STDOUT: "writes nothing but messages to its standard output",
    Sentence.IN_TIME: "answers every question in time",
    Sentence.RUNS: "runs until its input ends",
    Sentence.ID: "sends back the `id` of the question",
    Sentence.PICKS: "picks as many different options as asked for, by index",
    Sentence.UNASKED: "sends nothing unasked",
    Sentence.AGAIN: "plays match after match in one process",
    Sentence.BROKEN_OFF: "goes on after a match that is broken off",
    Sentence.UNKNOWN: "ignores fields and messages that it does not know",
    Sentence.LONG: "reads lines of any length",
    Sentence.EXIT: "exits with status 0 when its input ends",
    Sentence.NOTHING_LEFT: "leaves no process behind",
    Sentence.EQUAL: "gives equal answers to equal questions",
    Sentence.SPARE: "answers with time to spare",
    Sentence.LIGHT: "is ready soon, and brings few files",
    Sentence.OTHERWISE: "picks otherwise than recorded, where that is asked for",
}
"""Each after the words *the bot*."""

FIXES = {
    Sentence.READY: 'answer every `hello` with {"type":"ready"} and a newline, and flush',
    Sentence.PROTOCOL: "write each message as one line of JSON, as `arena docs protocol` shows it",
    Sentence.STDOUT: "print debug output to standard error: standard output is for messages only",
    Sentence.IN_TIME: "flush after every line, and watch the `time` field of the question",
    Sentence.RUNS: "read line after line until the input ends; its standard error may show why it stopped",
    Sentence.ID: "copy the `id` of the `decide` that you answer",
    Sentence.PICKS: "send between `least` and `most` different indexes into `options`, counted from 0",
    Sentence.UNASKED: "send one `ready` to each `hello`, one `choose` to each `decide`, and nothing to `over`",
    Sentence.AGAIN: "forget the last match at `hello` and say `ready` again, and send nothing to `over` "
    '(or put restart = "match" into bot.toml)',
    Sentence.BROKEN_OFF: "begin again at each `hello`, whether or not an `over` came before it",
    Sentence.UNKNOWN: "skip messages of an unknown `type`; look for the fields you need and pass over all others",
    Sentence.LONG: "read up to the newline, however far it is: let the line buffer grow",
    Sentence.EXIT: "leave the loop when a read reports the end of input, and exit with status 0",
    Sentence.NOTHING_LEFT: "end helper processes, and wait for them, before exiting",
    Sentence.EQUAL: "seed the dice from `seed` at each `hello`, and take nothing from the clock or the last match",
    Sentence.SPARE: "plan for half of `time`: another machine may be slower, or shared",
    Sentence.LIGHT: "leave out what the bot does not need, pack small files into one, load late what is needed late",
    Sentence.OTHERWISE: "run it on these lines under a debugger: see `arena docs debugging`",
}
"""How to make each come true, where the failure itself gives no better hint."""

AT_TABLES = tuple([sentence for sentence in Sentence if sentence is not Sentence.OTHERWISE])
"""What is tried in matches that are played for it."""
IN_LINES = (
    *(Sentence.READY, Sentence.PROTOCOL, Sentence.STDOUT, Sentence.IN_TIME, Sentence.RUNS, Sentence.ID, Sentence.PICKS),
    *(Sentence.UNASKED, Sentence.EXIT, Sentence.NOTHING_LEFT, Sentence.SPARE, Sentence.OTHERWISE),
)
"""What is tried where the bot is asked what was recorded; the last of them only there."""

NOTED_ONLY = frozenset({Sentence.EQUAL, Sentence.SPARE, Sentence.LIGHT})
"""Notes, not failures: they cost nobody a match, and author and host should know of them."""

Status: TypeAlias = Literal["ok", "failed", "note", "skipped"]


def tables(game: Game, counts: tuple[int, ...]) -> list[TrialTable]:
    """Each of these seat counts with each value of each variant, the other variants at their defaults."""
    settings = [(game.resolve_variants({}), "")]
    settings += [(variants, f"{name}={value}") for name, value, variants in game.unusual()]
    listed: list[TrialTable] = []
    for variants, unusual in settings:
        # the bot moves from seat to seat
        listed += [
            TrialTable(game=game.name, seats=seats, seat=(number + seats) % seats, variants=variants, unusual=unusual)
            for number, seats in enumerate(counts)
        ]
    return listed


class Line(Struct, frozen=True):
    """A line that went from the host to the bot, or came from it; without its newline."""

    sent: bool
    text: bytes


class Failure(Struct, frozen=True, kw_only=True):
    """Where a requirement did not hold, and how."""

    where: str
    rule: str
    """What was expected and what was got."""
    hint: str
    lines: tuple[Line, ...] = ()
    """The last lines of the conversation, oldest first."""
    errors: bytes = b""
    """What the process had written to stderr, its middle left out."""
    isolation: str = ""
    """What the bot could read, where that may be the reason."""
    limits: str = ""
    """The limits of its processes, where they may be the reason."""
    also: tuple[str, ...] = ()
    """Where else it did not hold."""

    @property
    def offending(self) -> Line | None:
        """The line that broke it; None if none came."""
        return self.lines[-1] if self.lines and not self.lines[-1].sent else None


class CheckResult(Struct, frozen=True):
    """The result of one requirement."""

    number: int
    status: Status
    remark: str = ""
    failure: Failure | None = None


class Findings(Struct, frozen=True):
    """The results of all requirements, in their order."""

    results: tuple[CheckResult, ...]
    matches: int
    questions: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether no requirement failed."""
        return all(result.status != "failed" for result in self.results)
