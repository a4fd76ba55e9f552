"""How much better the search bot plays than greedy, by the time that it has for an answer.

One seat searches, the others are greedy, in this process; each deal is played once from every seat. Time is processor
time, so that other programs do not matter much. Printed is the part of the others that the searching seat finishes
before, a half where they play alike, with an interval of 95 % from resampled deals.

Run: python benchmarks/search.py lure -t 20 -t 100 -n 12
"""

import importlib.util
import sys
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Annotated, Any

import typer

from arena.game import Game, Outcome, Pending, Seat
from arena.games import find
from arena.search import Guide, Search

BOT = Path(__file__).parents[1] / "bots" / "search" / "bot.py"
RESAMPLED = 2000


def bot() -> Any:
    """The program of the search bot as a module."""
    spec = importlib.util.spec_from_file_location("search_bot", BOT)
    if spec is None or spec.loader is None:
        sys.exit(f"search.py: expected Python at {BOT}, got none")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def match(game: Game, *, deal: bytes, seats: int, me: Seat, search: Search, seconds: float, states: list[int]) -> float:
    """The part of the others that the searching seat finishes before; ``states`` gets what it imagined."""
    rng, greedy = Random(deal), Search(game, Guide(policy=search.guide.policy))  # noqa: S311 - luck that is drawn again
    state = game.deal(seats, deal, game.settle({}))
    while isinstance(pending := state.pending(), Pending):
        chosen = {}
        for seat, decision in pending.decisions.items():
            seen = state.observe(seat)
            if decision.forced:
                picks = tuple(range(decision.least))
            elif seat == me:
                deadline = process_time() + seconds
                picks = search.picks(decision, seen, seat=seat, deadline=deadline, rng=rng)
                states.append(search.worlds)
            else:
                picks = greedy.first(decision, seen, seat=seat, rng=rng)
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
    time: Annotated[list[int], typer.Option("-t", "--time", help="Milliseconds for an answer; may be repeated.")],
    deals: Annotated[int, typer.Option("-n", "--deals", help="Deals, each played from every seat.")] = 12,
    seats: Annotated[int, typer.Option("--seats", help="Seats; by default the usual table.")] = 0,
) -> None:
    """Print a line for each time."""
    found = find(game)
    table = seats or found.usual_seats
    search = Search(found, bot().guide(game), now=process_time)
    for milliseconds in time:
        states: list[int] = []
        shares = [
            fmean(
                match(
                    found,
                    deal=number.to_bytes(32, "big"),
                    seats=table,
                    me=me,
                    search=search,
                    seconds=milliseconds / 1000,
                    states=states,
                )
                for me in range(table)
            )
            for number in range(deals)
        ]
        low, high = interval(shares)
        print(
            f"{game}, {table} seats, {milliseconds} ms: {fmean(shares):.3f} ({low:.3f} to {high:.3f}), "
            f"{deals * table} matches, {median(states):.0f} states a question",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
