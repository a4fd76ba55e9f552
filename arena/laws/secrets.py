"""Laws of secrecy: no seat is sent what it may not know. Worlds that differ only in that look the same to it.

The other world comes from the book's ``redeal``, which is written from the rules' *who sees what*, never from what
``observe`` says.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import msgspec

from arena.chance import Chance
from arena.game import Chosen, Decision, Pending, Seat, State
from arena.laws.table import GameSetup, answers, encode, filter_events, hold, hold_alike, moments, pick, play

MATCHES = 4
GLANCES = 60
"""States looked at in a match, at most; random ones."""
TRIES = 16
"""Of another world, before it is said that there is none."""
LEAKS_AT_LEAST = 4
STEPS_AT_LEAST = 10
MATCHES_AT_MOST = 40
"""Matches are played until so many steps are found; in a short game a seat seldom sees the same in two worlds."""


class Glance(NamedTuple):
    """A state, a seat, and another world that the seat must not be able to tell from it."""

    state: State
    seat: Seat
    world: State


def glances(setup: GameSetup, matches: int = MATCHES) -> Iterator[Glance]:
    """Every seat at random moments of random matches, the fresh deal and the end among them."""
    redeal = setup.book.redeal
    for number in setup.numbers(matches):
        rng = Random(number)  # noqa: S311 - drawn tries need no secrecy
        for state in moments(setup, number, most=GLANCES, rng=rng, dice=b"secrets"):
            for seat in range(setup.seats):
                yield Glance(state=state, seat=seat, world=redeal(state, seat, rng))


def what_is_sent_is_the_same_in_both_worlds(setup: GameSetup) -> None:
    """A seat's question and observation do not depend on anything it may not know."""
    for state, seat, world in glances(setup):
        question, twin = (_question(table, seat) for table in (state, world))
        hold_alike(f"seat {seat} to be asked the same in both worlds", question, twin)
        hold_alike(f"seat {seat} to see the same in both worlds", state.observe(seat), world.observe(seat))


def redealing_leaves_the_state_alone(setup: GameSetup) -> None:
    """The other world has the same components and shares nothing with the state it was made from."""
    census = setup.book.census
    for state, _, world in glances(setup, 1):
        before = encode(state)
        hold(census(world) == census(state), f"a redeal with the census {census(state)}", census(world))
        for _, _ in zip(range(5), play(world, Chance(b"elsewhere")), strict=False):
            pass
        hold(encode(state) == before, "a redealt world that shares nothing", "a change")


def redealing_changes_what_is_hidden(setup: GameSetup) -> None:
    """Of the views for which ``imagine`` finds another world, redealing finds one for at least half.

    A world is another one if it differs in more than the state of its random numbers. Otherwise these laws would
    compare equal worlds and see no leak. A game in which nothing is hidden is not blamed.
    """
    possible = hits = 0
    for number, (state, seat, world) in enumerate(glances(setup)):
        observation, chance, rng = state.observe(seat), Chance(b"possible", number * 1000), Random(number)  # noqa: S311 - as above
        if any(unlike(state, setup.game.imagine(observation, chance)) for _ in range(TRIES)):
            possible += 1
            redealt = (setup.book.redeal(state, seat, rng) for _ in range(TRIES))
            hits += any(unlike(state, other) for other in chain([world], redealt))
    hold(2 * hits >= possible, f"half of {possible} redealt worlds to differ", hits)


def planted_leaks_are_found(setup: GameSetup) -> None:
    """An observation that tells more than it may is told apart: each leak that the game's book plants is found."""
    leaks = setup.book.LEAKS
    hold(len(leaks) >= LEAKS_AT_LEAST, f"at least {LEAKS_AT_LEAST} planted leaks", sorted(leaks))
    caught: set[str] = set()
    for state, seat, world in glances(setup):
        caught |= {name for name in leaks.keys() - caught if _differs(leaks[name], state, world, seat)}
        if caught == leaks.keys():
            return
    hold(caught == leaks.keys(), "all planted leaks to be found", f"past: {sorted(leaks.keys() - caught)}")


def events_tell_no_more_than_the_observation(setup: GameSetup) -> None:
    """Where a seat sees the same before and after a step of two worlds, it has heard the same events."""
    usual = setup.variants == setup.game.resolve_variants({})
    compared = 0
    for match in setup.numbers(MATCHES_AT_MOST):
        if match - setup.first >= MATCHES and (compared >= STEPS_AT_LEAST or not usual):
            break
        for step in _steps_in_both_worlds(setup, match):
            if step.sights[0] == step.sights[1] and not step.over:
                compared += 1
                hold_alike(f"seat {step.seat} to hear the same in both worlds {step.when}", *step.news)
    hold(compared >= STEPS_AT_LEAST or not usual, f"at least {STEPS_AT_LEAST} steps to compare", compared)


def who_learns_something_hears_of_it(setup: GameSetup) -> None:
    """Where a seat sees the same before a step of two worlds, answers and hears the same, it sees the same after it.

    Fields of the observation that the book names in ``UNHEARD`` may tell what no event does.
    """
    unheard = {*getattr(setup.book, "UNHEARD", ())}
    heard = [name for name in setup.game.observation.__struct_fields__ if name not in unheard]
    strange = unheard - {*setup.game.observation.__struct_fields__}
    hold(not strange, "UNHEARD of the book to name fields of the observation", sorted(strange))
    for match in setup.numbers(2):
        for step in _steps_in_both_worlds(setup, match):
            if step.news[0] == step.news[1]:
                sights = [{name: getattr(sight, name) for name in heard} for sight in step.sights]
                means = "by an event or a field in UNHEARD of the book"
                hold_alike(f"seat {step.seat} to learn {means} what it sees {step.when}", *sights)


def unlike(state: State, world: State) -> bool:
    """Whether the two differ in more than their chance."""
    here, twin = without_chance(msgspec.to_builtins(state)), without_chance(msgspec.to_builtins(world))
    return bool(here != twin)


def without_chance(tree: Any) -> Any:
    """Plain data with every ``Chance`` taken out."""
    if isinstance(tree, dict):
        return None if tree.keys() == {"key", "drawn"} else {key: without_chance(part) for key, part in tree.items()}
    return [without_chance(part) for part in tree] if isinstance(tree, (list, tuple)) else tree


def _differs(leak: Callable[[Any, Seat], object], state: State, world: State, seat: Seat) -> bool:
    return encode(leak(state, seat)) != encode(leak(world, seat))


class _Step(NamedTuple):
    """A step of two worlds that look the same to a seat, which answers alike: what it hears and sees in either."""

    seat: Seat
    choices: Chosen
    news: tuple[list[Any], list[Any]]
    sights: tuple[Any, Any]
    over: bool

    @property
    def when(self) -> str:
        """After which answers, in the words of their options; those of this seat if it was asked."""
        answered = {self.seat: self.choices[self.seat]} if self.seat in self.choices else self.choices
        words = [f"{' and '.join(map(str, picked)) or 'nothing'} of seat {seat}" for seat, picked in answered.items()]
        return f"after {', '.join(words)}" if words else "after the opening"


def _steps_in_both_worlds(setup: GameSetup, match: int) -> Iterator[_Step]:
    """What a seat has learnt stands in its observation, and what it sees happen in events: each follows from the other.

    Where the worlds drew differently, a seat sees and hears otherwise in them. What is told at the end of a match is of
    no more use.
    """
    for number, (state, seat, world) in enumerate(glances(setup._replace(first=match), 1)):
        choices = _common_answers(state, world, seat, Chance(b"both worlds", (match * 1000 + number) * 1000))
        if choices is not None:
            here, twin = state.copy(), world.copy()
            news = filter_events(here.apply(choices[0]), seat), filter_events(twin.apply(choices[1]), seat)
            over = not isinstance(here.pending(), Pending)
            yield _Step(seat, choices[0], news, (here.observe(seat), twin.observe(seat)), over)


def _question(state: State, seat: Seat) -> Any:
    pending = state.pending()
    return pending.decisions.get(seat) if isinstance(pending, Pending) else None


def _common_answers(state: State, world: State, seat: Seat, dice: Chance) -> tuple[Chosen, Chosen] | None:
    """Answers in both worlds: the same of this seat, and of each other one for which some are legal in both."""
    here, twin = state.pending(), world.pending()
    if not isinstance(here, Pending) or not isinstance(twin, Pending) or here.decisions.keys() != twin.decisions.keys():
        return None
    common, alone = {}, []
    for who, decision in here.decisions.items():
        other = twin.decisions[who]
        pool = list(other.options)
        # equal cards stand side by side: take each as often as both worlds have it
        options = tuple(pool.pop(pool.index(option)) for option in decision.options if option in pool)
        least, most = max(decision.least, other.least), min(decision.most, other.most, len(options))
        if least <= most:
            common[who] = Decision(options, least=least, most=most)
        elif who == seat:
            return None
        else:
            alone.append(who)
    alike = answers(Pending(common), dice)
    own = [{**alike, **{who: pick(asked.decisions[who], dice) for who in alone}} for asked in (here, twin)]
    return own[0], own[1]
