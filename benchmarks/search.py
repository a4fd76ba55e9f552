"""How much better the search bot plays than greedy, by the time that it has for an answer.

One seat searches, the others are greedy, in this process; each deal is played once from every seat. The search thinks
for as long as the bot would of such a time. Time is processor time, so that other programs do not matter much. Printed
is the part of the others that the searching seat finishes before, a half where they play alike, with an interval of
95 % from resampled deals.

Run: python benchmarks/search.py lure -t 0 -t 100 -n 12
"""

import importlib.util
import sys
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Annotated, Any

import typer

from arena.game import Game, Outcome, Pending, Seat
from arena.games import find
from arena.players.entrants import shelf
from arena.ratings.evidence import Wealth
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
    game: Game, *, deal: bytes, seats: int, me: Seat, search: Search, greedy: Search, seconds: float, states: list[int]
) -> float:
    """The part of the others that the searching seat finishes before; ``states`` gets what it imagined."""
    rng = Random(deal)  # noqa: S311 - luck that is drawn again
    state = game.deal(seats, deal, game.settle({}))
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
                states.append(search.worlds)
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
    found, program = find(game), bot()
    table = seats or found.usual_seats
    search = Search(found, program.guide(game), now=process_time)
    page = program.module(shelf() / "greedy", game)
    greedy = Search(found, Guide(policy=page.decide if page else None))
    for milliseconds in time:
        seconds = Timing(Limits(start=1000, move=milliseconds)).allot(milliseconds) / 1000 if milliseconds else -1.0
        states: list[int] = []
        shares: list[float] = []
        better, worse = Wealth(), Wealth()
        for number in range(deals):
            shares.append(
                fmean(
                    match(
                        found,
                        deal=number.to_bytes(32, "big"),
                        seats=table,
                        me=me,
                        search=search,
                        greedy=greedy,
                        seconds=seconds,
                        states=states,
                    )
                    for me in range(table)
                )
            )
            better.add(2 * shares[-1] - 1)
            worse.add(1 - 2 * shares[-1])
            if decided and max(better.log, worse.log) > SURE:
                break
        low, high = interval(shares)
        print(
            f"{game}, {table} seats, {milliseconds} ms: {fmean(shares):.3f} ({low:.3f} to {high:.3f}), "
            f"{len(shares) * table} matches, {median(states):.0f} states a question",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
