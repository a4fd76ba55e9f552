"""The rules of a game, written in Markdown, as markup. Knows no game.

Only headings, paragraphs, lists, tables, code and stress become markup: no HTML, no link and no picture.
"""

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
    return Markup(_READER.renderer.render(tokens, _READER.options, {}))  # noqa: S704 - the reader escapes all text
