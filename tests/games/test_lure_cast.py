"""Splash and Cast in Lure: what is revealed, what may be chosen, who rolls first; ruling by ruling."""

import pytest

from arena.game import Decision, Pending
from arena.games.lure import GAME
from arena.games.lure.cards import Die
from arena.games.lure.events import Cast, Draw, Reveal, Roll, Round
from arena.games.lure.rules import LureState, deal
from arena.laws.table import unwrap_events
from tests.games.walks import questions as asked
from tests.shelf.games.lure import cast, rigged

ON, OFF = {"effects": "on"}, {"effects": "off"}


def revealed(events: list[object]) -> list[str]:
    """The fish that came out, in order."""
    return [event.fish.name for event in unwrap_events(events) if isinstance(event, Reveal)]


def opened(seats: int, number: int, variants: dict[str, str]) -> tuple[LureState, list[object]]:
    """A match after its opening, and what was told."""
    state = deal(seats, number.to_bytes(32, "little"), variants)
    return state, unwrap_events(state.apply({}))


@pytest.mark.parametrize(("seats", "fish"), [(2, 2), (3, 2), (4, 3), (5, 3)])
def test_splash_reveals_three_fish_or_two(seats: int, fish: int) -> None:
    """Each round reveals 3 fish, or 2 with 2 or 3 players."""
    state, events = opened(seats, 0, OFF)
    assert revealed(events) == [each.name for each in state.fish]
    assert len(state.fish) == fish
    assert len(state.deck) == {2: 18, 3: 18, 4: 27, 5: 27}[seats]


def test_the_opening_deals_a_lure_each_and_reveals_fish() -> None:
    """A fresh deal waits for nobody; the opening tells of a lure for each seat, and of the first Splash."""
    state = deal(4, bytes(32), ON)
    assert state.pending() == Pending({})
    assert [len(player.lures) for player in state.players] == [0] * 4
    events = unwrap_events(state.apply({}))
    assert [event for event in events if isinstance(event, Draw)][:4] == [Draw(seat) for seat in range(4)]
    assert events[8] == Round(1)
    assert set(asked(state)) == {0, 1, 2, 3}


def test_what_is_left_is_revealed_at_the_end() -> None:
    """Ruling 21: with fewer fish in the deck than are due, those are revealed; one more of none does nothing."""
    state = rigged(fish=["Sturgeon"], deck=["Chub", "Minnow"], faces=[1, 1, 1, 1])
    assert revealed(cast(state, {})) == ["Chub", "Minnow"]
    assert not state.deck
    assert state.step == "dice"


def test_effects_happen_at_once_and_chain() -> None:
    """Ruling 22: in order of reveal, before the next fish; one more may bring another; all draw in seat order."""
    deck = ["Minnow", "Bluegill", "Bleak", "Eel", "Chub", "Roach"]
    state = rigged(fish=["Sturgeon"], deck=deck, faces=[1, 1, 1, 1])
    events = unwrap_events(cast(state, {}))
    after = events[events.index(Round(2)) + 1 :]
    told = [
        event.fish.name if isinstance(event, Reveal) else event.seat for event in after if type(event) in {Reveal, Draw}
    ]
    assert told == ["Minnow", "Bluegill", "Bleak", 0, 1, 2, 3, "Eel", 0, 1, 2, 3, "Chub"]
    assert [event.effect for event in after if isinstance(event, Reveal)] == [
        "reveal 1 more fish",
        "reveal 1 more fish",
        "each player draws 1 lure",
        "each player draws 1 lure",
        None,
    ]
    assert [each.name for each in state.deck] == ["Roach"]


def test_effects_may_be_left_out() -> None:
    """Ruling 32: with effects=off those fish are plain; effects=on is the default."""
    assert GAME.resolve_variants({}) == ON
    state = rigged(fish=["Sturgeon"], deck=["Minnow", "Bleak", "Eel", "Chub"], faces=[1, 1, 1, 1], effects="off")
    events = unwrap_events(cast(state, {}))
    assert revealed(events) == ["Minnow", "Bleak", "Eel"]
    assert all(event.effect is None for event in events if isinstance(event, Reveal))
    assert [len(player.lures) for player in state.players] == [1] * 4  # for the empty-handed casts alone


def test_any_number_of_fish_may_lie_in_the_middle() -> None:
    """Ruling 29: nothing limits the fish that pile up."""
    state = rigged(
        fish=["Sturgeon", "Catfish", "Pike", "Carp", "Tench", "Chub", "Bream", "Perch", "Roach", "Walleye"],
        deck=["Ide", "Char", "Taimen"],
        faces=[1, 1, 1, 1],
    )
    cast(state, {})
    assert len(state.fish) == 13


def test_at_least_one_die() -> None:
    """Ruling 1: any number of dice, but not none; d6s stand first, then d12 and d20; silence takes one d6."""
    (decision, *_) = asked(rigged()).values()
    assert decision == Decision(("d6", "d6", "d6", "d6", "d6", "d12", "d20"), 1, 7)
    assert decision.silence == ("d6",)


def test_any_lures_may_be_played() -> None:
    """Ruling 2: any number of the own lures, also none; Adjusts stand first, then Extra Dice, then Boosts."""
    state = rigged(lures={1: ["boost", "extra die 4", "adjust", "extra die 1"]})
    state.apply(dict.fromkeys(range(4), ("d6",)))
    assert asked(state) == {1: Decision(("adjust", "extra die 1", "extra die 4", "boost"), 0, 4)}
    assert asked(state)[1].silence == ()


def test_who_has_no_lures_is_not_asked_for_them() -> None:
    """Only those who hold lures are asked; if nobody holds any, dice are rolled at once."""
    state = rigged(fish=["Sturgeon"], deck=["Pike"], faces=[1, 1, 1, 1])
    events = state.apply(dict.fromkeys(range(4), ("d6",)))
    assert events[0] == Cast(0, ("d6",), ())


def test_lures_kept_back_are_of_no_use() -> None:
    """Ruling 2: an Extra Die behind the screen adds nothing, and no Adjust kept back is asked for."""
    state = rigged(fish=["Roach"], deck=["Pike"], lures={0: ["adjust", "extra die 6"]}, faces=[2, 1, 1, 1])
    events = cast(state, {})
    assert Roll(0, (2,), 2) in events
    assert state.step == "dice"
    assert state.players[0].lures[:1] == ["adjust"]
    assert "extra die 6" in state.players[0].lures


def test_order_of_rolling() -> None:
    """Ruling 3: fewest dice first, special dice counted alike and Extra Dice not at all; equals together."""
    state = rigged(fish=["Sturgeon"], lures={3: ["extra die 1", "extra die 2"]}, faces=[1] * 7)
    events = cast(
        state, {0: ("d6", "d6", "d6"), 1: ("d20",), 2: ("d6", "d12"), 3: ("d6",)}, {3: ("extra die 1", "extra die 2")}
    )
    assert [event.seat for event in events if isinstance(event, Roll)] == [1, 3, 2, 0]


def test_the_order_of_picks_means_nothing() -> None:
    """Dice and lures lie in their own order however they were picked."""
    state = rigged(fish=["Sturgeon"], lures={0: ["adjust", "boost"]}, deck=["Pike"], faces=[1] * 7)
    state.apply({0: ("d20", "d6", "d12", "d6"), 1: ("d6",), 2: ("d6",), 3: ("d6",)})
    events = state.apply({0: ("boost", "adjust")})
    assert events[0] == Cast(0, ("d6", "d6", "d12", "d20"), ("adjust", "boost"))


def test_special_dice_rest_for_a_round() -> None:
    """Ruling 18: chosen in one round, out in the next, back in the one after; each on its own; d6s never rest."""
    state = rigged(2, fish=["Sturgeon"], deck=["Pike", "Carp", "Catfish", "Tench", "Taimen", "Chub"], faces=[1] * 99)
    all_d6: tuple[Die, ...] = ("d6",) * 5
    cast(state, {0: (*all_d6, "d12"), 1: ("d20",)})
    assert [decision.options for decision in asked(state).values()] == [(*all_d6, "d20"), (*all_d6, "d12")]
    cast(state, {0: ("d20",), 1: ("d6", "d12")})
    assert [decision.options for decision in asked(state).values()] == [(*all_d6, "d12"), (*all_d6, "d20")]
    cast(state, {0: ("d12",), 1: ("d6",)})
    assert [decision.options for decision in asked(state).values()] == [(*all_d6, "d20"), (*all_d6, "d12", "d20")]


def test_both_special_dice_may_rest() -> None:
    """Ruling 18: who chose both has his five d6 next."""
    state = rigged(2, fish=["Sturgeon"], deck=["Pike", "Carp"], faces=[1] * 9)
    cast(state, {0: ("d12", "d20")})
    assert asked(state)[0] == Decision(("d6",) * 5, 1, 5)


def test_dice_and_lures_are_one_secret() -> None:
    """Ruling 33: while lures are chosen everyone sees his own dice, and nothing of the others' until all are in."""
    state = rigged(3, fish=["Sturgeon"], lures={0: ["adjust"], 1: ["boost"]}, faces=[1] * 9)
    assert state.apply({0: ("d6", "d6"), 1: ("d20",), 2: ("d12",)}) == []
    for seat, chosen in enumerate([("d6", "d6"), ("d20",), ("d12",)]):
        seen = state.observe(seat)
        assert (seen.chosen, seen.dice, seen.played) == (chosen, ((), (), ()), ((), (), ()))
    events = state.apply({0: ("adjust",), 1: ()})
    assert events[:3] == [
        Cast(0, ("d6", "d6"), ("adjust",)),
        Cast(1, ("d20",), ()),
        Cast(2, ("d12",), ()),
    ]
    seen = state.observe(2)
    assert (seen.chosen, seen.dice, seen.played) == (
        (),
        (("d6", "d6"), ("d20",), ("d12",)),
        (("adjust",), (), ()),
    )
