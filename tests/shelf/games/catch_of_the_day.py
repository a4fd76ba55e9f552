"""Catch of the Day for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import cast

from arena.chance import Chance
from arena.game import Pending, Seat
from arena.games.catch_of_the_day.cards import COMPLAINTS, REQUESTS, Card, FishCard, closest
from arena.games.catch_of_the_day.events import Event
from arena.games.catch_of_the_day.observation import Mode, Step
from arena.games.catch_of_the_day.rules import CatchOfTheDay
from arena.laws.odds import Scenario
from tests.games.walks import questions

DICE_A_DAY = {4: 8, 5: 5, 6: 6, 7: 7, 8: 8}
HIDDEN_CARDS: tuple[FishCard, ...] = ("dorado", "rosefish", "tuna", "last call")
"""The Fish cards that stay face down while players of the Choice card pick."""


def census(state: CatchOfTheDay) -> Counter[str]:
    """Every Request wherever it lies, Complaints in play or in the box, dice in the bag or drawn on the days so far."""
    requests = Counter([*state.requests, *state.set_aside])
    for cards in (*state.private_requests, *state.packs, *([] if state.assigned else state.kept)):
        requests.update(cards)
    requests.update([state.tie_break] if state.tie_break else [])
    box = Counter({f"Request {text}": copies for text, copies in requests.items()})
    returned = [text for text in COMPLAINTS[len(state.fish)] if text not in state.complaints]
    box.update(f"Complaint {text}" for text in (*state.complaints, *returned))
    box.update({"die": sum(state.bag) + state.day * DICE_A_DAY[len(state.fish)]})
    return box


def redeal(state: CatchOfTheDay, seat: Seat, rng: Random) -> CatchOfTheDay:
    """A copy with new packs and drafted Requests of the others, other cards face down, a new set-aside pile and chance.

    What the seat passed on it has seen: the first two cards are its left neighbor's pack in Draft 2; in Assign the left
    neighbor has one of them and the next seat the other, and the left neighbor has the card passed last. Once all have
    assigned it knows of a pair of Requests between two others no more whose is which, nor what they put back.
    """
    world = state.copy()
    if world.assigned:
        return _reassigned(world, seat, rng)
    seats = len(world.fish)
    left, second = (seat + 1) % seats, (seat + 2) % seats
    places: list[tuple[list[Card], int]] = [(world.set_aside, at) for at in range(len(world.set_aside))]
    for other in range(seats):
        if other != seat and not (other == left and len(world.kept[left]) == 1):
            places += [(world.packs[other], at) for at in range(len(world.packs[other]))]
        if other != seat:
            seen = {(left, 1), (left, 2), (second, 2)}
            places += [(world.kept[other], at) for at in range(len(world.kept[other])) if (other, at) not in seen]
    unseen = [cards[at] for cards, at in places]
    rng.shuffle(unseen)
    for (cards, at), request in zip(places, unseen, strict=True):
        cards[at] = request
    for pack in world.packs:
        pack.sort(key=REQUESTS[seats].index)
    if world.step == "assign" and rng.random() < 1 / 2:
        one, other_one = world.kept[left], world.kept[second]
        one[1], other_one[2] = other_one[2], one[1]
    if world.step == "choice":
        for other, card in enumerate(world.selected):
            if other != seat and card != "choice":
                world.selected[other] = rng.choice(HIDDEN_CARDS)
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    return world


def _reassigned(world: CatchOfTheDay, seat: Seat, rng: Random) -> CatchOfTheDay:
    """Another pile, other cards kept and put back, and pairs turned round, away from the seat."""
    seats = len(world.fish)
    known = {*world.kept[seat], *(card for at in (1, 2) for card in world.kept[(seat + at) % seats])}
    rng.shuffle(world.set_aside)
    others = [(seat + at) % seats for at in range(3, seats)]
    for one, other in pairwise(others):
        if rng.random() < 1 / 2:
            (left, right), (next_left, next_right) = world.assigned[one], world.assigned[other]
            world.assigned[one], world.assigned[other] = (next_right, right), (next_left, left)
    put_back = [card for card in world.set_aside if card not in known]
    for other in others:
        world.kept[other] = [*world.assigned[other], put_back.pop()]
        rng.shuffle(world.kept[other])
    if world.step == "choice":
        for other, card in enumerate(world.selected):
            if other != seat and card != "choice":
                world.selected[other] = rng.choice(HIDDEN_CARDS)
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    return world


LEAKS: dict[str, Callable[[CatchOfTheDay, Seat], object]] = {
    "the Request that a tie would flip": lambda state, seat: (state.observe(seat), state.set_aside[-1]),
    "the bottom of the set-aside pile": lambda state, seat: (state.observe(seat), state.set_aside[0]),
    "the set-aside pile in an order of its own": lambda state, seat: (state.observe(seat), Counter(state.set_aside)),
    "the cards face down": lambda state, _: state.selected,
    "whether Last Call lies face down": lambda state, _: "last call" in state.selected,
    "how many cards lie face down for Dorado": lambda state, seat: (
        state.observe(seat),
        state.selected.count("dorado"),
    ),
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
    "how often chance was asked": lambda state, seat: (state.observe(seat), state.chance.drawn),
    "the next die": lambda state, _: state.chance.copy().below(max(1, sum(state.bag))),
}

ADVANCED_LEAKS: dict[str, Callable[[CatchOfTheDay, Seat], object]] = {
    "the other packs": lambda state, _: state.packs,
    "what the right neighbor holds": lambda state, seat: state.packs[seat - 1] + state.kept[seat - 1],
    "which of two passed cards was kept": lambda state, seat: state.kept[(seat + 1) % len(state.fish)][1:2],
    "the other cards that were kept": lambda state, _: state.kept,
    "the options of others": lambda state, _: state.pending() if state.step in {"draft", "assign"} else None,
    "the observation of the next seat": lambda state, seat: state.observe((seat + 1) % len(state.fish)),
}
"""More leaks, to be found where Requests are drafted."""


def rigged(
    fish: Sequence[Sequence[int]] = ((0, 0, 0),) * 4,
    *,
    market_supply: Sequence[int] = (0, 0, 0),
    leftover_storage: Sequence[int] = (0, 0, 0),
    requests: Sequence[Card] = (),
    complaints: Sequence[Card] = (),
    private_requests: Sequence[Sequence[Card]] | None = None,
    set_aside: Sequence[Card] | None = None,
    day: int = 5,
    step: Step = "select",
    mode: Mode = "basic",
) -> CatchOfTheDay:
    """A table set up by hand, all about to select a Fish card; ``set_aside`` is named from the bottom to the top."""
    seats = len(fish)
    private = tuple(map(tuple, private_requests)) if private_requests else ((),) * seats
    used = {*requests, *(card for cards in private for card in cards)}
    rest = [card for card in REQUESTS[seats] if card not in used]
    drawn = day * DICE_A_DAY[seats]
    return CatchOfTheDay(
        chance=Chance(bytes(32)),
        mode=mode,
        requests=tuple(requests),
        complaints=tuple(complaints),
        set_aside=rest if set_aside is None else list(set_aside),
        private_requests=private,
        packs=[[] for _ in range(seats)],
        kept=[[] for _ in range(seats)],
        fish=[list(tokens) for tokens in fish],
        bag=[15 - (drawn + type_) // 3 for type_ in range(3)],
        market_supply=list(market_supply),
        leftover_storage=list(leftover_storage),
        step=step,
        day=day,
    )


def answer(state: CatchOfTheDay, *picks: str | Sequence[str]) -> list[Event]:
    """All who are asked pick, seat by seat upwards; a word alone is one pick."""
    decisions = questions(state)
    chosen = {}
    for (seat, decision), wanted in zip(sorted(decisions.items()), picks, strict=True):
        indexes = [decision.options.index(pick) for pick in ([wanted] if isinstance(wanted, str) else wanted)]
        assert decision.fault_in(indexes) is None
        chosen[seat] = decision.take(indexes)
    return state.apply(chosen)


RIGGED: dict[str, Callable[..., CatchOfTheDay]] = {
    "by hand": rigged,
    "no fish at all": lambda: rigged(day=1),
    "all tied for first": lambda: rigged(requests=["most dorado", "most tuna", "least fish"]),
}


def order(state: CatchOfTheDay, seat: Seat) -> object:
    """The total; of those level for the first place, whoever satisfies the Request that was flipped is ahead."""
    scores = state.standing().scores
    level = scores.count(max(scores)) > 1 and scores[seat] == max(scores)
    return scores[seat], level and state.tie_break is not None and seat in closest(state.tie_break, state.fish)


def hidden(state: CatchOfTheDay) -> object:
    """Packs, kept and set-aside Requests and Fish cards; of each Request put back, where in the pile it lies."""
    back = [
        [state.set_aside.index(card) for card in kept if state.assigned and card in state.set_aside]
        for kept in state.kept
    ]
    return {
        "packs": state.packs,
        "kept": state.kept,
        "assigned": state.assigned,
        "set aside": state.set_aside,
        "put back": back,
        "Fish cards": state.selected if state.step == "choice" else [],
    }


def _three_set_aside(chance: Chance) -> CatchOfTheDay:
    """Three Requests are set aside in an unknown order, all others lie open."""
    aside = list(REQUESTS[4][:3])
    chance.shuffle(aside)
    state = rigged(requests=REQUESTS[4][3:], set_aside=aside, market_supply=(5, 4, 3))
    state.chance = chance
    return state


SCENARIOS = {
    "cards face down while others pick": Scenario(
        start=_three_set_aside,
        answer=lambda state, chance: {
            seat: (decision.options[chance.below(len(decision.options))],)
            for seat, decision in cast("Pending", state.pending()).decisions.items()
        },
        steps=1,
        hidden=lambda state: (state.set_aside, state.selected if state.step == "choice" else []),
    ),
}
