"""Matches worth a look and the list of all of them, which the script of the page fills. Knows values and markup."""

from collections.abc import Mapping

import htpy
import msgspec
from htpy import Element, Node

from arena.page.document import packed
from arena.page.sections import section
from arena.report import findings
from arena.report.run_report import Report
from arena.report.sample import Highlight
from arena.report.story import Story


def matches(report: Report, stories: Mapping[int, Story]) -> Node:
    """The section; nothing before the first match. ``stories``: those that can be watched, by their number."""
    survey, path = report.survey, report.provenance.path
    if not survey.listed:
        return None
    names = [row.bot for row in report.leaderboard.leaderboard]

    def choice(key: str, words: str, options: Mapping[str, str]) -> Element:
        picked = (htpy.option(value=value)[said] for value, said in options.items())
        return htpy.label[words, htpy.select(id=f"filter-{key}")[picked]]

    any_bot = {"": "any"} | {name: name for name in names}
    which = {
        "all": "all",
        "won": "it won",
        "lost": "it did not win",
        "fault": "with a fault",
        "replay": "to watch here",
    }
    order = {
        "number": "as finished",
        "closest": "closest first",
        "longest": "longest first",
        "slowest": "slowest first",
    }
    filters = htpy.div(".filter", role="search", aria_label="Filter matches")[
        choice("bot", "bot", any_bot),
        choice("other", "and", any_bot),
        choice("which", "which", which),
        choice("order", "order", order),
        htpy.span("#found.found", aria_live="polite"),
    ]
    worth = [_worth(each, stories[each.number]) for each in survey.chosen if each.number in stories]
    columns = [
        htpy.th(".left", scope="col")["match"],
        htpy.th(".left", scope="col")["bots and scores, winner first"],
        htpy.th(".wide", scope="col")[htpy.span(".unseen")["scores"]],
        htpy.th(scope="col")["margin"],
        htpy.th(".wide", scope="col")["decisions"],
        htpy.th(".left.wide", scope="col")["faults"],
        htpy.th(".go", scope="col")[htpy.span(".unseen")["watch"]],
    ]
    table = htpy.table(".matches")[
        htpy.caption(".unseen")["Matches"], htpy.thead[htpy.tr[columns]], htpy.tbody("#rows")
    ]
    return section(
        "matches",
        "Matches",
        findings.matches(survey, len(stories)),
        "Dots: the scores of a match on the scale of the run, the winner filled. Each other match can be watched too: "
        "its row copies the command that makes its page.",
        htpy.ul(".worth")[worth] if worth else None,
        filters,
        htpy.noscript[htpy.p["The list needs JavaScript. In the terminal: ", htpy.code[f"arena matches {path}"]]],
        htpy.div(".scroll", tabindex="0", role="region", aria_label="Matches")[table],
        htpy.button("#more.button.more", type="button", hidden=True)["more"],
    )


def _worth(chosen: Highlight, story: Story) -> Element:
    step = step_of(story, chosen.decision)
    where = f"#replay={story.id}" + (f"&step={step}" if step > 1 else "")
    begins = f" from decision {chosen.decision}" if chosen.decision >= 0 else ""
    return htpy.li[
        htpy.a(href=where)[htpy.b[chosen.why], htpy.span[chosen.said], htpy.i[f"Watch match #{chosen.number}{begins}"]]
    ]


def step_of(story: Story, decision: int) -> int:
    """The step in which a decision was asked, from 1; the first for a decision that was not."""
    steps = (at for at, move in enumerate(story.moves, 1) if any(each.decision == decision for each in move.asked))
    return next(steps, 1)


def data_of(report: Report, stories: Mapping[int, Story]) -> Element:
    """The list for the script of the page. A bot is named once: in a match it is its place in this list."""
    survey = report.survey
    names = list(dict.fromkeys(bot for match in survey.listed for bot in match.bots))
    places = {name: at for at, name in enumerate(names)}
    rows = [
        msgspec.to_builtins(each)
        | {
            "bots": [places[bot] for bot in each.bots],
            "margin": each.margin,
            "replay": each.number in stories,
        }
        for each in survey.listed
    ]
    played = survey.matches - survey.void
    held = {"run": report.provenance.path, "total": played, "bots": names, "matches": rows}
    return htpy.script("#matches-data", type="text/plain")[packed(held)]
