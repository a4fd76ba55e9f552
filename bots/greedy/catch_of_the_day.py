"""Greedy plays Catch of the Day: take the fish that promise the most satisfied Requests and the fewest Complaints.

Reads decoded messages of the protocol and nothing else. For each Fish card it guesses what the card will bring today,
and how far ahead of the others that would leave it on every card that counts. Rules: ``arena rules catch-of-the-day``.
"""

from __future__ import annotations

from functools import cache
from math import copysign, exp
from operator import sub

TYPE_CHECKING = False
if TYPE_CHECKING:  # types are for who reads this: the module takes longer to import than a page
    from collections.abc import Iterable
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
EASE = {"fewer": 1, "least": 2, "closest": 3, "more": 4, "most": 5}  # Requests to draft and share, the best kind last


def decide(message: dict[str, Any]) -> list[int]:
    """Answer a ``decide`` message with the indexes of the picks; ``step`` says what is asked."""
    options, see = message["options"], message["observation"]
    if see["step"] in ("draft", "assign"):
        easy = sorted(range(len(options)), key=lambda at: -EASE[options[at].split()[0]])
        return easy[: message["least"]]
    if see["step"] == "choice":
        values = outlooks(see, gains(see, "choice"))
        return list(PAIRS[values.index(max(values))])
    guesses = [gains(see, card) for card in options]
    values = outlooks(see, [gain for each in guesses for gain in each])
    card_of = [at for at, each in enumerate(guesses) for _ in each]
    return [card_of[values.index(max(values))]]


def gains(see: dict[str, Any], card: str) -> list[list[float]]:
    """What a Fish card may bring today, by type; for Choice, for each pair, one fish of both types if there is any."""
    supply, others = see["market_supply"], see["seats"] - 1
    if card == "choice":
        dorado, rosefish, tuna = [min(1.0, have) for have in supply]
        return [[dorado, rosefish, 0.0], [dorado, 0.0, tuna], [0.0, rosefish, tuna]]
    # who guesses as all others do plays as they do, and shares with them
    any_type = ANY_TYPE[(see["seat"] + see["day"]) % len(ANY_TYPE)]
    if card == "last call":
        nobody, part, leftover = (1 - any_type) ** others, share(LAST_CALL, others), see["leftover_storage"]
        return [[(more + have * nobody + REMAINDER) * part for more, have in zip(leftover, supply, strict=True)]]
    at, gain = FISH.index(card), [0.0, 0.0, 0.0]
    gain[at] = supply[at] * share(any_type, others)
    return [gain]


@cache
def share(likely: float, others: int) -> float:
    """The part that is ours of what all divide who play a card: on average, when each of the others may play it."""
    return (1 - (1 - likely) ** (others + 1)) / (likely * (others + 1))


def outlooks(see: dict[str, Any], gains: list[list[float]]) -> list[float]:
    """Satisfied Requests less Complaints that we can hope for, for each of these gains of today."""
    seat, seats, fish, days = see["seat"], see["seats"], see["fish"], DAYS - see["day"]
    later, blur = days * GROWTH * DICE.get(seats, 1), BLUR * (1 + days)
    clockwise = [*fish[seat + 1 :], *fish[:seat]]
    # by type, what we will have with each of the gains, and after that what each of the others will have
    have = [
        [tokens + gain[at] + later for gain in gains] + [other[at] + supply / seats + later for other in clockwise]
        for at, (tokens, supply) in enumerate(zip(fish[seat], see["market_supply"], strict=True))
    ]
    counted: dict[tuple[int, ...], list[float]] = {}

    def hopes(cards: list[str]) -> Iterable[float]:
        """How many of these cards will be ours."""
        each = []
        for card in cards:
            kind, types, number = read(card)
            if types not in counted:
                counted[types] = count(types, have)
            each.append(chances(kind, number, counted[types], len(gains), blur))
        return map(sum, zip(*each, strict=True))

    requests = hopes([*see["requests"], *see["private_requests"][seat], *see["private_requests"][seat - 1]])
    return list(map(sub, requests, hopes(see["complaints"])))


def count(types: tuple[int, ...], have: list[list[float]]) -> list[float]:
    """How much there is of these types, all of one set together, or of all fish if none is named."""
    if not types:
        return [dorado + rosefish + tuna for dorado, rosefish, tuna in zip(*have, strict=True)]
    fewest = have[types[0]]
    for other in types[1:]:
        fewest = [a if a < b else b for a, b in zip(fewest, have[other], strict=True)]  # noqa: FURB136 - min is slower
    return fewest


@cache
def read(card: str) -> tuple[str, tuple[int, ...], float]:
    """How a card compares players, by which types as ``count`` has them, and with which number if it names one."""
    words = card.removesuffix(" without busting").removesuffix(" than both neighbors").split()
    types = tuple([at for at, fish in enumerate(FISH) if fish in words or words[-1] == "sets"])
    return words[0], types, next((float(word) for word in words if word.isdigit()), 0.0)


def chances(kind: str, number: float, have: list[float], gains: int, blur: float) -> list[float]:
    """How likely a card is ours with each of our gains, which stand before what others have; a half if all is open."""
    # what counts is how far one is from the number; without busting, a fish too many is worse than some too few
    if kind == "closest":
        have = [number - fish if fish <= number else 4.0 * (fish - number) for fish in have]
    elif kind == "furthest":
        have = [abs(fish - number) for fish in have]
    mine, others = have[:gains], have[gains:]
    if kind in ("more", "fewer"):
        others = [others[0], others[-1]]
    sign, tie = KINDS[kind]
    best = number if kind == "busted" else max(others) if sign > 0 else min(others)
    behind = [(sign * (best - fish) - tie) / blur for fish in mine]
    return [1.0 / (1.0 + exp(by if -FAR < by < FAR else copysign(FAR, by))) for by in behind]


# Whether more is better, 1, or less, -1; whether level is enough, half a fish, or one more or less is needed
KINDS = {
    "most": (1.0, TIE),
    "least": (-1.0, TIE),
    "more": (1.0, -TIE),
    "fewer": (-1.0, -TIE),
    "busted": (1.0, -TIE),
    "furthest": (1.0, TIE),
    "closest": (-1.0, TIE),
}
