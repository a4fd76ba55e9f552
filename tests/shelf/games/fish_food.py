"""Fish Food for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found.

Written from the rules' *Who sees what*; never asks ``observe`` what a seat knows, except to add a leak to it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import cast

from arena.chance import Chance
from arena.game import Chosen, Pending, Seat
from arena.games.fish_food.cards import (
    ACTION_PLACE,
    ACTIONS,
    BEGINNER_ACTIONS,
    CREATURES,
    ENCOUNTER_COPIES,
    EVENTS,
    Action,
    Encounter,
)
from arena.games.fish_food.events import Play
from arena.games.fish_food.observation import EventCards, Mode, Ties
from arena.games.fish_food.rules import FishFood, hand_limit
from arena.laws.odds import Scenario
from arena.laws.table import silence

TRIES = 200

PILES = ("action_deck", "encounter_deck")
"""Hidden piles: any card may be next."""


def census(state: FishFood) -> Counter[str]:
    """Every Action and Encounter card that takes part, wherever it lies; Events may be out of the game."""
    cards: Counter[str] = Counter(dict(zip(ACTIONS, state.action_discards, strict=True)))
    cards.update(state.action_deck)
    cards.update(state.played)
    for hand in state.hands:
        cards.update(hand)
    encounters = Counter(dict(zip(ENCOUNTER_COPIES, state.encounter_discards, strict=True)))
    encounters.update(dict(zip(EVENTS, state.removed, strict=True)))
    encounters.update(state.encounter_deck)
    encounters.update([state.encounter] if state.encounter is not None else [])
    cards.update({str(card): copies for card, copies in encounters.items()})
    return cards


def redeal(state: FishFood, seat: Seat, rng: Random) -> FishFood:
    """A copy with new orders of both decks and new cards in the hands of the others.

    The seat knows the cards that Lost at Sea took from it, as long as they must be where they went (ruling 45); what a
    reshuffled deck was made of, and which of that it has drawn itself; and that whoever is asked has something to
    decide. What two others know of each other is dealt again with their hands.
    """
    world = state.copy()
    rng.shuffle(world.encounter_deck)
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    world.deck_at_most = [state.deck_at_most[seat].copy() for _ in state.deck_at_most]
    for _ in range(TRIES):
        _deal_anew(world, state, seat, rng)
        pending = world.pending()
        if world.step not in ("play", "end of turn") or any(
            not decision.forced for decision in getattr(pending, "decisions", {}).values()
        ):
            return world
    raise AssertionError(f"expected a deal in which somebody is asked, got none in {TRIES}")


def _deal_anew(world: FishFood, state: FishFood, seat: Seat, rng: Random) -> None:
    """New cards for the Actions deck and the other hands."""
    known: dict[Seat, list[Action]] = {other: [] for other in range(len(state.hands))}
    for who, whose, card in (*state.known, *state.followed):
        if who == seat:
            known[whose].append(card)
    hidden = Counter(state.action_deck)
    for other, hand in enumerate(state.hands):
        if other != seat:
            hidden.update(hand)
            hidden.subtract(known[other])
    # What the deck cannot hold lies in a hand for sure; of the rest nobody can tell.
    most = dict(zip(ACTIONS, state.deck_at_most[seat], strict=True)) if state.deck_at_most else dict(hidden)
    either = [card for card, copies in hidden.items() for _ in range(min(copies, most[card]))]
    rng.shuffle(either)
    cards_in_deck = len(state.action_deck)
    world.action_deck = either[:cards_in_deck]
    in_hands = either[cards_in_deck:] + [
        card for card, copies in hidden.items() for _ in range(max(0, copies - most[card]))
    ]
    rng.shuffle(in_hands)
    for other, hand in enumerate(state.hands):
        if other != seat:
            dealt = known[other] + [in_hands.pop() for _ in range(len(hand) - len(known[other]))]
            world.hands[other] = sorted(dealt, key=ACTION_PLACE.__getitem__)
    world.known = [entry for entry in state.known if seat in entry[:2]]
    among_others = Counter(entry[:2] for entry in state.known if seat not in entry[:2])
    for (who, whose), cards in among_others.items():
        world.known += [(who, whose, card) for card in rng.sample(world.hands[whose], cards)]
    # Who follows the cards of a hand robbed whole does so unknown to the robber, the seat itself for one.
    world.followed = [entry for entry in state.followed if entry[0] == seat]


def _or_the_deck(leak: Callable[[FishFood, Seat], object]) -> Callable[[FishFood, Seat], object]:
    """In the Simple variation there are no hands: there a leak of hands tells the next Encounter card instead."""
    return lambda state, seat: state.encounter_deck[-1:] if state.mode == "simple" else leak(state, seat)


def _others(state: FishFood, seat: Seat) -> list[list[Action]]:
    return [hand for owner, hand in enumerate(state.hands) if owner != seat]


LEAKS: dict[str, Callable[[FishFood, Seat], object]] = {
    "the next Encounter": lambda state, seat: (state.observe(seat), state.encounter_deck[-1:]),
    "the last Encounter": lambda state, seat: (state.observe(seat), state.encounter_deck[:1]),
    "what the next Encounters add up to": lambda state, _: sum(
        [card for card in state.encounter_deck[-4:] if isinstance(card, int)]
    ),
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
    "how often chance was asked": lambda state, seat: (state.observe(seat), state.chance.drawn),
    "the next Action": _or_the_deck(lambda state, seat: (state.observe(seat), state.action_deck[-1:])),
    "the other hands": _or_the_deck(lambda state, seat: (state.observe(seat), _others(state, seat))),
    "who can net a fish": _or_the_deck(
        lambda state, seat: ["Caught in the Net" in hand for hand in _others(state, seat)]
    ),
    "how many kinds are in the other hands": _or_the_deck(
        lambda state, seat: [len(set(hand)) for hand in _others(state, seat)]
    ),
    "the options of others": _or_the_deck(lambda state, _: state.pending()),
    "the whole observation of the next seat": _or_the_deck(
        lambda state, seat: state.observe((seat + 1) % len(state.sizes))
    ),
}


def rigged(
    hands: Sequence[Sequence[Action]],
    *,
    encounters: Sequence[Encounter] = (),
    draws: Sequence[Action] = (),
    rest: str = "deck",
    sizes: Sequence[int] = (),
    out: Mapping[Seat, int] | None = None,
    first: Seat = 0,
    turn: int = 0,
    mode: Mode = "standard",
    event_cards: EventCards = "keep",
    ties: Ties = "win",
) -> FishFood:
    """A table set up by hand and not opened yet: ``apply({})`` begins the turn of ``first``.

    Args:
        hands: by seat; ``[]`` for each in the Simple variation.
        encounters: the cards flipped first, in order.
        draws: the Actions drawn first, in order.
        rest: where all other cards lie: in the ``deck`` below those, smallest creatures and Fish Food first, or with
            the ``discards``.
        sizes: by seat; 3 each unless told.
        out: the turn in which a seat of size 0 went out.
        first: whose turn it is.
        turn: the turns that have been played; in the first nobody draws.
        mode: the variant, like the other two.
        event_cards: the variant ``events``.
        ties: the variant.

    Raises:
        ValueError: more copies of a card are laid out than there are.
    """
    seats, out = len(hands), out or {}
    all_actions: Mapping[Action, int] = ACTIONS
    if mode != "standard":
        all_actions = {card: ACTIONS[card] for card in (BEGINNER_ACTIONS if mode == "beginner" else ())}
    actions = Counter(all_actions)
    actions.subtract([card for hand in hands for card in hand])
    actions.subtract(draws)
    cards = Counter(CREATURES if event_cards == "off" else ENCOUNTER_COPIES)
    cards.subtract(encounters)
    if min([*actions.values(), *cards.values()]) < 0:
        raise ValueError(f"expected no more cards than there are, got {hands}, {draws} and {encounters}")
    action_deck, encounter_deck = list(reversed(draws)), list(reversed(encounters))
    if rest == "deck":
        action_deck = [*reversed(list(actions.elements())), *action_deck]
        encounter_deck = [*reversed(list(cards.elements())), *encounter_deck]
        actions.clear()
        cards.clear()
    sizes = list(sizes) or [3] * seats
    return FishFood(
        chance=Chance(bytes(32)),
        mode=mode,
        event_cards=event_cards,
        ties=ties,
        hand_limit=hand_limit(seats, mode),
        action_deck=action_deck,
        encounter_deck=encounter_deck,
        hands=[sorted(hand, key=ACTION_PLACE.__getitem__) for hand in hands],
        current_player=first,
        players=tuple(seat for seat, size in enumerate(sizes) if size),
        sizes=sizes,
        out=[out.get(seat, 0) for seat in range(seats)],
        modifiers=[0] * seats,
        action_discards=[actions[card] for card in ACTIONS],
        encounter_discards=[cards[card] for card in ENCOUNTER_COPIES],
        removed=[0] * len(EVENTS),
        turn=turn,
    )


RIGGED: dict[str, Callable[..., FishFood]] = {
    "by hand": rigged,
    "the example turn": lambda: rigged(
        [["School of Fish", "Fish Food"], ["Caught in the Net"], ["Fish Food", "Stun"]], encounters=[7]
    ),
    "a hand above the limit": lambda: rigged([["Fish Food"] * 7, ["Stun"]], draws=["Stun"], encounters=[1], turn=3),
    "the deck runs out": lambda: rigged([["Fish Food"], ["Stun"]], draws=["Stun"], encounters=[1], rest="discards"),
}


def _lost_at_sea(rng: Random, *, holders: int) -> FishFood:
    """The first seats hold Lost at Sea; the other cards of the hands and three to draw are dealt again."""
    cards: list[Action] = ["Fish Food", "Fish Food", "Fish Food", "Caught in the Net", "Caught in the Net", "Stun"]
    cards += ["Caught in the Net", "Swim Away", "Stun"]
    rng.shuffle(cards)
    hands = [[cards.pop() for _ in range(number)] for number in (1, 2, 2)]
    for hand in hands[:holders]:
        hand.append("Lost at Sea")
    state = rigged(hands, encounters=[1, 1, 1, 1], draws=cards, rest="discards", turn=3)
    state.chance = Chance(rng.randbytes(32))
    state.encounter_discards = [0] * len(state.encounter_discards)
    return state


def _robs(state: FishFood, _rng: Random) -> Chosen:
    """Whoever has Lost at Sea plays it on the next seat as long as he may; all others pass or discard the first."""
    pending = state.pending()
    chosen: Chosen = silence(cast("Pending", pending))
    options = state.options(state.player) if state.step == "play" else ()
    for play in options:
        if isinstance(play, Play) and play.card == "Lost at Sea":
            return {state.player: (play,)}
    return chosen


def _reshuffled(rng: Random) -> FishFood:
    """The deck has run out: seat 1 draws of three discards, while all hold two old cards each."""
    cards: list[Action] = ["Fish Food", "Fish Food", "Stun", "Stun", "Swim Away", "Swim Away"]
    rng.shuffle(cards)
    new: list[Action] = ["Fish Food", "Caught in the Net", "Caught in the Net"]
    state = rigged([cards[:2], cards[2:4], cards[4:]], encounters=[1, 1, 1, 1], rest="discards", turn=3, first=1)
    left = Counter(ACTIONS) - Counter(new) - Counter(cards)
    # what is neither dealt nor discarded lies on the table, played this turn
    state.played = list(left.elements())
    state.action_discards = [Counter(new)[card] for card in ACTIONS]
    state.chance = Chance(rng.randbytes(32))
    return state


SCENARIOS = {
    "reshuffled": Scenario(
        _reshuffled,
        lambda state, _: silence(cast("Pending", state.pending())),
        2,
        lambda state: (state.hands, sorted(state.action_deck)),
    ),
    "robbed whole": Scenario(
        partial(_lost_at_sea, holders=1), _robs, 2, lambda state: (state.hands, state.action_deck)
    ),
    "robbed, and robbed again": Scenario(
        partial(_lost_at_sea, holders=2), _robs, 4, lambda state: (state.hands, state.action_deck)
    ),
}
