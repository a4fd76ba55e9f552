"""A conversation with one process of a bot, which ends at the first mistake, and one match of a trial.

A tournament ignores some of these mistakes. The bot sits in its seat, as the referee sees it, beside others who pick at
random. The chance of a table is the same in every trial.
"""

import os
import re
import select
from collections import deque
from collections.abc import Callable, Collection
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena import wire
from arena.chance import Chance
from arena.conformance import TrialTable
from arena.conformance.findings import Line, Sentence
from arena.errors import HostError
from arena.fault import CAUSES, Fault
from arena.game import Decision, any_picks
from arena.games import find
from arena.players.bot_player import after_hello
from arena.players.ending import end
from arena.players.launch import GRACE, Launch
from arena.players.lifetime import LINUX, sweep
from arena.players.process import COMPUTING, IDLE, Process
from arena.players.process_tree import RunQueue, Tree, children
from arena.players.serving import Serving
from arena.players.spawn import CannotStart
from arena.referee import Match, Player, play

LEAVE = 1.0
TRANSCRIPT_LENGTH = 6
"""Lines of the conversation that are kept to be shown."""
_BEAT = 0.02
_ORPHANS = 0.3
"""Seconds that helpers may outlive the bot."""
_WRITE = {
    "json": "let a library write the JSON: json.dumps, JSON.stringify, json.Marshal",
    "picks": "`picks` is an array of indexes into `options`, such as [2], also for one pick",
    "id": "copy the `id` of the `decide` that you answer",
    "prompt": "write nothing before a message: the prompt of input('> ') goes to standard output, too",
    "debugger": "a debugger takes the input and output of the protocol: see `arena docs debugging`",
    "mark": "write nothing before the first brace: UTF-8 needs no mark",
    "utf-8": "write UTF-8, or in JSON \\u00e9 for a letter that is not ASCII",
}
"""How to fix a message, by the part that is wrong with it."""
_STOPPED = re.compile(rb"> .*\(\d+\)[\w<]")
"""How pdb tells where it has stopped."""


class Violation(Exception):
    """A broken requirement: *expected ... got ...*, and a hint if there is a better one than the general one.

    ``exit_status`` is that of a bot whose exit is what it did wrong. ``cause`` is of ``arena.fault.CAUSES``.
    """

    def __init__(
        self, sentence: Sentence, rule: str, *, hint: str = "", cause: str = "exited", exit_status: int | None = None
    ) -> None:
        super().__init__(rule)
        self.sentence = sentence
        self.rule = rule
        self.hint = hint
        self.cause = cause
        self.exit_status = exit_status


class ProtocolSession:
    """One process, from its start to its end. The caller ends it with ``kill``."""

    def __init__(self, launch: Launch, scratch: Path, on_question: Callable[[], None]) -> None:
        """``on_question`` is called at each question."""
        self.lines: deque[Line] = deque(maxlen=TRANSCRIPT_LENGTH)
        self.greetings = 0
        self.questions = 0
        """Of the present match."""
        self.left_after = 0.0
        """Seconds from the end of its input to its exit."""
        self._launch = launch
        self._tell_asked = on_question
        self._decision_ids: set[str] = set()
        self._scratch = scratch
        self._stderr = launch.make_buffer()
        self._serving: Serving | None = None
        self._clock: Tree | None = None
        """The processor time of the bot and of all that it has started."""
        self._queue: RunQueue | None = None
        """The time since the last line for which it was ready, and other programs had the processor."""
        self._sent_at = self._cpu_when_sent = 0.0
        """When a line was sent last, on the monotonic clock, and the seconds of the processor used until then."""

    @property
    def errors(self) -> bytes:
        """Its stderr, the middle left out; complete after it was killed."""
        return self._stderr.text()

    @property
    def _running(self) -> Process:
        assert self._serving is not None  # noqa: S101 - greeting comes first
        return self._serving.process

    def _start(self) -> None:
        try:
            self._serving = Serving(self._launch, self._scratch, self._stderr.add)
        except CannotStart as error:
            raise Violation(
                Sentence.READY, f"expected the bot to start, got: {error}", hint="check its command"
            ) from error
        self._clock = Tree(self._running.pid)

    def greet(self, line: bytes, limit: float) -> float:
        """Send a ``hello`` and wait up to ``limit`` seconds for ``ready``; returns how many seconds it took.

        The first one starts the process. ``Violation``: it does not start, or sends something else or nothing;
        ``HostError``: the host failed.
        """
        if self._serving is None:
            self._start()
        self.greetings += 1
        self.questions = 0
        self._decision_ids.clear()
        began = self.tell(line)
        try:
            message = self._hear(began + limit + GRACE)
        except Violation as fault:
            if fault.sentence is Sentence.RUNS:
                cause = "exited-in-game"
                raise Violation(
                    Sentence.READY, fault.rule, hint=CAUSES[cause].hint, cause=cause, exit_status=fault.exit_status
                ) from None
            if fault.sentence is Sentence.IN_TIME:
                raise Violation(Sentence.READY, fault.rule, hint=fault.hint, cause=fault.cause) from None
            raise
        if isinstance(message, wire.Choose):
            raise Violation(Sentence.UNASKED, "expected ready, got choose")
        if message.protocol != wire.PROTOCOL:
            raise Violation(Sentence.PROTOCOL, f"expected protocol {wire.PROTOCOL}, got {message.protocol}")
        return monotonic() - began

    def ask(self, decide: wire.Decide, line: bytes) -> tuple[int, ...]:
        """Send a question as ``line``: the legal picks; a ``Violation`` if they are not, or late; a ``HostError``."""
        self.questions += 1
        self._tell_asked()
        deadline = self.tell(line) + decide.time / 1000 + GRACE
        stale = ""
        while True:
            try:
                message = self._hear(deadline)
            except Violation as fault:
                if stale and fault.sentence is Sentence.IN_TIME:
                    rule = f"expected the id {decide.id!r}, got that of an earlier question, {stale!r}"
                    raise Violation(Sentence.ID, rule) from None
                raise
            if isinstance(message, wire.Ready):
                raise Violation(Sentence.UNASKED, "expected choose, got another ready")
            if message.id == decide.id:
                break
            if message.id not in self._decision_ids:
                raise Violation(Sentence.ID, f"expected the id {decide.id!r}, got {message.id[:40]!r}")
            # the next answer shows whether it answers twice or mixes up the ids
            stale = message.id
        if stale:
            raise Violation(Sentence.UNASKED, f"expected one answer to each question, got a second one to {stale!r}")
        self._decision_ids.add(decide.id)
        wrong = Decision(decide.options, least=decide.least, most=decide.most).fault_in(message.picks)
        if wrong:
            one_off = max(message.picks, default=-1) == decide.count
            hint = "indexes are counted from 0: the last one is `count` - 1" if one_off else ""
            raise Violation(Sentence.PICKS, wrong, hint=hint)
        return message.picks

    def tell(self, line: bytes) -> float:
        """Send a line, or several at once; returns when that began, on the monotonic clock."""
        for text in line.split(b"\n"):
            self.lines.append(Line(sent=True, text=text))
        if self._clock is not None:
            self._cpu_when_sent = self._clock.seconds()
            self._queue = RunQueue(self._clock, self._clock.family)
        self._sent_at = self._running.send(line + b"\n")
        return self._sent_at

    def _hear(self, deadline: float) -> wire.FromBot:
        line = self._running.receive(deadline)
        if isinstance(line, Fault):
            raise self._broken_by(self._serving.judged(line) if self._serving is not None else line)
        return self._read(line)

    def _broken_by(self, fault: Fault) -> Violation:
        if fault.kind == "late" and self._clock is not None and LINUX:
            used, passed = self._clock.seconds() - self._cpu_when_sent, monotonic() - self._sent_at
            waited = passed
            if self._queue is not None:
                self._queue.look(orphans=0.0, delay=0.0)
                waited -= self._queue.seconds
            fault = _with_use(fault, used=used, waited=waited)
            fault = fault if self.questions else after_hello(fault, used=used, waited=waited, passed=passed)
        if fault.line:
            self.lines.append(Line(sent=False, text=self._running.at_fault))
        sentence = {"late": Sentence.IN_TIME, "gone": Sentence.RUNS, "resource": Sentence.RUNS}.get(fault.kind)
        if sentence is None:
            too_long = fault.cause == "long-line"
            sentence = Sentence.PROTOCOL if too_long else Sentence.UNASKED
            return Violation(sentence, fault.rule, hint="send `id` and `picks` alone" if too_long else fault.hint)
        exit_status = self._running.exit_status() if fault.cause == "exited" else None
        return Violation(sentence, fault.rule, hint=fault.hint, cause=fault.cause, exit_status=exit_status)

    def _read(self, line: bytes) -> wire.FromBot:
        self.lines.append(Line(sent=False, text=line))
        try:
            return wire.decode(line)
        except wire.Garbled as error:
            # a byte order mark may stand before the brace
            if error.part == "json" and _is_message(line[line.find(b"{") :]):
                raise Violation(Sentence.STDOUT, str(error), hint=_WRITE["prompt"]) from None
            if b"{" not in line[:4]:
                hint = _WRITE["debugger"] if _STOPPED.match(line) else ""
                raise Violation(Sentence.STDOUT, str(error), hint=hint) from None
            raise Violation(Sentence.PROTOCOL, str(error), hint=_WRITE.get(error.part, "")) from None

    # --- its end

    def goodbye(self) -> list[Violation]:
        """Close its input and wait for it to exit with status 0; returns what it did wrong meanwhile."""
        process = self._running
        faults: dict[Sentence, Violation] = {}
        """The first of each kind."""
        strays = 0
        began = monotonic()
        process.say_goodbye()
        while strays <= self._launch.limits.stray and monotonic() < began + LEAVE:
            try:
                line = process.receive(monotonic() + _BEAT)
            except HostError:
                # nothing is held against the bot by this short deadline
                continue
            if isinstance(line, Fault) and line.kind != "garbled":
                if line.kind == "gone":
                    break
                continue
            strays += 1
            fault = self._broken_by(line) if isinstance(line, Fault) else self._after_the_end(line)
            faults.setdefault(fault.sentence, fault)
        # one that has said too much may still wait for somebody to read the rest
        status = process.status(began + LEAVE - monotonic())
        self.left_after = monotonic() - began
        if (exit_status := process.exit_status()) != 0:
            rule = f"expected exit status 0 within {LEAVE:.0f} s of the end of input, got: {status}"
            faults.setdefault(Sentence.EXIT, Violation(Sentence.EXIT, rule, exit_status=exit_status))
        return list(faults.values())

    def _after_the_end(self, line: bytes) -> Violation:
        try:
            kind = "ready" if isinstance(self._read(line), wire.Ready) else "choose"
        except Violation as fault:
            return fault
        return Violation(Sentence.UNASKED, f"after the end of input: expected nothing, got {kind}")

    def exited(self) -> bool:
        """Whether the process has exited."""
        return self._serving is not None and self._serving.process.exited()

    def left_behind(self, others: Collection[int]) -> list[str]:
        """The commands of the bot's descendants that outlive its exit, on Linux; ``others`` are not its children."""
        spared = {*others, self._running.pid}
        until = monotonic() + _ORPHANS
        while pids := [pid for pid in children() if pid not in spared and not _reaped(pid)]:
            if monotonic() > until:
                break
            select.select([], [], [], 0.005)
        return [_command(pid) for pid in pids]

    def kill(self, others: Collection[int]) -> None:
        """End the process, if it still runs, with all its descendants; remove its folder."""
        if self._serving is not None:
            end([self._serving.process], 0)
            sweep(others)
            self._serving.discard()
            self._serving = None


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        words = []
    return b" ".join(words).decode("utf-8", "backslashreplace")[:200] or f"process {pid}"


def _is_message(line: bytes) -> bool:
    """Whether this would be a message, had nothing stood before it."""
    try:
        wire.decode(line)
    except wire.Garbled:
        return False
    return True


def _with_use(late: Fault, *, used: float, waited: float) -> Fault:
    """Add to a fault ``late`` whether the bot was computing or idle, if nothing else explains the delay.

    Other programs may have had the processor, too, so between a tenth and a quarter of the wait nothing is said.
    """
    if used > waited / 4:
        return replace(late, rule=late.rule + COMPUTING, hint=CAUSES["computing"].hint, cause="computing")
    return replace(late, rule=late.rule + IDLE) if used < waited / 10 else late


REPEATED = 20
"""Questions of each match that are remembered, to be asked again."""
PADDING = 100_000
"""Characters added to a question to make its line long."""
_SEED_SPAN = 1 << 53

Alter: TypeAlias = Callable[[bytes], bytes]
"""Makes a line unusual before it is sent."""


class Enough(Exception):
    """The match is stopped on purpose."""


class Conversation(Struct):
    """The questions at the start of a match, and the bot's picks."""

    hello: wire.Hello
    answers: list[tuple[wire.Decide, tuple[int, ...]]]


class _Dice:
    waited = 0.0

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def greet(self, hello: wire.Hello) -> None:
        """Always ready."""

    def decide(self, decide: wire.Decide) -> list[int]:
        """A random legal answer."""
        return any_picks(decide.count, least=decide.least, most=decide.most, dice=self._chance)

    def close(self, over: wire.Over) -> None:
        """Ignores the end of the match."""

    def leave(self) -> None:
        """Nothing to end."""


class Guest:
    """The bot on trial, as a player for the referee; its first mistake ends the match as a ``Violation``.

    ``alter`` makes each line unusual. After ``questions``, if given, the match is broken off or goes on without it.
    """

    def __init__(
        self, session: ProtocolSession, alter: Alter = bytes, questions: int | None = None, *, breaks_off: bool = False
    ) -> None:
        self.said: Conversation | None = None
        self.waits: list[float] = []
        """Seconds, question by question."""
        self.waited = 0.0
        self.ready = 0.0
        """Seconds until it was; 0 if it was not."""
        self._session = session
        self._alter = alter
        self._questions = questions
        self._breaks_off = breaks_off

    def greet(self, hello: wire.Hello) -> None:
        """Start the process if it is not there, and wait for ``ready``."""
        self.said = Conversation(hello, [])
        self.ready = self._session.greet(self._alter(wire.encode(hello)), hello.limits.start / 1000)

    def decide(self, decide: wire.Decide) -> tuple[int, ...]:
        """Ask the bot, as long as it has questions left."""
        self.waited = 0.0
        if len(self.waits) == self._questions:
            if self._breaks_off:
                raise Enough
            # the rest of the match is played without the bot, up to `over`
            return tuple(range(decide.least))
        line = self._alter(wire.encode(decide))
        began = monotonic()
        picks = self._session.ask(decide, line)
        self.waited = monotonic() - began
        self.waits.append(self.waited)
        if self.said is not None and len(self.said.answers) < REPEATED:
            self.said.answers.append((decide, picks))
        return picks

    def close(self, over: wire.Over) -> None:
        """Tell it how the match ended."""
        self._session.tell(self._alter(wire.encode(over)))

    def leave(self) -> None:
        """Retired only when its time is used up, which ``sit_down`` reports: any other fault ends the match."""


def with_unknown(line: bytes) -> bytes:
    """A message as a later version of the protocol may send it: with an extra field, and a new message before it."""
    news = b"" if line.startswith(b'{"type":"hello"') else b'{"type":"weather","id":"none","wind":["west",3]}\n'
    return news + line[:-1] + b',"later":{"id":"none","count":0,"seed":[null,true,-1.5]}}'


def lengthened(line: bytes) -> bytes:
    """A question whose line is far beyond 64 KiB."""
    return line[:-1] + b',"padding":"' + b"." * PADDING + b'"}' if line.startswith(b'{"type":"decide"') else line


def sit_down(table: TrialTable, guest: Guest, limits: wire.Limits) -> None:
    """Play the match of a table with the guest in its seat; raises what the guest does, or ``HostError``."""
    game = find(table.game)
    dice = Chance(blake2b(str(table).encode(), digest_size=32).digest())
    players: list[Player] = [_Dice(Chance(dice.word().to_bytes(8))) for _ in range(table.seats)]
    players[table.seat] = guest
    match = Match(
        id="trial",
        label=f"{dice.word():016x}",
        game=game.name,
        version=game.version,
        bots=tuple("guest" if seat == table.seat else "dice" for seat in range(table.seats)),
        variants=table.variants,
        ids=dice.word().to_bytes(8),
        order=dice.word().to_bytes(8),
        seeds=tuple(dice.below(_SEED_SPAN) for _ in range(table.seats)),
        limits=(limits,) * table.seats,
    )
    record = play(match, game.deal(table.seats, dice.key, table.variants), players)
    if record.faults:
        raise Violation(Sentence.IN_TIME, record.faults[0].rule, hint=record.faults[0].hint)
