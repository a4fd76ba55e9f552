"""Silhouettes for cards, an SVG file each, in a box of 48 by 32: any game may use them in its looks. Knows no game."""

from pathlib import Path


def glyph(name: str) -> str:
    """Return the outline drawn in ``<name>.svg`` as path data; a page fills it in the colour of the card."""
    drawing = Path(__file__).with_name(f"{name}.svg").read_text("ascii")
    return drawing.partition(' d="')[2].partition('"')[0]
