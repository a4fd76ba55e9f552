"""What the other hands and the deck of Fish Food can hold, and how likely it is, by all that one seat has learnt.

Whatever a seat cannot see as its history begins is a *pile*: its cards are known, but not their places. So is each deck
that is reshuffled later. Everyone sees who draws, but not of which pile a card is that is laid down or taken; nor does
a seat see which cards other seats take of each other. *Hypotheses* are weighed about that. Each order of the piles is
equally likely, and each card of a hand as likely to be laid down: nothing is concluded from what a player may want.
Knows no state and no observation.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from arena.game import Seat
from arena.games.fish_food.cards import ACTION_LETTER

RESHUFFLE: Final = "~"
"""A move: the discarded Actions became the deck."""
DRAW: Final = "+"
TAKE: Final = "<"

HYPOTHESES: Final = 100
"""So many are weighed at once. Of more, likely ones stay and the others are thinned out, with the same total weight."""

_PLACE: Final = {letter: place for place, letter in enumerate(ACTION_LETTER.values())}
_KINDS: Final = len(_PLACE)

Counts: TypeAlias = tuple[int, ...]


class Hypothesis(NamedTuple):
    """What one seat supposes of the places of cards it cannot see."""

    hands: tuple[Counts, ...]
    """By seat: copies of each Action that are certainly in its hand, then how many more cards it has of each pile."""
    unseen: tuple[Counts, ...]
    """By pile: copies of each Action that nobody has shown since."""


Weights: TypeAlias = dict[Hypothesis, float]
_Step: TypeAlias = Iterator[tuple[Hypothesis, float]]


class History(NamedTuple):
    """What a seat has learnt of hands, as its observation has it."""

    seat: Seat
    start: tuple[int, ...]
    """By seat: the cards of its hand as the moves begin."""
    piles: tuple[Counts, ...]
    moves: tuple[str, ...]


_weighed: dict[Seat, tuple[History, Weights]] = {}
"""By seat the last history and what it led to: the next one mostly goes on from there."""


def odds(
    seat: Seat, *, hands: Sequence[int], piles: tuple[Counts, ...], moves: tuple[str, ...]
) -> dict[Hypothesis, float]:
    """All hypotheses that agree with what a seat has learnt, with their weights.

    Args:
        seat: who has learnt it.
        hands: by seat, the number of its cards now.
        piles: copies of each Action, of what the seat could not see as its history began, and of each deck since.
        moves: the history.

    Raises:
        ValueError: no hypothesis explains these moves.
    """
    history = History(seat, _start(hands, moves), piles, moves)
    memory = _weighed.get(seat)
    weights = _follow(history, memory, HYPOTHESES)
    most = HYPOTHESES
    while not weights and most < HYPOTHESES**3:
        # all that were kept have proved wrong
        most *= 10
        weights = _follow(history, None, most)
    if not weights:
        raise ValueError(f"expected moves that can be made with the piles {piles}, got {moves}")
    if most == HYPOTHESES:
        _weighed[seat] = history, weights
    return weights


def _start(hands: Sequence[int], moves: Sequence[str]) -> tuple[int, ...]:
    start = list(hands)
    for move in moves:
        if move != RESHUFFLE:
            seat, what = int(move[0]), move[1]
            if what == DRAW:
                start[seat] -= 1
            elif what == TAKE:
                start[seat] -= 1
                start[int(move[2])] += 1
            else:
                start[seat] += 1
    return tuple(start)


def _follow(history: History, memory: tuple[History, Weights] | None, most: int) -> Weights:
    """The weights of hypotheses after all moves, going on from what is known where that is the same history before."""
    seat, start, piles, moves = history
    done = 0
    none = (0,) * _KINDS
    weights: Weights = {
        Hypothesis(tuple([(*none, 0 if other == seat else cards) for other, cards in enumerate(start)]), piles[:1]): 1.0
    }
    if memory is not None:
        before, weights_before = memory
        decks, length = len(before.piles), len(before.moves)
        if before == (seat, start, piles[:decks], moves[:length]):
            weights, done = weights_before, length
    newest = moves[:done].count(RESHUFFLE)
    for move in moves[done:]:
        newest += move == RESHUFFLE
        weights = _after(weights, move, seat, piles[newest], most)
    return weights


def _after(weights: Weights, move: str, seat: Seat, newest: Counts, most: int) -> Weights:
    if move == RESHUFFLE:
        return {
            Hypothesis(tuple([(*hand, 0) for hand in hypothesis.hands]), (*hypothesis.unseen, newest)): weight
            for hypothesis, weight in weights.items()
        }
    who, what = int(move[0]), move[1]
    if what == DRAW and who != seat:
        return {_change_hand(hypothesis, who, -1, 1): weight for hypothesis, weight in weights.items()}
    after: Weights = {}
    for hypothesis, weight in weights.items():
        for successor, likely in _ways(hypothesis, move, seat):
            after[successor] = after.get(successor, 0.0) + weight * likely
    total = sum(after.values())
    if len(after) > most:
        after = _thinned(after, most)
    return {hypothesis: weight / total for hypothesis, weight in after.items()}


def _ways(hypothesis: Hypothesis, move: str, seat: Seat) -> _Step:
    """What a hypothesis leads to by one move, each with its likelihood but for a factor that all have."""
    who, what = int(move[0]), move[1]
    if what == DRAW:
        yield from _drawn(hypothesis, _PLACE[move[2]])
    elif what != TAKE:
        if who == seat:
            yield hypothesis, 1.0
        else:
            yield from _remove_card(hypothesis, who, _PLACE[what])
    elif (victim := int(move[2])) == seat:
        yield _change_hand(hypothesis, who, _PLACE[move[3]], 1), 1.0
    elif who == seat:
        yield from _remove_card(hypothesis, victim, _PLACE[move[3]])
    else:
        for kind, copies in enumerate(hypothesis.hands[victim]):
            if copies:
                yield _change_hand(_change_hand(hypothesis, victim, kind, -1), who, kind, 1), copies


def _drawn(hypothesis: Hypothesis, card: int) -> _Step:
    """The seat itself has drawn this card of the newest pile."""
    pile = hypothesis.unseen[-1]
    if pile[card]:
        yield _reveal_card(hypothesis, len(hypothesis.unseen) - 1, card), pile[card] / sum(pile)


def _remove_card(hypothesis: Hypothesis, who: Seat, card: int) -> _Step:
    """A card has left this hand openly: it was known to be there, or it is of one of the piles."""
    hand, unseen = hypothesis
    for kind, copies in enumerate(hand[who]):
        if not copies:
            continue
        if kind == card:
            yield _change_hand(hypothesis, who, kind, -1), copies
        elif kind >= _KINDS and unseen[kind - _KINDS][card]:
            pile = unseen[kind - _KINDS]
            likely = copies * pile[card] / sum(pile)
            yield _reveal_card(_change_hand(hypothesis, who, kind, -1), kind - _KINDS, card), likely


def _change_hand(hypothesis: Hypothesis, who: Seat, kind: int, more: int) -> Hypothesis:
    hands = list(hypothesis.hands)
    hand = list(hands[who])
    hand[kind] += more
    hands[who] = tuple(hand)
    return Hypothesis(tuple(hands), hypothesis.unseen)


def _reveal_card(hypothesis: Hypothesis, pile: int, card: int) -> Hypothesis:
    """The same with a card of this pile shown."""
    unseen = list(hypothesis.unseen)
    counts = list(unseen[pile])
    counts[card] -= 1
    unseen[pile] = tuple(counts)
    return Hypothesis(hypothesis.hands, tuple(unseen))


def _thinned(weights: Weights, most: int) -> Weights:
    """As many hypotheses as may be: the likely ones as they are, and of the rest each as often as it is likely.

    Those that are left of the rest have equal weights, so that nothing is left out on the whole (Fearnhead and
    Clifford, On-line inference for hidden Markov models via particle filters, 2003).
    """
    by_weight = sorted(weights.values(), reverse=True)
    rest, head = sum(by_weight), 0
    while by_weight[head] * (most - head) >= rest:
        rest -= by_weight[head]
        head += 1
    share = rest / (most - head)
    thinned: Weights = {}
    due = share / 2
    for hypothesis, weight in weights.items():
        if weight >= share:
            thinned[hypothesis] = weight
        else:
            due -= weight
            if due < 0:
                thinned[hypothesis] = share
                due += share
    return thinned
