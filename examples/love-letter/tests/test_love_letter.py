"""Love Letter keeps every law of arena, and its rules."""

from collections.abc import Callable

import book
import pytest
from love_letter import GAME
from love_letter.imagine import imagine
from love_letter.rules import LoveLetter

from arena.chance import Chance
from arena.game import CHANCE, ChanceNode, Pending
from arena.laws import LAWS, GameSetup, setups

SETUPS = setups(GAME, book)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], setup: GameSetup) -> None:
    """Every law of arena holds at every number of seats."""
    law(setup)


def table(*hands: list[int], left: list[int] | None = None) -> LoveLetter:
    """Three seats or more with these hands, seat 0 in turn; ``left`` is in the deck and aside, else four Guards."""
    counts = [0] * 9
    for card in left or [1, 1, 1, 1]:
        counts[card] += 1
    first = [hand[0] for hand in hands]
    return LoveLetter(Chance(bytes(32)), len(hands), counts, [], first, [list(hand) for hand in hands])


def play(state: LoveLetter, card: int, target: int | None = None, guess: int = 0) -> None:
    """The seat in turn plays; the option must be offered."""
    pending = state.turn()
    assert isinstance(pending, Pending)
    ((seat, decision),) = pending.decisions.items()
    (option,) = [one for one in decision.options if (one.card, one.target, one.guess) == (card, target, guess)]
    state.move({seat: (option,)})


def test_a_guard() -> None:
    """It puts out who holds the card that is named; who misses tells all that it is another one."""
    state = table([1, 4], [7], [2])
    play(state, 1, 2, 2)
    assert state.inside == [0, 1]
    state = table([1, 4], [7], [2])
    play(state, 1, 1, 5)
    assert state.inside == [0, 1, 2]
    worlds = [imagine(state.observe(2), Chance(b"w", number * 100)) for number in range(200)]
    assert not any(5 in world.hands[1][:1] for world in worlds)


def test_a_priest_is_kept_in_mind() -> None:
    """What was seen is known until it is played, and imagined worlds have it."""
    state = table([2, 4], [7], [3])
    play(state, 2, 1)
    assert state.observe(0).knows == (0, 7, 0)
    assert state.observe(2).knows == (0, 0, 0)
    assert all(imagine(state.observe(0), Chance(b"w", number * 100)).hands[1][0] == 7 for number in range(50))


@pytest.mark.parametrize(("own", "other", "inside"), [(4, 2, [0, 2]), (2, 4, [1, 2]), (4, 4, [0, 1, 2])])
def test_a_baron(own: int, other: int, inside: list[int]) -> None:
    """The lower card is out; of equal ones both stay, and know each other's."""
    state = table([3, own], [other], [1])
    play(state, 3, 1)
    assert state.inside == inside
    if own == other:
        assert state.observe(1).knows == (4, 0, 0)


def test_a_king() -> None:
    """Two swap cards, and each knows what the other holds now."""
    state = table([6, 1], [8], [2])
    play(state, 6, 1)
    assert [hand[:1] for hand in state.hands] == [[8], [1], [2]]
    assert (state.observe(0).knows, state.observe(1).knows) == ((0, 1, 0), (8, 0, 0))


def test_a_prince() -> None:
    """Its target draws again, the card set aside if there is no other; who lays down the Princess is out."""
    state = table([5, 1], [8], [2])
    play(state, 5, 1)
    assert state.inside == [0, 2]
    state = table([5, 1], [4], [2], left=[3])
    play(state, 5, 1)
    assert state.turn() == ChanceNode((3,), (1,))
    state.move({CHANCE: (3,)})
    assert state.hands[1] == [3]
    assert state.turn() == state.standing()


def test_a_countess() -> None:
    """It has to be played beside a King or a Prince; who plays these holds none, and worlds say so."""
    state = table([7, 6], [1], [2])
    assert [option.card for option in state.options(0)] == [7]
    state = table([6, 1], [3], [2])
    play(state, 6, 1)
    worlds = [imagine(state.observe(2), Chance(b"w", number * 100)) for number in range(200)]
    assert not any(world.hands[1][0] == 7 for world in worlds)


def test_a_handmaid() -> None:
    """Nobody can choose who has played it; a card that finds nobody does nothing."""
    state = table([4, 1], [3, 2])
    state.hands[1] = [3]
    state.face_up = [1, 1, 1]
    play(state, 4)
    state.move({CHANCE: (1,)})
    assert [(option.card, option.target) for option in state.options(1)] == [(1, None), (3, None)]


@pytest.mark.parametrize(("last", "won"), [([4, 2, 3], (1, 0, 0)), ([2, 4, 4], (0, 1, 1))])
def test_the_end(last: list[int], won: tuple[int, ...]) -> None:
    """When the deck is empty the highest card wins; equal ones share, if their discards are equal, too."""
    state = table([1, last[0]], *([card] for card in last[1:]), left=[1])
    play(state, 1, 1, 8)
    assert state.turn() == state.standing()
    assert state.standing().scores == won
