"""One match in this process, whose seats are asked one after the other. No process, no clock, no message."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from operator import index
from random import Random
from typing import Any

from arena import games
from arena.chance import Chance
from arena.errors import UsageError
from arena.game import CHANCE, ChanceNode, Decision, Game, Outcome, Pending, Seat, State, any_picks, capped, seen_by

_SEED_BYTES = 32
_IMAGINED = 1000
"""How many states are imagined at most until one asks whom the match asks."""


class Environment:
    """A match. ``reset`` deals; then ``seat`` is asked ``decision``, and ``step`` answers, until there is a ``result``.

    Where a game asks several seats at once, they are asked one after the other, and no seat hears anything in between.
    Forced decisions are taken without asking. So a match takes the same moves as with the referee.
    """

    __slots__ = (
        "_answers",
        "_log",
        "_log_positions",
        "_observations",
        "_pending",
        "_state",
        "_steps",
        "_waiting",
        "asked",
        "capped",
        "decision",
        "game",
        "node",
        "result",
        "seat",
        "seats",
        "variants",
    )

    def __init__(self, game: str | Game, seats: int | None = None, variants: Mapping[str, str] | None = None) -> None:
        """A match that is not dealt yet: call ``reset`` first.

        ``game`` may be a name; ``seats`` are by default the usual ones, ``variants`` not named have their defaults.
        ``UsageError``: there is no such game or variant, or the game is not for this number of seats.
        """
        try:
            self.game = games.find(game) if isinstance(game, str) else game
            if variants is not None and not isinstance(variants, Mapping):
                raise UsageError(
                    f"{self.game.name}: expected variants by name, as {{'NAME': 'VALUE'}}, got {variants!r}"
                )
            self.variants = self.game.resolve_variants(variants or {})
        except (LookupError, ValueError) as error:
            raise UsageError(str(error)) from None
        self.seats = self.game.usual_seats if seats is None else read_integer(seats)
        if self.seats not in self.game.seats:
            here = f"{self.game.seats.start} to {self.game.seats.stop - 1}"
            raise UsageError(f"expected {here} seats for {self.game.name}, got {seats!r}")
        self._undealt()

    def _undealt(self) -> None:
        self._state: State
        self._log: list[Any] = []
        self._log_positions = [0] * self.seats
        self._observations: dict[Seat, Any] = {}
        self._steps = 0
        self._answers: dict[Seat, tuple[Any, ...]] = {}
        self._waiting: list[Seat] = []
        self._pending: Mapping[Seat, Decision] = {}
        self.seat: Seat | None = None
        """The seat that is asked; None once the match is over."""
        self.decision = Decision(())
        """What ``seat`` is asked; the last question once the match is over."""
        self.result: Outcome | None = None
        """How the match ended; None before its end."""
        self.node: ChanceNode | None = None
        """What chance is to choose of, where the state leaves that open: see ``draw``."""
        self.capped = False
        """Whether it ended because it took ``DECISION_CAP`` decisions or steps."""
        self.asked = 0

    def _why_nobody(self) -> str:
        return "no match is dealt: call reset first" if self.result is None else "the match is over and nobody is asked"

    @property
    def state(self) -> State:
        """The state with all that is hidden, for who runs a table; a ``UsageError`` if no match is dealt."""
        try:
            return self._state
        except AttributeError:
            raise UsageError(f"expected a match in play, because {self._why_nobody()}, got none") from None

    def reset(self, seed: bytes | str | int) -> None:
        """Deal again and play on to the first question.

        ``seed``: the 32 bytes that the game deals from, or a text or number that they are made of: the same one gives
        the same match. ``UsageError``: it is none of these.
        """
        if not isinstance(seed, bytes) or len(seed) != _SEED_BYTES:
            if not isinstance(seed, bytes | str):
                number, seed = seed, read_integer(seed)
                if seed is None:
                    raise UsageError(f"expected a seed of bytes, of text or of a whole number, got {number!r}")
            text = seed if isinstance(seed, bytes) else str(seed).encode()
            seed = sha256(b"arena table 1\0" + text).digest()
        self._undealt()
        self._state = self.game.deal(self.seats, seed, self.variants)
        self._go_on()

    @property
    def options(self) -> tuple[Any, ...]:
        """What the seat that is asked may pick of."""
        return self.decision.options

    def observation(self, seat: Seat | None = None) -> Any:
        """All that a seat has learnt, by default the one that is asked: a struct of the game's.

        Do not change what is in it: it is given again until somebody moves. ``UsageError``: there is no such seat, the
        match is over and no seat is named, or no match is dealt.
        """
        seat = self._check_seat(seat)
        if seat not in self._observations:
            self._observations[seat] = self.state.observe(seat)
        return self._observations[seat]

    def events(self, seat: Seat | None = None) -> tuple[Any, ...]:
        """What a seat saw since it last answered, by default the one that is asked; ``UsageError`` if there is none."""
        seat = self._check_seat(seat)
        return seen_by(seat, self._log[self._log_positions[seat] :])

    def _check_seat(self, seat: Seat | None) -> Seat:
        if seat is None:
            if self.seat is None:
                raise UsageError(f"expected a seat, because {self._why_nobody()}, got none")
            return self.seat
        if seat not in range(self.seats):
            raise UsageError(f"expected a seat from 0 to {self.seats - 1}, got {seat!r}")
        return seat

    def question(self, seat: Seat) -> Decision | None:
        """What a seat is asked now, or was asked if it waits for the answers of others; None if it is not asked."""
        return self._pending[seat] if seat == self.seat or seat in self._answers else None

    def answer(self, seat: Seat) -> tuple[Any, ...]:
        """What a seat has answered if it waits for the answers of others; else nothing."""
        return self._answers.get(seat, ())

    def step(self, picks: Sequence[int]) -> None:
        """Answer for the seat that is asked, and play on to the next question or to the end.

        ``picks`` are different indexes into ``options``, between ``least`` and ``most`` of them; a ``UsageError`` if
        they are not legal, or the match is over.
        """
        seat, decision = self.seat, self.decision
        if seat is None:
            raise UsageError(f"expected no picks, because {self._why_nobody()}, got some")
        try:
            wrong = decision.fault_in(picks)
            answer = () if wrong else decision.take(picks)
        except TypeError:
            wrong = f"expected a list of picks, indexes into the options, got {picks!r}"
        if wrong:
            raise UsageError(f"seat {seat}: {wrong}")
        self._answers[seat] = answer
        self._log_positions[seat] = len(self._log)
        self.asked += 1
        if self._waiting:
            self.seat = self._waiting.pop()
            self.decision = self._pending[self.seat]
        else:
            self._apply()
            self._go_on()

    def draw(self, outcome: int) -> None:
        """Say what chance chooses of the outcomes of ``node``, by its index, and play on."""
        node = self.node
        if node is None or outcome not in range(len(node.outcomes)):
            expectation = f"an outcome from 0 to {len(node.outcomes) - 1}" if node else "no outcome of chance"
            raise UsageError(f"expected {expectation}, got {outcome}")
        self.node, self._observations = None, {}
        self._log += self._state.apply({CHANCE: (node.outcomes[outcome],)})
        self._go_on()

    def standing(self) -> Outcome:
        """How the seats would be ranked if the match ended now; at its end how it ended."""
        return self.result or self.state.standing()

    def copy(self) -> "Environment":
        """An independent table that continues in the same way."""
        other: Environment = self._beside(self.state.copy())
        other._log, other._log_positions = self._log.copy(), self._log_positions.copy()
        other._answers, other._waiting, other._pending = self._answers.copy(), self._waiting.copy(), self._pending
        return other

    def again(self) -> "Environment":
        """Another table of the same game, seats and variants, not dealt yet."""
        other = Environment.__new__(Environment)
        other.game, other.seats, other.variants = self.game, self.seats, self.variants
        other._undealt()  # noqa: SLF001 - a table as this one
        return other

    def imagine(self, seat: Seat, chance: Chance | Random) -> "Environment":
        """A table as a seat may take this one to be: what it cannot know is drawn from ``chance``, other each time.

        The same seat is asked. Where several are asked at once, this seat's answer is kept, and answers that others
        have given are drawn evenly from what they may answer. On the new table nobody has heard of any event yet.
        ``UsageError``: there is no such seat, the match is over, or of many states that the game imagines none asks the
        same seat.
        """
        if self.seat is None:
            raise UsageError(f"expected a match in play, because {self._why_nobody()}, got none")
        if isinstance(chance, Random):
            chance = Chance(chance.randbytes(_SEED_BYTES))
        if not isinstance(chance, Chance):
            raise UsageError(f"expected a random.Random or an arena.chance.Chance to draw from, got {chance!r}")
        seat = self._check_seat(seat)
        observation = self._state.observe(seat)
        for _ in range(_IMAGINED):
            state = self.game.imagine(observation, chance)
            pending = state.pending()
            if not isinstance(pending, Pending):
                continue
            decisions, seats = pending.decisions, pending.seats
            if self.seat in seats and (seat in seats or seat not in self._answers):
                break
        else:
            raise UsageError(f"seat {seat}: expected an imagined state in which seat {self.seat} is asked, got none")
        other: Environment = self._beside(state)
        other._log, other._log_positions = [], [0] * self.seats
        other._pending, other.decision = decisions, decisions[self.seat]
        other._waiting = [later for later in reversed(seats) if later > self.seat]
        other._answers = {earlier: _any_of(decisions[earlier], chance) for earlier in seats if earlier < self.seat}
        if seat in other._answers:
            other._answers[seat] = self._answers[seat]
        return other

    def _beside(self, state: State) -> "Environment":
        """A table as far into the match as this one, with another state; events and answers are to be added."""
        other: Environment = self.again()
        other._state = state
        other._steps, other.asked, other.capped = self._steps, self.asked, self.capped
        other.seat, other.decision, other.result, other.node = self.seat, self.decision, self.result, self.node
        return other

    def _go_on(self) -> None:
        """Take what is forced until a seat has something to decide, or the match is over."""
        while isinstance(pending := self._state.pending(), Pending):
            if capped(steps=self._steps, decided=self.asked):
                pending, self.capped = self._state.standing(), True
                break
            self._steps += 1
            self._pending = decisions = pending.decisions
            waiting = [seat for seat, decision in decisions.items() if not decision.forced]
            if waiting:
                if len(waiting) > 1:
                    waiting.sort(reverse=True)
                self._waiting = waiting
                self.seat = seat = waiting.pop()
                self.decision = decisions[seat]
                return
            self._apply()
        self.seat = None
        if isinstance(pending, ChanceNode):
            self.node = pending
        else:
            self.result = pending

    def _apply(self) -> None:
        answers, decisions = self._answers, self._pending
        if len(answers) < len(decisions):
            answers = {seat: answers.get(seat, decision.silence) for seat, decision in sorted(decisions.items())}
        self._log += self._state.apply(answers)
        self._answers, self._observations = {}, {}


def read_integer(number: Any) -> Any:
    """A whole number of any type, such as NumPy's, as Python's own; None if it is none."""
    try:
        return index(number)
    except TypeError:
        return None


def read_seed(seed: Any) -> int:
    """A seed of a learner's environment, as Python's own number; ``UsageError``: it is no whole number from 0."""
    number = read_integer(seed)
    if number is None or number < 0:
        raise UsageError(f"expected a seed that is a whole number from 0, got {seed!r}")
    return int(number)


def _any_of(decision: Decision, chance: Chance) -> tuple[Any, ...]:
    return decision.take(any_picks(len(decision.options), least=decision.least, most=decision.most, dice=chance))
