"""The Market Phase of Catch of the Day, sub-phase by sub-phase and ruling by ruling."""

from collections import Counter
from typing import Final, NamedTuple, TypeAlias

import pytest

from arena.game import Decision, Outcome, Pending
from arena.games.catch_of_the_day import GAME
from arena.games.catch_of_the_day.cards import FISH_CARDS, Fish, FishCard
from arena.games.catch_of_the_day.events import ChoiceShown, Cleanup, FishShare, NoFish, Picked, Revealed, Rolled
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from tests.games.walks import questions
from tests.shelf.games.catch_of_the_day import answer, rigged

DICE_A_DAY = {4: 8, 5: 5, 6: 6, 7: 7, 8: 8}


def opened(number: int, seats: int = 4) -> tuple[CatchOfTheDay, Rolled]:
    """One of many deals after the opening, and the first Roll."""
    state = deal(seats, number.to_bytes(32, "little"), {"mode": "basic"})
    rolled = state.apply({})[-1]
    assert isinstance(rolled, Rolled)
    return state, rolled


def pips(rolled: Rolled) -> list[int]:
    """All dice of a Roll."""
    return [*rolled.dorado, *rolled.rosefish, *rolled.tuna]


# Roll


def test_dice_show_1_to_6() -> None:
    """Ruling 1: ordinary dice; all faces are equally likely."""
    faces = Counter(face for number in range(300) for face in pips(opened(number)[1]))
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    assert max(faces.values()) < 1.25 * faces.total() / 6
    assert min(faces.values()) > 0.75 * faces.total() / 6


def test_any_die_may_come_out_of_the_bag() -> None:
    """Each color is drawn equally often, and never more dice of a color than are left."""
    colors: Counter[int] = Counter()
    for number in range(300):
        _, rolled = opened(number, 8)
        colors.update({0: len(rolled.dorado), 1: len(rolled.rosefish), 2: len(rolled.tuna)})
    assert max(colors.values()) < 1.15 * colors.total() / 3
    state = rigged(day=4)
    state.bag = [0, 13, 0]
    last = answer(state, *["dorado"] * 4)[-1]
    assert isinstance(last, Rolled)
    assert (len(last.dorado), len(last.rosefish), len(last.tuna)) == (0, 8, 0)
    assert state.bag == [0, 5, 0]


def test_the_market_supply_is_one_number_a_type() -> None:
    """Ruling 2: the supply of a type is the sum of its dice."""
    state, rolled = opened(5)
    assert state.market_supply == [sum(rolled.dorado), sum(rolled.rosefish), sum(rolled.tuna)]


@pytest.mark.parametrize("seats", GAME.seats)
def test_dice_drawn_a_day(seats: int) -> None:
    """Ruling 14: one die for each player a day, two with 4 players; none returns to the bag, which never runs dry."""
    state, rolled = opened(2, seats)
    for day in range(1, 6):
        assert len(pips(rolled)) == DICE_A_DAY[seats]
        assert state.day == rolled.day == day
        assert sum(state.bag) == 45 - day * DICE_A_DAY[seats] >= 5
        for event in answer(state, *["tuna"] * seats):
            rolled = event if isinstance(event, Rolled) else rolled


# Select


def test_order_of_the_fish_cards() -> None:
    """Ruling 38: Choice is offered first, so that silence takes least."""
    assert FISH_CARDS == ("choice", "dorado", "rosefish", "tuna", "last call")
    assert rigged().pending() == Pending(dict.fromkeys(range(4), Decision(FISH_CARDS)))


def test_silence_takes_the_first_options() -> None:
    """Ruling 30: who says nothing plays Choice, and then takes Dorado and Rosefish."""
    state = rigged(market_supply=(1, 1, 1))
    decisions = questions(state)
    events = state.apply({seat: decision.silence if seat == 2 else ("tuna",) for seat, decision in decisions.items()})
    assert events == [ChoiceShown((2,))]
    decisions = questions(state)
    state.apply({2: decisions[2].silence})
    assert state.fish[2] == [1, 1, 0]


def test_all_five_fish_cards_come_back_every_day() -> None:
    """Ruling 3: the same card may be played on all five days."""
    state, _ = opened(1)
    for _ in range(5):
        decisions = questions(state)
        assert all(decision.options == FISH_CARDS for decision in decisions.values())
        answer(state, *["last call"] * 4)
    assert isinstance(state.pending(), Outcome)


def test_choice_players_pick_two_different_types_at_once() -> None:
    """Ruling 5: all players of Choice, and nobody else, pick two different types of the three at the same time."""
    state = rigged(market_supply=(4, 4, 4))
    events = answer(state, "choice", "tuna", "choice", "last call")
    assert events == [ChoiceShown((0, 2))]
    two = Decision(("dorado", "rosefish", "tuna"), 2, 2)
    assert state.pending() == Pending({0: two, 2: two})
    assert two.fault_in([0, 0]) is not None
    events = answer(state, ("tuna", "dorado"), ("dorado", "rosefish"))
    assert events[:2] == [Picked(0, ("dorado", "tuna")), Picked(2, ("dorado", "rosefish"))]


# Choice, Reveal and Last Call

Counts: TypeAlias = tuple[int, int, int]


class Served(NamedTuple):
    """A day: what lies there, the cards played, what players of Choice pick, and what becomes of it."""

    supply: Counts
    cards: tuple[FishCard, ...]
    fish: tuple[Counts, ...]
    stored: Counts
    told: tuple[FishShare | NoFish | Revealed, ...] = ()
    picks: tuple[tuple[Fish, Fish], ...] = ()
    storage: Counts = (0, 0, 0)


NONE: Counts = (0, 0, 0)
D: Final = "dorado"
R: Final = "rosefish"
T: Final = "tuna"
C: Final = "choice"
L: Final = "last call"
SERVED = {
    "Ruling 4: Choice serves each type of which there is enough for its cards, so that 0 or 1": Served(
        (2, 1, 0),
        (C, C, C, C),
        ((1, 0, 0), (1, 0, 0), NONE, NONE),
        (0, 1, 0),
        (FishShare(C, D, (0, 1), 1), NoFish(C, R, 3, 1), NoFish(C, T, 3, 0)),
        picks=((D, T), (D, R), (R, T), (T, R)),
    ),
    "Ruling 4: or 2 fish": Served((1, 1, 0), (C, T, T, T), ((1, 1, 0), NONE, NONE, NONE), NONE, picks=((D, R),)),
    "Choice: one token for each card shown, however many fish there are": Served(
        (9, 0, 0), (C, C, R, T), ((1, 0, 0), (1, 0, 0), NONE, NONE), (7, 0, 0), picks=((D, T), (D, T))
    ),
    "Reveal: if all played Choice there is nothing to show": Served(
        (4, 0, 0),
        (C, C, C, C),
        ((1, 0, 0),) * 4,
        NONE,
        (FishShare(C, D, (0, 1, 2, 3), 1), NoFish(C, T, 4, 0)),
        picks=((D, T),) * 4,
    ),
    "Rulings 6 and 7: Choice cards do not count in Reveal, and the supply is what Choice left of it": Served(
        (2, 0, 3),
        (C, D, T, T),
        ((1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 1)),
        NONE,
        (FishShare(D, D, (1,), 1),),
        picks=((D, T),),
    ),
    "Reveal: the players of a type share all of it": Served(
        (6, 5, 0),
        (D, D, R, D),
        ((2, 0, 0), (2, 0, 0), (0, 5, 0), (2, 0, 0)),
        NONE,
        (Revealed((D, D, R, D)), FishShare(D, D, (0, 1, 3), 2), FishShare(R, R, (2,), 5)),
    ),
    "Ruling 8: the remainder stays for Last Call": Served(
        (7, 0, 0), (D, D, D, L), ((2, 0, 0),) * 3 + ((1, 0, 0),), NONE
    ),
    "Ruling 8: or the storage": Served((8, 0, 0), (D, D, D, T), ((2, 0, 0),) * 3 + (NONE,), (2, 0, 0)),
    "Ruling 9: if there are more cards than fish of a type, all of it remains": Served(
        (2, 0, 0), (D, D, D, T), (NONE,) * 4, (2, 0, 0), (NoFish(D, D, 3, 2),)
    ),
    "Reveal: as many cards as fish are not too many": Served((0, 4, 0), (R, R, R, R), ((0, 1, 0),) * 4, NONE),
    "Ruling 39: a card of a type of which there is nothing is legal and gives nothing": Served(
        (0, 4, 0), (D, R, R, R), (NONE,) + ((0, 1, 0),) * 3, (0, 1, 0), (NoFish(D, D, 1, 0),)
    ),
    "Ruling 13: of a type that nobody shows nothing is said": Served(
        (0, 0, 5), (D, D, D, D), (NONE,) * 4, (0, 0, 5), (Revealed((D, D, D, D)), NoFish(D, D, 4, 0))
    ),
    "Ruling 10: each type is tested with the number of Last Call cards and divided among their players": Served(
        (3, 1, 4),
        (L, C, L, C),
        ((1, 0, 1), (1, 0, 0), (1, 0, 1), (0, 0, 1)),
        (0, 1, 1),
        (FishShare(L, D, (0, 2), 1), NoFish(L, R, 2, 1), FishShare(L, T, (0, 2), 1)),
        picks=((D, R), (R, T)),
    ),
    "Ruling 11: Market Supply and Leftover Storage count as one": Served(
        (1, 0, 4), (L, L, L, T), ((1, 2, 0),) * 3 + ((0, 0, 4),), (0, 1, 0), storage=(2, 7, 0)
    ),
    "Reveal: fish of earlier days do not count for a card of their type": Served(
        (1, 0, 0), (D, D, T, T), (NONE,) * 4, (6, 0, 0), storage=(5, 0, 0)
    ),
    "Ruling 33: Last Call cards are shown in Reveal, count for no type there, and act afterwards": Served(
        (2, 0, 0), (D, L, L, D), ((1, 0, 0), NONE, NONE, (1, 0, 0)), NONE, (Revealed((D, L, L, D)),)
    ),
}


@pytest.mark.parametrize("case", SERVED)
def test_what_is_served(case: str) -> None:
    """Choice, Reveal and Last Call serve in this order; each gets the whole part, and the rest is stored."""
    day = SERVED[case]
    state = rigged(market_supply=day.supply, leftover_storage=day.storage)
    events = answer(state, *day.cards)
    if day.picks:
        events += answer(state, *day.picks)
    assert state.fish == [[*fish] for fish in day.fish]
    assert state.leftover_storage == [*day.stored]
    told = [event for event in events if isinstance(event, FishShare | NoFish | Revealed)]
    cards = {event.card for event in day.told if not isinstance(event, Revealed)}
    shown = any(isinstance(event, Revealed) for event in day.told)
    assert tuple(event for event in told if (shown if isinstance(event, Revealed) else event.card in cards)) == day.told
    assert any(isinstance(event, Revealed) for event in told) == (set(day.cards) != {C})


def test_leftovers_of_day_five_are_lost() -> None:
    """Ruling 12: on day five Last Call takes from storage as on any day; what lies there afterwards is nobody's."""
    state = rigged(market_supply=(0, 0, 1), leftover_storage=(2, 0, 0), requests=["most dorado"])
    events = answer(state, "last call", "last call", "rosefish", "rosefish")
    assert state.fish == [[1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert Cleanup(5, (0, 0, 1)) in events
    assert isinstance(state.pending(), Outcome)
    assert state.standing().scores == (1, 1, 0, 0)


# Cleanup


def test_leftovers_add_up_from_day_to_day() -> None:
    """Cleanup: what remains joins what was stored before, and the next day is rolled at once."""
    state = rigged(market_supply=(0, 3, 0), leftover_storage=(1, 1, 1), day=2)
    *_, cleanup, rolled = answer(state, *["dorado"] * 4)
    assert cleanup == Cleanup(2, (1, 4, 1))
    assert isinstance(rolled, Rolled)
    assert (state.step, state.day) == ("select", 3)


def test_order_of_a_day() -> None:
    """Flow: show Choice, pick, serve Choice, show the rest, serve the types, serve Last Call, store, roll."""
    state = rigged(market_supply=(6, 6, 6), day=1)
    events = answer(state, "choice", "dorado", "tuna", "last call") + answer(state, ("dorado", "rosefish"))
    assert [event.__struct_config__.tag for event in events] == [
        "choice",
        "picked",
        *["given"] * 2,
        "revealed",
        *["given"] * 2,
        "none",
        "given",
        "none",
        "cleanup",
        "rolled",
    ]
    assert [event.card for event in events if isinstance(event, FishShare)] == [
        "choice",
        "choice",
        "dorado",
        "tuna",
        "last call",
    ]


def test_hidden_cards_stay_face_down_while_choice_players_pick() -> None:
    """Who sees what: who played Choice is open once all have selected; the other cards are not before Reveal."""
    state = rigged(market_supply=(6, 6, 6))
    answer(state, "choice", "dorado", "choice", "last call")
    sights = [state.observe(seat) for seat in range(4)]
    assert [sight.card for sight in sights] == ["choice", "dorado", "choice", "last call"]
    assert all(sight.choice == (0, 2) for sight in sights)
    other = rigged(market_supply=(6, 6, 6))
    answer(other, "choice", "tuna", "choice", "last call")
    assert [state.observe(seat) == other.observe(seat) for seat in range(4)] == [True, False, True, True]
    answer(state, ("dorado", "tuna"), ("dorado", "tuna"))
    assert state.observe(0).card is None
