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
    obs = observation
    deck = _unseen(obs).copy()
    chance.permute(deck)
    if obs.step != "market closed":
        deck.insert(chance.below(min(box.LAST_CARDS, obs.deck)), box.MARKET_CLOSED)
    if not obs.end_phase:
        deck.insert(box.BELOW_END_PHASE, box.END_PHASE)

    return CashACatch(
        Chance(chance.word().to_bytes(8, "little")),
        obs.bell,
        deck,
        list(obs.money),
        [[[*first], [*second], [*ice]] for first, second, ice in obs.boards],
        [list(can) for can in obs.garbage_cans],
        dict(obs.discards),
        obs.auctioneer,
        obs.step,
        list(obs.lot),
        obs.buyer,
        list(obs.catch),
        obs.fish_thieves,
        obs.canned_fish,
        obs.end_phase,
    )


@once_per_observation
def _unseen(observation: Observation) -> list[Card]:
    """The cards that do not lie open, without end phase and market closed."""
    supply = box.SUPPLY.copy()
    for card, copies in observation.discards.items():
        supply[card] -= copies
    supply[box.FISH_THIEF] -= observation.fish_thieves
    supply[box.CANNED_FISH] -= observation.canned_fish
    for card in chain(
        observation.lot, observation.catch, *observation.garbage_cans, *chain.from_iterable(observation.boards)
    ):
        supply[card] -= 1
    return list(chain.from_iterable(map(repeat, supply, supply.values())))
