"""The contract between a game and the host: pick between ``least`` and ``most`` of these ``options``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

from msgspec import Struct, field

from arena.chance import Chance
from arena.values import SEAT
from arena.view import Looks, View

Seat: TypeAlias = Annotated[int, SEAT]
"""A place at the table, counted from 0 and rising clockwise."""

Chosen: TypeAlias = Mapping[Seat, tuple[Any, ...]]
"""The options each asked seat picked, in the order of its picks."""

Observation = TypeVar("Observation")
Result = TypeVar("Result")

DECISION_CAP = 20_000
"""A match of more decisions, or more steps, than this ends and is ranked as it stands."""


class Decision(Struct, frozen=True, gc=False):
    """Pick between ``least`` and ``most`` different ones of ``options``; the order of the picks may mean something."""

    options: tuple[Any, ...]
    """Plain data: strings, integers or tagged structs; the mildest stands first."""
    least: int = 1
    most: int = 1

    @property
    def forced(self) -> bool:
        """Whether there is nothing to decide, so that nobody is asked."""
        return not self.most or (len(self.options) == self.least and self.least <= 1)

    @property
    def silence(self) -> tuple[Any, ...]:
        """What is taken for a seat that does not answer: the first ``least`` options."""
        return self.options[: self.least]

    def fault_in(self, picks: Sequence[int]) -> str | None:
        """Why these zero-based indexes are no legal answer, as *expected ... got ...*, or None if they are legal."""
        if len(picks) == 1 and self.least <= 1 <= self.most and 0 <= picks[0] < len(self.options):
            return None  # most answers are one pick: checked here, at a fraction of the cost
        if not self.least <= len(picks) <= self.most:
            number = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
            return f"expected {number} pick{'' if number == '1' else 's'}, got {len(picks)}"
        if not picks:
            return None
        if len(set(picks)) != len(picks):
            return f"expected distinct picks, got {list(picks)}"
        count = len(self.options)
        if min(picks) < 0 or max(picks) >= count:
            wrong = next(pick for pick in picks if not 0 <= pick < count)
            return f"expected picks from 0 to {count - 1}, got {wrong}"
        return None

    def take(self, picks: Sequence[int]) -> tuple[Any, ...]:
        """Turn legal indexes into the options they name."""
        options = self.options
        if len(picks) == 1:
            return (options[picks[0]],)
        return tuple([options[pick] for pick in picks])


def any_picks(count: int, *, least: int, most: int, dice: Chance) -> list[int]:
    """Random legal picks of ``count`` options: each number of them, and each row of that many, is equally likely."""
    order = list(range(count))
    dice.shuffle(order)
    return order[: least + dice.below(min(most, count) - least + 1)]


class Pending(Struct, frozen=True, gc=False):
    """The state waits for every seat named here at once; what each picks is secret until all have answered.

    Only a fresh state may name no seat: ``apply({})`` then takes the opening steps and returns their events. Later on,
    what asks nobody is settled inside ``apply``. States may hand out the same one again: it is not to be changed. A
    game that keeps one for this has its decisions in ``KeptDecisions``.
    """

    decisions: Mapping[Seat, Decision]

    @property
    def seats(self) -> list[Seat]:
        """The seats with something to decide, in order."""
        return sorted([seat for seat, decision in self.decisions.items() if not decision.forced])


class KeptDecisions(dict[Seat, Decision]):
    """The decisions of a ``Pending`` that many states hand out: a change would reach all of them, so none is possible.

    Copies and pickles are ordinary dictionaries. A view of a dictionary (``MappingProxyType``) could be neither.
    """

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("expected the decisions of a state to be read, got a change; dict(...) makes a copy to change")

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse

    def __reduce__(self) -> tuple[type[dict[Seat, Decision]], tuple[dict[Seat, Decision]]]:
        return dict, (dict(self),)


LARGEST = (1 << 53) - 1
"""No number is farther from 0: beyond, whoever reads JSON into floats has another one."""


class Outcome(Struct, frozen=True, gc=False):
    """How the seats stand: rank 0 is best, equal ranks share it; scores are in the game's own unit."""

    ranks: tuple[int, ...]
    scores: tuple[float, ...]


def capped(*, steps: int, decided: int) -> bool:
    """Whether a match of so many steps and decisions goes no further."""
    return max(steps, decided) >= DECISION_CAP


def end_of(state: "State", pending: Pending | Outcome) -> tuple[Outcome, Literal["finished", "capped"]]:
    """How a match ends that goes no further: as its rules say, or capped and ranked as it stands.

    ``ValueError``: a score is no number, or beyond ``LARGEST``.
    """
    outcome = pending if isinstance(pending, Outcome) else state.standing()
    if not all(abs(score) <= LARGEST for score in outcome.scores):
        raise ValueError(f"expected scores nearer to 0 than 2^53, got {outcome.scores}")
    return outcome, "finished" if outcome is pending else "capped"


def ranks_of(keys: Sequence[Any]) -> tuple[int, ...]:
    """Ranks by comparable keys, one a seat, the greatest best; equal keys share the better rank."""
    return tuple(map(sorted(keys, reverse=True).index, keys))


class Whisper(Struct, frozen=True, gc=False):
    """An event that only some seats saw."""

    seats: tuple[Seat, ...]
    event: Any


def seen_by(seat: Seat, events: Sequence[Any]) -> tuple[Any, ...]:
    """What a seat saw of all that was told to anyone."""
    return tuple(
        [
            event.event if type(event) is Whisper else event
            for event in events
            if type(event) is not Whisper or seat in event.seats
        ]
    )


def once_per_observation(work: Callable[[Observation], Result]) -> Callable[[Observation], Result]:
    """Keep what some work gives for an observation until another observation comes.

    For ``imagine``: a search makes up many states from one observation. What is given must not be changed.
    """
    memo: tuple[Observation, Result] | None = None

    @wraps(work)
    def kept_result(observation: Observation) -> Result:
        nonlocal memo
        last = memo  # read once: another thread may replace it
        if last is None or last[0] is not observation:
            last = memo = observation, work(observation)
        return last[1]

    return kept_result


class State(Protocol):
    """A game in play: one msgspec Struct of plain data with its chance inside.

    It saves and loads anywhere with ``msgspec`` and is equal afterwards.
    """

    def pending(self) -> Pending | Outcome:
        """What the game waits for, or how it ended. Changes nothing."""
        ...

    def apply(self, chosen: Chosen) -> list[Any]:
        """Go on with the options chosen by every seat in ``pending()``, in place.

        Returns the events that followed, in order: tagged structs that everyone saw, or a ``Whisper`` around one that
        only some saw. ``str(event)`` is a sentence for a person, with seats written as ``seat 0``.
        """
        ...

    def observe(self, seat: Seat) -> Struct:
        """All that this seat has learnt since the start, and nothing else."""
        ...

    def standing(self) -> Outcome:
        """How the seats would be ranked if the game ended now."""
        ...

    def copy(self) -> Self:
        """An independent state that continues in the same way."""
        ...


CHANCE: Seat = -1
"""In the place of a seat: what chance has chosen."""


class ChanceNode(Struct, frozen=True, gc=False):
    """A state of a game with ``ExplicitChance`` waits for chance: for one of these outcomes, which are plain data.

    ``weights`` are whole numbers, one an outcome; without any all outcomes are equally likely.
    """

    outcomes: tuple[Any, ...]
    weights: tuple[int, ...] = ()

    def draw(self, chance: Chance) -> Any:
        """One of the outcomes, by their odds."""
        if not self.weights:
            return self.outcomes[chance.below(len(self.outcomes))]
        place = chance.below(sum(self.weights))
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            if place < weight:
                return outcome
            place -= weight
        raise AssertionError(place)

    @property
    def odds(self) -> list[float]:
        """How likely each outcome is; 1 in all."""
        weights = self.weights or (1,) * len(self.outcomes)
        return [weight / sum(weights) for weight in weights]


class ExplicitChance(Struct):
    """The base of a state that leaves its chance to the host, so that tools which need the whole tree see its odds.

    A game of this kind writes ``turn`` and ``move`` in the place of ``pending`` and ``apply``. Its deal draws nothing:
    the first nodes of chance do. The host draws from ``chance``, whose key is the seed of the deal.
    """

    chance: Chance

    MOST_OUTCOMES: ClassVar[int]
    """Of one node of chance, in any match."""
    MOST_NODES: ClassVar[int]
    """Of chance, in any match."""

    def turn(self) -> Pending | ChanceNode | Outcome:
        """As ``pending``, and there may be a node of chance."""
        raise NotImplementedError

    def move(self, chosen: Chosen) -> list[Any]:
        """As ``apply``; an outcome of chance stands alone, as ``{CHANCE: (outcome,)}``."""
        raise NotImplementedError

    def pending(self) -> Pending | Outcome:
        """What the game waits for once chance has spoken; chance comes first in a fresh state."""
        turn = self.turn()
        return Pending({}) if isinstance(turn, ChanceNode) else turn

    def apply(self, chosen: Chosen) -> list[Any]:
        """Go on with the options chosen, and draw until somebody is asked or the game is over."""
        events = [*self.move(chosen)] if chosen else []
        while isinstance(node := self.turn(), ChanceNode):
            events += self.move({CHANCE: (node.draw(self.chance),)})
        return events


class Deal(Protocol):
    """Sets a game up: the same arguments always give the same state."""

    def __call__(self, seats: int, seed: bytes, variants: Mapping[str, str]) -> State:
        """Deal for this many seats from a 32-byte seed; ``variants`` names one value for every variant of the game.

        What the table sees happen before anyone is asked, such as a first card turned up, is left for the opening
        (see ``Pending``): a deal tells nobody anything.
        """
        ...


class Imagine(Protocol):
    """Makes up a whole state from what one seat knows."""

    def __call__(self, observation: Any, chance: Chance) -> State:
        """A state consistent with the observation, the unknown drawn from ``chance``."""
        ...


class Luck(Struct, frozen=True, gc=False):
    """What one chance event gave the seats, next to what it gives in the mean.

    Its unit is the share of opponents; where the score counts, a part of what lies between the ``bounds`` of scores.

    A *chance event* is a draw, a roll or a lot after the deal. Let v be any figure of how well a seat stands once the
    event has happened. The gain of the seat is v minus the mean of v over all outcomes of the event, each as likely as
    it is for whoever knows all but the chance to come. So the mean of each gain is exactly 0, whatever the bots do, and
    however well v tells who will win. With a good v ``arena compare`` needs fewer matches.
    """

    gains: tuple[float, ...]
    """By seat: 0.1 is worth finishing ahead of one opponent in ten more."""
    span: float
    """The most by which the gains of two seats differ in any outcome of this event; the outcome does not change it."""


class TellLuck(Protocol):
    """Tells the luck of one step of a match."""

    def __call__(self, before: Any, chosen: Chosen, events: Sequence[Any]) -> Sequence[Luck]:
        """The luck of each chance event of a step, in order; an event may be left out for reasons known before it.

        ``events`` are what ``before.apply(chosen)`` gives; the state ``before`` is to be left as it is.
        """
        ...


Objective: TypeAlias = Literal["place", "score", "shared"]
"""``place``: to finish ahead of others, however far. ``score``: the greatest mean score, whoever finishes ahead.

``shared``: the same, and all seats of a match have one score, for they win and lose together.
"""


MOST_DECIMALS = 9
Bounds: TypeAlias = Callable[[int, Mapping[str, str]], tuple[float, float]]
"""By number of seats and the values of all variants, the least and the greatest score that there is."""
BoundsBySeats: TypeAlias = Callable[[int], tuple[float, float]]
"""The same where variants are settled."""


class Game(Struct, frozen=True):
    """What is printed on the box."""

    name: str
    """As on the command line: lower case, words joined by hyphens."""
    title: str
    version: str
    """Changes whenever the same deal and picks could lead elsewhere."""
    seats: range
    usual_seats: int
    deal: Deal
    imagine: Imagine
    state: type[Any]
    """The State struct, for loading a saved one."""
    observation: type[Any]
    option: Any
    """The type of an option: one type or a union."""
    event: Any
    variants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Every variant with its possible values, the default first."""
    only_with: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Values that go with one value of another variant alone, such as ``("ties", "tie"): ("mode", "simple")``."""
    question: Callable[[Any], str] | None = None
    """What the seat of an observation is asked, in words for a person; empty words where the table waits for nobody."""
    view: View | None = None
    """The table as the seat of an observation sees it; without one the words of the observation are shown."""
    looks: Looks | None = None
    """How the cards of the view look, by their kind."""
    legend: str = ""
    """How to read the view, for a person who does not know the game: in 75 words at most."""
    objective: Objective = "place"
    """What counts in a match. Tables, formats, comparisons, searches and environments go by it."""
    decimals: int = 0
    """Of scores, at most ``MOST_DECIMALS``: if any, all scores are floats that are rounded to so many places."""
    zero_sum: bool = False
    """Whether the scores of the seats are 0 in all at the end of every match."""
    bounds: Bounds | None = None
    """Where they are known. A comparison by scores needs them."""
    luck: TellLuck | None = None
    """The luck of a step, which ``arena compare`` takes off scores; without one nothing is taken off."""
    greedy: Callable[[dict[str, Any]], Sequence[int]] | None = None
    """How ``greedy`` plays it, from a decoded ``decide`` message to picks; a game of arena has a page in that bot."""
    guide: Callable[[], Any] | None = None
    """Makes the ``arena.search.Guide`` of the bot ``search``; without one, everybody answers as ``greedy`` does."""

    def resolve_variants(self, variants: Mapping[str, str]) -> dict[str, str]:
        """Every variant with its chosen or default value; ``ValueError`` if two do not go together, or one is none."""
        for name, value in variants.items():
            if name not in self.variants:
                names = ", ".join(self.variants) or "none"
                raise ValueError(f"{self.name}: expected a variant of {names}, got {name!r}")
            if value not in self.variants[name]:
                raise ValueError(f"{self.name}: expected {name}={'|'.join(self.variants[name])}, got {name}={value}")
        settled = {name: variants.get(name, values[0]) for name, values in self.variants.items()}
        for (name, value), (other, requirement) in self.only_with.items():
            if settled[name] == value and settled[other] != requirement:
                only = f"{name}={value} with {other}={requirement} alone"
                raise ValueError(f"{self.name}: expected {only}, got {other}={settled[other]}")
        return settled

    def unusual(self) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Each value of a variant that is not the default: variant, value, and all variants settled with it."""
        for name, values in self.variants.items():
            for value in values[1:]:
                needed = self.only_with.get((name, value))
                yield name, value, self.resolve_variants({name: value} | dict([needed] if needed else []))
