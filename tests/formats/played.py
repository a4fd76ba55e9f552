"""A table for formats without any process: line-ups end as planted skills and luck have it."""

from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from arena.formats import Format, LineUp, Played, Progress, Result, Round, Terms
from tests.ratings.matches import ranks_of

BETA = 25 / 6
CIRCLE = ("rock", "scissors", "paper")
DUEL = """
from msgspec import Struct
from arena.formats import Place, Result, Round

class Duel(Struct):
    blocks: int = 2
    fails: bool = False

    def play(self, terms):
        pair = terms.entrants[: terms.seats]
        played = yield Round(title="duel", line_ups=(pair,) * self.blocks)
        if self.fails:
            raise KeyError("no second round")
        places = [Place(place=at, bot=bot) for at, bot in enumerate(terms.entrants, 1)]
        return Result(places=tuple(places), through=pair, notes=(f"{len(played)} duels.",))

class NoFormat:
    pass
"""
Ender = Callable[[str, LineUp], tuple[int, ...] | None]
"""From the id of a match and the bots in their seats to their ranks."""


def by_skill(skills: Mapping[str, float], seed: int, deal: float = 0.0) -> Ender:
    """Matches of TrueSkill's model; the luck of one hangs on its id, not on when it is played."""

    def ranks(match: str, bots: LineUp) -> tuple[int, ...]:
        random = Random(f"{seed} {match}")
        hands = Random(f"{seed} {match.rpartition('r')[0]}")
        dealt = [hands.gauss(0, deal) if deal else 0.0 for _ in bots]
        return ranks_of([random.gauss(skills[bot] + hand, BETA) for bot, hand in zip(bots, dealt, strict=True)])

    return ranks


def in_a_circle(seed: int, advantage: float) -> Ender:
    """Rock, paper, scissors, each ahead of the next in a share of 1/2 and half the advantage; all others lose to them.

    Bots are placed by how many at the table they beat, ties by lot.
    """

    def ranks(match: str, bots: LineUp) -> tuple[int, ...]:
        random = Random(f"{seed} {match}")
        shown = dict.fromkeys(bots, 0.0)
        for one, other in combinations(bots, 2):
            ahead = 0.5
            if one in CIRCLE and other in CIRCLE:
                ahead += advantage / 2 * (1 if CIRCLE[CIRCLE.index(one) - 2] == other else -1)
            elif one in CIRCLE or other in CIRCLE:
                ahead = 0.9 if one in CIRCLE else 0.1
            shown[one if random.random() < ahead else other] += 1
        return ranks_of([shown[bot] + random.random() / 2 for bot in bots])

    return ranks


def outcome(round_: Round, first: int, end: Ender) -> list[Played]:
    """Every block of a round, played."""
    found = []
    for number, line_up in enumerate(round_.line_ups):
        ranks = tuple(
            end(f"e0b{first + number}r{turn}", line_up[turn:] + line_up[:turn]) for turn in range(len(line_up))
        )
        found.append(Played(number=number, line_up=line_up, ranks=ranks))
    return found


def whole(held: Format, terms: Terms, end: Ender, *, shuffled: int | None = None) -> tuple[list[Round], Result]:
    """A format from its first round to its result; blocks are handed in in a drawn order if asked for."""
    progress = Progress(held, terms)
    while progress.round is not None:
        played = outcome(progress.round, progress.first_block, end)
        if shuffled is not None:
            Random(shuffled).shuffle(played)
        progress.finish(played)
    assert progress.result is not None
    return progress.rounds, progress.result


def terms_of(bots: int, seats: int, blocks: int, seed: int = 0) -> Terms:
    """So many bots, the first seed first."""
    names = tuple([f"b{number:02}" for number in range(bots)])
    return Terms(entrants=names, seats=seats, blocks=blocks, key=seed.to_bytes(8, "big"))


def install_duels(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a package ``duels`` that adds a format ``duel``, three more of which two are broken and one is taken."""
    (site / "spoken_duels.py").write_text(DUEL, encoding="utf-8")
    points = {"duel": "Duel", "none": "NoFormat", "gone": "Gone", "swiss": "Duel"}
    lines = [f"{name} = spoken_duels:{kind}\n" for name, kind in points.items()]
    info = site / "duels-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: duels\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[arena.formats]\n{''.join(lines)}", encoding="utf-8")
    monkeypatch.syspath_prepend(site)
