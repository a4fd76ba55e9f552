"""The table of this process: every game plays on it as on the referee's, move for move."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from arena import games, wire
from arena.chance import Chance
from arena.environments.environment import Environment
from arena.errors import UsageError
from arena.game import Game, Seat
from arena.record import Record
from arena.referee import Match, play
from arena.wire import Limits
from tests.shelf.walk import shelf

SEED = bytes(range(32))
each_game = pytest.mark.parametrize("game", shelf(), ids=lambda game: game.name)


class Choosing:
    """Answers for a seat by its own dice, and keeps what it was told."""

    def __init__(self, seat: Seat) -> None:
        self.dice = Random(seat)
        self.told: list[object] = []
        self.waited = 0.0

    def picks(self, least: int, most: int, count: int) -> tuple[int, ...]:
        return tuple(self.dice.sample(range(count), self.dice.randint(least, most)))

    def greet(self, _hello: wire.Hello) -> None:
        """Be ready."""

    def decide(self, decide: wire.Decide) -> tuple[int, ...]:
        self.told.append((decide.options, decide.observation, decide.events))
        return self.picks(decide.least, decide.most, decide.count)

    def close(self, over: wire.Over) -> None:
        self.told.append(over.events)

    def leave(self) -> None:
        """Nobody is retired."""


def refereed(game: Game, seats: int) -> tuple[Record, list[Choosing]]:
    """A match as the referee plays it."""
    variants = game.resolve_variants({})
    match = Match(
        id="e0b0r0",
        label="m",
        game=game.name,
        version=game.version,
        bots=tuple(f"bot-{seat}" for seat in range(seats)),
        variants=variants,
        ids=b"i",
        order=b"o",
        seeds=tuple(range(seats)),
        limits=(Limits(start=1000, move=1000),) * seats,
    )
    players = [Choosing(seat) for seat in range(seats)]
    return play(match, game.deal(seats, SEED, variants), players), players


@each_game
def test_as_the_referee(game: Game) -> None:
    """At every seat count, step by step: the same questions, observations and events, the same picks, the same end."""
    for seats in game.seats:
        record, players = refereed(game, seats)
        table = Environment(game, seats)
        table.reset(SEED)
        sitting = [Choosing(seat) for seat in range(seats)]
        asked = []
        while (seat := table.seat) is not None:
            who, decision = sitting[seat], table.decision
            who.told.append((table.options, table.observation(), list(table.events())))
            asked.append(seat)
            table.step(who.picks(decision.least, decision.most, len(decision.options)))
        assert table.result is not None
        assert (table.result.ranks, table.result.scores) == (record.ranks, record.scores)
        assert table.asked == len(record.picks)
        assert tuple(asked) == record.seats_asked
        for seat, who in enumerate(sitting):
            assert [*who.told, list(table.events(seat))] == players[seat].told


@each_game
def test_copies(game: Game) -> None:
    """A copy goes on without the original, and ends as the match does."""
    record, _ = refereed(game, game.usual_seats)
    table = Environment(game, game.usual_seats)
    table.reset(SEED)
    before = table.copy()
    for at, picks in enumerate(record.picks):
        assert table.asked == at
        table.step(picks)
    assert table.result is not None
    assert (table.result.ranks, table.result.scores) == (record.ranks, record.scores)
    assert table.standing() == table.result
    assert (before.result, before.asked) == (None, 0)
    for picks in record.picks:
        before.step(picks)
    assert before.result == table.result


def test_seeds() -> None:
    """The same seed gives the same deal, be it bytes, text or a number; another one gives another."""
    table, other = Environment("dockfight"), Environment("dockfight")
    for seed in (SEED, "friday", 7):
        table.reset(seed)
        other.reset(seed)
        assert table.state == other.state
        other.reset("monday")
        assert table.state != other.state


def test_imagined() -> None:
    """What a seat cannot know is drawn from ``Random`` or ``Chance``: the same draws give the same table."""
    table = Environment("dockfight")
    table.reset(1)
    seat = table.seat
    assert seat is not None
    dice = Random(5)
    first, second = table.imagine(seat, dice), table.imagine(seat, dice)
    assert first.observation() == second.observation() == table.observation()
    assert first.state != second.state
    assert table.imagine(seat, Random(5)).state == first.state
    assert table.imagine(seat, Chance(Random(5).randbytes(32))).state == first.state
    with pytest.raises(UsageError, match="no match is dealt"):
        table.again().copy()


def test_bad_calls() -> None:
    """What cannot be is said in one line: a game, seats or variants that are none, picks that are not legal."""
    with pytest.raises(UsageError, match="expected a game of"):
        Environment("chess")
    with pytest.raises(UsageError, match="expected 2 to 6 seats for dockfight, got 9"):
        Environment("dockfight", 9)
    with pytest.raises(UsageError, match="expected a variant of bell"):
        Environment("cash-a-catch", variants={"sun": "on"})
    with pytest.raises(UsageError, match=r"dockfight, got '3'"):
        Environment("dockfight", "3")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="expected variants by name"):
        Environment("lure", variants="effects=off")  # type: ignore[arg-type]
    table = Environment(games.find("dockfight"))
    with pytest.raises(UsageError, match="expected no picks, because no match is dealt: call reset first, got some"):
        table.step([0])
    undealt: list[Callable[[], object]] = [table.copy, table.standing, table.observation, lambda: table.state]
    undealt.append(lambda: table.imagine(0, Random(1)))
    for early in undealt:
        with pytest.raises(UsageError, match="because no match is dealt: call reset first, got none"):
            early()
    for wrong in (None, 1.5, [1]):
        with pytest.raises(UsageError, match="expected a seed of bytes, of text or of a whole number, got"):
            table.reset(wrong)  # type: ignore[arg-type]
    table.reset(1)
    asked = table.seat
    with pytest.raises(UsageError, match=f"seat {asked}: expected picks from 0"):
        table.step([99])
    for picks in (0, "0", None, [0.0], [table.options[0]], {0}):
        with pytest.raises(UsageError, match=f"seat {asked}: expected a list of picks"):
            table.step(picks)  # type: ignore[arg-type]
    asks: list[Callable[[Any], object]] = [table.observation, table.events, lambda seat: table.imagine(seat, Random(1))]
    for seat in (3, -1, "0"):
        for ask in asks:
            with pytest.raises(UsageError, match=f"expected a seat from 0 to 2, got {seat!r}"):
                ask(seat)
    with pytest.raises(UsageError, match=r"expected a random.Random or an arena.chance.Chance to draw from, got 1"):
        table.imagine(0, 1)  # type: ignore[arg-type]
    while table.seat is not None:
        table.step(range(table.decision.least))
    with pytest.raises(UsageError, match="the match is over"):
        table.step([0])
    with pytest.raises(UsageError, match="the match is over"):
        table.observation()
