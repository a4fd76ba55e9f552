"""Finds the best N bots in few matches: bots that may still be among them play, the others are out.

For each line-up, skills are drawn from the ratings by the secret (W. R. Thompson, 1933), and the bots still in with the
greatest drawn skills sit. If fewer bots are in than there are seats, eliminated bots fill the other seats, the greatest
skill first. ``arena.ratings.pairwise`` decides whether a bot is out; its claims hold however bots were paired.

A bot is out because it is behind somebody, so the last one need not be ahead of the others: rock, paper and scissors
are each behind one. So the last one is tested against each of the others, by bets that begin when it is known. A bot
that is ahead of all others in fresh bets is the best, and each of these bets needs no more than 1 / alpha (an
intersection-union test: R. L. Berger, 1982). If it is behind another, a circle is looked for.
"""

from collections.abc import Generator, Sequence
from math import ceil, log
from typing import ClassVar, Literal

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import (
    Answer,
    Count,
    LineUp,
    Play,
    Played,
    Positive,
    Result,
    Round,
    Terms,
    doubt,
    places_of,
    round_of,
)
from arena.formats.schedule import draw_blocks
from arena.formats.skills import Seating, Skills, in_order, put_first, standing, together_first
from arena.ratings import Looks
from arena.ratings.pairwise import PairwiseTests, SuccessiveElimination
from arena.words import listed, plural

_OF_DUELS = 1 / 4
"""The part of alpha for claims about two bots."""
_STIR = 0.5
"""The mean of the chance that is added to a logarithm of a ratio where line-ups are drawn."""
_DIGITS = 6
_ASSUMED = (
    "The model is assumed, not tested: one skill for each bot, and normal luck, alike for all. Where bots beat each "
    "other in a circle, it may name one all the same."
)


class Race(Struct, frozen=True, kw_only=True):
    """Ends when as many are left as were asked for, the last one tested against the others, or with the last block."""

    top: Positive = 1
    """How many are looked for."""
    batch: Positive = 8
    """Line-ups between two looks: lanes play them side by side."""
    tested: Count = 16
    """Of more bots than this the last one is not tested against each of the others: it would take too long."""
    model: Literal["none", "trueskill"] = "none"
    """What is assumed: nothing, or TrueSkill's model, with which the best is found in half of the matches."""

    ends: ClassVar[bool] = True
    claims: ClassVar[Looks] = "answer"
    tells: ClassVar[str] = "the best bot"
    measured: ClassVar[dict[int, tuple[Answer, ...]]] = {
        2: (
            Answer(bots=4, best=1.00, order=0.98, fewest=54.2, most=96.2),
            Answer(bots=8, best=1.00, order=0.97, fewest=71.2, most=100.8),
            Answer(bots=16, best=1.00, order=0.95, fewest=77.8, most=93.3),
        ),
        4: (
            Answer(bots=8, best=1.00, order=1.00, fewest=41.4, most=56.6),
            Answer(bots=16, best=1.00, order=0.99, fewest=41.4, most=50.8),
            Answer(bots=32, best=1.00, order=0.98, fewest=21.5, most=27.5),
        ),
    }

    def play(self, terms: Terms) -> Play:
        """A round in which everybody sits, then batches.

        Raises:
            ValueError: more are looked for than there are.
        """
        if self.top >= len(terms.entrants):
            raise ValueError(
                f"race: expected top to be fewer than the {plural(len(terms.entrants), 'bot')}, got {self.top}"
            )
        terms.check_duels("race")
        first = _everybody(terms)
        if self.model == "trueskill":
            if self.top > 1:
                raise ValueError(f"race: expected top=1 with model=trueskill, got top={self.top}")
            if terms.span is not None:
                raise ValueError("race: expected places to count with model=trueskill, got a game of scores")
            return (yield from _top_two(terms, first, batch=self.batch))
        course = _Course(terms, self.top)
        while len(course.still) > self.top and (budget := terms.blocks - len(course.everything)) > 0:
            if course.everything:
                line_ups = [course.drawn() for _ in range(min(self.batch, budget))]
                title = f"{len(course.still)} are in"
            else:
                line_ups, title = first[:budget], "everybody"
            byes = tuple(sorted(course.still.difference(*line_ups)))
            played = yield Round(title=title, line_ups=tuple(line_ups), byes=byes)
            course.take(played)
        best = False
        circle: tuple[str, ...] = ()
        if self.top == len(course.still) == 1 and len(terms.entrants) <= self.tested:
            best, circle = yield from self._test(course)
        # nobody of a circle is the first of it
        order = together_first(standing(terms.entrants, course.everything), circle)
        order = put_first(order, () if course.behind else course.still)
        return Result(
            places=places_of(order),
            through=in_order(order)[: self.top],
            certain=best or len(course.still) <= self.top > 1,
            still=tuple([bot for bot in in_order(order) if bot in course.still]),
            circle=circle,
            notes=(course.describe_outcome(best=best, circle=circle),),
        )

    def onward(self, bots: int, _seats: int) -> int:
        """How many of ``bots`` advance."""
        return min(self.top, bots)

    @staticmethod
    def sound(*, bots: int, seats: int) -> int:
        """150 blocks a bot, at most."""
        return ceil(150 * bots / seats)

    def _test(self, course: "_Course") -> Generator[Round, tuple[Played, ...], tuple[bool, tuple[str, ...]]]:
        """Whether the last one is ahead of each other bot, by new bets; else the circle that it is in or behind."""
        (last,) = course.still
        fresh = PairwiseTests(course.terms.entrants, alpha=course.alpha)
        while rivals := [bot for bot in fresh.bots if bot != last and not fresh.above(last, other=bot, pairs=1)]:
            if circle := course.duels.circle(last):
                return False, circle
            blocks = min(self.batch, course.terms.blocks - len(course.everything))
            if blocks <= 0:
                return False, ()
            sitting = course.suspects() if course.behind else course.rivals(last, rivals)
            title = "a circle is looked for" if course.behind else f"{last} is tested"
            played = yield Round(title=title, line_ups=tuple(course.seated(sitting, blocks)))
            course.take(played)
            for block in played:
                fresh.add(list(block.matches()), voids=block.voids())
        return True, ()


class _Course:
    """What was played, and what follows from it."""

    def __init__(self, terms: Terms, top: int) -> None:
        """Begin with all bots; so many are looked for."""
        self.terms = terms
        self._top = top
        # a wrong bot is left and wins its test, or a duel is wrong: together alpha
        of_duels = _OF_DUELS if top == 1 else 0
        self.alpha = terms.alpha * (1 - of_duels)
        self.everything: list[Played] = []
        self.still = set(terms.entrants)
        self.duels = PairwiseTests(terms.entrants, alpha=terms.alpha * (of_duels or 1))
        self._chance = Chance(terms.key)
        self._seating = Seating(terms.entrants, self._chance)
        self._skills = Skills(sorted(terms.entrants))
        self._contenders = SuccessiveElimination(terms.entrants, alpha=self.alpha)

    def take(self, played: Sequence[Played]) -> None:
        """Take in a round."""
        self._skills.add(played)
        for block in played:
            matches, voids = list(block.matches()), block.voids()
            self.duels.add(matches, voids=voids)
            if self._top == 1:
                self._contenders.add(matches, voids=voids)
        self.everything += played
        self.still = self._contenders.still if self._top == 1 else self.still - self.duels.out(self._top, self.still)

    def drawn(self) -> LineUp:
        """Those still in with the greatest skill, and then the fallen."""
        drawn = self._skills.drawn(self._chance)
        order = sorted(drawn, key=lambda bot: (bot not in self.still, -drawn[bot], bot))
        return self._seating.seat(order[: self.terms.seats])

    def seated(self, sitting: Sequence[Sequence[str]], blocks: int) -> list[LineUp]:
        """So many line-ups: the first bots of these by turns, and where they are few, others."""
        every = [[*bots, *sorted(set(self.terms.entrants).difference(bots))] for bots in sitting]
        return [self._seating.seat(every[index % len(every)][: self.terms.seats]) for index in range(blocks)]

    @property
    def behind(self) -> list[str]:
        """Bots that are certainly ahead of the last one, or of one of the last."""
        return [bot for bot in self.duels.bots if any(self._above(bot, other) for other in self.still)]

    def rivals(self, last: str, rivals: Sequence[str]) -> list[list[str]]:
        """The last one, the best by rating of those that it has still to beat, and the others of them by turns."""
        estimates = self._skills.estimates
        nearest, *rest = sorted(rivals, key=lambda bot: (-estimates[bot][0], bot))
        starts = range(0, max(len(rest), 1), max(self.terms.seats - 2, 1))
        return [[last, nearest, *rest[start:], *rest[:start]] for start in starts]

    def suspects(self) -> list[list[str]]:
        """Each two neighbours of what seems to be a circle above the last one, the least certain first; then others.

        A third one of the circle sits with them only if no other is left: it could hide who of the two is better.
        """
        path = sorted(self.still)
        while (ahead := max(self.duels.bots, key=lambda bot: self.duels.wealth(bot, other=path[-1]))) not in path:
            path.append(ahead)
        path = path[path.index(ahead) :]
        pairs = sorted(
            zip(path, [*path[1:], path[0]], strict=True), key=lambda duel: self.duels.wealth(duel[1], other=duel[0])
        )
        fill = sorted(set(self.terms.entrants).difference(path))
        return [[*pair, *fill] for pair in pairs]

    def describe_outcome(self, *, best: bool, circle: Sequence[str]) -> str:
        """What is certain and what is not, in words."""
        if len(self.still) > self._top:
            return f"Not certain after {plural(len(self.everything), 'block')}: {doubt(self.still, self._top)}."
        if self._top > 1:
            return f"Each of the other bots is certainly behind {self._top} or more."
        (last,) = self.still
        others = [bot for bot in self.duels.bots if bot != last]
        if best:
            return f"{last} is certainly ahead of each of the other {plural(len(others), 'bot')}."
        if circle:
            return f"No bot is ahead of all others. A circle, all of it certain: {round_of(circle)}."
        met = {bot for block in self.everything if last in block.line_up for bot in block.line_up} - {last}
        ahead = [bot for bot in others if self._above(last, bot)]
        behind = f", and certainly behind {listed(self.behind)}" if self.behind else ""
        return (
            f"Every other bot is certainly behind somebody. {last} was tested against {len(met)} of "
            f"{plural(len(others), 'other')}: it is certainly ahead of {listed(ahead)}{behind}."
        )

    def _above(self, bot: str, other: str) -> bool:
        return self.duels.above(bot, other=other, pairs=self.duels.claims)


def _everybody(terms: Terms) -> list[LineUp]:
    blocks = min(-(-len(terms.entrants) // terms.seats), terms.blocks)
    return [block.seating for block in draw_blocks(terms.entrants, seats=terms.seats, blocks=blocks, key=terms.key)]


def _top_two(terms: Terms, first: Sequence[LineUp], *, batch: int) -> Play:
    """Rounds until one bot is the best under TrueSkill's model, or the blocks are played.

    By turns of chance the leader is the bot with the greatest mean, or one that a draw from the ratings puts first.
    The others at its table are those whose likelihood ratio against it is least, with some chance in it (top-two
    sampling: D. Russo, 2016). It ends when each other bot's ratio is above (n - 1) / alpha: then, if the model holds,
    another bot is better in at most alpha of such races. The model: one skill for each bot, and normal luck of the same
    deviation for all.

    Args:
        terms: of the race.
        first: line-ups in which everybody sits.
        batch: line-ups between two looks.
    """
    chance = Chance(terms.key)
    seating = Seating(terms.entrants, chance)
    skills = Skills(sorted(terms.entrants))
    blocks = [*(yield Round(title="everybody", line_ups=tuple(first)))]
    skills.add(blocks)
    need = log((len(terms.entrants) - 1) / terms.alpha)
    while (least := min(_ratios(skills, leader := _leader(skills)).values())) <= need and len(blocks) < terms.blocks:
        line_ups = [
            seating.seat(_sitting(skills, chance, seats=terms.seats))
            for _ in range(min(batch, terms.blocks - len(blocks)))
        ]
        played = yield Round(title=f"{leader} leads", line_ups=tuple(line_ups), stage="the leader and its rivals")
        skills.add(played)
        blocks += played
    order = put_first(standing(terms.entrants, blocks), [leader])
    after = plural(len(blocks), "block")
    verdict = f"{leader} is the best, by TrueSkill's model" if least > need else f"Not found after {after}"
    return Result(places=places_of(order), through=in_order(order)[:1], notes=(f"{verdict}. {_ASSUMED}",))


def _leader(skills: Skills) -> str:
    estimates = skills.estimates
    return max(sorted(estimates), key=lambda bot: estimates[bot][0])


def _ratios(skills: Skills, leader: str) -> dict[str, float]:
    """For each other bot the logarithm of the likelihood ratio of its being behind; negative if it is ahead."""
    estimates = skills.estimates
    mu, sigma = estimates[leader]
    by_name = {}
    for bot, (other, deviation) in estimates.items():
        if bot != leader:
            gap = mu - other
            by_name[bot] = round(gap * abs(gap) / 2 / (sigma * sigma + deviation * deviation), _DIGITS)
    return by_name


def _sitting(skills: Skills, chance: Chance, *, seats: int) -> list[str]:
    drawn = skills.drawn(chance)
    leader = _leader(skills) if chance.below(2) else max(sorted(drawn), key=drawn.__getitem__)
    ratios = _ratios(skills, leader)
    stirred = {
        bot: round(ratio - _STIR * log((chance.below(1 << 53) + 0.5) / (1 << 53)), _DIGITS)
        for bot, ratio in sorted(ratios.items())
    }
    return [leader, *sorted(stirred, key=lambda bot: (stirred[bot], bot))[: seats - 1]]
