"""Game End and the Glossary of Catch of the Day: who satisfies what, and who wins."""

from collections.abc import Sequence

import pytest

from arena.game import Outcome, ranks_of
from arena.games.catch_of_the_day.cards import Card, closest
from arena.games.catch_of_the_day.events import Received, Satisfied, TieBreak, TotalSatisfaction
from arena.games.catch_of_the_day.rules import CatchOfTheDay
from tests.shelf.games.catch_of_the_day import answer, rigged

Tokens = Sequence[tuple[int, int, int]]


def dorado(*counts: int) -> list[tuple[int, int, int]]:
    """Players with so many Dorado and nothing else."""
    return [(count, 0, 0) for count in counts]


def ended(state: CatchOfTheDay) -> list[object]:
    """What is told of the evaluation when a day without fish ends the game; nobody is asked."""
    assert state.market_supply == [0, 0, 0]
    events: list[object] = list(answer(state, *["tuna"] * len(state.fish)))
    assert isinstance(state.pending(), Outcome)
    return [event for event in events if isinstance(event, Satisfied | Received | TieBreak | TotalSatisfaction)]


# Glossary


@pytest.mark.parametrize(
    ("card", "fish", "seats"),
    [
        ("most dorado", dorado(3, 5, 5, 0), (1, 2)),
        ("least dorado", dorado(3, 1, 5, 1), (1, 3)),
        ("closest to 10 dorado without busting", dorado(9, 11, 10, 10), (2, 3)),
        ("closest to 5 dorado without busting", dorado(6, 4, 7, 3, 4), (1, 4)),
        ("busted 20 dorado", dorado(20, 21, 40, 0), (1, 2)),
        ("furthest from 32 fish", dorado(31, 28, 36, 32), (1, 2)),
        ("most sets", [(1, 1, 1), (9, 9, 0), (2, 3, 4), (2, 2, 2)], (2, 3)),
        ("most pairs of dorado and rosefish", [(3, 1, 9), (2, 2, 0), (0, 9, 9), (1, 4, 0)], (1,)),
        ("most pairs of rosefish and tuna", [(3, 1, 9), (2, 2, 0), (0, 5, 9), (1, 4, 0)], (2,)),
        ("most pairs of dorado and tuna", [(3, 1, 9), (2, 2, 0), (0, 5, 9), (1, 4, 0)], (0,)),
        ("most fish", [(1, 1, 1), (0, 0, 4), (2, 2, 0), (3, 0, 0)], (1, 2)),
        ("least fish", [(1, 1, 1), (0, 0, 4), (2, 2, 0), (3, 0, 0)], (0, 3)),
    ],
)
def test_the_vocabulary(card: Card, fish: Tokens, seats: tuple[int, ...]) -> None:
    """Terminology: in a tie a player is considered Most, Least, Closest and Furthest."""
    assert closest(card, fish) == seats


@pytest.mark.parametrize(
    ("card", "seats"),
    [("more dorado than both neighbors", (1, 3)), ("fewer dorado than both neighbors", (0, 2))],
)
def test_both_neighbors(card: Card, seats: tuple[int, ...]) -> None:
    """Ruling 20: compared with each neighbor, not with both together; all for whom it is true satisfy it; ties fail."""
    assert closest(card, dorado(3, 4, 3, 7, 4)) == seats
    assert closest(card, dorado(2, 2, 2, 2)) == ()


def test_neighbors_sit_in_a_ring() -> None:
    """Ruling 29: clockwise is rising seat number, and the last seat is beside seat 0."""
    assert closest("more dorado than both neighbors", dorado(5, 4, 0, 4)) == (0,)
    assert closest("more dorado than both neighbors", dorado(4, 0, 4, 5)) == (3,)
    state = rigged(dorado(0, 0, 0, 0, 0))
    assert [state.find_left_neighbor(seat) for seat in range(5)] == [1, 2, 3, 4, 0]


def test_without_busting() -> None:
    """Ruling 21: just the number has not busted; where all have busted nobody satisfies the Request."""
    assert closest("closest to 5 dorado without busting", dorado(5, 6, 4, 0, 0)) == (0,)
    assert closest("closest to 5 dorado without busting", dorado(6, 7, 8, 9, 10)) == ()
    assert closest("busted 10 dorado", dorado(10, 11, 0, 0, 0)) == (1,)


def test_zero_is_a_number() -> None:
    """Ruling 23: nothing can be Least, Closest and, where nobody has any, Most."""
    assert closest("least tuna", [(1, 0, 0), (0, 0, 1), (2, 2, 0), (0, 0, 5)]) == (0, 2)
    nothing = dorado(0, 0, 0, 0)
    for card in ("most sets", "least sets", "closest to 4 sets without busting"):
        assert closest(card, nothing) == (0, 1, 2, 3)
    assert closest("closest to 10 tuna without busting", [(0, 0, 11), (0, 0, 0), (0, 0, 12), (0, 0, 13)]) == (1,)


def test_pairs_and_sets_of_the_glossary() -> None:
    """Ruling 24: 1 Dorado + 1 Rosefish = 1 Pair, with 1 Tuna 1 Set; a fish is in one pair for each other type."""
    fish = [(1, 1, 0), (1, 1, 1), (0, 3, 3), (2, 0, 2)]
    assert closest("most pairs of dorado and rosefish", fish) == (0, 1)
    assert closest("most sets", fish) == (1,)
    each_pair = [(1, 1, 1), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    for types in ("dorado and rosefish", "rosefish and tuna", "dorado and tuna"):
        assert closest(f"most pairs of {types}", each_pair) == (0,)


def test_four_players_count_by_the_numbers_in_brackets() -> None:
    """Ruling 22: the same cards ask four players for twice as much, and the tie-break card too."""
    four = rigged([(9, 0, 0), (10, 0, 0), (11, 0, 0), (5, 0, 0)], set_aside=["closest to 10 dorado without busting"])
    assert ended(four)[0] == TieBreak((0, 1, 2, 3), "closest to 10 dorado without busting", (1,))
    five = rigged([(9, 0, 0), *dorado(10, 11, 5, 0)], set_aside=["closest to 5 dorado without busting"])
    assert ended(five)[0] == TieBreak((0, 1, 2, 3, 4), "closest to 5 dorado without busting", (3,))


# Satisfying Requests


def test_public_requests_are_for_all() -> None:
    """Public Requests: all who are closest satisfy it."""
    state = rigged(dorado(4, 2, 4, 0), requests=["most dorado", "least dorado"])
    assert ended(state)[:2] == [Satisfied("most dorado", (0, 2)), Satisfied("least dorado", (3,))]
    assert state.standing().scores == (1, 0, 1, 1)


def test_a_private_request_is_compared_with_all() -> None:
    """Ruling 19: if somebody else is closest nobody satisfies it; a sharer level with an outsider does."""
    private = [["most dorado"], [], [], []]
    assert ended(rigged(dorado(4, 2, 5, 0), private_requests=private))[0] == Satisfied("most dorado", (), (0, 1))
    assert ended(rigged(dorado(5, 2, 5, 0), private_requests=private))[0] == Satisfied("most dorado", (0,), (0, 1))


def test_both_sharers_score() -> None:
    """Ruling 34: a private Request pays each of its two sharers who is closest; the last seat shares with seat 0."""
    state = rigged(dorado(4, 0, 0, 4), private_requests=[[], [], [], ["most dorado"]])
    assert ended(state)[0] == Satisfied("most dorado", (3, 0), (3, 0))
    assert state.standing().scores == (1, 0, 0, 1)


def test_complaints_count_against_all_who_receive_them() -> None:
    """Ruling 25: everyone is compared for both Complaints, each of which counts -1; a total may be negative."""
    state = rigged(dorado(0, 5, 30, 0), complaints=["least dorado", "busted 20 dorado"])
    assert ended(state)[:2] == [Received("least dorado", (0, 3)), Received("busted 20 dorado", (2,))]
    assert state.standing() == Outcome((1, 0, 1, 1), (-1, 0, -1, -1))


def test_nobody_is_asked_in_the_evaluation() -> None:
    """Ruling 28: after the last card everything is evaluated at once, public Requests first, then Complaints."""
    state = rigged(
        dorado(1, 2, 3, 4),
        requests=["most dorado"],
        complaints=["least dorado"],
        private_requests=[["least fish"], [], ["most fish"], []],
    )
    told = ended(state)
    assert told == [
        Satisfied("most dorado", (3,)),
        Received("least dorado", (0,)),
        Satisfied("least fish", (0,), (0, 1)),
        Satisfied("most fish", (3,), (2, 3)),
        TotalSatisfaction((0, 0, 0, 2), (1, 1, 1, 0)),
    ]


def test_the_order_of_evaluation_does_not_matter() -> None:
    """Ruling 26: in whatever order the cards lie the totals are the same."""
    fish = [(3, 1, 4), (1, 5, 9), (2, 6, 5), (3, 5, 8)]
    cards = ["most dorado", "least fish", "more tuna than both neighbors"]
    scores = {
        rigged(fish, requests=order, complaints=complaints, private_requests=[pair, [], pair[::-1], []]).standing()
        for order in (cards, cards[::-1], cards[1:] + cards[:1])
        for complaints in (["least tuna", "least sets"], ["least sets", "least tuna"])
        for pair in (["most sets", "most fish"], ["most fish", "most sets"])
    }
    assert len({outcome.scores for outcome in scores}) == 1


# The winner


def test_the_highest_total_wins() -> None:
    """Game End: who has the highest total satisfaction wins, and no new Request is flipped without a tie for first."""
    state = rigged(dorado(3, 2, 1, 1), requests=["most dorado"])
    assert ended(state)[-1] == TotalSatisfaction((1, 0, 0, 0), (0, 1, 1, 1))
    assert state.tie_break is None
    assert state.pending() == Outcome((0, 1, 1, 1), (1, 0, 0, 0))


@pytest.mark.parametrize(
    ("flipped", "satisfied", "ranks"),
    [
        ("least tuna", (0,), (0, 1, 1, 3, 4)),
        ("least rosefish", (1, 2), (2, 0, 0, 3, 4)),
        ("more tuna than both neighbors", (), (0, 0, 0, 3, 4)),
        ("most dorado", (0, 1, 2), (0, 0, 0, 3, 4)),
    ],
)
def test_a_tie_for_first(flipped: Card, satisfied: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    """Rulings 27 and 32: of the tied those win who satisfy the flipped Request, of all players; if none does all share.

    It moves ranks only. The others that were tied share the next rank; below, equal totals share without a tie-break.
    """
    fish = [(9, 8, 1), (9, 2, 2), (9, 2, 2), (0, 7, 3), (1, 9, 9)]
    state = rigged(
        fish,
        requests=["most dorado"],
        complaints=["most tuna"],
        private_requests=[[], [], [], [], []],
        set_aside=["least fish", flipped],
    )
    told = ended(state)
    assert told[-2:] == [TieBreak((0, 1, 2), flipped, satisfied), TotalSatisfaction((1, 1, 1, 0, -1), ranks)]
    assert state.pending() == Outcome(ranks, (1, 1, 1, 0, -1))
    assert (state.tie_break, state.set_aside) == (flipped, ["least fish"])
    assert state.observe(4).tie_break == flipped


def test_the_flipped_request_is_compared_with_all() -> None:
    """Ruling 27: evaluated as a public Request it may be satisfied by others than the tied, and breaks nothing then."""
    state = rigged(dorado(5, 5, 9, 0), requests=["closest to 5 dorado without busting"], set_aside=["most dorado"])
    told = ended(state)
    assert told[-2] == TieBreak((0, 1), "most dorado", ())
    assert state.standing().ranks == (0, 0, 2, 2)


def test_equal_totals_below_the_first_share() -> None:
    """Ruling 32: places below the first go by total alone."""
    state = rigged(
        [(9, 0, 0), (5, 5, 0), (0, 5, 1), (1, 1, 1), (1, 1, 1)],
        requests=["most dorado", "most fish", "least rosefish"],
        private_requests=[[], ["most rosefish"], [], [], []],
    )
    ended(state)
    assert state.standing().scores == (2, 2, 1, 0, 0)
    assert state.standing().ranks[2:] == (2, 3, 3)
    assert ranks_of(state.standing().scores) == (0, 0, 2, 3, 3)
