"""Observations and options as numbers, by what games declare: the law of codes, and that nothing is lost."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct, structs

from arena import games
from arena.environments.encoding import Encoding, Undeclared, encoding_of
from arena.environments.environment import Environment
from arena.environments.single_picks import SinglePicks
from arena.errors import UsageError
from arena.game import Decision, Game
from arena.games.dockfight.events import Cut
from arena.values import LEFT_OUT, SEAT, Among, Copies, Upto
from tests.documents import ROOT
from tests.environments.golden_rows import golden_of, read_goldens

EXAMPLES = {"night-nets": "night_nets", "poker": "poker.kuhn poker.leduc"}
MATCHES = 1


@pytest.fixture(scope="module", autouse=True)
def _examples() -> Iterator[None]:
    """The packages of the examples can be imported."""
    folders = [str(ROOT / "examples" / name) for name in EXAMPLES]
    sys.path[:0] = folders
    yield
    for folder in folders:
        sys.path.remove(folder)


def game_of(name: str) -> Game:
    """A game of the shelf by its name, or of the examples by its module."""
    game: Game = import_module(name).GAME if "_" in name or "." in name else games.find(name)
    return game


NAMES = [*games.names(), *" ".join(EXAMPLES.values()).split()]


def tables(game: Game) -> Iterator[Environment]:
    """A table at the least, the usual and the most seats, and with each value of a variant."""
    yield from (Environment(game, seats) for seats in {game.seats[0], game.usual_seats, game.seats[-1]})
    yield from (Environment(game, None, variants) for _, _, variants in game.unusual())


def played(table: Environment) -> Iterator[Environment]:
    """The table at each question of matches of random players, and at the end of each match."""
    dice = Random(1)
    for match in range(MATCHES):
        table.reset(f"match {match}")
        while table.seat is not None:
            yield table
            decision = table.decision
            most = min(decision.most, len(decision.options))
            table.step(dice.sample(range(len(decision.options)), dice.randint(decision.least, most)))
        yield table


def shown(value: Any, hint: Any) -> Any:
    """A value without what its type leaves out, rows whose order says nothing sorted."""
    marks = hint.__metadata__ if get_origin(hint) is Annotated else ()
    if LEFT_OUT in marks:
        return None
    if isinstance(value, Struct):
        hints = get_type_hints(type(value), include_extras=True)
        return [type(value).__name__, *(shown(getattr(value, name), hints[name]) for name in value.__struct_fields__)]
    if not isinstance(value, tuple):
        return value
    kind = hint.__origin__ if marks else hint
    row = [shown(item, get_args(kind)[0] if get_args(kind) else Any) for item in value]
    return sorted(row, key=repr) if any(isinstance(mark, Copies) for mark in marks) else row


@pytest.mark.parametrize("name", NAMES)
def test_different_options_have_different_actions(name: str) -> None:
    """Two options of a question have one action only if they are equal, or nobody can tell afterwards which it was."""
    for table in tables(game_of(name)):
        encoding = Encoding(table.game, table.seats)
        for here in played(table):
            known: dict[int, tuple[int, Any]] = {}
            for place, option in enumerate(here.options if here.seat is not None else ()):
                assert here.seat is not None
                action = encoding.action(option, here.seat)
                assert 0 <= action < encoding.done
                first, other = known.setdefault(action, (place, option))
                assert other == option or rows_after(here, encoding, first) == rows_after(here, encoding, place)


def rows_after(table: Environment, encoding: Encoding, pick: int) -> list[bytes]:
    """What each seat knows once this option alone was picked."""
    other = table.copy()
    other.step([pick])
    return [encoding.encode(other.observation(seat), seat=seat).tobytes() for seat in range(table.seats)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.long_cases("dockfight")
def test_nothing_is_lost(name: str) -> None:
    """Numbers are from 0 to 1, or -1 to 1; two observations have one row only if all that is encoded is the same."""
    for table in tables(game_of(name)):
        encoding = Encoding(table.game, table.seats)
        by_row: dict[bytes, str] = {}
        for here in played(table):
            for seat in range(here.seats):
                seen = here.observation(seat)
                row = encoding.encode(seen, seat=seat)
                assert all(map(float.__le__, encoding.low, row))
                assert max(row) <= 1
                said = repr(shown(seen, type(seen)))
                assert by_row.setdefault(row.tobytes(), said) == said


def test_seats_are_counted_from_oneself() -> None:
    """The same cut at the same distance is the same action from every seat, and rows by seat begin with the own."""
    encoding = encoding_of("dockfight", 3)
    cuts = {encoding.action(Cut(opponent=(seat + 2) % 3, day=5), seat) for seat in range(3)}
    assert [encoding.actions[cut] for cut in cuts] == ["cut, opponent seat +2, day 5"]
    table = Environment("dockfight", 3)
    table.reset("deal")
    seen = structs.replace(table.observation(1), protected=(False, True, False))
    row = dict(zip(encoding.names, encoding.encode(seen, seat=1), strict=True))
    assert [row[f"protected[+{place}]"] for place in range(3)] == [1, 0, 0]


def test_the_order_of_picks_can_be_read() -> None:
    """Picks of one question in another order are other rows, as are two orders of bets."""
    table = Environment("lure", 2)
    table.reset("deal")
    rows = set()
    for order in ((0, 5), (5, 0)):
        match = SinglePicks(table.copy(), encoding_of("lure", 2))
        for place in order:
            match.act(encoding_of("lure", 2).action(table.options[place], 0))
        rows.add(match.row(0).tobytes())
    assert len(rows) == 2
    kuhn = game_of("poker.kuhn")
    acts = [kuhn.observation(0, 3, 1, order) for order in (("pass", "bet"), ("bet", "pass"))]
    assert len({Encoding(kuhn, 3).encode(seen, seat=0).tobytes() for seen in acts}) == 2


def test_the_fingerprint() -> None:
    """Another process makes the same encoding; what was learnt with other columns or rules is refused."""
    code = "from arena.environments.encoding import encoding_of; print(encoding_of('dockfight', 3).fingerprint)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "1"}
    )
    encoding = encoding_of("dockfight", 3)
    assert done.stdout.split() == [encoding.fingerprint]
    assert encoding_of("dockfight", 3, fingerprint=encoding.fingerprint) is encoding
    with pytest.raises(
        UsageError, match=r"expected the encoding 0123, got [0-9a-f]{16} \(arena/dockfight-v2, 3 seats\): train"
    ):
        encoding_of("dockfight", 3, fingerprint="0123")
    game = games.find("dockfight")
    newer = Encoding(structs.replace(game, version="3"), 3)
    assert newer.name == "arena/dockfight-v3"
    assert len({encoding.fingerprint, newer.fingerprint, encoding_of("dockfight", 4).fingerprint}) == 3


def test_the_fingerprint_has_scales_and_variants() -> None:
    """A number that is divided by twice as much, or a variant, has names and columns as before, but means another."""

    class Seen(Struct, frozen=True):
        seat: int
        fish: Annotated[int, Upto(9)]

    class Doubled(Struct, frozen=True):
        seat: int
        fish: Annotated[int, Upto(18)]

    game = games.find("lure")
    one, two = (Encoding(structs.replace(game, observation=seen), 3) for seen in (Seen, Doubled))
    assert (one.names, one.low, one.actions) == (two.names, two.low, two.actions)
    variants = [game.resolve_variants({}), *(settled for _, _, settled in game.unusual())]
    prints = {encoding_of("lure", 3, one_way).fingerprint for one_way in variants}
    assert len({one.fingerprint, two.fingerprint, *prints}) == 2 + len(variants)
    assert encoding_of("lure", 3).fingerprint == encoding_of("lure", 3, variants[0]).fingerprint


@pytest.mark.parametrize("name", games.names())
def test_a_name_means_one_thing(name: str) -> None:
    """Rows, actions and fingerprint of a name are those that it was published with; others need another name."""
    encoding = encoding_of(name, games.find(name).usual_seats)
    assert golden_of(name) == read_goldens()[encoding.name]


def test_what_is_not_declared() -> None:
    """A field that does not say its values, and a value that was not declared, are named."""

    class Seen(Struct, frozen=True):
        seat: int
        fish: tuple[int, ...]

    game = structs.replace(games.find("dockfight"), observation=Seen)
    with pytest.raises(
        Undeclared, match=r"dockfight: Seen\.fish: expected a type that declares .* got tuple\[int, \.\.\.\]"
    ):
        Encoding(game, 3)
    table = Environment("dockfight", 3)
    table.reset("deal")
    for field, value, said in (
        ("stalled", 99, "0 to 6, as declared, got 99"),
        ("cast", (13,), "a declared value, .* 13"),
    ):
        with pytest.raises(UsageError, match=f"arena/dockfight-v2: {field}: expected {said}"):
            encoding_of("dockfight", 3).encode(structs.replace(table.observation(0), **{field: value}), seat=0)


def test_seats_that_share_a_question() -> None:
    """Where seats are asked at once by one question, each has actions of its own: targets are counted from itself."""
    encoding, shared = encoding_of("dockfight", 3), Decision((Cut(opponent=0, day=1), "stop"))
    table = SimpleNamespace(seat=1, decision=shared)
    match = SinglePicks(table, encoding)  # type: ignore[arg-type]
    first = match.legal()
    table.seat = 2
    assert match.legal() == sorted(encoding.actions_of(shared.options, 2)) != first


@pytest.mark.parametrize("name", NAMES)
def test_what_was_met_before(name: str) -> None:
    """A row is the same whether its values were met before or not, and whether they are tuples or lists."""
    table = Environment(game_of(name))
    known = Encoding(table.game, table.seats)
    for turn, here in enumerate(played(table)):
        if turn % 20:
            for seat in range(here.seats):
                known.encode(here.observation(seat), seat=seat)
            continue
        new = Encoding(table.game, table.seats)
        for seat in range(here.seats):
            seen = here.observation(seat)
            row = new.encode(seen, seat=seat)
            assert known.encode(seen, seat=seat) == known.encode(seen, seat=seat) == row
            lists = {
                field: [*value] for field in seen.__struct_fields__ if type(value := getattr(seen, field)) is tuple
            }
            assert known.encode(structs.replace(seen, **lists), seat=seat) == row


def test_options_without_a_hash() -> None:
    """Options need not be frozen structs."""

    class Haul(Struct):
        target: Annotated[int, SEAT]
        days: Annotated[int, Among((1, 2, 3))]

    encoding = Encoding(structs.replace(games.find("dockfight"), option=Haul), 3)
    actions = [encoding.actions_of([Haul(target, days) for days in (1, 2, 3)], 1) for target in range(3)]
    assert sorted(action for row in actions for action in row) == list(range(9))
    assert encoding.actions[actions[2][1]] == "haul, target seat +1, days 2"
    with pytest.raises(UsageError, match=r"expected a declared value, of 1, 2, 3 \.\.\., got 4"):
        encoding.action(Haul(0, 4), 1)
