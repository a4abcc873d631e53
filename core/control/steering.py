"""Where to face and how fast to go: curves over time, or a path on the ground."""

from __future__ import annotations

from math import atan2, hypot

LOOK_AHEAD = 0.8  # metres ahead on the path that the walker faces
STEER = 1.2  # rad per metre off the path
MOST_STEER = 0.4  # rad


def curve_value(points: list[tuple[float, float]], time: float) -> float:
    """Piecewise linear, held at both ends."""
    if time <= points[0][0]:
        return points[0][1]
    for (t0, v0), (t1, v1) in zip(points, points[1:]):
        if time < t1:
            return v0 + (v1 - v0) * (time - t0) / (t1 - t0)
    return points[-1][1]


class PathFollower:
    """Pure pursuit: face the point a little ahead of the nearest one on a polyline, never going back along it."""

    def __init__(self, points: list[tuple[float, float]], look_ahead: float = LOOK_AHEAD, steer: float = STEER):
        """``look_ahead``: m ahead on the path that the walker faces. ``steer``: rad per metre off the path."""
        self._look_ahead, self._steer = look_ahead, steer
        # A point given twice has no direction; a path of one place only leads on along x.
        points = [point for n, point in enumerate(points) if n == 0 or tuple(point) != tuple(points[n - 1])]
        if len(points) == 1:
            points.append((points[0][0] + 1e-3, points[0][1]))
        self._points = points
        self._lengths = [hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in zip(points, points[1:])]
        self._reached = 0.0  # metres along the path

    @property
    def finished(self) -> bool:
        return self._reached >= sum(self._lengths) - 1e-6

    def _at(self, along: float) -> tuple[float, float]:
        for (ax, ay), (bx, by), length in zip(self._points, self._points[1:], self._lengths):
            if along <= length and length > 0:
                return (ax + (bx - ax) * along / length, ay + (by - ay) * along / length)
            along -= length
        # Beyond the end: straight on, so that the last stretch is walked in its own direction.
        (ax, ay), (bx, by) = self._points[-2], self._points[-1]
        length = max(self._lengths[-1], 1e-9)
        return (bx + (bx - ax) / length * along, by + (by - ay) / length * along)

    def heading(self, x: float, y: float) -> float:
        """Direction (rad) to walk from (x, y)."""
        best = None
        for ahead in range(11):  # search half a metre on from where we were
            along = self._reached + 0.05 * ahead
            px, py = self._at(along)
            away = hypot(px - x, py - y)
            if best is None or away < best[0]:
                best = (away, along)
        self._reached = best[1]
        (px, py), (tx, ty) = self._at(self._reached), self._at(self._reached + self._look_ahead)
        # A walker's path lags behind its facing in a bend and would settle outside: steer harder the farther it is off.
        along_x, along_y = tx - px, ty - py
        aside = ((x - px) * along_y - (y - py) * along_x) / max(hypot(along_x, along_y), 1e-9)  # positive: right of the path
        return atan2(ty - y, tx - x) + max(-MOST_STEER, min(MOST_STEER, self._steer * aside))
