"""What self-play gives: beside the bare loop of the rules, beside bots in processes, and on all cores.

``python benchmarks/selfplay.py [GAME...] [--rounds N]``. All figures are of the processor's time, taken in turns: a
ratio is the median of the rounds, with the least and the greatest. One core plays, unless it says otherwise.

- *random*: self-play of random policies over the bare loop: the same rules with nothing around them.
- *greedy*: self-play of ``greedy`` pages over the same bots as warm processes in one lane.
- *limit*: the same rules and pages with nothing around them over that lane. The pages think as long in a process as out
  of one, so no self-play can give more.
- *cores*: what one process needs for the matches over what a process for each core needs, for all of them together.
- *at once*: what one process needs over what such processes need that play at once and share nothing: cores of one
  machine share caches and more, so no self-play can give more than this.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice, repeat
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

from options import parser, positive
from rules_cpu import decisions

import arena
from arena import games, record
from arena.chance import Chance
from arena.files import cache_folder
from arena.game import Decision, Game, Pending
from arena.players.bot_player import BotPlayer, leave
from arena.players.botfile import argv, environment
from arena.players.building import prepare
from arena.players.cpu_accounting import CpuAccounting
from arena.players.entrants import find_bot_shelf, read_entrant
from arena.players.launch import Launch
from arena.players.lifetime import adopt_orphans
from arena.referee import Match, play
from arena.selfplay.players import message, module_of
from arena.tournament import cores
from arena.wire import DEFAULT_LIMITS

MATCHES = {"random": 240, "greedy": 24, "lane": 12, "cores": 1920}
"""So many that what a call costs by itself, such as its table, tells little."""
WARM = 2


def used(*, others: bool = False) -> float:
    """Seconds of the processor that this process has used; with those of its processes that have ended, or live."""
    now = os.times()
    return time.process_time() + (now.children_user + now.children_system + _living() if others else 0)


def _living() -> float:
    """Seconds of the processor that the processes of this one have used so far, to the nanosecond."""
    own = Path("/proc/self/task")
    pids = [pid for task in own.iterdir() for pid in (task / "children").read_text().split()]
    return sum(int(Path("/proc", pid, "schedstat").read_text().split()[0]) for pid in pids) / 1e9


def bare(game: Game) -> float:
    """Microseconds a decision of random play by nothing but the rules."""
    began = used()
    asked = decisions(game, MATCHES["random"])
    return (used() - began) / asked * 1e6


_dice = Chance(b"driver")
_deals = count()


def random(decision: Decision) -> list[int]:
    """Pick as the bare loop does."""
    options = len(decision.options)
    if decision.least == decision.most == 1:
        return [_dice.below(options)]
    left = list(range(options))
    wanted = decision.least + _dice.below(decision.most - decision.least + 1)
    return [left.pop(_dice.below(len(left))) for _ in range(wanted)]


def selfplay(game: Game, bot: str | Callable[[Decision], list[int]], matches: int) -> float:
    """Microseconds a decision of self-play in one process, the table at the end left out."""
    asked, began, ended = 0, 0.0, 0.0

    def heard(match: record.Record, _total: int) -> None:
        nonlocal asked, began, ended
        ended = used()
        asked += len(match.picks) if began else 0
        began = began or ended

    # no deal comes twice: pages remember what they have worked out
    arena.play_many(game.name, [bot], matches=matches, seed=f"bench {next(_deals)}", processes=1, progress=heard)
    return (ended - began) / asked * 1e6


def whole(game: Game, matches: int, processes: int) -> float:
    """Microseconds a decision of self-play in so many processes, of all of them and with the table at the end."""
    began = used(others=True)
    board = arena.play_many(game.name, [random], matches=matches, seed="bench", processes=processes)
    return (used(others=True) - began) / board.decisions * 1e6


def at_once(game: Game, matches: int, processes: int) -> float:
    """Microseconds a decision of self-play in so many processes that know nothing of each other."""
    with ProcessPoolExecutor(processes) as pool:
        return fmean(pool.map(whole, repeat(game, processes), repeat(matches // processes), repeat(1)))


def alone(game: Game) -> float:
    """Microseconds a decision of the rules and ``greedy``'s page, with the messages that it reads."""
    decide = module_of(find_bot_shelf() / "greedy" / f"{game.name.replace('-', '_')}.py").decide
    variants = game.resolve_variants({})
    began, asked = used(), 0
    for match in islice(_deals, MATCHES["greedy"]):
        state = game.deal(game.usual_seats, match.to_bytes(32, "big"), variants)
        while isinstance(pending := state.pending(), Pending):
            chosen = {}
            for seat, decision in pending.decisions.items():
                if decision.forced:
                    chosen[seat] = decision.silence
                else:
                    asked += 1
                    chosen[seat] = decision.take(decide(message(decision, state.observe(seat))))
            state.apply(chosen)
    return (used() - began) / asked * 1e6


class Lane:
    """Copies of one bot as warm processes, and a referee on the same core."""

    def __init__(self, game: Game, name: str, folder: Path) -> None:
        """Start them, and let them play their first matches."""
        bot = read_entrant(name)
        built = prepare(bot, cache=cache_folder())
        launch = Launch(argv=argv(bot, built), env=environment(bot, ""), folder=built)
        self._game = game
        self._names = tuple(f"bot-{seat}" for seat in range(game.usual_seats))
        self._accounting = CpuAccounting(alone=True)
        self.players = [BotPlayer(each, launch, folder, lambda *_: None, self._accounting) for each in self._names]
        self._number = 0
        for _ in range(WARM):
            self._match()

    def _match(self) -> int:
        """Play a match; how many decisions it had."""
        self._number += 1
        key, game, seats = f"{self._number}".encode(), self._game, len(self._names)
        variants = game.resolve_variants({})
        match = Match(
            id=f"e0b{self._number}r0",
            label="bench",
            game=game.name,
            version=game.version,
            bots=self._names,
            variants=variants,
            ids=key,
            order=key,
            seeds=tuple(range(seats)),
            limits=(DEFAULT_LIMITS,) * seats,
        )
        self._accounting.begin_match(self._names)
        played = play(match, game.deal(seats, key.rjust(32), variants), self.players)
        self._accounting.end_match()
        record.encode(played)
        return len(played.micros)

    def measure(self) -> float:
        """Microseconds a decision, of the referee and of all bots."""
        began = used(others=True)
        asked = sum(self._match() for _ in range(MATCHES["lane"]))
        return (used(others=True) - began) / asked * 1e6


def compare(title: str, ways: dict[str, Callable[[], float]], rounds: int) -> None:
    """Print a line: what each of two ways needs, and how many times as much the second needs."""
    figures: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways)[:: 1 if number % 2 else -1]:
            figures[name].append(ways[name]())
    ratios = [other / one for one, other in zip(*figures.values(), strict=True)]
    needs = "   ".join(f"{name} {median(found):>7.1f} us" for name, found in figures.items())
    print(f"{title:<24}{needs}   {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})", flush=True)


def measure(game: Game, rounds: int) -> None:
    """Print the lines of a game."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    many, few = MATCHES["random"], MATCHES["greedy"]
    compare(
        f"{game.name}, random", {"self-play": lambda: selfplay(game, random, many), "bare": lambda: bare(game)}, rounds
    )
    with TemporaryDirectory() as desk:
        lane = Lane(game, "greedy", Path(desk))
        compare(
            f"{game.name}, greedy", {"self-play": lambda: selfplay(game, "greedy", few), "lane": lane.measure}, rounds
        )
        compare(f"{game.name}, limit", {"alone": lambda: alone(game), "lane": lane.measure}, rounds)
        leave(lane.players, 0.3)
    os.sched_setaffinity(0, allowed)
    number, most = cores.count_lanes(), MATCHES["cores"]
    for name, way in ("all cores", whole), ("at once", at_once):
        ways = {
            f"{number} cores": lambda way=way: way(game, most, number),  # type: ignore[misc]
            "one": lambda: whole(game, most, 1),
        }
        compare(f"{game.name}, {name}", ways, rounds)


def main() -> None:
    """Print the lines."""
    words = parser(__doc__)
    words.add_argument("game", nargs="*", choices=[*games.names(), []], metavar="GAME")
    words.add_argument("--rounds", type=positive, default=5)
    asked = words.parse_args()
    adopt_orphans()
    for name in asked.game or games.names():
        measure(games.find(name), asked.rounds)


if __name__ == "__main__":
    main()
