"""The convex hull of points on the ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Point = tuple[float, float]


def hull(points: Iterable[Sequence[float]]) -> list[Point]:
    """Corners, counter-clockwise, of the convex hull of points that are, or begin with, (x, y); fewer than 3 where the points are in line."""
    ordered = sorted({(point[0], point[1]) for point in points})
    return ordered if len(ordered) < 3 else _half(ordered) + _half(ordered[::-1])


def _half(ordered: list[Point]) -> list[Point]:
    """One side of the hull of points in order of x, without its last point (Andrew's monotone chain)."""
    side: list[Point] = []
    for point in ordered:
        while len(side) > 1 and turn(side[-2], side[-1], point) <= 0:
            side.pop()
        side.append(point)
    return side[:-1]


def turn(a: Point, b: Point, c: Point) -> float:
    """Positive where a → b → c turns to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
