"""Fish Food for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found."""

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
    SCHOOL_AT_MOST,
    Action,
    Encounter,
)
from arena.games.fish_food.events import Play
from arena.games.fish_food.observation import EventCards, Mode, Ties
from arena.games.fish_food.rules import FishFood, hand_limit
from arena.laws.odds import Scenario
from arena.laws.table import answers, silence

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
    if state.piles:
        # nobody else's memory of hands is the seat's to know
        world.piles = [piles if other == seat else () for other, piles in enumerate(state.piles)]
        world.moves = [moves[:] if other == seat else [] for other, moves in enumerate(state.moves)]
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
    most = _deck_at_most(state, seat) or dict(hidden)
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


def _deck_at_most(state: FishFood, seat: Seat) -> dict[Action, int]:
    """What the last reshuffle was made of, less what the seat has drawn since; nothing before the first."""
    moves = state.moves[seat] if state.moves else []
    if "~" not in moves:
        return {}
    since = moves[len(moves) - moves[::-1].index("~") :]
    drawn = [move[2] for move in since if move.startswith(f"{seat}+")]
    left = zip(ACTIONS, state.piles[seat][-1], "abcdefgh", strict=True)
    return {card: copies - drawn.count(letter) for card, copies, letter in left}


def _or_the_deck(leak: Callable[[FishFood, Seat], object]) -> Callable[[FishFood, Seat], object]:
    """In the Simple variation there are no hands: there a leak of hands tells the next Encounter card instead."""
    return lambda state, seat: state.encounter_deck[-1:] if state.mode == "simple" else leak(state, seat)


def order(state: FishFood, seat: Seat) -> object:
    """Whoever is in the game by size, then those who are out, the later the better."""
    return state.sizes[seat], -1 if state.sizes[seat] else state.out[seat]


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
    """A table set up by hand, not opened yet; ``encounters`` and ``draws`` come first, ``rest`` is where others lie."""
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


def hidden(state: FishFood) -> object:
    """The hands and the decks, but not what the others remember of hands."""
    return {"hands": state.hands, "actions": state.action_deck, "encounters": state.encounter_deck}


def blind(state: FishFood, chance: Chance) -> Chosen:
    """All play and discard any card of their hands, each as likely, and mostly pass."""
    pending = cast("Pending", state.pending())
    if state.step == "end of turn":
        return {seat: _any_cards(state.hands[seat], cut.least, chance) for seat, cut in pending.decisions.items()}
    if state.step != "play":
        return answers(pending, chance)
    if chance.below(3) or not _all_are_playable(state):
        return silence(pending)
    (card,) = _any_cards(state.hands[state.player], 1, chance)
    plays = [play for play in state.options(state.player) if isinstance(play, Play) and play.card == card]
    return {state.player: (plays[chance.below(len(plays))],)}


def _any_cards(hand: Sequence[Action], number: int, chance: Chance) -> tuple[Action, ...]:
    cards = list(hand)
    chance.shuffle(cards)
    return tuple(cards[:number])


def _all_are_playable(state: FishFood) -> bool:
    """Whether each Action that there is has a target for the player."""
    others = [seat for seat in state.players if seat != state.player]
    small = [size for size in (*state.sizes, state.encounter) if isinstance(size, int) and 0 < size <= SCHOOL_AT_MOST]
    return bool(small and set(others) - set(state.stunned) and any(state.hands[seat] for seat in others))


def _lost_at_sea(chance: Chance, *, holders: Sequence[Seat]) -> FishFood:
    """These seats hold Lost at Sea; five other cards of the hands are dealt again."""
    cards: list[Action] = ["Fish Food", "Fish Food", "Caught in the Net", "Caught in the Net", "Stun"]
    chance.shuffle(cards)
    hands: list[list[Action]] = [cards[:1], cards[1:3], cards[3:]]
    for seat in holders:
        hands[seat].append("Lost at Sea")
    state = rigged(hands, encounters=[1, 1, 1, 1], rest="discards")
    state.chance = chance
    return state


def _robs(state: FishFood, chance: Chance, *, times: int) -> Chosen:
    """The next seat is robbed by each who can; the others pass until it was done so many times, then all play on."""
    if state.step == "play":
        for play in state.options(state.player):
            if isinstance(play, Play) and play.card == "Lost at Sea":
                return {state.player: (play,)}
        if state.played.count("Lost at Sea") == times:
            return _plays_on(state, chance)
    return silence(cast("Pending", state.pending()))


def _plays_on(state: FishFood, chance: Chance) -> Chosen:
    """Any card of the hand, each as likely, on the first target; every other time none."""
    if state.step != "play" or not chance.below(2):
        return silence(cast("Pending", state.pending()))
    hand = state.hands[state.player]
    card = hand[chance.below(len(hand))]
    plays = [play for play in state.options(state.player) if isinstance(play, Play) and play.card == card]
    return {state.player: (plays[0],)}


def _reshuffled(chance: Chance) -> FishFood:
    """The deck has run out: seat 1 draws of three discards, while all hold old cards."""
    cards: list[Action] = ["Fish Food", "Fish Food", "Sunken Treasure", "Sunken Treasure", "Caught in the Net"]
    chance.shuffle(cards)
    new: list[Action] = ["Fish Food", "Caught in the Net", "Caught in the Net"]
    state = rigged([cards[:1], cards[1:3], cards[3:]], encounters=[1, 1, 1, 1], rest="discards", turn=3, first=1)
    left = Counter(ACTIONS) - Counter(new) - Counter(cards)
    # what is neither dealt nor discarded lies on the table, played this turn
    state.played = list(left.elements())
    state.action_discards = [Counter(new)[card] for card in ACTIONS]
    state.chance = chance
    return state


SCENARIOS = {
    "reshuffled": Scenario(_reshuffled, _plays_on, 4, hidden),
    "robbed whole": Scenario(partial(_lost_at_sea, holders=[0]), partial(_robs, times=1), 3, hidden),
    "robbed, and robbed again": Scenario(partial(_lost_at_sea, holders=[0, 2]), partial(_robs, times=2), 5, hidden),
}
