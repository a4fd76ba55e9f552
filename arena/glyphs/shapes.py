"""The pieces that silhouettes are put together of: each is a closed outline as SVG path data."""

from collections.abc import Sequence
from math import atan2, cos, pi, sin
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _at(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _wound(points: Sequence[Point], *, hole: bool) -> list[Point]:
    """The points in the direction that fills, or that cuts a hole."""
    following = [*points[1:], points[0]]
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, following, strict=True))
    return list(points) if (area > 0) != hole else list(reversed(points))


def polygon(*points: Point, hole: bool = False) -> str:
    """Straight lines from point to point."""
    return "M" + "L".join(map(_at, _wound(points, hole=hole))) + "Z"


def smooth(points: Sequence[Point], *, hole: bool = False) -> str:
    """A closed curve through the points: a Catmull-Rom spline, written as Bezier curves."""
    ring = _wound(points, hole=hole)
    parts = [f"M{_at(ring[0])}"]
    for index, here in enumerate(ring):
        before, there, after = ring[index - 1], ring[(index + 1) % len(ring)], ring[(index + 2) % len(ring)]
        first = (here[0] + (there[0] - before[0]) / 6, here[1] + (there[1] - before[1]) / 6)
        second = (there[0] - (after[0] - here[0]) / 6, there[1] - (after[1] - here[1]) / 6)
        parts.append(f"C{_at(first)} {_at(second)} {_at(there)}")
    return "".join(parts) + "Z"


def ellipse(centre: Point, across: float, down: float = 0, *, hole: bool = False) -> str:
    """An ellipse by its half axes; a circle if only one is given."""
    down = down or across
    sweep = 0 if hole else 1
    arc = f"a{_number(across)} {_number(down)} 0 1 {sweep}"
    return f"M{_at((centre[0] - across, centre[1]))}{arc} {_number(2 * across)} 0{arc} {_number(-2 * across)} 0Z"


def box(corner: Point, width: float, height: float, *, hole: bool = False) -> str:
    """A rectangle by its upper left corner."""
    x, y = corner
    return polygon((x, y), (x + width, y), (x + width, y + height), (x, y + height), hole=hole)


def stroke(points: Sequence[Point], width: float, end: float | None = None, *, hole: bool = False) -> str:
    """A line of some width with a bend at every point; it may narrow to another width at its end."""
    sides: tuple[list[Point], list[Point]] = ([], [])
    for index, (x, y) in enumerate(points):
        here, there = points[max(index - 1, 0)], points[min(index + 1, len(points) - 1)]
        way = atan2(there[1] - here[1], there[0] - here[0])
        half = (width + ((width if end is None else end) - width) * index / (len(points) - 1)) / 2
        sides[0].append((x - half * sin(way), y + half * cos(way)))
        sides[1].append((x + half * sin(way), y - half * cos(way)))
    return smooth([*sides[0], *reversed(sides[1])], hole=hole)


def arc(centre: Point, radius: float, start: float, end: float, points: int = 9) -> list[Point]:
    """Points on a circle from one angle to another, in half turns from the right and downwards."""
    angles = [pi * (start + (end - start) * index / (points - 1)) for index in range(points)]
    return [(centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)) for angle in angles]


def star(centre: Point, outer: float, inner: float, points: int, *, hole: bool = False) -> str:
    """A star, or a ball with spikes."""
    turns = [-0.5 + index / points for index in range(2 * points)]
    rays = [(outer, inner)[index % 2] for index in range(2 * points)]
    corners = [(centre[0] + r * cos(pi * t), centre[1] + r * sin(pi * t)) for t, r in zip(turns, rays, strict=True)]
    return polygon(*corners, hole=hole)
