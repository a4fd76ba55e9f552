"""Makes up a whole Cash-a-Catch that one seat could be in. Is given an observation and chance, and nothing else."""

from collections.abc import Iterable

from arena.chance import Chance
from arena.games.cash_a_catch.cards import (
    BELOW_END_PHASE,
    CANNED_FISH,
    END_PHASE,
    FISH_THIEF,
    KIND,
    LAST_CARDS,
    MARKET_CLOSED,
    SUPPLY,
    Card,
)
from arena.games.cash_a_catch.observation import Observation
from arena.games.cash_a_catch.rules import CashACatch


def imagine(observation: Observation, chance: Chance) -> CashACatch:
    """A state this observation could come from.

    Unseen fish fill the other seats' garbage cans; the rest is the supply, with the end phase and market closed where
    rulings 34 and 56 say they can be. The state's own chance is keyed with a word of ``chance``.
    """
    seen = observation
    unseen = _unseen(seen)
    chance.shuffle(unseen)

    garbage_cans: list[list[Card]] = []
    for seat, cards in enumerate(seen.garbage_cans):
        garbage_cans.append(list(seen.garbage) if seat == seen.seat else _take_fish(unseen, cards))

    deck = unseen
    if seen.step != "market closed":
        deck.insert(chance.below(min(LAST_CARDS, seen.deck)), MARKET_CLOSED)
    if not seen.end_phase:
        deck.insert(BELOW_END_PHASE, END_PHASE)

    return CashACatch(
        Chance(chance.word().to_bytes(8, "little")),
        seen.bell,
        deck,
        list(seen.money),
        [[list(place) for place in board] for board in seen.boards],
        garbage_cans,
        dict(seen.discards),
        seen.auctioneer,
        seen.step,
        list(seen.lot),
        seen.buyer,
        list(seen.catch),
        seen.fish_thieves,
        seen.canned_fish,
        seen.end_phase,
    )


def _unseen(seen: Observation) -> list[Card]:
    """The cards that lie neither open nor in the seat's own garbage can, without end phase and market closed."""
    left = dict(SUPPLY)
    for card, copies in seen.discards.items():
        left[card] -= copies
    left[FISH_THIEF] -= seen.fish_thieves
    left[CANNED_FISH] -= seen.canned_fish
    open_piles: Iterable[tuple[Card, ...]] = (
        seen.lot,
        seen.catch,
        seen.garbage,
        *[place for board in seen.boards for place in board],
    )
    for pile in open_piles:
        for card in pile:
            left[card] -= 1
    unseen: list[Card] = []
    for card, copies in left.items():
        unseen += [card] * copies
    return unseen


def _take_fish(unseen: list[Card], cards: int) -> list[Card]:
    """Take so many fish cards out of shuffled cards, from the end: no other card gets into a garbage can."""
    taken: list[Card] = []
    at = len(unseen)
    while len(taken) < cards:
        at -= 1
        if unseen[at] in KIND:
            taken.append(unseen.pop(at))
    return taken
