"""Dockfight for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from arena.chance import Chance
from arena.game import Chosen, Seat
from arena.games.dockfight.cards import COPIES, DAYS
from arena.games.dockfight.rules import Dockfight, Player
from arena.laws.odds import Scenario

PILES = ("draw_pile",)
"""Hidden piles: any card may be next."""


def census(state: Dockfight) -> Counter[str]:
    """Every Day card, whichever zone it lies in, and Fisherman Frank."""
    days = Counter(dict(zip(DAYS, state.discard_pile, strict=True)))
    days.update(state.draw_pile)
    days.update(state.cast)
    for player in state.players:
        days.update(player.livewell)
        days.update(player.stringers * 3)
        days.update(player.broken_hauls * 2)
    franks = (state.frank is None) + sum(state.frank == seat for seat in range(len(state.players)))
    return Counter({f"Day {day}": copies for day, copies in days.items()}) + Counter({"Fisherman Frank": franks})


def redeal(state: Dockfight, seat: Seat, rng: Random) -> Dockfight:
    """A copy with a new order of the draw pile and new opening cards in the LIVEWELLs of the others.

    Ruling 36: of a LIVEWELL, the others know all but what is left of the opening hand, and of that, that no Day was
    there three times at a BUILD, nor once beside a BROKEN HAUL (``at_most`` keeps the account).
    """
    world = state.copy()
    others = [player for owner, player in enumerate(world.players) if owner != seat]
    pool = world.draw_pile + [day for player in others for day in player.unseen]
    rng.shuffle(pool)
    while (hands := _dealt(pool, others)) is None:
        rng.shuffle(pool)
    for player, hand in zip(others, hands, strict=True):
        for day in player.unseen:
            player.livewell.remove(day)
        for day in hand:
            pool.remove(day)
        player.unseen = sorted(hand)
        player.livewell = sorted(player.livewell + hand)
    world.draw_pile = pool
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    return world


def _dealt(pool: Sequence[int], players: Iterable[Player]) -> list[list[int]] | None:
    """As many cards as each has unseen, from the front of the pool, or None if what was built rules that out."""
    left, hands = list(pool), []
    for player in players:
        hand: list[int] = []
        for _ in player.unseen:
            fits = (day for day in left if not player.at_most or hand.count(day) < player.at_most[day - 1])
            day = next(fits, None)
            if day is None:
                return None
            left.remove(day)
            hand.append(day)
        hands.append(hand)
    return hands


def order(state: Dockfight, seat: Seat) -> object:
    """Who has won on its own turn, then most sets, then their Days from the highest down, then Frank."""
    sets = state.players[seat].stringers
    won = state.frank == seat == state.turn and len(sets) >= 3
    return won, len(sets), sorted(sets, reverse=True), state.frank == seat


def _hidden(state: Dockfight, seat: Seat) -> list[list[int]]:
    return [player.livewell for owner, player in enumerate(state.players) if owner != seat]


LEAKS: dict[str, Callable[[Dockfight, Seat], object]] = {
    "the next card": lambda state, seat: (state.observe(seat), state.draw_pile[-1:]),
    "the last card": lambda state, seat: (state.observe(seat), state.draw_pile[:1]),
    "the other LIVEWELLs": lambda state, seat: (state.observe(seat), _hidden(state, seat)),
    "who holds the highest card": lambda state, _: [max(player.livewell, default=0) for player in state.players],
    "how many Days are in the other LIVEWELLs": lambda state, seat: [len(set(days)) for days in _hidden(state, seat)],
    "whether a pair waits for its third": lambda state, seat: [
        any(days.count(day) > 1 for day in days) for days in _hidden(state, seat)
    ],
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
    "the options of others": lambda state, _: state.pending(),
    "whether a HIT would bust": lambda state, seat: (state.observe(seat), state.draw_pile[-1:] == state.cast[-1:]),
    "the whole observation of the next seat": lambda state, seat: state.observe((seat + 1) % len(state.players)),
}


def rigged(
    livewells: Sequence[Sequence[int]],
    *,
    draws: Sequence[int] | None = None,
    stringers: Mapping[Seat, Sequence[int]] | None = None,
    broken_hauls: Mapping[Seat, Sequence[int]] | None = None,
    unseen: Mapping[Seat, Sequence[int]] | None = None,
    frank: Seat | None = None,
    protected: Sequence[Seat] = (),
    turn: Seat = 0,
) -> Dockfight:
    """A table set up by hand, ``turn`` about to HIT or STOP; without ``draws`` the rest is drawn, Days upwards."""
    stringers, broken_hauls, unseen = stringers or {}, broken_hauls or {}, unseen or {}
    players = [
        Player(
            sorted(livewell),
            sorted(unseen.get(seat, ())),
            [],
            list(stringers.get(seat, ())),
            list(broken_hauls.get(seat, ())),
            seat in protected,
        )
        for seat, livewell in enumerate(livewells)
    ]
    pile = list(reversed(draws or ()))
    state = Dockfight(Chance(bytes(32)), pile, players, turn, [0] * len(DAYS), frank=frank)
    laid = census(state)
    rest = {day: COPIES[len(players)] - laid[f"Day {day}"] for day in DAYS}
    if min(rest.values()) < 0:
        raise ValueError(f"expected at most {COPIES[len(players)]} copies of each Day, got {laid}")
    if draws is None:
        state.draw_pile = [day for day in reversed(DAYS) for _ in range(rest[day])]
    else:
        state.discard_pile = list(rest.values())
    return state


RIGGED: dict[str, Callable[..., Dockfight]] = {
    "by hand": rigged,
    "one card left": lambda: rigged([[1, 2], [3, 4]], draws=[5]),
    "a swipe wins": lambda: rigged([[1, 2, 4, 7, 7, 7], [3, 4]], stringers={0: [11, 12]}, frank=1),
    "a cut rebuilds": lambda: rigged([[1, 2, 4], [3, 4]], stringers={1: [11, 12]}, broken_hauls={0: [12]}),
}


def _dealt_anew(chance: Chance) -> Dockfight:
    """Of six cards that are dealt again seat 1 has two and seat 2 one; seat 1 can get four cards of Day 1."""
    days = [1, 1, 1, 2, 2, 3]
    chance.shuffle(days)
    unseen = {1: days[:2], 2: days[2:3]}
    state = rigged([[5, 6], [1, *unseen[1]], [2, 2, *unseen[2]]], unseen=unseen, draws=days[3:])
    state.chance = chance
    return state


def _one_hits(state: Dockfight, _chance: Chance) -> Chosen:
    hits = state.turn == 1 and not state.cast
    return {state.turn: ({"hit": "hit" if hits else "stop", "move": "none"}[state.step],)}


def _stops(state: Dockfight, _chance: Chance) -> Chosen:
    return {state.turn: ({"hit": "stop", "move": "none"}[state.step],)}


def hidden(state: Dockfight) -> object:
    """The LIVEWELLs and the draw pile."""
    return [sorted(player.livewell) for player in state.players], state.draw_pile


SCENARIOS = {
    "a round in which all stop": Scenario(_dealt_anew, _stops, 5, hidden),
    "a round in which one hits": Scenario(_dealt_anew, _one_hits, 6, hidden),
}
