"""Greedy plays Cash-a-Catch: price what a lot would add to the board, ring when that beats 10 Euro by a margin.

Called with a decoded ``decide`` message, it returns indexes into the options. It knows no more than that message and
remembers nothing: the observation holds all that the seat has learnt. Rules: ``arena rules cash-a-catch``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

PRICES = (0, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30)
DEAREST = len(PRICES) - 1
KEPT = 3  # kinds that have room
LOT_PRICE = 10
WANTED = 11
"""A lot worth this many Euro to us and to the best rival together, his 10 Euro taken off, is rung for."""
LEAST = 6
"""For less the rival may have it."""
WANTED_ALONE = 40
"""While nobody else has the money to ring there is no hurry."""
GOOD_SALE = 7
"""Fish of a kind worth selling: beyond it every fish adds about as much as it may cost to wait."""
CARDS_PER_LOT = 6
AUCTIONEER_BUYS_WITH = 3
"""Seats with which the auctioneer may ring too."""
ICE_TUB = 2  # the index of the place where nothing spoils

KINDS = ("eel", "shark", "flounder", "crawfish", "tuna", "lobster", "octopus")
KIND = {f"{kind} {fish}": kind for kind in KINDS for fish in (1, 2, 3)}
FISH = {card: int(card[-1]) for card in KIND}  # action cards have none


def decide(message: dict[str, Any]) -> list[int]:
    """Pick for whatever is asked; ``step`` says what that is."""
    options, see = message["options"], message["observation"]
    if see["step"] == "auction":
        return [0] if worth_ringing(see) else []
    if see["step"] in ("sale", "end phase sale"):
        return [at for at, kind in enumerate(options) if worth_selling(see, kind)]
    if see["step"] == "fish thief":
        scores = [theft_score(see, theft) for theft in options]
        return [scores.index(max(scores))] if max(scores) > 0 else []
    if see["step"] == "sorting":
        return [max(range(len(options)), key=lambda at: placing_score(see, options[at]))]
    # Canned fish: as many cards as may go, dearest first. Throwing away: the kind with the fewest fish stands first.
    return list(range(message["most"]))


def price(fish: int) -> int:
    """Euro for fish of a kind."""
    return PRICES[fish] if fish < DEAREST else PRICES[DEAREST]


def kind_of(cards: list[str]) -> str:
    """The kind of a place, or the empty string: octopi count as the fish they lie with."""
    for card in cards:
        if KIND[card] != "octopus":
            return KIND[card]
    return "octopus" if cards else ""


def fish_on(cards: list[str]) -> int:
    """The fish on these cards."""
    return sum([FISH[card] for card in cards])


def stock(board: list[list[str]]) -> dict[str, int]:
    """Fish of each kind on a board."""
    fish: dict[str, int] = {}
    for place in board:
        if place:
            kind = kind_of(place)
            fish[kind] = fish.get(kind, 0) + fish_on(place)
    return fish


def gain(board: list[list[str]], lot: list[str]) -> int:
    """Euro that a lot adds to a board: three kinds have room, what is too much costs 1 Euro a fish."""
    after = stock(board)
    before = sum(map(price, after.values()))
    jokers = after.pop("octopus", 0)
    for card in lot:
        kind = KIND.get(card)
        if kind == "octopus":
            jokers += FISH[card]
        elif kind:
            after[kind] = after.get(kind, 0) + FISH[card]
    kept, thrown = list(after.values()) or [0], 0
    if len(kept) > KEPT:
        kept.sort(reverse=True)
        kept, thrown = kept[:KEPT], sum(kept[KEPT:])
    with_jokers = max([price(fish + jokers) - price(fish) for fish in kept]) if jokers else 0
    return sum(map(price, kept)) + with_jokers - thrown - before


def worth_ringing(see: dict[str, Any]) -> bool:
    """Whether the lot is worth 10 Euro and the risk that it would have grown, to us and to the rival who gains most."""
    seat, auctioneer = see["seat"], see["auctioneer"]
    barred = -1 if see["seats"] == AUCTIONEER_BUYS_WITH else auctioneer
    rivals = [other for other, money in enumerate(see["money"]) if other not in (seat, barred) and money >= LOT_PRICE]
    mine = gain(see["boards"][seat], see["lot"])
    if not rivals and see["deck"] > CARDS_PER_LOT:
        return mine >= WANTED_ALONE
    if mine < LEAST or mine >= WANTED:
        return mine >= LEAST
    theirs = max([gain(see["boards"][other], see["lot"]) for other in rivals], default=0)
    return mine + max(theirs - LOT_PRICE, 0) >= WANTED


def worth_selling(see: dict[str, Any], kind: str) -> bool:
    """Sell a good stock, any stock when short of money, and everything when this may be the last chance."""
    fish = stock(see["boards"][see["seat"]])[kind]
    last_chance = see["deck"] < CARDS_PER_LOT * see["seats"]
    return fish >= GOOD_SALE or last_chance or see["money"][see["seat"]] < LOT_PRICE


def theft_score(see: dict[str, Any], theft: dict[str, Any]) -> int:
    """What the card adds to the own board, and half of what its owner loses."""
    place = see["boards"][theft["seat"]][theft["place"]]
    loss = price(fish_on(place)) - price(fish_on(place[:-1]))
    lot = see["catch"]
    mine = see["boards"][see["seat"]]
    return 2 * (gain(mine, [*lot, theft["card"]]) - gain(mine, lot)) + loss


def placing_score(see: dict[str, Any], placing: dict[str, Any]) -> tuple[int, int]:
    """What the place gains; then dear cards first, so that cheap ones lie on top where thieves and spoilage reach."""
    place = see["boards"][see["seat"]][placing["place"]]
    kind, fish, held = KIND[placing["card"]], FISH[placing["card"]], fish_on(place)
    if kind == "octopus":
        return -1, price(held + fish) - price(held)
    keeps_together = 2 if kind_of(place) == kind else 1
    in_ice = placing["place"] == ICE_TUB
    return keeps_together, 2 * fish + in_ice
