"""What the rules say of Love Letter, for the laws: the box, what a seat may not know, leaks to be found."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from love_letter.rules import LoveLetter
from msgspec import structs

from arena.chance import Chance
from arena.game import Chosen, Pending, Seat
from arena.laws.table import pick

PRIEST, BARON, PRINCE, KING = 2, 3, 5, 6


def census(state: LoveLetter) -> Counter[str]:
    """Sixteen cards: in the deck or aside, face up, in hands, played, laid down by a Prince or by whoever went out."""
    cards = [*state.face_up, *(card for hand in state.hands for card in hand)]
    for turn in state.turns:
        cards.append(turn.card)
        if turn.card == PRINCE:
            cards.append(turn.met)
        elif turn.out is not None:
            cards.append(turn.kept if turn.out == turn.seat else turn.met)
    left = [card for card, count in enumerate(state.left) for _ in range(count)]
    return Counter(f"card {card}" for card in cards + left)


def has_seen(state: LoveLetter, seat: Seat) -> dict[Seat, int]:
    """The cards of others that a seat has looked at, and that they hold still."""
    seen: dict[Seat, int] = {}
    for turn in state.turns:
        who, target = turn.seat, turn.target
        if seen.get(who) == turn.card:
            del seen[who]  # it may have been this one
        if target is None:
            seen.pop(turn.out if turn.out is not None else -1, None)
        elif turn.card == PRIEST and who == seat:
            seen[target] = turn.met
        elif turn.card == BARON and seat in {who, target}:
            seen |= {who: turn.kept, target: turn.met}
        elif turn.card == KING and seat in {who, target}:
            seen |= {who: turn.met, target: turn.kept}
        elif turn.card == KING:
            swapped = {who: seen.get(target, 0), target: seen.get(who, 0)}
            seen = {other: card for other, card in (seen | swapped).items() if card}
        elif turn.card == PRINCE:
            seen.pop(target, None)
        if turn.out is not None:
            seen.pop(turn.out, None)
    return {other: card for other, card in seen.items() if other != seat}


def redeal(state: LoveLetter, seat: Seat, rng: Random) -> LoveLetter:
    """Other cards in all hands but the own one, other than those it has seen; others drew and kept other cards."""
    world = state.copy()
    deck = [card for card, count in enumerate(state.left) for _ in range(count)]
    fixed = has_seen(state, seat)
    for other, hand in enumerate(world.hands):
        if other != seat:
            kept = [fixed[other]] if other in fixed else []
            deck += hand
            for card in kept:
                deck.remove(card)
            rng.shuffle(deck)
            world.hands[other] = kept + [deck.pop() for _ in hand[len(kept) :]]
    world.left = [deck.count(card) for card in range(len(state.left))]
    world.first = [card if number == seat else rng.randint(1, 8) for number, card in enumerate(state.first)]
    world.turns = [structs.replace(turn, drew=rng.randint(1, 8)) if turn.seat != seat else turn for turn in state.turns]
    world.chance = Chance(rng.randbytes(32))
    return world


def blind(state: LoveLetter, dice: Chance) -> Chosen:
    """Either card where both may be played, whatever they are; then any way to play it."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    chosen = {}
    for seat, decision in pending.decisions.items():
        cards = [card for card in state.hands[seat] if any(play.card == card for play in decision.options)]
        card = cards[dice.below(len(cards))]
        plays = tuple(play for play in decision.options if play.card == card)
        chosen[seat] = pick(structs.replace(decision, options=plays), dice)
    return chosen


LEAKS: dict[str, Callable[[Any, Seat], object]] = {
    "the next seat's hand": lambda state, seat: state.hands[(seat + 1) % state.seats :][:1],
    "the highest card": lambda state, seat: (seat, max(map(max, filter(None, state.hands)), default=0)),
    "what is left": lambda state, seat: (seat, state.left),
    "what others drew": lambda state, seat: (seat, [turn.drew for turn in state.turns]),
    "the chance": lambda state, seat: (seat, state.chance),
}
