"""The recording that was followed, as a figure beside the character."""

from __future__ import annotations

from math import isnan

from . import figure, shapes
from .last_bake import LastBake

COLOR = (0.62, 0.95, 0.78, 0.9)
WIDTH = 4.0
JOINT = 0.02  # m, half size of the cross at a joint


def draw(bake: LastBake, frame: int, aside: float) -> None:
    """``aside``: metres to the left of where the recording is."""
    joints = [(x, y + aside, z) for x, y, z in bake.reference[frame]]
    if isnan(joints[0][0]):
        return
    figure.draw(bake.figure, joints, COLOR, WIDTH)
    ticks = [(x + JOINT * a, y + JOINT * b, z + JOINT * c) for x, y, z in joints
             for a, b, c in ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))]
    shapes.lines(ticks, COLOR)
