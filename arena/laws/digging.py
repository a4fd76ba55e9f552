"""Laws held for as long as one has time: on ever new matches, and first on those in which something seldom happens.

Prints nothing.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from time import process_time as clock
from typing import Any

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import fields, replace

from arena.chance import Chance
from arena.errors import UsageError
from arena.game import Game, Imagine, Pending, State, capped
from arena.laws.odds import what_is_true_is_one_more_draw as once_more
from arena.laws.table import GameSetup, LawBroken, Place, answers, unwrap_events

_SELDOM = 3
"""What has happened in fewer matches than this is looked at first."""
_BATCH = 8
"""Matches of each setup that are played before the next are looked at."""


class Breach(Struct, frozen=True, kw_only=True):
    """A law that does not hold."""

    law: str
    setup: str
    first: int
    """The number of the match: ``law(setup._replace(first=...))`` breaks it again, if there were no further rounds."""
    round: int = 0
    """Of the law on odds, which is tried on more and more matches."""
    why: str


class Dug(Struct, frozen=True, kw_only=True):
    """What was looked at, and what was found."""

    seconds: float
    """Of the processor."""
    matches: int
    """That were played to choose among them."""
    tried: int
    """How often a law was tried on a match of a setup."""
    laws: int
    """How many laws were tried at all: in a short time not all of them."""
    untried: Mapping[str, tuple[str, ...]]
    """By law the setups on which it was not tried, unless it was broken: of these nothing is known."""
    imagining: float
    """The part of the time that ``imagine`` took."""
    breaches: tuple[Breach, ...]
    """At most one of each law."""
    never: Mapping[str, tuple[str, ...]]
    """What never happened in any match: ``options`` chosen and ``events`` by their kinds, ``fields`` that changed."""


def dig(
    setups: Sequence[GameSetup],
    laws: Sequence[Callable[[GameSetup], None]],
    *,
    once: Sequence[Callable[[GameSetup], None]] = (),
    seconds: float,
    enough: int = 100,
) -> Dug:
    """Hold laws on matches of these setups until the time of the processor is up, whatever else this machine does.

    Each law is tried on each setup; then each gets about the same time. Without ``once`` each is tried as often, which
    finds most in a short time.

    Args:
        setups: of one game; all of them get their turn.
        laws: those that hold in every match.
        once: those that hold in many matches together, which are tried once on each setup; the one on odds then again,
            each time on twice as many.
        seconds: for all; a law that has begun is finished.
        enough: so many broken laws are enough.

    Raises:
        UsageError: their book lacks a part.
    """
    if lacking := [part for part in ("census", "redeal", "LEAKS") if not hasattr(setups[0].book, part)]:
        raise UsageError(f"expected census, redeal and LEAKS in the book, got no {' and no '.join(lacking)}")
    began, frequencies, imagining = clock(), _Frequencies(), [0.0]
    game = setups[0].game
    game = replace(game, imagine=_timed(game.imagine, imagining))
    setups = [setup._replace(game=game) for setup in setups]
    tries = _Tries(setups, frequencies)
    spent, turn = dict.fromkeys([*laws, *once], 0.0), Counter[Callable[[GameSetup], None]]()
    breaches: list[Breach] = []
    while spent and len(breaches) < enough and clock() < began + seconds:
        law = min(spent, key=lambda law: (turn[law] >= len(setups), spent[law]) if once else turn[law])
        # with the time to choose a match: else a law that takes none would have all matches played
        start = clock()
        number, place = divmod(turn[law], len(setups))
        setup = setups[place]._replace(round=number, first=number) if law in once else tries[turn[law]]
        turn[law] += 1
        breach = _breach(law, setup)
        spent[law] += clock() - start
        if breach is not None:
            breaches.append(breach)
        if breach is not None or (law in once and turn[law] == len(setups) and law is not once_more):
            del spent[law]
    broken = {breach.law for breach in breaches}
    not_on = {law.__name__: tuple([setup.name for setup in setups[turn[law] :]]) for law in [*laws, *once]}
    took = clock() - began
    return Dug(
        seconds=took,
        untried={law: names for law, names in not_on.items() if names and law not in broken},
        imagining=imagining[0] / took,
        matches=tries.matches,
        tried=turn.total(),
        laws=len(turn),
        breaches=tuple(breaches),
        never=frequencies.never(setups[0].game),
    )


def _breach(law: Callable[[GameSetup], None], setup: GameSetup) -> Breach | None:
    try:
        law(setup)
    except LawBroken as broken:
        why = "; ".join([str(broken), *getattr(broken, "__notes__", [])])
    except Exception as error:  # noqa: BLE001 - whatever a game raises breaks the law
        why = f"expected no error, got {type(error).__name__}: {error} ({_line_of(error)}; {Place.words()})"
    else:
        return None
    return Breach(law=law.__name__, setup=setup.name, first=setup.first, round=setup.round, why=why)


def _line_of(error: Exception) -> str:
    """The line of the game's own code, the book's too, from which the error came."""
    frames = traceback.extract_tb(error.__traceback__)
    arena = Path(__file__).parents[1]
    inside = [Path(frame.filename).is_relative_to(arena) for frame in frames]
    games = [Path(frame.filename).is_relative_to(arena / "games") for frame in frames]
    theirs = [frame for frame, ours, shelf in zip(frames, inside, games, strict=True) if shelf or not ours]
    last = (theirs or frames)[-1]
    return f"{last.filename}, line {last.lineno}: {last.line}"


def _timed(imagine: Imagine, total: list[float]) -> Imagine:
    @wraps(imagine)
    def timed_imagine(observation: Any, chance: Chance) -> State:
        start = clock()
        try:
            return imagine(observation, chance)
        finally:
            total[0] += clock() - start

    return timed_imagine


class _Tries:
    """Setups with the match to look at first, without end: of every few matches those first in which much is new."""

    def __init__(self, setups: Sequence[GameSetup], frequencies: "_Frequencies") -> None:
        self.matches = 0
        self._setups, self._frequencies = setups, frequencies
        # the matches that every suite looks at come first
        self._listed = list(setups)
        self._further = self._batches()

    def __getitem__(self, place: int) -> GameSetup:
        while place >= len(self._listed):
            self._listed += next(self._further)
        return self._listed[place]

    def _batches(self) -> Iterator[list[GameSetup]]:
        first = 1
        while True:
            batch = []
            for setup in self._setups:
                for number in range(first, first + _BATCH):
                    tried = setup._replace(first=number)
                    batch.append((self._frequencies.add(tried), tried))
                    self.matches += 1
            # in turns, so that no setup waits for the others
            batch.sort(key=lambda pair: (-pair[0], pair[1].first))
            yield [tried for _, tried in batch]
            first += _BATCH


class _Frequencies:
    """In how many matches each thing has happened."""

    def __init__(self) -> None:
        self._times = Counter[tuple[str, str]]()

    def add(self, setup: GameSetup) -> int:
        """Play a match; how many things happened in it that were seldom seen before."""
        happened = set[tuple[str, str]]()
        try:
            for thing in _things(setup):
                happened.add(thing)
        except Exception:  # noqa: BLE001, S110 - the laws tell what is wrong with it
            pass
        new = sum(self._times[thing] < _SELDOM for thing in happened)
        self._times.update(happened)
        return new

    def never(self, game: Game) -> dict[str, tuple[str, ...]]:
        """What the game declares, and never happened."""
        declared = {
            "options": _kinds(game.option),
            "events": _kinds(game.event),
            "fields": [field.name for field in fields(game.state) if field.name != "chance"],
        }
        return {
            what: tuple([kind for kind in kinds if not self._times[what, kind]]) for what, kinds in declared.items()
        }


def _things(setup: GameSetup) -> Iterator[tuple[str, str]]:
    """What happens in a match by random answers: options, events and pairs of these in a row, fields that change."""
    state, dice = setup.deal(setup.first), Chance(b"players", setup.first * 1_000_000)
    names = [field.name for field in fields(setup.game.state)]
    steps = decided = 0
    last = ""
    while isinstance(pending := state.pending(), Pending) and not capped(steps=steps, decided=decided):
        steps, decided = steps + 1, decided + len(pending.seats)
        before, choices = state.copy(), answers(pending, dice)
        events = unwrap_events(state.apply(choices))
        yield from (("options", _kind(option)) for options in choices.values() for option in options)
        for event in events:
            kind = _kind(event)
            yield "events", kind
            yield "in a row", f"{last} {kind}"
            last = kind
        yield from (("fields", name) for name in names if getattr(before, name) != getattr(state, name))


def _kind(value: Any) -> str:
    if isinstance(value, Struct):
        return str(value.__struct_config__.tag or type(value).__name__)
    return value if isinstance(value, str) else type(value).__name__


def _kinds(declared: Any) -> list[str]:
    """The kinds of options or events that a type declares, as far as it names them."""
    return list(_list_names(msgspec.inspect.type_info(declared)))


def _list_names(info: inspect.Type) -> Iterator[str]:
    match info:
        case inspect.UnionType():
            for part in info.types:
                yield from _list_names(part)
        case inspect.LiteralType():
            yield from map(str, info.values)
        case inspect.StructType():
            yield str(info.tag or info.cls.__name__)
