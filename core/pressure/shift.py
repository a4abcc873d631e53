"""A motion moved and turned on the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin

import numpy as np

from .. import rotation
from ..arrays import Array


@dataclass(frozen=True)
class Shift:
    """What is at ``pivot`` (x, y) m comes to ``place`` (x, y) m, turned by ``yaw`` rad to the left."""

    pivot: tuple[float, float]
    place: tuple[float, float]
    yaw: float

    def about(self, pivot: tuple[float, float]) -> Shift:
        """The same, turned about another point."""
        return Shift(pivot, self.moved(*pivot), self.yaw)

    def moved(self, x: float, y: float) -> tuple[float, float]:
        x, y, c, s = x - self.pivot[0], y - self.pivot[1], cos(self.yaw), sin(self.yaw)
        return self.place[0] + c * x - s * y, self.place[1] + s * x + c * y

    def towards(self, other: Shift, share: float) -> Shift:
        """``share`` of the way to another one, about its pivot; the shorter way round."""
        own = self.about(other.pivot)
        turn = rotation.wrap(other.yaw - own.yaw)
        return Shift(other.pivot, (own.place[0] + share * (other.place[0] - own.place[0]), own.place[1] + share * (other.place[1] - own.place[1])),
                     own.yaw + share * turn)

    def points(self, places: Array) -> Array:
        """(..., 2 or 3) m of places (..., 2 or 3); heights stay."""
        c, s = cos(self.yaw), sin(self.yaw)
        x, y = places[..., 0] - self.pivot[0], places[..., 1] - self.pivot[1]
        found = places.copy()
        found[..., 0], found[..., 1] = self.place[0] + c * x - s * y, self.place[1] + s * x + c * y
        return found


def moved_each(shifts: Sequence[Shift], places: Array) -> Array:
    """(N, ..., 3) m of places (N, ..., 3), each moved by its own shift."""
    if all(shift is shifts[0] for shift in shifts):
        return shifts[0].points(places)
    values = np.array([(*shift.pivot, *shift.place, cos(shift.yaw), sin(shift.yaw)) for shift in shifts])
    from_x, from_y, to_x, to_y, c, s = values.T.reshape(6, len(shifts), *[1] * (places.ndim - 2))
    x, y = places[..., 0] - from_x, places[..., 1] - from_y
    found = places.copy()
    found[..., 0], found[..., 1] = to_x + c * x - s * y, to_y + s * x + c * y
    return found


def onto(start: tuple[float, float, float], end: tuple[float, float, float]) -> Shift:
    """That takes x, y (m) and direction (rad) to others."""
    return Shift(start[:2], end[:2], end[2] - start[2])


def turn(yaw: Array) -> Array:
    """(..., 4) turns about Z by (...) rad."""
    return np.stack([np.cos(0.5 * yaw), np.zeros_like(yaw), np.zeros_like(yaw), np.sin(0.5 * yaw)], axis=-1)
