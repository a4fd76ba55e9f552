"""The setups that a game's laws are tested on, and random play of them. Knows no game in particular.

A *setup* is a game with a number of seats and a value for each variant. The laws are tested with the default variants
at every number of seats, and with every other value of a variant at the usual number of seats.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, NoReturn, Protocol

import msgspec

from arena.chance import Chance
from arena.game import DECISION_CAP, Chosen, Decision, Game, Outcome, Pending, Seat, State, Whisper, any_picks, capped

encode = msgspec.json.Encoder().encode


class LawBroken(AssertionError):
    """A law does not hold; the text says *expected ... got ...*."""


def hold(holds: object, expected: str, got: object) -> None:
    """Raise ``LawBroken`` unless this holds; long values are cut, and its note tells where a law has looked last."""
    if not holds:
        _break(f"expected {_shortened(expected, 3)}, got {_shortened(got, 3)}")


def _break(words: str) -> NoReturn:
    broken = LawBroken(words)
    if Place.decision:
        broken.add_note(Place.words())
    raise broken


def hold_alike(expected: str, here: Any, twin: Any) -> None:
    """Raise ``LawBroken`` with the first place in which two values differ, unless they are equal on the wire."""
    if encode(here) != encode(twin):
        _break(f"expected {expected}, got {difference(here, twin)}")


def difference(here: Any, twin: Any) -> str:
    """The first place in which two values differ, by its way through them, and what is there in either."""
    way, first, second = "", *(msgspec.to_builtins(value, str_keys=True) for value in (here, twin))
    while True:
        if isinstance(first, dict) and isinstance(second, dict):
            keys = [
                key for key in {**first, **second} if first.get(key, msgspec.UNSET) != second.get(key, msgspec.UNSET)
            ]
            way += f".{keys[0]}" if keys else ""
        elif isinstance(first, list | tuple) and isinstance(second, list | tuple) and len(first) == len(second):
            keys = [place for place, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
            way += f"[{keys[0]}]" if keys else ""
        else:
            keys = []
        if not keys or (isinstance(first, dict) and not (keys[0] in first and keys[0] in second)):
            name = way.removeprefix(".")
            return f"{name}{': ' if name else ''}{_shortened(first)} and {_shortened(second)}"
        first, second = first[keys[0]], second[keys[0]]


def _shortened(value: Any, times: int = 1) -> str:
    text, most = str(value), times * _LONGEST
    return text if len(text) <= most else f"{text[:most]} ..."


_LONGEST = 100


class Place:
    """Where a law looks at present, for the message of a fault."""

    match: int = 0
    decision: int = 0
    seats: Sequence[Seat] = ()
    state: Any = None

    @classmethod
    def words(cls) -> str:
        """The match, the decision, and who is asked."""
        of_seats = f" of seat {', '.join(map(str, cls.seats))}" if cls.seats else ""
        return f"match {cls.match}" + (f", decision {cls.decision}{of_seats}" if cls.decision else "")


class Book(Protocol):
    """What a game's tests say of it, written from its rules alone: a module or any object with these three.

    ``order(state, seat)`` is what places go by at the end, the greatest first: by default the score, and equal scores
    share a place. For a game that tells its luck, ``PILES`` names the fields of its state that are hidden piles: lists
    of which any card may be next, and whose last is. ``UNHEARD`` names fields of the observation in which a seat
    learns what no event tells. For the law of odds there may be three functions:
    ``hidden(state)`` gives what lies face down as plain data, with a list by seat where it is the seats'; by default
    the whole state is compared.
    ``figures(observation, world)`` gives numbers by name that must be as great in truth as in imagined worlds.
    ``blind(state, chance)`` gives the answers of all who are asked, chosen without regard to what they alone know; by
    default each option is as likely as any other.
    """

    LEAKS: dict[str, Callable[[Any, Seat], object]]
    """Observations that tell too much, each by the name of what it tells; at least four."""

    def census(self, state: Any) -> Counter[str]:
        """Every component of the box, wherever it lies now."""
        ...

    def redeal(self, state: Any, seat: Seat, rng: Random) -> Any:
        """A copy in which all that this seat may not know is dealt again, the chance to come too.

        From the rules' *who sees what*, never from what ``observe`` says.
        """
        ...


class GameSetup(NamedTuple):
    """A game with its seats taken and its variants settled, and what its tests say of it."""

    game: Game
    seats: int
    variants: Mapping[str, str]
    book: Book
    first: int = 0
    """The number of the match that a law looks at first."""
    round: int = 0
    """How often a law of many matches was tried on it before; each round is of twice as many."""

    def numbers(self, matches: int) -> range:
        """So many matches from the first one on, by their numbers."""
        first = self.first + matches - (matches >> self.round)
        return range(first, first + matches)

    def deal(self, number: int) -> State:
        """The start of match ``number``; the same number is the same deal."""
        seed = sha256(f"{self.game.name} {self.seats} {number}".encode()).digest()
        Place.match, Place.decision, Place.seats = number, 0, ()
        Place.state = state = self.game.deal(self.seats, seed, self.variants)
        return state

    @property
    def name(self) -> str:
        """As in a test's id: the game, the seats, and the variants that are not the default."""
        unusual = (f"{name}={value}" for name, value in self.variants.items() if value != self.game.variants[name][0])
        return "-".join([self.game.name, str(self.seats), *unusual])


def setups(game: Game, book: Book) -> list[GameSetup]:
    """Every setup of a game that its laws are tested on."""
    usual = game.resolve_variants({})
    listed = [GameSetup(game, seats, usual, book) for seats in game.seats]
    listed += [GameSetup(game, game.usual_seats, variants, book) for _, _, variants in game.unusual()]
    return listed


def pick(decision: Decision, dice: Chance) -> tuple[Any, ...]:
    """A random legal answer; silence where nothing is to be decided."""
    if decision.forced:
        return decision.silence
    return decision.take(any_picks(len(decision.options), least=decision.least, most=decision.most, dice=dice))


def answers(pending: Pending, dice: Chance) -> Chosen:
    """A random legal answer of every seat that is asked."""
    return {seat: pick(decision, dice) for seat, decision in pending.decisions.items()}


def silence(pending: Pending) -> Chosen:
    """What is taken when nobody says anything."""
    return {seat: decision.silence for seat, decision in pending.decisions.items()}


def questions_of(state: State) -> Iterator[Pending]:
    """Each question until the end, below the cap; whoever takes them applies the answers."""
    decided = steps = 0
    while isinstance(pending := state.pending(), Pending):
        steps += 1
        decided += len(pending.seats)
        if state is Place.state:
            Place.decision, Place.seats = steps, tuple(pending.decisions)
        yield pending
        hold(not capped(steps=steps, decided=decided), f"an end before {DECISION_CAP} decisions", "none")


def play(state: State, dice: Chance) -> Iterator[Pending]:
    """Play to the end by random answers, in place and below the cap; yields each question before its answer."""
    for pending in questions_of(state):
        yield pending
        state.apply(answers(pending, dice))


def moments(setup: GameSetup, number: int, *, most: int, rng: Random, dice: bytes) -> Iterator[State]:
    """A state at ``most`` random moments of a random match, and at its start and its end; it goes on in between."""
    length = sum(1 for _ in play(setup.deal(number), Chance(dice, number)))
    sample = {0, *rng.sample(range(length), min(length, most))}
    state = setup.deal(number)
    for moment, _ in enumerate(play(state, Chance(dice, number))):
        if moment in sample:
            yield state
    yield state


def outcome(state: State) -> Outcome:
    """How a state that asks nothing has ended."""
    end = state.pending()
    if not isinstance(end, Outcome):
        raise LawBroken(f"expected the end, got {end}")
    return end


def filter_events(events: Sequence[Any], seat: Seat) -> list[Any]:
    """The events that reach this seat."""
    whispers = [event if isinstance(event, Whisper) else Whisper((seat,), event) for event in events]
    return [whisper.event for whisper in whispers if seat in whisper.seats]


def unwrap_events(events: Sequence[Any]) -> list[Any]:
    """All events without the whispering."""
    return [event.event if isinstance(event, Whisper) else event for event in events]


def sent(state: State, seat: Seat) -> bytes:
    """All that this seat would be sent if the host turned to it now."""
    pending = state.pending()
    question = pending.decisions.get(seat) if isinstance(pending, Pending) else None
    return encode((question, state.observe(seat)))
