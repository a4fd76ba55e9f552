"""Finds the best N bots in few matches: bots that may still be among them play, the others are out.

For each line-up, skills are drawn from the ratings by the secret (W. R. Thompson, 1933), and the bots still in with the
greatest drawn skills sit. If fewer bots are in than there are seats, eliminated bots fill the other seats, the greatest
skill first. ``arena.ratings.duels`` decides whether a bot is out; its claims hold however bots were paired.
"""

from msgspec import Struct

from arena.chance import Chance
from arena.formats.format import LineUp, Play, Played, Result, Round, Terms, places_of
from arena.formats.sentences import counted, doubt
from arena.formats.skills import Seating, Skills, in_order, put_first, standing
from arena.ratings.duels import Contenders, Duels
from arena.tournament.schedule import draw


class Race(Struct, frozen=True, kw_only=True):
    """Ends when as many are left as were asked for, or with the last block."""

    top: int = 1
    """How many are looked for."""
    batch: int = 8
    """Line-ups between two looks: lanes play them side by side."""

    def play(self, terms: Terms) -> Play:
        """A round in which everybody sits, then batches.

        Raises:
            ValueError: more are looked for than there are, or no line-up is played between looks.
        """
        if not (1 <= self.top < len(terms.entrants) and self.batch >= 1):
            got = f"the first {self.top}, {self.batch} at a time"
            raise ValueError(f"race: expected fewer than {len(terms.entrants)} and 1 or more at a time, got {got}")
        chance = Chance(terms.key)
        seating = Seating(terms.entrants, chance)
        skills = Skills(sorted(terms.entrants))
        duels = Duels(terms.entrants, alpha=terms.alpha)
        contenders = Contenders(terms.entrants, alpha=terms.alpha)
        still = set(terms.entrants)
        everything: list[Played] = []
        while len(still) > self.top and (left := terms.blocks - len(everything)) > 0:
            if everything:
                size = min(self.batch, left)
                line_ups = [seating.seat(self._sitting(skills.drawn(chance), still, terms.seats)) for _ in range(size)]
                title = f"{len(still)} are in"
            else:
                line_ups = self._first(terms, left)
                title = "everybody"
            played = yield Round(title=title, line_ups=tuple(line_ups), byes=tuple(sorted(still.difference(*line_ups))))
            skills.add(played)
            for block in played:
                matches = list(block.matches())
                contenders.add(matches) if self.top == 1 else duels.add(matches)
            everything += played
            still = contenders.still if self.top == 1 else still - duels.out(self.top, still)
        order = put_first(standing(terms.entrants, everything), still)
        certain = len(still) <= self.top
        return Result(
            places=places_of(order),
            through=in_order(order)[: self.top],
            certain=certain,
            notes=() if certain else (f"Not certain after {counted(len(everything))}: {doubt(still, self.top)}.",),
        )

    def onward(self, bots: int, _seats: int) -> int:
        """How many of ``bots`` advance."""
        return min(self.top, bots)

    @staticmethod
    def _first(terms: Terms, most: int) -> list[LineUp]:
        """Line-ups in which everybody sits once or twice."""
        blocks = min(-(-len(terms.entrants) // terms.seats), most)
        return [block.seating for block in draw(terms.entrants, seats=terms.seats, blocks=blocks, key=terms.key)]

    @staticmethod
    def _sitting(drawn: dict[str, float], still: set[str], seats: int) -> list[str]:
        """Those still in with the greatest skill, and then the fallen."""
        return sorted(drawn, key=lambda bot: (bot not in still, -drawn[bot], bot))[:seats]
