"""Laws of Cash-a-Catch that hold in every match, however it is played."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.chance import Chance
from arena.game import Chosen, Outcome, Pending
from arena.games.cash_a_catch import GAME
from arena.games.cash_a_catch import events as tell
from arena.games.cash_a_catch.cards import END_PHASE, KIND, MARKET_CLOSED, OCTOPUS
from arena.games.cash_a_catch.rules import CashACatch
from arena.laws.table import pick

few = settings(max_examples=50, deadline=None)


class Match(NamedTuple):
    """A way to play: who sits there, which deal, what dice, and how rarely seats ring."""

    seats: int
    bell: str
    deal: int
    patience: int

    def start(self) -> CashACatch:
        """The deal."""
        state = GAME.deal(self.seats, self.deal.to_bytes(32, "little"), {"bell": self.bell})
        assert isinstance(state, CashACatch)
        return state

    def play(self, state: CashACatch) -> Iterator[Chosen]:
        """Random answers up to the end, each before it is applied; a seat rings once in ``patience`` beats."""
        dice = Chance(b"laws", self.deal)
        while isinstance(pending := state.pending(), Pending):
            waits = state.step == "auction" and self.patience > 1
            chosen: dict[int, tuple[Any, ...]] = {
                seat: () if waits and dice.below(self.patience) else pick(decision, dice)
                for seat, decision in pending.decisions.items()
            }
            yield chosen
            state.apply(chosen)


matches = st.builds(
    Match,
    seats=st.integers(3, 5),
    bell=st.sampled_from(["lot", "nearest"]),
    deal=st.integers(0, 1 << 40),
    patience=st.sampled_from([1, 3, 8, 20]),
)


@few
@given(matches)
def test_a_place_holds_one_kind_and_jokers(match: Match) -> None:
    """No place ever holds two kinds of fish, and no action card lies on a board or in a garbage can."""
    state = match.start()
    for _ in match.play(state):
        for board in state.boards:
            for place in board:
                assert len({KIND[card] for card in place} - {OCTOPUS}) <= 1
        assert all(card in KIND for can in state.garbage_cans for card in can)


@few
@given(matches)
def test_the_order_of_selling_does_not_matter(match: Match) -> None:
    """Whatever kinds are sold, in any order, everyone ends with the same money, boards, garbage and discards."""
    state = match.start()
    for chosen in match.play(state):
        if state.step not in ("sale", "end phase sale"):
            continue
        ((seat, kinds),) = chosen.items()
        results = []
        for order in permutations(kinds):
            world = state.copy()
            world.apply({seat: order})
            cans = [Counter(can) for can in world.garbage_cans]
            results.append((world.money, world.boards, cans, world.discards, world.lot))
        assert all(result == results[0] for result in results)


@few
@given(matches)
def test_nothing_is_thrown_away_while_it_would_fit(match: Match) -> None:
    """Throwing away is asked exactly while catch and real kinds of the board are more than three kinds of fish."""
    state = match.start()
    for _ in match.play(state):
        if state.step not in ("throw away", "sorting"):
            continue
        assert state.buyer is not None
        board = [{KIND[card] for card in place} - {OCTOPUS} for place in state.boards[state.buyer]]
        new = {KIND[card] for card in state.catch}.difference({OCTOPUS}, *board)
        assert (len([kinds for kinds in board if kinds]) + len(new) > 3) == (state.step == "throw away")


def follow(table: CashACatch, event: tell.Event) -> None:
    """Do on a table what an event says, as a person would who knows the rulebook and hears the events alone."""
    match event:
        case tell.Turned(_, card):
            table.deck.pop()
            table.end_phase |= card == END_PHASE
            # the end phase is set aside; when the market closes the lot is discarded
            table.lot = [] if card == MARKET_CLOSED else table.lot + [card] * (card != END_PHASE)
        case tell.Bought(seat, lot, price):
            assert table.lot == [*lot]
            table.money[seat] -= price
            table.catch = [*lot]
            table.lot = []
        case tell.Commission(seat, money):
            table.money[seat] += money
        case tell.Stole(_, victim, place, card):
            assert table.boards[victim][place].pop() == card
            table.catch.append(card)
        case tell.Threw(seat, kind, cards):
            table.boards[seat] = [[] if kind_seen(place) == kind else place for place in table.boards[seat]]
            table.catch = [card for card in table.catch if kind_seen([card]) != kind]
            table.garbage_cans[seat] += cards
        case tell.Placed(seat, card, place):
            table.catch.remove(card)
            table.boards[seat][place].append(card)
        case tell.Canned(seat, cards):
            for card in cards:
                table.garbage_cans[seat].remove(card)
        case tell.Sold(seat, kind, _, price):
            table.money[seat] += price
            board = table.boards[seat]
            table.boards[seat] = [[] if kind_seen(place) == kind else place for place in board]
        case tell.Spoiled(seat, card, place):
            at = len(table.boards[seat][place]) - 1 - table.boards[seat][place][::-1].index(card)
            del table.boards[seat][place][at]
            table.garbage_cans[seat].append(card)
        case tell.Garbage(seat, _, price):
            table.money[seat] -= price
        case tell.Final(money, _):
            assert table.money == [*money]
        case _:
            pass


def kind_seen(place: list[str]) -> str:
    """The kind a person sees in a place."""
    kinds = [card[:-2] for card in place]
    return next((kind for kind in kinds if kind != OCTOPUS), kinds[0] if kinds else "")


@few
@given(matches)
def test_the_events_tell_the_whole_match(match: Match) -> None:
    """Who hears the events and knows the rulebook knows lot, money, boards and garbage cans without looking."""
    state = match.start()
    heard = state.copy()
    for chosen in match.play(state):
        after = state.copy()
        for event in after.apply(chosen):
            follow(heard, event)
        assert (heard.lot, heard.money, heard.boards) == (after.lot, after.money, after.boards)
        assert [*map(Counter, heard.garbage_cans)] == [*map(Counter, after.garbage_cans)]
        assert (len(heard.deck), heard.end_phase) == (len(after.deck), after.end_phase)


@few
@given(matches)
def test_the_lot_tells_what_was_turned(match: Match) -> None:
    """What is turned in one step lies in the lot in that order, the end phase aside, unless the market has closed."""
    state = match.start()
    for chosen in match.play(state):
        after = state.copy()
        turned = [event.card for event in after.apply(chosen) if isinstance(event, tell.Turned)]
        if after.step != "market closed":
            lot = [card for card in turned if card != END_PHASE]
            assert after.lot[len(after.lot) - len(lot) :] == lot
            assert after.end_phase == (state.end_phase or END_PHASE in turned)


@few
@given(matches)
def test_the_buyer_is_one_who_rang(match: Match) -> None:
    """With 4 or 5 seats never the auctioneer, with 3 only if he rang alone; and never one with less than 10 Euro."""
    state = match.start()
    for chosen in match.play(state):
        if state.step != "auction" or not any(chosen.values()):
            continue
        after = state.copy()
        (bought,) = [event for event in after.apply(chosen) if isinstance(event, tell.Bought)]
        assert chosen[bought.seat]
        assert state.money[bought.seat] >= 10
        if bought.seat == state.auctioneer:
            assert match.seats == 3
            assert not any(picks for seat, picks in chosen.items() if seat != bought.seat)


@few
@given(matches)
def test_the_best_of_money_wins(match: Match) -> None:
    """At the end ranks follow money alone, and the standing is the outcome."""
    state = match.start()
    for _ in match.play(state):
        pass
    outcome = state.pending()
    assert isinstance(outcome, Outcome)
    assert outcome == state.standing()
    assert outcome.scores == tuple(state.money)
    for rank, money in zip(outcome.ranks, outcome.scores, strict=True):
        assert rank == sum(other > money for other in outcome.scores)
