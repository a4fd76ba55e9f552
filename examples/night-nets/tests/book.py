"""What the rules say of Night Nets, for the laws: what is in the box, what a seat may not know, leaks to be found."""

from collections import Counter
from collections.abc import Callable
from random import Random

from night_nets.rules import GROUNDS, NightNets

from arena.chance import Chance
from arena.game import Seat


def census(state: NightNets) -> Counter[str]:
    """Every shoal card, and every fish: in the water, caught, or got away."""
    turned = [size for haul in state.hauls for size in haul.shoals]
    away = sum(turned) - sum(map(sum, (haul.catches for haul in state.hauls)))
    swimming = sum(state.deck) + sum(state.shoals)
    cards = Counter(f"shoal of {size}" for size in [*state.deck, *state.shoals, *turned])
    return cards + Counter(fish=swimming + sum(state.fish) + away)


def redeal(state: NightNets, seat: Seat, rng: Random) -> NightNets:
    """Other shoals face down, but for the one that the seat has scouted; others scouted elsewhere."""
    world = state.copy()
    known = GROUNDS.index(state.scouted[seat]) if state.scouted else None
    hidden = [at for at in range(len(state.shoals)) if at != known]
    unknown = world.deck + [world.shoals[at] for at in hidden]
    rng.shuffle(unknown)
    for at in hidden:
        world.shoals[at] = unknown.pop()
    world.deck = unknown
    world.scouted = [ground if each == seat else rng.choice(GROUNDS) for each, ground in enumerate(state.scouted)]
    world.chance = Chance(rng.randbytes(32))
    return world


LEAKS: dict[str, Callable[[NightNets, Seat], object]] = {
    "the next shoal": lambda state, seat: (state.observe(seat), state.deck[-1:]),
    "the greatest shoal": lambda state, seat: (state.observe(seat), max(state.shoals, default=0)),
    "where the others scouted": lambda state, seat: (state.observe(seat), state.scouted),
    "what the next seat sighted": lambda state, seat: state.observe((seat + 1) % len(state.fish)).sighted,
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
}
