"""The page of an appeal: of one match what was asked, answered, when, what the clock said, and what the rule says.

Knows a replay; knows no run and no league.
"""

from collections.abc import Mapping, Sequence

import htpy
from htpy import Node

from arena.page.board import rules_markup
from arena.page.document import document, fact, grid, section
from arena.page.report import STYLES
from arena.report.document import Table
from arena.report.replay import Replay, SeatDecision

_MOST_OPTIONS = 12
"""Options of a question that are listed."""


def appeal_page(
    replay: Replay,
    *,
    run: str,
    again: Mapping[int, Mapping[int, tuple[int, ...] | str]],
    notes: Sequence[str],
    ruling: str,
    rules: str,
) -> str:
    """A match as it was recorded, every answer in a row.

    Args:
        replay: the match, for everyone.
        run: the name of its run.
        again: for each seat whose bot was asked again: by decision its picks, or its fault, where these differ.
        notes: what a reader must know of those bots, in sentences.
        ruling: in a sentence; empty if there is none yet.
        rules: of the game, as Markdown.
    """
    answers = [answer for move in replay.moves for answer in move.asked]
    rows, waited = [], 0
    for answer in answers:
        row: dict[str, Node] = {
            "decision": str(answer.decision),
            "bot": f"{replay.bots[answer.seat]}, seat {answer.seat}",
            "asked": [htpy.b[answer.question], htpy.small(".dim")[f" {_options(answer)}"]],
            "answered": answer.words(answer.picks),
            "after": f"{waited / 1e6:.3f} s",
            "the clock": answer.time if answer.micros < 0 else f"{answer.time} of {replay.limit:,} ms",
            "the rule": f"{answer.fault.kind}: {answer.fault.rule}" if answer.fault else "",
        }
        if again:
            picked = again.get(answer.seat, {}).get(answer.decision, answer.picks)
            same = "" if answer.seat not in again or answer.micros < 0 else "the same"
            words = picked if isinstance(picked, str) else answer.words(picked)
            row["asked again"] = same if picked == answer.picks else words
        rows.append(row)
        waited += max(answer.micros, 0)
    if not any(row["the rule"] for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "the rule"} for row in rows]
    places = [f"{bot} {rank + 1}" for rank, bot in sorted(zip(replay.ranks, replay.bots, strict=True))]
    faults = sum(answer.fault is not None for answer in answers)
    how = (
        "Every answer as it was recorded, in the order of asking. After: how long bots had been waited for since the "
        "start. After a fault arena picks the first options."
    )
    wide = dict.fromkeys(("asked", "answered", "the rule", "asked again"), ".who")
    table = (
        grid("Answers", Table(rows=rows, left_columns=rows[0]), kind=".plain", more=wide, head="decision")
        if rows
        else None
    )
    title = f"Appeal: match {replay.id} of {run}"
    return document(
        title=title,
        styles=["tokens.css", *STYLES, "rules.css", "site.css"],
        scripts=[],
        body=htpy.main("#report.page")[
            htpy.header(".top")[
                htpy.p(".over")[replay.title],
                htpy.h1[title],
                htpy.p(".lead")[ruling or "It is not ruled on yet."],
                htpy.dl(".facts")[
                    fact("places", ", ".join(places)),
                    fact("ended", replay.reason),
                    fact("faults", str(faults), bad=faults > 0),
                    fact("retired", ", ".join(replay.bots[seat] for seat in replay.retired) or "nobody"),
                ],
            ],
            section("answers", "Answers", "What was asked, and what was answered", " ".join([how, *notes]), table),
            htpy.section(".rules")[htpy.h2[f"The rules of {replay.title}"], rules_markup(rules)],
        ],
    )


def _options(decision: SeatDecision) -> str:
    more = f" and {len(decision.options) - _MOST_OPTIONS} more" if len(decision.options) > _MOST_OPTIONS else ""
    return f"of {', '.join(decision.options[:_MOST_OPTIONS])}{more}"
