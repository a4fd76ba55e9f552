"""The page on which a person plays a match. Knows no game and no match: these come as messages while it is open."""

from collections.abc import Mapping

import htpy

from arena.page.document import document, packed
from arena.page.replay import STYLES
from arena.page.rules import rules_dialog
from arena.view import CardStyle

_SCRIPTS = ("elements.js", "table.js", "play.js")


def play_page(*, title: str, against: str, rules: str, looks: Mapping[str, CardStyle]) -> str:
    """An HTML document, to be served.

    Args:
        title: of the game.
        against: who sits in the other seats, in words.
        rules: of the game, in Markdown.
        looks: how its cards look, by their kind.
    """
    return document(
        title=title,
        styles=[*STYLES, "play.css"],
        scripts=_SCRIPTS,
        body=[
            htpy.main("#play.replay.playing", data_title=title, data_against=against)[
                htpy.div(".noscript")[htpy.h1[title], htpy.p["This page needs JavaScript. `arena play` needs none."]]
            ],
            rules_dialog(title=title, text=rules),
            htpy.script("#looks", type="text/plain")[packed(looks)],
        ],
        served=True,
    )
