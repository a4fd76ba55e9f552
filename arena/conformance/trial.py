"""The trial of one bot: whole matches at every table, then cases that are rare in a tournament."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic

import msgspec
from msgspec import Struct

from arena import wire
from arena.conformance import TrialTable
from arena.conformance.findings import (
    AT_TABLES,
    FIXES,
    NOTED_ONLY,
    TEXT,
    CheckResult,
    Failure,
    Findings,
    Line,
    Sentence,
    Status,
)
from arena.conformance.session import (
    Alter,
    Conversation,
    Enough,
    Guest,
    ProtocolSession,
    Violation,
    lengthened,
    sit_down,
    with_unknown,
)
from arena.errors import BotError, HostError
from arena.fault import Fault
from arena.limits import of_processes
from arena.players.content import BotExtent, extent
from arena.players.cures import explain
from arena.players.launch import Launch
from arena.players.lifetime import LINUX, PATIENCE
from arena.players.process_tree import children
from arena.players.sandboxed import readable_in
from arena.words import plural

PROBE = 8
"""Questions asked of each match that is not played to its end."""
SAID_EVERY = 0.2
"""Seconds between two remarks on its progress."""
FEW = BotExtent(files=1000, depth=8)
SOON = 2.0
"""What a bot may bring, and the seconds that it may take to start, before that is noted: all others wait for it."""
ATTEMPTS = 3
"""Times that something is tried on a machine that is too busy to tell."""

_LINGERING = frozenset(
    {Sentence.READY, Sentence.PROTOCOL, Sentence.IN_TIME, Sentence.RUNS, Sentence.ID, Sentence.PICKS}
)
"""If one of these fails in a later match of a process, an earlier match may be the cause."""
_LATE = frozenset({Sentence.READY, Sentence.IN_TIME})
"""If one of these fails, the machine may have been busy."""
_BY_SURROUNDINGS = frozenset({Sentence.READY, Sentence.RUNS, Sentence.EXIT})
"""If one of these fails, the sandbox or a limit may be the cause."""
_ONLY_AFTER_ANOTHER = "in a new process the same match goes well; after another match: "
_NEEDS = {Sentence.BROKEN_OFF: Sentence.AGAIN, Sentence.LONG: Sentence.UNKNOWN, Sentence.NOTHING_LEFT: Sentence.EXIT}
"""The requirements that must not have failed before another is tried."""


class _Stop(Exception):
    """The trial ends here."""


class Scene(Struct, frozen=True):
    """Where something happened, with the last lines and the stderr of its process."""

    where: str
    lines: tuple[Line, ...]
    errors: bytes


class Trial:
    """All requirements checked on one bot. ``on_progress`` is called with the present one, and with its progress."""

    def __init__(
        self,
        launch: Launch,
        limits: wire.Limits,
        scratch: Path,
        on_progress: Callable[[str], None],
        *,
        exit_first: bool = False,
    ) -> None:
        self._launch = launch
        self._limits = limits
        self._scratch = scratch
        self._on_progress = on_progress
        self._trying = ""
        self._said_at = 0.0
        self._questions = 0
        self._exit_first = exit_first
        self._children_before = children()
        self._session: ProtocolSession | None = None
        self._last_table: TrialTable | None = None
        """The match that the present process has played last."""
        self._fresh = launch.fresh
        self._fulfilled: set[Sentence] = set()
        self._failures: dict[Sentence, Failure] = {}
        self._spoilt: set[str] = set()
        self._conversations: list[tuple[TrialTable, Conversation]] = []
        self._starts: list[float] = []
        self._leaves: list[float] = []
        self._waits: list[tuple[float, TrialTable]] = []

    def try_at(self, tables: Sequence[TrialTable]) -> Findings:
        """Try the bot at these tables, one after the other; ``HostError`` if this machine is too busy to tell."""
        attempt = partial(self._try_all, list(tables) * (2 if len(tables) == 1 else 1))
        return self._findings(attempt, AT_TABLES)

    def _findings(self, attempt: Callable[[], None], sentences: Sequence[Sentence]) -> Findings:
        began = monotonic()
        with suppress(_Stop):
            try:
                attempt()
            finally:
                self._dismiss()
        results = tuple(map(self._result, sentences))
        return Findings(
            results, matches=len(self._conversations), questions=len(self._waits), seconds=round(monotonic() - began, 3)
        )

    def _try_all(self, tables: list[TrialTable]) -> None:
        for number, table in enumerate(tables, 1):
            if table.game not in self._spoilt:
                self._say(f"match {number} of {len(tables)}, {table}")
                self._tried(partial(self._match, table))
        self._finish()
        well = [table for table in tables if table.game not in self._spoilt]
        if not self._fresh:
            self._probe(Sentence.BROKEN_OFF, well, bytes, breaks_off=True)
        self._probe(Sentence.UNKNOWN, well, with_unknown)
        if Sentence.UNKNOWN not in self._failures:
            self._probe(Sentence.LONG, well, lengthened)
        self._say("the same questions again")
        self._tried(self._repeat)
        if Sentence.READY in self._fulfilled and Sentence.EXIT not in self._fulfilled | self._failures.keys():
            # every other process was ended for a fault: this process only has to start and exit
            self._tried(partial(self._come_and_go, tables[0]))

    def _say(self, trying: str) -> None:
        self._trying, self._said_at = trying, monotonic()
        self._on_progress(trying)

    def _question(self) -> None:
        self._questions += 1
        if (now := monotonic()) - self._said_at > SAID_EVERY:
            self._said_at = now
            self._on_progress(f"{self._trying}: {plural(self._questions, 'question')} so far")

    def _tried(self, attempt: Callable[[], None]) -> None:
        """Try again if the machine fails: no bot is blamed for that."""
        for _ in range(ATTEMPTS - 1):
            try:
                return attempt()
            except HostError:
                self._dismiss()
        return attempt()

    # --- whole matches

    def _match(self, table: TrialTable) -> None:
        """Play a match to its end; after a fault, find out whether this match or the one before causes it."""
        if self._fresh:
            self._finish()
        elif self._session is None and self._last_table is not None:
            self._lead_up(self._last_table)
        later = self._session is not None
        fault = self._played(table)
        if fault is None:
            self._last_table = table
            return
        silent = self._silent()
        scene = self._scene(table)
        if later and fault.sentence in _LINGERING:
            second = self._played(table)
            if second is None:
                self._fresh = True
                again = Violation(Sentence.AGAIN, fault.rule, cause=fault.cause, exit_status=fault.exit_status)
                self._fail(Sentence.AGAIN, again, scene, context=_ONLY_AFTER_ANOTHER)
                return
            fault, silent = second, self._silent()
            scene = self._scene(table)
        self._last_table = None
        self._spoilt.add(table.game)
        self._fail(fault.sentence, fault, scene)
        if silent and fault.sentence is Sentence.READY:
            # the bot would not be ready in another game either, and each try takes the whole start time
            raise _Stop

    def _lead_up(self, before: TrialTable) -> None:
        """After the host has failed: have a new process play what the one before had played, which went well."""
        if self._played(before) is None:
            self._conversations.pop()
        else:
            self._dismiss()

    def _connected(self) -> ProtocolSession:
        self._session = self._session or ProtocolSession(self._launch, self._scratch, self._question)
        return self._session

    def _played(self, table: TrialTable) -> Violation | None:
        session = self._connected()
        guest = Guest(session)
        try:
            sit_down(table, guest, self._limits)
        except Violation as fault:
            if fault.sentence is Sentence.PICKS:
                self._fulfilled |= {Sentence.IN_TIME, Sentence.RUNS, Sentence.ID, Sentence.UNASKED}
            return fault
        finally:
            if guest.ready:
                self._fulfilled |= {Sentence.READY, Sentence.PROTOCOL, Sentence.STDOUT}
            if guest.ready and session.greetings == 1:
                self._starts.append(guest.ready)
            if guest.waits:
                self._fulfilled |= {Sentence.IN_TIME, Sentence.RUNS, Sentence.ID, Sentence.PICKS, Sentence.UNASKED}
            self._waits += [(seconds, table) for seconds in guest.waits]
        if session.greetings > 1:
            self._fulfilled.add(Sentence.AGAIN)
        assert guest.said is not None  # noqa: S101 - it was greeted
        self._conversations.append((table, guest.said))
        return None

    # --- what a tournament seldom brings about

    def _probe(self, sentence: Sentence, tables: list[TrialTable], alter: Alter, *, breaks_off: bool = False) -> None:
        """Begin a match at each table in an unusual way; every mistake counts against ``sentence``."""
        self._say(f"rule {sentence}, {TEXT[sentence]}")
        self._tried(partial(self._probed, sentence, tables, alter, breaks_off=breaks_off))

    def _probed(
        self, sentence: Sentence, tables: list[TrialTable], alter: Alter, *, breaks_off: bool, again: bool = False
    ) -> None:
        for table in tables:
            if self._fresh:
                self._finish()
            try:
                sit_down(table, Guest(self._connected(), alter, PROBE, breaks_off=breaks_off), self._limits)
            except Enough:
                pass
            except Violation as fault:
                scene = self._scene(table)
                if fault.sentence in _LATE and not again:
                    # what a busy machine makes late once has nothing to do with the unusual: that is late again
                    self._probed(sentence, tables, alter, breaks_off=breaks_off, again=True)
                    if sentence not in self._failures:
                        self._fail(fault.sentence, fault, scene)
                    return
                # who computes for long before `ready` does so whatever it is asked
                self._fail(fault.sentence if fault.cause == "slow-start" else sentence, fault, scene)
                return
            self._fulfilled.add(sentence)
        self._finish()

    def _repeat(self) -> None:
        """Ask the questions of whole matches again; in the same process, or in a new one for each match, as before."""
        for table, conversation in self._conversations:
            if table.game in self._spoilt:
                continue
            if self._fresh:
                self._finish()
            session = self._connected()
            try:
                session.greet(wire.encode(conversation.hello), self._limits.start / 1000)
                for decide, before in conversation.answers:
                    _held_equal(before, session.ask(decide, wire.encode(decide)))
            except Violation as fault:
                self._fail(fault.sentence, fault, self._scene(table))
                return
            everyone = (0,) * table.seats
            session.tell(wire.encode(wire.Over(ranks=everyone, scores=everyone, reason="capped", events=[])))
            self._fulfilled.add(Sentence.EQUAL)
        self._finish()

    def _come_and_go(self, table: TrialTable) -> None:
        try:
            sit_down(table, Guest(self._connected(), questions=0, breaks_off=True), self._limits)
        except Enough:
            self._finish()
        except Violation:
            # was reported already
            self._dismiss()

    # --- the end of a process

    def _finish(self) -> None:
        session = self._session
        if session is None:
            return
        where = f"after {session.greetings} match{'es' if session.greetings > 1 else ''}"
        faults: list[Violation] = []
        if Sentence.EXIT not in self._failures:
            faults += session.goodbye()
            if all(fault.sentence is not Sentence.EXIT for fault in faults):
                self._fulfilled.add(Sentence.EXIT)
                self._leaves.append(session.left_after)
        if session.exited() and LINUX and Sentence.NOTHING_LEFT not in self._failures:
            commands = session.left_behind(self._children_before)
            if commands:
                rule = f"expected no process of the bot after its exit, got {len(commands)}: {commands[0]}"
                faults.append(Violation(Sentence.NOTHING_LEFT, rule))
            else:
                self._fulfilled.add(Sentence.NOTHING_LEFT)
        self._dismiss()
        scene = Scene(where, tuple(session.lines), session.errors)
        for fault in faults:
            self._fail(fault.sentence, fault, scene)

    def _silent(self) -> bool:
        return self._session is not None and not self._session.exited()

    def _scene(self, table: TrialTable) -> Scene:
        """The state of the present process. It is ended, because its later messages cannot be trusted."""
        session = self._session
        assert session is not None  # noqa: S101 - a fault has a process
        self._dismiss()
        step = f"question {session.questions}" if session.questions else "hello"
        later = f", match {session.greetings} of its process" if session.greetings > 1 else ""
        return Scene(f"{table}, {step}{later}", tuple(session.lines), session.errors)

    def _dismiss(self) -> None:
        if self._session is not None:
            self._session.kill(self._children_before)
            self._session = None

    # --- what is found

    def _fail(self, sentence: Sentence, fault: Violation, scene: Scene, *, context: str = "") -> None:
        earlier = self._failures.get(sentence)
        if earlier is not None:
            self._failures[sentence] = msgspec.structs.replace(earlier, also=(*earlier.also, scene.where))
        else:
            cause = Fault.of(fault.cause, rule=fault.rule, hint=fault.hint or FIXES[sentence])
            errors = scene.errors.decode("utf-8", "backslashreplace")
            cause = explain(cause, errors, launch=self._launch, exit_status=fault.exit_status)
            # this hint fits only the sentence that it was made for
            hint = (cause if sentence in _BY_SURROUNDINGS else fault).hint if fault.sentence is sentence else ""
            around = sentence in _BY_SURROUNDINGS
            self._failures[sentence] = Failure(
                where=scene.where,
                rule=context + cause.rule,
                hint=hint or FIXES[sentence],
                lines=scene.lines,
                errors=scene.errors,
                isolation=readable_in(self._launch.sandbox.level, bare=self._launch.bare) if around else "",
                limits=of_processes(self._limits) if around else "",
            )
        if self._exit_first and sentence not in NOTED_ONLY:
            raise _Stop

    def _result(self, sentence: Sentence) -> CheckResult:
        failure = self._failures.get(sentence)
        if failure is not None:
            return CheckResult(sentence, "note" if sentence in NOTED_ONLY else "failed", failure=failure)
        if sentence is Sentence.SPARE and self._waits:
            return self._spare()
        if sentence is Sentence.LIGHT and self._starts:
            return self._light()
        if sentence in self._fulfilled:
            return CheckResult(sentence, *self._remark(sentence))
        return CheckResult(sentence, "skipped", self._why_not(sentence))

    def _remark(self, sentence: Sentence) -> tuple[Status, str]:
        if sentence is Sentence.READY:
            return "ok", f"{max(self._starts) * 1000:.0f} ms"
        if sentence is Sentence.PICKS:
            return "ok", plural(len(self._waits), "answer")
        if sentence is Sentence.EXIT:
            longest = max(self._leaves)
            if longest > PATIENCE:
                return "note", f"{longest * 1000:.0f} ms: a tournament ends it after {PATIENCE * 1000:.0f} ms"
            return "ok", f"{longest * 1000:.0f} ms"
        return "ok", ""

    def _spare(self) -> CheckResult:
        longest, table = max(self._waits, key=lambda wait: wait[0])
        usual, limit = median(seconds for seconds, _ in self._waits) * 1000, self._limits.move
        figures = f"median {usual:.1f} ms, longest {longest * 1000:.1f} of {limit} ms"
        if longest * 2000 <= limit:
            return CheckResult(Sentence.SPARE, "ok", figures)
        rule = f"expected answers within half of the {limit} ms, got one after {longest * 1000:.0f} ms"
        hint = f"{FIXES[Sentence.SPARE]} (or give it --move-time {longest * 2000:.0f}ms)"
        return CheckResult(Sentence.SPARE, "note", figures, Failure(where=str(table), rule=rule, hint=hint))

    def _light(self) -> CheckResult:
        folder = self._launch.folder
        try:
            brought = extent(self._launch.argv, folder, bare=self._launch.bare)
        except BotError as error:
            return CheckResult(
                Sentence.LIGHT, "note", "", Failure(where=folder, rule=str(error), hint=FIXES[Sentence.LIGHT])
            )
        slowest = max(self._starts)
        figures = f"files: {brought.files:,}, depth: {brought.depth}, {slowest * 1000:.0f} ms"
        got = [
            *([f"{brought.files:,} files"] if brought.files > FEW.files else []),
            *([f"{brought.depth} folders in one another"] if brought.depth > FEW.depth else []),
            *([f"{slowest:.1f} s to be ready"] if slowest > SOON else []),
        ]
        if not got:
            return CheckResult(Sentence.LIGHT, "ok", figures)
        expected = (
            f"expected at most {FEW.files:,} files, {FEW.depth} folders in one another and {SOON:.0f} s to be ready"
        )
        failure = Failure(where=folder, rule=f"{expected}, got {' and '.join(got)}", hint=FIXES[Sentence.LIGHT])
        return CheckResult(Sentence.LIGHT, "note", figures, failure)

    def _why_not(self, sentence: Sentence) -> str:
        if self._launch.fresh and sentence in (Sentence.AGAIN, Sentence.BROKEN_OFF):
            return 'does not apply: restart = "match"'
        if sentence is Sentence.NOTHING_LEFT and not LINUX:
            return "this system cannot tell"
        failed = [broken for broken in self._failures if broken not in NOTED_ONLY]
        cause = _NEEDS.get(sentence)
        number = cause if cause in failed else min(failed, default=None)
        return "not tried" if number is None else f"not tried: {number:d} failed"


def _held_equal(before: tuple[int, ...], now: tuple[int, ...]) -> None:
    if now != before:
        raise Violation(Sentence.EQUAL, f"expected the picks {list(before)} as before, got {list(now)}")
