"""The boxes that were simulated."""

from __future__ import annotations

from mathutils import Quaternion, Vector

from . import shapes
from .last_bake import LastBake

COLOR = (0.30, 0.72, 1.0, 0.9)
CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if sum(p != q for p, q in zip(CORNERS[a], CORNERS[b], strict=True)) == 1]


def draw(bake: LastBake, frame: int) -> None:
    points = []
    for middle, turn, half in zip(bake.positions[frame], bake.orientations[frame], bake.half_extents, strict=True):
        corners = [Vector(middle) + Quaternion(turn) @ Vector((x * half[0], y * half[1], z * half[2])) for x, y, z in CORNERS]
        points += [corners[corner] for edge in EDGES for corner in edge]
    shapes.lines(points, COLOR)
