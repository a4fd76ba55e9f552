"""Whom `arena compare` lets two versions of a bot play against."""

from pathlib import Path

import pytest

from arena import games
from arena.tournament.comparison import contest_between, versions_of
from arena.tournament.contest import Contest
from arena.tournament.settings import RunSpec


def field(old: str, bots: tuple[str, ...], name: str, seats: str | None = None) -> tuple[Contest, list[str]]:
    """The contest of ``mine`` against an old version, and what is said of it."""
    said: list[str] = []
    game = games.find(name)
    spec = RunSpec(games=(name,), matches=8, seats=seats, out=Path("field"))
    return contest_between(versions_of("mine=cat", old, game), spec, game, bots, said.append), said


@pytest.mark.parametrize(
    ("old", "bots", "seats", "names"),
    [
        # copies of OLD, so that not all of the field is too weak or too strong; nobody who plays at random
        ("greedy", (), 4, "greedy greedy#2 greedy#3 mine"),
        ("greedy", ("random-c",), 4, "greedy greedy#2 greedy#3 mine random-c"),
        ("greedy", ("random-c", "random-c"), 4, "greedy mine random-c random-c#2"),
        ("greedy", ("random-c*2", "random"), 4, "greedy mine random random-c random-c#2"),
        # OLD in the field is so many copies of it
        ("greedy", ("greedy*3",), 4, "greedy greedy#2 greedy#3 greedy#4 mine"),
        ("greedy", ("greedy", "random"), 4, "greedy greedy#2 mine random"),
        ("greedy", ("mine=cat*2",), 4, "greedy mine mine#2 mine#3"),
        # who plays better joins an old one that plays at random
        ("random", (), 4, "greedy mine random random#2 random#3"),
        # seats that nobody takes are not for copies of NEW, whose faults are its own
        ("greedy", ("random*2",), 6, "greedy greedy#2 greedy#3 mine random random#2"),
    ],
)
def test_the_field(old: str, bots: tuple[str, ...], seats: int, names: str) -> None:
    """Without bots the shipped ones and copies of OLD; with one it and the shipped ones; with more just these."""
    for game in ("dockfight", "fish-food"):
        contest, said = field(old, bots, game, str(seats))
        assert sorted(contest.padded) == names.split()
        assert contest.settings.together == ("mine", old)
        assert not said


@pytest.mark.parametrize(
    "bots", [(), ("random",), ("random*4",), ("greedy*3",), ("random*2",), ("greedy", "random")], ids=" ".join
)
def test_seats_are_counted_from_everybody_named(bots: tuple[str, ...]) -> None:
    """Copies count, and so do those of OLD: only where fewer are named is the table smaller than usual."""
    contest, _ = field("greedy", bots, "fish-food")
    assert contest.settings.seats == (4,)
    assert len(contest.padded) >= 4


def test_who_is_left_out_is_told() -> None:
    """NEW, where it is named once, and another bot of the name of one of the two."""
    contest, said = field("greedy", ("mine=cat", "greedy=tac", "random*2"), "fish-food")
    assert sorted(contest.padded) == ["greedy", "mine", "random", "random#2"]
    assert said == [
        "left out of the field: mine, which plays as NEW; mine*2 enters two copies",
        "left out of the field: greedy, whose name NEW or OLD has; NAME=BOT gives another name",
    ]
