"""Steady feet: what slides under a body that was hit, as it lands or is shoved, stays where it comes to stand."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import rotation
from ..body import Body
from ..kinematic import pin
from ..measure.contacts import stances
from ..measure.kinematics import body_weight
from ..motion import Motion
from ..reference.contacts import Stance
from ..reference.curves import smooth_step
from ..result import Result

BEARING = 0.3  # of body weight, on a foot that is not to slide
FADE_S = 0.1  # s after the hit: before, the body is as the clip has it


def with_steady_feet(found: Result, body: Body) -> Result:
    """What a simulation found from the hit on, with feet that do not slide while they bear weight; on a level floor only, and not of who fell."""
    if found.outcome["fell"] or not pin.on_a_floor(found):
        return found
    motion = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    steady = motion.blend(pin.pinned(body, motion, _bearing(found)), smooth_step(np.arange(motion.frames) / (FADE_S * motion.fps)))
    return dataclasses.replace(found, root_positions=steady.root_positions, rotations=steady.rotations, penetrations=pin.depths(body, steady))


def _bearing(found: Result) -> list[Stance]:
    """Of each stance, from when on and until when it bears weight."""
    bears = found.foot_forces[:, :, 2] > BEARING * body_weight(found)
    spans = [(foot, start + np.flatnonzero(bears[start:end, foot])) for foot, intervals in enumerate(stances(found)) for start, end in intervals]
    return [Stance(foot, int(frames[0]), int(frames[-1]) + 1) for foot, frames in spans if len(frames) > 1]
