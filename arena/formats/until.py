"""Another format that ends as soon as a question about the whole table is answered.

The question is tested at the end of each round. A round in which a bot sits twice is cut into batches, each of which is
a round here; the format inside gets all of them at once, as it asked. So no test sees only the matches that happened to
end first, and nothing depends on which blocks end first.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import msgspec
from msgspec import Struct

from arena.formats.format import Play, Played, Result, Round, Terms, counted, doubt, places_of, round_of, some
from arena.formats.skills import in_order, put_first, standing, together_first
from arena.ratings.pairwise import PairwiseTests

OPTIONS = ("until", "margin", "alpha")
"""What a format may be given beside its own options."""
MARGIN = 0.1
QUESTIONS = "decided, best, top=K or order"
_TOP = re.compile(r"top=([1-9][0-9]{0,5})")
_FIRST = 16
"""Blocks before the first look."""
_SHARE = 8
"""After that, the next look comes when one in this many blocks more has been played: a run is too long by no more."""


class Until(Struct, frozen=True, kw_only=True):
    """A format that stops when the question is answered."""

    held: Any
    """The format beneath."""
    until: str
    """``decided``: of every two bots one is better, or they are the same; ``best``; ``top=3``; or ``order``.

    It is answered, too, once it is certain that there is none: that no bot is better than all others.
    """
    margin: float = MARGIN
    """Two bots are the same whose mean duel score is between -margin and margin."""
    alpha: float | None = None
    """How often a claim may be wrong; None: as the terms say."""

    def play(self, terms: Terms) -> Play:
        """The rounds of the format beneath, until the question is answered.

        Raises:
            ValueError: there is no such question, or a number is out of bounds.
        """
        places = places_asked(self.until, len(terms.entrants))
        try:
            terms.check_duels(f"until={self.until}")
        except ValueError as error:
            raise Unanswerable(str(error)) from None
        alpha = terms.alpha if self.alpha is None else self.alpha
        for name, value in (("margin", self.margin), ("alpha", alpha)):
            if not 0 < value < 1:
                raise ValueError(f"expected {name} between 0 and 1, got {value:g}")
        margin = self.margin if self.until == "decided" else None
        duels = PairwiseTests(terms.entrants, alpha=alpha, margin=margin)
        table = _Claims(self.until, places, duels, self.margin, circles=not terms.first_rules)
        everything = list(terms.before)
        for block in everything:
            table.duels.add(list(block.matches()))
        if everything and table.answered:
            return self._result(terms, table, everything)
        beneath: Play = self.held.play(msgspec.structs.replace(terms, alpha=alpha, before=()))
        try:
            asked = next(beneath)
            while True:
                whole: list[Played] = []
                for batch in _batches(asked, len(everything)):
                    played = yield batch
                    for block in played:
                        table.duels.add(list(block.matches()))
                    whole += [msgspec.structs.replace(block, number=len(whole) + block.number) for block in played]
                    everything += played
                    if table.answered:
                        return self._result(terms, table, everything)
                asked = beneath.send(tuple(whole))
        except StopIteration:
            return self._result(terms, table, everything)
        finally:
            beneath.close()

    def onward(self, bots: int, _seats: int) -> int:
        """How many of ``bots`` advance."""
        return places_asked(self.until) if self.until.startswith("top=") else bots

    def _result(self, terms: Terms, table: "_Claims", played: Sequence[Played]) -> Result:
        best = table.first
        if self.until == "order" and best:
            order = [[bot] for bot in best]
        else:
            # it is certain which bots are first, not which of them is better
            order = put_first(together_first(standing(terms.entrants, played), table.circle), best)
        return Result(
            places=places_of(order),
            through=in_order(order)[: table.places if self.until.startswith("top=") else None],
            certain=table.answered,
            notes=tuple(table.notes(len(played), len(terms.before) + terms.blocks)),
        )


class Unanswerable(ValueError):
    """A question is about as many places as there are bots, or more; or about scores that cannot be bet on."""


def places_asked(question: str, bots: int | None = None) -> int:
    """How many places a question is about; 0: all.

    Raises:
        ValueError: there is no such question.
        Unanswerable: it is about more bots than there are.
    """
    if question in {"decided", "order"}:
        return 0
    match = _TOP.fullmatch(question)
    places = int(match[1]) if match else 1
    if question != "best" and match is None:
        raise ValueError(f"expected {QUESTIONS}, got {question!r}; for instance top=3")
    if bots is not None and places >= bots:
        raise Unanswerable(f"expected fewer than the {bots} bots, got {question}")
    return places


def _batches(asked: Round, before: int) -> Iterator[Round]:
    """The round, or its batches if a bot sits twice in it; ``before`` blocks were played earlier."""
    sitting = [bot for line_up in asked.line_ups for bot in line_up]
    if len(set(sitting)) == len(sitting):
        yield asked
        return
    start = 0
    while start < len(asked.line_ups):
        end = min(start + max(_FIRST, (before + start) // _SHARE), len(asked.line_ups))
        yield msgspec.structs.replace(
            asked,
            title=f"{asked.title}, blocks {start + 1} to {end}",
            line_ups=asked.line_ups[start:end],
            stage=asked.stage or asked.title,
        )
        start = end


class _Claims:
    """The certain claims about a table."""

    def __init__(self, question: str, places: int, duels: PairwiseTests, margin: float, *, circles: bool) -> None:
        self.places = places
        self._circles = circles
        self.duels = duels
        self._question = question
        self._margin = margin

    @property
    def answered(self) -> bool:
        """Whether the question is."""
        if self._question == "decided":
            return not self._open()
        return bool(self.first) or (self._circles and bool(self.circle))

    @property
    def first(self) -> tuple[str, ...]:
        """The bots that certainly come first, in their order where that is certain, too."""
        if self.places:
            return self.duels.top(self.places) or ()
        return (self.duels.order(neighbours=not self._circles) or ()) if self._question == "order" else ()

    @property
    def circle(self) -> tuple[str, ...]:
        """Bots that beat each other in a circle, if that is the answer: at the head of the table, if there are such."""
        if self.places and len(self.duels.bots) - len(self.duels.out(self.places)) >= self.places:
            return ()
        if self._question == "decided":
            return ()
        return self.duels.circle(self.duels.ranked()[0]) or self.duels.circle()

    def notes(self, blocks: int, most: int) -> Iterator[str]:
        """The certain and the open claims, in sentences."""
        if self.answered:
            yield f"Decided after {blocks} of at most {most} blocks: {self._answer()}."
        else:
            yield f"Not decided in {counted(blocks)}: {self._doubt()}."
        if sure := [f"{one} than {other}" for one, other in self._apart()]:
            yield f"Certainly better, all of this at once: {some(sure)}."
        if self._question == "decided":
            same = [
                f"{one} and {other}" for one, other in self._pairs() if self.duels.verdict(one, other=other) == "same"
            ]
            yield f"The same, within {self._margin:g}: {some(same)}."

    def _answer(self) -> str:
        if self._question != "decided" and not self.first:
            return self._none()
        if self._question == "best":
            return f"{self.first[0]} is the best"
        if self._question == "order":
            return f"the order is {' > '.join(self.first)}"
        if self.places:
            return f"the first {self.places} are {', '.join(self.first)}"
        return "of every two bots one is certainly better, or they are the same"

    def _none(self) -> str:
        none = {0: "there is no order", 1: "no bot is better than all others"}
        said = none.get(self.places, f"no {self.places} bots are better than all others")
        return f"{said}; a circle: {round_of(self.circle)}"

    def _doubt(self) -> str:
        if self.circle:
            return self._none()
        if self.places:
            out = self.duels.out(self.places)
            still = [bot for bot in self.duels.bots if bot not in out]
            return doubt(still, self.places) if still else "each bot is certainly behind another"
        if self._question == "order":
            ranked = self.duels.ranked()
            pairs = len(ranked) * (len(ranked) - 1) // 2
            unsure = [
                (one, other) for one, other in pairwise(ranked) if not self.duels.above(one, other=other, pairs=pairs)
            ]
        else:
            unsure = list(self._open())
        return f"which of two is better is open for {some([f'{one} and {other}' for one, other in unsure])}"

    def _pairs(self) -> Iterator[tuple[str, str]]:
        return combinations(self.duels.bots, 2)

    def _open(self) -> list[tuple[str, str]]:
        return [(one, other) for one, other in self._pairs() if self.duels.verdict(one, other=other) == "undecided"]

    def _apart(self) -> Iterator[tuple[str, str]]:
        for one, other in self._pairs():
            verdict = self.duels.verdict(one, other=other)
            if verdict in {"better", "worse"}:
                yield (one, other) if verdict == "better" else (other, one)
