"""Footing: which forces the ground can put on the feet, and how a wanted force and moment is brought within that.

Plain floats: there are two feet with six corners each, and this runs at every step.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Vector
from ..body import Body
from ..dynamics import Pose

NEAR = 0.012  # m: sole corners no higher than this over the ground can carry
SHRINK = 0.85  # fraction of the length and width of the area that touches in which the ground can press: at the edge itself a foot tips over
GRIP = 0.7  # horizontal force over vertical force, at most
TWIST = 0.03  # m, moment about the vertical over vertical force, at most
MOST_WEIGHT = 3.5  # body weights on the feet, at most

Sole = list[Vector]  # its corners, m, world
Area = tuple[float, float, float, float, float, float]  # a rectangle: centre x, y, direction x, y, half length, half width
GroundForce = tuple[int, Vector, Vector, Vector]  # link, point, force, moment


class Footing:
    """The soles of a body on the ground."""

    def __init__(self, body: Body, friction: float):
        order = [[i for i, link in enumerate(body.sole_links) if body.names[link].endswith(side)] for side in "LR"]
        self._split = len(order[0])
        self._links = body.sole_links[order[0] + order[1]]
        self._points = body.sole_points[order[0] + order[1]][:, :, None]
        self._feet = [body.names.index(f"foot.{side}") for side in "LR"]
        self._toes = [body.names.index(f"toes.{side}") for side in "LR"]
        self._weight = 9.81 * body.mass
        self._grip = min(GRIP, 0.9 * friction)

    def soles(self, pose: Pose) -> tuple[Sole, Sole]:
        """The corners of the left and of the right sole."""
        corners = (pose.origins.take(self._links, 0) + (pose.frames.take(self._links, 0) @ self._points)[:, :, 0]).tolist()
        return corners[:self._split], corners[self._split:]

    def plan(self, pose: Pose, soles: tuple[Sole, Sole], grounds: Sequence[float], slope: tuple[float, float], shares: Sequence[float],
             force: Vector, moment: Vector) -> tuple[Vector, Vector, list[GroundForce]]:
        """The nearest that the feet can do to ``force`` N with ``moment`` N·m about the centre of mass.

        Args:
            grounds: m, height of the ground under each ankle. slope: rise of the ground along x and y.
            shares: the largest share of the weight that each foot may take.
        Returns:
            force, moment about the centre of mass, and the loads on the feet.
        """
        loads = [(foot, area, shares[foot]) for foot in (0, 1)
                 if shares[foot] > 0.0 and (area := self._area(pose, foot, soles[foot], grounds[foot], slope))]
        up = min(max(force[2], 0.0), MOST_WEIGHT * self._weight)
        if not loads or up < 1.0:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), []
        cx, cy, cz = pose.com.tolist()
        height = cz - sum(grounds[foot] for foot, _, _ in loads) / len(loads)
        # Where on the ground the force must act so that its moment about the centre of mass is the wanted one.
        placed = _spread(loads, cx - (height * force[0] + moment[1]) / up, cy + (moment[0] - height * force[1]) / up)
        x = sum(share * px for _, share, px, _ in placed)
        y = sum(share * py for _, share, _, py in placed)
        # The moment is kept, the push along the ground gives way: a body that spins cannot be caught by the next step.
        fx, fy = ((cx - x) * up - moment[1]) / height, ((cy - y) * up + moment[0]) / height
        most, size = self._grip * up, (fx * fx + fy * fy) ** 0.5
        if size > most:
            fx, fy = fx * most / size, fy * most / size
        twist = moment[2] - ((x - cx) * fy - (y - cy) * fx)
        twist = min(max(twist, -TWIST * up), TWIST * up)
        feet = [(self._link(pose, foot, px, py), (px, py, grounds[foot]), (share * fx, share * fy, share * up), (0.0, 0.0, share * twist))
                for foot, share, px, py in placed]
        about = ((y - cy) * up + height * fy, -height * fx - (x - cx) * up, (x - cx) * fy - (y - cy) * fx + twist)
        return (fx, fy, up), about, feet

    def _area(self, pose: Pose, foot: int, corners: Sole, ground: float, slope: tuple[float, float]) -> Area | None:
        """The rectangle along a foot that can carry; None in the air."""
        top = ground + NEAR
        forward = pose.frames[self._feet[foot]]
        c, s = float(forward[0, 0]), float(forward[1, 0])
        size = (c * c + s * s) ** 0.5 or 1.0
        c, s = c / size, s / size
        if slope != (0.0, 0.0):
            ankle_x, ankle_y, _ = pose.origins[self._feet[foot]].tolist()
            corners = [(x, y, z - slope[0] * (x - ankle_x) - slope[1] * (y - ankle_y)) for x, y, z in corners]
        along = [x * c + y * s for x, y, z in corners if z < top]
        if not along:
            return None
        across = [y * c - x * s for x, y, z in corners if z < top]
        a0, a1, b0, b1 = min(along), max(along), min(across), max(across)
        a, b = 0.5 * (a0 + a1), 0.5 * (b0 + b1)
        return (a * c - b * s, a * s + b * c, c, s, 0.5 * SHRINK * (a1 - a0), 0.5 * SHRINK * (b1 - b0))

    def _link(self, pose: Pose, foot: int, x: float, y: float) -> int:
        """What takes a load at (x, y): the toes if it lies ahead of their joint, else the foot."""
        forward, joint = pose.frames[self._feet[foot]], pose.origins[self._toes[foot]]
        ahead = (x - joint[0]) * forward[0, 0] + (y - joint[1]) * forward[1, 0]
        return self._toes[foot] if ahead > 0.0 else self._feet[foot]


def _spread(loads: list[tuple[int, Area, float]], x: float, y: float) -> list[tuple[int, float, float, float]]:
    """Where each foot is loaded: (foot, share of the load, x, y), so that the centre of pressure is as near to (x, y) as it gets.

    ``loads``: the feet that can carry, with their areas and the largest share of each."""
    if len(loads) == 1:
        foot, area, _ = loads[0]
        return [(foot, 1.0, *_within(area, x, y))]
    (one, a, most_one), (other, b, most_other) = loads
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    share = ((x - a[0]) * dx + (y - a[1]) * dy) / length if length > 1e-6 else 0.5
    share = min(max(share, 0.0, 1.0 - most_one), 1.0, most_other)
    ex, ey = x - a[0] - share * dx, y - a[1] - share * dy
    return [(one, 1.0 - share, *_within(a, a[0] + ex, a[1] + ey)), (other, share, *_within(b, b[0] + ex, b[1] + ey))]


def _within(area: Area, x: float, y: float) -> tuple[float, float]:
    """The point of the rectangle nearest to (x, y)."""
    cx, cy, c, s, length, width = area
    along = min(max((x - cx) * c + (y - cy) * s, -length), length)
    across = min(max((y - cy) * c - (x - cx) * s, -width), width)
    return cx + along * c - across * s, cy + along * s + across * c
