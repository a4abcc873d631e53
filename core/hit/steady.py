"""Steady feet: what slides under a body that was hit, as it lands or is shoved, stays where it comes to stand."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..body import Body
from ..kinematic import pin
from ..measure.contacts import stances
from ..motion import Motion
from ..reference.contacts import Stance
from ..reference.curves import smooth_step
from ..result import Result

FADE_S = 0.1  # s after the hit: before, the body is as the clip has it


def with_steady_feet(found: Result, body: Body) -> Result:
    """What a simulation on a level floor found from the hit on, with feet that do not slide while they stand; who fell stays as found."""
    if found.outcome["fell"]:
        return found
    motion = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    standing = [Stance(foot, start, end) for foot, intervals in enumerate(stances(found)) for start, end in intervals]
    steady = motion.blend(pin.pinned(body, motion, standing), smooth_step(np.arange(motion.frames) / (FADE_S * motion.fps)))
    return pin.moved(found, body, steady)
