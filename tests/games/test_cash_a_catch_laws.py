"""Laws of Cash-a-Catch that hold in every match, however it is played."""

from collections import Counter

from hypothesis import given, settings

from arena.games.cash_a_catch import GAME
from arena.games.cash_a_catch import events as tell
from arena.games.cash_a_catch.cards import END_PHASE, MARKET_CLOSED, OCTOPUS
from arena.games.cash_a_catch.rules import CashACatch
from tests.games.walks import Match, matches

few = settings(max_examples=50, deadline=None)


TABLES = matches(GAME, "auction", [1, 3, 8, 20])


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
@given(TABLES)
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
