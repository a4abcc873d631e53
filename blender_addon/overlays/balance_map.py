"""The balance map on the ground around a character: a field for each push, further out the stronger it is, in the colour of what keeps it up."""

from __future__ import annotations

from itertools import pairwise
from math import cos, radians, sin

import bpy

from . import shapes

COLORS = ((0.16, 0.62, 0.36), (0.61, 0.77, 0.24), (0.95, 0.76, 0.31), (0.94, 0.54, 0.29), (0.48, 0.37, 0.65))  # of STRATEGIES
FALLS = (0.55, 0.56, 0.58)
OPACITY = 0.55
PER_NEWTON = 0.0025  # m on a person: 400 N are a metre away
INNER = 0.3  # m, of the ring of no force
ARC = 6  # straight pieces in which the arc of a field is drawn
GAP = 0.93  # of the room of a field, that it fills
LIFT = 0.003  # m over the ground, so that it does not flicker


def draw(balance: bpy.types.PropertyGroup) -> None:
    fields = balance.fields
    wide = 360.0 / len({field.degrees for field in fields})
    forces = sorted({field.newtons for field in fields})
    rise = forces[0] if len(forces) == 1 else forces[1] - forces[0]
    for field in fields:
        color = FALLS if field.strategy < 0 else COLORS[field.strategy]
        near, far = (INNER + PER_NEWTON * (field.newtons - rise + fraction * rise) for fraction in (0.0, GAP))
        angles = [radians(field.degrees + GAP * wide * (n / ARC - 0.5)) for n in range(ARC + 1)]
        shapes.triangles([point for a, b in pairwise(angles) for point in _quad(a, b, near, far)], (*color, OPACITY))


def _quad(a: float, b: float, near: float, far: float) -> list[tuple[float, float, float]]:
    """Two triangles between two angles and two distances."""
    corners = [(radius * cos(angle), radius * sin(angle), LIFT) for angle in (a, b) for radius in (near, far)]
    return [corners[0], corners[1], corners[3], corners[0], corners[3], corners[2]]
