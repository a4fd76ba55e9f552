"""``arena report``: a run as one page to publish; several runs as an overall page."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from arena.cli.options import By, QuietOptions, Within, grouped, option
from arena.errors import UsageError
from arena.escape import cleaned
from arena.terminal.streams import write_page
from arena.tournament.folder import RunFolder
from arena.tournament.standings import compute_standings

if TYPE_CHECKING:
    from arena.report.findings import Report


@grouped
def report(
    runs: Annotated[list[Path], option("[RUN]...: Results folders. Default: the newest.")],
    output: QuietOptions,
    out: Annotated[str | None, option("-o --out FILE: The page. Default: report.html in the run; - is stdout.")] = None,
    replay: Annotated[list[str] | None, option("--replay MATCH: A match to show in it; may be repeated.")] = None,
    replays: Annotated[
        int, option("--replays N: So many other matches to show, while the page is small.", min=0, max=100)
    ] = 8,
    review: Annotated[str, option("--review NAME: Review this bot of the run, too, as `arena review` does.")] = "",
    by: By = "search",
    within: Within = "2m",
    card: Annotated[
        str | None, option("--card FILE: A picture of the result to share too: .svg, or with the extra `cards` .png.")
    ] = None,
) -> None:
    """Write a report of a run as one page to publish, with replays of matches worth a look.

    Of several runs: a page over all of them.

    Example: arena report results/demo -o demo.html
    """
    if card is not None and (len(runs) > 1 or Path(card).suffix not in {".svg", ".png"}):
        raise UsageError(f"expected one run and a file that ends in .svg or .png, got {card}", option="card")
    # what a report is made with takes long to load, and no other command needs it
    from arena.page.card import draw_png, result_card  # noqa: PLC0415

    folder = RunFolder(runs[0])
    if len(runs) > 1:
        if out is None:
            raise UsageError("expected a file for the page of several runs, got none", option="out")
        if replay or review:
            raise UsageError("expected one run with it, got several", option="replay" if replay else "review")
        _write_overall(out, runs)
        return
    asked = {"bot": review, "by": by, "within": within, "quiet": output.quiet} if review else {}
    report, page = _of_one(folder, matches=replay or [], most=replays, review=asked)
    write_page(out or str(folder.path / "report.html"), page=page)
    if card is not None:
        picture = result_card(report)
        write_page(card, page=draw_png(picture) if card.endswith(".png") else picture)


def _write_overall(out: str, runs: list[Path]) -> None:
    from arena.page.report import overall_page  # noqa: PLC0415 - as above
    from arena.tournament.reporting import over_runs, report_of  # noqa: PLC0415

    boards = [compute_standings(RunFolder(run), tables=len(runs)) for run in runs]
    write_page(out, page=overall_page([report_of(board) for board in boards], over_runs(boards)))


def _of_one(folder: RunFolder, *, matches: list[str], most: int, review: Mapping[str, Any]) -> tuple["Report", str]:
    from arena.page.report import report_page  # noqa: PLC0415 - as above
    from arena.tournament.reporting import find_match, read_rules, replays_of, report_of  # noqa: PLC0415

    records = [find_match(folder, match)[1] for match in matches]
    board = compute_standings(folder)
    report = report_of(board)
    reviewed = None
    if review:
        from arena.cli.review import review_of  # noqa: PLC0415 - as above

        reviewed = cleaned(review_of(folder, **review), 4000)
    others = reviewed.others() if reviewed else {}
    records += [find_match(folder, match)[1] for match in others]
    replays = replays_of(board, report, records, most, others)
    rules = read_rules(folder.manifest())
    return report, report_page(report, replays, rules=rules, review=reviewed, requests=len(records))
