"""A figure of lines with a head: how a ghost is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from mathutils import Vector

from . import shapes

ROUND = 16  # straight pieces of the circles that make a head
FILLED = 0.35  # of the opacity of the lines, that the inside of the head has


@dataclass(frozen=True)
class Figure:
    """Attributes:
        bones: pairs of joints between which a line is drawn. neck, waist: the joints where the head and the trunk begin. head: m, half its height.
    """

    bones: list[tuple[int, int]]
    neck: int
    waist: int
    head: float


def figure_of(names: Sequence[str], parents: Sequence[int], half_extents: Sequence[Sequence[float]]) -> Figure:
    """Of a body with L links, as a Result has them. The arms come off the neck, and not off the waist on which their links hang."""
    neck, waist = names.index("head"), names.index("torso")
    bones = [(neck if name.startswith("upper_arm") else int(parent), link)
             for link, (name, parent) in enumerate(zip(names, parents, strict=True)) if parent >= 0]
    return Figure(bones, neck, waist, float(half_extents[neck][2]))


def draw(figure: Figure, joints: Sequence[shapes.Point], color: shapes.Color, width: float) -> None:
    """``joints``: (L, 3) m."""
    shapes.lines([joints[end] for bone in figure.bones for end in bone], color, width)
    middle, up, radius = head(figure, joints)
    side = up.orthogonal().normalized()
    other = up.cross(side)
    for a, b in ((side, other), (side, up), (other, up)):
        circle = [middle + radius * (cos(angle) * a + sin(angle) * b) for angle in (2.0 * pi * n / ROUND for n in range(ROUND))]
        shapes.lines(shapes.loop(circle), color, 0.5 * width)
        shapes.triangles(shapes.fan(circle), (*color[:3], FILLED * color[3]))


def head(figure: Figure, joints: Sequence[shapes.Point]) -> tuple[Vector, Vector, float]:
    """m of the middle of the head, where its top points, and its radius: it is on the neck, in line with the back."""
    neck, waist = (Vector(joints[link]) for link in (figure.neck, figure.waist))
    up = (neck - waist).normalized()
    return neck + figure.head * up, up, 0.8 * figure.head
