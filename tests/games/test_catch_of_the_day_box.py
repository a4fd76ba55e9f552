"""The box, the deal and the papers of Catch of the Day."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from arena.game import Outcome, Pending
from arena.games import catch_of_the_day
from arena.games.catch_of_the_day import GAME, cards
from arena.games.catch_of_the_day import events as tell
from arena.games.catch_of_the_day.rules import CatchOfTheDay, deal
from tests.shelf.games.catch_of_the_day import census, rigged

FOLDER = Path(catch_of_the_day.__file__).parent
BASIC, ADVANCED = {"mode": "basic"}, {"mode": "advanced"}

REQUESTS = """
most dorado
most rosefish
most tuna
least dorado
least rosefish
least tuna
closest to 5|10 dorado without busting
closest to 5|10 rosefish without busting
closest to 5|10 tuna without busting
closest to 8|16 dorado without busting
closest to 8|16 rosefish without busting
closest to 8|16 tuna without busting
most pairs of dorado and rosefish
most pairs of rosefish and tuna
most pairs of dorado and tuna
most sets
closest to 2|4 sets without busting
most fish
least fish
closest to 15|30 fish without busting
closest to 20|40 fish without busting
more dorado than both neighbors
more rosefish than both neighbors
more tuna than both neighbors
fewer dorado than both neighbors
fewer rosefish than both neighbors
fewer tuna than both neighbors
more fish than both neighbors
fewer fish than both neighbors
more sets than both neighbors
"""
COMPLAINTS = """
least dorado
least rosefish
least tuna
busted 10|20 dorado
busted 10|20 rosefish
busted 10|20 tuna
busted 24|48 fish
furthest from 16|32 fish
least sets
fewer fish than both neighbors
"""
"""The cards as designed, by id; behind the bar the number that counts with 4 players."""


def dealt(seats: int, number: int, variants: dict[str, str] = BASIC) -> CatchOfTheDay:
    """One of many deals."""
    return deal(seats, number.to_bytes(32, "little"), variants)


def printed(table: str, seats: int) -> tuple[str, ...]:
    """The texts of a list of cards at a table of this many seats."""
    lines = table.strip().splitlines()
    return tuple(re.sub(r"(\d+)\|(\d+)", r"\2" if seats == 4 else r"\1", line) for line in lines)


def test_box() -> None:
    """Contents: 45 dice, 15 of each color; 40 Fish cards, 8 of each; 30 Requests; 10 Complaints; five days."""
    assert cards.FISH == ("dorado", "rosefish", "tuna")
    assert len(cards.FISH) * cards.DICE == 45
    assert (cards.DICE, cards.FACES, cards.DAYS) == (15, 6, 5)
    assert len(cards.FISH_CARDS) * cards.FISH_CARD_SETS == 40
    assert (len(cards.REQUEST_CARDS), len(cards.COMPLAINT_CARDS)) == (30, 10)
    assert (cards.PUBLIC_REQUESTS, cards.COMPLAINTS_IN_PLAY, cards.REQUESTS_PER_PAIR, cards.PACK) == (3, 2, 2, 3)
    assert list(cards.REQUEST_CARDS) == [f"R{number:02}" for number in range(1, 31)]
    assert list(cards.COMPLAINT_CARDS) == [f"C{number:02}" for number in range(1, 11)]


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_cards_read_as_designed(seats: int) -> None:
    """Ruling 22: a card is its text, in which with just 4 players the number in brackets stands, else the other."""
    assert cards.REQUESTS[seats] == printed(REQUESTS, seats)
    assert cards.COMPLAINTS[seats] == printed(COMPLAINTS, seats)
    assert len(set(cards.REQUESTS[seats])) == 30
    assert len(set(cards.COMPLAINTS[seats])) == 10


@pytest.mark.parametrize("seats", GAME.seats)
def test_setup_of_the_basic_game(seats: int) -> None:
    """Ruling 36: three public Requests, two Complaints, two Requests for each two neighbors; the rest is set aside."""
    state = dealt(seats, 1)
    assert len(state.requests) == 3
    assert len(set(state.complaints)) == 2
    assert [len(requests) for requests in state.private_requests] == [2] * seats
    assert len(state.set_aside) == 30 - 3 - 2 * seats
    events = state.apply({})
    shared = [event for event in events if isinstance(event, tell.Shared)]
    assert events[0] == tell.Setup(state.requests, state.complaints)
    assert [event.seats for event in shared] == [(seat, (seat + 1) % seats) for seat in range(seats)]
    assert tuple(event.requests for event in shared) == state.private_requests
    assert (state.step, state.day) == ("select", 1)


@pytest.mark.parametrize("seats", GAME.seats)
def test_setup_of_the_advanced_game(seats: int) -> None:
    """Planning Phase: three Requests for each player; at least three are left for a tie."""
    state = dealt(seats, 1, ADVANCED)
    assert [len(pack) for pack in state.packs] == [3] * seats
    assert state.private_requests == ((),) * seats
    assert len(state.set_aside) == 30 - 3 - 3 * seats >= 3
    state.apply({})
    assert (state.step, state.day) == ("draft", 0)


def test_every_card_is_dealt_somewhere() -> None:
    """Both decks are shuffled: over many deals each Request and each Complaint lies everywhere."""
    deals = [dealt(4, number) for number in range(300)]
    assert {card for state in deals for card in state.requests} == set(cards.REQUESTS[4])
    assert {card for state in deals for card in state.complaints} == set(cards.COMPLAINTS[4])
    assert {state.set_aside[-1] for state in deals} == set(cards.REQUESTS[4])
    boxes = [census(state) for state in deals]
    assert all(box == boxes[0] for box in boxes)
    assert boxes[0].total() == 30 + 10 + 45


def test_a_fresh_table_waits_for_nobody() -> None:
    """Setup and the first Roll are told as events before anyone is asked."""
    for variants in (BASIC, ADVANCED):
        state = dealt(4, 1, variants)
        assert state.pending() == Pending({})
        assert state.apply({})


def test_standing_before_the_end() -> None:
    """How the players stand is the count of what lies open, a tie for first broken as at the end; nothing moves."""
    state = dealt(5, 3)
    before = msgspec.json.encode(state)
    standing = state.standing()
    assert Counter(standing.ranks)[0] >= 1
    assert msgspec.json.encode(state) == before
    state = rigged([(3, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 0)], requests=["most dorado"], day=2)
    assert state.standing() == Outcome((0, 1, 1, 1), (1, 0, 0, 0))


def test_sentences() -> None:
    """An event is a sentence with seats written as ``seat 0``."""
    told = {
        tell.Shared((4, 0), ("most tuna", "least fish")): "seat 4 and seat 0 share 'most tuna', 'least fish'",
        tell.Rolled(2, (3, 6), (), (1,)): "day 2: the dice show 3 + 6 dorado, no rosefish, 1 tuna",
        tell.Revealed(("choice", "tuna")): "the cards are shown: seat 0 choice, seat 1 tuna",
        tell.FishShare("choice", "tuna", (0, 1, 3), 1): "choice: 1 tuna each for seat 0, seat 1 and seat 3",
        tell.FishShare("tuna", "tuna", (2,), 5): "reveal: 5 tuna for seat 2",
        tell.NoFish("last call", "dorado", 1, 0): "last call: 1 card for no dorado, so nobody gets any",
        tell.Satisfied("most tuna", ()): "'most tuna', public, is satisfied by nobody",
        tell.Satisfied("most tuna", (1,), (0, 1)): "'most tuna', shared by seat 0 and seat 1, is satisfied by seat 1",
        tell.TieBreak(
            (0, 2), "most sets", (2,)
        ): "of seat 0 and seat 2, tied for first, 'most sets' is satisfied by seat 2",
        tell.TotalSatisfaction((2, -1), (0, 1)): "total satisfaction: seat 0 has 2 (place 1), seat 1 has -1 (place 2)",
    }
    assert {event: str(event) for event in told} == told


def test_cards_in_the_rules() -> None:
    """Every Request and Complaint stands in rules.md as it reads, with both of its numbers."""
    text = (FOLDER / "rules.md").read_text(encoding="ascii")
    listed = re.findall(r"^\| ([RC]\d\d) \| `(.*?)` \|", text, re.MULTILINE)
    texts = (REQUESTS.strip() + COMPLAINTS.rstrip()).replace("|", "/").splitlines()
    assert listed == list(zip([*cards.REQUEST_CARDS, *cards.COMPLAINT_CARDS], texts, strict=True))
