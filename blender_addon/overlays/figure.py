"""A figure of lines with a head: how a ghost is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from mathutils import Vector

from . import shapes
from .last_bake import LastBake

ROUND = 16  # straight pieces of the circles that make a head
FILLED = 0.35  # of the opacity of the lines, that the inside of the head has


def draw(bake: LastBake, joints: Sequence[shapes.Point], color: shapes.Color, width: float) -> None:
    """``joints``: (L, 3) m of the body of a bake, or of the recording that it followed."""
    shapes.lines([joints[end] for bone in bake.bones for end in bone], color, width)
    middle, up, radius = head(bake, joints)
    side = up.orthogonal().normalized()
    other = up.cross(side)
    for a, b in ((side, other), (side, up), (other, up)):
        circle = [middle + radius * (cos(angle) * a + sin(angle) * b) for angle in (2.0 * pi * n / ROUND for n in range(ROUND))]
        shapes.lines(shapes.loop(circle), color, 0.5 * width)
        shapes.triangles(shapes.fan(circle), (*color[:3], FILLED * color[3]))


def head(bake: LastBake, joints: Sequence[shapes.Point]) -> tuple[Vector, Vector, float]:
    """m of the middle of the head, where its top points, and its radius: it is on the neck, in line with the back."""
    neck, waist = (Vector(joints[link]) for link in (bake.neck, bake.waist))
    up = (neck - waist).normalized()
    return neck + bake.head * up, up, 0.8 * bake.head
