"""Lines on level ground around who is played, in place of the grid that a light view does without: one sees by them how fast it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

if TYPE_CHECKING:
    from ..rig.fit import Placement  # needs numpy

AROUND = 7  # m on a person, of squares of a metre to each side, where the lines have faded away
BRIGHT = 0.5
LIFTED = 0.01  # m on a person, over a floor that the scene has


def _pieces() -> Iterator[tuple[float, float, float]]:
    """Ends of pieces of the lines, each as long as a square, m."""
    for line in range(-AROUND, AROUND + 1):
        for piece in range(-AROUND, AROUND):
            yield from ((line, piece, LIFTED), (line, piece + 1, LIFTED), (piece, line, LIFTED), (piece + 1, line, LIFTED))


@cache
def _lines() -> gpu.types.GPUBatch:
    points = list(_pieces())
    colors = [(BRIGHT, BRIGHT, BRIGHT, max(0.0, 1.0 - math.hypot(x, y) / AROUND)) for x, y, _ in points]
    return batch_for_shader(gpu.shader.from_builtin("SMOOTH_COLOR"), "LINES", {"pos": points, "color": colors})


def draw(placement: Placement, place: Sequence[float]) -> None:
    """Around ``place``, world."""
    x, y, _ = placement.to_job(place)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(Matrix(placement.matrix().tolist()))
        gpu.matrix.translate((round(x), round(y), 0.0))
        _lines().draw(gpu.shader.from_builtin("SMOOTH_COLOR"))
