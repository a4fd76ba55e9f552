"""Makes up a whole Cash-a-Catch that one seat could be in. Is given an observation and chance, and nothing else."""

from itertools import chain, repeat

from arena.chance import Chance
from arena.game import once_per_observation
from arena.games.cash_a_catch import cards as box
from arena.games.cash_a_catch.cards import Card
from arena.games.cash_a_catch.observation import Observation
from arena.games.cash_a_catch.rules import CashACatch


def imagine(observation: Observation, chance: Chance) -> CashACatch:
    """A state this observation could come from.

    The unseen cards are the supply, every order of them equally likely, with the end phase and market closed where
    ruling 56 says they can be. The state's own chance is keyed with a word of ``chance``.
    """
    seen = observation
    deck = _unseen(seen).copy()
    chance.permute(deck)
    if seen.step != "market closed":
        deck.insert(chance.below(min(box.LAST_CARDS, seen.deck)), box.MARKET_CLOSED)
    if not seen.end_phase:
        deck.insert(box.BELOW_END_PHASE, box.END_PHASE)

    return CashACatch(
        Chance(chance.word().to_bytes(8, "little")),
        seen.bell,
        deck,
        list(seen.money),
        [[[*one], [*two], [*ice]] for one, two, ice in seen.boards],
        [list(can) for can in seen.garbage_cans],
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


@once_per_observation
def _unseen(seen: Observation) -> list[Card]:
    """The cards that do not lie open, without end phase and market closed."""
    left = box.SUPPLY.copy()
    for card, copies in seen.discards.items():
        left[card] -= copies
    left[box.FISH_THIEF] -= seen.fish_thieves
    left[box.CANNED_FISH] -= seen.canned_fish
    for card in chain(seen.lot, seen.catch, *seen.garbage_cans, *chain.from_iterable(seen.boards)):
        left[card] -= 1
    return list(chain.from_iterable(map(repeat, left, left.values())))
