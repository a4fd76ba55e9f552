"""What the rules say of Hearts, for the laws: the box, what a seat may not know, leaks to be found."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from hearts.rules import Hearts, Observation, legal

from arena.chance import Chance
from arena.game import Seat

QUEEN = "QS"


def census(state: Hearts) -> Counter[str]:
    """Every card is in a hand or has been played in this hand; the cards of a hand that is over go back."""
    return Counter([str(card) for hand in state.hands for card in hand] + [str(play.card) for play in state.plays])


def redeal(state: Hearts, seat: Seat, rng: Random) -> Hearts:
    """The others hold other cards, of suits that they may have, but for those which this seat has passed on."""
    world = state.copy()
    others = [other for other in range(world.seats) if other != seat]
    lacks = _lacks(state)
    for _ in range(40):
        one, two = rng.sample(others, 2)
        if not world.hands[one] or not world.hands[two]:
            continue
        here, there = rng.choice(world.hands[one]), rng.choice(world.hands[two])
        known = world.passed[seat]
        if here in known or there in known or here.suit in lacks[two] or there.suit in lacks[one]:
            continue
        world.hands[one].remove(here)
        world.hands[two].remove(there)
        world.hands[one].append(there)
        world.hands[two].append(here)
    world.hands = [sorted(hand) for hand in world.hands]
    for giver in others if world.passed[seat] else ():
        to = (giver + world.step) % world.seats
        if to != seat:
            had = world.hands[to] + [play.card for play in world.plays if play.seat == to]
            world.passed[giver] = sorted(rng.sample(had, len(world.passed[giver])))
    world.chance = Chance(rng.randbytes(32))
    return world


def _lacks(state: Hearts) -> list[set[str]]:
    """By seat the suits that it did not follow, or had to have none of to lead a heart."""
    lacks: list[set[str]] = [set() for _ in state.hands]
    for number, play in enumerate(state.plays):
        trick = state.plays[number - number % state.seats :]
        led = trick[0].card.suit
        if play.card.suit != led:
            lacks[play.seat].add(led)
        elif play is trick[0] and led == "H" and all(before.card.suit != "H" for before in state.plays[:number]):
            lacks[play.seat] |= {"C", "D", "S"}
    return lacks


def figures(observation: Observation, world: Hearts) -> dict[str, int]:
    """Of all that the others have played: what they could not have played, and among how many cards they chose."""
    amiss = choice = 0
    hands = [hand[:] for hand in world.hands]
    for number in range(len(world.plays) - 1, -1, -1):
        seat, card = world.plays[number].seat, world.plays[number].card
        hands[seat].append(card)
        if seat != observation.seat:
            trick = world.plays[number - number % world.seats : number]
            broken = any(before.card.suit == "H" for before in world.plays[:number])
            playable = legal(hands[seat], trick[0].card.suit if trick else None, broken=broken)
            amiss, choice = amiss + (card not in playable), choice + len(playable)
    return {"cards that could not be played": amiss, "cards that could be played": choice}


LEAKS: dict[str, Callable[[Any, Seat], object]] = {
    "the next seat's hand": lambda state, seat: state.hands[(seat + 1) % state.seats],
    "who holds the queen of spades": lambda state, _: [QUEEN in map(str, hand) for hand in state.hands],
    "what others passed": lambda state, seat: (seat, state.passed),
    "the options of others": lambda state, _: state.pending(),
    "the chance": lambda state, seat: (seat, state.chance),
}
