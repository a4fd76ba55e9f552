"""The page of a run that has not begun. Knows markup; no folder, no server."""

import htpy

from arena.page.document import document
from arena.page.report import STYLES


def waiting_page(name: str) -> str:
    """The page of a run that has not begun, which looks again and again whether it has."""
    title = f"{name} has not begun"
    return document(
        title=title,
        styles=["tokens.css", *STYLES, "live.css"],
        scripts=["elements.js", "report.js", "live.js"],
        body=htpy.main("#report.page")[
            htpy.header(".top")[
                htpy.h1[title],
                htpy.p(".lead")["This page shows the run as soon as it begins."],
                htpy.p[htpy.span("#state", role="status"), " ", htpy.span("#since")],
            ]
        ],
        served=True,
    )
