"""Frames of a recording in which a joint is turned as no joint of a person can be: how far such a fault goes, and the way past it."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array, Bools

# rad/s from one frame to the next that still belong to the fault, next to it: hips and ankles turn slower.
FAULTY_SPEED = 25.0


def fast(turns: Array, fps: float) -> Bools:
    """(F − 1,) whether the joint jumps from one frame to the next. ``turns``: (F, 4), relative to its parent."""
    steps = rotation.log(rotation.multiply(rotation.conjugate(turns[:-1]), turns[1:]))
    return np.linalg.norm(steps, axis=-1) * fps > FAULTY_SPEED


def without_jumps(sound: Bools, jumps: Bools) -> Bools:
    """(F,) the sound frames, without those from which the joint jumps, in one leap or several, to a frame that is not sound.

    Args:
        sound: (F,) whether a frame can be believed, taken by itself.
        jumps: (F − 1,) see :func:`fast`.
    """
    sound = sound.copy()
    for frame in range(1, len(sound)):
        sound[frame] &= sound[frame - 1] or not jumps[frame - 1]
    for frame in range(len(sound) - 2, -1, -1):
        sound[frame] &= sound[frame + 1] or not jumps[frame]
    return sound


def led_through(turns: Array, sound: Bools) -> Array:
    """(F, 4) ``turns`` (F, 4) where ``sound`` (F,), at least once, and evenly from one sound frame to the next between."""
    kept = np.flatnonzero(sound)
    place = np.clip(np.interp(np.arange(len(sound)), kept, np.arange(len(kept))), 0, len(kept) - 1)
    before = place.astype(int)
    after = np.minimum(before + 1, len(kept) - 1)
    return rotation.slerp(turns[kept[before]], turns[kept[after]], place - before)
