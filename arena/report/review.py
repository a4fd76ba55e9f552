"""What a bot's answers cost where a stronger bot differs: the values of a review, and its document.

Knows no run, search or page.
"""

import shlex
from collections import Counter
from collections.abc import Sequence
from textwrap import TextWrapper

from msgspec import Struct, to_builtins

from arena.escape import plain
from arena.report.document import Document, Section, Table
from arena.report.replay import OtherBot
from arena.report.times import without_figures
from arena.words import every, plural

MEASURED_ANSWERS = 15
"""So many answers are measured for what they cost, ..."""
ALIKE = 2
"""... of these at most so many to the same question with the same words, figures aside."""
TOP = 10
_LONGEST = 300
_fold = TextWrapper(62, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False).wrap


class ReviewedAnswer(Struct, frozen=True, kw_only=True):
    """An answer of the reviewed bot and that of a stronger one, both played on from the same imagined states."""

    match: int
    """Its number in the journal."""
    id: str
    seat: int
    decision: int
    """Index into the record's ``picks``."""
    question: str
    answer: str
    better: str
    """What the stronger bot answers, ..."""
    picks: tuple[int, ...]
    """... and as zero-based indexes into the options."""
    states: int
    """How many states were imagined."""
    cost: float
    """Places, or points, that the stronger bot's answer is worth more; 0 if it is the same."""
    low: float
    """Of the cost. These ranges hold for all measured answers of a review at once, with 95 % confidence."""
    high: float
    alike: int = 0
    """Other decisions looked at with the same question and answer, figures aside, that seem to cost something too."""

    @property
    def sure(self) -> bool:
        """Whether it certainly costs something."""
        return self.low > 0

    @property
    def sort(self) -> tuple[str, ...]:
        """The same for answers that differ in figures alone."""
        return without_figures(self.question), without_figures(self.answer)


def spread_answers(dear: Sequence[ReviewedAnswer], most: int) -> list[ReviewedAnswer]:
    """At most so many answers, spread over the questions: one mistake is not to fill a list. ``dear``: costliest first.

    The costliest to each question come first, then the second to each, and so on. To one question each sort of answer
    has its turn before any comes again, and at most ``ALIKE`` of a sort are taken.
    """
    turns = Counter[tuple[str, ...]]()

    def turn(key: tuple[str, ...]) -> int:
        turns[key] += 1
        return turns[key]

    by_sort = [(turn(answer.sort), answer) for answer in dear]
    in_turn = sorted((entry for entry in by_sort if entry[0] <= ALIKE), key=lambda entry: entry[0])
    by_question = sorted(((turn(answer.sort[:1]), answer) for _, answer in in_turn), key=lambda entry: entry[0])
    return [answer for _, answer in by_question[:most]]


class Review(Struct, frozen=True, kw_only=True):
    """What a bot's answers cost in the matches that it lost."""

    run: str
    game: str
    bot: str
    by: str
    """The stronger bot."""
    matches: int
    lost: int
    """Matches in which another bot finished ahead of it."""
    chosen: int
    """Those of them that were looked at, the worst places first."""
    decisions: int
    """In these, the decisions that the bot answered itself and in time."""
    looked: int = 0
    """Those of them that the stronger bot was asked, too."""
    differing: int = 0
    """Those of them that it answers otherwise."""
    guided: bool = True
    """Whether there is a guide to the game; without one all answers after these are random."""
    unit: str = "places"
    """Of what answers cost; points where the score counts."""
    answers: tuple[ReviewedAnswer, ...] = ()
    """All that were measured, the costliest first; those that may cost nothing come last."""

    @property
    def costliest(self) -> list[ReviewedAnswer]:
        """The ``TOP`` that cost most, spread over the questions."""
        return sorted(
            spread_answers([answer for answer in self.answers if answer.cost > 0], TOP), key=self.answers.index
        )

    def others(self) -> dict[str, OtherBot]:
        """What the stronger bot picks at these, by the id of the match."""
        ids = dict.fromkeys(answer.id for answer in self.costliest)
        return {
            match: OtherBot(self.by, {answer.decision: answer.picks for answer in self.costliest if answer.id == match})
            for match in ids
        }

    @property
    def lead(self) -> list[str]:
        """What was lost, and what was looked at."""
        if not self.lost:
            return [f"{self.bot} lost none of its {plural(self.matches, 'match')}: there is nothing to review."]
        looked = (
            f"Looked at {self.looked} of {plural(self.decisions, 'decision')} in {self.chosen} of them, worst first"
        )
        lost = f"{self.bot} lost {self.lost} of its {plural(self.matches, 'match')}."
        return [lost, f"{looked}: {self.by} answers {self.differing} otherwise."]

    @property
    def notes(self) -> list[str]:
        """How to read it, and what is not shown."""
        if not self.answers:
            return [f"No answer of {self.by} seems to be worth more."] if self.lost else []
        after = "as in the thoughts of the search bot" if self.guided else "at random"
        notes = [
            f"Cost: {self.unit} at the end that the answer of {self.by} is worth more; 0.25 is one in four matches.",
            f"Both answers were played on from the same imagined states; everyone then answers {after}.",
            f"The ranges hold for {every(len(self.answers), 'measured answer')} at once, with 95 % confidence.",
        ]
        if not all(answer.sure for answer in self.costliest):
            notes.append(
                "Last come answers of which it is not sure that they cost anything: their range begins at 0 or below."
            )
        return notes

    def describe(self, answer: ReviewedAnswer) -> list[str]:
        """One answer in words, line by line."""
        more = f" ({answer.alike} more like it)" if answer.alike else ""
        return [
            f"#{answer.match}, decision {answer.decision}: {answer.question}{more}",
            f"{self.bot}: {plain(answer.answer, _LONGEST)}",
            f"{self.by}: {plain(answer.better, _LONGEST)}",
        ]

    def command(self, answer: ReviewedAnswer) -> str:
        """What shows the moment."""
        return f"arena replay {shlex.quote(self.run)} '#{answer.match}' --decision {answer.decision}"

    def document(self) -> Document:
        """All of it."""
        lines = [
            {
                "cost": f"{row.cost:.2f}",
                "from": f"{row.low:.2f}",
                "to": f"{row.high:.2f}",
                "answers": tuple(line for text in (*self.describe(row), self.command(row)) for line in _fold(text)),
            }
            for row in self.costliest
        ]
        rows = [to_builtins(row) | {"sure": row.sure, "command": self.command(row)} for row in self.answers]
        section = Section(
            lead=[f"{self.run}: {self.game}.", *self.lead],
            tables=[Table(rows=lines, left_columns=["answers"], dense=True)],
            notes=self.notes,
            width=78,
            rows=rows,
            columns=[name for name in (rows[0] if rows else ReviewedAnswer.__struct_fields__) if name != "picks"],
        )
        return Document(sections=[section], data=to_builtins(self) | {"answers": rows})
