"""What a seat was sent in a match of a run, without its bot: the referee plays it again, and one seat listens."""

from arena import wire
from arena.fault import Fault, cause_of
from arena.game import Seat
from arena.record import Record
from arena.referee import Match
from arena.retelling import Differs
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.recall import EVERY, RecordedPlayer, Span, play_recorded
from arena.tournament.remaining import dealt_match, limits_of
from arena.transcript import Question, Transcript


class _Taped(RecordedPlayer):
    """Answers for a seat as recorded, and keeps what it was sent."""

    def __init__(self, seat: Seat, record: Record, span: Span) -> None:
        super().__init__(seat, record, span=span)
        self.transcript: Transcript | None = None

    def greet(self, hello: wire.Hello) -> Fault | None:
        """Keep the greeting."""
        self.transcript = Transcript(hello)
        return super().greet(hello)

    def decide(self, decide: wire.Decide) -> tuple[int, ...] | Fault:
        """Keep the question."""
        answer = super().decide(decide)
        fault = answer if isinstance(answer, Fault) else None
        unsent = fault is not None and cause_of(fault) == "busy-between"
        if self.transcript is not None and self.decision in self.span and not unsent:
            picks = None if isinstance(answer, Fault) else answer
            self.transcript.questions.append(Question(decide, self.decision, picks))
        return answer

    def close(self, over: wire.Over) -> None:
        """Keep the end."""
        if self.transcript is not None and self.span.last is None:
            self.transcript.over = over


def transcript_of(
    folder: RunFolder, manifest: Manifest, record: Record, seat: Seat, *, span: Span = EVERY
) -> Transcript:
    """What a seat was sent and answered in a match of a run; as ``transcribe``."""
    match = dealt_match(manifest, limits_of(manifest), folder.secrets_of(manifest), record)
    return transcribe(match, record, seat, span=span)


def transcribe(match: Match, record: Record, seat: Seat, *, span: Span = EVERY) -> Transcript:
    """What a seat was sent and answered in a recorded match; starts nothing.

    Raises:
        arena.retelling.Differs: the record is not what its deal and its answers lead to.
    """
    players = [RecordedPlayer(other, record) for other in range(len(record.bots))]
    players[seat] = taped = _Taped(seat, record, span)
    play_recorded(match, record, players)
    if taped.transcript is None:
        raise Differs(f"seat {seat}: expected to be greeted, got a withdrawn seat", match=record.id)
    return taped.transcript
