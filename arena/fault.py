"""What a bot did wrong: one value, from whoever noticed it to the page that shows it. Knows nothing of arena."""

from typing import Literal, Self, TypeAlias

from msgspec import Struct

FaultKind: TypeAlias = Literal["late", "illegal", "garbled", "gone", "unready", "resource"]
"""All that a bot can do wrong; whatever else goes wrong is the host's doing and voids the match."""


class FaultRule(Struct, frozen=True):
    """What a kind of fault is, and what follows from it."""

    meaning: str
    """As protocol.md says it, which is tested."""
    strikes: int = 1
    """How many of the faults that a seat may have in a match it costs."""
    blamed: bool = True
    """Whether the bot is to blame: then it fails a strict run, and counts against it in a comparison."""


FAULTS: dict[str, FaultRule] = {
    "late": FaultRule("No whole line with the answer by the deadline, or no time left to ask in"),
    "illegal": FaultRule("Picks that are too few, too many, not distinct or out of range"),
    "garbled": FaultRule(
        "A line that is no message, or too long; a `choose` with an id that was never asked; too many lines or bytes"
    ),
    "gone": FaultRule("The process exited or closed its output"),
    "unready": FaultRule("It did not start, or no `ready` came in time, or one for another protocol"),
    "resource": FaultRule(
        "It used more than 25 % of the processor while others were asked, over a second or more; or a limit on memory, "
        "processes or files struck it"
    ),
}
"""All kinds, in the order in which tables name them."""


class Cause(Struct, frozen=True):
    """Why a bot has failed, as whoever noticed it knows."""

    kind: FaultKind
    hint: str = ""
    """How a bot's author might fix it; the words in braces are figures of the case."""


CAUSES: dict[str, Cause] = {
    "no-answer": Cause("late", "flush after every line; watch the `time` field"),
    "never-heard": Cause(
        "late",
        "nothing ever came: it may keep its answer in a buffer (flush after every line: print(..., flush=True), "
        "fflush), or wait for more input (read one line at a time)",
    ),
    "computing": Cause("late", "look for a loop that never ends, or think for less long: watch the `time` field"),
    "no-newline": Cause("late", "end every line with a newline, and flush"),
    "question-not-read": Cause("late", "{bytes} bytes of the question were never read: read your input line by line"),
    "input-closed": Cause("late", "its input is closed, so it cannot be asked: read until the end of input"),
    "errors-not-read": Cause(
        "late", "it wrote more than {bytes} bytes to stderr during one question, and may wait to write more"
    ),
    "core-taken": Cause("late", "let what it starts not keep others from the core"),
    "time-spent": Cause("late", "watch the `time` field: it tells what is left; see `limits` in hello"),
    "illegal-picks": Cause("illegal", "picks are zero-based indexes into `options`"),
    "no-message": Cause("garbled", "only messages go to stdout: print debug output to stderr"),
    "wrong-message": Cause("garbled", 'answer hello with {"type":"ready"}, and decide with a choose'),
    "strange-id": Cause("garbled", "send back the `id` of the `decide` you answer"),
    "long-line": Cause("garbled"),
    "stray-lines": Cause("garbled"),
    "much-output": Cause("garbled"),
    "exited": Cause("gone", "a bot must run until its input ends: see its stderr"),
    "exited-in-game": Cause(
        "gone", "correct that; or if it does not play this game, name those that it plays in `games` of bot.toml"
    ),
    "raised": Cause("gone", "the bot's code raised it"),
    "no-process": Cause("gone", "see its stderr"),
    "cannot-start": Cause("unready", "check its command"),
    "slow-start": Cause(
        "unready",
        "it used {used:.1f} s of the processor in {waited:.1f} s, as large imports do: `--start-time {longer}s`, or "
        "`start` of [clocks] in arena.toml, gives it longer",
    ),
    "idle-start": Cause(
        "unready",
        "nothing ever came: it may keep `ready` in a buffer (flush after every line: print(..., flush=True), fflush), "
        "wait for more input (read one line at a time), or for something else, as a network or a sleep",
    ),
    "ready-once": Cause(
        "unready", "say `ready` to each `hello`, also to a second one in the same process, and none before it"
    ),
    "other-protocol": Cause("unready", "see `arena docs protocol`"),
    "busy-between": Cause(
        "resource", "wait for input by a blocking read; do not think, poll or spin while others are asked"
    ),
    "limit": Cause("resource", "see `limits` in hello"),
}
"""All causes. A bot that is not ready in time, or exits before, is ``unready`` whatever the cause."""
NOWHERE = -1
"""The seat and the decision of a fault of which they are not known yet, and the decision of one before the first."""
_EXCERPT = 120
"""Bytes of the line at fault that are kept."""


class Fault(Struct, frozen=True, kw_only=True):
    """One thing a bot did wrong. Its first options are picked. The referee knows its seat and decision."""

    seat: int
    kind: FaultKind
    decision: int
    """Index into the record's ``picks`` of the decision it spoilt; -1 before the first."""
    rule: str
    """What was expected and what was got."""
    hint: str = ""
    """How a bot's author might fix it."""
    line: str = ""
    """The line at fault, escaped to printable ASCII and cut."""
    cause: str = ""
    """Of ``CAUSES``; empty in a record of an older version."""

    @classmethod
    def of(cls, cause: str, *, rule: str, hint: str | None = None, line: bytes = b"", **figures: float) -> Self:
        """A fault as it is noticed: its seat and decision are for the referee to say.

        Args:
            cause: of ``CAUSES``.
            rule: what was expected and what was got.
            hint: a better one than that of the cause.
            line: the line at fault.
            figures: the figures in the hint of the cause.
        """
        entry = CAUSES[cause]
        return cls(
            seat=NOWHERE,
            kind=entry.kind,
            decision=NOWHERE,
            rule=rule,
            hint=hint if hint is not None else entry.hint.format(**figures) if figures else entry.hint,
            line=excerpt(line),
            cause=cause,
        )


def cause_of(fault: Fault) -> str:
    """The cause of a fault, also in a record of an older version, which has the hint alone; empty if it is unknown."""
    if fault.cause:
        return fault.cause
    return next((name for name, cause in CAUSES.items() if (cause.kind, cause.hint) == (fault.kind, fault.hint)), "")


def excerpt(line: bytes) -> str:
    """The beginning of a line in printable ASCII."""
    text = line[:_EXCERPT].decode("utf-8", "backslashreplace").encode("ascii", "backslashreplace").decode()
    output = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return output + ("..." if len(line) > _EXCERPT else "")
