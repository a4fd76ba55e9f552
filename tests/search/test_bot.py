"""The search bot as a real process: every game at every table, on a busy machine, and games of other packages."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Self

import pytest

from arena import games, wire
from arena.chance import Chance
from arena.game import Game, Pending
from arena.laws.table import pick
from arena.players.botfile import argv, environment
from arena.players.entrants import find_bot_shelf, read_entrant
from arena.search import Guide, Search, Timing
from arena.selfplay.players import make_policy
from tests.cli.command import ARENA
from tests.documents import ROOT, blocks
from tests.players.conversation import Talk, hello
from tests.search.test_search import about_to_win

TIME = 25
"""Milliseconds for an answer: what is told, which nobody enforces here."""
QUESTIONS = 20


def tables() -> list[Any]:
    """Least, usual and most seats of every game, in each of its modes."""
    found = []
    for name in games.names():
        game = games.find(name)
        for mode in game.variants.get("mode", ("",)):
            for seats in sorted({game.seats[0], game.usual_seats, game.seats[-1]}):
                brief = name == "catch-of-the-day" and seats == game.usual_seats and mode == "basic"
                marks = () if brief else pytest.mark.long
                found.append(pytest.param(game, mode, seats, id=f"{name}-{seats}{mode}", marks=marks))
    return found


@pytest.mark.parametrize(("game", "mode", "seats"), tables())
def test_it_plays(game: Game, mode: str, seats: int, tmp_path: Path) -> None:
    """Its answers are legal, in the first seat and in the last."""
    bot = read_entrant("search")
    variants = game.resolve_variants({"mode": mode} if mode else {})
    chance = Chance(b"the others")
    with Talk(argv(bot, bot.folder), environment(bot, str(tmp_path)), Path(bot.folder)) as talk:
        for seat in (0, seats - 1):
            assert isinstance(talk.ask(hello(seat, game=game.name, seat=seat, seats=seats)), wire.Ready)
            state = game.deal(seats, bytes(31) + bytes([seat]), variants)
            asked = 0
            while isinstance(pending := state.pending(), Pending) and asked < QUESTIONS:
                chosen = {other: pick(decision, chance) for other, decision in pending.decisions.items()}
                decision = pending.decisions.get(seat)
                if decision is not None and not decision.forced:
                    asked += 1
                    options, least, most = decision.options, decision.least, decision.most
                    question = wire.Decide(
                        str(asked), least, most, len(options), TIME, options, state.observe(seat), []
                    )
                    answer = talk.ask(wire.encode(question))
                    assert isinstance(answer, wire.Choose)
                    assert decision.fault_in(answer.picks) is None
                    chosen[seat] = decision.take(answer.picks)
                state.apply(chosen)
            assert asked or mode == "simple"
        assert talk.goodbye() == 0


def test_it_plays_in_one_process() -> None:
    """Self-play knows it by name, and it has a guide for each game on the shelf."""
    made: Any = make_policy("search").make()
    assert type(made).__name__ == "Searcher"
    module = sys.modules[type(made).__module__]
    for name in games.names():
        guide = module.guide(name)
        assert guide.policy is not None or guide.quick is not None
        game = games.find(name)
        for seats in game.seats:
            state = game.deal(seats, bytes(32), game.resolve_variants({}))
            if guide.estimate is not None:
                assert len(guide.estimate(state)) == seats
            if guide.odds is not None:
                assert all(0 < guide.odds(state, seat) < 1 for seat in range(seats))
            assert guide.phases(state.observe(0)) > 0


@pytest.mark.parametrize(
    "name", ["cash-a-catch", "dockfight", "fish-food", pytest.param("lure", marks=pytest.mark.long)]
)
def test_the_quick_way_is_that_of_greedy(name: str) -> None:
    """What a guide answers quickly, from the state, is what greedy's page answers from the observation, nearly always.

    In Dockfight it takes the pile for what is out of sight, which is also in the hands of others; in Lure it rolls less
    often where an Adjust is played.
    """
    module = sys.modules[type(make_policy("search").make()).__module__]
    guide, game = module.guide(name), games.find(name)
    search = Search(game, Guide(policy=module.module(find_bot_shelf() / "greedy", name).decide))
    same: list[bool] = []
    for number in range(3):
        state = game.deal(game.usual_seats, bytes([number]) * 32, game.resolve_variants({}))
        while isinstance(pending := state.pending(), Pending):
            chosen = {}
            for seat, decision in pending.decisions.items():
                picks = (
                    search.first(decision, state.observe(seat), seat=seat, rng=Random(1)) if not decision.forced else ()
                )
                quick = guide.quick(state, seat, decision) if not decision.forced else None
                if quick is not None:
                    same.append(quick == picks)
                chosen[seat] = decision.silence if decision.forced else decision.take(picks)
            state.apply(chosen)
    assert len(same) > 60
    assert sum(same) >= {"dockfight": 0.97, "lure": 0.9}.get(name, 1) * len(same)


@pytest.mark.parametrize(("step", "answer"), [("hit", (0,)), ("move", (1,))])
def test_the_odds_of_dockfight_see_a_win(step: str, answer: tuple[int, ...]) -> None:
    """The first answer in Dockfight stops to swipe Fisherman Frank where that wins, and swipes him."""
    module = sys.modules[type(make_policy("search").make()).__module__]
    guide, state = module.guide("dockfight"), about_to_win(step)
    decision = state.pending().decisions[state.turn]  # type: ignore[union-attr]
    assert guide.first(state, state.turn, decision) == answer
    assert guide.sure(state.observe(state.turn), decision) is None
    assert all(0 < guide.value(state, seat) < 1 for seat in range(3))
    assert max(range(3), key=lambda seat: guide.value(state, seat)) == state.turn


@pytest.mark.parametrize("seats", games.find("dockfight").seats)
def test_the_odds_of_dockfight_tell_who_finishes_first(seats: int) -> None:
    """Each fact has a weight, and over whole matches of greedy the odds are nearer to the end than evens are."""
    bot = sys.modules[type(make_policy("search").make()).__module__]
    guide, game, gains = bot.guide("dockfight"), games.find("dockfight"), []
    page = bot.module(ROOT / "bots" / "search" / "guides", "dockfight")
    weights = json.loads((ROOT / "bots" / "search" / "guides" / "dockfight.json").read_bytes())[str(seats)]
    facts = len(page.facts(game.deal(seats, bytes(32), {}), 0))
    assert len(weights["plain"]) == 1 + facts
    assert {len(unit) for unit in weights["hidden"]} == {2 + facts}
    for number in range(10):
        state: Any = game.deal(seats, bytes([number]) * 32, {})
        odds, turn = [], None
        while isinstance(pending := state.pending(), Pending):
            if state.turn != turn:
                turn = state.turn
                odds.append((turn, guide.value(state, turn)))
            state.apply({seat: each.take(guide.quick(state, seat, each)) for seat, each in pending.decisions.items()})
        for seat, told in odds:
            share = guide.value(state, seat)
            gains.append((0.5 - share) ** 2 - (told - share) ** 2)
    assert sum(gains) > 0


@pytest.mark.long
def test_the_page_and_the_measurement(tmp_path: Path) -> None:
    """The program in docs/search.md plays and prints a table; the measurement it names prints a line for each time."""
    (program,) = blocks((ROOT / "docs" / "search.md").read_text("utf-8"), "python")
    (tmp_path / "thinker.py").write_text(program)
    ended = subprocess.run(
        [sys.executable, "thinker.py"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    assert {line.split()[1] for line in ended.stdout.splitlines()} == {"Thinker", "random"}
    words = ["benchmarks/search.py", "catch-of-the-day", "-t", "5", "-t", "10", "-n", "1"]
    ended = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    assert [line.split(": ")[0] for line in ended.stdout.splitlines()] == [
        "catch-of-the-day, 4 seats, 5 ms",
        "catch-of-the-day, 4 seats, 10 ms",
    ]


class Calls:
    """A clock of the calls that this thread makes: a second is a million of them, on slow machines."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, _frame: FrameType, event: str, _of: object) -> None:
        self.count += event in ("call", "c_call")

    def seconds(self) -> float:
        """The time."""
        return self.count / 1e6


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_answers_end_in_time(name: str) -> None:
    """Counted in calls: what an answer takes beyond its deadline is less than what the bot keeps of 100 ms."""
    module = sys.modules[type(make_policy("search").make()).__module__]
    game = games.find(name)
    limits = wire.Limits(start=1000, move=100)
    clock = Calls()
    search, rng, beyond = Search(game, module.guide(name), now=clock.seconds), Random(1), [0.0]
    state = game.deal(game.usual_seats, bytes(32), game.resolve_variants({}))
    while isinstance(pending := state.pending(), Pending) and len(beyond) < QUESTIONS:
        chosen = {}
        for seat, decision in pending.decisions.items():
            if decision.forced:
                chosen[seat] = decision.silence
                continue
            allotted = Timing(limits).allot(limits.move) / 1000
            with clock:
                begun = clock.seconds()
                seen = state.observe(seat)
                picks = search.picks(decision, seen, seat=seat, deadline=begun + allotted, rng=rng)
                beyond.append(clock.seconds() - begun - allotted)
            assert decision.fault_in(picks) is None
            chosen[seat] = decision.take(picks)
        state.apply(chosen)
    assert max(beyond) < 0.1 - allotted


@pytest.fixture(name="busy")
def fixture_busy() -> Iterator[None]:
    """A program that computes on every core."""
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("expected a system that pins processes to cores")
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    yield
    for program in programs:
        program.kill()
        program.wait()


def faults(place: Path, *words: str) -> object:
    """Those of the search bot in a run."""
    words = ("run", *words, "-j", "1", "-q", "--json", "-o", str(place))
    ended = subprocess.run([*ARENA, *words], capture_output=True, check=True, timeout=600)
    rows = {row["bot"]: row for row in json.loads(ended.stdout)["leaderboard"]}
    assert rows["search"]["matches"]
    return rows["search"]["faults"]


@pytest.mark.proof
@pytest.mark.usefixtures("busy")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "matches", "clock"),
    [
        ("catch-of-the-day", 4, "400ms"),
        ("catch-of-the-day", 4, "2s --bank 3s+50ms"),
        *((name, 1, clock) for clock in ("100ms", "1s") for name in games.names()),
    ],
)
def test_it_is_never_late(name: str, matches: int, clock: str, tmp_path: Path) -> None:
    """With a program that computes on every core it answers in time and without a fault, with a bank and at 100 ms.

    What the machine did counts for nothing: it is late only if it is so in a second run, too.
    """
    seats = games.find(name).seats[0]
    words = ("-g", name, "search", f"greedy*{seats - 1}", "--seats", str(seats), "-n", str(matches), "--move-time")
    runs = (faults(tmp_path / run, *words, *clock.split()) for run in ("one", "two"))
    assert not all(runs)
