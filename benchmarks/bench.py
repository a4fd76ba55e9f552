"""Measure arena against the limit of its machine: one table of ratios from one run.

Absolute figures of a shared machine mean little; the ratios are taken side by side, and the median of several rounds is
shown. ``python benchmarks/bench.py [--rounds N]``
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import TypeAlias

from options import Failed, output, parser, positive

from arena import games
from arena.chance import Chance
from arena.files import cache_folder
from arena.game import Game, Pending, State
from arena.players.botfile import argv, environment
from arena.players.building import prepare
from arena.players.entrants import read_entrant
from arena.players.launch import Launch
from arena.ratings import fit
from arena.record import Record, decode
from arena.referee import Match
from arena.tournament.folder import BALANCED, Entrant, Manifest, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lane_messages import MatchOver, PlayUnit
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop, Watcher
from arena.tournament.plan import Settings
from arena.tournament.setting_up import set_up_run
from arena.wire import DEFAULT_LIMITS, Decide, encode

Outcome: TypeAlias = tuple[tuple[str, ...], tuple[int, ...]]
HERE = Path(__file__).parent
ANSWER = 54
"""Bytes of an answer."""


def referee(launch: Launch, game: Game, seats: int, lanes: int, matches: int) -> float:
    """Decisions a second of warm bots: in each lane, copies of one bot play this many matches without a new start.

    Raises:
        Failed: they do not play.
    """
    names = tuple(f"bot-{number}" for number in range(seats))
    variants = game.resolve_variants({})
    jobs = []
    for lane in range(lanes):
        dealt = []
        for number in range(matches):
            key = f"{lane} {number}".encode()
            match = Match(
                id=f"e0b{number}r0",
                label="bench",
                game=game.name,
                version=game.version,
                bots=names,
                variants=variants,
                ids=key,
                order=key,
                seeds=tuple(range(seats)),
                limits=(DEFAULT_LIMITS,) * seats,
                deal=key.rjust(32),
            )
            dealt.append(match)
        jobs.append(PlayUnit(unit=lane, matches=tuple(dealt), bots=dict.fromkeys(names, launch)))
    decisions = 0
    first = last = 0.0
    with Lanes(lanes) as crew:
        for _, message in crew.messages(jobs):
            if isinstance(message, MatchOver):
                record = decode(bytes(message.record))
                last = time.perf_counter()
                first = first or last - record.seconds
                decisions += len(record.micros)
    if not decisions:
        raise Failed(f"expected matches of {shlex.join(launch.argv)}, got none played")
    return decisions / (last - first)


def launched(name: str) -> Launch:
    """How to start a shipped bot."""
    bot = read_entrant(name)
    folder = prepare(bot, cache=cache_folder())
    return Launch(argv=argv(bot, folder), env=environment(bot, ""), folder=folder)


class Count(Watcher):
    """Watches a run and counts."""

    def __init__(self) -> None:
        self.decisions = 0
        self.began = 0.0

    def begin(self, _manifest: Manifest, _lanes: Lanes) -> None:
        """Start the clock: preparing is not playing."""
        self.began = time.perf_counter()

    def played(self, record: Record) -> None:
        """Count what was asked."""
        self.decisions += len(record.micros)


def whole_run(name: str, game: Game, seats: int, lanes: int, matches: int) -> float:
    """Decisions a second of a run as it is: bots started again between rotations, journal written and synced."""
    launch = launched(name)
    names = [f"{name}-{number}" for number in range(seats)]
    settings = Settings(
        game=game.name,
        variants=game.resolve_variants({}),
        seats=(seats,),
        limits=DEFAULT_LIMITS,
        isolation="none",
        debug="",
        schedule=BALANCED,
        shard="",
        matches=matches,
        seed="bench",
        hidden=False,
        beacon=None,
        awaits="",
    )
    with TemporaryDirectory() as desk, Lanes(lanes) as crew:
        run = RunFolder(Path(desk))
        with Journal.open(run.journal) as journal:
            manifest = set_up_run(run, settings, game, [Entrant(each, "", launch.argv) for each in names])
            count = Count()
            Loop(run, manifest, journal, dict.fromkeys(names, launch)).play(crew, count)
        return count.decisions / (time.perf_counter() - count.began)


def ping_pong(program: Path, question: int) -> float:
    """Blocking C-to-C round trips a second of the same bytes, on one core."""
    core = min(os.sched_getaffinity(0))
    words = ["taskset", "-c", str(core), str(program), str(question), str(ANSWER), "100000"]
    return float(output(words))


def random_play(game: Game, seats: int, seconds: float) -> float:
    """Decisions a second in this process, each seat's counted, forced ones left out."""
    chance = Chance(b"driver")
    decisions = number = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        state = game.deal(seats, number.to_bytes(32, "big"), game.resolve_variants({}))
        number += 1
        while isinstance(pending := state.pending(), Pending):
            chosen = {}
            for seat, decision in pending.decisions.items():
                if decision.forced:
                    chosen[seat] = decision.silence
                    continue
                decisions += 1
                options = decision.options
                if decision.least == decision.most == 1:
                    chosen[seat] = (options[chance.below(len(options))],)
                else:
                    wanted = decision.least + chance.below(decision.most - decision.least + 1)
                    left = list(options)
                    chosen[seat] = tuple([left.pop(chance.below(len(left))) for _ in range(wanted)])
            state.apply(chosen)
    return decisions / (time.perf_counter() - began)


def question_bytes(game: Game, seats: int) -> int:
    """The mean length of a question in a silent match."""
    state = game.deal(seats, bytes(32), game.resolve_variants({}))
    lengths = []
    while isinstance(pending := state.pending(), Pending):
        for seat, decision in pending.decisions.items():
            options = decision.options
            seen = state.observe(seat)
            question = Decide("0" * 12, decision.least, decision.most, len(options), 1000, options, seen, [])
            lengths.append(len(encode(question)))
        state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
    return round(mean(lengths))


def middle(game: Game, seats: int) -> State:
    """A state well into a match."""
    state = game.deal(seats, bytes(32), game.resolve_variants({}))
    for _ in range(40):
        pending = state.pending()
        if not isinstance(pending, Pending):
            break
        state.apply({seat: decision.silence for seat, decision in pending.decisions.items()})
    return state


def micros(work: Callable[[], object], times: int = 5000) -> float:
    """Microseconds of one call."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times * 1e6


def version_ms() -> float:
    """Milliseconds of ``arena --version`` as a process."""
    began = time.perf_counter()
    output([sys.executable, "-m", "arena", "--version"])
    return (time.perf_counter() - began) * 1000


def tied_matches(count: int) -> list[Outcome]:
    """Four-seat matches of eight bots, 30 % of them with a tie, the better ones ahead more often than not."""
    chance = Chance(b"ratings")
    line_ups = list(combinations("abcdefgh", 4))
    matches: list[Outcome] = []
    for _ in range(count):
        bots = line_ups[chance.below(len(line_ups))]
        strength = [ord(bot) * 3 + chance.below(24) for bot in bots]
        if chance.below(10) < 3:
            strength[0] = strength[1]
        matches.append((bots, tuple(sum(other > mine for other in strength) for mine in strength)))
    return matches


def main() -> None:
    """Print the table."""
    words = parser(__doc__)
    words.add_argument("--rounds", type=positive, default=3)
    rounds = words.parse_args().rounds
    cash = games.find("cash-a-catch")
    rows: list[tuple[str, str, str]] = []
    with TemporaryDirectory() as desk:
        limits, c_bots, py_bots, doubled, whole = [], [], [], [], []
        program = Path(desk, "pingpong")
        compiler = shutil.which("cc")
        if compiler:
            subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / "pingpong.c")], check=True)
        size = question_bytes(cash, 4)
        for _ in range(rounds if compiler else 0):
            limits.append(ping_pong(program, size))
            c_bots.append(referee(launched("random-c"), cash, 4, 1, 1000))
            doubled.append(referee(launched("random-c"), cash, 4, 2, 1000))
            py_bots.append(referee(launched("random"), cash, 4, 1, 400))
            whole.append(whole_run("random-c", cash, 4, 2, 2000))
        by_game: dict[str, list[float]] = {}
        for game in map(games.find, games.names() if compiler else ()):
            size = question_bytes(game, game.usual_seats)
            for _ in range(rounds):
                limit = ping_pong(program, size)
                by_game.setdefault(game.name, []).append(
                    referee(launched("random-c"), game, game.usual_seats, 1, 300) / limit
                )
    if compiler:
        limit = median(limits)
        rows += [
            ("C-to-C ping-pong, round trips/s", f"{limit:,.0f}", "1"),
            ("C bots, one lane, decisions/s", f"{median(c_bots):,.0f}", ratio(c_bots, limits, "0.13")),
            ("C bots, two lanes, decisions/s", f"{median(doubled):,.0f}", ratio(doubled, c_bots, "1.8 of one lane")),
            ("Python bots, one lane, decisions/s", f"{median(py_bots):,.0f}", ratio(py_bots, limits, "0.045")),
            ("whole run, C bots, two lanes, decisions/s", f"{median(whole):,.0f}", ratio(whole, limits, "none")),
        ]
        ratios = {name: median(found) for name, found in by_game.items()}
        rows += [(f"C bots, {name}, to ping-pong", f"{found:.3f}", "") for name, found in ratios.items()]
        rows.append(("C bots, the median game", f"{median(ratios.values()):.3f}", "goal 0.13"))
    else:
        rows.append(("referee against ping-pong", "left out: no C compiler", ""))
    for name in games.names():
        game = games.find(name)
        seats = game.usual_seats
        play = median(random_play(game, seats, 1.0) for _ in range(rounds))
        state = middle(game, seats)
        seen = state.observe(0)
        rows += [
            (f"{name}: random play, decisions/s", f"{play:,.0f}", f"{play / 100_000:.2f} of 100,000"),
            (f"{name}: copy, us", f"{micros(state.copy):.1f}", "below 10"),
            (f"{name}: imagine, us", f"{micros(lambda g=game, s=seen: g.imagine(s, Chance(b'i'))):.1f}", ""),  # type: ignore[misc]  # mypy cannot infer a lambda's default
        ]
    rows.append(("arena --version, ms", f"{median(version_ms() for _ in range(5)):.0f}", "below 150"))
    matches = tied_matches(10_000)
    began = time.perf_counter()
    fit(matches)
    rows.append(("ratings of 10,000 matches, s", f"{time.perf_counter() - began:.2f}", "below 5"))
    width = max(len(row[0]) for row in rows)
    for what, figure, against in rows:
        print(f"{what:<{width}}  {figure:>12}  {against}")


def ratio(figures: list[float], others: list[float], goal: str) -> str:
    """The median ratio of two figures taken in turn, with its goal."""
    return f"{median(a / b for a, b in zip(figures, others, strict=True)):.3f} (goal {goal})"


if __name__ == "__main__":
    main()
