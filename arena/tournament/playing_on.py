"""A recorded match played on from one of its decisions, with another bot: as the cards lay, and with fresh chance.

The first part is the record itself. The rest is played by lanes as any match is, from a saved state.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from secrets import token_hex
from statistics import fmean, stdev

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena import record as records
from arena.chance import Chance
from arena.errors import HostError, UsageError
from arena.game import Game, Seat, State
from arena.identity import bot_of
from arena.players.botfile import BotFile
from arena.players.launch import Launch
from arena.ratings.quantiles import SIDE, student
from arena.record import Record
from arena.referee import Match
from arena.retelling import retell
from arena.tournament import cores, roster
from arena.tournament.folder import Manifest, RunFolder, deal_again
from arena.tournament.lane_messages import MatchOver, PlayUnit
from arena.tournament.lanes import Lanes
from arena.tournament.secrets import Secret
from arena.tournament.settings import IsolationChoice
from arena.tournament.verification import found_again, policy_of

_NEW = "new"
"""What the bot that is tried is called among the others."""
_TOGETHER = 10
"""Matches of a unit."""


class PlayedOn(Struct, frozen=True, kw_only=True):
    """How a seat ended: in the match as it was, as its cards lay, and on fresh tables that it could not tell from that.

    Each is a place, from 1, and a score.
    """

    recorded: tuple[float, float]
    same: tuple[float, float]
    fresh: list[tuple[float, float]]

    def lines(self) -> Iterator[str]:
        """In words, with the 95 % of each mean."""
        yield "recorded: place {:g}, score {:g}".format(*self.recorded)
        yield "as the cards lay: place {:g}, score {:g}".format(*self.same)
        places, scores = ([figures[kind] for figures in self.fresh] for kind in (0, 1))
        if len(places) > 1:
            yield f"in {len(places)} fresh matches from there: mean place {_mean(places)}, mean score {_mean(scores)}"


def _mean(values: Sequence[float]) -> str:
    half = student(SIDE, len(values) - 1) * stdev(values) / sqrt(len(values))
    return f"{fmean(values):.2f} +-{half:.2f}"


def state_before(record: Record, state: State, decision: int) -> State:
    """The table at which a decision of a match was asked, from its fresh deal."""
    before = state.copy()
    for step in retell(record, state):
        if step.first + len(step.pending.seats) > decision:
            break
        before = state.copy()
    return before


def play_on(
    folder: RunFolder,
    manifest: Manifest,
    record: Record,
    bot: BotFile,
    *,
    decision: int,
    seat: Seat,
    others: Sequence[str] = (),
    matches: int,
    isolation: IsolationChoice = "auto",
) -> PlayedOn:
    """Play on from a decision with this bot in the seat and the bots of the run in the others.

    Args:
        folder: of the run.
        manifest: of the run.
        record: the match.
        bot: who sits in the seat now.
        decision: of the record's ``picks``: the table is as it was when that was asked.
        seat: where the bot sits; fresh tables are imagined from what this seat had learnt.
        others: bots of the run that do not ship with arena.
        matches: how many fresh tables.
        isolation: what bots may touch.

    Raises:
        UsageError, BotError: a bot is not there, or cannot start.
        DamagedError, HostError: the record does not follow from its deal; this machine fails.
    """
    if decision < 0:
        raise UsageError("expected the decision to play on from, got none; such as --decision 41", option="decision")
    game, state = deal_again(folder.secrets_of(manifest), record)
    start = state_before(record, state, decision)
    again, lacking = found_again(manifest, others)
    names = [_NEW if place == seat else name for place, name in enumerate(record.bots)]
    for name in names:
        if name in lacking:
            raise UsageError(f"bot {name}: {lacking[name]}; such as --with NAME=BOT")
    beside = {bot_of(name): again[name] for name in names if name != _NEW}
    field = [replace(bot, name=_NEW), *beside.values()]
    secret = Secret.of(token_hex(8))
    dice = Chance(secret.schedule(0))
    states = [start, *(game.imagine(start.observe(seat), dice) for _ in range(matches))]
    with Lanes(cores.count_lanes()) as lanes:
        policy = policy_of(folder, manifest, field, isolation, lanes)
        rules = replace(manifest, debug="")
        launches, failures = roster.start(lanes, rules, game, field, policy)
        roster.refuse(failures)
        bots = {name: launches[bot_of(name)] for name in names}
        jobs = list(_units(game, record, bots, secret, states))
        ends: dict[str, tuple[float, float]] = {}
        for _, message in lanes.messages(jobs):
            if isinstance(message, MatchOver):
                played = records.decode(bytes(message.record))
                if played.reason == "void":
                    raise HostError(f"a match is void: {played.why}")
                ends[played.id] = _end(played, seat)
    same, *fresh = (ends[f"e0b{number}r0"] for number in range(len(states)))
    return PlayedOn(recorded=_end(record, seat), same=same, fresh=fresh)


def _units(
    game: Game, record: Record, bots: dict[str, Launch], secret: Secret, states: Sequence[State]
) -> Iterator[PlayUnit]:
    for first in range(0, len(states), _TOGETHER):
        numbers = range(first, min(first + _TOGETHER, len(states)))
        matches = tuple([_match(game, record, bots, secret, f"e0b{number}r0") for number in numbers])
        saved = {f"e0b{number}r0": msgspec.Raw(msgspec.json.encode(states[number])) for number in numbers}
        yield PlayUnit(unit=first, matches=matches, bots=bots, states=saved)


def _match(game: Game, record: Record, bots: dict[str, Launch], secret: Secret, name: str) -> Match:
    return Match(
        id=name,
        label=secret.label(name),
        game=game.name,
        version=game.version,
        bots=tuple(bots),
        variants=record.variants,
        ids=secret.ids(name),
        order=secret.order(name),
        seeds=tuple([secret.bot_seed(name, seat) for seat in range(len(bots))]),
        limits=tuple([launch.limits for launch in bots.values()]),
    )


def _end(record: Record, seat: Seat) -> tuple[float, float]:
    return 1.0 + sum(rank < record.ranks[seat] for rank in record.ranks), float(record.scores[seat])
