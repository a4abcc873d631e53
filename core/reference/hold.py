"""Hold: a reference that goes on in its last pose."""

from __future__ import annotations

import dataclasses

import numpy as np

from . import fragments
from .reference import Reference


def held(reference: Reference, seconds: float) -> Reference:
    """The reference, ``seconds`` long or longer: its last pose is held, and feet that stand in it go on standing."""
    motion = reference.motion
    if motion.duration >= seconds:
        return reference
    last = motion.frames - 1
    frames = int(np.ceil(seconds * motion.fps)) + 1
    at = np.minimum(np.arange(frames), last)
    long = dataclasses.replace(motion, root_positions=motion.root_positions[at], rotations=motion.rotations[at])
    stances = [dataclasses.replace(stance, end=frames) if stance.end >= last else stance for stance in reference.stances]
    return dataclasses.replace(reference, motion=long, stances=stances, fragments=fragments.cut(long, stances))
