"""A story as a page of its own, and the part of it that other pages embed. Knows no game."""

import htpy
from htpy import Element, Node

from arena.page.document import document, packed
from arena.page.rules import rules_dialog
from arena.report.story import Story

STYLES = ("tokens.css", "table.css", "cards.css", "replay.css", "dock.css", "rules.css")
SCRIPTS = ("elements.js", "table.js", "lanes.js", "moves.js", "replay.js")


def embedded(story: Story) -> Element:
    """The data of a match, for the script of the page."""
    return htpy.script(type="text/plain", data_replay=story.id)[packed(story)]


def stage(words: Node, *, hidden: bool = False) -> Element:
    """The place where the script shows a match; until then these words."""
    return htpy.main(id="replay", hidden=hidden)[htpy.div(".noscript")[words]]


def replay_page(story: Story, *, rules: str, run: str, command: str) -> str:
    """One match as an HTML document.

    Args:
        story: the match.
        rules: of the game, in Markdown.
        run: what to type for the run, for commands to copy.
        command: the command that tells the same in words.
    """
    words = [
        htpy.h1[f"{story.title}: match {story.id}"],
        htpy.p["This page needs JavaScript. The same match in words: ", htpy.code[command]],
    ]
    return document(
        title=f"{story.title}: match {story.id}",
        styles=STYLES,
        scripts=SCRIPTS,
        body=[stage(words), rules_dialog(title=story.title, text=rules), embedded(story)],
        attributes={"data-run": run},
    )
