"""Whom `arena compare` lets two versions of a bot play against."""

from pathlib import Path

import pytest

from arena import games
from arena.tournament.comparison import versions_of
from arena.tournament.opponents import contest_between
from arena.tournament.settings import RunSpec


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        # copies of OLD, so that not all of the field is too weak or too strong; nobody who plays at random
        ((), ["greedy", "greedy#2", "greedy#3", "mine"]),
        (("random-c",), ["greedy", "greedy#2", "greedy#3", "mine", "random-c"]),
        (("random-c", "random-c"), ["greedy", "mine", "random-c", "random-c#2"]),
        (("random-c*2", "random"), ["greedy", "mine", "random", "random-c", "random-c#2"]),
        # OLD in the field is so many copies of it
        (("greedy*3",), ["greedy", "greedy#2", "greedy#3", "greedy#4", "mine"]),
        (("greedy", "random"), ["greedy", "greedy#2", "mine", "random"]),
        (("mine=cat*2",), ["greedy", "mine", "mine#2", "mine#3"]),
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


@pytest.mark.parametrize(
    ("bots", "seats"),
    [
        ((), 4),
        (("random",), 4),
        (("random*4",), 4),
        (("greedy*3",), 4),
        (("random*2",), 4),
        (("greedy", "random"), 4),
    ],
)
def test_seats_are_counted_from_everybody_named(bots: tuple[str, ...], seats: int) -> None:
    """Copies count, and so do those of OLD: only where fewer are named is the table smaller than usual."""
    game = games.find("fish-food")
    spec = RunSpec(games=("fish-food",), matches=8, out=Path("field"))
    contest = contest_between(versions_of("mine=cat", "greedy", game), spec, game, bots, lambda _: None)
    assert contest.settings.seats == (seats,)
    assert len(contest.padded) >= seats


def test_the_best_shipped_bots_join_a_weak_old_version() -> None:
    """Copies of a bot that plays at random are no field: who plays better joins them."""
    game = games.find("fish-food")
    spec = RunSpec(games=("fish-food",), matches=8, out=Path("field"))
    contest = contest_between(versions_of("mine=cat", "random", game), spec, game, (), lambda _: None)
    assert sorted(contest.padded) == ["greedy", "mine", "random", "random#2", "random#3"]


def test_seats_that_nobody_takes_are_for_copies_of_old() -> None:
    """Not for copies of NEW, whose faults are its own."""
    game = games.find("fish-food")
    spec = RunSpec(games=("fish-food",), seats="6", matches=8, out=Path("field"))
    contest = contest_between(versions_of("mine=cat", "greedy", game), spec, game, ("random*2",), lambda _: None)
    assert sorted(contest.padded) == ["greedy", "greedy#2", "greedy#3", "mine", "random", "random#2"]


def test_who_is_left_out_is_told(tmp_path: Path) -> None:
    """NEW, where it is named once, and another bot of the name of one of the two."""
    game = games.find("fish-food")
    said: list[str] = []
    spec = RunSpec(games=("fish-food",), matches=8, out=tmp_path / "field")
    pair = versions_of("mine=cat", "greedy", game)
    contest = contest_between(pair, spec, game, ("mine=cat", "greedy=tac", "random*2"), said.append)
    assert sorted(contest.padded) == ["greedy", "mine", "random", "random#2"]
    assert said == [
        "left out of the field: mine, which plays as NEW; mine*2 enters two copies",
        "left out of the field: greedy, whose name NEW or OLD has; NAME=BOT gives another name",
    ]
