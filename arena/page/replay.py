"""Pages of one match: to watch it, and to play it; and the rules of its game. Knows no game."""

from collections.abc import Mapping

import htpy
from htpy import Element, Node
from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.page.document import document, packed
from arena.report.replay import Replay
from arena.view import CardStyle

STYLES = ("tokens.css", "table.css", "cards.css", "replay.css", "dock.css", "rules.css")
SCRIPTS = ("elements.js", "table.js", "lanes.js", "moves.js", "replay.js")
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


def embedded(replay: Replay) -> Element:
    """The data of a match, for the script of the page."""
    return htpy.script(type="text/plain", data_replay=replay.id)[packed(replay)]


def stage(words: Node, *, hidden: bool = False) -> Element:
    """The place where the script shows a match; until then these words."""
    return htpy.main(id="replay", hidden=hidden)[htpy.div(".noscript")[words]]


def replay_page(replay: Replay, *, rules: str, run: str, command: str) -> str:
    """One match as an HTML document.

    ``rules`` are in Markdown; ``run`` is what to type for the run, and ``command`` tells the same match in words.
    """
    words = [
        htpy.h1[f"{replay.title}: match {replay.id}"],
        htpy.p["This page needs JavaScript. The same match in words: ", htpy.code[command]],
    ]
    return document(
        title=f"{replay.title}: match {replay.id}",
        styles=STYLES,
        scripts=SCRIPTS,
        body=[stage(words), rules_dialog(title=replay.title, text=rules), embedded(replay)],
        attributes={"data-run": run},
    )


def play_page(*, title: str, against: str, rules: str, looks: Mapping[str, CardStyle]) -> str:
    """The page on which a person plays a match, to be served: the match comes as messages while it is open.

    ``against`` tells in words who sits in the other seats; ``rules`` are in Markdown; ``looks`` are by kind of card.
    """
    return document(
        title=title,
        styles=[*STYLES, "play.css"],
        scripts=("elements.js", "table.js", "play.js"),
        body=[
            htpy.main("#play.replay.playing", data_title=title, data_against=against)[
                htpy.div(".noscript")[htpy.h1[title], htpy.p["This page needs JavaScript. `arena play` needs none."]]
            ],
            rules_dialog(title=title, text=rules),
            htpy.script("#looks", type="text/plain")[packed(looks)],
        ],
        served=True,
    )
