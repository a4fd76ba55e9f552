"""One match of bots that answer in this process, played to its record. No message, no clock."""

from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec.structs import replace

from arena import wire
from arena.bot import Bot, indexes
from arena.environments.environment import seen_by
from arena.errors import BotError, raised
from arena.fault import FAULTS, Fault
from arena.game import DECISION_CAP, Decision, Game, Outcome, Pending, Seat, end_of
from arena.players.limits import HOUSE
from arena.python_bots import Function
from arena.record import Record, retired_last
from arena.selfplay.players import LazyDecision, MatchContext, Page, hears
from arena.tournament.secrets import Secret

_ROWS = (tuple, list)
_HINT = "picks are zero-based indexes into `options`"
_TIME = HOUSE.move
_KEPT = 64
_SINGLE = tuple([(pick,) for pick in range(_KEPT)])
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
    _asked: list[Seat] = field(default_factory=list)
    _faults: list[Fault] = field(default_factory=list)
    _retired: list[Seat] = field(default_factory=list)
    _told: list[Any] = field(default_factory=list)

    def play(self, seed: bytes) -> Record:
        """Deal from these 32 bytes and play to the end, as the referee does; ``BotError`` if a policy raises."""
        context = MatchContext(self.game.deal(len(self.bots), seed, self.variants), len(self.bots), self._hello)
        heard = [0] * len(self.bots)
        seat = 0
        try:
            for seat, player in enumerate(self.players):
                if isinstance(player, Page):
                    # a greeting is costly to make
                    player.open(self.game.name)
                elif hears(player, "begin"):
                    player.begin(context.hello(seat))
            outcome, reason = self._played(context, heard)
            context.now = None
            ranks = retired_last(outcome.ranks, self._retired)
            for seat, player in enumerate(self.players):
                # who is retired is silent
                if hears(player, "over"):
                    events = list(seen_by(seat, self._told[heard[seat] :]))
                    player.over(wire.Over(ranks=ranks, scores=outcome.scores, reason=reason, events=events))
        except (Exception, SystemExit) as error:
            last = self._asked[-1] if context.now is not None else seat
            context.now = None
            where = f"(match {self.id}, decision {len(self._picks)})"
            raise BotError(f"bot {self.bots[last]}: expected an answer, got {traced(error)} {where}") from error
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
            seats_asked=tuple(self._asked),
        )

    def _played(self, context: MatchContext, heard: list[int]) -> tuple[Outcome, Literal["finished", "capped"]]:
        """Ask until the match ends. By seat, ``heard`` is how much of what was told it knew when it last answered."""
        state, told, players = context.state, self._told, self.players
        asked, picked = self._asked, self._picks
        near_cap = DECISION_CAP // len(players)
        steps = 0
        while isinstance(pending := state.pending(), Pending):
            if steps >= near_cap and max(steps, len(picked)) >= DECISION_CAP:
                break
            steps += 1
            decisions, known = pending.decisions, len(told)
            chosen = {}
            for seat in sorted(decisions) if len(decisions) > 1 else decisions:
                decision = decisions[seat]
                options, least, most = decision.options, decision.least, decision.most
                there = len(options)
                if (there <= 1 or not most) and decision.forced:
                    chosen[seat] = decision.silence
                    continue
                asked.append(seat)
                context.now = question = LazyDecision(
                    options,
                    least,
                    most,
                    observation=context,
                    events=(seat, told, heard[seat], known),
                    time=_TIME,
                    hello=context,  # type: ignore[arg-type]  # see Question
                    rng=context,  # type: ignore[arg-type]  # likewise
                )
                answer = players[seat].decide(question)
                heard[seat] = known
                # most answers are one pick: checked here, at a fraction of the cost
                if (
                    type(answer) in _ROWS
                    and len(answer) == 1
                    and type(pick := answer[0]) is int
                    and 0 <= pick < there
                    and least <= 1 <= most
                ):
                    picked.append(_SINGLE[pick] if pick < _KEPT else (pick,))
                    chosen[seat] = (options[pick],)
                elif least == 0 and type(answer) in _ROWS and not answer:
                    picked.append(())
                    chosen[seat] = ()
                else:
                    picks = self._judged(seat, decision, answer)
                    picked.append(picks)
                    chosen[seat] = decision.take(picks)
            told += state.apply(chosen)
        return end_of(state, pending)

    def _judged(self, seat: Seat, decision: Decision, answer: Any) -> tuple[int, ...]:
        """The picks of an answer; of an illegal one the first options, with a fault, and at last the seat retires."""
        picks = indexes(answer)
        wrong = decision.fault_in(picks)
        if not wrong:
            return picks
        fault = Fault.of("illegal", rule=wrong, hint=_HINT, line=wire.encode(picks))
        self._faults.append(replace(fault, seat=seat, decision=len(self._picks)))
        if sum(FAULTS[fault.kind].strikes for fault in self._faults if fault.seat == seat) >= HOUSE.faults:
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
            limits=HOUSE,
        )


def traced(error: BaseException) -> str:
    """An error of a policy, and where it was raised, in one line."""
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{raised(error)} at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


_SILENT = Function(lambda question: range(question.least))
