"""Another format that ends as soon as a question about the whole table is answered.

The question is put to the table at the end of each round: what it says for certain at every look ends the run, so the
run and its pages never disagree. A round in which a bot sits twice is cut into batches, each of which is
a round here; the format inside gets all of them at once, as it asked. So no test sees only the matches that happened to
end first, and nothing depends on which blocks end first.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.formats.format import (
    ALPHA,
    LineUp,
    Play,
    Played,
    Result,
    Round,
    Terms,
    claims_of,
    doubt,
    places_of,
)
from arena.formats.skills import in_order, put_first, standing
from arena.ratings import Looks, fit_outcomes, outcomes_of
from arena.ratings.factors import BETA2
from arena.ratings.intervals import better_among, gaps_in
from arena.ratings.pairwise import Better, same_within
from arena.ratings.quantiles import NORMAL
from arena.ratings.scores import scores_of_matches
from arena.words import listed, plural

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
    """``decided``: of every two bots one is better, or they are the same; ``best``; ``top=3``; or ``order``."""
    margin: float = MARGIN
    """Two bots are the same whose mean duel score is between -margin and margin."""
    alpha: float | None = None
    """How often a claim may be wrong, at most as often as of any table; None: as the terms say."""

    def play(self, terms: Terms) -> Play:
        """The rounds of the format beneath, until the table says for certain what was asked.

        Raises:
            ValueError: there is no such question, or a number is out of bounds.
        """
        places = places_asked(self.until, len(terms.entrants))
        try:
            terms.check_duels(f"until={self.until}")
        except ValueError as error:
            raise Unanswerable(str(error)) from None
        if not 0 < self.margin < 1:
            raise ValueError(f"expected margin between 0 and 1, got {self.margin:g}")
        alpha = terms.alpha if self.alpha is None else self.alpha
        if not 0 < alpha <= ALPHA:
            raise ValueError(f"expected alpha above 0 and at most {ALPHA:g}, as of every table, got {alpha:g}")
        looks = claims_of(self.held, until=True)
        table = _Table(self.until, places, terms, looks=looks, share=alpha / ALPHA, margin=self.margin)
        table.add(terms.before)
        if table.played and table.answered:
            return self._result(terms, table)
        beneath: Play = self.held.play(msgspec.structs.replace(terms, alpha=alpha, before=()))
        try:
            fixtures = next(beneath)
            while True:
                blocks: list[Played] = []
                for batch in _batches(fixtures, len(table.played)):
                    played = yield batch
                    blocks += [msgspec.structs.replace(block, number=len(blocks) + block.number) for block in played]
                    table.add(played)
                    if table.answered:
                        return self._result(terms, table)
                fixtures = beneath.send(tuple(blocks))
        except StopIteration:
            return self._result(terms, table)
        finally:
            beneath.close()

    def onward(self, bots: int, _seats: int) -> int:
        """How many of ``bots`` advance."""
        return places_asked(self.until) if self.until.startswith("top=") else bots

    def _result(self, terms: Terms, table: "_Table") -> Result:
        order = standing(terms.entrants, table.played)
        # it is certain which bots are first, not which of them is better
        order = put_first(order, table.first) if table.places else order
        return Result(
            places=places_of(order),
            through=in_order(order)[: table.places if self.until.startswith("top=") else None],
            certain=table.answered,
            notes=(table.note(len(terms.before) + terms.blocks),),
        )


def unit_of_margin(span: float | None, *, margin: float = MARGIN) -> float:
    """What a margin of duel scores is counted in, in the unit of the table: the ``span`` of scores; None: mu."""
    return sqrt(2 * BETA2) * NORMAL.inv_cdf((1 + margin) / 2) / margin if span is None else span


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
        raise Unanswerable(f"expected fewer than the {plural(bots, 'bot')}, got {question}")
    return places


def _batches(fixtures: Round, before: int) -> Iterator[Round]:
    """The round, or its batches if a bot sits twice in it; ``before`` blocks were played earlier."""
    sitting = [bot for line_up in fixtures.line_ups for bot in line_up]
    if len(set(sitting)) == len(sitting):
        yield fixtures
        return
    start = 0
    while start < len(fixtures.line_ups):
        end = min(start + max(_FIRST, (before + start) // _SHARE), len(fixtures.line_ups))
        yield msgspec.structs.replace(
            fixtures,
            title=f"{fixtures.title}, blocks {start + 1} to {end}",
            line_ups=fixtures.line_ups[start:end],
            stage=fixtures.stage or fixtures.title,
        )
        start = end


class _Table:
    """The table of the run so far, as every page has it at every look, and what it says of the question."""

    def __init__(self, question: str, places: int, terms: Terms, *, looks: Looks, share: float, margin: float) -> None:
        self.places = places
        self.played: list[Played] = []
        self.better: Better = frozenset()
        self._question, self._terms, self._looks, self._share = question, terms, looks, share
        self._margin = margin
        self._same: frozenset[tuple[str, str]] = frozenset()
        """Pairs, by name, that are certainly the same within the margin."""

    def add(self, played: Sequence[Played]) -> None:
        """Take in a round, and look."""
        self.played += played
        if not any(ranks for block in self.played for ranks in block.ranks):
            return
        matches = list(matches_of(self.played))
        outcomes = outcomes_of((block, bots, ranks) for block, bots, ranks, _ in matches)
        voids = [bots for block in self.played for bots in block.voids()]
        fit = fit_outcomes(replace(outcomes, voids=tuple(voids)), self._terms.entrants)
        scores = None
        if self._terms.span is not None:
            scores = scores_of_matches(fit.outcomes, [(block, bots, points) for block, bots, _, points in matches])
        past = {*fit.ratings} - {*self._terms.entrants}
        gaps = gaps_in(fit, past=past, looks=self._looks, scores=scores)
        self.better = better_among(gaps, self._terms.entrants, looks=self._looks, share=self._share)
        if self._question == "decided":
            margin = self._margin * unit_of_margin(None if scores is None else 1.0, margin=self._margin)
            self._same = same_within(gaps, margin, bots=len(self._terms.entrants), looks=self._looks, share=self._share)

    @property
    def answered(self) -> bool:
        """Whether the table says for certain what was asked."""
        return bool(self.first) if self.places else not self._open()

    @property
    def first(self) -> tuple[str, ...]:
        """The bots that are certainly the first so many, by name."""
        bots = self._terms.entrants
        above = {bot: {other for other in bots if (bot, other) in self.better} for bot in bots}
        first = sorted(bot for bot in bots if len(above[bot]) >= len(bots) - self.places)
        rest = {*bots} - {*first}
        return tuple(first) if len(first) == self.places and all(rest <= above[bot] for bot in first) else ()

    def _open(self) -> list[tuple[str, str]]:
        return [pair for pair in combinations(sorted(self._terms.entrants), 2) if not self._decided(pair)]

    def _decided(self, pair: tuple[str, str]) -> bool:
        return pair in self.better or pair[::-1] in self.better or pair in self._same

    def note(self, most: int) -> str:
        """What the table says of the question, in a sentence."""
        blocks = len(self.played)
        if not self.answered:
            return f"Not decided in {plural(blocks, 'block')}: {self._doubt()}."
        same = "".join(
            f"; {first} and {other} are the same within {self._margin:g}" for first, other in sorted(self._same)
        )
        return f"Decided after {blocks} of at most {plural(most, 'block')}{same}."

    def _doubt(self) -> str:
        if self.places:
            bots = self._terms.entrants
            over = Counter(worse for _, worse in self.better)
            return doubt([bot for bot in bots if over[bot] < self.places], self.places)
        unsure = [f"{first} against {other}" for first, other in self._open()]
        return f"which of two is better is open for {listed(unsure)}"


def matches_of(played: Sequence[Played]) -> Iterator[tuple[int, LineUp, tuple[int, ...], tuple[float, ...]]]:
    """Of each match that is not void its block, the bot, rank and score in each seat; no scores where places count."""
    for block in played:
        for rotation, ranks in enumerate(block.ranks):
            if ranks is not None:
                scores = block.scores[rotation] if block.scores else ()
                yield block.block, block.turned(rotation), ranks, scores
