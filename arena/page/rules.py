"""The rules of a game, written in Markdown, as markup. Knows no game.

Only headings, paragraphs, lists, tables, code and stress become markup: no HTML, no link and no picture.
"""

import htpy
from htpy import Element
from markdown_it import MarkdownIt
from markupsafe import Markup

_READER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link", "autolink"])


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
