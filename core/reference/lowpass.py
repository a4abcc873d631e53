"""A low-pass filter without delay takes the jitter out of a recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import rotation
from ..arrays import Bools
from ..motion import Motion
from ..signals import low_pass

# Seconds over which the filter goes over from one cut-off frequency to the other.
CHANGE_S = 0.1


def smoothed(motion: Motion, cutoff: float) -> Motion:
    """The motion with root and rotations low-passed at ``cutoff`` Hz."""
    rotations = rotation.normalize(low_pass(rotation.make_continuous(motion.rotations), motion.fps, cutoff))
    return replace(motion, root_positions=low_pass(motion.root_positions, motion.fps, cutoff), rotations=rotations)


def smoothed_by_pace(motion: Motion, calm: float, lively: float, is_lively: Bools) -> Motion:
    """Low-passed at ``calm`` Hz, at ``lively`` Hz where is_lively (F,)."""
    if not is_lively.any():
        return smoothed(motion, calm)
    width = 2 * int(CHANGE_S * motion.fps) + 1
    weight = np.convolve(np.pad(is_lively.astype(float), width // 2, mode="edge"), np.ones(width) / width, mode="valid")
    return smoothed(motion, calm).blend(smoothed(motion, lively), weight)
