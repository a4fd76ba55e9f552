"""Finds the best bot under TrueSkill's model: the leader and those that are nearest to it sit together.

By turns of chance the leader is the bot with the greatest mean, or one that a draw from the ratings puts first. The
others at its table are those whose likelihood ratio against it is least, with some chance in it (top-two sampling: D.
Russo, 2016). It ends when each other bot's ratio is above (n - 1) / alpha: then, if the model holds, another bot is
better in at most alpha of such races. The model: one skill for each bot, and normal luck of the same deviation for all.
"""

from collections.abc import Sequence
from math import log

from arena.chance import Chance
from arena.formats.format import LineUp, Play, Result, Round, Terms, places_of
from arena.formats.sentences import counted
from arena.formats.skills import Seating, Skills, in_order, put_first, standing

_STIR = 0.5
"""The mean of the chance that is added to a logarithm of a ratio where line-ups are drawn."""
_DIGITS = 6
_ASSUMED = (
    "The model is assumed, not tested: one skill for each bot, and normal luck, alike for all. Where bots beat each "
    "other in a circle, it may name one all the same."
)


def top_two(terms: Terms, first: Sequence[LineUp], *, batch: int) -> Play:
    """Rounds until one bot is the best, or the blocks are played.

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
    found = f"{leader} is the best, by TrueSkill's model" if least > need else f"Not found after {counted(len(blocks))}"
    return Result(places=places_of(order), through=in_order(order)[:1], notes=(f"{found}. {_ASSUMED}",))


def _leader(skills: Skills) -> str:
    known = skills.known
    return max(sorted(known), key=lambda bot: known[bot][0])


def _ratios(skills: Skills, leader: str) -> dict[str, float]:
    """For each other bot the logarithm of the likelihood ratio of its being behind; negative if it is ahead."""
    known = skills.known
    mu, sigma = known[leader]
    found = {}
    for bot, (other, deviation) in known.items():
        if bot != leader:
            gap = mu - other
            found[bot] = round(gap * abs(gap) / 2 / (sigma * sigma + deviation * deviation), _DIGITS)
    return found


def _sitting(skills: Skills, chance: Chance, *, seats: int) -> list[str]:
    """A leader and those nearest to it."""
    drawn = skills.drawn(chance)
    leader = _leader(skills) if chance.below(2) else max(sorted(drawn), key=drawn.__getitem__)
    ratios = _ratios(skills, leader)
    stirred = {
        bot: round(ratio - _STIR * log((chance.below(1 << 53) + 0.5) / (1 << 53)), _DIGITS)
        for bot, ratio in sorted(ratios.items())
    }
    return [leader, *sorted(stirred, key=lambda bot: (stirred[bot], bot))[: seats - 1]]
