"""Lures in Lure: when they are discarded, drawn and shuffled, and what happens when fish run out; ruling by ruling."""

from arena.games.lure.events import Boosted, Caught, Discard, Draw, DrawnLure, NoLure, Reshuffle, Roll, RunOut
from arena.laws.table import unwrap_events
from tests.games.walks import questions as asked
from tests.shelf.games.lure import cast, rigged


def test_played_lures_can_be_drawn_again_at_once() -> None:
    """Ruling 17: lures are discarded before drawing, so the one just played may be shuffled and drawn."""
    state = rigged(
        2, fish=["Sturgeon"], lures={0: ["adjust"] * 7, 1: ["boost"]}, pile=[], faces=[1, 1, 1], deck=["Pike"]
    )
    state.discards.clear()
    events = unwrap_events(cast(state, {1: ("d6", "d6")}, {1: ("boost",)}))
    shuffled = events[events.index(Discard(1, ("boost",))) + 1 :]
    assert shuffled[:3] == [Reshuffle(("boost",)), Draw(1), DrawnLure(1, "boost")]


def test_without_pile_and_discards_nothing_is_drawn() -> None:
    """Ruling 16: with both empty there is no draw; hands have no limit."""
    lures = {0: ["adjust"] * 8 + ["boost"] * 4, 1: [f"extra die {n}" for n in range(1, 7)] * 2}
    state = rigged(2, fish=["Sturgeon"], lures=lures, faces=[1, 1], deck=["Pike"])  # type: ignore[arg-type]  # names of lures
    assert state.lure_pile == []
    events = cast(state, {})
    assert [event for event in events if isinstance(event, NoLure)] == [NoLure(0), NoLure(1)]
    assert [len(player.lures) for player in state.players] == [12, 12]


def test_the_pile_is_shuffled_only_when_a_lure_is_due() -> None:
    """Ruling 30: an empty pile stays empty until somebody must draw."""
    state = rigged(
        2, fish=["Sturgeon"], pile=["boost", "adjust"], faces=[1, 1, 1, 1], deck=["Pike", "Catfish", "Carp", "Tench"]
    )
    events = unwrap_events(cast(state, {}))
    assert [event for event in events if isinstance(event, DrawnLure)] == [
        DrawnLure(0, "boost"),
        DrawnLure(1, "adjust"),
    ]
    assert not [event for event in events if isinstance(event, Reshuffle)]
    assert (state.lure_pile, sum(state.discards.values())) == ([], 22)
    events = unwrap_events(cast(state, {}))
    assert [event for event in events if isinstance(event, Reshuffle)]
    assert (len(state.lure_pile), state.discards) == (20, {})


def test_scored_boosts_never_come_back() -> None:
    """Ruling 30: Boosts that scored are not shuffled again."""
    state = rigged(
        2, fish=["Bleak", "Pike"], lures={0: ["boost"]}, boosts={1: 1}, pile=[], faces=[6, 1], deck=["Sturgeon"]
    )
    events = unwrap_events(cast(state, {}, {0: ("boost",)}))
    assert Boosted(0, 1, 2) in events
    (shuffled,) = [event for event in events if isinstance(event, Reshuffle)]
    assert shuffled.lures.count("boost") == 2


def test_lures_lie_secret_in_the_hand() -> None:
    """Ruling 16: everyone sees the number of lures in each hand, its owner alone which they are, also as drawn."""
    state = rigged(
        2, fish=["Sturgeon"], lures={0: ["adjust", "boost"]}, pile=["adjust", "boost"], faces=[1, 1], deck=["Pike"]
    )
    events = cast(state, {})
    whispers = [event for event in events if event not in unwrap_events(events)]
    assert [(whisper.seats, whisper.event) for whisper in whispers] == [
        ((0,), DrawnLure(0, "adjust")),
        ((1,), DrawnLure(1, "boost")),
    ]
    assert (state.observe(0).lures, state.observe(1).lures) == (("adjust", "adjust", "boost"), ("boost",))
    assert state.observe(0).held == state.observe(1).held == (3, 1)


def test_first_all_discard_then_all_draw() -> None:
    """Ruling 31: those concerned discard first, then draw by rising seat number."""
    state = rigged(3, fish=["Sturgeon"], lures={0: ["adjust"], 2: ["boost"]}, pile=[], faces=[1, 1, 1], deck=["Pike"])
    state.players[1].lures = [lure for lure, copies in state.discards.items() for _ in range(copies)]
    state.discards.clear()
    state.apply(dict.fromkeys(range(3), ("d6",)))
    events = unwrap_events(state.apply({0: (), 1: (), 2: ("boost",)}))
    told = [event for event in events if isinstance(event, Discard | Reshuffle | Draw | NoLure)]
    assert told == [Discard(2, ("boost",)), Reshuffle(("boost",)), Draw(0), NoLure(1), NoLure(2)]


def test_run_out_of_fish() -> None:
    """Ruling 19: who has not rolled discards the lures played, draws one and takes the d6s back; special dice rest."""
    state = rigged(
        3,
        fish=["Bleak"],
        lures={0: ["boost", "adjust"], 1: ["extra die 1"], 2: ["extra die 2"]},
        pile=["adjust", "boost"],
        deck=["Chub", "Pike"],
        faces=[5],
    )
    dice = {0: ("d6", "d6", "d20"), 1: ("d6",), 2: ("d6", "d12")}
    events = unwrap_events(cast(state, dice, {0: ("boost",), 1: (), 2: ("extra die 2",)}))  # type: ignore[arg-type]  # names of dice
    assert [event for event in events if isinstance(event, Roll)] == [Roll(1, (5,), 5)]
    after = events[events.index(Caught(1, "Bleak", 1)) + 1 :]
    assert after[:7] == [
        RunOut((0, 2)),
        Discard(0, ("boost",)),
        Discard(2, ("extra die 2",)),
        Draw(0),
        DrawnLure(0, "adjust"),
        Draw(2),
        DrawnLure(2, "boost"),
    ]
    assert [player.lures for player in state.players] == [["adjust", "adjust"], ["extra die 1"], ["boost"]]
    assert [decision.options[5:] for decision in asked(state).values()] == [("d12",), ("d12", "d20"), ("d20",)]
    assert state.observe(1).rolls == ((), (5,), ())


def test_fish_run_out_during_a_group() -> None:
    """Ruling 20: all of that group have rolled; who of them got nothing draws one lure, not two."""
    state = rigged(4, fish=["Bleak"], pile=["adjust"] * 3, deck=["Chub"], faces=[5, 6], effects="off")
    events = unwrap_events(cast(state, {2: ("d6", "d6"), 3: ("d6", "d6", "d6")}))
    assert [event.seat for event in events if isinstance(event, Draw)] == [1, 2, 3]
    assert RunOut((2, 3)) in events


def test_what_is_known_of_the_pile() -> None:
    """Ruling 39: a new pile is made of what was discarded; who holds what from before is told as far as it was seen."""
    state = rigged(
        2, fish=["Sturgeon"], lures={0: ["adjust"] * 8, 1: ["boost"] * 4}, pile=[], deck=["Pike"], faces=[1, 1]
    )
    before = state.observe(0)
    assert not any((before.piles, before.moves, before.drawn))
    cast(state, {})
    extra = {f"extra die {n}": 2 for n in range(1, 7)}
    for seat, player in enumerate(state.players):
        (own,) = [lure for lure in player.lures if lure in extra]
        seen = state.observe(seat)
        assert seen.piles == ({"adjust": 8, "boost": 4}, extra)
        assert seen.drawn == ((("adjust",) * 8, ("boost",) * 4)[seat], (own,))
        assert seen.moves == (("draw",) * 8 + ("reshuffle", "draw"), ("draw",) * 4 + ("reshuffle", "draw"))
    assert state.observe(0).lure_pile == 10
