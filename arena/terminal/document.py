"""A document in Markdown, such as the rules of a game, for somebody who reads it at a terminal."""

from io import StringIO

from arena.report.layout import reflowed

_NARROW = 60
"""Columns below which tables have no room: then the document is shown as it was written."""


def document(text: str, width: int, *, styled: bool) -> list[str]:
    """The lines of a document, drawn with its headings, lists and tables, each of at most ``width``.

    ``styled`` has bold and colours in them, as far as the terminal has these; ``NO_COLOR`` forbids colours.
    """
    if width < _NARROW:
        return reflowed(text, width)
    from rich.console import Console, ConsoleOptions, RenderResult  # noqa: PLC0415 - it takes long to load
    from rich.markdown import Markdown, TableElement  # noqa: PLC0415 - likewise
    from rich.table import Table  # noqa: PLC0415 - likewise
    from rich.theme import Theme  # noqa: PLC0415 - likewise

    class Folded(TableElement):
        """A table that folds a word which is too long for its cell; rich would cut it off."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for drawn in super().__rich_console__(console, options):
                for column in drawn.columns if isinstance(drawn, Table) else ():
                    column.overflow = "fold"
                yield drawn

    class Document(Markdown):
        elements = Markdown.elements | {"table_open": Folded}

    page = StringIO()
    # a background colour would not suit every terminal
    theme = Theme({"markdown.code": "bold"})
    console = Console(file=page, width=width, force_terminal=styled, legacy_windows=False, theme=theme)
    console.print(Document(text, code_theme="ansi_dark", hyperlinks=False))
    return [line.rstrip() for line in page.getvalue().rstrip("\n").split("\n")]
