"""How much better the search bot plays than greedy, by the time that it has for an answer.

One seat searches, the others are greedy, in this process; each deal is played once from every seat. The search thinks
for as long as the bot would of such a time. Time is processor time, so that other programs do not matter much. Printed
is the part of the others that the searching seat finishes before, a half where they play alike, with an interval of
95 % from resampled deals. After each deal a line on stderr tells the part so far, the time used, and the longest step:
the longest time in which a search did not look at the clock.

Run: python benchmarks/search.py lure -t 0 -t 100 -n 12
"""

import gc
import importlib.util
import sys
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Annotated, Any

import typer
from msgspec import Struct, field

from arena.game import Game, Outcome, Pending, Seat
from arena.games import find
from arena.players.entrants import find_bot_shelf
from arena.ratings.bets import EProcess
from arena.search import Guide, Search, Timing
from arena.wire import Limits

BOT = Path(__file__).parents[1] / "bots" / "search" / "bot.py"
RESAMPLED = 2000
SURE = log(40)
"""Of the wealth of bets on either side, whose chance to get there by luck is 2.5 % each, looked at after every deal."""


def bot() -> Any:
    """The program of the search bot as a module."""
    spec = importlib.util.spec_from_file_location("search_bot", BOT)
    if spec is None or spec.loader is None:
        sys.exit(f"search.py: expected Python at {BOT}, got none")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def match(
    game: Game,
    *,
    deal: bytes,
    seats: int,
    me: Seat,
    search: Search,
    greedy: Search,
    seconds: float,
    measured: "Measured",
) -> float:
    """The part of the others that the searching seat finishes before; notes what it imagined, and its pauses."""
    rng = Random(deal)  # noqa: S311 - luck that is drawn again
    state = game.deal(seats, deal, game.resolve_variants({}))
    while isinstance(pending := state.pending(), Pending):
        chosen = {}
        for seat, decision in pending.decisions.items():
            if decision.forced:
                chosen[seat] = decision.silence
                continue
            seen = state.observe(seat)
            if seat != me:
                picks = greedy.first(decision, seen, seat=seat, rng=rng)
            else:
                deadline = process_time() + seconds
                picks = search.picks(decision, seen, seat=seat, deadline=deadline, rng=rng)
                measured.states.append(search.worlds)
                measured.pause = max(measured.pause, search.pause)
            chosen[seat] = decision.take(picks)
        state.apply(chosen)
    return share(pending, me)


def share(outcome: Outcome, me: Seat) -> float:
    """The part of the others behind a seat, a tie a half."""
    ranks = outcome.ranks
    return sum((ranks[me] < rank) + (ranks[me] == rank) / 2 for seat, rank in enumerate(ranks) if seat != me) / (
        len(ranks) - 1
    )


def interval(values: list[float]) -> tuple[float, float]:
    """Where the mean of the deals lies with 95 %, by resampling them."""
    rng = Random(1)  # noqa: S311 - likewise
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(RESAMPLED))
    return means[RESAMPLED // 40], means[-RESAMPLED // 40]


class Measured(Struct):
    """What was measured of one game and time."""

    shares: list[float] = []
    """By deal, the part of the others that the searching seat finishes before, the mean over its seats."""
    states: list[int] = []
    """By question, how many tables were imagined."""
    pause: float = 0.0
    """The longest time between two looks at the clock, in seconds of the processor."""
    better: EProcess = field(default_factory=EProcess)
    worse: EProcess = field(default_factory=EProcess)
    """What bets on the searching seat and on greedy have made."""


def measure(game: str, milliseconds: int, *, deals: int, seats: int = 0, decided: bool = False) -> Measured:
    """Play so many deals from every seat, with ``decided`` at most so many."""
    gc.disable()  # as the bot does
    found, program, measured = find(game), bot(), Measured()
    table = seats or found.usual_seats
    search = Search(found, program.guide(game), now=process_time)
    page = program.module(find_bot_shelf() / "greedy", game)
    greedy = Search(found, Guide(policy=page.decide if page else None))
    seconds = Timing(Limits(start=1000, move=milliseconds)).allot(milliseconds) / 1000 if milliseconds else -1.0
    for number in range(deals):
        shares = [
            match(
                found,
                deal=number.to_bytes(32, "big"),
                seats=table,
                me=me,
                search=search,
                greedy=greedy,
                seconds=seconds,
                measured=measured,
            )
            for me in range(table)
        ]
        measured.shares.append(fmean(shares))
        measured.better.add(2 * measured.shares[-1] - 1)
        measured.worse.add(1 - 2 * measured.shares[-1])
        print(
            f"deal {number + 1}: {fmean(measured.shares):.3f}, {process_time():.0f} s, "
            f"longest step {1000 * measured.pause:.1f} ms",
            file=sys.stderr,
            flush=True,
        )
        if decided and max(measured.better.log, measured.worse.log) > SURE:
            break
    return measured


def main(
    game: Annotated[str, typer.Argument(help="The name of a game.")],
    time: Annotated[
        list[int], typer.Option("-t", "--time", help="Milliseconds for an answer, 0: no search; may be repeated.")
    ],
    deals: Annotated[int, typer.Option("-n", "--deals", help="Deals at most, each played from every seat.")] = 12,
    seats: Annotated[int, typer.Option("--seats", help="Seats; by default the usual table.")] = 0,
    decided: Annotated[
        bool, typer.Option("--decided", help="Stop once it is sure which of the two is better.")
    ] = False,
) -> None:
    """Print a line for each time."""
    table = seats or find(game).usual_seats
    for milliseconds in time:
        measured = measure(game, milliseconds, deals=deals, seats=seats, decided=decided)
        low, high = interval(measured.shares)
        print(
            f"{game}, {table} seats, {milliseconds} ms: {fmean(measured.shares):.3f} ({low:.3f} to {high:.3f}), "
            f"{len(measured.shares) * table} matches, {median(measured.states):.0f} states a question",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
