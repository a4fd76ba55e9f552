"""What a decision costs the processor in a lane: microseconds of the referee's own process, its bots left out.

``python benchmarks/lane_cpu.py TREE GAME MATCHES`` measures the arena in the checkout TREE and prints one figure: the
least of a few parts, for whatever else the machine does only adds to it. With the word ``turns`` behind it, it says
``ready`` and prints the figure of one part for each line that it reads, so that two checkouts can be measured in turns.
Another checkout is measured by its own copy of this script, for a lane is called otherwise in each.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    if not sys.argv[3:] or sys.argv[4:] not in ([], ["turns"]):
        sys.exit(__doc__)
    script = Path(sys.argv[1], "benchmarks", "lane_cpu.py").resolve()
    if not script.is_file():
        sys.exit(f"lane_cpu.py: expected a checkout with benchmarks/lane_cpu.py, got {sys.argv[1]}")
    if script != Path(__file__).resolve():
        os.execv(sys.executable, [sys.executable, str(script), *sys.argv[1:]])  # noqa: S606 - it is a checkout of arena

# before anything of arena is imported: the checkout to be measured need not be the installed one
sys.path.insert(0, sys.argv[1])

from tempfile import TemporaryDirectory
from time import process_time

from arena import games, record
from arena.files import cache_folder
from arena.players.bot_player import BotPlayer, leave
from arena.players.botfile import argv, environment
from arena.players.building import prepare
from arena.players.cpu_accounting import CpuAccounting
from arena.players.entrants import read_entrant
from arena.players.launch import Launch
from arena.players.lifetime import adopt_orphans
from arena.referee import Match, play
from arena.wire import DEFAULT_LIMITS

PARTS = 5
WARM = 3


def main() -> None:
    """Print the figure, or one for each line of the input."""
    game, matches = games.find(sys.argv[2]), int(sys.argv[3])
    adopt_orphans()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bot = read_entrant("random-c")
    folder = prepare(bot, cache=cache_folder())
    launch = Launch(argv=argv(bot, folder), env=environment(bot, ""), folder=folder)
    seats, variants = game.usual_seats, game.resolve_variants({})
    names = tuple(f"bot-{seat}" for seat in range(seats))
    accounting = CpuAccounting(alone=True)

    def decisions(number: int) -> int:
        key = f"{number}".encode()
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
        )
        accounting.begin_match(names)
        played = play(match, game.deal(seats, key.rjust(32), variants), players)
        accounting.end_match()
        record.encode(played)
        return len(played.micros)

    with TemporaryDirectory() as desk:
        players = [BotPlayer(name, launch, Path(desk), lambda *_: None, accounting) for name in names]
        for number in range(WARM):
            decisions(number)

        def figure(part: int) -> float:
            before = process_time()
            asked = sum(decisions(part * matches + number) for number in range(matches))
            return (process_time() - before) / asked * 1e6

        if sys.argv[4:]:
            print("ready", flush=True)
            for part, _ in enumerate(sys.stdin):
                print(figure(part), flush=True)
        else:
            print(min([figure(0) for _ in range(PARTS)]))
        leave(players, 0.3)


if __name__ == "__main__":
    main()
