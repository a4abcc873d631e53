"""Lines and areas of one colour, for the draw handlers. Points are (x, y, z) in the axes that ``gpu.matrix`` has at that moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

Point = Sequence[float]
Color = tuple[float, float, float, float]
LARGEST_HEAD = 0.8  # m: longer arrows have a head no larger than one of this length


def lines(points: Sequence[Point], color: Color, width: float = 1.5) -> None:
    """Each two points are a line."""
    gpu.state.line_width_set(width)
    _draw("LINES", points, color)
    gpu.state.line_width_set(1.0)


def triangles(points: Sequence[Point], color: Color) -> None:
    _draw("TRIS", points, color)


def _draw(kind: str, points: Sequence[Point], color: Color) -> None:
    if len(points) == 0:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", color)
    batch_for_shader(shader, kind, {"pos": points}).draw(shader)


def loop(points: Sequence[Point]) -> list[Point]:
    """A closed line around, for ``lines``."""
    return [point for pair in zip(points, (*points[1:], points[0]), strict=True) for point in pair]


def fan(points: Sequence[Point]) -> list[Point]:
    """A convex area, for ``triangles``."""
    return [point for a, b in pairwise(points[1:]) for point in (points[0], a, b)]


def ring(center: Point, radius: float, count: int = 24) -> list[Point]:
    """A level circle."""
    x, y, z = center
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle), z) for angle in (2 * math.pi * n / count for n in range(count))]


def arrow(tip: Vector, direction: Vector, length: float) -> tuple[list[Point], list[Point]]:
    """The shaft (for ``lines``) and the head (for ``triangles``) of an arrow that ends at ``tip``."""
    side = direction.orthogonal().normalized()
    other = direction.cross(side)
    size = min(length, LARGEST_HEAD)
    neck, radius = tip - 0.3 * size * direction, 0.08 * size
    rim = [neck + radius * (math.cos(angle) * side + math.sin(angle) * other) for angle in (2 * math.pi * n / 12 for n in range(12))]
    cone = [point for a, b in zip(rim, (*rim[1:], rim[0]), strict=True) for point in (tip, a, b)]
    return [tip - length * direction, neck], cone + fan(rim)
