"""``arena stats``: finished-ahead matrix, times and faults of bots, whether seats are even, and company."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from arena.cli.options import OptionGroup, PlainOutputOptions, Run, grouped, option
from arena.terminal import print_result, remark
from arena.tournament.folder import RunFolder
from arena.tournament.statistics import KINDS, statistics


@dataclass(frozen=True, kw_only=True)
class StatsOptions(OptionGroup):
    """Which statistics to print; by default all except company, notes and the losses of a bot."""

    title = "What to print"
    ahead: Annotated[bool, option("--ahead: Who finishes ahead of whom, and how surely.")] = False
    time: Annotated[bool, option("--time: Answering times, and a move time that suits.")] = False
    faults: Annotated[bool, option("--faults: What bots did wrong, and where first.")] = False
    seats: Annotated[bool, option("--seats: Whether any seat is better than others.")] = False
    company: Annotated[bool, option("--company: Whether one bot helps another.")] = False
    notes: Annotated[bool, option("--notes: What bots, or --bot, noted; --format csv has a column a key.")] = False
    bot: Annotated[
        str | None,
        option("--bot NAME: Where this bot loses: seats, opponents, parts of a match, worst matches, faults."),
    ] = None


@grouped
def stats(run: Run, kinds: StatsOptions, output: PlainOutputOptions) -> None:
    """Print statistics of a run: who is ahead of whom, answering times, faults, seats, or where a bot loses.

    By default all but --company, --notes and --bot are printed. The run may be unfinished.

    Example: arena stats results/demo --bot mine
    """
    figures = statistics(RunFolder(Path(run)), [kind for kind in KINDS if getattr(kinds, kind)], kinds.bot)
    print_result(figures.document(run).written(output.form), form=output.form)
    if call := figures.closest_call(run):
        remark(call, quiet=output.quiet or output.form != "table")
