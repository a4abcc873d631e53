"""Level soles: files do not say where the sole of a foot is, so it is found from the frames in which the foot stands flat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..rotation import hinge, hinge_angle, upright_turn
from . import sole

# A foot stands while ankle and ball are both slower than this (m/s). At least the slowest of the frames near the floor count, this share of them.
STANDING_SPEED = 0.1
SLOWEST_SHARE = 0.08
# Metres by which the ball of a standing foot may be off the floor.
NEAR_FLOOR = 0.05
# Metres over its lowest places up to which an ankle has its heel down; radians within which soles are alike.
HEEL_DOWN, ALIKE = 0.03, np.radians(3.0)
# Radians by which a sole may be tilted and still be corrected: a foot that is tilted further does not stand flat. And those worth a note.
LARGEST = np.radians(35.0)
NOTED = np.radians(3.0)


def flattened(body: Body, motion: Motion) -> tuple[Motion, list[str]]:
    """The motion, whose floor is level at the toe joints' resting height, with soles that are level when a foot stands; and what was done.

    One constant turn a foot: the direction in which the foot points stays. The toes lie in line with the sole while it is flat.
    """
    rotations = motion.rotations.copy()
    said = []
    for foot, side in enumerate(("left", "right")):
        ankle, toe = (sole.link(body, part, foot) for part in ("foot", "toes"))
        flat = _standing(body, motion, foot)
        if not flat.any():
            continue
        _, orientations = motion.world()
        up = _usual(rotation.rotate(rotation.conjugate(orientations[flat, ankle]), (0.0, 0.0, 1.0)))
        tilt = float(np.arccos(np.clip(up[2], -1.0, 1.0)))
        if tilt > LARGEST:
            said.append(f"The {side} foot never stands flat: its sole was left as it is.")
            continue
        rotations[:, ankle] = rotation.multiply(rotations[:, ankle], rotation.conjugate(upright_turn(up)))
        toe_angle = np.median(hinge_angle(rotations[flat, toe]))
        rotations[:, toe] = rotation.multiply(rotations[:, toe], hinge(-toe_angle))
        if tilt > NOTED:
            said.append(f"The {side} sole was {np.degrees(tilt):.0f}° off while the foot stood flat: corrected.")
    return replace(motion, rotations=rotations), said


def _standing(body: Body, motion: Motion, foot: int) -> Bools:
    """(F,) whether the foot stands: ankle and ball are still, and it is as low as it gets."""
    positions, _ = motion.world()
    ankle, ball = (positions[:, sole.link(body, part, foot)] for part in ("foot", "toes"))
    pace = np.maximum(sole.speeds(ankle, motion.fps), sole.speeds(ball, motion.fps))
    low = np.abs(ball[:, 2]) < NEAR_FLOOR
    if not low.any():
        return low
    slow = low & (pace <= max(STANDING_SPEED, np.quantile(pace[low], SLOWEST_SHARE)))
    # With the heel raised a foot stands too.
    return slow & (ankle[:, 2] < np.quantile(ankle[slow, 2], 0.2) + HEEL_DOWN)


def _usual(directions: Array) -> Array:
    """(3,) unit vector to where most of directions (N, 3) point. Where they point to two places, it is the one nearer to up, as soles should be."""
    usual = np.array([0.0, 0.0, 1.0])
    for _ in range(10):
        apart = np.arccos(np.clip(directions @ usual, -1.0, 1.0))
        usual = (directions / np.maximum(apart, ALIKE)[:, None] ** 2).sum(axis=0)
        usual /= np.linalg.norm(usual)
    return usual
