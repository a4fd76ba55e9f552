"""A bot that is debugged on this terminal: how it is started, and what is shown of it. Few commands load this."""

import json
import os
import sys
from collections.abc import Mapping

from msgspec.structs import replace

from arena.escape import folded, harmless
from arena.identity import bot_of
from arena.players.launch import Launch
from arena.record import Record
from arena.report.document import WIDTH
from arena.sandbox.sandbox import OPEN
from arena.terminal import remark
from arena.terminal.progress import Silent
from arena.tournament.lane_messages import BotLine

_DAY = 86_400.0
TTY = "ARENA_TTY"
"""The variable of a debugged bot that names the terminal for its debugger, for its own pipes are taken."""


def debug_launches(launches: Mapping[str, Launch], debug: str, *, free: bool) -> dict[str, Launch]:
    """The launches, with those of the debugged bot and its copies as ``debug_launch`` has them."""
    return {
        name: debug_launch(launch, free=free) if bot_of(name) == debug else launch for name, launch in launches.items()
    }


def debug_launch(launch: Launch, *, free: bool) -> Launch:
    """The launch of a bot that shows all that it is sent and says, on this terminal, with a day for each answer.

    ``free``: whether it plays outside of any sandbox, so that it can reach the terminal and a debugger can reach it.
    """
    terminal = {TTY: os.ttyname(2)} if os.isatty(2) else {}
    sandbox = OPEN if free else launch.sandbox
    return replace(launch, shown=True, grace=_DAY, env=launch.env | terminal, sandbox=sandbox)


def pass_on(data: bytes) -> None:
    """What a bot writes to stderr, as it is: a debugger's prompt ends in no newline, and colours are its own."""
    sys.stderr.flush()
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


class Debugged(Silent):
    """Shows what goes to and fro, and at the end of each match what was wrong."""

    def __init__(self, bot: str) -> None:
        self._bot = bot

    def show_line(self, line: BotLine) -> None:
        """A line in 80 columns behind its mark, ``->`` to the bot or ``<-`` from it; its stderr as it is."""
        if not line.mark:
            pass_on(line.text)
            return
        text = line.text.decode("utf-8", "backslashreplace")
        if line.mark == "->":
            # with spaces the line can be folded; the bot's own lines are shown exactly
            text = json.dumps(json.loads(text))
        self._say(f"{line.bot}: {text}" if line.mark == "--" else text, line.mark)

    def played(self, record: Record) -> None:
        """How the match ended for the bot."""
        for seat, name in enumerate(record.bots):
            if bot_of(name) != self._bot:
                continue
            for fault in record.faults:
                if fault.seat == seat:
                    self._say(
                        f"{name}: decision {fault.decision}: fault {fault.kind}: {fault.rule}; {fault.hint}", "--"
                    )
            ended = record.why if record.reason == "void" else f"rank {record.ranks[seat]}, score {record.scores[seat]}"
            self._say(f"{name}: match {record.id} is over, seat {seat}: {ended}", "--")

    @staticmethod
    def _say(text: str, mark: str) -> None:
        remark("\n".join(folded(harmless(text), WIDTH, initial_indent=f"{mark} ", subsequent_indent="   ")) or mark)
