"""Greedy plays Catch of the Day: take the fish that promise the most satisfied Requests and the fewest Complaints.

Reads decoded messages of the protocol and nothing else. For each Fish card it guesses what the card will bring today,
and how far ahead of the others that would leave it on every card that counts. The rules are in the game's ``rules.md``.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from collections.abc import Callable
    from typing import Any

FISH = ("dorado", "rosefish", "tuna")
PAIRS = ((0, 1), (0, 2), (1, 2))  # what Choice can bring, as indexes into FISH
DAYS = 5
DICE = {4: 2}  # dice for each player a day, where it is not one
ANY_TYPE = (0.2, 0.45, 0.7)  # how likely another player is to play one type of fish, by turns
LAST_CALL = 0.2  # how likely one is to play Last Call: one card of five
REMAINDER = 0.5  # fish of a type that cannot be divided evenly
GROWTH = 0.5  # fish of a type that a player gets a day, for each die he brings
TIE = 0.5  # half a fish more: level is enough for most cards, and not enough to have more or fewer
BLUR = 0.8  # fish by which a day still to come may change a lead
FAR = 50.0  # a lead in blurs beyond which nothing is open
CARDS: dict[str, tuple[str, str, int]] = {}  # what has been read
EASE = {"fewer": 1, "least": 2, "closest": 3, "more": 4, "most": 5}  # Requests to draft and share, the best kind last


def decide(message: dict[str, Any]) -> list[int]:
    """Answer a ``decide`` message with the indexes of the picks; ``step`` says what is asked."""
    options, see = message["options"], message["observation"]
    if see["step"] in ("draft", "assign"):
        easy = sorted(range(len(options)), key=lambda at: -EASE[options[at].split()[0]])
        return easy[: message["least"]]
    if see["step"] == "choice":
        values = outlooks(see, [choice(see, pair) for pair in PAIRS])
        return list(PAIRS[values.index(max(values))])
    ways = [gains(see, card) for card in options]
    hopes = iter(outlooks(see, [gain for each in ways for gain in each]))
    values = [max([next(hopes) for _ in each]) for each in ways]
    return [values.index(max(values))]


def gains(see: dict[str, Any], card: str) -> list[list[float]]:
    """What a Fish card may bring today, by type; for Choice one guess for each pair."""
    supply, leftover, others = see["market_supply"], see["leftover_storage"], see["seats"] - 1
    # who guesses as all others do plays as they do, and shares with them
    any_type = ANY_TYPE[(see["seat"] + see["day"]) % len(ANY_TYPE)]
    if card == "choice":
        return [choice(see, pair) for pair in PAIRS]
    if card == "last call":
        nobody, part = (1 - any_type) ** others, share(LAST_CALL, others)
        return [[(leftover[at] + supply[at] * nobody + REMAINDER) * part for at in range(len(FISH))]]
    return [[supply[at] * share(any_type, others) * (fish == card) for at, fish in enumerate(FISH)]]


def share(likely: float, others: int) -> float:
    """The part that is ours of what all divide who play a card: on average, when each of the others may play it."""
    return (1 - (1 - likely) ** (others + 1)) / (likely * (others + 1))


def choice(see: dict[str, Any], pair: tuple[int, ...]) -> list[float]:
    """One fish of each of two types, if there is any."""
    return [float(at in pair and see["market_supply"][at] > 0) for at in range(len(FISH))]


def outlooks(see: dict[str, Any], gains: list[list[float]]) -> list[float]:
    """Satisfied Requests less Complaints that we can hope for, for each of these gains of today."""
    seat, seats, days = see["seat"], see["seats"], DAYS - see["day"]
    growth = days * GROWTH * DICE.get(seats, 1)
    shares = [supply / seats for supply in see["market_supply"]]
    everyone = [amounts(tokens, shares, growth) for tokens in see["fish"]]
    ours = [amounts(see["fish"][seat], gain, growth) for gain in gains]
    requests = see["requests"] + see["private_requests"][seat] + see["private_requests"][seat - 1]
    number, hopes = len(requests), []
    for card in [*requests, *see["complaints"]]:
        of = read(card)[1]
        mine = [amount[of] for amount in ours]
        likely = chances(card, set(mine), [amount[of] for amount in everyone], seat, BLUR * (1 + days))
        hopes.append([likely[own] for own in mine])
    return [sum(each[:number]) - sum(each[number:]) for each in zip(*hopes, strict=True)]


def amounts(tokens: list[int], today: list[float], later: float) -> dict[str, float]:
    """What a player will have of everything that cards name."""
    one, two, three = fish = [have + more + later for have, more in zip(tokens, today, strict=True)]
    pairs = {"dorado rosefish": min(one, two), "rosefish tuna": min(two, three), "dorado tuna": min(one, three)}
    return {"dorado": one, "rosefish": two, "tuna": three, "sets": min(fish), "fish": sum(fish), **pairs}


def read(card: str) -> tuple[str, str, int]:
    """How a card compares players, by what, and with which number if it names one. Its text is read once."""
    if card not in CARDS:
        words = card.removesuffix(" without busting").removesuffix(" than both neighbors").split()
        of = words[-1] if words[-1] in ("fish", "sets") else " ".join([fish for fish in FISH if fish in words])
        CARDS[card] = words[0], of, next((int(word) for word in words if word.isdigit()), 0)
    return CARDS[card]


def chances(card: str, mine: set[float], have: list[float], seat: int, blur: float) -> dict[float, float]:
    """How likely a card is ours with so much of it, when all have so much: a half where nothing is decided."""
    kind, _, number = read(card)
    far, more, level = KINDS[kind]
    values = [far(amount, number) for amount in have] if far else have
    rivals = values[:seat] + values[seat + 1 :]
    if kind in ("more", "fewer"):
        rivals = [values[seat - 1], values[(seat + 1) % len(values)]]
    best = number if kind == "busted" else max(rivals) if more else min(rivals)
    likely = {}
    for own in mine:
        value = far(own, number) if far else own
        lead = ((value - best if more else best - value) + level * TIE) / blur
        likely[own] = 1 / (1 + exp(-lead if -FAR < lead < FAR else -FAR if lead > 0 else FAR))
    return likely


def gap(value: float, number: int) -> float:
    """How far from a number one is without busting: a fish too many is worse than some too few."""
    return number - value if value <= number else 4 * (value - number)


# How far from the number one is, where that is what counts; whether more is better; whether level is enough, 1, or not
KINDS: dict[str, tuple[Callable[[float, int], float] | None, bool, int]] = {
    "most": (None, True, 1),
    "least": (None, False, 1),
    "more": (None, True, -1),
    "fewer": (None, False, -1),
    "busted": (None, True, -1),
    "furthest": (lambda value, number: abs(value - number), True, 1),
    "closest": (gap, False, 1),
}
