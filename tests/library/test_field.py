"""Whom `arena compare` lets two versions of a bot play against."""

from pathlib import Path

import pytest

from arena import games
from arena.library.comparison import contest_between, versions_of
from arena.tournament.spec import RunSpec


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        # copies of OLD, so that not all of the field is too weak or too strong
        ((), ["greedy", "greedy#2", "greedy#3", "mine", "random", "random-c", "random-js"]),
        (("random-c",), ["greedy", "mine", "random", "random-c", "random-js"]),
        (("random-c", "random-c"), ["greedy", "mine", "random-c", "random-c#2"]),
        (("random-c*2", "random"), ["greedy", "mine", "random", "random-c", "random-c#2"]),
    ],
)
def test_the_field(bots: tuple[str, ...], names: list[str]) -> None:
    """Without bots the shipped ones and copies of OLD; with one it and the shipped ones; with more just these."""
    game = games.find("dockfight")
    said: list[str] = []
    spec = RunSpec(games=("dockfight",), seats="4", matches=8, out=Path("field"))
    contest = contest_between(versions_of("mine=cat", "greedy", game), spec, game, bots, said.append)
    assert sorted(contest.padded) == names
    assert contest.settings.together == ("mine", "greedy")
    assert not said
