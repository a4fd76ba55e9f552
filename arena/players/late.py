"""What is said of a bot that did not answer in time: whether it was computing or idle, and how to mend it."""

from msgspec.structs import replace

from arena.fault import Fault

COMPUTING = ": it was computing"
IDLE = ": it was idle"
THINK_LESS = "look for a loop that never ends, or think for less long: watch the `time` field"
NEVER_HEARD = (
    "nothing ever came: it may keep its answer in a buffer (flush after every line: print(..., flush=True), fflush), "
    "or wait for more input (read one line at a time)"
)


def with_use(late: Fault, *, used: float, waited: float) -> Fault:
    """A fault ``late`` that says whether the bot was computing or idle, where nothing told what kept it from running.

    It used ``used`` seconds of the processor in the ``waited`` seconds since it was asked. Other programs may have had
    the processor as well, so between a tenth and a quarter of that nothing is said.
    """
    if used > waited / 4:
        return replace(late, rule=late.rule + COMPUTING, hint=THINK_LESS)
    return replace(late, rule=late.rule + IDLE) if used < waited / 10 else late
