"""One cycle out of a walk, on the spot, that repeats without a seam. Arrays only, no Blender."""

from __future__ import annotations

import numpy as np

from ...core import rotation
from ...core.errors import SimulationError
from ...core.result import Result


def one_cycle(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Root positions (F, 3) and rotations (F, L, 4) of the last full cycle, the last frame equal to the first.

    The cycle runs from one start of a left-leg stance to the next; travel and turning are taken out, and what still differs between
    both ends is spread evenly over the cycle.
    """
    begins = np.flatnonzero((result.stance[1:] == 0) & (result.stance[:-1] == 1)) + 1
    if len(begins) < 2:
        raise SimulationError("There is no full cycle to loop: simulate for longer, or bake without looping.")
    span = slice(begins[-2], begins[-1] + 1)
    roots, rotations = result.root_positions[span].copy(), result.rotations[span].copy()
    done = np.linspace(0.0, 1.0, len(roots))
    yaw = np.unwrap(rotation.heading(rotations[:, 0]))
    turned = rotation.from_axis_angle([0.0, 0.0, 1.0], -(yaw[0] + (yaw[-1] - yaw[0]) * done))
    rotations[:, 0] = rotation.multiply(turned, rotations[:, 0])
    travel = roots[:1] + (roots[-1:] - roots[:1]) * done[:, None]
    sway = roots - travel
    roots = rotation.rotate(turned, sway)
    roots[:, 2] = sway[:, 2] + travel[0, 2]
    gap = rotation.log(rotation.multiply(rotation.conjugate(rotations[-1]), rotations[0]))
    rotations = rotation.multiply(rotations, rotation.exp(gap * done[:, None, None]))
    return roots, rotations
