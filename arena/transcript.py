"""What a seat was sent in a recorded match, as lines that any program can read, and back. Starts nothing."""

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from arena import wire
from arena.errors import UsageError


class Question(Struct, frozen=True):
    """A question that a seat was asked, and its answer."""

    decide: wire.Decide
    decision: int = -1
    """Index into the ``picks`` of the record; -1: nobody has told."""
    picks: tuple[int, ...] | None = None
    """None: a fault was recorded, or nobody has told."""


class Transcript(Struct):
    """A match as one seat heard it; ``over`` is None if it was not told of the end."""

    hello: wire.Hello
    questions: list[Question] = []
    over: wire.Over | None = None

    def lines(self, *, answers: bool) -> Iterator[bytes]:
        """The exact lines, without newlines; ``answers``: behind each question the answer, and at which decision."""
        yield wire.encode(self.hello)
        for question in self.questions:
            yield wire.encode(question.decide)
            if answers and question.picks is not None:
                yield wire.encode(_Answer(question.decide.id, question.picks, decision=question.decision))
        if self.over is not None:
            yield wire.encode(self.over)


class _Answer(wire.Choose, frozen=True, tag="choose", tag_field="type"):
    decision: int = -1


_decode = msgspec.json.Decoder(wire.Hello | wire.Decide | wire.Over | _Answer).decode


def open_transcripts(path: str, ruled_out: Collection[int]) -> list[Transcript]:
    """The matches in a file of such lines.

    Raises:
        UsageError: there are none, or one of the decisions ``ruled_out`` has no answer in it.
    """
    try:
        transcripts = read_transcripts(Path(path).read_bytes(), path=path)
    except OSError as error:
        raise UsageError(f"expected a file of lines, got {path}: {error.strerror}", option="lines") from error
    answered = {question.decision for each in transcripts for question in each.questions if question.picks is not None}
    if absent := set(ruled_out) - answered:
        have = f"{min(answered)} to {max(answered)}" if answered else "none: `arena replay --lines --answers` has them"
        text = f"expected a decision that has its answer in {path} ({have}), got {min(absent)}"
        raise UsageError(text, option="not")
    return transcripts


def read_transcripts(data: bytes, *, path: str) -> list[Transcript]:
    """The matches in a file of such lines.

    Raises:
        UsageError: a line of it is none, or stands in no place for it.
    """
    transcripts: list[Transcript] = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            message = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{path}, line {number}: expected a line of `arena replay --lines`: {error}") from None
        if isinstance(message, wire.Hello):
            transcripts.append(Transcript(message))
            continue
        questions = transcripts[-1].questions if transcripts else []
        if isinstance(message, wire.Decide) and transcripts and _is_sound(message):
            questions.append(Question(message))
        elif isinstance(message, _Answer) and questions and questions[-1].decide.id == message.id:
            questions[-1] = Question(questions[-1].decide, message.decision, message.picks)
        elif isinstance(message, wire.Over) and transcripts:
            transcripts[-1].over = message
        else:
            kind = message.__struct_config__.tag
            raise UsageError(f"{path}, line {number}: expected hello, then decide, choose and over, got another {kind}")
    if not transcripts:
        raise UsageError(f"{path}: expected lines of `arena replay --lines`, got none")
    return transcripts


def _is_sound(decide: wire.Decide) -> bool:
    return 0 <= decide.least <= decide.most <= decide.count == len(decide.options)
