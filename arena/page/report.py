"""A run as a page: findings, intervals, provenance, and matches to watch. Knows no game.

All texts of a ``Report`` are printable ASCII before they come here, see ``arena.escape.cleaned``.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import htpy
from htpy import Element, Node
from msgspec import UNSET
from msgspec.structs import replace

from arena.page import board, charts
from arena.page.board import SCRIPTS, embedded, rules_dialog, stage
from arena.page.board import STYLES as REPLAY_STYLES
from arena.page.colours import colour_bots
from arena.page.document import document, fact, grid, kicker, packed, section
from arena.page.matches import address_of, data_of, matches_section, something_to_watch
from arena.report import findings
from arena.report.bracket import Bracket
from arena.report.document import Table
from arena.report.findings import Provenance, Report
from arena.report.headline import headline_of_tables
from arena.report.render import Leaderboard, Standing, by_places
from arena.report.replay import Mark, Replay
from arena.report.review import Review, ReviewedAnswer
from arena.words import listed, plural

_PAIRED = 10
"""Of more bots the matrix of duels has the width of the page."""
_CURVES, _CLOCKS, _FAULTS = 24, 10, 12
"""So many bots have a curve, so many a row of times, and so many faults of a kind and bot are told."""
_MOST = 300_000
"""Bytes of a page from which replays can be left out."""
STYLES = ("report.css", "figures.css", "evidence.css")
"""Of a page with such sections, below ``tokens.css``."""


def sections(
    report: Report, prefix: str, moved: Mapping[str, int] = MappingProxyType({}), watched: Collection[int] = ()
) -> list[Node]:
    """The sections of every run; ``prefix`` begins their ids, and the matches ``watched`` are in the page."""
    table, survey, origin = report.leaderboard, report.survey, report.provenance
    if not table.table_rows or survey.ahead is None:
        names = listed([bot.name for bot in origin.bots])
        return [
            section(f"{prefix}board", "Leaderboard", "The leaderboard comes with the first match", f"Entered: {names}.")
        ]
    rows, provisional, measure = table.table_rows, table.provisional, table.measure
    languages = {bot.name: bot.language for bot in origin.bots}
    settled = [row.bot for row in rows if row.settled and not provisional]
    bots = {row.bot for row in rows}
    drawn = [row.bot for row in rows if row.matches][:_CURVES]
    series = {bot: [(mark.matches, mark.bots[bot]) for mark in survey.history if bot in mark.bots] for bot in drawn}
    order = {row.bot: index for index, row in enumerate(rows)}
    clocks = [row for row in survey.times if row.bot in bots]
    nearest = sorted(clocks, key=lambda row: (-row.late, -(row.ms_max or 0), order[row.bot]))[:_CLOCKS]
    if len(clocks) <= _CLOCKS:
        nearest.sort(key=lambda row: order[row.bot])
    blocks = plural(survey.seats[0].blocks, "whole block") if survey.seats else "whole blocks"
    even = f"; {100 / survey.seats[0].seats:.0f} % is even" if survey.seats else ""
    colours = colour_bots(languages)
    total = survey.history[-1].matches
    growth = charts.growth(series, settled=settled, total=total, measure=measure, colours=colours)
    by = "the mean score of all matches" if measure.by_score else "all matches"
    few, certain = len(survey.ahead.bots) <= board.MOST_DUELS, not provisional
    duels = section(
        f"{prefix}duels",
        "Head to head",
        findings.duels(survey.ahead, provisional=provisional),
        "How often the row finished ahead of the column, in per cent; a tie is half."
        + (f" Bold and ▴ ▾: certainly the better bot, or the worse, by {by}." if certain and few else "")
        + ("" if few else " Bots that follow each other in the leaderboard are taken together; two bots: see Matches."),
        board.duels(survey.ahead, run=origin.name, provisional=provisional),
    )
    ratings = section(
        f"{prefix}growth",
        f"{measure.name.capitalize()}s against matches",
        findings.growth(survey.history, survey.ahead, provisional=provisional, measure=measure),
        f"{measure.unit} by matches of the schedule, in whole blocks. Bands are ranges of 95 % for one bot."
        + (" Thin: its place is open." if len(drawn) <= charts.TOGETHER else "")
        + (f" The first {_CURVES} of {len(rows)} bots are drawn." if len(drawn) < len(rows) else ""),
        growth,
    )
    pace = section(
        f"{prefix}pace",
        "Answering times",
        findings.pace(clocks),
        "On a log scale. Long tick: the median; short tick: 99 % of the answers; dot: the longest."
        + (f" The {_CLOCKS} of {len(clocks)} bots that came nearest to the limit." if len(clocks) > _CLOCKS else ""),
        charts.times(nearest, origin.limit),
    )
    seats = section(
        f"{prefix}seating",
        "Seats",
        findings.seating(survey.seats, provisional=provisional),
        f"Mean rank over {blocks}, in which each bot has sat once in each seat of the same deal. At the right: matches "
        f"won{even}.",
        charts.seats(survey.seats, provisional=provisional) if survey.seats else None,
    )
    return [
        # a format has decided its places; ratings tell how strong bots are
        _format(table.bracket, prefix, colours, linked=bool(survey.listed)) if table.bracket is not UNSET else None,
        board_section(
            table,
            board.leaderboard(table, languages, run=origin.name, moved=moved),
            None if provisional else _facts(report),
            key=f"{prefix}board",
            name="Leaderboard" if table.bracket is UNSET else "Ratings over all matches",
        ),
        htpy.div(".pair")[duels, ratings] if len(rows) <= _PAIRED else [duels, ratings],
        htpy.div(".pair")[pace, seats],
        _faults(report, prefix, watched),
    ]  # fmt: skip


def board_section(table: Leaderboard, *drawn: Node, key: str, name: str) -> Element:
    """A leaderboard below what its first bot did; how to read it, and what is certain, is told to who opens it."""
    words = findings.lead_in_words(table)
    rest = [note for note in (table.certain, *table.notes) if note and note != table.caution]
    finding = words[0].removesuffix(".") if words else findings.board(table.leaderboard)
    return section(key, name, finding, table.caution, drawn[0], how_to_read(board.legend(table), *rest), drawn[1:])


def how_to_read(*parts: Node) -> Element:
    """What a table means, told to who opens it."""
    return htpy.details(".how")[htpy.summary["How to read this"], htpy.ul[map(htpy.li.__getitem__, parts)]]


def _format(bracket: Bracket, prefix: str, colours: Mapping[str, int], *, linked: bool) -> Element:
    from arena.page.bracket import format_section  # noqa: PLC0415 - few runs have a format

    return format_section(bracket, prefix, colours, linked=linked)


def _podium(table: Leaderboard) -> Node:
    if table.bracket is UNSET:
        return None
    from arena.page.bracket import podium  # noqa: PLC0415 - as above

    return podium(table.bracket)


def _faults(report: Report, prefix: str, watched: Collection[int]) -> Element:
    ids = {match.number: match.id for match in report.survey.listed}
    path, faults = report.provenance.path, list(report.survey.faults)
    if len(faults) > _FAULTS:
        faults.sort(key=lambda fault: -fault.count)

    def where(number: int, decision: int) -> Node:
        label = f"match #{number}"
        if number in watched and number in ids:
            return htpy.a(href=address_of(ids[number], decision))[label]
        moment = f" --decision {decision}" if decision >= 0 else ""
        return htpy.code[f"arena replay {path} '#{number}'{moment}"]

    boxes = [
        htpy.div(".fault")[
            htpy.h3[fault.bot, htpy.span[fault.kind]],
            htpy.p(".often")[f"{fault.count:,}"],
            htpy.div[
                htpy.ul[(htpy.li[htpy.b[f"{rule.count}\N{MULTIPLICATION SIGN}"], rule.rule] for rule in fault.rules)],
                htpy.p(".dim")[
                    f"in {plural(fault.matches, 'match')}",
                    f", retired it in {fault.retired}" if fault.retired else "",
                    "; first in ",
                    where(fault.first_match, fault.first_decision),
                    f", decision {fault.first_decision}" if fault.first_decision >= 0 else ", at the start",
                ],
            ],
        ]
        for fault in faults[:_FAULTS]
    ]
    how = "After a fault arena picks the first options. Too many in a match retire a bot from it." if boxes else ""
    how += f" The {_FAULTS} most frequent of {len(faults)} kinds and bots." if len(faults) > _FAULTS else ""
    return section(f"{prefix}faults", "Faults", findings.faults(faults), how, htpy.div(".fault-grid")[boxes])


def _command(words: str) -> Element:
    return htpy.div(".command")[htpy.code(tabindex="0", role="region", aria_label=words)[words]]


def shortened_digest(digest: str) -> Element:
    """The beginning of a digest; pointing at it shows the whole."""
    return htpy.code(title=digest)[f"{digest[:16]}\N{HORIZONTAL ELLIPSIS}"]


def provenance(origin: Provenance) -> Element:
    """The section."""
    facts = [(htpy.dt[name], htpy.dd[words]) for name, words in origin.facts.items()]
    for commitment, seed in origin.commitments:
        checked = (
            htpy.span(data_seed=seed, data_commitment=commitment)["published before the first deal"] if seed else None
        )
        facts.append((htpy.dt["seed"], htpy.dd[htpy.code[seed or "not revealed yet"]]))
        facts.append((htpy.dt["commitment"], htpy.dd[htpy.code[commitment], " ", checked]))
    rows = [
        {
            "bot": bot.name,
            "language": bot.language or board.DASH,
            "version": bot.version or board.DASH,
            "SHA-256 of command and files": bot.digest[:16],
            "command": bot.command,
        }
        for bot in origin.bots
    ]
    return section(
        "provenance",
        "Provenance",
        "Everything above follows from the seed and the recorded picks",
        "Anyone with the folder of the run can derive it again. This page only shows what follows from it. "
        "Of each digest 16 digits are shown; run.json has all.",
        [_command(words) for words in origin.verify],
        htpy.dl(".provenance")[facts],
        grid("Bots", Table(rows=rows, left_columns=rows[0]), kind=".entrants"),
    )


LINKS = {
    "bracket": "Format",
    "board": "Leaderboard",
    "duels": "Head to head",
    "growth": "",
    "pace": "Times",
    "seating": "Seats",
    "faults": "Faults",
    "review": "Review",
    "matches": "Matches",
    "provenance": "Provenance",
}
"""The sections of a report, by their ids."""


def links_of(table: Leaderboard) -> dict[str, str]:
    """The same for the report of a table."""
    return LINKS | {"growth": f"{table.measure.name.capitalize()}s"}


OVERALL = (
    "The share of its opponents that a bot finishes ahead of, a tie half, in per cent: the mean over its matches of a "
    "run. Over all is the mean over the runs it played. 50 is as good as a copy of its opponents. "
    "Ordered by share: who is better over all is not tested, and each table below says what is certain in it."
)
"""How a table over several runs is to be read."""


def report_page(
    report: Report,
    replays: Sequence[Replay],
    *,
    rules: str,
    review: Review | None = None,
    requests: int = 0,
    image: str = "",
    pages: str = "",
    paged: Collection[int] = (),
) -> str:
    """The report of one run as an HTML document, with ``replays`` of the matches that can be watched in it.

    So that the page is not too large, the last of them may be left out; the first ``requests`` of them stay, and among
    these are the matches of the answers that a ``review`` shows. ``image`` is the address of a picture of the result,
    for whoever links to the page. The matches ``paged`` have pages of their own: ``pages`` is their address, with
    ``{}`` for the id of the match.
    """
    watched = {replay.number: replay for replay in replays}
    begun = report.survey.ahead is not None
    presence = dict.fromkeys(("duels", "growth", "pace", "seating", "faults"), begun)
    presence |= {"review": review is not None}
    presence |= {"matches": bool(report.survey.listed), "bracket": begun and report.leaderboard.bracket is not UNSET}
    lacking = {key for key, is_there in presence.items() if not is_there}
    origin, table = report.provenance, report.leaderboard
    colours = colour_bots(bot.name for bot in origin.bots)
    content = [
        *sections(report, "", watched=watched),
        _review(review) if review else None,
        matches_section(report, watched),
        provenance(origin),
    ]
    body: list[Node] = [
        htpy.a(".skip", href="#board")["To the leaderboard"],
        bar(origin.name, {key: title for key, title in links_of(table).items() if key not in lacking}),
        htpy.main("#report.page")[_top(report, watched), content, _footer(origin)],
        stage(["Loading"], hidden=True),
        rules_dialog(title=origin.title, text=rules) if replays else None,
        # those of all replays once
        htpy.script("#looks", type="text/plain")[
            packed({kind: look for replay in replays for kind, look in replay.looks.items()})
        ],
        [embedded(_marked(replay, review), colours) for replay in replays],
        data_of(report, watched, pages, paged),
    ]
    played = plural(report.survey.matches, "match")
    facts = f"{origin.title}, {plural(len(table.leaderboard), 'bot')}, {played}."
    page = document(
        title=f"{origin.name}: {table.headline}",
        styles=[*REPLAY_STYLES, *STYLES],
        scripts=[*SCRIPTS, "report.js"],
        body=body,
        description=" ".join([facts, *findings.lead_in_words(table)]),
        image=image,
        attributes={"data-run": origin.path},
    )
    sizes, over = [len(packed(_marked(replay, review))) for replay in replays[requests:]], len(page) - _MOST
    while over > 0 and sizes:
        over -= sizes.pop()
    subset = replays[: requests + len(sizes)]
    if len(subset) == len(replays):
        return page
    return report_page(
        report, subset, rules=rules, review=review, requests=requests, image=image, pages=pages, paged=paged
    )


def _marked(replay: Replay, review: Review | None) -> Replay:
    """The replay with a mark at each answer that certainly cost the reviewed bot something, without its looks."""
    dear = [answer for answer in (review.costliest if review else []) if answer.sure and answer.id == replay.id]
    return replace(replay, looks={}, marks=tuple(Mark(decision=answer.decision, text="blunder") for answer in dear))


def overall_page(reports: Sequence[Report], combined: Sequence[Standing]) -> str:
    """Several runs as one HTML document: a table over all of them, then each without its matches."""
    tables = [report.leaderboard for report in reports]
    title, caption, how = headline_of_tables(tables), "All runs", f"{OVERALL}{by_places('Shares', tables)}"
    links = {"overall": caption} | {
        f"run-{index}-board": report.provenance.name for index, report in enumerate(reports)
    }
    parts = [_run(report, f"run-{index}-") for index, report in enumerate(reports)]
    over = htpy.p(".over")[", ".join(f"{report.provenance.title} ({report.provenance.name})" for report in reports)]
    body: list[Node] = [
        htpy.a(".skip", href="#overall")["To the table"],
        bar("arena", links),
        htpy.main("#report.page")[
            htpy.header(".top")[over, htpy.h1[title]],
            section(
                "overall",
                caption,
                "How the bots do over all runs",
                None,
                combined_table(combined, caption),
                how_to_read(how),
            ),
            parts,
            _footer(reports[0].provenance),
        ],
    ]
    styles, scripts = ["tokens.css", *STYLES], ["elements.js", "report.js"]
    return document(title=title, styles=styles, scripts=scripts, body=body, description=OVERALL)


def combined_table(
    combined: Sequence[Standing], caption: str, links: Mapping[str, str] = MappingProxyType({})
) -> Element:
    """A table over several runs or games; ``links`` has by bot the address of its page."""
    games = list(dict.fromkeys(name for row in combined for name in row.games))
    rows = [
        {"bot": htpy.a(href=links[row.bot])[row.bot] if row.bot in links else row.bot, "over all": _share(row.share)}
        | {game: _share(row.games.get(game)) for game in games}
        for row in combined
    ]
    return grid(caption, Table(rows=rows))


def _run(report: Report, prefix: str) -> list[Node]:
    over = f"{report.provenance.title}, run {report.provenance.name}"
    return [htpy.section[kicker(over), htpy.h2[report.leaderboard.headline]], *sections(report, prefix)]


def _share(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{100 * value:.1f}"


def bar(name: str, links: Mapping[str, str]) -> Element:
    """The bar at the top of a page, with links to its sections."""
    anchors = (htpy.a(href=f"#{key}")[title] for key, title in links.items())
    return htpy.nav(".bar", aria_label="Sections")[htpy.div[htpy.b[name], anchors]]


def _top(report: Report, watched: Collection[int]) -> Element:
    origin, table = report.provenance, report.leaderboard
    counts = f"{plural(len(table.leaderboard), 'bot')} · {plural(report.survey.matches, 'match')}"
    over = f"{origin.title} · {origin.seats} seats · {counts} · run {origin.name} · {origin.created}"
    return htpy.header(".top")[
        htpy.p(".over")[over], htpy.h1[table.headline], something_to_watch(report, watched), _podium(table)
    ]


def _facts(report: Report) -> Element:
    survey, table = report.survey, report.leaderboard
    faults = sum(sort.count for sort in survey.faults)
    return htpy.dl(".facts")[
        fact(
            "matches",
            f"{survey.matches:,}",
            htpy.small[f" in {plural(survey.blocks, 'mirrored block')}"] if survey.blocks else None,
        ),
        fact("bots", str(len(table.leaderboard))),
        fact("seats", report.provenance.seats),
        fact("decisions", f"{table.decisions:,}"),
        fact("playing time", f"{report.provenance.seconds:,.0f} s"),
        fact("faults", f"{faults:,}", bad=faults > 0),
        fact("void", f"{survey.void:,}", bad=survey.void > 0),
        fact("ties among neighbours", f"{100 * table.draw_probability:.0f} %") if survey.matches else None,
    ]


def _footer(origin: Provenance) -> Element:
    by = origin.facts.get("played by", "arena")
    return htpy.footer[f"Made by {by} from the folder of the run. This page asks no network and keeps nothing."]


def _review(review: Review) -> Element:
    answers = review.costliest
    finding = (
        f"The answers that cost {review.bot} most"
        if any(answer.sure for answer in answers)
        else f"No answer certainly cost {review.bot} anything"
    )
    how = " ".join([*review.lead, *review.notes])
    return section(
        "review", f"Review by {review.by}", finding, how, htpy.ul(".worth")[map(partial(_cost, review), answers)]
    )


def _cost(review: Review, answer: ReviewedAnswer) -> Element:
    question, reply, other = review.describe(answer)
    loss = f"{answer.cost:.2f} {review.unit} ({answer.low:.2f} to {answer.high:.2f})"
    return htpy.li[
        htpy.a(href=address_of(answer.id, answer.decision))[
            htpy.b[loss], htpy.span[question, htpy.br, reply, htpy.br, other], htpy.i["Watch from there"]
        ]
    ]
