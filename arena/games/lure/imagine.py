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
    obs = observation
    seat = obs.seat
    deck = _unseen_fish(obs).copy()
    chance.permute(deck)
    hands, drawn, pile = _lures(obs, chance)
    players = [
        Player(
            hands[other],
            [_BY_NAME[name] for name in obs.score_piles[other]],
            obs.boosts[other],
            obs.resting[other],
            obs.chosen if other == seat else _random_dice(obs, other, chance),
            obs.dice[other],
            obs.rolls[other],
            obs.played[other],
            obs.rolls[other],
            0,
            drawn[other],
        )
        for other in range(obs.seats)
    ]
    if obs.step == "adjust":
        if seat in obs.group:
            players[seat].numbers = obs.numbers
            players[seat].adjusts = obs.adjusts
        _imagine_adjusts(obs, players, chance)
    return LureState(
        Chance(chance.word().to_bytes(8, "little")),
        obs.effects,
        deck[: obs.deck],
        deck[obs.deck :],
        pile,
        players,
        obs.step,
        obs.round,
        list(obs.fish),
        dict(obs.discards),
        _waiting(obs),
        list(obs.group),
        [dict(pile) for pile in obs.piles],
        [list(moves) for moves in obs.moves],
        _stale(obs).copy(),
    )


@once_per_observation
def _unseen_fish(observation: Observation) -> list[Fish]:
    names = {fish.name for fish in observation.fish}
    names.update(*observation.score_piles)
    return [fish for fish in FISH if fish.name not in names]


def _lures(observation: Observation, chance: Chance) -> tuple[list[list[Lure]], list[list[list[Lure]]], list[Lure]]:
    """The lures of each seat, what each has drawn of each pile, and the draw pile."""
    others = [seat for seat in range(observation.seats) if seat != observation.seat]
    hands: list[list[Lure]] = [[] for _ in range(observation.seats)]
    drawn: list[list[list[Lure]]] = [[] for _ in range(observation.seats)]
    hands[observation.seat] = list(observation.lures)
    drawn[observation.seat] = [list(lures) for lures in observation.drawn]
    if observation.piles:
        sample = whereabouts(*_piles_and_moves(observation), chance)
        for seat, hand, draws in zip(others, sample.hands, sample.drawn, strict=True):
            hands[seat], drawn[seat] = sorted(hand, key=PLACE.__getitem__), draws
        return hands, drawn, sample.rest
    unseen = _unseen_lures(observation).copy()
    chance.permute(unseen)
    for seat in others:
        hands[seat] = sorted([unseen.pop() for _ in range(observation.held[seat])], key=PLACE.__getitem__)
    return hands, drawn, unseen


@once_per_observation
def _piles_and_moves(observation: Observation) -> tuple[tuple[Counts, ...], tuple[tuple[Move, ...], ...]]:
    piles = tuple([_without(pile, lures) for pile, lures in zip(observation.piles, observation.drawn, strict=True)])
    return piles, tuple([moves for seat, moves in enumerate(observation.moves) if seat != observation.seat])


def _without(pile: Mapping[Lure, int], lures: Sequence[Lure]) -> Counts:
    return tuple([pile.get(lure, 0) - lures.count(lure) for lure in LURES])


@once_per_observation
def _unseen_lures(observation: Observation) -> list[Lure]:
    counts = LURES.copy()
    counts["boost"] -= sum(observation.boosts)
    for lure, copies in observation.discards.items():
        counts[lure] -= copies
    for lure in chain(observation.lures, *observation.played):
        counts[lure] -= 1
    unseen: list[Lure] = []
    for lure, copies in counts.items():
        unseen += [lure] * copies
    return unseen


@once_per_observation
def _stale(observation: Observation) -> list[Seat]:
    """The seats that may still hold a lure from before the last reshuffle: their hands have not been empty since."""
    stale: list[Seat] = []
    if not observation.piles:
        return stale
    for seat, moves in enumerate(observation.moves):
        size, newest = 0, moves.count(RESHUFFLE)
        since: list[int] = []
        for move in moves:
            newest -= move == RESHUFFLE
            size += (move == DRAW) - (move not in {DRAW, RESHUFFLE})
            if not newest:
                since.append(size)
        if since and all(since):
            stale.append(seat)
    return stale


def _random_dice(observation: Observation, seat: Seat, chance: Chance) -> tuple[Die, ...]:
    """While dice are chosen and not revealed: any number of the dice that do not rest."""
    if observation.step != "lures":
        return ()
    dice: list[Die] = list(CAST[observation.resting[seat]].options)
    chance.permute(dice)
    cast = dice[: 1 + chance.below(len(dice))]
    return (D6,) * cast.count(D6) + tuple([die for die in SPECIAL_DICE if die in cast])


def _waiting(observation: Observation) -> list[Seat]:
    if observation.step != "adjust":
        return []
    seats = [seat for seat, roll in enumerate(observation.rolls) if not roll]
    return sorted(seats, key=lambda seat: len(observation.dice[seat]))


def _imagine_adjusts(observation: Observation, players: list[Player], chance: Chance) -> None:
    """Let the others of the group answer at random as often as they were asked before.

    Somebody is still asked. If the seat is not, the other seat that played most Adjusts is.
    """
    others = [seat for seat in observation.group if seat != observation.seat]
    times = _times_asked(observation)
    eager = -1 if observation.adjusts else max(others, key=lambda seat: players[seat].played.count(ADJUST))
    for seat in others:
        player = players[seat]
        player.adjusts = player.played.count(ADJUST)
        for _ in range(min(times, player.adjusts)):
            _answer(player, chance, goes_on=seat == eager)


def _times_asked(observation: Observation) -> int:
    """How often the group was asked before, at least, as the seat's own Adjusts show."""
    if observation.seat not in observation.group:
        return 0
    had = observation.played[observation.seat].count(ADJUST)
    if observation.adjusts:
        return had - observation.adjusts
    used = sum(
        [abs(now - then) for now, then in zip(observation.numbers, observation.rolls[observation.seat], strict=True)]
    )
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
