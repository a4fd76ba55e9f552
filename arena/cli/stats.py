"""``arena stats``: finished-ahead matrix, times and faults of bots, whether seats are even, and company."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from arena.cli.options import OptionGroup, QuietOptions, Run, grouped, option
from arena.terminal import print_result, remark
from arena.tournament.folder import RunFolder
from arena.tournament.statistics import KINDS, Form, statistics


@dataclass(frozen=True, kw_only=True)
class StatsOptions(OptionGroup):
    """Which statistics to print; by default all except company, notes, payoffs and the losses of a bot."""

    title = "What to print"
    ahead: Annotated[bool, option("--ahead: Who finishes ahead of whom, and how surely.")] = False
    time: Annotated[bool, option("--time: Answering times, and a move time that suits.")] = False
    faults: Annotated[bool, option("--faults: What bots did wrong, and where first.")] = False
    seats: Annotated[bool, option("--seats: Whether any seat is better than others.")] = False
    company: Annotated[bool, option("--company: Whether one bot helps another.")] = False
    notes: Annotated[bool, option("--notes: What bots, or --bot, noted; --format csv has a column a key.")] = False
    payoff: Annotated[bool, option("--payoff: What bots get in whose company, by pair and by line-up.")] = False
    bot: Annotated[str | None, option("--bot NAME: Where this bot loses: seats, opponents, phases, faults.")] = None
    format_: Annotated[Form, option("--format: Output format; npz is --payoff alone.", show_default=True)] = "table"
    json: Annotated[bool, option("--json: The same as --format json.")] = False


@grouped
def stats(run: Run, kinds: StatsOptions, output: QuietOptions) -> None:
    """Print statistics of a run: who is ahead of whom, answering times, faults, seats, or where a bot loses.

    By default all but --company, --notes, --payoff and --bot are printed. The run may be unfinished.

    Example: arena stats results/demo --bot mine
    """
    figures = statistics(RunFolder(Path(run)), [kind for kind in KINDS if getattr(kinds, kind)], kinds.bot)
    form: Form = "json" if kinds.json else kinds.format_
    print_result(figures.written(run, form), form=form)
    if call := figures.closest_call(run):
        remark(call, quiet=output.quiet or form != "table")
