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


class Area:
    """What is within the convex hull of points that are, or begin with, (x, y): made once, asked often."""

    def __init__(self, points: Iterable[Sequence[float]]) -> None:
        corners = hull(points)
        self._sides = [(a[0], a[1], b[0] - a[0], b[1] - a[1], max((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2, 1e-12))
                       for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]

    def nearest(self, point: Point) -> Point:
        """The point of the area that is nearest to ``point``."""
        x, y = point
        for ax, ay, dx, dy, _ in self._sides:
            if dx * (y - ay) - dy * (x - ax) < 0.0:
                break
        else:
            return point
        best, bx, by = float("inf"), x, y
        for ax, ay, dx, dy, square in self._sides:
            along = ((x - ax) * dx + (y - ay) * dy) / square
            along = 0.0 if along < 0.0 else 1.0 if along > 1.0 else along
            px, py = ax + along * dx, ay + along * dy
            away = (x - px) ** 2 + (y - py) ** 2
            if away < best:
                best, bx, by = away, px, py
        return bx, by
