"""One match of a trial: the bot in its seat, as the referee sees it, and others who pick at random.

The chance of a table is the same in every trial.
"""

from collections.abc import Callable
from hashlib import blake2b
from time import monotonic
from typing import TypeAlias

from msgspec import Struct

from arena import wire
from arena.chance import Chance
from arena.conformance.findings import Sentence, TrialTable
from arena.conformance.session import ProtocolSession, Violation
from arena.game import any_picks
from arena.games import find
from arena.referee import Match, Player, play

REPEATED = 20
"""Questions of each match that are remembered, to be asked again."""
PADDING = 100_000
"""Characters added to a question to make its line long."""
_SEED_SPAN = 1 << 53

Alter: TypeAlias = Callable[[bytes], bytes]
"""Makes a line unusual before it is sent."""


class Enough(Exception):
    """The match is stopped on purpose."""


class Conversation(Struct):
    """The questions at the start of a match, and the bot's picks."""

    hello: wire.Hello
    answers: list[tuple[wire.Decide, tuple[int, ...]]]


class _Dice:
    waited = 0.0

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def greet(self, hello: wire.Hello) -> None:
        """Always ready."""

    def decide(self, decide: wire.Decide) -> list[int]:
        """A random legal answer."""
        return any_picks(decide.count, least=decide.least, most=decide.most, dice=self._chance)

    def close(self, over: wire.Over) -> None:
        """Ignores the end of the match."""

    def leave(self) -> None:
        """Nothing to end."""


class Guest:
    """The bot on trial, as a player for the referee; its first mistake ends the match as a ``Violation``.

    ``alter`` makes each line unusual. After ``questions``, if given, the match is broken off or goes on without it.
    """

    def __init__(
        self, session: ProtocolSession, alter: Alter = bytes, questions: int | None = None, *, breaks_off: bool = False
    ) -> None:
        self.said: Conversation | None = None
        self.waits: list[float] = []
        """Seconds, question by question."""
        self.waited = 0.0
        self.ready = 0.0
        """Seconds until it was; 0 if it was not."""
        self._session = session
        self._alter = alter
        self._questions = questions
        self._breaks_off = breaks_off

    def greet(self, hello: wire.Hello) -> None:
        """Start the process if it is not there, and wait for ``ready``."""
        self.said = Conversation(hello, [])
        self.ready = self._session.greet(self._alter(wire.encode(hello)), hello.limits.start / 1000)

    def decide(self, decide: wire.Decide) -> tuple[int, ...]:
        """Ask the bot, as long as it has questions left."""
        self.waited = 0.0
        if len(self.waits) == self._questions:
            if self._breaks_off:
                raise Enough
            # the rest of the match is played without the bot, up to `over`
            return tuple(range(decide.least))
        line = self._alter(wire.encode(decide))
        began = monotonic()
        picks = self._session.ask(decide, line)
        self.waited = monotonic() - began
        self.waits.append(self.waited)
        if self.said is not None and len(self.said.answers) < REPEATED:
            self.said.answers.append((decide, picks))
        return picks

    def close(self, over: wire.Over) -> None:
        """Tell it how the match ended."""
        self._session.tell(self._alter(wire.encode(over)))

    def leave(self) -> None:
        """Retired only when its time is used up, which ``sit_down`` reports: any other fault ends the match."""


def with_unknown(line: bytes) -> bytes:
    """A message as a later version of the protocol may send it: with an extra field, and a new message before it."""
    news = b"" if line.startswith(b'{"type":"hello"') else b'{"type":"weather","id":"none","wind":["west",3]}\n'
    return news + line[:-1] + b',"later":{"id":"none","count":0,"seed":[null,true,-1.5]}}'


def lengthened(line: bytes) -> bytes:
    """A question whose line is far beyond 64 KiB."""
    return line[:-1] + b',"padding":"' + b"." * PADDING + b'"}' if line.startswith(b'{"type":"decide"') else line


def sit_down(table: TrialTable, guest: Guest, limits: wire.Limits) -> None:
    """Play the match of a table with the guest in its seat; raises what the guest does, or ``HostError``."""
    game = find(table.game)
    dice = Chance(blake2b(str(table).encode(), digest_size=32).digest())
    players: list[Player] = [_Dice(Chance(dice.word().to_bytes(8))) for _ in range(table.seats)]
    players[table.seat] = guest
    match = Match(
        id="trial",
        label=f"{dice.word():016x}",
        game=game.name,
        version=game.version,
        bots=tuple("guest" if seat == table.seat else "dice" for seat in range(table.seats)),
        variants=table.variants,
        ids=dice.word().to_bytes(8),
        order=dice.word().to_bytes(8),
        seeds=tuple(dice.below(_SEED_SPAN) for _ in range(table.seats)),
        limits=(limits,) * table.seats,
    )
    record = play(match, game.deal(table.seats, dice.key, table.variants), players)
    if record.faults:
        raise Violation(Sentence.IN_TIME, record.faults[0].rule, hint=record.faults[0].hint)
