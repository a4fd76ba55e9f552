"""A bot: Python and `arena.bot`, which has a type for everything. Write `decide`."""

from typing import Any as Observation

from arena.bot import Bot, Decision


class MyBot(Bot[Observation]):
    """Picks anything."""

    def decide(self, decision: Decision[Observation]) -> list[int]:
        # `self.note = ...`, any JSON of 1 KiB, is shown by `arena replay` beside the answer
        """Pick between `least` and `most` different ones of `options`, by index.

        `arena rules GAME` tells what they mean, and what stands in `decision.observation` and `decision.events`.
        An answer has `decision.time` milliseconds. What is printed goes to standard error.
        """
        size = decision.rng.randint(decision.least, decision.most)
        return decision.rng.sample(range(len(decision.options)), size)


if __name__ == "__main__":
    MyBot().run()
