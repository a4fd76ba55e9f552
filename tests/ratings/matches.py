"""Matches for the tests: simulated from TrueSkill's own model."""

from random import Random

Match = tuple[tuple[str, ...], tuple[int, ...]]


def ranks_of(performances: list[float]) -> tuple[int, ...]:
    """Rank 0 for the greatest, equal ones sharing."""
    return tuple(sum(other > one for other in performances) for one in performances)


def simulated(
    skills: dict[str, float], matches: int, seats: int, seed: int, grain: float = 0.0, beta: float = 25 / 6
) -> list[Match]:
    """Matches among bots of these skills; performances are rounded to ``grain``, so that some tie."""
    random = Random(seed)
    found = []
    for _ in range(matches):
        bots = tuple(random.sample(sorted(skills), seats))
        performances = [random.gauss(skills[bot], beta) for bot in bots]
        if grain:
            performances = [round(performance / grain) for performance in performances]
        found.append((bots, ranks_of(performances)))
    return found
