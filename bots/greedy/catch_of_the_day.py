"""Greedy plays Catch of the Day: take the fish that promise the most satisfied Requests and the fewest Complaints.

Reads decoded messages of the protocol and nothing else. For each Fish card it guesses what the card will bring today,
and how far ahead of the others that would leave it on every card that counts. The rules are in the game's ``rules.md``.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from typing import Any

FISH = ("dorado", "rosefish", "tuna")
PAIRS = ((0, 1), (0, 2), (1, 2))  # what Choice can bring, as indexes into FISH
DAYS = 5
DICE = {4: 2}  # dice for each player a day, where it is not one
ANY_TYPE, LAST_CALL = 0.2, 0.2  # how likely another player is to play one type of fish, or Last Call: one card of five
REMAINDER = 0.5  # fish of a type that cannot be divided evenly
GROWTH = 0.5  # fish of a type that a player gets a day, for each die he brings
TIE = 0.5  # half a fish more: level is enough for most cards, and not enough to have more or fewer
BLUR = 0.8  # fish by which a day still to come may change a lead
EASE = {"fewer": 1, "least": 2, "closest": 3, "more": 4, "most": 5}  # Requests to draft and share, the best kind last


def decide(message: dict[str, Any]) -> list[int]:
    """Answer a ``decide`` message with the indexes of the picks; ``step`` says what is asked."""
    options, see = message["options"], message["observation"]
    if see["step"] in ("draft", "assign"):
        easy = sorted(range(len(options)), key=lambda at: -EASE[options[at].split()[0]])
        return easy[: message["least"]]
    if see["step"] == "choice":
        best = max(PAIRS, key=lambda pair: outlook(see, choice(see, pair)))
        return list(best)
    values = [max(outlook(see, gain) for gain in gains(see, card)) for card in options]
    return [values.index(max(values))]


def gains(see: dict[str, Any], card: str) -> list[list[float]]:
    """What a Fish card may bring today, by type; for Choice one guess for each pair."""
    supply, leftover, others = see["market_supply"], see["leftover_storage"], see["seats"] - 1
    if card == "choice":
        return [choice(see, pair) for pair in PAIRS]
    if card == "last call":
        nobody, part = (1 - ANY_TYPE) ** others, share(LAST_CALL, others)
        return [[(leftover[at] + supply[at] * nobody + REMAINDER) * part for at in range(len(FISH))]]
    return [[supply[at] * share(ANY_TYPE, others) * (fish == card) for at, fish in enumerate(FISH)]]


def share(likely: float, others: int) -> float:
    """The part that is ours of what all divide who play a card: on average, when each of the others may play it."""
    return (1 - (1 - likely) ** (others + 1)) / (likely * (others + 1))


def choice(see: dict[str, Any], pair: tuple[int, ...]) -> list[float]:
    """One fish of each of two types, if there is any."""
    return [float(at in pair and see["market_supply"][at] > 0) for at in range(len(FISH))]


def outlook(see: dict[str, Any], gain: list[float]) -> float:
    """Satisfied Requests less Complaints that we can hope for when today brings us this."""
    seat, seats, days = see["seat"], see["seats"], DAYS - see["day"]
    growth = days * GROWTH * DICE.get(seats, 1)
    shares = [supply / seats for supply in see["market_supply"]]
    fish = [grown(tokens, gain if other == seat else shares, growth) for other, tokens in enumerate(see["fish"])]
    blur = BLUR * (1 + days)
    requests = see["requests"] + see["private_requests"][seat] + see["private_requests"][seat - 1]
    satisfied = sum(chance(card, fish, seat, blur) for card in requests)
    return satisfied - sum(chance(card, fish, seat, blur) for card in see["complaints"])


def grown(tokens: list[int], today: list[float], later: float) -> list[float]:
    """What a player will have by type."""
    return [have + more + later for have, more in zip(tokens, today, strict=True)]


def chance(card: str, fish: list[list[float]], seat: int, blur: float) -> float:
    """How likely a card is ours: from 0 to 1, a half where nothing is decided."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, lead(card, fish, seat) / blur))))


def lead(card: str, fish: list[list[float]], seat: int) -> float:
    """By how many fish a card is ours, below zero if it is not. The text of a card tells how players are compared."""
    words = card.removesuffix(" without busting").removesuffix(" than both neighbors").split()
    kind, number = words[0], next((int(word) for word in words if word.isdigit()), 0)
    have = [amount(words, tokens) for tokens in fish]
    mine, others = have[seat], have[:seat] + have[seat + 1 :]
    beside = (have[seat - 1], have[(seat + 1) % len(have)])
    match kind:
        case "most":
            return mine - max(others) + TIE
        case "least":
            return min(others) - mine + TIE
        case "more":
            return mine - max(beside) - TIE
        case "fewer":
            return min(beside) - mine - TIE
        case "busted":
            return mine - number - TIE
        case "furthest":
            return abs(mine - number) - max(abs(value - number) for value in others) + TIE
        case _:
            return min(gap(value, number) for value in others) - gap(mine, number) + TIE


def gap(value: float, number: int) -> float:
    """How far from a number one is without busting: a fish too many is worse than some too few."""
    return number - value if value <= number else 4 * (value - number)


def amount(words: list[str], tokens: list[float]) -> float:
    """How much of what the card names these tokens are."""
    named = [tokens[at] for at, fish in enumerate(FISH) if fish in words]
    if words[-1] == "fish":
        return sum(tokens)
    return min(tokens) if words[-1] == "sets" else min(named)
