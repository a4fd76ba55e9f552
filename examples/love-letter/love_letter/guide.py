"""What the bot ``search`` is told of Love Letter: others play as ``greedy`` does, straight from the imagined state."""

from arena.game import Decision, Seat
from arena.search import Guide
from love_letter.greedy import best
from love_letter.rules import LoveLetter, known


def guide() -> Guide:
    """A round is short, so it is played to its end."""
    return Guide(quick=quick)


def quick(state: LoveLetter, seat: Seat, decision: Decision) -> tuple[int, ...]:
    """What ``greedy`` answers."""
    turns = tuple([turn.seen_by(seat) for turn in state.turns])
    knows, hand = known(turns, seat, state.seats), state.hands[seat]
    # all that is left, and all that others hold but for what is known
    unseen = state.left.copy()
    for other, cards in enumerate(state.hands):
        if other != seat:
            for card in cards:
                unseen[card] += 1
    for card in knows:
        unseen[card] -= 1
    plays = [(play.card, play.target, play.guess) for play in decision.options]
    return (best(plays, hand=sorted(hand), knows=knows, unseen=unseen, seat=seat),)
