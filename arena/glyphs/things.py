"""Things that lie about on a quay."""

from arena.glyphs.shapes import arc, box, ellipse, polygon, smooth, star, stroke


def can() -> str:
    """A tin with a lid and a label."""
    wall = smooth([(10, 7), (10, 16), (10, 25), (17, 28.6), (24, 29.2), (31, 28.6), (38, 25), (38, 16), (38, 7)])
    lid = ellipse((24, 7), 14, 4.4) + ellipse((24, 7), 11, 2.9, hole=True) + ellipse((24, 6.6), 4, 1.2)
    return wall + lid + stroke([(11, 14), (17, 16.6), (24, 17.2), (31, 16.6), (37, 14)], 1.2, hole=True)


def hourglass() -> str:
    """An hourglass, half run down."""
    sand = polygon((18, 8), (30, 8), (25, 14), (23, 14), hole=True) + polygon(
        (24, 19), (29.5, 25), (18.5, 25), hole=True
    )
    glass = polygon((13, 5.5), (35, 5.5), (26, 16), (35, 26.5), (13, 26.5), (22, 16))
    return box((11, 2), 26, 3.5) + box((11, 26.5), 26, 3.5) + glass + sand


def sign() -> str:
    """A board with a cross."""
    cross = polygon((19, 7), (24, 11.5), (29, 7), (31, 9), (26.4, 13.5), (31, 18), (29, 20), (24, 15.5), hole=True)
    other = polygon((24, 15.5), (19, 20), (17, 18), (21.6, 13.5), (17, 9), (19, 7), (24, 11.5), hole=True)
    return box((9, 3), 30, 21) + box((22.4, 24), 3.2, 7) + cross + other


def thief() -> str:
    """A hat, a mask and whiskers."""
    face = smooth([(12, 17), (13, 11), (24, 8), (35, 11), (36, 17), (33, 25), (24, 30), (15, 25)])
    ears = polygon((12, 15), (11, 3), (20, 9)) + polygon((36, 15), (37, 3), (28, 9))
    mask = smooth(
        [
            (14, 15),
            (19, 13.4),
            (24, 15),
            (29, 13.4),
            (34, 15),
            (32, 19.4),
            (26, 18.8),
            (24, 17.6),
            (22, 18.8),
            (16, 19.4),
        ],
        hole=True,
    )
    eyes = ellipse((19.2, 16.5), 1.5) + ellipse((28.8, 16.5), 1.5)
    whiskers = "".join(
        stroke([(24 + side * 9, y), (24 + side * 20, y + bend)], 0.9, 0.5)
        for side in (-1, 1)
        for y, bend in ((22, -1.5), (24, 1))
    )
    return face + ears + mask + eyes + whiskers + polygon((22.4, 22), (25.6, 22), (24, 24), hole=True)


def hook() -> str:
    """A hook with eye and barb."""
    shank = [(30, 7), (30, 18), *arc((23.5, 20), 6.5, 0, 1, 7), (16.6, 15)]
    return (
        ellipse((30, 4.4), 3.4)
        + ellipse((30, 4.4), 1.5, hole=True)
        + stroke(shank, 3, 2.2)
        + polygon((13.4, 17), (17, 10), (22, 18.6))
    )


def calendar() -> str:
    """A leaf of a calendar."""
    days = "".join(
        box((14.5 + 6.4 * column, 14 + 5.6 * row), 3.6, 3, hole=True) for row in range(3) for column in range(3)
    )
    return box((10, 5), 28, 25) + box((12, 10.6), 24, 1, hole=True) + box((15, 2), 3, 6) + box((30, 2), 3, 6) + days


def fisherman() -> str:
    """A hat with a brim, a beard and a pipe."""
    hat = smooth([(13, 10), (15, 3.5), (24, 2), (33, 3.5), (35, 10)]) + smooth(
        [(7, 11.5), (24, 9), (41, 11.5), (24, 13.5)]
    )
    face = smooth([(14, 13), (24, 14), (34, 13), (35, 21), (31, 28), (24, 30.5), (17, 28), (13, 21)])
    eyes = ellipse((20, 16.8), 1.2, hole=True) + ellipse((28, 16.8), 1.2, hole=True)
    mouth = stroke([(20, 23.4), (24, 24.6), (28, 23.4)], 1.5, hole=True)
    return hat + face + eyes + mouth + stroke([(28, 23.6), (34, 24.6), (38, 22)], 1.5) + box((36, 17.6), 5, 5)


def flakes() -> str:
    """A worm for the fish to eat."""
    return stroke([(6, 21), (10, 14), (16, 12), (20, 18), (25, 22), (30, 17), (34, 11), (40, 12), (43, 17)], 5, 3)


def net() -> str:
    """A hand net."""
    ring = ellipse((16, 11), 13, 6.6) + ellipse((16, 11), 11, 4.9, hole=True)
    bag = smooth([(3, 12), (6, 24), (16, 29.6), (26, 24), (29, 12), (22, 16.4), (10, 16.4)])
    mesh = "".join(
        stroke([(x, 16), (x + bend, 29)], 0.9, hole=True) for x, bend in ((8, 4), (13, 1.5), (19, -1.5), (24, -4))
    )
    across = stroke([(5, 19), (16, 22), (27, 19)], 0.9, hole=True) + stroke(
        [(8, 24), (16, 26.4), (24, 24)], 0.9, hole=True
    )
    return ring + bag + mesh + across + stroke([(28, 10), (37, 6), (46, 2)], 2.6)


def chest() -> str:
    """A chest with a lock."""
    lid = smooth([(8, 14), (9, 7), (16, 4), (32, 4), (39, 7), (40, 14), (24, 14)])
    lock = (
        ellipse((24, 16.6), 3.2, hole=True)
        + ellipse((24, 16.2), 1.1)
        + polygon((23.4, 16.6), (24.6, 16.6), (25, 19), (23, 19))
    )
    return lid + box((8, 15.4), 32, 13) + lock + "".join(box((x, 15.4), 1, 13, hole=True) for x in (13.5, 33.5))


def stun() -> str:
    """A flash."""
    return (
        polygon((27, 1), (12, 18), (22, 18), (18, 31), (36, 12), (25.4, 12.4))
        + star((9, 8), 4, 1.6, 4)
        + star((40, 23), 4, 1.6, 4)
    )


def swim() -> str:
    """Waves, and an arrow out of them."""
    waves = "".join(
        stroke([(4, y), (11, y - 4), (18, y), (25, y + 4), (32, y), (39, y - 4), (45, y)], 2.6) for y in (21, 28)
    )
    return waves + stroke([(8, 12), (20, 10), (33, 8)], 3) + polygon((31, 1.5), (44, 6.6), (33.6, 15))


def switch() -> str:
    """Two arrows, to and fro."""
    there = stroke([(6, 13), (16, 6.5), (30, 8)], 3.6) + polygon((28, 1), (42, 8.4), (29, 15))
    back = stroke([(42, 19), (32, 25.5), (18, 24)], 3.6) + polygon((20, 31), (6, 23.6), (19, 17))
    return there + back


def lifebuoy() -> str:
    """A ring with four bands."""
    ring = ellipse((24, 16), 14) + ellipse((24, 16), 6.4, hole=True)
    bands = polygon((22, 2.6), (26, 2.6), (25.4, 9.4), (22.6, 9.4), hole=True)
    bands += polygon((22, 29.4), (26, 29.4), (25.4, 22.6), (22.6, 22.6), hole=True)
    bands += polygon((10.6, 14), (17.4, 14.6), (17.4, 17.4), (10.6, 18), hole=True)
    return ring + bands + polygon((37.4, 14), (30.6, 14.6), (30.6, 17.4), (37.4, 18), hole=True)


def die(sides: int = 6) -> str:
    """A die of 6, 12 or 20 sides, seen from above."""
    if sides == 6:  # noqa: PLR2004 - the usual one
        dots = "".join(
            ellipse((24 + x, 16 + y), 1.7, hole=True)
            for x, y in ((-5.5, -5.5), (5.5, -5.5), (0, 0), (-5.5, 5.5), (5.5, 5.5))
        )
        return smooth([(12, 3.4), (24, 3), (36, 3.4), (37, 16), (36, 28.6), (24, 29), (12, 28.6), (11, 16)]) + dots
    if sides == 12:  # noqa: PLR2004 - five corners on the face in front
        front = arc((24, 16.4), 8, -0.5, 1.5, 6)[:-1]
        return polygon(*arc((24, 16), 14.6, -0.5, 1.5, 11)[:-1]) + polygon(*front, hole=True)
    front = arc((24, 16.8), 9.4, -0.5, 1.5, 4)[:-1]
    return polygon(*arc((24, 16), 14.6, -0.5, 1.5, 7)[:-1]) + polygon(*front, hole=True)


def plus() -> str:
    """A cross: more."""
    return polygon(
        *((20, 4), (28, 4), (28, 12), (36, 12), (36, 20), (28, 20)),
        *((28, 28), (20, 28), (20, 20), (12, 20), (12, 12), (20, 12)),
    )


def dial() -> str:
    """Up or down by one."""
    return polygon((24, 1.5), (34, 12), (14, 12)) + polygon((24, 30.5), (34, 20), (14, 20)) + box((12, 14.6), 24, 2.8)


def request() -> str:
    """A slip of paper with lines."""
    lines = "".join(box((16, y), width, 1.8, hole=True) for y, width in ((8.6, 16), (13.6, 16), (18.6, 11)))
    return polygon((12, 2), (36, 2), (36, 24), (30, 30), (12, 30)) + lines


def complaint() -> str:
    """A slip of paper with a mark of anger."""
    mark = polygon((22, 7), (26, 7), (25.2, 18), (22.8, 18), hole=True) + ellipse((24, 22.4), 2, hole=True)
    return polygon((12, 2), (36, 2), (36, 24), (30, 30), (12, 30)) + mark
