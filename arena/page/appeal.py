"""The page of an appeal: of one match what was asked, answered, when, what the clock said, and what the rule says.

Knows a replay; knows no run and no league.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

import htpy
from htpy import Node

from arena.page.document import document, fact, grid, section
from arena.page.report import STYLES
from arena.report.document import Table
from arena.report.replay import Replay, SeatDecision
from arena.words import agreeing, plural

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
    """A match as it was recorded: what decides the appeal, and behind it every answer in a row.

    Args:
        replay: the match, for everyone.
        run: the name of its run.
        again: for each seat whose bot was asked again: by decision its picks, or its fault, where these differ.
        notes: what a reader must know of those bots, in sentences.
        ruling: in a sentence; empty if there is none yet.
        rules: the address of those of the game; empty if there is none.
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
    decisive = [
        row
        for answer, row in zip(answers, rows, strict=True)
        if answer.fault or answer.decision in again.get(answer.seat, {})
    ]
    places = [f"{bot} {rank + 1}" for rank, bot in sorted(zip(replay.ranks, replay.bots, strict=True))]
    faults = sum(answer.fault is not None for answer in answers)
    said = ruling or "It is not ruled on yet."
    title = f"Appeal: match {replay.id} of {run}"
    game = htpy.a(href=rules)[f"The rules of {replay.title}"] if rules else None
    return document(
        title=title,
        description=said,
        styles=["tokens.css", *STYLES, "site.css"],
        scripts=[],
        body=htpy.main("#report.page")[
            htpy.header(".top")[
                htpy.p(".over")[replay.title],
                htpy.h1[title],
                htpy.p(".lead")[said],
                htpy.dl(".facts")[
                    fact("places", ", ".join(places)),
                    fact("ended", replay.reason),
                    fact("faults", str(faults), bad=faults > 0),
                    fact("retired", ", ".join(replay.bots[seat] for seat in replay.retired) or "nobody"),
                ],
            ],
            section(
                "conclusion",
                "Conclusion",
                f"{faults} of {plural(len(answers), 'answer')} broke a rule" if faults else "No answer broke a rule",
                None,
                htpy.ul[map(htpy.li.__getitem__, [*_describe_faults(replay, answers), *notes])],
                _table(decisive, "Answers that matter"),
                htpy.p(".more")[game, " · " if game else None, htpy.a(href="../index.html")["The league"]],
            ),
            section(
                "answers",
                "Answers",
                f"{plural(len(rows), 'answer')} in the order of asking",
                "As recorded. After: how long bots had been waited for since the start.",
                htpy.details[htpy.summary[f"All {len(rows)}"], _table(rows, "Answers")] if rows else None,
            ),
        ],
    )


def _describe_faults(replay: Replay, answers: Sequence[SeatDecision]) -> list[str]:
    """A sentence for each bot and kind of fault."""
    broken = sorted(
        [(answer.seat, answer.fault.kind, answer) for answer in answers if answer.fault], key=lambda fault: fault[:2]
    )
    sentences = []
    for (seat, kind), alike in groupby(broken, key=lambda fault: fault[:2]):
        decisions = [str(answer.decision) for *_, answer in alike]
        where = ", ".join(decisions[:_MOST_OPTIONS]) + ", ..." * (len(decisions) > _MOST_OPTIONS)
        sentences.append(
            f"{replay.bots[seat]}, seat {seat}: {kind} in {agreeing(len(decisions), 'decision')} {where}. "
            "There arena picked the first options."
        )
    return sentences


def _table(rows: Sequence[Mapping[str, Node]], name: str) -> Node:
    if not rows:
        return None
    lacking = {column for column in rows[0] if column == "the rule" and not any(row[column] for row in rows)}
    cells = [{column: cell for column, cell in row.items() if column not in lacking} for row in rows]
    wide = dict.fromkeys(("asked", "answered", "the rule", "asked again"), ".who")
    return grid(name, Table(rows=cells, left_columns=cells[0]), kind=".plain", more=wide, head="decision")


def _options(decision: SeatDecision) -> str:
    more = f" and {len(decision.options) - _MOST_OPTIONS} more" if len(decision.options) > _MOST_OPTIONS else ""
    return f"of {', '.join(decision.options[:_MOST_OPTIONS])}{more}"
