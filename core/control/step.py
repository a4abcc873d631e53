"""A step that catches a body: where the foot goes, and on which way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..arrays import Vector
from ..footholds import bowed
from ..hull import Area, Point

SEEN_S = 0.004  # s to both sides of a moment, from which the foot's velocity and acceleration are taken
SEARCH_M_S = 1.0  # m/s at which a foot that is late goes on down, until it finds the ground


@dataclass
class Swing:
    """A foot on its way from ``origin`` to ``goal`` (m, of the ankle).

    Attributes:
        foot: 0 left, 1 right. begin, seconds: s. lift: m. yaws: rad, of the foot before and after.
        bow: m along x and y by which its way curves around the other foot.
    """

    foot: int
    begin: float
    seconds: float
    origin: Vector
    goal: Vector
    lift: float
    yaws: tuple[float, float]
    bow: tuple[float, float] = (0.0, 0.0)

    @property
    def end(self) -> float:
        return self.begin + self.seconds

    def fraction(self, time: float) -> float:
        """How much of the step's time is over, from 0 to 1."""
        return min(max((time - self.begin) / self.seconds, 0.0), 1.0)

    def avoid(self, other: Vector, yaw: float, bow: float) -> None:
        """Where the way leads across the other foot, go around it, by ``bow`` m ahead of it or behind. ``yaw``: rad, where the body faces."""
        self.bow = bowed(self.foot, self.origin[:2], self.goal[:2], other[:2], yaw, bow)

    def at(self, time: float) -> tuple[Vector, Vector, Vector]:
        """Where the ankle is to be (m), its velocity (m/s) and its acceleration (m/s²)."""
        (ax, ay, az), now, (cx, cy, cz) = (self._place(time + step) for step in (-SEEN_S, 0.0, SEEN_S))
        x, y, z = now
        twice, square = 2.0 * SEEN_S, SEEN_S**2
        return (now, ((cx - ax) / twice, (cy - ay) / twice, (cz - az) / twice),
                ((ax - 2.0 * x + cx) / square, (ay - 2.0 * y + cy) / square, (az - 2.0 * z + cz) / square))

    def _place(self, time: float) -> Vector:
        fraction = (time - self.begin) / self.seconds
        late = SEARCH_M_S * max(0.0, fraction - 1.0) * self.seconds
        fraction = min(max(fraction, 0.0), 1.0)
        even = fraction**3 * (10.0 - 15.0 * fraction + 6.0 * fraction * fraction)
        arc = 16.0 * fraction * fraction * (1.0 - fraction) ** 2
        (x, y, z), (gx, gy, gz) = self.origin, self.goal
        return (x + even * (gx - x) + arc * self.bow[0], y + even * (gy - y) + arc * self.bow[1], z + even * (gz - z) + arc * self.lift - late)

    def yaw(self, time: float) -> float:
        """rad, of the foot."""
        fraction = self.fraction(time)
        return self.yaws[0] + fraction * (self.yaws[1] - self.yaws[0])


def nearest(points: Sequence[Sequence[float]], point: Point) -> Point:
    """The point nearest to ``point`` in the convex hull of ``points``, which are, or begin with, (x, y)."""
    return Area(points).nearest(point)
