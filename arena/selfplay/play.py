"""Self-play: matches of bots that answer in this process, one or many on all cores. No messages, no clocks, no journal.

The deals, line-ups and seats are those of a run with the same bots, matches and seed.
"""

import gc
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, islice
from time import monotonic
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena import wire
from arena.bot import Bot, indexes
from arena.errors import BotError, HostError, raised
from arena.fault import FAULTS, Fault
from arena.formats import Block, Unit, cut_units, draw_blocks, remaining_matches
from arena.game import DECISION_CAP, LARGEST, Decision, Game, Outcome, Pending, Seat, end_of, seen_by
from arena.identity import Identity, bot_of
from arena.python_bots import AnyBot, Function, several
from arena.ratings import fit_outcomes
from arena.record import Record, retired_last
from arena.report import Leaderboard, make_leaderboard
from arena.results import Results, measure_of_game
from arena.selfplay.players import LazyDecision, MatchContext, Page, Policy, hears_message, make_policy, page_of
from arena.selfplay.pool import Begin, DoJob, Start, copied, done_by, start_fresh
from arena.tournament import (
    DEFAULT_MATCHES,
    Secret,
    check_setting,
    collect_settings,
    count_blocks,
    count_lanes,
    find_game,
    pad_entrants,
    parse_seat_counts,
)
from arena.tournament import settle_variants as settled
from arena.wire import DEFAULT_LIMITS

_ROWS = (tuple, list)
_TIME = DEFAULT_LIMITS.move
_CACHE_SIZE = 64
_SINGLE = tuple([(pick,) for pick in range(_CACHE_SIZE)])
"""Most answers, made once: the collector of garbage would look at each of those made later."""


@dataclass(kw_only=True, slots=True)
class LocalMatch:
    """A match to ``play`` once. ``bots`` and ``players`` run by seat; ``secret`` gives labels and seeds of bots."""

    id: str
    game: Game
    variants: dict[str, str]
    bots: tuple[str, ...]
    players: list[Bot[Any]]
    secret: Secret
    _picks: list[tuple[int, ...]] = field(default_factory=list)
    _seats: list[Seat] = field(default_factory=list)
    _faults: list[Fault] = field(default_factory=list)
    _retired: list[Seat] = field(default_factory=list)
    _events: list[Any] = field(default_factory=list)

    def play(self, seed: bytes) -> Record:
        """Deal from these 32 bytes and play to the end, as the referee does.

        ``BotError``: a policy raises; ``HostError``: the game does.
        """
        cursors = [0] * len(self.bots)
        seat: Seat | None = None
        context: MatchContext | None = None
        try:
            context = MatchContext(self.game.deal(len(self.bots), seed, self.variants), len(self.bots), self._hello)
            for seat, player in enumerate(self.players):
                if isinstance(player, Page):
                    # a greeting is costly to make
                    player.open(self.game.name)
                elif hears_message(player, "begin"):
                    player.begin(context.hello(seat))
            seat = None
            outcome, reason = self._played(context, cursors)
            ranks = retired_last(outcome.ranks, self._retired)
            for seat, player in enumerate(self.players):
                # who is retired is silent
                if hears_message(player, "over"):
                    events = list(seen_by(seat, self._events[cursors[seat] :]))
                    player.over(wire.Over(ranks=ranks, scores=outcome.scores, reason=reason, events=events))
        except (Exception, SystemExit) as error:
            if context is not None and context.now is not None:
                seat, context.now = self._seats[-1], None
            detail = f"got {traced(error)} (match {self.id}, decision {len(self._picks)})"
            if seat is None:
                raise HostError(f"{self.game.name}: expected the game to go on, {detail}") from error
            raise BotError(f"bot {self.bots[seat]}: expected an answer, {detail}") from error
        return Record(
            id=self.id,
            game=self.game.name,
            version=self.game.version,
            bots=self.bots,
            ranks=ranks,
            scores=outcome.scores,
            reason=reason,
            faults=tuple(self._faults),
            retired=tuple(self._retired),
            variants=self.variants,
            picks=tuple(self._picks),
            seats_asked=tuple(self._seats),
        )

    def _played(self, context: MatchContext, cursors: list[int]) -> tuple[Outcome, Literal["finished", "capped"]]:
        """Ask until the match ends. By seat, ``cursors`` is how much of what was told it knew when it last answered."""
        state, events, players = context.state, self._events, self.players
        seats, picked = self._seats, self._picks
        near_cap = DECISION_CAP // len(players)
        steps = 0
        while isinstance(pending := state.pending(), Pending):
            if steps >= near_cap and max(steps, len(picked)) >= DECISION_CAP:
                break
            steps += 1
            decisions, length = pending.decisions, len(events)
            choices = {}
            for seat in sorted(decisions) if len(decisions) > 1 else decisions:
                decision = decisions[seat]
                options, least, most = decision.options, decision.least, decision.most
                count = len(options)
                if (count <= 1 or not most) and decision.forced:
                    choices[seat] = decision.silence
                    continue
                seats.append(seat)
                context.now = question = LazyDecision(
                    options,
                    least,
                    most,
                    observation=context,
                    events=(seat, events, cursors[seat], length),
                    time=_TIME,
                    hello=context,  # type: ignore[arg-type]  # see Question
                    rng=context,  # type: ignore[arg-type]  # likewise
                )
                answer = players[seat].decide(question)
                cursors[seat] = length
                # most answers are one pick: checked here, at a fraction of the cost
                if (
                    type(answer) in _ROWS
                    and len(answer) == 1
                    and type(pick := answer[0]) is int
                    and 0 <= pick < count
                    and least <= 1 <= most
                ):
                    picked.append(_SINGLE[pick] if pick < _CACHE_SIZE else (pick,))
                    choices[seat] = (options[pick],)
                elif least == 0 and type(answer) in _ROWS and not answer:
                    picked.append(())
                    choices[seat] = ()
                else:
                    picks = self._judged(seat, decision, answer)
                    picked.append(picks)
                    choices[seat] = decision.take(picks)
            context.now = None
            events += state.apply(choices)
        return end_of(state, pending)

    def _judged(self, seat: Seat, decision: Decision, answer: Any) -> tuple[int, ...]:
        """The picks of an answer; of an illegal one the first options, with a fault, and at last the seat retires."""
        picks = indexes(answer)
        wrong = decision.fault_in(picks)
        if not wrong:
            return picks
        fault = Fault.of("illegal-picks", rule=wrong, line=wire.encode(picks))
        self._faults.append(replace(fault, seat=seat, decision=len(self._picks)))
        if sum(FAULTS[fault.kind].strikes for fault in self._faults if fault.seat == seat) >= DEFAULT_LIMITS.faults:
            self._retired.append(seat)
            self.players[seat] = _SILENT
        return tuple(range(decision.least))

    def _hello(self, seat: Seat) -> wire.Hello:
        return wire.Hello(
            protocol=wire.PROTOCOL,
            match=self.secret.label(self.id),
            game=self.game.name,
            version=self.game.version,
            variants=self.variants,
            seat=seat,
            seats=len(self.bots),
            seed=self.secret.bot_seed(self.id, seat),
            limits=DEFAULT_LIMITS,
        )


def traced(error: BaseException) -> str:
    """An error of a policy, and where it was raised, in one line."""
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{raised(error)} at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


_SILENT = Function(lambda question: range(question.least))


_COUNTED = 32

OnMatch: TypeAlias = Callable[[Record, int], None]
"""Called with each match once it has ended, and with the number of all matches."""


class _Work(Struct, frozen=True, kw_only=True):
    game: str
    variants: dict[str, str]
    secret: Secret
    policies: Mapping[str, Policy]
    """By the name of the bot, of which an entrant may be a copy."""
    full_records: bool
    """Whether somebody is told of each match, and so wants all of its record."""
    entrants: Sequence[str]


def play_many(
    game: str,
    bots: AnyBot | Iterable[AnyBot | Policy],
    *,
    matches: int = DEFAULT_MATCHES,
    seed: str | None = None,
    seats: int | str | None = None,
    variants: Mapping[str, str] | None = None,
    processes: int | None = None,
    progress: OnMatch | None = None,
) -> Leaderboard:
    """Play many matches in this process and copies of it, and rate them: the leaderboard, without times.

    With two bots or more, the matches are those of ``arena.open_run`` with the same bots, ``matches``, ``seats`` and
    ``seed``: the same deals, line-ups and seats, so bots that need no clock end every match as there. Nothing is
    written.

    ``bots`` are functions from ``arena.Decision`` to picks, ``Bot`` instances or classes of them, what
    ``arena.local_bot`` gives, and shipped bots by name that need no process, also as ``g2=greedy`` and ``greedy*3``.
    Copies take the seats left over; one alone plays copies of itself. ``matches`` is rounded up to whole blocks. All
    chance follows from the text ``seed``, by default a fresh one. ``seats`` is ``4`` or ``3-5``, by default the usual
    table. ``processes`` play at once, by default one a core; code that cannot be sent to another process plays in this
    one alone, as does any code in a process of a ``multiprocessing.Pool``. ``progress`` is called in this process with
    each match, an ``arena.Record`` without times, and how many there will be: in one process after each match, else a
    few blocks at a time, in the order of the schedule.

    ``UsageError``: a value is none, or out of bounds. ``BotError``: a bot is none, two have one name, or one raised an
    error, which the text names with its place. ``HostError``: a process was lost,
    or the game raised an error.
    """
    rules = find_game(game)
    entries = several(bots)
    field = [bot if isinstance(bot, Policy) else make_policy(bot) for bot in entries]
    names = [bot.name for bot in field]
    if not names or len({name.lower() for name in names}) < len(names):
        typed = all(isinstance(bot, str | Policy) for bot in entries)
        other = "NAME=BOT" if typed else "arena.local_bot(CODE, NAME)"
        got = f"{', '.join(names)}; {other} gives another name" if names else "none"
        raise BotError(f"expected bots of different names, got {got}")
    for bot in field:
        if bot.pages is not None:
            page_of(bot.pages, rules.name)
    copies = [str(Identity(bot.name, copy=copy)) for bot in field for copy in range(1, bot.copies + 1)]
    counts = parse_seat_counts(None if seats is None else str(seats), rules, len(copies) if len(copies) > 1 else None)
    for name, value in (("matches", matches), ("seed", seed)):
        check_setting(collect_settings()[name], value)
    check_setting(replace(collect_settings()["lanes"], name="processes"), processes)
    secret = Secret.fresh() if seed is None else Secret.of(seed)
    entrants = pad_entrants(copies, max(counts))
    shares = count_blocks(matches, counts)
    schedules: list[Iterator[Block]] = []
    first = 0
    for count, number in shares.items():
        schedules.append(draw_blocks(entrants, seats=count, blocks=number, key=secret.schedule(0), first=first))
        first += number
    # drawn while matches are played: the first of many ends soon
    cut = cut_units(chain.from_iterable(schedules), of=first, seats=max(counts))
    work = _Work(
        game=rules.name,
        variants=settled(dict(variants or {}), rules),
        secret=secret,
        policies={bot.name: bot for bot in field},
        full_records=progress is not None,
        entrants=entrants,
    )
    total = sum(count * number for count, number in shares.items())
    decisions = 0

    def watched() -> Iterator[Record]:
        nonlocal decisions
        for questions, records in _played(work, cut, processes or count_lanes(), report_records):
            decisions += questions
            yield from records

    def report_records(records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            if progress is not None:
                progress(record, total)
            yield record

    began = monotonic()
    results = Results(entrants)
    results.add(watched())
    board = make_leaderboard(
        results,
        fit_outcomes(results.outcomes(), entrants),
        run="self-play",
        game=rules.name,
        seats=counts[0] if len(counts) == 1 else f"{counts[0]}-{counts[-1]}",
        seed=secret.seed_text,
        seconds=0.0,
        measure=measure_of_game(rules, counts, work.variants),
    )
    return replace(board, decisions=decisions, seconds=round(monotonic() - began, 6))


def _count_questions(record: Record) -> int:
    """How many questions were asked: a seat is asked none after the fault that retired it."""
    if not record.retired:
        return len(record.picks)
    last = {fault.seat: fault.decision for fault in record.faults if fault.seat in record.retired}
    return len(record.picks) - sum(
        record.seats_asked[last_decision + 1 :].count(seat) for seat, last_decision in last.items()
    )


def _played(
    work: _Work, jobs: Iterator[Unit], processes: int, report: Callable[[Iterable[Record]], Iterator[Record]]
) -> Iterator[tuple[int, list[Record]]]:
    """All matches in order, a few at a time, with how many questions were asked; each passes ``report`` at once."""
    first = list(islice(jobs, processes))
    jobs = chain(first, jobs)
    start = start_of(partial(_begin, work)) if len(first) > 1 else None
    if start is None:
        for job in jobs:
            records = report(_matches(work, job))
            # counted a few at a time, for between two matches the processor's caches know nothing of counting
            while some := list(islice(records, _COUNTED)):
                yield sum(map(_count_questions, some)), some
        return
    sent = map(_sender(work.entrants), jobs)
    with closing(done_by(start, jobs=sent, processes=len(first))) as done:
        for answer in done:
            questions, batch = _decode(answer)
            yield questions, list(report(batch))


def start_of(begin: Begin) -> Start | None:
    """How processes that begin so are started; None where they cannot be, as in one of ``multiprocessing.Pool``.

    A copy of this process knows all that it knows, but only Linux makes one safely, and only while it has no other
    thread. Others load the code again, which cannot be done with that of a script or of a function within a function.
    """
    if multiprocessing.current_process().daemon:
        return None
    if sys.platform == "linux" and threading.active_count() == 1:
        return copied(begin)
    try:
        packed = pickle.dumps(begin)
    except Exception:  # noqa: BLE001 - what code of others raises when it is to be sent may be anything
        return None
    # the second is what a process of multiprocessing calls the script of the one that started it
    return None if b"__main__" in packed or b"__mp_main__" in packed else start_fresh(partial(_unpack, packed))


def _begin(work: _Work) -> DoJob:
    gc.freeze()  # the collector would write to objects from before the fork, and so copy their memory

    def play(job: bytes) -> bytes:
        records = list(_matches(work, _unit(job, work.entrants)))
        questions = sum(map(_count_questions, records))
        return _encode((questions, records if work.full_records else list(map(_result, records))))

    return play


def _unpack(packed: bytes) -> DoJob:
    try:
        begin: Begin = pickle.loads(packed)  # noqa: S301 - of the process that started this one
        return begin()
    except Exception as error:
        raise BotError(
            f"expected code that another process can load, got {raised(error)}; with processes=1 it plays in this one"
        ) from error


def _sender(entrants: Sequence[str]) -> Callable[[Unit], bytes]:
    places = {name: place for place, name in enumerate(entrants)}

    def encode(unit: Unit) -> bytes:
        blocks = [(block.number, [places[name] for name in block.seating]) for block in unit.blocks]
        return _encode((unit.number, unit.chunk, unit.rotation, blocks))

    return encode


def _unit(job: bytes, entrants: Sequence[str]) -> Unit:
    number, chunk, rotation, blocks = _decode_job(job)
    seated = [
        Block(epoch=0, number=block, seating=tuple([entrants[place] for place in places])) for block, places in blocks
    ]
    return Unit(number=number, chunk=chunk, rotation=rotation, blocks=tuple(seated))


def _result(record: Record) -> Record:
    """What the leaderboard reads of a record, picks only as far as they differ: to send all takes time."""
    if not record.picks:
        return record
    faults = tuple([replace(fault, decision=0) for fault in record.faults])
    picks = ((hash(record.picks) & LARGEST,),)
    return replace(record, picks=picks, seats_asked=record.seats_asked[:1], faults=faults)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, list[Record]]).decode
_decode_job = msgspec.msgpack.Decoder(tuple[int, int, int, list[tuple[int, list[int]]]]).decode


@lru_cache(maxsize=64)
def _seed(secret: Secret, epoch: int, block: int) -> bytes:
    return secret.deal(epoch=epoch, block=block, rotation=0)


def _matches(work: _Work, job: Unit) -> Iterator[Record]:
    game = find_game(work.game)
    players: dict[str, Bot[Any]] = {}
    # drawn together, which takes a fraction of the time that they take one by one between matches
    seeds = [_seed(work.secret, block.epoch, block.number) for block in job.blocks]
    for fixture, seed in zip(remaining_matches(job), seeds, strict=True):
        bots = fixture.bots
        for bot in bots:
            if bot not in players:
                players[bot] = player_named(bot, work.policies)
        yield LocalMatch(
            id=fixture.id,
            game=game,
            variants=work.variants,
            bots=bots,
            players=[players[bot] for bot in bots],
            secret=work.secret,
        ).play(seed)


def player_named(bot: str, policies: Mapping[str, Policy]) -> Bot[Any]:
    """A new player for a bot, or for a copy of one, of these policies; a ``BotError`` if there is none to be had."""
    policy = policies[bot if bot in policies else bot_of(bot)]
    try:
        return policy.make()
    except (Exception, SystemExit) as error:
        raise BotError(f"bot {bot}: expected a new player for its matches, got {traced(error)}") from error
