"""The scenarios of `readings/catch_of_the_day.md`, the rulebook read without the code, each played out by hand."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Outcome, Pending, Seat, Whisper
from arena.games.catch_of_the_day import GAME
from arena.games.catch_of_the_day.cards import COMPLAINT_CARDS, COMPLAINTS, REQUEST_CARDS, REQUESTS, Card
from arena.games.catch_of_the_day.events import (
    ChoiceShown,
    Cleanup,
    Event,
    Given,
    NoFish,
    Picked,
    Received,
    Revealed,
    Rolled,
    Satisfied,
    TieBreak,
)
from arena.games.catch_of_the_day.rules import CatchOfTheDay
from tests.shelf.games.catch_of_the_day import answer, rigged

READING = Path(__file__).parent / "readings" / "catch_of_the_day.md"
SEED = bytes(range(32))
SELECT = Decision(("choice", "dorado", "rosefish", "tuna", "last call"))
CHOICE = Decision(("dorado", "rosefish", "tuna"), 2, 2)
NOTHING = (0, 0, 0)
Counts = tuple[int, int, int]
Told = Sequence[Event | Whisper]


def requests(ids: str, seats: int = 5) -> tuple[Card, ...]:
    """The Requests of these ids, as they read at a table of so many seats."""
    known = dict(zip(REQUEST_CARDS, REQUESTS[seats], strict=True))
    return tuple([known[name] for name in ids.split()])


def complaints(ids: str, seats: int = 5) -> tuple[Card, ...]:
    """The Complaints of these ids, likewise."""
    known = dict(zip(COMPLAINT_CARDS, COMPLAINTS[seats], strict=True))
    return tuple([known[name] for name in ids.split()])


def asked(state: CatchOfTheDay) -> Mapping[Seat, Decision]:
    """Who is asked what."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    return pending.decisions


def silent(state: CatchOfTheDay) -> Told:
    """Nobody answers."""
    return state.apply({seat: decision.silence for seat, decision in asked(state).items()})


def market(day: int, storage: Counts, supply: Counts, *cards: str) -> CatchOfTheDay:
    """A market set up by hand on which the seats have played these Fish cards."""
    state = rigged([NOTHING] * len(cards), day=day, market_supply=supply, leftover_storage=storage)
    answer(state, *cards)
    return state


def sent(state: CatchOfTheDay, told: Told, seat: Seat) -> bytes:
    """All that a seat is sent: what it was told, what it observes and what it is asked."""
    heard = [event for event in told if not isinstance(event, Whisper) or seat in event.seats]
    return msgspec.json.encode((heard, state.observe(seat), asked(state).get(seat)))


def evaluated(state: CatchOfTheDay) -> dict[str, tuple[Seat, ...]]:
    """A last day without fish, and who then satisfied each Request and received each Complaint, by id."""
    seats = len(state.fish)
    before = [list(fish) for fish in state.fish]
    events = answer(state, *["dorado"] * seats)
    assert state.fish == before
    # The two decks are named apart, since "least dorado" is a Request and a Complaint.
    of_requests = dict(zip(REQUESTS[seats], REQUEST_CARDS, strict=True))
    of_complaints = dict(zip(COMPLAINTS[seats], COMPLAINT_CARDS, strict=True))
    found: dict[str, tuple[Seat, ...]] = {}
    for event in events:
        if isinstance(event, Satisfied):
            found[of_requests[event.request]] = tuple(sorted(event.seats))
        elif isinstance(event, Received):
            found[of_complaints[event.complaint]] = tuple(sorted(event.seats))
    return found


def end(
    fish: Sequence[Counts], public: str, of_complaints: str, *pairs: str, top: str = ""
) -> tuple[CatchOfTheDay, dict[str, tuple[Seat, ...]]]:
    """The end with these cards, ``pairs`` from that of seats 0 and 1 on; ``top`` are flipped first, from the left."""
    seats = len(fish)
    state = rigged(
        fish,
        requests=requests(public, seats),
        complaints=complaints(of_complaints, seats),
        private_requests=[requests(pair, seats) for pair in pairs] or None,
    )
    for card in reversed(requests(top, seats)):
        state.set_aside.remove(card)
        state.set_aside.append(card)
    return state, evaluated(state)


def planned(state: CatchOfTheDay, *rounds: Mapping[Seat, str]) -> Told:
    """Planning questions answered one after the other by ids; seats not named are silent. What the last one told."""
    told: Told = []
    for picks in rounds:
        chosen = {seat: decision.silence for seat, decision in asked(state).items()}
        chosen |= {seat: requests(ids) for seat, ids in picks.items()}
        told = state.apply(chosen)
    return told


def planning(*packs: str, seed: bytes = SEED) -> CatchOfTheDay:
    """Five seats of the Advanced Game before the opening, with these packs; R28, R29 and R30 are public."""
    state = GAME.deal(5, seed, {"mode": "advanced"})
    assert isinstance(state, CatchOfTheDay)
    state.requests = requests("R28 R29 R30")
    state.packs = [list(requests(pack)) for pack in packs]
    used = {*state.requests, *(card for pack in state.packs for card in pack)}
    state.set_aside = [card for card in REQUESTS[5] if card not in used]
    return state


PACKS = ("R01 R02 R03", "R04 R05 R06", "R07 R08 R09", "R10 R11 R12", "R13 R14 R15")
DRAFT_1 = {0: "R02", 1: "R05", 2: "R08", 3: "R11", 4: "R14"}
DRAFT_2 = {0: "R15", 1: "R03", 2: "R06", 3: "R09", 4: "R12"}
ASSIGN = {0: "R15 R02", 2: "R08 R01", 4: "R14 R07"}


def test_the_reading_and_its_tests_agree() -> None:
    """The reading has twenty numbered scenarios with an expected result each, and every one has its test here."""
    text = READING.read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    tests = [re.match(r"test_scenario_(\d\d)_", name) for name in globals()]
    assert numbers == list(range(1, 21))
    assert text.count("**Expected:**") == text.count("*Rests on:*") == len(numbers)
    assert [int(test[1]) for test in tests if test] == numbers


@pytest.mark.parametrize(
    ("seats", "set_aside", "dice", "bag"),
    [(4, 19, 8, 37), (5, 17, 5, 40), (6, 15, 6, 39), (7, 13, 7, 38), (8, 11, 8, 37)],
)
def test_scenario_01_the_box_at_every_table(seats: int, set_aside: int, dice: int, bag: int) -> None:
    """The usual game is basic: private Requests between neighbors, the first roll, and everyone selects at once."""
    assert GAME.seats == range(4, 9)
    assert GAME.variants == {"mode": ("basic", "advanced")}
    state = GAME.deal(seats, SEED, GAME.settle({}))
    assert isinstance(state, CatchOfTheDay)
    assert asked(state) == {}
    (rolled,) = (event for event in state.apply({}) if isinstance(event, Rolled))

    seen = state.observe(0)
    assert seen.mode == "basic"
    assert (len(seen.requests), len(set(seen.complaints))) == (3, 2)
    assert [len(pair) for pair in seen.private_requests] == [2] * seats
    assert seen.set_aside == len(state.set_aside) == set_aside
    everywhere = [*seen.requests, *(card for pair in seen.private_requests for card in pair), *state.set_aside]
    assert sorted(everywhere) == sorted(REQUESTS[seats])

    colors = (rolled.dorado, rolled.rosefish, rolled.tuna)
    assert (rolled.day, sum(map(len, colors))) == (1, dice)
    assert seen.market_supply == tuple(map(sum, colors))
    assert seen.bag == tuple([15 - len(color) for color in colors])
    assert sum(seen.bag) == bag
    assert asked(state) == dict.fromkeys(range(seats), SELECT)


@pytest.mark.parametrize(("seats", "bag"), [(4, 5), (5, 20), (6, 15), (7, 10), (8, 5)])
def test_scenario_02_five_silent_days(seats: int, bag: int) -> None:
    """A silent table plays Choice, Dorado and Rosefish each day, and is served a type when there is enough for all."""
    several = set()
    for number in range(20):
        state = GAME.deal(seats, number.to_bytes(32, "big"), {"mode": "basic"})
        assert isinstance(state, CatchOfTheDay)
        state.apply({})
        fish, storage = [0, 0, 0], [0, 0, 0]
        for _ in range(5):
            for at, supply in enumerate(state.market_supply):
                served = at < 2 and supply >= seats
                fish[at] += served
                storage[at] += supply - seats * served
            assert asked(state) == dict.fromkeys(range(seats), SELECT)
            silent(state)
            assert asked(state) == dict.fromkeys(range(seats), CHOICE)
            silent(state)
        assert isinstance(state.pending(), Outcome)
        assert state.fish == [fish] * seats
        assert state.leftover_storage == storage
        assert sum(state.bag) == bag
        several.add(tuple(fish))
    assert len(several) > 1


def test_scenario_03_choice_is_tested_alone_and_first() -> None:
    """Two Choice Dorado are served from two although three more Dorado cards lie face down, which then get nothing."""
    state = market(1, NOTHING, (2, 1, 0), "choice", "choice", "dorado", "dorado", "dorado")
    answer(state, ("dorado", "rosefish"), ("dorado", "rosefish"))
    assert state.fish == [[1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert state.leftover_storage == [0, 1, 0]


def test_scenario_04_choice_weighs_nothing_in_reveal() -> None:
    """Choice cards that got nothing are not counted in Reveal, where a single card takes all that is left of a type."""
    state = market(1, NOTHING, (2, 0, 5), "choice", "choice", "choice", "tuna", "dorado")
    answer(state, ("dorado", "tuna"), ("dorado", "tuna"), ("tuna", "dorado"))
    assert state.fish == [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 2], [2, 0, 0]]
    assert state.leftover_storage == [0, 0, 0]


def test_scenario_05_a_remainder_an_empty_type_and_one_last_call() -> None:
    """Last Call takes the remainder of a type together with storage, which Reveal does not touch."""
    state = market(1, (4, 2, 0), (0, 7, 3), "rosefish", "rosefish", "rosefish", "dorado", "last call")
    assert state.fish == [[0, 2, 0], [0, 2, 0], [0, 2, 0], [0, 0, 0], [4, 3, 3]]
    assert state.leftover_storage == [0, 0, 0]


def test_scenario_06_two_last_calls_each_type_for_itself() -> None:
    """Each type is tested and divided separately among the Last Call cards; the rest is stored."""
    state = market(1, (0, 3, 1), (5, 0, 1), "dorado", "dorado", "tuna", "tuna", "last call", "last call")
    assert state.fish == [[2, 0, 0], [2, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert state.leftover_storage == [1, 1, 0]


def test_scenario_07_the_last_day() -> None:
    """On day five Last Call still takes from storage; then the game is over and what is left is nobody's."""
    state = rigged([NOTHING] * 5, day=5, market_supply=(0, 0, 3), leftover_storage=(10, 1, 0))
    events = answer(state, "last call", "last call", "last call", "tuna", "tuna")
    assert isinstance(state.pending(), Outcome)
    assert not any(isinstance(event, Rolled) for event in events)
    assert state.fish == [[3, 0, 0], [3, 0, 0], [3, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert state.observe(0).leftover_storage == (1, 1, 1)
    assert state.observe(0).day == 5


def test_scenario_08_who_is_asked_and_the_cards_come_back() -> None:
    """Only players of Choice are asked to pick, nobody if there is none, and every day all five cards are offered."""
    state = rigged([NOTHING] * 5, day=1)
    everyone = dict.fromkeys(range(5), SELECT)
    assert asked(state) == everyone
    answer(state, "tuna", "choice", "tuna", "choice", "tuna")
    assert asked(state) == {1: CHOICE, 3: CHOICE}
    assert CHOICE.silence == ("dorado", "rosefish")
    silent(state)
    assert (asked(state), state.day) == (everyone, 2)
    answer(state, "tuna", "choice", "tuna", "choice", "choice")
    assert asked(state) == {1: CHOICE, 3: CHOICE, 4: CHOICE}
    silent(state)
    assert (asked(state), state.day) == (everyone, 3)
    answer(state, "tuna", "dorado", "tuna", "rosefish", "last call")
    assert (asked(state), state.day) == (everyone, 4)


def test_scenario_09_what_is_hidden_while_choice_players_pick() -> None:
    """Who played Choice is open at once, every other card only after the picks are served."""
    supply = (1, 1, 4)
    state, other, own = (rigged([NOTHING] * 5, day=1, market_supply=supply) for _ in range(3))
    told = answer(state, "choice", "choice", "tuna", "last call", "dorado")
    told_other = answer(other, "choice", "choice", "tuna", "rosefish", "tuna")
    told_own = answer(own, "choice", "choice", "rosefish", "last call", "dorado")
    assert told == [ChoiceShown((0, 1))]
    for seat in range(5):
        assert state.observe(seat).choice == (0, 1)
    for seat in (0, 1, 2):
        assert sent(state, told, seat) == sent(other, told_other, seat)
    assert sent(state, told, 2) != sent(own, told_own, 2)
    for seat in (0, 1, 3, 4):
        assert sent(state, told, seat) == sent(own, told_own, seat)

    events = answer(state, ("rosefish", "dorado"), ("rosefish", "tuna"))
    assert events[:-1] == [
        Picked(0, ("dorado", "rosefish")),
        Picked(1, ("rosefish", "tuna")),
        Given("choice", "dorado", (0,), 1),
        NoFish("choice", "rosefish", 2, 1),
        Given("choice", "tuna", (1,), 1),
        Revealed(("choice", "choice", "tuna", "last call", "dorado")),
        NoFish("dorado", "dorado", 1, 0),
        Given("tuna", "tuna", (2,), 3),
        NoFish("last call", "dorado", 1, 0),
        Given("last call", "rosefish", (3,), 1),
        NoFish("last call", "tuna", 1, 0),
        Cleanup(1, (0, 0, 0)),
    ]
    assert isinstance(events[-1], Rolled)


def test_scenario_10_the_draft_goes_left() -> None:
    """One of three, the others left; one of two, the other left; what comes last is the third card."""
    state = planning(*PACKS)
    state.apply({})
    assert asked(state) == {seat: Decision(requests(pack)) for seat, pack in enumerate(PACKS)}
    planned(state, DRAFT_1)
    second = ("R13 R15", "R01 R03", "R04 R06", "R07 R09", "R10 R12")
    assert asked(state) == {seat: Decision(requests(pack)) for seat, pack in enumerate(second)}
    planned(state, DRAFT_2)
    third = ("R02 R10 R15", "R03 R05 R13", "R01 R06 R08", "R04 R09 R11", "R07 R12 R14")
    assert asked(state) == {seat: Decision(requests(own), 2, 2) for seat, own in enumerate(third)}
    assert (state.day, sum(state.bag), state.market_supply) == (0, 45, [0, 0, 0])


def test_scenario_11_assigning_to_both_sides() -> None:
    """The first pick goes left, the second right, the third back; neighbors then share two, open to all."""
    state = planning(*PACKS)
    state.apply({})
    planned(state, DRAFT_1, DRAFT_2)
    assert state.observe(3).set_aside == 12
    told = planned(state, ASSIGN)
    shared = [requests(pair) for pair in ("R05 R15", "R01 R03", "R08 R09", "R04 R07", "R02 R14")]
    for seat in range(5):
        seen = state.observe(seat)
        assert [set(pair) for pair in seen.private_requests] == list(map(set, shared))
        assert seen.set_aside == 17
    back = {*requests("R06 R10 R11 R12 R13"), *REQUESTS[5][15:27]}
    assert sorted(state.set_aside) == sorted(back)
    assert isinstance(told[-1], Rolled)
    assert (state.day, sum(state.bag)) == (1, 40)
    assert asked(state) == dict.fromkeys(range(5), SELECT)


def test_scenario_12_what_the_planning_teaches_a_seat() -> None:
    """A seat knows its own cards and those it passed on, of the others nothing, and of the pile never the order."""
    state = planning(*PACKS)
    other = planning("R01 R02 R03", "R04 R06 R08", "R05 R07 R09", "R10 R11 R12", "R13 R15 R20")
    assert sent(state, state.apply({}), 0) == sent(other, other.apply({}), 0)

    other = planning(*PACKS)
    other.apply({})
    told = planned(state, DRAFT_1)
    assert sent(state, told, 0) == sent(other, planned(other, DRAFT_1 | {2: "R07", 3: "R12"}), 0)
    for key in range(50):
        guess = GAME.imagine(state.observe(0), Chance(bytes([key])))
        assert isinstance(guess, CatchOfTheDay)
        assert asked(guess)[1] == Decision(requests("R01 R03"))

    other = planning("R01 R02 R03", "R04 R05 R06", "R07 R08 R09", "R10 R12 R16", "R13 R14 R15")
    other.apply({})
    planned(state, DRAFT_2)
    planned(other, DRAFT_1 | {3: "R16"}, DRAFT_2)
    assert set(requests("R13")) <= set(state.observe(0).passed)
    assert sent(state, planned(state, ASSIGN), 0) == sent(other, planned(other, ASSIGN), 0)
    before = sent(state, [], 0)
    state.set_aside.reverse()
    assert sent(state, [], 0) == before

    places: dict[Card, set[int]] = {card: set() for card in requests("R10 R13")}
    for key in range(50):
        guess = GAME.imagine(state.observe(0), Chance(bytes([key])))
        assert isinstance(guess, CatchOfTheDay)
        for card, found in places.items():
            found.add(guess.set_aside.index(card))
    assert all(len(found) > 1 for found in places.values())

    tops = set()
    for key in range(50):
        state = planning(*PACKS, seed=bytes([key]))
        state.apply({})
        planned(state, DRAFT_1, DRAFT_2, ASSIGN)
        tops.add(state.set_aside[-1])
    assert len(tops & set(requests("R06 R10 R11 R12 R13"))) > 1
    assert len(tops - set(requests("R06 R10 R11 R12 R13"))) > 1


def test_scenario_13_private_requests_against_the_whole_table() -> None:
    """An outsider ahead leaves a private Request unsatisfied, an outsider who ties does not; both sharers may score."""
    state, found = end(
        [(6, 0, 0), (6, 0, 0), (3, 0, 2), (3, 0, 2), (0, 4, 0)],
        "R28 R29 R11",
        "C04 C07",
        "R02 R20",
        "R01 R19",
        "R03 R07",
        "R08 R12",
        "R05 R16",
    )
    assert found == {
        "R28": (),
        "R29": (4,),
        "R11": (4,),
        "R02": (),
        "R20": (0, 1),
        "R01": (1,),
        "R19": (),
        "R03": (2, 3),
        "R07": (2, 3),
        "R08": (4,),
        "R12": (3,),
        "R05": (0,),
        "R16": (0, 4),
        "C04": (),
        "C07": (),
    }
    assert state.pending() == Outcome((1, 3, 3, 1, 0), (3, 2, 2, 3, 4))
    assert (state.tie_break, state.observe(2).tie_break) == (None, None)


def test_scenario_14_closest_without_busting() -> None:
    """Just the number is no bust; if all have busted nobody satisfies; none at all can be closest."""
    _, found = end([(6, 9, 9), (5, 9, 9), (5, 10, 0), (4, 12, 9), (0, 9, 9)], "R07 R11 R12", "C05 C07")
    assert found == {"R07": (1, 2), "R11": (), "R12": (2,), "C05": (3,), "C07": (3,)}


def test_scenario_15_bracketed_numbers_at_four_seats_only() -> None:
    """At four seats the numbers in brackets count on Requests and Complaints, at five the others."""
    fish = [(10, 20, 2), (5, 0, 27), (11, 21, 17), (0, 4, 40)]
    _, found = end(fish, "R07 R20 R21", "C05 C07 C08")
    assert found == {"R07": (0,), "R20": (), "R21": (0, 1), "C05": (2,), "C07": (2,), "C08": (2,)}
    _, found = end([*fish, NOTHING], "R07 R20 R21", "C05 C07 C08")
    assert found == {"R07": (1,), "R20": (4,), "R21": (4,), "C05": (0, 2), "C07": (0, 1, 2, 3), "C08": (2,)}


def test_scenario_16_both_neighbors_round_the_table() -> None:
    """More and Fewer than both neighbors are strict, against each of the two, and the table is a ring."""
    _, found = end([(0, 0, tuna) for tuna in (3, 1, 3, 3, 2)], "R24 R27 R28", "C10 C05")
    assert found == {"R24": (0,), "R27": (1, 4), "R28": (0,), "C10": (1, 4), "C05": ()}


def test_scenario_17_pairs_and_sets() -> None:
    """A Dorado may be paired with a Rosefish and with a Tuna; a Set takes one of each."""
    fish = [(3, 2, 2), (5, 5, 0), (2, 0, 9), NOTHING, (2, 2, 2)]
    _, found = end(fish, "R13 R14 R15 R16 R17 R30", "C09")
    assert found == {
        "R13": (1,),
        "R14": (0, 4),
        "R15": (0, 2, 4),
        "R16": (0, 4),
        "R17": (0, 4),
        "R30": (),
        "C09": (1, 2, 3),
    }


def test_scenario_18_nothing_caught_and_less_than_nothing_scored() -> None:
    """Without any fish More and Fewer satisfy nobody, 0 is closest, and everyone is least."""
    pairs = ("R07 R08", "R25 R26", "R27 R28", "R29 R30", "R09 R10")
    state, found = end([NOTHING] * 5, "R22 R23 R24", "C01 C09", *pairs)
    assert {name for name, seats in found.items() if not seats} == {f"R{number}" for number in range(22, 31)}
    assert found["C01"] == found["C09"] == (0, 1, 2, 3, 4)
    assert state.pending() == Outcome((0, 1, 3, 3, 1), (2, 0, -2, -2, 0))
    assert state.tie_break is None


@pytest.mark.parametrize(
    ("top", "ranks"),
    [("R03 R06", (0, 0, 2, 2, 2)), ("R06 R03", (0, 1, 2, 2, 2)), ("R16 R06", (0, 0, 2, 2, 2))],
)
def test_scenario_19_a_tie_of_two_one_card_flipped(top: str, ranks: tuple[int, ...]) -> None:
    """The flipped Request is compared with all, moves ranks and no score; if it settles nothing the tied share."""
    fish = [(0, 0, tuna) for tuna in (0, 1, 0, 2, 0)]
    pairs = ("R07 R08", "R22 R23", "R25 R26", "R27 R29", "R24 R28")
    state, _ = end(fish, "R01 R02 R30", "C01 C02", *pairs, top=top)
    assert state.pending() == Outcome(ranks, (2, 2, 0, 0, 0))
    assert state.observe(4).tie_break == requests(top)[0]
    assert state.observe(4).set_aside == 16


def test_scenario_20_a_tie_of_three_two_satisfied_bracket_and_all() -> None:
    """Tied players who satisfy the flipped Request share, the third comes next; four seats read brackets."""
    state = rigged(
        [(0, 0, tuna) for tuna in (10, 10, 5, 11)],
        requests=requests("R01 R02 R13", 4),
        complaints=complaints("C01 C04", 4),
        private_requests=[requests(pair, 4) for pair in ("R16 R24", "R22 R23", "R25 R27", "R26 R29")],
    )
    (card,) = requests("R09", 4)
    state.set_aside.remove(card)
    state.set_aside.append(card)
    events = answer(state, *["dorado"] * 4)
    assert state.pending() == Outcome((0, 0, 2, 3), (3, 3, 3, 2))
    assert [event for event in events if isinstance(event, TieBreak)] == [TieBreak((0, 1, 2), card, (0, 1))]
