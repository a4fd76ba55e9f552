"""Whole matches for the tests, played at random on a known deal."""

from typing import NamedTuple

from msgspec.structs import replace

from arena.chance import Chance
from arena.fault import Fault
from arena.game import Game, Pending, State
from arena.games import find
from arena.record import Record

SEED = bytes(range(32))


class Match(NamedTuple):
    """A record with the game and the deal it was played on."""

    game: Game
    record: Record

    @property
    def state(self) -> State:
        """The deal, fresh."""
        return self.game.deal(len(self.record.bots), SEED, self.record.variants)


def match(
    name: str,
    *,
    seats: int = 0,
    variants: dict[str, str] | None = None,
    faults: tuple[Fault, ...] = (),
    bots: tuple[str, ...] = (),
) -> Match:
    """A match of so many seats, usually the usual ones, answered by chance; every answer took a millisecond."""
    game = find(name)
    seats = seats or game.usual_seats
    settled = game.resolve_variants(variants or {})
    state = game.deal(seats, SEED, settled)
    luck = Chance(b"answers")
    picks: list[tuple[int, ...]] = []
    asked: list[int] = []
    while isinstance(pending := state.pending(), Pending):
        chosen = {}
        for seat, decision in sorted(pending.decisions.items()):
            if decision.forced:
                chosen[seat] = decision.silence
                continue
            indexes = list(range(len(decision.options)))
            luck.shuffle(indexes)
            taken = tuple(indexes[: decision.least + luck.below(decision.most - decision.least + 1)])
            chosen[seat] = decision.take(taken)
            picks.append(taken)
            asked.append(seat)
        state.apply(chosen)
    record = Record(
        id="e0b0r0",
        game=name,
        version=game.version,
        bots=bots or tuple(f"bot-{seat}" for seat in range(seats)),
        ranks=pending.ranks,
        scores=pending.scores,
        reason="finished",
        variants=settled,
        picks=tuple(picks),
        seats_asked=tuple(asked),
        micros=(1000,) * len(picks),
    )
    return Match(game, replace(record, faults=faults))
