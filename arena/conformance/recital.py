"""The trial of one bot by lines of recorded matches: it is asked what was asked then, in the same time."""

from collections.abc import Collection, Container
from functools import partial
from time import monotonic

import msgspec

from arena import wire
from arena.conformance import TrialTable
from arena.conformance.findings import IN_LINES, Findings, Sentence
from arena.conformance.session import Conversation, Violation
from arena.conformance.trial import Scene, Trial
from arena.transcript import Question, Transcript


class Recital(Trial):
    """The requirements that show in recorded matches, and answers that are not to be given again."""

    def try_lines(self, encoded: bytes, ruled_out: Collection[int]) -> Findings:
        """Ask what was asked, and hold the answers at the decisions ``ruled_out`` against those recorded.

        ``encoded`` is a list of ``Transcript``; ``HostError``: this machine is too busy to tell.
        """
        transcripts = msgspec.json.decode(encoded, type=list[Transcript])

        def attempt() -> None:
            for number, transcript in enumerate(transcripts, 1):
                self._say(f"match {number} of {len(transcripts)}")
                self._tried(partial(self._recite, transcript, ruled_out))
            self._finish()

        return self._findings(attempt, IN_LINES if ruled_out else IN_LINES[:-1])

    def _recite(self, transcript: Transcript, ruled_out: Container[int]) -> None:
        if self._fresh:
            self._finish()
        hello, session = transcript.hello, self._connected()
        table = TrialTable(game=hello.game, seats=hello.seats, seat=hello.seat, variants=hello.variants)
        self._conversations.append((table, Conversation(hello, [])))
        where = str(table)
        try:
            ready = session.greet(wire.encode(hello), hello.limits.start / 1000)
            self._fulfilled |= {Sentence.READY, Sentence.PROTOCOL, Sentence.STDOUT}
            if session.greetings == 1:
                self._starts.append(ready)
            for number, question in enumerate(transcript.questions, 1):
                where = f"{table}, " + (
                    f"decision {question.decision}" if question.decision >= 0 else f"question {number}"
                )
                began = monotonic()
                picks = session.ask(question.decide, wire.encode(question.decide))
                self._waits.append((monotonic() - began, table))
                self._fulfilled |= {Sentence.IN_TIME, Sentence.RUNS, Sentence.ID, Sentence.PICKS, Sentence.UNASKED}
                if question.decision in ruled_out:
                    self._compare(question, picks, Scene(where, tuple(session.lines), session.errors))
            if transcript.over is not None:
                session.tell(wire.encode(transcript.over))
        except Violation as fault:
            lines = tuple(session.lines)
            self._dismiss()
            self._fail(fault.sentence, fault, Scene(where, lines, session.errors))

    def _compare(self, question: Question, picks: tuple[int, ...], scene: Scene) -> None:
        if picks == question.picks:
            options = ", ".join(wire.encode(question.decide.options[pick]).decode() for pick in picks)
            rule = f"expected another answer than recorded, got {list(picks)} {options}".rstrip()
            self._fail(Sentence.OTHERWISE, Violation(Sentence.OTHERWISE, rule), scene)
        else:
            self._fulfilled.add(Sentence.OTHERWISE)
