"""Strength: the reaction played smaller or larger than physics has it.

What the body does beside the clip is scaled, joint by joint, and so is how the pelvis hangs between the feet. A larger reaction leaves the feet where
they are and the weight over them; a smaller one also takes smaller steps (see ``steps``).
"""

from __future__ import annotations

import numpy as np

from ... import feet, rotation
from ...arrays import Array, Bools
from ...hull import hull
from ...motion import Motion
from ...signals import envelope
from .pendulum import bounded
from .scene import Scene, between_feet, center, level
from .steps import standing

# rad by which each joint goes further than physics has it, at most, and m of the pelvis
MOST = {"torso": 0.5, "head": 0.5, "upper_arm": 0.9, "forearm": 0.8}
PELVIS, AWAY, DOWN = 0.3, 0.12, 0.12
CALMS_S = 0.1  # s in which the pelvis comes over the feet
INSIDE = 0.015  # m inside of the soles, to where the weight may go


def scaled(scene: Scene, factor: float) -> Motion:
    """The motion with a reaction ``factor`` times as large. Its legs are as they were: they have still to reach for the feet."""
    body, motion, clip = scene.body, scene.motion, scene.clip
    more = (factor - 1.0) * scene.weight[:, None]
    rotations, roots = motion.rotations.copy(), motion.root_positions.copy()
    for link, name in enumerate(body.names):
        most = MOST.get(name.partition(".")[0])
        if most:
            rotations[:, link] = _further(clip.rotations[:, link], motion.rotations[:, link], more, most)
    if scene.fell:
        return Motion(motion.skeleton, motion.fps, roots, rotations)
    faces, faced = level(motion), level(clip)
    tilted, tilts = (rotation.multiply(rotation.conjugate(turn), one.rotations[:, 0]) for turn, one in ((faced, clip), (faces, motion)))
    rotations[:, 0] = rotation.multiply(faces, _further(tilted, tilts, more, PELVIS))
    hangs, hung = (rotation.rotate(rotation.conjugate(turn), one.root_positions - between_feet(body, one))
                   for turn, one in ((faces, motion), (faced, clip)))
    away = more * (hangs - hung)
    away = np.concatenate([bounded(away[:, :2], AWAY), bounded(away[:, 2:], DOWN)], axis=1)
    if factor > 1.0:
        away[:, 2] = np.minimum(away[:, 2], 0.0)  # legs that are as long as they get cannot lift it
    further = Motion(motion.skeleton, motion.fps, roots + rotation.rotate(faces, away), rotations)
    return _over_the_feet(scene, further) if factor > 1.0 else further


def _further(clip: Array, own: Array, more: Array, most: float) -> Array:
    """(F, 4) rotations ``own`` beside those of the clip, ``more`` (F, 1) times further from them, by ``most`` rad at most."""
    off = rotation.log(rotation.multiply(rotation.conjugate(clip), own))
    return rotation.multiply(clip, rotation.exp(off + bounded(more * off, most)))


def _over_the_feet(scene: Scene, motion: Motion) -> Motion:
    """The motion with its pelvis where the weight is over the feet, or no further off them than physics has it."""
    body, before = scene.body, center(scene.body, scene.motion)[:, :2]
    moves = center(body, motion)[:, :2] - before
    soles = feet.soles(body, scene.motion)[..., :2]
    held = _held(before, moves, soles, standing(body, scene.motion))
    back = envelope(held, CALMS_S * motion.fps)[:, None] * moves
    return motion.displace(np.concatenate([-back, np.zeros((len(back), 1))], axis=1))


def _held(before: Array, moves: Array, soles: Array, stands: Bools) -> Array:
    """(F,) which share of the way (F, 2) that a centre of mass moves from (F, 2) is beyond the soles (F, 2, P, 2) that stand, (F, 2)."""
    found = np.ones(len(before))
    for frame in np.flatnonzero(stands.any(axis=1)):
        corners = np.array(hull(soles[frame][stands[frame]].reshape(-1, 2)))
        edges = np.roll(corners, -1, axis=0) - corners
        inward = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-9)
        inside = ((before[frame] - corners) * inward).sum(axis=1) - INSIDE
        gained = inward @ moves[frame]
        losing = gained < -1e-9
        ways = np.where(losing, np.maximum(inside, 0.0) / np.where(losing, -gained, 1.0), 1.0)
        found[frame] = 1.0 - min(1.0, float(ways.min()))
    return found

