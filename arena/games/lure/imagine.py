"""Makes up a whole table of Lure that one seat could be at. Is given an observation and chance, and nothing else."""

from collections.abc import Mapping, Sequence
from itertools import chain

from arena.chance import Chance
from arena.game import Seat, once_per_observation
from arena.games.lure.cards import ADJUST, D6, FISH, LURES, PLACE, SPECIAL_DICE, Die, Fish, Lure
from arena.games.lure.events import ADJUSTMENTS
from arena.games.lure.observation import Observation
from arena.games.lure.odds import DRAW, RESHUFFLE, Counts, Move, whereabouts
from arena.games.lure.player import CAST, Player
from arena.games.lure.rules import LureState

_BY_NAME = {fish.name: fish for fish in FISH}


def imagine(observation: Observation, chance: Chance) -> LureState:
    """A table on which ``observation.seat`` would observe just this, the unknown drawn from ``chance``.

    Fish that do not lie open are the deck and the removed ones, all orders equally likely (38). Lures that do not lie
    open are the pile and the others' hands, by the odds of ``odds`` once they were reshuffled (39). The others' secret
    dice and Adjusts are random legal ones.
    """
    seen = observation
    seat = seen.seat
    deck = _unseen_fish(seen).copy()
    chance.permute(deck)
    hands, drawn, pile = _lures(seen, chance)
    players = [
        Player(
            hands[other],
            [_BY_NAME[name] for name in seen.score_piles[other]],
            seen.boosts[other],
            seen.resting[other],
            seen.chosen if other == seat else _random_dice(seen, other, chance),
            seen.dice[other],
            seen.rolls[other],
            seen.played[other],
            seen.rolls[other],
            0,
            drawn[other],
        )
        for other in range(seen.seats)
    ]
    if seen.step == "adjust":
        if seat in seen.group:
            players[seat].numbers = seen.numbers
            players[seat].adjusts = seen.adjusts
        _imagine_adjusts(seen, players, chance)
    return LureState(
        Chance(chance.word().to_bytes(8, "little")),
        seen.effects,
        deck[: seen.deck],
        deck[seen.deck :],
        pile,
        players,
        seen.step,
        seen.round,
        list(seen.fish),
        dict(seen.discards),
        _waiting(seen),
        list(seen.group),
        [dict(pile) for pile in seen.piles],
        [list(moves) for moves in seen.moves],
        _stale(seen).copy(),
    )


@once_per_observation
def _unseen_fish(seen: Observation) -> list[Fish]:
    known = {fish.name for fish in seen.fish}
    known.update(*seen.score_piles)
    return [fish for fish in FISH if fish.name not in known]


def _lures(seen: Observation, chance: Chance) -> tuple[list[list[Lure]], list[list[list[Lure]]], list[Lure]]:
    """The lures of each seat, what each has drawn of each pile, and the draw pile."""
    others = [seat for seat in range(seen.seats) if seat != seen.seat]
    hands: list[list[Lure]] = [[] for _ in range(seen.seats)]
    drawn: list[list[list[Lure]]] = [[] for _ in range(seen.seats)]
    hands[seen.seat] = list(seen.lures)
    drawn[seen.seat] = [list(lures) for lures in seen.drawn]
    if seen.piles:
        whole = whereabouts(*_piles_and_moves(seen), chance)
        for seat, hand, taken in zip(others, whole.hands, whole.drawn, strict=True):
            hands[seat], drawn[seat] = sorted(hand, key=PLACE.__getitem__), taken
        return hands, drawn, whole.rest
    unseen = _unseen_lures(seen).copy()
    chance.permute(unseen)
    for seat in others:
        hands[seat] = sorted([unseen.pop() for _ in range(seen.held[seat])], key=PLACE.__getitem__)
    return hands, drawn, unseen


@once_per_observation
def _piles_and_moves(seen: Observation) -> tuple[tuple[Counts, ...], tuple[tuple[Move, ...], ...]]:
    piles = tuple([_without(pile, lures) for pile, lures in zip(seen.piles, seen.drawn, strict=True)])
    return piles, tuple([moves for seat, moves in enumerate(seen.moves) if seat != seen.seat])


def _without(pile: Mapping[Lure, int], lures: Sequence[Lure]) -> Counts:
    return tuple([pile.get(lure, 0) - lures.count(lure) for lure in LURES])


@once_per_observation
def _unseen_lures(seen: Observation) -> list[Lure]:
    left = LURES.copy()
    left["boost"] -= sum(seen.boosts)
    for lure, copies in seen.discards.items():
        left[lure] -= copies
    for lure in chain(seen.lures, *seen.played):
        left[lure] -= 1
    unseen: list[Lure] = []
    for lure, copies in left.items():
        unseen += [lure] * copies
    return unseen


@once_per_observation
def _stale(seen: Observation) -> list[Seat]:
    """The seats that may still hold a lure from before the last reshuffle: their hands have not been empty since."""
    stale: list[Seat] = []
    if not seen.piles:
        return stale
    for seat, moves in enumerate(seen.moves):
        held, newest = 0, moves.count(RESHUFFLE)
        since: list[int] = []
        for move in moves:
            newest -= move == RESHUFFLE
            held += (move == DRAW) - (move not in {DRAW, RESHUFFLE})
            if not newest:
                since.append(held)
        if since and all(since):
            stale.append(seat)
    return stale


def _random_dice(seen: Observation, seat: Seat, chance: Chance) -> tuple[Die, ...]:
    """While dice are chosen and not revealed: any number of the dice that do not rest."""
    if seen.step != "lures":
        return ()
    dice: list[Die] = list(CAST[seen.resting[seat]].options)
    chance.permute(dice)
    chosen = dice[: 1 + chance.below(len(dice))]
    return (D6,) * chosen.count(D6) + tuple([die for die in SPECIAL_DICE if die in chosen])


def _waiting(seen: Observation) -> list[Seat]:
    if seen.step != "adjust":
        return []
    seats = [seat for seat, roll in enumerate(seen.rolls) if not roll]
    return sorted(seats, key=lambda seat: len(seen.dice[seat]))


def _imagine_adjusts(seen: Observation, players: list[Player], chance: Chance) -> None:
    """Let the others of the group answer at random as often as they were asked before.

    Somebody is still asked. If the seat is not, the other seat that played most Adjusts is.
    """
    others = [seat for seat in seen.group if seat != seen.seat]
    asked = _times_asked(seen)
    eager = -1 if seen.adjusts else max(others, key=lambda seat: players[seat].played.count(ADJUST))
    for seat in others:
        player = players[seat]
        player.adjusts = player.played.count(ADJUST)
        for _ in range(min(asked, player.adjusts)):
            _answer(player, chance, goes_on=seat == eager)


def _times_asked(seen: Observation) -> int:
    """How often the group was asked before, at least, as the seat's own Adjusts show."""
    if seen.seat not in seen.group:
        return 0
    had = seen.played[seen.seat].count(ADJUST)
    if seen.adjusts:
        return had - seen.adjusts
    used = sum([abs(now - then) for now, then in zip(seen.numbers, seen.rolls[seen.seat], strict=True)])
    return min(used + 1, had)


def _answer(player: Player, chance: Chance, *, goes_on: bool) -> None:
    """Use an Adjust at random, or say done."""
    if not player.adjusts:
        return
    numbers = player.numbers
    options = [
        adjustment
        for index, (die, number) in enumerate(zip(player.dice, numbers, strict=True))
        for adjustment in ADJUSTMENTS[index, die, number]
    ]
    pick = chance.below(len(options) + (not goes_on))
    if pick == len(options):
        player.adjusts = 0
        return
    position = options[pick].at
    player.numbers = (*numbers[:position], numbers[position] + options[pick].by, *numbers[position + 1 :])
    player.adjusts -= 1
