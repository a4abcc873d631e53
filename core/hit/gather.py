"""Gather: from where a body has come to stand back into a clip that stands, with a calm step of the foot that is out of its place.

No physics: a step of half a second from one quiet stance to another needs none that could be seen.
"""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..body import Body
from ..motion import Motion
from ..reference import feet, legs
from ..reference.curves import smooth_step
from ..result import Result

SECONDS = 0.6  # s that it takes
LIFT = 0.06  # of the leg's length, that the foot goes up


def place(body: Body, clip: Motion, time: float, stood: Result) -> np.ndarray:
    """The way (3,) m by which the clip is moved so that the foot on which the body stands most at the end of ``stood`` is in its place at ``time`` (s)
    of the clip."""
    ankle = feet.link(body, "foot", int(np.argmax(stood.foot_forces[-1, :, 2])))
    there = body.skeleton.forward_kinematics(stood.root_positions[-1], stood.rotations[-1])[0][ankle]
    here = body.skeleton.forward_kinematics(*clip.sample(time))[0][ankle]
    return (there - here) * (1.0, 1.0, 0.0)


def gathered(body: Body, motion: Motion, clip: Motion, start: int) -> Motion:
    """``motion`` until frame ``start``, whose pose goes over into ``clip`` from there on; both stand."""
    frames = np.arange(start, min(start + round(SECONDS * clip.fps) + 1, clip.frames))
    part = smooth_step((frames - start) / (SECONDS * clip.fps))
    held = Motion(clip.skeleton, clip.fps, np.repeat(motion.root_positions[start:start + 1], len(frames), axis=0),
                  np.repeat(motion.rotations[start:start + 1], len(frames), axis=0))
    goal = Motion(clip.skeleton, clip.fps, clip.root_positions[frames], clip.rotations[frames])
    way = held.blend(goal, part)
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (before, turns), (after, turns_after) = held.world(), goal.world()
    far = np.linalg.norm((after - before)[:, ankles, :2], axis=-1)
    arc = np.sin(np.pi * part)[:, None] * LIFT * body.leg_length * np.minimum(1.0, far / 0.05)
    places = before[:, ankles] + part[:, None, None] * (after - before)[:, ankles]
    places[..., 2] += arc
    bends = rotation.log(rotation.slerp(held.rotations[:, toes], goal.rotations[:, toes], part[:, None]))[..., 1]
    lowered = legs.lowered(body, way, places, np.ones((len(frames), 2), dtype=bool))
    reached = legs.reaching(body, lowered, places, rotation.slerp(turns[:, ankles], turns_after[:, ankles], part[:, None]), bends)
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    roots[frames], rotations[frames] = reached.root_positions, reached.rotations
    roots[frames[-1] + 1:], rotations[frames[-1] + 1:] = clip.root_positions[frames[-1] + 1:], clip.rotations[frames[-1] + 1:]
    return Motion(clip.skeleton, clip.fps, roots, rotations)
