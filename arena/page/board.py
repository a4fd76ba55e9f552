"""What pages of matches are made of: the leaderboard, the matrix of duels, a replay, the rules. Knows no game."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import htpy
from htpy import Element, Node
from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.page import charts
from arena.page.colours import colour_bots, colour_seats
from arena.page.document import document, packed, scrolled
from arena.ratings.ahead import Pair
from arena.report.ahead import Ahead
from arena.report.document import NONE
from arena.report.render import Column, Leaderboard, LeaderboardRow, columns_of, strength
from arena.report.replay import Replay
from arena.view import CardStyle
from arena.words import plural

MOST_DUELS, _GROUPS = 24, 20
"""Up to so many bots each has a row and a column of duels; of more, neighbours in the table share one."""
_PLOTS, _TITLED = 100, 24
"""Of more bots a script draws the intervals; characters of a name that are always seen."""
_STEPS = 9
_SURE = {1: "Certainly the better bot.", 0: "Which is better is open.", -1: "Certainly the worse bot."}
_MARKS = {1: "\N{BLACK UP-POINTING SMALL TRIANGLE}", 0: "", -1: "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"}
DASH = "\N{EN DASH}"


def legend(table: Leaderboard) -> Node:
    """What the marks of the leaderboard mean."""
    by_score = table.measure.by_score
    circle, line, rect, svg = charts.circle, charts.line, charts.rect, charts.svg
    open_ = (
        "not settled in an unfinished run."
        if table.provisional
        else "place not certain; a bracket joins equal ranges. Filled: certain for the whole table."
    )
    tick: list[Node] = [
        svg(aria_hidden="true")[rect(".tick", x="10", width="2", height="12")],
        "rating, mu \N{MINUS SIGN} 3 sigma, by which the table is sorted ",
    ]
    return [
        svg(aria_hidden="true")[circle(".dot", cx="11", cy="6", r="4.5")],
        "mean score, by which the table is sorted " if by_score else "strength mu ",
        svg(aria_hidden="true")[line(".whisker", x1="1", x2="21", y1="6", y2="6")],
        "95 % interval ",
        None if by_score else tick,
        svg(aria_hidden="true")[circle(".dot.open", cx="11", cy="6", r="4")],
        open_,
    ]


def leaderboard(
    table: Leaderboard,
    languages: Mapping[str, str],
    *,
    run: str,
    moved: Mapping[str, int] = MappingProxyType({}),
    links: Mapping[str, str] = MappingProxyType({}),
    owners: Mapping[str, str] = MappingProxyType({}),
) -> Element:
    """The leaderboard of at least one bot with whiskers; bots with the same range of places are joined by a bracket.

    ``languages`` has all bots of the run, ``moved`` by how many places a bot has risen recently, ``links`` the
    addresses of the pages of bots, ``owners`` who stands below a bot.
    """
    rows, measure, colours = table.table_rows, table.measure, colour_bots(languages)
    strengths = [strength(row, measure) for row in rows]
    ends = [value for estimate in strengths for value in estimate if value is not None]
    ends += [] if measure.by_score else [row.rating for row in rows]
    room = (max(ends) - min(ends)) * 0.04
    scale = charts.Marks(min(ends) - room, high=max(ends) + room, measure=measure)
    columns = [column for column in columns_of(measure) if column.page]
    head = htpy.tr[
        htpy.td[htpy.span(".unseen")["tied"]],
        (htpy.th(scope="col")[name] for name in ("place", "bot")),
        htpy.th(scope="col")[htpy.span(".unseen")[f"{measure.unit} and its interval"], scale.axis()],
        (htpy.th(scope="col")[column.page] for column in columns),
    ]
    body = []
    for index, (row, estimate) in enumerate(zip(rows, strengths, strict=True)):
        mean, *between = (f"{value:.{measure.digits}f}" for value in estimate if value is not None)
        figures = f"{mean} {(' to ' if measure.by_score else DASH).join(between)}".rstrip()
        plot = scale.whisker(estimate, None if measure.by_score else row.rating) if len(rows) <= _PLOTS else figures
        # where there are very many, the list of entrants has it
        small = [languages.get(row.bot, "") if len(rows) <= _PLOTS else None, _moved(moved.get(row.bot, 0))]
        label = htpy.a(href=links[row.bot])[row.bot] if row.bot in links else row.bot
        kind = f"bot-{colours[row.bot]}" if row.bot in colours and len(rows) <= _PLOTS else ""
        owner = htpy.small(".owner")[owners[row.bot]] if row.bot in owners else None
        cell = [label, [" ", htpy.small[small]] if any(small) else None, owner]
        body.append(_row(rows, index, cell, plot, columns, kind=kind, provisional=table.provisional))
    lines = htpy.tbody(data_scale=scale.ends, data_unit=measure.unit)[body]
    return scrolled(f"Leaderboard of {run}", htpy.thead[head], lines, kind=".board", caption="Leaderboard")


def figure(column: Column, row: LeaderboardRow) -> str:
    """What stands in a cell of a page."""
    cell = column.format_cell(row) if column.on_page is None else column.on_page(row)
    return DASH if cell == NONE else str(cell)


def _cell(column: Column, row: LeaderboardRow) -> Element:
    text, slash, of = figure(column, row).partition(" / ")
    return htpy.td(".bad" if column.page == "faults" and row.faults else "")[
        text, htpy.small[slash + of] if slash else None
    ]


def _moved(places: int) -> Node:
    if not places:
        return None
    mark = "\N{BLACK UP-POINTING TRIANGLE}" if places > 0 else "\N{BLACK DOWN-POINTING TRIANGLE}"
    words = f"{'risen' if places > 0 else 'fallen'} by {abs(places)}"
    return htpy.span(".moved", role="img", aria_label=words)[f" {mark} {abs(places)}"]


def _row(
    rows: Sequence[LeaderboardRow], index: int, label: Node, plot: Node, columns: Sequence[Column], *,
    kind: str, provisional: bool,
) -> Element:  # fmt: skip
    row = rows[index]

    def joined(other: int) -> bool:
        alike = 0 <= other < len(rows) and _range(rows[other]) == _range(row)
        return alike and not row.settled and not provisional and row.rank > 0

    above, below = joined(index - 1), joined(index + 1)
    kinds = {kind: bool(kind), "group": above or below, "opens": below and not above, "shuts": above and not below}
    kinds["open"] = provisional or not row.settled
    ranked = sum(other.rank > 0 for other in rows)
    spanned = len(rows) <= _PLOTS and not provisional and row.rank > 0
    return htpy.tr(class_=kinds)[
        htpy.td[htpy.span(".unseen")["tied"] if above or below else None],
        htpy.td[row.ranks.replace("-", DASH), charts.span(row, ranked) if spanned else None],
        htpy.th(scope="row", title=row.bot if len(row.bot) > _TITLED else None)[label],
        htpy.td[plot],
        (_cell(column, row) for column in columns),
    ]


def _range(row: LeaderboardRow) -> tuple[int, int]:
    return row.rank_low, row.rank_high


def duels(ahead: Ahead, *, run: str, provisional: bool) -> Element:
    """How often each bot finished ahead of each other, in per cent, and which is certainly the better one.

    In an unfinished run nothing is certain. Of many bots those that follow each other in the table are taken together.
    """
    size = 1 if len(ahead.bots) <= MOST_DUELS else -(-len(ahead.bots) // _GROUPS)
    starts = range(0, len(ahead.bots), size)
    groups = [ahead.bots[start : start + size] for start in starts]
    group_of = {bot: index // size for index, bot in enumerate(ahead.bots)}
    met: dict[tuple[int, int], list[Pair]] = {}
    for duel in ahead.pairs:
        for pair in (duel, duel.turned):
            met.setdefault((group_of[pair.bot], group_of[pair.other]), []).append(pair)
    names = [str(start + 1) + f"{DASH}{min(start + size, len(ahead.bots))}" * (size > 1) for start in starts]
    head = htpy.tr[htpy.td, (htpy.th(scope="col", title=name)[name.partition(DASH)[0]] for name in names)]
    body, sentences = [], []
    for row, group in enumerate(groups):
        line: list[Node] = [
            htpy.th(scope="row", title=", ".join(group))[
                [group[0], " ", htpy.small[names[row]]] if size == 1 else [names[row], " ", htpy.small[group[0]]]
            ]
        ]
        for column in range(len(groups)):
            pairs = met.get((row, column))
            if row == column or not pairs:
                line.append(htpy.td(".self")["\N{MIDDLE DOT}" if row == column else DASH])
                continue
            share = sum(pair.share * pair.matches for pair in pairs) / sum(pair.matches for pair in pairs)
            certain = 0 if provisional or size > 1 else pairs[0].certain
            kind = f".heat-{min(_STEPS - 1, int(share * _STEPS))}" + ".certain" * bool(certain)
            line.append(htpy.td(kind)[f"{100 * share:.0f}{_MARKS[certain]}"])
            sentences.append((pairs[0].bot, pairs[0].other, _cell_in_words(pairs[0], certain=certain)))
        body.append(htpy.tr[line])
    caption = "How often the bot of the row finished ahead of the bot of the column, in per cent"
    return htpy.div[
        scrolled(f"Head to head in {run}", htpy.thead[head], htpy.tbody[body], kind=".duels", caption=caption),
        htpy.script(".cells", type="text/plain")[packed(sentences)] if size == 1 else None,
    ]


def _cell_in_words(pair: Pair, *, certain: int) -> str:
    tied = f", {pair.tied} tied" if pair.tied else ""
    has_interval = pair.low is not None and pair.high is not None
    between = f", 95 % from {100 * (pair.low or 0):.0f} to {100 * (pair.high or 0):.0f}" if has_interval else ""
    counts = f"{pair.bot} finished ahead of {pair.other} in {pair.ahead} of {plural(pair.matches, 'match')}{tied}"
    expected = f"by their ratings {100 * pair.expected:.0f} %"
    return f"{counts}: {100 * pair.share:.0f} %{between}; {expected}. {_SURE[certain]}"


STYLES = ("tokens.css", "table.css", "cards.css", "replay.css", "dock.css", "rules.css")
TABLE = ("elements.js", "fit.js", "table.js", "stage.js")
SCRIPTS = (*TABLE, "keys.js", "moves.js", "pace.js", "story.js", "timeline.js", "replay.js")
_READER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link", "autolink"])
"""Only headings, paragraphs, lists, tables, code and stress become markup: no HTML, no link and no picture."""


def rules_markup(text: str) -> Markup:
    """The text below its own title, headings one level lower than they were written."""
    tokens = _READER.parse(text)
    if tokens and tokens[0].tag == "h1":
        del tokens[:3]
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + (token.tag == 'h1'), 6)}"
        elif token.type == "table_open":
            # a wide one scrolls by itself: by keys too
            token.attrSet("tabindex", "0")
    return Markup(_READER.renderer.render(tokens, _READER.options, {}))  # noqa: S704 - the reader escapes all text


def rules_dialog(*, title: str, text: str) -> Element:
    """The rules of the game with this title, hidden until a script opens them."""
    words = rules_markup(text) if text else htpy.p["The package of this game does not say how it is played."]
    return htpy.dialog(id="rules", aria_label=f"Rules of {title}")[
        htpy.form(method="dialog")[htpy.h2[title], htpy.button(".button")["Close"]],
        htpy.div(".rules", tabindex="0", role="region", aria_label=f"How {title} is played")[words],
    ]


def embedded(replay: Replay, colours: Mapping[str, int]) -> Element:
    """The data of a match, for the script of the page, with the colours of bots."""
    by_seat = " ".join("" if colour is None else str(colour) for colour in colour_seats(replay.bots, colours))
    return htpy.script(type="text/plain", data_replay=replay.id, data_colours=by_seat)[packed(replay)]


def stage(words: Node, *, hidden: bool = False) -> Element:
    """The place where the script shows a match; until then these words."""
    return htpy.main(id="replay", hidden=hidden)[htpy.div(".noscript")[words]]


def replay_page(
    replay: Replay, *, rules: str, run: str, command: str, decision: int = -1, field: Collection[str] = ()
) -> str:
    """One match as an HTML document, which opens at a decision; -1: at the start.

    ``field`` has all bots of the run, so that they have the colours of its report; ``rules`` are in Markdown;
    ``run`` is what to type for the run, and ``command`` tells the same match in words.
    """
    words = [
        htpy.h1[f"{replay.title}: match {replay.id}"],
        htpy.p["This page needs JavaScript.", command and [" The same match in words: ", htpy.code[command]]],
    ]
    return document(
        title=f"{replay.title}: match {replay.id}",
        styles=[*STYLES, "noted.css"],
        scripts=[*SCRIPTS[:-1], "noted.js", SCRIPTS[-1]],
        body=[
            stage(words),
            rules_dialog(title=replay.title, text=rules),
            embedded(replay, colour_bots(field or filter(None, replay.bots))),
        ],
        description=f"{', '.join(filter(None, replay.bots))}: a match of {replay.title} to watch, step by step.",
        attributes={"data-run": run} | ({"data-decision": str(decision)} if decision >= 0 else {}),
    )


def play_page(*, title: str, against: str, rules: str, looks: Mapping[str, CardStyle], legend: str) -> str:
    """The page on which a person plays a match, to be served: the match comes as messages while it is open.

    ``against`` tells in words who sits in the other seats; ``rules`` are in Markdown; ``looks`` are by kind of card;
    ``legend`` says how to read the table.
    """
    return document(
        title=title,
        styles=[*STYLES, "play.css"],
        scripts=(*TABLE, "pace.js", "play.js"),
        body=[
            htpy.main("#play.replay.playing", data_title=title, data_against=against, data_legend=legend)[
                htpy.div(".noscript")[htpy.h1[title], htpy.p["This page needs JavaScript. `arena play` needs none."]]
            ],
            rules_dialog(title=title, text=rules),
            htpy.script("#looks", type="text/plain")[packed(looks)],
        ],
        served=True,
    )
