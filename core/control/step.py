"""A step that catches a body: where the foot goes, and on which way."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

from ..hull import Point, hull, turn

Place = tuple[float, float, float]
SEEN_S = 0.004  # s, over which the way's speed and acceleration are seen


@dataclass
class Swing:
    """A foot on its way from ``origin`` to ``goal`` (m, of the ankle).

    Attributes:
        foot: 0 left, 1 right. begin, seconds: s. lift: m. yaws: rad, of the foot before and after.
        bow: m along x and y, that it goes around the other foot.
    """

    foot: int
    begin: float
    seconds: float
    origin: Place
    goal: Place
    lift: float
    yaws: tuple[float, float]
    bow: tuple[float, float] = (0.0, 0.0)

    @property
    def end(self) -> float:
        return self.begin + self.seconds

    def part(self, time: float) -> float:
        """How much of the way is done, from 0 to 1."""
        return min(max((time - self.begin) / self.seconds, 0.0), 1.0)

    def avoid(self, other: Place, yaw: float, bow: float) -> None:
        """Go around the other foot, by ``bow`` m ahead of it or behind, where the way leads across. ``yaw``: rad, where the body faces."""
        c, s, side = cos(yaw), sin(yaw), 1.0 if self.foot == 0 else -1.0
        start, end = (side * ((y - other[1]) * c - (x - other[0]) * s) for x, y, _ in (self.origin, self.goal))
        if end < 0.0 < start:
            ahead = (self.goal[0] - other[0]) * c + (self.goal[1] - other[1]) * s
            bow = bow if ahead >= 0.0 else -bow
            self.bow = (c * bow, s * bow)

    def at(self, time: float) -> tuple[Place, Place, Place]:
        """Where the ankle is to be, m, how fast, m/s, and how that changes, m/s²."""
        before, now, after = (self._place(time + step) for step in (-SEEN_S, 0.0, SEEN_S))
        return (now, tuple((c - a) / (2.0 * SEEN_S) for a, c in zip(before, after)),
                tuple((a - 2.0 * b + c) / SEEN_S**2 for a, b, c in zip(before, now, after)))

    def _place(self, time: float) -> Place:
        part = (time - self.begin) / self.seconds
        late = max(0.0, part - 1.0) * self.seconds  # s: it goes on down, at 1 m/s, until it finds the ground
        part = min(max(part, 0.0), 1.0)
        even, arc = part**3 * (10.0 - 15.0 * part + 6.0 * part * part), 16.0 * part * part * (1.0 - part) ** 2
        (x, y, z), (gx, gy, gz) = self.origin, self.goal
        return (x + even * (gx - x) + arc * self.bow[0], y + even * (gy - y) + arc * self.bow[1], z + even * (gz - z) + arc * self.lift - late)

    def yaw(self, time: float) -> float:
        """rad, of the foot."""
        part = self.part(time)
        return self.yaws[0] + part * (self.yaws[1] - self.yaws[0])


def nearest(points: list, point: Point) -> Point:
    """The point nearest to ``point`` of what lies between some points that are, or begin with, (x, y)."""
    (x, y), corners = point, hull(points)
    best, inside = (float("inf"), x, y), True
    for a, b in zip(corners, corners[1:] + corners[:1]):
        (ax, ay), dx, dy = a, b[0] - a[0], b[1] - a[1]
        inside = inside and turn(a, b, point) >= 0.0
        part = min(max(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-12), 0.0), 1.0)
        px, py = ax + part * dx, ay + part * dy
        best = min(best, ((x - px) ** 2 + (y - py) ** 2, px, py))
    return point if inside else best[1:]
