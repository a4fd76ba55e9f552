"""Laws of odds: ``imagine`` draws what a seat does not know with its true odds.

What is true is then one more draw of what is imagined. So in played matches each count by hand, pile and card must on
the whole be as great in truth as in imagined worlds. In a *scenario*, a short way to play from a small position, the
law knows more: it plays every way in which chance can fall. Wherever a seat has seen and heard the same, imagined
worlds must have the exact odds. So it also finds an observation that forgets what the seat has learnt: ways to play are
told apart by all that the seat heard, but ``imagine`` gets only what the seat observes. Nothing is concluded from what
others chose. So those who play here choose without regard to what they alone know.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from math import exp, inf, log, pi, prod, sqrt
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Game, Pending, Seat, State
from arena.laws.rows import compare_worlds
from arena.laws.table import GameSetup, LawBroken, answers, encode, filter_events, hold

Result = TypeVar("Result")


class TooManyWays(Exception):
    """Chance falls in more ways than are to be tried."""


class Script(Struct):
    """How chance falls this time: the number of the outcome of each event in turn; 0 where no number is given."""

    outcomes: list[int]
    most: int
    """Ways in which chance may fall."""
    odds: list[list[float]] = []
    """For each event that came, how likely each outcome was."""

    def next(self, odds: list[float]) -> int:
        """The number of the outcome of the next event; ``TooManyWays`` if there are more ways than may be."""
        event = len(self.odds)
        self.odds.append(odds)
        if prod(map(len, self.odds)) > self.most:
            raise TooManyWays
        return self.outcomes[event] if event < len(self.outcomes) else 0

    def next_kind(self, items: MutableSequence[Any]) -> Any:
        """One of these items, each copy equally likely; equal ones are one outcome."""
        copies = Counter(items)
        kinds = list(copies)
        return kinds[self.next([copies[kind] / len(items) for kind in kinds])]

    @property
    def likelihood(self) -> float:
        """The likelihood of all outcomes that fell."""
        likely = 1.0
        for event, odds in enumerate(self.odds):
            likely *= odds[self.outcomes[event] if event < len(self.outcomes) else 0]
        return likely

    def following(self) -> list[int] | None:
        """The next way for chance to fall, None after the last."""
        outcomes = [self.outcomes[event] if event < len(self.outcomes) else 0 for event in range(len(self.odds))]
        while outcomes:
            outcomes[-1] += 1
            if outcomes[-1] < len(self.odds[len(outcomes) - 1]):
                return outcomes
            outcomes.pop()
        return None


class Scripted(Chance):
    """Chance that falls as a script tells."""

    script: Any = None

    def below(self, n: int) -> int:
        """As told."""
        if n > self.script.most:
            raise TooManyWays
        outcome: int = self.script.next([1 / n] * n)
        return outcome

    def roll(self, sides: int = 6) -> int:
        """As told."""
        return 1 + self.below(sides)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Into an order as told; orders that look alike are one."""
        pool = list(items)
        for place in range(len(pool) - 1, -1, -1):
            items[place] = self.script.next_kind(pool)
            pool.remove(items[place])

    def copy(self) -> "Scripted":
        """The same."""
        return self


def every_way(play: Callable[[Script], Result], most: int) -> Iterator[tuple[float, Result]]:
    """Play once for each of at most ``most`` ways in which chance can fall: how likely it is, and what came of it."""
    outcomes: list[int] | None = []
    while outcomes is not None:
        script = Script(outcomes, most)
        result = play(script)
        yield script.likelihood, result
        outcomes = script.following()


def scripted(script: Script) -> Scripted:
    """Chance that falls as this script tells."""
    chance = Scripted(b"")
    chance.script = script
    return chance


MATCHES = 50
"""Matches in which truth and imagined worlds are compared, each at one moment."""
WORLDS_A_MOMENT = 4
FALSE_ALARM = 1e-3
"""So seldom a right ``imagine`` is found wrong, over all counts: each has its even part. Further rounds halve it."""
VARIED_AT_LEAST = 8
"""Counts are compared that were not all the same in at least so many matches: in fewer, chance could do anything."""
LOOKED_INTO = 3

WAYS_AT_MOST = 30_000
"""In which a scenario may be played."""
WORLDS = 1000
"""Imagined for each of a scenario's information sets that are compared, ..."""
MOST_COMPARED = 12
"""... for each seat the most likely ones, at most this many."""
DEVIATIONS = 5
"""Odds may be off by so many standard deviations; by chance they are off by more once in a million."""
ENOUGH = 5
"""Outcomes that are expected less often than this are put together."""


class Scenario(NamedTuple):
    """A short way to play from a small position."""

    start: Callable[[Chance], State]
    """Makes a position: what is hidden is drawn from this chance, by the rules, and the state goes on with it."""
    answer: Callable[[Any, Chance], Chosen]
    """The answers of all who are asked, made without regard to what their seats alone know."""
    steps: int
    """How often they are asked."""
    hidden: Callable[[Any], Any]
    """From a state, all that may be hidden from a seat, as plain data."""
    seats: tuple[Seat, ...] = ()
    """The seats whose odds are compared, if the rules do not draw the start for all seats; by default all."""


class InformationSet(NamedTuple):
    """What a seat has seen and heard in some ways to play, and how likely each hidden world is then."""

    seat: Seat
    observation: Any
    odds: dict[bytes, float]


def what_is_true_is_one_more_draw(setup: GameSetup, matches: int = MATCHES) -> None:
    """In played matches each count by hand, pile and card is on the whole as great as in worlds imagined there.

    So is each number of values that a hidden row shares with a row which the seat sees, and each figure of the book.
    Truth is exchangeable with the worlds: given all five, it is as likely any of them.
    """
    draws: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    matches <<= setup.round
    for number in setup.numbers(matches):
        seat, worlds = _truth_and_worlds(setup, number)
        for part, drawn in compare_worlds(setup, worlds, seat).items():
            draws[part].append(drawn)
    likely = {part: chance_of(drawn) for part, drawn in draws.items() if len(drawn) >= VARIED_AT_LEAST}
    if not likely:
        return
    # a card that is in the one place is not in the other: such two are one
    number_of_counts = len({_as_one(draws[part]) for part in likely})
    worst = min(likely, key=lambda part: (likely[part], part))
    truth_has, deviations = _excess(draws[worst])
    if likely[worst] * number_of_counts < FALSE_ALARM / 2**setup.round:
        raise LawBroken(
            f"expected {worst} as often in truth as in worlds of {matches} matches, got "
            f"{truth_has / matches:+.3f} a match, {deviations:+.1f} standard deviations"
        )


def chance_of(draws: Sequence[tuple[float, ...]]) -> float:
    """How likely a sum of truths is as far from what is to be expected, if truth is any one of each draw.

    The first of each draw is the truth. By the bound of Chernoff (1952) with the factor of Bahadur and Rao (1960). They
    need no normal sum, and so are right for few matches and for what seldom happens. Sums within three standard
    deviations are not looked into: 1.
    """
    total, deviations = _excess(draws)
    if abs(deviations) < LOOKED_INTO:
        return 1.0
    sign = 1 if total > 0 else -1
    centred = Counter([tuple(sorted([sign * (count - sum(draw) / len(draw)) for count in draw])) for draw in draws])
    total = sum([sign * (draw[0] - sum(draw) / len(draw)) for draw in draws])

    def log_mean(slope: float) -> float:
        """Of the exponential of the slope times what truth has more, over all that truth might be."""
        parts = [(draw[-1], sum([exp(slope * (count - draw[-1])) for count in draw]) / len(draw)) for draw in centred]
        return sum([n * (slope * top + log(mean)) for n, (top, mean) in zip(centred.values(), parts, strict=True)])

    widest = max(draw[-1] - draw[0] for draw in centred)
    low, high = 0.0, 60 / widest
    for _ in range(60):  # it is convex
        lower, upper = low + (high - low) / 3, high - (high - low) / 3
        rises = log_mean(lower) - lower * total < log_mean(upper) - upper * total
        low, high = (low, upper) if rises else (lower, high)
    near = low / 1000
    curve = (log_mean(low + near) - 2 * log_mean(low) + log_mean(low - near)) / near**2
    factor = widest / ((1 - exp(-low * widest)) * sqrt(2 * pi * curve)) if curve > 0 else 1.0
    return min(1.0, 2 * exp(log_mean(low) - low * total) * min(factor, 1.0))


def _as_one(draws: Sequence[tuple[float, ...]]) -> tuple[tuple[float, ...], ...]:
    """The same for counts that rise and fall together, or one against the other."""
    steps = [tuple([count - draw[0] for count in draw]) for draw in draws]
    sign = 1 if next(filter(None, steps[0]), 0) > 0 else -1
    return tuple([tuple([sign * step for step in row]) for row in steps])


def _excess(draws: Sequence[tuple[float, ...]]) -> tuple[float, float]:
    """How much more truth has than the worlds have in the mean, in all; and in standard deviations of the sum."""
    means = [sum(draw) / len(draw) for draw in draws]
    more = sum([draw[0] - mean for draw, mean in zip(draws, means, strict=True)])
    variance = sum([sum([(x - mean) ** 2 for x in draw]) / len(draw) for draw, mean in zip(draws, means, strict=True)])
    return more * (WORLDS_A_MOMENT + 1) / WORLDS_A_MOMENT, more / sqrt(variance) if variance else 0.0


def imagined_worlds_have_the_true_odds(game: Game, scenario: Scenario, worlds: int = WORLDS) -> None:
    """By all that a seat has learnt, what is hidden is imagined as often as it is so, and nothing impossible ever."""
    for information_set in information_sets(game, scenario):
        imagined = Counter(
            encode(scenario.hidden(game.imagine(information_set.observation, Chance(b"odds", world * 1000))))
            for world in range(worlds)
        )
        part, off = _chi_square(information_set.odds, imagined, worlds)
        hold(
            off < DEVIATIONS,
            f"seat {information_set.seat} to imagine {part.decode()} in "
            f"{information_set.odds.get(part, 0):.3f} of {worlds} worlds",
            f"{imagined[part] / worlds:.3f} from {information_set.observation}",
        )


def information_sets(game: Game, scenario: Scenario) -> Iterator[InformationSet]:
    """What each seat may have seen and heard, with the exact odds of all that is hidden from it then.

    The scenario is played in every way in which chance can fall. A seat gets the ``MOST_COMPARED`` likeliest of those
    histories after which something is hidden.

    Raises:
        LawBroken: there are too many ways.
    """
    decode = msgspec.json.Decoder(game.observation).decode

    def run(script: Script) -> tuple[list[tuple[bytes, bytes]], bytes]:
        """By seat, all it was told and what it sees; and what is hidden."""
        chance = scripted(script)
        state = scenario.start(chance)
        seats = range(len(state.standing().ranks))
        histories: list[list[object]] = [[state.observe(seat)] for seat in seats]
        for _ in range(scenario.steps):
            if not isinstance(state.pending(), Pending):
                break
            choices = scenario.answer(state, chance)
            events = state.apply(choices)
            for seat in seats:
                histories[seat] += [choices.get(seat), filter_events(events, seat)]
        by_seat = [(encode(histories[seat]), encode(state.observe(seat))) for seat in seats]
        return by_seat, encode(scenario.hidden(state))

    odds: defaultdict[tuple[Seat, bytes], defaultdict[bytes, float]] = defaultdict(lambda: defaultdict(float))
    observations: dict[tuple[Seat, bytes], bytes] = {}
    try:
        for likely, (by_seat, hidden) in every_way(run, WAYS_AT_MOST):
            for seat, (history, observation) in enumerate(by_seat):
                odds[seat, history][hidden] += likely
                observations[seat, history] = observation
    except TooManyWays:
        raise LawBroken(f"expected a scenario that is played in at most {WAYS_AT_MOST} ways, got more") from None
    for seat in scenario.seats or sorted({seat for seat, _ in odds}):
        likeliest = [(-sum(worlds.values()), key) for key, worlds in odds.items() if key[0] == seat and len(worlds) > 1]
        for total, key in sorted(likeliest)[:MOST_COMPARED]:
            yield InformationSet(
                seat, decode(observations[key]), {world: -likely / total for world, likely in odds[key].items()}
            )


def _truth_and_worlds(setup: GameSetup, number: int) -> tuple[Seat, list[State]]:
    dice = Chance(b"odds", number * 1_000_000)
    state = _moment(setup, number, dice)
    seat = dice.below(setup.seats)
    observation = msgspec.json.decode(encode(state.observe(seat)), type=setup.game.observation)
    return seat, [
        state,
        *(setup.game.imagine(observation, Chance(dice.word().to_bytes(8, "little"))) for _ in range(WORLDS_A_MOMENT)),
    ]


def _moment(setup: GameSetup, number: int, dice: Chance) -> State:
    answer = getattr(setup.book, "blind", lambda state, dice: answers(state.pending(), dice))
    state = sample = setup.deal(number)
    passed = 0
    while isinstance(state.pending(), Pending):
        passed += 1
        if not dice.below(passed):
            sample = state.copy()
        state.apply(answer(state, dice))
    return sample


def _chi_square(odds: Mapping[bytes, float], imagined: Mapping[bytes, int], worlds: int) -> tuple[bytes, float]:
    """The world that is off most, and by how many standard deviations all are off together.

    A chi-square test, its result made normal (Wilson and Hilferty, The distribution of chi-square, 1931).
    """
    for world in imagined:
        if world not in odds:
            return world, inf
    cells: list[tuple[float, int, bytes]] = []
    rare, rarely = 0.0, 0
    for world, likely in odds.items():
        if likely * worlds >= ENOUGH:
            cells.append((likely * worlds, imagined.get(world, 0), world))
        else:
            rare, rarely = rare + likely * worlds, rarely + imagined.get(world, 0)
    if rare >= ENOUGH:
        cells.append((rare, rarely, min(odds, key=odds.__getitem__)))
    free = len(cells) - 1
    if free < 1:
        return b"", 0.0
    off = [((got - expected) ** 2 / expected, world) for expected, got, world in cells]
    spread = 2 / (9 * free)
    return max(off)[1], ((sum(term for term, _ in off) / free) ** (1 / 3) - 1 + spread) / sqrt(spread)
