"""Animals of the sea, heads to the left."""

from math import pi, sin

from arena.glyphs.shapes import Point, arc, ellipse, polygon, smooth, star, stroke

MIDDLE = 16.0


def fish(
    *,
    size: float = 1,
    at: Point = (3, MIDDLE),
    length: float = 33,
    height: float = 15,
    belly: float = 0.8,
    tail: float = 9,
    fork: float = 5,
    fin: float = 4,
    stripes: int = 0,
) -> str:
    """A fish by its measures in units of the box.

    Args:
        size: all the measures are multiplied by this.
        at: the tip of its mouth.
        length: of the body without the tail.
        height: of the body.
        belly: where it is highest: below 1 near the head, above 1 near the tail.
        tail: length of the tail fin.
        fork: how deep the tail fin is cut in.
        fin: height of the fins above and below; 0 for none.
        stripes: light stripes across its side.
    """
    length, height, tail, fork, fin = (size * each for each in (length, height, tail, fork, fin))
    x0, y0 = at

    def half(part: float) -> float:
        return height / 2 * sin(pi * part**belly * 0.93) ** 0.75 if part else 0.0

    parts = [0, 0.06, 0.16, 0.3, 0.45, 0.6, 0.75, 0.88, 1]
    body = [(x0 + length * part, y0 - half(part)) for part in parts]
    body += [(x0 + length * part, y0 + half(part)) for part in reversed(parts[1:])]
    root, end = x0 + length * 0.94, x0 + length + tail
    reach = max(height * 0.52, tail * 0.62)
    shape = smooth(body) + smooth(
        [
            (root, y0),
            (end - tail * 0.45, y0 - reach * 0.7),
            (end, y0 - reach),
            (end - fork, y0),
            (end, y0 + reach),
            (end - tail * 0.45, y0 + reach * 0.7),
        ]
    )
    if fin:
        crest, keel = half(0.42), half(0.6)
        shape += smooth(
            [
                (x0 + length * 0.3, y0 - crest * 0.8),
                (x0 + length * 0.46, y0 - crest - fin),
                (x0 + length * 0.62, y0 - crest - fin * 0.55),
                (x0 + length * 0.74, y0 - crest * 0.6),
            ]
        )
        shape += smooth(
            [
                (x0 + length * 0.45, y0 + keel * 0.8),
                (x0 + length * 0.62, y0 + keel + fin * 0.8),
                (x0 + length * 0.7, y0 + keel * 0.6),
            ]
        )
    for index in range(stripes):
        part = 0.38 + 0.44 * index / max(stripes, 2)
        high = half(part) * 0.72
        x = x0 + length * part
        shape += stroke([(x, y0 - high), (x + size, y0), (x, y0 + high)], 1.3 * size, hole=True)
    return shape + ellipse((x0 + length * 0.13, y0 - height * 0.1), max(0.55, 1.15 * size), hole=True)


def eel() -> str:
    """A long curve."""
    line = [(4, 20), (8, 14.5), (14, 12), (20, 14), (26, 18.5), (32, 20), (38, 16.5), (42, 11), (45, 7)]
    return stroke(line, 6.4, 0.8) + ellipse((8.2, 15.6), 1.1, hole=True)


def shark() -> str:
    """A long body with the fin that everybody knows."""
    body = fish(length=36, height=11, belly=0.72, tail=8, fork=5, fin=0)
    return (
        body
        + polygon((16, 11.5), (24.5, 2.5), (25.5, 12))
        + polygon((15, 19.5), (21, 28), (21.5, 20))
        + "".join(stroke([(x, 13.5), (x - 0.7, 16), (x, 18.5)], 0.8, hole=True) for x in (11.5, 13.5, 15.5))
    )


def flounder() -> str:
    """A flat fish from above, fringed all round, both eyes on one side."""
    fringe = smooth([(5, 16), (13, 6), (24, 4), (35, 9), (39, 16), (35, 23), (24, 28), (13, 26)])
    tail = smooth([(37, 16), (42, 10.5), (46, 9.5), (45, 16), (46, 22.5), (42, 21.5)])
    eyes = ellipse((10.5, 14), 1.3, hole=True) + ellipse((12, 18.4), 1.3, hole=True)
    spots = "".join(ellipse(spot, 1, hole=True) for spot in ((21, 10.5), (28, 12.5), (22, 21), (30, 20)))
    return fringe + tail + eyes + spots + stroke([(17, 16), (26, 15.6), (36, 16)], 0.9, hole=True)


def swordfish() -> str:
    """A fish with a sword."""
    return fish(at=(12, MIDDLE), length=26, height=10, tail=8, fork=6, fin=5) + stroke(
        [(1, 15.4), (8, 15.7), (16, 16)], 0.7, 2.4
    )


def pufferfish() -> str:
    """A ball with spikes."""
    tail = smooth([(34, 16), (40, 11), (42, 16), (40, 21)])
    return star((22, 16), 15, 10.6, 13) + tail + ellipse((15.5, 13), 1.6, hole=True)


def school() -> str:
    """Small fish together."""
    places: tuple[Point, ...] = ((3, 9), (19, 6), (12, 17), (29, 15), (5, 25.5), (22, 25))
    return "".join(fish(size=0.4, at=place, fin=0) for place in places)


def orca() -> str:
    """Black, with a white patch behind the eye."""
    body = fish(length=35, height=14, belly=0.75, tail=8, fork=4, fin=0)
    patch = ellipse((12, 13.2), 2.6, 1.3, hole=True) + smooth([(10, 20.5), (18, 19), (26, 21.5), (18, 22)], hole=True)
    return body + smooth([(19, 10), (23, 1.5), (26, 1), (26.5, 10.5)]) + polygon((16, 21), (20, 29), (24, 21)) + patch


def octopus() -> str:
    """A head and arms."""
    arms = "".join(
        stroke(
            [(24 + side * x, 17), (24 + side * (x + 3), 23), (24 + side * (x + 1.5), 27), (24 + side * (x + 6), 29.5)],
            3,
            1,
        )
        for side in (-1, 1)
        for x in (1.5, 5, 9)
    )
    eyes = ellipse((20.6, 13), 1.4, hole=True) + ellipse((27.4, 13), 1.4, hole=True)
    return smooth([(14, 15), (15, 7), (24, 2), (33, 7), (34, 15), (31, 20), (24, 21.5), (17, 20)]) + arms + eyes


def squid() -> str:
    """A pointed mantle and arms."""
    arms = "".join(
        stroke([(19, y), (10, y + bend), (3, y + bend / 3)], 2, 0.6)
        for y, bend in ((12, -3), (14.6, -1), (17.4, 1), (20, 3))
    )
    mantle = smooth([(17, 16), (19, 11), (30, 10), (40, 15), (42, 16), (40, 17), (30, 22), (19, 21)])
    return mantle + polygon((33, 15), (40, 6), (46, 16), (40, 26), (33, 17)) + arms + ellipse((21, 14), 1.3, hole=True)


def seahorse() -> str:
    """Upright, with a curled tail."""
    back = [(16, 8), (22, 5), (27, 8), (26, 14), (28, 19), (25, 24), (20, 27), (17, 25), (18.5, 22.5)]
    snout = stroke([(21, 8), (15, 9.5), (11, 10)], 3.2, 1.8)
    return (
        stroke(back, 6.5, 1.6)
        + snout
        + polygon((28, 13), (34, 11), (33, 19), (28, 19))
        + ellipse((20, 7), 1.1, hole=True)
    )


def crab() -> str:
    """From above, claws raised."""
    legs = "".join(
        stroke([(24 + side * 9, y), (24 + side * 16, y + 1), (24 + side * 19, y + 5)], 1.9, 0.9)
        for side in (-1, 1)
        for y in (18, 21, 23.5)
    )
    claws = "".join(
        stroke([(24 + side * 9, 15), (24 + side * 15, 12), (24 + side * 15.5, 8)], 2.2)
        + stroke(arc((24 + side * 15.5, 6), 4.2, 0.45, 2.05), 2.6, 0.8)
        for side in (-1, 1)
    )
    eyes = ellipse((20.5, 15.5), 1.2, hole=True) + ellipse((27.5, 15.5), 1.2, hole=True)
    return (
        smooth([(12, 19), (16, 13), (24, 11), (32, 13), (36, 19), (31, 25.5), (24, 27), (17, 25.5)])
        + legs
        + claws
        + eyes
    )


def _armoured(*, claws: bool) -> str:
    """A body in rings with a fan at its end, seen from the side."""
    back = [(12, 14), (19, 11), (27, 12), (33, 16), (35, 22), (32, 27)]
    rings = "".join(
        stroke([(x, y), (x - 2, y + 4), (x - 2.5, y + 7)], 0.8, hole=True)
        for x, y in ((22, 8), (27, 9.5), (31.5, 12.5))
    )
    fan = smooth([(34, 24), (29, 24), (24, 28), (27, 31), (33, 30)])
    legs = "".join(stroke([(x, 16), (x - 1, 21), (x - 3.5, 24)], 1.3, 0.7) for x in (16, 20, 24))
    feelers = stroke([(13, 12), (7, 8), (2, 3)], 1, 0.5) + stroke([(13, 13), (6, 11), (1, 8.5)], 1, 0.5)
    shape = stroke(back, 8.5, 4) + rings + fan + legs + feelers + ellipse((13, 12.6), 1.1, hole=True)
    if claws:
        shape += stroke([(13, 17), (9, 20), (8, 22)], 2.2) + stroke(arc((6, 25), 3.8, -0.35, 1.3), 3.2, 1)
    return shape


def shrimp() -> str:
    """Curled, without claws."""
    return _armoured(claws=False)


def crawfish() -> str:
    """Curled, with a claw."""
    return _armoured(claws=True)


def lobster() -> str:
    """From above, with two great claws."""
    claws = "".join(
        stroke([(24, 16 + side * 3), (17, 16 + side * 7), (13, 16 + side * 8)], 2.4)
        + smooth(
            [
                (14, 16 + side * 6),
                (8, 16 + side * 5),
                (2, 16 + side * 8),
                (5, 16 + side * 9.2),
                (2, 16 + side * 12.5),
                (10, 16 + side * 12.4),
            ]
        )
        for side in (-1, 1)
    )
    rings = "".join(stroke([(x, 11.6), (x + 1, 16), (x, 20.4)], 0.9, hole=True) for x in (28, 32, 36))
    tail = smooth([(38, 16), (42, 10), (46.5, 10), (45.5, 16), (46.5, 22), (42, 22)])
    legs = "".join(stroke([(24 + x, 16), (25 + x, 16 + side * 9)], 1.2, 0.7) for side in (-1, 1) for x in (0, 3, 6))
    eyes = ellipse((18.5, 14.4), 0.9, hole=True) + ellipse((18.5, 17.6), 0.9, hole=True)
    return (
        smooth([(15, 16), (20, 11.6), (30, 11), (40, 13.6), (40, 18.4), (30, 21), (20, 20.4)])
        + rings
        + tail
        + claws
        + legs
        + eyes
    )
