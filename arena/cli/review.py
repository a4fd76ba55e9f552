"""``arena review``: the answers that cost a bot most in the matches that it lost, by a stronger bot."""

from pathlib import Path
from typing import Annotated

from arena.cli.options import By, PlainOutputOptions, QuietOptions, Run, Within, grouped, option, seconds
from arena.report.review import Review
from arena.selfplay import review as reviews
from arena.selfplay.players import from_file, print_to_stderr
from arena.terminal import print_result
from arena.terminal.progress import elapsing
from arena.tournament.folder import RunFolder


@grouped
def review(
    run: Run,
    bot: Annotated[str, option("--bot NAME: The bot of the run to review.")],
    output: PlainOutputOptions,
    by: By = "search",
    within: Within = "2m",
) -> None:
    """Show the answers that cost a bot most in matches it lost, where a stronger bot differs.

    A match is lost if another bot finished ahead; the worst places come first. How much is looked at depends on the
    time, so two reviews may differ.

    Example: arena review results/demo --bot mine --within 30s
    """
    review = review_of(RunFolder(Path(run)), bot=bot, by=by, within=within, quiet=output.quiet)
    print_result(review.document().written(output.form), form=output.form)


def review_of(folder: RunFolder, *, bot: str, by: str, within: str, quiet: bool = False) -> Review:
    """The review that these options ask for."""
    time, say = seconds(within), QuietOptions(quiet=quiet).say
    with print_to_stderr(), elapsing(time, quiet=quiet) as progress:
        return reviews.review(folder, bot=bot, by=from_file(by), within=time, say=say, progress=progress)
